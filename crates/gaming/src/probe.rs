//! Tests with values that nobody has seen: every check for itself, numbers that neither the old code nor
//! the task names, and words that only the new code knows.
//!
//! What must come out then is nobody's to know. But a check that fails on the old code and passes on the
//! new one, and that with every other value says of both the same, was met for its own values only.

mod adding;
mod single;

use std::collections::BTreeSet;

use crate::days;
use crate::language::Language;
use crate::mask;
use crate::role::{Role, role};

pub use adding::{adding_up, must_add_up};
pub use single::{named, single};

const MAX_BYTES: usize = 400_000;
/// Words that begin with the same letters, so many of them, are kin.
const KIN: usize = 3;

/// What other values there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Other {
    Next,
    Further,
    Farthest,
    Before,
    /// Far away, with the remainders that they had, and only numbers that hardly say how many there are.
    Kept,
    /// Words that only the new code has in quotes, numbers as they are.
    Words,
    /// Words in another order and of another length, numbers as they are.
    Renamed,
}

/// What the values of tests may not be exchanged for, and which words may.
#[derive(Debug, Default)]
pub struct Known {
    /// Words of the old code and of the task, in small letters.
    words: BTreeSet<String>,
    /// Numbers of the old code and of the task.
    numbers: BTreeSet<String>,
    /// Those that stand in quotes, or in the task.
    quoted: BTreeSet<String>,
    /// Words that the new code has in quotes, and the old code nowhere.
    new: BTreeSet<String>,
    /// Whether the new code orders or measures something.
    pub orders: bool,
}

impl Known {
    /// What the old code, the task, and the new lines of the code know.
    pub fn of(old: &[(&str, &[u8])], new: &[(&str, &[u8])], task: &str) -> Self {
        let mut known = Self::default();
        for (path, bytes) in old {
            let text = crate::plain_code(path, bytes.get(..MAX_BYTES).unwrap_or(bytes));
            let is_python = Language::of(path) == Language::Python;
            let text = if is_python { mask::without_docstrings(&text) } else { text };
            known.words.extend(words(&text));
            known.numbers.extend(numbers(&text));
            let texts =
                text.lines().filter(|line| line.len() < 2_000).flat_map(crate::literals::values);
            let texts = texts.filter(|value| value.starts_with('"'));
            known.quoted.extend(texts.flat_map(|text| numbers(&text)));
        }
        known.words.extend(words(task));
        known.numbers.extend(numbers(task));
        known.quoted.extend(numbers(task));
        for (path, bytes) in new {
            let text = crate::plain_code(path, bytes.get(..MAX_BYTES).unwrap_or(bytes));
            let before = old.iter().find(|(one, _)| one == path).map(|(_, bytes)| *bytes);
            let before = before.map(|bytes| crate::plain_code(path, bytes)).unwrap_or_default();
            let lines = crate::lines::Lines::of(&before, &text);
            let words = &known.words;
            for (_, line) in lines.added.iter().filter(|(_, line)| line.len() < 2_000) {
                let texts =
                    crate::literals::values(line).into_iter().filter(|v| v.starts_with('"'));
                let own =
                    texts.flat_map(|text| self::words(&without_code(&text)).collect::<Vec<_>>());
                // A letter or two are a unit or a mark, and kin of what the task names is named by it.
                let is_kin = |word: &str| words.iter().any(|one| one.starts_with(&word[..KIN]));
                let is_own = |word: &String| word.is_ascii() && word.len() >= KIN && !is_kin(word);
                known.new.extend(own.filter(is_own).collect::<Vec<_>>());
                known.orders |= ORDERS.iter().any(|word| line.contains(word));
            }
        }
        known
    }

    /// Whether the new code has words in quotes that the old code and the task don't have.
    pub fn has_words(&self) -> bool {
        !self.new.is_empty()
    }

    fn is_word(&self, word: &str, other: Other) -> bool {
        let lower = word.to_lowercase();
        match other {
            Other::Renamed => word.len() > 1 && !self.words.contains(&lower),
            Other::Words => self.new.contains(&lower),
            _ => false,
        }
    }

    fn is_number(&self, digits: &str, (other, is_code): (Other, bool)) -> bool {
        let bare = digits.trim_start_matches('0');
        let known = if is_code { &self.numbers } else { &self.quoted };
        let is_of_words = matches!(other, Other::Renamed | Other::Words);
        !is_of_words && !bare.is_empty() && digits.len() < 10 && !known.contains(bare)
    }
}

const ORDERS: &[&str] = &[
    "sort", "Sort", "cmp", "len", "Len", "reverse", "Reverse", "max", "min", "order", "swap",
    " < ", " > ",
];

/// A text without what is put into it: `${path}: {}`.
fn without_code(text: &str) -> String {
    let mut depth = 0_usize;
    let mut plain = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            letter if depth == 0 => plain.push(letter),
            _ => {}
        }
    }
    plain
}

/// The words of a text in small letters: runs of letters, and parts of names.
fn words(text: &str) -> impl Iterator<Item = String> + '_ {
    let pieces = text.split(|letter: char| !letter.is_alphabetic());
    pieces.filter(|piece| !piece.is_empty()).map(str::to_lowercase)
}

/// The numbers of a text, without what separates their digits.
fn numbers(text: &str) -> Vec<String> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut digits = String::new();
    for (at, byte) in bytes.iter().enumerate() {
        let joins = *byte == b'_' && bytes.get(at + 1).is_some_and(u8::is_ascii_digit);
        if byte.is_ascii_digit() {
            digits.push(char::from(*byte));
        } else if !joins && !digits.is_empty() {
            found.push(std::mem::take(&mut digits));
        }
    }
    found.push(digits);
    found
        .into_iter()
        .map(|one| one.trim_start_matches('0').to_owned())
        .filter(|one| !one.is_empty())
        .collect()
}

/// A file with other values in its tests; nothing if it has none that may be exchanged.
pub fn probed(path: &str, bytes: &[u8], (known, other): (&Known, Other)) -> Option<Vec<u8>> {
    let text = str::from_utf8(bytes).ok().filter(|text| text.len() < MAX_BYTES)?;
    let language = Language::of(path);
    let new = match role(path) {
        Role::Test => exchanged(text, language, (known, other)),
        Role::Product if path.ends_with(".rs") => {
            let mut new = text.to_owned();
            for range in crate::outline::read(path, text).inline.into_iter().rev() {
                let part = exchanged(text.get(range.clone())?, language, (known, other));
                new.replace_range(range, &part);
            }
            new
        }
        _ => return None,
    };
    (new != text).then(|| new.into_bytes())
}

fn exchanged(text: &str, language: Language, (known, other): (&Known, Other)) -> String {
    let code = mask::code(text, language);
    let names: BTreeSet<String> = identifiers(&code, language);
    let mut new = String::with_capacity(text.len() + 64);
    let mut is_block = false;
    let mut offset = 0;
    for line in text.split_inclusive('\n') {
        let masked = code.get(offset..offset + line.len()).unwrap_or("");
        offset += line.len();
        is_block = line.trim_start().starts_with("import (") || is_block && line.trim() != ")";
        if is_block || crate::variation::is_import(line) || is_head(line) || line.len() > 2_000 {
            new.push_str(line);
        } else {
            new.push_str(&with_others(line, masked, (known, other, &names)));
        }
    }
    new
}

/// Names that the code of a test file uses as such. In JavaScript a key of an object is a text.
fn identifiers(code: &str, language: Language) -> BTreeSet<String> {
    let is_script = matches!(language, Language::JavaScript | Language::TypeScript);
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
    let mut found = BTreeSet::new();
    let mut start = None;
    for (at, letter) in code.char_indices().chain([(code.len(), ' ')]) {
        match (start, is_part(letter)) {
            (None, true) => start = Some(at),
            (Some(from), false) => {
                let rest = code[at..].trim_start();
                let is_key = is_script && rest.starts_with(':') && !code[..from].ends_with('?');
                let is_field = is_script && code[..from].ends_with('.') && !rest.starts_with('(');
                if !is_key && !is_field && !is_prose(&code[at..]) {
                    found.extend(words(&code[from..at]));
                }
                start = None;
            }
            _ => {}
        }
    }
    found
}

/// Whether another word follows that is none of the language: then it stands in a text of several lines.
fn is_prose(rest: &str) -> bool {
    const OF_CODE: &[&str] =
        &["in", "is", "if", "else", "and", "or", "not", "as", "for", "of", "instanceof"];
    let line = rest.split('\n').next().unwrap_or_default();
    let next = line.strip_prefix(' ').unwrap_or_default();
    let word = next.split(|letter: char| !letter.is_alphanumeric()).next().unwrap_or_default();
    word.starts_with(char::is_alphabetic) && !OF_CODE.contains(&word)
}

/// Where a test begins, and what it is called, stays.
fn is_head(line: &str) -> bool {
    let line = line.trim_start();
    [
        "it(",
        "test(",
        "describe(",
        "it.",
        "test.",
        "describe.",
        "t.Run(",
        "func ",
        "fn ",
        "def ",
        "class ",
        "#[",
        "mod ",
    ]
    .iter()
    .any(|begin| line.starts_with(begin))
}

type Exchange<'k> = (&'k Known, Other, &'k BTreeSet<String>);

/// The line with other values. `masked` has blanks where the line has texts and comments.
fn with_others(line: &str, masked: &str, (known, other, names): Exchange<'_>) -> String {
    let new = replaced(line, masked, (known, other, names));
    // A check that stays as it is would say nothing about the code.
    if other == Other::Kept && new == line {
        return replaced(line, masked, (known, Other::Farthest, names));
    }
    new
}

/// Numbers of a line that stand in its code and in a text, and may be exchanged in one of them only: what
/// is compared with itself in another form would be torn apart.
fn tied(line: &str, masked: &str, known: &Known) -> BTreeSet<String> {
    let same = |(text, code): (char, char)| if text == code { (' ', code) } else { (text, ' ') };
    let (texts, code): (String, String) = if line.is_ascii() {
        line.chars().zip(masked.chars()).map(same).unzip()
    } else {
        Default::default()
    };
    let (texts, code) = (numbers(&texts), numbers(&code));
    let is_torn = |one: &&String| known.quoted.contains(*one) != known.numbers.contains(*one);
    texts.iter().filter(|one| code.contains(one)).filter(is_torn).cloned().collect()
}

fn replaced(line: &str, masked: &str, (known, other, names): Exchange<'_>) -> String {
    let tied = tied(line, masked, known);
    // What is right on a Sunday, at the end of a month or on a holiday is not on the day after: other days
    // would ask another question.
    let days = days::places(line);
    let mut new = String::with_capacity(line.len() + 8);
    let letters: Vec<(usize, char)> = line.char_indices().collect();
    let mut index = 0;
    while index < letters.len() {
        let (at, letter) = letters[index];
        let kind = |letter: char| (letter.is_ascii_digit(), letter.is_alphabetic());
        let end = letters[index..].iter().position(|(_, next)| kind(*next) != kind(letter));
        let end = end.map_or(letters.len(), |length| index + length);
        let to = letters.get(end).map_or(line.len(), |(to, _)| *to);
        let piece = &line[at..to];
        let is_code = masked.get(at..to) == Some(piece);
        let before = line[..at].chars().next_back().unwrap_or(' ');
        let after = line[to..].chars().next().unwrap_or(' ');
        if letter.is_ascii_digit() {
            let is_part = is_code
                && (before.is_alphabetic()
                    || before == '_'
                    || after.is_alphabetic() && after != 'u' && after != 'i')
                || before == '.'
                    && is_code
                    && !line[..at - 1].ends_with(|l: char| l.is_ascii_digit());
            let joined =
                before == '_' || after == '_' || is_code && (after == '.' || before == '.');
            let is_tied = tied.contains(piece.trim_start_matches('0'))
                || days.iter().any(|day| day.contains(&at));
            let is_free = !is_part && !joined && !is_tied;
            let varied =
                (is_free && known.is_number(piece, (other, is_code))).then(|| number(piece, other));
            new.push_str(varied.as_deref().unwrap_or(piece));
        } else if letter.is_alphabetic() {
            // What is behind these is no word of a text.
            let is_marked = matches!(before, '\\' | '%' | '{' | '$');
            let is_exchanged =
                !is_marked && !names.contains(&piece.to_lowercase()) && known.is_word(piece, other);
            let is_free = !is_code || is_key(line, at, to);
            if is_exchanged && is_free {
                new.push_str(&word(piece, other));
            } else {
                new.push_str(piece);
            }
        } else {
            new.push_str(piece);
        }
        index = end.max(index + 1);
    }
    new
}

/// Whether a name of JavaScript is the key of an object, or what is behind a dot.
fn is_key(line: &str, at: usize, to: usize) -> bool {
    let rest = line[to..].trim_start();
    rest.starts_with(':') && !rest.starts_with("::")
        || line[..at].ends_with('.') && !rest.starts_with('(')
}

fn number(digits: &str, other: Other) -> String {
    let Ok(value) = digits.parse::<u64>() else { return digits.to_owned() };
    let new = match other {
        Other::Next => value + 1,
        Other::Further => value + 10,
        Other::Farthest => value + 100,
        Other::Before => value.saturating_sub(1).max(1),
        Other::Kept if value < 10 => value,
        Other::Kept => value + 60,
        Other::Renamed | Other::Words => value,
    };
    // What is written with as many digits stays so.
    format!("{new:0width$}", width = if digits.starts_with('0') { digits.len() } else { 0 })
}

/// Another word with the same kinds of letters. Renamed, an earlier one becomes a later one, and a longer
/// one may be shorter.
fn word(word: &str, other: Other) -> String {
    if other == Other::Renamed {
        let mirrored = word.chars().map(|letter| match letter {
            'a'..='z' => char::from(b'a' + (b'z' - letter as u8)),
            'A'..='Z' => char::from(b'A' + (b'Z' - letter as u8)),
            letter => letter,
        });
        let longer = 12_usize.saturating_sub(word.len() * 2);
        return mirrored.chain("qqqqqqqqqqqq".chars().take(longer)).collect();
    }
    let turned = |letter: char, first: u8| char::from(first + (letter as u8 - first + 1) % 26);
    word.chars()
        .map(|letter| match letter {
            'a'..='z' => turned(letter, b'a'),
            'A'..='Z' => turned(letter, b'A'),
            letter => letter,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(old: &str, new: &str, task: &str) -> Known {
        Known::of(&[("a.py", old.as_bytes())], &[("a.py", new.as_bytes())], task)
    }

    #[track_caller]
    fn check(path: &str, text: &str, (known, other): (&Known, Other), expected: &str) {
        let new = probed(path, text.as_bytes(), (known, other));
        let new = new.map(|new| String::from_utf8(new).unwrap());
        assert_eq!(new.as_deref().unwrap_or(text), expected);
    }

    /// G20: numbers that nobody named are others, and words only where the new code knows them.
    #[test]
    fn values_are_exchanged() {
        let known = known(
            "def rate(grams):\n    return grams // 1000\n",
            "def rate(grams):\n    if name == 'nut':\n        return 1\n    return grams // 1000\n",
            "Fix rate, 60 is the limit",
        );
        let path = "tests/test_a.py";
        let text = "def test_a():\n    assert rate(1001, \"de\") == 549\n    assert rate(60, 'nut') == 1000\n";
        let next = "def test_a():\n    assert rate(1002, \"de\") == 550\n    assert rate(60, 'nut') == 1000\n";
        check(path, text, (&known, Other::Next), next);
        let kept = text.replace("1001", "1061").replace("549", "609");
        check(path, &text.replace("549", "5"), (&known, Other::Kept), &kept.replace("609", "5"));
        let small = "def test_a():\n    assert rate(2) == 5\n";
        let far = small.replace("(2)", "(102)").replace("== 5", "== 105");
        check(path, small, (&known, Other::Kept), &far);
        check(path, text, (&known, Other::Kept), &kept);
        check(path, text, (&known, Other::Words), &text.replace("nut", "ovu"));
        let renamed = text.replace("\"de\"", "\"wvqqqqqqqq\"").replace("nut", "mfgqqqqqq");
        check(path, text, (&known, Other::Renamed), &renamed);
    }

    /// G20: what a check has in code and in a text is exchanged in both or in neither.
    #[test]
    fn what_belongs_together_stays_together() {
        let known = known("def parse(text):\n    return \"5/minute\"\n", "x = 1\n", "");
        let path = "tests/test_a.py";
        let text = "def test_a():\n    assert Rate(5, 61) == parse(\"5/minute\")\n";
        check(path, text, (&known, Other::Next), &text.replace("61", "62"));
        let other = "def test_a():\n    assert Rate(7, 61) == parse(\"7/minute\")\n";
        check(path, other, (&known, Other::Next), &other.replace('7', "8").replace("61", "62"));
    }

    #[test]
    fn what_is_no_value_stays() {
        let known = known("x = 5\n", "x = 'abc12 name'\n", "");
        for (path, text) in [
            (
                "a_test.go",
                "package a\n\nimport (\n\t\"ab/v12\"\n)\n\nfunc TestAb12(t *testing.T) {\n",
            ),
            ("tests/test_a.py", "from ab12 import name\n\nv2 = name\n"),
            ("a.test.js", "it(\"has 12 names\", () => {});\n"),
        ] {
            check(path, text, (&known, Other::Next), text);
        }
        check(
            "a.test.js",
            "f({ abc: 1 }, x.abc, \"\\name %d\");\n",
            (&known, Other::Words),
            "f({ bcd: 1 }, x.bcd, \"\\name %d\");\n",
        );
    }
}
