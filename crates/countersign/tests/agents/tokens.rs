//! What our hooks cost the model: counted in what it was really sent.

use std::collections::BTreeMap;

use countersign_testkit::agents::{RealAgent, Stage, finish};
use countersign_testkit::model::{Request, Script, Turn};
use serde_json::{Value, json};

use crate::worklog::only_session;
use crate::{bare_stage, stage};

/// A session with everything that we might have a word about: a plan, a file that no plan named,
/// a test that fails, and an end with work left to do.
fn script(agent: RealAgent) -> Script {
    let test = "python3 -B -m unittest -q no_such_test";
    if agent == RealAgent::Codex {
        let patch = "*** Begin Patch\n*** Add File: calc.py\n+print(1)\n*** End Patch\n";
        return Script::new()
            .turn(Turn::default().call_with_text("apply_patch", patch))
            .turn(Turn::tool("exec_command", json!({"cmd": test})))
            .finally(Turn::text("It is done."));
    }
    let task = |subject: &str| json!({"subject": subject, "description": subject});
    let file = json!({"file_path": "{{CWD}}/calc.py", "content": "print(1)\n"});
    Script::new()
        .turn(
            Turn::tool("TaskCreate", task("Write it"))
                .call("TaskCreate", task("Test it"))
                .call("TaskCreate", task("Report")),
        )
        .turn(Turn::tool("TaskUpdate", json!({"taskId": "1", "status": "completed"})))
        .turn(Turn::tool("Write", file))
        .turn(Turn::tool("Bash", json!({"command": test, "description": "Run the tests"})))
        .finally(Turn::text("It is done."))
}

/// Every line that reached the model, by what is left of it without what differs by itself:
/// paths, ids, times.
fn lines(stage: &Stage, prompt: &str) -> BTreeMap<String, String> {
    finish(stage.work(prompt));
    // Agents also make names of their own from the name of the folder.
    let outside = stage.project.outside();
    let name = outside.file_name().unwrap().to_string_lossy().into_owned();
    let mut found = BTreeMap::new();
    for text in stage.model.requests().iter().flat_map(Request::texts) {
        for line in text.lines() {
            let key = line.replace(&name, "");
            let key: String = key.chars().filter(|c| !c.is_ascii_hexdigit()).collect();
            found.insert(key, line.to_owned());
        }
    }
    found
}

/// What the model was sent with our hooks and not without them.
fn added(agent: RealAgent, prompt: &str, tier: &str) -> Option<String> {
    let bare = bare_stage(agent, script(agent))?;
    let hooked = stage(agent, script(agent))?;
    let without = lines(&bare, prompt);
    let with = lines(&hooked, prompt);
    let session: Value = only_session(&hooked);
    assert_eq!(session["tier"], tier, "{session}");
    let ours = with.into_iter().filter(|(key, _)| !without.contains_key(key));
    Some(ours.map(|(_, line)| line).collect::<Vec<_>>().join("\n"))
}

fn count(text: &str) -> usize {
    bpe_openai::o200k_base().count(text)
}

#[track_caller]
fn check(prompt: &str, tier: &str, max_tokens: usize) {
    for agent in [RealAgent::Claude, RealAgent::Codex] {
        let Some(added) = added(agent, prompt, tier) else { continue };
        let tokens = count(&added);
        println!("{agent:?} {tier}: {tokens} tokens");
        assert!(tokens <= max_tokens, "{agent:?} {tier}: {tokens} tokens for:\n{added}");
    }
}

/// WL-19: a whole STRICT session.
#[test]
fn strict_sessions_cost_little() {
    check("Fix the SQL injection in the login handler", "STRICT", 250);
}

/// WL-19: a whole STANDARD session.
#[test]
fn standard_sessions_cost_less() {
    check("Add a function that adds two numbers", "STANDARD", 100);
}

/// WL-19: a whole LIGHT session.
#[test]
fn light_sessions_cost_next_to_nothing() {
    check("Fix a typo in README.md", "LIGHT", 20);
}

/// WL-19, D0.4: an EXEMPT session costs nothing.
#[test]
fn exempt_sessions_cost_nothing() {
    check("What does calc.py do?", "EXEMPT", 0);
}
