//! Single things that a sentence asks for by their exact names: a function, a variant, a file.

use crate::args::has_word;

/// What is said of a thing that isn't there yet.
const ADDS: &[&str] =
    &["add", "adds", "adding", "implement", "introduce", "provide", "support", "create"];
/// These are said of what is there as well: only of "a function f(x)" they tell that it is new.
const MAKES: &[&str] = &["write", "build", "expose", "export", "offer", "need", "needs", "want"];
/// Words between such a verb and the name of what is to come.
const FILLS: &[&str] = &[
    "a",
    "an",
    "the",
    "new",
    "us",
    "me",
    "also",
    "two",
    "three",
    "small",
    "simple",
    "pure",
    "public",
    "exported",
    "static",
    "async",
    "missing",
    "called",
    "named",
    "another",
    "further",
    "both",
    "our",
    "own",
    "additional",
    "convenience",
];
/// What a name is the name of.
const KINDS: &[&str] = &[
    "function",
    "functions",
    "method",
    "methods",
    "helper",
    "helpers",
    "constructor",
    "variant",
    "variants",
    "error",
    "class",
    "type",
    "struct",
    "trait",
    "interface",
    "macro",
    "filter",
    "hook",
    "property",
    "getter",
    "setter",
    "factory",
    "operator",
];
/// What somebody starts, reads or imports by its path.
const PROGRAMS: &[&str] = &[
    "command",
    "script",
    "module",
    "binary",
    "executable",
    "program",
    "package",
    "workflow",
    "tool",
    "library",
];
/// What is added under a name that is there already: "add f() to the README", "add f() calls".
const OTHERS: &[&str] = &[
    "readme",
    "docs",
    "documentation",
    "changelog",
    "manual",
    "guide",
    "test",
    "tests",
    "call",
    "calls",
    "benchmark",
    "benchmarks",
    "example",
    "examples",
    "docstring",
    "comment",
    "comments",
    "logging",
    "support",
];

/// The last part of `Type::name` or `Type.name`.
pub(super) fn last(name: &str) -> &str {
    name.rsplit([':', '.']).next().unwrap_or(name)
}

/// The words of a sentence with their places, quotes and brackets of lists aside.
fn words(sentence: &str) -> Vec<(usize, &str)> {
    let place = |word: &str| word.as_ptr() as usize - sentence.as_ptr() as usize;
    sentence.split_whitespace().map(|word| (place(word), word)).collect()
}

fn plain(word: &str) -> String {
    word.trim_matches(|letter: char| !letter.is_alphanumeric()).to_lowercase()
}

/// Names that are written as a call or with their type, right behind a word that asks for them.
pub(super) fn names(sentence: &str) -> Vec<&str> {
    let words = words(sentence);
    let mut found = Vec::new();
    for (at, (place, word)) in words.iter().enumerate() {
        let start = word.len() - word.trim_start_matches(['`', '(', '"', '*']).len();
        let text = &sentence[place + start..];
        let Some(name) = name(text) else { continue };
        let before: Vec<String> = words[..at].iter().map(|(_, word)| plain(word)).collect();
        let rest = &text[name.len()..];
        let is_needed = before.last().is_some_and(|word| MAKES.contains(&word.as_str()))
            && !is_denied(&before, at - 1)
            && is_told(rest);
        if (is_asked(&before, &words[..at]) || is_needed) && !is_of_another(rest) {
            found.push(name);
        }
    }
    found
}

/// A name at the beginning of a text: with a bracket behind it, or the name of its type before.
fn name(text: &str) -> Option<&str> {
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || "_:.".contains(letter);
    let end = text.find(|letter: char| !is_part(letter)).unwrap_or(text.len());
    let name = text[..end].trim_end_matches([':', '.']);
    let is_call = text[name.len()..].starts_with('(');
    let own = last(name);
    let is_name = name.starts_with(|first: char| first.is_ascii_alphabetic())
        && own.len() > 2
        && own.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
    (is_name && (is_call || name.contains("::"))).then_some(name)
}

/// Whether the words before a name end in "add", "we need a function" and the like.
fn is_asked(before: &[String], written: &[(usize, &str)]) -> bool {
    // "Please add a discount: Bill.discount(percent) …"
    let is_headed = written.last().is_some_and(|(_, word)| word.ends_with(':'));
    if is_headed {
        let asks = |word: &String| [ADDS, MAKES].iter().any(|list| list.contains(&word.as_str()));
        let last = before.iter().rposition(asks);
        return last.is_some_and(|at| before.len() - at <= HEADING && !is_denied(before, at));
    }
    let mut is_kind = false;
    for (at, word) in before.iter().enumerate().rev() {
        let said = |list: &[&str]| list.contains(&word.as_str());
        if said(ADDS) || is_kind && said(MAKES) {
            return !is_denied(before, at);
        }
        is_kind |= said(KINDS);
        // Of "(a)" and of a dash only little is left.
        if !(said(FILLS) || said(KINDS) || word.chars().count() < 2) {
            return false;
        }
    }
    false
}

/// More words from "add" to a colon tell of something else.
const HEADING: usize = 6;

/// Whether something is not to be done: "don't add", "without adding".
fn is_denied(before: &[String], at: usize) -> bool {
    const DENIES: &[&str] =
        &["don't", "dont", "not", "never", "no", "without", "doesn't", "of", "than", "didn't"];
    before[at.saturating_sub(2)..at].iter().any(|word| DENIES.contains(&word.as_str()))
}

/// Whether what stands behind a name says that the name is one of old: "add f() to the README", "we need
/// f() to be faster".
fn is_of_another(rest: &str) -> bool {
    let behind = behind_call(rest).trim_start_matches(['`', '"', ')', ' ']);
    let clause = behind.split([',', ';', ':', '(']).next().unwrap_or_default();
    let mut words = clause.split_whitespace().map(plain);
    let first = words.next().unwrap_or_default();
    let mut is_place = first == "to" || first == "in";
    OTHERS.contains(&first.as_str())
        || words.take(8).any(|word| {
            let is_other = is_place && OTHERS.contains(&word.as_str());
            is_place |= word == "to" || word == "in";
            is_other
        })
}

/// Whether what stands behind a name says what it is, and not what of it is wanted: "we need sum(a, b): …".
fn is_told(rest: &str) -> bool {
    const TELLS: &[&str] = &["that", "which", "returning", "giving", "->", "→", "-", "–"];
    let behind = behind_call(rest).trim_start_matches(['`', '"', ')']);
    let first = behind.split_whitespace().next().unwrap_or_default();
    behind.starts_with([':', ',', '.', ';']) || behind.is_empty() || TELLS.contains(&first)
}

/// A text without the brackets that it begins with.
fn behind_call(text: &str) -> &str {
    let mut depth = 0_usize;
    for (at, letter) in text.char_indices() {
        match letter {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return if letter == ')' { &text[at + 1..] } else { &text[at..] };
        }
    }
    ""
}

/// The variants of types that a sentence wants to see: "otherwise `PatternError::BindOff { has, needs }`".
pub(super) fn variants(sentence: &str) -> Vec<(&str, &str)> {
    const WANTS: &[&str] = &[
        "otherwise",
        "should",
        "must",
        "has to",
        "have to",
        "shall",
        "return",
        "returns",
        "gives",
        "give",
        "is a",
        "is an",
        "as",
        "with",
        "becomes",
        "else",
        "support",
        "handle",
    ];
    let lower = sentence.to_lowercase();
    if ![WANTS, ADDS].iter().any(|list| list.iter().any(|word| has_word(&lower, word))) {
        return Vec::new();
    }
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    let one = |(at, _): (usize, &str)| {
        let of = &sentence[..at];
        let of = &of[of.trim_end_matches(is_part).len()..];
        let rest = &sentence[at + 2..];
        let name = &rest[..rest.find(|letter| !is_part(letter)).unwrap_or(rest.len())];
        let is_type = |text: &str| text.starts_with(|first: char| first.is_ascii_uppercase());
        (is_type(of) && is_type(name) && !rest[name.len()..].starts_with(':')).then_some((of, name))
    };
    sentence.match_indices("::").filter_map(one).collect()
}

/// New files that a sentence asks for by their paths: "add a command bin/list.js".
pub(super) fn paths(sentence: &str) -> Vec<&str> {
    let words = words(sentence);
    let before: Vec<String> = words.iter().map(|(_, word)| plain(word)).collect();
    let asks = |word: &String| [ADDS, MAKES].iter().any(|list| list.contains(&word.as_str()));
    let mut found = Vec::new();
    for (at, (_, word)) in words.iter().enumerate() {
        let path = word.trim_matches(|letter: char| "`\"'(),:;".contains(letter));
        let path = path.trim_start_matches("./").trim_end_matches('.');
        if !is_path(path) {
            continue;
        }
        let said = |back: usize| at.checked_sub(back).map_or("", |at| before[at].as_str());
        let is_new = matches!(said(2), "a" | "an" | "new") && PROGRAMS.contains(&said(1));
        let asked = before[..at].iter().rposition(asks).filter(|at| !is_denied(&before, *at));
        let is_first = asked.is_some_and(|verb| verb + 1 == at) && ADDS.contains(&said(1));
        if is_first || is_new && asked.is_some() {
            found.push(path);
        }
    }
    found
}

/// `bin/list.js`, and no address, pattern or number of things.
fn is_path(word: &str) -> bool {
    let Some((folder, file)) = word.rsplit_once('/') else { return false };
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || "_-.".contains(letter);
    let is_plain = |part: &str| !part.is_empty() && part.chars().all(is_part);
    let end = file.rsplit_once('.').filter(|(stem, _)| !stem.is_empty()).map_or("", |(_, end)| end);
    folder.split('/').all(is_plain)
        && is_plain(file)
        && (1..5).contains(&end.len())
        && end.starts_with(|first: char| first.is_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// G63: what is asked for by its exact name.
    #[test]
    fn names_that_are_to_come() {
        let check = |task: &str, expected: &[&str]| assert_eq!(names(task), expected, "{task}");
        check("Please add mergeVaults(a, b): both lists joined", &["mergeVaults"]);
        check("Please add (a) formatLight(light), the inverse", &["formatLight"]);
        check("Add Table::sort_by_number(column) that sorts", &["Table::sort_by_number"]);
        check("We need a small function `trend(days)`", &["trend"]);
        check("Please add a discount: Bill.discount(percent) does it", &["Bill.discount"]);
        check("Support Align::Center", &["Align::Center"]);
        check("I need mergeLists(a, b): both lists", &["mergeLists"]);
        check("We need parse() to be faster", &[]);
        check("Don't add close() anywhere", &[]);
        check("Add f() to the README", &[]);
        check("Add read_all() to the list in the README", &[]);
        check("Add tests for read_all()", &[]);
        check("Add read_all() calls", &[]);
        check("Add caching to fetch(url)", &[]);
    }

    #[test]
    fn files_that_are_to_come() {
        let check = |task: &str, expected: &[&str]| assert_eq!(paths(task), expected, "{task}");
        check("Please add (a) f(x), and (b) a command bin/list.js that reads", &["bin/list.js"]);
        check("Add tools/release.sh", &["tools/release.sh"]);
        check("./run_tests.sh is red", &[]);
        check("Add a flag to the script bin/list.js", &[]);
        check("Add a check to bin/list.js", &[]);
        check("Add https://example.org/a.js", &[]);
    }

    #[test]
    fn variants_that_are_to_come() {
        let task = "Otherwise PatternError::CastOn { has } and PatternError::BindOff { has }";
        let both = [("PatternError", "CastOn"), ("PatternError", "BindOff")];
        assert_eq!(variants(task), both);
        assert!(variants("HashMap::new and Config::Entry::Old are slow").is_empty());
    }
}
