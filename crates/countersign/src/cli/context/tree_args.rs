//! What can be said after those verbs of `countersign context` that are about working trees.

use std::path::PathBuf;

use super::args::Who;

/// Hand over: record the working tree as a role leaves it.
#[derive(Debug, clap::Args)]
pub(super) struct Snapshot {
    /// The task's id.
    pub(super) task: String,
    /// The role that hands over.
    #[arg(long)]
    pub(super) role: String,
    /// Go on although something looks like a secret; that is put on the record.
    #[arg(long)]
    pub(super) force_secrets: bool,
    #[command(flatten)]
    pub(super) who: Who,
}

/// Compare the working tree with what a role left.
#[derive(Debug, clap::Args)]
pub(super) struct Verify {
    /// The task's id.
    pub(super) task: String,
    /// The role whose tree is expected; without it, the last one that handed over.
    #[arg(long)]
    pub(super) role: Option<String>,
    /// Also show what changed, line by line.
    #[arg(long)]
    pub(super) hunks: bool,
}

/// Show what changed between two steps, in either direction.
///
/// A step is start, a role, resolution, or now (the working tree).
#[derive(Debug, clap::Args)]
pub(super) struct Diff {
    /// The task's id.
    pub(super) task: String,
    /// What this role changed on top of the step before it.
    #[arg(long, conflicts_with_all = ["from", "to"])]
    pub(super) role: Option<String>,
    /// With --role: everything since the start.
    #[arg(long, requires = "role")]
    pub(super) from_base: bool,
    /// The step to compare with.
    #[arg(long, value_name = "STEP")]
    pub(super) from: Option<String>,
    /// The step to compare.
    #[arg(long, value_name = "STEP")]
    pub(super) to: Option<String>,
    /// Only the files and how many lines changed.
    #[arg(long)]
    pub(super) stat: bool,
}

/// Say why the working tree is not what was left, and take it as it is from now on.
#[derive(Debug, clap::Args)]
pub(super) struct ResolveDrift {
    /// The task's id.
    pub(super) task: String,
    /// Why.
    #[arg(long, value_name = "TEXT")]
    pub(super) note: String,
    #[command(flatten)]
    pub(super) who: Who,
}

/// Let the roles go on in this working tree: it was moved or copied, or stands in for one that is
/// gone.
///
/// The files are compared with the last step as ever; only the place changes.
#[derive(Debug, clap::Args)]
pub(super) struct Adopt {
    /// The task's id.
    pub(super) task: String,
    /// Why.
    #[arg(long, value_name = "TEXT")]
    pub(super) note: String,
    #[command(flatten)]
    pub(super) who: Who,
}

/// Put the files as a step left them into a new folder.
#[derive(Debug, clap::Args)]
pub(super) struct Restore {
    /// The task's id.
    pub(super) task: String,
    /// The role, start, or resolution.
    #[arg(long, value_name = "STEP")]
    pub(super) role: String,
    /// The folder to make, with a repository of its own: to look at, and to copy from.
    #[arg(long, value_name = "FOLDER", required_unless_present = "worktree")]
    pub(super) into: Option<PathBuf>,
    /// The folder to make, as a linked working tree of this repository on the recorded commit. After
    /// the old one is gone, the task goes on there: countersign context adopt TASK --note WHY.
    #[arg(long, value_name = "FOLDER", conflicts_with = "into")]
    pub(super) worktree: Option<PathBuf>,
}
