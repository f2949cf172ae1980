//! The fold of a run's journal, and what comes next.

use serde::Serialize;

use super::effect::{Effect, Next};
use super::{
    AskFor, Base, Consequence, Decision, Examined, Opened, Outcome, Outside, Reflected,
    RefusedBecause, Review, Reviewed, Ruling, RunEvent, Verified,
};
use crate::agent::{Heard, Usage};
use crate::claim::Claimed;
use crate::id::{Digest, ObjectId};
use crate::receipt::{Execution, Receipt};
use crate::stamp::Stamp;

/// How far the current attempt has come.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "at", rename_all = "snake_case")]
pub enum Step {
    Opened,
    Prepared,
    Reviewed,
    Launched {
        prompt: Digest,
    },
    Worked,
    Claimed,
    Snapshotted {
        tree: ObjectId,
    },
    VerifierLaunched {
        tree: ObjectId,
        verifier: u32,
        prompt: Digest,
    },
    Ruled {
        decision: Decision,
        tree: ObjectId,
    },
    Asked {
        number: u32,
        ask_for: AskFor,
        checkpoint: String,
    },
    Committed {
        tree: ObjectId,
        commit: ObjectId,
        branch: String,
    },
    Cancelling,
    /// A person decided to stop.
    Stopping {
        because: RefusedBecause,
    },
    Closed {
        outcome: Outcome,
    },
}

/// An event that can't follow on the journal so far.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a {event} event can't follow when the run is at {at}")]
pub struct Refusal {
    pub event: String,
    pub at: String,
}

/// A person's answer, and where the run was then.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Resolution {
    pub ask_for: AskFor,
    pub choice: String,
    pub consequence: Consequence,
    pub words: String,
    pub by: String,
    /// What was under judgement.
    pub tree: Option<ObjectId>,
    /// How many rulings there were before it.
    pub rulings: usize,
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
    /// Paths that the current attempt left and that git can't hold.
    pub unheld: Vec<String>,
    /// Whether the worker's folder was gone when its files were to be recorded.
    pub is_gone: bool,
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
    /// What was heard from the worker of the current attempt.
    pub heard: Option<Heard>,
    pub claimed: Option<Claimed>,
    pub examined: Option<Examined>,
    /// What the verifiers of the current attempt said, in their order.
    pub verified: Vec<Verified>,
    /// What verifiers of the current attempt said before they were asked again: they are told.
    pub set_aside: Vec<Verified>,
    /// What verifiers said when they disagreed last, whichever attempt that was about.
    #[serde(skip_serializing)]
    pub apart: Vec<Verified>,
    /// What workers wrote down about why attempts before theirs failed.
    pub reflections: Vec<Reflected>,
    /// What a look at the assignment found.
    pub concerns: Vec<String>,
    /// Which worker of the ladder is at work.
    pub rung: u32,
    /// How often this attempt was tried again for what may pass.
    pub retries: u32,
    /// How often all attempts together were started again.
    pub restarts: u32,
    pub resolutions: Vec<Resolution>,
    /// Questions asked.
    pub questions: u32,
    /// The tree that the current attempt began with.
    pub started_from: Option<ObjectId>,
    /// All that the agents of this run used.
    pub used: Usage,
    /// What the user's own repository was like when the agent or the check started that is at work.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fingerprint: Option<Digest>,
    /// Whether it could not be looked at when that had ended: what it was like is kept for then.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_unseen: bool,
    /// What changed there while agents were at work.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub outside: Vec<Outside>,
    /// How much of that a person has answered for.
    #[serde(skip_serializing_if = "is_zero")]
    pub answered: usize,
}

impl Run {
    /// A run from its first event.
    pub fn open(opened: Opened) -> Self {
        let handed = opened.crew.as_ref().and_then(|crew| crew.handed.as_ref());
        let handed = handed.map(|handed| handed.tree.clone());
        let step = match &handed {
            Some(tree) => Step::Snapshotted { tree: tree.clone() },
            None => Step::Opened,
        };
        Self {
            opened,
            attempt: 1,
            step,
            worked: None,
            nested: Vec::new(),
            unheld: Vec::new(),
            is_gone: false,
            receipts: Vec::new(),
            refused_receipts: Vec::new(),
            rulings: Vec::new(),
            last_tree: handed,
            interruptions: 0,
            sequence: 1,
            heard: None,
            claimed: None,
            examined: None,
            verified: Vec::new(),
            set_aside: Vec::new(),
            apart: Vec::new(),
            reflections: Vec::new(),
            concerns: Vec::new(),
            rung: 0,
            retries: 0,
            restarts: 0,
            resolutions: Vec::new(),
            questions: 0,
            started_from: None,
            used: Usage::default(),
            fingerprint: None,
            is_unseen: false,
            outside: Vec::new(),
            answered: 0,
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
        if self.must_look_again() {
            return Next::Perform(Effect::Look { attempt: self.attempt });
        }
        self.due()
    }

    /// What is due for the work itself.
    pub(super) fn due(&self) -> Next {
        let attempt = self.attempt;
        let has_crew = self.opened.crew.is_some();
        Next::Perform(match &self.step {
            Step::Opened => self.prepare(attempt),
            Step::Prepared if has_crew => Effect::Review { attempt },
            Step::Prepared | Step::Reviewed => Effect::Launch { attempt },
            Step::Launched { prompt } => Effect::Await { attempt, prompt: *prompt },
            Step::Worked if has_crew => Effect::Claim { attempt },
            Step::Worked | Step::Claimed => Effect::Snapshot { attempt },
            Step::Snapshotted { tree } if has_crew => self.next_look(tree),
            Step::Snapshotted { tree } => self.next_check(tree),
            Step::VerifierLaunched { tree, verifier, prompt } => {
                let (verifier, prompt, tree) = (*verifier, *prompt, tree.clone());
                Effect::Verify { attempt, verifier, prompt, tree }
            }
            Step::Ruled { decision, tree } => return self.after(decision, tree),
            Step::Asked { number, ask_for, checkpoint } => {
                let (number, ask_for, checkpoint) = (*number, *ask_for, checkpoint.clone());
                return Next::Answer { number, ask_for, checkpoint };
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
            Step::Stopping { because } => {
                Effect::Close { outcome: Outcome::Refused { because: *because } }
            }
            Step::Closed { outcome } => return Next::Done(outcome.clone()),
        })
    }

    fn prepare(&self, attempt: u32) -> Effect {
        let tree = self.last_tree.as_ref().unwrap_or(&self.base().tree).clone();
        Effect::Prepare { attempt, tree }
    }

    fn after(&self, decision: &Decision, tree: &ObjectId) -> Next {
        let attempt = self.attempt;
        Next::Perform(match decision {
            Decision::Accept => Effect::Commit { tree: tree.clone() },
            Decision::Block { because } => {
                Effect::Close { outcome: Outcome::Refused { because: *because } }
            }
            Decision::Revise => Effect::Prepare { attempt: attempt + 1, tree: tree.clone() },
            Decision::Retry { until } => Effect::Wait { attempt, until: *until },
            Decision::Ask { ask_for } => {
                Effect::Ask { number: self.questions + 1, ask_for: *ask_for }
            }
        })
    }

    fn next_check(&self, tree: &ObjectId) -> Effect {
        if self.must_be_looked_at() {
            return Effect::Rule;
        }
        match u32::try_from(self.receipts.len()) {
            Ok(check) if self.receipts.len() < self.opened.contract.checks.len() => {
                Effect::Check { attempt: self.attempt, check, tree: tree.clone() }
            }
            _ => Effect::Rule,
        }
    }

    /// What is looked at next where a crew works. What can't be accepted any more is not looked at
    /// further: that would only cost.
    fn next_look(&self, tree: &ObjectId) -> Effect {
        let attempt = self.attempt;
        if !self.is_worth_a_look() || self.must_be_looked_at() {
            return Effect::Rule;
        }
        if self.examined.is_none() {
            return Effect::Examine { attempt, tree: tree.clone() };
        }
        let verifiers = self.opened.crew.as_ref().map_or(0, |crew| crew.verifiers.len());
        let is_heard = |verifier: &u32| self.verified.iter().any(|one| one.verifier == *verifier);
        let missing = (0..).take(verifiers).find(|verifier| !is_heard(verifier));
        match missing {
            Some(verifier)
                if self.holds_so_far()
                    && !self.is_verdict_taken()
                    && !self.is_claim_in_the_way() =>
            {
                Effect::LaunchVerifier { attempt, verifier }
            }
            _ => Effect::Rule,
        }
    }

    /// What a new driver must do before anything else: an attempt that was launched by a
    /// driver that is gone can't be awaited, only be cut off.
    pub fn next_after_takeover(&self) -> Next {
        let attempt = self.attempt;
        match self.step {
            Step::Launched { .. } => Next::Perform(Effect::Interrupt { attempt }),
            Step::VerifierLaunched { verifier, .. } => {
                Next::Perform(Effect::InterruptVerifier { attempt, verifier })
            }
            // Checks were at work, and what they changed outside is on no record.
            Step::Snapshotted { .. } if self.fingerprint.is_some() => {
                Next::Perform(Effect::Look { attempt })
            }
            _ => self.next(),
        }
    }

    /// Takes in the next event.
    pub fn apply(&mut self, event: RunEvent) -> Result<(), Refusal> {
        if !self.can_follow(&event) {
            return Err(Refusal { event: name_of(&event), at: serde_name(&self.step, "at") });
        }
        self.take_outside(&event);
        self.take(event);
        self.sequence += 1;
        Ok(())
    }

    fn take(&mut self, event: RunEvent) {
        self.step = match event {
            RunEvent::Opened(_) | RunEvent::Looked { .. } => return,
            RunEvent::Prepared { attempt, tree, .. } => {
                self.begin(attempt, tree);
                Step::Prepared
            }
            RunEvent::Reviewed(reviewed) => self.take_review(*reviewed),
            RunEvent::Launched { prompt, .. } => Step::Launched { prompt },
            RunEvent::Interrupted { .. } => {
                self.interruptions += 1;
                Step::Opened
            }
            RunEvent::Worked { execution, heard, .. } => {
                self.used = self.used + usage_of(heard.as_deref());
                self.worked = Some(*execution);
                self.heard = heard.map(|heard| *heard);
                Step::Worked
            }
            RunEvent::Claimed { attempt, claimed } => {
                let words = claimed.given().and_then(|claim| claim.reflection.clone());
                self.reflections.extend(words.map(|words| Reflected { attempt, words }));
                self.claimed = Some(claimed);
                Step::Claimed
            }
            RunEvent::Snapshotted { tree, nested, unheld, is_gone, .. } => {
                (self.nested, self.unheld, self.is_gone) = (nested, unheld, is_gone);
                self.last_tree = Some(tree.clone());
                Step::Snapshotted { tree }
            }
            RunEvent::Checked(receipt) => {
                self.receipts.push(*receipt);
                return;
            }
            RunEvent::Examined(examined) => {
                self.examined = Some(*examined);
                return;
            }
            RunEvent::VerifierLaunched { verifier, prompt, .. } => {
                Step::VerifierLaunched { tree: self.handed_over().clone(), verifier, prompt }
            }
            RunEvent::Verified(verified) => {
                self.used = self.used + verified.heard.usage;
                self.verified.push(*verified);
                Step::Snapshotted { tree: self.handed_over().clone() }
            }
            RunEvent::VerifierInterrupted { .. } => {
                self.interruptions += 1;
                Step::Snapshotted { tree: self.handed_over().clone() }
            }
            RunEvent::Ruled(ruling) => self.take_ruling(ruling),
            RunEvent::Waited { .. } => {
                self.retries += 1;
                self.again(None)
            }
            RunEvent::Asked { number, ask_for, checkpoint } => {
                self.questions = number;
                Step::Asked { number, ask_for, checkpoint }
            }
            RunEvent::Resolved { choice, consequence, words, by, .. } => {
                self.take_answer((choice, words, by), consequence)
            }
            RunEvent::Committed { commit, branch } => {
                Step::Committed { tree: self.handed_over().clone(), commit, branch }
            }
            RunEvent::CancelRequested { .. } => Step::Cancelling,
            RunEvent::Closed(outcome) => Step::Closed { outcome },
        };
    }

    fn take_review(&mut self, reviewed: Reviewed) -> Step {
        self.used = self.used + usage_of(reviewed.heard.as_deref());
        if let Review::Concerns { concerns } = reviewed.review {
            self.concerns = concerns;
        }
        Step::Reviewed
    }

    /// The tree under judgement.
    pub(super) fn handed_over(&self) -> &ObjectId {
        self.last_tree.as_ref().unwrap_or(&self.base().tree)
    }
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes it so")]
fn is_zero(number: &usize) -> bool {
    *number == 0
}

fn usage_of(heard: Option<&Heard>) -> Usage {
    heard.map(|heard| heard.usage).unwrap_or_default()
}

pub(super) fn name_of(event: &RunEvent) -> String {
    serde_name(event, "kind")
}

pub(super) fn serde_name<T: Serialize>(value: &T, tag: &str) -> String {
    serde_json::to_value(value)
        .ok()
        .and_then(|value| value.get(tag).and_then(|tag| tag.as_str().map(str::to_owned)))
        .unwrap_or_default()
}
