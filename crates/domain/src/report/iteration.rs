//! What one iteration shows: its commands, its ruling, what it took and used.

use jiff::Timestamp;

use super::Share;
use super::trail::Iteration;
use crate::agent::Usage;
use crate::receipt::Receipt;
use crate::run::{Decision, Opened, Ruling};

impl Iteration {
    /// The commands that were run on what it handed over, with whether they passed.
    pub fn commands<'a>(&'a self, opened: &'a Opened) -> Vec<(&'a str, bool)> {
        if let Some(examined) = &self.examined {
            let proofs = examined.receipts.iter();
            return proofs.map(|proof| (proof.command.as_str(), proof.passed)).collect();
        }
        let command = |receipt: &Receipt| {
            let check = opened.contract.checks.get(receipt.check as usize);
            check.map_or("", |check| check.command.as_str())
        };
        self.receipts.iter().map(|receipt| (command(receipt), receipt.passed())).collect()
    }

    /// How many of the commands passed.
    pub fn passed(&self) -> Share {
        let ended: Vec<bool> = match &self.examined {
            Some(examined) => examined.receipts.iter().map(|proof| proof.passed).collect(),
            None => self.receipts.iter().map(Receipt::passed).collect(),
        };
        Share::of(ended.iter().filter(|passed| **passed).count(), ended.len())
    }

    /// The last decision that was more than to try the same again.
    pub fn ruling(&self) -> Option<&Ruling> {
        let is_retry = |ruling: &&Ruling| matches!(ruling.decision, Decision::Retry { .. });
        self.rulings.iter().rfind(|ruling| !is_retry(ruling)).or_else(|| self.rulings.last())
    }

    pub fn is_accepted(&self) -> bool {
        self.ruling().is_some_and(|ruling| ruling.decision == Decision::Accept)
    }

    pub fn is_interrupted(&self) -> bool {
        self.worker.as_ref().is_some_and(|work| work.is_interrupted)
    }

    pub fn used(&self) -> Usage {
        let review = self.review.as_ref().and_then(|review| review.heard.as_deref());
        let worker = self.worker.as_ref().and_then(|work| work.heard.as_ref());
        let heard = review.into_iter().chain(worker).map(|heard| heard.usage);
        heard.sum::<Usage>() + self.used_by_verifiers()
    }

    pub fn used_by_verifiers(&self) -> Usage {
        self.judgings.iter().filter_map(|one| one.verified.as_ref()).map(|v| v.heard.usage).sum()
    }

    pub fn worker_ms(&self) -> u64 {
        let execution = self.worker.as_ref().and_then(|work| work.execution.as_ref());
        execution.map_or(0, |execution| execution.duration_ms)
    }

    pub fn verifiers_ms(&self) -> u64 {
        let verified = self.judgings.iter().filter_map(|one| one.verified.as_ref());
        verified.map(|verified| verified.execution.duration_ms).sum()
    }

    /// What the checks took: by their receipts, or from the hand-over to the examination's end.
    pub fn checks_ms(&self) -> u64 {
        match (self.handed_at, self.examined_at) {
            (Some(from), Some(to)) => ms_between(from, to),
            _ => self.receipts.iter().map(|receipt| receipt.execution.duration_ms).sum(),
        }
    }
}

/// How long it is from one moment to another; nothing if a clock was set back.
pub fn ms_between(from: Timestamp, to: Timestamp) -> u64 {
    u64::try_from(to.as_millisecond().saturating_sub(from.as_millisecond())).unwrap_or(0)
}
