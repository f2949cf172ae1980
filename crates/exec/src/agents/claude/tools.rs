//! What Claude Code's tools do, and how their calls end.

use countersign_domain::worklog::{Deed, End, FileFate, Todo, TodoStatus, TodoUpdate};

use crate::agents::deeds::{command, file, listed, look, other, todos};
use crate::agents::json::Json;
use crate::agents::payload::Call;
use crate::agents::words::{
    MAX_COMMAND, MAX_RESULT, between, brief, briefly, content_ends, first_of, leading_number,
};

/// What a call does. Its response is known only after it: an object in the event of the call,
/// and a text for the model in the list of a turn's calls.
pub(crate) fn deed(call: &Call<'_>) -> Deed {
    let input = call.input;
    match call.tool.as_str() {
        "Bash" | "PowerShell" => ran(call),
        "Edit" => edited(call, edited_lines(input)),
        "MultiEdit" => {
            let edits = input.field("edits").items().map(edited_lines);
            edited(call, edits.fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1)))
        }
        "NotebookEdit" => notebook(input),
        "Write" => written(call),
        "TodoWrite" => listed(input.field("todos"), call.response.field("newTodos")),
        "TaskCreate" => Deed::Todo { update: created(call) },
        "TaskUpdate" => Deed::Todo { update: changed(call) },
        "TaskList" => Deed::Todo { update: TodoUpdate::Read { todos: task_list(call.response) } },
        "Agent" | "Task" => Deed::Delegate {
            agent: input.field("subagent_type").text().unwrap_or_default(),
            purpose: first_of(input, ["description", "prompt"]),
        },
        "Read"
        | "Grep"
        | "Glob"
        | "LS"
        | "NotebookRead"
        | "WebFetch"
        | "WebSearch"
        | "ToolSearch"
        | "TaskGet"
        | "TaskOutput"
        | "BashOutput"
        | "AgentOutput"
        | "ListMcpResources"
        | "ListMcpResourcesTool"
        | "ReadMcpResource"
        | "ReadMcpResourceTool"
        | "LSP" => look(input),
        _ => other(input),
    }
}

fn ran(call: &Call<'_>) -> Deed {
    let task = call.response.field("backgroundTaskId").id().or_else(|| background_in_text(call));
    match command(call.input.field("command")) {
        Deed::Command { command, runner, .. } => {
            Deed::Command { command, background: task, runner }
        }
        deed => deed,
    }
}

fn background_in_text(call: &Call<'_>) -> Option<String> {
    let text = call.response.is_text().then(|| call.response.text_up_to(MAX_RESULT))??;
    if text.starts_with("Command running in background with ID: ") {
        return between(&text, "with ID: ", ". ").map(str::to_owned);
    }
    // It said that it would wait only so long.
    text.starts_with("Command did not complete")
        .then(|| between(&text, "(ID: ", ")").map(str::to_owned))
        .flatten()
}

fn edited(call: &Call<'_>, claimed: (u32, u32)) -> Deed {
    let [patch, original] = call.response.pick(["structuredPatch", "originalFile"]);
    let lines = if patch.is_some() { patched_lines(patch) } else { claimed };
    // To put something in the place of nothing is how a file is made by editing. The original is
    // left out for other reasons too.
    let [name, old] = call.input.pick(["file_path", "old_string"]);
    let is_new = old.raw() == b"\"\"" && call.response.is_object() && !original.is_some();
    let fate = if is_new { FileFate::Created } else { FileFate::Changed };
    Deed::Edit { files: file(name, fate, lines) }
}

fn edited_lines(edit: Json<'_>) -> (u32, u32) {
    let [old, new] = edit.pick(["old_string", "new_string"]);
    (new.lines(), old.lines())
}

fn patched_lines(patch: Json<'_>) -> (u32, u32) {
    let mut sum = (0, 0);
    for line in patch.items().flat_map(|hunk| hunk.field("lines").items()) {
        match line.raw().get(1) {
            Some(b'+') => sum.0 += 1,
            Some(b'-') => sum.1 += 1,
            _ => {}
        }
    }
    sum
}

fn notebook(input: Json<'_>) -> Deed {
    let [path, source, mode] = input.pick(["notebook_path", "new_source", "edit_mode"]);
    let is_deletion = mode.text().as_deref() == Some("delete");
    let lines = (if is_deletion { 0 } else { source.lines() }, 0);
    Deed::Edit { files: file(path, FileFate::Changed, lines) }
}

/// A file is new if the response says so. Before the call nobody knows.
fn written(call: &Call<'_>) -> Deed {
    let [file_path, text] = call.input.pick(["file_path", "content"]);
    let [mode, patch] = call.response.pick(["type", "structuredPatch"]);
    let is_new = mode.text().as_deref() == Some("create")
        || call.response.text_up_to(64).is_some_and(|said| said.starts_with("File created"));
    let (fate, lines) = if is_new {
        (FileFate::Created, (text.lines(), 0))
    } else if patch.is_some() {
        (FileFate::Changed, patched_lines(patch))
    } else {
        (FileFate::Changed, (text.lines(), 0))
    };
    Deed::Write { files: file(file_path, fate, lines) }
}

fn created(call: &Call<'_>) -> TodoUpdate {
    let in_text = || {
        let text = call.response.text_up_to(MAX_RESULT)?;
        between(&text, "Task #", " created").map(str::to_owned)
    };
    TodoUpdate::Created {
        id: call.response.field("task").field("id").id().or_else(in_text),
        content: call.input.field("subject").text_up_to(MAX_COMMAND).unwrap_or_default(),
    }
}

fn changed(call: &Call<'_>) -> TodoUpdate {
    let [id, content, status] = call.input.pick(["taskId", "subject", "status"]);
    let status = status.text().and_then(|word| TodoStatus::parse(&word));
    let [change, success] = call.response.pick(["statusChange", "success"]);
    let now = change.field("to").text().and_then(|word| TodoStatus::parse(&word));
    TodoUpdate::Changed {
        id: id.id().unwrap_or_default(),
        content: content.text_up_to(MAX_COMMAND),
        status,
        // A status that it already had is no change, and is not told.
        read_back: now.or_else(|| status.filter(|_| success.is_true())),
    }
}

fn task_list(response: Json<'_>) -> Vec<Todo> {
    let Some(text) = response.text_up_to(64 * 1024) else {
        return todos(response.field("tasks"));
    };
    text.lines().filter_map(task_line).collect()
}

/// `#1 [in_progress] Write calc.py`
fn task_line(line: &str) -> Option<Todo> {
    let (id, rest) = line.strip_prefix('#')?.split_once(" [")?;
    let (status, content) = rest.split_once("] ")?;
    let status = TodoStatus::parse(status)?;
    Some(Todo { id: Some(id.to_owned()), content: content.to_owned(), status })
}

/// How a call ended that Claude Code calls done.
pub(crate) fn done(call: &Call<'_>, deed: &Deed) -> End {
    let response = call.response;
    match deed {
        Deed::Command { background: Some(_), .. } => End::Initiated,
        Deed::Command { .. } => {
            let [interrupted, meaning] = response.pick(["interrupted", "returnCodeInterpretation"]);
            if interrupted.is_true() {
                return End::Interrupted;
            }
            // Some commands end with another code than 0 and mean no harm, such as grep.
            End::Completed { exit: (!meaning.is_some() && response.is_object()).then_some(0) }
        }
        Deed::Delegate { .. } => match response.field("status").text().as_deref() {
            Some("async_launched" | "teammate_spawned" | "remote_launched") => End::Initiated,
            _ => End::Completed { exit: None },
        },
        Deed::Todo { .. } if response.field("success").raw() == b"false" => {
            End::Failed { exit: None, why: briefly(response.field("error")) }
        }
        _ => End::Completed { exit: None },
    }
}

/// How a call ended that Claude Code calls failed. The exit code is in the words.
pub(crate) fn failed(text: &str, deed: &Deed) -> End {
    if let Some(why) = text.strip_prefix("<tool_use_error>") {
        return End::Rejected { why: brief(why.trim_end_matches("</tool_use_error>")) };
    }
    if text.starts_with("[Request interrupted by user") {
        return End::Interrupted;
    }
    let exit = text.strip_prefix("Exit code ").and_then(leading_number);
    let Some(exit) = exit.filter(|_| matches!(deed, Deed::Command { .. })) else {
        return End::Failed { exit: None, why: brief(text) };
    };
    let output = text.split_once('\n').map_or("", |(_, output)| output);
    if exit == 143 && output.trim_start().starts_with("Command timed out") {
        return End::TimedOut;
    }
    End::Failed { exit: Some(exit), why: brief(output) }
}

/// The words in which Claude Code tells the model that a call was not allowed.
pub(crate) fn is_denial(text: &str) -> bool {
    const BEGINNINGS: [&str; 5] = [
        "Claude requested permissions to ",
        "Permission to use ",
        "The user doesn't want to ",
        "Auto mode is unavailable",
        "PreToolUse:",
    ];
    let first = text.lines().next().unwrap_or_default();
    BEGINNINGS.iter().any(|beginning| first.starts_with(beginning))
        || first.contains(" requires approval")
        || first.contains(" require approval")
        || first.contains(" needs approval")
}

/// How a call in the list of a turn ended. There is nothing but the text for the model, which a
/// command's output can imitate: the event of the call itself counts for more.
pub(crate) fn told(call: &Call<'_>, deed: &Deed) -> End {
    let text = content_ends(call.response);
    if matches!(deed, Deed::Command { background: Some(_), .. }) {
        return End::Initiated;
    }
    if is_denial(&text) {
        return End::Denied { why: brief(&text) };
    }
    let is_error = text.starts_with("<tool_use_error>")
        || (text.starts_with("Exit code ") && matches!(deed, Deed::Command { .. }));
    if is_error { failed(&text, deed) } else { End::Completed { exit: None } }
}
