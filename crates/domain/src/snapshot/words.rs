//! What became of a tree, in words for people.

use super::drift::{FileDrift, Kind, Moved, Note};
use super::path_text::PathText;
use super::recorded::{Operation, SpecialKind, State, Why};
use crate::id::ObjectId;

impl Moved {
    /// One word: `committed`, `stashed`.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Committed { .. } => "committed",
            Self::Amended { .. } => "amended",
            Self::Rebased { .. } => "rebased",
            Self::Merged { .. } => "merged",
            Self::FastForwarded { .. } => "fast-forwarded",
            Self::CherryPicked { .. } => "cherry-picked",
            Self::Reverted { .. } => "reverted",
            Self::Reset { .. } => "reset",
            Self::Switched { .. } => "switched",
            Self::Stashed { .. } => "stashed",
            Self::Discarded => "discarded",
            Self::Cleaned => "cleaned",
            Self::Orphaned { .. } => "orphaned",
            Self::Unknown { .. } => "moved",
        }
    }

    /// What happened, in one sentence without its full stop.
    pub fn words(&self) -> String {
        let between = |from: &ObjectId, to: &ObjectId| {
            format!("HEAD was at {} and is at {}", from.short(), to.short())
        };
        match self {
            Self::Committed { to, commits, .. } => {
                format!("{} made on top; HEAD is at {}", count(*commits), to.short())
            }
            Self::Amended { from, to } => format!("the commit was amended: {}", between(from, to)),
            Self::Rebased { from, to } => format!("the branch was rebased: {}", between(from, to)),
            Self::Merged { from, to } => format!("something was merged: {}", between(from, to)),
            Self::FastForwarded { commits, to, .. } => {
                format!("{} of others taken over; HEAD is at {}", count(*commits), to.short())
            }
            Self::CherryPicked { commits, to, .. } => {
                format!("{} picked from elsewhere; HEAD is at {}", count(*commits), to.short())
            }
            Self::Reverted { commits, to, .. } => {
                format!("{} made to undo others; HEAD is at {}", count(*commits), to.short())
            }
            Self::Reset { from, to } => format!("the branch was reset: {}", between(from, to)),
            Self::Switched { from_branch, to_branch, .. } => {
                format!(
                    "{} is checked out instead of {}",
                    branch(to_branch.as_ref()),
                    branch(from_branch.as_ref())
                )
            }
            Self::Stashed { stash } => {
                format!("the uncommitted work was put into the stash, as {}", stash.short())
            }
            Self::Discarded => {
                "the uncommitted work was thrown away; the files are those of HEAD".to_owned()
            }
            Self::Cleaned => "the files that git did not know were removed".to_owned(),
            Self::Orphaned { from } => {
                format!("HEAD was at {} and stands on no commit now", from.short())
            }
            Self::Unknown { from, to } => {
                format!("{}; the history does not tell how", between(from, to))
            }
        }
    }
}

impl Kind {
    /// One to three words: `edited`, `line endings only`.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Edited => "edited",
            Self::Added => "added",
            Self::Removed => "removed",
            Self::Renamed { .. } => "renamed",
            Self::Chmod => "chmod",
            Self::Retyped => "replaced",
            Self::LineEndings => "line endings only",
            Self::Layout => "white space only",
            Self::Filtered => "before filters only",
            Self::Restored => "back to HEAD",
            Self::RepositoryMoved => "repository moved",
            Self::RepositoryAdded => "repository added",
            Self::RepositoryRemoved => "repository removed",
        }
    }
}

impl FileDrift {
    /// What became of the path, in one sentence without its full stop.
    pub fn words(&self) -> String {
        let path = &self.path;
        match (&self.kind, &self.before, &self.after) {
            (Kind::Renamed { from }, ..) => format!("{path} was {from}"),
            (Kind::Chmod, Some(before), Some(after)) => {
                format!("{path} had permissions {} and has {}", mode(before), mode(after))
            }
            (Kind::Retyped, Some(before), Some(after)) => {
                format!("{path} was {} and is {}", thing(before), thing(after))
            }
            (Kind::RepositoryMoved, Some(before), Some(after)) => {
                format!("{path} stood on {} and stands on {}", commit(before), commit(after))
            }
            (Kind::Added, _, Some(after)) => format!("{path} is new: {}", thing(after)),
            (Kind::Removed, Some(before), _) => format!("{path} is gone; it was {}", thing(before)),
            (kind, ..) => format!("{path}: {}", kind.name()),
        }
    }
}

impl Note {
    /// One to three words: `rules changed`, `cache lost`.
    pub fn name(&self) -> &'static str {
        match self {
            Self::RulesChanged => "rules changed",
            Self::BranchChanged { .. } => "branch changed",
            Self::OperationBegan { .. } => "operation began",
            Self::OperationEnded { .. } => "operation ended",
            Self::StashChanged { .. } => "stash changed",
            Self::WentAndCameBack { .. } => "went and came back",
            Self::CacheLost => "cache lost",
            Self::TreeLost => "files lost",
            Self::BesideChanged => "beside changed",
            Self::HeadLost { .. } => "head lost",
            Self::Beyond { .. } => "beyond",
        }
    }

    /// What there is to tell, in one sentence without its full stop.
    pub fn words(&self) -> String {
        match self {
            Self::RulesChanged => {
                "the ignore rules outside of the tree changed; the ones from the beginning were used"
                    .to_owned()
            }
            Self::BranchChanged { from, to } => {
                format!("{} is checked out instead of {}", branch(to.as_ref()), branch(from.as_ref()))
            }
            Self::OperationBegan { operation } => format!("{} is under way", operation.words()),
            Self::OperationEnded { operation } => {
                format!("{} that was under way has ended", operation.words())
            }
            Self::StashChanged { from: None, .. } => "something was stashed".to_owned(),
            Self::StashChanged { to: None, .. } => "the stash was emptied".to_owned(),
            Self::StashChanged { .. } => "the stash has another newest entry".to_owned(),
            Self::WentAndCameBack { times } => {
                format!("HEAD was moved {times} times and is back where it was")
            }
            Self::TreeLost => "the files that were recorded are lost, and those that are here are \
                               others: which of them differ can't be told"
                .to_owned(),
            Self::CacheLost => "the stat cache is lost; every file was read".to_owned(),
            Self::BesideChanged => {
                "the stat cache is lost, and permissions or line endings of some file may differ"
                    .to_owned()
            }
            Self::HeadLost { head } => format!("the commit {} is no longer there", head.short()),
            Self::Beyond { path, why: Why::TooMany } => {
                format!("{path} has too many ignored files to watch")
            }
            Self::Beyond { path, why: Why::TooLarge } => {
                format!("{path} is too large to watch; only its size is")
            }
            Self::Beyond { path, why: Why::Unreadable } => format!("{path} can't be read"),
            Self::Beyond { path, why: Why::Unrecordable } => {
                format!("git refuses the name {path}; the file is watched, but not stored")
            }
        }
    }
}

fn count(commits: u64) -> String {
    if commits == 1 { "a commit was".to_owned() } else { format!("{commits} commits were") }
}

fn branch(name: Option<&PathText>) -> String {
    name.map_or_else(|| "no branch".to_owned(), |name| format!("the branch {name}"))
}

impl Operation {
    pub fn words(self) -> &'static str {
        match self {
            Self::Merge => "a merge",
            Self::Rebase => "a rebase",
            Self::CherryPick => "a cherry-pick",
            Self::Revert => "a revert",
            Self::Bisect => "a bisection",
            Self::Apply => "git am",
        }
    }
}

fn thing(state: &State) -> &'static str {
    match state {
        State::File { .. } => "a file",
        State::Link { .. } => "a symbolic link",
        State::Ignored { .. } => "an ignored file",
        State::Repository { .. } => "a repository",
        State::Special { kind: SpecialKind::Pipe } => "a pipe",
        State::Special { kind: SpecialKind::Socket } => "a socket",
        State::Special { kind: SpecialKind::Device } => "a device",
        State::Special { kind: SpecialKind::DotGit } => "a .git that git does not look into",
        State::Unreadable { .. } => "a file that can't be read",
    }
}

pub(super) fn mode(state: &State) -> String {
    match state {
        State::File { mode, .. } | State::Ignored { mode, .. } | State::Unreadable { mode } => {
            format!("{mode:03o}")
        }
        _ => "none".to_owned(),
    }
}

fn commit(state: &State) -> String {
    match state {
        State::Repository { head: Some(head), .. } => head.short().to_owned(),
        _ => "no commit".to_owned(),
    }
}
