//! Section 8: what to do better next time, each piece of advice with the iteration and the criterion
//! that it comes from.

use serde::Serialize;

use super::failures::{Failures, key};
use super::lifecycle::{By, Life};
use super::text::{MOST, short};
use super::{Cite, Source};
use crate::claim::{BlockedKind, Claimed, Stand};
use crate::run::{Reason, Verified};
use crate::verdict::FailureCategory;

/// What a piece of advice is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum About {
    Brainstorm,
    Prd,
    TestSpec,
    /// Who works and who judges.
    Crew,
}

impl About {
    pub fn words(self) -> &'static str {
        match self {
            Self::Brainstorm => "brainstorm",
            Self::Prd => "PRD",
            Self::TestSpec => "test-spec",
            Self::Crew => "crew",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Advice {
    pub about: About,
    pub text: String,
    pub cites: Vec<Cite>,
}

/// The most places that one piece of advice cites.
const MOST_CITES: usize = 8;

pub(super) fn advice(source: &Source, failures: &Failures, lives: &[Life]) -> Vec<Advice> {
    let mut found = Found(Vec::new());
    for (trail, iteration) in source.iterations() {
        let cite = Cite::new(trail, iteration);
        if let Some(Claimed::Given { body, .. }) = &iteration.claimed {
            found.claimed(&body.stand, &cite);
        }
        for reason in iteration.rulings.iter().flat_map(|ruling| &ruling.reasons) {
            found.reason(reason, &cite);
        }
        for verified in iteration.judgings.iter().filter_map(|one| one.verified.as_ref()) {
            found.verdict(verified, &cite);
        }
    }
    for repeated in &failures.repeated.rows {
        let cites = repeated.iterations.iter().map(|iteration| {
            let cite = Cite { leg: repeated.leg.clone(), iteration: *iteration, criterion: None };
            cite.about(repeated.what.as_str())
        });
        let text =
            "the same thing failed again and again: say it more precisely, or split the story";
        found.add(About::Prd, text, cites);
    }
    for life in lives.iter().filter(|life| life.by == By::Judged && life.stands.is_none()) {
        let leg = life.leg.clone();
        let cite = Cite { leg, iteration: last_of(source, &life.leg), criterion: None };
        let text = "nobody judged this criterion: map it to a test, or have a verifier look at it";
        found.add(About::TestSpec, text, [cite.about(life.criterion.as_str())]);
    }
    found.0.sort_by_key(|advice| advice.about);
    found.0
}

fn last_of(source: &Source, leg: &str) -> u32 {
    source.of_leg(leg).map(|(_, one)| one.number).last().unwrap_or_default()
}

struct Found(Vec<Advice>);

impl Found {
    /// The same advice from another place is the same advice.
    fn add(&mut self, about: About, text: &str, cites: impl IntoIterator<Item = Cite>) {
        let text = short(text, MOST);
        let known = self.0.iter().position(|one| one.about == about && one.text == text);
        let at = known.unwrap_or_else(|| {
            self.0.push(Advice { about, text, cites: Vec::new() });
            self.0.len() - 1
        });
        let known = &mut self.0[at].cites;
        for cite in cites {
            if known.len() < MOST_CITES && !known.contains(&cite) {
                known.push(cite);
            }
        }
    }

    fn claimed(&mut self, stand: &Stand, cite: &Cite) {
        match stand {
            Stand::Done => {}
            Stand::Partly { deferred, .. } => {
                let cites = deferred.iter().map(|one| cite.clone().about(one.as_str()));
                self.add(About::Prd, "it did not fit one attempt: split the story", cites);
            }
            Stand::Blocked { kind, .. } => {
                let text = match kind {
                    BlockedKind::Contradictory => {
                        "the worker found a contradiction: settle what takes precedence before planning"
                    }
                    BlockedKind::Impossible => {
                        "the worker says that it can't be done here: ask for what is possible"
                    }
                    BlockedKind::NeedsHuman => {
                        "the worker needed a person: decide or provide that before the work"
                    }
                };
                self.add(About::Brainstorm, text, [cite.clone()]);
            }
        }
    }

    fn reason(&mut self, reason: &Reason, cite: &Cite) {
        let about = || cite.clone().about(key(reason));
        let (part, text, cite) = match reason {
            Reason::TestMissing { .. } => (
                About::TestSpec,
                "a test that the test-spec names was not seen: name it as its runner does",
                about(),
            ),
            Reason::OutOfScope { path } => (
                About::Prd,
                "files outside of the story were touched: widen what it touches, or say what not to",
                cite.clone().about(path.as_str()),
            ),
            Reason::InfoWanted { question, .. } => (
                About::Prd,
                "a verifier had to ask: answer it in the criteria",
                cite.clone().about(question.as_str()),
            ),
            Reason::ClaimUnfit { .. } => (
                About::Crew,
                "the worker's claim could not be used: take a worker that follows the form",
                cite.clone(),
            ),
            Reason::ClaimDiffers { command, .. } => (
                About::Crew,
                "a claimed command ended otherwise for us: look at what differs, or at the worker",
                cite.clone().about(command.as_str()),
            ),
            Reason::NoVerdict { .. } => {
                (About::Crew, "a verifier came to no usable verdict: take another", cite.clone())
            }
            Reason::OverBudget { .. } => (
                About::Crew,
                "the budget was reached: raise it, take a cheaper model, or split the story",
                cite.clone(),
            ),
            Reason::AgentFailed { end } => {
                let text = format!("an agent did not finish ({end}): see `countersign doctor`");
                self.add(About::Crew, &text, [cite.clone()]);
                return;
            }
            Reason::NothingChanged { .. } | Reason::SameTree { .. } => (
                About::Brainstorm,
                "the worker did not know how to go on: say what to change and where",
                cite.clone(),
            ),
            Reason::Outside { .. } => (
                About::Crew,
                "your own repository was changed while an agent was at work: take one that stays in its \
                 checkout, or put it into a sandbox",
                cite.clone(),
            ),
            Reason::FolderGone => {
                (About::Crew, "a worker removed the folder it worked in", cite.clone())
            }
            Reason::NoChecks => {
                (About::TestSpec, "nothing could prove the work: name a command", cite.clone())
            }
            _ => return,
        };
        self.add(part, text, [cite]);
    }

    fn verdict(&mut self, verified: &Verified, cite: &Cite) {
        let Some(verdict) = verified.verdict() else { return };
        for issue in &verdict.issues {
            let criterion = issue.criterion.as_deref().unwrap_or(issue.id.as_str());
            let cite = cite.clone().about(criterion);
            match issue.failure_category {
                Some(FailureCategory::Spec) => {
                    let text =
                        "a verifier calls it a mistake of the specification: mend the criterion";
                    self.add(About::Prd, text, [cite]);
                }
                Some(FailureCategory::Flaky) => {
                    let text = "a verifier calls it flaky: make the test deterministic";
                    self.add(About::TestSpec, text, [cite]);
                }
                Some(FailureCategory::Integration) => {
                    let text = "parts did not go together: plan a test of the seam";
                    self.add(About::TestSpec, text, [cite]);
                }
                Some(FailureCategory::Implementation) | None => {}
            }
        }
    }
}
