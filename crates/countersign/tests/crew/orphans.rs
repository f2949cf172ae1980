//! Processes that nobody leads any more: who goes on with their run ends them first.

use countersign_testkit::{survivors, wait_until};

use crate::stage::{call, expect_tidy, outcome, worker};
use crate::{CHECK, GOAL, greeter};

/// LP-21, EX-01: a worker that kills leader and supervisor at once lives on, with what it started, until
/// somebody goes on with its run; another run of the same project is left alone.
#[test]
fn what_a_killed_leader_and_supervisor_left_is_ended() {
    let project = greeter();
    let outside = project.outside();
    let outside = outside.display();
    // Another run, at work all the while.
    let waits = format!("touch {outside}/waits; until [ -e {outside}/go ]; do sleep 0.05; done");
    let other = project.call(["run", GOAL, "--check", CHECK, "--no-input", "--worker"]);
    let other = other.arg(format!("command:{}", worker(&waits))).start();
    wait_until("the other worker", || outside_has(&project, "waits"));

    // Its first attempt kills both, leader first, and goes on with one that left its session.
    let kills = format!(
        "if [ ! -e {outside}/once ]; then touch {outside}/once; setsid sleep 1000 & \
         env -i sh -c 'sleep 1000; true' & set -- $(cat /proc/$PPID/stat); kill -9 $4 $PPID; \
         sleep 1000; fi"
    );
    let ran = call(&project, &worker(&kills), "").run();
    assert_eq!(ran.code, None, "it was killed: {}{}", ran.out(), ran.err());
    let left = || {
        let left = survivors(&project.outside());
        left.into_iter().filter(|one| one.contains("sleep 1000")).collect::<Vec<_>>()
    };
    assert!(left().len() >= 3, "{:?}", survivors(&project.outside()));

    let ran = project.run(["resume", "latest", "--no-input"]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out(), ran.err());
    assert!(
        ran.err().contains("that the last leader had left at work were ended"),
        "{}",
        ran.err()
    );
    assert_eq!(left(), Vec::<String>::new());
    assert_eq!(outcome(&project)["outcome"], "accepted");

    std::fs::write(project.outside().join("go"), "").unwrap();
    let ran = other.wait();
    assert_eq!(ran.code, Some(0), "the other run was left alone: {}{}", ran.out(), ran.err());
    expect_tidy(&project);
}

fn outside_has(project: &countersign_testkit::Project, name: &str) -> Option<()> {
    project.outside().join(name).exists().then_some(())
}
