//! A place in a plan that must be filled in: with words or a command, with `N/A — reason`, or not
//! yet.

use std::fmt;

use serde::{Deserialize, Serialize};

/// What stands in such a place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "is", content = "text", rename_all = "snake_case")]
pub enum Filled {
    /// Words, or a command.
    Given(String),
    /// It doesn't apply, and why. Without a reason, nobody has thought about it.
    NotApplicable(String),
    /// Nothing, or a note that something is to come.
    Open(String),
}

/// Words that promise a text instead of being one.
const PROMISES: [&str; 6] = ["TODO", "TBD", "TBA", "FIXME", "XXX", "TBC"];

impl Filled {
    pub fn read(text: &str) -> Self {
        let text = text.trim();
        if let Some(rest) = not_applicable(text) {
            let separators = |c: char| c.is_whitespace() || "—–-:,;(".contains(c);
            let mut reason = rest.trim_start_matches(separators).trim_end();
            if rest.trim_start().starts_with('(') {
                reason = reason.strip_suffix(')').unwrap_or(reason).trim_end();
            }
            return Self::NotApplicable(reason.to_owned());
        }
        if is_promise(text) { Self::Open(text.to_owned()) } else { Self::Given(text.to_owned()) }
    }

    pub fn is_given(&self) -> bool {
        matches!(self, Self::Given(_))
    }

    /// What was given.
    pub fn given(&self) -> Option<&str> {
        match self {
            Self::Given(text) => Some(text),
            Self::NotApplicable(_) | Self::Open(_) => None,
        }
    }

    /// What keeps this place from counting as filled in.
    pub fn flaw(&self) -> Option<&'static str> {
        match self {
            Self::NotApplicable(reason) if is_promise(reason) => Some("N/A has no reason"),
            Self::Given(_) | Self::NotApplicable(_) => None,
            Self::Open(text) if text.is_empty() => Some("nothing is written there"),
            Self::Open(_) => Some("it is still to be written"),
        }
    }
}

impl fmt::Display for Filled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Given(text) | Self::Open(text) => f.write_str(text),
            Self::NotApplicable(reason) if reason.is_empty() => f.write_str("N/A"),
            Self::NotApplicable(reason) => write!(f, "N/A — {reason}"),
        }
    }
}

/// What follows "N/A", if the text begins with it.
fn not_applicable(text: &str) -> Option<&str> {
    ["n/a", "not applicable"].iter().find_map(|words| {
        let head = text.get(..words.len())?;
        let rest = &text[words.len()..];
        let ends = !rest.starts_with(char::is_alphanumeric);
        (head.eq_ignore_ascii_case(words) && ends).then_some(rest)
    })
}

/// Whether a text only says that there will be one.
pub(super) fn is_promise(text: &str) -> bool {
    let text = text.trim();
    let is_placeholder = (text.starts_with('[') && text.ends_with(']'))
        || (text.starts_with('<') && text.ends_with('>') && !text.contains(' '));
    text.chars().all(|c| !c.is_alphanumeric() && !"/$\"'".contains(c))
        || is_placeholder
        || text.split(|c: char| !c.is_alphanumeric()).any(|word| PROMISES.contains(&word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &Filled) {
        let read = Filled::read(text);
        assert_eq!(&read, expected, "{text}");
        assert_eq!(&Filled::read(&read.to_string()), expected, "written and read again: {text}");
    }

    /// LP-06: what is blank, to come, or not applicable without a reason is told from what is given.
    #[test]
    fn what_is_open_is_no_answer() {
        let na = |reason: &str| Filled::NotApplicable(reason.to_owned());
        let open = |text: &str| Filled::Open(text.to_owned());
        check("unit tests", &Filled::Given("unit tests".into()));
        check("N/A — no external services", &na("no external services"));
        check("n/a: none", &na("none"));
        check("N/A (library, nothing is deployed)", &na("library, nothing is deployed"));
        check("Not applicable - pure", &na("pure"));
        check("N/A", &na(""));
        check("N/A —", &na(""));
        check("N/AB", &Filled::Given("N/AB".into()));
        for text in
            ["", "TODO", "TODO: later", "tests (TBD)", "…", "...", "?", "-", "[reason]", "<cmd>"]
        {
            check(text, &open(text));
        }
        check("todo list shows 3 entries", &Filled::Given("todo list shows 3 entries".into()));
        assert_eq!(na("TODO").flaw(), Some("N/A has no reason"));
        assert_eq!(na("").flaw(), Some("N/A has no reason"));
        assert_eq!(na("pure").flaw(), None);
    }
}
