//! The deeds that tools of several agents have in common.

use countersign_domain::worklog::{Deed, FileChange, FileFate, Todo, TodoStatus, TodoUpdate};

use super::json::Json;
use super::words::{MAX_COMMAND, anything, first_of};

pub(crate) fn command(command: Json<'_>) -> Deed {
    let command = command.text_up_to(MAX_COMMAND).unwrap_or_default();
    Deed::Command { command, background: None, runner: None }
}

/// A tool that reads: what tells best where it looked.
pub(crate) fn look(input: Json<'_>) -> Deed {
    const WHERE: [&str; 12] = [
        "file_path",
        "filePath",
        "absolute_path",
        "pattern",
        "path",
        "dir_path",
        "url",
        "query",
        "task_id",
        "taskId",
        "prompt",
        "uri",
    ];
    let what = first_of(input, WHERE);
    Deed::Look { what: if what.is_empty() { anything(input) } else { what } }
}

pub(crate) fn other(input: Json<'_>) -> Deed {
    Deed::Other { what: anything(input) }
}

/// A change of one file; no file, if its name is not there.
pub(crate) fn file(path: Json<'_>, fate: FileFate, lines: (u32, u32)) -> Vec<FileChange> {
    let (added, removed) = lines;
    path.text().map(|path| FileChange { path, fate, added, removed }).into_iter().collect()
}

/// A list of todos, whatever the agent calls their text.
pub(crate) fn todos(list: Json<'_>) -> Vec<Todo> {
    list.items().map(todo).collect()
}

fn todo(item: Json<'_>) -> Todo {
    let [id, content, subject, step, description, status] =
        item.pick(["id", "content", "subject", "step", "description", "status"]);
    let text = [content, subject, step, description].into_iter().find(|text| text.is_text());
    let status = status.text().and_then(|word| TodoStatus::parse(&word));
    Todo {
        id: id.id(),
        content: text.and_then(|text| text.text_up_to(MAX_COMMAND)).unwrap_or_default(),
        // A word that nobody knows means that it isn't done.
        status: status.unwrap_or(TodoStatus::Pending),
    }
}

/// A list that is always written whole.
pub(crate) fn listed(claimed: Json<'_>, read_back: Json<'_>) -> Deed {
    let read_back = read_back.is_some().then(|| todos(read_back));
    Deed::Todo { update: TodoUpdate::Listed { claimed: todos(claimed), read_back } }
}
