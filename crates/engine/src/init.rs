//! Setting up a repository. Everything is also made on first use: `init` makes it visible.

use std::path::PathBuf;

use serde::Serialize;

use crate::config::PROJECT_FILE;
use crate::error::{Error, Result};
use crate::{Engine, Host, Key, path_text};

/// What `init` wrote, and what was there already.
#[derive(Debug, Clone, Serialize)]
pub struct Initialised {
    #[serde(serialize_with = "path_text::many")]
    pub wrote: Vec<PathBuf>,
    #[serde(serialize_with = "path_text::many")]
    pub kept: Vec<PathBuf>,
}

/// The project's file as it starts: nothing changed, with a pointer to what could be.
pub(crate) const PROJECT: &str = "\
# Settings of this project for Countersign; what is not here has its default.
# `countersign config show` lists every setting with its value and where it comes from.

#[run]
#attempts = 3
";

impl Engine {
    /// Makes the state folder, the key and the project's file; leaves alone what is there.
    pub fn init(host: Host) -> Result<(Self, Initialised)> {
        let layout = countersign_git::discover(&host.cwd)?;
        let home = host.home()?;
        let state = crate::state_folder(&layout).join("ledger.db");
        let project = layout.worktree.join(PROJECT_FILE);
        let parts = [state, home.key(), project.clone()];
        let there: Vec<bool> = parts.iter().map(|path| path.exists()).collect();
        let engine = Self::open(host)?;
        Key::load_or_create(&home.key())?;
        if !project.exists() {
            std::fs::write(&project, PROJECT)
                .map_err(|error| Error::io("write", &project, &error))?;
        }
        let (kept, wrote): (Vec<_>, Vec<_>) =
            parts.into_iter().zip(there).partition(|(_, was_there)| *was_there);
        let paths = |all: Vec<(PathBuf, bool)>| all.into_iter().map(|(path, _)| path).collect();
        Ok((engine, Initialised { wrote: paths(wrote), kept: paths(kept) }))
    }
}
