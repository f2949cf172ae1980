//! `countersign context`: what a task is about, who works on it in which role, and whether the
//! working tree is what the last one left.

mod shown;

use std::path::PathBuf;

use countersign_domain::context::{EvidenceKind, RoleStatus};
use countersign_engine::context::{
    Attachment, Between, Blocking, Measuring, Opening, Rebuilding, Restoring, Sweeping, Update,
};
use countersign_engine::{Engine, Error, Kind};
use serde_json::json;

use super::Context;
use crate::ui::{self, Reply};

/// Who acts on the command line, unless --actor says otherwise.
const ACTOR: &str = "user";

/// Hand a task from role to role, each from exactly what the last one left.
///
/// `init` fixes what was asked for. Each role ends with `snapshot`; the next one begins with
/// `update --status in_progress`, which is refused if the working tree has changed in between.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, clap::Subcommand)]
enum Verb {
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
struct Init {
    /// The task: its id, or the path of its file.
    task: String,
    /// Go on although something looks like a secret; that is put on the record.
    #[arg(long)]
    force_secrets: bool,
    #[command(flatten)]
    who: Who,
}

/// The task.
#[derive(Debug, clap::Args)]
struct Named {
    /// The task's id.
    task: String,
}

/// Who does it.
#[derive(Debug, clap::Args)]
struct Who {
    /// Who is put on the record as the one who did it.
    #[arg(long, default_value = ACTOR, value_name = "NAME")]
    actor: String,
}

/// Print what one role has to read, and no more.
///
/// As text and with --format markdown it is what an agent reads; with --format json it is the
/// role's part of the immutable account.
#[derive(Debug, clap::Args)]
struct Export {
    /// The task's id.
    task: String,
    /// The role that reads it.
    #[arg(long)]
    role: String,
}

/// Say where a role stands. Beginning is refused if the working tree has drifted.
#[derive(Debug, clap::Args)]
struct UpdateArgs {
    /// The task's id.
    task: String,
    /// The role that is spoken of.
    #[arg(long)]
    role: String,
    /// pending, in_progress, done or blocked.
    #[arg(long, value_parser = status, value_name = "STATUS")]
    status: Option<RoleStatus>,
    /// The agent's own session.
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// The id of an attached log.
    #[arg(long, value_name = "ID")]
    qa_log: Option<String>,
    /// Go on although something looks like a secret; that is put on the record.
    #[arg(long)]
    force_secrets: bool,
    #[command(flatten)]
    who: Who,
}

/// Put something on the record that must be dealt with before the work goes on.
#[derive(Debug, clap::Args)]
struct Block {
    /// The task's id.
    task: String,
    /// The role that found it.
    #[arg(long)]
    role: String,
    /// What was found.
    #[arg(long, value_name = "TEXT")]
    finding: String,
    /// Go on although something looks like a secret; that is put on the record.
    #[arg(long)]
    force_secrets: bool,
    #[command(flatten)]
    who: Who,
}

/// Say how a finding was dealt with.
#[derive(Debug, clap::Args)]
struct Unblock {
    /// The task's id.
    task: String,
    /// The role that found it.
    #[arg(long)]
    role: String,
    /// The number of the finding.
    #[arg(long, value_name = "N")]
    finding: u32,
    /// How it was dealt with.
    #[arg(long, value_name = "TEXT")]
    note: String,
    #[command(flatten)]
    who: Who,
}

/// Hand over: record the working tree as a role leaves it.
#[derive(Debug, clap::Args)]
struct Snapshot {
    /// The task's id.
    task: String,
    /// The role that hands over.
    #[arg(long)]
    role: String,
    #[command(flatten)]
    who: Who,
}

/// Compare the working tree with what a role left.
#[derive(Debug, clap::Args)]
struct Verify {
    /// The task's id.
    task: String,
    /// The role whose tree is expected; without it, the last one that handed over.
    #[arg(long)]
    role: Option<String>,
    /// Also show what changed, line by line.
    #[arg(long)]
    hunks: bool,
}

/// Show what changed between two steps, in either direction.
///
/// A step is start, a role, resolution, or now (the working tree).
#[derive(Debug, clap::Args)]
struct Diff {
    /// The task's id.
    task: String,
    /// What this role changed on top of the step before it.
    #[arg(long, conflicts_with_all = ["from", "to"])]
    role: Option<String>,
    /// With --role: everything since the start.
    #[arg(long, requires = "role")]
    from_base: bool,
    /// The step to compare with.
    #[arg(long, value_name = "STEP")]
    from: Option<String>,
    /// The step to compare.
    #[arg(long, value_name = "STEP")]
    to: Option<String>,
    /// Only the files and how many lines changed.
    #[arg(long)]
    stat: bool,
}

/// Read the results of checks and compare them with the baseline.
#[derive(Debug, clap::Args)]
struct RecordQa {
    /// The task's id.
    task: String,
    /// The role that ran the checks.
    #[arg(long)]
    role: String,
    /// The output or report to read; '-' for standard input.
    #[arg(long, value_name = "FILE")]
    from: PathBuf,
    /// How to read it; without it, that is found out.
    #[arg(long, value_name = "NAME")]
    reader: Option<String>,
    /// The exit code of the command that wrote it.
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    exit_code: Option<i32>,
    /// Compare later results with this one. The first results are the baseline by themselves.
    #[arg(long)]
    baseline: bool,
    /// Go on although something looks like a secret; that is put on the record.
    #[arg(long)]
    force_secrets: bool,
    #[command(flatten)]
    who: Who,
}

/// Attach a file, or an excerpt of one, by its digest.
#[derive(Debug, clap::Args)]
struct Attach {
    /// The task's id.
    task: String,
    /// What to attach.
    path: PathBuf,
    /// file, archive, log, screenshot, qa_output, summary, diff, plan or excerpt.
    #[arg(long, value_parser = kind, value_name = "KIND", default_value = "file")]
    kind: EvidenceKind,
    /// Only these lines, such as 42-68.
    #[arg(long, value_name = "FIRST-LAST")]
    lines: Option<String>,
    /// The role that attaches it.
    #[arg(long)]
    role: Option<String>,
    /// What it shows, in up to 200 characters.
    #[arg(long, value_name = "TEXT")]
    description: Option<String>,
    /// The command whose output it is.
    #[arg(long, value_name = "COMMAND")]
    command: Option<String>,
    /// The exit code of that command.
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    exit_code: Option<i32>,
    /// How long that command took.
    #[arg(long, value_name = "MILLISECONDS")]
    duration_ms: Option<u64>,
    /// Go on although something looks like a secret; that is put on the record.
    #[arg(long)]
    force_secrets: bool,
    #[command(flatten)]
    who: Who,
}

/// Say why the working tree is not what was left, and take it as it is from now on.
#[derive(Debug, clap::Args)]
struct ResolveDrift {
    /// The task's id.
    task: String,
    /// Why.
    #[arg(long, value_name = "TEXT")]
    note: String,
    #[command(flatten)]
    who: Who,
}

/// Let the roles go on in this working tree: it was moved or copied, or stands in for one that is
/// gone.
///
/// The files are compared with the last step as ever; only the place changes.
#[derive(Debug, clap::Args)]
struct Adopt {
    /// The task's id.
    task: String,
    /// Why.
    #[arg(long, value_name = "TEXT")]
    note: String,
    #[command(flatten)]
    who: Who,
}

/// Put the files as a step left them into a new folder.
#[derive(Debug, clap::Args)]
struct Restore {
    /// The task's id.
    task: String,
    /// The role, start, or resolution.
    #[arg(long, value_name = "STEP")]
    role: String,
    /// The folder to make.
    #[arg(long, value_name = "FOLDER")]
    into: PathBuf,
}

/// Make the immutable account anew from the task file and the standards.
#[derive(Debug, clap::Args)]
struct Rebuild {
    /// The task's id.
    task: String,
    /// Only say what would change.
    #[arg(long)]
    dry_run: bool,
    /// Go on although something looks like a secret; that is put on the record.
    #[arg(long)]
    force_secrets: bool,
    #[command(flatten)]
    who: Who,
}

/// Remove a context's working files. Its trees and texts are kept for the retention time.
#[derive(Debug, clap::Args)]
struct Purge {
    /// The task's id.
    task: String,
    /// Why.
    #[arg(long, default_value = "asked for", value_name = "TEXT")]
    because: String,
    #[command(flatten)]
    who: Who,
}

/// Purge contexts whose task is gone or done, and let go of trees whose retention is over.
#[derive(Debug, clap::Args)]
struct Sweep {
    /// Only what nobody touched for this long, such as 7d, 12h or 30m.
    #[arg(long, default_value = "7d", value_name = "TIME")]
    ttl: String,
    /// Only say what would be done.
    #[arg(long)]
    dry_run: bool,
}

impl Args {
    pub fn has_markdown(&self) -> bool {
        matches!(self.verb, Verb::Export(_))
    }
}

pub fn run(cx: &Context, args: Args) -> Result<Reply, Error> {
    let mut engine = cx.engine()?;
    let reply = perform(&mut engine, args.verb);
    super::tell_notices(&mut engine);
    reply
}

fn perform(engine: &mut Engine, verb: Verb) -> Result<Reply, Error> {
    match verb {
        Verb::Init(Init { task, force_secrets, who }) => {
            let opening = Opening { task, force_secrets, actor: who.actor };
            shown::opened(&engine.open_context(&opening)?)
        }
        Verb::Show(Named { task }) => shown::context(&engine.context_view(&task)?),
        Verb::List => shown::list(&engine.contexts()?),
        Verb::Env(Named { task }) => {
            let view = engine.context_view(&task)?;
            let quoted = view.path.replace('\'', "'\\''");
            let data = json!({ "TASK_CONTEXT_PATH": view.path });
            Reply::new(data, format!("export TASK_CONTEXT_PATH='{quoted}'"))
        }
        Verb::Export(Export { task, role }) => shown::export(&engine.export_context(&task, &role)?),
        Verb::Update(args) => {
            let UpdateArgs { task, role, status, session, qa_log, force_secrets, who } = args;
            let actor = who.actor;
            let update = Update { task, role, status, session, qa_log, force_secrets, actor };
            shown::context(&engine.update_context(&update)?)
        }
        Verb::Block(Block { task, role, finding, force_secrets, who }) => {
            let blocking = Blocking { task, role, finding, force_secrets, actor: who.actor };
            shown::context(&engine.block_context(&blocking)?)
        }
        Verb::Unblock(Unblock { task, role, finding, note, who }) => {
            shown::context(&engine.unblock_context(&task, (&role, finding), &note, &who.actor)?)
        }
        Verb::Snapshot(Snapshot { task, role, who }) => {
            shown::handed(&engine.hand_over(&task, &role, &who.actor)?)
        }
        Verb::Verify(Verify { task, role, hunks }) => {
            shown::verified(&engine.verify_context(&task, role.as_deref(), hunks)?)
        }
        Verb::Diff(args) => diff(engine, &args),
        Verb::RecordQa(args) => measured(engine, args),
        Verb::Attach(args) => attached(engine, args),
        Verb::ResolveDrift(ResolveDrift { task, note, who }) => {
            shown::context(&engine.resolve_drift(&task, &note, &who.actor)?)
        }
        Verb::Adopt(Adopt { task, note, who }) => {
            shown::context(&engine.adopt_context(&task, &note, &who.actor)?)
        }
        Verb::Restore(Restore { task, role, into }) => {
            let restored = engine.restore_context(&Restoring { task, step: role, into })?;
            shown::restored(restored)
        }
        Verb::Rebuild(Rebuild { task, dry_run, force_secrets, who }) => {
            let rebuilding = Rebuilding { task, dry_run, force_secrets, actor: who.actor };
            shown::rebuilt(&engine.rebuild_context(&rebuilding)?)
        }
        Verb::Purge(Purge { task, because, who }) => {
            shown::purged(&engine.purge_context(&task, &because, &who.actor)?)
        }
        Verb::Sweep(Sweep { ttl, dry_run }) => shown::swept(
            &engine.sweep_contexts(&Sweeping { ttl_seconds: seconds(&ttl)?, dry_run })?,
        ),
    }
}

fn diff(engine: &Engine, args: &Diff) -> Result<Reply, Error> {
    let between = match (&args.role, &args.from, &args.to) {
        (Some(role), ..) if args.from_base => Between::steps("start", role),
        (Some(role), ..) => Between::OfRole(role.clone()),
        (None, None, None) => Between::steps("start", "now"),
        (None, from, to) => {
            let from = from.as_deref().unwrap_or("start");
            Between::steps(from, to.as_deref().unwrap_or("now"))
        }
    };
    let diff = engine.context_diff(&args.task, &between)?;
    shown::diff(&diff, args.stat)
}

fn measured(engine: &mut Engine, args: RecordQa) -> Result<Reply, Error> {
    let RecordQa { task, role, from, reader, exit_code, baseline, force_secrets, who } = args;
    let (actor, only_here) = (who.actor, false);
    let measuring = Measuring {
        task,
        role,
        from,
        reader,
        exit_code,
        baseline,
        only_here,
        force_secrets,
        actor,
    };
    shown::measured(&engine.record_qa(&measuring)?)
}

fn attached(engine: &mut Engine, args: Attach) -> Result<Reply, Error> {
    let attachment = Attachment {
        task: args.task,
        path: args.path,
        kind: args.kind,
        lines: args.lines,
        role: args.role,
        description: args.description,
        command: args.command,
        exit_code: args.exit_code,
        duration_ms: args.duration_ms,
        only_here: false,
        force_secrets: args.force_secrets,
        actor: args.who.actor,
    };
    let evidence = engine.attach_evidence(&attachment)?;
    let human = format!("attached: {} ({})", evidence.id, ui::printable(&evidence.path));
    Reply::new(json!({ "evidence": evidence }), human)
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

/// `7d`, `12h`, `30m`, `45s` in seconds.
fn seconds(text: &str) -> Result<u64, Error> {
    let unit = text.chars().last().and_then(|unit| match unit {
        's' => Some(1),
        'm' => Some(60),
        'h' => Some(3600),
        'd' => Some(86_400),
        'w' => Some(604_800),
        _ => None,
    });
    let number = text.get(..text.len().saturating_sub(1)).and_then(|number| number.parse().ok());
    unit.zip(number).and_then(|(unit, number): (u64, u64)| number.checked_mul(unit)).ok_or_else(
        || {
            Error::new(Kind::Usage, format!("'{text}' is no time"))
                .hint("a number and one of s, m, h, d, w, such as 7d")
        },
    )
}
