//! What git obeys besides: folders of hooks that are links, files with settings that hold only now and then,
//! and locks that were left behind.

use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use countersign_domain::id::Digest;
use countersign_domain::run::{Fingerprint, Obeyed, Sort, UNREADABLE};

use super::{digest_of, is_own};
use crate::discover::{Layout, as_path};
use crate::repository::Repository;
use crate::settings::Config;

/// Files that keep commands of git from running for as long as they are there: of one working tree, and of all.
const LOCKS: &[&str] = &["index.lock", "HEAD.lock"];
const COMMON_LOCKS: &[&str] = &["config.lock", "packed-refs.lock", "shallow.lock"];

/// What git says of a reference that it passes over.
const BROKEN_REF: &str = "warning: ignoring broken ref ";

/// The folder that a folder of hooks belongs to: husky has git run what lies in `_`, which runs the scripts
/// beside it.
pub(super) fn whole(folder: PathBuf) -> PathBuf {
    let is_inner = folder.file_name().is_some_and(|name| name == "_");
    let above = folder.parent().filter(|_| is_inner).map(Path::to_owned);
    above.unwrap_or(folder)
}

/// Adds where a folder of hooks leads, if it is a link: who owns that decides what runs.
pub(super) fn link(folder: &Path, name: &str, found: &mut Vec<Obeyed>) {
    let Ok(target) = fs::read_link(folder) else { return };
    let digest = Digest::of(target.as_os_str().as_bytes());
    let said = super::told("", &format!("a link to {}", target.display()));
    found.push(Obeyed { sort: Sort::Hook, name: name.to_owned(), digest, said });
}

/// The lines of a file that say something.
pub(super) fn rules(text: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(text);
    let rules = text.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#'));
    rules.map(str::to_owned).collect()
}

/// Adds the locks that are there.
pub(super) fn add_locks(layout: &Layout, found: &mut Vec<Obeyed>) {
    let own = LOCKS.iter().map(|name| (&layout.git_dir, name));
    let common = COMMON_LOCKS.iter().map(|name| (&layout.common_dir, name));
    let is_there =
        |(folder, name): &(&PathBuf, &&str)| fs::symlink_metadata(folder.join(name)).is_ok();
    for (_, name) in own.chain(common).filter(is_there) {
        let (sort, name) = (Sort::Lock, (*name).to_owned());
        found.push(Obeyed { sort, name, digest: Digest::of(b"lock"), said: "a lock".to_owned() });
    }
}

pub(super) fn bytes(count: u64) -> String {
    if count == 1 { "1 byte".to_owned() } else { format!("{count} bytes") }
}

impl Repository {
    /// Adds the references that git passes over because nothing can be made of their files; git says so in
    /// passing.
    pub(super) fn add_unreadable(&self, warned: &[u8], own: &str, print: &mut Fingerprint) {
        let warned = String::from_utf8_lossy(warned);
        for name in warned.lines().filter_map(|line| line.strip_prefix(BROKEN_REF)) {
            let file = self.layout().common_dir.join(name);
            let said = format!("{UNREADABLE}{}", file.display());
            if is_own(name, own) {
                let (sort, name, digest) = (Sort::Own, name.to_owned(), Digest::of(b"unreadable"));
                print.obeyed.push(Obeyed { sort, name, digest, said });
            } else {
                print.refs.insert(name.to_owned(), said);
            }
        }
    }

    /// Adds the files with settings that hold under a condition: on another branch, they say something that
    /// nobody sees now.
    pub(super) fn add_conditional(&self, config: &Config, found: &mut Vec<Obeyed>) {
        let git_dir = &self.layout().git_dir;
        for (file, path) in config.conditional() {
            let path = match path {
                [b'~', b'/', rest @ ..] => {
                    self.variable("HOME").map(|home| home.join(as_path(rest)))
                }
                // It is meant from the file that names it, and that from where git was started.
                path => git_dir.join(as_path(file)).parent().map(|above| above.join(as_path(path))),
            };
            let Some(path) = path else { continue };
            let Some(digest) = digest_of(&path) else { continue };
            let size = fs::metadata(&path).map_or(0, |meta| meta.len());
            let name = path.to_string_lossy().into_owned();
            if !found.iter().any(|one| one.sort == Sort::File && one.name == name) {
                found.push(Obeyed { sort: Sort::File, name, digest, said: bytes(size) });
            }
        }
    }
}
