//! What an agent is doing right now, for who watches: a small file that is written anew about once
//! a second. Nothing rests on it; the journal is the record.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use countersign_domain::agent::{AgentSpec, Role, Usage};
use countersign_exec::Cancel;
use countersign_exec::agents::Moment;
use serde::{Deserialize, Serialize};

use crate::regular;

/// The file, in the folder of a run.
const FILE: &str = "live.json";
/// How often it is written, and how soon silence is noticed.
const EVERY: Duration = Duration::from_secs(1);
/// The most bytes of it.
const MOST: u64 = 64 * 1024;
/// How much of what an agent says is shown.
const SHOWN: usize = 400;

/// What an agent is doing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Live {
    pub role: Role,
    pub attempt: u32,
    pub agent: AgentSpec,
    /// The process that drives the run, and when it was born.
    leader: (i32, u64),
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
    pub calls: u64,
    pub used: Usage,
    #[serde(skip)]
    file: PathBuf,
}

impl Live {
    pub(super) fn new(folder: &Path, role: Role, attempt: u32, agent: &AgentSpec) -> Self {
        Self {
            role,
            attempt,
            agent: agent.clone(),
            leader: i32::try_from(std::process::id())
                .ok()
                .and_then(|own| countersign_exec::caller(Some(own)))
                .unwrap_or_default(),
            seconds: 0,
            silent_seconds: 0,
            doing: None,
            said: None,
            calls: 0,
            used: Usage::default(),
            file: folder.join(FILE),
        }
    }

    /// What is known of the run whose checkouts are in `folder`, if its leader is alive.
    pub(crate) fn read(folder: &Path) -> Option<Self> {
        let bytes = regular::read(&folder.join(FILE), MOST)?;
        let live: Self = serde_json::from_slice(&bytes).ok()?;
        let (pid, born) = live.leader;
        countersign_exec::is_alive(pid, born).then_some(live)
    }

    /// What was known last, whoever wrote it; their leader may be gone.
    pub(super) fn last(folder: &Path) -> Option<Self> {
        serde_json::from_slice(&regular::read(&folder.join(FILE), MOST)?).ok()
    }

    /// Removes it once what it says is on the record.
    pub(super) fn forget(folder: &Path) {
        let _ = std::fs::remove_file(folder.join(FILE));
    }

    /// Written beside and renamed, so that nobody reads half of it. If it can't be written, nobody
    /// can watch; the run goes on.
    fn write(&self) {
        let beside = self.file.with_extension("part");
        let bytes = serde_json::to_vec(self).unwrap_or_default();
        if std::fs::write(&beside, bytes).is_ok() {
            let _ = std::fs::rename(&beside, &self.file);
        }
    }
}

struct State {
    live: Live,
    begun: Instant,
    heard: Instant,
    is_stale: bool,
}

/// Keeps the file of an agent that is at work, and ends the agent when it has gone silent.
pub(super) struct Pulse {
    state: Arc<Mutex<State>>,
    stop: Sender<()>,
    thread: JoinHandle<()>,
}

impl Pulse {
    pub(super) fn start(live: Live, stale: Duration, cancel: Cancel) -> Self {
        let now = Instant::now();
        let state = State { live, begun: now, heard: now, is_stale: false };
        let state = Arc::new(Mutex::new(state));
        let (stop, stopped) = mpsc::channel();
        let shared = Arc::clone(&state);
        let thread = std::thread::spawn(move || {
            loop {
                let live = {
                    let mut state = shared.lock().unwrap_or_else(PoisonError::into_inner);
                    state.live.seconds = state.begun.elapsed().as_secs();
                    state.live.silent_seconds = state.heard.elapsed().as_secs();
                    if state.heard.elapsed() >= stale && !state.is_stale {
                        state.is_stale = true;
                        cancel.cancel();
                    }
                    state.live.clone()
                };
                live.write();
                if stopped.recv_timeout(EVERY) != Err(RecvTimeoutError::Timeout) {
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
        let cut = |text: &str| text.chars().take(SHOWN).collect::<String>();
        self.with(|state| match moment {
            Moment::ToolStarted { tool, about, .. } => {
                state.live.calls += 1;
                state.live.doing = Some(cut(format!("{tool} {about}").trim()));
            }
            Moment::ToolEnded { .. } => state.live.doing = None,
            Moment::Said(text) => state.live.said = Some(cut(text)),
            Moment::Retried { detail, .. } => state.live.doing = Some(cut(detail)),
            Moment::Began { .. } | Moment::Used(_) => {}
        });
    }

    /// Ends it; tells whether the agent was ended because it had gone silent. The file stays until what
    /// was used is settled: who takes over after a crash in between reads it there.
    pub(super) fn stop(self) -> bool {
        drop(self.stop);
        // The thread can't fail in a way that matters to the run.
        let _ = self.thread.join();
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.live.write();
        state.is_stale
    }
}
