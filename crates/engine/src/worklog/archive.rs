//! Retention of worklogs: sessions that are over are folded into the summary of their day, and
//! their entries go to an archive for as long as the settings say. Hashes stay for ever, and a
//! signed record says what was removed, so that retention can be told from loss.

use countersign_domain::ledger::{Event, RETAINED, Retained, Stream};
use countersign_domain::worklog::{Ended, Outcome, Session, SessionEvent, Totals};
use countersign_domain::{Digest, Stamp, canonical};
use countersign_store::{Expected, Retention, ViewChange, ViewRow};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::rows::{self, SessionRow};
use super::sweep::Swept;
use super::{detect, ending, journal};
use crate::Engine;
use crate::error::{Error, Kind, Result};

/// The kind of event that says where a session's entries went.
pub(crate) const ARCHIVED: &str = "worklog.archived";
/// Streams of the days begin with this.
const PREFIX: &str = "worklog/";
const DAY_SECONDS: i64 = 24 * 3600;

/// A session in the summary of its day.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Archived {
    pub row: SessionRow,
    pub totals: Totals,
    /// All its events, as JSON Lines.
    pub blob: Digest,
    /// Whole reports that it refers to.
    #[serde(default)]
    pub blobs: Vec<Digest>,
}

/// What a retirement did.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct RetiredSessions {
    #[serde(flatten)]
    pub swept: Swept,
    pub abandoned: u32,
    pub archived: u32,
    /// Archives whose time was over.
    pub discarded: u32,
}

impl Engine {
    /// Retires what is due: ends what was abandoned, archives what is over, discards archives
    /// that are too old. Safe to be cut off anywhere: the next one goes on.
    pub fn retire_sessions(&mut self) -> Result<RetiredSessions> {
        let mut retired =
            RetiredSessions { swept: self.sweep_sessions()?, ..RetiredSessions::default() };
        let mut unfinished = self.unfinished(u32::MAX)?;
        unfinished.retain(|row| row.outcome.is_none());
        detect::abandon(self, &mut unfinished)?;
        let is_abandoned = |row: &&SessionRow| row.outcome == Some(Outcome::Abandoned);
        let abandoned = unfinished.iter().filter(is_abandoned).count();
        retired.abandoned = u32::try_from(abandoned).unwrap_or(u32::MAX);
        for row in self.due_for_archive()? {
            if let Some(mut session) = self.live_session(row.session)? {
                retired.abandoned += u32::from(self.give_up(&mut session)?);
                self.archive(&session)?;
                retired.archived += 1;
            }
        }
        self.remove_archived_bodies()?;
        retired.discarded = self.discard_old_archives()?;
        Ok(retired)
    }

    /// Sessions that are over for a day, and the least recently used ones beyond the most that
    /// are kept at hand.
    fn due_for_archive(&self) -> Result<Vec<SessionRow>> {
        let mut at_hand = self.sessions_at_hand(u32::MAX)?;
        let limit = self.host.now().as_second() - DAY_SECONDS;
        let updated = |row: &SessionRow| row.updated_at.parse::<Timestamp>().unwrap_or_default();
        at_hand.sort_by_key(|row| (updated(row), row.session));
        let most = self.settings.config.worklog.sessions as usize;
        let beyond = at_hand.len().saturating_sub(most);
        let is_due = |(at, row): &(usize, SessionRow)| {
            let is_over = row.outcome.is_some();
            is_over && updated(row).as_second() < limit
                || *at < beyond && (is_over || !detect::is_running(row))
        };
        Ok(at_hand.into_iter().enumerate().filter(is_due).map(|(_, row)| row).collect())
    }

    /// The newest `most` sessions whose entries are not in the archive, newest first.
    pub(crate) fn sessions_at_hand(&self, most: u32) -> Result<Vec<SessionRow>> {
        let rows = self.store.views(rows::AT_HAND, "", most)?;
        rows.iter().map(|row| Ok(serde_json::from_str(&row.body)?)).collect()
    }

    /// Ends a session that has to make room although nothing ended it.
    fn give_up(&mut self, session: &mut Session) -> Result<bool> {
        ending::settle(self, session)?;
        if session.ended.is_some() {
            return Ok(false);
        }
        let ended = Ended {
            outcome: Outcome::Abandoned,
            because: "newer sessions took its place".into(),
            is_final: true,
            totals: session.totals(),
        };
        self.append_facts(session, "engine", vec![SessionEvent::Ended(Box::new(ended))])?;
        Ok(true)
    }

    fn archive(&mut self, session: &Session) -> Result<()> {
        let events = self.store.read(&journal::stream_of(session.id)?, 0)?;
        let mut lines = Vec::new();
        for event in &events {
            serde_json::to_writer(&mut lines, event)?;
            lines.push(b'\n');
        }
        let blob = self.store.blobs().put(&lines)?;
        let full = session.operations.iter().filter_map(|logged| logged.what.full);
        let archived = Archived {
            row: SessionRow { archived: Some(blob), ..SessionRow::of(session) },
            totals: session.totals(),
            blob,
            blobs: full.collect(),
        };
        let stream = stream_of_day(session.id)?;
        let draft = self.draft(ARCHIVED, 1, canonical::to_string(&archived)?);
        let changes = changes_of(&archived)?;
        self.store.append(&stream, Expected::Any, &[draft], &changes)?;
        Ok(())
    }

    /// Removes the bodies of all sessions that are archived, with one signed record.
    fn remove_archived_bodies(&mut self) -> Result<()> {
        // Taken before the list: what is opened meanwhile is younger, and so is spared.
        let before = format!("{:.6}", self.host.now());
        let at_hand = self.sessions_at_hand(u32::MAX)?;
        let spared = at_hand.iter().map(|row| journal::stream_of(row.session));
        let spared = spared.collect::<Result<_>>()?;
        let retention = Retention { before, prefix: "session/".into(), spared };
        self.retain_with(&retention, "worklogs are archived after a day")
    }

    /// Takes bodies away as `retention` says, with a signed record of it.
    pub(crate) fn retain_with(&mut self, retention: &Retention, reason: &str) -> Result<()> {
        let (ledger, key) = (self.store.id(), self.key()?);
        let draft = self.draft(RETAINED, 1, String::new());
        let reason = reason.to_owned();
        self.store.retain(retention, |spans| {
            let statement = Retained { ledger, reason, spans: spans.to_vec() };
            let signature = key.sign("retention", &statement);
            let signed = crate::ledger::Signed { statement: &statement, signature };
            let body = canonical::to_string(&signed).unwrap_or_default();
            Ok(countersign_domain::ledger::Draft { body, ..draft })
        })?;
        Ok(())
    }

    /// Removes archives whose time is over; what they were is on the record by their hash.
    fn discard_old_archives(&mut self) -> Result<u32> {
        let config = &self.settings.config.worklog;
        let days = i64::from(config.archive_days.max(config.summary_days));
        let limit = self.host.now().as_second() - days * DAY_SECONDS;
        let before = Timestamp::from_second(limit).unwrap_or(Timestamp::UNIX_EPOCH);
        let old: Vec<Archived> = self
            .archived()?
            .into_iter()
            .filter(|archived| seconds_of(archived.row.session) < limit)
            .collect();
        if old.is_empty() {
            return Ok(0);
        }
        let before = format!("{before:.6}");
        let retention = Retention { before, prefix: PREFIX.into(), spared: Vec::new() };
        self.retain_with(&retention, "the time of archived worklogs is over")?;
        for archived in &old {
            let trees = format!("sessions/{}", archived.row.session);
            for (name, _) in self.repository.kept(&trees)? {
                self.repository.release(&name)?;
            }
            for blob in archived.blobs.iter().chain([&archived.blob]) {
                self.store.blobs().remove(blob)?;
            }
        }
        self.rebuild()?;
        Ok(u32::try_from(old.len()).unwrap_or(u32::MAX))
    }

    /// All sessions in the archive, oldest first.
    pub(crate) fn archived(&self) -> Result<Vec<Archived>> {
        let mut all = Vec::new();
        for stream in self.store.heads_after(0)?.keys() {
            if stream.as_str().starts_with(PREFIX) {
                all.extend(of_events(&self.store.read(stream, 0)?));
            }
        }
        Ok(all)
    }

    /// The sessions that were archived of one day (`YYYY-MM-DD`).
    pub(crate) fn archived_on(&self, day: &str) -> Result<Vec<Archived>> {
        let Ok(stream) = format!("{PREFIX}{day}").parse::<Stream>() else { return Ok(Vec::new()) };
        Ok(of_events(&self.store.read(&stream, 0)?))
    }
}

/// The session out of the archive.
pub(super) fn read(engine: &Engine, id: Stamp) -> Result<Session> {
    let missing = || {
        Error::new(Kind::NotFound, format!("there is no session {id}"))
            .hint("`countersign worklog list` lists the sessions")
    };
    let row = engine.store.view(rows::SESSION, &id.to_string())?.ok_or_else(missing)?;
    let row: SessionRow = serde_json::from_str(&row.body)?;
    let blob = row.archived.ok_or_else(missing)?;
    let bytes = engine.store.blobs().read(&blob)?;
    let lines = bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    let events: Vec<Event> =
        lines.map(serde_json::from_slice).collect::<std::result::Result<_, _>>()?;
    journal::fold(id, &events).ok_or_else(missing)
}

fn of_events(events: &[Event]) -> Vec<Archived> {
    let archived = events.iter().filter(|event| event.kind == ARCHIVED);
    archived.filter_map(|event| serde_json::from_str(event.body.as_deref()?).ok()).collect()
}

/// What follows for the lists from a day's events.
pub(crate) fn rows_of_day(events: &[Event]) -> Result<Vec<ViewChange>> {
    let mut changes = Vec::new();
    for archived in of_events(events) {
        changes.extend(changes_of(&archived)?);
    }
    Ok(changes)
}

fn changes_of(archived: &Archived) -> Result<Vec<ViewChange>> {
    let key = archived.row.session.to_string();
    let row = ViewRow {
        kind: rows::SESSION.into(),
        key: key.clone(),
        body: canonical::to_string(&archived.row)?,
    };
    let by_agent = rows::agent_key(&archived.row);
    Ok(vec![
        row.into(),
        ViewChange::remove(rows::UNFINISHED, key.clone()),
        ViewChange::remove(rows::AT_HAND, key),
        ViewChange::remove(rows::BY_AGENT, by_agent),
    ])
}

/// The day on which a session was opened, as `YYYY-MM-DD`.
pub(crate) fn day_of(session: Stamp) -> String {
    let time = Timestamp::from_second(seconds_of(session)).unwrap_or_default();
    time.strftime("%Y-%m-%d").to_string()
}

/// When a session was opened, in seconds.
pub(super) fn seconds_of(session: Stamp) -> i64 {
    i64::try_from(session.unix_seconds()).unwrap_or(i64::MAX)
}

fn stream_of_day(session: Stamp) -> Result<Stream> {
    format!("{PREFIX}{}", day_of(session))
        .parse()
        .map_err(|error| Error::new(Kind::Bug, format!("a day's stream: {error}")))
}
