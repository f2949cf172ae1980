//! What was spent, what is reserved, and what is left.

use countersign_domain::Stamp;
use countersign_domain::budget::{Books, Day, Limit, ReservationId, Scope, Sums};
use jiff::civil::Date;
use serde::Serialize;

use crate::Engine;
use crate::error::Result;

/// A run on a day.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RunLine {
    pub run: Stamp,
    #[serde(flatten)]
    pub sums: Sums,
}

/// A day of all runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DayStatus {
    pub day: Date,
    pub cap: Limit,
    #[serde(flatten)]
    pub sums: Sums,
    pub left: Limit,
    pub runs: Vec<RunLine>,
}

/// A run on all of its days.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RunStatus {
    pub run: Stamp,
    pub cap: Limit,
    /// What each role may spend in one attempt.
    pub attempt_cap: Limit,
    #[serde(flatten)]
    pub sums: Sums,
    /// What its cap is shared with, and what all of them come to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shared: Option<(Stamp, Sums)>,
    pub left: Limit,
    pub days: Vec<Date>,
    /// Starts that may still be spending, or whose driver died.
    pub unsettled: Vec<ReservationId>,
}

/// What there is to tell.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BudgetStatus {
    pub day: DayStatus,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<RunStatus>,
}

fn left(cap: Limit, sums: &Sums) -> Limit {
    let taken = sums.spent + sums.reserved;
    Limit {
        money: cap.money.map(|cap| cap.saturating_sub(taken.money)),
        tokens: cap.tokens.map(|cap| cap.saturating_sub(taken.tokens)),
    }
}

impl Engine {
    /// What was spent on `day` (today, by default), and by `run`.
    pub fn budget_status(&self, day: Option<Date>, run: Option<Stamp>) -> Result<BudgetStatus> {
        let date = day.unwrap_or_else(|| self.host.today());
        let today = self.day(date)?;
        let of_day = self.day_status(&today);
        let run = run.map(|run| self.run_status(run)).transpose()?;
        Ok(BudgetStatus { day: of_day, run })
    }

    fn day_status(&self, day: &Day) -> DayStatus {
        let raised = day.raised.iter().filter(|raised| raised.scope == Scope::Day);
        let cap = self.caps().day.raised(raised.map(|raised| raised.by).sum());
        let sums = day.sums(|_| true);
        let line = |run| RunLine { run, sums: day.sums(|id| id.run == run) };
        let runs = day.runs().map(line).collect();
        DayStatus { day: day.date, cap, sums, left: left(cap, &sums), runs }
    }

    fn run_status(&self, run: Stamp) -> Result<RunStatus> {
        let books = self.books(run)?;
        let sums = books.run_sums(run);
        let cap = books.cap(Scope::Run, run, 0);
        let fixed = books.fixed(run).unwrap_or(books.caps.of_run);
        let all = books.shared_sums(run);
        Ok(RunStatus {
            run,
            cap,
            attempt_cap: fixed.attempt,
            sums,
            shared: fixed.purse.map(|purse| (purse, all)),
            left: left(cap, &all),
            days: self.days_of(run)?,
            unsettled: unsettled(&books, run),
        })
    }

    /// The starts of `run` that may still be spending, or whose driver died: who goes on with the run
    /// settles them.
    pub fn unsettled(&self, run: Stamp) -> Result<Vec<ReservationId>> {
        Ok(unsettled(&self.books(run)?, run))
    }
}

fn unsettled(books: &Books, run: Stamp) -> Vec<ReservationId> {
    let days = books.others.iter().chain([&books.today]);
    let entries = days.flat_map(|day| &day.entries);
    let open = entries.filter(|(id, entry)| id.run == run && entry.end.is_none());
    open.map(|(id, _)| *id).collect()
}
