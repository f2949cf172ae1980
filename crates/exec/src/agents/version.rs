//! Versions of agents, and which of their hook events exist since when.

use std::fmt;

/// A version in three numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version(pub u32, pub u32, pub u32);

impl Version {
    /// The first version in what a program says about itself, such as `codex-cli 0.166.0`.
    pub fn find_in(text: &str) -> Option<Self> {
        let is_part = |c: char| c.is_ascii_digit() || c == '.';
        text.split(|c| !is_part(c)).find_map(|word| {
            let mut numbers = word.split('.').map(str::parse::<u32>);
            let mut next = || numbers.next()?.ok();
            Some(Self(next()?, next()?, next()?))
        })
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.0, self.1, self.2)
    }
}

/// An event, and the first version that knows it. `None` is any version that has hooks.
pub type Since = (&'static str, Option<Version>);

/// The events of `table` that `version` knows; without a version, those that all know.
pub fn known(
    table: &'static [Since],
    version: Option<Version>,
) -> impl Iterator<Item = &'static str> {
    table
        .iter()
        .filter(move |(_, since)| match (since, version) {
            (None, _) => true,
            (Some(since), Some(version)) => version >= *since,
            (Some(_), None) => false,
        })
        .map(|(event, _)| *event)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_found_in_what_programs_say() {
        let check = |said: &str, expected: Option<&str>| {
            assert_eq!(
                Version::find_in(said).map(|v| v.to_string()).as_deref(),
                expected,
                "{said}"
            );
        };
        check("2.1.325 (Claude Code)", Some("2.1.325"));
        check("codex-cli 0.166.0", Some("0.166.0"));
        check("0.61.0", Some("0.61.0"));
        check("v1.2.3-beta.4", Some("1.2.3"));
        check("1.2", None);
        check("99999999999.0.0", None);
        check("", None);
    }

    #[test]
    fn versions_are_compared_by_number() {
        assert!(Version(2, 1, 9) < Version(2, 1, 10));
        assert!(Version(2, 1, 325) < Version(2, 2, 0));
    }
}
