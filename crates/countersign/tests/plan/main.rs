//! Plans as people use them: real repositories, the real program, a real terminal.

#![allow(clippy::unwrap_used)]

mod check;
mod faults;
mod import;
mod interview;
mod mutation;
mod new;

use countersign_testkit::Project;

/// The program under test.
const PROGRAM: &str = env!("CARGO_BIN_EXE_countersign");

const PRD: &str = include_str!("../../../../docs/examples/plans/greeting/prd.md");
const SPEC: &str = include_str!("../../../../docs/examples/plans/greeting/test-spec.md");
const ANSWERS: &str = include_str!("../../../../docs/examples/plans/answers.toml");

/// A repository with the plan of the documentation.
fn greeting() -> Project {
    let project = Project::new(PROGRAM);
    project.write("plans/greeting/prd.md", PRD);
    project.write("plans/greeting/test-spec.md", SPEC);
    project
}
