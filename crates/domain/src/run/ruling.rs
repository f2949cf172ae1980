//! The ruling: made once, from receipts, by a pure function.

use std::fmt;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{AskFor, Limits, Outside, Recovery, RefusedBecause, Round, Run, crew_rule};
use crate::agent::AgentEnd;
use crate::budget::{OverBudget, Scope};
use crate::id::{Digest, ObjectId};
use crate::receipt::Ended;
use crate::verdict::{Severity, Transition};
use crate::verify::{Unexpected, Weight};

/// What we decide about an attempt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "decision", rename_all = "snake_case")]
pub enum Decision {
    Accept,
    Revise,
    /// The same attempt again, not before a time: nothing was wrong with the work.
    Retry {
        until: Timestamp,
    },
    /// A person decides.
    Ask {
        ask_for: AskFor,
    },
    Block {
        because: RefusedBecause,
    },
}

/// One thing that stands against acceptance.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "reason", rename_all = "snake_case")]
pub enum Reason {
    /// The worker did not end well, so it has not even claimed to be done.
    WorkerFailed { ended: Ended },
    /// The tree handed over is the one the work started from.
    NothingChanged { tree: ObjectId },
    /// The folder that the worker worked in is no longer there.
    FolderGone,
    /// A repository inside the tree: its files are not part of what was handed over, so
    /// nothing was proven about them.
    NestedRepository { path: String },
    /// A path that git can't hold, so it is not part of what was handed over.
    Unheld { path: String },
    /// A check did not pass.
    CheckFailed { check: u32, command: String, ended: Ended, receipt: Digest },
    /// There is no check, so nothing is proven.
    NoChecks,
    /// An agent did not come to the end of its work.
    AgentFailed { end: AgentEnd },
    /// The tree is the one that was refused before.
    SameTree { tree: ObjectId },
    /// The worker says that it can't be done as it is asked for.
    SaysBlocked { words: String },
    /// The worker says that some of it is not done.
    SaysPartly { deferred: Vec<String>, because: String },
    /// What the worker handed in about its work can't be used.
    ClaimUnfit { fault: String },
    /// A command did not end as the worker said.
    ClaimDiffers {
        command: String,
        claimed: i64,
        ended: Ended,
        /// Whether it was said to fail before the work.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        is_red: bool,
    },
    /// A command of the contract did not hold.
    ProofFailed {
        command: String,
        error: String,
        #[serde(default, skip_serializing_if = "String::is_empty")]
        excerpt: String,
    },
    /// What the verification found.
    Found { weight: Weight, text: String },
    /// A test of the test-spec that was not seen to run and pass.
    TestMissing { test: String },
    /// A command printed something else than rows of the test-spec expect.
    OtherOutput(Unexpected),
    /// A file that the story is not about.
    OutOfScope { path: String },
    /// What a verifier holds against it.
    Issue {
        verifier: u32,
        id: String,
        severity: Severity,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        criterion: Option<String>,
        description: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        fix_hint: Option<String>,
        /// Other verifiers that say the same.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        also: Vec<u32>,
    },
    /// What a verifier needs to know.
    InfoWanted { verifier: u32, question: String },
    /// A verifier came to no verdict that can be used.
    NoVerdict { verifier: u32, why: String },
    /// Another start could cost more than is left.
    OverBudget { scope: Scope, words: String },
    /// The user's own repository was changed while an agent was at work.
    Outside { outside: Outside },
    /// A person took it as it is.
    TakenByPerson { ask_for: AskFor, by: String },
}

impl Reason {
    /// The criterion that it is about.
    pub fn criterion(&self) -> Option<&str> {
        match self {
            Self::Issue { criterion, .. } => criterion.as_deref(),
            Self::ProofFailed { command, .. } | Self::CheckFailed { command, .. } => Some(command),
            Self::OtherOutput(unexpected) => Some(&unexpected.command),
            Self::TestMissing { test } => Some(test),
            _ => None,
        }
    }

    /// Whether it stands against the files themselves: the same files handed in again have it again,
    /// whoever hands them in and whatever is said about them.
    pub fn is_about_tree(&self) -> bool {
        matches!(
            self,
            Self::CheckFailed { .. }
                | Self::ProofFailed { .. }
                | Self::Found { .. }
                | Self::TestMissing { .. }
                | Self::OtherOutput(_)
                | Self::OutOfScope { .. }
                | Self::NestedRepository { .. }
                | Self::Unheld { .. }
                | Self::Issue { .. }
        )
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::WorkerFailed { ended } => write!(f, "the worker did not finish: {ended}"),
            Self::NothingChanged { .. } => {
                f.write_str("no file differs from what the work started from")
            }
            Self::FolderGone => f.write_str(
                "the folder of the work was removed, so nothing was handed over; leave the files where \
                 they are",
            ),
            Self::NestedRepository { path } => write!(
                f,
                "'{path}' is a git repository of its own, so its files were not handed over; \
                 remove its .git folder"
            ),
            Self::Unheld { path } => write!(
                f,
                "git can't hold '{path}', so it was not handed over; remove it, or give it another name"
            ),
            Self::CheckFailed { command, ended, .. } => {
                write!(f, "the check `{command}` did not pass: {ended}")
            }
            Self::NoChecks => f.write_str("there is no check, so nothing is proven"),
            Self::AgentFailed { end } => write!(f, "the agent did not finish: {end}"),
            Self::SameTree { .. } => f.write_str("nothing differs from what was refused before"),
            Self::SaysBlocked { words } => write!(f, "the worker says: {words}"),
            Self::SaysPartly { deferred, because } => {
                write!(f, "the worker left out {}: {because}", deferred.join(", "))
            }
            Self::ClaimUnfit { fault } => write!(f, "the claim can't be used: {fault}"),
            Self::ClaimDiffers { command, claimed, ended, is_red: true } => write!(
                f,
                "`{command}` was said to fail before the work, with exit code {claimed}; run by us \
                 on the old code with the new tests: {ended}"
            ),
            Self::ClaimDiffers { command, claimed, ended, .. } => write!(
                f,
                "`{command}` was said to end with exit code {claimed}; run by us: {ended}"
            ),
            Self::ProofFailed { command, error, .. } => {
                let named = format!("`{command}`: ");
                let error = error.strip_prefix(&named).unwrap_or(error);
                write!(f, "the check `{command}` did not pass: {error}")
            }
            Self::Found { text, .. } => f.write_str(text),
            Self::TestMissing { test } => {
                write!(f, "the test '{test}' of the test-spec was not seen to run and pass")
            }
            Self::OtherOutput(unexpected) => unexpected.fmt(f),
            Self::OutOfScope { path } => write!(f, "'{path}' is not what this story is about"),
            Self::Issue { severity, criterion, description, .. } => {
                let severity = match severity {
                    Severity::Critical => "critical",
                    Severity::Major => "major",
                    Severity::Minor => "minor",
                };
                match criterion {
                    Some(criterion) => write!(f, "{severity}, {criterion}: {description}"),
                    None => write!(f, "{severity}: {description}"),
                }
            }
            Self::InfoWanted { question, .. } => write!(f, "the verifier asks: {question}"),
            Self::NoVerdict { why, .. } => write!(f, "the verifier gave no usable verdict: {why}"),
            Self::OverBudget { words, .. } => f.write_str(words),
            Self::Outside { outside } => {
                let who = outside.during.as_deref().unwrap_or("an agent");
                write!(f, "in your own repository, while {who} was at work: {outside} (G46)")
            }
            Self::TakenByPerson { by, .. } => write!(f, "{by} took it as it is"),
        }
    }
}

/// What a verifier proposes for the next attempt. It is passed on, and lowers no check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Proposed {
    pub verifier: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transition: Option<Transition>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contract: Option<String>,
}

/// A decision with all that it rests on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ruling {
    pub attempt: u32,
    #[serde(flatten)]
    pub decision: Decision,
    pub reasons: Vec<Reason>,
    /// The receipts it rests on.
    pub receipts: Vec<Digest>,
    /// The tree under judgement, where there is a crew.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tree: Option<ObjectId>,
    /// Which worker goes on, counted from the first of the ladder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rung: Option<u32>,
    /// Whether the verifiers disagreed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_split: bool,
    /// Which disagreement it is, and of how many.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub round: Option<Round>,
    /// The account of what was tried, where a person is asked about that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub report: Option<Digest>,
    /// Which level of recovery it is, where it is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recovery: Option<Recovery>,
    /// What verifiers propose.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub proposed: Vec<Proposed>,
}

impl Ruling {
    pub(super) fn plain(attempt: u32, decision: Decision, reasons: Vec<Reason>) -> Self {
        Self {
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
        }
    }

    /// The next start could cost more than is left: a person decides, before anything is spent.
    pub fn over_budget(run: &Run, over: &OverBudget) -> Self {
        let (scope, words) = (over.left.scope, over.to_string());
        let decision = Decision::Ask { ask_for: AskFor::Budget };
        let tree = run.last_tree.clone();
        Self {
            tree,
            ..Self::plain(run.attempt, decision, vec![Reason::OverBudget { scope, words }])
        }
    }

    /// The user's own repository was changed in a way that a person has to look at first, whatever there
    /// is to say about the work.
    pub(super) fn on_outside(run: &Run) -> Option<Self> {
        let reason = |outside: &Outside| Reason::Outside { outside: outside.clone() };
        let reasons: Vec<Reason> = run.unanswered().map(reason).collect();
        let decision = Decision::Ask { ask_for: AskFor::Outside };
        let tree = run.last_tree.clone();
        (!reasons.is_empty()).then(|| Self { tree, ..Self::plain(run.attempt, decision, reasons) })
    }

    /// Whether the work itself was found wanting.
    pub fn is_failure(&self) -> bool {
        let is_about_work = |reason: &Reason| {
            !matches!(
                reason,
                Reason::InfoWanted { .. }
                    | Reason::AgentFailed {
                        end: AgentEnd::RateLimited { .. }
                            | AgentEnd::Overloaded { .. }
                            | AgentEnd::NotLoggedIn { .. }
                            | AgentEnd::BudgetReached
                    }
                    | Reason::OverBudget { .. }
                    | Reason::NoVerdict { .. }
                    | Reason::Outside { .. }
                    | Reason::TakenByPerson { .. }
            )
        };
        !matches!(self.decision, Decision::Accept | Decision::Retry { .. })
            && self.reasons.iter().any(is_about_work)
    }
}

/// Rules on the current attempt of `run`. Only receipts speak for acceptance; the worker's
/// word can only speak against it.
pub fn rule(run: &Run, limits: &Limits, now: Timestamp) -> Ruling {
    match &run.opened.crew {
        Some(crew) => crew_rule::rule(run, crew, now),
        None => rule_on_checks(run, limits),
    }
}

fn rule_on_checks(run: &Run, limits: &Limits) -> Ruling {
    if let Some(ruling) = Ruling::on_outside(run) {
        return ruling;
    }
    let mut reasons = Vec::new();
    match &run.worked {
        Some(worked) if worked.ended.passed() => {}
        Some(worked) => reasons.push(Reason::WorkerFailed { ended: worked.ended.clone() }),
        None => reasons.push(Reason::WorkerFailed {
            ended: Ended::Lost { reason: "nothing is known of it".into() },
        }),
    }
    reasons.extend(run.standing_reasons());
    let checks = &run.opened.contract.checks;
    if checks.is_empty() {
        reasons.push(Reason::NoChecks);
    }
    for (at, check) in (0_u32..).zip(checks) {
        let receipt = run.receipts.iter().find(|receipt| receipt.check == at);
        match receipt {
            Some(receipt) if receipt.passed() => {}
            Some(receipt) => reasons.push(Reason::CheckFailed {
                check: at,
                command: check.command.clone(),
                ended: receipt.execution.ended.clone(),
                receipt: receipt.id(),
            }),
            // A check without a receipt was not run: unknown is never a pass.
            None => reasons.push(Reason::CheckFailed {
                check: at,
                command: check.command.clone(),
                ended: Ended::Lost { reason: "it was not run".into() },
                receipt: Digest::of(b""),
            }),
        }
    }
    let decision = if reasons.is_empty() {
        reasons.extend(run.taken_by(AskFor::Outside));
        Decision::Accept
    } else if checks.is_empty() {
        Decision::Block { because: RefusedBecause::NothingToCheck }
    } else if run.attempt >= limits.attempts {
        Decision::Block { because: RefusedBecause::AttemptsExhausted }
    } else {
        Decision::Revise
    };
    let receipts = run.receipts.iter().map(crate::receipt::Receipt::id).collect();
    Ruling { receipts, ..Ruling::plain(run.attempt, decision, reasons) }
}
