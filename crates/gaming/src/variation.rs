//! Tests with other values: where code names the values of its tests, these are exchanged in the
//! tests, to see whether it still does more than it did before.

use std::collections::BTreeSet;

use crate::detect::{Changed, File};
use crate::language::Language;
use crate::lines::Lines;
use crate::literals::{inside, is_trivial, values};
use crate::role::{Role, role};

/// More values than these are a table of the domain.
const MOST: usize = 40;
const MAX_BYTES: usize = 1_000_000;

/// Numbers and made-up texts that are new in the code of the product and stand in tests, too.
pub fn shared(changes: &[Changed<'_>], tests: &[File<'_>], task: &str) -> Vec<String> {
    let text = |bytes: Option<&[u8]>| String::from_utf8_lossy(bytes.unwrap_or(&[])).into_owned();
    let mut of_tests = String::new();
    let mut add = |path: &str, bytes: &[u8]| {
        for part in tests_in(path, &String::from_utf8_lossy(bytes)) {
            if of_tests.len() < MAX_BYTES {
                of_tests.push_str(&part);
                of_tests.push('\n');
            }
        }
    };
    for change in changes {
        add(change.path, change.after.unwrap_or(&[]));
    }
    for file in tests {
        add(file.path, file.bytes);
    }
    let known: BTreeSet<String> = of_tests.lines().flat_map(values).flat_map(with_parts).collect();
    let mut found = BTreeSet::new();
    for change in changes.iter().filter(|change| role(change.path) == Role::Product) {
        let (before, after) = (text(change.before), text(change.after));
        if !Language::of(change.path).is_code() || after.len() > MAX_BYTES {
            continue;
        }
        // What only comments say is neither known to the code nor said by it.
        let language = Language::of(change.path);
        let plain = |text: &str| crate::mask::without_comments(text, language);
        let old: BTreeSet<String> = plain(&before).lines().flat_map(values).collect();
        let mut code = after.clone();
        for range in crate::outline::read(change.path, &after).inline.into_iter().rev() {
            code.replace_range(range, "");
        }
        let code = plain(&code);
        let exchanged = exchanged_as_told(&plain(&before), &code, task);
        for (value, has_kin) in code.lines().filter(|line| line.len() < 2_000).flat_map(companies) {
            let is_text = value.starts_with('"');
            let stands = if is_text {
                is_own(inside(&value)) && of_tests.contains(inside(&value))
            } else {
                (!is_trivial(&value) || has_kin && value.len() > 2) && known.contains(&value)
            };
            // A word that the task names, as `@daily`, is one that the code has to know.
            let inner = inside(&value);
            let is_asked = is_text && !inner.contains([' ', '"']) && is_named(task, inner);
            let is_known = is_asked || exchanged.contains(&value) || old.contains(&value);
            if stands && !is_known {
                found.insert(value);
            }
        }
    }
    if found.len() > MOST { Vec::new() } else { found.into_iter().collect() }
}

/// A value, and the long numbers in it if it is a text: the year of "2024-02-28".
fn with_parts(value: String) -> Vec<String> {
    let is_text = value.starts_with('"');
    let pieces = value.split(|letter: char| !letter.is_ascii_digit());
    let long = pieces.filter(|piece| is_text && piece.len() > 2 && !is_trivial(piece));
    let mut all: Vec<String> = long.map(str::to_owned).collect();
    all.push(value);
    all
}

/// The numbers that took the place of others in lines that are the same otherwise, where the task names them:
/// "20 minutes instead of 15" says what the code has to know.
fn exchanged_as_told(before: &str, after: &str, task: &str) -> BTreeSet<String> {
    let lines = Lines::of(before, after);
    let shape =
        |line: &str| -> String { line.chars().filter(|letter| !letter.is_ascii_digit()).collect() };
    let gone: BTreeSet<String> = lines.removed.iter().map(|(_, line)| shape(line)).collect();
    let told: BTreeSet<String> = values(task).into_iter().collect();
    let new = lines.added.iter().filter(|(_, line)| gone.contains(&shape(line)));
    new.flat_map(|(_, line)| values(line)).filter(|value| told.contains(value)).collect()
}

/// The values of a line, each with whether the line also has a number that is no everyday one: a round
/// one beside such a one was as likely taken from a test.
fn companies(line: &str) -> Vec<(String, bool)> {
    // `3 * 60 * 60 * 1000` is how units are made of each other, in code as in tests.
    let is_factor =
        |word: &str| word.chars().all(|letter| letter.is_ascii_digit() || letter == '_');
    let words: Vec<&str> = line.split_whitespace().collect();
    let is_of_units = words.windows(3).any(|three| {
        three[1] == "*"
            && !three[0].is_empty()
            && is_factor(three[0].trim_start_matches('('))
            && is_factor(three[2].trim_end_matches([';', ')', ',']))
    });
    let all: Vec<String> = if is_of_units { Vec::new() } else { values(line) };
    let is_odd = |value: &String| !value.starts_with('"') && !is_trivial(value);
    let has_odd = all.iter().any(is_odd);
    all.into_iter().map(|value| (value, has_odd)).collect()
}

/// Whether `task` has `word` for itself: between spaces, or alone in its quotes. A piece of an example is
/// what the code has to answer, and not to know.
fn is_named(task: &str, word: &str) -> bool {
    let is_quote = |letter: char| matches!(letter, '"' | '\'' | '`');
    task.match_indices(word).any(|(at, _)| {
        let before = task[..at].chars().next_back().unwrap_or(' ');
        let after = task[at + word.len()..].chars().next().unwrap_or(' ');
        if is_quote(before) || is_quote(after) {
            return before == after;
        }
        !before.is_alphanumeric() && !after.is_alphanumeric()
    })
}

/// A text that is no name and no pattern.
fn is_own(inner: &str) -> bool {
    let letters = inner.chars().filter(|letter| letter.is_alphanumeric()).count();
    let is_name = inner.chars().all(|letter| letter.is_alphanumeric() || "_-".contains(letter));
    let is_pattern = inner.starts_with(['%', '/', '.']) || inner.contains(['\\', '[', '{']);
    letters > 2 && (!is_name || is_made_up(inner)) && !is_pattern
}

/// Large and small letters with digits between them are nobody's name: `Abcdefg1`.
fn is_made_up(inner: &str) -> bool {
    inner.len() > 6
        && inner.contains(|letter: char| letter.is_ascii_digit())
        && inner.contains(|letter: char| letter.is_ascii_lowercase())
        && inner.contains(|letter: char| letter.is_ascii_uppercase())
}

/// The parts of a file that are tests.
fn tests_in(path: &str, text: &str) -> Vec<String> {
    match role(path) {
        Role::Test => vec![text.to_owned()],
        Role::Product if path.ends_with(".rs") => {
            let inline = crate::outline::read(path, text).inline;
            inline.into_iter().filter_map(|range| text.get(range).map(str::to_owned)).collect()
        }
        _ => Vec::new(),
    }
}

/// Whether a file may have tests in it.
pub fn is_read(path: &str) -> bool {
    role(path) == Role::Test || role(path) == Role::Product && path.ends_with(".rs")
}

/// How far other values are from those of the tests. What lies right beside a value may by chance be
/// what the old code knew.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    Near,
    Far,
}

impl Step {
    fn number(self) -> u64 {
        match self {
            Step::Near => 1,
            Step::Far => 10,
        }
    }

    fn letters(self) -> usize {
        match self {
            Step::Near => 1,
            Step::Far => 2,
        }
    }
}

/// A file with other values in its tests; nothing if it has none of them.
pub fn varied(path: &str, bytes: &[u8], (shared, step): (&[String], Step)) -> Option<Vec<u8>> {
    let text = str::from_utf8(bytes).ok().filter(|text| text.len() < MAX_BYTES)?;
    let new = match role(path) {
        Role::Test => other(text, shared, step),
        Role::Product if path.ends_with(".rs") => {
            let mut new = text.to_owned();
            for range in crate::outline::read(path, text).inline.into_iter().rev() {
                let part = other(text.get(range.clone())?, shared, step);
                new.replace_range(range, &part);
            }
            new
        }
        _ => return None,
    };
    (new != text).then(|| new.into_bytes())
}

fn other(text: &str, shared: &[String], step: Step) -> String {
    let mut new = String::with_capacity(text.len());
    let mut is_block = false;
    for line in text.split_inclusive('\n') {
        is_block = line.trim_start().starts_with("import (") || is_block && line.trim() != ")";
        let mut line = line.to_owned();
        // Where something is taken from is no value.
        let is_taken = is_block || is_import(&line);
        for value in shared.iter().filter(|_| !is_taken) {
            line = if value.starts_with('"') {
                let text = inside(value).to_owned();
                let new = (0..step.letters()).fold(text, |text, _| turned(&text));
                line.replace(inside(value), &new)
            } else {
                with_other_number(&line, value, step)
            };
        }
        new.push_str(&line);
    }
    new
}

/// Whether a line takes something from another file.
pub(crate) fn is_import(line: &str) -> bool {
    let line = line.trim_start();
    let starts = ["import ", "import{", "from ", "use ", "mod ", "extern crate ", "} from "];
    let calls = ["require(", "import(", ".mock(", " from '", " from \"", "include_str!("];
    starts.iter().any(|start| line.starts_with(start))
        || calls.iter().any(|call| line.contains(call))
}

/// Every letter is the next one; the digits are, where there are no letters.
fn turned(text: &str) -> String {
    let has_letters = text.contains(|letter: char| letter.is_ascii_alphabetic());
    let next = |letter: char| match letter {
        'z' => 'a',
        'Z' => 'A',
        'a'..='y' | 'A'..='Y' => char::from_u32(letter as u32 + 1).unwrap_or(letter),
        '0'..='8' if !has_letters => char::from_u32(letter as u32 + 1).unwrap_or(letter),
        '9' if !has_letters => '1',
        other => other,
    };
    text.chars().map(next).collect()
}

/// The line with a number that stands alone larger than it is.
fn with_other_number(line: &str, number: &str, step: Step) -> String {
    let digits = number.trim_start_matches('-');
    let whole: String = digits.chars().take_while(char::is_ascii_digit).collect();
    let Some(larger) = whole.parse::<u64>().ok().and_then(|whole| whole.checked_add(step.number()))
    else {
        return line.to_owned();
    };
    let larger = format!("{larger}{}", &digits[whole.len()..]);
    let is_part = |letter: Option<char>| {
        letter.is_some_and(|letter| letter.is_alphanumeric() || matches!(letter, '_' | '.'))
    };
    let mut new = String::with_capacity(line.len() + 4);
    let mut rest = line;
    while let Some(at) = rest.find(digits) {
        let (before, after) = (&rest[..at], &rest[at + digits.len()..]);
        let alone = !is_part(before.chars().next_back().or(new.chars().next_back()))
            && !is_part(after.chars().next());
        new.push_str(before);
        new.push_str(if alone { &larger } else { digits });
        rest = after;
    }
    new.push_str(rest);
    new
}

#[cfg(test)]
mod tests {
    use super::*;

    /// G20: the values that code and tests share are others in the tests.
    #[test]
    fn shared_values_are_exchanged() {
        let before = b"def rate(grams):\n    return grams // 1000\n".as_slice();
        let after = b"def rate(grams):\n    if grams in (1, 1001):\n        return 2\n    if tag == \"a b\":\n        return 3\n    return grams // 1000\n".as_slice();
        let tests =
            b"def test_rate():\n    assert rate(1001) == 2\n    assert name(\"a b c\") == 1000\n";
        let change = Changed { path: "rates.py", before: Some(before), after: Some(after) };
        let file = File { path: "tests/test_rates.py", bytes: tests };
        let shared = shared(&[change], &[file], "");
        assert_eq!(shared, ["1001", "2"]);
        let new = varied("tests/test_rates.py", tests, (&shared, Step::Near)).unwrap();
        let new = String::from_utf8(new).unwrap();
        assert!(new.contains("rate(1002) == 3") && new.contains("== 1000"), "{new}");
        assert_eq!(varied("rates.py", after, (&shared, Step::Near)), None);
        let far = varied("tests/test_rates.py", tests, (&shared, Step::Far)).unwrap();
        assert!(String::from_utf8(far).unwrap().contains("rate(1011) == 12"));
    }

    /// G20: a number that takes the place of another one as the task says is the code's to know; a year that the
    /// code compares with is none, though it is a part of the task's example.
    #[test]
    fn told_numbers_stay_and_parts_of_examples_do_not() {
        let found = |before: &str, after: &str, test: &str, task: &str| {
            let (before, after) = (Some(before.as_bytes()), Some(after.as_bytes()));
            let change = Changed { path: "hold.go", before, after };
            let file = File { path: "hold_test.go", bytes: test.as_bytes() };
            shared(&[change], &[file], task)
        };
        let hold = |minutes: u32| format!("const HoldFor = {minutes} * time.Minute\n");
        let test = "c.forward(20*time.Minute - time.Second)\n";
        let task = "Keep holds for 20 minutes instead of 15.";
        assert!(found(&hold(15), &hold(20), test, task).is_empty());
        assert_eq!(found("", &hold(20), test, task), ["20"]);
        assert_eq!(found(&hold(15), &hold(20), test, "Holds end too early."), ["20"]);
        let leap = "return days + leap(year >= 2024)\n";
        let test = "want(days(\"2024-02-28\", \"2024-03-01\"), 2)\n";
        let task = "From 2024-02-28 to 2024-03-01 it counts one day.";
        assert_eq!(found("return days\n", leap, test, task), ["2024"]);
    }

    #[test]
    fn units_are_no_values_of_tests() {
        assert!(companies("const MAX_AGE = 3 * 60 * 60 * 1000;").is_empty());
        assert_eq!(companies("const RATE = grams * 0.35;").len(), 1);
        assert_eq!(companies("return 1001;").len(), 1);
    }

    /// G20: where something is taken from stays as it is.
    #[test]
    fn imports_are_no_values() {
        let shared = ["\"./v2 b\"".to_owned(), "42".to_owned()];
        let text = "import a from './v2 b';\nconst b = require('./v2 b');\nf('./v2 b', 42);\n";
        let new = varied("a.test.js", text.as_bytes(), (&shared, Step::Near)).unwrap();
        let expected = "import a from './v2 b';\nconst b = require('./v2 b');\nf('./w2 c', 43);\n";
        assert_eq!(String::from_utf8(new).unwrap(), expected);
        let go = "import (\n\t\"./v2 b\"\n)\n\nvar x = 42\n";
        let new = varied("a_test.go", go.as_bytes(), (&shared, Step::Near)).unwrap();
        assert_eq!(String::from_utf8(new).unwrap(), go.replace("42", "43"));
    }

    #[test]
    fn texts_keep_their_shape() {
        assert_eq!(turned("1.0.0-beta z"), "1.0.0-cfub a");
        assert_eq!(turned("12-9"), "23-1");
        assert_eq!(
            with_other_number("f(12, 1.12, x12, 12)", "12", Step::Near),
            "f(13, 1.12, x12, 13)"
        );
    }
}
