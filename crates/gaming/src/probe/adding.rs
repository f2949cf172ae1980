//! Checks that add up what comes out and compare it with what went in: `sum(split(1001, 4)) == 1001`. Where
//! the task says that it must add up, it must for other values as well, and nobody has to know what comes out.

use std::collections::BTreeSet;

use super::single::is_check;
use crate::language::Language;
use crate::mask;
use crate::outline;

/// A number with fewer digits may be the same by chance.
const LEAST: usize = 2;

/// Whether a task says that something adds up.
pub fn must_add_up(task: &str) -> bool {
    const WORDS: &[&str] =
        &["add up", "adds up", "adding up", "sum up", "sums up", "sum to", "sums to"];
    let lower = task.to_lowercase();
    WORDS.iter().any(|word| lower.contains(word))
}

/// The names of the tests of a file whose only check is such a one.
pub fn adding_up(path: &str, bytes: &[u8]) -> BTreeSet<String> {
    let text = str::from_utf8(bytes).ok().filter(|text| text.len() < super::MAX_BYTES);
    let Some(text) = text else { return BTreeSet::new() };
    let language = Language::of(path);
    let outline = outline::read(path, text);
    let masked = mask::code(text, language);
    let lines: Vec<&str> = masked.lines().collect();
    let is_meant = |test: &&outline::Test| {
        let last = (test.last_line as usize).min(lines.len());
        let body = lines.get((test.line as usize).saturating_sub(1)..last).unwrap_or(&[]);
        let mut checks = body.iter().filter(|line| is_check(line.trim(), language));
        checks.next().is_some_and(|line| adds_up(line)) && checks.next().is_none()
    };
    let tests = outline.tests.iter().filter(|_| outline.parsed).filter(is_meant);
    tests.map(|test| test.name().to_owned()).collect()
}

/// Whether a line compares the sum of an answer with something that was asked.
fn adds_up(line: &str) -> bool {
    let compares = ["==", "qual", "assert_eq!", "toBe(", "toEqual("];
    let is_other = ["!=", "assert_ne!", "not", "Not"].iter().any(|word| line.contains(word));
    let Some(summed) = summed(line) else { return false };
    let is_equality = compares.iter().any(|word| line.contains(word)) && !is_other;
    let rest = [&line[..summed.start], " ", &line[summed.end..]].concat();
    let asked = asked(&line[summed]);
    is_equality && values(&rest).any(|value| asked.contains(value))
}

/// Where what is added up stands in a line: `sum(…)`, `….sum()`, `….reduce(`.
fn summed(line: &str) -> Option<std::ops::Range<usize>> {
    let is_name = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '.');
    if let Some(at) = line.find("sum(").filter(|at| !line[..*at].ends_with(is_name)) {
        let start = at + "sum(".len();
        let mut depth = 1_usize;
        let end = line[start..].find(|letter: char| {
            depth = match letter {
                '(' => depth + 1,
                ')' => depth.saturating_sub(1),
                _ => depth,
            };
            depth == 0
        })?;
        return Some(start..start + end);
    }
    let end = [".sum()", ".sum::<", ".reduce("].iter().find_map(|sign| line.find(sign))?;
    let mut depth = 0_usize;
    let before = line[..end].rfind(|letter: char| match letter {
        ')' => {
            depth += 1;
            false
        }
        '(' if depth > 0 => {
            depth -= 1;
            false
        }
        '(' | ',' | ' ' => depth == 0,
        _ => false,
    });
    Some(before.map_or(0, |before| before + 1)..end)
}

/// The values that a call in `text` is handed.
fn asked(text: &str) -> BTreeSet<&str> {
    text.split_once('(').into_iter().flat_map(|(_, arguments)| values(arguments)).collect()
}

/// The names and the whole numbers of a text that are not called.
fn values(text: &str) -> impl Iterator<Item = &str> {
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
    let words = text.split(move |letter: char| !is_part(letter));
    words.filter(move |word| {
        let at = word.as_ptr() as usize - text.as_ptr() as usize;
        let (before, after) = (&text[..at], &text[at + word.len()..]);
        let is_alone = !before.ends_with('.') && !after.starts_with(['(', '.', '!']);
        let is_number = word.chars().all(|letter| letter.is_ascii_digit());
        let is_long = word.len() >= LEAST && (is_number || !word.starts_with(char::is_numeric));
        is_alone && is_long && !matches!(*word, "assert" | "self" | "lambda" | "for" | "in")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_that_are_compared_with_what_went_in() {
        let check = |line: &str, is: bool| assert_eq!(adds_up(line), is, "{line}");
        check("assert sum(split(1001, 4)) == 1001", true);
        check("assert 1001 == sum(split(1001, 4))", true);
        check("assert sum(bill.split(total, people)) == total", true);
        check("self.assertEqual(sum(split(1001, 4)), 1001)", true);
        check("assert_eq!(split(1001, 4).iter().sum::<i64>(), 1001);", true);
        check("assert_eq!(1001, split(1001, 4).iter().sum());", true);
        check("expect(split(1001, 4).reduce((a, b) => a + b, 0)).toBe(1001);", true);
        check("assert.equal(sum(split(1001, 4)), 1001);", true);
        // Another number, one of few digits, or a part of one, is no such thing.
        check("assert sum(split(1001, 4)) == 1000", false);
        check("assert sum(split(8, 4)) == 8", false);
        check("assert sum(split(1001, 4)) == 1001.0", false);
        check("assert sum(split(1001, 4)) != 1001", false);
        check("assert sum(shares) == len(shares)", false);
        check("assert checksum(split(1001, 4)) == 1001", false);
        check("assert split(1001, 4)[0] == 1001", false);
    }

    #[test]
    fn tests_with_one_check() {
        let text = "def test_a():\n    assert f(1) == 2\n    assert sum(f(10, 3)) == 10\n\n\n\
def test_b():\n    assert sum(f(10, 3)) == 10\n";
        assert_eq!(adding_up("tests/test_a.py", text.as_bytes()), ["test_b".to_owned()].into());
        assert!(must_add_up("The shares must add up to the total") && !must_add_up("Add a column"));
    }
}
