//! An agent as a user names it: `claude`, `claude:opus`, `codex:gpt-5.5@high`, `command:make fix`.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// The sorts of agents that can be started.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    Claude,
    Codex,
    Gemini,
    Opencode,
    Goose,
    /// Any agent that speaks the Agent Client Protocol on its standard input and output.
    Acp,
    /// Any shell command.
    Command,
}

impl Kind {
    pub const ALL: [Self; 7] = [
        Self::Claude,
        Self::Codex,
        Self::Gemini,
        Self::Opencode,
        Self::Goose,
        Self::Acp,
        Self::Command,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Codex => "codex",
            Self::Gemini => "gemini",
            Self::Opencode => "opencode",
            Self::Goose => "goose",
            Self::Acp => "acp",
            Self::Command => "command",
        }
    }

    /// Whether what comes after the colon is a command and not a model.
    pub fn takes_command(self) -> bool {
        matches!(self, Self::Acp | Self::Command)
    }
}

/// One agent, with its model and how hard it is to think.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct AgentSpec {
    pub kind: Kind,
    /// As the agent names it.
    pub model: Option<String>,
    /// As the agent names it, such as `high`.
    pub effort: Option<String>,
    /// What is started, for the kinds that have no program of their own.
    pub command: Option<String>,
}

/// A text that names no agent.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unnamed {
    #[error("there is no agent '{0}'")]
    Unknown(String),
    #[error("'{0}:' names no command")]
    NoCommand(&'static str),
    #[error("'{0}' names an empty model or effort")]
    Empty(String),
}

impl Unnamed {
    /// What to write instead.
    pub fn hint(&self) -> String {
        let names: Vec<&str> =
            Kind::ALL.iter().filter(|kind| !kind.takes_command()).map(|kind| kind.name()).collect();
        format!(
            "use one of {} (with :MODEL and @EFFORT if you like), acp:COMMAND, or \
             'command:SHELL COMMAND'; the prompt comes on its standard input",
            names.join(", ")
        )
    }
}

impl FromStr for AgentSpec {
    type Err = Unnamed;

    fn from_str(text: &str) -> Result<Self, Unnamed> {
        let (name, rest) = match text.split_once(':') {
            Some((name, rest)) => (name, Some(rest)),
            None => (text, None),
        };
        // `claude@high` has an effort and no model.
        let (name, bare_effort) = match name.split_once('@') {
            Some((name, effort)) if rest.is_none() => (name, Some(effort)),
            _ => (name, None),
        };
        let kind = Kind::ALL.into_iter().find(|kind| kind.name() == name.trim());
        let kind = kind.ok_or_else(|| Unnamed::Unknown(name.to_owned()))?;
        if kind.takes_command() {
            let command = rest.filter(|rest| !rest.trim().is_empty());
            let command = command.ok_or(Unnamed::NoCommand(kind.name()))?;
            return Ok(Self { kind, model: None, effort: None, command: Some(command.to_owned()) });
        }
        let (model, effort) = match rest.map(|rest| rest.split_once('@').unwrap_or((rest, ""))) {
            Some((model, "")) if !text.ends_with('@') => (Some(model), None),
            Some((model, effort)) => (Some(model), Some(effort)),
            None => (None, bare_effort),
        };
        let is_empty = |part: Option<&str>| part.is_some_and(|part| part.trim().is_empty());
        if is_empty(model) || is_empty(effort) {
            return Err(Unnamed::Empty(text.to_owned()));
        }
        let owned = |part: Option<&str>| part.map(|part| part.trim().to_owned());
        Ok(Self { kind, model: owned(model), effort: owned(effort), command: None })
    }
}

impl fmt::Display for AgentSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.kind.name())?;
        if let Some(rest) = self.command.as_ref().or(self.model.as_ref()) {
            write!(f, ":{rest}")?;
        }
        match &self.effort {
            Some(effort) => write!(f, "@{effort}"),
            None => Ok(()),
        }
    }
}

impl TryFrom<String> for AgentSpec {
    type Error = Unnamed;

    fn try_from(text: String) -> Result<Self, Unnamed> {
        text.parse()
    }
}

impl From<AgentSpec> for String {
    fn from(spec: AgentSpec) -> Self {
        spec.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// LP-18: engine, model and effort in one word, and back.
    #[test]
    fn agents_are_named_and_come_back() {
        let check = |text: &str, model: Option<&str>, effort: Option<&str>| {
            let spec: AgentSpec = text.parse().unwrap();
            assert_eq!(spec.model.as_deref(), model, "{text}");
            assert_eq!(spec.effort.as_deref(), effort, "{text}");
            assert_eq!(spec.to_string(), text);
        };
        check("claude", None, None);
        check("claude:opus", Some("opus"), None);
        check("claude@high", None, Some("high"));
        check("codex:gpt-5.5@high", Some("gpt-5.5"), Some("high"));
        check("opencode:scripted/m1", Some("scripted/m1"), None);
        check("command:make fix", None, None);
        check("command:ssh user@host:22 x", None, None);
        check("acp:npx some-agent --acp", None, None);
    }

    /// LP-18: a name that means nothing is refused before anything starts.
    #[test]
    fn what_names_no_agent_is_refused() {
        for text in ["", "cluade", "claude:", "claude:opus@", "claude@", "command:", "acp: ", ":x"]
        {
            assert!(text.parse::<AgentSpec>().is_err(), "{text}");
        }
    }
}
