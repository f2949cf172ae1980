//! Tasks and contexts as tools: what a role may do. What only a person may say (why a tree has
//! drifted, that a secret is none, that a test may go, that a task is over although roles are not
//! done) is not among them.

mod answers;
mod around;

use std::path::PathBuf;

use countersign_domain::context::{EvidenceKind, RoleStatus};
use countersign_engine::context::{Attachment, Between, Blocking, Handing, Measuring, Update};
use countersign_engine::{Engine, Error, Kind};
use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde::Deserialize;
use serde_json::json;

use super::call::{Answer, parse};
use super::tools::tool;
use answers::{handed, shown, tasks, verified};

/// The longest patch that is answered.
const MAX_PATCH: usize = 200 * 1024;

pub(super) fn is_known(tool: &str) -> bool {
    tools().iter().any(|known| known.name == tool)
}

/// The tools, in the order in which a role needs them.
pub(super) fn tools() -> Vec<Tool> {
    let reads = || ToolAnnotations::new().read_only(true).open_world(false);
    let writes = || ToolAnnotations::new().destructive(false).open_world(false);
    let text = |about: &str| json!({ "type": "string", "description": about });
    let task = || text("The task's id, such as TASK-0824.");
    let role = || text("Your role, such as implementer.");
    let statuses: Vec<&str> = RoleStatus::ALL.iter().map(|status| status.name()).collect();
    vec![
        tool(
            "task_list",
            "List the tasks of this repository, with the role whose turn it is.",
            &json!({}),
            &[],
        )
        .annotate(reads()),
        tool(
            "context_show",
            "Where a task stands: its roles, what they handed over, findings, drift.",
            &json!({ "task": task() }),
            &["task"],
        )
        .annotate(reads()),
        tool(
            "context_export",
            "What your role has to read of a task: read this first.",
            &json!({ "task": task(), "role": role() }),
            &["task", "role"],
        )
        .annotate(reads()),
        tool(
            "context_update",
            "Begin your role (status in_progress), or name your session. Refused if the working \
             tree is not what the last role left.",
            &json!({
                "task": task(), "role": role(),
                "status": { "type": "string", "enum": statuses },
                "session": text("Your own session's id."),
                "qa_log": text("The id of an attached log."),
            }),
            &["task", "role"],
        )
        .annotate(writes()),
        tool(
            "context_block",
            "Put a finding on the record that must be dealt with before the work goes on.",
            &json!({ "task": task(), "role": role(), "finding": text("What you found.") }),
            &["task", "role", "finding"],
        )
        .annotate(writes()),
        tool(
            "context_snapshot",
            "Hand over: record the working tree as you leave it. Your role is done then.",
            &json!({ "task": task(), "role": role() }),
            &["task", "role"],
        )
        .annotate(writes()),
    ]
    .into_iter()
    .chain(more_tools())
    .chain(around::tools())
    .collect()
}

/// Those that look at what others did, and prove something.
fn more_tools() -> Vec<Tool> {
    let reads = || ToolAnnotations::new().read_only(true).open_world(false);
    let writes = || ToolAnnotations::new().destructive(false).open_world(false);
    let text = |about: &str| json!({ "type": "string", "description": about });
    let task = || text("The task's id, such as TASK-0824.");
    let role = || text("Your role, such as implementer.");
    let kinds: Vec<&str> = EvidenceKind::ALL.iter().map(|kind| kind.name()).collect();
    vec![
        tool(
            "context_verify",
            "Compare the working tree with what a role left.",
            &json!({ "task": task(), "role": text("The role whose tree is expected.") }),
            &["task"],
        )
        .annotate(writes()),
        tool(
            "context_diff",
            "What a role changed, or what changed between two steps (start, a role, now).",
            &json!({
                "task": task(), "role": text("What this role changed."),
                "from": text("The step to compare with."), "to": text("The step to compare."),
            }),
            &["task"],
        )
        .annotate(reads()),
        tool(
            "context_record_qa",
            "Record the results of checks from a file that a test runner wrote. Runs on the same tree \
             count together: a test that failed in one and passed in another is flaky.",
            &json!({
                "task": task(), "role": role(), "path": text("The output or report."),
                "exit_code": { "type": "integer" },
            }),
            &["task", "role", "path"],
        )
        .annotate(writes()),
        tool(
            "context_attach",
            "Attach a file, or some of its lines, by its digest.",
            &json!({
                "task": task(), "role": role(), "path": text("What to attach."),
                "kind": { "type": "string", "enum": kinds },
                "lines": text("Only these lines, such as 42-68."),
                "description": text("What it shows, in up to 200 characters."),
            }),
            &["task", "path", "kind"],
        )
        .annotate(writes()),
    ]
}

/// Everything that the tools take; each takes a part of it.
#[derive(Deserialize, Default)]
#[serde(default, deny_unknown_fields)]
struct Given {
    task: String,
    role: Option<String>,
    status: Option<RoleStatus>,
    session: Option<String>,
    qa_log: Option<String>,
    finding: Option<String>,
    from: Option<String>,
    to: Option<String>,
    path: Option<PathBuf>,
    kind: Option<EvidenceKind>,
    lines: Option<String>,
    description: Option<String>,
    exit_code: Option<i32>,
}

pub(super) fn perform(
    engine: &mut Engine,
    actor: &str,
    tool: &str,
    given: JsonObject,
) -> Result<Answer, Error> {
    if around::tools().iter().any(|known| known.name == tool) {
        return around::perform(engine, actor, tool, given);
    }
    let given: Given = parse(tool, given)?;
    let task = given.task.clone();
    let actor = actor.to_owned();
    let force_secrets = false;
    match tool {
        "task_list" => tasks(engine),
        "context_show" => Ok(shown(&engine.context_view(&task)?)),
        "context_export" => {
            let exported = engine.export_context(&task, &wanted(given.role, "role")?)?;
            Ok((exported.markdown, None))
        }
        "context_update" => {
            let role = wanted(given.role, "role")?;
            let Given { status, session, qa_log, .. } = given;
            let update = Update { task, role, status, session, qa_log, force_secrets, actor };
            Ok(shown(&engine.update_context(&update)?))
        }
        "context_block" => {
            let role = wanted(given.role, "role")?;
            let finding = wanted(given.finding, "finding")?;
            let blocking = Blocking { task, role, finding, force_secrets, actor };
            Ok(shown(&engine.block_context(&blocking)?))
        }
        "context_snapshot" => {
            let role = wanted(given.role, "role")?;
            Ok(handed(&engine.hand_over(&Handing { task, role, force_secrets, actor })?))
        }
        "context_verify" => {
            verified(&engine.verify_context(&task, given.role.as_deref(), false)?)
        }
        "context_diff" => difference(engine, &given),
        "context_record_qa" => measured(engine, actor, given),
        "context_attach" => {
            let attachment = Attachment {
                task,
                path: wanted(given.path, "path")?,
                kind: wanted(given.kind, "kind")?,
                lines: given.lines,
                role: given.role,
                description: given.description,
                command: None,
                exit_code: given.exit_code,
                duration_ms: None,
                only_here: true,
                force_secrets,
                actor,
            };
            let evidence = engine.attach_evidence(&attachment)?;
            Ok((format!("attached: {}", evidence.id), None))
        }
        _ => Err(Error::new(Kind::NotFound, format!("there is no tool '{tool}'"))
            .hint("tools/list names the tools")),
    }
}

fn measured(engine: &mut Engine, actor: String, given: Given) -> Result<Answer, Error> {
    let measuring = Measuring {
        task: given.task,
        role: wanted(given.role, "role")?,
        from: vec![wanted(given.path, "path")?],
        reader: None,
        exit_codes: given.exit_code.into_iter().collect(),
        baseline: false,
        // To let tests go is for people.
        note: None,
        only_here: true,
        force_secrets: false,
        actor,
    };
    let results = engine.record_qa(&measuring)?;
    let mut lines = vec![results.words];
    lines.extend(results.findings);
    lines.extend(results.improvements);
    Ok((lines.join("\n"), None))
}

fn difference(engine: &Engine, given: &Given) -> Result<Answer, Error> {
    let between = match (&given.role, &given.from, &given.to) {
        (Some(role), None, None) => Between::OfRole(role.clone()),
        (_, from, to) => {
            Between::steps(from.as_deref().unwrap_or("start"), to.as_deref().unwrap_or("now"))
        }
    };
    let diff = engine.context_diff(&given.task, &between)?;
    let mut patch = diff.patch;
    if patch.len() > MAX_PATCH {
        let end = (0..=MAX_PATCH).rev().find(|at| patch.is_char_boundary(*at)).unwrap_or(0);
        let left = patch.len() - end;
        patch.truncate(end);
        patch.push_str(&format!(
            "\n… and {left} bytes more: countersign context diff {}",
            given.task
        ));
    }
    Ok((patch, None))
}

fn wanted<T>(value: Option<T>, name: &str) -> Result<T, Error> {
    value.ok_or_else(|| {
        Error::new(Kind::Usage, format!("'{name}' is missing")).hint("tools/list has the schema")
    })
}
