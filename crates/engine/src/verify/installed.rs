//! Packages of Python that were installed into the working tree: whether they are what was installed.
//!
//! Every package says in its RECORD which files it has, with their digests. A file that was changed
//! since is another one; one that no package has was put there by somebody.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};

use countersign_domain::Digest;

use super::borrow::{Borrowed, Entry};
use crate::regular;

/// Files that were written after their package said what it has are read, up to so many bytes in all.
const MOST_READ: u64 = 256 << 20;
/// The largest RECORD that is read.
const MOST_RECORDED: u64 = 32 << 20;

/// What whoever makes such a folder puts there, and no package has.
const MADE: [&str; 4] = ["_virtualenv.py", "_virtualenv.pth", "easy-install.pth", "README.txt"];

/// What is not as it was installed.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Odd {
    Changed(PathBuf),
    /// No package has it.
    Extra(PathBuf),
}

/// The first files of a lent folder that are not what was installed: one that was changed, and one
/// that no package has.
pub(super) fn odd(borrowed: &Borrowed) -> Vec<Odd> {
    let by_path: BTreeMap<&Path, &Entry> =
        borrowed.entries.iter().map(|entry| (entry.path.as_path(), entry)).collect();
    let mut known: BTreeSet<PathBuf> = BTreeSet::new();
    let mut changed = None;
    let mut room = MOST_READ;
    for record in borrowed.entries.iter().filter(|entry| is_record(&entry.path)) {
        let Some(packages) = record.path.parent().and_then(Path::parent) else { continue };
        let Some(bytes) = regular::read(&borrowed.from.join(&record.path), MOST_RECORDED) else {
            continue;
        };
        for line in String::from_utf8_lossy(&bytes).lines() {
            let Some((path, digest, size)) = read_line(line) else { continue };
            let path = plain(&packages.join(path));
            if let Some(entry) = by_path.get(path.as_path())
                && changed.is_none()
                && is_other(borrowed, entry, (&digest, size, record.changed_at, &mut room))
            {
                changed = Some(path.clone());
            }
            known.insert(path);
        }
    }
    let is_other = |entry: &&Entry| {
        is_extra(&entry.path, &known)
            || !known.contains(&entry.path) && is_foreign(&borrowed.from, entry)
    };
    let extra = borrowed.entries.iter().find(is_other);
    let extra = extra.map(|entry| Odd::Extra(entry.path.clone()));
    changed.map(Odd::Changed).into_iter().chain(extra).collect()
}

fn is_record(path: &Path) -> bool {
    let folder = path.parent().and_then(Path::extension);
    path.file_name().is_some_and(|name| name == "RECORD")
        && folder.is_some_and(|end| end == "dist-info")
}

/// `path,sha256=digest,size`; only the first is always there.
fn read_line(line: &str) -> Option<(String, String, Option<u64>)> {
    let mut parts = line.rsplitn(3, ',');
    let (size, digest, path) = (parts.next()?, parts.next()?, parts.next()?);
    let path = path.trim_matches('"').replace("\"\"", "\"");
    Some((path, digest.to_owned(), size.trim().parse().ok()))
}

/// The path without steps back: scripts lie outside of the folder of packages.
pub(super) fn plain(path: &Path) -> PathBuf {
    let mut found = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                found.pop();
            }
            Component::CurDir => {}
            part => found.push(part),
        }
    }
    found
}

/// Whether a file is not the one that was recorded. What was not written since is not read.
fn is_other(
    borrowed: &Borrowed,
    entry: &Entry,
    (digest, size, recorded_at, room): (&str, Option<u64>, (i64, i64), &mut u64),
) -> bool {
    let Some(digest) = digest.strip_prefix("sha256=").filter(|_| entry.is_file) else {
        return false;
    };
    if size.is_some_and(|size| size != entry.size) {
        return true;
    }
    // The last files of an installation are written about when the record is.
    let is_later = entry.changed_at > (recorded_at.0 + 2, recorded_at.1);
    let Some(left) = room.checked_sub(entry.size).filter(|_| is_later) else { return false };
    *room = left;
    let bytes = regular::read(&borrowed.from.join(&entry.path), MOST_READ);
    bytes.is_some_and(|bytes| base64(Digest::of(&bytes).as_bytes()) != digest.trim_end_matches('='))
}

/// Whether a file that Python loads lies among packages, and none of them has it.
fn is_extra(path: &Path, known: &BTreeSet<PathBuf>) -> bool {
    let parts: Vec<&str> = path.iter().filter_map(|part| part.to_str()).collect();
    let Some(at) = parts.iter().position(|part| *part == "site-packages") else { return false };
    let (root, inside) = (parts[..=at].iter().collect::<PathBuf>(), &parts[at + 1..]);
    let Some(name) = inside.last() else { return false };
    let is_loaded = [".py", ".pth", ".so"].iter().any(|end| name.ends_with(end));
    if !is_loaded || known.contains(path) || known.is_empty() {
        return false;
    }
    match inside {
        [name] => !MADE.contains(name),
        // Packages without a record can't be told from what somebody added.
        [package, ..] => {
            let package = root.join(package);
            known.range(package.clone()..).next().is_some_and(|path| path.starts_with(&package))
        }
        [] => false,
    }
}

/// Programs that judge code, which some package has wherever they are installed.
const JUDGES: [&str; 12] = [
    "pytest", "py.test", "tox", "nox", "coverage", "mypy", "pyright", "ruff", "flake8", "pylint",
    "black", "isort",
];

/// The longest script that is looked at in the place of an interpreter; those that are real are longer.
const MOST_SCRIPT: u64 = 1 << 20;

/// Whether a program that no package has stands where checks find it first: one that judges, or a script
/// where the interpreter should be.
fn is_foreign(from: &Path, entry: &Entry) -> bool {
    let name = entry.path.strip_prefix("bin").ok().and_then(Path::to_str);
    let Some(name) = name else { return false };
    if JUDGES.contains(&name) {
        return true;
    }
    let version = name.strip_prefix("python");
    let is_python = version.is_some_and(|version| {
        version.chars().all(|letter| letter.is_ascii_digit() || letter == '.')
    });
    // A link leads to the interpreter that the environment was made with.
    let real = is_python.then(|| from.join(&entry.path).canonicalize().ok()).flatten();
    let text = real.and_then(|path| regular::read(&path, MOST_SCRIPT));
    text.is_some_and(|text| text.starts_with(b"#!"))
}

/// As Python's packages write digests: without padding, for use in names.
fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let number = chunk.iter().fold(0_u32, |sum, byte| sum << 8 | u32::from(*byte));
        let number = number << (8 * (3 - chunk.len()));
        for at in 0..=chunk.len() {
            let index = (number >> (18 - 6 * at)) & 63;
            text.push(char::from(LETTERS[index as usize]));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_as_packages_write_them() {
        assert_eq!(base64(b"a"), "YQ");
        assert_eq!(base64(b"ab"), "YWI");
        assert_eq!(base64(b"abc"), "YWJj");
        assert_eq!(base64(&[0xff, 0xef]), "_-8");
    }

    #[test]
    fn lines_of_a_record() {
        let read = |line| read_line(line).unwrap();
        assert_eq!(read("a/b.py,sha256=x,12"), ("a/b.py".into(), "sha256=x".into(), Some(12)));
        assert_eq!(
            read("a-1.dist-info/RECORD,,"),
            ("a-1.dist-info/RECORD".into(), String::new(), None)
        );
        assert_eq!(read("\"a,b.py\",,"), ("a,b.py".into(), String::new(), None));
        assert_eq!(plain(Path::new("lib/p/site-packages/../../../bin/x")), Path::new("bin/x"));
    }

    #[test]
    fn what_no_package_has() {
        let lib = "lib/python3.11/site-packages";
        let known: BTreeSet<PathBuf> =
            ["six.py", "a/b.py"].iter().map(|name| Path::new(lib).join(name)).collect();
        let extra = |name: &str| is_extra(&Path::new(lib).join(name), &known);
        assert!(extra("sitecustomize.py") && extra("x.pth") && extra("a/c.py"));
        assert!(!extra("six.py") && !extra("a/b.py") && !extra("_virtualenv.pth"));
        assert!(!extra("old/c.py") && !extra("a/data.txt"));
        assert!(!is_extra(Path::new("bin/x.py"), &known));
    }

    /// G42: no package has a runner that somebody put there, and an interpreter is no script.
    #[test]
    fn programs_that_no_package_has() {
        let folder = tempfile::tempdir().unwrap();
        let bin = folder.path().join("bin");
        std::fs::create_dir(&bin).unwrap();
        for (name, text) in [("python3", "\x7fELF"), ("python3.11", "#!/bin/sh\n"), ("pytest", "")]
        {
            std::fs::write(bin.join(name), text).unwrap();
        }
        std::os::unix::fs::symlink("python3.11", bin.join("python")).unwrap();
        let foreign = |name: &str| {
            let path = Path::new("bin").join(name);
            let entry = Entry { path, size: 1, is_file: true, changed_at: (0, 0) };
            is_foreign(folder.path(), &entry)
        };
        assert!(foreign("python3.11") && foreign("python") && foreign("pytest"));
        assert!(!foreign("python3") && !foreign("activate") && !foreign("pip") && !foreign("node"));
    }
}
