//! What can happen to a day's budget.

use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use super::{Amount, Limit, ReservationId, RunCaps, Scope};
use crate::agent::Usage;
use crate::checkpoint::CheckpointId;
use crate::ledger::Stored;
use crate::stamp::Stamp;

/// What the counted amount of money rests on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Basis {
    /// The agent told what it cost.
    Reported,
    /// It told its tokens, and we know their list price.
    Priced,
    /// It told not all of it, or nothing: all that was reserved counts.
    Reserved,
    /// It told not all of it, or nothing, and ended so soon that it can't have spent all that was
    /// reserved: what so much time can cost counts.
    Time,
    /// Nobody knows, and nothing was reserved, as there was no cap.
    Unknown,
}

/// What a start used, and what of it counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Settled {
    pub usage: Usage,
    pub counted: Amount,
    pub basis: Basis,
}

/// A cap that a person raised, once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Raised {
    pub scope: Scope,
    pub run: Stamp,
    /// The attempt from which on the cap of attempts is raised, if it is that.
    pub attempt: u32,
    pub by: Amount,
    /// Whose answer it follows from; no answer raises twice.
    pub checkpoint: CheckpointId,
}

/// One fact about the budget of a day. The serialised names are stored for ever: add, never change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", content = "body", rename_all = "snake_case")]
pub enum BudgetEvent {
    /// The run's caps are these, whatever the settings say later.
    Fixed {
        run: Stamp,
        caps: RunCaps,
    },
    /// A start may spend this much at most.
    Reserved {
        id: ReservationId,
        #[serde(flatten)]
        limit: Limit,
    },
    /// It has ended.
    Settled {
        id: ReservationId,
        #[serde(flatten)]
        settled: Settled,
    },
    /// It never started, and has spent nothing.
    Released {
        id: ReservationId,
        why: String,
    },
    Raised(Raised),
}

impl Stored for BudgetEvent {
    const PREFIX: &'static str = "budget.";
}

impl BudgetEvent {
    /// The stream of a day, as the user's time zone has it.
    pub fn stream(day: Date) -> String {
        format!("budget/{day}")
    }

    /// The day of a stream.
    pub fn day(stream: &str) -> Option<Date> {
        stream.strip_prefix("budget/")?.parse().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent::{Money, Role};

    #[track_caller]
    fn check(event: &BudgetEvent, kind: &str, body: &str) {
        assert_eq!(event.encode().unwrap(), (kind.to_owned(), body.to_owned()));
        assert_eq!(&BudgetEvent::decode(kind, body).unwrap(), event);
    }

    /// PL-01, CO-05: what is stored reads and writes as it always did.
    #[test]
    fn the_stored_form_is_fixed() {
        let run: Stamp = "20261116_101500_001".parse().unwrap();
        let id = ReservationId { run, attempt: 2, role: Role::Verifier, start: 1 };
        let limit = Limit { money: Some(Money(5_000_000)), tokens: None };
        let run_limit = Limit { money: Some(Money(20_000_000)), tokens: Some(7) };
        check(
            &BudgetEvent::Fixed {
                run,
                caps: RunCaps { attempt: limit, run: run_limit, purse: None },
            },
            "budget.fixed",
            r#"{"caps":{"attempt":{"money":5000000},"run":{"money":20000000,"tokens":7}},"run":"20261116_101500_001"}"#,
        );
        let shared = RunCaps { purse: Some(run), ..RunCaps::default() };
        check(
            &BudgetEvent::Fixed { run, caps: shared },
            "budget.fixed",
            r#"{"caps":{"attempt":{},"purse":"20261116_101500_001","run":{}},"run":"20261116_101500_001"}"#,
        );
        check(
            &BudgetEvent::Reserved { id, limit },
            "budget.reserved",
            r#"{"id":"20261116_101500_001/2/verifier/1","money":5000000}"#,
        );
        let usage = Usage { input_tokens: 5, output_tokens: 2, ..Usage::default() };
        let counted = Amount { money: Money(5_000_000), tokens: 7 };
        for (basis, word) in [
            (Basis::Reported, "reported"),
            (Basis::Priced, "priced"),
            (Basis::Reserved, "reserved"),
            (Basis::Unknown, "unknown"),
        ] {
            let settled = Settled { usage, counted, basis };
            check(
                &BudgetEvent::Settled { id, settled },
                "budget.settled",
                &format!(
                    "{{\"basis\":\"{word}\",\"counted\":{{\"money\":5000000,\"tokens\":7}},\
                     \"id\":\"20261116_101500_001/2/verifier/1\",\"usage\":{{\
                     \"cache_write_tokens\":0,\"cached_tokens\":0,\"input_tokens\":5,\
                     \"output_tokens\":2}}}}"
                ),
            );
        }
        check(
            &BudgetEvent::Released { id, why: "not installed".into() },
            "budget.released",
            r#"{"id":"20261116_101500_001/2/verifier/1","why":"not installed"}"#,
        );
        let checkpoint = CheckpointId { run, number: 3 };
        for (scope, word) in [(Scope::Attempt, "attempt"), (Scope::Run, "run"), (Scope::Day, "day")]
        {
            let by = Amount { money: Money(1), tokens: 2 };
            check(
                &BudgetEvent::Raised(Raised { scope, run, attempt: 4, by, checkpoint }),
                "budget.raised",
                &format!(
                    "{{\"attempt\":4,\"by\":{{\"money\":1,\"tokens\":2}},\
                     \"checkpoint\":\"20261116_101500_001.3\",\"run\":\"20261116_101500_001\",\
                     \"scope\":\"{word}\"}}"
                ),
            );
        }
    }

    /// D3.11: a stream is named after a day, and a day after its stream.
    #[test]
    fn days_have_streams() {
        let day = jiff::civil::date(2026, 11, 6);
        assert_eq!(BudgetEvent::stream(day), "budget/2026-11-06");
        assert_eq!(BudgetEvent::day("budget/2026-11-06"), Some(day));
        assert_eq!(BudgetEvent::day("budget/x"), None);
        assert_eq!(BudgetEvent::day("run/2026-11-06"), None);
    }
}
