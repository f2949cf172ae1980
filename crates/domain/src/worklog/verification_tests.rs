//! Tables of what is a difference between two lists of todos, and what is none.

use proptest::prelude::*;

use super::*;

/// `#1 write tests [x]`: an id if it begins with `#`, and `[ ]`, `[>]`, `[x]` or `[-]`.
fn list(todos: &[&str]) -> Vec<Todo> {
    todos.iter().map(|text| todo(text)).collect()
}

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

fn told(mismatches: &[Mismatch]) -> Vec<String> {
    let tell = |m: &Mismatch| {
        let kind = serde_json::to_value(m.kind).unwrap();
        let todo = m.todo.as_deref().unwrap_or("list");
        format!("{} {todo}: {} {}", kind.as_str().unwrap(), m.expected, m.actual)
    };
    mismatches.iter().map(tell).collect()
}

#[track_caller]
fn check(expected: &[&str], actual: &[&str], found: &[&str]) {
    assert_eq!(told(&compare(&list(expected), &list(actual))), found, "{expected:?} {actual:?}");
}

/// WL-07: equal lists, also in another order, are no mismatch.
#[test]
fn equal_lists_pass() {
    check(&[], &[], &[]);
    check(&["a [ ]", "b [x]"], &["a [ ]", "b [x]"], &[]);
    check(&["a [ ]", "b [x]"], &["b [x]", "a [ ]"], &[]);
    check(&["a [ ]", "a [x]"], &["a [x]", "a [ ]"], &[]);
    check(&["#1 a [ ]", "#2 a [x]"], &["#2 a [x]", "#1 a [ ]"], &[]);
    check(&["a [ ]"], &["#1 a [ ]"], &[]);
    check(&[" a [ ]"], &["a  [ ]"], &[]);
}

/// WL-07: changed words are ignored, known by id, place or likeness.
#[test]
fn changed_words_are_ignored() {
    check(&["#1 write tests [ ]"], &["#1 prove that it works [ ]"], &[]);
    check(&["write tests [ ]", "b [x]"], &["Add unit tests [ ]", "b [x]"], &[]);
    check(&["repair it [ ]", "b [x]"], &["mend that [ ]", "b [x]"], &[]);
    let moved = ["b [x]", "write the unit tests [x]"];
    check(
        &["write the tests [ ]", "b [x]"],
        &moved,
        &["status_mismatch write the tests: pending completed"],
    );
}

/// WL-07: status, count, and what is missing.
#[test]
fn differences_are_named() {
    check(&["a [x]", "b [>]"], &["a [ ]", "b [>]"], &["status_mismatch a: completed pending"]);
    check(&["#1 a [x]"], &["#1 other [>]"], &["status_mismatch a: completed in_progress"]);
    check(
        &["a [x]", "b [ ]"],
        &["a [x]"],
        &["count_mismatch list: 2 1", "missing_todo b: pending missing"],
    );
    check(&["a [x]"], &["a [x]", "b [ ]"], &["count_mismatch list: 1 2"]);
    check(&["a [x]", "b [x]"], &["a [x]", "c [ ]"], &["missing_todo b: completed missing"]);
    check(&["a [x]"], &[], &["count_mismatch list: 1 0", "missing_todo a: completed missing"]);
    check(
        &["a [ ]", "a [ ]"],
        &["a [ ]"],
        &["count_mismatch list: 2 1", "missing_todo a: pending missing"],
    );
}

/// WL-07: what was given up may be gone, but not alive.
#[test]
fn given_up_todos() {
    check(&["a [-]", "b [ ]"], &["b [ ]"], &[]);
    check(&["b [ ]"], &["b [ ]", "a [-]"], &[]);
    check(
        &["#1 a [-]"],
        &["#1 a [ ]"],
        &["count_mismatch list: 0 1", "status_mismatch a: cancelled pending"],
    );
}

/// WL-08: 1000 ms, one retry after 100 ms, then a person.
#[test]
fn one_retry_and_then_a_person() {
    assert_eq!((TIMEOUT.as_millis(), RETRY_AFTER.as_millis()), (1000, 100));
    let (at, todos, other) = (Timestamp::UNIX_EPOCH, list(&["a [x]"]), list(&["a [ ]"]));
    let pass = Attempt::new(at, &todos, Some((&todos, Duration::from_secs(1))));
    let wrong = Attempt::new(at, &todos, Some((&other, Duration::ZERO)));
    let late = Attempt::new(at, &todos, Some((&todos, Duration::from_millis(1001))));
    let silent = Attempt::new(at, &todos, None);
    assert_eq!(
        [&pass, &wrong, &late, &silent].map(|attempt| attempt.outcome),
        [Outcome::Pass, Outcome::Mismatch, Outcome::Timeout, Outcome::Timeout]
    );
    assert_eq!(wrong.mismatches.len(), 1);
    let steps = |attempts: &[&Attempt]| {
        step(&attempts.iter().map(|&attempt| attempt.clone()).collect::<Vec<_>>())
    };
    assert_eq!(steps(&[&pass]), Step::Done);
    assert_eq!(steps(&[&Attempt::skipped(at)]), Step::Done);
    assert_eq!(steps(&[&wrong]), Step::Try);
    assert_eq!(steps(&[&silent, &pass]), Step::Done);
    assert_eq!(steps(&[&silent, &wrong]), Step::Escalate);
    assert_eq!(steps(&[&wrong, &late]), Step::Escalate);
}

/// WL-08: what a person can choose, and how it is written down.
#[test]
fn the_choices_of_a_person() {
    for (word, stored) in
        [("accept", "user_accepted"), ("abort", "aborted"), ("continue-at-risk", "bypassed")]
    {
        let choice = Resolution::parse(word).unwrap();
        assert_eq!(serde_json::to_value(choice).unwrap(), stored);
    }
    assert_eq!(Resolution::parse("shrug"), None);
}

fn todos() -> impl Strategy<Value = Vec<Todo>> {
    let status = prop::sample::select(vec![
        TodoStatus::Pending,
        TodoStatus::InProgress,
        TodoStatus::Completed,
        TodoStatus::Cancelled,
    ]);
    let id = prop::option::of("[1-4]");
    let todo = (id, "[ab]{0,2}( [abc]{1,2})?", status).prop_map(|(id, content, status)| Todo {
        id,
        content,
        status,
    });
    prop::collection::vec(todo, 0..7)
}

proptest! {
    /// WL-07: a list never differs from itself, and todos are paired one to one.
    #[test]
    fn pairs_are_one_to_one(one in todos(), other in todos()) {
        prop_assert_eq!(compare(&one, &one), Vec::new());
        let pairs = pair(&one, &other);
        let mut rights: Vec<_> = pairs.iter().map(|(_, right)| right).collect();
        rights.sort_unstable();
        rights.dedup();
        prop_assert_eq!(rights.len(), pairs.len());
        if live(&one) != live(&other) {
            prop_assert!(!compare(&one, &other).is_empty());
        }
    }
}
