//! How long we may take in one phase of an agent's work, and what is left out when that is not
//! enough. Time is an argument; nothing here waits or measures.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// For everything in one phase.
pub const PHASE: Duration = Duration::from_secs(3);
/// A phase that used more than this makes the next one skip what can be skipped.
const HASTE: Duration = Duration::from_millis(2400);

/// What takes time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Work {
    Append,
    Flush,
    Verification,
    Checkpoint,
}

impl Work {
    pub const ALL: [Self; 4] = [Self::Append, Self::Flush, Self::Verification, Self::Checkpoint];

    /// The most that it may take, once.
    pub fn limit(self) -> Duration {
        Duration::from_millis(match self {
            Self::Append => 50,
            Self::Flush => 300,
            Self::Verification => 1000,
            Self::Checkpoint => 2000,
        })
    }

    /// Whether the record is still whole without it. A flush only publishes what is already
    /// durable, and a summary can be made later; what was not verified stays unknown.
    pub fn is_optional(self) -> bool {
        matches!(self, Self::Flush | Self::Checkpoint)
    }
}

/// Whether there is time for it when so much of the phase is spent. An append always is: an
/// operation without its entry would be a lie about the session, and one that is late is not.
pub fn may(work: Work, spent: Duration) -> bool {
    work == Work::Append || spent.saturating_add(work.limit()) <= PHASE
}

/// The time of one phase.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Budget {
    spent: Duration,
    hasty: bool,
    skipped: Vec<Skip>,
}

/// What was left out; written to the log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Skip {
    pub work: Work,
    pub why: SkipReason,
    /// Of the phase, until then.
    pub spent_ms: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SkipReason {
    /// It could have taken longer than what was left.
    WouldExceed,
    /// The phase before took more than 80 % of its time.
    HastyPhase,
}

impl Budget {
    /// The budget of the phase after this one.
    pub fn next(&self) -> Self {
        Self { hasty: self.spent > HASTE, ..Self::default() }
    }

    /// Whether to do it now; if not, it is noted as skipped.
    pub fn admit(&mut self, work: Work) -> bool {
        let why = if self.hasty && work.is_optional() {
            SkipReason::HastyPhase
        } else if may(work, self.spent) {
            return true;
        } else {
            SkipReason::WouldExceed
        };
        let spent_ms = u64::try_from(self.spent.as_millis()).unwrap_or(u64::MAX);
        self.skipped.push(Skip { work, why, spent_ms });
        false
    }

    /// Takes note of what was done. Says whether it kept to its limit.
    pub fn spend(&mut self, work: Work, took: Duration) -> bool {
        self.spent = self.spent.saturating_add(took);
        took <= work.limit()
    }

    pub fn spent(&self) -> Duration {
        self.spent
    }

    pub fn skipped(&self) -> &[Skip] {
        &self.skipped
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(count: u64) -> Duration {
        Duration::from_millis(count)
    }

    /// WL-18, D0.5: the figures, and what still fits.
    #[test]
    fn what_would_exceed_the_rest_may_not() {
        assert_eq!(PHASE, ms(3000));
        assert_eq!(Work::ALL.map(Work::limit), [ms(50), ms(300), ms(1000), ms(2000)]);
        for (work, last) in
            [(Work::Flush, 2700), (Work::Verification, 2000), (Work::Checkpoint, 1000)]
        {
            assert!(may(work, Duration::ZERO));
            assert!(may(work, ms(last)), "{work:?}");
            assert!(!may(work, ms(last + 1)), "{work:?}");
            assert!(!may(work, Duration::MAX), "{work:?}");
        }
        assert!(may(Work::Append, Duration::MAX));
    }

    /// WL-18: what is skipped is noted.
    #[test]
    fn skips_are_noted() {
        let mut budget = Budget::default();
        assert!(budget.admit(Work::Verification));
        assert!(budget.spend(Work::Verification, ms(1000)));
        assert!(!budget.spend(Work::Append, ms(51)));
        assert!(!budget.admit(Work::Checkpoint));
        assert!(budget.admit(Work::Append));
        let skip = Skip { work: Work::Checkpoint, why: SkipReason::WouldExceed, spent_ms: 1051 };
        assert_eq!(budget.skipped(), [skip]);
    }

    /// WL-18: more than 80 % makes the next phase hasty, and only that one.
    #[test]
    fn a_slow_phase_makes_the_next_hasty() {
        for (spent, admitted) in [(2400, true), (2401, false)] {
            let mut slow = Budget::default();
            slow.spend(Work::Checkpoint, ms(spent));
            let mut next = slow.next();
            assert_eq!(next.admit(Work::Checkpoint), admitted);
            assert_eq!(next.admit(Work::Flush), admitted);
            assert!(next.admit(Work::Verification));
            assert!(next.admit(Work::Append));
            let skipped = if admitted { vec![] } else { vec![SkipReason::HastyPhase; 2] };
            assert_eq!(next.skipped().iter().map(|skip| skip.why).collect::<Vec<_>>(), skipped);
            assert!(next.next().admit(Work::Checkpoint));
        }
    }
}
