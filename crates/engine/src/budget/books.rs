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
/// Runs that share a cap, by `PURSE/RUN`.
const PURSE: &str = "budget.purse";
/// All views of budgets.
pub(crate) const VIEWS: [&str; 3] = [OF_RUN, OPEN, PURSE];

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
    for (run, caps) in &day.fixed {
        let key = caps.purse.map(|purse| format!("{purse}/{run}"));
        let row = key.map(|key| ViewRow { kind: PURSE.into(), key, body: "{}".into() });
        rows.extend(row.map(ViewChange::from));
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
        let mut books = Books { today: self.day(date)?, others: Vec::new(), caps: self.caps() };
        self.read_days(&mut books, self.days_of(run)?)?;
        if let Some(purse) = books.fixed(run).and_then(|caps| caps.purse) {
            for peer in self.runs_with(purse)? {
                self.read_days(&mut books, self.days_of(peer)?)?;
            }
        }
        Ok(books)
    }

    /// Adds those of `dates` that are not there yet.
    fn read_days(&self, books: &mut Books, dates: Vec<Date>) -> Result<()> {
        for date in dates {
            let is_known = books.others.iter().chain([&books.today]).any(|day| day.date == date);
            if !is_known {
                books.others.push(self.day(date)?);
            }
        }
        Ok(())
    }

    /// The runs that share the cap `purse`.
    fn runs_with(&self, purse: Stamp) -> Result<Vec<Stamp>> {
        let prefix = format!("{purse}/");
        let rows = self.store.views(PURSE, &prefix, u32::MAX)?;
        Ok(rows.iter().filter_map(|row| row.key.strip_prefix(&prefix)?.parse().ok()).collect())
    }

    /// The streams of days that still count: today's, those on which something may still be spending,
    /// and those of runs that have not ended.
    pub(crate) fn budgets_in_use(&self, open_runs: &[Stamp]) -> Result<Vec<Stream>> {
        let mut days = vec![self.host.today()];
        let rows = self.store.views(OPEN, "", u32::MAX)?;
        days.extend(rows.iter().filter_map(|row| row.key.parse::<Date>().ok()));
        for run in open_runs {
            let books = self.books(*run)?;
            days.extend(books.others.iter().map(|day| day.date));
        }
        days.into_iter().map(stream_of).collect()
    }
}
