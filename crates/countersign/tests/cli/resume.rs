//! A run that is cut off at any point goes on to the same end.

use std::time::Instant;

use countersign_engine::run::{Goal, Progress};
use countersign_engine::{Engine, Host};
use countersign_testkit::{Call, Project, kinds, normalised, wait_until, without_interruptions};
use serde_json::Value;

pub use crate::killing::host;
use crate::killing::{die, expect_killed, expect_nothing_left, pause, told_to_die};
use crate::project;

/// Two attempts: the first is refused, the second accepted.
const WORKER: &str = "sleep 0.05; echo $COUNTERSIGN_ATTEMPT >> attempts.txt";
const CHECKS: [&str; 2] = ["sleep 0.02; test -f attempts.txt", "grep -q 2 attempts.txt"];
const EVENTS: u64 = 17;

pub fn goal(worker: &str, checks: &[&str]) -> Goal {
    Goal {
        contract: None,
        goal: "Do it".into(),
        checks: checks.iter().map(|check| (*check).to_owned()).collect(),
        worker: format!("command:{worker}"),
        base: None,
        attempts: Some(3),
        worker_seconds: None,
        check_seconds: None,
        own_seconds: [].into(),
        crew: None,
    }
}

fn drive(host: Host, watch: &mut dyn FnMut(&Progress<'_>)) {
    let mut engine = Engine::open(host).unwrap();
    let run = engine.open_run(&goal(WORKER, &CHECKS), watch).unwrap();
    engine.drive(run, watch).unwrap();
}

/// What the journal looks like when nobody interferes.
fn undisturbed() -> Vec<Value> {
    let project = project();
    drive(host(&project), &mut |_| {});
    let journal = project.journal();
    assert_eq!(kinds(&journal).len() as u64, EVENTS);
    normalised(&journal)
}

/// Expects the newest run to be at its end, by the same steps as an undisturbed one.
#[track_caller]
fn expect_same_end(project: &Project, expected: &[Value], when: &str) {
    let journal = project.journal();
    let found = without_interruptions(normalised(&journal));
    assert_eq!(found, expected, "{when}");
    expect_nothing_left(project, when);
}

/// The other side of [`killed_after_every_event`]: a process that dies, as if killed, at once
/// after the event it was told. Without a word about that, it has nothing to do.
#[test]
fn driver() {
    let Some((when, host)) = told_to_die() else { return };
    let after: u64 = when.parse().unwrap();
    drive(host, &mut |progress| {
        if progress.sequence == after {
            die();
        }
    });
}

/// LP-01: killed after any of its events, a run resumes to the same journal.
#[test]
fn killed_after_every_event() {
    let expected = undisturbed();
    for after in 1..=EVENTS {
        let project = project();
        let before = project.fingerprint();
        expect_killed(&project, "resume::driver", &after.to_string(), &[]);
        assert_eq!(kinds(&project.journal()).len() as u64, after);
        project.run(["resume"]).expect(0).prints("accepted");
        expect_same_end(&project, &expected, &format!("killed after event {after}"));
        before.expect_same(&project.fingerprint());
    }
}

/// LP-01: stopped in the same process after any event, another driver goes on.
#[test]
fn stopped_after_every_event() {
    let expected = undisturbed();
    for after in (1..=EVENTS).step_by(4) {
        let project = project();
        let stopped = std::panic::catch_unwind(|| {
            drive(host(&project), &mut |progress| {
                assert_ne!(progress.sequence, after, "stopped on purpose");
            });
        });
        assert!(stopped.is_err());
        let mut engine = Engine::open(host(&project)).unwrap();
        let run = engine.find_run("latest").unwrap();
        engine.drive(run, &mut |_| {}).unwrap();
        expect_same_end(&project, &expected, &format!("stopped after event {after}"));
    }
}

/// Kills a call at `moments` moments of the time that it takes until it ends with `code`, and whoever
/// resumes it at another one. Then `go_on` has to bring it to its end.
pub fn kill_at_moments(
    moments: u32,
    (call, code): (&dyn Fn(&Project) -> Call, i32),
    go_on: impl Fn(&Project, &str),
) {
    let timed = project();
    let begun = Instant::now();
    call(&timed).run().expect(code);
    let whole = begun.elapsed();
    for moment in 0..moments {
        let project = project();
        let before = project.fingerprint();
        let running = call(&project).start();
        pause(whole * moment / moments);
        running.kill();
        let runs = project.run(["status", "--format", "json"]).expect(0).data();
        if runs == serde_json::json!([]) {
            // It was killed before there was a run.
            call(&project).run().expect(code);
        } else {
            let again = project.call(["resume"]).start();
            pause(whole * (moment * 7 % moments) / moments);
            again.kill();
        }
        go_on(&project, &format!("killed at {moment}/{moments}"));
        before.expect_same(&project.fingerprint());
    }
}

/// LP-01: killed at any moment, inside of effects too, and again while it resumes.
#[test]
fn killed_at_any_moment() {
    let expected = undisturbed();
    let worker = format!("command:{WORKER}");
    let args = ["run", "Do it", "--check", CHECKS[0], "--check", CHECKS[1], "--worker", &worker];
    kill_at_moments(20, (&|project| project.call(args), 0), |project, when| {
        project.run(["resume"]).expect(0).prints("accepted");
        expect_same_end(project, &expected, when);
    });
}

/// LP-01: what a cut-off attempt had done is kept, and its processes end with their driver.
#[test]
fn the_work_of_a_cut_off_attempt_is_kept() {
    let project = project();
    let worker = "if [ ! -e $HOME/once ]; then echo half > half.txt; (setsid sleep 1000 &); \
                  touch $HOME/once; sleep 1000; fi; echo whole > whole.txt";
    let running = project.goal(worker, "test -f whole.txt && test ! -f half.txt").start();
    let flag = project.outside().join("home/once");
    wait_until("the worker", || flag.exists().then_some(()));
    running.kill();
    project.expect_no_survivors();
    project.run(["resume"]).expect(0).says("attempt 1 was cut off; what it left is tree");
    let journal = project.journal();
    let run = journal["run"].as_str().unwrap();
    let kept = format!("refs/countersign/runs/{run}/interrupted-1");
    assert_eq!(project.git(["show", &format!("{kept}:half.txt")]), "half\n");
    let interrupted = &journal["entries"][3];
    assert_eq!(interrupted["kind"], "run.interrupted");
    let tree = project.git(["rev-parse", &kept]);
    assert_eq!(interrupted["event"]["body"]["tree"], tree.trim());
}

/// CX-17: a driver that was killed between keeping a tree and recording it is no obstacle.
#[test]
fn a_tree_that_was_kept_and_not_recorded() {
    let project = project();
    let flag = project.outside().join("home/once");
    let worker = "[ -e $HOME/once ] || { touch $HOME/once; sleep 1000; }; echo > x";
    let running = project.goal(worker, "true").start();
    wait_until("the worker", || flag.exists().then_some(()));
    running.kill();
    let run = project.journal()["run"].as_str().unwrap().to_owned();
    let kept = format!("refs/countersign/runs/{run}/interrupted-1");
    let other = project.git(["rev-parse", "HEAD"]);
    project.git(["update-ref", &kept, other.trim()]);
    project.run(["resume"]).expect(0);
    assert_eq!(project.git(["rev-parse", &kept]), other);
    project.git(["rev-parse", "--verify", &format!("{kept}-2")]);
}

/// SE-01: a run whose journal was changed while nobody drove it is not gone on with.
#[test]
fn a_changed_journal_is_not_resumed() {
    let project = project();
    let stopped = std::panic::catch_unwind(|| {
        let mut engine = Engine::open(host(&project)).unwrap();
        let run = engine.open_run(&goal("echo > x", &["false"]), &mut |_| {}).unwrap();
        let _ = engine.drive(run, &mut |progress| assert!(progress.sequence < 3, "on purpose"));
    });
    assert!(stopped.is_err());
    let database = project.state().join("ledger.db");
    let change = "DROP TRIGGER events_are_final; UPDATE events SET body = \
                  replace(body, '\"false\"', '\"true\"') WHERE kind = 'run.opened'";
    let script =
        format!("command -v sqlite3 >/dev/null && sqlite3 {database:?} <<'E'\n{change};\nE");
    if project.sh(&script).code != Some(0) {
        eprintln!("SKIPPED: there is no sqlite3 to change the journal with");
        return;
    }
    project.run(["resume"]).expect(1).says("event 1 of run/").says("ledger verify");
    assert!(project.git(["branch", "--list", "countersign/*"]).is_empty());
}
