//! `run` takes a goal, and verbs about runs: neither gets in the other's way.

use crate::stage::{data, project};

/// LP-23: the name of a verb is a goal after `--`, and after any option.
#[test]
fn a_goal_may_be_the_name_of_a_verb() {
    let project = project();
    let rest = ["--check", "true", "--worker", "command:echo a > a"];
    project.run([&["run"], &rest[..], &["status"]].concat()).expect(0);
    assert_eq!(data(&project, &["status"])["goal"], "status");
    let rest = ["--check", "true", "--worker", "command:echo b > b"];
    project.run([&["run"], &rest[..], &["--", "clean"]].concat()).expect(0);
    assert_eq!(data(&project, &["status"])["goal"], "clean");
    project.run([&["run", "help"], &rest[..]].concat()).expect(0);
    assert_eq!(data(&project, &["status"])["goal"], "help");
}

/// LP-23: what belongs to a goal is refused with a verb, and the other way round.
#[test]
fn options_of_goals_and_of_verbs_do_not_mix() {
    let project = project();
    project.run(["run", "status", "--worker", "command:true"]).expect(2);
    project.run(["run", "--follow", "Do it", "--worker", "command:true"]).expect(2);
    project.run(["run"]).expect(2).says("--worker");
    project.run(["run", "status", "--format", "html"]).expect(2).says("no HTML form");
    project.run(["status", "--format", "html"]).expect(2).says("run report");
    project.run(["run", "clean", "--kill"]).expect(2);
    project.run(["run", "audit"]).expect(2).says("--out");
}
