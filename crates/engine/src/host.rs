//! The host: clock, ids, environment and folders, as one value, so that tests can freeze them
//! and nothing else has to ask the system.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use jiff::Timestamp;
use uuid::Uuid;

use crate::error::{Error, Kind, Result};

/// Where the time comes from.
#[derive(Debug, Clone, Default)]
pub enum Clock {
    #[default]
    System,
    /// A time that only moves when it is told to.
    Set(Arc<Mutex<Timestamp>>),
}

/// What the program finds around it.
#[derive(Debug, Clone)]
pub struct Host {
    pub clock: Clock,
    pub environment: BTreeMap<OsString, OsString>,
    pub cwd: PathBuf,
    /// How to start the supervisor: this program and the words that make it one.
    pub supervisor: Vec<OsString>,
}

impl Host {
    /// The host of this process.
    pub fn of_process() -> Result<Self> {
        let cwd = std::env::current_dir().map_err(|error| {
            Error::new(Kind::Refused, format!("the current folder can't be used: {error}"))
                .hint("change into a folder that exists")
        })?;
        Self::of_process_in(cwd)
    }

    /// As [`Host::of_process`], also where the current folder was removed: for who is told of
    /// another one.
    pub fn of_process_anywhere() -> Result<Self> {
        Self::of_process_in(std::env::current_dir().unwrap_or_default())
    }

    fn of_process_in(cwd: PathBuf) -> Result<Self> {
        let program = std::env::current_exe().map_err(|error| {
            Error::new(Kind::Bug, format!("this program can't find itself: {error}"))
        })?;
        Ok(Self {
            clock: Clock::System,
            environment: std::env::vars_os().collect(),
            cwd,
            supervisor: vec![program.into(), "supervise".into()],
        })
    }

    /// The time, in whole microseconds.
    pub fn now(&self) -> Timestamp {
        let now = match &self.clock {
            Clock::System => Timestamp::now(),
            Clock::Set(time) => *time.lock().unwrap_or_else(std::sync::PoisonError::into_inner),
        };
        Timestamp::from_microsecond(now.as_microsecond()).unwrap_or(now)
    }

    /// A new id for an event, sortable by time.
    pub fn event_id(&self) -> Uuid {
        Uuid::now_v7()
    }

    pub fn variable(&self, name: &str) -> Option<&OsStr> {
        self.environment.get(OsStr::new(name)).map(OsString::as_os_str).filter(|v| !v.is_empty())
    }

    /// The whole environment.
    pub fn variables(&self) -> impl Iterator<Item = (OsString, OsString)> {
        self.environment.iter().map(|(name, value)| (name.clone(), value.clone()))
    }

    /// The search path for programs.
    pub fn path_variable(&self) -> &OsStr {
        self.variable("PATH").unwrap_or(OsStr::new("/usr/local/bin:/usr/bin:/bin"))
    }

    /// The user's own Countersign folders.
    pub fn home(&self) -> Result<Home> {
        if let Some(root) = self.variable("COUNTERSIGN_HOME") {
            let root = self.cwd.join(root);
            return Ok(Home {
                work: root.join("work"),
                places: root.join("builds"),
                config: root.join("config.toml"),
                data: root,
            });
        }
        let home = self.variable("HOME").map(Path::new).filter(|home| home.is_absolute());
        let folder = |variable: &str, default: &str| {
            let set = self.variable(variable).map(PathBuf::from).filter(|p| p.is_absolute());
            set.or_else(|| Some(home?.join(default))).map(|p| p.join("countersign")).ok_or_else(
                || {
                    Error::new(Kind::Refused, format!("neither HOME nor {variable} is set"))
                        .hint("set COUNTERSIGN_HOME to a folder for the key and the work folders")
                },
            )
        };
        let work = folder("XDG_CACHE_HOME", ".cache")?.join("work");
        let cache = work.ancestors().nth(2).map(Path::to_owned).unwrap_or_default();
        Ok(Home {
            data: folder("XDG_DATA_HOME", ".local/share")?,
            work,
            places: cache.join("builds"),
            config: folder("XDG_CONFIG_HOME", ".config")?.join("config.toml"),
        })
    }
}

/// The user's own folders: never inside a repository, so that no worker's tree holds them.
#[derive(Debug, Clone)]
pub struct Home {
    data: PathBuf,
    work: PathBuf,
    places: PathBuf,
    /// The user's configuration file.
    pub config: PathBuf,
}

impl Home {
    /// The folders that are written.
    pub(crate) fn folders(&self) -> [PathBuf; 3] {
        [self.data.clone(), self.work.clone(), self.places.clone()]
    }

    /// The secret key that seals are signed with.
    pub fn key(&self) -> PathBuf {
        self.data.join("key")
    }

    /// The newest seal of every ledger, out of reach of who can write the repository.
    pub fn witness(&self) -> PathBuf {
        self.data.join("witness")
    }

    /// The ledgers that were ever sealed in the state folder `state`, one a line.
    pub fn witnessed_ledgers(&self, state: &Path) -> PathBuf {
        self.witness().join(format!("{}.ledgers", name_for(state)))
    }

    /// The settings of agents as they were before our hooks.
    pub fn hooks(&self) -> PathBuf {
        self.data.join("hooks")
    }

    /// The newest id given out on this machine.
    pub fn stamps(&self) -> PathBuf {
        self.data.join("stamps")
    }

    /// The second spool of the ledger in `state`.
    pub fn fallback(&self, state: &Path) -> PathBuf {
        self.data.join("spool").join(name_for(state))
    }

    /// Where checks of the repository with state folder `state` are run. What is checked must not know
    /// by the name of a folder that it is.
    pub fn places(&self, state: &Path) -> PathBuf {
        self.places.join(name_for(state))
    }

    /// Where the checkouts of the repository with state folder `state` are made.
    pub fn work(&self, state: &Path) -> PathBuf {
        self.work.join(name_for(state))
    }
}

/// A folder name that stands for a path.
pub(crate) fn name_for(path: &Path) -> String {
    use std::os::unix::ffi::OsStrExt;
    countersign_domain::Digest::of(path.as_os_str().as_bytes()).short()
}
