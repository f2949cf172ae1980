//! One list, whatever tells of it.

use super::*;

/// `#1 write tests [x]`: an id if it begins with `#`, and `[ ]`, `[>]`, `[x]` or `[-]`.
fn todo(text: &str) -> Todo {
    let (text, mark) = text.rsplit_once(" [").unwrap();
    let status = match mark {
        " ]" => TodoStatus::Pending,
        ">]" => TodoStatus::InProgress,
        "x]" => TodoStatus::Completed,
        _ => TodoStatus::Cancelled,
    };
    let (id, content) = match text.strip_prefix('#').and_then(|text| text.split_once(' ')) {
        Some((id, content)) => (Some(id.to_owned()), content),
        None => (None, text),
    };
    Todo { id, content: content.to_owned(), status }
}

fn list(todos: &[&str]) -> Vec<Todo> {
    todos.iter().map(|text| todo(text)).collect()
}

fn listed(todos: &[&str]) -> TodoUpdate {
    TodoUpdate::Listed { claimed: list(todos), read_back: None }
}

fn created(id: &str, content: &str) -> TodoUpdate {
    let id = (!id.is_empty()).then(|| id.to_owned());
    TodoUpdate::Created { id, content: content.to_owned() }
}

fn changed(id: &str, content: &str, status: &str) -> TodoUpdate {
    TodoUpdate::Changed {
        id: id.to_owned(),
        content: (!content.is_empty()).then(|| content.to_owned()),
        status: TodoStatus::parse(status),
        read_back: None,
    }
}

#[track_caller]
fn check(updates: &[TodoUpdate], expected: &[&str]) {
    let mut fold = TodoList::default();
    for update in updates {
        fold.apply(update);
    }
    assert_eq!(fold.todos(), list(expected), "{updates:?}");
}

/// D0.8: whole lists replace each other, also with the same text twice.
#[test]
fn whole_lists() {
    check(&[listed(&["a [ ]", "b [ ]"]), listed(&["a [x]", "b [>]"])], &["a [x]", "b [>]"]);
    check(&[listed(&["a [ ]", "a [x]"])], &["a [ ]", "a [x]"]);
    check(&[listed(&["a [ ]"]), listed(&[])], &[]);
}

/// D0.8: single todos, with ids that come before, with or after the rest.
#[test]
fn single_todos() {
    let whole = [created("1", "a"), created("2", "b"), changed("1", "", "completed")];
    check(&whole, &["#1 a [x]", "#2 b [ ]"]);
    check(&[created("", "a"), created("1", "a")], &["#1 a [ ]"]);
    check(&[created("1", "a"), created("", "a"), created("#1", "a")], &["#1 a [ ]"]);
    let parallel = [created("", "a"), created("", "a"), created("1", "a"), created("2", "a")];
    check(&parallel, &["#1 a [ ]", "#2 a [ ]"]);
    let again = [created("1", "a"), changed("1", "", "completed"), created("", "a")];
    check(&again, &["#1 a [x]", "a [ ]"]);
    check(&[created("", "a"), changed("7", "a", "in_progress")], &["#7 a [>]"]);
    check(&[changed("4", "", "in_progress")], &["#4 #4 [>]"]);
    check(&[created("1", "a"), changed("#1", "better a", "")], &["#1 better a [ ]"]);
    check(&[created("1", "a"), changed("1", "", "deleted")], &["#1 a [-]"]);
}

/// D0.8: looking at the list claims nothing.
#[test]
fn reading_claims_nothing() {
    let read = |todos| TodoUpdate::Read { todos: list(todos) };
    check(&[created("", "a"), read(&["#3 a [x]", "#4 b [ ]"])], &["#3 a [ ]"]);
    check(&[created("3", "a"), read(&[])], &["#3 a [ ]"]);
    check(&[read(&["#3 a [x]"])], &["#3 a [x]"]);
}

#[test]
fn what_is_open() {
    let list = TodoList::new(list(&["a [ ]", "b [>]", "c [x]", "d [-]", "e [x]"]));
    let open: Vec<_> = list.open().map(|todo| todo.content.as_str()).collect();
    assert_eq!(open, ["a", "b"]);
    let counts = list.counts();
    assert_eq!(counts, Counts { pending: 1, in_progress: 1, completed: 2, cancelled: 1 });
    assert_eq!((counts.open(), counts.total()), (2, 4));
}

/// The contents that were dropped after these lists; `-` is a further prompt in between.
#[track_caller]
fn check_dropped(lists: &[&[&str]], expected: &[&str]) {
    let mut fold = TodoList::default();
    for todos in lists {
        if *todos == ["-"] {
            fold.begin_task();
        } else {
            fold.apply(&listed(todos));
        }
    }
    let found: Vec<_> = fold.dropped().iter().map(|todo| todo.content.as_str()).collect();
    assert_eq!(found, expected, "{lists:?}");
}

/// D0.8, WL-11: an open todo that is in no later list was dropped.
#[test]
fn what_a_new_list_leaves_out() {
    check_dropped(&[&["a [ ]", "b [ ]"], &["a [x]"]], &["b"]);
    check_dropped(&[&["a [ ]", "b [>]"], &["a [x]"]], &["b"]);
    check_dropped(&[&["a [ ]", "b [x]"], &[]], &["a"]);
    check_dropped(&[&["a [>]", "b [ ]"], &["c [x]"]], &["a", "b"]);
    check_dropped(&[&["a [ ]", "b [ ]"], &["c [x]"]], &["a", "b"]);
    check_dropped(&[&["a [ ]", "b [ ]"], &["a [x]"], &["a [x]", "c [ ]"]], &["b"]);
    let similar = ["fix the login bug [ ]", "fix the logout bug [ ]"];
    check_dropped(&[&similar, &["fix the login bug [x]"]], &["fix the logout bug"]);
}

/// D0.8, WL-11: what is done, given up, reworded, merged or back was not dropped.
#[test]
fn what_is_not_dropped() {
    check_dropped(&[&["a [x]", "b [ ]"], &["b [x]"]], &[]);
    check_dropped(&[&["a [ ]", "b [ ]"], &["a [x]", "b [-]"]], &[]);
    check_dropped(&[&["write a [ ]", "b [ ]"], &["write a well [ ]", "b [ ]"]], &[]);
    check_dropped(&[&["a [ ]", "b [ ]"], &["a [x]", "c [ ]"]], &[]);
    let reworded = ["add unit tests for it [x]", "document [>]"];
    check_dropped(&[&["write tests [>]", "document [ ]"], &reworded], &[]);
    check_dropped(&[&["write a [ ]", "write b [ ]"], &["write a and b [x]"]], &[]);
    check_dropped(&[&["a [ ]", "b [ ]"], &["a [x]"], &["a [x]", "b [x]"]], &[]);
    check_dropped(&[&["a [ ]", "b [ ]"], &["a [x]"], &["b [-]"]], &[]);
}

/// WL-11: another plan is no dropping, if a person asked for something else, or if it was made
/// before anything was begun and is no shorter.
#[test]
fn another_plan_is_not_dropping() {
    check_dropped(&[&["a [ ]", "b [ ]"], &["c [ ]", "d [ ]", "e [ ]"]], &[]);
    check_dropped(&[&["a [ ]", "b [ ]"], &["c [ ]"]], &["a", "b"]);
    check_dropped(&[&["a [>]", "b [ ]"], &["c [ ]", "d [ ]", "e [ ]"]], &["a", "b"]);
    check_dropped(&[&["a [>]", "b [ ]"], &["-"], &["c [ ]"]], &[]);
    check_dropped(&[&["a [>]", "b [ ]"], &["-"], &["a [x]"]], &["b"]);
    check_dropped(&[&["a [>]", "b [ ]"], &["-"], &[]], &["a", "b"]);
    let tasks = [listed(&["a [ ]", "b [ ]"]), listed(&["a [x]"]), created("7", "b")];
    let mut fold = TodoList::default();
    for update in &tasks {
        fold.apply(update);
    }
    assert!(fold.dropped().is_empty(), "{fold:?}");
}
