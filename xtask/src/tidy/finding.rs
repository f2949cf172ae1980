//! What a rule says when it is broken.

use std::fmt;

/// Whether a finding stops the build.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Level {
    /// Listed, for somebody to look at.
    Warn,
    Fail,
}

/// One place where a rule is broken, what is wrong there and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Finding {
    pub(crate) rule: &'static str,
    pub(crate) level: Level,
    pub(crate) path: String,
    /// Counted from one.
    pub(crate) line: usize,
    pub(crate) what: String,
    pub(crate) fix: String,
}

impl Finding {
    pub(crate) fn new(
        rule: &'static str,
        place: (&str, usize),
        what: impl Into<String>,
        fix: impl Into<String>,
    ) -> Self {
        Self {
            rule,
            level: Level::Fail,
            path: place.0.to_owned(),
            line: place.1,
            what: what.into(),
            fix: fix.into(),
        }
    }

    pub(crate) fn into_warning(mut self) -> Self {
        self.level = Level::Warn;
        self
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let level = match self.level {
            Level::Warn => "warning ",
            Level::Fail => "",
        };
        writeln!(f, "{}:{}: {level}[{}] {}", self.path, self.line, self.rule, self.what)?;
        write!(f, "    → {}", self.fix)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_finding_says_where_what_and_what_to_do() {
        let finding = Finding::new("head", ("a.rs", 3), "it is wrong", "put it right");
        assert_eq!(finding.to_string(), "a.rs:3: [head] it is wrong\n    → put it right");
        assert!(finding.into_warning().to_string().starts_with("a.rs:3: warning [head]"));
    }
}
