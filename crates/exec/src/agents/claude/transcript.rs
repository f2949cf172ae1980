//! Claude Code's transcripts: one file per session, and one for each of its sub-agents.

use std::io::{self, BufRead};

use countersign_domain::worklog::{Deed, End, Lane, Operation, Seen};

use super::hook::{finished, is_notification};
use super::tools::{deed, done, failed, is_denial};
use crate::agents::json::Json;
use crate::agents::payload::Call;
use crate::agents::transcript::{Draft, Transcript, What, read_lines};
use crate::agents::words::{MAX_MESSAGE, between, brief, content, content_ends};

/// Reads a session's transcript, or that of a sub-agent.
pub(crate) fn read(input: impl BufRead) -> io::Result<Transcript> {
    let mut state = State::default();
    read_lines(input, |draft, line| state.take(draft, line))
}

/// Whether it would have this call. Those of sub-agents are in their own transcripts; where no
/// sub-agent can have been, only Claude Code's own errands are left, which neither run tests
/// nor keep lists.
pub(crate) fn would_tell(transcript: &Transcript, operation: &Operation) -> bool {
    let counts =
        matches!(operation.deed, Deed::Todo { .. } | Deed::Command { runner: Some(_), .. });
    operation.lane.is_none() || counts && !transcript.may_have_delegated()
}

#[derive(Debug, Default)]
struct State {
    /// Whether the program that wrote so far is known to have ended.
    is_over: bool,
    /// The calls without a result: what they were given is needed to know what they did.
    open: Vec<(String, Vec<u8>)>,
}

impl State {
    fn take(&mut self, draft: &mut Draft, line: Json<'_>) -> bool {
        let [kind, at, message, detail, session, version, agent, sidechain, attached] =
            line.pick([
                "type",
                "timestamp",
                "message",
                "subtype",
                "sessionId",
                "version",
                "agentId",
                "isSidechain",
                "attachment",
            ]);
        let kind = kind.text().unwrap_or_default();
        let queued = if kind == "attachment" { queued(attached) } else { None };
        if !matches!(kind.as_str(), "user" | "assistant" | "system" | "cost-state")
            && queued.is_none()
        {
            return false;
        }
        let transcript = &mut draft.transcript;
        transcript.session = session.id().or_else(|| transcript.session.take());
        transcript.version = version.text().or_else(|| transcript.version.take());
        if kind == "cost-state" {
            // The last thing that the program writes before it ends.
            self.is_over = true;
            return true;
        }
        let at = at.text().unwrap_or_default();
        draft.reach(&at);
        if std::mem::take(&mut self.is_over) {
            draft.add(&at, What::Resumed);
        }
        let is_side = sidechain.is_true();
        match (kind.as_str(), queued) {
            ("system", _) if detail.text().as_deref() == Some("compact_boundary") => {
                draft.add(&at, What::Compacted);
            }
            ("assistant", _) => {
                let id = is_side.then(|| agent.id()).flatten();
                let by = id.map(|id| Lane { id, kind: String::new() });
                self.called(draft, &at, message, by.as_ref());
            }
            ("user", _) => self.answered(draft, &at, line, message),
            (_, Some(text)) => spoken(draft, &at, text, is_side),
            _ => {}
        }
        true
    }

    fn called(&mut self, draft: &mut Draft, at: &str, message: Json<'_>, lane: Option<&Lane>) {
        for block in message.field("content").items() {
            let [sort, id, name, input] = block.pick(["type", "id", "name", "input"]);
            if sort.text().as_deref() != Some("tool_use") {
                continue;
            }
            let call = Call {
                tool: name.text().unwrap_or_default(),
                input,
                response: Json::NONE,
                id: id.id(),
                duration_ms: None,
            };
            if let Some(id) = &call.id {
                self.open.push((id.clone(), input.raw().to_vec()));
            }
            draft.begin(at, call.operation(deed(&call), End::Initiated, lane, Seen::Transcript));
        }
    }

    fn answered(&mut self, draft: &mut Draft, at: &str, line: Json<'_>, message: Json<'_>) {
        let body = message.field("content");
        let mut is_prompt = true;
        for block in body.items() {
            let [sort, id] = block.pick(["type", "tool_use_id"]);
            if sort.text().as_deref() == Some("tool_result") {
                is_prompt = false;
                if let Some(id) = id.id() {
                    self.ended(draft, &id, line, block);
                }
            }
        }
        let [meta, summary, repeated, side] =
            line.pick(["isMeta", "isCompactSummary", "repeatsCompactSummary", "isSidechain"]);
        let is_by_program = meta.is_true() || summary.is_true() || repeated.is_true();
        if is_prompt
            && !is_by_program
            && let Some(text) = content(body, MAX_MESSAGE)
        {
            spoken(draft, at, text, side.is_true());
        }
    }

    fn ended(&mut self, draft: &mut Draft, id: &str, line: Json<'_>, block: Json<'_>) {
        let Some(operation) = draft.call(id) else { return };
        let Some(open) = self.open.iter().position(|(call, _)| call == id) else { return };
        let (_, input) = self.open.swap_remove(open);
        let [result, decision, denial] =
            line.pick(["toolUseResult", "permissionDecision", "toolDenialKind"]);
        let [is_error, body] = block.pick(["is_error", "content"]);
        let call = Call {
            tool: operation.tool.clone(),
            input: Json::document(&input),
            // Older versions write the response down for the model alone.
            response: if result.is_object() { result } else { body },
            id: None,
            duration_ms: None,
        };
        operation.deed = deed(&call);
        let text = || content_ends(body);
        let is_rejected = decision.field("decision").text().as_deref() == Some("reject");
        operation.end = if is_rejected || denial.is_some() {
            End::Denied { why: brief(&text()) }
        } else if !is_error.is_true() {
            done(&call, &operation.deed)
        } else if is_denial(&text()) && !matches!(operation.deed, Deed::Other { .. }) {
            End::Denied { why: brief(&text()) }
        } else {
            failed(&text(), &operation.deed)
        };
    }
}

/// What was said while the agent worked, and waited for its turn.
fn queued(attached: Json<'_>) -> Option<String> {
    let [sort, prompt] = attached.pick(["type", "prompt"]);
    let is_queued = sort.text().as_deref() == Some("queued_command");
    is_queued.then(|| content(prompt, MAX_MESSAGE)).flatten()
}

/// Words in a person's place: a person's, a program's, or, in a sub-agent's transcript, those of
/// its agent.
fn spoken(draft: &mut Draft, at: &str, text: String, is_side: bool) {
    if is_notification(&text) {
        if let Some(finished) = finished(&text) {
            draft.finish(finished);
        }
    } else if is_side || BY_PROGRAM.iter().any(|beginning| text.starts_with(beginning)) {
        // Nobody asked for anything.
    } else if let Some(name) = between(&text, "<command-name>", "</command-name>") {
        let args = between(&text, "<command-args>", "</command-args>").unwrap_or_default();
        draft.add(at, What::Prompt(format!("{name} {args}").trim_end().to_owned()));
    } else {
        draft.add(at, What::Prompt(text));
    }
}

/// What Claude Code itself writes where a person's words would be.
const BY_PROGRAM: [&str; 3] = ["<local-command-", "<bash-", "[Request interrupted by user"];
