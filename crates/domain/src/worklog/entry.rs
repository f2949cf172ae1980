//! Entries: the worklog as people and agents read it.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::deviation::Deviation;
use super::event::Logged;
use super::operation::{Deed, End, FileChange, FileFate, Operation};
use super::phase::Phase;
use super::session::{At, Decided, Session, Verification};
use super::significance::{Action, action_of};
use super::todo::{TodoStatus, TodoUpdate};
use super::verification::{Mismatch, Outcome as Checked, Resolution};

/// The longest context, in characters: about twenty tokens.
const CONTEXT: usize = 70;

/// How what an entry tells of went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    Initiated,
    Completed,
    Failed,
    Retried,
    Skipped,
    Timeout,
}

/// One line of a worklog.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    pub time: Timestamp,
    /// An action's name, or that of a tool that a person wants to see.
    pub action: String,
    pub status: Status,
    /// What it was about, in a few words.
    pub context: String,
    pub details: Details,
    /// The sub-agent that did it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lane: Option<String>,
    /// A hook was told of it, and nobody did it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unmade: bool,
}

/// What there is to know of an entry, by its action.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "about", rename_all = "snake_case")]
pub enum Details {
    Todos { changes: Vec<TodoChange> },
    Files { files: Vec<FileChange>, summary: String },
    Command { command: String, runner: Option<String>, exit: Option<i32> },
    Verification { result: Checked, attempt: u32, mismatches: Vec<Mismatch>, source: String },
    Checkpoint { phase: Phase, operations: u32, deviations: Vec<Deviation> },
    SubAgent { agent: String, purpose: String, outcome: Status },
    Decision { decision: Resolution },
    Detection { found: usize },
    Tool { tool: String },
}

/// What became of a todo.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TodoChange {
    pub todo: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<TodoStatus>,
}

/// The entries of `session`, oldest first.
pub fn entries(session: &Session) -> Vec<Entry> {
    let root = format!("{}/", session.opened.place.worktree.trim_end_matches('/'));
    let operations = session.operations.iter().enumerate();
    let significant = operations.filter(|(_, logged)| logged.what.significant);
    let mut all: Vec<Entry> =
        significant.map(|(at, logged)| of_operation(session, &root, (at, logged))).collect();
    all.extend(session.verifications.iter().map(of_verification));
    all.extend(session.resolutions.iter().map(of_decision));
    all.extend(session.summaries.iter().map(|summary| Entry {
        time: summary.at,
        action: Action::Checkpoint.name().to_owned(),
        status: Status::Completed,
        context: short(&summary.render_entry()),
        details: Details::Checkpoint {
            phase: summary.phase,
            operations: summary.operations,
            deviations: summary.deviations.clone(),
        },
        lane: None,
        unmade: false,
    }));
    // That there was nothing to find is no news.
    let detections =
        session.detections.iter().filter(|d| d.what.timed_out || !d.what.found.is_empty());
    all.extend(detections.map(|detection| Entry {
        time: detection.time,
        action: Action::CheckpointDetection.name().to_owned(),
        status: if detection.what.timed_out { Status::Timeout } else { Status::Completed },
        context: match detection.what.found.len() {
            0 => "the look for earlier work took too long".to_owned(),
            1 => "1 earlier session was left".to_owned(),
            many => format!("{many} earlier sessions were left"),
        },
        details: Details::Detection { found: detection.what.found.len() },
        lane: None,
        unmade: false,
    }));
    all.sort_by_key(|entry| entry.time);
    all
}

fn of_operation(session: &Session, root: &str, (at, logged): (usize, &At<Logged>)) -> Entry {
    let operation = &logged.what.operation;
    let unmade = session.is_unmade(at);
    let status = if unmade { Status::Skipped } else { status_of(&operation.end) };
    let (mut context, details) = told(session, root, operation);
    if unmade {
        context.insert_str(0, "told of, never made: ");
    }
    Entry {
        time: logged.what.at.unwrap_or(logged.time),
        action: action_of(operation)
            .map_or_else(|| operation.tool.clone(), |a| a.name().to_owned()),
        status,
        context: short(&context),
        details,
        lane: operation.lane.clone(),
        unmade,
    }
}

fn status_of(end: &End) -> Status {
    match end {
        End::Initiated => Status::Initiated,
        End::Completed { exit: None | Some(0) } => Status::Completed,
        End::Completed { .. } | End::Failed { .. } | End::Interrupted => Status::Failed,
        End::TimedOut => Status::Timeout,
        End::Denied { .. } | End::Rejected { .. } => Status::Skipped,
    }
}

fn told(session: &Session, root: &str, operation: &Operation) -> (String, Details) {
    match &operation.deed {
        Deed::Todo { update } => {
            let changes = changes_of(session, update);
            let context = match changes.as_slice() {
                [one] => with_status(one),
                many => format!("{} todos", many.len()),
            };
            (context, Details::Todos { changes })
        }
        Deed::Edit { files } | Deed::Write { files } => {
            let summary = summary_of(files);
            let context = match files.as_slice() {
                [one] => format!("{} {summary}", one.path.strip_prefix(root).unwrap_or(&one.path)),
                many => format!("{} files {summary}", many.len()),
            };
            (context, Details::Files { files: files.clone(), summary })
        }
        Deed::Command { command, runner, .. } => {
            let exit = operation.end.exit();
            let line = command.lines().next().unwrap_or_default();
            let context = match exit {
                Some(code) if code != 0 => format!("exit {code}: {line}"),
                _ => line.to_owned(),
            };
            let (command, runner) = (command.clone(), runner.clone());
            (context, Details::Command { command, runner, exit })
        }
        Deed::Delegate { agent, purpose } => {
            let details = Details::SubAgent {
                agent: agent.clone(),
                purpose: purpose.clone(),
                outcome: status_of(&operation.end),
            };
            (format!("{agent}: {purpose}"), details)
        }
        Deed::Look { what } | Deed::Other { what } => {
            (what.clone(), Details::Tool { tool: operation.tool.clone() })
        }
    }
}

fn changes_of(session: &Session, update: &TodoUpdate) -> Vec<TodoChange> {
    let change = |todo: &str, status| TodoChange { todo: todo.to_owned(), status };
    match update {
        TodoUpdate::Listed { claimed: todos, .. } | TodoUpdate::Read { todos } => {
            todos.iter().map(|todo| change(&todo.content, Some(todo.status))).collect()
        }
        TodoUpdate::Created { content, .. } => vec![change(content, Some(TodoStatus::Pending))],
        TodoUpdate::Changed { id, content, status, .. } => {
            let same = |todo: &&super::todo::Todo| todo.id.as_deref() == Some(id);
            let known = session.todos.todos().iter().find(same).map(|todo| todo.content.clone());
            let name = content.clone().or(known).unwrap_or_else(|| format!("#{id}"));
            vec![TodoChange { todo: name, status: *status }]
        }
    }
}

fn with_status(change: &TodoChange) -> String {
    let status = match change.status {
        Some(TodoStatus::Pending) => " is to do",
        Some(TodoStatus::InProgress) => " is begun",
        Some(TodoStatus::Completed) => " is done",
        Some(TodoStatus::Cancelled) => " is given up",
        None => " is changed",
    };
    format!("{}{status}", change.todo)
}

/// Lines that came and went.
fn summary_of(files: &[FileChange]) -> String {
    let added: u64 = files.iter().map(|file| u64::from(file.added)).sum();
    let removed: u64 = files.iter().map(|file| u64::from(file.removed)).sum();
    let fate = match files {
        [one] if one.fate == FileFate::Created => "new ",
        [one] if one.fate == FileFate::Deleted => "deleted ",
        _ => "",
    };
    format!("{fate}+{added} -{removed}")
}

fn of_verification(verification: &At<Verification>) -> Entry {
    let what = &verification.what;
    let status = match (what.result, what.attempt) {
        (Checked::Skipped, _) => Status::Skipped,
        (Checked::Timeout, _) => Status::Timeout,
        (Checked::Pass, _) => Status::Completed,
        (Checked::Mismatch, 0 | 1) => Status::Retried,
        (Checked::Mismatch, _) => Status::Failed,
    };
    let context = match what.result {
        Checked::Pass => format!("the list matches {}", what.source),
        Checked::Mismatch => format!("{} differences to {}", what.mismatches.len(), what.source),
        Checked::Timeout => "the list could not be read in time".to_owned(),
        Checked::Skipped => what.source.clone(),
    };
    Entry {
        time: verification.time,
        action: Action::Verify.name().to_owned(),
        status,
        context: short(&context),
        details: Details::Verification {
            result: what.result,
            attempt: what.attempt,
            mismatches: what.mismatches.clone(),
            source: what.source.clone(),
        },
        lane: None,
        unmade: false,
    }
}

fn of_decision(decided: &At<Decided>) -> Entry {
    let decision = decided.what.resolution;
    let (status, context) = match decision {
        Resolution::UserAccepted => (Status::Completed, "a person accepted the list as it is"),
        Resolution::Aborted => (Status::Failed, "a person aborted the session"),
        Resolution::Bypassed => (Status::Skipped, "a person goes on at risk with a list in doubt"),
    };
    Entry {
        time: decided.time,
        action: Action::Verify.name().to_owned(),
        status,
        context: context.to_owned(),
        details: Details::Decision { decision },
        lane: None,
        unmade: false,
    }
}

fn short(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    if line.chars().count() <= CONTEXT {
        return line.to_owned();
    }
    let mut cut: String = line.chars().take(CONTEXT - 1).collect();
    cut.push('…');
    cut
}
