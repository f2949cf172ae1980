//! Verification of todos: what the agent claims against the list that its own program keeps.

use std::path::{Path, PathBuf};
use std::time::Instant;

use countersign_domain::worklog::budget::Work;
use countersign_domain::worklog::verification::{Attempt, Outcome, RETRY_AFTER, Step, step};
use countersign_domain::worklog::{
    Agent, Answer, Deed, Listener, Operation, Session, SessionEvent, Subject, Todo, TodoStatus,
    TodoUpdate,
};
use serde::Deserialize;

use super::bounds::bound_todos;
use super::hook::brief;
use super::spending::spent;
use crate::Engine;
use crate::error::Result;
use crate::regular;

/// The most todos of a list that are read; no list for people is longer.
const MOST: usize = 1_000;
/// The most bytes of a file that holds one.
const TASK_BYTES: u64 = 1 << 20;

/// A list as it was read back, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ReadBack {
    todos: Vec<Todo>,
    source: &'static str,
}

/// Checks the list after `operation` changed it; says what is to be told.
pub(super) fn verify(
    engine: &mut Engine,
    session: &mut Session,
    operation: Option<&Operation>,
) -> Result<Answer> {
    if session.breaker.state(engine.host.now()).is_open() {
        let event = skipped(session, "the breaker is open: a person has to decide");
        engine.append_facts(session, "engine", vec![event])?;
        return Ok(Answer::default());
    }
    if !session.budget.clone().admit(Work::Verification) {
        let event = skipped(session, "no time is left for it in this phase");
        engine.append_facts(session, "engine", vec![event])?;
        return Ok(Answer::default());
    }
    let mut attempts: Vec<Attempt> = Vec::new();
    loop {
        let start = Instant::now();
        let read = read_back(session, operation);
        let took = start.elapsed();
        let Some(read) = read else {
            // Nothing keeps a list that could be read: the claim stays a claim.
            let event = skipped(session, "the agent keeps no list that can be read");
            engine.append_facts(session, "engine", vec![event])?;
            return Ok(Answer::default());
        };
        let now = engine.host.now();
        let attempt = Attempt::new(now, session.todos.todos(), Some((&read.todos, took)));
        let number = u32::try_from(attempts.len() + 1).unwrap_or(u32::MAX);
        let events = vec![
            SessionEvent::Verified {
                attempt: number,
                result: attempt.outcome,
                mismatches: attempt.mismatches.clone(),
                source: read.source.to_owned(),
            },
            spent(Work::Verification, took),
            engine.append_time(),
        ];
        engine.noted_append_time();
        engine.append_facts(session, "engine", events)?;
        attempts.push(attempt);
        match step(&attempts) {
            Step::Done => return Ok(Answer::default()),
            Step::Try => {
                std::thread::sleep(RETRY_AFTER);
                // Calls that ran side by side with this one may be on the record by now.
                engine.store.refresh()?;
                if let Some(newer) = engine.live_session(session.id)? {
                    *session = newer;
                }
            }
            Step::Escalate => return escalate(engine, session, &attempts),
        }
    }
}

/// Puts the choice before a person.
fn escalate(engine: &mut Engine, session: &mut Session, attempts: &[Attempt]) -> Result<Answer> {
    let mismatches = attempts.last().map(|attempt| attempt.mismatches.as_slice());
    let shown: Vec<String> = mismatches
        .unwrap_or_default()
        .iter()
        .take(3)
        .map(|m| {
            let todo = m.todo.as_deref().unwrap_or("the number of todos");
            format!("{}: {} expected, {} found", brief(todo, 60), m.expected, m.actual)
        })
        .collect();
    let text = format!(
        "countersign: the todo list doesn't match what the agent's program keeps ({}). Decide: \
         countersign worklog resolve {} accept | abort | continue-at-risk",
        shown.join("; "),
        session.id
    );
    let about = Subject::Verification;
    let told = SessionEvent::Told { to: Listener::User, about, text: text.clone() };
    engine.append_facts(session, "engine", vec![told])?;
    Ok(Answer { to_user: Some(text), ..Answer::default() })
}

fn skipped(session: &Session, why: &str) -> SessionEvent {
    let _ = session;
    SessionEvent::Verified {
        attempt: 0,
        result: Outcome::Skipped,
        mismatches: Vec::new(),
        source: why.to_owned(),
    }
}

/// The agent's own list: from its files where it has some, else from what its program answered.
fn read_back(session: &Session, operation: Option<&Operation>) -> Option<ReadBack> {
    let kept = session.opened.transcript.as_deref().and_then(|transcript| {
        let todos = match session.opened.agent {
            Agent::Claude => claude_tasks(Path::new(transcript), &session.opened.agent_session),
            _ => None,
        }?;
        Some(ReadBack { todos: with_foreign(session, todos), source: "the agent's files" })
    });
    kept.or_else(|| {
        let Deed::Todo { update } = &operation?.deed else { return None };
        let todos = match update {
            TodoUpdate::Listed { read_back, .. } => read_back.clone()?,
            TodoUpdate::Read { todos } => todos.clone(),
            // One todo is answered for: the others stand as they stood.
            TodoUpdate::Changed { id, read_back, .. } => {
                let status = (*read_back)?;
                let same = |todo: &&mut Todo| todo.id.as_deref() == Some(id);
                let mut todos = session.todos.todos().to_vec();
                todos.iter_mut().find(same)?.status = status;
                todos
            }
            TodoUpdate::Created { .. } => return None,
        };
        Some(ReadBack { todos, source: "the agent's answer" })
    })
}

/// What the agent's program can't know stands as it stands: todos that were taken over from an
/// earlier session, or told to our own server. Neither has an id of the program's.
fn with_foreign(session: &Session, mut kept: Vec<Todo>) -> Vec<Todo> {
    let known = session.todos.todos().iter().filter(|todo| todo.id.is_none());
    let is_kept = |todo: &&Todo| kept.iter().any(|one| one.content.trim() == todo.content.trim());
    let foreign: Vec<Todo> = known.filter(|todo| !is_kept(todo)).cloned().collect();
    kept.extend(foreign);
    kept
}

/// One task of Claude Code on disk.
#[derive(Deserialize)]
struct Task {
    id: String,
    subject: String,
    status: String,
}

/// The tasks of a Claude Code session: one file each, in a folder beside its transcripts.
/// `None` if it has none there, as older versions.
fn claude_tasks(transcript: &Path, agent_session: &str) -> Option<Vec<Todo>> {
    let config = transcript.parent()?.parent()?.parent()?;
    if agent_session.is_empty() || agent_session.contains(['/', '\\']) {
        return None;
    }
    let folder = config.join("tasks").join(agent_session);
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .ok()?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
        .take(MOST)
        .collect();
    files.sort();
    let read = |path: &PathBuf| -> Option<Todo> {
        let task: Task = serde_json::from_slice(&regular::read(path, TASK_BYTES)?).ok()?;
        let status = TodoStatus::parse(&task.status)?;
        Some(Todo { id: Some(task.id), content: task.subject, status })
    };
    let mut todos = files.iter().filter_map(read).collect();
    // The list on the record is cut alike.
    bound_todos(&mut todos);
    Some(todos)
}
