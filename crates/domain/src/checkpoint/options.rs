//! The answers that every trigger offers by itself, and which of them is recommended.
//!
//! What costs the least and loses nothing comes first in doubt: work that was handed over is kept in
//! any case, so to stop, or to send back, is never the end of it.

mod around;
mod looping;

use super::{Choice, Trigger};
use crate::agent::Money;

/// The keys of the standard options: what the action that asked looks for in an answer.
pub mod key {
    pub const ACCEPT: &str = "accept";
    pub const ADJUST: &str = "adjust";
    pub const ALTERNATIVE: &str = "alternative";
    pub const AMEND: &str = "amend";
    pub const ANSWER: &str = "answer";
    pub const APPROVE: &str = "approve";
    pub const BLOCK: &str = "block";
    pub const CHANGE_PLAN: &str = "change-plan";
    pub const CHEAPER: &str = "cheaper";
    pub const CONTINUE: &str = "continue";
    pub const DEFER: &str = "defer";
    pub const EXTEND: &str = "extend";
    pub const FIX_FIRST: &str = "fix-first";
    pub const INSIST: &str = "insist";
    pub const KEEP: &str = "keep";
    pub const RAISE: &str = "raise";
    pub const REBASE: &str = "rebase";
    pub const REFACTOR: &str = "refactor";
    pub const REJECT: &str = "reject";
    pub const RETRY: &str = "retry";
    pub const RETRY_STRONGER: &str = "retry-stronger";
    pub const REVISE: &str = "revise";
    pub const ROUND: &str = "round";
    pub const SAFER: &str = "safer";
    pub const SEND_BACK: &str = "send-back";
    pub const SIMPLIFY: &str = "simplify";
    pub const SKIP: &str = "skip";
    pub const SPLIT: &str = "split";
    pub const STOP: &str = "stop";
    pub const WAIVE: &str = "waive";
}

/// What is known when a question is put, as far as options name it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Offer<'a> {
    /// By how much a cap could be raised, in money and in tokens.
    pub raise: (Option<Money>, Option<u64>),
    /// An agent or model that is stronger, as users name it.
    pub stronger: Option<&'a str>,
    /// One that costs less.
    pub cheaper: Option<&'a str>,
    /// What going on costs at most.
    pub cost: Option<Money>,
}

/// The options of a trigger, and why the recommended one is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Standard {
    pub options: Vec<Choice>,
    pub why: String,
}

impl Standard {
    /// What `trigger` offers, as far as `offer` allows.
    pub fn of(trigger: Trigger, offer: &Offer<'_>) -> Self {
        looping::of(trigger, offer).unwrap_or_else(|| around::of(trigger, offer))
    }

    /// The same with another option recommended; unchanged if there is no such option.
    pub fn recommending(mut self, key: &str, why: &str) -> Self {
        if self.options.iter().any(|choice| choice.key == key) {
            for choice in &mut self.options {
                choice.is_recommended = choice.key == key;
            }
            self.why = why.to_owned();
        }
        self
    }

    fn new<const N: usize>(options: [Option<Choice>; N], why: &str) -> Self {
        Self { options: options.into_iter().flatten().collect(), why: why.to_owned() }
    }
}

/// An option with its key, its label and what happens then.
fn choice(key: &str, label: &str, description: &str) -> Choice {
    let own = str::to_owned;
    Choice { key: own(key), label: own(label), description: own(description), ..Choice::default() }
}

impl Choice {
    fn pro(mut self, text: &str) -> Self {
        self.pros.push(text.to_owned());
        self
    }

    fn con(mut self, text: &str) -> Self {
        self.cons.push(text.to_owned());
        self
    }

    fn costing(mut self, cost: Option<Money>) -> Self {
        self.cost = cost;
        self
    }

    fn best(mut self) -> Self {
        self.is_recommended = true;
        self
    }

    fn with_reason(mut self) -> Self {
        self.is_reason_needed = true;
        self
    }
}

/// To end the run. Nothing is lost by it.
fn stop() -> Choice {
    choice(key::STOP, "Stop", "The run ends without acceptance; what was handed over is kept.")
        .pro("Nothing more is spent.")
        .con("The goal is not reached.")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::question::tests::question;
    use super::*;

    fn full() -> Offer<'static> {
        Offer {
            raise: (Some(Money(5_000_000)), Some(100_000)),
            stronger: Some("claude:opus"),
            cheaper: Some("claude:haiku"),
            cost: Some(Money(1_000_000)),
        }
    }

    /// CO-12: every trigger has options of its own that a person can weigh, with one recommended.
    #[test]
    fn every_trigger_has_its_own_options() {
        let mut seen = BTreeSet::new();
        for trigger in Trigger::ALL {
            for offer in [Offer::default(), full()] {
                let Standard { options, why } = Standard::of(trigger, &offer);
                let mut asked = question(trigger);
                asked.options = options.clone();
                assert_eq!(asked.check(), Ok(()), "{trigger:?}");
                assert!(options.len() >= 2 && !why.is_empty(), "{trigger:?}");
                assert!(asked.recommended().is_some(), "{trigger:?}");
                for Choice { description, pros, cons, key, .. } in &options {
                    assert!(!description.is_empty(), "{trigger:?} {key}");
                    assert!(!pros.is_empty() && !cons.is_empty(), "{trigger:?} {key}");
                }
            }
            let texts = Standard::of(trigger, &full()).options;
            assert!(seen.insert(format!("{texts:?}")), "{trigger:?} has those of another");
        }
    }

    /// CO-12: what can't be had is not offered.
    #[test]
    fn only_what_can_be_had_is_offered() {
        let keys = |trigger, offer: &Offer<'_>| {
            let options = Standard::of(trigger, offer).options;
            options.iter().map(|choice| choice.key.clone()).collect::<Vec<_>>().join(" ")
        };
        let none = Offer::default();
        assert_eq!(keys(Trigger::Escalation, &none), "split simplify refactor block");
        assert_eq!(keys(Trigger::Breaker, &none), "change-plan stop");
        assert_eq!(keys(Trigger::Breaker, &full()), "retry-stronger change-plan stop");
        assert_eq!(keys(Trigger::BudgetReached, &full()), "stop raise cheaper");
        assert_eq!(keys(Trigger::BudgetReached, &none), "stop adjust");
        assert_eq!(keys(Trigger::Gaming, &none), "accept send-back stop");
        assert_eq!(keys(Trigger::Evidence, &none), "accept send-back stop");
        assert_eq!(keys(Trigger::Impossible, &none), "amend insist stop");
        assert_eq!(keys(Trigger::InfoWanted, &none), "answer send-back accept stop");
        let raise = Standard::of(Trigger::BudgetReached, &full()).options.swap_remove(1);
        assert_eq!((raise.cost, raise.tokens), (Some(Money(5_000_000)), Some(100_000)));
    }

    /// CO-12: who asks may recommend another option, if there is one.
    #[test]
    fn another_option_can_be_recommended() {
        let standard = Standard::of(Trigger::Gaming, &Offer::default());
        assert_eq!(standard.clone().recommending("no-such", "x"), standard);
        let other = standard.recommending(key::STOP, "twice the same");
        let best: Vec<&str> =
            other.options.iter().filter(|c| c.is_recommended).map(|c| c.key.as_str()).collect();
        assert_eq!((best, other.why.as_str()), (vec!["stop"], "twice the same"));
    }
}
