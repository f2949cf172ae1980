//! The gate at the end: an agent that wants to stop too early is told why, shortly, and not for
//! ever.

use countersign_domain::worklog::deviation::Tested;
use countersign_domain::worklog::{Session, Subject};

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
    if !open.is_empty() {
        let names: Vec<String> =
            open.iter().take(NAMED).map(|todo| super::hook::brief(&todo.content, 40)).collect();
        let more = open.len().saturating_sub(NAMED);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let count = match open.len() {
            1 => "1 todo is".to_owned(),
            many => format!("{many} todos are"),
        };
        reasons.push(format!("{count} open: {}{more}", names.join("; ")));
    }
    if session.unanswered().is_some() {
        reasons.push("the todo list doesn't match what the agent's program has".to_owned());
    }
    reasons
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
