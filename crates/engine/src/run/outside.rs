//! The user's own repository around the work of an agent: what it was like before, and what changed.
//!
//! The first is a blob that the start's event names, so that it is on the record, sealed, before the agent
//! runs. Where nothing confines checks, it is the same with them.

use std::path::{Path, PathBuf};

use countersign_domain::Digest;
use countersign_domain::run::{Fingerprint, Outside, Run, RunEvent, Step, compare, moved};

use super::{checkouts, crew};
use crate::Engine;
use crate::error::{Error, Kind, Result};
use crate::verify::Walls;

/// Takes the fingerprint of the user's repository before an agent of `run` starts.
pub(super) fn before(engine: &Engine, run: &Run) -> Result<Option<Digest>> {
    let print = engine.repository.fingerprint(&own(run), None)?;
    let bytes = serde_json::to_vec(&print).map_err(|error| {
        Error::new(Kind::Bug, format!("a fingerprint can't be written: {error}"))
    })?;
    Ok(Some(engine.store.blobs().put(&bytes)?))
}

/// What changed there since the agent started that worked in `checkout`. It must have ended, and nothing of
/// what it left may have been removed yet.
pub(super) fn after(engine: &Engine, run: &Run, checkout: &Path) -> Result<Vec<Outside>> {
    match since(engine, run, Some(checkout))? {
        // The agent has ended, and that is put on the record: who mends it goes on from there.
        Err(error) if error.is_of_repository() => Ok(vec![Outside::broken(&error)]),
        found => Ok(found?),
    }
}

/// What changed there since the fingerprint that is on the record, or why it can't be looked at. Who may have put
/// its own commits there is known by its `checkout`.
fn since(
    engine: &Engine,
    run: &Run,
    checkout: Option<&Path>,
) -> Result<std::result::Result<Vec<Outside>, countersign_git::Error>> {
    // Starts of earlier versions have none.
    let Some(digest) = run.fingerprint else { return Ok(Ok(Vec::new())) };
    let bytes = engine.store.blobs().read(&digest)?;
    let old: Fingerprint = serde_json::from_slice(&bytes).map_err(|error| {
        Error::new(Kind::Tampered, format!("the fingerprint {digest} can't be read: {error}"))
    })?;
    let new = match engine.repository.fingerprint(&own(run), Some(&old)) {
        Err(error) => return Ok(Err(error)),
        Ok(new) => new,
    };
    if new == old {
        return Ok(Ok(Vec::new()));
    }
    let pushed = match checkout {
        Some(checkout) => {
            engine.repository.made_in(checkout, &moved(&old, &new), &run.base().commit)?
        }
        None => Vec::new(),
    };
    Ok(Ok(compare(&old, &new, &pushed)))
}

/// Whether what it is like has to be put on the record before checks run: nothing keeps them from writing there.
pub(super) fn is_due(engine: &Engine, run: &Run) -> bool {
    run.fingerprint.is_none() && !Walls::find(engine).are_up()
}

/// Puts that on the record.
pub(super) fn before_checks(engine: &Engine, run: &Run) -> Result<RunEvent> {
    let fingerprint = before(engine, run)?;
    Ok(RunEvent::Looked { attempt: run.attempt, fingerprint, outside: Vec::new() })
}

/// What checks changed there.
pub(super) fn after_checks(engine: &Engine, run: &Run) -> Result<Vec<Outside>> {
    match since(engine, run, None)? {
        Err(error) if error.is_of_repository() => Ok(vec![Outside::broken(&error)]),
        found => Ok(found?),
    }
}

/// Looks at what could not be seen when somebody had ended; fails for as long as it can't be.
pub(super) fn look(engine: &Engine, run: &Run) -> Result<RunEvent> {
    let workshop = place(engine, run);
    // Of who checked or judged, nothing is left; a worker's is there until its work is recorded.
    let is_workers = run.is_unseen && workshop.is_dir();
    let outside = since(engine, run, is_workers.then_some(&*workshop))??;
    Ok(RunEvent::Looked { attempt: run.attempt, fingerprint: None, outside })
}

/// The same for an agent whose end nobody recorded.
pub(super) fn after_cut_off(engine: &Engine, run: &Run) -> Result<Vec<Outside>> {
    after(engine, run, &place(engine, run))
}

/// Where the agent works that was started last.
fn place(engine: &Engine, run: &Run) -> PathBuf {
    match &run.step {
        Step::VerifierLaunched { verifier, .. } => crew::verifier_place(engine, run, *verifier),
        _ => checkouts::workshop(engine, run, run.attempt),
    }
}

/// Tells what changed during a start that was cancelled: nothing comes of it that could say so.
pub(super) fn tell_cancelled(engine: &Engine, run: &Run) -> Result<()> {
    for one in after_cut_off(engine, run)? {
        engine.tell_wait(&format!("in your own repository, while an agent was at work: {one}"));
    }
    Ok(())
}

/// Where a run keeps what was handed over.
fn own(run: &Run) -> String {
    format!("runs/{}", run.id())
}
