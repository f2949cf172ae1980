//! Budgets: what agents may spend for an attempt, a run and a day, reserved before they start and
//! settled after.
//!
//! Nothing starts that the rest can't pay for: what may be spent at most is reserved first, and
//! reserved and spent together never exceed a cap when something is reserved. What somebody reserved
//! and didn't settle stays reserved, however long ago that was, and a cost that nobody knows counts as
//! the most that it can have been: unknown is never free.

mod books;
mod day;
mod event;
mod over;
mod settle;

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign};
use std::str::FromStr;

use serde::{Deserialize, Serialize};

pub use books::{Books, Granted, Want};
pub use day::{Day, End, Entry, Mismatch, Sums};
pub use event::{Basis, BudgetEvent, Raised, Settled};
pub use over::{Left, OverBudget, Unit};
pub use settle::{settle, settle_after};

use crate::agent::{Money, Role};
use crate::id::IdError;
use crate::stamp::Stamp;

/// An amount of both: what was spent, or is reserved.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Amount {
    pub money: Money,
    pub tokens: u64,
}

impl Add for Amount {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { money: self.money + other.money, tokens: self.tokens.saturating_add(other.tokens) }
    }
}

impl AddAssign for Amount {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sum for Amount {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::default(), Add::add)
    }
}

/// The most that may be spent; what is absent has no bound.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limit {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub money: Option<Money>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
}

impl Limit {
    /// The amount that it stands for where a sum is made; what has no bound adds nothing.
    pub fn amount(self) -> Amount {
        Amount { money: self.money.unwrap_or_default(), tokens: self.tokens.unwrap_or_default() }
    }

    /// The same, raised: what has no bound still has none.
    pub fn raised(self, by: Amount) -> Self {
        Self {
            money: self.money.map(|cap| cap + by.money),
            tokens: self.tokens.map(|cap| cap.saturating_add(by.tokens)),
        }
    }
}

/// The caps of a run, fixed when it is opened.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunCaps {
    /// What each role may spend in one attempt.
    pub attempt: Limit,
    /// What all of them may spend in the run.
    pub run: Limit,
    /// What it shares the cap of its run with: all runs with the same purse together may spend no more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub purse: Option<Stamp>,
}

/// All caps that hold now.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Caps {
    #[serde(flatten)]
    pub of_run: RunCaps,
    /// What all runs may spend in a day.
    pub day: Limit,
}

/// What a cap is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// One role in one attempt: a worker that used up everything must not starve its judge.
    Attempt,
    Run,
    Day,
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Attempt => "attempt",
            Self::Run => "run",
            Self::Day => "day",
        })
    }
}

/// The name of one start of an agent: who starts it once more after a crash names it alike, so that
/// it is reserved once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ReservationId {
    pub run: Stamp,
    pub attempt: u32,
    pub role: Role,
    /// Which start of the role in the attempt, from one.
    pub start: u32,
}

impl fmt::Display for ReservationId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { run, attempt, role, start } = self;
        write!(f, "{run}/{attempt}/{role}/{start}")
    }
}

impl FromStr for ReservationId {
    type Err = IdError;

    fn from_str(text: &str) -> Result<Self, IdError> {
        let parsed = || {
            let mut parts = text.split('/');
            let id = Self {
                run: parts.next()?.parse().ok()?,
                attempt: parts.next()?.parse().ok()?,
                role: serde_json::from_value(parts.next()?.into()).ok()?,
                start: parts.next()?.parse().ok()?,
            };
            (id.to_string() == text).then_some(id)
        };
        parsed().ok_or_else(|| IdError::new("a reservation (RUN/ATTEMPT/ROLE/START)", text))
    }
}

impl TryFrom<String> for ReservationId {
    type Error = IdError;

    fn try_from(text: String) -> Result<Self, IdError> {
        text.parse()
    }
}

impl From<ReservationId> for String {
    fn from(id: ReservationId) -> Self {
        id.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// CO-05: a start has one name, and one spelling of it.
    #[test]
    fn ids_have_one_spelling() {
        for role in [Role::Worker, Role::Verifier, Role::Reviewer] {
            let run = "20261116_101500_001".parse().unwrap();
            let id = ReservationId { run, attempt: 2, role, start: 1 };
            assert_eq!(id.to_string().parse(), Ok(id));
        }
        for bad in
            ["", "20261116_101500_001/2/worker", "20261116_101500_001/02/worker/1", "x/1/worker/1"]
        {
            assert!(bad.parse::<ReservationId>().is_err(), "{bad}");
        }
        assert!("20261116_101500_001/2/judge/1".parse::<ReservationId>().is_err());
    }

    /// CO-05: sums stop at the largest number, and don't begin anew.
    #[test]
    fn sums_do_not_overflow() {
        let most = Amount { money: Money(u64::MAX), tokens: u64::MAX };
        assert_eq!(most + most, most);
        let limit = Limit { money: Some(Money(5)), tokens: None };
        let raised = limit.raised(most);
        assert_eq!(raised, Limit { money: Some(Money(u64::MAX)), tokens: None });
    }
}
