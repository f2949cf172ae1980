//! Ending a run from outside, and who may drive one.

use std::fs;

use countersign_testkit::{Project, Running, kinds, wait_until};

use crate::project;

/// A run whose worker has written `work.txt` and now waits for ever.
fn hanging_run(project: &Project) -> Running {
    let running =
        project.goal("echo half > work.txt; echo x > ../started; sleep 1000", "true").start();
    let work = project.home().join("work");
    wait_until("the worker", || {
        let runs = fs::read_dir(&work).ok()?.flatten();
        let mut runs = runs.filter_map(|repository| fs::read_dir(repository.path()).ok()).flatten();
        runs.any(|run| run.is_ok_and(|run| run.path().join("started").exists())).then_some(())
    });
    running
}

fn refs(project: &Project, pattern: &str) -> Vec<String> {
    let format = "--format=%(refname)";
    project.git(["for-each-ref", format, pattern]).lines().map(str::to_owned).collect()
}

/// LP-01: a running run is ended by another process; what the worker had done is kept.
#[test]
fn a_running_run_is_cancelled() {
    let project = project();
    let running = hanging_run(&project);
    let said = project.run(["cancel", "latest"]).expect(0);
    said.prints("is asked to end");
    running.wait().expect(3).prints("not accepted: it was cancelled");
    let journal = project.journal();
    let steps = ["opened", "prepared", "launched", "cancel_requested", "closed"];
    assert_eq!(kinds(&journal), steps);
    assert_eq!(journal["entries"][4]["event"]["body"]["because"], "cancelled");
    let kept = refs(&project, "refs/countersign/runs/*/cancelled");
    assert_eq!(project.git(["show", &format!("{}:work.txt", kept[0])]), "half\n");
    project.expect_no_survivors();
    project.run(["ledger", "verify"]).expect(0);
}

/// LP-01: a run whose process is gone is ended by the one who cancels it.
#[test]
fn a_dead_run_is_cancelled() {
    let project = project();
    hanging_run(&project).kill();
    project.expect_no_survivors();
    project.run(["status", "latest"]).expect(0).prints("open (launched)").prints("go on");
    project.run(["cancel", "latest"]).expect(0).prints("is cancelled");
    project.run(["status", "latest"]).expect(0).prints("not accepted: it was cancelled");
    let kept = refs(&project, "refs/countersign/runs/*/cancelled");
    assert_eq!(project.git(["show", &format!("{}:work.txt", kept[0])]), "half\n");
    project.run(["resume"]).expect(3).prints("it was cancelled");
}

/// LP-01: whoever drives a run holds its lease; a second one is refused and told who has it.
#[test]
fn a_run_has_one_driver() {
    let project = project();
    let running = hanging_run(&project);
    let process = format!("process {}", running.id());
    let ran = project.run(["resume", "latest"]).expect(1);
    ran.says("is being driven by another process").says(&process);
    let ran = project.run(["resume", "--format", "json"]).expect(1);
    assert_eq!(ran.error()["kind"], "refused");
    assert_eq!(kinds(&project.journal()).len(), 3, "the second driver wrote nothing");
    project.run(["cancel", "latest"]).expect(0);
    running.wait().expect(3);
}

/// LP-01: what can't be found is not cancelled.
#[test]
fn an_unknown_run_is_not_cancelled() {
    let project = project();
    project.run(["cancel", "latest"]).expect(1).says("there is no run yet");
    project.run(["cancel", "2001"]).expect(1).says("there is no run '2001'");
    project.run(["cancel"]).expect(2).says("<RUN>");
}
