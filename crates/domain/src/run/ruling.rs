//! The ruling: made once, from receipts, by a pure function.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{Limits, RefusedBecause, Run};
use crate::id::{Digest, ObjectId};
use crate::receipt::Ended;

/// What we decide about an attempt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "decision", rename_all = "snake_case")]
pub enum Decision {
    Accept,
    Revise,
    Block { because: RefusedBecause },
}

/// One thing that stands against acceptance.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "reason", rename_all = "snake_case")]
pub enum Reason {
    /// The worker did not end well, so it has not even claimed to be done.
    WorkerFailed { ended: Ended },
    /// The tree handed over is the one the work started from.
    NothingChanged { tree: ObjectId },
    /// A repository inside the tree: its files are not part of what was handed over, so
    /// nothing was proven about them.
    NestedRepository { path: String },
    /// A check did not pass.
    CheckFailed { check: u32, command: String, ended: Ended, receipt: Digest },
    /// There is no check, so nothing is proven.
    NoChecks,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::WorkerFailed { ended } => write!(f, "the worker did not finish: {ended}"),
            Self::NothingChanged { .. } => {
                f.write_str("no file differs from what the work started from")
            }
            Self::NestedRepository { path } => write!(
                f,
                "'{path}' is a git repository of its own, so its files were not handed over; \
                 remove its .git folder"
            ),
            Self::CheckFailed { command, ended, .. } => {
                write!(f, "the check `{command}` did not pass: {ended}")
            }
            Self::NoChecks => f.write_str("there is no check, so nothing is proven"),
        }
    }
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
}

/// Rules on the current attempt of `run`. Only receipts speak for acceptance; the worker's
/// word can only speak against it.
pub fn rule(run: &Run, limits: &Limits) -> Ruling {
    let mut reasons = Vec::new();
    match &run.worked {
        Some(worked) if worked.ended.passed() => {}
        Some(worked) => reasons.push(Reason::WorkerFailed { ended: worked.ended.clone() }),
        None => reasons.push(Reason::WorkerFailed {
            ended: Ended::Lost { reason: "nothing is known of it".into() },
        }),
    }
    if let Some(tree) = run.last_tree.as_ref().filter(|tree| **tree == run.base().tree) {
        reasons.push(Reason::NothingChanged { tree: tree.clone() });
    }
    for path in &run.nested {
        reasons.push(Reason::NestedRepository { path: path.clone() });
    }
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
        Decision::Accept
    } else if checks.is_empty() {
        Decision::Block { because: RefusedBecause::NothingToCheck }
    } else if run.attempt >= limits.attempts {
        Decision::Block { because: RefusedBecause::AttemptsExhausted }
    } else {
        Decision::Revise
    };
    let receipts = run.receipts.iter().map(crate::receipt::Receipt::id).collect();
    Ruling { attempt: run.attempt, decision, reasons, receipts }
}
