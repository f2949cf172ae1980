//! What Gemini CLI's tools do, and how their calls end.

use countersign_domain::worklog::{Deed, End, FileFate};

use crate::agents::deeds::{command, file, listed, look, other};
use crate::agents::json::Json;
use crate::agents::payload::Call;
use crate::agents::words::{
    MAX_RESULT, between, brief, briefly, content, first_of, leading_number,
};

/// What a call does. `display` is what the agent shows of it: for files, with their lines.
pub(crate) fn deed(call: &Call<'_>, display: Json<'_>) -> Deed {
    let input = call.input;
    match call.tool.as_str() {
        "run_shell_command" => command(input.field("command")),
        "write_file" => {
            let [path, body] = input.pick(["file_path", "content"]);
            Deed::Write { files: file(path, fate(display), lines(display, (body.lines(), 0))) }
        }
        "replace" | "edit" => {
            let [path, old, new] = input.pick(["file_path", "old_string", "new_string"]);
            let lines = lines(display, (new.lines(), old.lines()));
            Deed::Edit { files: file(path, fate(display), lines) }
        }
        "write_todos" => {
            let todos = input.field("todos");
            listed(todos, display.field("todos"))
        }
        "invoke_agent" | "delegate_to_agent" | "codebase_investigator" => Deed::Delegate {
            agent: first_of(input, ["agent_name", "agentName"]),
            purpose: first_of(input, ["objective", "prompt", "query", "description"]),
        },
        "read_file"
        | "read_many_files"
        | "glob"
        | "grep_search"
        | "search_file_content"
        | "list_directory"
        | "web_fetch"
        | "google_web_search"
        | "get_internal_docs"
        | "read_mcp_resource"
        | "list_mcp_resources"
        | "tracker_get_task"
        | "tracker_list_tasks" => look(input),
        _ => other(input),
    }
}

fn fate(display: Json<'_>) -> FileFate {
    if display.field("isNewFile").is_true() { FileFate::Created } else { FileFate::Changed }
}

fn lines(display: Json<'_>, claimed: (u32, u32)) -> (u32, u32) {
    let [added, removed] =
        display.field("diffStat").pick(["model_added_lines", "model_removed_lines"]);
    let number = |value: Json<'_>| value.number().and_then(|number| u32::try_from(number).ok());
    number(added).zip(number(removed)).unwrap_or(claimed)
}

/// How a call ended that gave an error.
pub(crate) fn failed(sort: &str, why: String) -> End {
    match sort {
        "invalid_tool_params"
        | "tool_not_registered"
        | "edit_no_occurrence_found"
        | "edit_expected_occurrence_mismatch"
        | "edit_no_change" => End::Rejected { why },
        "policy_violation" => End::Denied { why },
        _ => End::Failed { exit: None, why },
    }
}

/// How a call ended, by what the model was told.
pub(crate) fn told(said: Json<'_>, deed: &mut Deed) -> End {
    let Deed::Command { background, .. } = deed else { return End::Completed { exit: None } };
    let head = content(said, MAX_RESULT).unwrap_or_default();
    let head = head.trim_start_matches("<untrusted_context>\n");
    if head.starts_with("Command was automatically cancelled") {
        return End::TimedOut;
    }
    if head.starts_with("Command was cancelled by user") {
        return End::Interrupted;
    }
    if head.starts_with("Command moved to background") {
        *background = between(head, "(PID: ", ")").map(str::to_owned);
        return End::Initiated;
    }
    if !head.starts_with("Output: ") {
        return End::Completed { exit: None };
    }
    by_footer(&last_text(said).text_from_end(MAX_RESULT).unwrap_or_default())
}

fn last_text(said: Json<'_>) -> Json<'_> {
    if said.is_text() { said } else { said.items().last().unwrap_or(Json::NONE).field("text") }
}

/// What stands after the output, read from its end, because the output itself can say anything.
/// An exit code is told unless it is 0.
fn by_footer(text: &str) -> End {
    let mut killed = None;
    for line in text.lines().rev() {
        if let Some(exit) = line.strip_prefix("Exit Code: ").and_then(leading_number) {
            let output = text.rsplit_once("Exit Code: ").map_or(text, |(output, _)| output);
            let output = output.trim_start_matches("<untrusted_context>\n");
            return End::Failed {
                exit: Some(exit),
                why: brief(output.trim_start_matches("Output: ")),
            };
        }
        if let Some(signal) = line.strip_prefix("Signal: ") {
            killed = Some(End::Failed { exit: None, why: format!("ended by signal {signal}") });
        }
        let is_footer =
            ["</untrusted_context>", "Process Group PGID: ", "Background PIDs: ", "Signal: "];
        if !is_footer.iter().any(|beginning| line.starts_with(beginning)) {
            break;
        }
    }
    killed.unwrap_or(End::Completed { exit: Some(0) })
}

/// How a call ended that gave an error, by the words alone: the transcript has no more.
pub(crate) fn failed_in_words(why: String) -> End {
    if let Some(why) = why.strip_prefix("Tool execution blocked: ") {
        return End::Denied { why: why.to_owned() };
    }
    let is_unknown = why.starts_with("Tool \"") && why.contains("\" not found");
    if is_unknown || why.starts_with("Could not find an exact match for 'old_string'") {
        return End::Rejected { why };
    }
    failed("", why)
}

/// The error in a response.
pub(crate) fn error(response: Json<'_>) -> Option<End> {
    let error = response.field("error");
    if error.is_text() {
        return Some(failed("", briefly(error)));
    }
    let [message, sort] = error.pick(["message", "type"]);
    error.is_some().then(|| failed(&sort.text().unwrap_or_default(), briefly(message)))
}
