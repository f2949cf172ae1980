//! The run machine, driven by hand through whole journals.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use countersign_domain::contract::{Check, Contract};
use countersign_domain::ledger::Stored as _;
use countersign_domain::receipt::{Ended, Execution, Output, Receipt};
use countersign_domain::run::{
    Base, Decision, Effect, Limits, Next, Opened, Outcome, Outside, Reason, RefusedBecause, Run,
    RunEvent, assignment, rule,
};
use countersign_domain::{Digest, ObjectId};

const NOW: jiff::Timestamp = jiff::Timestamp::UNIX_EPOCH;

fn object(digit: char) -> ObjectId {
    String::from(digit).repeat(40).parse().unwrap()
}

fn opened(checks: &[&str], attempts: u32) -> Opened {
    let contract = Contract {
        run: "20261116_101500_001".parse().unwrap(),
        goal: "make it work".into(),
        base_commit: object('a'),
        base_tree: object('b'),
        checks: checks.iter().map(|&command| Check::new(command)).collect(),
        made_from: None,
    };
    Opened {
        base: Base { commit: object('a'), tree: object('b'), branch: Some("main".into()) },
        contract_hash: contract.hash(),
        contract,
        worker: "command:true".into(),
        limits: Limits { attempts, worker_seconds: 60, check_seconds: 60, output_bytes: 1000 },
        crew: None,
    }
}

fn execution(ended: Ended, excerpt: &str) -> Execution {
    Execution {
        argv: vec!["sh".into(), "-c".into(), "true".into()],
        cwd: ".".into(),
        environment: Digest::of(b"environment"),
        started_at: "2026-11-16T10:15:00Z".parse().unwrap(),
        duration_ms: 3,
        ended,
        output: Output { blob: Digest::of(b"out"), bytes: 3, excerpt: excerpt.into() },
        stragglers: 0,
        sandbox: "none".into(),
        report: None,
        used: None,
        tools: Vec::new(),
    }
}

/// A world in which each attempt hands over one tree and its checks end as given.
struct World {
    trees: Vec<ObjectId>,
    worker: Ended,
    checks: Vec<Vec<Ended>>,
}

/// Performs `effect` in `world`: what the engine does with real processes.
fn perform(world: &World, run: &Run, effect: Effect) -> RunEvent {
    match effect {
        Effect::Prepare { attempt, tree } => {
            RunEvent::Prepared { attempt, tree, fingerprint: None }
        }
        Effect::Launch { attempt } => {
            let prompt = Digest::of(assignment(run).as_bytes());
            RunEvent::Launched { attempt, prompt, agent: None, fingerprint: None }
        }
        Effect::Await { attempt, .. } => RunEvent::Worked {
            attempt,
            execution: Box::new(execution(world.worker.clone(), "done!")),
            heard: None,
            outside: Vec::new(),
        },
        Effect::Interrupt { attempt } => {
            RunEvent::Interrupted { attempt, tree: None, outside: Vec::new() }
        }
        Effect::Snapshot { attempt } => RunEvent::Snapshotted {
            attempt,
            tree: world.trees[attempt as usize - 1].clone(),
            nested: Vec::new(),
            unheld: Vec::new(),
            is_gone: false,
        },
        Effect::Check { attempt, check, tree } => RunEvent::Checked(Box::new(Receipt {
            run: run.id(),
            attempt,
            contract: run.opened.contract_hash,
            tree,
            check,
            execution: execution(
                world.checks[attempt as usize - 1][check as usize].clone(),
                "expected 2, ```found``` 3",
            ),
            level: None,
            outside: Vec::new(),
            signature: None,
        })),
        Effect::Rule => RunEvent::Ruled(rule(run, &run.opened.limits, NOW)),
        Effect::Commit { .. } => {
            RunEvent::Committed { commit: object('c'), branch: "countersign/x".into() }
        }
        Effect::Close { outcome } => RunEvent::Closed(outcome),
        other => panic!("a run without a crew doesn't do {other:?}"),
    }
}

fn drive(world: &World, opened: Opened) -> (Run, Vec<RunEvent>, Outcome) {
    let mut journal = vec![RunEvent::Opened(Box::new(opened.clone()))];
    let mut run = Run::open(opened);
    loop {
        match run.next() {
            Next::Done(outcome) => return (run, journal, outcome),
            Next::Answer { .. } => panic!("a run without a crew asks nobody"),
            Next::Perform(effect) => {
                let event = perform(world, &run, effect);
                journal.push(event.clone());
                run.apply(event).unwrap();
            }
        }
    }
}

const PASS: Ended = Ended::Exited { code: 0 };
const FAIL: Ended = Ended::Exited { code: 1 };

/// LP-02, LP-08: acceptance rests on receipts for the very tree that was handed over.
#[test]
fn honest_work_is_accepted() {
    let world = World { trees: vec![object('1')], worker: PASS, checks: vec![vec![PASS, PASS]] };
    let (run, journal, outcome) = drive(&world, opened(&["a", "b"], 3));
    let branch = "countersign/x".to_owned();
    assert_eq!(outcome, Outcome::Accepted { tree: object('1'), commit: object('c'), branch });
    assert_eq!(run.rulings[0].receipts.len(), 2);
    assert_eq!(Run::replay(journal).unwrap().unwrap(), run);
}

/// LP-02: a worker that says done without changing anything is refused, even if checks pass.
#[test]
fn nothing_changed_is_never_accepted() {
    let world = World { trees: vec![object('b')], worker: PASS, checks: vec![vec![PASS]] };
    let (run, _, outcome) = drive(&world, opened(&["a"], 1));
    assert_eq!(outcome, Outcome::Refused { because: RefusedBecause::AttemptsExhausted });
    assert!(matches!(run.rulings[0].reasons[..], [Reason::NothingChanged { .. }]));
}

/// Unknown is never a pass: only exit code 0 is.
#[test]
fn only_exit_code_zero_passes() {
    let ends = [
        FAIL,
        Ended::Signalled { signal: 9 },
        Ended::TimedOut,
        Ended::Flooded,
        Ended::Cancelled,
        Ended::NotStarted { reason: "no".into() },
        Ended::Lost { reason: "gone".into() },
    ];
    for end in ends {
        let world =
            World { trees: vec![object('1')], worker: PASS, checks: vec![vec![PASS, end.clone()]] };
        let (run, ..) = drive(&world, opened(&["a", "b"], 1));
        assert_ne!(run.rulings[0].decision, Decision::Accept, "{end:?}");
        let world = World { trees: vec![object('1')], worker: end, checks: vec![vec![PASS]] };
        let (run, ..) = drive(&world, opened(&["a"], 1));
        assert_ne!(run.rulings[0].decision, Decision::Accept);
    }
}

/// D2.5: zero criteria is not a pass.
#[test]
fn no_checks_block_at_once() {
    let world = World { trees: vec![object('1')], worker: PASS, checks: vec![vec![]] };
    let (_, _, outcome) = drive(&world, opened(&[], 3));
    assert_eq!(outcome, Outcome::Refused { because: RefusedBecause::NothingToCheck });
}

/// The next attempt starts from the refused tree and is told what was wrong with it.
#[test]
fn refused_work_is_revised_with_the_findings() {
    let world = World {
        trees: vec![object('1'), object('2')],
        worker: PASS,
        checks: vec![vec![FAIL], vec![PASS]],
    };
    let (run, journal, outcome) = drive(&world, opened(&["make test"], 3));
    assert!(matches!(outcome, Outcome::Accepted { .. }));
    assert_eq!(run.rulings.len(), 2);
    assert!(journal.contains(&RunEvent::Prepared {
        attempt: 2,
        tree: object('1'),
        fingerprint: None
    }));
    let upto = journal.iter().position(|e| matches!(e, RunEvent::Launched { attempt: 2, .. }));
    let halfway = Run::replay(journal[..upto.unwrap()].to_vec()).unwrap().unwrap();
    let prompt = assignment(&halfway);
    assert!(prompt.contains("Attempt 1 was refused"), "{prompt}");
    assert!(prompt.contains("`make test` did not pass: exit code 1"), "{prompt}");
    assert!(prompt.contains("````\nexpected 2, ```found``` 3\n````"), "{prompt}");
}

/// D2.4: a receipt for another run, attempt, contract, tree or check is refused.
#[test]
fn stale_receipts_are_refused() {
    let world = World { trees: vec![object('1')], worker: PASS, checks: vec![vec![PASS]] };
    let (_, journal, _) = drive(&world, opened(&["a"], 1));
    let at = journal.iter().position(|e| matches!(e, RunEvent::Checked(_))).unwrap();
    let RunEvent::Checked(good) = &journal[at] else { panic!() };
    let before = Run::replay(journal[..at].to_vec()).unwrap().unwrap();
    let stale: [fn(&mut Receipt); 5] = [
        |r| r.run = "20261116_101500_002".parse().unwrap(),
        |r| r.attempt = 2,
        |r| r.contract = Digest::of(b"other"),
        |r| r.tree = object('9'),
        |r| r.check = 1,
    ];
    for change in stale {
        let mut receipt = good.clone();
        change(&mut receipt);
        assert!(before.clone().apply(RunEvent::Checked(receipt)).is_err());
    }
    assert!(before.clone().apply(journal[at].clone()).is_ok());
}

/// LP-01: at every event, a new driver finds a next step that leads to the same end.
#[test]
fn every_prefix_resumes() {
    let world = World {
        trees: vec![object('1'), object('2')],
        worker: PASS,
        checks: vec![vec![PASS, FAIL], vec![PASS, PASS]],
    };
    let (whole, journal, outcome) = drive(&world, opened(&["a", "b"], 3));
    for cut in 1..=journal.len() {
        let mut run = Run::replay(journal[..cut].to_vec()).unwrap().unwrap();
        let mut next = run.next_after_takeover();
        let ended = loop {
            match next {
                Next::Answer { .. } => panic!("nobody is asked"),
                Next::Done(outcome) => break outcome,
                Next::Perform(effect) => {
                    let event = perform(&world, &run, effect);
                    run.apply(event).unwrap();
                    next = run.next();
                }
            }
        };
        assert_eq!(ended, outcome, "cut after {cut}");
        assert_eq!(run.rulings, whole.rulings, "cut after {cut}");
    }
}

/// Events that don't follow are refused at every point of a journal, and change nothing.
#[test]
fn foreign_events_are_refused_everywhere() {
    let world = World {
        trees: vec![object('1'), object('2')],
        worker: PASS,
        checks: vec![vec![FAIL], vec![PASS]],
    };
    let (_, journal, _) = drive(&world, opened(&["a"], 3));
    for cut in 1..=journal.len() {
        let run = Run::replay(journal[..cut].to_vec()).unwrap().unwrap();
        for event in &journal {
            if journal.get(cut) == Some(event) {
                continue;
            }
            let mut tried = run.clone();
            if tried.apply(event.clone()).is_err() {
                assert_eq!(tried, run);
            } else {
                let kind = event.encode().unwrap().0;
                panic!("{kind} was taken in after {cut} events");
            }
        }
    }
}

/// A cancelled run ends, and exactly once.
#[test]
fn cancelling_closes_the_run() {
    let mut run = Run::open(opened(&["a"], 3));
    run.apply(RunEvent::CancelRequested { by: "user".into() }).unwrap();
    let outcome = Outcome::Refused { because: RefusedBecause::Cancelled };
    assert_eq!(run.next(), Next::Perform(Effect::Close { outcome: outcome.clone() }));
    run.apply(RunEvent::Closed(outcome.clone())).unwrap();
    assert_eq!(run.next(), Next::Done(outcome));
    assert!(run.apply(RunEvent::CancelRequested { by: "user".into() }).is_err());
}

/// Every event survives encoding, and its blobs are known.
#[test]
fn events_round_trip() {
    let world = World {
        trees: vec![object('1')],
        worker: Ended::NotStarted { reason: "x".into() },
        checks: vec![vec![FAIL]],
    };
    let (_, mut journal, _) = drive(&world, opened(&["a"], 1));
    journal.push(RunEvent::Interrupted {
        attempt: 1,
        tree: Some(object('1')),
        outside: Vec::new(),
    });
    journal.push(RunEvent::CancelRequested { by: "user".into() });
    for event in journal {
        let (kind, body) = event.encode().unwrap();
        assert!(kind.starts_with("run."));
        assert_eq!(RunEvent::decode(&kind, &body).unwrap(), event);
    }
}

/// LP-02: an acceptance without a passed receipt for every check is not taken in, whoever
/// wrote it.
#[test]
fn acceptance_needs_proof() {
    let world = World { trees: vec![object('1')], worker: PASS, checks: vec![vec![PASS, FAIL]] };
    let (_, journal, _) = drive(&world, opened(&["a", "b"], 1));
    let at = journal.iter().position(|event| matches!(event, RunEvent::Ruled(_))).unwrap();
    let RunEvent::Ruled(honest) = &journal[at] else { panic!() };
    let run = Run::replay(journal[..at].to_vec()).unwrap().unwrap();
    assert!(run.clone().apply(journal[at].clone()).is_ok());
    let mut forged = honest.clone();
    forged.decision = Decision::Accept;
    forged.reasons.clear();
    assert!(run.clone().apply(RunEvent::Ruled(forged)).is_err());
}

/// G46: what was on the record before a worker stays there while nobody can look, and looking is due before
/// anything else; what is seen then is the worker's. Journals that went on without are read as they are.
#[test]
fn what_could_not_be_seen_is_looked_at_first() {
    let world = World { trees: vec![object('1')], worker: PASS, checks: vec![vec![PASS]] };
    let (_, journal, _) = drive(&world, opened(&["a"], 1));
    let at = journal.iter().position(|one| matches!(one, RunEvent::Worked { .. })).unwrap();
    let mut before = journal[..at].to_vec();
    let print = Digest::of(b"print");
    if let Some(RunEvent::Launched { fingerprint, .. }) = before.last_mut() {
        *fingerprint = Some(print);
    }
    let broken = Outside::broken(&"it is broken");
    let mut worked = journal[at].clone();
    if let RunEvent::Worked { outside, .. } = &mut worked {
        outside.push(broken.clone());
    }
    before.push(worked);
    let run = Run::replay(before).unwrap().unwrap();
    assert_eq!(
        (run.fingerprint, run.next()),
        (Some(print), Next::Perform(Effect::Look { attempt: 1 }))
    );
    let looked = |attempt, fingerprint, outside| RunEvent::Looked { attempt, fingerprint, outside };
    assert!(run.clone().apply(looked(2, None, Vec::new())).is_err(), "of another attempt");
    assert!(
        run.clone().apply(looked(1, Some(print), Vec::new())).is_err(),
        "nothing is checked yet"
    );
    assert!(run.clone().apply(journal[at + 1].clone()).is_ok(), "as the first versions did");
    let mut seen = run;
    seen.apply(looked(1, None, vec![broken])).unwrap();
    assert_eq!(
        (seen.fingerprint, seen.next()),
        (None, Next::Perform(Effect::Snapshot { attempt: 1 }))
    );
    assert_eq!(seen.suspects(), ["the worker of attempt 1"]);
}

/// G46: what is on the record before checks is looked at by whoever takes over while they are at work.
#[test]
fn checks_that_were_cut_off_are_looked_at() {
    let world = World { trees: vec![object('1')], worker: PASS, checks: vec![vec![PASS]] };
    let (_, journal, _) = drive(&world, opened(&["a"], 1));
    let at = journal.iter().position(|one| matches!(one, RunEvent::Checked(_))).unwrap();
    let mut run = Run::replay(journal[..at].to_vec()).unwrap().unwrap();
    let due = run.next();
    let fingerprint = Some(Digest::of(b"print"));
    let looked = |fingerprint| RunEvent::Looked { attempt: 1, fingerprint, outside: Vec::new() };
    assert!(run.clone().apply(looked(None)).is_err(), "there is nothing to compare with");
    run.apply(looked(fingerprint)).unwrap();
    assert!(run.clone().apply(looked(fingerprint)).is_err(), "it is on the record");
    assert_eq!(run.next(), due);
    assert_eq!(run.next_after_takeover(), Next::Perform(Effect::Look { attempt: 1 }));
    run.apply(looked(None)).unwrap();
    assert_eq!(run.next_after_takeover(), due);
    run.apply(journal[at].clone()).unwrap();
    assert_eq!(run.fingerprint, None);
}
