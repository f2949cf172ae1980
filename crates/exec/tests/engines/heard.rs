//! What agents print, in the shapes in which the real ones do, and what is made of it.

use countersign_domain::agent::{AgentEnd, AgentSpec, Heard, Money, Usage};
use countersign_domain::receipt::Ended;
use countersign_exec::agents::{Moment, Prices, Reader};
use serde_json::{Value, json};

pub(crate) const DONE: Ended = Ended::Exited { code: 0 };

pub(crate) fn spec(name: &str) -> AgentSpec {
    name.parse().unwrap()
}

/// Reads lines as one agent's, and tells what was heard by its end.
fn hear(agent: &str, lines: &[Value], ended: &Ended) -> Heard {
    let mut reader = Reader::new(&spec(agent));
    for line in lines {
        reader.feed(format!("{line}\n").as_bytes(), &mut |_| {});
    }
    reader.finish(ended)
}

fn moments(agent: &str, lines: &[Value]) -> Vec<Moment> {
    let mut reader = Reader::new(&spec(agent));
    let mut found = Vec::new();
    for line in lines {
        reader.feed(format!("{line}\n").as_bytes(), &mut |moment| found.push(moment));
    }
    found
}

fn exited(code: i32) -> Ended {
    Ended::Exited { code }
}

fn name(end: &AgentEnd) -> String {
    serde_json::to_value(end).unwrap()["end"].as_str().unwrap().to_owned()
}

/// A result of Claude Code, with some fields changed.
fn claude_result(changes: &Value) -> Value {
    let mut result = json!({
        "type": "result", "subtype": "success", "is_error": false, "result": "Done.",
        "session_id": "s-1", "num_turns": 3, "terminal_reason": "completed",
        "stop_reason": "end_turn", "api_error_status": null, "total_cost_usd": 0.010_92,
        "usage": {"input_tokens": 1, "output_tokens": 1},
        "modelUsage": {
            "claude-opus-5-5": {"inputTokens": 1600, "outputTokens": 100,
                "cacheReadInputTokens": 3100, "cacheCreationInputTokens": 300, "costUSD": 0.01},
            "claude-haiku-4-5": {"inputTokens": 50, "outputTokens": 10, "cacheReadInputTokens": 0,
                "cacheCreationInputTokens": 0, "costUSD": 0.000_92},
        },
        "permission_denials": [],
    });
    for (field, value) in changes.as_object().unwrap() {
        result[field] = value.clone();
    }
    result
}

/// LP-18: what Claude Code used is what all its agents used, at the cost that it tells.
#[test]
fn claude_is_counted_with_all_its_agents() {
    let denied = json!([{"tool_name": "Bash", "tool_input": {"command": "rm -r x"}}]);
    let lines = [
        json!({"type": "system", "subtype": "init", "session_id": "s-1", "model": "claude-opus-5-5"}),
        claude_result(&json!({"permission_denials": denied})),
    ];
    let heard = hear("claude", &lines, &DONE);
    assert_eq!(heard.end, AgentEnd::Finished);
    assert_eq!(heard.said, "Done.");
    assert_eq!(heard.session.as_deref(), Some("s-1"));
    assert_eq!(heard.model.as_deref(), Some("claude-opus-5-5"));
    assert_eq!(heard.denied, ["Bash: rm -r x"]);
    let expected = Usage {
        input_tokens: 5050,
        cached_tokens: 3100,
        cache_write_tokens: 300,
        output_tokens: 110,
        cost: Money::from_dollars(0.01092),
        ..Usage::default()
    };
    assert_eq!(heard.usage, expected);
}

/// LP-16: whether an agent has told the end of its work is known while its program still runs.
#[test]
fn an_end_is_known_when_it_is_told() {
    let mut reader = Reader::new(&"claude".parse().unwrap());
    assert!(!reader.has_told_end());
    let mut feed = |line: &Value| {
        reader.feed(format!("{line}\n").as_bytes(), &mut |_| {});
        reader.has_told_end()
    };
    assert!(!feed(&json!({"type": "system", "subtype": "init", "session_id": "s", "model": "m"})));
    assert!(feed(&claude_result(&json!({}))));
    assert!(!feed(&claude_result(&json!({"subtype": "error_max_budget_usd", "is_error": true}))));
}

/// LP-18: how Claude Code ended is told by more than its exit code and its word for success.
#[test]
fn claudes_ends_are_told_apart() {
    let check = |changes: Value, ended: &Ended, expected: &str| {
        let heard = hear("claude", &[claude_result(&changes)], ended);
        assert_eq!(name(&heard.end), expected, "{changes} {ended}: {:?}", heard.end);
    };
    check(json!({}), &DONE, "finished");
    check(json!({"terminal_reason": null}), &DONE, "finished");
    check(json!({}), &exited(1), "failed");
    check(
        json!({"subtype": "error_max_turns", "is_error": true, "terminal_reason": "max_turns"}),
        &exited(1),
        "turns_exhausted",
    );
    check(
        json!({"subtype": "error_max_budget_usd", "is_error": true, "terminal_reason": "budget_exhausted"}),
        &exited(1),
        "budget_reached",
    );
    check(
        json!({"subtype": "error_during_execution", "is_error": true, "terminal_reason": "aborted_tools"}),
        &DONE,
        "stopped",
    );
    check(json!({"terminal_reason": "hook_stopped", "result": ""}), &DONE, "failed");
    check(json!({"result": ""}), &DONE, "silent");
    check(
        json!({"num_turns": 0, "result": "UserPromptSubmit operation blocked by hook"}),
        &DONE,
        "failed",
    );
    let failed = |status: Value, text: &str| json!({"is_error": true, "terminal_reason": "api_error", "api_error_status": status, "result": text});
    check(
        failed(json!(529), "API Error: Repeated 529 Overloaded errors."),
        &exited(1),
        "overloaded",
    );
    check(failed(json!(500), "API Error: 500 x"), &exited(1), "overloaded");
    check(
        failed(json!(null), "API Error: Connection refused (ECONNREFUSED)"),
        &exited(1),
        "overloaded",
    );
    check(failed(json!(429), "API Error: Request rejected (429)"), &exited(1), "rate_limited");
    check(
        failed(json!(401), "Failed to authenticate. API Error: 401 x"),
        &exited(1),
        "not_logged_in",
    );
    check(failed(json!(400), "Prompt is too long"), &exited(1), "context_overflow");
    check(failed(json!(400), "API Error: 400 x"), &exited(1), "failed");
    check(json!({"result": "API Error: 503 x"}), &DONE, "overloaded");
}

/// LP-18: of several results the last one counts, and what a resumed session used before doesn't.
#[test]
fn claudes_last_result_counts() {
    let first = claude_result(&json!({"result": "first", "total_cost_usd": 0.004}));
    let second = claude_result(&json!({"result": "second", "total_cost_usd": 0.012}));
    let heard = hear("claude", &[first.clone(), second.clone()], &DONE);
    assert_eq!(heard.said, "second");
    assert_eq!(heard.usage.cost, Money::from_dollars(0.012));

    let before = hear("claude", &[first], &DONE).usage;
    let mut reader = Reader::new(&spec("claude")).after(before);
    reader.feed(format!("{second}\n").as_bytes(), &mut |_| {});
    let usage = reader.finish(&DONE).usage;
    assert_eq!((usage.cost, usage.tokens()), (Money::from_dollars(0.008), 0));
}

/// LP-18, LP-21: while Claude Code works, its use is known well enough to stop it.
#[test]
fn claude_is_counted_while_it_works() {
    let message = |id: &str, block: Value| {
        json!({"type": "assistant", "parent_tool_use_id": null, "message": {"id": id,
            "model": "claude-opus-5-5", "content": [block], "usage": {"input_tokens": 1000,
            "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0, "output_tokens": 1}}})
    };
    let text = json!({"type": "text", "text": "x".repeat(4000)});
    let call = json!({"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "ls"}});
    let result = json!({"type": "user", "message": {"content": [{"type": "tool_result",
        "tool_use_id": "t1", "content": "boom", "is_error": true}]}});
    // One message in two pieces, and another one: two requests.
    let lines = [
        message("m1", text),
        message("m1", call),
        result,
        message("m2", json!({"type": "text", "text": "Hm"})),
    ];
    let found = moments("claude", &lines);
    let started = Moment::ToolStarted { id: "t1".into(), tool: "Bash".into(), about: "ls".into() };
    assert!(found.contains(&started), "{found:?}");
    assert!(found.contains(&Moment::ToolEnded { id: "t1".into(), failed: true }));
    let used: Vec<Usage> = found
        .iter()
        .filter_map(|moment| if let Moment::Used(usage) = moment { Some(*usage) } else { None })
        .collect();
    let last = used.last().unwrap();
    assert_eq!(last.input_tokens, 2000);
    assert!((1000..1200).contains(&last.output_tokens), "{last:?}");
    assert!(last.is_partial && last.is_priced_by_us);
    // At $4 and $20 for a million.
    assert!(last.cost > Money::from_dollars(0.028) && last.cost < Money::from_dollars(0.04));
    // Killed here, that is all that is known.
    let heard = hear("claude", &lines, &Ended::Signalled { signal: 9 });
    assert_eq!(name(&heard.end), "failed");
    assert!(heard.usage.is_partial && heard.usage.cost == last.cost);
    assert_eq!(heard.said, "Hm");
}

/// LP-18: what was stopped by us was stopped, whatever it said.
#[test]
fn what_we_stop_is_stopped() {
    for ended in [Ended::TimedOut, Ended::Flooded, Ended::Cancelled] {
        let heard = hear("claude", &[claude_result(&json!({}))], &ended);
        assert_eq!(name(&heard.end), "stopped", "{ended}");
        assert!(heard.usage.cost.is_some());
    }
    let lost = Ended::Lost { reason: "gone".into() };
    assert_eq!(name(&hear("codex", &[], &lost).end), "failed");
}

fn codex(last: Value) -> Vec<Value> {
    let run = |status: &str, code: Value| {
        json!({"id": "item_1", "type": "command_execution", "command": "/bin/bash -lc 'ls'",
            "aggregated_output": "x\n", "exit_code": code, "status": status})
    };
    vec![
        json!({"type": "thread.started", "thread_id": "t-1"}),
        json!({"type": "item.completed", "item": {"id": "item_0", "type": "error", "message": "a warning"}}),
        json!({"type": "turn.started"}),
        json!({"type": "item.started", "item": run("in_progress", json!(null))}),
        json!({"type": "item.completed", "item": run("failed", json!(3))}),
        json!({"type": "item.completed", "item": {"id": "item_2", "type": "agent_message", "text": "Done"}}),
        last,
    ]
}

fn turn(input: u64, output: u64) -> Value {
    json!({"type": "turn.completed", "usage": {"input_tokens": input, "cached_input_tokens": 300,
        "cache_write_input_tokens": 0, "output_tokens": output, "reasoning_output_tokens": 7}})
}

/// LP-18: Codex tells tokens and no cost; it is worked out, and said to be.
#[test]
fn codex_is_priced_by_the_list() {
    let heard = hear("codex:gpt-5.5", &codex(turn(1500, 110)), &DONE);
    assert_eq!(heard.end, AgentEnd::Finished);
    assert_eq!((heard.said.as_str(), heard.session.as_deref()), ("Done", Some("t-1")));
    let usage = heard.usage;
    assert_eq!((usage.input_tokens, usage.cached_tokens, usage.output_tokens), (1500, 300, 110));
    // 1200 at $5, 300 at $0.50, 110 at $30 for a million.
    assert_eq!(usage.cost, Money::from_dollars(0.00945));
    assert!(usage.is_priced_by_us && !usage.is_partial);
    // An unknown model has no price, which is not a price of nothing.
    let unknown = hear("codex:no-such-model", &codex(turn(1500, 110)), &DONE).usage;
    assert_eq!((unknown.cost, unknown.tokens()), (None, 1610));
    // Neither has one that nobody named, unless somebody knows it.
    assert_eq!(hear("codex", &codex(turn(1500, 110)), &DONE).usage.cost, None);
    let mut reader = Reader::new(&spec("codex")).assuming(Some("gpt-5.5".into()));
    for line in codex(turn(1500, 110)) {
        reader.feed(format!("{line}\n").as_bytes(), &mut |_| {});
    }
    assert_eq!(reader.finish(&DONE).usage.cost, Money::from_dollars(0.00945));
    let own = Prices::parse("[\"no-such-model\"]\ninput = 1\noutput = 1\n").unwrap();
    let mut reader = Reader::new(&spec("codex:no-such-model")).priced(own);
    reader.feed(format!("{}\n", turn(1_000_000, 0)).as_bytes(), &mut |_| {});
    assert_eq!(reader.finish(&DONE).usage.cost, Money::from_dollars(1.0));
}

/// LP-18: a resumed thread counts from its beginning; agents that it starts are not in it.
#[test]
fn codex_counts_all_turns_and_no_other_agents() {
    let mut reader = Reader::new(&spec("codex:gpt-5.5")).after(Usage {
        input_tokens: 500,
        output_tokens: 5,
        ..Usage::default()
    });
    reader.feed(format!("{}\n", turn(1100, 11)).as_bytes(), &mut |_| {});
    let usage = reader.finish(&DONE).usage;
    assert_eq!((usage.input_tokens, usage.output_tokens), (600, 6));
    let spawn = json!({"type": "item.started", "item": {"id": "i", "type": "collab_tool_call", "tool": "spawn_agent"}});
    let heard = hear("codex:gpt-5.5", &[spawn, turn(300, 30)], &DONE);
    assert!(heard.usage.is_partial);
}

/// LP-18: how Codex ended.
#[test]
fn codexs_ends_are_told_apart() {
    let failed = |text: &str| json!({"type": "turn.failed", "error": {"message": text}});
    let check = |lines: &[Value], ended: &Ended, expected: &str| {
        let heard = hear("codex", lines, ended);
        assert_eq!(name(&heard.end), expected, "{:?}", heard.end);
    };
    let busy = "We’re currently experiencing high demand, which may cause temporary errors.";
    check(&codex(failed(busy)), &exited(1), "overloaded");
    check(
        &codex(failed("exceeded retry limit, last status: 429 Too Many Requests")),
        &exited(1),
        "rate_limited",
    );
    check(
        &codex(failed("unexpected status 401 Unauthorized: x, url: http://x")),
        &exited(1),
        "not_logged_in",
    );
    check(
        &codex(failed("Your input exceeds the context window of this model.")),
        &exited(1),
        "context_overflow",
    );
    check(
        &codex(failed("{\"error\": {\"message\": \"x\", \"type\": \"invalid_request_error\"}}")),
        &exited(1),
        "failed",
    );
    // Interrupted: no last event.
    check(&codex(json!({"type": "turn.started"})), &exited(1), "failed");
    // A hook refused the prompt: no model was asked.
    check(&[json!({"type": "turn.started"}), turn(0, 0)], &DONE, "silent");
    check(&codex(turn(1, 1)), &exited(1), "failed");
    let retry = json!({"type": "error", "message": "Reconnecting... 1/1"});
    assert!(matches!(&moments("codex", &[retry])[..], [Moment::Retried { .. }]));
}

/// LP-18: while Codex works it tells no use, so it is estimated, and grows with every request.
#[test]
fn codex_is_estimated_while_it_works() {
    let used = |count: usize| {
        let lines = codex(json!({}));
        let lines: Vec<Value> = (0..count).flat_map(|_| lines.clone()).collect();
        hear("codex:gpt-5.5", &lines, &Ended::Cancelled).usage
    };
    let (one, ten) = (used(1), used(10));
    assert!(one.is_partial && one.is_priced_by_us && one.cost > Some(Money::ZERO));
    assert!(ten.cost > one.cost, "{one:?} {ten:?}");
    assert!(used(0) == Usage::default());
}

/// LP-18: Gemini tells every model's tokens; thoughts are only in the total.
#[test]
fn gemini_is_counted_by_model() {
    let stats = json!({"total_tokens": 1520, "input_tokens": 1400, "output_tokens": 70, "cached": 100,
    "models": {
        "gemini-3.1-pro-preview": {"total_tokens": 970, "input_tokens": 900, "output_tokens": 70, "cached": 100},
        "gemini-3.5-flash-lite": {"total_tokens": 550, "input_tokens": 500, "output_tokens": 0, "cached": 0},
    }});
    let said = |text: &str| json!({"type": "message", "role": "assistant", "content": text, "delta": true});
    let lines = [
        json!({"type": "init", "session_id": "g-1", "model": "gemini-3.1-pro-preview"}),
        json!({"type": "message", "role": "user", "content": "go"}),
        said("Writing"),
        json!({"type": "tool_use", "tool_name": "write_file", "tool_id": "w1", "parameters": {"file_path": "a"}}),
        json!({"type": "tool_result", "tool_id": "w1", "status": "error", "output": "no"}),
        said("All "),
        said("done"),
        json!({"type": "result", "status": "success", "stats": stats}),
    ];
    let heard = hear("gemini", &lines, &DONE);
    assert_eq!(heard.end, AgentEnd::Finished);
    assert_eq!(heard.said, "All done");
    let usage = heard.usage;
    assert_eq!((usage.input_tokens, usage.cached_tokens, usage.output_tokens), (1400, 100, 120));
    // 800 at $2, 100 at $0.20, 70 at $12; 500 at $0.30, 50 at $2.50.
    assert_eq!(usage.cost, Money::from_dollars(0.002_735));
    let error = json!({"type": "result", "status": "error", "error": {"type": "unknown",
        "message": "[API Error: {\"error\":{\"code\":401,\"message\":\"x\"}}]"}, "stats": {"total_tokens": 0}});
    assert_eq!(name(&hear("gemini", &[error], &exited(145)).end), "not_logged_in");
    assert_eq!(name(&hear("gemini", &lines, &exited(53)).end), "turns_exhausted");
    assert_eq!(name(&hear("gemini", &lines[..4], &exited(1)).end), "failed");
}

/// LP-18: OpenCode tells every step's tokens and cost; a cost of nothing is none.
#[test]
fn opencode_is_summed_up() {
    let step = |reason: &str, cost: f64| {
        json!({"type": "step_finish", "sessionID": "o-1", "part": {"reason": reason, "cost": cost,
            "tokens": {"total": 420, "input": 300, "output": 15, "reasoning": 5, "cache": {"write": 0, "read": 100}}}})
    };
    let call = json!({"type": "tool_use", "sessionID": "o-1", "part": {"tool": "bash", "callID": "c1",
        "state": {"status": "completed", "input": {"command": "ls"}, "output": "x"}}});
    let text = json!({"type": "text", "sessionID": "o-1", "part": {"text": "All done"}});
    let lines = |cost| [call.clone(), step("tool-calls", cost), text.clone(), step("stop", cost)];
    let heard = hear("opencode:scripted/m1", &lines(0.00034), &DONE);
    assert_eq!(heard.end, AgentEnd::Finished);
    let usage = heard.usage;
    assert_eq!((usage.input_tokens, usage.cached_tokens, usage.output_tokens), (800, 200, 40));
    assert_eq!((usage.cost, usage.is_priced_by_us), (Money::from_dollars(0.00068), false));
    assert_eq!(hear("opencode:scripted/m1", &lines(0.0), &DONE).usage.cost, None);
    assert!(hear("opencode:openai/gpt-5.5", &lines(0.0), &DONE).usage.is_priced_by_us);
    assert_eq!(name(&hear("opencode", &lines(0.1)[..2], &exited(1)).end), "failed");
    let error = json!({"type": "error", "error": {"name": "APIError", "data": {"message": "x", "statusCode": 401}}});
    assert_eq!(name(&hear("opencode", &[error], &exited(1)).end), "not_logged_in");
}

/// LP-18: Goose greets first, leaves with 0 after an error, and says it as if its model had.
#[test]
fn gooses_errors_are_no_words() {
    let said = |text: &str| json!({"type": "message", "message": {"id": "m", "role": "assistant", "content": [{"type": "text", "text": text}]}});
    let mut reader = Reader::new(&spec("goose:gpt-5.5"));
    reader.feed(b"\n    __( O)>  new session\n     L L     goose is ready\n", &mut |_| {});
    reader.feed(format!("{}\n", said("All done")).as_bytes(), &mut |_| {});
    reader.feed(
        b"{\"type\":\"complete\",\"total_tokens\":650,\"input_tokens\":600,\"output_tokens\":50}\n",
        &mut |_| {},
    );
    let heard = reader.finish(&DONE);
    assert_eq!((heard.end, heard.said.as_str()), (AgentEnd::Finished, "All done"));
    assert_eq!((heard.usage.tokens(), heard.usage.cost), (650, Money::from_dollars(0.0045)));
    let lines = [
        said("Ran into this error: Rate limit exceeded: x.\n\nPlease retry if you think"),
        json!({"type": "complete", "total_tokens": null}),
    ];
    let heard = hear("goose", &lines, &DONE);
    assert_eq!((name(&heard.end).as_str(), heard.said.as_str()), ("rate_limited", ""));
}

/// LP-18: a command ends as its exit code says, and its last lines are its last words.
#[test]
fn commands_are_taken_by_their_exit_code() {
    let mut reader = Reader::new(&spec("command:make"));
    reader.feed(b"one\n{\"type\":\"result\"}\nlast \xff line", &mut |_| {});
    let heard = reader.finish(&DONE);
    assert_eq!(heard.end, AgentEnd::Finished);
    assert_eq!(heard.said, "one\n{\"type\":\"result\"}\nlast \u{fffd} line");
    assert_eq!(heard.usage, Usage::default());
    assert_eq!(hear("command:true", &[], &DONE).end, AgentEnd::Finished);
    assert_eq!(name(&hear("command:false", &[], &exited(2)).end), "failed");
}

/// LP-18: an agent that says nothing, or nothing that can be read, has not finished.
#[test]
fn silence_is_no_end_of_work() {
    for agent in ["claude", "codex", "gemini", "opencode", "goose", "acp:x"] {
        assert_eq!(hear(agent, &[], &DONE).end, AgentEnd::Silent, "{agent}");
        let mut reader = Reader::new(&spec(agent));
        reader.feed(b"Invalid API key \xc2\xb7 Please run /login\n", &mut |_| {});
        assert_eq!(name(&reader.finish(&exited(1)).end), "not_logged_in", "{agent}");
        let mut reader = Reader::new(&spec(agent));
        reader.feed(b"panic: out of cheese\n", &mut |_| {});
        let AgentEnd::Failed { detail } = reader.finish(&exited(1)).end else { panic!("{agent}") };
        assert!(detail.contains("out of cheese") && detail.contains("exit code 1"), "{detail}");
    }
}

/// LP-18: what a program writes on standard error may stand before an event on the same line.
#[test]
fn events_are_found_behind_noise() {
    let mut reader = Reader::new(&spec("claude"));
    let line = format!("warning: {{\"half\": {}\n", claude_result(&json!({})));
    reader.feed(line.as_bytes(), &mut |_| {});
    assert_eq!(reader.finish(&DONE).end, AgentEnd::Finished);
}
