//! Sessions and tasks as texts of a bounded size, which say what they leave out.

use countersign_domain::worklog::entry::{Entry, entries};
use countersign_domain::worklog::{Session, Todo, TodoStatus};

use super::super::policy::shorten;
use super::super::stats::outcome_word;

/// The longest text about one session or task.
pub(super) const MOST_BYTES: usize = 50 * 1024;
/// The longest first line.
const TITLE_BYTES: usize = 400;
/// Room for what is said about what is left out.
const NOTES: usize = 200;

/// A session, with its newest entries.
pub(super) fn of_session(session: &Session) -> String {
    let outcome = session.ended.as_ref().map_or("in progress", |e| outcome_word(e.outcome));
    let mut head = title(session.opened.task.lines().next().unwrap_or_default());
    head.push_str(&format!(
        "session {} | {} | {} | {outcome} | started {}\n\n",
        session.id, session.opened.agent, session.tier, session.opened_at
    ));
    let todos = within(todo_lines(session), (MOST_BYTES - NOTES) / 2 - head.len(), "todo");
    // The newest entries matter most.
    let mut lines: Vec<String> = entries(session).iter().map(Entry::line).collect();
    lines.reverse();
    let room = MOST_BYTES - NOTES - head.len() - todos.len();
    let (mut kept, left_out) = fitting(lines, room);
    kept.reverse();
    let note = match left_out {
        0 => String::new(),
        1 => "(1 older entry is left out)\n".to_owned(),
        many => format!("({many} older entries are left out)\n"),
    };
    format!("{head}{todos}\n{note}{}\n", kept.join("\n"))
}

/// A task: its sessions, and the todos of the newest of them.
pub(super) fn of_task(task: &str, rows: Vec<String>, todos: Vec<String>) -> String {
    let head = title(task);
    let rows = within(rows, (MOST_BYTES - NOTES) / 2 - head.len(), "session");
    let todos = within(todos, MOST_BYTES - NOTES - head.len() - rows.len(), "todo");
    format!("{head}{rows}{todos}")
}

fn title(task: &str) -> String {
    let mut task = task.to_owned();
    shorten(&mut task, TITLE_BYTES);
    format!("# {task}\n\n")
}

/// The todos of a session, what is left to do first.
pub(super) fn todo_lines(session: &Session) -> Vec<String> {
    let (open, rest): (Vec<&Todo>, Vec<&Todo>) =
        session.todos.todos().iter().partition(|todo| todo.status.is_open());
    let dropped = session.todos.dropped().iter();
    let dropped = dropped.map(|todo| format!("- [!] {} (dropped)", todo.content));
    let lines = open.into_iter().map(todo_line).chain(dropped);
    lines.chain(rest.into_iter().map(todo_line)).collect()
}

fn todo_line(todo: &Todo) -> String {
    let mark = match todo.status {
        TodoStatus::Completed => "x",
        TodoStatus::InProgress => "~",
        TodoStatus::Pending => " ",
        TodoStatus::Cancelled => "-",
    };
    format!("- [{mark}] {}", todo.content)
}

/// The lines that fit into `room` bytes, and how many don't.
fn fitting(lines: Vec<String>, room: usize) -> (Vec<String>, usize) {
    let mut used = 0;
    let count = lines.len();
    let mut kept = lines;
    let fits = kept.iter().position(|line| {
        used += line.len() + 1;
        used > room
    });
    kept.truncate(fits.unwrap_or(count));
    let left_out = count - kept.len();
    (kept, left_out)
}

/// The lines that fit, each with its end, and a word about those that don't.
fn within(lines: Vec<String>, room: usize, what: &str) -> String {
    let (kept, left_out) = fitting(lines, room);
    let mut text: String = kept.iter().map(|line| format!("{line}\n")).collect();
    match left_out {
        0 => {}
        1 => text.push_str(&format!("(1 more {what} is left out)\n")),
        many => text.push_str(&format!("({many} more {what}s are left out)\n")),
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// WL-15: a text has a size, and says what it leaves out.
    #[test]
    fn what_is_left_out_is_said() {
        let lines = |count: usize| vec!["\u{e9}".repeat(100); count];
        assert_eq!(within(lines(1), 201, "todo"), format!("{}\n", "\u{e9}".repeat(100)));
        assert_eq!(within(lines(1), 200, "todo"), "(1 more todo is left out)\n");
        assert!(within(lines(9), 402, "todo").ends_with("(7 more todos are left out)\n"));
        let text = of_task(&"\u{e9}".repeat(5_000), lines(1_000), lines(1_000));
        assert!(text.len() <= MOST_BYTES, "{}", text.len());
        assert!(text.contains("more sessions are left out"));
        assert!(text.contains("more todos are left out"));
    }
}
