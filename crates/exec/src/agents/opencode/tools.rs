//! What OpenCode's tools do, and how their calls end.

use countersign_domain::worklog::{Deed, End, FileFate};

use crate::agents::deeds::{command, file, listed, look, other};
use crate::agents::json::Json;
use crate::agents::patch;
use crate::agents::payload::Call;
use crate::agents::words::{MAX_RESULT, briefly, first_of};

/// A patch or a diff is read as far as this.
const MAX_PATCH: usize = 4 * 1024 * 1024;

pub(crate) fn deed(call: &Call<'_>) -> Deed {
    let input = call.input;
    let metadata = call.response.field("metadata");
    match call.tool.as_str() {
        "bash" | "shell" => command(input.field("command")),
        "write" => {
            let [path, body] = input.pick(["filePath", "content"]);
            let is_new = metadata.field("exists").raw() == b"false";
            let fate = if is_new { FileFate::Created } else { FileFate::Changed };
            Deed::Write { files: file(path, fate, (body.lines(), 0)) }
        }
        "edit" | "multiedit" => {
            let [path, old, new] = input.pick(["filePath", "oldString", "newString"]);
            let lines = diff_lines(metadata).unwrap_or((new.lines(), old.lines()));
            let is_new = old.raw() == b"\"\"";
            let fate = if is_new { FileFate::Created } else { FileFate::Changed };
            Deed::Edit { files: file(path, fate, lines) }
        }
        "apply_patch" | "patch" => {
            let text = input.field("patchText").text_up_to(MAX_PATCH).unwrap_or_default();
            Deed::Edit { files: patch::files(&text) }
        }
        "todowrite" => listed(input.field("todos"), metadata.field("todos")),
        "task" => Deed::Delegate {
            agent: input.field("subagent_type").text().unwrap_or_default(),
            purpose: first_of(input, ["description", "prompt"]),
        },
        "read" | "grep" | "glob" | "list" | "webfetch" | "websearch" | "codesearch"
        | "todoread" | "lsp" => look(input),
        _ => other(input),
    }
}

fn diff_lines(metadata: Json<'_>) -> Option<(u32, u32)> {
    let [diff] = metadata.pick(["diff"]);
    diff.text_up_to(MAX_PATCH).map(|diff| patch::diff_lines(&diff))
}

/// How a call ended that OpenCode calls done: it gives the exit code of commands as a number.
pub(crate) fn done(call: &Call<'_>, deed: &Deed) -> End {
    let Deed::Command { .. } = deed else { return End::Completed { exit: None } };
    let [output, metadata] = call.response.pick(["output", "metadata"]);
    let exit = metadata.field("exit").number().and_then(|exit| i32::try_from(exit).ok());
    let tail = output.text_from_end(MAX_RESULT).unwrap_or_default();
    if exit != Some(0) && tail.contains("exceeded timeout") {
        return End::TimedOut;
    }
    match exit {
        Some(exit) if exit != 0 => End::Failed { exit: Some(exit), why: briefly(output) },
        exit => End::Completed { exit },
    }
}

/// How a call ended that OpenCode calls failed.
pub(crate) fn failed(error: Json<'_>) -> End {
    let why = briefly(error);
    let is_refusal = ["The user rejected permission", "The user has specified a rule"];
    if is_refusal.iter().any(|beginning| why.starts_with(beginning)) {
        return End::Denied { why };
    }
    if why.contains("called with invalid arguments") || why.starts_with("Model tried to call") {
        return End::Rejected { why };
    }
    if why == "Tool execution aborted" {
        return End::Interrupted;
    }
    End::Failed { exit: None, why }
}
