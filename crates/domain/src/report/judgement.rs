//! Section 4: how the verifiers judged.

use serde::Serialize;

use super::text::{MOST, short};
use super::{Cite, Kept, Remark, Share, Source, Trail};
use crate::agent::Usage;
use crate::relay::RelayEvent;
use crate::run::{Said, Verified};
use crate::verdict::{Conclusion, Severity};

#[derive(Debug, Clone, Serialize)]
pub struct Judgement {
    pub judges: Kept<Judge>,
    /// Iterations in which verifiers did not agree.
    pub splits: Kept<Cite>,
    /// Passes whose work was accepted and not taken up again.
    pub held: Share,
    pub remarks: Kept<Remark>,
}

/// One verifier.
#[derive(Debug, Clone, Serialize)]
pub struct Judge {
    /// Counted from 1.
    pub verifier: u32,
    pub agent: String,
    pub starts: u64,
    pub passes: u64,
    pub fails: u64,
    /// It could not tell without an answer.
    pub asks: u64,
    /// It said that this can't be judged.
    pub blocked: u64,
    pub unusable: u64,
    pub interrupted: u64,
    pub critical: u64,
    pub major: u64,
    pub minor: u64,
    pub took_ms: u64,
    pub used: Usage,
}

pub(super) fn judgement(source: &Source) -> Judgement {
    let mut judges: Vec<Judge> = Vec::new();
    let (mut splits, mut remarks, mut held) = (Vec::new(), Vec::new(), Share::default());
    for (trail, iteration) in source.iterations() {
        if iteration.rulings.iter().any(|ruling| ruling.is_split) {
            splits.push(Cite::new(trail, iteration));
        }
        for round in iteration.rulings.iter().filter_map(|ruling| ruling.round.as_ref()) {
            let cites = vec![Cite::new(trail, iteration)];
            remarks.push(Remark { text: round.to_string(), cites });
        }
        for judging in &iteration.judgings {
            let agent = judging.verified.as_ref().map(|verified| verified.agent.to_string());
            let agent = agent.or_else(|| named(trail, judging.verifier)).unwrap_or_default();
            let judge = judge(&mut judges, judging.verifier + 1, short(&agent, 80));
            judge.starts += 1;
            judge.interrupted += u64::from(judging.is_interrupted);
            let Some(verified) = &judging.verified else { continue };
            judge.take(verified);
            let text = unusable(verified);
            remarks
                .extend(text.map(|text| Remark { text, cites: vec![Cite::new(trail, iteration)] }));
            if concluded(verified) == Some(Conclusion::Pass) {
                held.count(iteration.is_accepted() && !is_reopened(source, trail));
            }
        }
    }
    let (judges, splits, remarks) = (Kept::of(judges), Kept::of(splits), Kept::of(remarks));
    Judgement { judges, splits, held, remarks }
}

fn named(trail: &Trail, verifier: u32) -> Option<String> {
    let crew = trail.opened.crew.as_ref()?;
    crew.verifiers.get(verifier as usize).map(ToString::to_string)
}

fn judge(judges: &mut Vec<Judge>, verifier: u32, agent: String) -> &mut Judge {
    let known = judges.iter().position(|one| one.verifier == verifier && one.agent == agent);
    let at = known.unwrap_or_else(|| {
        judges.push(Judge {
            verifier,
            agent,
            starts: 0,
            passes: 0,
            fails: 0,
            asks: 0,
            blocked: 0,
            unusable: 0,
            interrupted: 0,
            critical: 0,
            major: 0,
            minor: 0,
            took_ms: 0,
            used: Usage::default(),
        });
        judges.len() - 1
    });
    &mut judges[at]
}

impl Judge {
    fn take(&mut self, verified: &Verified) {
        self.took_ms += verified.execution.duration_ms;
        self.used = self.used + verified.heard.usage;
        match concluded(verified) {
            Some(Conclusion::Pass) => self.passes += 1,
            Some(Conclusion::Fail) => self.fails += 1,
            Some(Conclusion::RequestInfo) => self.asks += 1,
            Some(Conclusion::Blocked) => self.blocked += 1,
            None => self.unusable += 1,
        }
        for issue in verified.verdict().iter().flat_map(|verdict| &verdict.issues) {
            match issue.severity {
                Severity::Critical => self.critical += 1,
                Severity::Major => self.major += 1,
                Severity::Minor => self.minor += 1,
            }
        }
    }
}

pub(super) fn concluded(verified: &Verified) -> Option<Conclusion> {
    verified.verdict().map(|verdict| verdict.verdict)
}

fn unusable(verified: &Verified) -> Option<String> {
    let who = format!("verifier {}", verified.verifier + 1);
    if !verified.touched.is_empty() {
        let text = format!("{who} changed files: {}", verified.touched.join(", "));
        return Some(short(&text, MOST));
    }
    if !verified.heard.end.is_finished() {
        return Some(short(&format!("{who}: {}", verified.heard.end), MOST));
    }
    match &verified.said {
        Said::Unfit { faults } => Some(short(&format!("{who}: {}", faults.join("; ")), MOST)),
        Said::Verdict { .. } => None,
    }
}

/// Whether the story was taken up again after it had landed with this iteration's work.
fn is_reopened(source: &Source, trail: &Trail) -> bool {
    let leg = trail.leg();
    let Some(relay) = &source.relay else { return false };
    let landed = relay.events.iter().position(
        |(_, event)| matches!(event, RelayEvent::Landed { run, .. } if *run == trail.run),
    );
    let Some(landed) = landed else { return false };
    relay.events[landed..]
        .iter()
        .any(|(_, event)| matches!(event, RelayEvent::Reopened { story, .. } if *story == leg))
}
