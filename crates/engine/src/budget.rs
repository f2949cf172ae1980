//! Budgets: reserving before an agent starts, settling after it has ended. Why it is done like this is in
//! `docs/design/budgets.md`.

mod books;
mod status;

use std::time::Duration;

use countersign_domain::Stamp;
use countersign_domain::agent::Usage;
use countersign_domain::budget::{
    Amount, BudgetEvent, Caps, Day, End, Limit, OverBudget, Raised, ReservationId, RunCaps, Scope,
    Settled, Want, settle, settle_after,
};
use countersign_domain::checkpoint::{CheckpointId, key};
use countersign_domain::ledger::Stored as _;
use countersign_store::{Appended, Expected, StampLock};
use jiff::civil::Date;
use serde::Serialize;

pub(crate) use books::{VIEWS, rows_of};
pub use status::{BudgetStatus, DayStatus, RunLine, RunStatus};

use crate::Engine;
use crate::config::BudgetConfig;
use crate::error::{Error, Kind, Result};

/// How long to wait for others that reserve.
const PATIENCE: Duration = Duration::from_mins(1);
/// Who uses the answers that raise a cap.
const CONSUMER: &str = "budget";

/// What a start may spend at most. It counts as spent until it is settled or released.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Reservation {
    pub id: ReservationId,
    /// The day that it counts for.
    pub day: Date,
    #[serde(flatten)]
    pub limit: Limit,
    /// Whether it was there already: who reserved it may have started something.
    pub is_known: bool,
}

impl BudgetConfig {
    /// The caps that these settings ask for; 0 is none.
    pub fn caps(&self) -> Caps {
        let limit = |money: crate::config::Dollars, tokens: u64| Limit {
            money: Some(money.0).filter(|money| money.0 > 0),
            tokens: Some(tokens).filter(|tokens| *tokens > 0),
        };
        Caps {
            of_run: RunCaps {
                attempt: limit(self.attempt_dollars, self.attempt_tokens),
                run: limit(self.run_dollars, self.run_tokens),
                purse: None,
            },
            day: limit(self.day_dollars, self.day_tokens),
        }
    }
}

impl Engine {
    /// The caps that the settings ask for.
    pub fn caps(&self) -> Caps {
        self.settings.config.budget.caps()
    }

    /// Fixes the caps of `run`, which is about to be opened; the first to say so is right. A start of a
    /// run whose caps nobody fixed fixes those of the settings.
    pub fn fix_budget(&mut self, run: Stamp, caps: RunCaps) -> Result<RunCaps> {
        let _turn = self.turn_at_budget()?;
        loop {
            let books = self.books(run)?;
            if let Some(known) = books.fixed(run) {
                return Ok(known);
            }
            if self.append_to_day(books.today, &[BudgetEvent::Fixed { run, caps }])? {
                return Ok(caps);
            }
        }
    }

    /// Reserves what a start may spend at most: nobody starts what the rest can't pay for. To reserve
    /// the same start again is to reserve it once. Of many that reserve at once, none gets what
    /// another has.
    pub fn reserve(&mut self, want: &Want) -> Result<std::result::Result<Reservation, OverBudget>> {
        // A run's sum is that of several streams, around midnight, which no append can expect.
        let _turn = self.turn_at_budget()?;
        let id = want.id;
        loop {
            let books = self.books(id.run)?;
            if books.end(&id).is_some() {
                return Err(Error::new(Kind::Refused, format!("the start {id} has ended already"))
                    .hint("a new start has a number of its own"));
            }
            let granted = match books.grant(want) {
                Ok(granted) => granted,
                Err(over) => return Ok(Err(over)),
            };
            if granted.is_known {
                let day = books.find(&id).map_or(books.today.date, |(day, _)| day.date);
                return Ok(Ok(Reservation { id, day, limit: granted.limit, is_known: true }));
            }
            let day = books.today.date;
            let fixed = BudgetEvent::Fixed { run: id.run, caps: books.caps.of_run };
            let reserved = BudgetEvent::Reserved { id, limit: granted.limit };
            let events: &[BudgetEvent] =
                if granted.is_first { &[fixed, reserved] } else { &[reserved] };
            if self.append_to_day(books.today, events)? {
                return Ok(Ok(Reservation { id, day, limit: granted.limit, is_known: false }));
            }
        }
    }

    /// Puts what a start used in the place of what it had reserved. To settle the same again is to
    /// settle once; something else is refused.
    pub fn settle(&mut self, id: ReservationId, usage: Usage) -> Result<Settled> {
        self.settle_by(id, |reserved| settle(reserved, usage))
    }

    /// The same for a start that took so long.
    pub fn settle_after(
        &mut self,
        id: ReservationId,
        usage: Usage,
        took: Duration,
    ) -> Result<Settled> {
        self.settle_by(id, |reserved| settle_after(reserved, usage, took))
    }

    fn settle_by(
        &mut self,
        id: ReservationId,
        count: impl Fn(Limit) -> Settled,
    ) -> Result<Settled> {
        loop {
            let books = self.books(id.run)?;
            let Some((day, entry)) = books.find(&id) else { return Err(never_reserved(id)) };
            let settled = count(entry.limit);
            match &entry.end {
                Some(End::Settled(known)) if *known == settled => return Ok(*known),
                Some(end) => return Err(ended(id, end)),
                None => {}
            }
            if self.append_to_day(day.clone(), &[BudgetEvent::Settled { id, settled }])? {
                return Ok(settled);
            }
        }
    }

    /// Gives back what a start had reserved that never began.
    pub fn release(&mut self, id: ReservationId, why: &str) -> Result<()> {
        loop {
            let books = self.books(id.run)?;
            let Some((day, entry)) = books.find(&id) else { return Err(never_reserved(id)) };
            match &entry.end {
                Some(End::Released { .. }) => return Ok(()),
                Some(end) => return Err(ended(id, end)),
                None => {}
            }
            let event = BudgetEvent::Released { id, why: why.to_owned() };
            if self.append_to_day(day.clone(), &[event])? {
                return Ok(());
            }
        }
    }

    /// Raises a cap as the answer to `checkpoint` says, which is used by that. Who comes again after a
    /// crash raises nothing more.
    pub fn raise_budget(&mut self, checkpoint: CheckpointId, scope: Scope) -> Result<Raised> {
        let _turn = self.turn_at_budget()?;
        let run = checkpoint.run;
        let asked = self.checkpoint(checkpoint)?;
        let option = asked.answer.as_ref().and_then(|said| asked.question.option(&said.choice));
        let Some(option) = option.filter(|option| option.key == key::RAISE) else {
            let message = format!("the answer to {checkpoint} raises nothing");
            return Err(Error::new(Kind::Refused, message));
        };
        let by = Amount {
            money: option.cost.unwrap_or_default(),
            tokens: option.tokens.unwrap_or_default(),
        };
        let attempt = asked.question.subject.attempt;
        let raised = Raised { scope, run, attempt, by, checkpoint };
        loop {
            let books = self.books(run)?;
            if let Some(known) = books.raised_by(checkpoint) {
                return Ok(known);
            }
            self.consume(checkpoint, CONSUMER)?;
            if self.append_to_day(books.today, &[BudgetEvent::Raised(raised)])? {
                return Ok(raised);
            }
        }
    }

    fn turn_at_budget(&self) -> Result<StampLock> {
        Ok(StampLock::acquire(&self.state.join("budget.lock"), PATIENCE)?)
    }

    /// Appends to a day as it was read; `false` if something else came first.
    fn append_to_day(&mut self, day: Day, events: &[BudgetEvent]) -> Result<bool> {
        let mut after = day;
        let sequence = after.sequence;
        let mut drafts = Vec::with_capacity(events.len());
        for event in events {
            let (kind, body) = event.encode()?;
            drafts.push(self.draft(&kind, BudgetEvent::FORMAT, body));
            after.apply(event.clone()).map_err(|wrong| books::mismatch(after.date, &wrong))?;
        }
        let rows = books::rows(&after)?;
        // What has ended counts wherever it gets in; what begins does not.
        let is_end = |event: &BudgetEvent| {
            matches!(event, BudgetEvent::Settled { .. } | BudgetEvent::Released { .. })
        };
        let expected = if events.iter().all(is_end) {
            Expected::Preferred(sequence)
        } else {
            Expected::Sequence(sequence)
        };
        match self.store.append(&books::stream_of(after.date)?, expected, &drafts, &rows) {
            Ok(Appended::Written(_)) => Ok(true),
            Ok(Appended::Spooled(why)) if events.iter().all(is_end) => {
                self.notices.push(format!("what was spent is in the spool for now: {why}"));
                Ok(true)
            }
            Ok(Appended::Spooled(why)) => {
                let message = format!("the ledger is not available, so nothing is spent: {why}");
                Err(Error::new(Kind::Unavailable, message)
                    .hint("`countersign doctor` looks at disk, permissions and the ledger"))
            }
            Err(countersign_store::Error::Conflict { .. }) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }
}

fn never_reserved(id: ReservationId) -> Error {
    Error::new(Kind::NotFound, format!("nothing was reserved for {id}"))
        .hint("`countersign budget show` lists what is")
}

fn ended(id: ReservationId, end: &End) -> Error {
    let what = match end {
        End::Settled(Settled { counted, .. }) => {
            format!("was settled with {} and {} tokens", counted.money, counted.tokens)
        }
        End::Released { why } => format!("was given back: {why}"),
    };
    Error::new(Kind::Refused, format!("{id} {what}")).hint("a start is settled once")
}
