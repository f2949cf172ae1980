//! Values that a task gives as an example, where no test has one of their shape: what they stand for was
//! not tried, and may not be done.

use countersign_domain::gaming::{Basis, Finding, Rule};

use super::Work;
use super::clauses::{Quote, clauses, quoted, quotes, sentences};
use super::known::{Known, is_number};
use super::said;
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
        let mut is_wanted = super::is_feature(task) || said::orders(sentence);
        for (at, clause) in clauses.iter().enumerate().skip(mended) {
            let lower = clause.to_lowercase();
            let next = clauses.get(at + 1).copied().unwrap_or_default();
            let was_wanted = is_wanted;
            is_wanted |= said::wants(clause);
            let before = std::mem::replace(&mut before, lower.clone());
            if is_said_by_failure(&before, &lower) || is_wrong(&before, clause, next) {
                continue;
            }
            if TELLS.iter().any(|word| has_word(&without_quotes(&lower), word)) {
                continue;
            }
            let examples = examples(clause, was_wanted, work);
            if examples.is_empty() {
                continue;
            }
            let known = known.get_or_insert_with(|| Known::of(work));
            let is_there = |example: &String| {
                known.has(example) || is_term(example) && known.has_number(example, sentence)
            };
            let asked = asked(clause).filter(|asked| !known.has(asked));
            if let Some(asked) = asked {
                let message = format!(
                    "The task says what {asked:?} gives, and neither a test nor the new code has anything like it."
                );
                return vec![Finding::new(Rule::G63, Basis::Structure, message)];
            }
            if !examples.iter().take(MOST).any(is_there) {
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

/// Whether a clause has what comes out wrongly: "it is wrong (-325 and not 35)", "we get -5s, should be 5s".
fn is_wrong(before: &str, clause: &str, next: &str) -> bool {
    const DENIES: &[&str] =
        &["not ", "should be", "should read", "must be", "instead of", "rather than", "where it"];
    let next = next.trim_start_matches("and ").trim_start_matches("but ");
    let is_denied = DENIES.iter().any(|begin| next.starts_with(begin));
    is_denied && !said::wants(clause) && !is_given(before)
}

/// Whether what stands before an example wants it.
fn is_given(before: &str) -> bool {
    said::wants(before) || ["such as", "example", "like"].iter().any(|word| has_word(before, word))
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
/// Before something is wanted, a text in the middle of a clause is told of: "because of …", "Anna said …".
fn examples(clause: &str, is_wanted: bool, work: &Work) -> Vec<String> {
    let is_alone = !quoted(clause).1.contains(char::is_alphanumeric);
    let is_meant = |quote: &Quote<'_>| {
        let is_first = !quoted(quote.before).1.contains(char::is_alphanumeric);
        // Several plain words are what somebody or something says.
        let is_saying = quote.text.split_whitespace().count() > 2
            && quote.text.chars().all(|letter| letter.is_alphabetic() || " '’".contains(letter));
        let is_shown = is_alone && (!is_saying || is_wanted) || said::is_like(quote.before);
        let is_first = is_first && !is_saying;
        // What stands in backticks is code, unless it is shown as an example.
        (is_shown || !quote.is_code && (is_first || is_wanted || said::wants(quote.before)))
            && (is_wanted || !said::is_told(quote.before))
    };
    let mut found: Vec<String> = quotes(clause)
        .iter()
        .filter(|quote| is_meant(quote) && is_value(quote.text, work) && !is_called_upon(quote))
        .map(|quote| quote.text.to_owned())
        .collect();
    found.extend(written(&quoted(clause).1));
    found
}

/// Words behind which a value stands for others, or is what comes out.
const INTRODUCES: &[&str] = &[
    "like", "as", "e.g.", "example", "is", "are", "be", "becomes", "become", "gives", "give",
    "equals", "=", "==", "=>", "->", "→", "take", "takes", "accept", "accepts", "support", "allow",
];
/// Words that may stand before the first value of a clause.
const OPENS: &[&str] = &["and", "or", "also", "a", "an", "then", "so"];

/// The values among the words of a clause, as far as they are shown: a number in the middle of a sentence
/// says how much of something there is, or when it was.
fn written(clause: &str) -> Vec<String> {
    let mut found = Vec::new();
    let (mut is_first, mut is_shown, mut is_such) = (true, true, false);
    let mut words = clause.split_whitespace().peekable();
    while let Some(word) = words.next() {
        let bare = word.trim_matches([',', ';', '?', '!', '(', ')', '"']);
        let bare = unwrapped(bare).trim_end_matches(['.', ':', ',']);
        let is_last =
            word.ends_with(',') || words.peek().is_none_or(|next| matches!(*next, "and" | "or"));
        let is_one = is_shown && is_written(bare) && (is_such || !is_day(bare))
            || is_such && is_compound(bare) && is_last;
        if is_one {
            found.push(bare.to_owned());
        }
        let lower = word.to_lowercase();
        is_such = matches!(lower.as_str(), "like" | "e.g.")
            || lower == "as" && clause.contains("such as")
            || is_such && (is_one || matches!(lower.as_str(), "and" | "or"));
        is_first = is_first && OPENS.contains(&lower.as_str());
        is_shown = is_first || is_such || is_one || INTRODUCES.contains(&lower.as_str());
    }
    found
}

/// `2024-04-02`, which mostly says when something was.
fn is_day(word: &str) -> bool {
    word.len() == 10 && word.split('-').count() == 3 && word.split('-').all(is_number)
}

/// Several numbers with signs between them: `25/23.976`, `10:30`. How such a thing is written in a test
/// nobody knows.
fn is_term(text: &str) -> bool {
    let is_part = |letter: char| letter.is_ascii_digit() || letter == '.';
    let numbers = text.split(|letter| !is_part(letter)).filter(|part| !part.is_empty());
    numbers.count() > 1
        && !text.contains(|letter: char| letter.is_alphabetic() || "€$£¥ ".contains(letter))
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
fn is_called_upon(quote: &Quote<'_>) -> bool {
    quote.after.strip_prefix('.').is_some_and(|rest| rest.starts_with(char::is_alphabetic))
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
    let is_plain = word.chars().all(|letter| letter.is_ascii_digit() || letter == '.')
        || word.contains(',')
            && word.split(',').skip(1).all(|part| part.len() == 3 && is_number(part));
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
            || word.split_once('.').is_some_and(|(whole, part)| {
                let unit = part.trim_start_matches(|letter: char| letter.is_ascii_digit());
                is_number(whole) && matches!(unit, "x" | "%" | "×")
            })
    };
    let is_grid = word.split_once(['x', '×']).is_some_and(|(one, other)| {
        // Larger ones are of screens and pictures.
        let is_small = |text: &str| is_number(text) && text.len() < 3;
        is_small(one) && is_small(other)
    });
    let is_large = !is_grid && word.split(['x', '×']).all(is_number);
    // "128-bit", "30-day": how much of something there is.
    let is_amount = word.split_once('-').is_some_and(|(many, what)| {
        is_number(many) && !what.is_empty() && what.chars().all(char::is_alphabetic)
    });
    // "2-3 swap": from where to where.
    let is_range = word.split_once('-').is_some_and(|(one, two)| is_number(one) && is_number(two));
    if is_amount || is_range || is_large {
        return false;
    }
    is_cents
        || is_route
        || is_grid
        || has_digit && !is_plain && !is_odd && !is_measure && !is_formula(word)
}

/// `1+i`, `2n-1`: a letter stands for a number that nobody writes down.
fn is_formula(word: &str) -> bool {
    // What is left of `(1+i)^12` without its brackets.
    if word.starts_with('^') {
        return true;
    }
    let parts: Vec<&str> = word.split(['+', '-', '/', '^', '·', '×']).collect();
    let is_letter = |part: &&str| {
        let name = part.trim_start_matches(|letter: char| letter.is_ascii_digit());
        matches!(name, "i" | "j" | "k" | "n" | "x" | "y" | "r")
    };
    parts.len() > 1
        && !parts[0].is_empty()
        && word.contains(['+', '^', '·'])
        && parts.iter().any(is_letter)
}

/// `don't`, `well-known`
fn is_compound(word: &str) -> bool {
    word.contains(['\'', '-'])
        && word
            .split(['\'', '-'])
            .all(|part| !part.is_empty() && part.chars().all(|l| l.is_ascii_lowercase()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(task: &str, tests: &str, is_found: bool) {
        let tried = tests.lines().map(str::to_owned).collect();
        let (code, tests) = ("x = 1\n".to_owned(), tests.to_owned());
        let paths = vec!["lib/a.py".to_owned()];
        let work = Work { code, tried, tests, paths, ..Work::default() };
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

    /// A formula shows no value.
    #[test]
    fn formulas_are_no_examples() {
        assert!(
            is_formula("1+i") && is_formula("2n+1") && !is_formula("+5m") && !is_formula("1+2")
        );
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
        let wrong = "visibleArc is wrong for them as well (-325 and not 35).";
        check(wrong, "assert f(1) == 35", false);
        check("We get 1,5 KB, should be 1.5 KB.", "assert f(1) == \"1.5 KB\"", false);
        let wanted = "It should be shown as -5s and not as 5s.";
        check(wanted, "assert f(1) == 5", true);
        let partner =
            "Refuse changes that leave a bell alone (\"1\" on 4: 2-3 swap and 4 has nobody).";
        check(partner, "assert f(\"1\", 4) == 1", false);
        let nested =
            "Repeats are nested: `[k1, [yo, k2tog] x2, p1] x3`. parse_row should understand that.";
        check(nested, "assert f(\"[k1, [yo, p1] x2] x2\") == 1", false);
        check(nested, "assert f(\"k1, p1\") == 1", true);
    }
}
