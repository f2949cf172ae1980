//! Tests with wrong expectations: where a test compares with what is written down, something else is
//! written there. Such a test must fail; one that passes is not decided by what it asserts.

use crate::args::squeeze;
use crate::outline::{self, Assertion, Test};

const MAX_BYTES: usize = 1_000_000;

/// Words of tests that pass when something in them fails.
const EXPECTS_FAILURE: [&str; 7] = [
    "should_panic",
    "expectedFailure",
    "xfail",
    ".fails(",
    ".failing(",
    "catch_unwind",
    "recover()",
];

/// A file whose tests, as far as their names are `wanted`, expect something else, and the names of
/// those tests; nothing if none of them can.
pub fn exchanged(
    path: &str,
    bytes: &[u8],
    wanted: &dyn Fn(&str) -> bool,
) -> Option<(Vec<u8>, Vec<String>)> {
    let text = str::from_utf8(bytes).ok().filter(|text| text.len() < MAX_BYTES)?;
    let outline = outline::read(path, text);
    let mut lines: Vec<String> = text.split_inclusive('\n').map(str::to_owned).collect();
    let mut names = Vec::new();
    for test in outline.tests.iter().filter(|_| outline.parsed) {
        let is_plain =
            test.markers.is_empty() && !EXPECTS_FAILURE.iter().any(|word| test.text.contains(word));
        if !is_plain || !wanted(test.name()) {
            continue;
        }
        let depth = depth_of(test, &lines);
        let mut is_other = false;
        for assertion in test.assertions.iter().filter(|one| is_exact(one, test)) {
            let Some(line) = lines.get_mut(assertion.line as usize - 1) else { continue };
            // What stands deeper may never be reached.
            let is_reached = test.line == test.last_line || indent(line) == depth;
            let literal = assertion.expected.as_deref().unwrap_or_default();
            if let Some(new) = with_other(line, literal, path).filter(|_| is_reached) {
                *line = new;
                is_other = true;
            }
        }
        if is_other {
            names.push(test.name().to_owned());
        }
    }
    (!names.is_empty()).then(|| (lines.concat().into_bytes(), names))
}

/// Whether a check compares with one value, within the test itself.
fn is_exact(assertion: &Assertion, test: &Test) -> bool {
    assertion.strength == 4
        && assertion.fault.is_none()
        && assertion.tolerance.is_none()
        && (test.line..=test.last_line).contains(&assertion.line)
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// How far the statements of a test are from the left.
fn depth_of(test: &Test, lines: &[String]) -> usize {
    let inside = lines.iter().take(test.last_line as usize).skip(test.line as usize);
    let is_statement =
        |line: &&String| line.contains(|letter: char| !" \t\r\n(){}[];:,".contains(letter));
    inside.filter(is_statement).map(|line| indent(line)).min().unwrap_or(0)
}

/// The line with another value in the place of the one that is expected, if it is clear which that is.
fn with_other(line: &str, literal: &str, path: &str) -> Option<String> {
    let is_go = path.ends_with(".go");
    let is_unclear = [" or ", "||", "&&", " and ", "not ", ".not.", "Not", "_ne!"];
    let differs = line.contains("!=") && !is_go;
    if literal.is_empty() || differs || is_unclear.iter().any(|word| line.contains(word)) {
        return None;
    }
    let new = other(literal, path)?;
    let places: Vec<usize> = line
        .match_indices(literal)
        .map(|(at, _)| at)
        .filter(|at| stands_alone(line, *at, literal.len()))
        .collect();
    let is_after_sign = |at: &&usize| line[..**at].trim_end().ends_with(['=']);
    let is_last = |at: &&usize| {
        line[**at + literal.len()..].chars().all(|letter| " \t\r\n)};,:".contains(letter))
    };
    let at = match &places[..] {
        [at] => *at,
        many => *many.iter().find(is_after_sign).or_else(|| many.iter().find(is_last))?,
    };
    Some(format!("{}{new}{}", &line[..at], &line[at + literal.len()..]))
}

/// Whether a value is no part of a longer one.
fn stands_alone(line: &str, at: usize, length: usize) -> bool {
    let is_part =
        |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '.' | '"' | '\'');
    let before = line[..at].chars().next_back();
    let after = line[at + length..].chars();
    // A dot that ends no number is a call.
    let mut after = after.clone().next().filter(|letter| {
        *letter != '.' || after.clone().nth(1).is_some_and(|next| next.is_ascii_digit())
    });
    !before.is_some_and(|letter| is_part(letter) || letter == '-')
        && !after.take().is_some_and(is_part)
}

/// Another value of the same kind.
fn other(literal: &str, path: &str) -> Option<String> {
    let wrapped = ["Some(", "Ok(", "Err("].iter().find_map(|wrap| {
        let inner = literal.strip_prefix(wrap)?.strip_suffix(')')?;
        Some(format!("{wrap}{})", other(inner, path)?))
    });
    if wrapped.is_some() {
        return wrapped;
    }
    if let Some(new) = other_amount(literal, path) {
        return Some(new);
    }
    match literal {
        "True" => return Some("False".to_owned()),
        "False" => return Some("True".to_owned()),
        "true" => return Some("false".to_owned()),
        "false" => return Some("true".to_owned()),
        _ => {}
    }
    let has_letters = path.ends_with(".rs") || path.ends_with(".go");
    let quote = literal.chars().next().filter(|letter| matches!(letter, '"' | '\'' | '`'));
    if let Some(quote) = quote {
        // One letter is no text there, and a text of several lines begins with three quotes.
        let is_text = literal.len() > 1
            && literal.ends_with(quote)
            && !(has_letters && quote == '\'')
            && !literal[1..].starts_with(&quote.to_string().repeat(2));
        return is_text.then(|| format!("{quote}x{}", &literal[1..]));
    }
    let (sign, digits) = literal.strip_prefix('-').map_or(("", literal), |rest| ("-", rest));
    let whole: String = digits.chars().take_while(char::is_ascii_digit).collect();
    let rest = &digits[whole.len()..];
    let is_number = !whole.is_empty()
        && (whole == "0" || !whole.starts_with('0'))
        && !rest.starts_with(['x', 'X', 'b', 'B', 'o', 'O'])
        && rest.chars().all(|letter| letter.is_ascii_alphanumeric() || "._".contains(letter))
        && squeeze(literal) == literal;
    let larger = whole.parse::<u64>().ok().and_then(|whole| whole.checked_add(1));
    larger.filter(|_| is_number).map(|larger| format!("{sign}{larger}{rest}"))
}

/// Another amount where a number is wrapped in a type for exact ones: `Decimal("150.00")`.
fn other_amount(literal: &str, path: &str) -> Option<String> {
    let (name, inner) = literal.strip_suffix(')')?.split_once('(')?;
    let is_type = name.rsplit(['.', ' ']).next().is_some_and(|name| AMOUNTS.contains(&name));
    let inner = Some(inner).filter(|inner| is_type && !inner.contains(['(', ',', ')']))?;
    let bare = inner.trim_matches(['"', '\'']);
    let new = other(bare, path).filter(|_| bare.starts_with(|l: char| l.is_ascii_digit()))?;
    Some(format!("{name}({})", inner.replacen(bare, &new, 1)))
}

/// Types that hold one number.
const AMOUNTS: &[&str] =
    &["Decimal", "Fraction", "BigInt", "BigDecimal", "Big", "Money", "D", "Duration", "float"];

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(path: &str, text: &str, expected: &str, names: &[&str]) {
        let found = exchanged(path, text.as_bytes(), &|_| true);
        let (new, tests) = found.unwrap_or_else(|| (text.as_bytes().to_vec(), Vec::new()));
        assert_eq!(
            (String::from_utf8(new).unwrap().as_str(), &tests[..]),
            (expected, &names.iter().map(ToString::to_string).collect::<Vec<_>>()[..])
        );
    }

    /// G26: what is expected is another value in every language that is read from its syntax.
    #[test]
    fn expectations_are_exchanged() {
        let test = "tests/test_a.py";
        check(
            test,
            "def test_a():\n    assert add(2, 2) == 2\n",
            "def test_a():\n    assert add(2, 2) == 3\n",
            &["test_a"],
        );
        check(
            test,
            "def test_a():\n    assert name() == \"a b\"\n",
            "def test_a():\n    assert name() == \"xa b\"\n",
            &["test_a"],
        );
        check(
            test,
            "def test_a():\n    assert total(2) == Decimal(\"150.00\")\n",
            "def test_a():\n    assert total(2) == Decimal(\"151.00\")\n",
            &["test_a"],
        );
        check(
            test,
            "class ATest(TestCase):\n    def test_a(self):\n        self.assertEqual(add(2, 3), 5)\n",
            "class ATest(TestCase):\n    def test_a(self):\n        self.assertEqual(add(2, 3), 6)\n",
            &["test_a"],
        );
        check(
            "a.test.js",
            "test('a', () => {\n  assert.equal(add(2, 3), 5);\n});\n",
            "test('a', () => {\n  assert.equal(add(2, 3), 6);\n});\n",
            &["a"],
        );
        check(
            "a.test.js",
            "test('a', () => {\n  expect(ok()).toBe(true);\n});\n",
            "test('a', () => {\n  expect(ok()).toBe(false);\n});\n",
            &["a"],
        );
        check(
            "tests/a.rs",
            "#[test]\nfn a() {\n    assert_eq!(add(2, 3), Some(5));\n}\n",
            "#[test]\nfn a() {\n    assert_eq!(add(2, 3), Some(6));\n}\n",
            &["a"],
        );
        check(
            "a_test.go",
            "package a\n\nfunc TestA(t *testing.T) {\n\tif got := Add(2, 3); got != 5 {\n\t\tt.Errorf(\"%d\", got)\n\t}\n}\n",
            "package a\n\nfunc TestA(t *testing.T) {\n\tif got := Add(2, 3); got != 6 {\n\t\tt.Errorf(\"%d\", got)\n\t}\n}\n",
            &["TestA"],
        );
    }

    #[test]
    fn what_is_not_clear_is_left() {
        for (path, text) in [
            (
                "tests/test_a.py",
                "def test_a():\n    if here():\n        assert add(2, 3) == 5\n    else:\n        run()\n",
            ),
            ("tests/test_a.py", "def test_a():\n    assert add(2, 3) == 5 or late()\n"),
            ("tests/test_a.py", "def test_a():\n    assert add(2, 3) != 5\n"),
            ("tests/test_a.py", "def test_a():\n    assert not add(2, 3) == 5\n"),
            ("tests/test_a.py", "@pytest.mark.xfail\ndef test_a():\n    assert add(2, 3) == 5\n"),
            ("tests/test_a.py", "def test_a():\n    assert add(2, 3) == want\n"),
            (
                "tests/a.rs",
                "#[test]\n#[should_panic]\nfn a() {\n    assert_eq!(add(2, 3), 5);\n}\n",
            ),
            ("tests/a.rs", "#[test]\nfn a() {\n    assert_eq!(first(), 'a');\n}\n"),
            ("a.test.js", "test('a', () => {\n  expect(add(2, 3)).not.toBe(5);\n});\n"),
            ("src/a.py", "def test_a():\n    assert add(2, 3) == 5\n"),
        ] {
            check(path, text, text, &[]);
        }
    }
}
