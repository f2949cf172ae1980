//! Sessions that could not tell: their hooks were switched off, or their agent was killed. What
//! they left is in their transcripts, and they are marked for what they are.

use std::io::{BufReader, Read as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use countersign_domain::Digest;
use countersign_domain::worklog::{
    Agent, Ended, Opened, Outcome, Place, Session, SessionEvent, flags::Flags,
};
use countersign_exec::agents::dialect::{self, Transcript};
use countersign_store::Expected;
use serde::Serialize;

use super::bounds::bound_name;
use super::compare::{self, Moment};
use super::hook::brief;
use super::opening::Asked;
use super::policy::Policy;
use super::{journal, rows};
use crate::Engine;
use crate::error::{Error, Kind, Result};
use crate::names::new_stamp;
use crate::regular;

/// The most transcripts of one folder that are looked at, newest first.
const MOST: usize = 50;
/// The most sessions that are looked after.
const NEWEST: u32 = 100;
/// A transcript that was written within this time may belong to an agent at work.
const QUIET: Duration = Duration::from_mins(1);
/// Where a transcript says in which folder its agent worked.
const HEAD_BYTES: u64 = 256 * 1024;

/// What a sweep found.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Swept {
    /// Sessions whose transcripts had more than their record.
    pub completed: u32,
    /// Sessions that no hook ever told of.
    pub unrecorded: u32,
}

impl Engine {
    /// Looks after sessions that were left alone, and for transcripts that no session is known
    /// for.
    pub fn sweep_sessions(&mut self) -> Result<Swept> {
        let mut swept = Swept::default();
        let mut folders: Vec<(Agent, PathBuf)> = Vec::new();
        let mut since = None;
        for row in self.sessions_at_hand(NEWEST)? {
            let Some(mut session) = self.live_session(row.session)? else { continue };
            if let Some(folder) = session.opened.transcript.as_deref().map(Path::new) {
                let folder = (session.opened.agent, root_of(session.opened.agent, folder));
                if !folders.contains(&folder) {
                    folders.push(folder);
                }
            }
            since = Some(session.opened_at.min(since.unwrap_or(session.opened_at)));
            let before = session.sequence;
            self.look_after(&mut session)?;
            swept.completed += u32::from(session.sequence != before);
        }
        let Some(since) = since else { return Ok(swept) };
        for (agent, folder) in folders {
            for path in transcripts_in(&folder, SystemTime::from(since)) {
                swept.unrecorded += u32::from(self.record_unheard(agent, &path)?);
            }
        }
        Ok(swept)
    }

    /// Puts the session of a transcript on the record, if it is one of this repository and no
    /// session is known for it.
    fn record_unheard(&mut self, agent: Agent, path: &Path) -> Result<bool> {
        let worktree = self.repository.layout().worktree.clone();
        if !speaks_of(path, &worktree) {
            return Ok(false);
        }
        let Some((file, _)) = regular::open(path) else { return Ok(false) };
        let Ok(transcript) = dialect::transcript(agent, BufReader::new(file)) else {
            return Ok(false);
        };
        let name = transcript
            .session
            .clone()
            .or_else(|| path.file_stem().map(|stem| stem.to_string_lossy().into_owned()));
        let Some(mut name) = name else { return Ok(false) };
        bound_name(&mut name);
        if transcript.operations().next().is_none() || self.session_of(agent, &name)?.is_some() {
            return Ok(false);
        }
        self.open_unheard((agent, &name), path, &transcript)?;
        Ok(true)
    }

    fn open_unheard(
        &mut self,
        (agent, name): (Agent, &str),
        path: &Path,
        transcript: &Transcript,
    ) -> Result<()> {
        let prompt = transcript.prompts().next().unwrap_or_default();
        let asked = Asked::read(&self.host, prompt);
        let opened = Opened {
            agent,
            agent_session: name.to_owned(),
            task: brief(asked.text.trim(), 4_000),
            task_hash: Digest::of(asked.text.trim().as_bytes()),
            judged: asked.judge(&self.settings.config),
            // Nobody saw the prompt in time to act on what it switched off.
            flags: Flags::default(),
            place: Place {
                worktree: self.repository.layout().worktree.to_string_lossy().into_owned(),
                commit: None,
                tree: None,
                branch: None,
            },
            transcript: Some(path.to_string_lossy().into_owned()),
            process: None,
            taken_over: Vec::new(),
            from: None,
            policy: None,
        };
        let id = new_stamp(&self.host)?;
        let event = SessionEvent::Opened(Box::new(opened));
        let draft = journal::draft(&self.host, "engine", &event)?;
        let Some(mut session) = Session::replay(id, [(draft.time, event)]) else { return Ok(()) };
        let changes = rows::of_session(&session)?;
        let stream = journal::stream_of(id)?;
        self.store.append(&stream, Expected::Preferred(0), &[draft], &changes)?;
        let policy = Policy::resolve(&self.settings.config.worklog)
            .map_err(|why| Error::new(Kind::Usage, why))?;
        compare::compare(self, &mut session, (&policy, Moment::Afterwards))?;
        let why = "no hook was called in this session: they were off or removed".to_owned();
        let ended = Ended {
            outcome: Outcome::Abandoned,
            because: "how it ended is not known".into(),
            is_final: true,
            totals: session.totals(),
        };
        let events = vec![
            SessionEvent::Incomplete { missing: 0, why },
            SessionEvent::Ended(Box::new(ended)),
        ];
        self.append_facts(&mut session, "engine", events)
    }
}

/// The folder that holds the transcripts of an agent: Codex makes one for every day.
fn root_of(agent: Agent, transcript: &Path) -> PathBuf {
    let up = if agent == Agent::Codex { 4 } else { 1 };
    transcript.ancestors().nth(up).unwrap_or(transcript).to_owned()
}

/// Transcripts below `folder` that were written after `since` and are at rest, newest first.
fn transcripts_in(folder: &Path, since: SystemTime) -> Vec<PathBuf> {
    let mut found: Vec<(SystemTime, PathBuf)> = Vec::new();
    gather(folder, 3, &mut found);
    let now = SystemTime::now();
    found.retain(|(written, _)| {
        *written > since && now.duration_since(*written).is_ok_and(|age| age > QUIET)
    });
    found.sort_by_key(|(written, _)| std::cmp::Reverse(*written));
    found.truncate(MOST);
    found.into_iter().map(|(_, path)| path).collect()
}

fn gather(folder: &Path, depth: u32, found: &mut Vec<(SystemTime, PathBuf)>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let (path, Ok(kind)) = (entry.path(), entry.file_type()) else { continue };
        if kind.is_dir() && depth > 0 && !path.ends_with("subagents") {
            gather(&path, depth - 1, found);
        } else if kind.is_file() && path.extension().is_some_and(|e| e == "jsonl") {
            let written = entry.metadata().and_then(|found| found.modified());
            found.extend(written.ok().map(|written| (written, path)));
        }
    }
}

/// Whether the beginning of the transcript names `worktree` as the folder of its agent.
fn speaks_of(transcript: &Path, worktree: &Path) -> bool {
    let Some((file, _)) = regular::open(transcript) else { return false };
    let mut head = Vec::new();
    if file.take(HEAD_BYTES).read_to_end(&mut head).is_err() {
        return false;
    }
    let Ok(name) = serde_json::to_string(&worktree.to_string_lossy()) else { return false };
    let text = String::from_utf8_lossy(&head);
    [":", ": "].iter().any(|colon| text.contains(&format!("\"cwd\"{colon}{name}")))
}
