//! LP-23: `run clean`.

use std::fs;
use std::path::Path;

use countersign_testkit::{Project, wait_until};

use crate::stage::{data, project};

/// A run whose driver was killed while its worker was at work.
fn cut_off() -> Project {
    let project = project();
    let flag = project.outside().join("flag");
    let worker = format!("touch {}; while :; do sleep 1; done", flag.display());
    let running = project.goal(&worker, "true").start();
    wait_until("the worker", || flag.exists().then_some(()));
    running.kill();
    project.expect_no_survivors();
    project
}

/// LP-23: what has not ended is left alone, also when all are cleaned; `--kill` ends it first.
#[test]
fn only_what_has_ended_is_removed() {
    let project = cut_off();
    let cleaned = data(&project, &["clean"]);
    assert_eq!(cleaned["removed"].as_array().unwrap().len(), 0, "{cleaned:#}");
    assert_eq!(cleaned["left"][0]["why"], "it has not ended");
    project.run(["run", "clean", "latest"]).expect(1).says("--kill");
    let cleaned = data(&project, &["clean", "latest", "--kill"]);
    assert_eq!(cleaned["cancelled"].as_array().unwrap().len(), 1, "{cleaned:#}");
    let status = data(&project, &["status"]);
    assert_eq!(status["ending"]["because"], "cancelled");
    project.run(["run", "clean", "latest", "--kill"]).expect(0).prints("0 working folders");
    project.run(["run", "report"]).expect(0);
    project.run(["ledger", "verify"]).expect(0).prints("intact");
}

/// LP-23: `--kill` ends a run that another process drives, and waits for it.
#[test]
fn a_run_at_work_is_ended_first() {
    let project = project();
    let flag = project.outside().join("flag");
    let worker = format!("touch {}; while :; do sleep 1; done", flag.display());
    let running = project.goal(&worker, "true").start();
    wait_until("the worker", || flag.exists().then_some(()));
    assert_eq!(data(&project, &["status"])["state"], "at work");
    project.run(["run", "clean", "latest"]).expect(1).says("it is at work");
    project.run(["run", "clean", "latest", "--kill"]).expect(0).prints("is cancelled");
    running.wait().expect(3);
    project.expect_no_survivors();
    assert_eq!(data(&project, &["status"])["ending"]["because"], "cancelled");
}

/// LP-23: what a killed cleaning or closing left is removed; what is not on the record is not ours.
#[test]
fn leftovers_of_ended_runs_are_removed() {
    let project = project();
    project.goal("pwd; echo x > x", "true").run().expect(0);
    let checkout = project.run(["run", "logs"]).expect(0).out();
    let folder = Path::new(checkout.trim()).parent().unwrap();
    assert!(!folder.exists(), "{}", folder.display());
    let unknown = folder.with_file_name("20200101_000000_001");
    fs::create_dir_all(folder.join("attempt-1-0/src")).unwrap();
    fs::create_dir_all(&unknown).unwrap();
    let cleaned = data(&project, &["clean"]);
    let run = folder.file_name().unwrap().to_str().unwrap();
    assert_eq!(cleaned["removed"][0], run, "{cleaned:#}");
    assert_eq!(cleaned["left"][0]["why"], "it is not on the record");
    assert!(!folder.exists() && unknown.exists());
}
