//! What an agent used: tokens and money.

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign};

use serde::{Deserialize, Serialize};

/// An amount of money: millionths of a US dollar, so that sums are exact.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Money(pub u64);

impl Money {
    pub const ZERO: Self = Self(0);

    /// What a number of dollars is; nothing for what is no amount.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "both are looked at before"
    )]
    pub fn from_dollars(dollars: f64) -> Option<Self> {
        let micros = (dollars * 1_000_000.0).round();
        (micros.is_finite() && (0.0..1e18).contains(&micros)).then_some(Self(micros as u64))
    }

    #[expect(clippy::cast_precision_loss, reason = "for display and for agents' arguments")]
    pub fn dollars(self) -> f64 {
        self.0 as f64 / 1_000_000.0
    }

    pub fn saturating_sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

impl Add for Money {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl AddAssign for Money {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sum for Money {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::ZERO, Add::add)
    }
}

impl fmt::Display for Money {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (dollars, micros) = (self.0 / 1_000_000, self.0 % 1_000_000);
        if micros % 10_000 == 0 {
            return write!(f, "${dollars}.{:02}", micros / 10_000);
        }
        if micros % 100 == 0 {
            return write!(f, "${dollars}.{:04}", micros / 100);
        }
        write!(f, "${dollars}.{micros:06}")
    }
}

/// What one agent used, all of its own agents included as far as it tells.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// All that went in, what was read from a cache included.
    pub input_tokens: u64,
    /// The part of it that was read from a cache.
    pub cached_tokens: u64,
    /// The part of it that was written to a cache.
    pub cache_write_tokens: u64,
    /// All that came out, thinking included.
    pub output_tokens: u64,
    /// What it cost; absent if nobody knows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<Money>,
    /// Whether the cost is worked out from list prices, since the agent tells none.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_priced_by_us: bool,
    /// Whether more was used than could be counted: it was ended before its last account.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_partial: bool,
}

impl Usage {
    pub fn tokens(&self) -> u64 {
        self.input_tokens.saturating_add(self.output_tokens)
    }

    /// What was used since `earlier`, of which this is the continuation.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Self {
        Self {
            input_tokens: self.input_tokens.saturating_sub(earlier.input_tokens),
            cached_tokens: self.cached_tokens.saturating_sub(earlier.cached_tokens),
            cache_write_tokens: self.cache_write_tokens.saturating_sub(earlier.cache_write_tokens),
            output_tokens: self.output_tokens.saturating_sub(earlier.output_tokens),
            cost: self.cost.map(|cost| cost.saturating_sub(earlier.cost.unwrap_or_default())),
            ..*self
        }
    }
}

impl Add for Usage {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        let cost = match (self.cost, other.cost) {
            (None, None) => None,
            (one, another) => Some(one.unwrap_or_default() + another.unwrap_or_default()),
        };
        // A sum of something known and something unknown is known in part.
        let is_unknown = |usage: &Self| usage.cost.is_none() && usage.tokens() > 0;
        let is_partial =
            self.is_partial || other.is_partial || is_unknown(&self) != is_unknown(&other);
        Self {
            input_tokens: self.input_tokens.saturating_add(other.input_tokens),
            cached_tokens: self.cached_tokens.saturating_add(other.cached_tokens),
            cache_write_tokens: self.cache_write_tokens.saturating_add(other.cache_write_tokens),
            output_tokens: self.output_tokens.saturating_add(other.output_tokens),
            cost,
            is_priced_by_us: self.is_priced_by_us || other.is_priced_by_us,
            is_partial: is_partial && (self.tokens() + other.tokens() > 0 || cost.is_some()),
        }
    }
}

impl Sum for Usage {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::default(), Add::add)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn money_is_exact_and_readable() {
        let check = |dollars: f64, text: &str| {
            assert_eq!(Money::from_dollars(dollars).unwrap().to_string(), text);
        };
        check(0.0, "$0.00");
        check(1.5, "$1.50");
        check(0.012_3, "$0.0123");
        check(0.999_999, "$0.999999");
        check(12.34, "$12.34");
        for none in [-1.0, f64::NAN, f64::INFINITY, 1e30] {
            assert_eq!(Money::from_dollars(none), None);
        }
        let tenth = Money::from_dollars(0.1).unwrap();
        assert_eq!((0..10).map(|_| tenth).sum::<Money>(), Money::from_dollars(1.0).unwrap());
    }

    /// What is not known makes a sum partial, and never a lower one that looks complete.
    #[test]
    fn sums_say_what_they_leave_out() {
        let priced = Usage { input_tokens: 5, cost: Some(Money(7)), ..Usage::default() };
        let unpriced = Usage { output_tokens: 3, ..Usage::default() };
        let both = priced + unpriced;
        assert_eq!((both.cost, both.is_partial, both.tokens()), (Some(Money(7)), true, 8));
        assert!(!(priced + priced).is_partial);
        assert!(!(priced + Usage::default()).is_partial);
    }
}
