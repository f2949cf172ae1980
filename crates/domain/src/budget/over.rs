//! Why something can't be started: which cap, what is spent, reserved and left.

use std::fmt;

use jiff::civil::Date;
use serde::Serialize;

use super::Scope;
use crate::agent::Money;
use crate::stamp::Stamp;

/// What is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    /// Millionths of a dollar.
    Money,
    Tokens,
}

/// A cap, and what is left of it, in one unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Left {
    pub scope: Scope,
    pub unit: Unit,
    pub cap: u64,
    pub spent: u64,
    pub reserved: u64,
    pub left: u64,
}

impl Left {
    pub(super) fn new((scope, unit): (Scope, Unit), cap: u64, spent: u64, reserved: u64) -> Self {
        let left = cap.saturating_sub(spent).saturating_sub(reserved);
        Self { scope, unit, cap, spent, reserved, left }
    }

    fn said(&self, number: u64) -> String {
        match self.unit {
            Unit::Money => Money(number).to_string(),
            Unit::Tokens => format!("{number} tokens"),
        }
    }
}

/// There is not enough left for a start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct OverBudget {
    pub run: Stamp,
    pub attempt: u32,
    pub day: Date,
    /// What the run shares its cap with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub purse: Option<Stamp>,
    #[serde(flatten)]
    pub left: Left,
    /// What the start needs at least.
    pub least: u64,
}

impl fmt::Display for OverBudget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { run, attempt, day, purse, left, least } = self;
        let whose = match left.scope {
            Scope::Attempt => format!("attempt {attempt} of run {run}"),
            Scope::Run => match purse {
                Some(purse) => format!("{purse}, which run {run} is part of"),
                None => format!("run {run}"),
            },
            Scope::Day => format!("{day}"),
        };
        let [cap, spent, reserved, rest] =
            [left.cap, left.spent, left.reserved, left.left].map(|number| left.said(number));
        write!(
            f,
            "the budget of {whose}, {cap}, is reached: {spent} spent, {reserved} reserved, {rest} left"
        )?;
        if left.left > 0 {
            write!(f, ", and {} needed", left.said(*least))?;
        }
        Ok(())
    }
}
