//! What the Gemini CLI prints with `-o stream-json`.

use countersign_domain::agent::{AgentEnd, Usage};
use countersign_domain::receipt::Ended;

use crate::agents::json::Json;
use crate::agents::stream::ear::Ear;
use crate::agents::stream::{Dialect, Listener, faults};

/// Exit codes that say more than its words.
const NOT_LOGGED_IN: i32 = 41;
const TURNS: i32 = 53;

#[derive(Debug, Default)]
pub(crate) struct Stream {
    /// Whether the next piece of text goes on with the last one.
    is_speaking: bool,
    /// What the result says, if there is one.
    result: Option<Result<(), AgentEnd>>,
}

impl Dialect for Stream {
    fn hear(&mut self, event: Json<'_>, ear: &mut Ear, on: &mut Listener<'_>) {
        let [kind, role, text, id] = event.pick(["type", "role", "content", "tool_id"]);
        ear.heard = true;
        match kind.text().as_deref() {
            Some("init") => {
                let [session, model] = event.pick(["session_id", "model"]);
                ear.began(session, model, on);
            }
            Some("message") if role.text().as_deref() == Some("assistant") => {
                let is_more = self.is_speaking && event.field("delta").is_true();
                self.is_speaking = true;
                if is_more { ear.says_more(text, on) } else { ear.says(text, on) }
            }
            Some("tool_use") => {
                self.is_speaking = false;
                let [tool, input] = event.pick(["tool_name", "parameters"]);
                ear.calls(id, tool, input, on);
            }
            Some("tool_result") => {
                let [status, output] = event.pick(["status", "output"]);
                let failed = status.text().as_deref() == Some("error");
                ear.got(id, failed, output.raw().len(), on);
                ear.tell_use(on);
            }
            Some("error") => {
                let text = event.field("message").text_up_to(4000).unwrap_or_default();
                ear.fault = Some(faults::read_or_failed(None, &text));
            }
            Some("result") => self.result(event, ear, on),
            _ => {}
        }
    }

    fn end(&self, ear: &Ear, ended: &Ended) -> AgentEnd {
        let by_code = match ended {
            Ended::Exited { code: NOT_LOGGED_IN } => {
                Some(AgentEnd::NotLoggedIn { detail: "Gemini found no way to log in".to_owned() })
            }
            Ended::Exited { code: TURNS } => Some(AgentEnd::TurnsExhausted),
            _ => None,
        };
        if let Some(end) = by_code {
            return end;
        }
        match &self.result {
            Some(Err(end)) => end.clone(),
            Some(Ok(())) => ear.end_when_done(ended),
            None => ear.end_without_word(ended),
        }
    }
}

impl Stream {
    fn result(&mut self, event: Json<'_>, ear: &mut Ear, on: &mut Listener<'_>) {
        let [status, error, used] = event.pick(["status", "error", "stats"]);
        let is_success = status.text().as_deref() == Some("success");
        self.result = Some(if is_success {
            Ok(())
        } else {
            let [kind, message] = error.pick(["type", "message"]);
            let text = [kind, message].map(|text| text.text_up_to(4000).unwrap_or_default());
            Err(faults::read_or_failed(None, text.join(": ").trim_start_matches(": ")))
        });
        if used.is_some() {
            ear.account.told(usage(used, ear));
            ear.tell_use(on);
        }
    }
}

/// The use of all models together. Each has its own price.
fn usage(stats: Json<'_>, ear: &Ear) -> Usage {
    let mut sum = tokens(stats);
    let mut cost = None;
    let mut is_known = true;
    for (name, model) in stats.field("models").fields() {
        let used = tokens(model);
        let price = ear.prices.cost(&String::from_utf8_lossy(name), &used);
        is_known &= price.is_some() || used.tokens() == 0;
        cost = Some(cost.unwrap_or_default() + price.unwrap_or_default());
    }
    if is_known && cost.is_some() {
        sum.cost = cost;
        sum.is_priced_by_us = true;
    }
    sum
}

fn tokens(stats: Json<'_>) -> Usage {
    let [total, input, output, cached] =
        stats.pick(["total_tokens", "input_tokens", "output_tokens", "cached"]);
    let input = input.count();
    Usage {
        input_tokens: input,
        cached_tokens: cached.count(),
        // Thoughts are only in the total.
        output_tokens: output.count().max(total.count().saturating_sub(input)),
        ..Usage::default()
    }
}
