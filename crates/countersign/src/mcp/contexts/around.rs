//! The tools around the work itself: tasks, and how contexts begin, are made anew and end.

use std::path::PathBuf;

use countersign_engine::context::{
    ContextRow, Kinship, Opening, Rebuilding, Restored, Restoring, Sweeping, Swept,
};
use countersign_engine::task::{NewTask, TaskCheck};
use countersign_engine::{Engine, Error, Kind};
use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde::Deserialize;
use serde_json::{Value, json};

use super::super::call::{Answer, parse};
use super::super::tools::tool;
use super::wanted;

/// Contexts that were touched within this time are not swept.
const TTL_SECONDS: u64 = 7 * 86_400;

fn text(about: &str) -> Value {
    json!({ "type": "string", "description": about })
}

fn task() -> Value {
    text("The task's id, such as TASK-0824.")
}

fn reads() -> ToolAnnotations {
    ToolAnnotations::new().read_only(true).open_world(false)
}

fn writes() -> ToolAnnotations {
    ToolAnnotations::new().destructive(false).open_world(false)
}

pub(super) fn tools() -> Vec<Tool> {
    let mut tools = task_tools();
    tools.extend(context_tools());
    tools
}

fn task_tools() -> Vec<Tool> {
    vec![
        tool(
            "task_new",
            "Make the file of a new task, to be filled in before its context is made.",
            &json!({
                "title": text("What is to be done, in a few words."),
                "id": text("The id; without it, the next number."),
                "area": text("The part of the project; standards are chosen by it."),
                "priority": text("P0 (most urgent) to P3."),
            }),
            &["title"],
        )
        .annotate(writes()),
        tool(
            "task_check",
            "Look for mistakes in task files; each is named with its line and column.",
            &json!({ "task": text("The id or path; without it, all task files.") }),
            &[],
        )
        .annotate(reads()),
        tool(
            "task_complete",
            "Mark a task as done after all its roles have handed over, and purge its context.",
            &json!({ "task": task() }),
            &["task"],
        )
        .annotate(writes().destructive(true)),
    ]
}

fn context_tools() -> Vec<Tool> {
    vec![
        tool(
            "context_init",
            "Fix what a task asks for, once, and hand it to the first role.",
            &json!({ "task": task() }),
            &["task"],
        )
        .annotate(writes()),
        tool(
            "context_list",
            "List the contexts of this repository, with the role whose turn it is.",
            &json!({}),
            &[],
        )
        .annotate(reads()),
        tool(
            "context_rebuild",
            "Make the account of a task anew from sources that changed since.",
            &json!({
                "task": task(),
                "dry_run": { "type": "boolean", "description": "Only say what would change." },
            }),
            &["task"],
        )
        .annotate(writes()),
        tool(
            "context_restore",
            "Put the files as a step left them into a new folder outside of the working tree.",
            &json!({
                "task": task(), "role": text("The role, start, or resolution."),
                "into": text("The folder to make, with a repository of its own."),
                "worktree": text("Instead: the folder to make as a linked working tree."),
            }),
            &["task", "role"],
        )
        .annotate(writes()),
        tool(
            "context_unblock",
            "Say how a finding that blocks a role was dealt with, so that the work can go on.",
            &json!({
                "task": task(), "role": text("The role that found it."),
                "finding": { "type": "integer", "description": "The number of the finding." },
                "note": text("How it was dealt with."),
            }),
            &["task", "role", "finding", "note"],
        )
        .annotate(writes()),
        tool(
            "context_purge",
            "End a context: its files go, its trees are kept for the retention time.",
            &json!({ "task": task(), "because": text("Why it ends.") }),
            &["task", "because"],
        )
        .annotate(writes().destructive(true)),
        tool(
            "context_sweep",
            "Purge contexts whose task is over and that nobody touched for 7 days, and let go of \
             trees whose retention time is over.",
            &json!({
                "dry_run": { "type": "boolean", "description": "Only say what would be done." },
            }),
            &[],
        )
        .annotate(writes().destructive(true)),
    ]
}

/// Everything that these tools take; each takes a part of it.
#[derive(Deserialize, Default)]
#[serde(default, deny_unknown_fields)]
struct Given {
    task: Option<String>,
    role: Option<String>,
    title: Option<String>,
    id: Option<String>,
    area: Option<String>,
    priority: Option<String>,
    finding: Option<u32>,
    note: Option<String>,
    because: Option<String>,
    into: Option<PathBuf>,
    worktree: Option<PathBuf>,
    dry_run: bool,
}

pub(super) fn perform(
    engine: &mut Engine,
    actor: &str,
    tool: &str,
    given: JsonObject,
) -> Result<Answer, Error> {
    let given: Given = parse(tool, given)?;
    let (actor, dry_run, force_secrets) = (actor.to_owned(), given.dry_run, false);
    let named = || wanted(given.task.clone(), "task");
    match tool {
        "task_new" => made(engine, given),
        "task_check" => checked(&engine.check_tasks(given.task.as_slice())?),
        "task_complete" => {
            // That roles are not done, and it is over all the same, is for people to say.
            let done = engine.complete_task(&named()?, None, &actor)?;
            let mut lines = vec![format!("done: {}", done.id)];
            lines.extend(done.warnings.iter().map(|warning| format!("note: {warning}")));
            Ok((lines.join("\n"), None))
        }
        "context_init" => {
            let opened = engine.open_context(&Opening { task: named()?, force_secrets, actor })?;
            let (mut said, data) = super::answers::shown(&opened.view);
            said.extend(opened.notes.iter().map(|note| format!("\nnote: {note}")));
            Ok((said, data))
        }
        "context_list" => Ok(listed(&engine.contexts()?)),
        "context_rebuild" => {
            let rebuilding = Rebuilding { task: named()?, dry_run, force_secrets, actor };
            let rebuilt = engine.rebuild_context(&rebuilding)?;
            let mut lines = rebuilt.changed;
            lines.push(match (rebuilt.is_new, dry_run) {
                (false, _) => "nothing has changed: the account is what it was".to_owned(),
                (true, true) => "the account would be made anew".to_owned(),
                (true, false) => "the account was made anew".to_owned(),
            });
            lines.extend(rebuilt.warnings.iter().map(|warning| format!("note: {warning}")));
            Ok((lines.join("\n"), None))
        }
        "context_restore" => restored(engine, given),
        "context_unblock" => {
            let (role, note) = (wanted(given.role, "role")?, wanted(given.note, "note")?);
            let (task, finding) = (wanted(given.task, "task")?, wanted(given.finding, "finding")?);
            let view = engine.unblock_context(&task, (&role, finding), &note, &actor)?;
            Ok(super::answers::shown(&view))
        }
        "context_purge" => {
            let because = wanted(given.because.clone(), "because")?;
            let purged = engine.purge_context(&named()?, &because, &actor)?;
            let kept = purged.kept_until.map(|until| format!("; its trees are kept until {until}"));
            Ok((format!("purged: {}{}", purged.task, kept.unwrap_or_default()), None))
        }
        "context_sweep" => {
            let sweeping = Sweeping { ttl_seconds: TTL_SECONDS, dry_run };
            Ok(swept(&engine.sweep_contexts(&sweeping)?))
        }
        _ => Err(Error::new(Kind::NotFound, format!("there is no tool '{tool}'"))
            .hint("tools/list names the tools")),
    }
}

fn made(engine: &mut Engine, given: Given) -> Result<Answer, Error> {
    let made = engine.new_task(&NewTask {
        title: wanted(given.title, "title")?,
        id: given.id,
        area: given.area.unwrap_or_else(|| "general".to_owned()),
        priority: given.priority.unwrap_or_else(|| "P2".to_owned()),
    })?;
    Ok((format!("made: {} in {}; fill it in, then check it", made.id, made.file), None))
}

fn checked(check: &TaskCheck) -> Result<Answer, Error> {
    let mistakes = check.mistakes.iter().map(ToString::to_string);
    let wrong: Vec<String> = mistakes.chain(check.unready.iter().cloned()).collect();
    if !wrong.is_empty() {
        return Err(Error::new(Kind::Usage, wrong.join("\n")).hint("mend the places named above"));
    }
    let odd = check.warnings.iter().map(|warning| format!("odd: {warning}"));
    let fine = std::iter::once(format!("fine: {} task files", check.files));
    Ok((odd.chain(fine).collect::<Vec<_>>().join("\n"), None))
}

fn listed(rows: &[ContextRow]) -> Answer {
    let line = |row: &ContextRow| {
        let turn = row.role.as_deref().unwrap_or("all roles");
        let purged = if row.is_purged { ", purged" } else { "" };
        format!("{}: {turn} {}{purged}, in {}", row.task, row.status, row.worktree)
    };
    let mut lines: Vec<String> = rows.iter().map(line).collect();
    if lines.is_empty() {
        lines.push("there is no context".to_owned());
    }
    (lines.join("\n"), None)
}

fn restored(engine: &Engine, given: Given) -> Result<Answer, Error> {
    let kinship = if given.worktree.is_some() { Kinship::Linked } else { Kinship::Separate };
    let restoring = Restoring {
        task: wanted(given.task, "task")?,
        step: wanted(given.role, "role")?,
        into: wanted(given.worktree.or(given.into), "into")?,
        kinship,
    };
    let Restored { step, folder, left_out_words, warnings, .. } =
        engine.restore_context(&restoring)?;
    let mut lines = vec![format!("the files as {step} left them are in {folder}")];
    lines.extend(warnings.iter().map(|warning| format!("note: {warning}")));
    lines.extend(left_out_words.iter().map(|left| format!("left out: {left}")));
    Ok((lines.join("\n"), None))
}

fn swept(swept: &Swept) -> Answer {
    let would = if swept.dry_run { "would be " } else { "" };
    let lists =
        [(&swept.purged, "purged"), (&swept.released, "let go"), (&swept.orphans, "removed")];
    let mut lines = Vec::new();
    for (names, what) in lists {
        lines.extend(names.iter().map(|name| format!("{name}: {would}{what}")));
    }
    if lines.is_empty() {
        lines.push("there is nothing to sweep".to_owned());
    }
    (lines.join("\n"), None)
}
