//! What Claude Code prints with `--output-format stream-json --verbose`.
//!
//! How it ended is in its last `result`, and neither in its exit code nor in the word "success":
//! an API that failed is a success with `is_error`, and an interruption leaves with 0.

use countersign_domain::agent::{AgentEnd, Usage};
use countersign_domain::receipt::Ended;

use crate::agents::json::Json;
use crate::agents::prices::Price;
use crate::agents::stream::ear::{Ear, about};
use crate::agents::stream::{Dialect, Listener, Moment, faults, told_cost};
use crate::agents::words::{MAX_MESSAGE, brief, first_of};

/// How many messages are told apart: those of all agents at work at once.
const MAX_MESSAGES: usize = 32;

#[derive(Debug, Default)]
pub(crate) struct Stream {
    /// The use of the last messages, which are told piece by piece.
    messages: Vec<(String, Usage)>,
    /// The use before those.
    settled: Usage,
    result: Option<Ending>,
}

/// How a turn ended.
#[derive(Debug)]
struct Ending {
    subtype: String,
    is_error: bool,
    reason: String,
    stop: String,
    status: Option<i64>,
    text: String,
    turns: Option<i64>,
}

impl Dialect for Stream {
    fn hear(&mut self, event: Json<'_>, ear: &mut Ear, on: &mut Listener<'_>) {
        let [kind, session] = event.pick(["type", "session_id"]);
        ear.heard = true;
        match kind.text().as_deref() {
            Some("system") => system(event, session, ear, on),
            Some("assistant") => self.assistant(event, ear, on),
            Some("user") => user(event, ear, on),
            Some("result") => self.result(event, session, ear, on),
            Some("rate_limit_event") => limit(event.field("rate_limit_info"), on),
            _ => {}
        }
    }

    fn end(&self, ear: &Ear, ended: &Ended) -> AgentEnd {
        let Some(result) = &self.result else { return ear.end_without_word(ended) };
        let failed = |detail: String| AgentEnd::Failed { detail };
        match (result.subtype.as_str(), result.reason.as_str()) {
            ("error_max_turns", _) | (_, "max_turns") => return AgentEnd::TurnsExhausted,
            ("error_max_budget_usd", _) | (_, "budget_exhausted") => {
                return AgentEnd::BudgetReached;
            }
            (_, "hook_stopped") => return failed("a hook stopped it".to_owned()),
            (_, reason) if reason.starts_with("aborted") => {
                return AgentEnd::Stopped { why: "it was interrupted".to_owned() };
            }
            (_, "prompt_too_long" | "context_exhausted") => return AgentEnd::ContextOverflow,
            _ => {}
        }
        // Some errors are told in place of an answer.
        if result.is_error || result.text.starts_with("API Error") {
            return faults::read_or_failed(result.status, &result.text);
        }
        if !matches!(result.reason.as_str(), "" | "completed") {
            return failed(format!("it ended because of '{}'", brief(&result.reason)));
        }
        if result.stop == "refusal" {
            return failed("its model refused to answer".to_owned());
        }
        if result.turns == Some(0) {
            return failed(format!("its prompt was refused: {}", brief(&result.text)));
        }
        if result.text.trim().is_empty() {
            return AgentEnd::Silent;
        }
        if !ended.passed() {
            return failed(format!("it says that it is done, but: {ended}"));
        }
        AgentEnd::Finished
    }
}

impl Stream {
    fn assistant(&mut self, event: Json<'_>, ear: &mut Ear, on: &mut Listener<'_>) {
        let [message, parent] = event.pick(["message", "parent_tool_use_id"]);
        let [id, model, blocks, used] = message.pick(["id", "model", "content", "usage"]);
        let model = model.text();
        // A message of its own making, such as an error, was never asked for.
        if model.as_deref() == Some("<synthetic>") {
            return;
        }
        let is_main = !parent.is_some();
        let mut bytes = 0;
        for block in blocks.items() {
            bytes += block.raw().len();
            let [kind, text, call, name, input] =
                block.pick(["type", "text", "id", "name", "input"]);
            match kind.text().as_deref() {
                Some("text") if is_main => ear.says(text, on),
                Some("tool_use") => ear.calls(call, name, input, on),
                _ => {}
            }
        }
        let price = model.as_deref().and_then(|model| ear.prices.of(model));
        self.count(id.id().unwrap_or_default(), usage_of(used), bytes, price);
        let sum = self.messages.iter().fold(self.settled, |sum, (_, usage)| sum + *usage);
        ear.account.told_so_far(sum);
        ear.tell_use(on);
    }

    /// Takes in one piece of a message. What came out of it is told only with the result, so it
    /// is estimated by its length.
    fn count(&mut self, id: String, mut usage: Usage, bytes: usize, price: Option<Price>) {
        let estimate = bytes as u64 / 4;
        let known = self.messages.iter().position(|(known, _)| *known == id);
        let before = known.map(|at| self.messages[at].1.output_tokens).unwrap_or_default();
        usage.output_tokens = usage.output_tokens.max(before + estimate);
        usage.cost = price.map(|price| price.of(&usage));
        usage.is_priced_by_us = price.is_some();
        match known {
            Some(at) => self.messages[at].1 = usage,
            None => self.messages.push((id, usage)),
        }
        if self.messages.len() > MAX_MESSAGES {
            let (_, oldest) = self.messages.remove(0);
            self.settled = self.settled + oldest;
        }
    }

    fn result(&mut self, event: Json<'_>, session: Json<'_>, ear: &mut Ear, on: &mut Listener<'_>) {
        let [subtype, is_error, reason, status, text, errors, turns, stop] = event.pick([
            "subtype",
            "is_error",
            "terminal_reason",
            "api_error_status",
            "result",
            "errors",
            "num_turns",
            "stop_reason",
        ]);
        ear.began(session, Json::NONE, on);
        let said = text.text_up_to(MAX_MESSAGE).unwrap_or_default();
        let errors: Vec<String> =
            errors.items().take(10).filter_map(|error| error.text_up_to(2000)).collect();
        let is_error = is_error.is_true();
        let mut told = said.clone();
        if is_error && !errors.is_empty() {
            told = format!("{told} {}", errors.join("; ")).trim().to_owned();
        }
        if !said.trim().is_empty() && !is_error {
            ear.said = said;
        }
        self.result = Some(Ending {
            subtype: subtype.text().unwrap_or_default(),
            is_error,
            reason: reason.text().unwrap_or_default(),
            stop: stop.text().unwrap_or_default(),
            status: status.number(),
            text: told,
            turns: turns.number(),
        });
        for denied in event.field("permission_denials").items() {
            let [tool, input] = denied.pick(["tool_name", "tool_input"]);
            let tool = tool.text().unwrap_or_default();
            ear.refused(format!("{tool}: {}", about(input)).trim_end_matches(": ").to_owned());
        }
        let usage = totals(event);
        self.settled = usage;
        self.messages.clear();
        ear.account.told(usage);
        ear.tell_use(on);
    }
}

fn system(event: Json<'_>, session: Json<'_>, ear: &mut Ear, on: &mut Listener<'_>) {
    let [subtype, model] = event.pick(["subtype", "model"]);
    match subtype.text().as_deref() {
        Some("init") => ear.began(session, model, on),
        Some("api_retry") => {
            let [status, error, wait] = event.pick(["error_status", "error", "retry_delay_ms"]);
            let error = error.text_up_to(200).unwrap_or_default();
            let status = status.number().map(|status| format!("{status} ")).unwrap_or_default();
            ear.fault = faults::read(event.field("error_status").number(), &error);
            let wait_ms = wait.decimal().map(|_| wait.count());
            on(Moment::Retried { detail: format!("{status}{error}"), wait_ms });
        }
        _ => {}
    }
}

fn user(event: Json<'_>, ear: &mut Ear, on: &mut Listener<'_>) {
    for block in event.field("message").field("content").items() {
        let [kind, id, error, told] = block.pick(["type", "tool_use_id", "is_error", "content"]);
        if kind.text().as_deref() == Some("tool_result") {
            ear.got(id, error.is_true(), told.raw().len(), on);
        }
    }
}

/// The user's subscription has no more to give, or soon.
fn limit(info: Json<'_>, on: &mut Listener<'_>) {
    if info.field("status").text().as_deref() == Some("rejected") {
        let kind = first_of(info, ["rateLimitType"]);
        on(Moment::Retried {
            detail: format!("the limit of use is reached {kind}"),
            wait_ms: None,
        });
    }
}

fn usage_of(used: Json<'_>) -> Usage {
    let [input, written, read, output] = used.pick([
        "input_tokens",
        "cache_creation_input_tokens",
        "cache_read_input_tokens",
        "output_tokens",
    ]);
    Usage {
        input_tokens: input.count() + written.count() + read.count(),
        cached_tokens: read.count(),
        cache_write_tokens: written.count(),
        output_tokens: output.count(),
        ..Usage::default()
    }
}

/// What a result says was used by all agents and models of the conversation. `usage` is the main
/// agent's alone, and only for this turn.
fn totals(event: Json<'_>) -> Usage {
    let [models, used, cost] = event.pick(["modelUsage", "usage", "total_cost_usd"]);
    let mut sum = Usage::default();
    for (_, model) in models.fields() {
        let [input, output, read, written] = model.pick([
            "inputTokens",
            "outputTokens",
            "cacheReadInputTokens",
            "cacheCreationInputTokens",
        ]);
        sum.input_tokens += input.count() + read.count() + written.count();
        sum.cached_tokens += read.count();
        sum.cache_write_tokens += written.count();
        sum.output_tokens += output.count();
    }
    if sum.tokens() == 0 {
        sum = usage_of(used);
    }
    sum.cost = told_cost(cost.decimal(), sum.tokens());
    sum
}
