//! `countersign verify` as its users meet it: real repositories, real runners, the real program.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod above;
mod around;
mod asked;
mod behind;
mod contracts;
mod copies;
mod counted;
mod deceived;
mod equipped;
mod exchanged;
mod lacking;
mod mutated;
mod outputs;
mod packaged;
mod plain;
mod protected;
mod requests;
mod reuse;
mod review;
mod safety;
mod schema;
mod stated;
mod unshown;

use countersign_testkit::{Project, Ran};
use serde_json::Value;

const PROGRAM: &str = env!("CARGO_BIN_EXE_countersign");
const TASK: &str = "Fix greet: it must greet by name";

/// A project with a script that is wrong, and a check that shows it.
fn greeter() -> Project {
    let project = Project::new(PROGRAM);
    project.write("greet.sh", "echo Hello\n");
    project.write("tests/greets.sh", "sh greet.sh Ada | grep -qx 'Hello, Ada'\n");
    project.commit("A greeter");
    project
}

const CHECK: &str = "sh tests/greets.sh";

fn verify(project: &Project, words: &[&str]) -> Ran {
    project.run([&["verify", "--task", TASK], words].concat())
}

/// The same as data, whatever its exit code.
fn data(project: &Project, words: &[&str]) -> (Option<i32>, Value) {
    let ran = verify(project, &[words, &["--format", "json"]].concat());
    (ran.code, ran.json()["data"].clone())
}

fn reasons(data: &Value) -> String {
    let all = data["judgement"]["reasons"].as_array().unwrap();
    all.iter().map(|one| format!("{}: {}\n", one["weight"], one["text"])).collect()
}

/// Whether `program` is here; says loudly if a test proves nothing without it.
fn has(project: &Project, program: &str) -> bool {
    let found = project.sh(&format!("command -v {program}")).code == Some(0);
    if !found {
        eprintln!("SKIPPED: {program} is not installed, so this test proves nothing");
    }
    found
}
