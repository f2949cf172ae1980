//! Questions about sessions.

use countersign_domain::Stamp;
use countersign_domain::worklog::flags::Flag;
use countersign_domain::worklog::phase;
use countersign_domain::worklog::{
    AgentProcess, Deed, Operation, Outcome, Resolution, Session, SessionEvent,
};
use jiff::Timestamp;

use super::account::Account;
use super::compare::{self, Moment};
use super::rows::{self, SessionRow};
use super::{archive, ending, reconcile, summaries, tamper, verify};
use crate::Engine;
use crate::error::{Error, Kind, Result};

impl Engine {
    /// The newest sessions first. Those that nothing ended for long are shown as abandoned.
    pub fn sessions(&self, most: u32) -> Result<Vec<SessionRow>> {
        let hours = i64::from(self.settings.config.worklog.abandon_hours);
        let limit = self.host.now().as_second() - hours * 3600;
        let rows = self.store.views(rows::SESSION, "", most)?;
        let read = |body: &str| -> Result<SessionRow> {
            let mut row: SessionRow = serde_json::from_str(body)?;
            let updated: Timestamp = row.updated_at.parse().unwrap_or_default();
            if row.outcome.is_none() && updated.as_second() <= limit {
                row.outcome = Some(Outcome::Abandoned);
            }
            Ok(row)
        };
        rows.iter().map(|row| read(&row.body)).collect()
    }

    /// The session that `text` names: its id, a beginning of it, the agent's own name, or
    /// `latest`.
    pub fn find_session(&self, text: &str) -> Result<Stamp> {
        let prefix = if text == "latest" { "" } else { text };
        let rows = self.store.views(rows::SESSION, prefix, 2)?;
        let keys: Vec<&str> = rows.iter().map(|row| row.key.as_str()).collect();
        let parse = |key: &str| {
            key.parse().map_err(|error| Error::new(Kind::Bug, format!("a view: {error}")))
        };
        match (text, keys.as_slice()) {
            ("latest", [newest, ..]) | (_, [newest]) => return parse(newest),
            ("latest", []) => {
                return Err(Error::new(Kind::NotFound, "there is no session yet")
                    .hint("`countersign hooks install` puts every session of an agent on record"));
            }
            (_, [one, other]) => {
                let message = format!("'{text}' could be {other} or {one}");
                return Err(Error::new(Kind::Refused, message).hint("give more of the id"));
            }
            _ => {}
        }
        for agent in countersign_domain::worklog::Agent::ALL {
            if let Some(id) = self.session_of(agent, text)? {
                return Ok(id);
            }
        }
        Err(Error::new(Kind::NotFound, format!("there is no session '{text}'"))
            .hint("`countersign worklog list` lists the sessions"))
    }

    /// The session with its events at hand, or out of the archive.
    pub fn session(&self, id: Stamp) -> Result<Session> {
        if let Some(session) = self.live_session(id)? {
            return Ok(session);
        }
        archive::read(self, id)
    }

    /// Everything there is to know of a session.
    pub fn account(&mut self, id: Stamp) -> Result<Account> {
        let mut session = self.session(id)?;
        self.look_after(&mut session)?;
        Ok(Account::of(&session))
    }

    /// Compares a session that is left alone with its transcript: an agent that was silenced or
    /// killed can't tell any more, but what it wrote can.
    pub(crate) fn look_after(&mut self, session: &mut Session) -> Result<()> {
        let is_over = session.ended.as_ref().is_some_and(|ended| ended.is_final);
        let quiet = self.host.now().as_second() - session.updated_at.as_second();
        let is_archived = self.live_session(session.id)?.is_none();
        // Who wanted no worklog gets none, unless somebody else switched it off.
        let mut is_off = session.opened.flags.has(Flag::NoWorklog);
        if is_off && !is_archived {
            tamper::compare_flags_alone(self, session)?;
            is_off = session.incomplete.is_none();
        }
        if is_archived
            || is_off
            || is_over && session.stopped.is_none() && !reconcile::is_newer(session)
            || quiet < QUIET_SECONDS
        {
            return Ok(());
        }
        let config = self.settings.config.worklog.clone();
        let policy = super::Policy::resolve(&config)
            .map_err(|why| Error::new(Kind::Usage, format!("the settings: {why}")))?;
        compare::compare(self, session, (&policy, Moment::Afterwards))?;
        if session.stopped.is_some() {
            summaries::make_due(self, session, phase::Moment::Stopping)?;
            return ending::settle(self, session);
        }
        ending::follow_up(self, session)
    }

    /// Records what a person decided about a todo list that doesn't match.
    pub fn resolve_verification(&mut self, id: Stamp, resolution: Resolution) -> Result<Account> {
        let mut session = self.session(id)?;
        let is_agent = |agent: AgentProcess| countersign_exec::descends_from(agent.pid, agent.born);
        if session.opened.process.is_some_and(is_agent) {
            let message = format!("session {id} can't decide about its own todo list");
            return Err(Error::new(Kind::Refused, message)
                .hint("a person decides, in a terminal of their own"));
        }
        if session.unanswered().is_none() && !session.breaker.state(self.host.now()).is_open() {
            return Err(Error::new(Kind::Refused, format!("session {id} waits for no decision"))
                .hint("`countersign worklog show` says how its todo list was verified"));
        }
        let mut events = vec![SessionEvent::Resolved { resolution, by: "user".into() }];
        if resolution == Resolution::Aborted {
            events.push(SessionEvent::Ended(Box::new(countersign_domain::worklog::Ended {
                outcome: Outcome::Aborted,
                because: "a person aborted it: its todo list didn't match".into(),
                is_final: false,
                totals: session.totals(),
            })));
        }
        self.append_facts(&mut session, "user", events)?;
        Ok(Account::of(&session))
    }

    /// Reads the agent's todo list once more, because a person asked for it.
    pub fn verify_again(&mut self, id: Stamp) -> Result<Account> {
        let mut session = self.session(id)?;
        let changes_todos = |operation: &&Operation| matches!(operation.deed, Deed::Todo { .. });
        let newest = session.made().rev().map(|logged| &logged.what.operation).find(changes_todos);
        let last = newest.cloned();
        verify::verify(self, &mut session, last.as_ref())?;
        Ok(Account::of(&session))
    }
}

/// A session that said something within this time may be in the middle of a call.
const QUIET_SECONDS: i64 = 2;
