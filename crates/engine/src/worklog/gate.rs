//! The gate at the end: an agent that wants to stop too early is told why, shortly, and not for
//! ever.

use countersign_domain::worklog::deviation::Tested;
use countersign_domain::worklog::{Session, Subject, Todo};

use super::pointer::Pointer;
use super::policy::Policy;
use super::tokens;

/// What is said when there is no room for the reasons.
const AGAIN: &str = "Not done yet, as before.";
/// The most todos that are named.
const NAMED: usize = 3;

/// Why the session is not done, in the order of weight.
pub(super) fn reasons(session: &Session) -> Vec<String> {
    let mut reasons = Vec::new();
    match session.tested() {
        Some((name, Tested::Failed)) => reasons.push(format!("the last test run failed ({name})")),
        Some((name, Tested::Unknown)) => {
            reasons.push(format!("the last test run ({name}) is not known to have passed"));
        }
        Some((_, Tested::Passed)) | None => {}
    }
    let open: Vec<_> = session.todos.open().collect();
    reasons.extend(named(&open, ("todo is open", "todos are open")));
    let gone: Vec<_> = session.todos.dropped().iter().collect();
    let words = ("todo was dropped undone", "todos were dropped undone");
    reasons.extend(named(&gone, words));
    if session.unanswered().is_some() {
        reasons.push("the todo list doesn't match what the agent's program has".to_owned());
    }
    reasons
}

/// So many todos are so, with the names of a few.
fn named(todos: &[&Todo], (one, many): (&str, &str)) -> Option<String> {
    let names: Vec<String> =
        todos.iter().take(NAMED).map(|todo| super::hook::brief(&todo.content, 40)).collect();
    let more = todos.len().saturating_sub(NAMED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let count = match todos.len() {
        0 => return None,
        1 => format!("1 {one}"),
        count => format!("{count} {many}"),
    };
    Some(format!("{count}: {}{more}", names.join("; ")))
}

/// What the agent is told instead of being allowed to stop; `None` to let it go.
pub(super) fn words(session: &Session, pointer: &Pointer, policy: &Policy) -> Option<String> {
    if pointer.skips_gate() || !policy.gates(session.tier) {
        return None;
    }
    if session.told_this_turn(Subject::Gate) >= policy.gate_most as usize {
        return None;
    }
    let reasons = reasons(session);
    if reasons.is_empty() {
        return None;
    }
    let reasons = reasons.join("; ");
    let whole = format!("Not done yet: {reasons}. Finish, or say plainly what is left and why.");
    // A session of many turns has heard it all before: its bound is for all of them.
    let told: u32 = session.words_to_agent().map(tokens::count).sum();
    let left = tokens::bound(session.tier).saturating_sub(told);
    [whole, AGAIN.to_owned()].into_iter().find(|text| tokens::count(text) <= left)
}
