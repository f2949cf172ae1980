//! Whether a changed test still asserts the same, in another way.

use countersign_gaming::{Outline, Test};

use super::guards::is_guarded;
use super::name;

/// What became of the names of the product's code.
pub(super) struct Names<'n> {
    /// It was there, and is there no more.
    pub is_lost: &'n dyn Fn(&str) -> bool,
    /// It was not there, and is there now.
    pub is_gained: &'n dyn Fn(&str) -> bool,
}

/// Whether `new` asserts what `old` does: each value is expected again of the same question, as
/// strongly, it is not switched off, and nothing new stands before the checks. A name may be another only where the old one is gone from
/// the code: `is_lost` says so.
pub(super) fn is_as_strong(old: &Test, new: &Test, names: &Names<'_>) -> bool {
    if old.digest == new.digest {
        return new.markers.len() <= old.markers.len();
    }
    let is_kin = old.id == new.id || name(old) == name(new);
    let mut left: Vec<_> = new.assertions.iter().filter(|one| one.fault.is_none()).collect();
    let kept = old.assertions.iter().filter(|one| one.fault.is_none()).all(|one| {
        let found = left.iter().position(|other| {
            one.text == other.text
                || one.expected.is_some()
                    && is_same_value(one.expected.as_deref(), other.expected.as_deref(), names)
                    && other.strength >= one.strength
                    && is_same_question((&one.subject, &other.subject), names.is_lost)
        });
        found.map(|at| left.remove(at)).is_some()
    });
    is_kin
        && kept
        && !is_guarded(old, new)
        && has_all(&literals(&new.text), &literals(&old.text))
        && !old.assertions.is_empty()
        && new.markers.len() <= old.markers.len()
        && new.cases.unwrap_or(1) >= old.cases.unwrap_or(1)
}

/// The tests of a file of tests that are gone while every value of the file is still in it, or all that
/// each of their checks names still stands side by side, and a test that compares with values is new: they
/// became rows of a table.
pub(super) fn merged(
    (was, before): (&[u8], &Outline),
    (is, after): (&[u8], &Outline),
) -> Vec<String> {
    let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
    let compares = |test: &Test| {
        test.assertions.iter().any(|one| one.fault.is_none() && one.strength == 4)
            && test.markers.is_empty()
    };
    let is_new = |test: &Test| before.tests.iter().all(|old| old.digest != test.digest);
    let gone = || before.tests.iter().filter(|old| after.tests.iter().all(|new| new.id != old.id));
    let (was, is) = (text(was), text(is));
    let is_merged = before.parsed
        && after.parsed
        && before.inline.is_empty()
        && after.tests.iter().any(|test| is_new(test) && compares(test))
        && (has_all(&literals(&is), &literals(&was)) || are_rows(gone(), &is));
    gone().filter(|_| is_merged).map(name).collect()
}

/// Whether what each check of these tests names stands side by side in a text, as in a row of a table. Rows have
/// a space where what comes out has the end of a line.
pub(super) fn are_rows<'t>(mut tests: impl Iterator<Item = &'t Test>, text: &str) -> bool {
    let known = in_order(text);
    let is_row = |check: &str| {
        let wanted: Vec<String> =
            in_order(check).iter().map(|one| on_one_line(&one.text)).collect();
        let longest = wanted.len() + BETWEEN;
        let fits = |at: usize| has_all(&row(&known[at..], longest), &wanted);
        !wanted.is_empty() && (0..known.len()).any(fits)
    };
    tests.all(|test| {
        let mut checks = test.assertions.iter().filter(|one| one.fault.is_none()).peekable();
        checks.peek().is_some() && checks.all(|one| is_row(&one.text))
    })
}

/// The values from the first one on, up to the bracket that closes around it: what follows is another row.
fn row(values: &[Value], longest: usize) -> Vec<String> {
    let Some(first) = values.first() else { return Vec::new() };
    let is_beside = |one: &&Value| one.lowest >= first.depth.min(one.depth);
    let rest = values[1..].iter().take_while(is_beside);
    std::iter::once(first).chain(rest).take(longest).map(|one| on_one_line(&one.text)).collect()
}

fn on_one_line(text: &str) -> String {
    text.replace('\n', " ")
}

/// So many other values may stand in a row: a name for it, a tolerance.
const BETWEEN: usize = 2;

/// Whether two expectations are one value, but for a type of the product around it that is new, or
/// for what it is handed out in: `Ok(90)` and `Ok(Seconds(90))`, `Some(3)` and `Ok(3)`.
fn is_same_value(old: Option<&str>, new: Option<&str>, names: &Names<'_>) -> bool {
    let (Some(old), Some(new)) = (old, new) else { return old == new };
    let bare = |text| -> Vec<String> {
        let tokens = tokens(text).into_iter();
        let around = |token: &&str| {
            matches!(*token, "(" | ")" | "Ok" | "Some" | "new") || (names.is_gained)(token)
        };
        tokens.filter(|token| !around(token)).map(str::to_owned).collect()
    };
    let (bare_old, bare_new) = (bare(old), bare(new));
    let says =
        |token: &String| token.starts_with(|c: char| c.is_ascii_digit() || "\"'`".contains(c));
    old == new || bare_old == bare_new && bare_old.iter().any(says)
}

/// The values that a text names, sorted.
fn literals(text: &str) -> Vec<String> {
    let mut found: Vec<String> = in_order(text).into_iter().map(|one| one.text).collect();
    found.sort_unstable();
    found
}

/// A value that a text names.
struct Value {
    text: String,
    /// In how many brackets it stands.
    depth: usize,
    /// In how few brackets anything stood since the value before it.
    lowest: usize,
}

/// The values that a text names, in order. The empty text has other names, such as `String::new()`.
fn in_order(text: &str) -> Vec<Value> {
    let mut found: Vec<Value> = Vec::new();
    let (mut depth, mut lowest) = (0_usize, 0);
    let mut rest = text.chars().peekable();
    let mut last = ' ';
    while let Some(letter) = rest.next() {
        let mut value = String::new();
        if matches!(letter, '"' | '\'' | '`') {
            while let Some(next) = rest.next() {
                match next {
                    '\\' if rest.next_if_eq(&'n').is_some() => value.push('\n'),
                    '\\' => value.extend(rest.next()),
                    _ if next == letter => break,
                    _ => value.push(next),
                }
            }
            if !value.is_empty() {
                found.push(Value { text: format!("\"{value}"), depth, lowest });
                lowest = depth;
            }
        } else if matches!(letter, '(' | '[' | '{') {
            depth += 1;
        } else if matches!(letter, ')' | ']' | '}') {
            depth = depth.saturating_sub(1);
            lowest = lowest.min(depth);
        } else if letter.is_ascii_digit() && !(last.is_alphanumeric() || last == '_') {
            value.push(letter);
            while let Some(next) = rest.next_if(|next| next.is_alphanumeric() || *next == '.') {
                value.push(next);
            }
            found.push(Value { text: value, depth, lowest });
            lowest = depth;
        }
        last = letter;
    }
    found
}

fn has_all(all: &[String], wanted: &[String]) -> bool {
    let mut left: Vec<&String> = all.iter().collect();
    wanted.iter().all(|one| match left.iter().position(|other| *other == one) {
        Some(at) => {
            left.swap_remove(at);
            true
        }
        None => false,
    })
}

/// Whether two questions differ in nothing but names that are gone.
fn is_same_question((old, new): (&str, &str), is_lost: &dyn Fn(&str) -> bool) -> bool {
    let (old, new) = (tokens(old), tokens(new));
    old.len() == new.len()
        && old.iter().zip(&new).all(|(old, new)| {
            let is_name = |text: &str| text.starts_with(|c: char| c.is_alphabetic() || c == '_');
            old == new || is_name(old) && is_name(new) && is_lost(old)
        })
}

/// Names and what stands between them. What a name is reached through is no part of it: modules
/// are moved.
fn tokens(text: &str) -> Vec<&str> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut all: Vec<&str> = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = if is_word(first) {
            rest.find(|c| !is_word(c)).unwrap_or(rest.len())
        } else {
            first.len_utf8()
        };
        let (token, after) = rest.split_at(length);
        rest = after;
        let is_name = token.starts_with(|c: char| c.is_alphabetic() || c == '_');
        if token.trim().is_empty() {
            continue;
        }
        // `module.name` and `module::name` are `name`.
        while is_name && matches!(all.last(), Some(&"." | &":")) {
            all.pop();
            if all.last().is_some_and(|one| one.starts_with(|c: char| c.is_alphabetic())) {
                all.pop();
            }
        }
        all.push(token);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    /// CHEATS trap: a call by another name is the same question only if the old name is gone.
    #[test]
    fn values_in_a_text() {
        assert_eq!(literals("add(2, x1) == 'a b' # \"it\\\"s\""), ["\"a b", "\"it\"s", "2"]);
        assert!(has_all(&literals("f(1, 2, 2)"), &literals("g(2, 1)")));
        assert!(!has_all(&literals("f(-1)"), &literals("f(0)")));
    }

    /// G01: checks become rows where all that each of them names stands side by side, once is enough.
    #[test]
    fn checks_that_became_rows() {
        let of = |text: &str| countersign_gaming::outline("tests/rows.rs", text.as_bytes());
        let old = "#[test]\nfn one() {\n    assert_eq!(read(\"k2\"), Err(Bad(\"k2\".into(), 7)));\n}\n\n\
                   #[test]\nfn none() {\n    assert_eq!(read(\"p9\"), Err(Bad(\"\".into(), 7)));\n}\n";
        let table = |rows: &str| {
            format!(
                "#[test]\nfn all() {{\n    for (text, bad, at) in [{rows}] {{\n        \
                 assert_eq!(read(text), Err(Bad(bad.into(), at)));\n    }}\n}}\n"
            )
        };
        let check = |rows: &str, is: bool| {
            let new = table(rows);
            let found = merged((old.as_bytes(), &of(old)), (new.as_bytes(), &of(&new)));
            assert_eq!(found.len(), if is { 2 } else { 0 }, "{rows}");
        };
        check("(\"k2\", \"k2\", 7), (\"p9\", String::new(), 7)", true);
        check("(\"k2\", \"k2\", 7), (\"p9\", String::new(), 8)", false);
        check("(\"k2\", \"k2\", 7)", false);
    }

    /// CHEATS trap: values in a type of their own are the same values.
    #[test]
    fn the_same_value_in_another_type() {
        let is_gained = |word: &str| word == "Seconds";
        let names = Names { is_lost: &|_| false, is_gained: &is_gained };
        let check = |old: &str, new: &str, same: bool| {
            assert_eq!(is_same_value(Some(old), Some(new), &names), same, "{old} / {new}");
        };
        check("Ok(90)", "Ok(Seconds(90))", true);
        check("Some(3.0)", "Ok(3.0)", true);
        check("Ok(90)", "Ok(Seconds(91))", false);
        check("Ok(90)", "Ok(Minutes(90))", false);
        check("None", "Err(\"no sum\")", false);
        check("true", "Seconds", false);
    }

    #[test]
    fn the_same_question_by_another_name() {
        let check = |old: &str, new: &str, lost: &[&str], same: bool| {
            let found = is_same_question((old, new), &|word| lost.contains(&word));
            assert_eq!(found, same, "{old} / {new}");
        };
        check("add(2, 3)", "add(2,3)", &[], true);
        check("add(2, 3)", "sum(2, 3)", &["add"], true);
        check("add(2, 3)", "sum(2, 3)", &[], false);
        check("add(2, 3)", "add(5, 0)", &["add"], false);
        check("utils.add(2, 3)", "math.ops.add(2, 3)", &[], true);
        check("add(2, 3)", "add(2, 3, 4)", &["add"], false);
        check("utils::add(2)", "add(2)", &[], true);
    }
}
