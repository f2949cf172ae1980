//! Processes that nobody leads any more: who goes on with their run, or cleans up after it, ends them.

use countersign_testkit::{Project, survivors, wait_until};

use crate::stage::{call, expect_tidy, outcome, worker};
use crate::{CHECK, GOAL, greeter, relay};

/// The first start kills both, leader first, and goes on with one that left its session and one that
/// left its environment behind.
fn kills(project: &Project) -> String {
    let outside = project.outside();
    let outside = outside.display();
    format!(
        "if [ ! -e {outside}/once ]; then touch {outside}/once; setsid sleep 1000 & \
         env -i sh -c 'sleep 1000; true' & set -- $(cat /proc/$PPID/stat); kill -STOP $PPID; kill -9 $4 $PPID; \
         sleep 1000; fi"
    )
}

/// What is left of them.
fn orphans(project: &Project) -> Vec<String> {
    let left = survivors(&project.outside());
    left.into_iter().filter(|one| one.contains("sleep 1000")).collect()
}

/// The same, once all three sleepers are at it: the leader is dead before the last of them has begun, and
/// until a shell's child has become its program it goes by the shell's words.
fn settled(project: &Project) -> Vec<String> {
    wait_until("the three sleepers", || {
        let left = orphans(project);
        let asleep = left.iter().filter(|one| one.ends_with(": sleep 1000 ")).count();
        (asleep == 3).then_some(left)
    })
}

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

    let ran = call(&project, &worker(&kills(&project)), "").run();
    assert_eq!(ran.code, None, "it was killed: {}{}", ran.out(), ran.err());
    settled(&project);

    let ran = project.run(["resume", "latest", "--no-input"]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out(), ran.err());
    assert!(
        ran.err().contains("that the last leader had left at work were ended"),
        "{}",
        ran.err()
    );
    assert_eq!(orphans(&project), Vec::<String>::new());
    assert_eq!(outcome(&project)["outcome"], "accepted");

    std::fs::write(project.outside().join("go"), "").unwrap();
    let ran = other.wait();
    assert_eq!(ran.code, Some(0), "the other run was left alone: {}{}", ran.out(), ran.err());
    expect_tidy(&project);
}

/// LP-23: cleaning leaves what has not ended alone, orphans and all; with `--kill` it ends them, says so,
/// and removes the folder that they stood in.
#[test]
fn cleaning_with_kill_ends_orphans() {
    let project = greeter();
    let ran = call(&project, &worker(&kills(&project)), "").run();
    assert_eq!(ran.code, None, "it was killed: {}{}", ran.out(), ran.err());
    let before = settled(&project);
    let ran = project.run(["run", "clean", "latest"]).expect(1);
    assert!(ran.err().contains("it has not ended"), "{}", ran.err());
    assert_eq!(orphans(&project), before);

    let ran = project.run(["run", "clean", "latest", "--kill"]).expect(0);
    assert!(ran.err().contains("had left at work were ended"), "{}", ran.err());
    ran.prints("is cancelled").prints("0 working folders");
    assert_eq!(orphans(&project), Vec::<String>::new());
    assert_eq!(outcome(&project)["because"], "cancelled");
    expect_tidy(&project);
    let told = project.run(["run", "clean", "latest", "--kill"]).expect(0);
    assert!(!told.err().contains("were ended"), "once is enough: {}", told.err());
}

/// LP-23: the same for a relay whose story was worked on: what its leader left is known by the story's
/// run.
#[test]
fn cleaning_a_relay_with_kill_ends_orphans() {
    let project = relay::project(&["alpha", "beta"]);
    let worker = format!("command:{}", kills(&project));
    let ran = project.call(["run", "--plan", "names", "--no-input", "--worker"]).arg(worker).run();
    assert_eq!(ran.code, None, "it was killed: {}{}", ran.out(), ran.err());
    settled(&project);

    let ran = project.run(["run", "clean", "latest", "--kill"]).expect(0);
    assert!(ran.err().contains("had left at work were ended"), "{}", ran.err());
    ran.prints("is cancelled");
    assert_eq!(orphans(&project), Vec::<String>::new());
    let status = project.run(["run", "status", "--format", "json"]).expect(0).data();
    assert_eq!(status["ending"]["because"], "cancelled", "{status:#}");
    expect_tidy(&project);
}

fn outside_has(project: &Project, name: &str) -> Option<()> {
    project.outside().join(name).exists().then_some(())
}
