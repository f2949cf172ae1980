//! Runs in which agents work and judge, and what becomes of their work: the real program, with agents
//! that are commands, in projects of their own.

#![allow(clippy::unwrap_used)]

mod accept;
mod accept_moved;
mod accept_relay;
mod answers;
mod claims;
mod ends;
mod evidence;
mod expected;
mod goes_on;
mod impacted;
mod in_the_way;
mod judges;
mod killed_agents;
mod killed_leader;
mod killed_side_by_side;
#[path = "../killing/mod.rs"]
mod killing;
mod ladder;
mod legs;
mod machine;
mod noticed;
mod orphans;
mod outside;
mod relay;
mod roster;
mod screened;
mod sent_back;
mod side_by_side;
mod spent;
mod stage;
mod told;
mod workers;

use countersign_testkit::Project;

/// The program under test.
const PROGRAM: &str = env!("CARGO_BIN_EXE_countersign");

const GOAL: &str = "Fix greet: it must greet by name";
const CHECK: &str = "sh tests/greets.sh";
/// A worker that does what is asked for.
const HONEST: &str = "command:echo 'echo \"Hello, $1\"' > greet.sh";

/// A project with a script that is wrong, and a check that shows it.
fn greeter() -> Project {
    let project = Project::new(PROGRAM);
    project.write("greet.sh", "echo Hello\n");
    project.write("tests/greets.sh", "sh greet.sh Ada | grep -qx 'Hello, Ada'\n");
    project.write("other.txt", "1\n");
    project.commit("A greeter");
    project
}

/// A project in which the greeter was mended by a run that was accepted; its id.
fn mended() -> (Project, String) {
    let project = greeter();
    let words = ["run", GOAL, "--check", CHECK, "--worker", HONEST, "--format", "json"];
    let run = project.run(words).expect(0).data()["run"]["run"].as_str().unwrap().to_owned();
    (project, run)
}
