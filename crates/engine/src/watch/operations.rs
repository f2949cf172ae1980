//! What the agents of a run or a relay did last. While one is at work, that is what its driver hears of
//! it; afterwards the worklog of its session, or else the end of what it printed.

use std::collections::BTreeMap;
use std::io::Read;

use countersign_domain::agent::{AgentSpec, Role};
use countersign_domain::receipt::Execution;
use countersign_domain::relay::Leg;
use countersign_domain::run::{Run, Step};
use countersign_domain::worklog::entry::{Entry, Status, entries};
use countersign_domain::{Digest, Stamp};
use serde::Serialize;

use super::Lookout;
use crate::Engine;
use crate::error::Result;
use crate::relay::Undertaking;
use crate::run::{KEPT, Live, Operation, Went, of_output};
use crate::worklog::SessionRow;

/// Among how many sessions, the newest first, those of a run are looked for.
const SESSIONS: u32 = 50;
/// As much of the end of an output is read.
const TAIL: usize = 256 * 1024;
/// Of so many outputs it is remembered what was in them.
const OUTPUTS: usize = 64;

/// An operation as it is seen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct OperationSeen {
    pub run: Stamp,
    /// The story of a relay that it was done for, or `ALL`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub story: Option<String>,
    /// Who did it: `worker`, `verifier` or `reviewer`.
    pub by: Role,
    /// Which verifier, counted from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verifier: Option<u32>,
    #[serde(flatten)]
    pub operation: Operation,
}

/// What was in outputs that were read: they don't change.
#[derive(Debug, Default)]
pub(super) struct Outputs(BTreeMap<Digest, Vec<Operation>>);

impl Outputs {
    /// The last operations of an agent that has ended. Retention may have removed what it printed.
    fn of(&mut self, engine: &Engine, spec: &AgentSpec, done: &Execution) -> Vec<Operation> {
        let blob = done.output.blob;
        if let Some(known) = self.0.get(&blob) {
            return known.clone();
        }
        let read = engine.store.blobs().open(&blob).ok().and_then(|reader| tail(reader).ok());
        let found = read.map_or_else(Vec::new, |output| of_output(spec, &output));
        if self.0.len() >= OUTPUTS {
            self.0.clear();
        }
        self.0.insert(blob, found.clone());
        found
    }
}

/// The end of what `reader` gives.
fn tail(mut reader: impl Read) -> std::io::Result<Vec<u8>> {
    let mut kept = Vec::new();
    loop {
        let read = reader.by_ref().take(TAIL as u64).read_to_end(&mut kept)?;
        kept.drain(..kept.len().saturating_sub(TAIL));
        if read == 0 {
            return Ok(kept);
        }
    }
}

impl Lookout {
    /// Whether agents are at work for it, by what their drivers write. Then what they do moves, however
    /// still the ledger is.
    pub fn is_at_work(&self, it: Undertaking) -> bool {
        let Some(engine) = &self.engine else { return false };
        self.open_runs(it).iter().any(|(_, run)| engine.live(*run).is_some())
    }

    /// What its agents did last, oldest first. Of a relay: of those that are at work.
    pub fn operations(&mut self, it: Undertaking) -> Result<Vec<OperationSeen>> {
        let Some(engine) = self.engine.take() else { return Ok(Vec::new()) };
        let found = match it {
            Undertaking::Run(run) => self.of_run(&engine, run),
            Undertaking::Relay(_) => Ok(self.of_relay(&engine, it)),
        };
        self.engine = Some(engine);
        let mut found = found?;
        Ok(found.split_off(found.len().saturating_sub(KEPT)))
    }

    /// The runs of it that have not ended, with what they do in a relay.
    fn open_runs(&self, it: Undertaking) -> Vec<(Option<String>, Stamp)> {
        let is_open =
            |run: &Stamp| self.runs.get(run).is_some_and(|one| one.run.outcome().is_none());
        match it {
            Undertaking::Run(run) => Some((None, run)).into_iter().collect::<Vec<_>>(),
            Undertaking::Relay(relay) => {
                let runs = self.relays.get(&relay).map_or(&[][..], |fold| &fold.relay.runs);
                let named = |(leg, run): &(Leg, Stamp)| (Some(leg.to_string()), *run);
                runs.iter().map(named).collect()
            }
        }
        .into_iter()
        .filter(|(_, run)| is_open(run))
        .collect()
    }

    fn of_relay(&mut self, engine: &Engine, it: Undertaking) -> Vec<OperationSeen> {
        let mut all = Vec::new();
        for (story, run) in self.open_runs(it) {
            let Some(live) = engine.live(run) else { continue };
            let verifier = self.runs.get(&run).and_then(|fold| judging(&fold.run));
            all.extend(
                seen(run, (live.role, verifier), live.operations)
                    .map(|one| OperationSeen { story: story.clone(), ..one }),
            );
        }
        all.sort_by_key(|one| one.operation.at);
        all
    }

    fn of_run(&mut self, engine: &Engine, id: Stamp) -> Result<Vec<OperationSeen>> {
        let Some(fold) = self.runs.get(&id) else { return Ok(Vec::new()) };
        let live = if fold.run.outcome().is_none() { engine.live(id) } else { None };
        let Some(Live { role, operations, .. }) = live else {
            let logged = worklog(engine, &fold.run)?;
            return Ok(if logged.is_empty() { self.printed(engine, id) } else { logged });
        };
        let verifier = judging(&fold.run);
        let mut all = self.printed(engine, id);
        all.extend(seen(id, (role, verifier), operations));
        Ok(all)
    }

    /// What those did who have ended in the current attempt.
    fn printed(&mut self, engine: &Engine, id: Stamp) -> Vec<OperationSeen> {
        let Self { runs, outputs, .. } = self;
        let Some(run) = runs.get(&id).map(|fold| &fold.run) else { return Vec::new() };
        let crew = run.opened.crew.as_ref();
        let named = || run.opened.worker.parse::<AgentSpec>().ok();
        let worker = crew.and_then(|crew| crew.worker(run.rung).cloned()).or_else(named);
        let mut all = Vec::new();
        if let (Some(worker), Some(worked)) = (worker, &run.worked) {
            all.extend(seen(id, (Role::Worker, None), outputs.of(engine, &worker, worked)));
        }
        for verified in &run.verified {
            let spec = crew.and_then(|crew| crew.verifiers.get(verified.verifier as usize));
            if let Some(spec) = spec {
                let read = outputs.of(engine, spec, &verified.execution);
                all.extend(seen(id, (Role::Verifier, Some(verified.verifier + 1)), read));
            }
        }
        all
    }
}

fn seen(
    run: Stamp,
    (by, verifier): (Role, Option<u32>),
    all: Vec<Operation>,
) -> impl Iterator<Item = OperationSeen> {
    let one = move |operation| OperationSeen { run, story: None, by, verifier, operation };
    all.into_iter().map(one)
}

/// The verifier that is at work, counted from 1.
fn judging(run: &Run) -> Option<u32> {
    match run.step {
        Step::VerifierLaunched { verifier, .. } => Some(verifier + 1),
        _ => None,
    }
}

/// What the agents of `run` did last by their own worklog, if a session belongs to it: by its name, or
/// by the folder that it was in.
fn worklog(engine: &Engine, run: &Run) -> Result<Vec<OperationSeen>> {
    let name = run.heard.as_ref().and_then(|heard| heard.session.as_deref());
    let folder = engine.run_folder(run.id());
    let is_of = |row: &SessionRow| {
        Some(row.agent_session.as_str()) == name
            || std::path::Path::new(&row.worktree).starts_with(&folder)
    };
    let Some(row) = engine.sessions(SESSIONS)?.into_iter().find(is_of) else {
        return Ok(Vec::new());
    };
    let session = engine.live_session(row.session)?;
    let mut all = session.map_or_else(Vec::new, |session| entries(&session));
    let last = all.split_off(all.len().saturating_sub(KEPT));
    Ok(seen(run.id(), (Role::Worker, None), last.iter().map(logged).collect()).collect())
}

fn logged(entry: &Entry) -> Operation {
    let went = match entry.status {
        Status::Completed => Went::Done,
        Status::Failed | Status::Timeout => Went::Failed,
        Status::Retried => Went::Retried,
        Status::Skipped => Went::Skipped,
        Status::Initiated => Went::Going,
    };
    Operation::shown(Some(entry.time), went, &format!("{} {}", entry.action, entry.context))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// LP-24: of an output the end is read, however long it is.
    #[test]
    fn the_end_of_an_output_is_read() {
        for length in [0, 1, TAIL - 1, TAIL, TAIL + 1, 3 * TAIL + 7] {
            let mut output = vec![b'x'; length];
            output.extend_from_slice(b"end");
            let read = tail(&output[..]).unwrap();
            assert_eq!(read.len(), output.len().min(TAIL), "{length}");
            assert!(read.ends_with(b"end"), "{length}");
        }
    }
}
