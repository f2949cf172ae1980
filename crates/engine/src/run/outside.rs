//! The user's own repository around the work of an agent: what it was like before, and what changed.
//!
//! The first is a blob that the start's event names, so that it is on the record, sealed, before the agent
//! runs.

use std::path::{Path, PathBuf};

use countersign_domain::Digest;
use countersign_domain::run::{Fingerprint, Outside, Run, Step, compare, moved};

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
    // Starts of earlier versions have none.
    let Some(digest) = run.fingerprint else { return Ok(Vec::new()) };
    let bytes = engine.store.blobs().read(&digest)?;
    let old: Fingerprint = serde_json::from_slice(&bytes).map_err(|error| {
        Error::new(Kind::Tampered, format!("the fingerprint {digest} can't be read: {error}"))
    })?;
    let new = match engine.repository.fingerprint(&own(run), Some(&old)) {
        // The agent has ended, and that is put on the record: who mends it goes on from there.
        Err(error) if error.is_of_repository() => return Ok(vec![Outside::broken(&error)]),
        new => new?,
    };
    if new == old {
        return Ok(Vec::new());
    }
    let pushed = engine.repository.made_in(checkout, &moved(&old, &new), &run.base().commit)?;
    Ok(compare(&old, &new, &pushed))
}

/// What it is like before checks run, where nothing keeps them from writing there.
pub(super) fn before_checks(engine: &Engine, run: &Run) -> Result<Option<Fingerprint>> {
    if Walls::find(engine).are_up() {
        return Ok(None);
    }
    Ok(Some(engine.repository.fingerprint(&own(run), None)?))
}

/// What checks changed there.
pub(super) fn after_checks(
    engine: &Engine,
    run: &Run,
    before: Option<Fingerprint>,
) -> Result<Vec<Outside>> {
    let Some(old) = before else { return Ok(Vec::new()) };
    match engine.repository.fingerprint(&own(run), Some(&old)) {
        Err(error) if error.is_of_repository() => Ok(vec![Outside::broken(&error)]),
        new => Ok(compare(&old, &new?, &[])),
    }
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
