//! What a tree needs and does not hold: packages that were installed into the working tree.
//!
//! They are not copied: behind walls they lie over the checkout, and the checkout over the working tree,
//! so that what leads from them into the project leads into the checkout. Without walls they are linked,
//! with what leads into the project led into the checkout. Whoever worked there could have changed them,
//! so that is looked at, and said.

use std::collections::BTreeSet;
use std::os::unix::fs::{MetadataExt as _, symlink};
use std::path::{Path, PathBuf};

use countersign_domain::Digest;
use countersign_git::Listed;

use super::{Work, mirror};
use crate::Engine;
use crate::error::{Error, Result};

/// A folder of the working tree that checkouts get.
pub(super) struct Borrowed {
    /// From the root of the repository.
    pub path: String,
    pub from: PathBuf,
    /// What is in it, besides what tools write there while they work.
    pub entries: Vec<Entry>,
    /// Those that lead into the project, where nothing else keeps them from it.
    pub leading: BTreeSet<PathBuf>,
}

/// A file or link of such a folder.
pub(super) struct Entry {
    /// From the folder.
    pub path: PathBuf,
    pub size: u64,
    pub is_file: bool,
    /// When anything about it was changed last: seconds and nanoseconds.
    pub changed_at: (i64, i64),
}

/// The folders that package managers install into, and what says that one of them is at home.
const FOLDERS: [(&str, &[&str]); 4] = [
    ("node_modules", &["package.json"]),
    (".venv", &["pyproject.toml", "requirements.txt", "setup.py", "setup.cfg"]),
    ("venv", &["pyproject.toml", "requirements.txt", "setup.py", "setup.cfg"]),
    ("vendor/bundle", &["Gemfile"]),
];

/// What the root of every virtual environment of Python has.
pub(super) const ENVIRONMENT: &str = "pyvenv.cfg";

/// What virtual environments are called in any folder of a project; at its root they may have any name.
const ENVIRONMENTS: [&str; 2] = [".venv", "venv"];

/// How many packages are lent one by one: each costs bubblewrap the more, the more there are. Where
/// nothing is known that writes beside them, fewer.
const MOST_SINGLE: usize = 1500;
const MOST_UNASKED: usize = 250;

/// What whoever fills such a folder leaves in it.
const MARKS: [&str; 6] = [
    ".package-lock.json",
    ".modules.yaml",
    ".yarn-integrity",
    ".yarn-state.yml",
    ENVIRONMENT,
    "ruby",
];

/// The folders that packages were installed into, that no commit has and nothing tells git to ignore:
/// they are nobody's work all the same.
pub(super) fn installed(engine: &Engine) -> Result<Vec<PathBuf>> {
    let Some(head) = engine.repository.head()? else { return Ok(Vec::new()) };
    let listed = engine.repository.list(&head.tree)?;
    let root = &engine.repository.layout().worktree;
    let is_installed = |path: &PathBuf| {
        let from = root.join(path);
        from.is_dir() && !from.is_symlink() && MARKS.iter().any(|mark| from.join(mark).exists())
    };
    let found = places(&listed, root).into_iter().filter(is_installed).collect();
    Ok(engine.repository.not_ignored(found)?)
}

/// Where packages are or may be installed: beside the files of `listed` that ask for it, and the virtual
/// environments below `root`, which say so themselves. Nowhere does one of those files lie in it.
fn places(listed: &[Listed], root: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = Vec::new();
    let mut add = |path: PathBuf| {
        if !found.contains(&path) && !listed.iter().any(|other| other.path.starts_with(&path)) {
            found.push(path);
        }
    };
    for (folder, beside) in FOLDERS {
        for one in listed {
            let named = one.path.file_name().and_then(|name| name.to_str());
            if named.is_some_and(|name| beside.contains(&name)) {
                add(one.path.parent().unwrap_or(Path::new("")).join(folder));
            }
        }
    }
    environments(listed, root).into_iter().for_each(add);
    found
}

/// The virtual environments in the folders of `listed`. Nothing beside them has to ask for packages.
fn environments(listed: &[Listed], root: &Path) -> BTreeSet<PathBuf> {
    let folders: BTreeSet<&Path> = listed.iter().filter_map(|one| one.path.parent()).collect();
    let usual = folders.into_iter().flat_map(|folder| ENVIRONMENTS.map(|name| folder.join(name)));
    let top = std::fs::read_dir(root).into_iter().flatten().flatten();
    let all = usual.chain(top.map(|entry| PathBuf::from(entry.file_name())));
    all.filter(|path| root.join(path).join(ENVIRONMENT).is_file()).collect()
}

/// The folders that are in the working tree and in no tree.
pub(super) fn candidates(work: &Work<'_>) -> Result<Vec<Borrowed>> {
    let repository = &work.engine.repository;
    let root = &repository.layout().worktree;
    let listed = repository.list(&work.tree)?;
    let mut found = Vec::new();
    for path in places(&listed, root) {
        let (Some(text), from) = (path.to_str(), root.join(&path)) else { continue };
        if !from.is_dir() {
            continue;
        }
        let (path, entries) = (text.to_owned(), walk(&from));
        let mut one = Borrowed { path, from, entries, leading: BTreeSet::new() };
        if !work.walls.cover() {
            one.leading = mirror::leading(&one, root);
        }
        found.push(one);
    }
    Ok(found)
}

/// Puts them into `checkout`; gives those for which only a place was made, as they are laid over it.
pub(super) fn lend(
    work: &Work<'_>,
    borrowed: &[Borrowed],
    checkout: &Path,
) -> Result<Vec<PathBuf>> {
    let mut lent = Vec::new();
    for one in borrowed {
        let place = checkout.join(&one.path);
        let Some(parent) = place.parent().filter(|parent| parent.is_dir()) else { continue };
        // A tree of another time may hold it.
        if std::fs::symlink_metadata(&place).is_ok() || !parent.starts_with(checkout) {
            continue;
        }
        if work.walls.cover() {
            std::fs::create_dir(&place).map_err(|error| Error::io("create", &place, &error))?;
            if is_written_to(one) {
                lent.extend(singly(one, &place)?);
            } else {
                lent.push(PathBuf::from(&one.path));
            }
        } else if one.leading.is_empty() {
            symlink(&one.from, &place).map_err(|error| Error::io("link", &place, &error))?;
        } else {
            let root = &work.engine.repository.layout().worktree;
            mirror::make(one, (root, checkout))
                .map_err(|error| Error::io("make", &place, &error))?;
        }
    }
    Ok(lent)
}

/// Whether tools write beside the packages while they work, as Vite does with its settings.
fn is_written_to(one: &Borrowed) -> bool {
    let entries = std::fs::read_dir(&one.from).map_or(0, Iterator::count);
    let most = if one.from.join("vite").exists() { MOST_SINGLE } else { MOST_UNASKED };
    one.path.ends_with("node_modules") && entries <= most
}

/// Makes the folder at `place` with a place for each package, so that the folder itself can be written to;
/// gives those places.
fn singly(one: &Borrowed, place: &Path) -> Result<Vec<PathBuf>> {
    let mut lent = Vec::new();
    let failed = |path: &Path, error: &std::io::Error| Error::io("lend", path, error);
    for entry in std::fs::read_dir(&one.from).map_err(|error| failed(&one.from, &error))? {
        let entry = entry.map_err(|error| failed(&one.from, &error))?;
        let (from, to) = (entry.path(), place.join(entry.file_name()));
        if is_cache(&entry) {
            continue;
        }
        let done = match entry.file_type() {
            Ok(kind) if kind.is_dir() => {
                lent.push(Path::new(&one.path).join(entry.file_name()));
                std::fs::create_dir(&to)
            }
            Ok(kind) if kind.is_symlink() => {
                std::fs::read_link(&from).and_then(|target| symlink(target, &to))
            }
            Ok(kind) if kind.is_file() => std::fs::copy(&from, &to).map(|_| ()),
            // A pipe or the like is no package.
            Ok(_) => Ok(()),
            Err(error) => Err(error),
        };
        done.map_err(|error| failed(&from, &error))?;
    }
    Ok(lent)
}

/// Every file and link below `top`. Links are not followed.
fn walk(top: &Path) -> Vec<Entry> {
    let mut found = Vec::new();
    let mut waiting = vec![top.to_owned()];
    while let Some(folder) = waiting.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let Ok(meta) = entry.metadata() else { continue };
            if meta.is_dir() {
                if !is_cache(&entry) {
                    waiting.push(entry.path());
                }
                continue;
            }
            let Ok(path) = entry.path().strip_prefix(top).map(Path::to_owned) else { continue };
            let changed_at = (meta.ctime(), meta.ctime_nsec());
            found.push(Entry { path, size: meta.size(), is_file: meta.is_file(), changed_at });
        }
    }
    found.sort_by(|one, other| one.path.cmp(&other.path));
    found
}

/// What tools write there while they work.
fn is_cache(entry: &std::fs::DirEntry) -> bool {
    let name = entry.file_name();
    name.to_str().is_some_and(|name| name.starts_with(".cache") || name.starts_with(".vite"))
}

/// What the folders hold, as far as the file system tells without reading: any change of a file gives
/// another digest; `made` is what is lent besides. `None` if nothing is lent.
pub(super) fn fingerprint(borrowed: &[Borrowed], made: Option<Digest>) -> Option<Digest> {
    let mut lines: Vec<String> = made.iter().map(ToString::to_string).collect();
    for one in borrowed {
        for entry in &one.entries {
            // A name is told from its neighbours by what no name has.
            let name = one.from.join(&entry.path);
            let name = name.as_os_str().as_encoded_bytes().escape_ascii().to_string();
            lines.push(format!("{name}/ {} {:?}", entry.size, entry.changed_at));
        }
    }
    lines.sort_unstable();
    (!borrowed.is_empty() || made.is_some()).then(|| Digest::of(lines.join("\n").as_bytes()))
}

/// The first file of an installed package that was changed after the installation, if the package
/// manager says when that was.
pub(super) fn touched(borrowed: &Borrowed) -> Option<PathBuf> {
    let is_mark = |entry: &&Entry| entry.path.as_os_str() == ".package-lock.json";
    let after = borrowed.entries.iter().find(is_mark)?.changed_at;
    // The last files of an installation are written about when the mark is.
    let after = (after.0 + 2, after.1);
    let mut files = borrowed.entries.iter().filter(|entry| entry.is_file);
    files.find(|entry| entry.changed_at > after).map(|entry| entry.path.clone())
}

#[cfg(test)]
mod tests {
    use countersign_domain::ObjectId;
    use countersign_git::Side;

    use super::*;

    /// An environment says itself what it is, and one that the tree holds is no installation.
    #[test]
    fn environments_need_nothing_beside_them() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        for path in [".venv", "env", "tests/venv", "away/.venv", "kept", "shop", "none/.venv"] {
            std::fs::create_dir_all(root.join(path)).unwrap();
            if !matches!(path, "shop" | "none/.venv") {
                std::fs::write(root.join(path).join(ENVIRONMENT), "home = /usr/bin\n").unwrap();
            }
        }
        let listed = |path: &str| {
            let object: ObjectId = "a".repeat(40).parse().unwrap();
            Listed { path: path.into(), side: Side { mode: 0o100_644, object } }
        };
        let all = ["shop/a.py", "tests/test_a.py", "none/b.py", "kept/pyvenv.cfg"].map(listed);
        let found = places(&all, root);
        assert_eq!(found, [".venv", "env", "tests/venv"].map(PathBuf::from));
    }
}
