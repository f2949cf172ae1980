//! What can follow what.

use super::super::Trigger;
use super::super::question::tests::question;
use super::*;

fn answered(choice: &str, words: &str, by: &str) -> CheckpointEvent {
    let (choice, words, by) = (choice.to_owned(), words.to_owned(), by.to_owned());
    CheckpointEvent::Answered { choice, words, by, signature: None }
}

fn discussed() -> CheckpointEvent {
    CheckpointEvent::Discussed { words: "why?".into(), by: "alice".into() }
}

fn consumed(by: &str) -> CheckpointEvent {
    CheckpointEvent::Consumed { by: by.into() }
}

fn withdrawn() -> CheckpointEvent {
    CheckpointEvent::Withdrawn { why: "cancelled".into() }
}

/// Replays events on a question about gaming; the last of them must end as `expected` says.
#[track_caller]
fn check(events: Vec<CheckpointEvent>, expected: Result<State, &str>) {
    let question = question(Trigger::Gaming);
    let asked = CheckpointEvent::Asked(Box::new(question.clone()));
    let all = std::iter::once(asked).chain(events);
    let timed = all.enumerate().map(|(n, event)| (format!("t{n}"), event));
    let found = Checkpoint::replay(question.id(), timed).map_err(|error| error.to_string());
    let found = found.map(|folded| folded.unwrap().state());
    assert_eq!(found, expected.map_err(str::to_owned));
}

/// CO-12, D3.1: asked, talked about, answered once, used once.
#[test]
fn the_way_of_a_checkpoint() {
    check(vec![], Ok(State::Open));
    check(vec![discussed(), discussed()], Ok(State::Open));
    check(vec![discussed(), answered("stop", "", "alice")], Ok(State::Answered));
    check(vec![answered("stop", "", "alice"), consumed("run")], Ok(State::Consumed));
    check(vec![withdrawn()], Ok(State::Withdrawn));
    check(vec![answered("stop", "", "alice"), withdrawn()], Ok(State::Withdrawn));
}

/// CO-12, D3.1: the first answer stands, it is used once, and what was taken back is over.
#[test]
fn nothing_happens_twice() {
    let alice = || answered("stop", "", "alice");
    let stands = Err("it was answered with 'stop' by alice at t1");
    check(vec![alice(), answered("send-back", "", "bob")], stands);
    check(vec![alice(), alice()], stands);
    check(vec![alice(), discussed()], stands);
    check(vec![consumed("run")], Err("nobody has answered it yet"));
    let used = Err("its answer was used by run at t2");
    check(vec![alice(), consumed("run"), consumed("run")], used);
    check(vec![alice(), consumed("run"), consumed("other")], used);
    check(vec![alice(), consumed("run"), withdrawn()], used);
    let over = Err("it was taken back at t1: cancelled");
    for event in [alice(), discussed(), consumed("run"), withdrawn()] {
        check(vec![withdrawn(), event], over);
    }
    check(vec![answered("yes", "", "alice")], Err("'yes' is none of its options"));
    check(vec![answered("accept", " ", "alice")], Err("'accept' takes a reason"));
    check(vec![answered("accept", "a test of ours", "alice")], Ok(State::Answered));
}

/// CO-12: a stream that begins with something else, or another's question, is no checkpoint.
#[test]
fn another_question_is_refused() {
    let question = question(Trigger::Gaming);
    let id = CheckpointId { number: 2, ..question.id() };
    let asked = CheckpointEvent::Asked(Box::new(question.clone()));
    let found = Checkpoint::replay(id, [("t".to_owned(), asked.clone())]);
    assert_eq!(found, Err(Refusal::NotAsked));
    let found = Checkpoint::replay(question.id(), [("t".to_owned(), withdrawn())]);
    assert_eq!(found, Err(Refusal::NotAsked));
    let twice = [("t".to_owned(), asked.clone()), ("t".to_owned(), asked)];
    assert_eq!(Checkpoint::replay(question.id(), twice), Err(Refusal::AskedTwice));
    assert_eq!(Checkpoint::replay(id, []), Ok(None));
}
