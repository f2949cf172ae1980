//! What our words cost an agent: the bound that is reported, against a real tokenizer.

use std::fs;
use std::path::Path;

use countersign_domain::worklog::tokens::tokens;
use countersign_testkit::Project;
use serde_json::Value;

use crate::agent::{Agent, STRICT, shown};
use crate::project;

/// WL-19: what is said at the gate is counted with a real tokenizer, and the bound that sessions
/// report is never below that.
#[test]
fn the_bound_holds_against_a_real_tokenizer() {
    let project = project();
    let agent = Agent::new(&project, "s1");
    agent.prompt(STRICT);
    let todos = [
        ("Rotate the Ed25519 keys in src/auth/keys.rs", "pending"),
        ("Ändere das Passwort-Hashing für Übergrößen", "pending"),
        ("迁移用户表并更新索引", "in_progress"),
        ("fix: `assert_eq!(a::<B>(), \"x\\n\")` ↯ 🚀", "pending"),
    ];
    agent.todos(&todos, &todos);
    agent.bash("pytest -q tests/test_auth.py::test_rotate", 1);
    let answer: Value = serde_json::from_str(&agent.stop().out()).unwrap();
    let words = answer["reason"].as_str().unwrap();
    let real = bpe_openai::o200k_base().count(words);
    assert!((20..=120).contains(&real), "{real} tokens: {words}");
    assert!(tokens(words) >= real, "{} < {real}: {words}", tokens(words));
    let reported = shown(&project)["tokens"].as_u64().unwrap();
    assert!(reported >= real as u64 && reported <= 250, "{reported}, {real}: {words}");
}

/// WL-04, WL-11: an entry costs at most 30 tokens and a summary at most 100, by a real tokenizer.
#[test]
fn entries_and_summaries_are_short() {
    let project = project();
    let agent = Agent::new(&project, "s1");
    agent.prompt(STRICT);
    let long = "write the very long module that does everything at once ".repeat(3);
    agent.todos(
        &[(&long, "pending"), ("b", "pending"), ("c", "pending")],
        &[(&long, "pending"), ("b", "pending"), ("c", "pending")],
    );
    agent.write("src/some/deeply/nested/folder/with_a_long_name/implementation_of_the_thing.rs");
    agent.bash("cargo test --workspace --all-features -- --nocapture --test-threads 1", 101);
    agent.stop();
    let account = shown(&project);
    let count = |text: &str| bpe_openai::o200k_base().count(text);
    let entries = account["entries"].as_array().unwrap();
    assert!(entries.len() >= 5, "{account}");
    for entry in entries {
        let word = |name: &str| entry[name].as_str().unwrap();
        let line = format!("{} {}: {}", word("action"), word("status"), word("context"));
        assert!(count(&line) <= 30, "{} tokens: {line}", count(&line));
    }
    let id = account["session"].as_str().unwrap();
    expect_lines(&project, id, entries);
    let summaries = account["summaries"].as_array().unwrap().len();
    assert!(summaries >= 2, "{account}");
    for number in 1..=summaries {
        let name = format!("_checkpoint/{id}/{number}");
        let memory = project.run(["memory", "read", &name, "--format", "json"]).expect(0).data();
        let text = memory["text"].as_str().unwrap().split("\n\n").next().unwrap().to_owned();
        assert!(count(&text) <= 100, "{} tokens: {text}", count(&text));
    }
}

/// Expects every entry to say what it costs, and to cost no more when it is shown to an agent.
fn expect_lines(project: &Project, id: &str, entries: &[Value]) {
    let name = format!("_worklog/{id}");
    let memory = project.run(["memory", "read", &name, "--format", "json"]).expect(0).data();
    let text = memory["text"].as_str().unwrap().trim_end();
    let lines: Vec<&str> = text.lines().rev().take(entries.len()).collect();
    let export = project.run(["worklog", "export", id]).expect(0).out();
    let exported = export.lines().skip(1).map(|line| serde_json::from_str::<Value>(line).unwrap());
    for ((entry, line), exported) in entries.iter().zip(lines.iter().rev()).zip(exported) {
        let said = entry["tokens"].as_u64().unwrap();
        let real = bpe_openai::o200k_base().count(line) as u64;
        assert!((1..=30).contains(&said) && real <= said, "{real} {said}: {line}");
        assert_eq!(exported["tokens"], entry["tokens"], "{exported}");
    }
}

/// WL-19: the guess is never below what a real tokenizer counts, on everything that is written
/// here about the program: prose, tables, commands, names.
#[test]
fn the_bound_holds_for_what_people_write() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let (mut said, mut real) = (0, 0);
    for name in ["README.md", "ARCHITECTURE.md", "docs/design/worklog.md", "docs/design/hooks.md"] {
        for line in fs::read_to_string(root.join(name)).unwrap().lines() {
            let count = bpe_openai::o200k_base().count(line);
            assert!(count <= tokens(line), "{count} > {}: {line}", tokens(line));
            (said, real) = (said + tokens(line), real + count);
        }
    }
    assert!(said < real * 2, "{said} for {real} is no bound but a guess");
}
