//! What our own bridge prints about an agent that speaks ACP.

use countersign_domain::agent::{AgentEnd, Usage};
use countersign_domain::receipt::Ended;

use super::bridge::told;
use crate::agents::json::Json;
use crate::agents::stream::ear::Ear;
use crate::agents::stream::{Dialect, Listener, faults, told_cost};

#[derive(Debug, Default)]
pub(crate) struct Stream {
    is_speaking: bool,
    used: Usage,
    end: Option<AgentEnd>,
}

impl Dialect for Stream {
    fn hear(&mut self, event: Json<'_>, ear: &mut Ear, on: &mut Listener<'_>) {
        let [kind, id, text] = event.pick([told::KIND, "id", "text"]);
        let Some(kind) = kind.text() else { return };
        ear.heard = true;
        match kind.as_str() {
            told::BEGAN => {
                let [session, model] = event.pick(["session", "model"]);
                ear.began(session, model, on);
            }
            told::SAID => {
                if self.is_speaking {
                    ear.says_more(text, on);
                } else {
                    ear.says(text, on);
                }
                self.is_speaking = true;
            }
            told::CALLED => {
                self.is_speaking = false;
                let [tool, input] = event.pick(["tool", "input"]);
                ear.calls(id, tool, input, on);
            }
            told::GOT => {
                self.is_speaking = false;
                let [failed, bytes] = event.pick(["failed", "bytes"]);
                let bytes = usize::try_from(bytes.count()).unwrap_or(usize::MAX);
                ear.got(id, failed.is_true(), bytes, on);
                ear.tell_use(on);
            }
            told::USED => self.used(event, ear, on),
            told::DENIED => ear.refused(text.text_up_to(240).unwrap_or_default()),
            told::ENDED => self.end = Some(end_of(text, ear)),
            told::FAILED => {
                let text = text.text_up_to(4000).unwrap_or_default();
                self.end = Some(faults::read_or_failed(None, &text));
            }
            _ => {}
        }
    }

    fn end(&self, ear: &Ear, ended: &Ended) -> AgentEnd {
        match &self.end {
            Some(AgentEnd::Finished) if !ended.passed() => {
                AgentEnd::Failed { detail: format!("it says that it is done, but: {ended}") }
            }
            Some(end) => end.clone(),
            None => ear.end_without_word(ended),
        }
    }
}

impl Stream {
    /// Some agents tell the use of their last request only, so tokens are never the whole truth.
    fn used(&mut self, event: Json<'_>, ear: &mut Ear, on: &mut Listener<'_>) {
        let [input, cached, written, output, cost] =
            event.pick(["input", "cached", "written", "output", "cost"]);
        if input.is_some() {
            self.used.input_tokens = input.count() + cached.count() + written.count();
            self.used.cached_tokens = cached.count();
            self.used.cache_write_tokens = written.count();
            self.used.output_tokens = output.count();
            self.used.is_partial = true;
        }
        let cost = told_cost(cost.decimal(), 1);
        self.used.cost = cost.or(self.used.cost);
        ear.account.told(self.used);
        ear.tell_use(on);
    }
}

fn end_of(stop: Json<'_>, ear: &Ear) -> AgentEnd {
    match stop.text().unwrap_or_default().as_str() {
        "end_turn" if ear.said.trim().is_empty() => AgentEnd::Silent,
        "end_turn" => AgentEnd::Finished,
        "max_turn_requests" => AgentEnd::TurnsExhausted,
        "max_tokens" => AgentEnd::ContextOverflow,
        "cancelled" => AgentEnd::Stopped { why: "it was interrupted".to_owned() },
        "refusal" => AgentEnd::Failed { detail: "its model refused to answer".to_owned() },
        other => AgentEnd::Failed { detail: format!("it ended because of '{other}'") },
    }
}
