//! Checks that are commands: their exit codes on both sides.

use crate::{CHECK, data, greeter, reasons, verify};

/// VC-08: it failed before, it passes now, and nobody touched the test.
#[test]
fn work_that_holds_is_accepted() {
    let project = greeter();
    project.write("greet.sh", "echo \"Hello, $1\"\n");
    verify(&project, &["--check", CHECK])
        .expect(0)
        .prints("accepted")
        .prints("Fails on the base and passes now");
    project.run(["ledger", "verify"]).expect(0).prints("intact");
}

/// VC-08: what does not hold, or never ran, is not accepted.
#[test]
fn work_that_does_not_hold_is_refused() {
    let project = greeter();
    project.write("greet.sh", "echo \"Hi, $1\"\n");
    verify(&project, &["--check", CHECK]).expect(3).prints("failed on the base as well");
    verify(&project, &["--check", "exit 7"]).expect(3).prints("exit code 7");
    verify(&project, &["--check", "no-such-program-anywhere"])
        .expect(4)
        .prints("on the base neither: no-such-program-anywhere is not installed; install it");
    verify(&project, &["--check", "sleep 60", "--timeout", "1"])
        .expect(3)
        .prints("stopped at its deadline");
    verify(&project, &["--check", "kill -9 $$"]).expect(3);
}

/// LP-13, G10: the base's tests are run on the new code, so that bending one gains nothing.
#[test]
fn a_bent_check_gains_nothing() {
    let project = greeter();
    project.write("tests/greets.sh", "exit 0\n");
    project.write("greet.sh", "echo Hello, you\n");
    let (code, data) = data(&project, &["--check", CHECK]);
    assert_eq!(code, Some(3), "{data:#}");
    assert!(reasons(&data).contains("passes only with the changed tests"), "{}", reasons(&data));
}

/// What passes on both sides shows nothing; only a person can say whether it is done.
#[test]
fn what_shows_nothing_is_a_persons_to_judge() {
    let project = greeter();
    project.write("greet.sh", "echo Hello # by name\n");
    verify(&project, &["--check", "true"]).expect(4).prints("A human must look");
    let task = ["verify", "--task", "Refactor greet", "--check", "true"];
    project.run(task).expect(4).prints("no code of the product was changed");
    project.write("greet.sh", "printf 'Hello\\n'\n");
    project.run(task).expect(0).prints("accepted");
}

/// K7: answers are compared in our process.
#[test]
fn examples_are_compared_here() {
    let project = greeter();
    project.write("greet.sh", "if [ \"$1\" = Ada ]; then echo Hello, Ada; else echo Hello; fi\n");
    let good = ["--check", CHECK, "--example", "sh greet.sh Ada => Hello, Ada"];
    verify(&project, &good).expect(0).prints("example");
    let held_out = [&good[..], &["--example", "sh greet.sh Grace => Hello, Grace"]].concat();
    verify(&project, &held_out).expect(3).prints("must print \"Hello, Grace\"");
}
