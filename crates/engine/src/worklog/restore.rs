//! Restoring earlier work: what was left to do, where it stood, and how to go on.

use std::path::Path;

use countersign_domain::Stamp;
use countersign_domain::worklog::deviation::Tested;
use countersign_domain::worklog::{Agent, Seen, Session, Todo, TodoStatus};
use countersign_git::{Checkout, Tip};
use serde::Serialize;

use super::account::Account;
use super::detect::Carried;
use super::gate;
use crate::Engine;
use crate::error::{Error, Kind, Result};

/// What was restored.
#[derive(Debug, Clone, Serialize)]
pub struct Restored {
    pub account: Account,
    /// What to do next, most urgent first.
    pub next: Vec<String>,
    /// How the agent's own session is taken up again.
    pub resume: Option<String>,
    /// The folder that the files were put into.
    pub files_in: Option<String>,
}

impl Engine {
    /// Makes the next session of an agent here go on from `id`: its open todos are taken over.
    /// With `files`, the tree at its last stop is checked out there.
    pub fn restore_session(&mut self, id: Stamp, files: Option<&Path>) -> Result<Restored> {
        let mut session = self.session(id)?;
        self.look_after(&mut session)?;
        if let Some(into) = files {
            self.check_out_session(&session, into)?;
        }
        // Their ids mean other todos in the next session.
        let nameless = |todo: &Todo| Todo { id: None, ..todo.clone() };
        let left = session.todos.open().chain(session.todos.dropped());
        let carried = Carried { from: id, todos: left.map(nameless).collect() };
        let folder = self.state.join("sessions");
        let path = folder.join("carried.json");
        let failed = |error: std::io::Error| Error::io("write", &path, &error);
        std::fs::create_dir_all(&folder).map_err(failed)?;
        let mut file = tempfile::NamedTempFile::new_in(&folder).map_err(failed)?;
        serde_json::to_writer(&mut file, &carried)?;
        file.persist(&path).map_err(|error| failed(error.error))?;
        Ok(Restored {
            next: next_steps(&session),
            resume: resume_command(&session),
            files_in: files.map(|path| path.to_string_lossy().into_owned()),
            account: Account::of(&session),
        })
    }

    fn check_out_session(&self, session: &Session, into: &Path) -> Result<()> {
        let tree = session.tree.as_ref().or(session.opened.place.tree.as_ref());
        let tree = tree.ok_or_else(|| {
            Error::new(Kind::NotFound, format!("no tree of session {} was recorded", session.id))
                .hint("trees are recorded when a STRICT or STANDARD session stops")
        })?;
        if into.exists() {
            return Err(Error::new(Kind::Refused, format!("{} is already there", into.display()))
                .hint("name a folder that doesn't exist yet"));
        }
        let what = format!("what session {} left can't be restored", session.id);
        self.expect_genuine_tree(&what, tree)?;
        let message = format!("As session {} left it\n", session.id);
        let tip = Tip::Tree {
            tree,
            parent: session.opened.place.commit.as_ref(),
            message: &message,
            time_seconds: session.id.unix_seconds(),
        };
        self.repository.checkout(&Checkout { into, tip, spares: None })?;
        Ok(())
    }
}

/// What was begun comes before what was not, and failing tests before both.
fn next_steps(session: &Session) -> Vec<String> {
    let mut next: Vec<String> = Vec::new();
    if session.tested().is_some_and(|(_, tested)| tested != Tested::Passed)
        && let Some(command) = session.test_command()
    {
        next.push(format!("make the tests pass: {command}"));
    }
    let (begun, open): (Vec<_>, Vec<_>) =
        session.todos.open().partition(|todo| todo.status == TodoStatus::InProgress);
    next.extend(begun.iter().map(|todo| format!("go on with: {}", todo.content)));
    let left = open.into_iter().chain(session.todos.dropped());
    next.extend(left.map(|todo| format!("begin: {}", todo.content)));
    if session.only_in_transcript() > 0 || session.operations.iter().any(is_cut_off) {
        next.push("look at the last operations: the agent was cut off in the middle".to_owned());
    }
    if next.is_empty() && gate::reasons(session).is_empty() {
        next.push("nothing is known to be left: check the work against its task".to_owned());
    }
    next
}

fn is_cut_off(
    logged: &countersign_domain::worklog::session::At<countersign_domain::worklog::Logged>,
) -> bool {
    logged.what.operation.seen == Seen::Transcript
}

fn resume_command(session: &Session) -> Option<String> {
    let name = &session.opened.agent_session;
    let is_plain = !name.is_empty()
        && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'));
    if !is_plain {
        return None;
    }
    match session.opened.agent {
        Agent::Claude => Some(format!("claude --resume {name}")),
        Agent::Codex => Some(format!("codex resume {name}")),
        Agent::Opencode => Some(format!("opencode --session {name}")),
        Agent::Gemini => None,
    }
}
