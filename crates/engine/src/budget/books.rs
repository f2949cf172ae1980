//! Reading budgets from the ledger, and the view rows that lead to them.

use countersign_domain::budget::{Books, BudgetEvent, Day, Mismatch, Sums};
use countersign_domain::ledger::{Event, Stored as _, Stream};
use countersign_domain::{Stamp, canonical};
use countersign_store::{ViewChange, ViewRow};
use jiff::civil::Date;

use crate::Engine;
use crate::error::{Error, Kind, Result};

/// What a run has on a day, by `RUN/DAY`.
const OF_RUN: &str = "budget.run";
/// Days on which something may still be spending, by day.
const OPEN: &str = "budget.open";
/// All views of budgets.
pub(crate) const VIEWS: [&str; 2] = [OF_RUN, OPEN];

pub(super) fn stream_of(day: Date) -> Result<Stream> {
    BudgetEvent::stream(day)
        .parse()
        .map_err(|error| Error::new(Kind::Bug, format!("a day's stream: {error}")))
}

pub(super) fn mismatch(day: Date, wrong: &Mismatch) -> Error {
    Error::new(Kind::Tampered, format!("the budget of {day} does not fit together: {wrong}"))
        .hint("`countersign ledger verify` names what was changed")
}

/// The fold of a day's events; empty if retention took some of them.
fn fold(date: Date, events: &[Event]) -> Result<Day> {
    let mut day = Day::new(date);
    let sequence = events.len() as u64;
    for event in events {
        let Some(body) = &event.body else { return Ok(Day { sequence, ..Day::new(date) }) };
        let decoded = BudgetEvent::decode(&event.kind, body)?;
        day.apply(decoded).map_err(|wrong| mismatch(date, &wrong))?;
    }
    Ok(day)
}

/// The rows that follow from a day.
pub(super) fn rows(day: &Day) -> Result<Vec<ViewChange>> {
    let mut rows = Vec::new();
    for run in day.runs() {
        let sums: Sums = day.sums(|id| id.run == run);
        let (key, body) = (format!("{run}/{}", day.date), canonical::to_string(&sums)?);
        rows.push(ViewRow { kind: OF_RUN.into(), key, body }.into());
    }
    let key = day.date.to_string();
    rows.push(if day.is_open() {
        ViewRow { kind: OPEN.into(), key, body: "{}".into() }.into()
    } else {
        ViewChange::remove(OPEN, key)
    });
    Ok(rows)
}

/// The rows that follow from the events of one stream.
pub(crate) fn rows_of(stream: &str, events: &[Event]) -> Result<Vec<ViewChange>> {
    let Some(date) = BudgetEvent::day(stream) else { return Ok(Vec::new()) };
    rows(&fold(date, events)?)
}

impl Engine {
    /// A day as it is on the record.
    pub(super) fn day(&self, date: Date) -> Result<Day> {
        let stream = stream_of(date)?;
        let events = self.store.read(&stream, 0)?;
        self.check_chain(&stream, &events)?;
        fold(date, &events)
    }

    /// The days on which `run` has anything.
    pub(super) fn days_of(&self, run: Stamp) -> Result<Vec<Date>> {
        let prefix = format!("{run}/");
        let rows = self.store.views(OF_RUN, &prefix, u32::MAX)?;
        let mut days: Vec<Date> =
            rows.iter().filter_map(|row| row.key.strip_prefix(&prefix)?.parse().ok()).collect();
        days.sort_unstable();
        Ok(days)
    }

    /// All that bears on what `run` may spend now.
    pub(super) fn books(&self, run: Stamp) -> Result<Books> {
        let date = self.host.today();
        let days = self.days_of(run)?.into_iter().filter(|day| *day != date);
        let others = days.map(|day| self.day(day)).collect::<Result<_>>()?;
        Ok(Books { today: self.day(date)?, others, caps: self.caps() })
    }

    /// The streams of days that still count: today's, those on which something may still be spending,
    /// and those of runs that have not ended.
    pub(crate) fn budgets_in_use(&self, open_runs: &[Stamp]) -> Result<Vec<Stream>> {
        let mut days = vec![self.host.today()];
        let rows = self.store.views(OPEN, "", u32::MAX)?;
        days.extend(rows.iter().filter_map(|row| row.key.parse::<Date>().ok()));
        for run in open_runs {
            days.extend(self.days_of(*run)?);
        }
        days.into_iter().map(stream_of).collect()
    }
}
