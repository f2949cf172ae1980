//! The exact bytes that agents get in answer. Those of Claude Code 2.1.325, Codex 0.166 and Gemini
//! CLI 0.61 were tried with the programs themselves; the refusals of a sub-agent's end, of a result
//! and of a change of the settings were not, and OpenCode hears only our own plugin.

use countersign_domain::worklog::{Agent, Answer, Decision};
use countersign_exec::agents::dialect::{Said, answer};

fn allow(to_agent: Option<&str>, to_user: Option<&str>) -> Answer {
    let (to_agent, to_user) = (to_agent.map(str::to_owned), to_user.map(str::to_owned));
    Answer { decision: Decision::Allow, to_agent, to_user }
}

fn block(why: &str) -> Answer {
    Answer { decision: Decision::Block, to_agent: Some(why.to_owned()), to_user: None }
}

fn check(agent: Agent, event: &str, said: &Answer, expected: &str) {
    let expected = Said { stdout: expected.to_owned(), ..Said::default() };
    assert_eq!(answer(agent, event, said), expected, "{agent} {event}");
}

/// WL-19: to allow without a word costs no token, whatever the agent and the event.
#[test]
fn consent_is_silent() {
    for agent in Agent::ALL {
        for event in ["PreToolUse", "Stop", "BeforeTool", "AfterAgent", "SessionStart", "New", ""] {
            check(agent, event, &Answer::default(), "");
        }
    }
}

#[test]
fn an_agent_is_kept_from_stopping() {
    let words = r#"{"decision":"block","reason":"two todos are open"}"#;
    check(Agent::Claude, "Stop", &block("two todos are open"), words);
    check(Agent::Claude, "SubagentStop", &block("two todos are open"), words);
    check(Agent::Codex, "Stop", &block("two todos are open"), words);
    let words = r#"{"decision":"deny","reason":"[countersign] two todos are open"}"#;
    check(Agent::Gemini, "AfterAgent", &block("two todos are open"), words);
}

/// Words for the model on `Stop` would make Claude Code go on: they need a block.
#[test]
fn an_agent_that_may_stop_is_told_nothing() {
    for agent in Agent::ALL {
        for event in ["Stop", "SubagentStop", "AfterAgent", "SessionEnd"] {
            check(agent, event, &allow(Some("well done"), None), "");
        }
    }
}

#[test]
fn a_call_is_refused() {
    let words = r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"not here"}}"#;
    check(Agent::Claude, "PreToolUse", &block("not here"), words);
    check(Agent::Codex, "PreToolUse", &block("not here"), words);
    check(Agent::Opencode, "PreToolUse", &block("not here"), words);
    check(Agent::Opencode, "tool.execute.before", &block("not here"), words);
    check(
        Agent::Gemini,
        "BeforeTool",
        &block("not here"),
        r#"{"decision":"deny","reason":"not here"}"#,
    );
    let words = r#"{"hookSpecificOutput":{"decision":{"behavior":"deny","message":"not here"},"hookEventName":"PermissionRequest"}}"#;
    check(Agent::Claude, "PermissionRequest", &block("not here"), words);
}

#[test]
fn a_change_of_the_settings_is_refused_by_exit_code() {
    let expected = Said { stderr: "hooks stay on".to_owned(), exit: 2, ..Said::default() };
    assert_eq!(answer(Agent::Claude, "ConfigChange", &block("hooks stay on")), expected);
}

#[test]
fn words_for_the_model() {
    let check = |agent, event: &str| {
        let words = format!(
            r#"{{"hookSpecificOutput":{{"additionalContext":"“hi”","hookEventName":"{event}"}}}}"#
        );
        check(agent, event, &allow(Some("“hi”"), None), &words);
    };
    for event in ["SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse"] {
        check(Agent::Claude, event);
        check(Agent::Codex, event);
    }
    for event in ["SessionStart", "BeforeAgent", "AfterTool"] {
        check(Agent::Gemini, event);
    }
}

/// WL-14: words for the person cost no token, and come along with anything else.
#[test]
fn words_for_the_person() {
    let words = r#"{"systemMessage":"earlier work"}"#;
    for agent in [Agent::Claude, Agent::Codex] {
        for event in ["SessionStart", "UserPromptSubmit", "Stop", "PostToolUse"] {
            check(agent, event, &allow(None, Some("earlier work")), words);
        }
    }
    check(Agent::Gemini, "BeforeAgent", &allow(None, Some("earlier work")), words);
    let both = Answer { to_user: Some("see".to_owned()), ..block("open todos") };
    let words = r#"{"decision":"block","reason":"open todos","systemMessage":"see"}"#;
    check(Agent::Claude, "Stop", &both, words);
    check(Agent::Codex, "Stop", &both, words);
}

/// A block without a reason still has one, and one where nothing can be blocked is silence.
#[test]
fn a_block_always_has_a_reason() {
    let bare = Answer { decision: Decision::Block, ..Answer::default() };
    check(Agent::Claude, "Stop", &bare, r#"{"decision":"block","reason":"refused by policy"}"#);
    check(Agent::Claude, "SessionEnd", &bare, "");
    check(Agent::Codex, "SessionEnd", &bare, "");
    check(Agent::Gemini, "SessionEnd", &bare, "");
}
