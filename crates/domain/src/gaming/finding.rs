//! One place where the work looks as if a check was gamed.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::rule::Rule;

/// How grave a finding is.
#[derive(
    Debug,
    Clone,
    Copy,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Worth knowing: weak by itself, or asked for by the task.
    Info,
    /// Somebody has to look.
    #[default]
    Warn,
    /// The work is not accepted with it.
    Block,
}

/// What a finding rests on. Text and structure explain; execution decides.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Basis {
    /// Words and lines.
    Text,
    /// The syntax tree.
    Structure,
    /// Something that we ran.
    Execution,
}

/// One place where the work looks as if a check was gamed. It is stored as it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Finding {
    pub rule: Rule,
    pub severity: Severity,
    pub basis: Basis,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Counted from one, in the new file; in the old one if the place is gone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// The tests that it is about, as their runner names them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tests: Vec<String>,
    /// One sentence for people.
    pub message: String,
}

impl Finding {
    /// A finding as grave as its rule says, without a place.
    pub fn new(rule: Rule, basis: Basis, message: impl Into<String>) -> Self {
        Self {
            rule,
            severity: rule.severity(),
            basis,
            path: None,
            line: None,
            before: None,
            after: None,
            tests: Vec::new(),
            message: message.into(),
        }
    }

    pub fn at(mut self, path: &str, line: Option<u32>) -> Self {
        self.path = Some(path.to_owned());
        self.line = line;
        self
    }

    /// What stood there before, and what stands there now.
    pub fn change(mut self, before: Option<String>, after: Option<String>) -> Self {
        self.before = before;
        self.after = after;
        self
    }

    pub fn about(mut self, tests: &[&str]) -> Self {
        self.tests = tests.iter().map(ToString::to_string).collect();
        self
    }

    pub fn graded(mut self, severity: Severity) -> Self {
        self.severity = severity;
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is stored is only ever added to.
    #[test]
    fn a_finding_is_stored_like_this() {
        let finding = Finding::new(Rule::G11, Basis::Structure, "weaker")
            .at("tests/a.py", Some(4))
            .change(Some("== 5".to_owned()), Some("is not None".to_owned()));
        let stored = serde_json::to_string(&finding).unwrap();
        assert_eq!(
            stored,
            r#"{"rule":"G11","severity":"warn","basis":"structure","path":"tests/a.py","line":4,"before":"== 5","after":"is not None","message":"weaker"}"#
        );
        assert_eq!(serde_json::from_str::<Finding>(&stored).unwrap(), finding);
        let least = r#"{"rule":"G60","severity":"block","basis":"execution","message":"m"}"#;
        let read: Finding = serde_json::from_str(least).unwrap();
        assert_eq!(serde_json::to_string(&read).unwrap(), least);
    }
}
