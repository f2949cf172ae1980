//! Which event may follow on a journal: the outcome of the effect that is due, an answer, or a
//! cancellation. Nothing else, whoever wrote it.

use super::effect::{Effect, Next};
use super::state::{Run, Step};
use super::{AskFor, Decision, Examined, Outcome, RunEvent};
use crate::id::ObjectId;
use crate::receipt::Receipt;
use crate::verify::Verdict;

impl Run {
    /// Whether `event` may come now: it must be the outcome of the effect that is due, or a
    /// cancellation.
    pub(super) fn can_follow(&self, event: &RunEvent) -> bool {
        match (&self.step, event) {
            (Step::Closed { .. } | Step::Committed { .. }, RunEvent::CancelRequested { .. })
            | (_, RunEvent::Opened(_)) => false,
            (_, RunEvent::CancelRequested { .. }) => true,
            (Step::Launched { .. }, RunEvent::Interrupted { attempt, .. }) => {
                *attempt == self.attempt
            }
            (
                Step::VerifierLaunched { verifier: due, .. },
                RunEvent::VerifierInterrupted { attempt, verifier, .. },
            ) => *attempt == self.attempt && verifier == due,
            (_, RunEvent::Looked { attempt, fingerprint, outside }) => {
                *attempt == self.attempt && self.may_be_looked_at(fingerprint.as_ref(), outside)
            }
            // What a start could cost is known only when it is about to happen.
            (
                Step::Prepared | Step::Reviewed | Step::Snapshotted { .. },
                RunEvent::Ruled(ruling),
            ) if ruling.decision == (Decision::Ask { ask_for: AskFor::Budget }) => {
                self.opened.crew.is_some() && ruling.attempt == self.attempt
            }
            (_, event) if self.is_of_old(event) => true,
            // The first versions did not look again at what they could not see: what is due is told without.
            (_, event) => match (self.due(), event) {
                (Next::Perform(effect), event) => self.is_outcome_of(&effect, event),
                (Next::Answer { number: due, .. }, RunEvent::Resolved { number, .. }) => {
                    due == *number
                }
                (Next::Answer { .. } | Next::Done(_), _) => false,
            },
        }
    }

    /// What is looked at further, and how an answer ends a run, is not what it was in the first versions:
    /// their journals are read as they are. None of this accepts anything.
    fn is_of_old(&self, event: &RunEvent) -> bool {
        let has_crew = self.opened.crew.is_some();
        match (&self.step, event) {
            (Step::Snapshotted { .. }, RunEvent::Ruled(ruling)) => {
                has_crew && ruling.attempt == self.attempt && ruling.decision != Decision::Accept
            }
            (Step::Snapshotted { .. }, RunEvent::VerifierLaunched { attempt, verifier, .. }) => {
                *attempt == self.attempt && self.holds_so_far() && self.is_missing(*verifier)
            }
            (Step::Stopping { .. }, RunEvent::Closed(outcome)) => {
                matches!(outcome, Outcome::Refused { .. })
            }
            _ => false,
        }
    }

    /// Whether this verifier is one of the crew, and has not been heard.
    fn is_missing(&self, verifier: u32) -> bool {
        let verifiers = self.opened.crew.as_ref().map_or(0, |crew| crew.verifiers.len());
        (verifier as usize) < verifiers
            && self.verified.iter().all(|heard| heard.verifier != verifier)
    }

    fn is_outcome_of(&self, effect: &Effect, event: &RunEvent) -> bool {
        match (effect, event) {
            (
                Effect::Prepare { attempt: due, tree: from },
                RunEvent::Prepared { attempt, tree, .. },
            ) => due == attempt && from == tree,
            (Effect::Review { attempt: due }, RunEvent::Reviewed(reviewed)) => {
                *due == reviewed.attempt
            }
            (Effect::Launch { attempt: due }, RunEvent::Launched { attempt, .. })
            | (Effect::Await { attempt: due, .. }, RunEvent::Worked { attempt, .. })
            | (Effect::Claim { attempt: due }, RunEvent::Claimed { attempt, .. })
            | (Effect::Wait { attempt: due, .. }, RunEvent::Waited { attempt })
            | (Effect::Snapshot { attempt: due }, RunEvent::Snapshotted { attempt, .. }) => {
                due == attempt
            }
            (Effect::Check { tree, .. }, RunEvent::Checked(receipt)) => self.is_due(receipt, tree),
            (Effect::Examine { tree, .. }, RunEvent::Examined(examined)) => {
                examined.run == self.id()
                    && examined.attempt == self.attempt
                    && examined.tree == *tree
            }
            (
                Effect::LaunchVerifier { verifier: due, .. },
                RunEvent::VerifierLaunched { attempt, verifier, .. },
            ) => *attempt == self.attempt && verifier == due,
            (Effect::Verify { verifier, tree, .. }, RunEvent::Verified(verified)) => {
                verified.attempt == self.attempt
                    && verified.verifier == *verifier
                    && verified.tree == *tree
            }
            (Effect::Rule, RunEvent::Ruled(ruling)) => {
                let is_acceptance = ruling.decision == Decision::Accept;
                ruling.attempt == self.attempt && (!is_acceptance || self.is_proven())
            }
            (
                Effect::Ask { number: due, ask_for: about },
                RunEvent::Asked { number, ask_for, .. },
            ) => due == number && about == ask_for,
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

    /// Whether what we ran ourselves holds: without that, nobody can accept.
    fn is_proven(&self) -> bool {
        if self.must_be_looked_at() {
            return false;
        }
        let Some(crew) = &self.opened.crew else {
            return !self.receipts.is_empty()
                && self.receipts.len() == self.opened.contract.checks.len()
                && self.receipts.iter().all(Receipt::passed);
        };
        let is_judged = self.verified.len() == crew.verifiers.len() || self.is_verdict_taken();
        self.holds_so_far() && is_judged
    }

    /// Whether the examination of the tree that was handed over speaks for it.
    pub(super) fn holds_so_far(&self) -> bool {
        let is_ours = |examined: &&Examined| {
            examined.tree == *self.handed_over() && examined.attempt == self.attempt
        };
        self.examined.as_ref().filter(is_ours).is_some_and(|examined| match examined.verdict {
            Verdict::Accepted => {
                examined.out_of_scope.is_empty() || self.is_taken(AskFor::Findings)
            }
            Verdict::Human => {
                self.is_taken(AskFor::Findings)
                    || examined.out_of_scope.is_empty() && self.was_all_looked_at()
            }
            Verdict::Advisory | Verdict::Refused => false,
        } && examined.receipts.iter().all(|proof| proof.passed)
            && !examined.receipts.is_empty()
            && examined.missing_tests.is_empty()
            && examined.unexpected.is_empty()
            && examined.reproduced.iter().all(super::Reproduced::agrees))
    }
}
