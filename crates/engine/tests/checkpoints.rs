//! Durable questions: asked once, answered once, used once, by processes that know nothing of each
//! other.

#![allow(clippy::unwrap_used)]

mod asking;

use std::sync::{Arc, Mutex};

use asking::{Scene, question};
use countersign_domain::agent::Money;
use countersign_domain::checkpoint::{
    CheckpointEvent, CheckpointId, Question, State, Trigger, Urgency,
};
use countersign_domain::ledger::{Draft, LedgerId, Stored as _};
use countersign_engine::{Clock, Engine, Kind};
use countersign_store::{Durability, Expected, Options, Store};
use uuid::Uuid;

/// CO-12: a question waits, is answered once, and the answer is used once by who asked.
#[test]
fn a_question_from_end_to_end() {
    let scene = Scene::new();
    let mut engine = scene.engine();
    let id = engine.ask(&question(1, Trigger::Gaming)).unwrap();
    assert_eq!(id.to_string(), "20261116_101500_001.1");
    assert_eq!(engine.checkpoints(false).unwrap().len(), 1);
    let waits = engine.consume(id, "run").unwrap_err();
    assert_eq!((waits.kind, waits.kind.exit_code()), (Kind::Human, 4));
    // Another process answers.
    let mut other = scene.engine();
    other.discuss(id, "What does rule G7 say?", "alice").unwrap();
    let wrong = other.answer(id, "perhaps", "", "alice").unwrap_err();
    assert_eq!(wrong.kind, Kind::Usage);
    assert!(wrong.message.contains("accept, send-back, stop"), "{wrong}");
    let bare = other.answer(id, "accept", " ", "alice").unwrap_err();
    assert_eq!((bare.kind, bare.hint.as_deref()), (Kind::Usage, Some("--note WORDS")));
    let answered = other.answer(id, "Accept", "a snapshot of ours", "alice").unwrap();
    assert_eq!(answered.state(), State::Answered);
    let late = engine.answer(id, "stop", "", "bob").unwrap_err();
    assert!(late.message.contains("it was answered with 'accept' by alice"), "{late}");
    assert!(engine.discuss(id, "too late", "bob").is_err());
    for _ in 0..2 {
        let answer = engine.consume(id, "run 1, attempt 2").unwrap();
        assert_eq!((answer.choice.as_str(), answer.by.as_str()), ("accept", "alice"));
        assert_eq!(answer.words, "a snapshot of ours");
    }
    let another = engine.consume(id, "run 2").unwrap_err();
    assert!(another.message.contains("was used by run 1, attempt 2"), "{another}");
    assert!(engine.withdraw(id, "too late").is_err());
    assert!(engine.checkpoints(false).unwrap().is_empty());
    let rows = engine.checkpoints(true).unwrap();
    assert_eq!(rows[0].answer.as_ref().unwrap().by, "alice");
    asking::expect_intact(&engine);
}

/// CO-12: who died after asking asks the same again; something else under the same number is refused.
#[test]
fn asking_twice_is_asking_once() {
    let scene = Scene::new();
    let mut engine = scene.engine();
    let asked = question(1, Trigger::Breaker);
    let id = engine.ask(&asked).unwrap();
    assert_eq!(scene.engine().ask(&asked).unwrap(), id);
    engine.answer(id, "stop", "", "alice").unwrap();
    assert_eq!(engine.ask(&asked).unwrap(), id, "also when it was answered meanwhile");
    let reworded = Question { question: "In other words?".into(), ..asked };
    assert_eq!(engine.ask(&reworded).unwrap(), id, "another version of the program asks the same");
    assert_eq!(engine.checkpoint(id).unwrap().question.question, "How should it go on?");
    let other = question(1, Trigger::Gaming);
    assert!(engine.ask(&other).unwrap_err().message.contains("asks something else already"));
    assert_eq!(engine.checkpoint(id).unwrap().sequence, 2);
}

/// CO-12, SE-03: secrets in what agents said are not stored, and those of people are refused.
#[test]
fn secrets_are_not_kept() {
    let scene = Scene::new();
    let mut engine = scene.engine();
    let secret = format!("ghp_{}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
    let mut asked = question(1, Trigger::Impossible);
    asked.context = format!("The worker says: use {secret}, please");
    asked.options[0].description.push_str(&secret);
    let id = engine.ask(&asked).unwrap();
    let kept = serde_json::to_string(&engine.checkpoint(id).unwrap()).unwrap();
    assert!(!kept.contains(&secret) && kept.contains("[redacted: "), "{kept}");
    assert_eq!(engine.ask(&asked).unwrap(), id, "redacted alike the second time");
    assert_eq!(engine.answer(id, "insist", &secret, "alice").unwrap_err().kind, Kind::Refused);
    assert!(engine.discuss(id, &secret, "alice").is_err());
    assert_eq!(engine.checkpoint(id).unwrap().state(), State::Open);
}

/// CO-12: what nobody needs any more is taken back, and no answer comes to it.
#[test]
fn what_was_taken_back_is_over() {
    let scene = Scene::new();
    let mut engine = scene.engine();
    let id = engine.ask(&question(1, Trigger::Hiccup)).unwrap();
    for _ in 0..2 {
        assert_eq!(engine.withdraw(id, "cancelled").unwrap().state(), State::Withdrawn);
    }
    let late = engine.answer(id, "retry", "", "alice").unwrap_err();
    assert!(late.message.contains("it was taken back at"), "{late}");
    assert!(engine.consume(id, "run").is_err());
    let none = CheckpointId { number: 7, ..id };
    assert_eq!(engine.answer(none, "1", "", "alice").unwrap_err().kind, Kind::NotFound);
}

/// CO-12: a question whose time has passed is more urgent and still open: silence decides nothing.
#[test]
fn silence_never_answers() {
    let scene = Scene::new();
    let time = Arc::new(Mutex::new("2026-11-16T10:00:00Z".parse().unwrap()));
    let mut engine = scene.engine_at(Clock::Set(time.clone()));
    let expires_at = Some("2026-11-16T12:00:00Z".parse().unwrap());
    let id = engine.ask(&Question { expires_at, ..question(1, Trigger::HighRisk) }).unwrap();
    let urgency = |engine: &Engine| engine.checkpoints(false).unwrap()[0].urgency;
    assert_eq!(urgency(&engine), Urgency::Normal);
    for later in ["2026-11-16T12:00:00Z", "2031-01-01T00:00:00Z", "2026-11-16T10:00:00Z"] {
        *time.lock().unwrap() = later.parse().unwrap();
        assert_eq!(engine.checkpoint(id).unwrap().state(), State::Open);
        assert_eq!(engine.consume(id, "run").unwrap_err().kind, Kind::Human);
    }
    assert_eq!(urgency(&engine), Urgency::Normal, "the clock was set back");
    *time.lock().unwrap() = "2026-11-16T12:00:01Z".parse().unwrap();
    assert_eq!(urgency(&engine), Urgency::High);
}

/// CO-12: names that people type.
#[test]
fn checkpoints_are_found() {
    let scene = Scene::new();
    let mut engine = scene.engine();
    assert_eq!(engine.find_checkpoint("latest").unwrap_err().kind, Kind::NotFound);
    for number in [1, 2, 10] {
        engine.ask(&question(number, Trigger::Hiccup)).unwrap();
    }
    let found = |engine: &Engine, text: &str| {
        engine.find_checkpoint(text).map(|id| id.number).map_err(|error| error.kind)
    };
    assert_eq!(found(&engine, "latest"), Ok(10));
    assert_eq!(found(&engine, "20261116_101500_001.1"), Ok(1), "the whole of it, not a beginning");
    assert_eq!(found(&engine, "20261116_101500_001.2"), Ok(2));
    assert_eq!(found(&engine, "2026"), Err(Kind::Refused));
    assert_eq!(found(&engine, "2027"), Err(Kind::NotFound));
    assert_eq!(found(&engine, ""), Err(Kind::Refused));
    let id = |number| CheckpointId { run: question(1, Trigger::Hiccup).subject.run, number };
    engine.answer(id(10), "retry", "", "alice").unwrap();
    assert_eq!(found(&engine, "latest"), Ok(2), "the newest that waits");
    engine.withdraw(id(1), "over").unwrap();
    assert_eq!(found(&engine, "20261116"), Ok(2), "the only one that waits");
    let numbers: Vec<u32> =
        engine.checkpoints_of(id(1).run).unwrap().iter().map(|row| row.id.number).collect();
    assert_eq!(numbers, [1, 2, 10]);
}

/// CO-12: how the same sort of question was answered before is told with the next.
#[test]
fn earlier_answers_are_told() {
    let scene = Scene::new();
    let mut engine = scene.engine();
    for (number, choice) in [(1, "retry"), (2, "stop"), (3, "retry")] {
        let id = engine.ask(&question(number, Trigger::Hiccup)).unwrap();
        engine.answer(id, choice, "as before", "alice").unwrap();
    }
    engine.ask(&question(4, Trigger::Gaming)).unwrap();
    let id = engine.ask(&question(5, Trigger::Hiccup)).unwrap();
    let known = engine.precedents(&engine.checkpoint(id).unwrap()).unwrap();
    assert_eq!(known.chosen, [("retry".to_owned(), 2), ("stop".to_owned(), 1)]);
    let ids: Vec<u32> = known.newest.iter().map(|one| one.id.number).collect();
    assert_eq!(ids, [3, 2, 1]);
}

/// CO-12, SE-02: who can write the ledger and has no key can't answer in a person's place.
#[test]
fn a_forged_answer_is_not_believed() {
    let scene = Scene::new();
    let mut engine = scene.engine();
    let id = engine.ask(&question(1, Trigger::Gaming)).unwrap();
    let (choice, words) = ("accept".to_owned(), "looks fine".to_owned());
    let forged = CheckpointEvent::Answered { choice, words, by: "user".into(), signature: None };
    let (kind, body) = forged.encode().unwrap();
    let time = "2026-11-16T10:15:00Z".parse().unwrap();
    let draft = Draft { id: Uuid::now_v7(), time, actor: "engine".into(), kind, format: 1, body };
    let mut store = Store::open(Options {
        dir: scene.project.state(),
        fallback: scene.project.outside().join("fallback"),
        durability: Durability::ProcessDeath,
        busy: std::time::Duration::from_secs(10),
        new_id: LedgerId(Uuid::now_v7()),
        rows: countersign_store::no_rows,
    })
    .unwrap();
    let stream = id.stream().parse().unwrap();
    store.append(&stream, Expected::Sequence(1), &[draft], &[]).unwrap();
    let error = engine.consume(id, "run").unwrap_err();
    assert_eq!(error.kind, Kind::Tampered);
    assert!(error.message.contains("not signed"), "{error}");
}

/// CO-12: what an agent runs can't answer; a person is asked.
#[test]
fn agents_do_not_answer() {
    let scene = Scene::new();
    let id = scene.engine().ask(&question(1, Trigger::Gaming)).unwrap();
    for name in ["COUNTERSIGN_RUN", "CLAUDECODE", "GEMINI_CLI", "CODEX_SANDBOX"] {
        let mut host = scene.host(Clock::System);
        host.environment.insert(name.into(), "1".into());
        let mut engine = Engine::open(host).unwrap();
        let error = engine.answer(id, "stop", "", "user").unwrap_err();
        assert_eq!(error.kind, Kind::Refused);
        assert!(error.message.contains(name), "{error}");
        engine.discuss(id, "the finding is a fixture", "worker").unwrap();
    }
    assert_eq!(scene.engine().checkpoint(id).unwrap().state(), State::Open);
}

/// PL-01: views that were thrown away come back, and retention leaves what still waits.
#[test]
fn views_are_remade_and_what_waits_is_kept() {
    let scene = Scene::new();
    let mut engine = scene.engine();
    let open = engine.ask(&question(1, Trigger::Hiccup)).unwrap();
    let answered = engine.ask(&question(2, Trigger::Hiccup)).unwrap();
    engine.answer(answered, "retry", "", "alice").unwrap();
    let used = engine.ask(&question(3, Trigger::Hiccup)).unwrap();
    engine.answer(used, "retry", "", "alice").unwrap();
    engine.consume(used, "run").unwrap();
    let before = engine.checkpoints(true).unwrap();
    engine.rebuild().unwrap();
    assert_eq!(engine.checkpoints(true).unwrap(), before);
    let now = engine.host().now();
    engine.retain(now, "", "old").unwrap();
    let left: Vec<CheckpointId> =
        engine.checkpoints(true).unwrap().iter().map(|row| row.id).collect();
    assert_eq!(left.len(), 2, "{left:?}");
    assert!(left.contains(&open) && left.contains(&answered));
    assert_eq!(engine.consume(answered, "run").unwrap().choice, "retry");
    assert_eq!(engine.checkpoint(used).unwrap_err().kind, Kind::NotFound);
    asking::expect_intact(&engine);
}

/// F4, CO-12: of sixteen processes that answer at once, one is right, and all others are told who was.
#[test]
fn one_of_sixteen_answers_stands() {
    let scene = Scene::new();
    let id = scene.engine().ask(&question(1, Trigger::Interval)).unwrap();
    let said = scene.play_at_once("answer", 16);
    let winners: Vec<&String> = said.iter().filter(|line| line.starts_with("won ")).collect();
    assert_eq!(winners.len(), 1, "{said:?}");
    let winner = winners[0].strip_prefix("won ").unwrap();
    let stands = format!("by {winner} at");
    let losers = said.iter().filter(|line| line.contains(&stands)).count();
    assert_eq!(losers, 15, "{said:?}");
    let mut engine = scene.engine();
    assert_eq!(engine.consume(id, "run").unwrap().by, winner);
    assert_eq!(engine.checkpoint(id).unwrap().sequence, 3);
    asking::expect_intact(&engine);
}

/// F4, D3.1: of sixteen processes that want to use an answer, one does.
#[test]
fn one_of_sixteen_uses_the_answer() {
    let scene = Scene::new();
    let mut engine = scene.engine();
    let id = engine.ask(&question(1, Trigger::Interval)).unwrap();
    engine.answer(id, "continue", "", "alice").unwrap();
    let said = scene.play_at_once("consume", 16);
    let winners = said.iter().filter(|line| line.starts_with("won ")).count();
    assert_eq!(winners, 1, "{said:?}");
}

/// CO-12: options carry what they cost through the ledger.
#[test]
fn costs_are_kept() {
    let scene = Scene::new();
    let mut engine = scene.engine();
    let mut asked = question(1, Trigger::HighRisk);
    asked.options[1].cost = Some(Money(2_500_000));
    let id = engine.ask(&asked).unwrap();
    assert_eq!(engine.checkpoint(id).unwrap().question, asked);
}

/// The parts that children of these tests play.
#[test]
fn child() {
    asking::play(|role, who, engine| {
        let id = CheckpointId { run: question(1, Trigger::Interval).subject.run, number: 1 };
        let done = match role {
            "answer" => engine.answer(id, "continue", "", who).map(|_| ()),
            _ => engine.consume(id, who).map(|_| ()),
        };
        match done {
            Ok(()) => format!("won {who}"),
            Err(error) => error.message,
        }
    });
}
