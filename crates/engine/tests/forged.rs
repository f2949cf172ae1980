//! Events that someone else slips into the journal of a run that is being driven.

#![allow(clippy::unwrap_used)]

use std::time::Duration;

use countersign_domain::ledger::{Draft, LedgerId, Stored as _};
use countersign_domain::receipt::{Ended, Execution, Output, Receipt};
use countersign_domain::run::RunEvent;
use countersign_domain::{Digest, Stamp};
use countersign_engine::run::Goal;
use countersign_engine::{Clock, Engine, Host, Kind};
use countersign_store::{Durability, Expected, Options, Store};
use countersign_testkit::Project;
use uuid::Uuid;

fn goal() -> Goal {
    Goal {
        contract: None,
        goal: "Do it".into(),
        checks: vec!["false".into()],
        worker: "command:true".into(),
        base: None,
        attempts: None,
        worker_seconds: None,
        check_seconds: None,
        own_seconds: [].into(),
        crew: None,
    }
}

fn open(project: &Project) -> Engine {
    let environment = project.environment().into_iter().map(|(name, value)| (name.into(), value));
    let path = ("PATH".into(), std::env::var_os("PATH").unwrap_or_default());
    let host = Host {
        clock: Clock::System,
        environment: environment.chain([path]).collect(),
        cwd: project.root(),
        supervisor: Vec::new(),
    };
    Engine::open(host).unwrap()
}

/// Appends `events` after `sequence`, as anyone could who may write the database.
fn slip_in(project: &Project, run: Stamp, sequence: u64, events: &[RunEvent]) {
    let drafts: Vec<Draft> = events
        .iter()
        .map(|event| {
            let (kind, body) = event.encode().unwrap();
            Draft {
                id: Uuid::now_v7(),
                time: jiff::Timestamp::now(),
                actor: "engine".into(),
                kind,
                format: RunEvent::FORMAT,
                body,
            }
        })
        .collect();
    let mut store = Store::open(Options {
        dir: project.state(),
        fallback: project.outside().join("fallback"),
        durability: Durability::ProcessDeath,
        busy: Duration::from_secs(10),
        new_id: LedgerId(Uuid::now_v7()),
        rows: countersign_store::no_rows,
    })
    .unwrap();
    let stream = RunEvent::stream(run).parse().unwrap();
    store.append(&stream, Expected::Sequence(sequence), &drafts, &[]).unwrap();
}

/// SE-01: a well-chained event that the driver did not make is not believed.
#[test]
fn a_slipped_in_event_ends_the_drive() {
    let project = Project::new("");
    let mut engine = open(&project);
    let run = engine.open_run(&goal(), &mut |_| {}).unwrap();
    let failed = engine.drive(run, &mut |progress| {
        assert_eq!(progress.sequence, 2, "only the checkout was made");
        let prompt = "0".repeat(64).parse().unwrap();
        let launched = RunEvent::Launched { attempt: 1, prompt, agent: None, fingerprint: None };
        slip_in(&project, run, 2, &[launched]);
    });
    let error = failed.unwrap_err();
    assert_eq!(error.kind, Kind::Tampered);
    assert!(error.message.contains("run.launched, was not written by its driver"), "{error}");
}

/// LP-08, SE-02: receipts are made by us. One that is chained in while nobody drives the run,
/// after the last seal, is not ours, and the run does not go on.
#[test]
fn a_receipt_without_our_signature_is_not_believed() {
    let project = Project::new("");
    let mut engine = open(&project);
    let run = engine.open_run(&goal(), &mut |_| {}).unwrap();
    let folded = engine.load(run).unwrap();
    let tree = folded.base().tree.clone();
    let execution = Execution {
        argv: vec!["sh".into()],
        cwd: ".".into(),
        environment: Digest::of(b""),
        started_at: jiff::Timestamp::now(),
        duration_ms: 1,
        ended: Ended::Exited { code: 0 },
        output: Output { blob: Digest::of(b""), bytes: 0, excerpt: String::new() },
        stragglers: 0,
        sandbox: "none".into(),
        report: None,
        used: None,
        tools: Vec::new(),
    };
    let receipt = Receipt {
        run,
        attempt: 1,
        contract: folded.opened.contract_hash,
        tree: tree.clone(),
        check: 0,
        execution: execution.clone(),
        level: None,
        outside: Vec::new(),
        signature: None,
    };
    let (attempt, prompt) = (1, Digest::of(b""));
    let forged = [
        RunEvent::Prepared { attempt, tree: tree.clone(), fingerprint: None },
        RunEvent::Launched { attempt, prompt, agent: None, fingerprint: None },
        RunEvent::Worked {
            attempt,
            execution: Box::new(execution),
            heard: None,
            outside: Vec::new(),
        },
        RunEvent::Snapshotted {
            attempt,
            tree,
            nested: Vec::new(),
            unheld: Vec::new(),
            is_gone: false,
        },
        RunEvent::Checked(Box::new(receipt)),
    ];
    slip_in(&project, run, 1, &forged);
    let error = engine.drive(run, &mut |_| {}).unwrap_err();
    assert_eq!(error.kind, Kind::Tampered);
    assert!(error.message.contains("event 6 of run/"), "{error}");
}
