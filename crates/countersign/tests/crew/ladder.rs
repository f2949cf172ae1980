//! The ladder of workers: who fails at the same thing twice is followed by the next one, and after the last
//! a person is asked.

use std::fs;

use countersign_testkit::{Project, Ran};
use serde_json::Value;

use crate::stage::{expect_asked, expect_tidy, outcome, planted};
use crate::{CHECK, GOAL, greeter};

/// An agent that keeps its prompts and its words, writes another wrong greeting each time, and the right
/// one if its model is `MENDS`.
const AGENT: &str = r#"cat > OUTSIDE/prompt-$COUNTERSIGN_ATTEMPT
echo "$*" >> OUTSIDE/words
case "$*" in *MENDS*) echo 'echo "Hello, $1"' > greet.sh;; *) echo "echo $COUNTERSIGN_ATTEMPT" > greet.sh;; esac
mkdir -p .countersign
echo '{"execution_steps": [{"step": "implement", "summary": "greet"}], "reflection": "the name was dropped"}' > .countersign/claim.json
echo '{"type":"system","subtype":"init","session_id":"s","model":"m"}'
echo '{"type":"result","subtype":"success","is_error":false,"result":"Done.","num_turns":1,"session_id":"s","total_cost_usd":0.01,"usage":{"input_tokens":10,"output_tokens":10}}'"#;

/// A run with two rungs, of which `mends` can do it.
fn run(project: &Project, mends: &str) -> Ran {
    let outside = project.outside();
    let script = AGENT.replace("OUTSIDE", outside.to_str().unwrap()).replace("MENDS", mends);
    let path = planted(project, "claude", &script);
    let words = ["run", GOAL, "--check", CHECK, "--no-input", "--attempts", "9"];
    let workers = ["--worker", "claude:haiku", "--worker", "claude:opus"];
    project.call(words).args(workers).env("PATH", path).run()
}

/// The model of each start, by the words that the agent was started with.
fn models(project: &Project) -> Vec<String> {
    let words = fs::read_to_string(project.outside().join("words")).unwrap();
    let model = |line: &str| {
        let mut words = line.split_whitespace().skip_while(|word| *word != "--model");
        words.nth(1).unwrap_or_default().to_owned()
    };
    words.lines().map(model).collect()
}

fn prompt(project: &Project, attempt: u32) -> String {
    fs::read_to_string(project.outside().join(format!("prompt-{attempt}"))).unwrap()
}

/// What the rulings did about it, one after the other.
fn recoveries(project: &Project) -> Vec<Value> {
    let journal = project.journal();
    let entries = journal["entries"].as_array().unwrap();
    let rulings = entries.iter().filter(|entry| entry["kind"] == "run.ruled");
    rulings.map(|entry| entry["event"]["body"]["recovery"].clone()).collect()
}

/// LP-16, CO-16: the same check fails twice, so the next attempt is the stronger worker's: with its model,
/// with what was found and what was tried; that is told and on the record, and what it mends counts.
#[test]
fn a_stronger_worker_takes_over() {
    let project = greeter();
    let ran = run(&project, "opus").expect(0);
    assert_eq!(models(&project), ["haiku", "haiku", "opus"]);
    assert_eq!(outcome(&project)["outcome"], "accepted");
    assert_eq!(recoveries(&project)[..2], ["reflection", "stronger"]);
    assert!(!prompt(&project, 1).contains("Before you change anything"));
    let last = prompt(&project, 3);
    for words in [CHECK, "Before you change anything", "the name was dropped"] {
        assert!(last.contains(words), "{words}: {last}");
    }
    let told = ran.err();
    for words in ["working: claude:haiku", "a stronger worker gets", "working: claude:opus"] {
        assert!(told.contains(words), "{words}: {told}");
    }
    let log = project.run(["log"]).expect(0).out();
    for words in ["attempt 2: worker claude:haiku started", "attempt 3: worker claude:opus started"]
    {
        assert!(log.contains(words), "{words}: {log}");
    }
    expect_tidy(&project);
}

/// LP-16, LP-17: after the last rung there is no further attempt: a person is asked, with a report of what
/// each attempt did.
#[test]
fn after_the_last_rung_a_person_is_asked() {
    let project = greeter();
    let ran = run(&project, "nobody");
    expect_asked(&project, ran, "escalation");
    assert_eq!(models(&project), ["haiku", "haiku", "opus"]);
    assert_eq!(recoveries(&project), ["reflection", "stronger", "human"]);
    let shown = project.run(["checkpoint", "show"]).expect(0).out();
    for words in [CHECK, "claude:haiku", "claude:opus", "the name was dropped"] {
        assert!(shown.contains(words), "{words}: {shown}");
    }
    assert_eq!(project.git(["branch", "--list", "countersign/*"]), "");
    // Nobody goes on without an answer.
    project.run(["resume", "latest", "--no-input"]).expect(4);
    assert_eq!(models(&project).len(), 3);
    expect_tidy(&project);
}
