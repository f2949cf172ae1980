//! What Codex prints with `exec --json`.
//!
//! It tells its use once a turn, for the whole conversation so far, without a cost and without
//! the agents that it started itself.

use countersign_domain::agent::{AgentEnd, Usage};
use countersign_domain::receipt::Ended;

use crate::agents::json::Json;
use crate::agents::stream::ear::Ear;
use crate::agents::stream::{Dialect, Listener, Moment, faults};

#[derive(Debug, Default)]
pub(crate) struct Stream {
    /// Whether its last turn came to its end.
    is_done: bool,
    /// How its last turn failed.
    failed: Option<AgentEnd>,
    /// Whether it started agents of its own, whose use nobody tells.
    has_others: bool,
}

impl Dialect for Stream {
    fn hear(&mut self, event: Json<'_>, ear: &mut Ear, on: &mut Listener<'_>) {
        let [kind, item] = event.pick(["type", "item"]);
        ear.heard = true;
        match kind.text().as_deref() {
            Some("thread.started") => ear.began(event.field("thread_id"), Json::NONE, on),
            Some("turn.started") => {
                self.is_done = false;
                self.failed = None;
            }
            Some("item.started") => self.started(item, ear, on),
            Some("item.completed") => Self::completed(item, ear, on),
            Some("turn.completed") => {
                self.is_done = true;
                ear.account.told(self.usage(event.field("usage")));
                ear.tell_use(on);
            }
            Some("turn.failed") => {
                let text = event.field("error").field("message").text_up_to(4000);
                self.failed = Some(faults::read_or_failed(None, &text.unwrap_or_default()));
            }
            Some("error") => {
                let text = event.field("message").text_up_to(4000).unwrap_or_default();
                // It then goes on by itself, or tells that its turn failed.
                ear.fault = Some(faults::read_or_failed(None, &text));
                on(Moment::Retried { detail: text, wait_ms: None });
            }
            _ => {}
        }
    }

    fn end(&self, ear: &Ear, ended: &Ended) -> AgentEnd {
        match &self.failed {
            Some(failed) => failed.clone(),
            None if self.is_done => ear.end_when_done(ended),
            None => ear.end_without_word(ended),
        }
    }
}

impl Stream {
    fn started(&mut self, item: Json<'_>, ear: &mut Ear, on: &mut Listener<'_>) {
        let [id, kind] = item.pick(["id", "type"]);
        match kind.text().as_deref() {
            Some("command_execution" | "web_search" | "file_change") => {
                ear.calls(id, kind, item, on);
            }
            Some("mcp_tool_call") => {
                let [tool, input] = item.pick(["tool", "arguments"]);
                ear.calls(id, tool, input, on);
            }
            Some("collab_tool_call") => {
                self.has_others = true;
                ear.calls(id, item.field("tool"), item, on);
            }
            _ => {}
        }
    }

    fn completed(item: Json<'_>, ear: &mut Ear, on: &mut Listener<'_>) {
        let [id, kind, text, status, output, result] =
            item.pick(["id", "type", "text", "status", "aggregated_output", "result"]);
        match kind.text().as_deref() {
            Some("agent_message") => {
                ear.says(text, on);
                ear.tell_use(on);
            }
            Some("reasoning") => ear.account.came_out(text.raw().len()),
            Some(
                "command_execution" | "file_change" | "web_search" | "mcp_tool_call"
                | "collab_tool_call",
            ) => {
                let failed = status.text().as_deref() == Some("failed");
                ear.got(id, failed, output.raw().len() + result.raw().len(), on);
                ear.tell_use(on);
            }
            _ => {}
        }
    }

    fn usage(&self, used: Json<'_>) -> Usage {
        let [input, cached, written, output] = used.pick([
            "input_tokens",
            "cached_input_tokens",
            "cache_write_input_tokens",
            "output_tokens",
        ]);
        Usage {
            input_tokens: input.count(),
            cached_tokens: cached.count(),
            cache_write_tokens: written.count(),
            output_tokens: output.count(),
            is_partial: self.has_others,
            ..Usage::default()
        }
    }
}
