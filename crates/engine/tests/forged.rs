//! Events that someone else slips into the journal of a run that is being driven.

use std::time::Duration;

use countersign_domain::ledger::{Draft, LedgerId};
use countersign_domain::run::RunEvent;
use countersign_engine::run::Goal;
use countersign_engine::{Clock, Engine, Host, Kind};
use countersign_store::{Durability, Expected, Options, Store};
use countersign_testkit::Project;
use uuid::Uuid;

fn goal() -> Goal {
    Goal {
        goal: "Do it".into(),
        checks: vec!["false".into()],
        worker: "command:true".into(),
        base: None,
        attempts: None,
        worker_seconds: None,
        check_seconds: None,
    }
}

/// SE-01: a well-chained event that the driver did not make is not believed.
#[test]
fn a_slipped_in_event_ends_the_drive() {
    let project = Project::new("");
    let environment = project.environment().into_iter().map(|(name, value)| (name.into(), value));
    let path = ("PATH".into(), std::env::var_os("PATH").unwrap_or_default());
    let host = Host {
        clock: Clock::System,
        environment: environment.chain([path]).collect(),
        cwd: project.root(),
        supervisor: Vec::new(),
    };
    let mut engine = Engine::open(host).unwrap();
    let run = engine.open_run(&goal(), &mut |_| {}).unwrap();
    let failed = engine.drive(run, &mut |progress| {
        assert_eq!(progress.sequence, 2, "only the checkout was made");
        let prompt = "0".repeat(64).parse().unwrap();
        let (kind, body) = RunEvent::Launched { attempt: 1, prompt }.encode().unwrap();
        let draft = Draft {
            id: Uuid::now_v7(),
            time: jiff::Timestamp::now(),
            actor: "engine".into(),
            kind,
            format: RunEvent::FORMAT,
            body,
        };
        let mut store = Store::open(Options {
            dir: project.state(),
            fallback: project.outside().join("fallback"),
            durability: Durability::ProcessDeath,
            busy: Duration::from_secs(10),
            new_id: LedgerId(Uuid::now_v7()),
        })
        .unwrap();
        let stream = RunEvent::stream(run).parse().unwrap();
        store.append(&stream, Expected::Sequence(2), &[draft], &[]).unwrap();
    });
    let error = failed.unwrap_err();
    assert_eq!(error.kind, Kind::Tampered);
    assert!(error.message.contains("run.launched, was not written by its driver"), "{error}");
}
