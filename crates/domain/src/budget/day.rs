//! The budget of a day, as the fold of its events.

use std::collections::BTreeMap;
use std::fmt;

use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use super::{Amount, Basis, BudgetEvent, Limit, Raised, ReservationId, RunCaps, Scope, Settled};
use crate::agent::Money;
use crate::stamp::Stamp;

/// How a reservation ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum End {
    Settled(Settled),
    Released { why: String },
}

/// One reservation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    pub limit: Limit,
    /// `None` while it may still be spending, or died before anybody could say.
    pub end: Option<End>,
}

/// What some reservations come to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sums {
    pub spent: Amount,
    /// Of starts that have not been settled.
    pub reserved: Amount,
    /// How many starts those are.
    pub open: u64,
    /// How many starts have ended.
    pub settled: u64,
    /// By how much starts spent more than they had reserved.
    pub overshoot: Amount,
    /// Of how many starts nobody knows the cost; they count as reserved, if anything was.
    pub unknown: u64,
    /// Of how many starts nobody knows the cost, which count by the time they took.
    #[serde(default)]
    pub timed: u64,
    /// What of `spent` no agent told: it is the most that it can have been, and not what it was.
    #[serde(default)]
    pub untold: Amount,
}

impl Sums {
    /// Takes in one more reservation.
    pub fn add(&mut self, entry: &Entry) {
        match &entry.end {
            None => {
                self.reserved += entry.limit.amount();
                self.open += 1;
            }
            Some(End::Released { .. }) => {}
            Some(End::Settled(Settled { counted, basis, usage })) => {
                self.spent += *counted;
                self.settled += 1;
                self.unknown += u64::from(matches!(basis, Basis::Reserved | Basis::Unknown));
                self.timed += u64::from(*basis == Basis::Time);
                self.untold += Amount {
                    money: counted.money.saturating_sub(usage.cost.unwrap_or_default()),
                    tokens: counted.tokens.saturating_sub(usage.tokens()),
                };
                let Limit { money, tokens } = entry.limit;
                let beyond =
                    |cap: Option<u64>, spent: u64| cap.map_or(0, |cap| spent.saturating_sub(cap));
                self.overshoot += Amount {
                    money: Money(beyond(money.map(|money| money.0), counted.money.0)),
                    tokens: beyond(tokens, counted.tokens),
                };
            }
        }
    }
}

/// Why an event does not follow from those before it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mismatch {
    what: &'static str,
    id: String,
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.id, self.what)
    }
}

/// A day's reservations, the caps of runs that were fixed on it, and what people raised.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Day {
    pub date: Date,
    pub entries: BTreeMap<ReservationId, Entry>,
    pub fixed: BTreeMap<Stamp, RunCaps>,
    pub raised: Vec<Raised>,
    /// How many events it is made of.
    pub sequence: u64,
}

impl Day {
    /// A day on which nothing has happened.
    pub fn new(date: Date) -> Self {
        let (entries, fixed, raised) = (BTreeMap::new(), BTreeMap::new(), Vec::new());
        Self { date, entries, fixed, raised, sequence: 0 }
    }

    /// Takes in what happened.
    pub fn apply(&mut self, event: BudgetEvent) -> Result<(), Mismatch> {
        match event {
            BudgetEvent::Fixed { run, caps } => {
                // The first stands.
                self.fixed.entry(run).or_insert(caps);
            }
            BudgetEvent::Reserved { id, limit } => {
                if self.entries.insert(id, Entry { limit, end: None }).is_some() {
                    return Err(Mismatch { what: "was reserved twice", id: id.to_string() });
                }
            }
            BudgetEvent::Settled { id, settled } => self.end(id, End::Settled(settled))?,
            BudgetEvent::Released { id, why } => self.end(id, End::Released { why })?,
            BudgetEvent::Raised(raised) => {
                if self.raised.iter().any(|known| known.checkpoint == raised.checkpoint) {
                    let id = raised.checkpoint.to_string();
                    return Err(Mismatch { what: "raised a cap twice", id });
                }
                self.raised.push(raised);
            }
        }
        self.sequence += 1;
        Ok(())
    }

    /// The first end of a reservation stands: one from the spool may come after another.
    fn end(&mut self, id: ReservationId, end: End) -> Result<(), Mismatch> {
        let Some(entry) = self.entries.get_mut(&id) else {
            return Err(Mismatch { what: "was ended and never reserved", id: id.to_string() });
        };
        entry.end.get_or_insert(end);
        Ok(())
    }

    /// What the reservations that `is_meant` come to.
    pub fn sums(&self, is_meant: impl Fn(&ReservationId) -> bool) -> Sums {
        let mut sums = Sums::default();
        for (_, entry) in self.entries.iter().filter(|(id, _)| is_meant(id)) {
            sums.add(entry);
        }
        sums
    }

    /// The runs that something on this day is about.
    pub fn runs(&self) -> impl Iterator<Item = Stamp> {
        let mut runs: Vec<Stamp> = self.entries.keys().map(|id| id.run).collect();
        runs.extend(self.fixed.keys());
        runs.extend(self.raised.iter().filter(|it| it.scope != Scope::Day).map(|it| it.run));
        runs.sort_unstable();
        runs.dedup();
        runs.into_iter()
    }

    /// Whether something on it may still be spending.
    pub fn is_open(&self) -> bool {
        self.entries.values().any(|entry| entry.end.is_none())
    }
}
