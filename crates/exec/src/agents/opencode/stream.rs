//! What OpenCode prints with `run --format json`: one event for every part of a message, with the
//! use of every step.

use countersign_domain::agent::{AgentEnd, Usage};
use countersign_domain::receipt::Ended;

use crate::agents::json::Json;
use crate::agents::stream::ear::Ear;
use crate::agents::stream::{Dialect, Listener, faults, told_cost};

#[derive(Debug, Default)]
pub(crate) struct Stream {
    used: Usage,
    /// Why its last step ended, if it ended.
    reason: Option<String>,
    failed: Option<AgentEnd>,
}

impl Dialect for Stream {
    fn hear(&mut self, event: Json<'_>, ear: &mut Ear, on: &mut Listener<'_>) {
        let [kind, session, part] = event.pick(["type", "sessionID", "part"]);
        ear.heard = true;
        ear.began(session, Json::NONE, on);
        match kind.text().as_deref() {
            Some("step_start") => self.reason = None,
            Some("text") => ear.says(part.field("text"), on),
            Some("tool_use") => {
                let [id, tool, state] = part.pick(["callID", "tool", "state"]);
                let [status, input, output] = state.pick(["status", "input", "output"]);
                ear.calls(id, tool, input, on);
                let failed = status.text().as_deref() == Some("error");
                ear.got(id, failed, output.raw().len(), on);
            }
            Some("step_finish") => self.step(part, ear, on),
            Some("error") => {
                let [name, data] = event.field("error").pick(["name", "data"]);
                let [message, status] = data.pick(["message", "statusCode"]);
                let text = [name, message].map(|text| text.text_up_to(4000).unwrap_or_default());
                self.failed = Some(faults::read_or_failed(status.number(), &text.join(": ")));
            }
            _ => {}
        }
    }

    fn end(&self, ear: &Ear, ended: &Ended) -> AgentEnd {
        if let Some(failed) = &self.failed {
            return failed.clone();
        }
        match self.reason.as_deref() {
            Some("stop") => ear.end_when_done(ended),
            Some("length") => AgentEnd::Failed { detail: "its answer was cut off".to_owned() },
            _ => ear.end_without_word(ended),
        }
    }
}

impl Stream {
    fn step(&mut self, part: Json<'_>, ear: &mut Ear, on: &mut Listener<'_>) {
        let [reason, tokens, cost] = part.pick(["reason", "tokens", "cost"]);
        let [input, output, thought, cache] =
            tokens.pick(["input", "output", "reasoning", "cache"]);
        let [read, written] = cache.pick(["read", "write"]);
        self.reason = reason.text();
        self.failed = None;
        let mut step = Usage {
            input_tokens: input.count() + read.count() + written.count(),
            cached_tokens: read.count(),
            cache_write_tokens: written.count(),
            output_tokens: output.count() + thought.count(),
            ..Usage::default()
        };
        step.cost = told_cost(cost.decimal(), step.tokens());
        if step.cost.is_none() {
            step.cost = ear.model.as_deref().and_then(|model| ear.prices.cost(model, &step));
            step.is_priced_by_us = step.cost.is_some();
        }
        self.used = self.used + step;
        ear.account.told(self.used);
        ear.tell_use(on);
    }
}
