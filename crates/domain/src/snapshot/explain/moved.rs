//! What was done to a tree as a whole: told from the reflog, and from the history alone where
//! there is none.

use super::super::drift::Moved;
use super::super::found::{Found, Step, Trail};
use super::super::recorded::{Operation, Recorded};
use crate::id::ObjectId;

/// What was done to the tree as a whole, if anything was.
pub(super) fn moved(recorded: &Recorded, found: &Found) -> Option<Moved> {
    match (&recorded.position.head, &found.position.head) {
        (Some(from), Some(to)) if from == to => work_moved(recorded, found),
        (None, None) => None,
        (Some(from), None) => Some(Moved::Orphaned { from: from.clone() }),
        (from, Some(to)) => Some(head_moved(recorded, found, from.as_ref(), to)),
    }
}

/// `HEAD` stands elsewhere.
fn head_moved(recorded: &Recorded, found: &Found, from: Option<&ObjectId>, to: &ObjectId) -> Moved {
    let trail = &found.trail;
    let (before, after) = (&recorded.position.branch, &found.position.branch);
    let switched = || Moved::Switched {
        from: from.cloned(),
        to: to.clone(),
        from_branch: before.clone(),
        to_branch: after.clone(),
    };
    let began = found.position.operation.filter(|_| recorded.position.operation.is_none());
    if let (Some(Operation::Rebase), Some(from)) = (began, from) {
        return Moved::Rebased { from: from.clone(), to: to.clone() };
    }
    if before != after {
        return switched();
    }
    let Some(from) = from else {
        let commits = trail.steps.len().max(1) as u64;
        return Moved::Committed { from: None, to: to.clone(), commits };
    };
    let (from, to) = (from.clone(), to.clone());
    let said = |words: &[&str]| trail.steps.iter().any(|step| begins(step, words));
    match trail.ahead {
        Some(commits) => forward(found, from, to, commits),
        None if said(&["rebase", "pull --rebase", "pull -r"]) => Moved::Rebased { from, to },
        None if said(&["commit (amend)"]) => Moved::Amended { from, to },
        None if said(&["reset"]) || trail.behind.is_some() => Moved::Reset { from, to },
        None if trail.same_parents && !trail.lost => Moved::Amended { from, to },
        None if trail.same_origin => Moved::Rebased { from, to },
        None if said(&["checkout"]) => switched(),
        None => Moved::Unknown { from, to },
    }
}

/// `HEAD` stands on a descendant of the recorded commit.
fn forward(found: &Found, from: ObjectId, to: ObjectId, commits: u64) -> Moved {
    let trail = &found.trail;
    let said = |words: &[&str]| trail.steps.iter().any(|step| begins(step, words));
    if trail.is_merge || said(&["commit (merge)"]) {
        return Moved::Merged { from, to };
    }
    if trail.steps.iter().any(|step| ends(step, "Fast-forward")) {
        return Moved::FastForwarded { from, to, commits };
    }
    if said(&["merge", "pull"]) {
        return Moved::Merged { from, to };
    }
    if said(&["rebase"]) {
        return Moved::Rebased { from, to };
    }
    if said(&["cherry-pick"]) && !said(&["commit"]) {
        return Moved::CherryPicked { from, to, commits };
    }
    if said(&["revert"]) && !said(&["commit"]) {
        return Moved::Reverted { from, to, commits };
    }
    if said(&["reset"]) && !said(&["commit"]) {
        return Moved::Reset { from, to };
    }
    if trail.steps.is_empty() && content_came_along(found) {
        return Moved::FastForwarded { from, to, commits };
    }
    Moved::Committed { from: Some(from), to, commits }
}

/// Whether the files changed to what the new commit has: then it was not made from them.
fn content_came_along(found: &Found) -> bool {
    !found.changes.is_empty() && found.changes.iter().all(|change| change.as_head)
}

/// `HEAD` stands where it stood; the uncommitted work may have gone.
fn work_moved(recorded: &Recorded, found: &Found) -> Option<Moved> {
    let back = || found.changes.iter().filter(|change| change.as_head);
    back().next()?;
    if let Some(stash) = found.position.stash.as_ref()
        && recorded.position.stash.as_ref() != Some(stash)
        && back().any(|change| change.in_stash)
    {
        return Some(Moved::Stashed { stash: stash.clone() });
    }
    let Trail { work_left, added_left, .. } = found.trail;
    // What git did not know is gone; what it knows is as it was recorded.
    if back().all(|change| change.after.is_none()) {
        let is_moved = found.changes.iter().any(|change| change.from.is_some());
        return (added_left == 0 && !is_moved).then_some(Moved::Cleaned);
    }
    (work_left == 0).then_some(Moved::Discarded)
}

fn begins(step: &Step, words: &[&str]) -> bool {
    let message = step.message.as_bytes();
    words.iter().any(|word| {
        let rest = message.strip_prefix(word.as_bytes());
        rest.is_some_and(|rest| !rest.first().is_some_and(u8::is_ascii_alphanumeric))
    })
}

fn ends(step: &Step, words: &str) -> bool {
    step.message.as_bytes().ends_with(words.as_bytes())
}
