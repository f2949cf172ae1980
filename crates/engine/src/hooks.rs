//! Hooks: agents are told to start us at what they do, and can be told otherwise again.
//!
//! Settings belong to their users. Nothing that isn't ours changes by a byte, a file that can't be
//! read is refused, and what was there before comes back to the byte.

mod detect;
mod install;
mod places;
mod shelf;
mod silence;
mod status;
mod trust;
mod uninstall;

use std::path::{Path, PathBuf};

pub use countersign_domain::worklog::Agent;
use serde::Serialize;

pub use self::install::install;
pub(crate) use self::shelf::has_ours;
pub use self::status::{Finding, PlaceStatus, Status, Trust, status};
pub use self::uninstall::uninstall;
use crate::path_text;

/// Whose settings are meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// Those of the user, which count in every repository.
    User,
    /// Those of the repository.
    Project,
}

/// What is to be installed or uninstalled.
#[derive(Debug, Clone)]
pub struct Request {
    /// None means all: those that are here for `install`, and all that we know for `uninstall`.
    pub agents: Vec<Agent>,
    pub scope: Scope,
    /// The agent's version, where it can't be found out.
    pub version: Option<String>,
    /// Whether agents have to ask before every call, and may not go on without an answer.
    pub guard: bool,
}

/// What became of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Fate {
    Wrote,
    /// It was as it is to be.
    Kept,
    /// It is again what it was before us, to the byte.
    Restored,
    /// What was ours is gone; what was changed since stayed.
    Cleaned,
    /// It was ours alone.
    Removed,
}

/// A file and what became of it.
#[derive(Debug, Clone, Serialize)]
pub struct Change {
    #[serde(serialize_with = "path_text::one")]
    pub path: PathBuf,
    pub fate: Fate,
}

/// What was done for one agent.
#[derive(Debug, Clone, Serialize)]
pub struct Report {
    pub agent: Agent,
    pub scope: Scope,
    pub version: Option<String>,
    pub events: Vec<String>,
    pub changes: Vec<Change>,
    /// What the user has to know.
    pub notes: Vec<String>,
}

/// A path as the system knows it, where it is there.
fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}
