//! Where the roles of a context work, and what became of that place when they are asked for from
//! another one. A working tree that was moved is still the same; its path is not.

use serde::{Deserialize, Serialize};

/// What a working tree is known by besides its path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Place {
    /// What git calls it: empty for the main working tree, `worktrees/NAME` for a linked one.
    pub worktree_id: String,
    /// The number of its top folder in the file system: moving keeps it, copying doesn't.
    pub inode: u64,
}

/// What is at the old path now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum There {
    /// No working tree.
    Nothing,
    /// A working tree of this repository.
    Ours,
    /// A working tree of another repository, or of another copy of this one.
    Others,
}

/// What the working tree that is asked from is to the one that the roles work in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Whereabouts {
    /// It is the same, at another path.
    Moved,
    /// The same files exist at the old path too.
    Copied,
    /// It is another working tree, and the old one is gone.
    Replaced,
    /// It is another working tree, and the old one is still there.
    Elsewhere,
}

impl Whereabouts {
    /// `before` is what was recorded when the context began; older records have nothing of it.
    pub fn of(before: Option<&Place>, here: &Place, there: There) -> Self {
        let is_same_id = before.is_none_or(|before| before.worktree_id == here.worktree_id);
        let is_same_folder = before == Some(here);
        match there {
            There::Ours => Self::Elsewhere,
            There::Nothing if is_same_id => Self::Moved,
            // Something else was put into the place that it left.
            There::Others if is_same_folder => Self::Moved,
            There::Others if is_same_id => Self::Copied,
            There::Nothing | There::Others => Self::Replaced,
        }
    }

    /// What that is, in words; `from` is the old path and `to` the one that is asked from.
    pub fn words(self, task: &str, from: &str, to: &str) -> String {
        match self {
            Self::Moved => {
                format!(
                    "the working tree that the roles of {task} work in was moved: from {from} to {to}"
                )
            }
            Self::Copied => format!(
                "the roles of {task} work in {from}, which is still there; {to} is a copy of it, or \
                 was moved while something else took its place"
            ),
            Self::Replaced => {
                format!(
                    "the roles of {task} work in {from}, which is gone; {to} is another working tree"
                )
            }
            Self::Elsewhere => format!("the roles of {task} work in {from}, and this is {to}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(id: &str, inode: u64) -> Place {
        Place { worktree_id: id.to_owned(), inode }
    }

    /// CX-09: a moved tree is told from a copied and from another one.
    #[test]
    fn trees_are_told_apart() {
        let check = |before: Option<Place>, here: Place, there: There, expected: Whereabouts| {
            assert_eq!(Whereabouts::of(before.as_ref(), &here, there), expected, "{before:?}");
        };
        let main = || Some(place("", 1));
        check(main(), place("", 1), There::Nothing, Whereabouts::Moved);
        // To another file system.
        check(main(), place("", 2), There::Nothing, Whereabouts::Moved);
        check(main(), place("", 1), There::Others, Whereabouts::Moved);
        check(main(), place("", 2), There::Others, Whereabouts::Copied);
        check(main(), place("worktrees/a", 1), There::Ours, Whereabouts::Elsewhere);
        check(main(), place("worktrees/a", 2), There::Nothing, Whereabouts::Replaced);
        check(main(), place("worktrees/a", 2), There::Others, Whereabouts::Replaced);
        check(None, place("", 2), There::Nothing, Whereabouts::Moved);
        check(None, place("", 2), There::Others, Whereabouts::Copied);
    }
}
