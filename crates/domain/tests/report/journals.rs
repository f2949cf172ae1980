//! Journals made by hand, an event every second.

use countersign_domain::agent::{AgentEnd, Heard, Money, Usage};
use countersign_domain::budget::RunCaps;
use countersign_domain::claim::{Claim, ClaimPlace, Claimed, ClaimedStep, Stand, StepKind};
use countersign_domain::contract::{Check, Contract};
use countersign_domain::receipt::{Ended, Execution, Output};
use countersign_domain::relay::{self, Relay, RelayEvent, StoryTerms};
use countersign_domain::report::{Dated, RelayTrail};
use countersign_domain::run::{
    Assigned, Base, Crew, Decision, Examined, Limits, Opened, Outcome, Policy, Proof, Reason,
    Ruling, RunEvent, Said, Verified,
};
use countersign_domain::verdict::{AgentVerdict, Conclusion, CriterionSeen, Issue, Severity};
use countersign_domain::verify::{Level, Verdict};
use countersign_domain::{Digest, ObjectId};

const RUN: &str = "20261116_101500_001";

pub struct Journal {
    pub events: Vec<Dated>,
}

fn object(digit: char) -> ObjectId {
    String::from(digit).repeat(40).parse().unwrap()
}

fn execution(duration_ms: u64) -> Execution {
    Execution {
        argv: vec!["sh".into()],
        cwd: ".".into(),
        environment: Digest::of(b"environment"),
        started_at: "2026-11-16T10:15:00Z".parse().unwrap(),
        duration_ms,
        ended: Ended::Exited { code: 0 },
        output: Output { blob: Digest::of(b"out"), bytes: 3, excerpt: "out".into() },
        stragglers: 0,
        sandbox: "none".into(),
        report: None,
        used: None,
        tools: Vec::new(),
    }
}

fn heard(input_tokens: u64, output_tokens: u64, cost: u64) -> Heard {
    let cost = Some(Money(cost));
    Heard {
        end: AgentEnd::Finished,
        said: "Done!".into(),
        session: None,
        model: None,
        usage: Usage { input_tokens, output_tokens, cost, ..Usage::default() },
        denied: Vec::new(),
    }
}

pub fn step(step: StepKind, criterion: &str, exit_code: Option<i64>) -> ClaimedStep {
    let command = exit_code.map(|_| "make test".to_owned());
    ClaimedStep { step, ac_id: Some(criterion.into()), command, exit_code, summary: "s".into() }
}

pub fn claim(steps: &[ClaimedStep]) -> Claimed {
    let body = Claim {
        us_id: Some("US-001".into()),
        iteration: None,
        stand: Stand::Done,
        claims: vec!["it sums".into()],
        execution_steps: steps.to_vec(),
        reflection: None,
    };
    Claimed::Given { body: Box::new(body), from: ClaimPlace::File }
}

pub fn issue(id: &str, severity: Severity, criterion: &str, description: &str) -> Issue {
    Issue {
        id: id.into(),
        severity,
        criterion: Some(criterion.into()),
        description: description.into(),
        fix_hint: None,
        failure_category: None,
    }
}

impl Journal {
    pub fn new() -> Self {
        Self::with_goal("make it sum")
    }

    /// A run for a story with one criterion, a worker and a verifier.
    pub fn with_goal(goal: &str) -> Self {
        let contract = Contract {
            run: RUN.parse().unwrap(),
            goal: goal.into(),
            base_commit: object('a'),
            base_tree: object('b'),
            checks: vec![Check::new("make test")],
            made_from: None,
        };
        let story = Assigned {
            relay: RUN.parse().unwrap(),
            story: "US-001".into(),
            plan: Digest::of(b"plan"),
            criteria: vec!["AC1".into()],
            impacted: Vec::new(),
            tests: Vec::new(),
            touches: Vec::new(),
            risk: None,
            plan_files: Vec::new(),
        };
        let crew = Crew {
            workers: vec!["claude".parse().unwrap()],
            verifiers: vec!["codex".parse().unwrap()],
            reviewer: None,
            policy: Policy::default(),
            story: Some(story),
            handed: None,
            task: None,
            examples: Vec::new(),
            is_detected: false,
        };
        let opened = Opened {
            base: Base { commit: object('a'), tree: object('b'), branch: None },
            contract_hash: contract.hash(),
            contract,
            worker: "claude".into(),
            limits: Limits { attempts: 3, worker_seconds: 9, check_seconds: 9, output_bytes: 9 },
            crew: Some(Box::new(crew)),
        };
        let mut journal = Self { events: Vec::new() };
        journal.push(RunEvent::Opened(Box::new(opened)));
        journal
    }

    pub fn push(&mut self, event: RunEvent) {
        let sequence = self.events.len() as u64 + 1;
        let start: jiff::Timestamp = "2026-11-16T10:15:00Z".parse().unwrap();
        let seconds = i64::try_from(sequence).unwrap();
        let at = jiff::Timestamp::from_second(start.as_second() + seconds).unwrap();
        self.events.push(Dated { sequence, at, event: Some(event) });
    }

    pub fn launched(&mut self, attempt: u32, tree: char) {
        self.push(RunEvent::Prepared { attempt, tree: object(tree), fingerprint: None });
        let agent = Some("claude".parse().unwrap());
        let prompt = Digest::of(b"prompt");
        self.push(RunEvent::Launched { attempt, prompt, agent, fingerprint: None });
    }

    /// An attempt until its worker has ended.
    pub fn attempt(&mut self, attempt: u32, tree: char) {
        self.launched(attempt, tree);
        let heard = Some(Box::new(heard(100, 10, 100_000)));
        let execution = Box::new(execution(5_000));
        self.push(RunEvent::Worked { attempt, execution, heard, outside: Vec::new() });
    }

    pub fn claimed(&mut self, attempt: u32, claimed: Claimed) {
        self.push(RunEvent::Claimed { attempt, claimed });
    }

    pub fn handed_over(&mut self, attempt: u32, tree: char) {
        let (nested, unheld) = (Vec::new(), Vec::new());
        let tree = object(tree);
        self.push(RunEvent::Snapshotted { attempt, tree, nested, unheld, is_gone: false });
    }

    pub fn examined(&mut self, attempt: u32, tree: char, commands: &[(&str, bool)]) {
        let proof = |(command, passed): &(&str, bool)| Proof {
            command: (*command).to_owned(),
            passed: *passed,
            error: (!passed).then(|| "exit code 1".to_owned()),
            receipts: vec![Digest::of(command.as_bytes())],
            excerpt: String::new(),
        };
        let is_good = commands.iter().all(|(_, passed)| *passed);
        self.push(RunEvent::Examined(Box::new(Examined {
            run: RUN.parse().unwrap(),
            attempt,
            tree: object(tree),
            verification: RUN.parse().unwrap(),
            verdict: if is_good { Verdict::Accepted } else { Verdict::Refused },
            level: Some(Level::Counted),
            reasons: Vec::new(),
            findings: Vec::new(),
            receipts: commands.iter().map(proof).collect(),
            shown_by: Vec::new(),
            reproduced: Vec::new(),
            audit: None,
            missing_tests: Vec::new(),
            unexpected: Vec::new(),
            unnamed_tests: Vec::new(),
            out_of_scope: Vec::new(),
            outside: Vec::new(),
            signature: None,
        })));
    }

    pub fn verified(
        &mut self,
        attempt: u32,
        tree: char,
        verdict: Conclusion,
        (criteria, issues): (&[(&str, bool)], Vec<Issue>),
    ) {
        let prompt = Digest::of(b"verifier");
        let fingerprint = None;
        self.push(RunEvent::VerifierLaunched { attempt, verifier: 0, prompt, fingerprint });
        let seen = |(criterion, met): &(&str, bool)| CriterionSeen {
            criterion: (*criterion).to_owned(),
            met: *met,
            evidence: "r1".into(),
        };
        let verdict = AgentVerdict {
            verdict,
            summary: "as it is".into(),
            criteria: criteria.iter().map(seen).collect(),
            reasoning: Vec::new(),
            missing_evidence: Vec::new(),
            issues,
            receipts: vec!["r1".into()],
            recommended_transition: None,
            next_contract: None,
        };
        self.push(RunEvent::Verified(Box::new(Verified {
            attempt,
            verifier: 0,
            tree: object(tree),
            agent: "codex".parse().unwrap(),
            execution: Box::new(execution(2_000)),
            heard: heard(20, 10, 20_000),
            said: Said::Verdict { verdict: Box::new(verdict) },
            touched: Vec::new(),
            outside: Vec::new(),
        })));
    }

    pub fn ruled(&mut self, attempt: u32, decision: Decision, reasons: Vec<Reason>) {
        self.push(RunEvent::Ruled(Ruling {
            attempt,
            decision,
            reasons,
            receipts: Vec::new(),
            tree: None,
            rung: None,
            is_split: false,
            round: None,
            report: None,
            recovery: None,
            proposed: Vec::new(),
        }));
    }

    pub fn accepted(&mut self, tree: char) {
        let branch = format!("countersign/{RUN}");
        self.push(RunEvent::Committed { commit: object('c'), branch: branch.clone() });
        let (tree, commit) = (object(tree), object('c'));
        self.closed(Outcome::Accepted { tree, commit, branch });
    }

    pub fn closed(&mut self, outcome: Outcome) {
        self.push(RunEvent::Closed(outcome));
    }
}

/// A relay of `stories` in which US-001 landed and was taken up again.
pub fn relay(stories: &[&str]) -> RelayTrail {
    let terms = |id: &&str| StoryTerms {
        id: (*id).to_owned(),
        title: "A story".into(),
        goal: "Do it".into(),
        task: "Do it".into(),
        criteria: vec!["AC1".into()],
        checks: vec!["make test".into()],
        tests: Vec::new(),
        examples: Vec::new(),
        depends_on: Vec::new(),
        touches: Vec::new(),
        impacted: Vec::new(),
        risk: "LOW".into(),
    };
    let opened = relay::Opened {
        relay: RUN.parse().unwrap(),
        slug: "sums".into(),
        objective: "Sums".into(),
        plan: Digest::of(b"plan"),
        prd: Digest::of(b"prd"),
        spec: Digest::of(b"spec"),
        base: Base { commit: object('a'), tree: object('b'), branch: None },
        stories: stories.iter().map(terms).collect(),
        release_goal: "All".into(),
        release_task: "All".into(),
        release_checks: Vec::new(),
        release_examples: Vec::new(),
        workers: vec!["claude".parse().unwrap()],
        verifiers: Vec::new(),
        release_verifiers: Vec::new(),
        reviewer: None,
        limits: Limits { attempts: 3, worker_seconds: 9, check_seconds: 9, output_bytes: 9 },
        caps: RunCaps::default(),
        jobs: 1,
        max_reopened: 2,
        self_verification: false,
        rounds: None,
        files: Vec::new(),
        continues: None,
    };
    let at: jiff::Timestamp = "2026-11-16T10:15:00Z".parse().unwrap();
    let (story, run) = ("US-001".to_owned(), RUN.parse().unwrap());
    let (commit, tree, verification) = (object('c'), object('d'), None);
    let events = vec![
        (at, RelayEvent::Opened(Box::new(opened.clone()))),
        (at, RelayEvent::Landed { story: story.clone(), run, commit, tree, verification }),
        (at, RelayEvent::Reopened { story, reasons: vec!["it broke".into()] }),
    ];
    RelayTrail { relay: Relay::open(opened), events }
}
