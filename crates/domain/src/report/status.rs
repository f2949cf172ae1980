//! Where a run or a relay stands, told so that somebody can act on it.

use jiff::Timestamp;
use serde::Serialize;

use super::Trail;
use super::text::{MOST, short};
use crate::agent::{Role, Usage};
use crate::relay::{Blocked, Relay, RelayOutcome};
use crate::run::{Lands, Outcome, Outside, RefusedBecause, Round, Run, Step};
use crate::stamp::Stamp;

/// How it ended, with what to do about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Ending {
    pub is_accepted: bool,
    /// In words.
    pub words: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// What kind of end it is, for programs that branch on it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub category: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub because: Option<RefusedBecause>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_recoverable: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suggested_action: Option<&'static str>,
}

impl Ending {
    fn accepted(branch: &str) -> Self {
        Self {
            is_accepted: true,
            words: format!("accepted, on branch {branch}"),
            branch: Some(branch.to_owned()),
            category: None,
            because: None,
            is_recoverable: None,
            suggested_action: None,
        }
    }

    /// On no branch yet.
    fn waiting(words: &str) -> Self {
        Self { words: words.to_owned(), branch: None, ..Self::accepted("") }
    }

    /// How a story ended that has landed; its relay knows.
    pub fn of_landed(relay: &Relay) -> Self {
        match relay.outcome {
            Some(_) => Self::accepted(&relay.branch()),
            None => Self::waiting("accepted and landed; the branch is made when the relay ends"),
        }
    }

    fn refused(words: String, because: Option<RefusedBecause>) -> Self {
        Self {
            is_accepted: false,
            words,
            branch: None,
            // A story that is taken up again and again is one problem that comes back.
            category: Some(because.map_or("repeat_axis", RefusedBecause::category)),
            because,
            is_recoverable: Some(because.is_none_or(RefusedBecause::is_recoverable)),
            suggested_action: Some(because.map_or(
                "change the plan: what was done for one story keeps breaking another",
                RefusedBecause::suggested_action,
            )),
        }
    }

    pub fn of_run(outcome: &Outcome, lands: Lands) -> Self {
        match outcome {
            Outcome::Accepted { .. } if lands == Lands::InTurn => {
                Self::waiting("accepted, to land in its turn")
            }
            Outcome::Accepted { branch, .. } => Self::accepted(branch),
            Outcome::Refused { because } => {
                Self::refused(format!("not accepted ({})", name(*because)), Some(*because))
            }
        }
    }

    pub fn of_relay(outcome: &RelayOutcome) -> Self {
        match outcome {
            RelayOutcome::Complete { branch, .. } => Self::accepted(branch),
            RelayOutcome::Blocked { blocked, branch, .. } => {
                let because = super::because_of(blocked);
                let words = match blocked {
                    Blocked::Story { story, because, .. } => {
                        format!("{story} was not accepted ({})", name(*because))
                    }
                    Blocked::Release { because, .. } => {
                        format!("the stories don't hold together ({})", name(*because))
                    }
                    Blocked::Reopened { story } => format!("{story} was taken up again too often"),
                    Blocked::Cancelled => "cancelled".to_owned(),
                };
                Self { branch: branch.clone(), ..Self::refused(words, because) }
            }
        }
    }
}

/// The stored name, in words.
fn name(because: RefusedBecause) -> String {
    let name = serde_json::to_value(because).ok();
    let name = name.as_ref().and_then(|name| name.as_str()).unwrap_or_default();
    name.replace('_', " ")
}

/// Who is at work, since when.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Work {
    pub role: Role,
    pub agent: String,
    pub since: Timestamp,
}

/// Who works in a run by its journal, as far as its last step says.
pub fn at_work(run: &Run, trail: &Trail) -> Option<Work> {
    let iteration = trail.iterations.last()?;
    match &run.step {
        Step::Launched { .. } => {
            let work = iteration.worker.as_ref()?;
            Some(Work { role: Role::Worker, agent: short(&work.agent, MOST), since: work.at })
        }
        Step::VerifierLaunched { verifier, .. } => {
            let judging = iteration.judgings.last()?;
            let crew = run.opened.crew.as_ref()?;
            let agent = crew.verifiers.get(*verifier as usize)?.to_string();
            Some(Work { role: Role::Verifier, agent: short(&agent, MOST), since: judging.at })
        }
        _ => None,
    }
}

/// Where a story stands, or the goal of a run.
#[derive(Debug, Clone, Serialize)]
pub struct LegStatus {
    /// A story, `ALL` or `GOAL`.
    pub leg: String,
    pub title: String,
    /// Such as `running`, `waiting` (for a person), `landed`, `cancelled`, `open`.
    pub standing: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<Stamp>,
    pub attempt: u32,
    /// How many attempts there may be.
    pub attempts: u32,
    /// The last disagreement of its verifiers since a person answered last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub round: Option<Round>,
    /// How far the attempt has come.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub step: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at_work: Option<Work>,
    pub used: Usage,
    /// Stories, questions or people that it waits for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub waits_for: Vec<String>,
    /// How often it was taken up again.
    pub reopened: u32,
    /// What changed in the user's own repository while its agents were at work.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub outside: Vec<Outside>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ending: Option<Ending>,
}

/// Where a run or a relay stands.
#[derive(Debug, Clone, Serialize)]
pub struct Status {
    /// `run` or `relay`.
    pub kind: &'static str,
    pub id: Stamp,
    pub goal: String,
    /// `ended`, `at work`, `waiting for a person`, `stopped`, or `open` where nobody can tell.
    pub state: &'static str,
    pub opened_at: Timestamp,
    pub last_at: Timestamp,
    pub used: Usage,
    pub legs: Vec<LegStatus>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ending: Option<Ending>,
}
