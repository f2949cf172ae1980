//! What Codex' tools do, and how their calls end.

use countersign_domain::worklog::{Deed, End, FileChange, FileFate, TodoUpdate};

use crate::agents::deeds::{command, file, look, other, todos};
use crate::agents::json::Json;
use crate::agents::patch;
use crate::agents::payload::Call;
use crate::agents::words::{MAX_COMMAND, brief, briefly, first_of, leading_number};

/// A patch is read as far as this.
const MAX_PATCH: usize = 4 * 1024 * 1024;

/// What a call does. Hooks call every shell `Bash`; the transcript knows the tools' own names.
pub(crate) fn deed(call: &Call<'_>) -> Deed {
    let input = call.input;
    let [line, cmd, patch] = input.pick(["command", "cmd", "input"]);
    match short_name(&call.tool) {
        "Bash" | "shell" | "local_shell" | "shell_command" | "exec_command" | "container.exec" => {
            shell(if line.is_some() { line } else { cmd })
        }
        "apply_patch" => {
            // In the transcript, the patch is the whole input.
            let text = [line, patch, input].into_iter().find(|text| text.is_text());
            patched(&text.and_then(|text| text.text_up_to(MAX_PATCH)).unwrap_or_default())
        }
        "update_plan" => {
            let claimed = todos(input.field("plan"));
            Deed::Todo { update: TodoUpdate::Listed { claimed, read_back: None } }
        }
        "spawn_agent" => Deed::Delegate {
            agent: input.field("agent_type").text().unwrap_or_default(),
            purpose: first_of(input, ["message", "prompt", "items"]),
        },
        "write_stdin" if input.field("chars").text().is_none_or(|chars| chars.is_empty()) => {
            let [session] = input.pick(["session_id"]);
            Deed::Look { what: format!("session {}", session.id().unwrap_or_default()) }
        }
        "wait_agent"
        | "wait"
        | "list_agents"
        | "view_image"
        | "read_file"
        | "list_dir"
        | "grep_files"
        | "web_search"
        | "tool_search"
        | "list_mcp_resources"
        | "list_mcp_resource_templates"
        | "read_mcp_resource" => look(input),
        _ if input.is_text() => Deed::Other { what: briefly(input) },
        _ => other(input),
    }
}

/// Without the namespace, which is put before a name in two ways.
pub(crate) fn short_name(tool: &str) -> &str {
    let tool = tool.strip_prefix("multi_agent_v1").unwrap_or(tool);
    tool.trim_start_matches(['.', '_'])
}

/// A command line, or the words of one. What a shell was told to run is what is run.
pub(crate) fn shell(value: Json<'_>) -> Deed {
    if value.is_text() {
        return command(value);
    }
    let words: Vec<_> = value.items().filter_map(|word| word.text_up_to(MAX_COMMAND)).collect();
    let line = match words.as_slice() {
        [_, flag, line] if matches!(flag.as_str(), "-c" | "-lc") => line.clone(),
        words => words.join(" "),
    };
    Deed::Command { command: line, background: None, runner: None }
}

fn patched(patch: &str) -> Deed {
    with_files(patch::files(patch))
}

/// Only new files: they are written whole.
fn with_files(files: Vec<FileChange>) -> Deed {
    let all_new = files.iter().all(|file| file.fate == FileFate::Created);
    if all_new && !files.is_empty() { Deed::Write { files } } else { Deed::Edit { files } }
}

/// The files of a change, as the transcript lists them: by path.
pub(crate) fn changes(changes: Json<'_>) -> Deed {
    let mut files = Vec::new();
    for (path, change) in changes.fields() {
        let [sort, content, diff, moved] =
            change.pick(["type", "content", "unified_diff", "move_path"]);
        let lines = || patch::diff_lines(&diff.text_up_to(MAX_PATCH).unwrap_or_default());
        let (fate, (added, removed)) = match sort.text().as_deref() {
            Some("add") => (FileFate::Created, (content.lines(), 0)),
            Some("delete") => (FileFate::Deleted, (0, content.lines())),
            _ => (FileFate::Changed, lines()),
        };
        let path = String::from_utf8_lossy(path).into_owned();
        let is_moved = moved.is_text();
        let from = if is_moved { FileFate::Deleted } else { fate };
        let (here, there) =
            if is_moved { ((0, 0), (added, removed)) } else { ((added, removed), (0, 0)) };
        files.push(FileChange { path, fate: from, added: here.0, removed: here.1 });
        files.extend(file(moved, FileFate::Created, there));
    }
    with_files(files)
}

/// How a call ended, by the text that the model got. Only what Codex puts before the output
/// counts: the output can say anything.
pub(crate) fn told(text: &str, deed: &Deed) -> End {
    if let Some(why) = text.strip_prefix("Command blocked by PreToolUse hook: ") {
        return End::Denied { why: brief(why) };
    }
    if is_rejection(text) {
        return End::Rejected { why: brief(text) };
    }
    if text.starts_with("aborted by user") {
        return End::Interrupted;
    }
    let json = Json::document(text.as_bytes());
    if json.is_object() && matches!(deed, Deed::Command { .. }) {
        let [output, metadata] = json.pick(["output", "metadata"]);
        return by_exit(metadata.field("exit_code").number(), &briefly(output));
    }
    let (head, output) = text.split_once("Output:\n").unwrap_or((text, ""));
    let number = |beginning: &str| {
        head.lines().find_map(|line| line.strip_prefix(beginning)).and_then(leading_number)
    };
    if head.lines().any(|line| line.starts_with("command timed out after")) {
        return End::TimedOut;
    }
    let exit = number("Process exited with code ").or_else(|| number("Exit code: "));
    match (exit, deed) {
        _ if head.contains("Process running with session ID ") => End::Initiated,
        (Some(exit), Deed::Command { .. }) => by_exit(Some(i64::from(exit)), output),
        (Some(exit), Deed::Edit { .. } | Deed::Write { .. }) if exit != 0 => {
            End::Failed { exit: None, why: brief(output) }
        }
        _ => End::Completed { exit: None },
    }
}

fn is_rejection(text: &str) -> bool {
    const BEGINNINGS: [&str; 4] = [
        "unsupported call: ",
        "apply_patch verification failed",
        "failed to parse function arguments",
        "apply_patch handler received",
    ];
    BEGINNINGS.iter().any(|beginning| text.starts_with(beginning))
}

/// A negative code is none: Codex ended the command itself, because the turn was over.
pub(crate) fn by_exit(exit: Option<i64>, output: &str) -> End {
    match exit.map(i32::try_from) {
        Some(Ok(0)) => End::Completed { exit: Some(0) },
        Some(Ok(exit)) if exit > 0 => End::Failed { exit: Some(exit), why: brief(output) },
        Some(_) => End::Initiated,
        None => End::Completed { exit: None },
    }
}

/// The id of the session that a command went on in.
pub(crate) fn session_in(text: &str) -> Option<String> {
    let (head, _) = text.split_once("Output:\n").unwrap_or((text, ""));
    let (_, rest) = head.split_once("Process running with session ID ")?;
    leading_number(rest).map(|id| id.to_string())
}
