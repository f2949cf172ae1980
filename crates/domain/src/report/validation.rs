//! Section 1: what was handed over in each iteration, and what became of it.

use serde::Serialize;

use super::text::short;
use super::{Cite, Iteration, Share, Source, Trail};
use crate::agent::Usage;
use crate::claim::{Claimed, Stand};
use crate::run::{Decision, Verified};
use crate::verdict::Conclusion;

/// One iteration.
#[derive(Debug, Clone, Serialize)]
pub struct Row {
    #[serde(flatten)]
    pub cite: Cite,
    pub attempt: u32,
    pub worker: String,
    /// How the worker ended.
    pub ended: String,
    /// What it says about its work.
    pub claim: String,
    pub took_ms: u64,
    pub used: Usage,
    /// Commands that passed on what it handed over, run by us.
    pub checks: Share,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub examined: Option<String>,
    /// What each verifier concluded.
    pub verdicts: Vec<String>,
    /// What was decided.
    pub ruling: String,
    pub is_accepted: bool,
}

pub(super) fn rows(source: &Source) -> Vec<Row> {
    source.iterations().map(|(trail, iteration)| row(trail, iteration)).collect()
}

fn row(trail: &Trail, iteration: &Iteration) -> Row {
    let worker = iteration.worker.as_ref();
    Row {
        cite: Cite::new(trail, iteration),
        attempt: iteration.attempt,
        worker: worker.map_or_else(|| "nobody".to_owned(), |work| short(&work.agent, 80)),
        ended: ended(iteration),
        claim: claim(iteration.claimed.as_ref()),
        took_ms: super::ms_between(iteration.began_at, iteration.last_at),
        used: iteration.used(),
        checks: iteration.passed(),
        examined: iteration.examined.as_ref().map(|examined| {
            let level = examined.level.map_or_else(String::new, |level| format!(" ({level})"));
            format!("{}{level}", examined.verdict)
        }),
        verdicts: iteration
            .judgings
            .iter()
            .map(|judging| match &judging.verified {
                Some(verified) => conclusion(verified).to_owned(),
                None if judging.is_interrupted => "cut off".to_owned(),
                None => "at work".to_owned(),
            })
            .collect(),
        ruling: ruling(iteration),
        is_accepted: iteration.is_accepted(),
    }
}

pub(super) fn ended(iteration: &Iteration) -> String {
    match &iteration.worker {
        None => "-".to_owned(),
        Some(work) if work.is_interrupted => "cut off".to_owned(),
        Some(work) => match (&work.heard, &work.execution) {
            (Some(heard), _) => short(&heard.end.to_string(), 160),
            (None, Some(execution)) => short(&execution.ended.to_string(), 160),
            (None, None) => "at work".to_owned(),
        },
    }
}

pub(super) fn claim(claimed: Option<&Claimed>) -> String {
    match claimed {
        None | Some(Claimed::None) => "none".to_owned(),
        Some(Claimed::Unfit { .. }) => "can't be used".to_owned(),
        Some(Claimed::Given { body, .. }) => match &body.stand {
            Stand::Done => "done".to_owned(),
            Stand::Partly { .. } => "partly done".to_owned(),
            Stand::Blocked { kind, .. } => kind.words().to_owned(),
        },
    }
}

pub(super) fn conclusion(verified: &Verified) -> &'static str {
    match verified.verdict().map(|verdict| verdict.verdict) {
        Some(Conclusion::Pass) => "pass",
        Some(Conclusion::Fail) => "fail",
        Some(Conclusion::RequestInfo) => "asks for more",
        Some(Conclusion::Blocked) => "can't judge it",
        None => "no usable verdict",
    }
}

pub(super) fn ruling(iteration: &Iteration) -> String {
    let Some(ruling) = iteration.ruling() else {
        return if iteration.is_interrupted() { "none: cut off" } else { "none yet" }.to_owned();
    };
    match &ruling.decision {
        Decision::Accept => "accepted".to_owned(),
        Decision::Revise => "sent back".to_owned(),
        Decision::Retry { .. } => "tried again".to_owned(),
        Decision::Ask { .. } => "a person was asked".to_owned(),
        Decision::Block { because } => format!("refused: {}", because.category()),
    }
}
