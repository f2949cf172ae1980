//! A project with a task, and the few things that are done with it again and again.

use countersign_testkit::{Project, Ran};
use serde_json::Value;

use crate::project;

pub const TASK: &str = r#"id: TASK-0824
title: Remember the chosen theme
priority: P1
area: mobile
status: in_progress
description: |
  Users choose a theme and lose it on restart.

  ## Where
  - the settings slice keeps it in memory only
  - nothing reads it back
scope:
  in: ["src/**", "docs/settings.md"]
  out: ["src/legacy/**"]
acceptance_criteria:
  - Given a chosen theme, when the app restarts, then the theme is the chosen one.
  - Given no chosen theme, when the app starts, then the theme follows the system.
qa:
  commands:
    - "sh test.sh"
standards:
  - "CONTRIBUTING.md#state"
"#;

const STANDARD: &str = "\
# Contributing

## State

State that users chose survives a restart. Everything else is made anew.

## Tests

Every change comes with a test.
";

/// A committed project with a task that can be begun.
pub fn desk() -> Project {
    let project = project();
    project.write("tasks/TASK-0824.task.yaml", TASK);
    project.write("CONTRIBUTING.md", STANDARD);
    project.write("src/theme.txt", "one\ntwo\nthree\nfour\nfive\n");
    project.write("src/legacy/old.txt", "old\n");
    project.write("docs/settings.md", "# Settings\n");
    project.write("test.sh", "grep -q two src/theme.txt\n");
    project.write(".gitignore", "target/\n.env\n");
    project.commit("A project with a task");
    project
}

/// A desk whose task was begun.
pub fn begun() -> Project {
    let project = desk();
    project.run(["context", "init", "TASK-0824"]).expect(0);
    project
}

/// A desk whose implementer has handed over.
pub fn handed_over() -> Project {
    let project = begun();
    project.write("src/theme.txt", "one\nTWO two\nthree\nfour\nfive\n");
    project.write("src/store.txt", "new\n");
    context(&project, &["snapshot", "--role", "implementer"]).expect(0);
    project
}

/// Calls `countersign context VERB TASK-0824 …`.
pub fn context(project: &Project, words: &[&str]) -> Ran {
    let (verb, rest) = words.split_first().unwrap();
    project.call(["context", verb, "TASK-0824"]).args(rest).run()
}

/// The reply of the same as data.
pub fn data(project: &Project, words: &[&str]) -> Value {
    let words: Vec<&str> = words.iter().copied().chain(["--format", "json"]).collect();
    context(project, &words).expect(0).data()
}

/// Lets a role begin.
pub fn begin(project: &Project, role: &str) -> Ran {
    context(project, &["update", "--role", role, "--status", "in_progress"])
}

/// Where the roles stand.
pub fn statuses(project: &Project) -> Vec<String> {
    let view = data(project, &["show"]);
    let roles = view["roles"].as_array().unwrap();
    roles.iter().map(|role| role["status"].as_str().unwrap().to_owned()).collect()
}
