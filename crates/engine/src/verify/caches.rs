//! What compilers keep between builds. Only the base's own run fills it; everything else works on a
//! copy that is thrown away, so nothing that was handed over can leave anything for a later check.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use countersign_exec::Environment;

use super::Work;
use crate::error::{Error, Result};

/// How many bases keep what was built of them.
const MOST_KEPT: usize = 3;
/// More than this is not worth copying: building it again may be quicker.
const MOST_BYTES: u64 = 4 << 30;

/// Where a check finds it, from the folder of its checkout.
fn inside(place: &Path) -> PathBuf {
    place.join("cache")
}

/// Tells compilers where it is.
pub(super) fn name(environment: &mut Environment, place: &Path) {
    environment.set("CARGO_TARGET_DIR", inside(place).join("cargo"));
    environment.set("GOCACHE", inside(place).join("go"));
}

fn kept(work: &Work<'_>) -> PathBuf {
    let all = work.engine.home.work(&work.engine.state).join("bases");
    all.join(work.terms.base_tree.as_str())
}

/// Which builds there are, told by the folder that they are in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Builds(u64, u64);

/// The builds of the base that there are.
pub(super) fn found(work: &Work<'_>) -> Option<Builds> {
    let found = fs::symlink_metadata(kept(work)).ok()?;
    Some(Builds(found.dev(), found.ino()))
}

/// Puts a copy of what was kept into `place`: only what was there before anything was checked out, or
/// what we kept ourselves. What another verification has built since would look newer than files here
/// that differ from those it was built of.
pub(super) fn lend(work: &Work<'_>, place: &Path) -> Result<()> {
    if work.builds.is_none() || found(work) != work.builds {
        return Ok(());
    }
    let (from, to) = (kept(work), inside(place));
    let copied = copy(&from, &to, &mut MOST_BYTES.clone());
    match copied {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            // A part of a build is worse than none.
            fs::remove_dir_all(&to).map_err(|error| Error::io("remove", &to, &error))
        }
        _ => Ok(()),
    }
}

/// Keeps what the base's run left in `place`. Two at a time may want to: one of them does.
pub(super) fn keep(work: &mut Work<'_>, place: &Path) {
    let (from, to) = (inside(place), kept(work));
    if !from.is_dir() {
        return;
    }
    let Some(all) = to.parent() else { return };
    let aside = all.join(format!(".{}", work.id));
    let _ = fs::create_dir_all(all);
    // What can't be kept is built again.
    let is_free = fs::rename(&to, &aside).is_ok() || !to.exists();
    if is_free && fs::rename(&from, &to).is_ok() {
        work.builds = found(work);
    }
    let _ = fs::remove_dir_all(&aside);
    let entries = fs::read_dir(all).into_iter().flatten().flatten();
    let mut known: Vec<_> = entries
        .filter_map(|entry| Some((entry.metadata().ok()?.modified().ok()?, entry.path())))
        .collect();
    known.sort();
    let extra = known.len().saturating_sub(MOST_KEPT);
    for (_, old) in known.into_iter().take(extra).filter(|(_, old)| *old != to) {
        let _ = fs::remove_dir_all(old);
    }
}

/// Copies a folder with its times, which builds go by. Links are left out: they lead elsewhere.
fn copy(from: &Path, to: &Path, room: &mut u64) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (kind, target) = (entry.file_type()?, to.join(entry.file_name()));
        if kind.is_dir() {
            copy(&entry.path(), &target, room)?;
        } else if kind.is_file() {
            let meta = entry.metadata()?;
            *room = room.checked_sub(meta.len()).ok_or(io::ErrorKind::StorageFull)?;
            fs::copy(entry.path(), &target)?;
            fs::File::options().write(true).open(&target)?.set_modified(meta.modified()?)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_has_the_same_times_and_no_links() {
        let folder = tempfile::tempdir().unwrap();
        let (from, to) = (folder.path().join("a"), folder.path().join("b"));
        fs::create_dir_all(from.join("deep")).unwrap();
        fs::write(from.join("deep/file"), "text").unwrap();
        std::os::unix::fs::symlink("/etc/passwd", from.join("link")).unwrap();
        copy(&from, &to, &mut 100).unwrap();
        assert_eq!(fs::read(to.join("deep/file")).unwrap(), b"text");
        let time = |path: &Path| fs::metadata(path.join("deep/file")).unwrap().modified().unwrap();
        assert_eq!(time(&from), time(&to));
        assert!(fs::symlink_metadata(to.join("link")).is_err());
        assert!(copy(&from, &folder.path().join("c"), &mut 1).is_err());
    }
}
