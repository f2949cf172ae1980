//! The part of a ruling that rests on what verifiers say. They are heard last, and can only stop work.

use jiff::Timestamp;

use super::crew_rule::{asking, later, sent_back};
use super::{
    AskFor, Crew, Decision, Proposed, Reason, Round, Ruling, Run, Said, Verified, consensus,
};
use crate::agent::AgentEnd;
use crate::verdict::{AgentVerdict, Conclusion};

/// What the verifiers of an attempt said, sorted.
#[derive(Default)]
struct Heard {
    /// Who passes it.
    passes: Vec<u32>,
    /// Who objects, and to what, the gravest first.
    objectors: Vec<u32>,
    against: Vec<Reason>,
    questions: Vec<Reason>,
    /// Who came to nothing, or says that it can't be judged.
    without: Vec<Reason>,
    is_unjudgeable: bool,
}

impl Heard {
    fn of(run: &Run) -> Self {
        let mut heard = Self::default();
        for verified in &run.verified {
            match verified.verdict() {
                Some(verdict) => heard.take(verified.verifier, verdict),
                None => heard.without.push(Reason::NoVerdict {
                    verifier: verified.verifier,
                    why: why_none(verified),
                }),
            }
        }
        let failed = |verified: &Verified| {
            let verdict = verified.verdict().filter(|one| one.verdict == Conclusion::Fail)?;
            Some((verified.verifier, verdict.issues.clone()))
        };
        let objections: Vec<_> = run.verified.iter().filter_map(failed).collect();
        heard.against = consensus::merged(
            objections.iter().flat_map(|(by, issues)| issues.iter().map(|issue| (*by, issue))),
        );
        heard
    }

    /// Whether some of them pass it while others object.
    fn is_split(&self) -> bool {
        !self.against.is_empty() && !self.passes.is_empty()
    }

    fn take(&mut self, verifier: u32, verdict: &AgentVerdict) {
        match verdict.verdict {
            Conclusion::Pass => self.passes.push(verifier),
            Conclusion::Fail => self.objectors.push(verifier),
            Conclusion::RequestInfo => {
                let wanted = verdict.missing_evidence.iter();
                self.questions.extend(
                    wanted.map(|text| Reason::InfoWanted { verifier, question: text.clone() }),
                );
            }
            Conclusion::Blocked => {
                self.is_unjudgeable = true;
                self.without.push(Reason::NoVerdict { verifier, why: verdict.summary.clone() });
            }
        }
    }
}

/// Rules on what the verifiers say. Where none is asked, what we ran decides.
pub(super) fn rule(run: &Run, crew: &Crew, now: Timestamp) -> Ruling {
    let heard = Heard::of(run);
    let lost = run.verified.iter().find(|one| one.verdict().is_none());
    if let Some(lost) = lost.filter(|_| !run.is_verdict_taken()) {
        // Rubbish is asked for again, as an overload is; a login is not had by asking again.
        let is_hopeless =
            matches!(lost.heard.end, AgentEnd::NotLoggedIn { .. } | AgentEnd::BudgetReached);
        if !is_hopeless && run.retries < crew.policy.retries {
            return later(run, &lost.heard.end, heard.without, now);
        }
    }
    let taken = AskFor::OF_VERDICTS.into_iter().find(|ask_for| run.is_taken(*ask_for));
    if heard.passes.len() >= crew.verifiers.len() || taken.is_some() {
        let taken = taken.into_iter().chain([AskFor::Outside]);
        let reasons = taken.filter_map(|ask_for| run.taken_by(ask_for)).chain(run.looked_by());
        let reasons = reasons.collect();
        return Ruling::plain(run.attempt, Decision::Accept, reasons);
    }
    if heard.is_unjudgeable {
        return asking(run, AskFor::Unjudgeable, heard.without);
    }
    let round = round(run, crew, &heard);
    if heard.is_split() {
        return apart(run, crew, &heard.against, round);
    }
    if !heard.against.is_empty() {
        return sent_back(run, crew, &heard.against, false);
    }
    if !heard.without.is_empty() || heard.questions.is_empty() {
        return asking(run, AskFor::NoVerdict, heard.without);
    }
    // The next attempt may answer it. Where there is none, or where one left the files as they are, only
    // a person can.
    if run.is_handed() || !run.allows_another() || run.was_asked_before() {
        return asking(run, AskFor::Info, heard.questions);
    }
    // A question is no failure: no counter moves but that of attempts.
    let rung = Some(run.rung);
    Ruling { rung, ..Ruling::plain(run.attempt, Decision::Revise, heard.questions) }
}

/// The verifiers disagree: another round, or a person. Where one of them is content, a person decides rather
/// than the number of attempts; and who had them judge once more decides about that, not the worker.
pub(super) fn apart(run: &Run, crew: &Crew, against: &[Reason], round: Option<Round>) -> Ruling {
    let is_last = round.as_ref().is_none_or(|round| round.number >= round.of);
    if is_last || !run.allows_another() {
        let asked = asking(run, AskFor::Disagreement, against.to_vec());
        return Ruling { is_split: true, round, ..asked };
    }
    Ruling { round, ..sent_back(run, crew, against, true) }
}

/// The next round of a disagreement about these very files, which were handed in again as they are: nobody
/// is paid to say the same once more.
pub(super) fn same_round(run: &Run) -> Option<Round> {
    let before = run.refused_before().filter(|ruling| ruling.is_split)?.round.clone()?;
    Some(Round { number: run.splits() + 1, ..before })
}

/// The round that a disagreement is. Judging the same work once more because a person wants that is none.
fn round(run: &Run, crew: &Crew, heard: &Heard) -> Option<Round> {
    (heard.is_split() && !run.is_in_round()).then(|| Round {
        number: run.splits() + 1,
        // Where nobody works, nothing is done about it before a person decides.
        of: if run.is_handed() { 1 } else { crew.policy.rounds.max(1) },
        passed: heard.passes.clone(),
        against: heard.objectors.clone(),
    })
}

/// Why a verifier gave no verdict that can be used.
pub(super) fn why_none(verified: &Verified) -> String {
    if !verified.touched.is_empty() {
        return format!("it changed files: {}", verified.touched.join(", "));
    }
    match &verified.said {
        Said::Unfit { faults } if verified.heard.end.is_finished() => faults.join("; "),
        _ => verified.heard.end.to_string(),
    }
}

/// What verifiers propose to do next. Where the same files were handed in again, it is what was proposed
/// about them.
pub(super) fn proposed(run: &Run) -> Vec<Proposed> {
    let one = |verified: &Verified| {
        let verdict = verified.verdict()?;
        let (transition, contract) = (verdict.recommended_transition, &verdict.next_contract);
        let is_any = transition.is_some() || contract.is_some();
        (is_any && verdict.verdict != Conclusion::Pass).then(|| Proposed {
            verifier: verified.verifier,
            transition,
            contract: contract.clone(),
        })
    };
    let now: Vec<Proposed> = run.verified.iter().filter_map(one).collect();
    match run.refused_before() {
        Some(ruling) if now.is_empty() => ruling.proposed.clone(),
        _ => now,
    }
}
