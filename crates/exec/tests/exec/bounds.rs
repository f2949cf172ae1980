//! Deadlines and cancellation.

use std::io;
use std::thread;
use std::time::Duration;

use countersign_exec::{Cancel, Ended, run};

use crate::support::{Bench, eventually, exited, is_alive, supervisor};

/// A deadline that lets a shell install its traps, also on a busy machine.
const TIME_TO_GET_READY: Duration = Duration::from_millis(1500);

#[test]
fn the_deadline_ends_a_program() {
    let bench = Bench::new();
    let mut spec = bench.spec(["sleep", "1000"]);
    spec.deadline = Duration::from_millis(100);
    let (finished, _) = bench.run(&spec);
    assert_eq!((finished.ended, finished.stragglers), (Ended::TimedOut, 0));
}

#[test]
fn the_deadline_ends_a_program_that_ignores_requests() {
    let bench = Bench::new();
    let mut spec = bench.shell("trap '' TERM INT HUP; echo deaf; while :; do sleep 0.05; done");
    spec.deadline = TIME_TO_GET_READY;
    let (finished, output) = bench.run(&spec);
    assert_eq!(finished.ended, Ended::TimedOut);
    assert_eq!(output, b"deaf\n");
}

/// A program that is asked to end may still say something.
#[test]
fn grace_is_used_for_last_words() {
    let bench = Bench::new();
    let mut spec = bench.shell("trap 'echo bye; exit 0' TERM; while :; do sleep 0.05; done");
    spec.deadline = TIME_TO_GET_READY;
    spec.grace = Duration::from_secs(30);
    let (finished, output) = bench.run(&spec);
    assert_eq!(finished.ended, Ended::TimedOut);
    // The shell may say before that its `sleep` was ended as well.
    assert!(output.ends_with(b"bye\n"));
}

#[test]
fn no_deadline_and_no_grace_are_both_fine() {
    let bench = Bench::new();
    let mut spec = bench.shell("sleep 1000 & echo done");
    (spec.deadline, spec.grace) = (Duration::MAX, Duration::ZERO);
    let (finished, output) = bench.run(&spec);
    assert_eq!(finished.ended, exited(0));
    assert_eq!(output, b"done\n");

    let mut spec = bench.spec(["sleep", "1000"]);
    (spec.deadline, spec.grace) = (Duration::ZERO, Duration::MAX);
    let (finished, _) = bench.run(&spec);
    assert_eq!(finished.ended, Ended::TimedOut);
}

#[test]
fn another_thread_can_cancel() {
    let bench = Bench::new();
    let spec = bench.shell("setsid sleep 1000 & echo $$ > pid; sleep 1000");
    let cancel = Cancel::new();
    let finished = thread::scope(|scope| {
        let running = scope.spawn(|| run(&supervisor(), &spec, &cancel, &mut io::sink()));
        let program = bench.pid_in("pid");
        cancel.clone().cancel();
        let finished = running.join().unwrap().unwrap();
        assert!(!is_alive(program));
        finished
    });
    assert_eq!(finished.ended, Ended::Cancelled);
    bench.assert_nobody_left();
}

#[test]
fn one_handle_cancels_all_its_runs_and_no_others() {
    let bench = Bench::new();
    let (cancel, other) = (Cancel::new(), Cancel::new());
    thread::scope(|scope| {
        let start = |cancel, script: &str| {
            let spec = bench.shell(script);
            scope.spawn(move || run(&supervisor(), &spec, cancel, &mut io::sink()).unwrap().ended)
        };
        let first = start(&cancel, "sleep 1000");
        let second = start(&cancel, "sleep 1000");
        let third = start(&other, "until test -e go; do sleep 0.02; done");
        eventually("three programs", || bench.living().len() >= 3);
        cancel.cancel();
        assert_eq!(first.join().unwrap(), Ended::Cancelled);
        assert_eq!(second.join().unwrap(), Ended::Cancelled);
        std::fs::write(bench.path().join("go"), "").unwrap();
        assert_eq!(third.join().unwrap(), exited(0));
    });
    bench.assert_nobody_left();
}

#[test]
fn a_cancelled_handle_starts_nothing() {
    let bench = Bench::new();
    let cancel = Cancel::new();
    cancel.cancel();
    let spec = bench.shell("touch started");
    let finished = run(&supervisor(), &spec, &cancel, &mut io::sink()).unwrap();
    assert_eq!(finished.ended, Ended::Cancelled);
    assert!(!bench.path().join("started").exists());
}
