//! Codex' transcripts, which it calls rollouts: one file per session or sub-agent.
//!
//! A call and its output are lines of the conversation. Newer versions also write down each
//! finished command and change, with its exit code; of calls that were made from within a script
//! of the model's (code mode) these are the only lines.

use std::io::{self, BufRead};

use countersign_domain::worklog::{Deed, End, Finished, Operation, Seen};

use super::tools::{by_exit, changes, deed, session_in, shell, told};
use crate::agents::json::Json;
use crate::agents::payload::Call;
use crate::agents::transcript::{Draft, Transcript, What, read_lines};
use crate::agents::words::{MAX_MESSAGE, anything, brief, briefly, content, content_ends};

/// Reads a rollout.
pub(crate) fn read(input: impl BufRead) -> io::Result<Transcript> {
    let mut state = State::default();
    read_lines(input, |draft, line| state.take(draft, line))
}

/// What the ids of calls begin with that a script of the model's made.
const SCRIPTED: &str = "exec-";

/// Whether it would have this call. Not every version writes down what scripts called.
pub(crate) fn would_tell(transcript: &Transcript, operation: &Operation) -> bool {
    let is_scripted = |operation: &Operation| {
        operation.call.as_ref().is_some_and(|call| call.starts_with(SCRIPTED))
    };
    let is_script = |operation: &Operation| operation.tool == "exec";
    if operation.lane.is_some() && transcript.may_have_delegated() {
        return false;
    }
    let writes_scripted =
        transcript.operations().any(is_scripted) || !transcript.operations().any(is_script);
    let is_written =
        matches!(operation.deed, Deed::Command { .. } | Deed::Edit { .. } | Deed::Write { .. });
    !is_scripted(operation) || is_written && writes_scripted
}

#[derive(Debug, Default)]
struct State {
    /// The sub-agent whose rollout this is.
    lane: Option<String>,
    /// Looks at commands that went on, and the session that they look at.
    polls: Vec<(String, String)>,
}

impl State {
    fn take(&mut self, draft: &mut Draft, line: Json<'_>) -> bool {
        let [at, sort, payload] = line.pick(["timestamp", "type", "payload"]);
        let at = at.text().unwrap_or_default();
        draft.reach(&at);
        match sort.text().as_deref() {
            Some("session_meta") => self.opened(draft, payload),
            Some("response_item") => return self.item(draft, &at, payload),
            Some("event_msg") => return self.event(draft, &at, payload),
            Some("compacted") => draft.add(&at, What::Compacted),
            _ => return false,
        }
        true
    }

    fn opened(&mut self, draft: &mut Draft, payload: Json<'_>) {
        let [session, id, version] = payload.pick(["session_id", "id", "cli_version"]);
        let (session, id) = (session.id(), id.id());
        if draft.transcript.session.is_some() {
            return;
        }
        self.lane = id.clone().filter(|id| session.as_ref().is_some_and(|session| session != id));
        draft.transcript.session = session.or(id);
        draft.transcript.version = version.text();
    }

    fn item(&mut self, draft: &mut Draft, at: &str, payload: Json<'_>) -> bool {
        let [sort, id, name, input, arguments, output, action] =
            payload.pick(["type", "call_id", "name", "input", "arguments", "output", "action"]);
        let id = id.id();
        match sort.text().as_deref() {
            Some("function_call") => {
                let arguments = arguments.text().unwrap_or_default();
                let input = Json::document(arguments.as_bytes());
                self.called(draft, at, &call(&name.text().unwrap_or_default(), input, id));
            }
            Some("custom_tool_call") => {
                self.called(draft, at, &call(&name.text().unwrap_or_default(), input, id));
            }
            Some("local_shell_call") => self.called(draft, at, &call("local_shell", action, id)),
            Some("function_call_output" | "custom_tool_call_output") => {
                self.answered(draft, &id.unwrap_or_default(), output);
            }
            _ => return false,
        }
        true
    }

    fn called(&mut self, draft: &mut Draft, at: &str, call: &Call<'_>) {
        if call.tool == "write_stdin"
            && let (Some(id), Some(session)) = (&call.id, call.input.field("session_id").id())
        {
            self.polls.push((id.clone(), session));
        }
        draft.begin(at, self.operation(call, deed(call), End::Initiated));
    }

    fn operation(&self, call: &Call<'_>, deed: Deed, end: End) -> Operation {
        let mut operation = call.operation(deed, end, None, Seen::Transcript);
        operation.lane = self.lane.clone();
        operation
    }

    fn answered(&mut self, draft: &mut Draft, id: &str, output: Json<'_>) {
        let text = content_ends(output);
        let Some(operation) = draft.call(id) else { return };
        // The line about the finished command came first, and knows more.
        if operation.end != End::Initiated {
            return;
        }
        operation.end = told(&text, &operation.deed);
        if let Deed::Command { background, .. } = &mut operation.deed {
            *background = session_in(&text);
        }
        if let Some(at) = self.polls.iter().position(|(call, _)| call == id) {
            let (_, task) = self.polls.swap_remove(at);
            let as_command = shell(Json::NONE);
            let end = told(&text, &as_command);
            if matches!(end, End::Completed { exit: Some(_) } | End::Failed { exit: Some(_), .. }) {
                draft.finish(Finished { task, call: None, end });
            }
        }
    }

    fn event(&mut self, draft: &mut Draft, at: &str, payload: Json<'_>) -> bool {
        let [sort, item, message] = payload.pick(["type", "item", "message"]);
        match sort.text().as_deref() {
            Some("item_completed") => return self.completed(draft, at, item),
            Some("exec_command_end") => self.finished(draft, at, "Bash", payload),
            Some("patch_apply_end") => self.finished(draft, at, "apply_patch", payload),
            Some("user_message") => self.prompted(draft, at, message),
            Some("turn_aborted") => interrupt(draft),
            _ => return false,
        }
        true
    }

    /// A sub-agent is asked by its agent, and not by a person.
    fn prompted(&self, draft: &mut Draft, at: &str, body: Json<'_>) {
        if let Some(text) = content(body, MAX_MESSAGE).filter(|_| self.lane.is_none()) {
            draft.add(at, What::Prompt(text));
        }
    }

    fn completed(&mut self, draft: &mut Draft, at: &str, item: Json<'_>) -> bool {
        let [sort, body, server, tool] = item.pick(["type", "content", "server", "tool"]);
        match sort.text().as_deref() {
            Some("UserMessage") => self.prompted(draft, at, body),
            Some("CommandExecution") => self.finished(draft, at, "Bash", item),
            Some("FileChange") => self.finished(draft, at, "apply_patch", item),
            Some("McpToolCall") => {
                let name = [server, tool].map(|part| part.text().unwrap_or_default());
                self.finished(draft, at, &format!("mcp__{}__{}", name[0], name[1]), item);
            }
            _ => return false,
        }
        true
    }

    /// A finished command, patch or call over MCP. If no line of the conversation told of it, it
    /// was made from within a script.
    fn finished(&self, draft: &mut Draft, at: &str, tool: &str, item: Json<'_>) {
        let end = end(tool, item);
        let [id, call_id] = item.pick(["id", "call_id"]);
        let id = id.id().or_else(|| call_id.id());
        if let Some(operation) = id.as_deref().and_then(|id| draft.call(id)) {
            operation.end = end;
            return;
        }
        let [command, files, arguments] = item.pick(["command", "changes", "arguments"]);
        let deed = match tool {
            "Bash" => shell(command),
            "apply_patch" => changes(files),
            _ => Deed::Other { what: anything(arguments) },
        };
        draft.begin(at, self.operation(&call(tool, Json::NONE, id), deed, end));
    }
}

fn call<'a>(tool: &str, input: Json<'a>, id: Option<String>) -> Call<'a> {
    Call { tool: tool.to_owned(), input, response: Json::NONE, id, duration_ms: None }
}

fn end(tool: &str, item: Json<'_>) -> End {
    let [status, exit, output, stderr, success, error] =
        item.pick(["status", "exit_code", "aggregated_output", "stderr", "success", "error"]);
    let status = status.text().unwrap_or_default();
    if status == "declined" {
        return End::Denied { why: "declined".to_owned() };
    }
    if tool == "Bash" {
        return by_exit(exit.number(), &briefly(output));
    }
    if status == "failed" || success.raw() == b"false" {
        let why = if error.is_some() { anything(error) } else { briefly(stderr) };
        return End::Failed { exit: None, why: brief(&why) };
    }
    End::Completed { exit: None }
}

/// A person stopped the turn: what was still going on was stopped with it.
fn interrupt(draft: &mut Draft) {
    for moment in &mut draft.transcript.moments {
        if let What::Call(operation) = &mut moment.what
            && operation.end == End::Initiated
        {
            operation.end = End::Interrupted;
        }
    }
}
