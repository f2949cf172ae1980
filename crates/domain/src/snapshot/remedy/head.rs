//! Putting `HEAD` back where it stood.

use super::super::drift::{Drift, Moved, Note};
use super::super::recorded::{Operation, Recorded};
use super::shell::quoted;
use super::{Here, Remedies};
use crate::snapshot::PathText;

pub(super) fn remedy(drift: &Drift, recorded: &Recorded, here: &Here, remedies: &mut Remedies) {
    let git = here.git();
    let operation = drift.notes.iter().find_map(|note| match note {
        Note::OperationBegan { operation } => Some(*operation),
        _ => None,
    });
    if let Some(operation) = operation {
        remedies.command(format!("{git} {}", quit(operation)));
    }
    let Some(moved) = drift.moved.as_ref().filter(|moved| moved.is_of_head()) else {
        // What was under way may have left conflicts in the index.
        if operation.is_some() {
            remedies.command(format!("{git} reset -q"));
        }
        return;
    };
    let head = &recorded.position.head;
    let lost = drift.notes.iter().any(|note| matches!(note, Note::HeadLost { .. }));
    if let Some(head) = head.as_ref().filter(|_| lost) {
        remedies.by_hand(format!(
            "the commit {head} is no longer in the repository: fetch it from where it was pushed, \
             or look for it with `git fsck --lost-found`"
        ));
        return;
    }
    let is_elsewhere = matches!(moved, Moved::Switched { .. } | Moved::Orphaned { .. })
        || drift.notes.iter().any(|note| matches!(note, Note::BranchChanged { .. }));
    let branch = recorded.position.branch.as_ref().filter(|_| is_elsewhere);
    let onto = branch.map(|name| format!("{git} symbolic-ref HEAD {}", reference(name)));
    remedies.command(match (head, onto) {
        // Plain commits can be taken back without a trace in the index.
        (Some(head), None) if !is_elsewhere && operation.is_none() && moved.is_commit() => {
            format!("{git} reset --soft {head}")
        }
        (Some(head), Some(onto)) => format!("{onto} && {git} reset -q {head}"),
        (Some(head), None) if is_elsewhere => {
            format!("{git} update-ref --no-deref HEAD {head} && {git} reset -q")
        }
        (Some(head), None) => format!("{git} reset -q {head}"),
        (None, Some(onto)) => onto,
        (None, None) => format!("{git} update-ref -d HEAD"),
    });
}

impl Moved {
    fn is_commit(&self) -> bool {
        matches!(self, Self::Committed { .. } | Self::Amended { .. })
    }
}

/// Ends what git is in the middle of, and leaves the files alone.
fn quit(operation: Operation) -> &'static str {
    match operation {
        Operation::Merge => "merge --quit",
        Operation::Rebase => "rebase --quit",
        Operation::CherryPick => "cherry-pick --quit",
        Operation::Revert => "revert --quit",
        Operation::Apply => "am --quit",
        Operation::Bisect => "bisect reset HEAD",
    }
}

fn reference(branch: &PathText) -> String {
    quoted(&PathText::new([b"refs/heads/", branch.as_bytes()].concat()))
}
