//! When leader or supervisor are killed, stopped, or lied to.

use std::io;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use countersign_exec::{Cancel, Ended, Supervisor, run};
use rustix::process::{Pid, Signal, kill_process};

use crate::support::{Bench, PATIENCE, eventually, exited, is_alive, reason, supervisor};

fn kill(pid: i32, signal: Signal) {
    kill_process(Pid::from_raw(pid).unwrap(), signal).unwrap();
}

/// RELIABILITY: no orphan processes: the program kills its own supervisor.
#[test]
fn killing_the_supervisor_is_never_a_pass() {
    let bench = Bench::new();
    for signal in ["KILL", "TERM", "HUP"] {
        let script = format!(
            "setsid sleep 1000 & echo $! > one
             setsid env -i /bin/sleep 1000 & echo $! > two
             kill -{signal} $PPID; exit 0"
        );
        let (finished, _) = bench.run(&bench.shell(&script));
        assert!(reason(&finished.ended).contains("without a report"), "{:?}", finished.ended);
        assert!(!is_alive(bench.pid_in("one")));
        assert!(!is_alive(bench.pid_in("two")));
    }
}

/// RELIABILITY: no orphan processes: a daemon without our marker, after its supervisor died.
#[test]
fn a_daemon_whose_supervisor_was_killed_is_ended() {
    let bench = Bench::new();
    let daemon = "trap \"\" TERM HUP; cd /; echo $$ > \"$1\"; while :; do sleep 0.05; done";
    let script = format!(
        "(env -i setsid -f sh -c '{daemon}' daemon \"$PWD/pid\" </dev/null >/dev/null 2>&1 &)
         until test -s pid; do :; done; kill -9 $PPID; exec env -i /bin/sleep 1000"
    );
    let (finished, _) = bench.run(&bench.shell(&script));
    assert!(matches!(finished.ended, Ended::Lost { .. }), "{:?}", finished.ended);
    assert!(!is_alive(bench.pid_in("pid")));
}

/// RELIABILITY: no orphan processes: a supervisor that hangs is given up after its time.
#[test]
fn a_stopped_supervisor_is_given_up() {
    let bench = Bench::new();
    let mut spec = bench.shell("setsid sleep 1000 & kill -STOP $PPID; sleep 1000");
    (spec.deadline, spec.grace) = (Duration::from_millis(100), Duration::from_millis(100));
    let (finished, _) = bench.run(&spec);
    assert!(reason(&finished.ended).contains("did not answer"), "{:?}", finished.ended);
}

/// A flood under a stopped supervisor must not keep the leader from looking at the time.
#[test]
fn a_stopped_supervisor_is_given_up_during_a_flood_and_a_cancel() {
    let bench = Bench::new();
    let mut spec = bench.shell("kill -STOP $PPID; yes");
    spec.max_output = u64::MAX;
    let cancel = Cancel::new();
    let finished = thread::scope(|scope| {
        let running = scope.spawn(|| run(&supervisor(), &spec, &cancel, &mut io::sink()));
        eventually("a flood", || bench.living().iter().any(|(_, line)| line.starts_with("yes")));
        cancel.cancel();
        running.join().unwrap().unwrap()
    });
    assert!(reason(&finished.ended).contains("did not answer"), "{:?}", finished.ended);
    bench.assert_nobody_left();
}

/// The body of a leader in a process of its own; started by the tests below, idle otherwise.
#[test]
fn act_as_leader() {
    let Some(directory) = std::env::var_os("COUNTERSIGN_EXEC_LEADER") else {
        return;
    };
    let bench = Bench::new();
    let mut spec = bench.shell(
        "trap '' TERM HUP
         setsid sh -c 'echo $$ > session; exec sleep 1000' &
         (env -i setsid -f sh -c 'echo $$ > daemon; exec sleep 1000' &)
         echo $PPID > supervisor; echo $$ > program; while :; do sleep 0.05; done",
    );
    spec.cwd = directory.into();
    let _ = run(&supervisor(), &spec, &Cancel::new(), &mut io::sink());
}

/// RELIABILITY: no orphan processes: the leader dies, in any way.
#[test]
fn a_killed_leader_leaves_nobody() {
    for signal in [Signal::KILL, Signal::TERM, Signal::INT] {
        let bench = Bench::new();
        let mut leader = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "lost::act_as_leader"])
            .env("COUNTERSIGN_EXEC_LEADER", bench.path())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let files = ["session", "daemon", "supervisor", "program"];
        let pids = files.map(|file| bench.pid_in(file));
        assert!(pids.iter().all(|pid| is_alive(*pid)));
        kill(i32::try_from(leader.id()).unwrap(), signal);
        leader.wait().unwrap();
        eventually("an end of all", || !pids.iter().any(|pid| is_alive(*pid)));
    }
}

/// A program can't write a report for its supervisor: the channel is not open in it, and the
/// supervisor is no ordinary process that a debugger may attach to.
#[test]
fn the_control_channel_is_out_of_reach() {
    let bench = Bench::new();
    let script = "for target in /dev/stdin /proc/$PPID/fd/0; do
           echo '{\"ended\":{\"cause\":{\"exited\":{\"code\":0}},\"duration\":{\"secs\":0,\"nanos\":0},\
            \"stragglers\":0,\"left\":0}}' > $target
         done; exit 3";
    let (finished, _) = bench.run(&bench.shell(script));
    assert_eq!(finished.ended, exited(3));
}

/// The hidden subcommand, started by hand, does nothing but say so.
#[test]
fn a_supervisor_without_a_leader_refuses() {
    let program = env!("CARGO_BIN_EXE_countersign-supervisor");
    let refused = Command::new(program).stdin(Stdio::null()).output().unwrap();
    assert_eq!(refused.status.code(), Some(2));
    assert!(!refused.stderr.is_empty());
}

/// A name through `/proc` is enough to start the supervisor again.
#[test]
fn this_program_can_be_its_own_supervisor() {
    let bench = Bench::new();
    // The test executable does not speak our protocol, which is the point: it is entered.
    let supervisor = Supervisor::this_program(&["--exact", "no-such-test"]).unwrap();
    let mut spec = bench.spec(["true"]);
    spec.deadline = PATIENCE;
    let mut output = Vec::new();
    let finished = run(&supervisor, &spec, &Cancel::new(), &mut output).unwrap();
    assert!(matches!(finished.ended, Ended::Lost { .. }), "{:?}", finished.ended);
    assert!(String::from_utf8_lossy(&output).contains("0 tests"));
}
