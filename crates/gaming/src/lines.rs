//! Which lines of a file are new, and which are gone.
//!
//! A line counts as new if the old file has fewer of it. Lines that only moved are neither, which
//! is what is wanted here: a move is no change of meaning that a detector of words should see.

use std::collections::{HashMap, HashSet};

/// Two versions of a text, compared line by line.
#[derive(Debug, Default)]
pub(crate) struct Lines<'a> {
    /// Number, counted from one, and text.
    pub(crate) added: Vec<(u32, &'a str)>,
    pub(crate) removed: Vec<(u32, &'a str)>,
    numbers: HashSet<u32>,
}

impl<'a> Lines<'a> {
    pub(crate) fn of(before: &'a str, after: &'a str) -> Self {
        let added = extra(after, before);
        let removed = extra(before, after);
        let numbers = added.iter().map(|(number, _)| *number).collect();
        Self { added, removed, numbers }
    }

    pub(crate) fn is_added(&self, line: u32) -> bool {
        self.numbers.contains(&line)
    }

    /// Whether any line of a range is new.
    pub(crate) fn touches(&self, first: u32, last: u32) -> bool {
        // Ranges are functions, and mostly shorter than the list of new lines.
        (first..=last).any(|line| self.numbers.contains(&line))
    }
}

/// Lines of `text` that `other` has fewer of.
fn extra<'a>(text: &'a str, other: &'a str) -> Vec<(u32, &'a str)> {
    let mut known: HashMap<&str, u32> = HashMap::new();
    for line in other.lines() {
        *known.entry(line.trim()).or_default() += 1;
    }
    let mut found = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let told = line.trim();
        match known.get_mut(told) {
            Some(count) if *count > 0 => *count -= 1,
            _ if told.is_empty() => {}
            _ => found.push((number, line)),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moved_lines_are_not_new() {
        let lines = Lines::of("a\nb\nc\n", "c\n  a\nd\nd\n\n");
        assert_eq!(lines.added, [(3, "d"), (4, "d")]);
        assert_eq!(lines.removed, [(2, "b")]);
        assert!(lines.is_added(3) && !lines.is_added(1) && lines.touches(1, 3));
    }
}
