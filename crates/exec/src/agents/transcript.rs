//! What an agent wrote down about its own session, in the same shape for all agents.

use std::collections::HashMap;
use std::io::{self, BufRead, Read as _};

use countersign_domain::worklog::{Deed, End, Finished, Operation, Todo, TodoUpdate};

use super::json::{Document, Json};

/// A session as its agent's transcript tells it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Transcript {
    /// The agent's own name of the session.
    pub session: Option<String>,
    /// The agent's version, as it was last told.
    pub version: Option<String>,
    /// What happened, in the order in which it began.
    pub moments: Vec<Moment>,
    /// The newest time of its messages, as the agent wrote it; empty if they have none. Whatever
    /// began before then is there: agents write in order.
    pub newest: String,
    /// Lines that say nothing that we look for.
    pub skipped: u64,
    /// Lines that are damaged. What could be read of them was.
    pub damaged: u64,
    /// Whether it tells of more than is kept: the rest was not read.
    pub is_full: bool,
    /// Whether the last line stops in its middle: the agent is writing it, or was killed.
    pub is_cut: bool,
}

/// Something that happened.
#[derive(Debug, Clone, PartialEq)]
pub struct Moment {
    /// When, as the agent wrote it (RFC 3339); empty if it didn't.
    pub at: String,
    pub what: What,
}

#[derive(Debug, Clone, PartialEq)]
pub enum What {
    Prompt(String),
    /// A call. Without a result it has only begun.
    Call(Operation),
    Resumed,
    Compacted,
}

impl Transcript {
    pub fn operations(&self) -> impl Iterator<Item = &Operation> {
        self.moments.iter().filter_map(|moment| match &moment.what {
            What::Call(operation) => Some(operation),
            _ => None,
        })
    }

    pub fn prompts(&self) -> impl Iterator<Item = &str> {
        self.moments.iter().filter_map(|moment| match &moment.what {
            What::Prompt(text) => Some(text.as_str()),
            _ => None,
        })
    }

    /// Whether other agents may have been started, whose calls are in transcripts of their own:
    /// by a tool for that, or by one that we don't know.
    pub fn may_have_delegated(&self) -> bool {
        let may_delegate = |deed: &Deed| matches!(deed, Deed::Delegate { .. } | Deed::Other { .. });
        self.operations().any(|operation| may_delegate(&operation.deed))
    }

    pub fn was_resumed(&self) -> bool {
        self.moments.iter().any(|moment| moment.what == What::Resumed)
    }

    pub fn was_compacted(&self) -> bool {
        self.moments.iter().any(|moment| moment.what == What::Compacted)
    }

    /// The list of todos as the agent's program last showed or took it.
    pub fn todos(&self) -> Vec<Todo> {
        let mut todos: Vec<Todo> = Vec::new();
        for operation in self.operations().filter(|o| matches!(o.end, End::Completed { .. })) {
            let Deed::Todo { update } = &operation.deed else { continue };
            match update.clone() {
                TodoUpdate::Listed { claimed, read_back } => todos = read_back.unwrap_or(claimed),
                TodoUpdate::Read { todos: read } => todos = read,
                TodoUpdate::Created { id, content } => todos.push(Todo {
                    id,
                    content,
                    status: countersign_domain::worklog::TodoStatus::Pending,
                }),
                TodoUpdate::Changed { id, content, status, read_back } => {
                    let Some(todo) = todos.iter_mut().find(|t| t.id.as_deref() == Some(&id)) else {
                        continue;
                    };
                    todo.content = content.unwrap_or_else(|| std::mem::take(&mut todo.content));
                    todo.status = read_back.or(status).unwrap_or(todo.status);
                }
            }
        }
        todos
    }
}

/// A transcript as it grows, line by line.
#[derive(Debug, Default)]
pub(crate) struct Draft {
    pub(crate) transcript: Transcript,
    /// Where the call with this id is among the moments.
    calls: HashMap<String, usize>,
}

impl Draft {
    /// A message of this time was written.
    pub(crate) fn reach(&mut self, at: &str) {
        // All agents write times alike: those that are later are greater.
        if at > self.transcript.newest.as_str() {
            at.clone_into(&mut self.transcript.newest);
        }
    }

    pub(crate) fn add(&mut self, at: &str, what: What) {
        self.transcript.moments.push(Moment { at: at.to_owned(), what });
    }

    /// Adds a call, unless it is there already.
    pub(crate) fn begin(&mut self, at: &str, operation: Operation) {
        if let Some(id) = &operation.call {
            if self.calls.contains_key(id) {
                return;
            }
            self.calls.insert(id.clone(), self.transcript.moments.len());
        }
        self.add(at, What::Call(operation));
    }

    /// The call with this id, to say how it ended.
    pub(crate) fn call(&mut self, id: &str) -> Option<&mut Operation> {
        let at = *self.calls.get(id)?;
        match &mut self.transcript.moments.get_mut(at)?.what {
            What::Call(operation) => Some(operation),
            _ => None,
        }
    }

    /// A background task ended: so did the call that started it.
    pub(crate) fn finish(&mut self, finished: Finished) {
        let by_task = |operation: &Operation| {
            let Deed::Command { background: Some(task), .. } = &operation.deed else {
                return false;
            };
            *task == finished.task
        };
        let id = finished.call.clone().filter(|id| self.calls.contains_key(id)).or_else(|| {
            self.transcript.operations().find(|o| by_task(o)).and_then(|o| o.call.clone())
        });
        if let Some(operation) = id.and_then(|id| self.call(&id)) {
            operation.end = finished.end;
        }
    }
}

/// No session has so many prompts and calls: what comes beyond costs no memory.
const MOST_MOMENTS: usize = 200_000;
/// No agent writes longer lines: what goes on beyond is passed over, and costs no memory.
const MAX_LINE: u64 = 64 << 20;

/// Reads a transcript of JSON lines, one line at a time.
pub(crate) fn read_lines(
    mut input: impl BufRead,
    mut take: impl FnMut(&mut Draft, Json<'_>) -> bool,
) -> io::Result<Transcript> {
    let mut draft = Draft::default();
    let mut line = Vec::new();
    loop {
        if draft.transcript.moments.len() >= MOST_MOMENTS {
            draft.transcript.is_full = true;
            return Ok(draft.transcript);
        }
        line.clear();
        if input.by_ref().take(MAX_LINE).read_until(b'\n', &mut line)? == 0 {
            return Ok(draft.transcript);
        }
        let has_end = line.last() == Some(&b'\n');
        let is_too_long = !has_end && line.len() as u64 == MAX_LINE;
        if is_too_long {
            input.skip_until(b'\n')?;
        }
        let is_last = !has_end && !is_too_long;
        if line.trim_ascii().is_empty() {
            continue;
        }
        let document = Document::of(&line);
        let is_known = take(&mut draft, document.root());
        // Lines that nobody looks at are not checked: most of a transcript is such.
        let is_sound = if is_known || is_last {
            document.trouble().is_none()
        } else {
            document.root().is_object()
        };
        let transcript = &mut draft.transcript;
        match (is_sound, is_known) {
            (false, _) if is_last => transcript.is_cut = true,
            (false, _) => transcript.damaged += 1,
            (true, false) => transcript.skipped += 1,
            (true, true) => {}
        }
    }
}
