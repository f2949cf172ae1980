//! Every check of a test as a test of its own, so that one that fails hides no other.

use crate::language::Language;
use crate::outline::{self, Test};

const MAX_BYTES: usize = 400_000;
const MOST_CHECKS: usize = 12;
/// What stands between the name of a test and the number of its check.
const MARK: &str = "only";

/// The name of the test that a single check was taken from.
pub fn named(name: &str) -> &str {
    for mark in ["_only_", " only "] {
        if let Some((test, number)) = name.rsplit_once(mark)
            && !number.is_empty()
            && number.chars().all(|letter| letter.is_ascii_digit())
        {
            return test;
        }
    }
    name
}

/// A file with copies of its `wanted` tests, each with one of their checks; nothing if none has several.
pub fn single(path: &str, bytes: &[u8], wanted: &dyn Fn(&str) -> bool) -> Option<Vec<u8>> {
    let text = str::from_utf8(bytes).ok().filter(|text| text.len() < MAX_BYTES)?;
    let language = Language::of(path);
    let outline = outline::read(path, text);
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let mut new = String::with_capacity(text.len() * 2);
    let mut at = 0;
    let mut has_copies = false;
    for test in outline.tests.iter().filter(|_| outline.parsed) {
        let end = (test.last_line as usize).min(lines.len());
        if end < at || !test.markers.is_empty() || !wanted(test.name()) {
            continue;
        }
        let copies = copies(test, &lines, language);
        has_copies |= !copies.is_empty();
        lines[at..end].iter().for_each(|line| new.push_str(line));
        if !new.ends_with('\n') {
            new.push('\n');
        }
        for copy in &copies {
            new.push_str(copy);
        }
        at = end;
    }
    lines[at..].iter().for_each(|line| new.push_str(line));
    has_copies.then(|| new.into_bytes())
}

/// The test once for each of its checks.
fn copies(test: &Test, lines: &[&str], language: Language) -> Vec<String> {
    let first = begin(test, lines);
    let body = lines.get(first..(test.last_line as usize).min(lines.len())).unwrap_or(&[]);
    let checks: Vec<usize> =
        (0..body.len()).filter(|index| is_check(body[*index].trim(), language)).collect();
    if checks.len() < 2 || checks.len() > MOST_CHECKS {
        return Vec::new();
    }
    let number = |(number, kept): (usize, &usize)| {
        let mut is_named = false;
        let mut copy = String::new();
        for (index, line) in body.iter().enumerate() {
            if index != *kept && checks.contains(&index) {
                continue;
            }
            match renamed(line, test.name(), (number + 1, language)).filter(|_| !is_named) {
                Some(line) => {
                    is_named = true;
                    copy.push_str(&line);
                }
                None => copy.push_str(line),
            }
        }
        is_named.then(|| format!("\n{copy}"))
    };
    checks.iter().enumerate().filter_map(number).collect()
}

/// The line that a test begins with, counted from zero, with what stands above it and belongs to it.
fn begin(test: &Test, lines: &[&str]) -> usize {
    let mut first = (test.line as usize).saturating_sub(1).min(lines.len());
    while first > 0 {
        let above = lines[first - 1].trim();
        let is_whole = is_balanced(above);
        if !(above.starts_with('@') || above.starts_with("#[")) || !is_whole {
            break;
        }
        first -= 1;
    }
    first
}

/// Whether a line is a whole statement that checks something.
pub(super) fn is_check(line: &str, language: Language) -> bool {
    let starts: &[&str] = match language {
        Language::Python => &["assert ", "self.assert"],
        Language::Rust => &["assert_eq!(", "assert!(", "assert_ne!("],
        Language::JavaScript | Language::TypeScript => &["assert.", "assert(", "expect("],
        _ => &[],
    };
    let ends = language == Language::Python || line.ends_with(';');
    starts.iter().any(|start| line.starts_with(start)) && ends && is_balanced(line)
}

fn is_balanced(line: &str) -> bool {
    let count = |sign: char| line.matches(sign).count();
    count('(') == count(')')
        && count('[') == count(']')
        && count('{') == count('}')
        && !line.ends_with(['\\', ','])
}

/// The head of a test with another name.
fn renamed(line: &str, name: &str, (number, language): (usize, Language)) -> Option<String> {
    let new = match language {
        Language::Python => {
            line.replacen(&format!("def {name}("), &format!("def {name}_{MARK}_{number}("), 1)
        }
        Language::Rust => {
            line.replacen(&format!("fn {name}("), &format!("fn {name}_{MARK}_{number}("), 1)
        }
        _ => {
            let at = ['"', '\'', '`']
                .iter()
                .find_map(|quote| line.find(&format!("{quote}{name}{quote}")))?;
            let end = at + 1 + name.len();
            format!("{} {MARK} {number}{}", &line[..end], &line[end..])
        }
    };
    (new != line).then_some(new)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(path: &str, text: &str, expected: Option<&str>) {
        let new = single(path, text.as_bytes(), &|_| true);
        assert_eq!(new.map(|new| String::from_utf8(new).unwrap()).as_deref(), expected);
    }

    /// G20: a check that fails hides no other.
    #[test]
    fn checks_become_tests() {
        check(
            "tests/test_a.py",
            "@mark\ndef test_a(x):\n    y = x\n    assert f(1) == 2\n    assert f(y) == 3\n\n\nz = 1\n",
            Some(
                "@mark\ndef test_a(x):\n    y = x\n    assert f(1) == 2\n    assert f(y) == 3\n\n@mark\ndef test_a_only_1(x):\n    y = x\n    assert f(1) == 2\n\n@mark\ndef test_a_only_2(x):\n    y = x\n    assert f(y) == 3\n\n\nz = 1\n",
            ),
        );
        check("tests/test_a.py", "def test_a():\n    assert f(1) == 2\n", None);
        let js = "test(\"a b\", () => {\n  assert.equal(f(1), 2);\n  assert.equal(f(2), 3);\n});\n";
        let new = single("a.test.js", js.as_bytes(), &|_| true).unwrap();
        let new = String::from_utf8(new).unwrap();
        assert!(
            new.contains("test(\"a b only 1\", () => {\n  assert.equal(f(1), 2);\n});"),
            "{new}"
        );
        let rust = "#[test]\nfn a() {\n    assert_eq!(f(1), 2);\n    assert!(f(2));\n}\n";
        let new = single("tests/a.rs", rust.as_bytes(), &|_| true).unwrap();
        let new = String::from_utf8(new).unwrap();
        assert!(new.contains("#[test]\nfn a_only_2() {\n    assert!(f(2));\n}"), "{new}");
    }

    #[test]
    fn names_are_found_again() {
        assert_eq!(named("test_a_only_2"), "test_a");
        assert_eq!(named("a b only 12"), "a b");
        assert_eq!(named("the only one"), "the only one");
    }
}
