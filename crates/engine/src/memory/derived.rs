//! The memories that are worked out from the ledger, and the session that is open now.
//!
//! This is the one place where memories meet the worklog.

use countersign_domain::classify::Tier;
use countersign_domain::worklog::{Session, Summary, Todo, TodoStatus};
use serde::Serialize;

use crate::Engine;
use crate::error::{Error, Kind, Result};

/// The session that is open now in this repository.
#[derive(Debug, Clone, Serialize)]
pub struct CurrentSession {
    pub session: String,
    pub tier: Tier,
    pub task: String,
    pub todos: Vec<Todo>,
    /// The newest summary, in a few words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
}

/// A todo, or a change of one, told by an agent that has no tool of its own for them.
#[derive(Debug, Clone)]
pub struct TodoNote<'a> {
    pub content: &'a str,
    pub status: TodoStatus,
    pub actor: &'a str,
}

impl Engine {
    /// The names of derived memories that begin with `prefix`.
    pub(crate) fn derived(&self, prefix: &str) -> Result<Vec<String>> {
        self.worklog_memories(prefix)
    }

    /// The text of the derived memory `name`, if there is one.
    pub(crate) fn derived_text(&self, name: &str) -> Result<Option<String>> {
        self.worklog_memory(name)
    }

    /// The session that is open now in this repository.
    pub fn current_session(&self) -> Result<CurrentSession> {
        self.open_session()?.as_ref().map(CurrentSession::of).ok_or_else(no_session)
    }

    /// Records a todo, or its new status, in the session that is open now.
    pub fn note_todo(&mut self, note: &TodoNote<'_>) -> Result<CurrentSession> {
        let is_open = |session: &Session| !session.ended.as_ref().is_some_and(|end| end.is_final);
        let mut session = self.open_session()?.filter(is_open).ok_or_else(no_session)?;
        self.put_todo(&mut session, (note.content, note.status), note.actor)?;
        Ok(CurrentSession::of(&session))
    }
}

impl CurrentSession {
    fn of(session: &Session) -> Self {
        Self {
            session: session.id.to_string(),
            tier: session.tier,
            task: session.opened.task.clone(),
            todos: session.todos.todos().to_vec(),
            summary: session.summaries.last().map(Summary::render),
        }
    }
}

fn no_session() -> Error {
    Error::new(Kind::NotFound, "no session is open in this repository")
        .hint("a session opens with an agent's first prompt once hooks are installed")
}
