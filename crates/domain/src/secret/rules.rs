//! The rules, read from `data/secret/rules.txt` or from what a project adds in the same form.

use std::fmt;
use std::sync::OnceLock;

use super::shape::Shape;
use super::sieve::{LONGEST, SHORTEST};

/// How a rule finds secrets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    /// By a name for passwords, and by what people do to make them hard to guess.
    Password,
    /// By a name for secrets, and by chance's marks in the value.
    Secret,
    /// By the same name and by what the value looks like.
    Named,
    /// By a mark that others have too, and by chance's marks in the rest.
    Weak,
    /// By what stands around it: a password in an address.
    Address,
    /// By what it looks like alone.
    Token,
}

/// A pattern that is made ready at its first use: few rules are ever needed in one process.
pub(crate) type Ready = OnceLock<Option<Box<Shape>>>;

/// One kind of secret: a line of five columns, which are read when they are needed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rule<'a> {
    pub(crate) line: &'a str,
    pub(crate) kind: Kind,
    pub(crate) ready: &'a Ready,
}

impl<'a> Rule<'a> {
    /// What is left of the line from a column on; empty if it has fewer.
    fn rest_of(&self, number: usize) -> &'a str {
        // Byte by byte: for a few bytes this is quicker than any search.
        let bytes = self.line.as_bytes();
        let mut at = 0;
        for _ in 0..number {
            at += bytes[at..].iter().take_while(|byte| **byte != b' ').count();
            at += bytes[at..].iter().take_while(|byte| **byte == b' ').count();
        }
        self.line.get(at..).unwrap_or("")
    }

    fn column(&self, number: usize) -> &'a str {
        let rest = self.rest_of(number);
        let end = rest.bytes().position(|byte| byte == b' ').unwrap_or(rest.len());
        &rest[..end]
    }

    pub(crate) fn id(&self) -> &'a str {
        self.column(0)
    }

    /// Entropy that the secret has at least, in bits a byte.
    pub(crate) fn bits(&self) -> f32 {
        self.column(1).parse().unwrap_or(0.0)
    }

    /// With commas between them.
    pub(crate) fn keys(&self) -> &'a str {
        self.column(2)
    }

    pub(crate) fn pattern(&self) -> &'a str {
        self.column(3)
    }

    pub(crate) fn words(&self) -> &'a str {
        self.rest_of(4)
    }

    pub(crate) fn shape(&self) -> Option<&'a Shape> {
        // A pattern of ours is tried in tests, one of a project before it is taken in.
        let make = || Shape::parse(self.pattern()).ok().map(Box::new);
        self.ready.get_or_init(make).as_deref()
    }
}

/// What is wrong with a line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct RuleError {
    pub line: usize,
    /// Of the first byte that is meant, from one.
    pub column: usize,
    pub what: String,
}

impl fmt::Display for RuleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}: {}", self.line, self.column, self.what)
    }
}

/// A section of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Section {
    Rules(Kind),
    /// Lists of words, and parts of patterns: `name: one two`.
    Words,
    /// Keys of what has to be unescaped first.
    Escapes,
    /// Values that are no secrets.
    Allow,
    /// Files that are not looked at.
    Paths,
    /// Rules that are switched off.
    Off,
}

pub(crate) const SECTIONS: &[(&str, Section)] = &[
    ("[tokens]", Section::Rules(Kind::Token)),
    ("[weak]", Section::Rules(Kind::Weak)),
    ("[addresses]", Section::Rules(Kind::Address)),
    ("[named]", Section::Rules(Kind::Named)),
    ("[passwords]", Section::Rules(Kind::Password)),
    ("[secrets]", Section::Rules(Kind::Secret)),
    ("[words]", Section::Words),
    ("[parts]", Section::Words),
    ("[escapes]", Section::Escapes),
    ("[allow]", Section::Allow),
    ("[paths]", Section::Paths),
    ("[off]", Section::Off),
];

/// A line that says something, with its section.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Line<'a> {
    pub(crate) section: Section,
    pub(crate) text: &'a str,
    pub(crate) number: usize,
}

impl Line<'_> {
    /// An error about the part of the line that begins at `column`, from zero.
    pub(crate) fn wrong(&self, column: usize, what: impl Into<String>) -> RuleError {
        RuleError { line: self.number, column: column + 1, what: what.into() }
    }
}

/// The lines of a file without comments and empty ones.
pub(crate) fn lines(text: &str) -> impl Iterator<Item = Result<Line<'_>, RuleError>> {
    let mut section = None;
    text.lines().enumerate().filter_map(move |(at, raw)| {
        let text = raw.trim_end();
        let wrong =
            |what: &str| Some(Err(RuleError { line: at + 1, column: 1, what: what.to_owned() }));
        if text.is_empty() || text.starts_with('#') || text.starts_with("version ") {
            return None;
        }
        if text.starts_with('[') && (section != Some(Section::Allow) || is_section(text)) {
            section = SECTIONS.iter().find(|(name, _)| *name == text).map(|(_, known)| *known);
            let known: Vec<&str> = SECTIONS.iter().map(|(name, _)| *name).collect();
            return match section {
                Some(_) => None,
                None => wrong(&format!("no section has this name; there are {}", known.join(" "))),
            };
        }
        match section {
            Some(section) => Some(Ok(Line { section, text, number: at + 1 })),
            None => wrong("a section must come first, such as `[tokens]`"),
        }
    })
}

fn is_section(text: &str) -> bool {
    SECTIONS.iter().any(|(name, _)| *name == text)
}

/// What can be wrong with the line of a rule.
pub(crate) fn check(line: Line<'_>, kind: Kind) -> Result<(), RuleError> {
    let ready = Ready::new();
    let rule = Rule { line: line.text, kind, ready: &ready };
    let (id, bits, keys) = (rule.id(), rule.column(1), rule.keys());
    let (pattern, words) = (rule.pattern(), rule.words());
    // Columns are slices of the line, so the address says where they stand.
    let column = |part: &str| part.as_ptr().addr().saturating_sub(line.text.as_ptr().addr());
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    if id.is_empty() || !id.bytes().all(plain) {
        return Err(line.wrong(0, "an id is made of small letters, digits and `-`"));
    }
    if words.is_empty() {
        let what = "a rule is its id, bits of entropy, keys, a pattern, and what it is in words, \
                    with spaces between them";
        return Err(line.wrong(line.text.len(), what));
    }
    if !bits.parse::<f32>().is_ok_and(|bits| (0.0..=8.0).contains(&bits)) {
        return Err(line.wrong(column(bits), "bits are a number from 0 to 8, such as 3.5"));
    }
    let shape =
        Shape::parse(pattern).map_err(|(at, what)| line.wrong(column(pattern) + at, what))?;
    let by_name = matches!(rule.kind, Kind::Password | Kind::Secret | Kind::Named);
    for key in keys.split(',') {
        let fits = key.bytes().all(|byte| byte.is_ascii_graphic() && !byte.is_ascii_uppercase());
        if !fits || !(SHORTEST..=LONGEST).contains(&key.len()) {
            let what = format!(
                "the key {key:?} must have {SHORTEST} to {LONGEST} small letters, digits or signs"
            );
            return Err(line.wrong(column(key), what));
        }
        if !by_name && !shape.may_begin_with(key.as_bytes()) {
            let what =
                format!("nothing that fits begins with the key {key:?}; `()` says where it is");
            return Err(line.wrong(column(pattern), what));
        }
    }
    Ok(())
}

#[cfg(test)]
#[path = "rules_tests.rs"]
mod tests;
