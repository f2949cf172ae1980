//! One digest of what is on disk for a scope.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::id::Digest;
use crate::snapshot::PathText;

/// What was found at a path of the scope.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Found {
    pub path: PathText,
    pub kind: Kind,
    /// Of the file's bytes, or of the link's target; `None` where there is no content.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<Digest>,
}

/// What a path is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    File,
    Executable,
    Link,
    Folder,
    Submodule,
    /// A path that should be there and is not.
    Missing,
}

impl Kind {
    const fn name(self) -> &'static str {
        match self {
            Self::File => "file",
            Self::Executable => "executable",
            Self::Link => "link",
            Self::Folder => "folder",
            Self::Submodule => "submodule",
            Self::Missing => "missing",
        }
    }
}

/// The digest of a scope: of every path in it, its kind and its content, in the order of the
/// paths. A file that is missing, renamed, changed or of another kind gives another digest.
pub fn digest(found: impl IntoIterator<Item = Found>) -> Digest {
    let found: BTreeSet<Found> = found.into_iter().collect();
    let mut bytes = b"countersign scope 1\n".to_vec();
    for Found { path, kind, content } in found {
        let content = content.map_or_else(|| "-".to_owned(), |content| content.to_string());
        // With its length before it, no path can pass for the rest of a line.
        let head = format!("{} {content} {} ", kind.name(), path.as_bytes().len());
        bytes.extend_from_slice(head.as_bytes());
        bytes.extend_from_slice(path.as_bytes());
        bytes.push(b'\n');
    }
    Digest::of(&bytes)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn found(path: &str, kind: Kind, content: &str) -> Found {
        Found { path: path.into(), kind, content: Some(Digest::of(content.as_bytes())) }
    }

    /// CX-07, D4.1: the digest is that of what is there, and not of the list of names.
    #[test]
    fn whatever_changes_shows() {
        let a = || found("a", Kind::File, "1");
        let b = || found("b", Kind::File, "2");
        let before = digest([a(), b()]);
        assert_eq!(digest([b(), a(), a()]), before, "order and repetition don't count");
        let missing = Found { path: "b".into(), kind: Kind::Missing, content: None };
        for (why, after) in [
            ("removed", vec![a()]),
            ("missing", vec![a(), missing]),
            ("renamed", vec![a(), found("c", Kind::File, "2")]),
            ("edited", vec![a(), found("b", Kind::File, "3")]),
            ("swapped", vec![found("a", Kind::File, "2"), found("b", Kind::File, "1")]),
            ("chmod", vec![a(), found("b", Kind::Executable, "2")]),
            ("link", vec![a(), found("b", Kind::Link, "2")]),
            ("added", vec![a(), b(), found("c", Kind::File, "")]),
        ] {
            assert_ne!(digest(after), before, "{why}");
        }
    }

    /// A stored digest is compared with one made years later: its form stays.
    #[test]
    fn the_form_of_the_digest_stays() {
        let expected = Digest::of(b"countersign scope 1\nmissing - 1 a\n");
        assert_eq!(
            digest([Found { path: "a".into(), kind: Kind::Missing, content: None }]),
            expected
        );
        assert_eq!(digest([]), Digest::of(b"countersign scope 1\n"));
    }

    proptest! {
        #[test]
        fn different_paths_give_different_digests(a: Vec<Vec<u8>>, b: Vec<Vec<u8>>) {
            let of = |paths: &[Vec<u8>]| digest(paths.iter().map(|path| Found {
                path: PathText::new(path.clone()), kind: Kind::Folder, content: None,
            }));
            let set = |paths: &[Vec<u8>]| paths.iter().cloned().collect::<BTreeSet<_>>();
            prop_assert_eq!(of(&a) == of(&b), set(&a) == set(&b));
        }
    }
}
