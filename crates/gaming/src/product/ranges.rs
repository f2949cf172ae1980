//! Keys of tables that a task asks for: by a range ("T1 to T6"), or as a list that is new with its tests.

use super::View;
use crate::literals::{inside, spelled};

const TO: &[&str] = &["to", "through", "until", "till", "thru", "-", "–", "—", "…", "..", "..."];
const JOINTS: &[&str] = &["...", "..", "…", "–", "-"];
const DAYS: &[&str] =
    &["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
const MONTHS: &[&str] = &[
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];
/// What a table is of that somebody asks for.
const KINDS: &[&str] = &[
    "scale",
    "scales",
    "grade",
    "grades",
    "code",
    "codes",
    "unit",
    "units",
    "abbreviation",
    "abbreviations",
    "symbol",
    "symbols",
    "currency",
    "currencies",
    "weekday",
    "weekdays",
    "month",
    "months",
    "level",
    "levels",
];
const LONGEST: usize = 12;

/// Whether all keys of a table are what the task asks for: it names them by a range, or it asks for a
/// list of short codes that no test knew before.
pub(super) fn are_asked(view: &View<'_>, keys: &[&str]) -> bool {
    // A sign that stands in the task: `('½', 1)`
    let is_sign = |key: &&str| {
        let first = crate::literals::values(key).into_iter().next().unwrap_or_default();
        let mut letters = inside(&first).chars();
        let sign = letters.next().filter(|letter| !letter.is_ascii_alphanumeric());
        letters.next().is_none() && sign.is_some_and(|sign| view.literals.task().contains(sign))
    };
    if keys.len() > 1 && keys.iter().all(is_sign) {
        return true;
    }
    let keys: Vec<String> = keys.iter().map(|key| spelled(key)).collect();
    let ranges = ranges(view.literals.task());
    // A few numbers out of thousands are no table of them.
    let is_in = |key: &String| {
        ranges.iter().any(|range| range.is_short_for(keys.len()) && range.has(inside(key)))
    };
    if keys.iter().all(is_in) {
        return true;
    }
    let is_code = |key: &String| {
        let inner = inside(key);
        key.starts_with('"')
            && inner.len() <= LONGEST
            && inner.chars().all(|letter| letter.is_alphanumeric() || "°/²³%".contains(letter))
            && !view.literals.was_tried(key)
    };
    crate::wanted::is_feature(view.literals.task())
        && view.literals.task_has(KINDS)
        && keys.len() > 2
        && keys.iter().all(is_code)
}

/// From one to another, both of them included.
#[derive(Debug, PartialEq, Eq)]
enum Range {
    /// What stands before the number, and the numbers.
    Numbers(String, u32, u32),
    Letters(char, char),
    Names(&'static [&'static str]),
}

impl Range {
    fn of(first: &str, last: &str) -> Option<Self> {
        let (low, high) = (first.to_lowercase(), last.to_lowercase());
        for names in [DAYS, MONTHS] {
            let is_one = |word: &str| {
                word.len() > 2
                    && names.iter().any(|name| name.starts_with(word.trim_end_matches('s')))
            };
            if is_one(&low) && is_one(&high) {
                return Some(Self::Names(names));
            }
        }
        if let ([one], [other]) =
            (&low.chars().collect::<Vec<_>>()[..], &high.chars().collect::<Vec<_>>()[..])
            && one.is_alphabetic()
            && other.is_alphabetic()
        {
            return (one < other).then_some(Self::Letters(*one, *other));
        }
        let ((stem, from), (other, to)) = (numbered(&low)?, numbered(&high)?);
        ((stem == other || other.is_empty()) && from < to)
            .then(|| Self::Numbers(stem.to_owned(), from, to))
    }

    /// Whether so many keys are a good part of it.
    fn is_short_for(&self, keys: usize) -> bool {
        match self {
            Self::Numbers(_, from, to) => {
                usize::try_from(to - from).is_ok_and(|all| all < keys * 3)
            }
            Self::Letters(..) | Self::Names(_) => true,
        }
    }

    fn has(&self, key: &str) -> bool {
        let key = key.to_lowercase();
        match self {
            Self::Numbers(stem, from, to) => numbered(&key)
                .is_some_and(|(own, number)| own == stem && (*from..=*to).contains(&number)),
            Self::Letters(from, to) => {
                let mut letters = key.chars();
                let first = letters.next();
                letters.next().is_none() && first.is_some_and(|one| (*from..=*to).contains(&one))
            }
            Self::Names(names) => {
                key.len() > 1 && names.iter().any(|name| name.starts_with(key.as_str()))
            }
        }
    }
}

/// `t6` as `t` and 6.
fn numbered(text: &str) -> Option<(&str, u32)> {
    let stem = text.trim_end_matches(|letter: char| letter.is_ascii_digit());
    let is_plain = stem.len() < 5 && stem.chars().all(|l| l.is_alphabetic() || l == '-');
    let number = text[stem.len()..].parse().ok()?;
    is_plain.then_some((stem, number))
}

/// The ranges that a task names.
fn ranges(task: &str) -> Vec<Range> {
    let marks = ['(', ')', '`', '"', '\'', ',', '.', ';', ':', '[', ']', '?', '!'];
    let words: Vec<&str> =
        task.split_whitespace().take(2_000).map(|word| word.trim_matches(marks)).collect();
    let spoken = words.windows(3).filter(|three| TO.contains(&three[1]));
    let mut found: Vec<Range> = spoken.filter_map(|three| Range::of(three[0], three[2])).collect();
    for word in words {
        let sides = JOINTS.iter().find_map(|joint| word.split_once(joint));
        found.extend(sides.and_then(|(first, last)| Range::of(first, last)));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// G21: what a task names from one to another.
    #[test]
    fn ranges_of_tasks() {
        let has = |task: &str, key: &str| ranges(task).iter().any(|range| range.has(key));
        assert!(has("an option (T1 to T6)", "T4"));
        assert!(has("grades A-F", "C"));
        assert!(has("months from 1 to 12.", "12"));
        assert!(has("open Monday to Friday", "tue"));
        assert!(has("digits from 0 through 9", "7"));
        assert!(has("levels B1–B3", "b2"));
        assert!(!has("an option (T1 to T6)", "T7"));
        assert!(!has("go to town", "x"));
        assert!(!has("from 5 to 3", "4"));
    }
}
