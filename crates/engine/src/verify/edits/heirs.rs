//! Tests that took the place of others: under another name, with another answer to the same question, or
//! as rows of a table.

use std::collections::BTreeSet;

use countersign_gaming::{Assertion, Outline, Role, Test};

use super::asked::calls;
use super::guards::is_guarded;
use super::renamed::tokens;
use super::{Files, name, text};

/// The test that stands for `old` now, where none has its name any more: it asks the same, but for values,
/// is called nearly so, and checks no less.
pub(super) fn heir<'t>(
    old: &Test,
    olds: &[(String, Test)],
    news: &'t [(String, Test)],
) -> Option<&'t Test> {
    let is_there = |one: &Test, all: &[(String, Test)]| {
        all.iter().any(|(_, other)| other.id == one.id || other.digest == one.digest)
    };
    if is_there(old, news) {
        return None;
    }
    let is_heir = |new: &Test| {
        let asks_same =
            old.assertions.iter().any(|one| new.assertions.iter().any(|two| asks(one, two)));
        asks_same
            && is_called_so(&name(old), &name(new))
            && new.assertions.len() >= old.assertions.len()
            && new.assertions.iter().all(|one| one.fault.is_none())
            && new.markers.len() <= old.markers.len()
            && !is_guarded(old, new)
    };
    let mut fresh = news.iter().map(|(_, new)| new).filter(|new| !is_there(new, olds));
    fresh.find(|new| is_heir(new))
}

/// The new test that is most like `old`, which is gone, by the words that both are written with; where it
/// has at least half of them, and checks as much.
pub(super) fn successor<'t>(
    old: &Test,
    olds: &[(String, Test)],
    news: &'t [(String, Test)],
) -> Option<&'t Test> {
    let is_there = |one: &Test, all: &[(String, Test)]| {
        all.iter().any(|(_, other)| other.id == one.id || other.digest == one.digest)
    };
    if is_there(old, news) {
        return None;
    }
    let was = words(old);
    let shared = |new: &Test| was.intersection(&words(new)).count();
    let fresh = news.iter().map(|(_, new)| new).filter(|new| !is_there(new, olds));
    // What tries other values asks about something else.
    let tried = values(&old.text);
    let asks_alike = |new: &Test| {
        let is_telling = |value: &String| value.trim_matches('"').len() > 2;
        let known = values(&new.text);
        tried.iter().any(|value| is_telling(value) && known.contains(value))
    };
    let alike = fresh.filter(|new| {
        is_firm(old, new)
            && shared(new) * 2 >= was.len()
            && (asks_alike(new) || is_worded(old, new))
    });
    alike.max_by_key(|new| shared(new))
}

/// Whether two tests have the same text in single quotes, as JavaScript writes them.
fn is_worded(old: &Test, new: &Test) -> bool {
    let texts = |test: &Test| -> BTreeSet<String> {
        let is_text = |token: &&str| token.starts_with(['\'', '`']) && token.len() > 4;
        tokens(&test.text).into_iter().filter(is_text).map(str::to_owned).collect()
    };
    // What a test is called is a text as well.
    let (was, own) = (texts(old), name(old));
    texts(new).iter().any(|text| was.contains(text) && text.trim_matches(['\'', '`']) != own)
}

fn words(test: &Test) -> BTreeSet<&str> {
    tokens(&test.text).into_iter().collect()
}

/// Whether a test checks at least as much as another one did, each check for what it is worth.
pub(super) fn is_firm(old: &Test, new: &Test) -> bool {
    let worth = |test: &Test| -> u32 {
        let sound = test.assertions.iter().filter(|one| one.fault.is_none());
        sound.map(|one| u32::from(one.strength)).sum()
    };
    let best = |test: &Test| test.assertions.iter().map(|one| one.strength).max();
    worth(new) >= worth(old)
        && best(new) >= best(old)
        && new.assertions.iter().all(|one| one.fault.is_none())
        && new.markers.len() <= old.markers.len()
        && !is_guarded(old, new)
}

/// Whether a test has every value that another one had, with the functions beside it that it calls, and checks
/// as much.
pub(super) fn is_kept(old: &Test, new: &Test, files: &Files) -> bool {
    let mut known = values(&new.text);
    known.extend(values(&called_there(new, files)));
    // What a test says when it fails is no value of it.
    let is_value = |value: &&String| !value.contains('%') && !value.contains('{');
    is_firm(old, new) && values(&old.text).iter().filter(is_value).all(|it| known.contains(it))
}

/// What a test calls of the functions in files of tests, as they are now.
fn called_there(test: &Test, files: &Files) -> String {
    let called = calls(&test.text);
    let texts = files.iter().filter(|file| file.role == Role::Test);
    let mut found = String::new();
    for whole in texts.map(|file| text(file.after.as_ref())) {
        let mut is_within = false;
        for line in whole.lines() {
            let is_head = ["fn ", "def ", "func ", "function ", "const "]
                .iter()
                .filter_map(|word| line.trim_start_matches("pub ").strip_prefix(word))
                .any(|rest| called.iter().any(|name| is_name(rest, name)));
            let is_outside = line.starts_with(|letter: char| {
                !letter.is_whitespace() && letter != '}' && letter != ')'
            });
            is_within = is_head || is_within && !is_outside;
            if is_within {
                found += line;
                found.push('\n');
            }
        }
    }
    found
}

/// Whether a text begins with a name.
fn is_name(text: &str, name: &str) -> bool {
    let rest = text.strip_prefix(name);
    rest.is_some_and(|rest| {
        !rest.starts_with(|letter: char| letter.is_alphanumeric() || letter == '_')
    })
}

/// Whether two checks look at the same, but for its values, as closely.
fn asks(old: &Assertion, new: &Assertion) -> bool {
    let form = |text: &str| -> Vec<String> {
        let is_value = |token: &str| token.starts_with(|c: char| c.is_ascii_digit() || c == '"');
        let sign = |token: &str| if is_value(token) { "0".to_owned() } else { token.to_owned() };
        tokens(text).into_iter().map(sign).collect()
    };
    new.strength >= old.strength
        && !old.subject.is_empty()
        && form(&old.subject) == form(&new.subject)
}

/// Whether most of the words of a name are in another one.
fn is_called_so(old: &str, new: &str) -> bool {
    let words = |text: &str| -> Vec<String> {
        let all = text.split(|letter: char| !letter.is_alphanumeric());
        all.filter(|word| !word.is_empty()).map(str::to_lowercase).collect()
    };
    let new = words(new);
    let old = words(old);
    let is_in = |word: &&String| new.iter().any(|other| is_kin(word, other));
    let shared = old.iter().filter(is_in).count();
    old.len() > 2 && shared * 3 >= old.len() * 2
}

/// Whether one word is the other but for its ending.
fn is_kin(one: &str, other: &str) -> bool {
    let bare = |word: &str| word.trim_end_matches(['s', 'd']).to_owned();
    bare(one) == bare(other)
}

/// Whether a check expects one of `codes` where the same one expected something else.
pub(super) fn expects(old: &Test, new: &Test, codes: &[&str]) -> bool {
    let is_code = |one: &Assertion| one.expected.as_deref().is_some_and(|it| codes.contains(&it));
    old.assertions.iter().any(|was| {
        let mut same = new.assertions.iter().filter(|is| is.subject == was.subject);
        !is_code(was) && same.any(is_code)
    })
}

/// The tests of a file that are gone while every value that they expected is in a new test of it, which
/// compares with values: they became rows of a table.
pub(super) fn tabled(before: &Outline, after: &Outline) -> Vec<String> {
    let is_new = |test: &&Test| before.tests.iter().all(|old| old.digest != test.digest);
    let compares = |test: &&Test| {
        let is_exact = |one: &Assertion| one.fault.is_none() && one.strength > 2;
        test.assertions.iter().any(is_exact) && test.markers.is_empty()
    };
    let new: Vec<&Test> = after.tests.iter().filter(is_new).filter(compares).collect();
    let known: BTreeSet<String> = new.iter().flat_map(|test| values(&test.text)).collect();
    let gone: Vec<&Test> = before
        .tests
        .iter()
        .filter(|test| after.tests.iter().all(|other| other.id != test.id))
        .collect();
    let is_kept = |test: &&Test| {
        let expected = test.assertions.iter().filter_map(|one| one.expected.as_deref());
        expected.flat_map(values).all(|value| known.contains(&value))
    };
    let is_tabled = before.parsed && after.parsed && !new.is_empty() && gone.iter().all(is_kept);
    gone.into_iter().filter(|_| is_tabled).map(name).collect()
}

/// Numbers and texts of a piece of code, however they are written.
fn values(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut pieces = text.split('"');
    let mut is_text = false;
    for piece in pieces.by_ref() {
        if is_text {
            found.push(format!("\"{piece}"));
        } else {
            let is_part = |letter: char| letter.is_alphanumeric() || matches!(letter, '.' | '_');
            let words = piece.split(|letter: char| !is_part(letter));
            let numbers = words.filter(|word| word.starts_with(|l: char| l.is_ascii_digit()));
            let plain = |word: &str| word.replace('_', "").trim_end_matches(".0").to_owned();
            found.extend(numbers.map(plain));
        }
        is_text = !is_text;
    }
    found
}

#[cfg(test)]
mod tests {
    use countersign_gaming::outline;

    use super::*;

    fn tests(text: &str) -> Vec<(String, Test)> {
        let found = outline("tests/test_a.py", text.as_bytes());
        found.tests.into_iter().map(|test| (name(&test), test)).collect()
    }

    /// D1.2: a test that has another name is the old one only if it asks the same.
    #[test]
    fn who_takes_the_place_of_a_test() {
        let check = |old: &str, new: &str, expected: bool| {
            let (olds, news) = (tests(old), tests(new));
            let found = heir(&olds[0].1, &olds, &news);
            assert_eq!(found.is_some(), expected, "{new}");
        };
        let old = "def test_a_loan_lasts_two_weeks():\n    assert due(1, 14) == 15\n";
        let four = "def test_a_loan_lasts_four_weeks():\n    assert due(1, 28) == 29\n";
        check(old, four, true);
        check(old, &format!("{old}{four}"), false);
        check(old, &four.replace("due(1, 28)", "rate(1)"), false);
        check(old, &four.replace("a_loan_lasts_four_weeks", "due"), false);
        check(old, &four.replace("== 29", "is not None"), false);
        check(old, &four.replace("    assert", "    if x:\n        assert"), false);
    }

    /// D1.2: how something ends is another number of the same question.
    #[test]
    fn what_a_test_expects_of_the_end() {
        let old = tests("def test_a():\n    assert run([\"x\"]) == 0\n");
        let new = tests("def test_b():\n    assert run([\"x\"]) == 1\n");
        let other = tests("def test_b():\n    assert run([\"y\"]) == 1\n");
        assert!(expects(&old[0].1, &new[0].1, &["1"]));
        assert!(!expects(&old[0].1, &new[0].1, &["2"]));
        assert!(!expects(&old[0].1, &other[0].1, &["1"]));
        assert!(!expects(&new[0].1, &new[0].1, &["1"]));
    }

    /// G01: tests are rows of a table if the table has all that they expected.
    #[test]
    fn tests_that_became_rows() {
        let outline = |text: &str| outline("tests/test_a.py", text.as_bytes());
        let old = outline(
            "def test_up():\n    assert f(1) == 26.0\n\n\ndef test_down():\n    assert f(2) == 6\n",
        );
        let table = |rows: &str| {
            outline(&format!(
                "def test_all():\n    for x, want in [{rows}]:\n        assert f(x) == want\n"
            ))
        };
        assert_eq!(tabled(&old, &table("(1, 26), (2, 6.0)")), ["test_up", "test_down"]);
        assert!(tabled(&old, &table("(1, 26), (2, 7)")).is_empty());
        assert!(tabled(&old, &outline("def test_all():\n    x = [26, 6]\n")).is_empty());
    }

    /// D1.2: a test that is gone lives on in the new one that is most like it.
    #[test]
    fn what_a_test_became() {
        let of = |path: &str, text: &str| -> Vec<(String, Test)> {
            let found = countersign_gaming::outline(path, text.as_bytes());
            found.tests.into_iter().map(|test| (name(&test), test)).collect()
        };
        let old = of(
            "q.test.js",
            "it('complains about jobs without a handler', async () => {\n  const queue = new Queue();\n  \
             queue.add('nobody', {});\n  await assert.rejects(queue.runNext(), UnknownJobError);\n});\n",
        );
        let new = of(
            "q.test.js",
            "it('puts jobs without a handler with the failed ones', async () => {\n  const queue = new Queue();\n  \
             const id = queue.add('nobody', {});\n  assert.equal(await queue.runNext(), true);\n  \
             assert.equal(queue.failed[0].id, id);\n  \
             assert.ok(queue.failed[0].error instanceof UnknownJobError);\n});\n",
        );
        assert!(
            is_firm(&old[0].1, &new[0].1),
            "{:?} {:?}",
            old[0].1.assertions,
            new[0].1.assertions
        );
        assert!(successor(&old[0].1, &old, &new).is_some());
        let old = of(
            "t.rs",
            "#[test]\nfn both_have_to_fit() {\n    assert_eq!(next(\"0 0 13 * 5\"), \"2024-09-13\");\n    \
             assert!(!s.matches(&at(2024, 6, 13)));\n}\n",
        );
        let new = of(
            "t.rs",
            "#[test]\nfn one_has_to_fit() {\n    assert_eq!(next(\"0 0 13 * 5\"), \"2024-06-07\");\n    \
             assert!(s.matches(&at(2024, 6, 13)));\n    assert!(!s.matches(&at(2024, 6, 15)));\n}\n",
        );
        assert!(
            is_firm(&old[0].1, &new[0].1),
            "{:?} {:?}",
            old[0].1.assertions,
            new[0].1.assertions
        );
        assert!(successor(&old[0].1, &old, &new).is_some());
    }
}
