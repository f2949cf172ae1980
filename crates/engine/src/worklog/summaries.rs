//! Summaries at the ends of phases.

use std::path::Path;
use std::time::Instant;

use countersign_domain::classify::Tier;
use countersign_domain::worklog::budget::Work;
use countersign_domain::worklog::phase::{Moment, Scene};
use countersign_domain::worklog::plan::Plan;
use countersign_domain::worklog::session::SKIPPED_SUMMARY;
use countersign_domain::worklog::{Session, SessionEvent};

use super::opening;
use super::spending::spent;
use crate::Engine;
use crate::error::Result;

/// Whether there are summaries in this tier at all.
pub(super) fn any_in(tier: Tier) -> bool {
    tier >= Tier::Standard
}

/// Makes the summaries that are due at this moment.
pub(super) fn make_due(engine: &mut Engine, session: &mut Session, moment: Moment) -> Result<()> {
    if !any_in(session.tier) {
        return Ok(());
    }
    let start = Instant::now();
    let (now, append_time) = (engine.host.now(), engine.append_time());
    // Who else writes may make the same summary: then the decision is made anew.
    let made = engine.append_decision(session, |session| {
        let due = session.progress.due(session.tier, &session.todos, moment);
        if due.is_empty() {
            return Vec::new();
        }
        if !session.budget.clone().admit(Work::Checkpoint) {
            let what = format!("{SKIPPED_SUMMARY}{}", due[0].name());
            return vec![SessionEvent::Skipped { what, why: "no time is left for it".into() }];
        }
        let plan = plan_of(session);
        let mut progress = session.progress.clone();
        let mut events = Vec::new();
        for phase in due {
            let scene = Scene {
                tier: session.tier,
                moment,
                plan: &plan,
                root: Some(&session.opened.place.worktree),
                todos: &session.todos,
            };
            let summary = progress.summary(phase, now, &scene);
            progress.summarised(phase);
            events.push(SessionEvent::Summarised(Box::new(summary)));
        }
        events.push(spent(Work::Checkpoint, start.elapsed()));
        events.push(append_time.clone());
        events
    })?;
    if !made.is_empty() {
        engine.noted_append_time();
    }
    Ok(())
}

/// Everything that was said about what is to be done.
fn plan_of(session: &Session) -> Plan {
    let prompts = session.prompts.iter().map(String::as_str);
    let todos = session.todos.todos().iter().map(|todo| todo.content.as_str());
    Plan::new(prompts.chain(todos))
}

/// Records the tree at the end of a turn, so that what was there can be had again.
pub(super) fn snapshot(engine: &mut Engine, session: &mut Session) -> Result<()> {
    if session.tier < Tier::Standard {
        return Ok(());
    }
    let worktree = session.opened.place.worktree.clone();
    let patience = Work::Checkpoint.limit();
    let (tree, skipped) = opening::snapshot(engine, Path::new(&worktree), patience);
    let mut events: Vec<SessionEvent> = skipped.into_iter().collect();
    if let Some(tree) = tree.filter(|tree| session.tree.as_ref() != Some(tree)) {
        let name = format!("sessions/{}/{tree}", session.id);
        engine.repository.keep(&name, &tree)?;
        events.push(SessionEvent::Snapshotted { tree });
    }
    engine.append_facts(session, "engine", events)
}
