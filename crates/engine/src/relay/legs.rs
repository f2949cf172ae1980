//! The runs of a relay: one for each story, and one that judges all of them together.

use std::collections::BTreeMap;

use countersign_domain::Stamp;
use countersign_domain::budget::RunCaps;
use countersign_domain::classify::{Label as _, Risk};
use countersign_domain::relay::{Leg, Relay, RelayEvent, Standing, StoryTerms};
use countersign_domain::run::{Assigned, Handed, RequiredTest};
use countersign_domain::verify::Example;

use super::{decided, looked};
use crate::Engine;
use crate::error::{Error, Kind, Result};
use crate::query::stream_of;
use crate::run::{CrewWish, Goal};

/// What is said of a leg's run before it is there: its id. Who comes after a crash opens it then.
pub(super) fn start(engine: &mut Engine, relay: &Relay, leg: &Leg) -> Result<RelayEvent> {
    let run = engine.new_run_id()?;
    Ok(RelayEvent::Started { leg: leg.clone(), run, base: relay.tip.clone() })
}

/// Opens the run of a leg, unless that was done already.
pub(super) fn open(engine: &mut Engine, relay: &Relay, leg: &Leg, run: Stamp) -> Result<()> {
    if engine.store.head(&stream_of(run)?)?.is_some() {
        return Ok(());
    }
    let mut goal = goal(relay, leg)?;
    decided::add(engine, relay, leg, &mut goal.goal)?;
    if let Some(handed) = goal.crew.as_mut().and_then(|crew| crew.handed.as_mut()) {
        handed.looked = looked::at(engine, relay)?;
    }
    engine.open_run_as(run, &goal)
}

fn goal(relay: &Relay, leg: &Leg) -> Result<Goal> {
    let opened = &relay.opened;
    let worker = opened.workers.first().map(ToString::to_string).unwrap_or_default();
    let (goal, checks, base, wish) = match leg {
        Leg::Story(story) => {
            let terms = relay
                .terms(story)
                .ok_or_else(|| Error::new(Kind::Bug, format!("there is no story {story}")))?;
            let assigned = Assigned {
                relay: relay.id(),
                story: story.clone(),
                plan: opened.plan,
                criteria: terms.criteria.clone(),
                impacted: terms.impacted.clone(),
                tests: terms.tests.clone(),
                touches: terms.touches.clone(),
                risk: risk_of(&terms.risk),
                plan_files: opened.files.clone(),
            };
            let wish = CrewWish {
                stronger: opened.workers.get(1..).unwrap_or_default().to_vec(),
                verifiers: opened.verifiers.clone(),
                reviewer: opened.reviewer.clone(),
                caps: Some(caps_of(relay)),
                most: None,
                story: Some(assigned),
                handed: None,
                task: Some(terms.task.clone()),
                examples: examples_of(relay, terms),
                rounds: opened.rounds,
            };
            let goal = with_findings(relay, story, &terms.goal);
            (goal, checks_of(relay, terms), relay.tip.to_string(), wish)
        }
        Leg::Release => {
            let handed = Handed {
                tree: relay.tip_tree.clone(),
                commit: relay.tip.clone(),
                branch: relay.branch(),
                looked: Vec::new(),
            };
            let wish = CrewWish {
                stronger: Vec::new(),
                verifiers: opened.release_verifiers.clone(),
                reviewer: None,
                caps: Some(caps_of(relay)),
                most: None,
                story: Some(together(relay)),
                handed: Some(handed),
                task: Some(opened.release_task.clone()),
                examples: opened.release_examples.clone(),
                rounds: opened.rounds,
            };
            let checks = opened.release_checks.clone();
            (opened.release_goal.clone(), checks, opened.base.commit.to_string(), wish)
        }
    };
    let attempts = if *leg == Leg::Release { 1 } else { opened.limits.attempts };
    Ok(Goal {
        goal,
        contract: None,
        checks,
        worker,
        base: Some(base),
        attempts: Some(attempts),
        worker_seconds: Some(opened.limits.worker_seconds),
        check_seconds: Some(opened.limits.check_seconds),
        own_seconds: BTreeMap::new(),
        crew: Some(wish),
    })
}

/// The commands of a story, and those of stories that landed before it that it may break, as its plan
/// says by a command or by the name of a test: what breaks there is to be mended here.
fn checks_of(relay: &Relay, terms: &StoryTerms) -> Vec<String> {
    let is_impacted = |one: &&RequiredTest| {
        [&one.command, &one.test].iter().any(|name| terms.impacted.contains(name))
    };
    let mut checks = terms.checks.clone();
    for one in landed(relay).flat_map(|other| &other.tests).filter(is_impacted) {
        if !checks.contains(&one.command) {
            checks.push(one.command.clone());
        }
    }
    checks
}

/// What the commands of a story must print, and those that it may break.
fn examples_of(relay: &Relay, terms: &StoryTerms) -> Vec<Example> {
    let is_impacted = |one: &&Example| {
        let mut names = one.rows.iter().map(|row| &row.test).chain([&one.command]);
        names.any(|name| terms.impacted.contains(name))
    };
    let mut examples = terms.examples.clone();
    examples.extend(landed(relay).flat_map(|other| &other.examples).filter(is_impacted).cloned());
    examples
}

fn landed(relay: &Relay) -> impl Iterator<Item = &StoryTerms> {
    let has_landed =
        |other: &&StoryTerms| matches!(relay.stories.get(&other.id), Some(Standing::Landed { .. }));
    relay.opened.stories.iter().filter(has_landed)
}

/// All stories as what is judged together: every criterion by the name of its story, and every test.
fn together(relay: &Relay) -> Assigned {
    let opened = &relay.opened;
    let mut tests: Vec<RequiredTest> = Vec::new();
    for one in opened.stories.iter().flat_map(|story| &story.tests) {
        if opened.release_checks.contains(&one.command) && !tests.contains(one) {
            tests.push(one.clone());
        }
    }
    Assigned {
        relay: relay.id(),
        story: Leg::Release.to_string(),
        plan: opened.plan,
        criteria: relay.release_criteria(),
        impacted: Vec::new(),
        tests,
        touches: Vec::new(),
        risk: highest_risk(opened.stories.iter()),
        plan_files: Vec::new(),
    }
}

/// The risk that a plan states.
pub(crate) fn risk_of(name: &str) -> Option<Risk> {
    Risk::parse(name)
}

/// The highest risk that stories state; nothing if one states none.
pub(crate) fn highest_risk<'a>(stories: impl Iterator<Item = &'a StoryTerms>) -> Option<Risk> {
    let risks: Option<Vec<Risk>> = stories.map(|story| risk_of(&story.risk)).collect();
    risks?.into_iter().max()
}

/// The story, with why it is done again.
fn with_findings(relay: &Relay, story: &str, goal: &str) -> String {
    let mut text = goal.to_owned();
    if let Some(findings) = relay.findings.get(story) {
        text += "\n\n# This story was worked on before, and what came of it does not hold\n";
        for finding in findings {
            let line = finding.split_whitespace().collect::<Vec<_>>().join(" ");
            text += &format!("\n- {line}\n");
        }
    }
    text
}

/// The caps of every run of the relay: what a run may spend is one amount for all of them, also while
/// several go on at once.
fn caps_of(relay: &Relay) -> RunCaps {
    RunCaps { purse: Some(relay.id()), ..relay.opened.caps }
}
