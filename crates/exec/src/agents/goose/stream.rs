//! What Goose prints with `--output-format stream-json`. It greets first, and tells an error of
//! its model as if the model had said it.

use countersign_domain::agent::{AgentEnd, Usage};
use countersign_domain::receipt::Ended;

use crate::agents::json::Json;
use crate::agents::stream::ear::Ear;
use crate::agents::stream::{Dialect, Listener, faults};

/// How it begins to tell an error.
const ERROR: &str = "Ran into this error";

#[derive(Debug, Default)]
pub(crate) struct Stream {
    /// The message that is told piece by piece.
    message: Option<String>,
    is_done: bool,
    failed: Option<AgentEnd>,
}

impl Dialect for Stream {
    fn hear(&mut self, event: Json<'_>, ear: &mut Ear, on: &mut Listener<'_>) {
        let [kind, message] = event.pick(["type", "message"]);
        ear.heard = true;
        match kind.text().as_deref() {
            Some("message") => self.message(message, ear, on),
            Some("error") => {
                let text = event.field("error").text_up_to(4000).unwrap_or_default();
                self.failed = Some(faults::read_or_failed(None, &text));
            }
            Some("complete") => {
                self.is_done = true;
                let [input, output, total] =
                    event.pick(["input_tokens", "output_tokens", "total_tokens"]);
                let input = input.count();
                let usage = Usage {
                    input_tokens: input,
                    output_tokens: output.count().max(total.count().saturating_sub(input)),
                    ..Usage::default()
                };
                // It tells nothing rather than zero if its provider tells nothing.
                if usage.tokens() > 0 {
                    ear.account.told(usage);
                }
                ear.tell_use(on);
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
    fn message(&mut self, message: Json<'_>, ear: &mut Ear, on: &mut Listener<'_>) {
        let [id, role, blocks] = message.pick(["id", "role", "content"]);
        let is_agents = role.text().as_deref() == Some("assistant");
        for block in blocks.items() {
            let [kind, text, call, asked, result] =
                block.pick(["type", "text", "id", "toolCall", "toolResult"]);
            match kind.text().as_deref() {
                Some("text") if is_agents => {
                    let said = text.text_up_to(4000).unwrap_or_default();
                    if said.starts_with(ERROR) {
                        self.failed = Some(faults::read_or_failed(None, &said));
                        continue;
                    }
                    let id = id.id();
                    let is_more = id.is_some() && id == self.message;
                    self.message = id;
                    self.failed = None;
                    if is_more {
                        ear.says_more(text, on);
                    } else {
                        ear.says(text, on);
                    }
                }
                Some("toolRequest") => {
                    let [name, input] = asked.field("value").pick(["name", "arguments"]);
                    ear.calls(call, name, input, on);
                }
                Some("toolResponse") => {
                    let failed = result.field("value").field("isError").is_true()
                        || result.field("status").text().as_deref() == Some("error");
                    ear.got(call, failed, result.raw().len(), on);
                    ear.tell_use(on);
                }
                _ => {}
            }
        }
    }
}
