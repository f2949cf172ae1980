//! Earlier work: sessions that were left unfinished, and what is taken over from them.

use std::time::{Duration, Instant};

use countersign_domain::Stamp;
use countersign_domain::classify::Tier;
use countersign_domain::worklog::{
    Agent, AgentProcess, Answer, Ended, Listener, Outcome, Session, SessionEvent, Subject, Todo,
};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::rows::{self, SessionRow};
use crate::Engine;
use crate::error::Result;

/// How many unfinished sessions are looked at, newest first.
const MOST: u32 = 10;
/// How long the look may take.
const PATIENCE: Duration = Duration::from_millis(500);

/// Whether sessions of this tier look for earlier work.
pub(super) fn looks(tier: Tier) -> bool {
    tier >= Tier::Standard
}

/// What a person decided to take over into the next session.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Carried {
    pub(crate) from: Stamp,
    pub(crate) todos: Vec<Todo>,
}

/// Looks for earlier work, ends what has been left for too long, and says what was found.
pub(super) fn earlier_work(
    engine: &mut Engine,
    session: &Session,
    spent: Duration,
) -> Result<(Vec<SessionEvent>, Answer)> {
    let start = Instant::now();
    let left = PATIENCE.saturating_sub(spent);
    let rows = engine.unfinished(MOST + 1)?;
    let found =
        rows.into_iter().filter(|row| row.session != session.id && !is_at_work(row, session));
    let mut found: Vec<SessionRow> = found.take(MOST as usize).collect();
    abandon(engine, &mut found)?;
    if start.elapsed() > left {
        let event = SessionEvent::Detected { timed_out: true, found: Vec::new() };
        return Ok((vec![event], Answer::default()));
    }
    // The same task first, then the newest.
    found.sort_by_key(|row| {
        (row.task_hash != session.opened.task_hash, std::cmp::Reverse(row.session))
    });
    let ids = found.iter().map(|row| row.session).collect();
    let mut events = vec![SessionEvent::Detected { timed_out: false, found: ids }];
    let Some(best) = found.first() else { return Ok((events, Answer::default())) };
    let answer = announce(engine, session, best);
    let said = [(Listener::User, &answer.to_user), (Listener::Agent, &answer.to_agent)];
    for (to, text) in said {
        if let Some(text) = text {
            let about = Subject::EarlierWork;
            events.push(SessionEvent::Told { to, about, text: text.clone() });
        }
    }
    Ok((events, answer))
}

/// Whether the agent of a session still runs, beside the one that asks: its work was not left.
fn is_at_work(row: &SessionRow, asking: &Session) -> bool {
    row.process != asking.opened.process && is_running(row)
}

/// Whether the agent of a session still runs.
pub(super) fn is_running(row: &SessionRow) -> bool {
    let is_alive = |agent: AgentProcess| countersign_exec::is_alive(agent.pid, agent.born);
    row.process.is_some_and(is_alive)
}

/// What is told of earlier work. The person hears of any; the agent only of the same task, as
/// anything else would lead it astray.
fn announce(engine: &Engine, session: &Session, row: &SessionRow) -> Answer {
    let template = &engine.settings.config.worklog.restore_command;
    let restore = template.replace("{session}", &row.session.to_string());
    let outcome = match row.outcome {
        Some(Outcome::Abandoned) => "abandoned",
        _ => "in progress",
    };
    let task = if row.task.is_empty() { "(task not known)" } else { &row.task };
    let started = row.opened_at.split('.').next().unwrap_or_default();
    let to_user = format!(
        "Previous work detected: {task} ({outcome})\nSession: {} | Started: {started}Z\n\
         To restore: {restore}",
        row.session
    );
    let is_same = row.task_hash == session.opened.task_hash;
    let to_agent = is_same.then(|| format!("Same task was left unfinished before. See: {restore}"));
    Answer { to_agent, to_user: Some(to_user), ..Answer::default() }
}

/// Ends sessions that nothing has ended for too long.
pub(super) fn abandon(engine: &mut Engine, rows: &mut [SessionRow]) -> Result<()> {
    let hours = i64::from(engine.settings.config.worklog.abandon_hours);
    let limit = engine.host.now().as_second() - hours * 3600;
    for row in rows.iter_mut().filter(|row| row.outcome.is_none()) {
        let updated: Timestamp = row.updated_at.parse().unwrap_or_default();
        if updated.as_second() > limit {
            continue;
        }
        row.outcome = Some(Outcome::Abandoned);
        let Some(mut session) = engine.live_session(row.session)? else { continue };
        let because = format!("nothing was heard of it for {hours} hours");
        engine.append_decision(&mut session, |session| {
            let ended = session.ended.as_ref().is_some_and(|ended| ended.is_final);
            if ended {
                return Vec::new();
            }
            let ended = Ended {
                outcome: Outcome::Abandoned,
                because: because.clone(),
                is_final: true,
                totals: session.totals(),
            };
            vec![SessionEvent::Ended(Box::new(ended))]
        })?;
    }
    Ok(())
}

/// Ends a session whose todos were taken over: it is not left any more.
pub(super) fn hand_over(engine: &mut Engine, from: Stamp, to: Stamp) -> Result<()> {
    let Some(mut session) = engine.live_session(from)? else { return Ok(()) };
    engine.append_decision(&mut session, |session| {
        let outcome = session.ended.as_ref().map(|ended| ended.outcome);
        if !matches!(outcome, None | Some(Outcome::Abandoned)) {
            return Vec::new();
        }
        let because = format!("session {to} took it over");
        let totals = session.totals();
        let ended = Ended { outcome: Outcome::Aborted, because, is_final: true, totals };
        vec![SessionEvent::Ended(Box::new(ended))]
    })?;
    Ok(())
}

/// What was set aside for the next session of this working tree, if anything was.
pub(super) fn take_carried(engine: &Engine) -> Option<Carried> {
    let path = engine.state.join("sessions").join("carried.json");
    let bytes = crate::regular::read(&path, 1 << 20)?;
    // Whoever removes it first has it: two sessions must not both take it over.
    std::fs::remove_file(&path).ok()?;
    serde_json::from_slice(&bytes).ok()
}

impl Engine {
    /// The sessions that were left, newest first: nothing has ended them, or they were abandoned.
    pub(crate) fn unfinished(&self, most: u32) -> Result<Vec<SessionRow>> {
        let rows = self.store.views(rows::UNFINISHED, "", most)?;
        rows.iter().map(|row| Ok(serde_json::from_str(&row.body)?)).collect()
    }

    /// The session that an agent's session is, by the ledger.
    pub(crate) fn session_of(&self, agent: Agent, agent_session: &str) -> Result<Option<Stamp>> {
        let prefix = rows::agent_prefix(agent, agent_session);
        let newest = self.store.views(rows::BY_AGENT, &prefix, 1)?;
        Ok(newest.first().and_then(|row| row.key.rsplit('/').next()?.parse().ok()))
    }
}
