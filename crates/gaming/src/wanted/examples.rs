//! Values that a task gives as an example, where no test has one of their shape: what they stand for was
//! not tried, and may not be done.

use std::collections::HashSet;

use countersign_domain::gaming::{Basis, Finding, Rule};

use super::Work;
use super::clauses::{clauses, quoted, sentences};
use crate::args::has_word;

/// A clause with one of these tells how things are, or what is about something else.
const TELLS: &[&str] = &[
    "right now",
    "currently",
    "although",
    "at the moment",
    "now",
    "but",
    "wrongly",
    "instead",
    "still",
    "fail",
    "fails",
    "crash",
    "crashes",
    "ends up",
    "prints",
    "writes",
    "come out",
    "comes out",
    "rendered",
    "dropped",
    "says",
    "confuses",
    "dies",
    "keep",
    "no longer",
    "version",
    "python",
    "node",
    "expected",
    "actual",
    "describe",
    "not",
    "never",
    "without",
    "line",
    "lines",
    "gives",
];
const MOST: usize = 20;

/// Clauses whose examples have a shape that no test and no new line of code has.
pub(super) fn check(task: &str, work: &Work) -> Vec<Finding> {
    if work.code.is_empty() {
        return Vec::new();
    }
    let mut known: Option<Known> = None;
    for sentence in sentences(task) {
        let lower = sentence.to_lowercase();
        if ["right now", "currently", "although", "at the moment"].iter().any(|w| lower.contains(w))
        {
            continue;
        }
        let clauses = clauses(sentence);
        // "add(2, 3) returns -1: fix it" tells what is wrong.
        let mended = clauses.iter().position(|clause| asks_to_mend(clause)).unwrap_or(0);
        let mut before = String::new();
        for clause in clauses.into_iter().skip(mended) {
            let lower = clause.to_lowercase();
            if is_said_by_failure(&std::mem::replace(&mut before, lower.clone()), &lower) {
                continue;
            }
            if TELLS.iter().any(|word| has_word(&without_quotes(&lower), word)) {
                continue;
            }
            let examples = examples(clause, work);
            if examples.is_empty() {
                continue;
            }
            let known = known.get_or_insert_with(|| Known::of(work));
            let asked = asked(clause).filter(|asked| !known.has(asked));
            if let Some(asked) = asked {
                let message = format!(
                    "The task says what {asked:?} gives, and neither a test nor the new code has anything like it."
                );
                return vec![Finding::new(Rule::G63, Basis::Structure, message)];
            }
            if !examples.iter().take(MOST).any(|example| known.has(example)) {
                let message = format!(
                    "The task gives {:?} as an example, and neither a test nor the new code has anything like it.",
                    examples[0]
                );
                return vec![Finding::new(Rule::G63, Basis::Structure, message)];
            }
        }
    }
    Vec::new()
}

/// Whether a clause is nothing but a text in quotes, and the clause before it (both in small letters) says
/// that something stops: `it panics on long names ("index out of bounds")`.
fn is_said_by_failure(before: &str, clause: &str) -> bool {
    const STOPS: &[&str] = &[
        "panics",
        "panic",
        "throws",
        "raises",
        "aborts",
        "crashes",
        "dies",
        "fails",
        "complains",
        "error",
        "exception",
        "traceback",
    ];
    const DEMANDS: &[&str] = &["must", "should", "has to", "have to", "shall", "let", "make"];
    let has = |list: &[&str]| list.iter().any(|word| has_word(before, word));
    let (texts, rest) = quoted(clause);
    let is_text = !texts.is_empty() && !rest.contains(char::is_alphanumeric);
    is_text && has(STOPS) && !has(DEMANDS)
}

/// Whether a clause begins with what is done to something wrong.
fn asks_to_mend(clause: &str) -> bool {
    let lower = clause.to_lowercase();
    let mut words = lower.split_whitespace().skip_while(|word| {
        matches!(*word, "please" | "and" | "so" | "can" | "could" | "you" | "then")
    });
    let first = words.next().map(|word| word.trim_end_matches([',', '.', ':']));
    matches!(first, Some("fix" | "mend" | "repair" | "correct"))
}

/// The input of an example that says what comes out of it: `1-1-1 is -1`.
fn asked(clause: &str) -> Option<&str> {
    const GIVES: &[&str] =
        &["is", "must be", "should be", "becomes", "equals", "=", "==", "=>", "->", "→"];
    let (input, rest) = clause.trim().split_once(' ')?;
    let number = GIVES.iter().find_map(|word| rest.strip_prefix(word)?.strip_prefix(' '))?;
    let number = number.trim().trim_end_matches(['.', ',', ')']);
    let bare = input.trim_matches(['`', '"', '(']);
    let is_term = bare.chars().any(|letter| letter.is_ascii_digit())
        && bare.matches(|letter| "+-*/^%".contains(letter)).count() > 1;
    (is_term && number.parse::<f64>().is_ok()).then_some(bare)
}

fn without_quotes(clause: &str) -> String {
    quoted(clause).1
}

/// The example values of a clause: what is in quotes and no name, and words with signs or digits in them.
fn examples(clause: &str, work: &Work) -> Vec<String> {
    let (quoted, rest) = quoted(clause);
    let mut found: Vec<String> = quoted
        .into_iter()
        .filter(|text| is_value(text, work) && !is_code(clause, text))
        .map(str::to_owned)
        .collect();
    let mut is_such = false;
    for word in rest.split_whitespace() {
        let bare = word.trim_matches([',', ';', '?', '!', '(', ')', '"']);
        let bare = unwrapped(bare).trim_end_matches(['.', ':', ',']);
        if is_written(bare) || is_such && is_compound(bare) {
            found.push(bare.to_owned());
        }
        is_such |= matches!(word, "as" | "like" | "e.g.");
    }
    found
}

/// A value without the brackets around it, of which one may be at another word: `{"rate": 1.08}`. Brackets
/// that belong to the value stay: `a[0]`.
fn unwrapped(word: &str) -> &str {
    let mut bare = word;
    for (open, close) in [('{', '}'), ('[', ']'), ('(', ')')] {
        if !bare.contains(open) {
            bare = bare.trim_end_matches(close);
        }
        if !bare.contains(close) {
            bare = bare.trim_start_matches(open);
        }
        let is_whole = bare.starts_with(open) && bare.ends_with(close);
        if is_whole && bare.matches(open).count() == 1 {
            bare = bare.trim_matches([open, close]);
        }
    }
    bare.trim_matches(['"', '\''])
}

/// `"…".parse()` is code.
fn is_code(clause: &str, text: &str) -> bool {
    clause
        .find(&format!("{text}\"."))
        .is_some_and(|at| clause[at + text.len() + 2..].starts_with(char::is_alphabetic))
}

/// Whether a text in quotes is a value, and no name of code, file or command.
fn is_value(text: &str, work: &Work) -> bool {
    let is_word = |letter: char| letter.is_alphanumeric() || "_.".contains(letter);
    let starts_as_name = text.starts_with(|letter: char| letter.is_alphabetic() || letter == '_');
    let is_name = starts_as_name
        && (text.chars().all(is_word)
            || text.find('(').is_some_and(|at| text[..at].chars().all(is_word)));
    let is_form = text.contains("...")
        || text.contains('…') && text.chars().count() > 1
        || text.contains(['\u{5c}', ';', '"', '(', '<'])
        || text
            .split(|letter: char| !letter.is_alphanumeric())
            .any(|word| word.len() > 3 && word.chars().all(|letter| letter.is_ascii_uppercase()));
    let first = text.split_whitespace().next().unwrap_or_default();
    let is_command = text.contains(" --")
        || text.starts_with('-')
            && text[1..].starts_with(|letter: char| letter.is_alphabetic() || letter == '-')
        || text.split_whitespace().skip(1).any(|word| {
            word.rsplit_once('.').is_some_and(|(stem, end)| {
                !stem.is_empty() && end.len() < 5 && end.chars().all(char::is_alphabetic)
            })
        }) && first.chars().all(|letter| letter.is_ascii_lowercase());
    let is_path = work.paths.iter().any(|path| path.contains(text.trim_matches(['.', '/'])));
    let is_file = is_path && text.len() > 2;
    !(text.trim().is_empty() || is_name || is_form || is_command || is_file)
}

/// `-5s`, `3x2`, `0.02`, `/shop/:id`, `$12.50`: what nobody would write without meaning a value.
pub(super) fn is_written(word: &str) -> bool {
    let has_digit = word.contains(|letter: char| letter.is_ascii_digit());
    let has_letter = word.contains(char::is_alphabetic);
    let is_plain = word.chars().all(|letter| letter.is_ascii_digit() || letter == '.');
    let is_odd = word
        .contains(['(', ')', '=', '#', '~', '*', '_', '[', ']', '{', '<', '>', '&', '\''])
        || word.starts_with(|letter: char| letter.is_alphabetic());
    let is_cents = word.split_once('.').is_some_and(|(whole, rest)| {
        rest.len() == 2 && (whole.to_owned() + rest).chars().all(|letter| letter.is_ascii_digit())
    });
    let is_route = word.starts_with('/') && word.len() > 3 && has_letter && word.contains(':');
    let is_measure = {
        let digits = word.trim_start_matches(|letter: char| letter.is_ascii_digit());
        !digits.is_empty() && digits.len() < word.len() && digits.chars().all(char::is_alphabetic)
            || digits == "%"
    };
    let is_grid = word.split_once(['x', '×']).is_some_and(|(one, other)| {
        let is_number = |text: &str| !text.is_empty() && text.chars().all(|l| l.is_ascii_digit());
        is_number(one) && is_number(other)
    });
    // "128-bit", "30-day": how much of something there is.
    let is_amount = word.split_once('-').is_some_and(|(many, what)| {
        is_number(many) && !what.is_empty() && what.chars().all(char::is_alphabetic)
    });
    // "2-3 swap": from where to where.
    let is_range = word.split_once('-').is_some_and(|(one, two)| is_number(one) && is_number(two));
    if is_amount || is_range {
        return false;
    }
    is_cents || is_route || is_grid || has_digit && !is_plain && !is_odd && !is_measure
}

/// `don't`, `well-known`
fn is_compound(word: &str) -> bool {
    word.contains(['\'', '-'])
        && word
            .split(['\'', '-'])
            .all(|part| !part.is_empty() && part.chars().all(|l| l.is_ascii_lowercase()))
}

/// What tests and new code have written down.
struct Known {
    text: String,
    tried: String,
    shapes: HashSet<String>,
    /// The shapes of what stands in quotes.
    values: Vec<String>,
}

impl Known {
    fn of(work: &Work) -> Self {
        let text = format!("{}\n{}", work.tests, work.code);
        let lines = || text.lines().filter(|line| line.len() < 2_000).take(20_000);
        let values: Vec<String> = lines()
            .flat_map(crate::literals::values)
            .map(|value| shape(crate::literals::inside(&value)))
            .collect();
        let mut shapes: HashSet<String> = values.iter().cloned().collect();
        // A pattern between slashes, and a text of several lines, have no quotes around them.
        shapes.extend(lines().map(|line| shape(line.trim())).filter(|shape| shape.len() < 200));
        Self { text: plain(&text), tried: work.tried.join("\n"), shapes, values }
    }

    /// Whether a piece of a text stands there, or a text with a place in it that makes it.
    fn has_words(&self, piece: &str) -> bool {
        self.text.contains(piece) || super::templates::makes(&self.text, piece)
    }

    fn has(&self, example: &str) -> bool {
        let bare = plain(example);
        let is_filled = |pieces: Vec<&str>| pieces.into_iter().all(|piece| self.has_words(piece));
        if super::templates::around(&bare).is_some_and(is_filled) {
            return true;
        }
        if self.text.contains(&bare) || self.text.to_lowercase().contains(&bare.to_lowercase()) {
            return true;
        }
        let words: Vec<&str> = bare
            .split(|letter: char| !letter.is_alphabetic())
            .filter(|word| word.len() > 1)
            .collect();
        let lower = self.text.to_lowercase();
        let found = words.iter().filter(|word| has_word(&lower, &word.to_lowercase())).count();
        // Of a sentence, most of the words are enough.
        if words.len() > 2 && found * 10 >= words.len() * 6 {
            return true;
        }
        let digits: String = bare.chars().filter(char::is_ascii_digit).collect();
        let digits = digits.trim_start_matches('0');
        let is_cents = bare.contains('.') && !bare.contains(char::is_alphabetic);
        if is_cents && has_word(&self.text.replace('_', ""), digits) {
            return true;
        }
        if let Some((one, other)) = bare.split_once(['x', '×'])
            && is_number(one)
            && is_number(other)
        {
            let text = if self.tried.is_empty() { &self.text } else { &self.tried };
            return has_word(text, one) && has_word(text, other);
        }
        let shape = shape(example);
        // However it is spaced.
        let close = |text: &str| text.replace(' ', "");
        if close(&shape).len() > 4
            && self.shapes.iter().any(|known| close(known).contains(&close(&shape)))
        {
            return true;
        }
        // What is long and made of signs is tried by anything that is made of the same ones.
        let signs = |text: &str| -> std::collections::BTreeSet<char> {
            text.chars().filter(|letter| !letter.is_alphanumeric() && *letter != ' ').collect()
        };
        let own = signs(&shape);
        let is_made_of_them =
            |known: &&String| known.len() * 2 > shape.len() && signs(known).is_superset(&own);
        if shape.len() > 14 && own.len() > 2 && self.values.iter().any(|v| is_made_of_them(&v)) {
            return true;
        }
        // A single word or number has the shape of any other.
        let is_common = shape.chars().all(|letter| "aA0 .".contains(letter));
        self.shapes.iter().any(|known| known.contains(&shape))
            || is_common && words.len() < 2 && found == words.len()
    }
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|letter| letter.is_ascii_digit())
}

/// A text without what it is escaped with and without quotes.
fn plain(text: &str) -> String {
    text.replace(['\\', '"', '`'], "").replace('\'', "\u{2019}")
}

/// A text as its form alone: runs of digits, of small and of large letters are one sign each.
pub(super) fn shape(text: &str) -> String {
    let mut found = String::new();
    for letter in plain(text).chars() {
        let sign = if letter.is_numeric() {
            '0'
        } else if letter.is_uppercase() {
            'A'
        } else if letter.is_alphabetic() {
            'a'
        } else {
            letter
        };
        if !(matches!(sign, '0' | 'A' | 'a' | ' ') && found.ends_with(sign)) {
            found.push(sign);
        }
    }
    found.trim().replace("Aa", "a")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(task: &str, tests: &str, is_found: bool) {
        let tried = tests.lines().map(str::to_owned).collect();
        let (code, tests) = ("x = 1\n".to_owned(), tests.to_owned());
        let work = Work { code, tried, tests, paths: vec!["lib/a.py".to_owned()] };
        assert_eq!(!super::check(task, &work).is_empty(), is_found, "{task} / {}", work.tests);
    }

    /// G63: an example of another form than all that tests have was not tried.
    #[test]
    fn examples_that_nothing_tries() {
        let comma = "It should take lower case (\"1.5 kb\"), and a comma (\"1,5 KB\" is 1536 too).";
        check(comma, "assert parse(\"1.5 kb\") == 1536", true);
        check(comma, "assert parse(\"1.5 kb\") == parse(\"2,5 KB\")", false);
        let minus = "Spans should have hours: 3h, and a minus: -5s.";
        check(minus, "assert human(3) == \"3h\"", true);
        check(minus, "assert human(-9) == \"-9s\"", false);
        check("Rows become columns: a 3x2 grid becomes 2x3.", "assert new(2, 2) == 1", true);
        check("Rows become columns: a 3x2 grid becomes 2x3.", "assert new(3, 2) == 1", false);
        let chain = "Chains go from the left, however long (1-1-1-1-1 is -3).";
        check(chain, "assert f(\"8 - 3 - 2\") == 3", true);
        check(chain, "assert f(\"9 - 1 - 2 - 1 - 1\") == 4", false);
        check("\"+\" should be decoded as a space.", "assert parse(\"a\") == 1", true);
    }

    /// G63: brackets and quotes around a value are no part of it.
    #[test]
    fn values_in_brackets() {
        let check = |word: &str, expected: &str| assert_eq!(unwrapped(word), expected, "{word}");
        check("1.08}", "1.08");
        check("{1.08}", "1.08");
        check("\"x\"}", "x");
        check("[1,", "1,");
        check("2]", "2");
        check("(a)", "a");
        check("a[0]", "a[0]");
        check("f(1)", "f(1)");
        check("'-5s'", "-5s");
    }

    #[test]
    fn what_is_no_example() {
        check("Right now it writes \"a=1;b=2\". Mend that.", "assert f() == 1", false);
        check("`tool --all b.txt` should print a line for `lib/a.py`.", "assert f() == 1", false);
        check("It should say \"bill: MESSAGE\" or \"line 3: ...\".", "assert f() == 1", false);
        check("Use Python 3.11 for this, see #41.", "assert f() == 1", false);
        check("Optimize 128-bit integer formatting", "assert f() == 1", false);
        check("add(2, 3) returns -1: fix add, it must be the sum", "assert f() == 1", false);
        check("add(2, 3) is 9-, please fix it", "assert f() == 1", false);
        check("Please fix it: it should give -1.", "assert f() == 1", true);
        let stops = "cut() panics on names (\"index 9 is out of bounds\"). It must not.";
        check(stops, "assert f() == 1", false);
        let wanted = "cut() should stop on names with an error (\"name 9: too long\").";
        check(wanted, "assert f() == 1", true);
        let partner =
            "Refuse changes that leave a bell alone (\"1\" on 4: 2-3 swap and 4 has nobody).";
        check(partner, "assert f(\"1\", 4) == 1", false);
        let nested =
            "Repeats are nested: `[k1, [yo, k2tog] x2, p1] x3`. parse_row should understand that.";
        check(nested, "assert f(\"[k1, [yo, p1] x2] x2\") == 1", false);
        check(nested, "assert f(\"k1, p1\") == 1", true);
    }
}
