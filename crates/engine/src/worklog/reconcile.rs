//! The transcript of the agent against our record: calls that no hook told of are added, ends
//! that no hook knew are corrected, and a record with holes is marked.

use std::io::BufReader;
use std::path::{Path, PathBuf};

use countersign_domain::worklog::{End, Logged, Operation, Session, SessionEvent};
use countersign_exec::agents::dialect::{self, Transcript, What};

use super::policy::Policy;
use super::regular;
use crate::Engine;
use crate::error::Result;

/// A longer transcript takes more time to read than an agent that wants to stop may wait.
const MOST: u64 = 512 << 20;

/// Whether the agent is still there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Moment {
    /// Its hooks are being called: calls may be under way.
    Live,
    /// Long after: what has no end will have none.
    Afterwards,
}

/// Compares the session with its transcripts. A transcript that can't be read is no reason to
/// stop: the record then stands alone, and says so.
pub(super) fn reconcile(
    engine: &mut Engine,
    session: &mut Session,
    (policy, when): (&Policy, Moment),
) -> Result<()> {
    let Some(main) = session.opened.transcript.clone() else { return Ok(()) };
    let mut events = Vec::new();
    let mut missing = 0;
    for path in transcripts(Path::new(&main)) {
        let name = path.to_string_lossy().into_owned();
        let from = session.reconciled.get(&name).copied().unwrap_or(0);
        let (transcript, bytes) = match read(session, &path) {
            Read::Whole(transcript, bytes) => (transcript, bytes),
            Read::TooLarge(bytes) if bytes != from => {
                let why = format!("{name} has {bytes} bytes; at most {MOST} are read");
                events.push(SessionEvent::Skipped { what: "transcript".into(), why });
                events.push(SessionEvent::Reconciled { file: name, bytes });
                continue;
            }
            Read::TooLarge(_) | Read::Nothing => continue,
        };
        let lane = lane_of(&path, Path::new(&main));
        let mut nameless = Nameless::of(session);
        for moment in &transcript.moments {
            let What::Call(operation) = &moment.what else { continue };
            let mut operation = operation.clone();
            if nameless.has(&operation) {
                continue;
            }
            operation.lane = operation.lane.or_else(|| lane.clone());
            let Some(call) = operation.call.clone() else { continue };
            match session.end_of(&call) {
                None => {
                    let is_open = operation.end == End::Initiated && when == Moment::Live;
                    if dialect::expects_hook(session.opened.agent, &operation) && !is_open {
                        missing += 1;
                    }
                    let at = moment.at.parse().ok();
                    let logged = Logged { at, ..policy.log(operation, session.tier) };
                    events.push(SessionEvent::Operated(Box::new(logged)));
                }
                Some(known) if knows_better(known, &operation.end) => {
                    events.push(SessionEvent::Corrected { call, end: operation.end });
                }
                Some(_) => {}
            }
        }
        if bytes != from {
            events.push(SessionEvent::Reconciled { file: name, bytes });
        }
    }
    if missing > 0 {
        let were = if missing == 1 {
            "call in the transcript was"
        } else {
            "calls in the transcript were"
        };
        let why = format!("{missing} {were} never reported by a hook");
        events.push(SessionEvent::Incomplete { missing, why });
    }
    engine.append_facts(session, "engine", events)
}

/// Operations on the record that their agent gave no id. A transcript that does give ids tells
/// of the same ones: each is found once.
struct Nameless<'a>(Vec<&'a Operation>);

impl<'a> Nameless<'a> {
    fn of(session: &'a Session) -> Self {
        let operations = session.operations.iter().map(|logged| &logged.what.operation);
        Self(operations.filter(|operation| operation.call.is_none()).collect())
    }

    fn has(&mut self, told: &Operation) -> bool {
        let is_same =
            |known: &&Operation| known.tool == told.tool && known.deed.is_like(&told.deed);
        let found = self.0.iter().position(is_same);
        found.map(|at| self.0.remove(at)).is_some()
    }
}

/// Whether the transcript tells more of an end than we know.
fn knows_better(known: &End, told: &End) -> bool {
    match known {
        End::Initiated => *told != End::Initiated,
        End::Completed { exit: None } => told.exit().is_some() || !told.ran(),
        _ => false,
    }
}

/// The transcript of the session, and those of its sub-agents.
fn transcripts(main: &Path) -> Vec<PathBuf> {
    let mut all = vec![main.to_owned()];
    let folder = main.with_extension("").join("subagents");
    if let Ok(entries) = std::fs::read_dir(folder) {
        let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
        let mut paths: Vec<PathBuf> =
            paths.filter(|path| path.extension().is_some_and(|e| e == "jsonl")).collect();
        paths.sort();
        all.extend(paths);
    }
    all
}

/// The sub-agent whose transcript `path` is.
fn lane_of(path: &Path, main: &Path) -> Option<String> {
    if path == main {
        return None;
    }
    let name = path.file_stem()?.to_string_lossy();
    Some(name.strip_prefix("agent-").unwrap_or(&name).to_owned())
}

/// What was read of a transcript.
enum Read {
    /// What it tells, and how long it is.
    Whole(Transcript, u64),
    TooLarge(u64),
    Nothing,
}

/// What the transcript at `path` tells.
fn read(session: &Session, path: &Path) -> Read {
    let Some((file, bytes)) = regular::open(path) else { return Read::Nothing };
    if bytes > MOST {
        return Read::TooLarge(bytes);
    }
    match dialect::transcript(session.opened.agent, BufReader::new(file)) {
        Ok(transcript) => Read::Whole(transcript, bytes),
        Err(_) => Read::Nothing,
    }
}

/// Whether the transcript grew after it was compared last.
pub(super) fn is_newer(session: &Session) -> bool {
    let Some(main) = &session.opened.transcript else { return false };
    let known = session.reconciled.get(main).copied().unwrap_or(0);
    std::fs::metadata(main).is_ok_and(|found| found.is_file() && found.len() > known)
}
