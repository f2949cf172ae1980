//! `countersign context`: what a task is about, who works on it in which role, and whether the
//! working tree is what the last one left.

mod args;
mod shown;
mod tree_args;

use countersign_engine::context::{
    Attachment, Between, Blocking, Handing, Kinship, Measuring, Opening, Rebuilding, Restoring,
    Sweeping, Update,
};
use countersign_engine::{Engine, Error, Kind};
use serde_json::json;

use super::Context;
use crate::ui::{self, Reply};
pub use args::Args;
use args::{
    Attach, Block, Export, Init, Named, Purge, Rebuild, RecordQa, Sweep, Unblock, UpdateArgs, Verb,
};
use tree_args::{Adopt, Diff, ResolveDrift, Restore, Snapshot, Verify};

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
        Verb::Snapshot(Snapshot { task, role, force_secrets, who }) => {
            let handing = Handing { task, role, force_secrets, actor: who.actor };
            shown::handed(&engine.hand_over(&handing)?)
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
        Verb::Restore(Restore { task, role, into, worktree }) => {
            let kinship = if worktree.is_some() { Kinship::Linked } else { Kinship::Separate };
            let into = worktree.or(into).unwrap_or_default();
            let restored =
                engine.restore_context(&Restoring { task, step: role, into, kinship })?;
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
    let RecordQa { task, role, from, reader, exit_code, baseline, note, force_secrets, who } = args;
    let (actor, only_here) = (who.actor, false);
    let measuring = Measuring {
        task,
        role,
        from,
        reader,
        exit_codes: exit_code,
        baseline,
        note,
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
