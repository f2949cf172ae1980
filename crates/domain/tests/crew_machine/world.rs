//! A world in which a run with a crew goes on by hand: what each attempt comes to, and what a person answers.

use std::collections::VecDeque;

use countersign_domain::agent::{AgentEnd, Heard, Money, Usage};
use countersign_domain::claim::{self, Claimed};
use countersign_domain::contract::{Check, Contract};
use countersign_domain::receipt::{Ended, Execution, Output};
use countersign_domain::run::{
    AskFor, Assigned, Base, Crew, Decision, Effect, Examined, Handed, Limits, Next, Opened,
    Outcome, Outside, Policy, Proof, Reproduced, Review, Reviewed, Run, RunEvent, Said, Shown,
    Step, Verified, assignment, rule, verifier_assignment,
};
use countersign_domain::verdict::{self, Expectation};
use countersign_domain::verify::{self, Unexpected, Verdict, Weight};
use countersign_domain::{Digest, ObjectId};
use jiff::Timestamp;

pub const NOW: Timestamp = Timestamp::UNIX_EPOCH;

pub fn object(number: u32) -> ObjectId {
    format!("{number:040x}").parse().unwrap()
}

pub fn opened(workers: &[&str], verifiers: &[&str], attempts: u32) -> Opened {
    let contract = Contract {
        run: "20261116_101500_001".parse().unwrap(),
        goal: "make it work".into(),
        base_commit: object(1),
        base_tree: object(2),
        checks: vec![Check::new("make test")],
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

pub fn execution() -> Execution {
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

pub fn heard(end: AgentEnd) -> Heard {
    let usage = Usage { input_tokens: 10, cost: Some(Money(5)), ..Usage::default() };
    Heard { end, said: "Done!".into(), session: None, model: None, usage, denied: Vec::new() }
}

/// What one attempt comes to.
#[derive(Clone)]
pub struct Attempt {
    pub end: AgentEnd,
    pub claim: &'static str,
    pub tree: u32,
    pub verdict: Verdict,
    pub fails: Option<&'static str>,
    /// Whether there is something for a person to look at besides.
    pub looks: bool,
    /// What each verifier says.
    pub says: Vec<String>,
    /// What we ran of what it says it ran.
    pub reproduced: Vec<Reproduced>,
    /// What was printed instead of what the test-spec says.
    pub unexpected: Vec<Unexpected>,
    /// What changes in the user's repository while the worker works.
    pub outside: Vec<Outside>,
    /// The same while checks run.
    pub by_check: Vec<Outside>,
    /// The same while a verifier judges.
    pub by_verifier: Vec<Outside>,
}

pub const CLAIM: &str = r#"{"us_id": "US-001", "execution_steps": [{"step": "implement"}]}"#;

pub fn says(verdict: &str, criterion: &str) -> String {
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
    pub fn good(tree: u32) -> Self {
        Self {
            end: AgentEnd::Finished,
            claim: CLAIM,
            tree,
            verdict: Verdict::Accepted,
            fails: None,
            looks: false,
            says: vec![says("pass", "AC1"); 2],
            reproduced: Vec::new(),
            unexpected: Vec::new(),
            outside: Vec::new(),
            by_check: Vec::new(),
            by_verifier: Vec::new(),
        }
    }

    pub fn failing(tree: u32, command: &'static str) -> Self {
        Self { fails: Some(command), verdict: Verdict::Refused, ..Self::good(tree) }
    }

    pub fn judged(tree: u32, says: &[String]) -> Self {
        Self { says: says.to_vec(), ..Self::good(tree) }
    }
}

pub struct World {
    pub attempts: VecDeque<Attempt>,
    /// What a person chooses, question by question.
    pub answers: VecDeque<&'static str>,
    pub journal: Vec<RunEvent>,
    /// What workers were told.
    pub assigned: Vec<String>,
    /// What verifiers were told.
    pub shown: Vec<String>,
}

impl World {
    pub fn perform(&mut self, run: &Run, effect: Effect) -> RunEvent {
        let now = self.attempts.front().cloned().expect("an attempt too many");
        match effect {
            Effect::Prepare { attempt, tree } => {
                RunEvent::Prepared { attempt, tree, fingerprint: None }
            }
            Effect::Review { attempt } => RunEvent::Reviewed(Box::new(Reviewed {
                attempt,
                review: Review::Skipped { because: "nobody".into() },
                prompt: None,
                execution: None,
                heard: None,
                outside: Vec::new(),
            })),
            Effect::Launch { attempt } => {
                self.assigned.push(assignment(run));
                let prompt = Digest::of(assignment(run).as_bytes());
                let agent = run.opened.crew.as_ref().unwrap().worker(run.rung).cloned();
                RunEvent::Launched { attempt, prompt, agent, fingerprint: None }
            }
            Effect::Await { attempt, .. } => RunEvent::Worked {
                attempt,
                execution: Box::new(execution()),
                heard: Some(Box::new(heard(now.end))),
                outside: now.outside,
            },
            Effect::Claim { attempt } => {
                let claimed = match now.claim {
                    "" => Claimed::None,
                    text => claim::read(text.as_bytes(), Some("US-001"), attempt),
                };
                RunEvent::Claimed { attempt, claimed }
            }
            Effect::Snapshot { attempt } => {
                let (tree, nested, unheld) = (object(now.tree), Vec::new(), Vec::new());
                RunEvent::Snapshotted { attempt, tree, nested, unheld, is_gone: false }
            }
            Effect::Examine { attempt, tree } => {
                RunEvent::Examined(Box::new(examined(run, attempt, tree, &now)))
            }
            Effect::LaunchVerifier { attempt, verifier } => {
                let shown = Shown { patch: "+ x", is_cut: false, verifier };
                self.shown.push(verifier_assignment(run, &shown));
                let prompt = Digest::of(b"verify");
                RunEvent::VerifierLaunched { attempt, verifier, prompt, fingerprint: None }
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

    pub fn drive(&mut self, opened: Opened) -> (Run, Option<Outcome>) {
        self.journal = vec![RunEvent::Opened(Box::new(opened.clone()))];
        let mut run = Run::open(opened);
        loop {
            let event = match run.next() {
                Next::Done(outcome) => return (run, Some(outcome)),
                Next::Answer { number, ask_for, .. } => match self.answers.pop_front() {
                    None => return (run, None),
                    Some(choice) => RunEvent::Resolved {
                        number,
                        choice: choice.into(),
                        consequence: ask_for.consequence(choice),
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

pub fn examined(run: &Run, attempt: u32, tree: ObjectId, now: &Attempt) -> Examined {
    let unexpected = now.unexpected.iter();
    let said = |one: &Unexpected| verify::Reason { weight: Weight::Refuse, text: one.to_string() };
    let mut reasons = match now.verdict {
        _ if !now.unexpected.is_empty() => unexpected.map(said).collect(),
        Verdict::Human => vec![verify::Reason { weight: Weight::Ask, text: "look".into() }],
        Verdict::Refused => vec![verify::Reason { weight: Weight::Refuse, text: "no".into() }],
        _ => Vec::new(),
    };
    if now.looks {
        reasons.push(verify::Reason { weight: Weight::Ask, text: "look".into() });
    }
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
        reproduced: now.reproduced.clone(),
        audit: None,
        missing_tests: Vec::new(),
        unexpected: now.unexpected.clone(),
        unnamed_tests: Vec::new(),
        out_of_scope: Vec::new(),
        outside: now.by_check.clone(),
        signature: None,
    }
}

pub fn verified(attempt: u32, verifier: u32, tree: ObjectId, now: &Attempt) -> Verified {
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
        outside: now.by_verifier.clone(),
    }
}

pub fn world(attempts: &[Attempt]) -> World {
    World {
        attempts: attempts.iter().cloned().collect(),
        answers: VecDeque::new(),
        journal: Vec::new(),
        assigned: Vec::new(),
        shown: Vec::new(),
    }
}

pub fn asked(run: &Run) -> Option<AskFor> {
    match run.step {
        Step::Asked { ask_for, .. } => Some(ask_for),
        _ => None,
    }
}

/// How many events of a kind there are.
pub fn count(world: &World, is_one: impl Fn(&RunEvent) -> bool) -> usize {
    world.journal.iter().filter(|event| is_one(event)).count()
}

/// A run in which nobody works: what is there is judged.
pub fn handed(verifiers: &[&str]) -> Opened {
    let mut opened = opened(&["claude"], verifiers, 1);
    let (tree, commit) = (object(3), object(98));
    let crew = opened.crew.as_mut().unwrap();
    crew.handed =
        Some(Handed { tree, commit, branch: "countersign/all".into(), looked: Vec::new() });
    opened
}
