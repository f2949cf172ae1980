//! Where a run or a relay stands: from its journal, from what its agents are doing now, and from the
//! questions that wait.

use std::collections::BTreeSet;

use countersign_domain::Stamp;
use countersign_domain::agent::{Role, Usage};
use countersign_domain::checkpoint::State;
use countersign_domain::relay::{Relay, RelayEvent, Standing, StoryTerms, may_overlap};
use countersign_domain::report::{Ending, LegStatus, Source, Status, Trail, at_work};
use countersign_domain::run::{Run, RunEvent, Step};
use serde::Serialize;

use crate::Engine;
use crate::checkpoint::CheckpointRow;
use crate::error::Result;
use crate::relay::Undertaking;
use crate::run::Live;
use crate::watch::driven;

/// What an agent is doing now.
#[derive(Debug, Clone, Serialize)]
pub struct LiveView {
    pub run: Stamp,
    pub role: Role,
    pub attempt: u32,
    pub agent: String,
    pub seconds: u64,
    /// How long nothing was heard of it.
    pub silent_seconds: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub doing: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub said: Option<String>,
    pub calls: u64,
    pub used: Usage,
}

impl LiveView {
    fn of(run: Stamp, live: Live) -> Self {
        Self {
            run,
            role: live.role,
            attempt: live.attempt,
            agent: live.agent.to_string(),
            seconds: live.seconds,
            silent_seconds: live.silent_seconds,
            doing: live.doing,
            said: live.said,
            calls: live.calls,
            used: live.used,
        }
    }
}

/// All that can be said about where something stands.
#[derive(Debug, Clone, Serialize)]
pub struct StatusView {
    #[serde(flatten)]
    pub status: Status,
    /// Whether a process is there that goes on with it; nothing where that can't be told, or it has
    /// ended.
    pub is_driven: Option<bool>,
    /// Agents that are at work now.
    pub live: Vec<LiveView>,
    /// Questions that wait for an answer.
    pub questions: Vec<CheckpointRow>,
}

impl Engine {
    /// Where a run or a relay stands.
    pub fn standing(&self, it: Undertaking) -> Result<StatusView> {
        let source = self.source_of(it)?;
        let mut live = Vec::new();
        let mut questions = Vec::new();
        for trail in source.runs.iter().filter(|trail| trail.outcome.is_none()) {
            live.extend(self.live(trail.run).map(|one| LiveView::of(trail.run, one)));
            let rows = self.checkpoints_of(trail.run)?;
            questions.extend(rows.into_iter().filter(|row| row.state == State::Open));
        }
        let legs = match &source.relay {
            Some(relay) => {
                let asked = questions.iter().map(|row| row.id.run).collect();
                self.legs_of(&relay.relay, &source, &asked)?
            }
            None => source.runs.iter().map(|trail| self.leg_of(trail)).collect::<Result<_>>()?,
        };
        let status = summed(it, &source, legs)?;
        let is_driven = match it {
            _ if status.ending.is_some() => None,
            Undertaking::Run(run) => driven(self, &RunEvent::stream(run)),
            Undertaking::Relay(relay) => driven(self, &RelayEvent::stream(relay)),
        };
        let state = match is_driven {
            _ if status.ending.is_some() => "ended",
            _ if !live.is_empty() => "at work",
            _ if !questions.is_empty() => "waiting for a person",
            Some(true) => "at work",
            Some(false) => "stopped",
            None => "open",
        };
        Ok(StatusView { status: Status { state, ..status }, is_driven, live, questions })
    }

    /// Where the run of a goal stands.
    fn leg_of(&self, trail: &Trail) -> Result<LegStatus> {
        let run = self.load(trail.run)?;
        let title = trail.opened.contract.goal.trim().lines().next().unwrap_or_default();
        let step = step(&run);
        let standing = match run.outcome() {
            Some(outcome) => crate::run::outcome_word(outcome).to_owned(),
            None if matches!(run.step, Step::Asked { .. }) => "waiting".to_owned(),
            None => "running".to_owned(),
        };
        let waits_for = match &run.step {
            Step::Asked { checkpoint, .. } => vec![format!("an answer to {checkpoint}")],
            _ => Vec::new(),
        };
        Ok(LegStatus {
            leg: trail.leg(),
            title: title.chars().take(200).collect(),
            standing,
            run: Some(trail.run),
            attempt: run.attempt,
            attempts: run.allowed_attempts(),
            round: run.round().cloned(),
            step,
            at_work: at_work(&run, trail),
            used: trail.used(),
            waits_for,
            reopened: 0,
            outside: run.outside,
            ending: trail.ending(),
        })
    }

    /// Where each story of a relay stands, and all of them together.
    fn legs_of(
        &self,
        relay: &Relay,
        source: &Source,
        waiting: &BTreeSet<Stamp>,
    ) -> Result<Vec<LegStatus>> {
        let mut legs = Vec::new();
        for terms in &relay.opened.stories {
            let standing = relay.stories.get(&terms.id).unwrap_or(&Standing::Open);
            let mut leg = self.leg_at(&terms.id, standing, source)?;
            leg.title.clone_from(&terms.title);
            if matches!(standing, Standing::Landed { .. }) {
                leg.ending = Some(Ending::of_landed(relay));
            }
            leg.reopened = relay.reopened.get(&terms.id).copied().unwrap_or_default();
            if *standing == Standing::Open && relay.outcome.is_none() {
                leg.waits_for = waits_for(relay, terms, waiting);
            }
            legs.push(leg);
        }
        let open = Standing::Open;
        let release = relay.release.as_ref().unwrap_or(&open);
        let mut all = self.leg_at("ALL", release, source)?;
        "all stories together".clone_into(&mut all.title);
        if relay.release.is_none() && relay.outcome.is_none() {
            let has_landed =
                |story: &String| matches!(relay.stories.get(story), Some(Standing::Landed { .. }));
            let stories = relay.opened.stories.iter().map(|terms| &terms.id);
            all.waits_for = stories.filter(|story| !has_landed(story)).cloned().collect();
        }
        legs.push(all);
        Ok(legs)
    }

    fn leg_at(&self, leg: &str, standing: &Standing, source: &Source) -> Result<LegStatus> {
        let used = source.runs.iter().filter(|trail| trail.leg() == leg).map(Trail::used).sum();
        let newest = source.runs.iter().rfind(|trail| trail.leg() == leg);
        let word = match standing {
            Standing::Open => "open",
            Standing::Running { .. } => "running",
            Standing::Accepted { .. } => "accepted",
            Standing::Landed { .. } => "landed",
            Standing::Refused { .. } => "refused",
        };
        let mut status = match newest {
            Some(trail) => self.leg_of(trail)?,
            None => LegStatus {
                leg: leg.to_owned(),
                title: String::new(),
                standing: String::new(),
                run: None,
                attempt: 0,
                attempts: 0,
                round: None,
                step: String::new(),
                at_work: None,
                used,
                waits_for: Vec::new(),
                reopened: 0,
                outside: Vec::new(),
                ending: None,
            },
        };
        // The run of a story knows more: that it waits for a person, or that one ended it.
        let is_told = matches!(
            (word, status.standing.as_str()),
            ("running", "waiting") | ("refused" | "running", "cancelled")
        );
        if !is_told {
            word.clone_into(&mut status.standing);
        }
        status.used = used;
        Ok(status)
    }
}

fn summed(it: Undertaking, source: &Source, legs: Vec<LegStatus>) -> Result<Status> {
    let head = Engine::report_head(it, source)?;
    Ok(Status {
        kind: head.kind,
        id: head.id,
        goal: head.goal,
        state: "open",
        opened_at: head.opened_at,
        last_at: head.last_at,
        used: head.used,
        legs,
        ending: head.ending,
    })
}

fn step(run: &Run) -> String {
    let step = serde_json::to_value(&run.step).unwrap_or_default();
    step["at"].as_str().unwrap_or_default().replace('_', " ")
}

/// What an open story waits for; `asked` are the runs that wait for a person.
fn waits_for(relay: &Relay, terms: &StoryTerms, asked: &BTreeSet<Stamp>) -> Vec<String> {
    let is_landed =
        |story: &String| matches!(relay.stories.get(story), Some(Standing::Landed { .. }));
    let depends = terms.depends_on.iter().filter(|story| !is_landed(story)).cloned();
    let mut waits: Vec<String> = depends.collect();
    let mut busy = 0;
    for other in relay.opened.stories.iter().filter(|other| other.id != terms.id) {
        let Some(Standing::Running { run } | Standing::Accepted { run, .. }) =
            relay.stories.get(&other.id)
        else {
            continue;
        };
        busy += u32::from(!asked.contains(run));
        if may_overlap(&terms.touches, &other.touches) && !waits.contains(&other.id) {
            waits.push(format!("{} (the same files)", other.id));
        }
    }
    if waits.is_empty() && busy >= relay.opened.jobs.max(1) {
        waits.push("a free place (--jobs)".to_owned());
    }
    waits
}
