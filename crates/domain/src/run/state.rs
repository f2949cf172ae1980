//! The fold of a run's journal, and what comes next.

use serde::Serialize;

use super::effect::{Effect, Next};
use super::{Base, Decision, Opened, Outcome, RefusedBecause, Ruling, RunEvent};
use crate::id::{Digest, ObjectId};
use crate::receipt::{Execution, Receipt};
use crate::stamp::Stamp;

/// How far the current attempt has come.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "at", rename_all = "snake_case")]
pub enum Step {
    Opened,
    Prepared,
    Launched { prompt: Digest },
    Worked,
    Snapshotted { tree: ObjectId },
    Ruled { decision: Decision, tree: ObjectId },
    Committed { tree: ObjectId, commit: ObjectId, branch: String },
    Cancelling,
    Closed { outcome: Outcome },
}

/// An event that can't follow on the journal so far.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a {event} event can't follow when the run is at {at}")]
pub struct Refusal {
    pub event: String,
    pub at: String,
}

/// A run: the fold of its events.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Run {
    pub opened: Opened,
    /// The current attempt, counted from 1.
    pub attempt: u32,
    pub step: Step,
    /// How the worker of the current attempt ended.
    pub worked: Option<Execution>,
    /// Repositories inside the tree that the current attempt handed over.
    pub nested: Vec<String>,
    /// Receipts of the current attempt, in the order of the contract's checks.
    pub receipts: Vec<Receipt>,
    /// Receipts that the last refusal rests on; the next prompt quotes them.
    pub refused_receipts: Vec<Receipt>,
    /// One for each attempt that came to its end.
    pub rulings: Vec<Ruling>,
    /// The tree of the last snapshot: where the next attempt goes on.
    pub last_tree: Option<ObjectId>,
    pub interruptions: u32,
    /// Events taken in; the sequence that the next append expects.
    pub sequence: u64,
}

impl Run {
    /// A run from its first event.
    pub fn open(opened: Opened) -> Self {
        Self {
            opened,
            attempt: 1,
            step: Step::Opened,
            worked: None,
            nested: Vec::new(),
            receipts: Vec::new(),
            refused_receipts: Vec::new(),
            rulings: Vec::new(),
            last_tree: None,
            interruptions: 0,
            sequence: 1,
        }
    }

    /// The fold of a whole journal; `None` if it is empty.
    pub fn replay(events: impl IntoIterator<Item = RunEvent>) -> Result<Option<Self>, Refusal> {
        let mut events = events.into_iter();
        let Some(first) = events.next() else {
            return Ok(None);
        };
        let RunEvent::Opened(opened) = first else {
            return Err(Refusal { event: name_of(&first), at: "its beginning".into() });
        };
        let mut run = Self::open(*opened);
        for event in events {
            run.apply(event)?;
        }
        Ok(Some(run))
    }

    pub fn id(&self) -> Stamp {
        self.opened.contract.run
    }

    pub fn base(&self) -> &Base {
        &self.opened.base
    }

    pub fn outcome(&self) -> Option<&Outcome> {
        match &self.step {
            Step::Closed { outcome } => Some(outcome),
            _ => None,
        }
    }

    /// What to do now.
    pub fn next(&self) -> Next {
        let attempt = self.attempt;
        Next::Perform(match &self.step {
            Step::Opened => {
                let tree = self.last_tree.as_ref().unwrap_or(&self.base().tree).clone();
                Effect::Prepare { attempt, tree }
            }
            Step::Prepared => Effect::Launch { attempt },
            Step::Launched { prompt } => Effect::Await { attempt, prompt: *prompt },
            Step::Worked => Effect::Snapshot { attempt },
            Step::Snapshotted { tree } => self.next_check(tree),
            Step::Ruled { decision: Decision::Accept, tree } => {
                Effect::Commit { tree: tree.clone() }
            }
            Step::Ruled { decision: Decision::Block { because }, .. } => {
                Effect::Close { outcome: Outcome::Refused { because: *because } }
            }
            Step::Ruled { decision: Decision::Revise, tree } => {
                Effect::Prepare { attempt: attempt + 1, tree: tree.clone() }
            }
            Step::Committed { tree, commit, branch } => Effect::Close {
                outcome: Outcome::Accepted {
                    tree: tree.clone(),
                    commit: commit.clone(),
                    branch: branch.clone(),
                },
            },
            Step::Cancelling => {
                Effect::Close { outcome: Outcome::Refused { because: RefusedBecause::Cancelled } }
            }
            Step::Closed { outcome } => return Next::Done(outcome.clone()),
        })
    }

    fn next_check(&self, tree: &ObjectId) -> Effect {
        match u32::try_from(self.receipts.len()) {
            Ok(check) if self.receipts.len() < self.opened.contract.checks.len() => {
                Effect::Check { attempt: self.attempt, check, tree: tree.clone() }
            }
            _ => Effect::Rule,
        }
    }

    /// What a new driver must do before anything else: an attempt that was launched by a
    /// driver that is gone can't be awaited, only be cut off.
    pub fn next_after_takeover(&self) -> Next {
        match self.step {
            Step::Launched { .. } => Next::Perform(Effect::Interrupt { attempt: self.attempt }),
            _ => self.next(),
        }
    }

    /// Takes in the next event.
    pub fn apply(&mut self, event: RunEvent) -> Result<(), Refusal> {
        if !self.can_follow(&event) {
            return Err(Refusal { event: name_of(&event), at: serde_name(&self.step, "at") });
        }
        self.take(event);
        self.sequence += 1;
        Ok(())
    }

    /// Whether `event` may come now: it must be the outcome of the effect that is due, or a
    /// cancellation.
    fn can_follow(&self, event: &RunEvent) -> bool {
        match (&self.step, event) {
            (Step::Closed { .. } | Step::Committed { .. }, RunEvent::CancelRequested { .. })
            | (_, RunEvent::Opened(_)) => false,
            (_, RunEvent::CancelRequested { .. }) => true,
            (Step::Launched { .. }, RunEvent::Interrupted { attempt, .. }) => {
                *attempt == self.attempt
            }
            (_, event) => match (self.next(), event) {
                (Next::Perform(effect), event) => self.is_outcome_of(&effect, event),
                (Next::Done(_), _) => false,
            },
        }
    }

    fn is_outcome_of(&self, effect: &Effect, event: &RunEvent) -> bool {
        match (effect, event) {
            (
                Effect::Prepare { attempt: due, tree: from },
                RunEvent::Prepared { attempt, tree },
            ) => due == attempt && from == tree,
            (Effect::Launch { attempt: due }, RunEvent::Launched { attempt, .. })
            | (Effect::Await { attempt: due, .. }, RunEvent::Worked { attempt, .. })
            | (Effect::Snapshot { attempt: due }, RunEvent::Snapshotted { attempt, .. }) => {
                due == attempt
            }
            (Effect::Check { tree, .. }, RunEvent::Checked(receipt)) => self.is_due(receipt, tree),
            (Effect::Rule, RunEvent::Ruled(ruling)) => {
                let is_acceptance = ruling.decision == Decision::Accept;
                ruling.attempt == self.attempt && (!is_acceptance || self.is_proven())
            }
            (Effect::Commit { .. }, RunEvent::Committed { .. }) => true,
            (Effect::Close { outcome: due }, RunEvent::Closed(outcome)) => due == outcome,
            _ => false,
        }
    }

    /// A receipt counts only for this run, attempt, contract and tree, and in its turn.
    fn is_due(&self, receipt: &Receipt, tree: &ObjectId) -> bool {
        receipt.run == self.id()
            && receipt.attempt == self.attempt
            && receipt.contract == self.opened.contract_hash
            && receipt.tree == *tree
            && receipt.check as usize == self.receipts.len()
            && self.receipts.len() < self.opened.contract.checks.len()
    }

    /// Whether every check has a receipt that passed: without that, nobody can accept.
    fn is_proven(&self) -> bool {
        !self.receipts.is_empty()
            && self.receipts.len() == self.opened.contract.checks.len()
            && self.receipts.iter().all(Receipt::passed)
    }

    fn take(&mut self, event: RunEvent) {
        self.step = match event {
            RunEvent::Opened(_) => return,
            RunEvent::Prepared { attempt, .. } => {
                self.attempt = attempt;
                self.worked = None;
                if !self.receipts.is_empty() {
                    self.refused_receipts = std::mem::take(&mut self.receipts);
                }
                Step::Prepared
            }
            RunEvent::Launched { prompt, .. } => Step::Launched { prompt },
            RunEvent::Interrupted { .. } => {
                self.interruptions += 1;
                Step::Opened
            }
            RunEvent::Worked { execution, .. } => {
                self.worked = Some(*execution);
                Step::Worked
            }
            RunEvent::Snapshotted { tree, nested, .. } => {
                self.nested = nested;
                self.last_tree = Some(tree.clone());
                Step::Snapshotted { tree }
            }
            RunEvent::Checked(receipt) => {
                self.receipts.push(*receipt);
                return;
            }
            RunEvent::Ruled(ruling) => {
                let decision = ruling.decision.clone();
                let tree = self.handed_over().clone();
                self.rulings.push(ruling);
                Step::Ruled { decision, tree }
            }
            RunEvent::Committed { commit, branch } => {
                Step::Committed { tree: self.handed_over().clone(), commit, branch }
            }
            RunEvent::CancelRequested { .. } => Step::Cancelling,
            RunEvent::Closed(outcome) => Step::Closed { outcome },
        };
    }

    /// The tree under judgement.
    fn handed_over(&self) -> &ObjectId {
        self.last_tree.as_ref().unwrap_or(&self.base().tree)
    }
}

fn name_of(event: &RunEvent) -> String {
    serde_name(event, "kind")
}

fn serde_name<T: Serialize>(value: &T, tag: &str) -> String {
    serde_json::to_value(value)
        .ok()
        .and_then(|value| value.get(tag).and_then(|tag| tag.as_str().map(str::to_owned)))
        .unwrap_or_default()
}
