//! Section 7: strengths and weaknesses, each with its figure.

use super::lifecycle::{By, Life};
use super::process::Process;
use super::text::{MOST, short};
use super::{Cite, Iteration, Remark, Share, Source, Trail, is_accepted};
use crate::run::Reason;
use crate::verify::Verdict;

/// The strengths, and the weaknesses.
pub(super) fn balance(
    source: &Source,
    process: &Process,
    lives: &[Life],
) -> (Vec<Remark>, Vec<Remark>) {
    let mut sides = Sides { strengths: Vec::new(), weaknesses: Vec::new() };
    sides.runs(source);
    sides.process(process);
    sides.criteria(lives);
    sides.found(source);
    (sides.strengths, sides.weaknesses)
}

struct Sides {
    strengths: Vec<Remark>,
    weaknesses: Vec<Remark>,
}

impl Sides {
    fn good(&mut self, text: String, cites: Vec<Cite>) {
        self.strengths.push(Remark { text, cites });
    }

    fn bad(&mut self, text: String, cites: Vec<Cite>) {
        self.weaknesses.push(Remark { text, cites });
    }

    fn runs(&mut self, source: &Source) {
        let mut first_time = Share::default();
        let mut cites = Vec::new();
        for trail in source.runs.iter().filter(|trail| trail.outcome.is_some()) {
            let is_first = trail.iterations.len() == 1;
            let at_once = is_accepted(trail.outcome.as_ref()) && is_first;
            first_time.count(at_once);
            if at_once {
                cites.extend(trail.iterations.iter().map(|one| Cite::new(trail, one)));
            }
        }
        if first_time.part > 0 {
            self.good(format!("accepted at the first iteration: {first_time}"), cites);
        }
        let refused = source
            .runs
            .iter()
            .filter(|trail| trail.outcome.is_some() && !is_accepted(trail.outcome.as_ref()));
        for trail in refused {
            let cites = trail.iterations.last().map(|one| Cite::new(trail, one));
            let text = format!("not accepted after {} iterations", trail.iterations.len());
            self.bad(text, cites.into_iter().collect());
        }
    }

    fn process(&mut self, process: &Process) {
        let figures = [
            ("claims that could be used", process.claims),
            ("criteria said to be red before the work", process.red),
            ("claims that are test first", process.test_first),
            ("claims with a run from end to end", process.e2e),
            ("claimed commands that ended for us as said", process.reproduced),
        ];
        for (what, share) in figures {
            if share.is_all() {
                self.good(format!("{what}: {share}"), Vec::new());
            } else if share.all > 0 {
                self.bad(format!("{what}: {share}"), Vec::new());
            }
        }
        if process.shown_by > 0 {
            let text = format!(
                "{} tests were seen to fail before the work and to pass after it, run by us",
                process.shown_by
            );
            self.good(text, Vec::new());
        }
    }

    fn criteria(&mut self, lives: &[Life]) {
        for life in lives {
            let cites = |iterations: Vec<u32>| {
                let of = |iteration| Cite { leg: life.leg.clone(), iteration, criterion: None };
                iterations.into_iter().map(|one| of(one).about(&life.criterion)).collect()
            };
            if life.reopened > 0 {
                let text = format!("was met and then was not: {} times", life.reopened);
                self.bad(text, cites(life.unmet()));
            } else if life.stands == Some(false) {
                self.bad("is not met at the end".to_owned(), cites(life.unmet()));
            } else if life.stands.is_none() && life.by == By::Judged {
                let text = format!("{} {}: nobody has judged it", life.leg, life.criterion);
                self.bad(text, Vec::new());
            }
        }
    }

    fn found(&mut self, source: &Source) {
        for (trail, iteration) in source.iterations() {
            let cites = || vec![Cite::new(trail, iteration)];
            if let Some(examined) = &iteration.examined {
                for finding in examined.findings.iter().take(5) {
                    self.bad(short(&format!("looks like gaming: {finding}"), MOST), cites());
                }
                if examined.verdict == Verdict::Refused
                    && examined.receipts.iter().all(|one| one.passed)
                {
                    let text = "every check passed, and the examination refused it all the same";
                    self.good(text.to_owned(), cites());
                }
            }
            if said_done_and_failed(trail, iteration) {
                self.bad("said to be done while a check did not pass".to_owned(), cites());
            }
            let unchanged =
                iteration.rulings.iter().flat_map(|ruling| &ruling.reasons).any(|one| {
                    matches!(one, Reason::NothingChanged { .. } | Reason::SameTree { .. })
                });
            if unchanged {
                self.bad("nothing was changed".to_owned(), cites());
            }
        }
    }
}

fn said_done_and_failed(trail: &Trail, iteration: &Iteration) -> bool {
    let claim = iteration.claimed.as_ref().and_then(crate::claim::Claimed::given);
    let says_done = claim.is_some_and(|claim| claim.stand == crate::claim::Stand::Done);
    says_done && iteration.commands(&trail.opened).iter().any(|(_, passed)| !passed)
}
