//! How much of what an agent tells is kept: names, commands, lists and files up to a size, with a
//! word about what was cut. Nothing that an agent sends makes the record of a session huge.

use countersign_domain::Digest;
use countersign_domain::worklog::{
    Deed, FileChange, Operation, Report, Todo, TodoStatus, TodoUpdate,
};

use super::policy::shorten;

/// The longest command or todo that is kept. What a command runs is found out before it is cut.
pub(super) const TEXT_BYTES: usize = 400;
/// The longest name: of a tool, a call, a sub-agent.
const NAME_BYTES: usize = 160;
/// The longest path.
const PATH_BYTES: usize = 1_000;
/// The longest list of todos, and of files that one call changed.
const MOST: usize = 200;
/// A longer path is no path of any file.
const MAX_PATH: usize = 4_096;

/// Cuts what is too long in `operation`.
pub(super) fn bound(operation: &mut Operation) {
    shorten(&mut operation.tool, NAME_BYTES);
    for name in [&mut operation.call, &mut operation.lane].into_iter().flatten() {
        bound_name(name);
    }
    match &mut operation.deed {
        Deed::Command { command, .. } => shorten(command, TEXT_BYTES),
        Deed::Todo { update } => bound_update(update),
        Deed::Edit { files } | Deed::Write { files } => bound_files(files),
        Deed::Delegate { agent, purpose } => {
            shorten(agent, NAME_BYTES);
            shorten(purpose, TEXT_BYTES);
        }
        Deed::Look { what } | Deed::Other { what } => shorten(what, TEXT_BYTES),
    }
}

/// Cuts what is too long in what a hook was told, but for its news.
pub(super) fn bound_report(report: &mut Report) {
    shorten(&mut report.event, NAME_BYTES);
    bound_name(&mut report.agent_session);
    if let Some(lane) = &mut report.lane {
        bound_name(&mut lane.id);
        shorten(&mut lane.kind, NAME_BYTES);
    }
    for path in [&mut report.transcript, &mut report.cwd] {
        path.take_if(|path| path.len() > MAX_PATH);
    }
}

/// A name that is too long is known by its beginning and its hash: others begin alike.
pub(super) fn bound_name(name: &mut String) {
    if name.len() > NAME_BYTES {
        let digest = Digest::of(name.as_bytes()).short();
        shorten(name, NAME_BYTES - 20);
        name.push_str(&digest);
    }
}

fn bound_update(update: &mut TodoUpdate) {
    match update {
        TodoUpdate::Listed { claimed, read_back } => {
            bound_todos(claimed);
            read_back.iter_mut().for_each(bound_todos);
        }
        TodoUpdate::Created { id, content } => {
            id.iter_mut().for_each(bound_name);
            shorten(content, TEXT_BYTES);
        }
        TodoUpdate::Changed { id, content, .. } => {
            bound_name(id);
            if let Some(content) = content {
                shorten(content, TEXT_BYTES);
            }
        }
        TodoUpdate::Read { todos } => bound_todos(todos),
    }
}

/// Cuts a list. Whether something is left to do in the part that is not kept, is kept.
pub(super) fn bound_todos(todos: &mut Vec<Todo>) {
    if todos.len() > MOST {
        let rest = todos.split_off(MOST);
        let is_open = rest.iter().any(|todo| todo.status.is_open());
        let status = if is_open { TodoStatus::Pending } else { TodoStatus::Completed };
        todos.push(Todo { id: None, content: format!("… and {} more", rest.len()), status });
    }
    for todo in todos {
        todo.id.iter_mut().for_each(bound_name);
        shorten(&mut todo.content, TEXT_BYTES);
    }
}

fn bound_files(files: &mut Vec<FileChange>) {
    if files.len() > MOST {
        let rest = files.split_off(MOST);
        let path = format!("… and {} more files", rest.len());
        files.extend(rest.into_iter().next().map(|file| FileChange { path, ..file }));
    }
    for file in files {
        shorten(&mut file.path, PATH_BYTES);
    }
}

#[cfg(test)]
mod tests {
    use countersign_domain::worklog::{End, FileFate, Seen};

    use super::*;

    fn bounded(deed: Deed) -> Operation {
        let mut operation = Operation {
            call: Some("c".repeat(10_000)),
            tool: "t".repeat(10_000),
            deed,
            end: End::Initiated,
            lane: Some("l".repeat(10_000)),
            duration_ms: None,
            seen: Seen::Hook,
        };
        bound(&mut operation);
        operation
    }

    fn todos(count: usize, status: TodoStatus) -> Vec<Todo> {
        let todo = Todo { id: Some("i".repeat(5_000)), content: "\u{e9}".repeat(5_000), status };
        vec![todo; count]
    }

    /// WL-15: whatever an agent tells, an operation stays small.
    #[test]
    fn an_operation_stays_small() {
        let file =
            FileChange { path: "p".repeat(5_000), fate: FileFate::Changed, added: 1, removed: 0 };
        let listed = |count| TodoUpdate::Listed {
            claimed: todos(count, TodoStatus::Pending),
            read_back: Some(todos(count, TodoStatus::Pending)),
        };
        let long = || "x".repeat(100_000);
        for (deed, most) in [
            (Deed::Command { command: long(), background: None, runner: None }, 1_200),
            (Deed::Look { what: long() }, 1_200),
            (Deed::Delegate { agent: long(), purpose: long() }, 1_400),
            (Deed::Todo { update: listed(1) }, 2_400),
            (Deed::Todo { update: listed(100_000) }, 300_000),
            (Deed::Edit { files: vec![file.clone()] }, 1_800),
            (Deed::Write { files: vec![file; 100_000] }, 250_000),
        ] {
            let size = serde_json::to_string(&bounded(deed)).unwrap().len();
            assert!(size <= most, "{size} > {most}");
        }
    }

    /// WL-15: what is cut off a list is said, and open todos are not cut off unnoticed.
    #[test]
    fn what_is_cut_is_said() {
        let mut list = todos(600, TodoStatus::Completed);
        list[599].status = TodoStatus::InProgress;
        bound_todos(&mut list);
        let rest = list.last().unwrap();
        assert_eq!((list.len(), rest.content.as_str()), (201, "\u{2026} and 400 more"));
        assert_eq!(rest.status, TodoStatus::Pending);
    }

    #[test]
    fn long_names_stay_apart() {
        let (mut one, mut other) = ("a".repeat(300) + "1", "a".repeat(300) + "2");
        bound_name(&mut one);
        bound_name(&mut other);
        assert!(one != other && one.len() <= NAME_BYTES, "{one}");
    }
}
