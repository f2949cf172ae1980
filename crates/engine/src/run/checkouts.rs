//! The checkouts of a run: where workers work, where checks check, and what is kept of them.
//!
//! All of them lie in a folder that is the run's own, so whatever is found there is ours to
//! remove once it was kept.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use countersign_domain::ObjectId;
use countersign_domain::run::{Run, RunEvent, filters};
use countersign_git::{Checkout, Snapshot, Tip, is_directory};

use super::{crew, outside, unseen};
use crate::Engine;
use crate::error::{Error, Result};

/// The checkout that the current attempt works in. A cut-off attempt leaves its folder behind
/// for whatever may still be running there, and the next one gets another.
pub(super) fn workshop(engine: &Engine, run: &Run, attempt: u32) -> PathBuf {
    engine
        .run_folder(run.id())
        .join(format!("attempt-{attempt}-{}", run.interruptions + run.restarts))
}

/// Whether a checkout of the run is where it was made. Who worked there may have put a link in its place,
/// or in that of the folder above: what is behind one is not ours to read, and least of all to remove.
pub(super) fn is_there(engine: &Engine, run: &Run, checkout: &Path) -> bool {
    is_directory(&engine.run_folder(run.id())) && is_directory(checkout)
}

pub(super) fn prepare(
    engine: &Engine,
    run: &Run,
    attempt: u32,
    tree: ObjectId,
) -> Result<RunEvent> {
    let into = workshop(engine, run, attempt);
    let message = format!("As attempt {} left it\n", attempt.saturating_sub(1));
    let tip = if tree == run.base().tree {
        Tip::Commit(&run.base().commit)
    } else {
        synthetic(run, &tree, &message)
    };
    make(engine, &into, tip)?;
    unseen::leave_out(engine, run, (&into, &tree))?;
    // A reviewer has no start of its own on the record.
    let is_reviewed = run.opened.crew.as_ref().is_some_and(|crew| crew.reviewer.is_some());
    let fingerprint =
        if is_reviewed && attempt == 1 { outside::before(engine, run)? } else { None };
    Ok(RunEvent::Prepared { attempt, tree, fingerprint })
}

/// A commit made for one checkout only, on top of the base.
pub(super) fn synthetic<'a>(run: &'a Run, tree: &'a ObjectId, message: &'a str) -> Tip<'a> {
    Tip::Tree {
        tree,
        parent: Some(&run.base().commit),
        message,
        time_seconds: run.id().unix_seconds(),
    }
}

/// A fresh checkout, in place of whatever an interrupted one left.
pub(super) fn make(engine: &Engine, into: &Path, tip: Tip<'_>) -> Result<()> {
    clear(into)?;
    if let Some(parent) = into.parent() {
        std::fs::create_dir_all(parent).map_err(|error| Error::io("create", parent, &error))?;
    }
    let spares = engine.spares_folder();
    let made = engine.repository.checkout(&Checkout { into, tip, spares: Some(&spares) })?;
    if let Tip::Tree { tree, .. } = tip
        && let Err(error) = engine.expect_genuine_beyond(&[tree], &made.known)
    {
        clear(into)?;
        return Err(error);
    }
    Ok(())
}

/// Removes a checkout from the run's own folder, also one whose marker a worker or a check
/// has removed.
pub(super) fn clear(checkout: &Path) -> Result<()> {
    match countersign_git::discard(checkout) {
        Err(countersign_git::Error::NotOurs { path }) => {
            // Of a link, this removes the link alone.
            std::fs::remove_dir_all(&path).map_err(|error| Error::io("remove", &path, &error))
        }
        discarded => Ok(discarded?),
    }
}

/// Ends the use of a checkout in which everything that ran has ended: it is kept as a spare, or
/// removed.
pub(super) fn retire(engine: &Engine, checkout: &Path) -> Result<()> {
    if !checkout.parent().is_some_and(is_directory) {
        return Ok(());
    }
    if engine.repository.retire(checkout, &engine.spares_folder()) {
        return Ok(());
    }
    clear(checkout)
}

/// Removes the place of a check, with whatever it left there.
pub(super) fn clear_place(place: &Path) -> Result<()> {
    clear(&place.join("tree"))?;
    if is_directory(place) {
        // What it has locked itself out of is removed all the same.
        let _ = make_readable(place);
    }
    match std::fs::remove_dir_all(place) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(Error::io("remove", place, &error))
        }
        _ => Ok(()),
    }
}

/// Keeps what a cut-off attempt left in its checkout, if it is still there.
pub(super) fn interrupt(engine: &Engine, run: &Run, attempt: u32) -> Result<RunEvent> {
    let folder = workshop(engine, run, attempt);
    // Before we keep anything ourselves.
    let outside = outside::after(engine, run, &folder)?;
    let tree = if is_there(engine, run, &folder) {
        let name = format!("runs/{}/interrupted-{}", run.id(), run.interruptions + 1);
        Some(snapshot(engine, run, &name)?.tree)
    } else {
        None
    };
    Ok(RunEvent::Interrupted { attempt, tree, outside })
}

/// Records the tree that the worker hands over.
pub(super) fn hand_over(engine: &Engine, run: &Run, attempt: u32) -> Result<RunEvent> {
    let name = format!("runs/{}/attempt-{attempt}", run.id());
    let folder = workshop(engine, run, attempt);
    if !is_there(engine, run, &folder) {
        // Whoever removed the whole folder handed over nothing: what counts is what the attempt
        // started from, which is no work, or work that was refused already.
        let tree = run.last_tree.as_ref().unwrap_or(&run.base().tree).clone();
        let (nested, unheld) = (Vec::new(), Vec::new());
        return Ok(RunEvent::Snapshotted { attempt, tree, nested, unheld, is_gone: true });
    }
    if run.opened.crew.is_some() {
        crew::remove_claim(engine, run, &folder)?;
    }
    let Snapshot { tree, left_out, unheld } = snapshot(engine, run, &name)?;
    let mut nested = new_links(engine, run, &tree)?;
    nested.extend(left_out.iter().map(|path| path.to_string_lossy().into_owned()));
    let unheld = unheld.iter().map(|path| path.to_string_lossy().into_owned()).collect();
    Ok(RunEvent::Snapshotted { attempt, tree, nested, unheld, is_gone: false })
}

/// Links to other repositories that the work added and that are no submodules: the files
/// behind them are in no tree of ours.
fn new_links(engine: &Engine, run: &Run, tree: &ObjectId) -> Result<Vec<String>> {
    const LINK: u32 = 0o160_000;
    let changes = engine.repository.diff(&run.base().tree, tree)?;
    let declares_submodules = |path: &str| {
        let file = workshop(engine, run, run.attempt).join(".gitmodules");
        let text = std::fs::read_to_string(file).unwrap_or_default();
        text.lines().any(|line| {
            line.split_once('=')
                .is_some_and(|(key, value)| key.trim() == "path" && value.trim() == path)
        })
    };
    let links = changes
        .into_iter()
        .filter(|change| change.new.as_ref().is_some_and(|side| side.mode == LINK))
        .filter(|change| change.old.as_ref().is_none_or(|side| side.mode != LINK))
        .map(|change| change.path.to_string_lossy().into_owned())
        .filter(|path| !declares_submodules(path));
    Ok(links.collect())
}

/// The tree of the current attempt's checkout, kept alive under `name`.
fn snapshot(engine: &Engine, run: &Run, name: &str) -> Result<Snapshot> {
    let folder = workshop(engine, run, run.attempt);
    let scratch = engine.run_folder(run.id()).join("scratch");
    std::fs::create_dir_all(&scratch).map_err(|error| Error::io("create", &scratch, &error))?;
    remove_special_files(&folder)?;
    let planted = filters(&run.outside);
    let without = (!planted.is_empty()).then(|| engine.repository.without_filters(&planted));
    // What was put into the user's settings meanwhile is asked about, and not run before.
    let repository = without.as_ref().unwrap_or(&engine.repository);
    let mut snapshot = repository.snapshot(&folder, &scratch);
    if let Err(countersign_git::Error::Unreadable { .. }) = snapshot {
        make_readable(&folder)?;
        snapshot = repository.snapshot(&folder, &scratch);
    }
    let Snapshot { tree, left_out, unheld } = snapshot?;
    let tree = unseen::put_back(engine, run, (tree, &scratch))?;
    keep(engine, name, &tree)?;
    Ok(Snapshot { tree, left_out, unheld })
}

/// Removes pipes, sockets and devices. No tree can hold them, and git waits for ever for a
/// writer when one of its own files (`.gitignore`, `HEAD`) is a pipe.
pub(super) fn remove_special_files(top: &Path) -> Result<()> {
    let mut waiting = vec![top.to_owned()];
    while let Some(folder) = waiting.pop() {
        // What can't be listed is dealt with when git says so.
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let Ok(kind) = entry.file_type() else { continue };
            if kind.is_dir() {
                waiting.push(entry.path());
            } else if !kind.is_file() && !kind.is_symlink() {
                let path = entry.path();
                std::fs::remove_file(&path).map_err(|error| Error::io("remove", &path, &error))?;
            }
        }
    }
    Ok(())
}

/// Gives us back what a worker has locked itself out of, so that it can be judged. A tree has
/// no such permissions, so this changes nothing about what is handed over.
fn make_readable(folder: &Path) -> Result<()> {
    let failed = |path: &Path, error: std::io::Error| Error::io("make readable", path, &error);
    // The top itself: those below are opened before they are gone into.
    open_up(folder, 0o700).map_err(|error| failed(folder, error))?;
    let entries = std::fs::read_dir(folder).map_err(|error| failed(folder, error))?;
    for entry in entries.flatten() {
        let path = entry.path();
        let meta = std::fs::symlink_metadata(&path).map_err(|error| failed(&path, error))?;
        let needed = match meta.file_type() {
            kind if kind.is_dir() => 0o700,
            kind if kind.is_file() => 0o400,
            _ => continue,
        };
        open_up(&path, needed).map_err(|error| failed(&path, error))?;
        if meta.is_dir() {
            make_readable(&path)?;
        }
    }
    Ok(())
}

/// Gives a file or folder the permissions that it lacks of those `needed`.
fn open_up(path: &Path, needed: u32) -> std::io::Result<()> {
    let mut permissions = std::fs::symlink_metadata(path)?.permissions();
    if permissions.mode() & needed == needed {
        return Ok(());
    }
    permissions.set_mode(permissions.mode() | needed);
    std::fs::set_permissions(path, permissions)
}

/// Keeps `tree` under `name`, or beside it: a driver that was killed before it could record its
/// snapshot may have kept an earlier state under that name.
fn keep(engine: &Engine, name: &str, tree: &ObjectId) -> Result<()> {
    let mut kept = engine.repository.keep(name, tree);
    for n in 2.. {
        let Err(countersign_git::Error::Moved { .. }) = kept else { break };
        kept = engine.repository.keep(&format!("{name}-{n}"), tree);
    }
    Ok(kept?)
}

/// Keeps what a cancelled attempt has done so far. Only once: a removal that was cut off
/// leaves less to keep.
pub(super) fn keep_cancelled(engine: &Engine, run: &Run) -> Result<()> {
    let name = format!("runs/{}/cancelled", run.id());
    let is_kept = !engine.repository.kept(&name)?.is_empty();
    if !is_kept && is_there(engine, run, &workshop(engine, run, run.attempt)) {
        snapshot(engine, run, &name)?;
    }
    Ok(())
}
