//! Stops asking the same thing for ever: after three failed attempts to verify, nobody retries
//! for five minutes, and a person has to choose.
//!
//! It is a fold of what the session recorded, in the order of the record and not of the clock,
//! so it is the same in every process. Time is counted from mark to mark; where the clock went
//! backwards between two marks, no time has passed.

use jiff::{SignedDuration, Timestamp};

use super::verification::Resolution;

/// In total: the first, the automatic retry, and those that a person asks for.
pub const MAX_FAILED: u32 = 3;
pub const OPEN_FOR: SignedDuration = SignedDuration::from_secs(300);

/// What the session recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    Failed,
    Passed,
    Resolved(Resolution),
    /// Anything else: it says that the clock has gone on. Without it, a breaker that opened
    /// before the clock was set back would stay open until the clock has caught up.
    Other,
}

/// The fold.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Breaker {
    failed: u32,
    open: Option<Open>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Open {
    waited: SignedDuration,
    seen_at: Timestamp,
    resolution: Option<Resolution>,
}

impl Open {
    fn waited_at(self, now: Timestamp) -> SignedDuration {
        self.waited.saturating_add(now.duration_since(self.seen_at).max(SignedDuration::ZERO))
    }
}

/// Whether a verification may be tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// So many attempts are left.
    Closed { left: u32 },
    /// Not for so long. `resolution` is what a person chose; `None` if that is still to be done.
    Open { rest: SignedDuration, resolution: Option<Resolution> },
}

impl State {
    pub fn is_open(self) -> bool {
        matches!(self, Self::Open { .. })
    }

    /// Whether a person has to choose now.
    pub fn must_choose(self) -> bool {
        matches!(self, Self::Open { resolution: None, .. })
    }
}

impl Breaker {
    pub fn apply(&mut self, at: Timestamp, mark: Mark) {
        if let Some(open) = &mut self.open {
            let waited = open.waited_at(at);
            if waited < OPEN_FOR {
                *open = Open { waited, seen_at: at, ..*open };
                if let Mark::Resolved(resolution) = mark {
                    open.resolution = Some(resolution);
                }
                return;
            }
            *self = Self::default();
        }
        match mark {
            Mark::Other => {}
            // The matter is settled; the next one begins from zero.
            Mark::Passed | Mark::Resolved(_) => self.failed = 0,
            Mark::Failed => {
                self.failed += 1;
                if self.failed >= MAX_FAILED {
                    let waited = SignedDuration::ZERO;
                    self.open = Some(Open { waited, seen_at: at, resolution: None });
                }
            }
        }
    }

    pub fn state(&self, now: Timestamp) -> State {
        match self.open {
            None => State::Closed { left: MAX_FAILED - self.failed },
            Some(open) => match open.waited_at(now) {
                waited if waited >= OPEN_FOR => State::Closed { left: MAX_FAILED },
                waited => State::Open { rest: OPEN_FOR - waited, resolution: open.resolution },
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(1_800_000_000 + second).unwrap()
    }

    fn after(marks: &[(i64, Mark)]) -> Breaker {
        let mut breaker = Breaker::default();
        for (second, mark) in marks {
            breaker.apply(at(*second), *mark);
        }
        breaker
    }

    fn open(rest: i64, resolution: Option<Resolution>) -> State {
        State::Open { rest: SignedDuration::from_secs(rest), resolution }
    }

    #[track_caller]
    fn check(marks: &[(i64, Mark)], now: i64, expected: State) {
        assert_eq!(after(marks).state(at(now)), expected, "{marks:?} at {now}");
    }

    use Mark::{Failed, Other, Passed, Resolved};
    use Resolution::{Aborted, Bypassed, UserAccepted};

    /// WL-09: three attempts in total, then 300 s.
    #[test]
    fn it_opens_after_three() {
        check(&[], 0, State::Closed { left: 3 });
        check(&[(0, Failed), (0, Failed)], 0, State::Closed { left: 1 });
        let three = [(0, Failed), (0, Failed), (40, Failed)];
        check(&three, 40, open(300, None));
        check(&three, 339, open(1, None));
        check(&three, 340, State::Closed { left: 3 });
        assert!(after(&three).state(at(41)).must_choose());
        let again = [(0, Failed), (0, Failed), (0, Failed), (300, Failed)];
        check(&again, 300, State::Closed { left: 2 });
        check(&[(0, Failed), (1, Failed), (2, Passed), (3, Failed)], 3, State::Closed { left: 2 });
        check(
            &[(0, Failed), (1, Failed), (2, Resolved(UserAccepted))],
            3,
            State::Closed { left: 3 },
        );
    }

    /// WL-09: while it is open a choice ends the question but brings no retry back.
    #[test]
    fn choices_are_kept() {
        for choice in [UserAccepted, Aborted, Bypassed] {
            let marks = [(0, Failed), (0, Failed), (0, Failed), (10, Resolved(choice))];
            check(&marks, 20, open(280, Some(choice)));
            assert!(!after(&marks).state(at(20)).must_choose());
            check(&marks, 300, State::Closed { left: 3 });
        }
        let tried = [(0, Failed), (0, Failed), (0, Failed), (100, Failed), (200, Passed)];
        check(&tried, 299, open(1, None));
        check(&tried, 300, State::Closed { left: 3 });
    }

    /// WL-09: a clock that is set back neither closes it early nor keeps it open for ever.
    #[test]
    fn clocks_go_backwards() {
        let three = [(0, Failed), (0, Failed), (0, Failed)];
        check(&three, -1_000_000, open(300, None));
        let noted = [&three[..], &[(100, Other), (-5000, Other)]].concat();
        check(&noted, -5000, open(200, None));
        check(&noted, -4801, open(1, None));
        check(&noted, -4800, State::Closed { left: 3 });
    }

    proptest! {
        /// WL-09: with a clock that only ever jumps back, it is closed exactly when 300 s have
        /// been seen to pass since it opened.
        #[test]
        fn time_is_what_was_seen_to_pass(steps in prop::collection::vec(-400_i64..100, 0..40)) {
            let mut breaker = after(&[(0, Failed), (0, Failed), (0, Failed)]);
            let (mut clock, mut passed) = (0, 0);
            for step in steps {
                clock += step;
                passed += step.max(0);
                breaker.apply(at(clock), Other);
                prop_assert_eq!(breaker.state(at(clock)).is_open(), passed < 300);
            }
        }
    }
}
