//! The transcripts of a session: its agent's, and those of its sub-agents. Whatever they are, to
//! read them takes no longer than it may.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};
use std::time::Instant;

use countersign_domain::worklog::{Agent, Operation, Session};
use countersign_exec::agents::dialect::{self, Transcript};
use jiff::Timestamp;

use crate::regular;

/// A longer transcript takes more time to read than an agent that wants to stop may wait.
pub(super) const MOST: u64 = 512 << 20;
/// The most sub-agents whose transcripts are read.
const MOST_LANES: usize = 500;
/// How deep the transcripts of sub-agents may lie.
const DEPTH: u32 = 2;

/// A transcript that was read.
#[derive(Debug)]
pub(super) struct Source {
    /// Its path.
    pub(super) name: String,
    /// The sub-agent whose it is.
    pub(super) lane: Option<String>,
    pub(super) bytes: u64,
    pub(super) transcript: Transcript,
}

impl Source {
    /// Up to when it tells everything; `None` if it doesn't say.
    pub(super) fn newest(&self) -> Option<Timestamp> {
        self.transcript.newest.parse().ok()
    }
}

/// The transcripts of a session, as far as they could be read.
#[derive(Debug, Default)]
pub(super) struct Transcripts {
    pub(super) sources: Vec<Source>,
    /// Those that are too large, with their sizes.
    pub(super) too_large: Vec<(String, u64)>,
    /// Why the agent's own can't be asked what was made and what was not.
    pub(super) unread: Option<String>,
    lengths: Vec<(PathBuf, u64)>,
}

impl Transcripts {
    /// Reads what there is, until `deadline`.
    pub(super) fn read(session: &Session, deadline: Option<Instant>) -> Self {
        let agent = session.opened.agent;
        let Some(main) = session.opened.transcript.as_deref().map(Path::new) else {
            let why = if agent == Agent::Opencode { "keeps no" } else { "named no" };
            let unread = Some(format!("its agent {why} transcript"));
            return Self { unread, ..Self::default() };
        };
        let mut all = Self::default();
        for path in paths(main) {
            let name = path.to_string_lossy().into_owned();
            let (lane, known) = (lane_of(&path, main), session.reconciled.get(&name).copied());
            let found = read(agent, &path, deadline);
            if let Ok(Found::Whole(_, bytes) | Found::TooLarge(bytes)) = &found {
                all.lengths.push((path.clone(), *bytes));
            }
            let (transcript, bytes, unread) = match found {
                Err(why) => (None, 0, Some(why)),
                Ok(Found::TooLarge(bytes)) => {
                    all.too_large.push((name.clone(), bytes));
                    let why = format!("its transcript has {bytes} bytes; at most {MOST} are read");
                    (None, bytes, Some(why))
                }
                Ok(Found::Part(transcript, bytes)) => {
                    let why = "its transcript can't be read in time".to_owned();
                    (Some(transcript), bytes, Some(why))
                }
                Ok(Found::Whole(transcript, bytes)) => {
                    let why = unfit(&transcript, (bytes, known.unwrap_or(0)));
                    (Some(transcript), bytes, why)
                }
            };
            let source =
                |transcript: Box<Transcript>| Source { name, lane, bytes, transcript: *transcript };
            all.sources.extend(transcript.map(source));
            if path == main {
                all.unread = unread;
            }
        }
        all
    }

    /// The agent's own, if it can be asked what was made and what was not.
    pub(super) fn main(&self) -> Option<&Source> {
        let own = self.sources.iter().find(|source| source.lane.is_none());
        own.filter(|_| self.unread.is_none())
    }

    /// That of a sub-agent.
    pub(super) fn of_lane(&self, lane: &str) -> Option<&Source> {
        self.sources.iter().find(|source| source.lane.as_deref() == Some(lane))
    }

    /// All calls that they tell of, by their ids.
    pub(super) fn calls(&self) -> HashMap<&str, &Operation> {
        let operations = self.sources.iter().flat_map(|source| source.transcript.operations());
        operations.filter_map(|operation| Some((operation.call.as_deref()?, operation))).collect()
    }

    /// Whether one of them was written to after it was read.
    pub(super) fn have_grown(&self) -> bool {
        let has_grown = |(path, bytes): &(PathBuf, u64)| {
            std::fs::metadata(path).is_ok_and(|found| found.len() != *bytes)
        };
        self.lengths.iter().any(has_grown)
    }
}

/// Why nothing can be concluded from what a transcript doesn't have.
fn unfit(transcript: &Transcript, (bytes, known): (u64, u64)) -> Option<String> {
    if bytes < known {
        return Some("its transcript is shorter than it was".to_owned());
    }
    if transcript.damaged > 0 {
        return Some(format!("its transcript has damaged lines ({})", transcript.damaged));
    }
    if transcript.is_full {
        return Some("its transcript tells of more calls than are read".to_owned());
    }
    let has_prompt = transcript.prompts().next().is_some();
    (!has_prompt).then(|| "its transcript tells of no prompt".to_owned())
}

/// What was read of a file.
enum Found {
    /// What it tells, and how many bytes of it were read: all, but where there was no time.
    Whole(Box<Transcript>, u64),
    Part(Box<Transcript>, u64),
    TooLarge(u64),
}

fn read(agent: Agent, path: &Path, deadline: Option<Instant>) -> Result<Found, String> {
    let failed = |why: &str| format!("its transcript can't be read{why}");
    let (file, bytes) = regular::open(path).ok_or_else(|| failed(""))?;
    if bytes > MOST {
        return Ok(Found::TooLarge(bytes));
    }
    let mut timed = Timed { file, deadline, bytes: 0, is_late: false };
    let input = BufReader::with_capacity(CHUNK, &mut timed);
    let transcript = dialect::transcript(agent, input).map_err(|e| failed(&format!(": {e}")))?;
    let transcript = Box::new(transcript);
    Ok(if timed.is_late {
        Found::Part(transcript, timed.bytes)
    } else {
        Found::Whole(transcript, bytes)
    })
}

/// So much is read between two looks at the clock.
const CHUNK: usize = 256 * 1024;

/// A file that ends when there is no more time to read it.
struct Timed {
    file: File,
    deadline: Option<Instant>,
    bytes: u64,
    is_late: bool,
}

impl Read for Timed {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.deadline.is_some_and(|deadline| Instant::now() > deadline) {
            self.is_late = true;
            return Ok(0);
        }
        let count = self.file.read(buffer)?;
        self.bytes += count as u64;
        Ok(count)
    }
}

/// The path of the agent's own, and those of its sub-agents.
fn paths(main: &Path) -> Vec<PathBuf> {
    let mut lanes = Vec::new();
    gather(&main.with_extension("").join("subagents"), DEPTH, &mut lanes);
    lanes.sort();
    std::iter::once(main.to_owned()).chain(lanes).collect()
}

fn gather(folder: &Path, depth: u32, found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let (path, Ok(kind)) = (entry.path(), entry.file_type()) else { continue };
        if found.len() >= MOST_LANES {
            return;
        } else if kind.is_dir() && depth > 0 {
            gather(&path, depth - 1, found);
        } else if path.extension().is_some_and(|extension| extension == "jsonl") {
            found.push(path);
        }
    }
}

/// The sub-agent whose transcript `path` is.
fn lane_of(path: &Path, main: &Path) -> Option<String> {
    if path == main {
        return None;
    }
    let name = path.file_stem()?.to_string_lossy();
    Some(name.strip_prefix("agent-").unwrap_or(&name).to_owned())
}
