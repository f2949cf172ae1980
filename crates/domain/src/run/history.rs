//! What the journal so far says to rulings and prompts: what was tried, asked and answered.

use super::state::{Resolution, Run, Step};
use super::{
    AskFor, Consequence, Decision, Reason, RefusedBecause, Round, Ruling, Verified, crew_rule,
};
use crate::agent::AgentEnd;
use crate::claim::Stand;
use crate::id::ObjectId;
use crate::verdict::Conclusion;
use crate::verify::{self, Weight};

/// How many attempts a person's "go on" is worth.
const GRANTED: u32 = 2;

impl Run {
    pub(super) fn begin(&mut self, attempt: u32, tree: ObjectId) {
        if attempt != self.attempt {
            self.retries = 0;
        }
        self.attempt = attempt;
        self.worked = None;
        self.heard = None;
        self.claimed = None;
        self.examined = None;
        self.verified.clear();
        self.set_aside.clear();
        self.started_from = Some(tree);
        if !self.receipts.is_empty() {
            self.refused_receipts = std::mem::take(&mut self.receipts);
        }
    }

    pub(super) fn take_ruling(&mut self, ruling: Ruling) -> Step {
        let decision = ruling.decision.clone();
        let tree = self.handed_over().clone();
        if let Some(rung) = ruling.rung {
            self.rung = rung;
        }
        if ruling.is_split && !self.verified.is_empty() {
            self.apart.clone_from(&self.verified);
        }
        self.rulings.push(ruling);
        Step::Ruled { decision, tree }
    }

    /// What follows from an answer.
    pub(super) fn take_answer(
        &mut self,
        (choice, words, by): (String, String, String),
        consequence: Consequence,
    ) -> Step {
        let Step::Asked { ask_for, .. } = self.step else { return self.step.clone() };
        let tree = self.last_tree.clone();
        let rulings = self.rulings.len();
        self.resolutions.push(Resolution {
            ask_for,
            choice,
            consequence,
            words,
            by,
            tree,
            rulings,
        });
        if ask_for == AskFor::Outside {
            self.answered = self.outside.len();
        }
        let tree = self.handed_over().clone();
        match consequence {
            Consequence::Stop => Step::Stopping { because: ask_for.stopped() },
            Consequence::Accept if ask_for.may_accept() => Step::Snapshotted { tree },
            // Nobody works here: the end of this run sends the stories back that it is about.
            Consequence::GoOn if self.is_handed() => {
                Step::Stopping { because: RefusedBecause::AttemptsExhausted }
            }
            Consequence::Accept if self.is_handed() => {
                Step::Stopping { because: ask_for.stopped() }
            }
            // To accept what can't be accepted is to go on with it.
            Consequence::GoOn | Consequence::Accept => {
                Step::Ruled { decision: Decision::Revise, tree }
            }
            Consequence::Again => {
                self.retries = 0;
                self.again(Some(ask_for))
            }
        }
    }

    /// The same once more. Where the work was examined, that is the judging: of those who came to nothing;
    /// of those who asked or could not tell, once a person has `answered` that; of all, in another round.
    pub(super) fn again(&mut self, answered: Option<AskFor>) -> Step {
        self.restarts += 1;
        if self.examined.is_none() && answered == Some(AskFor::Disagreement) {
            // The files that they disagreed about were handed in again as they are.
            self.set_aside.clone_from(&self.apart);
            return Step::Snapshotted { tree: self.handed_over().clone() };
        }
        if self.examined.is_none() {
            return Step::Opened;
        }
        let stands = |verified: &Verified| match (answered, verified.verdict()) {
            (_, None) | (Some(AskFor::Disagreement), _) => false,
            (Some(AskFor::Info | AskFor::NoVerdict | AskFor::Unjudgeable), Some(said)) => {
                !matches!(said.verdict, Conclusion::RequestInfo | Conclusion::Blocked)
            }
            (_, Some(_)) => true,
        };
        let (stand, aside): (Vec<_>, Vec<_>) = self.verified.drain(..).partition(stands);
        self.verified = stand;
        // Of each verifier, what it said last.
        self.set_aside.retain(|old| aside.iter().all(|new| new.verifier != old.verifier));
        self.set_aside.extend(aside);
        Step::Snapshotted { tree: self.handed_over().clone() }
    }

    /// Whether a person took the work over what verifiers said, or did not say.
    pub(super) fn is_verdict_taken(&self) -> bool {
        AskFor::OF_VERDICTS.into_iter().any(|ask_for| self.is_taken(ask_for))
    }

    /// Whether a person had this very work judged once more because verifiers disagreed.
    pub(super) fn is_in_round(&self) -> bool {
        self.resolutions.last().is_some_and(|one| {
            one.ask_for == AskFor::Disagreement
                && one.consequence == Consequence::Again
                && one.tree == self.last_tree
        })
    }

    /// Whether a verifier asked about this very work before, and got no answer.
    pub(super) fn was_asked_before(&self) -> bool {
        self.recent().iter().any(|ruling| {
            ruling.tree == self.last_tree
                && ruling.reasons.iter().any(|one| matches!(one, Reason::InfoWanted { .. }))
        })
    }

    /// How many attempts there may be: those of the beginning, and those that people granted.
    pub fn allowed_attempts(&self) -> u32 {
        let granted = self.resolutions.iter().filter(|one| one.consequence == Consequence::GoOn);
        let granted = u32::try_from(granted.count()).unwrap_or(u32::MAX);
        self.opened.limits.attempts.saturating_add(granted.saturating_mul(GRANTED))
    }

    pub(super) fn allows_another(&self) -> bool {
        self.attempt < self.allowed_attempts()
    }

    /// Whether anything differs from what the attempt began with.
    pub(super) fn has_changed(&self) -> bool {
        self.last_tree.as_ref() != self.started_from.as_ref()
    }

    /// Whether a person took the tree under judgement over what `ask_for` asked about.
    pub(super) fn is_taken(&self, ask_for: AskFor) -> bool {
        self.taken(ask_for).is_some()
    }

    fn taken(&self, ask_for: AskFor) -> Option<&Resolution> {
        self.resolutions.iter().find(|one| {
            one.ask_for == ask_for
                && one.consequence == Consequence::Accept
                && one.tree == self.last_tree
        })
    }

    /// Whether a person took this in the run of a story: all of them together are no news then.
    pub(super) fn was_looked_at(&self, reason: &verify::Reason) -> bool {
        let handed = self.opened.crew.as_ref().and_then(|crew| crew.handed.as_ref());
        let mut looked = handed.into_iter().flat_map(|handed| &handed.looked);
        reason.weight == Weight::Ask && looked.any(|one| one.text == reason.text)
    }

    /// Whether that is so of all that a person would be asked about.
    pub(super) fn was_all_looked_at(&self) -> bool {
        let examined = self.examined.as_ref();
        let all = examined.into_iter().flat_map(|examined| &examined.reasons);
        let mut asked = all.filter(|reason| reason.weight >= Weight::Ask).peekable();
        asked.peek().is_some() && asked.all(|reason| self.was_looked_at(reason))
    }

    /// Who took all of that.
    pub(super) fn looked_by(&self) -> Option<Reason> {
        let handed = self.opened.crew.as_ref().and_then(|crew| crew.handed.as_ref())?;
        let by = handed.looked.first().filter(|_| self.was_all_looked_at())?.by.clone();
        Some(Reason::TakenByPerson { ask_for: AskFor::Findings, by })
    }

    /// What a person was asked to look at and took with the work that was handed in, and who did.
    pub fn taken_findings(&self) -> Option<(Vec<&str>, &str)> {
        let taken = self.taken(AskFor::Findings)?;
        let ruling = self.rulings.get(taken.rulings.checked_sub(1)?)?;
        let found = ruling.reasons.iter().filter_map(|reason| match reason {
            Reason::Found { weight: Weight::Ask, text } => Some(text.as_str()),
            _ => None,
        });
        Some((found.collect(), &taken.by))
    }

    pub(super) fn taken_by(&self, ask_for: AskFor) -> Option<Reason> {
        self.taken(ask_for).map(|one| Reason::TakenByPerson { ask_for, by: one.by.clone() })
    }

    /// The rulings since a person was asked last.
    fn recent(&self) -> &[Ruling] {
        let from = self.resolutions.last().map_or(0, |one| one.rulings);
        self.rulings.get(from..).unwrap_or_default()
    }

    /// How many of the last rulings, one after the other, are so. Those that say nothing about the
    /// work are passed over.
    pub(super) fn rulings_in_a_row(&self, is_so: impl Fn(&Ruling) -> bool) -> u32 {
        let about_work = self.recent().iter().rev().filter(|ruling| ruling.is_failure());
        u32::try_from(about_work.take_while(|ruling| is_so(ruling)).count()).unwrap_or(u32::MAX)
    }

    /// How many attempts failed since a person was asked last. A disagreement of verifiers is none: it
    /// counts as a round.
    pub(super) fn failures(&self) -> u32 {
        let is_one = |ruling: &&Ruling| ruling.is_failure() && !ruling.is_split;
        u32::try_from(self.recent().iter().filter(is_one).count()).unwrap_or(u32::MAX)
    }

    /// The last disagreement of verifiers since a person answered last, if there was one.
    pub fn round(&self) -> Option<&Round> {
        self.recent().iter().rev().find_map(|ruling| ruling.round.as_ref())
    }

    /// How often verifiers disagreed since a person was asked last.
    pub(super) fn splits(&self) -> u32 {
        let splits = self.recent().iter().filter(|ruling| ruling.is_split).count();
        u32::try_from(splits).unwrap_or(u32::MAX)
    }

    /// What stands against any tree, whoever checks it.
    pub(super) fn standing_reasons(&self) -> Vec<Reason> {
        let mut reasons = Vec::new();
        if self.is_gone {
            reasons.push(Reason::FolderGone);
        } else if let Some(tree) = self.last_tree.as_ref().filter(|one| **one == self.base().tree) {
            reasons.push(Reason::NothingChanged { tree: tree.clone() });
        }
        let nested = self.nested.iter();
        reasons.extend(nested.map(|path| Reason::NestedRepository { path: path.clone() }));
        reasons.extend(self.unheld.iter().map(|path| Reason::Unheld { path: path.clone() }));
        reasons
    }

    /// The last ruling that refused the very tree under judgement, for what is in it. What was only said
    /// wrongly about it, or a worker that did not come to its end, may be right the next time.
    pub(super) fn refused_before(&self) -> Option<&Ruling> {
        let tree = self.last_tree.as_ref().filter(|tree| **tree != self.base().tree)?;
        // A person who sends the same work back may be right about it.
        self.recent().iter().rfind(|ruling| {
            ruling.tree.as_ref() == Some(tree)
                && ruling.attempt < self.attempt
                && ruling.decision == Decision::Revise
                && ruling.reasons.iter().any(Reason::is_about_tree)
        })
    }

    /// The tree is one that was refused: that, and what it was refused for.
    pub(super) fn same_tree(&self) -> Vec<Reason> {
        let (Some(ruling), Some(tree)) = (self.refused_before(), &self.last_tree) else {
            return Vec::new();
        };
        let against = ruling.reasons.iter().filter(|reason| reason.is_about_tree());
        let same = (!self.is_gone).then(|| Reason::SameTree { tree: tree.clone() });
        same.into_iter().chain(against.cloned()).collect()
    }

    /// Whether what the worker says of its work, or how it ended, stands against acceptance already: then
    /// nobody is paid to judge it.
    pub(super) fn is_claim_in_the_way(&self) -> bool {
        let policy = self.opened.crew.as_ref().map(|crew| &crew.policy);
        policy.is_some_and(|policy| !crew_rule::of_worker(self, policy).is_empty())
    }

    /// Whether nobody works in this run: what is there is judged.
    pub fn is_handed(&self) -> bool {
        self.opened.crew.as_ref().is_some_and(|crew| crew.handed.is_some())
    }

    /// Whether there is work that somebody came to the end of: its worker, however much it used; or one that
    /// was stopped at its budget, but had handed in all of it as done by then. The budget binds who is
    /// started next.
    pub(super) fn has_ended(&self) -> bool {
        let is_handed_in = || self.stands().is_some_and(|stand| *stand == Stand::Done);
        match (&self.heard, &self.worked) {
            _ if self.is_handed() => true,
            (Some(heard), _) if heard.end == AgentEnd::BudgetReached => is_handed_in(),
            (Some(heard), _) => heard.end.is_finished(),
            (None, Some(worked)) => worked.ended.passed(),
            (None, None) => false,
        }
    }

    /// How the work stands, as the worker says.
    fn stands(&self) -> Option<&Stand> {
        Some(&self.claimed.as_ref()?.given()?.stand)
    }

    /// Whether what was handed over can still be accepted, before anything is run on it.
    pub(super) fn is_worth_a_look(&self) -> bool {
        let is_blocked = self.stands().is_some_and(|stand| matches!(stand, Stand::Blocked { .. }));
        self.has_ended()
            && !is_blocked
            && self.standing_reasons().is_empty()
            && self.refused_before().is_none()
    }
}

impl RefusedBecause {
    /// Whether the same goal may be taken up again once something else was put right.
    pub fn is_recoverable(self) -> bool {
        !matches!(self, Self::Cancelled | Self::Impossible)
    }

    /// What kind of end it is, for programs that branch on it.
    pub fn category(self) -> &'static str {
        match self {
            Self::AttemptsExhausted | Self::FindingsRejected | Self::NothingToCheck => {
                "metric_failure"
            }
            Self::Unchanged | Self::Escalated => "repeat_axis",
            Self::AgentUnavailable => "infra_failure",
            Self::BudgetReached => "budget",
            Self::NoConsensus | Self::NotJudged => "verification",
            Self::Impossible => "contract_violation",
            Self::Cancelled => "mission_abort",
        }
    }

    /// What to do about it.
    pub fn suggested_action(self) -> &'static str {
        match self {
            Self::AttemptsExhausted => {
                "look at what kept failing, then run again with more attempts or a stronger worker"
            }
            Self::NothingToCheck => "name a check that could prove the work",
            Self::Cancelled => "nothing: a person ended it",
            Self::Unchanged => {
                "say more precisely what is to be done; the worker did not know how to go on"
            }
            Self::Escalated => "change the plan: refactor first, simplify the story, or split it",
            Self::FindingsRejected => "have the work done again without what was found",
            Self::Impossible => "change what is asked for",
            Self::BudgetReached => "raise the budget, or take a cheaper model",
            Self::NoConsensus => "read what the verifiers say, and decide",
            Self::NotJudged => "have a look at the verifier, or take another",
            Self::AgentUnavailable => "see `countersign doctor`, then run again",
        }
    }
}
