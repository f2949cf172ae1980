//! The use cases of Countersign: the only interface that surfaces see.
//!
//! A surface parses what a person or a program asked for, calls one function here, and shows
//! the result. Nothing here prints.

pub mod accept;
pub mod budget;
pub mod checkpoint;
pub mod classify;
pub mod config;
pub mod context;
pub mod contract;
pub mod demo;
pub mod doctor;
mod error;
mod homeless;
pub mod hooks;
mod host;
mod init;
mod key;
pub mod ledger;
pub mod memory;
mod names;
mod path_text;
pub mod plan;
pub mod project;
mod query;
pub mod record;
mod regular;
pub mod relay;
pub mod report;
pub mod run;
pub mod task;
pub mod verify;
pub mod watch;
pub mod worklog;
mod zone;

use std::path::{Path, PathBuf};
use std::time::Duration;

use countersign_domain::ledger::{Event, LedgerId};
use countersign_git::{Layout, Repository};
use countersign_store::{Notice, Observer, Options, Store};
use uuid::Uuid;

pub use countersign_exec::agents::acp::SUBCOMMAND as ACP_BRIDGE;
pub use countersign_exec::agents::acp::bridge::run as acp_bridge;
pub use countersign_exec::supervise;
pub use error::{Error, Kind, Result};
pub use host::{Clock, Home, Host};
pub use init::Initialised;
pub use key::Key;
pub use query::{Journal, JournalEntry, ReceiptView, RunSummary};

/// Countersign at work in one repository.
#[derive(Debug)]
pub struct Engine {
    host: Host,
    home: Home,
    repository: Repository,
    state: PathBuf,
    settings: config::Resolved,
    store: Store,
    notices: Vec<String>,
    /// The time that appends to worklogs took and that is not on the record yet.
    appending: Duration,
    person: Person,
    /// What is wrong with the project's settings, where that is the work's to answer for.
    mistake: Option<Error>,
    /// Whose programs are started: those of the run or relay that is driven.
    kin: Option<countersign_exec::Kin>,
}

/// The person who is told what we do, if there is one.
#[derive(Debug, Default)]
struct Person {
    /// Tells at once what we wait for.
    on_wait: Option<fn(&str)>,
    /// Where commands that we tell are pasted.
    stands_in: Option<PathBuf>,
}

impl Engine {
    /// Opens the repository that `host` stands in, making its state folder on first use.
    pub fn open(host: Host) -> Result<Self> {
        let repository = Repository::open_with(&host.cwd, host.environment.clone())?;
        let settings = config::resolve(&host, Some(&repository.layout().worktree))?;
        Self::open_with(host, repository, settings, None)
    }

    /// As [`Engine::open`], for a hook: it can't wait longer than `patience` for other writers,
    /// and what is wrong with the settings is told instead of refused.
    pub(crate) fn open_for_hook(host: Host, patience: Duration) -> Result<(Self, Option<String>)> {
        let repository = Repository::open_with(&host.cwd, host.environment.clone())?;
        let (settings, wrong) = worklog::lenient(&host, &repository.layout().worktree)?;
        Ok((Self::open_with(host, repository, settings, Some(patience))?, wrong))
    }

    /// As [`Engine::open`], for a verification: who is checked may have broken the project's settings,
    /// which says something about the work and nothing about the request.
    pub fn open_for_verification(host: Host) -> Result<Self> {
        let repository = Repository::open_with(&host.cwd, host.environment.clone())?;
        let resolved = config::resolve(&host, Some(&repository.layout().worktree));
        let (settings, mistake) = match resolved {
            Ok(settings) => (settings, None),
            Err(error) => match config::resolve(&host, None) {
                Ok(settings) => (settings, Some(error)),
                // It is not the project's file, or not alone.
                Err(_) => return Err(error),
            },
        };
        let opened = Self::open_with(host, repository, settings, None)?;
        Ok(Self { mistake, ..opened })
    }

    /// As [`Engine::open`], only to look: nothing is made, replaced or taken in, and other writers are
    /// waited for no longer than `patience`. `None` if there is no ledger yet.
    pub(crate) fn open_to_read(host: Host, patience: Duration) -> Result<Option<Self>> {
        let repository = Repository::open_with(&host.cwd, host.environment.clone())?;
        let settings = config::resolve(&host, Some(&repository.layout().worktree))?;
        let home = host.home()?;
        let state = state_folder(repository.layout());
        if !Store::is_made(&state) {
            return Ok(None);
        }
        let mut options = store_options(&home, &state, &settings.config.ledger);
        options.busy = options.busy.min(patience);
        let store = Store::open_to_read(options)?;
        Ok(Some(Self::assembled(host, (home, repository, state), settings, store)))
    }

    fn assembled(
        host: Host,
        (home, repository, state): (Home, Repository, PathBuf),
        settings: config::Resolved,
        store: Store,
    ) -> Self {
        Self {
            host,
            home,
            repository,
            state,
            settings,
            store,
            notices: Vec::new(),
            appending: Duration::ZERO,
            person: Person::default(),
            mistake: None,
            kin: None,
        }
    }

    fn open_with(
        host: Host,
        repository: Repository,
        settings: config::Resolved,
        patience: Option<Duration>,
    ) -> Result<Self> {
        // A hook has ways of its own where nothing can be written, and no time to look for others.
        let (host, homeless) =
            if patience.is_some() { (host, None) } else { homeless::housed(host)? };
        let home = host.home()?;
        let state = state_folder(repository.layout());
        let mut options = store_options(&home, &state, &settings.config.ledger);
        options.busy = patience.map_or(options.busy, |patience| options.busy.min(patience));
        let store = Store::open(options)?;
        let mut engine = Self::assembled(host, (home, repository, state), settings, store);
        engine.notices.extend(homeless);
        engine.take_in_notices()?;
        Ok(engine)
    }

    /// The root of the repository that `host` stands in, if it does.
    pub fn root(host: &Host) -> Option<PathBuf> {
        countersign_git::discover(&host.cwd).ok().map(|layout| layout.worktree)
    }

    /// A person reads along: `tell` is called when something begins that may have to be waited for,
    /// and what is told to be pasted is for a shell in `folder`.
    pub fn tell_person(&mut self, folder: PathBuf, tell: fn(&str)) {
        self.person = Person { on_wait: Some(tell), stands_in: Some(folder) };
    }

    /// Has `tell` called with every event that this engine writes, right after it is durable and before
    /// anything else is done, on the thread that wrote it; also by the engines of a relay's runs.
    pub fn observe(&mut self, tell: impl Fn(&Event) + Send + Sync + 'static) {
        self.store.observe(Observer::new(tell));
    }

    pub(crate) fn tell_wait(&self, words: &str) {
        if let Some(tell) = self.person.on_wait {
            tell(words);
        }
    }

    pub fn host(&self) -> &Host {
        &self.host
    }

    pub fn settings(&self) -> &config::Resolved {
        &self.settings
    }

    /// The folder that holds the ledger.
    pub fn state(&self) -> &Path {
        &self.state
    }

    /// Starts this program once more, with `words`, for work that nobody waits for; `false` if it
    /// can't be started.
    pub(crate) fn start_aside(&self, words: &[&str]) -> bool {
        let Some(program) = self.host.supervisor.first() else { return false };
        let mut argv = vec![program.clone()];
        argv.extend(words.iter().map(Into::into));
        countersign_exec::detach(&argv, &self.host.cwd, self.host.variables()).is_ok()
    }

    /// What the user must be told, once.
    pub fn take_notices(&mut self) -> Vec<String> {
        std::mem::take(&mut self.notices)
    }

    /// Turns what the store noticed into words, and a replaced database into a signed record.
    fn take_in_notices(&mut self) -> Result<()> {
        if self.store.take_has_rescued() {
            self.notices.push("what had to be spooled earlier is in the ledger now".to_owned());
        }
        for notice in self.store.take_notices() {
            let words = match notice {
                Notice::SetAside(aside) => {
                    self.record_replacement(&aside)?;
                    format!(
                        "the ledger was damaged ({}). Its files are kept as they are in {}; a \
                         fresh ledger goes on with the {} events that could be read, {} are lost",
                        aside.reason,
                        self.state.join(&aside.kept_in).display(),
                        aside.salvaged,
                        aside.lost
                    )
                }
                // What came in by the fast path is no news.
                Notice::Drained(_) => continue,
                Notice::SpoolDamaged { file, bytes } => format!(
                    "{bytes} bytes of the spool file {file} could not be read; they are kept in \
                     the ledger's stream 'spool'"
                ),
                Notice::NotDrained { why } => {
                    format!("the spool could not be taken in now ({why}); its entries wait")
                }
            };
            self.notices.push(words);
        }
        Ok(())
    }
}

/// The state folder lies in the repository's git folder: every worktree of the repository
/// shares it, git never sees it as content, and `git clean -fdx` leaves it alone.
fn state_folder(layout: &Layout) -> PathBuf {
    layout.common_dir.join("countersign")
}

fn store_options(home: &Home, state: &Path, config: &config::LedgerConfig) -> Options {
    Options {
        dir: state.to_owned(),
        fallback: home.fallback(state),
        durability: match config.durability {
            config::Durability::PowerLoss => countersign_store::Durability::PowerLoss,
            config::Durability::ProcessDeath => countersign_store::Durability::ProcessDeath,
        },
        busy: Duration::from_secs(config.busy_seconds),
        new_id: LedgerId(Uuid::now_v7()),
        rows: ledger::rows_of_stream,
    }
}
