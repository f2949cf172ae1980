//! The machine of the screen, and a sight that shows all there can be.

use countersign_domain::agent::{Money, Usage};
use countersign_domain::checkpoint::{
    Checkpoint, CheckpointEvent, Offer, Question, Standard, Subject, Trigger, Urgency,
};
use countersign_domain::relay::{Leg, Standing};
use countersign_domain::run::{AskFor, Outcome, RefusedBecause, Step};
use countersign_domain::{Digest, ObjectId, Stamp};
use countersign_engine::watch::{RelaySeen, RunSeen, StorySeen};
use serde_json::json;

use super::*;
use crate::tui::pages::{Told, Tone};

pub fn stamp(text: &str) -> Stamp {
    text.parse().unwrap()
}

fn moment(text: &str) -> Timestamp {
    text.parse().unwrap()
}

pub fn now() -> Timestamp {
    moment("2026-11-17T09:10:00Z")
}

fn object() -> ObjectId {
    "4b825dc642cb6eb9a060e54bf8d69288fbee4904".parse().unwrap()
}

fn run(id: &str, goal: &str, step: Step) -> RunSeen {
    RunSeen {
        run: stamp(id),
        leg: None,
        goal: goal.into(),
        step,
        attempt: 1,
        attempts: 3,
        round: None,
        who: None,
        since: moment("2026-11-17T09:07:50Z"),
        opened_at: moment("2026-11-17T09:05:00Z"),
        used: Usage::default(),
        waits_for: None,
        is_driven: Some(true),
        live: None,
        last_words: String::new(),
        fault: None,
        sequence: 5,
    }
}

pub const ASKING: &str = "20261117_090500_001";
pub const WORKING: &str = "20261117_090100_001";
pub const RELAY: &str = "20261117_090000_001";
const REFUSED: &str = "20261116_120000_001";

fn question() -> Checkpoint {
    let Standard { options, why } = Standard::of(Trigger::Escalation, &Offer::default());
    let question = Question {
        trigger: Trigger::Escalation,
        subject: Subject { run: stamp(ASKING), attempt: 3, number: 1 },
        context: "Three fixes failed: `greet` still prints\x1b[2J nothing for an empty name."
            .into(),
        progress: "2 of 3 checks pass.".into(),
        risk: "Another attempt may fail alike.".into(),
        question: "How should it go on?".into(),
        options,
        why_recommended: why,
        urgency: Urgency::Normal,
        expires_at: None,
    };
    let asked = CheckpointEvent::Asked(Box::new(question.clone()));
    Checkpoint::replay(question.id(), [("2026-11-17T09:08:00Z".to_owned(), asked)])
        .unwrap()
        .unwrap()
}

fn relay() -> RelaySeen {
    let story = |id: &str, title: &str, standing| StorySeen {
        id: id.into(),
        title: title.into(),
        standing,
        reopened: 0,
    };
    let landed = Standing::Landed { run: stamp("20261117_090001_001"), commit: object() };
    RelaySeen {
        relay: stamp(RELAY),
        slug: "greeting".into(),
        objective: "Greet everybody by name".into(),
        stories: vec![
            story("US-001", "Greet one", landed),
            story("US-002", "Greet many", Standing::Running { run: stamp(WORKING) }),
            story("US-003", "Greet nobody", Standing::Open),
        ],
        release: None,
        is_cancelled: false,
        outcome: None,
        since: moment("2026-11-17T09:01:00Z"),
        opened_at: moment("2026-11-17T09:00:00Z"),
        used: spent(1_230_000, 1_234_567),
        is_driven: Some(true),
        fault: None,
        sequence: 4,
    }
}

fn spent(micros: u64, tokens: u64) -> Usage {
    Usage { input_tokens: tokens, cost: Some(Money(micros)), ..Usage::default() }
}

/// A relay at work, a run that asks, one that nobody drives and one that was refused.
pub fn sight() -> Sight {
    let prompt = Digest::of(b"prompt");
    let accepted =
        Outcome::Accepted { tree: object(), commit: object(), branch: "countersign/x".into() };
    let first = RunSeen {
        leg: Some((stamp(RELAY), Leg::Story("US-001".into()))),
        used: spent(230_000, 34_567),
        ..run("20261117_090001_001", "Greet one", Step::Closed { outcome: accepted })
    };
    let live = json!({
        "role": "worker", "attempt": 2, "agent": "claude:opus", "leader": [1, 1], "seconds": 130,
        "silent_seconds": 3, "doing": "Edit src/greet\u{1b}]0;owned\u{7}.rs", "calls": 12,
        "said": "I will now\nmake it greet many.", "used": Usage::default(),
    });
    let working = RunSeen {
        leg: Some((stamp(RELAY), Leg::Story("US-002".into()))),
        attempt: 2,
        who: Some("claude:opus".into()),
        used: Usage { is_priced_by_us: true, ..spent(1_000_000, 1_200_000) },
        live: Some(serde_json::from_value(live).unwrap()),
        ..run(WORKING, "Greet many", Step::Launched { prompt })
    };
    let asked = Step::Asked { number: 1, ask_for: AskFor::Escalation, checkpoint: String::new() };
    let asking = RunSeen {
        attempt: 3,
        who: Some("a person".into()),
        waits_for: Some(question().id),
        last_words: "Done!\nAll tests pass.\u{1b}[31m".into(),
        ..run(ASKING, "Greet 世界 by name, also where the name is very long", asked)
    };
    let idle = RunSeen {
        is_driven: Some(false),
        ..run("20261116_130000_001", "Rotate the keys", Step::Prepared)
    };
    let because = RefusedBecause::AttemptsExhausted;
    let refused = Step::Closed { outcome: Outcome::Refused { because } };
    let refused = run(REFUSED, "Sort the list", refused);
    Sight {
        runs: vec![asking, working, first, idle, refused],
        relays: vec![relay()],
        questions: vec![question()],
        left_out: 2,
        is_ledger: true,
    }
}

/// A model that has seen [`sight`].
pub fn model() -> Model {
    let mut model = Model::new(now(), None);
    let asks = model.update(Input::Sight(Box::new(sight())));
    assert_eq!(asks, [Ask::Look(Undertaking::Run(stamp(ASKING)))]);
    let told = |at: &str, text: &str, tone| Told { at: Some(moment(at)), text: text.into(), tone };
    let pages = vec![
        told("2026-11-17T09:05:00Z", "Greet 世界 by name", Tone::Plain),
        told("2026-11-17T09:05:01Z", "attempt 1: checkout of tree 4b825dc", Tone::Plain),
        told(
            "2026-11-17T09:06:10Z",
            "FAIL `sh greet.sh \"\" | grep -q Hello`: exit code 1 after 12 ms, receipt 0f3a2b1c",
            Tone::Bad,
        ),
        told("2026-11-17T09:07:50Z", "a person is asked", Tone::Plain),
    ];
    let detail = Detail::sample(Undertaking::Run(stamp(ASKING)), pages);
    assert_eq!(model.update(Input::Detail(detail)), []);
    model
}

pub fn press(model: &mut Model, keys: &[Key]) -> Vec<Ask> {
    keys.iter().flat_map(|key| model.update(Input::Key(key.clone()))).collect()
}

fn letters(text: &str) -> Vec<Key> {
    text.chars().map(Key::Letter).collect()
}

/// LP-24: what goes on comes first, stories below their relay, what has ended last.
#[test]
fn rows_are_in_order() {
    let model = model();
    let ids: Vec<String> = model.rows().iter().map(|row| row.of().id().to_string()).collect();
    let first = "20261117_090001_001";
    assert_eq!(ids, [ASKING, RELAY, first, WORKING, "20261116_130000_001", REFUSED]);
    let only = Model { only: Some(Undertaking::Relay(stamp(RELAY))), ..model };
    let ids: Vec<String> = only.rows().iter().map(|row| row.of().id().to_string()).collect();
    assert_eq!(ids, [RELAY, first, WORKING]);
}

/// LP-24: the selection follows the run and not the row, and ends at both ends.
#[test]
fn the_selection_stays_with_its_run() {
    let mut model = model();
    let asks = press(&mut model, &[Key::Down, Key::Down, Key::Down]);
    assert_eq!(asks.last(), Some(&Ask::Look(Undertaking::Run(stamp(WORKING)))));
    let mut moved = sight();
    moved.runs.insert(0, run("20261117_090900_001", "New", Step::Opened));
    assert_eq!(model.update(Input::Sight(Box::new(moved))), []);
    assert_eq!(model.selected, Some(Undertaking::Run(stamp(WORKING))));
    press(&mut model, &[Key::End, Key::Down, Key::PageDown]);
    assert_eq!(model.place(), Some(6));
    press(&mut model, &[Key::Home, Key::Up, Key::PageUp]);
    assert_eq!(model.place(), Some(0));
    // A run that is gone is let go.
    press(&mut model, &[Key::End]);
    let asks = model.update(Input::Sight(Box::new(Sight { runs: Vec::new(), ..sight() })));
    assert_eq!(asks, [Ask::Look(Undertaking::Relay(stamp(RELAY)))]);
    assert_eq!(model.update(Input::Sight(Box::default())), []);
    assert_eq!(press(&mut model, &[Key::Down, Key::Up, Key::Letter('c'), Key::Letter('n')]), []);
}

/// LP-24, CO-12: choose, say why, confirm; and every step can be gone back on.
#[test]
fn a_question_is_answered_in_three_steps() {
    let mut model = model();
    assert_eq!(press(&mut model, &[Key::Letter('a'), Key::Letter('2'), Key::Enter]), []);
    press(&mut model, &letters("tray the empty"));
    press(&mut model, &[Key::Backspace, Key::Escape, Key::Enter, Key::Enter]);
    // Anything but y goes back.
    assert_eq!(press(&mut model, &[Key::Enter, Key::Enter]), []);
    let asks = press(&mut model, &[Key::Letter('y')]);
    let key = question().question.options[1].key.clone();
    let words = "tray the empt".to_owned();
    assert_eq!(asks, [Ask::Answer { id: question().id, choice: key, words }]);
    assert!(model.overlay.is_none());
    let said = model.told.clone().unwrap();
    assert!(said.starts_with("answering 20261117_090500_001"), "{said}");
}

/// LP-24: what is pasted is words, whatever is in it, and never a confirmation.
#[test]
fn what_is_pasted_confirms_nothing() {
    let mut model = model();
    press(&mut model, &[Key::Letter('a'), Key::Pasted("\ny\n".into()), Key::Enter]);
    let asks = press(
        &mut model,
        &[Key::Pasted("because\ny\x1b[A".into()), Key::Pasted("x".repeat(9_000))],
    );
    assert_eq!(asks, []);
    let Some(Overlay::Answering(answering)) = &model.overlay else { panic!("no overlay") };
    assert_eq!(answering.stage, Stage::Noting);
    assert!(answering.note.starts_with("because y\u{fffd}[Axxx"), "{}", answering.note);
    assert_eq!(answering.note.chars().count(), 2_000);
}

/// LP-24, CO-12: an answer that takes a reason isn't given without one.
#[test]
fn a_needed_reason_is_asked_for() {
    let mut model = model();
    model.sight.questions[0].question.options[0].is_reason_needed = true;
    press(
        &mut model,
        &[Key::Letter('a'), Key::Letter('1'), Key::Enter, Key::Letter(' '), Key::Enter],
    );
    assert_eq!(model.told.as_deref(), Some("this answer takes a reason"));
    press(&mut model, &[Key::Letter('x'), Key::Enter]);
    assert_eq!(press(&mut model, &[Key::Letter('Y')]).len(), 1);
}

/// LP-24, CO-12: who answers too late is told so; the answer that is being made goes away.
#[test]
fn a_question_that_is_answered_elsewhere_goes_away() {
    let mut model = model();
    press(&mut model, &[Key::Letter('a'), Key::Enter, Key::Letter('x')]);
    model.update(Input::Sight(Box::new(Sight { questions: Vec::new(), ..sight() })));
    assert!(model.overlay.is_none());
    assert_eq!(model.told.as_deref(), Some("20261117_090500_001.1 waits no more"));
    press(&mut model, &[Key::Letter('a')]);
    assert_eq!(model.told.as_deref(), Some("no question waits"));
}

/// LP-24: the end is asked for only after a confirmation, and not of what has ended.
#[test]
fn an_end_is_confirmed() {
    let mut model = model();
    assert_eq!(press(&mut model, &[Key::Letter('c'), Key::Enter]), []);
    assert!(model.overlay.is_none());
    let asks = press(&mut model, &[Key::Letter('c'), Key::Letter('y')]);
    assert_eq!(asks, [Ask::End(Undertaking::Run(stamp(ASKING)))]);
    press(&mut model, &[Key::End, Key::Letter('c')]);
    assert_eq!(model.told.as_deref(), Some("20261116_120000_001 has ended already"));
}

/// LP-24: Ctrl-C ends it wherever one is; q ends it where nothing is typed.
#[test]
fn it_can_be_left_everywhere() {
    let typing = [Key::Letter('a'), Key::Enter, Key::Letter('q')];
    for keys in [&[][..], &[Key::Letter('?')], &[Key::Letter('c')], &typing] {
        let mut model = model();
        assert!(!press(&mut model, keys).contains(&Ask::Quit));
        assert_eq!(press(&mut model, &[Key::Interrupt]), [Ask::Quit]);
    }
    assert_eq!(press(&mut model(), &[Key::Letter('q')]), [Ask::Quit]);
    assert_eq!(press(&mut model(), &[Key::Letter('?'), Key::Letter('q')]), []);
}

/// LP-24: a fault is shown until the ledger can be read again, and what was seen stays.
#[test]
fn a_fault_passes() {
    let mut model = model();
    model.update(Input::Fault("the ledger is busy".into()));
    assert_eq!((model.fault.as_deref(), model.rows().len()), (Some("the ledger is busy"), 6));
    model.update(Input::Sight(Box::new(sight())));
    assert_eq!(model.fault, None);
}

/// LP-24: the journal scrolls back to its first line and forward to its last.
#[test]
fn the_journal_scrolls() {
    let mut model = model();
    press(&mut model, &[Key::Enter, Key::Up, Key::PageUp, Key::Home]);
    assert_eq!(model.back, 4);
    press(&mut model, &[Key::Down]);
    assert_eq!(model.back, 3);
    press(&mut model, &[Key::End, Key::Down, Key::Escape]);
    assert_eq!((model.back, model.pane), (0, Pane::List));
}
