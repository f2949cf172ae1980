//! What an operation was, in a few words and in detail.

use super::super::operation::{Deed, End, FileChange, FileFate, Operation};
use super::super::session::Session;
use super::super::todo::{Todo, TodoStatus, TodoUpdate};
use super::{Details, Status, TodoChange};

pub(super) fn status_of(end: &End) -> Status {
    match end {
        End::Initiated => Status::Initiated,
        End::Completed { exit: None | Some(0) } => Status::Completed,
        End::Completed { .. } | End::Failed { .. } | End::Interrupted => Status::Failed,
        End::TimedOut => Status::Timeout,
        End::Denied { .. } | End::Rejected { .. } => Status::Skipped,
    }
}

pub(super) fn told(session: &Session, root: &str, operation: &Operation) -> (String, Details) {
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
            let same = |todo: &&Todo| todo.id.as_deref() == Some(id);
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
