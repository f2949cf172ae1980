//! What can be said after `countersign context`.

use std::path::PathBuf;

use countersign_domain::context::{EvidenceKind, RoleStatus};

use super::tree_args::{Adopt, Diff, ResolveDrift, Restore, Snapshot, Verify};

/// Who acts on the command line, unless --actor says otherwise.
const ACTOR: &str = "user";

/// Hand a task from role to role, each from exactly what the last one left.
///
/// `init` fixes what was asked for. Each role ends with `snapshot`; the next one begins with
/// `update --status in_progress`, which is refused if the working tree has changed in between.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    pub(super) verb: Verb,
}

#[derive(Debug, clap::Subcommand)]
pub(super) enum Verb {
    Init(Init),
    /// Show a context: its roles, what they left, findings, drift.
    Show(Named),
    /// List the contexts.
    List,
    Export(Export),
    /// Print the line that gives an agent the path of the account, to be read only.
    Env(Named),
    Update(UpdateArgs),
    Block(Block),
    Unblock(Unblock),
    Snapshot(Snapshot),
    Verify(Verify),
    Diff(Diff),
    RecordQa(RecordQa),
    Attach(Attach),
    ResolveDrift(ResolveDrift),
    Adopt(Adopt),
    Restore(Restore),
    Rebuild(Rebuild),
    Purge(Purge),
    Sweep(Sweep),
}

/// Fix what a task asks for, once, and hand it to the first role.
#[derive(Debug, clap::Args)]
pub(super) struct Init {
    /// The task: its id, or the path of its file.
    pub(super) task: String,
    /// Go on although something looks like a secret; that is put on the record.
    #[arg(long)]
    pub(super) force_secrets: bool,
    #[command(flatten)]
    pub(super) who: Who,
}

/// The task.
#[derive(Debug, clap::Args)]
pub(super) struct Named {
    /// The task's id.
    pub(super) task: String,
}

/// Who does it.
#[derive(Debug, clap::Args)]
pub(super) struct Who {
    /// Who is put on the record as the one who did it.
    #[arg(long, default_value = ACTOR, value_name = "NAME")]
    pub(super) actor: String,
}

/// Print what one role has to read, and no more.
///
/// As text and with --format markdown it is what an agent reads; with --format json it is the
/// role's part of the immutable account.
#[derive(Debug, clap::Args)]
pub(super) struct Export {
    /// The task's id.
    pub(super) task: String,
    /// The role that reads it.
    #[arg(long)]
    pub(super) role: String,
}

/// Say where a role stands. Beginning is refused if the working tree has drifted.
#[derive(Debug, clap::Args)]
pub(super) struct UpdateArgs {
    /// The task's id.
    pub(super) task: String,
    /// The role that is spoken of.
    #[arg(long)]
    pub(super) role: String,
    /// pending, in_progress, done or blocked.
    #[arg(long, value_parser = status, value_name = "STATUS")]
    pub(super) status: Option<RoleStatus>,
    /// The agent's own session.
    #[arg(long, value_name = "ID")]
    pub(super) session: Option<String>,
    /// The id of an attached log.
    #[arg(long, value_name = "ID")]
    pub(super) qa_log: Option<String>,
    /// Go on although something looks like a secret; that is put on the record.
    #[arg(long)]
    pub(super) force_secrets: bool,
    #[command(flatten)]
    pub(super) who: Who,
}

/// Put something on the record that must be dealt with before the work goes on.
#[derive(Debug, clap::Args)]
pub(super) struct Block {
    /// The task's id.
    pub(super) task: String,
    /// The role that found it.
    #[arg(long)]
    pub(super) role: String,
    /// What was found.
    #[arg(long, value_name = "TEXT")]
    pub(super) finding: String,
    /// Go on although something looks like a secret; that is put on the record.
    #[arg(long)]
    pub(super) force_secrets: bool,
    #[command(flatten)]
    pub(super) who: Who,
}

/// Say how a finding was dealt with.
#[derive(Debug, clap::Args)]
pub(super) struct Unblock {
    /// The task's id.
    pub(super) task: String,
    /// The role that found it.
    #[arg(long)]
    pub(super) role: String,
    /// The number of the finding.
    #[arg(long, value_name = "N")]
    pub(super) finding: u32,
    /// How it was dealt with.
    #[arg(long, value_name = "TEXT")]
    pub(super) note: String,
    #[command(flatten)]
    pub(super) who: Who,
}

/// Read the results of checks and compare them with the baseline.
///
/// All runs on the same tree count together, also those of earlier calls, so that running a test
/// until it passes makes it flaky and no pass.
#[derive(Debug, clap::Args)]
pub(super) struct RecordQa {
    /// The task's id.
    pub(super) task: String,
    /// The role that ran the checks.
    #[arg(long)]
    pub(super) role: String,
    /// The output or report to read; '-' for standard input. Several are runs of the same checks
    /// on the same tree: a test that passes in one and fails in another is flaky. Without one, the
    /// exit code is all that is known.
    #[arg(long, visible_alias = "report", value_name = "FILE")]
    pub(super) from: Vec<PathBuf>,
    /// How to read it; without it, that is found out.
    #[arg(long, value_name = "NAME")]
    pub(super) reader: Option<String>,
    /// The exit code of the command that wrote it: one for all, or one for each, in their order.
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(super) exit_code: Vec<i32>,
    /// Compare later results with this one. The first results are the baseline by themselves. Tests
    /// that an earlier baseline had stay known: if they are gone, that stays a finding.
    #[arg(long)]
    pub(super) baseline: bool,
    /// Why this baseline may leave out what earlier ones had; from here on they count no more.
    #[arg(long, value_name = "WHY")]
    pub(super) note: Option<String>,
    /// Go on although something looks like a secret; that is put on the record.
    #[arg(long)]
    pub(super) force_secrets: bool,
    #[command(flatten)]
    pub(super) who: Who,
}

/// Attach a file, or an excerpt of one, by its digest.
#[derive(Debug, clap::Args)]
pub(super) struct Attach {
    /// The task's id.
    pub(super) task: String,
    /// What to attach.
    pub(super) path: PathBuf,
    /// file, archive, log, screenshot, qa_output, summary, diff, plan or excerpt.
    #[arg(long, value_parser = kind, value_name = "KIND", default_value = "file")]
    pub(super) kind: EvidenceKind,
    /// Only these lines, such as 42-68.
    #[arg(long, value_name = "FIRST-LAST")]
    pub(super) lines: Option<String>,
    /// The role that attaches it.
    #[arg(long)]
    pub(super) role: Option<String>,
    /// What it shows, in up to 200 characters.
    #[arg(long, value_name = "TEXT")]
    pub(super) description: Option<String>,
    /// The command whose output it is.
    #[arg(long, value_name = "COMMAND")]
    pub(super) command: Option<String>,
    /// The exit code of that command.
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(super) exit_code: Option<i32>,
    /// How long that command took.
    #[arg(long, value_name = "MILLISECONDS")]
    pub(super) duration_ms: Option<u64>,
    /// Go on although something looks like a secret; that is put on the record.
    #[arg(long)]
    pub(super) force_secrets: bool,
    #[command(flatten)]
    pub(super) who: Who,
}

/// Make the immutable account anew from the task file and the standards.
#[derive(Debug, clap::Args)]
pub(super) struct Rebuild {
    /// The task's id.
    pub(super) task: String,
    /// Only say what would change.
    #[arg(long)]
    pub(super) dry_run: bool,
    /// Go on although something looks like a secret; that is put on the record.
    #[arg(long)]
    pub(super) force_secrets: bool,
    #[command(flatten)]
    pub(super) who: Who,
}

/// Remove a context's working files. Its trees and texts are kept for the retention time.
#[derive(Debug, clap::Args)]
pub(super) struct Purge {
    /// The task's id.
    pub(super) task: String,
    /// Why.
    #[arg(long, default_value = "asked for", value_name = "TEXT")]
    pub(super) because: String,
    #[command(flatten)]
    pub(super) who: Who,
}

/// Purge contexts whose task is gone or done, and let go of trees whose retention is over.
#[derive(Debug, clap::Args)]
pub(super) struct Sweep {
    /// Only what nobody touched for this long, such as 7d, 12h or 30m.
    #[arg(long, default_value = "7d", value_name = "TIME")]
    pub(super) ttl: String,
    /// Only say what would be done.
    #[arg(long)]
    pub(super) dry_run: bool,
}

impl Args {
    pub fn has_markdown(&self) -> bool {
        matches!(self.verb, Verb::Export(_))
    }
}

fn status(text: &str) -> Result<RoleStatus, String> {
    let named = |status: &RoleStatus| status.name() == text.replace('-', "_");
    RoleStatus::ALL
        .into_iter()
        .find(named)
        .ok_or_else(|| "it is one of pending, in_progress, done, blocked".to_owned())
}

fn kind(text: &str) -> Result<EvidenceKind, String> {
    let is_it = |kind: &EvidenceKind| kind.name() == text.replace('-', "_");
    EvidenceKind::ALL.into_iter().find(is_it).ok_or_else(|| {
        let names: Vec<&str> = EvidenceKind::ALL.iter().map(|kind| kind.name()).collect();
        format!("it is one of {}", names.join(", "))
    })
}
