//! A clock that goes backwards.

use std::sync::{Arc, Mutex};

use countersign_domain::run::Outcome;
use countersign_engine::run::Driven;
use countersign_engine::{Clock, Engine, Host};

use crate::project;
use crate::resume::{goal, host};

/// WL-17: ids keep growing and runs keep working when the clock is set back, between runs and
/// in the middle of one.
#[test]
fn the_clock_goes_backwards() {
    let project = project();
    let time = Arc::new(Mutex::new("2026-11-16T10:00:00Z".parse().unwrap()));
    let host = Host { clock: Clock::Set(time.clone()), ..host(&project) };
    let mut engine = Engine::open(host).unwrap();
    let mut runs = Vec::new();
    for now in ["2026-11-16T10:00:00Z", "2026-11-16T09:00:00Z", "2020-01-01T00:00:00Z"] {
        *time.lock().unwrap() = now.parse().unwrap();
        let run = engine.open_run(&goal("echo > x", &["test -f x"]), &mut |_| {}).unwrap();
        let outcome = engine
            .drive(run, &mut |_| {
                *time.lock().unwrap() = "2019-12-31T23:59:59Z".parse().unwrap();
            })
            .unwrap();
        assert!(matches!(outcome, Driven::Ended(Outcome::Accepted { .. })));
        runs.push(run);
    }
    assert!(runs.is_sorted(), "{runs:?}");
    assert_eq!(engine.find_run("latest").unwrap(), runs[2]);
    let verification = engine.verify(None).unwrap();
    assert!(verification.intact, "{:?}", verification.report);
    // A receipt says what the clock said; its place in the chain says when it was.
    let journal = engine.journal(runs[2]).unwrap();
    assert_eq!(journal.entries.len(), 9);
    project.run(["ledger", "verify"]).expect(0).prints("intact");
}

/// WL-17: ids of a time long past, or of the far future, are ids as well.
#[test]
fn the_clock_is_far_off() {
    for now in ["1970-01-01T00:00:00Z", "2999-12-31T23:59:59.999Z"] {
        let project = project();
        let clock = Clock::Set(Arc::new(Mutex::new(now.parse().unwrap())));
        let mut engine = Engine::open(Host { clock, ..host(&project) }).unwrap();
        let run = engine.open_run(&goal("echo > x", &["test -f x"]), &mut |_| {}).unwrap();
        engine.drive(run, &mut |_| {}).unwrap();
        drop(engine);
        // Back in the present, the ledger goes on.
        project.goal("echo > y", "test -f y").run().expect(0);
        project.run(["ledger", "verify"]).expect(0);
    }
}
