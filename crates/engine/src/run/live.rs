//! What an agent is doing right now, for who watches: a small file that is written anew about once
//! a second. It is no record; that is the journal. But when a leader was killed, it is all that is known
//! of what its agent had used, so it is signed, speaks for one start only, and for the moment at which it
//! was written: an earlier one that is put back later is not believed.

use std::fs::File;
use std::io::Write as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use countersign_domain::agent::{AgentSpec, Role, Usage};
use countersign_domain::budget::ReservationId;
use countersign_domain::ledger::{PublicKey, Signature, signed_bytes};
use countersign_domain::secret::Scanner;
use countersign_domain::{Digest, Stamp};
use countersign_exec::Cancel;
use countersign_exec::agents::Moment;
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use super::operations::{Last, Operation};
use crate::error::Result;
use crate::{Engine, Key, regular};

/// The file, in the folder of a run.
const FILE: &str = "live.json";
/// What its signature is for.
const PURPOSE: &str = "live";
/// How often it is written, and how soon silence is noticed.
const EVERY: Duration = Duration::from_secs(1);
/// The most bytes of it.
const MOST: u64 = 64 * 1024;
/// How many seconds it may take at most to write it.
const WRITING: i64 = 3;
/// How much of what an agent says is kept, and how much of that is shown once its secrets are gone.
const HEARD: usize = 2_000;
const SHOWN: usize = 400;

/// What an agent is doing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Live {
    pub role: Role,
    pub attempt: u32,
    /// Which start of the role in the attempt.
    #[serde(default)]
    start: u32,
    /// Whether its program was started, as far as we know.
    #[serde(default)]
    has_begun: bool,
    pub agent: AgentSpec,
    /// The process that drives the run, and when it was born.
    leader: (i32, u64),
    /// When it began.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub began_at: Option<Timestamp>,
    /// How long it has been at work.
    pub seconds: u64,
    /// How long nothing was heard of it.
    pub silent_seconds: u64,
    /// The tool that it is using, and on what.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub doing: Option<String>,
    /// What it said last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub said: Option<String>,
    /// What it did last, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub operations: Vec<Operation>,
    pub calls: u64,
    pub used: Usage,
    /// When its file was made, in seconds, as the disk tells it.
    #[serde(default)]
    made_at: i64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    signature: Option<Signature>,
}

/// What was known last of a start whose leader is gone.
pub(super) enum Left {
    /// Its program was not started yet.
    Unbegun,
    /// It was at work, and had used this.
    Used(AgentSpec, Usage),
    /// Nothing that can be believed.
    Unknown,
}

/// Where it is written, and who signs it.
pub(super) struct LiveFile {
    path: PathBuf,
    run: Stamp,
    key: Key,
}

impl LiveFile {
    pub(super) fn of(engine: &Engine, run: Stamp) -> Result<Self> {
        Ok(Self { path: engine.run_folder(run).join(FILE), run, key: engine.key()? })
    }

    /// Written beside and renamed, so that nobody reads half of it. If it can't be written, nobody
    /// can watch; the run goes on.
    fn write(&self, live: &Live) {
        let beside = self.path.with_extension("part");
        let written = File::create(&beside).and_then(|mut file| {
            let made_at = file.metadata()?.ctime();
            let mut live = Live { signature: None, made_at, ..live.clone() };
            live.signature = Some(self.key.sign(PURPOSE, &live.statement(self.run)));
            file.write_all(&serde_json::to_vec(&live).unwrap_or_default())
        });
        if written.is_ok() {
            let _ = std::fs::rename(&beside, &self.path);
        }
    }

    /// Says that `id` is about to be started.
    pub(super) fn announce(&self, id: ReservationId, agent: &AgentSpec) {
        if let Some(folder) = self.path.parent() {
            // If it can't be made, neither can what is to be announced.
            let _ = std::fs::create_dir_all(folder);
        }
        self.write(&Live { has_begun: false, ..Live::new(id, agent) });
    }
}

impl Live {
    pub(super) fn new(id: ReservationId, agent: &AgentSpec) -> Self {
        Self {
            role: id.role,
            attempt: id.attempt,
            start: id.start,
            has_begun: true,
            agent: agent.clone(),
            leader: i32::try_from(std::process::id())
                .ok()
                .and_then(|own| countersign_exec::caller(Some(own)))
                .unwrap_or_default(),
            began_at: None,
            seconds: 0,
            silent_seconds: 0,
            doing: None,
            said: None,
            operations: Vec::new(),
            calls: 0,
            used: Usage::default(),
            made_at: 0,
            signature: None,
        }
    }

    pub(super) fn beginning(self, at: Timestamp) -> Self {
        Self { began_at: Some(at), ..self }
    }

    /// What is known of the run whose checkouts are in `folder`, if its leader is alive.
    pub(crate) fn read(folder: &Path) -> Option<Self> {
        let bytes = regular::read(&folder.join(FILE), MOST)?;
        let live: Self = serde_json::from_slice(&bytes).ok()?;
        let (pid, born) = live.leader;
        (live.has_begun && countersign_exec::is_alive(pid, born)).then_some(live)
    }

    /// What was known last of the start `id`, if it was written by who holds the key that `key` is of.
    pub(super) fn left_of(id: ReservationId, folder: &Path, key: PublicKey) -> Left {
        let file = folder.join(FILE);
        // No program can set when a file was last changed, not even by giving it another name.
        let changed_at = std::fs::symlink_metadata(&file).map(|found| found.ctime()).ok();
        let bytes = regular::read(&file, MOST);
        let live: Option<Self> = bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok());
        let is_fresh = |live: &Self| {
            changed_at.is_some_and(|at| at.saturating_sub(live.made_at).abs() <= WRITING)
        };
        let Some(live) = live.filter(|live| live.is_of(id, key) && is_fresh(live)) else {
            return Left::Unknown;
        };
        if live.has_begun { Left::Used(live.agent, live.used) } else { Left::Unbegun }
    }

    fn is_of(&self, id: ReservationId, key: PublicKey) -> bool {
        let message = signed_bytes(PURPOSE, &self.statement(id.run));
        self.signature.is_some_and(|signature| key.verifies(&message, &signature))
            && (self.role, self.attempt, self.start) == (id.role, id.attempt, id.start)
    }

    /// What is signed: all of it, and the run that it is about.
    fn statement(&self, run: Stamp) -> (Stamp, Digest) {
        let plain = Self { signature: None, ..self.clone() };
        (run, Digest::of(&serde_json::to_vec(&plain).unwrap_or_default()))
    }

    /// Removes it once what it says is on the record.
    pub(super) fn forget(folder: &Path) {
        let _ = std::fs::remove_file(folder.join(FILE));
    }
}

struct State {
    live: Live,
    last: Last,
    file: LiveFile,
    begun: Instant,
    heard: Instant,
    is_stale: bool,
}

impl State {
    /// Writes what is known, without secrets. They are looked for here and not as words come: there may
    /// be very many of those in a second.
    fn write(&self) {
        let screened = |text: &Option<String>| {
            let text = Scanner::builtin().redact(text.as_deref()?).into_owned();
            Some(text.chars().take(SHOWN).collect())
        };
        self.file.write(&Live {
            doing: screened(&self.live.doing),
            said: screened(&self.live.said),
            operations: self.last.shown(),
            ..self.live.clone()
        });
    }

    /// The time by the clock of the host, which is asked once.
    fn now(&self) -> Option<Timestamp> {
        let so_long = SignedDuration::try_from(self.begun.elapsed()).ok()?;
        self.live.began_at?.checked_add(so_long).ok()
    }
}

/// Keeps the file of an agent that is at work, and ends the agent when it has gone silent.
pub(super) struct Pulse {
    state: Arc<Mutex<State>>,
    stop: Sender<()>,
    thread: JoinHandle<()>,
}

impl Pulse {
    pub(super) fn start(live: Live, file: LiveFile, silence: Duration, cancel: Cancel) -> Self {
        let now = Instant::now();
        // Before its program is started: from then on it has begun.
        file.write(&live);
        let last = Last::default();
        let begun = State { live, last, file, begun: now, heard: now, is_stale: false };
        let state = Arc::new(Mutex::new(begun));
        let (stop, told) = mpsc::channel();
        let shared = Arc::clone(&state);
        let thread = std::thread::spawn(move || {
            loop {
                {
                    let mut inner = shared.lock().unwrap_or_else(PoisonError::into_inner);
                    inner.live.seconds = inner.begun.elapsed().as_secs();
                    inner.live.silent_seconds = inner.heard.elapsed().as_secs();
                    if inner.heard.elapsed() >= silence && !inner.is_stale {
                        inner.is_stale = true;
                        cancel.cancel();
                    }
                    inner.write();
                }
                if told.recv_timeout(EVERY) != Err(RecvTimeoutError::Timeout) {
                    return;
                }
            }
        });
        Self { state, stop, thread }
    }

    fn with(&self, change: impl FnOnce(&mut State)) {
        change(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner));
    }

    /// Something was heard.
    pub(super) fn beat(&self) {
        self.with(|state| state.heard = Instant::now());
    }

    pub(super) fn used(&self, used: Usage) {
        self.with(|state| state.live.used = used);
    }

    pub(super) fn take(&self, moment: &Moment) {
        let cut = |text: &str| text.chars().take(HEARD).collect::<String>();
        self.with(|state| {
            let now = state.now();
            state.last.take(moment, now);
            match moment {
                Moment::ToolStarted { tool, about, .. } => {
                    state.live.calls += 1;
                    state.live.doing = Some(cut(format!("{tool} {about}").trim()));
                }
                Moment::ToolEnded { .. } => state.live.doing = None,
                Moment::Said(text) => state.live.said = Some(cut(text)),
                Moment::Retried { detail, .. } => state.live.doing = Some(cut(detail)),
                Moment::Began { .. } | Moment::Used(_) | Moment::Printed(_) => {}
            }
        });
    }

    /// Ends it; tells whether the agent was ended because it had gone silent. The file stays until what
    /// was used is settled: who takes over after a crash in between reads it there.
    pub(super) fn stop(self) -> bool {
        drop(self.stop);
        // The thread can't fail in a way that matters to the run.
        let _ = self.thread.join();
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.write();
        state.is_stale
    }
}
