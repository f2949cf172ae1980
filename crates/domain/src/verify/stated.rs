//! What a task states about the code by example: `parse("1.5h") must be 5400`.
//!
//! Such a sentence was written before the work, by whoever wants it done, and its value is compared in
//! our own process. It is only believed where it can mean one thing: a call whose arguments stand there,
//! and a plain value. What a report says of the past ("gives 18000 instead of 5400") is not what it asks
//! for; and what the old code answered already, nobody asked for either.

mod errors;
mod literal;
mod wanted;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::id::Digest;
pub use errors::{error, is_error};
pub use literal::{is_same, value};

/// More statements than these are a specification, and its tests are the place for it.
const MOST: usize = 6;
const MAX_CALL: usize = 200;

/// A call and its value, as a task has them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Stated {
    /// As it is written: `parse("1.5h")`.
    pub call: String,
    /// The function that is called first, without what stands before its name.
    pub function: String,
    /// What stands before it: `money` in `money.parse("1")`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of: Option<String>,
    pub value: Value,
    /// It is said what must be, and not only what is.
    pub is_demand: bool,
}

/// A statement, and what the code answered before and after the work; `None` if it gave no plain value.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Heard {
    pub stated: Stated,
    pub base: Option<Value>,
    pub handed: Option<Value>,
    /// New code has a value of the call in it: that it knows this one shows nothing.
    pub is_named: bool,
    /// Of the run on what was handed over.
    pub receipt: Digest,
}

/// What a statement says about the work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bearing {
    /// The new code answers as stated, and the old one did not.
    Shown,
    /// It answers something else, and it must not.
    Missed,
    /// The same, where the text may be about how things were.
    Doubtful,
    Nothing,
}

impl Heard {
    pub fn bearing(&self) -> Bearing {
        let wanted = &self.stated.value;
        let Some(handed) = &self.handed else { return Bearing::Nothing };
        let was_so = self.base.as_ref().is_some_and(|base| is_same(base, wanted));
        match (is_same(handed, wanted), was_so) {
            (true, false) if !self.is_named => Bearing::Shown,
            (false, false) if self.stated.is_demand => Bearing::Missed,
            (false, was_so) if self.stated.is_demand || !was_so => Bearing::Doubtful,
            _ => Bearing::Nothing,
        }
    }
}

/// Words between a call and its value that say what must be, longest first.
const DEMANDS: &[&str] = &[
    "should now return",
    "should now be",
    "should return",
    "should give",
    "should yield",
    "should equal",
    "should become",
    "should evaluate to",
    "should come out as",
    "should stay",
    "should be",
    "must return",
    "must give",
    "must yield",
    "must equal",
    "must become",
    "must stay",
    "must be",
    "has to return",
    "has to give",
    "has to be",
    "have to be",
    "needs to be",
    "ought to be",
    "shall return",
    "shall be",
    "is supposed to return",
    "is supposed to be",
    "is expected to return",
    "is expected to be",
    "was expected to be",
    "expected",
];

/// Those that say what is.
const SAYINGS: &[&str] = &[
    "comes out as",
    "evaluates to",
    "is now",
    "is then",
    "returns",
    "yields",
    "becomes",
    "equals",
    "gives",
    "===",
    "==",
    "=>",
    "->",
    "→",
    "is",
    "=",
];

/// Between what is and what must be: "gives 3, but must be 4".
const TURNS: &[&str] = &["but it", "and it", "but", "and", "it", "where it", "while it", "which"];

/// Words that make a sentence one about how things were.
const PAST: &[&str] = &[
    "currently",
    "right now",
    "at the moment",
    "at present",
    "today",
    "so far",
    "until now",
    "wrongly",
    "incorrectly",
    "mistakenly",
    "still",
];

impl Stated {
    /// The values in the call that nothing has by chance: texts and numbers of more than one character.
    pub fn values(&self) -> Vec<String> {
        let (mut found, mut text, mut quote) = (Vec::new(), String::new(), None);
        for letter in self.call.chars() {
            let goes_on = match quote {
                Some(open) => letter != open,
                None => letter.is_ascii_digit() || (letter == '.' && !text.is_empty()),
            };
            if goes_on {
                text.push(letter);
                continue;
            }
            found.push(std::mem::take(&mut text));
            quote = match quote {
                None if matches!(letter, '"' | '\'') => Some(letter),
                _ => None,
            };
        }
        found.push(text);
        found.retain(|value| value.chars().count() > 1);
        found
    }
}

/// What `task` states, in its order.
pub fn stated(task: &str) -> Vec<Stated> {
    let mut found: Vec<Stated> = Vec::new();
    let mut at = 0;
    while let Some((call, end)) = next_call(task, &mut at) {
        let said = statement(task, (call.0, end)).map(|(value, is_demand)| {
            let (of, function) = match call.1.rsplit_once('.') {
                Some((of, function)) => (Some(of.to_owned()), function),
                None => (None, call.1),
            };
            let from = call.0 + call.1.len() - function.len();
            let (call, function) = (task[from..end].to_owned(), function.to_owned());
            Stated { call, function, of, value, is_demand }
        });
        if let Some(said) = said {
            at = end;
            let is_new = found.iter().all(|known| known.call != said.call);
            if is_new && found.len() < MOST {
                found.push(said);
            }
        }
    }
    found
}

/// The next call at or after `at` whose arguments are all there: where it begins with its name, and where
/// it ends. `at` is moved on.
fn next_call<'t>(task: &'t str, at: &mut usize) -> Option<((usize, &'t str), usize)> {
    let is_name = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '$' | '.');
    while let Some(open) = task.get(*at..)?.find('(').map(|open| open + *at) {
        *at = open + 1;
        let begin = task[..open]
            .rfind(|letter| !is_name(letter))
            .map_or(0, |before| before + task[before..].chars().next().map_or(1, char::len_utf8));
        let name = &task[begin..open];
        let is_plain = name.starts_with(|letter: char| letter.is_alphabetic() || letter == '_')
            && !name.ends_with('.')
            && !name.contains("..");
        let Some(end) = literal::closing(task, open).filter(|end| end - begin < MAX_CALL) else {
            continue;
        };
        if is_plain && is_closed(&task[open + 1..end - 1]) {
            return Some(((begin, name), end));
        }
    }
    None
}

/// Whether arguments name nothing but constants, calls and the names of arguments.
fn is_closed(arguments: &str) -> bool {
    const CONSTANTS: [&str; 11] =
        ["True", "False", "None", "true", "false", "null", "nil", "undefined", "new", "vec", "not"];
    let bare = literal::without_texts(arguments);
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
    let mut rest = bare.as_str();
    while let Some(from) = rest.find(|letter: char| letter.is_alphabetic() || letter == '_') {
        let before = rest[..from].chars().next_back();
        let len = rest[from..].find(|letter| !is_part(letter)).unwrap_or(rest.len() - from);
        let (word, after) = rest[from..].split_at(len);
        rest = after;
        let next = after.trim_start();
        // The unit of a number, an argument by name, a key, a call, a macro.
        let is_known = before.is_some_and(|before| before.is_ascii_digit() || before == '.')
            || CONSTANTS.contains(&word)
            || (next.starts_with('=') && !next.starts_with("=="))
            || next.starts_with(['(', ':', '!']);
        if !is_known {
            return false;
        }
    }
    !bare.contains("...") && !bare.contains('…')
}

/// The value that is stated for the call that stands at `begin..end`, and whether it must be.
fn statement(task: &str, (begin, end): (usize, usize)) -> Option<(Value, bool)> {
    if errors::is_demanded(&task[end..]) {
        return Some((error(true), true));
    }
    let Some((is_demand, rest)) = relation(&task[end..]) else {
        return wanted::of(&task[end..]).map(|value| (value, true));
    };
    let Some((first, rest)) = value(rest) else {
        return wanted::of(&task[end..]).map(|value| (value, true));
    };
    if is_demand {
        return Some((first, true));
    }
    let rest = rest.trim_start();
    if let Some(second) = wanted::instead(rest) {
        return Some((second, true));
    }
    let turned = rest.trim_start_matches([',', ';', '(', '-', '–', '—', '.', ' ']);
    let turned = TURNS.iter().find_map(|turn| word(turned, turn)).unwrap_or(turned);
    if let Some((true, rest)) = relation(turned)
        && let Some((second, _)) = value(rest)
    {
        return Some((second, true));
    }
    let sentence = task[..begin].rfind(['.', '!', '?', '\n']).map_or(0, |stop| stop + 1);
    let before = task[sentence..begin].to_lowercase();
    let is_past = PAST.iter().any(|past| before.contains(past))
        || PAST.iter().any(|past| word(rest, past).is_some());
    (!is_past).then_some((first, false))
}

/// Whether what follows says what must be, and what stands behind those words.
fn relation(text: &str) -> Option<(bool, &str)> {
    let text = text.trim_start_matches('`').trim_start().trim_start_matches(':').trim_start();
    let of = |words: &[&str]| words.iter().find_map(|said| word(text, said));
    of(DEMANDS).map(|rest| (true, rest)).or_else(|| of(SAYINGS).map(|rest| (false, rest)))
}

/// What stands behind `said` at the beginning of `text`, whatever its letters are.
fn word<'t>(text: &'t str, said: &str) -> Option<&'t str> {
    let head = text.get(..said.len())?;
    let rest = &text[said.len()..];
    let ends = !said.ends_with(char::is_alphabetic)
        || !rest.starts_with(|letter: char| letter.is_alphanumeric() || letter == '_');
    (head.eq_ignore_ascii_case(said) && ends).then(|| rest.trim_start())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn one(task: &str) -> Option<(String, Value, bool)> {
        let mut all = stated(task);
        (all.len() == 1).then(|| all.remove(0)).map(|one| (one.call, one.value, one.is_demand))
    }

    fn says(task: &str, call: &str, value: Value, is_demand: bool) {
        assert_eq!(one(task), Some((call.to_owned(), value, is_demand)), "{task}");
    }

    /// VC-06, G20: what a task says by example is read as it is meant.
    #[test]
    fn statements_are_read() {
        says(
            "slugify(\"a -- b\") should be \"a-b\", not \"a----b\".",
            "slugify(\"a -- b\")",
            json!("a-b"),
            true,
        );
        says("parse(\"1.5h\") gives 18000 instead of 5400.", "parse(\"1.5h\")", json!(5400), true);
        says(
            "`parse('1.5h')` returns `18000`, but should be `5400`.",
            "parse('1.5h')",
            json!(5400),
            true,
        );
        says(
            "parse_amount(\"3.5\") gives 305 and must give 350.",
            "parse_amount(\"3.5\")",
            json!(350),
            true,
        );
        says("add(1, 2) returned nothing; add(1, 2) == 3", "add(1, 2)", json!(3), false);
        says("so that tax_of(50, \"DE\") is 10. All must", "tax_of(50, \"DE\")", json!(10), false);
        says("Add weeks: parse(\"2w\") is 1209600, also", "parse(\"2w\")", json!(1_209_600), false);
        says(
            "f([1, -2], key=True) → [1.5, None]",
            "f([1, -2], key=True)",
            json!([1.5, null]),
            false,
        );
        says(
            "parseLine('\"a\",x') must be ['a', 'x']",
            "parseLine('\"a\",x')",
            json!(["a", "x"]),
            true,
        );
        says("show(-5, \"$\") is \"-$0.05\".", "show(-5, \"$\")", json!("-$0.05"), false);
    }

    /// VC-06, G25: what a call must give, behind what it does now.
    #[test]
    fn what_is_wanted_instead() {
        for task in [
            "f([[0, 1], [1, 0]]) dies with ZeroDivisionError, it should be -1. Fix it.",
            "`f([[0, 1], [1, 0]])` crashes; it must return -1",
            "f([[0, 1], [1, 0]]) raises an error instead of returning -1.",
            "f([[0, 1], [1, 0]]) panics (index out of bounds) but should give -1",
            "f([[0, 1], [1, 0]]) is wrong, should be -1.",
            "f([[0, 1], [1, 0]]) doesn't work. It should be -1",
            "f([[0, 1], [1, 0]]) gives 3 rather than -1",
            "f([[0, 1], [1, 0]]) gives nonsense instead of `-1`",
        ] {
            says(task, "f([[0, 1], [1, 0]])", json!(-1), true);
        }
        for task in [
            "f(2) dies, and g must return 3",
            "f(2) dies. The sum should be 3",
            "f(2) dies when the limit should be 3",
            "f(2) is used in g(), it should be 3",
            "f(2) raises. Fix it so that it should be 3 items long",
            "f(2) dies with a message, it should be 3 lines long",
        ] {
            assert_eq!(one(task), None, "{task}");
        }
    }

    /// VC-06: what must fail is asked as well.
    #[test]
    fn errors_are_statements() {
        for task in [
            "f(2) should be an error",
            "f(2) must be an error at 1",
            "`f(2)` must raise ValueError",
            "f(2) returns NaN, it should throw the same error as others",
            "f(2) gives 0 but should fail",
            "f(2) has to return an error.",
            "f(2) should be rejected",
        ] {
            says(task, "f(2)", error(true), true);
        }
        for task in [
            "f(2) should not throw",
            "f(2) must never raise",
            "f(2) is used where g should throw",
            "f(2) works. It should fail gracefully",
            "f(2) raises, it should return an error code",
        ] {
            assert_eq!(one(task), None, "{task}");
        }
    }

    #[test]
    fn what_stands_before_a_name_is_kept() {
        let all = stated("money.parse(\"1\") must be 100; Bill.total() is 3");
        assert_eq!((all[0].call.as_str(), all[0].of.as_deref()), ("parse(\"1\")", Some("money")));
        assert_eq!(all[1].of.as_deref(), Some("Bill"));
    }

    #[test]
    fn what_may_mean_anything_is_left() {
        for task in [
            "f(x) is 3",
            "split(people, percent=0) returns a list",
            "length() should show hours",
            "split(100, 0) gives an empty list",
            "f(2) is 3 items long",
            "f(2) is 10 percent of it",
            "currently f(2) is 3",
            "f(2) is still 3",
            "f(1, ...) is 3",
            "see f(2). It is 3",
            "f(2",
            "",
        ] {
            assert_eq!(one(task), None, "{task}");
        }
    }

    #[test]
    fn however_many_there_are() {
        let task = "parse(\"1h30m\") must be 5400 and parse(\"1d1s\") must be 86401.";
        assert_eq!(stated(task).len(), 2);
        assert_eq!(stated(&"f(1) is 2. ".repeat(1000)).len(), 1);
        let many: String = (0..1000).map(|n| format!("f({n}) is {n}. ")).collect();
        assert_eq!(stated(&many).len(), MOST);
        stated(&"f(".repeat(100_000));
    }

    #[test]
    fn the_values_of_a_call() {
        let values = |call: &str| stated(&format!("{call} is 3"))[0].values();
        assert_eq!(values("f(\"1.5h\", 42, 7, 'x', [10.5])"), ["1.5h", "42", "10.5"]);
    }

    #[test]
    fn what_it_says_about_the_work() {
        let heard = |base: Option<i64>, handed: Option<i64>, is_demand| {
            let value = json!(5);
            let stated =
                Stated { call: "f(1)".into(), function: "f".into(), of: None, value, is_demand };
            let (base, handed) = (base.map(|n| json!(n)), handed.map(|n| json!(n)));
            Heard { stated, base, handed, is_named: false, receipt: Digest::of(b"") }.bearing()
        };
        assert_eq!(heard(Some(4), Some(5), true), Bearing::Shown);
        assert_eq!(heard(None, Some(5), false), Bearing::Shown);
        assert_eq!(heard(Some(4), Some(4), true), Bearing::Missed);
        assert_eq!(heard(Some(4), Some(3), false), Bearing::Doubtful);
        assert_eq!(heard(Some(5), Some(4), false), Bearing::Nothing);
        assert_eq!(heard(Some(5), Some(4), true), Bearing::Doubtful);
        assert_eq!(heard(Some(5), Some(5), true), Bearing::Nothing);
        assert_eq!(heard(Some(4), None, true), Bearing::Nothing);
    }
}
