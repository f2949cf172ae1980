//! Whatever a program starts ends with it.

use std::time::Duration;

use countersign_exec::Ended;

use crate::support::{Bench, exited, is_alive};

/// RELIABILITY: no orphan processes: a background child that holds the pipe.
#[test]
fn a_background_child_does_not_outlive_the_program() {
    let bench = Bench::new();
    let (finished, output) = bench.run(&bench.shell("sleep 1000 & echo $! > pid; echo done"));
    assert_eq!((finished.ended, finished.stragglers), (exited(0), 1));
    assert_eq!(output, b"done\n");
    assert!(!is_alive(bench.pid_in("pid")));
}

/// RELIABILITY: no orphan processes: a child in a session of its own.
#[test]
fn a_child_in_its_own_session_is_ended() {
    let bench = Bench::new();
    let script = "setsid sh -c 'echo $$ > pid; exec sleep 1000' & until test -s pid; do :; done";
    let (finished, _) = bench.run(&bench.shell(script));
    assert_eq!((finished.ended, finished.stragglers), (exited(0), 1));
    assert!(!is_alive(bench.pid_in("pid")));
}

/// RELIABILITY: no orphan processes: a daemon that forked twice, cleared its environment,
/// closed the pipe, left the directory and ignores requests.
#[test]
fn a_daemon_is_ended() {
    let bench = Bench::new();
    let daemon = "trap \"\" TERM HUP; cd /; echo $$ > \"$1\"; exec sleep 1000";
    let script = format!(
        "(setsid env -i setsid -f sh -c '{daemon}' daemon \"$PWD/pid\" </dev/null >/dev/null 2>&1 &)
         until test -s pid; do :; done"
    );
    let (finished, _) = bench.run(&bench.shell(&script));
    assert_eq!(finished.ended, exited(0));
    // On a busy machine the daemon's parents may not be gone yet.
    assert!(finished.stragglers >= 1);
    assert!(!is_alive(bench.pid_in("pid")));
}

/// RELIABILITY: no orphan processes: stopped, so that a request alone would wait for ever.
#[test]
fn a_stopped_child_is_ended() {
    let bench = Bench::new();
    let (finished, _) =
        bench.run(&bench.shell("sleep 1000 & echo $! > pid; kill -STOP $!; echo done"));
    assert_eq!((finished.ended, finished.stragglers), (exited(0), 1));
    assert!(!is_alive(bench.pid_in("pid")));
}

/// RELIABILITY: no orphan processes: everybody ignores requests, in three sessions.
#[test]
fn children_that_ignore_requests_are_ended_at_the_deadline() {
    let bench = Bench::new();
    let mut spec = bench.shell(
        "trap '' TERM HUP INT
         setsid sh -c 'setsid sleep 1000 & while :; do sleep 0.05; done' &
         echo $! > pid; while :; do sleep 0.05; done",
    );
    spec.deadline = Duration::from_millis(1500);
    let (finished, _) = bench.run(&spec);
    assert_eq!(finished.ended, Ended::TimedOut);
    assert!(finished.stragglers >= 2, "{}", finished.stragglers);
    assert!(!is_alive(bench.pid_in("pid")));
}

/// RELIABILITY: no orphan processes: new ones keep coming while the old ones are ended.
#[test]
fn a_program_that_keeps_forking_is_ended() {
    let bench = Bench::new();
    let mut spec = bench.shell(
        "trap '' TERM
         for i in 1 2 3; do
           (trap '' TERM; while :; do sh -c 'sleep 0.3 & sleep 0.2 &'; done) &
         done
         while :; do (sleep 0.1 &) ; done",
    );
    spec.deadline = Duration::from_millis(700);
    let (finished, _) = bench.run(&spec);
    assert_eq!(finished.ended, Ended::TimedOut);
}

/// RELIABILITY: no orphan processes: a chain in which each process starts the next one in a new
/// session and leaves at once, so that no number and no group stays the same.
#[test]
fn a_chain_of_short_lives_is_ended() {
    let bench = Bench::new();
    let link = bench.path().join("link");
    std::fs::write(&link, "trap '' TERM\nsetsid sh ./link &\n").unwrap();
    let mut spec = bench.shell("trap '' TERM; for i in 1 2 3; do sh ./link; done; sleep 1000");
    spec.deadline = Duration::from_millis(300);
    spec.grace = Duration::from_millis(50);
    let (finished, _) = bench.run(&spec);
    assert_eq!(finished.ended, Ended::TimedOut);
}

/// A deep and wide tree is as little trouble as one child.
#[test]
fn many_children_are_ended() {
    let bench = Bench::new();
    let script = "for i in $(seq 100); do sleep 1000 & done; (setsid sleep 1000 &); echo done";
    let (finished, output) = bench.run(&bench.shell(script));
    assert_eq!((finished.ended, finished.stragglers), (exited(0), 101));
    assert_eq!(output, b"done\n");
}

/// Children that are about to end are not accused.
#[test]
fn a_tidy_program_has_no_stragglers() {
    let bench = Bench::new();
    let (finished, _) = bench.run(&bench.shell("sleep 0.05 & sleep 0.01 | cat; wait"));
    assert_eq!((finished.ended, finished.stragglers), (exited(0), 0));
}

/// Ended children of adopted orphans must not fill the process table during a long run.
#[test]
fn orphans_that_end_during_the_run_are_collected() {
    let bench = Bench::new();
    let script = "for i in 1 2 3 4 5; do (sleep 0.01 &); done
         for i in $(seq 600); do
           zombies=0
           for stat in /proc/[0-9]*/stat; do
             read -r line 2>/dev/null < $stat || continue
             case \"$line\" in *') Z '$PPID' '*) zombies=$((zombies + 1));; esac
           done
           test $i -gt 3 && test $zombies = 0 && exit 0
           sleep 0.1
         done; exit 1";
    assert_eq!(bench.run_shell(script).0, exited(0));
}
