//! What a run with a crew needs: workers and verifiers that are scripts, and what became of them.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use countersign_testkit::{Call, Project, Ran, kinds};
use serde_json::Value;

use crate::{CHECK, GOAL};

/// A verdict that a careful verifier gives, with these receipts.
pub fn pass(receipts: &str) -> String {
    let looks = [
        "evidence gate",
        "layer enforcement",
        "test sufficiency",
        "anti-gaming",
        "worker process audit",
    ];
    let reasoning: Vec<String> = looks
        .iter()
        .map(|look| format!(r#"{{"check":"{look}","decision":"pass","basis":"r1"}}"#))
        .collect();
    format!(
        r#"{{"verdict":"pass","summary":"it holds","criteria":[],"reasoning":[{}],"issues":[],"receipts":{receipts}}}"#,
        reasoning.join(",")
    )
}

/// A claim about this iteration that is as it should be.
pub fn claim(iteration: &str) -> String {
    format!(
        r#"{{"status":"done","iteration":{iteration},"claims":["greets"],"execution_steps":[{{"step":"implement","summary":"greet by name"}}]}}"#
    )
}

/// A worker that does the work, after or before `more`.
pub fn worker(more: &str) -> String {
    format!("echo 'echo \"Hello, $1\"' > greet.sh; {more}")
}

/// A worker that hands in `claim` in a file.
pub fn claiming(claim: &str) -> String {
    worker(&format!("mkdir -p .countersign && printf '%s' '{claim}' > .countersign/claim.json"))
}

/// A run with this worker and, unless it is empty, this verifier.
pub fn call(project: &Project, worker: &str, verifier: &str) -> Call {
    let worker = format!("command:{worker}");
    let call = project.call(["run", GOAL, "--check", CHECK, "--no-input", "--examine"]);
    let call = call.args(["--worker", &worker]);
    match verifier {
        "" => call,
        verifier => call.args(["--verifier", &format!("command:{verifier}")]),
    }
}

/// A verifier that prints `said`.
pub fn says(said: &str) -> String {
    format!("printf '%s\\n' '{said}'")
}

/// Expects that the ledger is whole, that no process is left, and that the user's branch is as it was.
#[track_caller]
pub fn expect_tidy(project: &Project) {
    project.expect_no_survivors();
    project.run(["ledger", "verify"]).expect(0).prints("intact");
    let budget = project.run(["budget", "show", "--format", "json"]).expect(0).data();
    let unsettled = budget["run"]["unsettled"].as_array().map_or(0, Vec::len);
    assert_eq!(unsettled, 0, "nothing is left unsettled: {budget:#}");
}

/// The reasons of all rulings, as text.
pub fn reasons(project: &Project) -> String {
    let journal = project.journal();
    let entries = journal["entries"].as_array().cloned().unwrap_or_default();
    let rulings = entries.iter().filter(|entry| entry["kind"] == "run.ruled");
    rulings.map(|entry| format!("{}\n", entry["event"])).collect()
}

/// The last event of this kind.
#[track_caller]
pub fn last(project: &Project, kind: &str) -> Value {
    let journal = project.journal();
    let entries = journal["entries"].as_array().cloned().unwrap_or_default();
    let found = entries.into_iter().rev().find(|entry| entry["kind"] == format!("run.{kind}"));
    match found {
        Some(entry) => entry["event"].clone(),
        None => panic!("there is no {kind} in {:?}", kinds(&project.journal())),
    }
}

/// How the run ended, as its last event says.
#[track_caller]
pub fn outcome(project: &Project) -> Value {
    last(project, "closed")["body"].clone()
}

/// A program of this name, before all others on the path that is returned.
pub fn planted(project: &Project, name: &str, script: &str) -> String {
    let folder = project.outside().join("bin");
    fs::create_dir_all(&folder).unwrap();
    let file = folder.join(name);
    fs::write(&file, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
    format!("{}:{}", folder.display(), std::env::var("PATH").unwrap())
}

/// Expects the run to wait for a person about `what`.
#[track_caller]
pub fn expect_asked(project: &Project, ran: Ran, what: &str) {
    ran.expect(4);
    let asked = last(project, "asked");
    assert_eq!(asked["body"]["ask_for"], what, "{asked:#}");
}
