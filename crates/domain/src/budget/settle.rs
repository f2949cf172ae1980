//! What of an agent's own account counts.

use std::time::Duration;

use super::{Amount, Basis, Limit, Settled};
use crate::agent::{Money, Usage};

/// The largest number that the ledger's JSON keeps exactly. Nobody uses more; an agent may say so.
const MOST: u64 = (1 << 53) - 1;

/// What an agent can spend in a second at most, in millionths of a dollar, and in tokens. The dearest
/// models cost a dollar a minute when they are driven hard; this is more.
const DEAREST_SECOND: u64 = 30_000;
const LONGEST_SECOND: u64 = 20_000;

/// What counts of `usage`, by a start that had reserved `reserved` and took nobody knows how long. What is not known counts as all
/// that was reserved, and what went beyond it counts as it is.
pub fn settle(reserved: Limit, usage: Usage) -> Settled {
    let usage = bounded(usage);
    let (money, basis) = match (usage.cost, reserved.money) {
        (Some(cost), _) if !usage.is_partial => (cost, told(&usage)),
        // More was used than was counted.
        (Some(cost), Some(most)) if most > cost => (most, Basis::Reserved),
        (Some(cost), _) => (cost, told(&usage)),
        (None, Some(most)) => (most, Basis::Reserved),
        (None, None) => (Money::ZERO, Basis::Unknown),
    };
    // Whoever cost something has used tokens, also if it doesn't say how many.
    let is_silent = usage.tokens() == 0 && usage.cost != Some(Money::ZERO);
    let tokens = match reserved.tokens {
        Some(most) if is_silent || usage.is_partial => most.max(usage.tokens()),
        _ => usage.tokens(),
    };
    Settled { usage, counted: Amount { money, tokens }, basis }
}

/// The same of a start that took so long: what is not known counts with no more than that much time
/// can cost, by far. An agent that dies at once has not spent the budget of an attempt.
pub fn settle_after(reserved: Limit, usage: Usage, took: Duration) -> Settled {
    let whole = settle(reserved, usage);
    let seconds = took.as_secs() + 1;
    let Settled { usage, counted, .. } = whole;
    let money = Money(seconds.saturating_mul(DEAREST_SECOND)).max(usage.cost.unwrap_or_default());
    let tokens = seconds.saturating_mul(LONGEST_SECOND).max(usage.tokens());
    let is_unknown = whole.basis == Basis::Reserved;
    let is_short = is_unknown && money < counted.money;
    Settled {
        counted: Amount {
            money: if is_short { money } else { counted.money },
            tokens: tokens.min(counted.tokens),
        },
        basis: if is_short { Basis::Time } else { whole.basis },
        usage,
    }
}

fn bounded(usage: Usage) -> Usage {
    Usage {
        // Both together are bounded as well.
        input_tokens: usage.input_tokens.min(MOST / 2),
        cached_tokens: usage.cached_tokens.min(MOST),
        cache_write_tokens: usage.cache_write_tokens.min(MOST),
        output_tokens: usage.output_tokens.min(MOST / 2),
        cost: usage.cost.map(|cost| cost.min(Money(MOST))),
        ..usage
    }
}

fn told(usage: &Usage) -> Basis {
    if usage.is_priced_by_us { Basis::Priced } else { Basis::Reported }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RESERVED: Limit = Limit { money: Some(Money(500)), tokens: Some(1000) };

    #[track_caller]
    fn check(reserved: Limit, usage: Usage, expected: (u64, u64, Basis)) {
        let Settled { counted, basis, .. } = settle(reserved, usage);
        assert_eq!((counted.money.0, counted.tokens, basis), expected, "{usage:?}");
    }

    /// CO-05: what is known counts as it is, also beyond what was reserved; what is unknown is never
    /// free.
    #[test]
    fn unknown_is_never_free() {
        let none = Usage::default();
        let known = Usage { input_tokens: 30, output_tokens: 4, cost: Some(Money(70)), ..none };
        check(RESERVED, known, (70, 34, Basis::Reported));
        check(RESERVED, Usage { is_priced_by_us: true, ..known }, (70, 34, Basis::Priced));
        check(RESERVED, Usage { cost: Some(Money(900)), ..known }, (900, 34, Basis::Reported));
        check(RESERVED, Usage { cost: None, ..known }, (500, 34, Basis::Reserved));
        check(RESERVED, none, (500, 1000, Basis::Reserved));
        check(RESERVED, Usage { cost: Some(Money(70)), ..none }, (70, 1000, Basis::Reported));
        // It says itself that it used nothing.
        check(RESERVED, Usage { cost: Some(Money::ZERO), ..none }, (0, 0, Basis::Reported));
    }

    /// CO-05: who was ended before its last account may have used all that was reserved.
    #[test]
    fn a_part_is_not_the_whole() {
        let usage =
            Usage { input_tokens: 30, cost: Some(Money(70)), is_partial: true, ..Usage::default() };
        check(RESERVED, usage, (500, 1000, Basis::Reserved));
        let more = Usage { input_tokens: 3000, cost: Some(Money(700)), ..usage };
        check(RESERVED, more, (700, 3000, Basis::Reported));
    }

    /// CO-05: an agent that dies at once, unheard, does not cost the cap of an attempt; one that was
    /// silent for long does, and what it told counts in any case.
    #[test]
    fn nobody_spends_faster_than_time() {
        let reserved = Limit { money: Some(Money(5_000_000)), tokens: Some(1_000_000) };
        let check = |usage, millis, expected| {
            let took = Duration::from_millis(millis);
            let Settled { counted, basis, .. } = settle_after(reserved, usage, took);
            assert_eq!((counted.money.0, counted.tokens, basis), expected, "{usage:?} {millis}");
        };
        let none = Usage::default();
        check(none, 4, (30_000, 20_000, Basis::Time));
        check(none, 9_500, (300_000, 200_000, Basis::Time));
        check(none, 600_000, (5_000_000, 1_000_000, Basis::Reserved));
        let part = Usage { input_tokens: 50_000, cost: Some(Money(70_000)), ..none };
        check(Usage { is_partial: true, ..part }, 4, (70_000, 50_000, Basis::Time));
        check(part, 4, (70_000, 50_000, Basis::Reported));
    }

    /// CO-05: figures that no agent can mean are bounded, so that they can be stored.
    #[test]
    fn absurd_figures_are_bounded() {
        let (input_tokens, output_tokens, cost) = (u64::MAX, u64::MAX, Some(Money(u64::MAX)));
        let usage = Usage { input_tokens, output_tokens, cost, ..Usage::default() };
        let Settled { counted, usage, .. } = settle(RESERVED, usage);
        assert!(counted.money.0 <= MOST && counted.tokens <= MOST);
        assert!(crate::canonical::to_string(&usage).is_ok());
    }

    /// CO-05: without a cap nothing was reserved that could count.
    #[test]
    fn without_a_cap_unknown_is_told() {
        let none = Limit::default();
        check(none, Usage::default(), (0, 0, Basis::Unknown));
        let usage = Usage { input_tokens: 3, is_partial: true, ..Usage::default() };
        check(none, usage, (0, 3, Basis::Unknown));
    }
}
