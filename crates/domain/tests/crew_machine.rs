//! The run machine with a crew, driven by hand: agents that work, claim, judge and fail.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::collections::VecDeque;

use countersign_domain::agent::{AgentEnd, Heard, Money, Usage};
use countersign_domain::budget::{OverBudget, RunCaps, Scope};
use countersign_domain::claim::{self, Claimed};
use countersign_domain::contract::{Check, Contract};
use countersign_domain::receipt::{Ended, Execution, Output};
use countersign_domain::run::{
    AskFor, Assigned, Base, Consequence, Crew, Decision, Effect, Examined, Limits, Next, Opened,
    Outcome, Policy, Proof, Reason, RefusedBecause, Review, Reviewed, Ruling, Run, RunEvent, Said,
    Step, Verified, assignment, rule, verifier_assignment,
};
use countersign_domain::verdict::{self, Expectation};
use countersign_domain::verify::{self, Verdict, Weight};
use countersign_domain::{Digest, ObjectId};
use jiff::Timestamp;

const NOW: Timestamp = Timestamp::UNIX_EPOCH;

fn object(number: u32) -> ObjectId {
    format!("{number:040x}").parse().unwrap()
}

fn opened(workers: &[&str], verifiers: &[&str], attempts: u32) -> Opened {
    let contract = Contract {
        run: "20261116_101500_001".parse().unwrap(),
        goal: "make it work".into(),
        base_commit: object(1),
        base_tree: object(2),
        checks: vec![Check { command: "make test".into() }],
        made_from: None,
    };
    let agents = |texts: &[&str]| texts.iter().map(|text| text.parse().unwrap()).collect();
    let crew = Crew {
        workers: agents(workers),
        verifiers: agents(verifiers),
        reviewer: None,
        policy: Policy::default(),
        story: Some(Assigned {
            relay: "20261116_101500_000".replace("_000", "_999").parse().unwrap(),
            story: "US-001".into(),
            plan: Digest::of(b"plan"),
            criteria: vec!["AC1".into()],
            impacted: vec!["tests/test_old.py".into()],
            tests: Vec::new(),
            touches: Vec::new(),
            risk: None,
            plan_files: Vec::new(),
        }),
        handed: None,
        task: None,
        examples: Vec::new(),
        is_detected: false,
    };
    Opened {
        base: Base { commit: object(1), tree: object(2), branch: None },
        contract_hash: contract.hash(),
        contract,
        worker: workers[0].into(),
        limits: Limits { attempts, worker_seconds: 60, check_seconds: 60, output_bytes: 1000 },
        crew: Some(Box::new(crew)),
    }
}

fn execution() -> Execution {
    Execution {
        argv: vec!["agent".into()],
        cwd: ".".into(),
        environment: Digest::of(b"environment"),
        started_at: NOW,
        duration_ms: 3,
        ended: Ended::Exited { code: 0 },
        output: Output { blob: Digest::of(b"out"), bytes: 3, excerpt: "done".into() },
        stragglers: 0,
        sandbox: "none".into(),
        report: None,
        used: None,
        tools: Vec::new(),
    }
}

fn heard(end: AgentEnd) -> Heard {
    let usage = Usage { input_tokens: 10, cost: Some(Money(5)), ..Usage::default() };
    Heard { end, said: "Done!".into(), session: None, model: None, usage, denied: Vec::new() }
}

/// What one attempt comes to.
#[derive(Clone)]
struct Attempt {
    end: AgentEnd,
    claim: &'static str,
    tree: u32,
    verdict: Verdict,
    fails: Option<&'static str>,
    /// What each verifier says.
    says: Vec<String>,
}

const CLAIM: &str = r#"{"us_id": "US-001", "execution_steps": [{"step": "implement"}]}"#;

fn says(verdict: &str, criterion: &str) -> String {
    let reasoning: Vec<serde_json::Value> = verdict::Look::ALL
        .iter()
        .map(|look| serde_json::json!({"check": look.name(), "decision": "pass", "basis": "r1"}))
        .collect();
    let issues = match verdict {
        "fail" => serde_json::json!([{"id": "I1", "severity": "major", "criterion": criterion,
            "description": "it is wrong", "fix_hint": "try harder"}]),
        _ => serde_json::json!([]),
    };
    serde_json::json!({
        "verdict": verdict, "us_id": "US-001", "summary": "s", "receipts": ["r1"],
        "criteria": [{"criterion": "AC1", "met": verdict == "pass", "evidence": "r1"}],
        "reasoning": reasoning, "issues": issues, "missing_evidence": ["which locale?"],
    })
    .to_string()
}

impl Attempt {
    fn good(tree: u32) -> Self {
        Self {
            end: AgentEnd::Finished,
            claim: CLAIM,
            tree,
            verdict: Verdict::Accepted,
            fails: None,
            says: vec![says("pass", "AC1"); 2],
        }
    }

    fn failing(tree: u32, command: &'static str) -> Self {
        Self { fails: Some(command), verdict: Verdict::Refused, ..Self::good(tree) }
    }

    fn judged(tree: u32, says: &[String]) -> Self {
        Self { says: says.to_vec(), ..Self::good(tree) }
    }
}

struct World {
    attempts: VecDeque<Attempt>,
    answers: VecDeque<Consequence>,
    journal: Vec<RunEvent>,
}

impl World {
    fn perform(&mut self, run: &Run, effect: Effect) -> RunEvent {
        let now = self.attempts.front().cloned().expect("an attempt too many");
        match effect {
            Effect::Prepare { attempt, tree } => RunEvent::Prepared { attempt, tree },
            Effect::Review { attempt } => RunEvent::Reviewed(Box::new(Reviewed {
                attempt,
                review: Review::Skipped { because: "nobody".into() },
                prompt: None,
                execution: None,
                heard: None,
            })),
            Effect::Launch { attempt } => {
                let prompt = Digest::of(assignment(run).as_bytes());
                let agent = run.opened.crew.as_ref().unwrap().worker(run.rung).cloned();
                RunEvent::Launched { attempt, prompt, agent }
            }
            Effect::Await { attempt, .. } => RunEvent::Worked {
                attempt,
                execution: Box::new(execution()),
                heard: Some(Box::new(heard(now.end))),
            },
            Effect::Claim { attempt } => {
                let claimed = match now.claim {
                    "" => Claimed::None,
                    text => claim::read(text.as_bytes(), Some("US-001"), attempt),
                };
                RunEvent::Claimed { attempt, claimed }
            }
            Effect::Snapshot { attempt } => {
                let tree = object(now.tree);
                RunEvent::Snapshotted { attempt, tree, nested: Vec::new() }
            }
            Effect::Examine { attempt, tree } => {
                RunEvent::Examined(Box::new(examined(run, attempt, tree, &now)))
            }
            Effect::LaunchVerifier { attempt, verifier } => {
                let prompt = Digest::of(b"verify");
                RunEvent::VerifierLaunched { attempt, verifier, prompt }
            }
            Effect::Verify { attempt, verifier, tree, .. } => {
                RunEvent::Verified(Box::new(verified(attempt, verifier, tree, &now)))
            }
            Effect::Rule => {
                let ruling = rule(run, &run.opened.limits, NOW);
                if !matches!(ruling.decision, Decision::Accept) {
                    self.attempts.pop_front();
                }
                RunEvent::Ruled(ruling)
            }
            Effect::Wait { attempt, .. } => RunEvent::Waited { attempt },
            Effect::Ask { number, ask_for } => {
                RunEvent::Asked { number, ask_for, checkpoint: format!("x.{number}") }
            }
            Effect::Commit { .. } => {
                RunEvent::Committed { commit: object(99), branch: "countersign/x".into() }
            }
            Effect::Close { outcome } => RunEvent::Closed(outcome),
            other => panic!("nobody asked for {other:?}"),
        }
    }

    fn drive(&mut self, opened: Opened) -> (Run, Option<Outcome>) {
        self.journal = vec![RunEvent::Opened(Box::new(opened.clone()))];
        let mut run = Run::open(opened);
        loop {
            let event = match run.next() {
                Next::Done(outcome) => return (run, Some(outcome)),
                Next::Answer { number, .. } => match self.answers.pop_front() {
                    None => return (run, None),
                    Some(consequence) => RunEvent::Resolved {
                        number,
                        choice: "x".into(),
                        consequence,
                        words: "as I say".into(),
                        by: "Ada".into(),
                        at: NOW,
                    },
                },
                Next::Perform(effect) => {
                    if matches!(effect, Effect::Close { .. }) && self.attempts.is_empty() {
                        self.attempts.push_back(Attempt::good(0));
                    }
                    if matches!(effect, Effect::Ask { .. } | Effect::Wait { .. })
                        && self.attempts.is_empty()
                    {
                        self.attempts.push_back(Attempt::good(0));
                    }
                    self.perform(&run, effect)
                }
            };
            self.journal.push(event.clone());
            run.apply(event).unwrap();
        }
    }
}

fn examined(run: &Run, attempt: u32, tree: ObjectId, now: &Attempt) -> Examined {
    let reasons = match now.verdict {
        Verdict::Human => vec![verify::Reason { weight: Weight::Ask, text: "look".into() }],
        Verdict::Refused => vec![verify::Reason { weight: Weight::Refuse, text: "no".into() }],
        _ => Vec::new(),
    };
    Examined {
        run: run.id(),
        attempt,
        tree,
        verification: run.id(),
        verdict: now.verdict,
        level: None,
        reasons,
        findings: Vec::new(),
        receipts: vec![Proof {
            command: now.fails.unwrap_or("make test").into(),
            passed: now.fails.is_none(),
            error: now.fails.map(|_| "exit code 1".into()),
            receipts: vec![Digest::of(b"receipt")],
            excerpt: "expected 2, found 3".into(),
        }],
        shown_by: Vec::new(),
        reproduced: Vec::new(),
        audit: None,
        missing_tests: Vec::new(),
        unnamed_tests: Vec::new(),
        out_of_scope: Vec::new(),
        signature: None,
    }
}

fn verified(attempt: u32, verifier: u32, tree: ObjectId, now: &Attempt) -> Verified {
    let (criteria, receipts) = (["AC1".to_owned()], ["r1".to_owned()]);
    let due = Expectation { story: Some("US-001"), criteria: &criteria, receipts: &receipts };
    let said = match verdict::read(&now.says[verifier as usize], &due) {
        Ok(verdict) => Said::Verdict { verdict: Box::new(verdict) },
        Err(faults) => Said::Unfit { faults },
    };
    Verified {
        attempt,
        verifier,
        tree,
        agent: "codex".parse().unwrap(),
        execution: Box::new(execution()),
        heard: heard(AgentEnd::Finished),
        said,
        touched: Vec::new(),
    }
}

fn world(attempts: &[Attempt]) -> World {
    World {
        attempts: attempts.iter().cloned().collect(),
        answers: VecDeque::new(),
        journal: Vec::new(),
    }
}

fn asked(run: &Run) -> Option<AskFor> {
    match run.step {
        Step::Asked { ask_for, .. } => Some(ask_for),
        _ => None,
    }
}

/// LP-02, LP-08, LP-11: what we ran and every verifier pass it.
#[test]
fn honest_work_is_accepted() {
    let mut world = world(&[Attempt::good(3)]);
    let (run, outcome) = world.drive(opened(&["claude"], &["codex", "claude"], 3));
    assert!(matches!(outcome, Some(Outcome::Accepted { .. })), "{outcome:?}");
    assert_eq!(run.verified.len(), 2);
    assert_eq!(run.used.tokens(), 30);
    assert_eq!(Run::replay(world.journal).unwrap().unwrap(), run);
}

/// LP-08: a verifier is not asked about work whose checks fail, and can't save it.
#[test]
fn what_fails_is_sent_back_before_anybody_judges_it() {
    let mut world = world(&[Attempt::failing(3, "make test"), Attempt::good(4)]);
    let (run, outcome) = world.drive(opened(&["claude"], &["codex"], 3));
    assert!(matches!(outcome, Some(Outcome::Accepted { .. })));
    let verified = world.journal.iter().filter(|e| matches!(e, RunEvent::Verified(_))).count();
    assert_eq!((verified, run.attempt), (1, 2));
    let told = assignment(&Run { rulings: run.rulings[..1].to_vec(), ..run });
    assert!(
        told.contains("expected 2, found 3") && told.contains("Attempt 1 was refused"),
        "{told}"
    );
    assert!(told.contains("tests/test_old.py"));
}

/// LP-15: what a verifier finds becomes a fix assignment; its hints are suggestions.
#[test]
fn a_failing_verdict_becomes_a_fix_assignment() {
    let fail = Attempt::judged(3, &[says("fail", "AC1")]);
    let mut world = world(&[fail, Attempt::good(4)]);
    let (run, outcome) = world.drive(opened(&["claude"], &["codex"], 3));
    assert!(matches!(outcome, Some(Outcome::Accepted { .. })));
    let told = assignment(&Run { rulings: run.rulings[..1].to_vec(), ..run });
    assert!(told.contains("major, AC1: it is wrong"), "{told}");
    assert!(told.contains("(suggestion, not binding: try harder)"), "{told}");
}

/// LP-16, LP-17: the same criterion twice takes a stronger worker; the third failure goes to a person.
#[test]
fn the_same_failure_climbs_and_then_escalates() {
    let attempts: Vec<Attempt> = (3..6).map(|tree| Attempt::failing(tree, "make test")).collect();
    let mut world = world(&attempts);
    let (run, outcome) = world.drive(opened(&["claude:haiku", "claude:opus"], &[], 9));
    assert_eq!((outcome, asked(&run)), (None, Some(AskFor::Escalation)));
    let rungs: Vec<Option<u32>> = run.rulings.iter().map(|ruling| ruling.rung).collect();
    assert_eq!(rungs, [Some(0), Some(1), None]);
}

/// LP-16: something else each time gives the strongest worker one try.
#[test]
fn scattered_failures_get_the_strongest_worker() {
    let attempts = [
        Attempt::failing(3, "a"),
        Attempt::failing(4, "b"),
        Attempt::failing(5, "c"),
        Attempt::failing(6, "d"),
    ];
    let (run, _) = world(&attempts).drive(opened(&["claude:haiku", "claude:opus"], &[], 9));
    let rungs: Vec<Option<u32>> = run.rulings.iter().map(|ruling| ruling.rung).collect();
    assert_eq!(rungs, [Some(0), Some(0), Some(1), None]);
    assert_eq!(asked(&run), Some(AskFor::Escalation));
}

/// LP-16: attempts that change nothing end the run.
#[test]
fn nothing_changes_for_three_attempts() {
    let same = Attempt::failing(3, "a");
    let attempts = [same.clone(), same.clone(), same.clone(), same];
    let policy = Policy { failures: 9, ..Policy::default() };
    let mut opened = opened(&["claude"], &[], 9);
    opened.crew.as_mut().unwrap().policy = policy;
    let (_, outcome) = world(&attempts).drive(opened);
    assert_eq!(outcome, Some(Outcome::Refused { because: RefusedBecause::Unchanged }));
}

/// D1.6: a worker can only ask to be blocked; a person decides, and no other attempt is lost.
#[test]
fn the_honest_way_out_asks_a_person() {
    let blocked = Attempt {
        claim: r#"{"us_id": "US-001", "status": "blocked", "because": "AC1 excludes AC2"}"#,
        ..Attempt::good(2)
    };
    let (run, outcome) = world(std::slice::from_ref(&blocked)).drive(opened(&["claude"], &[], 3));
    assert_eq!((outcome, asked(&run)), (None, Some(AskFor::Impossible)));
    for (answer, expected) in [
        (Consequence::Stop, Outcome::Refused { because: RefusedBecause::Impossible }),
        (
            Consequence::GoOn,
            Outcome::Accepted {
                tree: object(4),
                commit: object(99),
                branch: "countersign/x".into(),
            },
        ),
    ] {
        let mut world = world(&[blocked.clone(), Attempt::good(4)]);
        world.answers.push_back(answer);
        let (run, outcome) = world.drive(opened(&["claude"], &[], 3));
        assert_eq!(outcome, Some(expected));
        if answer == Consequence::GoOn {
            assert!(assignment(&run).contains("as I say"), "the next worker hears the person");
        }
    }
}

/// What needs a person's eye waits for it; taken, it still has to be judged.
#[test]
fn findings_wait_for_a_person() {
    let odd = Attempt { verdict: Verdict::Human, ..Attempt::good(3) };
    let (run, outcome) =
        world(std::slice::from_ref(&odd)).drive(opened(&["claude"], &["codex"], 3));
    assert_eq!((outcome, asked(&run)), (None, Some(AskFor::Findings)));
    let mut world = world(&[odd.clone(), odd]);
    world.answers.push_back(Consequence::Accept);
    let (run, outcome) = world.drive(opened(&["claude"], &["codex"], 3));
    assert!(matches!(outcome, Some(Outcome::Accepted { .. })), "{:?}", run.rulings);
    assert_eq!(run.verified.len(), 1);
}

/// LP-19: verifiers that disagree become one fix assignment; after the rounds a person decides.
#[test]
fn disagreement_is_bounded() {
    let split = |tree| Attempt::judged(tree, &[says("pass", "AC1"), says("fail", "AC1")]);
    let attempts: Vec<Attempt> = (3..9).map(split).collect();
    let (run, outcome) = world(&attempts).drive(opened(&["claude"], &["claude", "codex"], 20));
    assert_eq!((outcome, asked(&run)), (None, Some(AskFor::Disagreement)));
    assert_eq!(run.rulings.iter().filter(|ruling| ruling.is_split).count(), 4);
}

/// LP-19: where attempts run out first, a split verdict is a person's to decide, and no end.
#[test]
fn a_split_at_the_last_attempt_is_asked_about() {
    let split = Attempt::judged(3, &[says("pass", "AC1"), says("fail", "AC1")]);
    let (run, _) = world(&[split]).drive(opened(&["claude"], &["claude", "codex"], 1));
    assert_eq!(asked(&run), Some(AskFor::Disagreement));
}

/// LP-11: who could not judge is asked again, if a person says so.
#[test]
fn an_unjudgeable_verdict_is_asked_for_again() {
    let blocked = says("blocked", "AC1");
    let mut world = world(&[Attempt::judged(3, &[blocked]), Attempt::good(3)]);
    world.answers.push_back(Consequence::Again);
    let (run, outcome) = world.drive(opened(&["claude"], &["codex"], 3));
    assert!(matches!(outcome, Some(Outcome::Accepted { .. })), "{:?}", run.rulings);
}

/// A question of a verifier is no failure, and is answered by the next attempt.
#[test]
fn a_question_moves_no_counter() {
    let asks = |tree| Attempt::judged(tree, &[says("request_info", "AC1")]);
    let attempts = [asks(3), asks(4), asks(5), Attempt::good(6)];
    let (run, outcome) = world(&attempts).drive(opened(&["claude"], &["codex"], 9));
    assert!(matches!(outcome, Some(Outcome::Accepted { .. })));
    assert!(run.rulings.iter().all(|ruling| !ruling.is_failure()), "{:?}", run.rulings);
}

/// CO-16: a rate limit is waited for, within bounds, and costs no attempt.
#[test]
fn what_may_pass_is_tried_again() {
    let limited =
        Attempt { end: AgentEnd::RateLimited { retry_seconds: Some(7) }, ..Attempt::good(2) };
    let mut world_ = world(&[limited.clone(), limited.clone(), Attempt::good(3)]);
    let (run, outcome) = world_.drive(opened(&["claude"], &[], 1));
    assert!(matches!(outcome, Some(Outcome::Accepted { .. })));
    assert_eq!((run.attempt, run.restarts), (1, 2));
    let Decision::Retry { until } = run.rulings[0].decision else { panic!() };
    assert_eq!(until.as_second(), 7);
    let (run, _) = world(&vec![limited; 5]).drive(opened(&["claude"], &[], 1));
    assert_eq!(asked(&run), Some(AskFor::Agent));
}

/// LP-11: a verdict that can't be used is asked for again, and then a person decides.
#[test]
fn rubbish_is_no_verdict() {
    let rubbish = Attempt::judged(3, &["looks good to me".into()]);
    let (run, outcome) = world(&vec![rubbish; 6]).drive(opened(&["claude"], &["codex"], 3));
    assert_eq!((outcome, asked(&run)), (None, Some(AskFor::NoVerdict)));
    assert_eq!(run.restarts, 3);
}

/// LP-10: a claim that can't be used fails the attempt, with the field.
#[test]
fn an_unfit_claim_is_sent_back() {
    let unfit = Attempt { claim: r#"{"us_id": "US-002"}"#, ..Attempt::good(3) };
    let none = Attempt { claim: "", ..Attempt::good(4) };
    let (run, outcome) = world(&[unfit, none, Attempt::good(5)]).drive(opened(&["claude"], &[], 9));
    assert!(matches!(outcome, Some(Outcome::Accepted { .. })));
    let first = &run.rulings[0].reasons;
    assert!(
        first.iter().any(|r| matches!(r, Reason::ClaimUnfit { fault } if fault.contains("US-002")))
    );
    assert!(run.rulings[1].reasons.contains(&Reason::ClaimUnfit { fault: "there is none".into() }));
}

/// CO-05: a start that can't be paid for asks before anything is spent.
#[test]
fn a_budget_asks_before_the_start() {
    let mut run = Run::open(opened(&["claude"], &[], 3));
    let mut world = world(&[Attempt::good(3)]);
    for _ in 0..2 {
        let Next::Perform(effect) = run.next() else { panic!() };
        let event = world.perform(&run, effect);
        run.apply(event).unwrap();
    }
    let caps = RunCaps::default();
    let books = countersign_domain::budget::Books {
        today: countersign_domain::budget::Day::new("2026-11-16".parse().unwrap()),
        others: Vec::new(),
        caps: countersign_domain::budget::Caps {
            of_run: caps,
            day: countersign_domain::budget::Limit { money: Some(Money(0)), tokens: None },
        },
    };
    let id = countersign_domain::budget::ReservationId {
        run: run.id(),
        attempt: 1,
        role: countersign_domain::agent::Role::Worker,
        start: 1,
    };
    let over: OverBudget = books.grant(&countersign_domain::budget::Want::of(id)).unwrap_err();
    assert_eq!(over.left.scope, Scope::Day);
    run.apply(RunEvent::Ruled(Ruling::over_budget(&run, &over))).unwrap();
    assert!(matches!(run.next(), Next::Perform(Effect::Ask { ask_for: AskFor::Budget, .. })));
}

/// LP-02: nobody can write an acceptance into a journal that nothing proves.
#[test]
fn an_acceptance_needs_what_we_ran() {
    for attempt in [
        Attempt::failing(3, "make test"),
        Attempt { verdict: Verdict::Human, ..Attempt::good(3) },
        Attempt::judged(3, &[says("fail", "AC1")]),
    ] {
        let mut world = world(&[attempt]);
        let mut run = Run::open(opened(&["claude"], &[], 3));
        while let Next::Perform(effect) = run.next() {
            if effect == Effect::Rule {
                break;
            }
            let event = world.perform(&run, effect);
            run.apply(event).unwrap();
        }
        let forged = Ruling { decision: Decision::Accept, ..rule(&run, &run.opened.limits, NOW) };
        let is_proven = run.examined.as_ref().is_some_and(|one| one.verdict == Verdict::Accepted);
        assert_eq!(run.apply(RunEvent::Ruled(forged)).is_ok(), is_proven);
    }
}

/// LP-01: a verifier whose driver is gone is cut off, and judges again.
#[test]
fn a_cut_off_verifier_judges_again() {
    let mut world = world(&[Attempt::good(3)]);
    let mut run = Run::open(opened(&["claude"], &["codex"], 3));
    while !matches!(run.step, Step::VerifierLaunched { .. }) {
        let Next::Perform(effect) = run.next() else { panic!() };
        let event = world.perform(&run, effect);
        run.apply(event).unwrap();
    }
    let Next::Perform(Effect::InterruptVerifier { attempt, verifier }) = run.next_after_takeover()
    else {
        panic!()
    };
    run.apply(RunEvent::VerifierInterrupted { attempt, verifier }).unwrap();
    assert_eq!(run.next(), Next::Perform(Effect::LaunchVerifier { attempt, verifier }));
}

/// LP-02: a verifier sees contract, difference and receipts, and nothing that the worker said.
#[test]
fn a_verifier_never_hears_the_worker() {
    let mut world = world(&[Attempt::good(3)]);
    let (run, _) = world.drive(opened(&["claude"], &["codex"], 3));
    let shown = countersign_domain::run::Shown { patch: "+ a line with ``` in it", is_cut: false };
    let text = verifier_assignment(&run, &shown);
    assert!(!text.contains("Done!"), "{text}");
    assert!(text.contains("r1: `make test` passed") && text.contains("make it work"), "{text}");
    assert!(text.contains("````diff\n+ a line with ``` in it\n````"), "{text}");
}
