//! What a hook says to its agent: bytes and an exit code.

use countersign_domain::worklog::Answer;
use serde_json::{Map, Value, json};

/// The answer in an agent's dialect.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Said {
    pub stdout: String,
    pub stderr: String,
    pub exit: u8,
}

/// An object that grows. Said in full it is JSON; empty it is silence, which all agents take for
/// consent.
#[derive(Debug, Default)]
pub(crate) struct Words(Map<String, Value>);

impl Words {
    pub(crate) fn with(mut self, name: &str, value: Value) -> Self {
        self.0.insert(name.to_owned(), value);
        self
    }

    /// What is for one event alone.
    pub(crate) fn specific(self, event: &str, name: &str, value: Value) -> Self {
        let mut inner = Map::new();
        inner.insert("hookEventName".to_owned(), json!(event));
        inner.insert(name.to_owned(), value);
        self.with("hookSpecificOutput", Value::Object(inner))
    }

    /// With the words for the person, which all agents that have hooks show in the same way.
    pub(crate) fn and_to_user(self, answer: &Answer) -> Self {
        match &answer.to_user {
            Some(text) => self.with("systemMessage", json!(text)),
            None => self,
        }
    }

    pub(crate) fn said(self) -> Said {
        if self.0.is_empty() {
            return Said::default();
        }
        Said { stdout: Value::Object(self.0).to_string(), ..Said::default() }
    }
}

/// Why something is refused; agents want a reason even where nobody gave one.
pub(crate) fn reason(answer: &Answer) -> &str {
    answer.to_agent.as_deref().unwrap_or("refused by policy")
}
