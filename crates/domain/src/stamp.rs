//! Ids that a person can read and sort: `YYYYMMDD_HHMMSS_NNN`, in UTC.

use std::fmt;
use std::str::FromStr;

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::id::IdError;

/// A second and a counter within it; the id of a run or a session.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(try_from = "String", into = "String")]
pub struct Stamp {
    /// Seconds since 1970.
    second: i64,
    /// 1 to 999.
    counter: u16,
}

/// No id is left in this second; the next may be had once it is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SecondIsFull;

impl Stamp {
    const LAST: u16 = 999;
    /// A clock that is further back than this has been set back, and waiting for it to
    /// catch up could take hours.
    const PATIENCE_SECONDS: i64 = 2;

    /// The second this was given out in, since 1970.
    pub fn unix_seconds(self) -> u64 {
        u64::try_from(self.second).unwrap_or(0)
    }

    /// The same as a moment.
    pub fn time(self) -> Timestamp {
        Timestamp::from_second(self.second).unwrap_or_default()
    }

    /// The id to give out at `now` when `last` was the newest one given out before. Never
    /// gives out an id that is not greater than `last`, whatever the clock does.
    pub fn after(last: Option<Self>, now: Timestamp) -> Result<Self, SecondIsFull> {
        let now = now.as_second();
        let Some(last) = last.filter(|last| last.second >= now) else {
            return Ok(Self { second: now, counter: 1 });
        };
        if last.counter < Self::LAST {
            Ok(Self { second: last.second, counter: last.counter + 1 })
        } else if last.second - now > Self::PATIENCE_SECONDS {
            Ok(Self { second: last.second + 1, counter: 1 })
        } else {
            Err(SecondIsFull)
        }
    }
}

impl fmt::Display for Stamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let time = Timestamp::from_second(self.second).unwrap_or_default();
        let time = TimeZone::UTC.to_datetime(time);
        write!(f, "{}_{:03}", time.strftime("%Y%m%d_%H%M%S"), self.counter)
    }
}

impl FromStr for Stamp {
    type Err = IdError;

    fn from_str(text: &str) -> Result<Self, IdError> {
        parse(text).ok_or_else(|| IdError::new("an id of the form YYYYMMDD_HHMMSS_NNN", text))
    }
}

fn parse(text: &str) -> Option<Stamp> {
    if text.len() != 19 || !text.is_ascii() {
        return None;
    }
    let (time, counter) = text.rsplit_once('_')?;
    let time = DateTime::strptime("%Y%m%d_%H%M%S", time).ok()?;
    let second = time.to_zoned(TimeZone::UTC).ok()?.timestamp().as_second();
    let counter = counter.parse().ok().filter(|n| (1..=Stamp::LAST).contains(n))?;
    let stamp = Stamp { second, counter };
    (stamp.to_string() == text).then_some(stamp)
}

impl TryFrom<String> for Stamp {
    type Error = IdError;

    fn try_from(text: String) -> Result<Self, IdError> {
        text.parse()
    }
}

impl From<Stamp> for String {
    fn from(stamp: Stamp) -> Self {
        stamp.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(last: Option<&str>, now: &str, expected: Result<&str, SecondIsFull>) {
        let last = last.map(|text| text.parse().unwrap());
        let found = Stamp::after(last, now.parse().unwrap()).map(|stamp| stamp.to_string());
        assert_eq!(found, expected.map(str::to_owned), "after {last:?} at {now}");
    }

    /// WL-17, D0.5: UTC, three digits, the first of a second is 001, past 999 it waits.
    #[test]
    fn ids_count_within_a_second() {
        check(None, "2026-11-16T09:05:07.9Z", Ok("20261116_090507_001"));
        check(None, "2026-11-16T09:05:07+02:00", Ok("20261116_070507_001"));
        check(Some("20261116_090507_001"), "2026-11-16T09:05:07Z", Ok("20261116_090507_002"));
        check(Some("20261116_090507_041"), "2026-11-16T09:05:08Z", Ok("20261116_090508_001"));
        check(Some("20261116_090507_999"), "2026-11-16T09:05:07Z", Err(SecondIsFull));
    }

    /// WL-17: a clock that goes backwards never brings an id back.
    #[test]
    fn ids_never_go_backwards() {
        check(Some("20261116_090507_003"), "2026-11-16T08:00:00Z", Ok("20261116_090507_004"));
        check(Some("20261116_090507_999"), "2026-11-16T08:00:00Z", Ok("20261116_090508_001"));
        check(Some("20261116_090507_999"), "2026-11-16T09:05:06Z", Err(SecondIsFull));
    }

    #[test]
    fn only_the_one_spelling_is_an_id() {
        for bad in [
            "",
            "20261116_090507",
            "20261116_090507_000",
            "20261116_090507_1",
            "20261316_090507_001",
            "20261116_090507_0001",
        ] {
            assert!(bad.parse::<Stamp>().is_err(), "{bad}");
        }
    }
}
