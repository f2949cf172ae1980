//! Everything in a repository that belongs to its user and that nobody else may touch.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// The state of what is the user's: to be taken before and after.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fingerprint(BTreeMap<String, Vec<u8>>);

/// What lies in the git folder and is the user's. The object database is not: it only grows.
const GIT_FILES: &[&str] = &[
    "HEAD",
    "ORIG_HEAD",
    "FETCH_HEAD",
    "MERGE_HEAD",
    "index",
    "config",
    "config.worktree",
    "description",
    "packed-refs",
    "shallow",
    "logs/HEAD",
    "logs/refs/stash",
];
const GIT_FOLDERS: &[&str] = &["hooks", "info", "worktrees", "modules", "rebase-merge"];
const OURS: &[&str] = &["refs/countersign/", "refs/heads/countersign/"];

impl Fingerprint {
    pub(crate) fn of(root: &Path, git: &dyn Fn(&[&str]) -> String) -> Self {
        let mut found = BTreeMap::new();
        let folder = root.join(".git");
        for name in GIT_FILES {
            if let Ok(bytes) = fs::read(folder.join(name)) {
                found.insert(format!(".git/{name}"), bytes);
            }
        }
        for name in GIT_FOLDERS {
            walk(&folder.join(name), root, &mut found);
        }
        // Asking may write to the index, so it comes after the index was read.
        let refs = git(&["for-each-ref", "--format=%(refname) %(objectname) %(symref)"]);
        for line in refs.lines().filter(|line| !OURS.iter().any(|ours| line.starts_with(ours))) {
            found.insert(format!("reference {line}"), Vec::new());
        }
        walk(root, root, &mut found);
        Self(found)
    }

    /// What differs, in words.
    pub fn differences(&self, later: &Self) -> Vec<String> {
        let names = self.0.keys().chain(later.0.keys()).collect::<std::collections::BTreeSet<_>>();
        names
            .into_iter()
            .filter_map(|name| match (self.0.get(name), later.0.get(name)) {
                (Some(before), Some(after)) if before == after => None,
                (Some(_), Some(_)) => Some(format!("changed: {name}")),
                (None, _) => Some(format!("new: {name}")),
                (_, None) => Some(format!("gone: {name}")),
            })
            .collect()
    }

    /// Expects that nothing differs.
    #[track_caller]
    pub fn expect_same(&self, later: &Self) {
        let differences = self.differences(later);
        assert!(differences.is_empty(), "the user's things were touched: {differences:#?}");
    }
}

/// Takes in every file below `folder` with its mode, its time and its bytes.
fn walk(folder: &Path, root: &Path, found: &mut BTreeMap<String, Vec<u8>>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let Ok(meta) = fs::symlink_metadata(&path) else { continue };
        let name = path.strip_prefix(root).unwrap_or(&path).display().to_string();
        if name == ".git" {
            continue;
        }
        if meta.is_dir() {
            found.insert(format!("{name}/ mode {:o}", meta.mode()), Vec::new());
            walk(&path, root, found);
            continue;
        }
        let content = if meta.is_symlink() {
            fs::read_link(&path).map(|to| to.as_os_str().as_bytes().to_vec()).unwrap_or_default()
        } else if meta.is_file() {
            fs::read(&path).unwrap_or_default()
        } else {
            Vec::new()
        };
        let (seconds, nanoseconds) = (meta.mtime(), meta.mtime_nsec());
        let mut bytes = format!("{:o} {seconds}.{nanoseconds:09} ", meta.mode()).into_bytes();
        bytes.extend(content);
        found.insert(name, bytes);
    }
}
