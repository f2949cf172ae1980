//! Files with nothing but the version of a package, which installing it writes beside its code and git
//! ignores. Without them the package can't be loaded, so that a checkout gets them.
//!
//! Only such files: anything that could do something would be code that no clone has. Each is read, and
//! taken if it says that a tool made it and is made of plain values.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use countersign_domain::Digest;

use super::Work;
use crate::error::{Error, Result};
use crate::regular;

/// What they are called.
const NAMES: [&str; 3] = ["_version.py", "version.py", "__version__.py"];

/// What their makers write at the top of them.
const MAKERS: [&str; 4] = ["setuptools_scm", "setuptools-scm", "vcs-versioning", "hatch-vcs"];

/// The largest of them.
const MOST: u64 = 8 << 10;

/// Such a file.
#[derive(Debug, Clone)]
pub(super) struct Made {
    /// From the root of the repository.
    path: PathBuf,
    bytes: Vec<u8>,
}

/// Those that lie in the working tree, and in none of the trees.
pub(super) fn find(work: &Work<'_>) -> Result<Vec<Made>> {
    let repository = &work.engine.repository;
    let worktree = &repository.layout().worktree;
    let (mut packages, mut known) = (BTreeSet::new(), BTreeSet::new());
    for tree in [&work.tree, &work.terms.base_tree] {
        for one in repository.list(tree)?.iter() {
            let name = one.path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            if name == "__init__.py" {
                packages.extend(one.path.parent().map(Path::to_owned));
            } else if NAMES.contains(&name) {
                known.insert(one.path.clone());
            }
        }
    }
    let mut found = Vec::new();
    for path in packages.iter().flat_map(|folder| NAMES.map(|name| folder.join(name))) {
        if known.contains(&path) {
            continue;
        }
        let bytes = regular::read_within(worktree, &worktree.join(&path), MOST).unwrap_or_default();
        if std::str::from_utf8(&bytes).is_ok_and(is_plain) {
            found.push(Made { path, bytes });
        }
    }
    Ok(found)
}

/// Puts them where their packages are.
pub(super) fn lend(made: &[Made], checkout: &Path) -> Result<()> {
    for one in made {
        let place = checkout.join(&one.path);
        let Some(parent) = place.parent().filter(|parent| parent.is_dir()) else { continue };
        let is_inside = parent.canonicalize().is_ok_and(|parent| {
            checkout.canonicalize().is_ok_and(|checkout| parent.starts_with(checkout))
        });
        if is_inside && std::fs::symlink_metadata(&place).is_err() {
            std::fs::write(&place, &one.bytes)
                .map_err(|error| Error::io("write", &place, &error))?;
        }
    }
    Ok(())
}

/// What they say, as one value; `None` if there are none.
pub(super) fn digest(made: &[Made]) -> Option<Digest> {
    let lines = made.iter().map(|one| format!("{} {}", one.path.display(), Digest::of(&one.bytes)));
    (!made.is_empty()).then(|| Digest::of(lines.collect::<Vec<_>>().join("\n").as_bytes()))
}

/// Their paths, for people.
pub(super) fn paths(made: &[Made]) -> impl Iterator<Item = String> {
    made.iter().map(|one| one.path.display().to_string())
}

/// Whether a text says who made it, and has nothing but names, types and plain values.
fn is_plain(text: &str) -> bool {
    let top = text.lines().take(5).collect::<Vec<_>>().join("\n");
    MAKERS.iter().any(|maker| top.contains(maker)) && text.lines().all(is_plain_line)
}

fn is_plain_line(line: &str) -> bool {
    let line = line.trim();
    let allowed = ["from __future__ import annotations", "if TYPE_CHECKING:", "else:", ""];
    if line.starts_with('#') || allowed.contains(&line) || line.starts_with("from typing import ") {
        return !line.contains(';');
    }
    let letters = |letter: char| letter.is_alphanumeric() || " _.'\"=:,()[]|+-".contains(letter);
    // A bracket behind a name is a call, or takes a part of something; types do the latter.
    let is_call = line.match_indices('(').any(|(at, _)| {
        let before = line[..at].trim_end().chars().next_back();
        before.is_some_and(|letter| letter.is_alphanumeric() || "_)]'\"".contains(letter))
    });
    // What a line names is about a version, and nothing else that a program might go by.
    let is_named = |name: &str| {
        let name = name.split(':').next().unwrap_or(name).trim().to_lowercase();
        ["version", "commit", "type_checking", "__all__"].iter().any(|word| name.contains(word))
    };
    let mut sides: Vec<&str> = line.split('=').collect();
    sides.pop();
    if !sides.into_iter().all(is_named) {
        return false;
    }
    let words = ["import", "lambda", "def", "class", "del", "with", "for", "while", "exec"];
    let mut named = line.split(|letter: char| !(letter.is_alphanumeric() || letter == '_'));
    line.chars().all(letters) && !is_call && !named.any(|word| words.contains(&word))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MADE: &str = "# file generated by vcs-versioning\n# don't change\nfrom __future__ import \
        annotations\n\n__all__ = [\n    \"version\",\n]\n\nTYPE_CHECKING = False\nif TYPE_CHECKING:\n    \
        from typing import Tuple\n    VERSION_TUPLE = Tuple[int | str, ...]\nelse:\n    VERSION_TUPLE = \
        object\n\nversion: str\n__version__ = version = '4.15.1.dev38+g1'\nversion_tuple = (4, 15, \
        'dev38')\n";

    /// LP-13: what a tool wrote about the version is taken, and nothing that could do something.
    #[test]
    fn only_plain_values_are_taken() {
        assert!(is_plain(MADE));
        assert!(!is_plain("version = '1'\n"), "nobody says who made it");
        for more in [
            "import os",
            "def add(a, b): return 7",
            "x = open('a')",
            "x = 'a'.join (y)",
            "from typing import Any; import os",
            "x = [lambda: 1]",
            "x = {}",
            "limit = 5",
            "version = limit = 5",
            "class A: pass",
            "x = (a)(b)",
            "@x",
        ] {
            assert!(!is_plain(&format!("{MADE}{more}\n")), "{more}");
        }
    }
}
