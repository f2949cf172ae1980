//! Figures that say of how many they are, and lists that say what they leave out.

use std::fmt;

use serde::ser::SerializeStruct as _;
use serde::{Serialize, Serializer};

/// So many of all.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Share {
    pub part: u64,
    pub all: u64,
}

impl Share {
    pub fn of(part: usize, all: usize) -> Self {
        Self { part: part as u64, all: all as u64 }
    }

    /// Counts one more.
    pub fn count(&mut self, is_part: bool) {
        self.all += 1;
        self.part += u64::from(is_part);
    }

    /// In a hundred, rounded down so that only all of them are 100; nothing where nothing was
    /// counted.
    pub fn percent(self) -> Option<u64> {
        let percent = u128::from(self.part) * 100 / u128::from(self.all.max(1));
        (self.all > 0).then(|| u64::try_from(percent).unwrap_or(100))
    }

    pub fn is_all(self) -> bool {
        self.all > 0 && self.part == self.all
    }
}

impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.percent() {
            Some(percent) => write!(f, "{} of {} ({percent} %)", self.part, self.all),
            None => f.write_str("nothing to count"),
        }
    }
}

impl Serialize for Share {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_struct("Share", 3)?;
        fields.serialize_field("part", &self.part)?;
        fields.serialize_field("all", &self.all)?;
        fields.serialize_field("percent", &self.percent())?;
        fields.end()
    }
}

/// The most rows of one list. Whoever needs more reads the journal.
const MOST_ROWS: usize = 300;

/// A list of a bounded length.
#[derive(Debug, Clone, Serialize)]
pub struct Kept<T> {
    pub rows: Vec<T>,
    /// How many more there were.
    pub left_out: u64,
}

impl<T> Kept<T> {
    /// The first rows of `rows`.
    pub fn of(mut rows: Vec<T>) -> Self {
        let left_out = rows.len().saturating_sub(MOST_ROWS) as u64;
        rows.truncate(MOST_ROWS);
        Self { rows, left_out }
    }

    /// What `make` makes of the first rows of `all`; nothing is made of the others.
    pub(super) fn made<S>(all: &[S], make: impl FnMut(&S) -> T) -> Self {
        let left_out = all.len().saturating_sub(MOST_ROWS) as u64;
        Self { rows: all.iter().take(MOST_ROWS).map(make).collect(), left_out }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// LP-22: a figure says of how many it is, and nothing counted is no percentage.
    #[test]
    fn shares_are_honest() {
        assert_eq!(Share::of(0, 0).to_string(), "nothing to count");
        assert_eq!(Share::of(2, 3).to_string(), "2 of 3 (66 %)");
        assert_eq!(Share::of(999, 1000).percent(), Some(99));
        assert_eq!(Share { part: u64::MAX, all: u64::MAX }.percent(), Some(100));
    }
}
