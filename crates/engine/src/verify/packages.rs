//! Packages of the Pythons that checks use: a list by which another installation is known, and whether
//! they lead into the working tree.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use countersign_domain::Digest;
use countersign_domain::verify::{Reason, Weight};

use super::borrow::Borrowed;
use super::{Work, mirror};
use crate::regular;

/// How many files that lie elsewhere are looked at.
const MOST_ELSEWHERE: usize = 20_000;

/// What is installed in the folder `site`: names, and when each package was installed.
pub(super) fn listing(site: &Path, root: &Path) -> Digest {
    let mut lines = Vec::new();
    for entry in fs::read_dir(site).into_iter().flatten().flatten() {
        let name = entry.file_name();
        if name == "__pycache__" {
            continue;
        }
        let path = entry.path();
        let record = path.join("RECORD");
        let is_package =
            path.extension().is_some_and(|end| end == "dist-info" || end == "egg-info");
        // Python writes what it made of a package beside it; the list of its files stays.
        let looked_at = if is_package && record.is_file() { &record } else { &path };
        let meta = fs::metadata(looked_at).ok();
        let meta = meta.filter(|meta| meta.is_file() || is_package);
        let time = meta.map(|meta| (meta.len(), meta.ctime(), meta.ctime_nsec()));
        lines.push(format!("{}/ {time:?}", name.as_encoded_bytes().escape_ascii()));
        if mirror::is_pointer(&path) {
            lines.extend(elsewhere(&path, root));
        }
    }
    lines.sort_unstable();
    Digest::of(lines.join("\n").as_bytes())
}

/// The files of packages that the file at `path` says lie elsewhere, outside of the project: what is in
/// the project is the checkout's.
fn elsewhere(path: &Path, root: &Path) -> Vec<String> {
    let text = regular::read(path, 1 << 20).unwrap_or_default();
    let text = String::from_utf8_lossy(&text).into_owned();
    let folders = text.lines().map(Path::new).filter(|line| line.is_absolute() && line.is_dir());
    let mut waiting: Vec<PathBuf> =
        folders.filter(|folder| !folder.starts_with(root)).map(Path::to_owned).collect();
    let mut lines = Vec::new();
    while let Some(folder) = waiting.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let name = entry.file_name();
            let Ok(meta) = entry.metadata() else { continue };
            let is_beside =
                ["__pycache__", ".git", "node_modules", ".venv"].iter().any(|one| name == *one);
            if meta.is_dir() && !is_beside {
                waiting.push(entry.path());
            } else if meta.is_file() {
                let time = (meta.len(), meta.ctime(), meta.ctime_nsec());
                lines.push(format!("{} {time:?}", entry.path().display()));
            }
            if lines.len() >= MOST_ELSEWHERE {
                return lines;
            }
        }
    }
    lines
}

/// The folders with packages that checks may be run with, each with how it is called.
pub(super) fn sites(work: &Work<'_>, borrowed: &[Borrowed]) -> Vec<(String, PathBuf)> {
    let lent = borrowed.iter().flat_map(|one| {
        let is_site = |folder: &&Path| folder.ends_with("site-packages");
        let sites =
            one.entries.iter().filter_map(move |entry| entry.path.ancestors().find(is_site));
        let sites: BTreeSet<PathBuf> = sites.map(|site| one.from.join(site)).collect();
        sites.into_iter().map(|site| (one.path.clone(), site))
    });
    let own = work.sites.iter().map(|site| (site.display().to_string(), site.clone()));
    lent.chain(own).collect()
}

/// What a person has to know about the packages that checks were run with.
pub(super) fn reasons(work: &Work<'_>, borrowed: &[Borrowed]) -> Vec<Reason> {
    let root = &work.engine.repository.layout().worktree;
    let mut found = Vec::new();
    for (place, site) in sites(work, borrowed) {
        if !work.walls.cover() && !site.starts_with(root) && leads_into(&site, root) {
            let text = format!(
                "packages in {place} lead into the working tree, so tests may have run on what lies \
                 there and not on what was handed over; with bubblewrap that is kept apart"
            );
            found.push(Reason { weight: Weight::Ask, text });
        }
    }
    found
}

fn leads_into(site: &Path, root: &Path) -> bool {
    let entries = fs::read_dir(site).into_iter().flatten().flatten();
    let mut pointers = entries.map(|entry| entry.path()).filter(|path| mirror::is_pointer(path));
    pointers.any(|path| mirror::points_into(&path, root, Path::new("/nowhere")))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// D1.7: another installation is another list; what Python writes itself changes nothing.
    #[test]
    fn another_installation_is_another_list() {
        let folder = tempfile::tempdir().unwrap();
        let list = || listing(folder.path(), Path::new("/p"));
        let empty = list();
        fs::create_dir_all(folder.path().join("six-1.dist-info")).unwrap();
        fs::write(folder.path().join("six-1.dist-info/RECORD"), "six.py,,\n").unwrap();
        let with = list();
        assert_ne!(empty, with);
        fs::create_dir_all(folder.path().join("__pycache__")).unwrap();
        assert_eq!(list(), with);
        let other = tempfile::tempdir().unwrap();
        let path = format!("{}\n", other.path().display());
        fs::write(folder.path().join("other.pth"), path).unwrap();
        let led = list();
        fs::write(other.path().join("module.py"), "x = 1\n").unwrap();
        assert_ne!(list(), led);
    }
}
