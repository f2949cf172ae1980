//! What an agent tells us through its hooks, and what we answer; without its dialect.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::operation::{End, Operation};

/// An agent whose hooks we understand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Agent {
    Claude,
    Codex,
    Gemini,
    Opencode,
}

impl Agent {
    pub const ALL: [Self; 4] = [Self::Claude, Self::Codex, Self::Gemini, Self::Opencode];

    /// The name in commands, streams and files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Codex => "codex",
            Self::Gemini => "gemini",
            Self::Opencode => "opencode",
        }
    }
}

impl fmt::Display for Agent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Agent {
    type Err = crate::id::IdError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let found = Self::ALL.into_iter().find(|agent| agent.name() == text);
        found.ok_or_else(|| {
            crate::id::IdError::new("an agent (claude, codex, gemini or opencode)", text)
        })
    }
}

/// One call of a hook.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    /// The agent's own name of its session; empty if it gave none.
    pub agent_session: String,
    /// Where the agent keeps its transcript.
    pub transcript: Option<String>,
    /// The folder that the agent works in.
    pub cwd: Option<String>,
    /// The agent's own name of the event, such as `PostToolUse`.
    pub event: String,
    /// The sub-agent that it comes from; `None` for the agent itself.
    pub lane: Option<Lane>,
    pub news: News,
}

/// A sub-agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lane {
    pub id: String,
    /// What sort of sub-agent it is, in the agent's words.
    pub kind: String,
}

/// How an agent's session begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    Startup,
    Resume,
    Compact,
    Clear,
    Other,
}

/// What happened.
#[derive(Debug, Clone, PartialEq)]
pub enum News {
    Started {
        source: Source,
    },
    /// A person asked for something. What programs put in a person's mouth (the end of a
    /// background command) is [`News::Notified`].
    Prompted {
        text: String,
    },
    Notified {
        text: String,
        /// The background task that this tells the end of.
        finished: Option<Finished>,
    },
    /// A call is about to be made.
    Began(Box<Operation>),
    /// A call has ended.
    Operated(Box<Operation>),
    /// All calls of one turn, also those that no other event told of.
    Batch(Vec<Operation>),
    /// A sub-agent started.
    Delegated,
    /// A sub-agent ended; the transcript of its own, if it has one.
    Returned {
        transcript: Option<String>,
        message: Option<String>,
    },
    Compacting,
    Compacted,
    /// The agent wants to stop. `again`: a hook made it go on before.
    Stopping {
        again: bool,
        message: Option<String>,
        background: Vec<String>,
    },
    /// A turn ended because the model could not be reached, or the like.
    Broke {
        why: String,
    },
    /// A person interrupted the agent.
    Interrupted,
    /// A settings file changed while the agent ran.
    SettingsChanged {
        scope: String,
        file: String,
    },
    /// The agent's session is over.
    Closed {
        reason: String,
    },
    /// Something that we don't know or need.
    Other,
}

/// The end of a call that went on in the background.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finished {
    /// The agent's id of the task, as in `Deed::Command`.
    pub task: String,
    /// The agent's id of the call that started it.
    pub call: Option<String>,
    pub end: End,
}

/// What an agent is told.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Answer {
    pub decision: Decision,
    /// Words for the model: they cost tokens.
    pub to_agent: Option<String>,
    /// Words for the person in front of the agent: they cost none.
    pub to_user: Option<String>,
}

/// Whether the agent may go on as it wants.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Decision {
    #[default]
    Allow,
    /// It may not do what it is about to do: not make the call, not stop, not take over the
    /// settings. `to_agent` says why.
    Block,
}
