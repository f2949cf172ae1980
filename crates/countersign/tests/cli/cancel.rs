//! Ending a run from outside, and who may drive one.

use std::fs;

use countersign_domain::run::RunEvent;
use countersign_engine::Engine;
use countersign_testkit::{Project, Running, kinds, wait_until};

use crate::project;
use crate::resume::{goal, host};

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

/// LP-01: a driver that is merely paused keeps its lease, and hears of the end when it wakes.
#[test]
fn a_paused_driver_keeps_its_run() {
    let project = project();
    let running = hanging_run(&project);
    project.sh(&format!("kill -STOP {}", running.id())).expect(0);
    project.run(["resume"]).expect(1).says("is being driven by another process");
    project.run(["cancel", "latest"]).expect(0).prints("is asked to end");
    assert_eq!(kinds(&project.journal()).len(), 4);
    project.sh(&format!("kill -CONT {}", running.id())).expect(0);
    running.wait().expect(3).prints("it was cancelled");
    project.expect_no_survivors();
}

/// LP-01: what is accepted can't be cancelled any more, and that is no sign of tampering.
#[test]
fn an_accepted_run_is_not_cancelled() {
    let project = project();
    let stopped = std::panic::catch_unwind(|| {
        let mut engine = Engine::open(host(&project)).unwrap();
        let run = engine.open_run(&goal("echo > x", &["test -f x"]), &mut |_| {}).unwrap();
        let _ = engine.drive(run, &mut |progress| {
            let committed = matches!(progress.event, RunEvent::Committed { .. });
            assert!(!committed, "stopped on purpose");
        });
    });
    assert!(stopped.is_err());
    let ran = project.run(["cancel", "latest"]).expect(1);
    ran.says("was accepted; its work is on countersign/").says("countersign resume");
    project.run(["resume"]).expect(0).prints("accepted");
}

/// LP-01: a run can be asked to end twice, and while a check runs.
#[test]
fn a_check_is_cancelled() {
    let project = project();
    let flag = project.outside().join("home/checking");
    let check = format!("touch {}; sleep 1000", flag.display());
    let call = project.goal("echo > x", &check).env("COUNTERSIGN_VERIFY_SANDBOX", "false");
    let running = call.start();
    wait_until("the check", || flag.exists().then_some(()));
    let first = project.call(["cancel", "latest"]).start();
    let second = project.call(["cancel", "latest"]).start();
    running.wait().expect(3).prints("it was cancelled");
    first.wait();
    second.wait();
    let journal = project.journal();
    assert_eq!(kinds(&journal).last().unwrap(), "closed");
    assert!(!kinds(&journal).contains(&"checked".to_owned()), "an unfinished check is no receipt");
    project.expect_no_survivors();
}
