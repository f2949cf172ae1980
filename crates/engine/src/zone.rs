//! The user's time zone: where one day ends and the next begins. Everything else is an instant.

use std::path::{Path, PathBuf};

use jiff::civil::Date;
use jiff::tz::TimeZone;

use crate::Host;
use crate::regular;

/// Where the data of time zones is.
const DATABASE: &str = "/usr/share/zoneinfo";
/// The machine's own zone.
const OF_MACHINE: &str = "/etc/localtime";

impl Host {
    /// The time zone that `TZ` names (a name, a file or a rule, as POSIX has them), or else the
    /// machine's; UTC if neither can be read.
    pub fn time_zone(&self) -> TimeZone {
        let named = self.variable("TZ").map(|name| name.to_string_lossy().into_owned());
        let zone = match named.as_deref().map(|name| name.strip_prefix(':').unwrap_or(name)) {
            Some(name) => in_database(name).or_else(|| TimeZone::posix(name).ok()),
            None => in_file(Path::new(OF_MACHINE), "local"),
        };
        zone.unwrap_or(TimeZone::UTC)
    }

    /// The day that it is for the user.
    pub fn today(&self) -> Date {
        self.time_zone().to_datetime(self.now()).date()
    }
}

fn in_database(name: &str) -> Option<TimeZone> {
    let path = if name.starts_with('/') {
        PathBuf::from(name)
    } else {
        let is_plain = |part: &str| !part.is_empty() && part != "." && part != "..";
        let is_name = name.split('/').all(is_plain);
        is_name.then(|| Path::new(DATABASE).join(name))?
    };
    in_file(&path, name)
}

fn in_file(path: &Path, name: &str) -> Option<TimeZone> {
    let bytes = regular::read_all(path).ok()?;
    TimeZone::tzif(name, &bytes).ok()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::{Arc, Mutex};

    use super::*;
    use crate::Clock;

    #[track_caller]
    fn check(zone: &str, now: &str, expected: &str) {
        let host = Host {
            clock: Clock::Set(Arc::new(Mutex::new(now.parse().unwrap()))),
            environment: BTreeMap::from([("TZ".into(), zone.into())]),
            cwd: PathBuf::new(),
            supervisor: Vec::new(),
        };
        assert_eq!(host.today().to_string(), expected, "{zone} at {now}");
    }

    /// D3.11: a day ends at the user's midnight, in summer and in winter.
    #[test]
    fn days_end_at_the_users_midnight() {
        let berlin = "CET-1CEST,M3.5.0,M10.5.0/3";
        check("UTC0", "2026-11-16T23:59:59.999999Z", "2026-11-16");
        check("UTC0", "2026-11-17T00:00:00Z", "2026-11-17");
        check(berlin, "2026-11-16T22:59:59Z", "2026-11-16");
        check(berlin, "2026-11-16T23:00:00Z", "2026-11-17");
        check(berlin, "2026-07-16T21:59:59Z", "2026-07-16");
        check(berlin, "2026-07-16T22:00:00Z", "2026-07-17");
        // The days on which the clock is changed have 23 and 25 hours.
        check(berlin, "2026-03-28T23:00:00Z", "2026-03-29");
        check(berlin, "2026-03-29T22:00:00Z", "2026-03-30");
        check(berlin, "2026-10-24T22:00:00Z", "2026-10-25");
        check(berlin, "2026-10-25T22:59:59Z", "2026-10-25");
        check(berlin, "2026-10-25T23:00:00Z", "2026-10-26");
        check("<-1130>11:30", "2026-11-17T11:29:59Z", "2026-11-16");
    }

    /// D3.11: what is no time zone is UTC, and leads nowhere.
    #[test]
    fn what_is_no_zone_is_utc() {
        for zone in ["No/Such", "../../etc/passwd", "/dev/null", "/no/such", "a//b", ":", "\u{1b}"]
        {
            check(zone, "2026-11-16T23:30:00Z", "2026-11-16");
        }
    }
}
