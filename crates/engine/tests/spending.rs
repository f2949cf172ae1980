//! Budgets over processes, days, restarts and clocks that jump.

#![allow(clippy::unwrap_used)]

mod asking;

use std::sync::{Arc, Mutex};

use asking::{Scene, expect_intact, question};
use countersign_domain::Stamp;
use countersign_domain::agent::{Money, Role, Usage};
use countersign_domain::budget::{Amount, Basis, Limit, ReservationId, RunCaps, Scope, Want};
use countersign_domain::checkpoint::{Offer, Question, Standard, Trigger, key};
use countersign_engine::{Clock, Engine, Kind};
use jiff::Timestamp;

const BERLIN: &str = "CET-1CEST,M3.5.0,M10.5.0/3";

fn run() -> Stamp {
    "20261116_101500_001".parse().unwrap()
}

fn start(attempt: u32) -> ReservationId {
    ReservationId { run: run(), attempt, role: Role::Worker, start: 1 }
}

fn of_run(number: u16) -> ReservationId {
    let run = format!("20261116_101500_{number:03}").parse().unwrap();
    ReservationId { run, ..start(1) }
}

fn dollars(amount: f64) -> Money {
    Money::from_dollars(amount).unwrap()
}

fn cost(amount: f64) -> Usage {
    Usage { input_tokens: 10, cost: Some(dollars(amount)), ..Usage::default() }
}

/// Reserves; the amount in dollars, or what is said.
fn reserve(engine: &mut Engine, id: ReservationId) -> Result<f64, String> {
    let reserved = engine.reserve(&Want::of(id)).unwrap().map_err(|over| over.to_string())?;
    Ok(reserved.limit.money.map_or(0.0, Money::dollars))
}

fn clock(now: &str) -> (Arc<Mutex<Timestamp>>, Clock) {
    let time = Arc::new(Mutex::new(now.parse().unwrap()));
    (time.clone(), Clock::Set(time))
}

/// CO-05: reserved before a start, settled after; a restart forgets nothing.
#[test]
fn a_budget_from_end_to_end() {
    let scene = Scene::with(&[
        ("COUNTERSIGN_BUDGET_ATTEMPT_DOLLARS", "3"),
        ("COUNTERSIGN_BUDGET_RUN_DOLLARS", "5.5"),
    ]);
    let mut engine = scene.engine();
    let verifier = ReservationId { role: Role::Verifier, start: 3, ..start(1) };
    assert!(reserve(&mut engine, verifier).is_ok());
    assert_eq!(engine.unsettled(run()).unwrap(), [verifier]);
    engine.release(verifier, "not needed").unwrap();
    assert_eq!(reserve(&mut engine, start(1)), Ok(3.0));
    drop(engine);
    // The driver died, and another goes on.
    let mut engine = scene.engine();
    assert_eq!(engine.unsettled(run()).unwrap(), [start(1)]);
    let again = engine.reserve(&Want::of(start(1))).unwrap().unwrap();
    assert!(again.is_known);
    assert_eq!(reserve(&mut engine, start(2)), Ok(2.5), "what died stays reserved");
    let settled = engine.settle(start(1), cost(0.5)).unwrap();
    assert_eq!((settled.counted.money, settled.basis), (dollars(0.5), Basis::Reported));
    assert_eq!(engine.settle(start(1), cost(0.5)).unwrap(), settled, "the same again");
    let other = engine.settle(start(1), cost(0.4)).unwrap_err();
    assert!(other.message.ends_with("was settled with $0.50 and 10 tokens"), "{other}");
    engine.release(start(2), "the agent is not installed").unwrap();
    engine.release(start(2), "again").unwrap();
    assert_eq!(engine.release(start(1), "x").unwrap_err().kind, Kind::Refused);
    assert_eq!(engine.settle(start(2), cost(1.0)).unwrap_err().kind, Kind::Refused);
    assert_eq!(engine.settle(start(9), cost(1.0)).unwrap_err().kind, Kind::NotFound);
    let ended = engine.reserve(&Want::of(start(1))).unwrap_err();
    assert!(ended.message.ends_with("has ended already"), "{ended}");
    assert_eq!(reserve(&mut engine, start(3)), Ok(3.0));
    engine.settle(start(3), Usage::default()).unwrap();
    let status = engine.budget_status(None, Some(run())).unwrap();
    let of_run = status.run.unwrap();
    assert_eq!((of_run.sums.spent.money, of_run.sums.unknown), (dollars(3.5), 1));
    assert_eq!(of_run.left.money, Some(dollars(2.0)));
    assert!(of_run.unsettled.is_empty());
    let before = engine.budget_status(None, Some(run())).unwrap();
    engine.rebuild().unwrap();
    assert_eq!(engine.budget_status(None, Some(run())).unwrap(), before);
    expect_intact(&engine);
}

/// CO-05: what goes beyond the reservation is counted as it is, and nothing more starts.
#[test]
fn overshoot_is_told() {
    let scene = Scene::with(&[("COUNTERSIGN_BUDGET_RUN_DOLLARS", "5")]);
    let mut engine = scene.engine();
    reserve(&mut engine, start(1)).unwrap();
    engine.settle(start(1), cost(5.75)).unwrap();
    let sums = engine.budget_status(None, Some(run())).unwrap().run.unwrap().sums;
    assert_eq!(sums.overshoot.money, dollars(0.75));
    let said = reserve(&mut engine, start(2)).unwrap_err();
    assert!(said.contains("$5.00, is reached: $5.75 spent, $0.00 reserved, $0.00 left"), "{said}");
}

/// CO-05: caps of a run are those that it was opened with, whatever the settings say later.
#[test]
fn a_runs_caps_are_fixed() {
    let scene = Scene::with(&[("COUNTERSIGN_BUDGET_RUN_DOLLARS", "2")]);
    let mut engine = scene.engine();
    let own =
        RunCaps { run: Limit { money: Some(dollars(1.0)), tokens: None }, ..RunCaps::default() };
    assert_eq!(engine.fix_budget(run(), own).unwrap(), own);
    assert_eq!(engine.fix_budget(run(), RunCaps::default()).unwrap(), own, "the first is right");
    assert_eq!(reserve(&mut engine, start(1)), Ok(1.0));
    assert_eq!(reserve(&mut engine, of_run(2)), Ok(2.0));
    let later = Scene { variables: vec![("COUNTERSIGN_BUDGET_RUN_DOLLARS", "9".into())], ..scene };
    let mut engine = later.engine();
    let status = engine.budget_status(None, Some(of_run(2).run)).unwrap().run.unwrap();
    assert_eq!(status.cap.money, Some(dollars(2.0)));
    assert!(reserve(&mut engine, ReservationId { attempt: 2, ..of_run(2) }).is_err());
    assert_eq!(reserve(&mut engine, of_run(3)), Ok(5.0), "the attempt's cap");
}

/// CO-05, D3.11: at the user's midnight a new day begins; the run's own sum goes on, and what was
/// reserved before midnight is settled where it was.
#[test]
fn midnight_begins_a_new_day() {
    let scene = Scene::with(&[
        ("TZ", BERLIN),
        ("COUNTERSIGN_BUDGET_RUN_DOLLARS", "12"),
        ("COUNTERSIGN_BUDGET_DAY_DOLLARS", "6"),
    ]);
    let (time, clock) = clock("2026-11-16T22:59:59Z");
    let mut engine = scene.engine_at(clock);
    assert_eq!(reserve(&mut engine, start(1)), Ok(5.0));
    assert_eq!(reserve(&mut engine, start(2)), Ok(1.0));
    assert!(reserve(&mut engine, start(3)).unwrap_err().contains("2026-11-16, $6.00"));
    *time.lock().unwrap() = "2026-11-16T23:00:00Z".parse().unwrap();
    assert_eq!(reserve(&mut engine, start(3)), Ok(5.0));
    let settled = engine.settle(start(1), cost(4.0)).unwrap();
    assert_eq!(settled.counted.money, dollars(4.0));
    let status = engine.budget_status(None, Some(run())).unwrap();
    assert_eq!(status.day.day.to_string(), "2026-11-17");
    assert_eq!(status.day.sums.reserved.money, dollars(5.0));
    let of_run = status.run.unwrap();
    assert_eq!((of_run.sums.spent.money, of_run.sums.reserved.money), (dollars(4.0), dollars(6.0)));
    assert_eq!(of_run.days.len(), 2);
    let before = engine.budget_status(Some("2026-11-16".parse().unwrap()), None).unwrap().day;
    assert_eq!((before.sums.spent.money, before.runs.len()), (dollars(4.0), 1));
    assert_eq!(reserve(&mut engine, start(4)), Ok(1.0), "the rest of the day");
    assert!(reserve(&mut engine, start(5)).unwrap_err().contains("2026-11-17, $6.00"));
    expect_intact(&engine);
}

/// CO-05, D3.11: a clock that is set back or far ahead, and hours that there are twice, free nothing
/// of a run.
#[test]
fn clocks_that_jump_free_nothing() {
    let scene = Scene::with(&[("TZ", BERLIN), ("COUNTERSIGN_BUDGET_RUN_DOLLARS", "20")]);
    let (time, clock) = clock("2026-10-25T00:30:00Z");
    let mut engine = scene.engine_at(clock);
    let moments = [
        "2026-10-25T00:30:00Z",
        "2026-10-25T01:30:00Z",
        "1970-01-01T00:00:00Z",
        "2999-12-31T23:59:59Z",
    ];
    for (attempt, now) in (1..).zip(moments) {
        *time.lock().unwrap() = now.parse().unwrap();
        assert_eq!(reserve(&mut engine, start(attempt)), Ok(5.0), "{now}");
    }
    for now in moments {
        *time.lock().unwrap() = now.parse().unwrap();
        let said = reserve(&mut engine, start(5)).unwrap_err();
        assert!(said.contains("$20.00 reserved, $0.00 left"), "{now}: {said}");
        assert_eq!(engine.unsettled(run()).unwrap().len(), 4);
    }
    for attempt in 1..=4 {
        engine.settle(start(attempt), cost(1.0)).unwrap();
    }
    let of_run = engine.budget_status(None, Some(run())).unwrap().run.unwrap();
    assert_eq!((of_run.sums.spent.money, of_run.days.len()), (dollars(4.0), 3));
}

/// The question that is asked at a cap.
fn over(number: u32, raise: f64) -> Question {
    let offer = Offer { raise: (Some(dollars(raise)), None), ..Offer::default() };
    let Standard { options, why } = Standard::of(Trigger::BudgetReached, &offer);
    Question { options, why_recommended: why, ..question(number, Trigger::BudgetReached) }
}

/// CO-05, D3.1: a person raises a cap by answering, once; what was not answered so raises nothing.
#[test]
fn answers_raise_caps_once() {
    let scene = Scene::with(&[("COUNTERSIGN_BUDGET_RUN_DOLLARS", "5")]);
    let mut engine = scene.engine();
    reserve(&mut engine, start(1)).unwrap();
    assert!(reserve(&mut engine, start(2)).is_err());
    let id = engine.ask(&over(1, 2.5)).unwrap();
    assert_eq!(engine.raise_budget(id, Scope::Run).unwrap_err().kind, Kind::Refused);
    engine.answer(id, key::RAISE, "", "alice").unwrap();
    let raised = engine.raise_budget(id, Scope::Run).unwrap();
    assert_eq!(raised.by.money, dollars(2.5));
    // Whoever died in between comes again.
    assert_eq!(scene.engine().raise_budget(id, Scope::Run).unwrap(), raised);
    assert_eq!(scene.engine().raise_budget(id, Scope::Day).unwrap(), raised);
    assert_eq!(reserve(&mut engine, start(2)), Ok(2.5));
    assert!(reserve(&mut engine, start(3)).is_err());
    assert!(engine.consume(id, "another").is_err(), "the answer is used up");
    let no = engine.ask(&over(2, 2.5)).unwrap();
    engine.answer(no, key::STOP, "", "alice").unwrap();
    let error = engine.raise_budget(no, Scope::Run).unwrap_err();
    assert!(error.message.ends_with("raises nothing"), "{error}");
    assert_eq!(engine.consume(no, "run").unwrap().choice, "stop", "it is not used by asking");
    let cap = engine.budget_status(None, Some(run())).unwrap().run.unwrap().cap;
    assert_eq!(cap.money, Some(dollars(7.5)));
    expect_intact(&engine);
}

/// CO-05: who died between using the answer and raising the cap raises it the next time.
#[test]
fn a_raise_survives_its_driver() {
    let scene = Scene::with(&[("COUNTERSIGN_BUDGET_RUN_DOLLARS", "5")]);
    let mut engine = scene.engine();
    let id = engine.ask(&over(1, 1.0)).unwrap();
    engine.answer(id, key::RAISE, "", "alice").unwrap();
    engine.consume(id, "budget").unwrap();
    drop(engine);
    assert_eq!(scene.engine().raise_budget(id, Scope::Run).unwrap().by.money, dollars(1.0));
}

/// CO-05, PL-02: while the ledger can't be written nothing is reserved; what was spent waits in the spool
/// and counts once.
#[test]
fn a_ledger_that_is_busy_spends_nothing() {
    let scene = Scene::with(&[("COUNTERSIGN_LEDGER_BUSY_SECONDS", "0")]);
    let mut engine = scene.engine();
    reserve(&mut engine, start(1)).unwrap();
    let path = scene.project.state().join("writer.lock");
    let lock = std::fs::OpenOptions::new().write(true).open(path).unwrap();
    lock.lock().unwrap();
    let error = engine.reserve(&Want::of(start(2))).unwrap_err();
    assert_eq!(error.kind, Kind::Unavailable);
    assert!(error.message.contains("so nothing is spent"), "{error}");
    engine.settle(start(1), cost(1.0)).unwrap();
    assert!(engine.take_notices().iter().any(|said| said.contains("in the spool for now")));
    assert_eq!(engine.unsettled(run()).unwrap(), [start(1)], "nobody has taken it in yet");
    lock.unlock().unwrap();
    drop(engine);
    let mut engine = scene.engine();
    let settled = engine.settle(start(1), cost(1.0)).unwrap();
    assert_eq!(settled.counted.money, dollars(1.0), "it was in the spool");
    // What was to be reserved is either reserved, and found again, or was never.
    assert_eq!(reserve(&mut engine, start(2)), Ok(5.0));
    let of_run = engine.budget_status(None, Some(run())).unwrap().run.unwrap();
    assert_eq!((of_run.sums.spent.money, of_run.sums.open), (dollars(1.0), 1));
    expect_intact(&engine);
}

/// PL-01: retention leaves the budgets of runs that have not ended, and of starts that nobody settled.
#[test]
fn what_still_counts_is_kept() {
    let scene = Scene::with(&[("TZ", "UTC0")]);
    let (time, clock) = clock("2026-11-16T12:00:00Z");
    let mut engine = scene.engine_at(clock);
    reserve(&mut engine, of_run(1)).unwrap();
    *time.lock().unwrap() = "2026-11-17T12:00:00Z".parse().unwrap();
    reserve(&mut engine, of_run(2)).unwrap();
    engine.settle(of_run(2), cost(1.0)).unwrap();
    *time.lock().unwrap() = "2026-11-20T12:00:00Z".parse().unwrap();
    engine.retain("2026-11-19T00:00:00Z".parse().unwrap(), "budget/", "old").unwrap();
    assert_eq!(engine.unsettled(of_run(1).run).unwrap(), [of_run(1)]);
    let gone = engine.budget_status(Some("2026-11-17".parse().unwrap()), None).unwrap();
    assert_eq!(gone.day.sums.spent.money, Money::ZERO, "its bodies are gone");
    expect_intact(&engine);
    engine.settle(of_run(1), cost(2.0)).unwrap();
    let status = engine.budget_status(None, Some(of_run(1).run)).unwrap().run.unwrap();
    assert_eq!(status.sums.spent.money, dollars(2.0));
}

/// CO-05: sixteen processes that reserve at once get all of the day's budget, and not a cent more.
#[test]
fn sixteen_processes_never_exceed_a_day() {
    let scene = Scene::with(&[
        ("TZ", "UTC0"),
        ("ENGINE_TEST_TIME", "2026-11-16T12:00:00Z"),
        ("COUNTERSIGN_BUDGET_ATTEMPT_DOLLARS", "0.7"),
        ("COUNTERSIGN_BUDGET_RUN_DOLLARS", "0"),
        ("COUNTERSIGN_BUDGET_DAY_DOLLARS", "20"),
    ]);
    let said = scene.play_at_once("hold", 16);
    let granted: u64 = said.iter().map(|line| line.parse::<u64>().unwrap()).sum();
    assert_eq!(granted, dollars(20.0).0, "{said:?}");
    let (_, clock) = clock("2026-11-16T12:00:00Z");
    let engine = scene.engine_at(clock);
    let day = engine.budget_status(None, None).unwrap().day;
    assert_eq!((day.sums.reserved.money, day.left.money), (dollars(20.0), Some(Money::ZERO)));
    expect_intact(&engine);
}

/// CO-05: nor do they exceed a run's, while it is midnight for half of them and two days are written.
#[test]
fn sixteen_processes_around_midnight_never_exceed_a_run() {
    let scene = Scene::with(&[
        ("TZ", "UTC0"),
        ("ENGINE_TEST_TIME", "2026-11-16T23:59:59Z"),
        ("COUNTERSIGN_BUDGET_ATTEMPT_DOLLARS", "0.1"),
        ("COUNTERSIGN_BUDGET_RUN_DOLLARS", "10"),
        ("COUNTERSIGN_BUDGET_DAY_DOLLARS", "0"),
    ]);
    let said = scene.play_at_once("hold", 16);
    let granted: u64 = said.iter().map(|line| line.parse::<u64>().unwrap()).sum();
    assert_eq!(granted, dollars(10.0).0, "{said:?}");
    let of_run = scene.engine().budget_status(None, Some(run())).unwrap().run.unwrap();
    assert_eq!(of_run.sums.reserved.money, dollars(10.0));
    // Those of one day may have taken everything before the others began.
    assert!((1..=2).contains(&of_run.days.len()), "{of_run:?}");
}

/// CO-05: what is settled while others reserve frees what it should, and every cent is counted once.
#[test]
fn sixteen_processes_settle_while_others_reserve() {
    let scene = Scene::with(&[
        ("COUNTERSIGN_BUDGET_ATTEMPT_DOLLARS", "1"),
        ("COUNTERSIGN_BUDGET_RUN_DOLLARS", "10"),
        ("COUNTERSIGN_BUDGET_DAY_DOLLARS", "0"),
    ]);
    let said = scene.play_at_once("spend", 16);
    let spent: u64 = said.iter().map(|line| line.parse::<u64>().unwrap()).sum();
    let engine = scene.engine();
    let of_run = engine.budget_status(None, Some(run())).unwrap().run.unwrap();
    assert_eq!((of_run.sums.spent.money.0, of_run.sums.open), (spent, 0));
    // Who finds nothing left goes, while others may still give something back.
    assert!(spent <= dollars(10.0).0 && spent >= dollars(3.0).0, "{of_run:?}");
    expect_intact(&engine);
}

/// CO-05: runs that share a purse get one cap together, over processes and days.
#[test]
fn sixteen_processes_share_a_purse() {
    let scene = Scene::with(&[
        ("TZ", "UTC0"),
        ("ENGINE_TEST_TIME", "2026-11-16T23:59:59Z"),
        ("COUNTERSIGN_BUDGET_DAY_DOLLARS", "0"),
    ]);
    let said = scene.play_at_once("share", 16);
    let granted: u64 = said.iter().map(|line| line.parse::<u64>().unwrap()).sum();
    assert_eq!(granted, dollars(10.0).0, "{said:?}");
    let engine = scene.engine();
    let of_run = engine.budget_status(None, Some(of_run(101).run)).unwrap().run.unwrap();
    assert_eq!(of_run.shared.unwrap().1.reserved.money, dollars(10.0));
    assert_eq!((of_run.left.money, of_run.cap.money), (Some(Money::ZERO), Some(dollars(10.0))));
    expect_intact(&engine);
}

/// The parts that children of these tests play.
#[test]
fn child() {
    asking::play(|role, who, engine| {
        let me: u32 = who.trim_start_matches('p').parse().unwrap();
        let least = Amount { money: dollars(0.01), tokens: 0 };
        let mut sum = 0;
        let mut mine = start(0);
        if role == "share" {
            mine = of_run(u16::try_from(me).unwrap() + 100);
            let limit = |amount| Limit { money: Some(dollars(amount)), tokens: None };
            let purse = Some(run());
            let caps = RunCaps { attempt: limit(0.1), run: limit(10.0), purse };
            engine.fix_budget(mine.run, caps).unwrap();
        }
        for n in 0.. {
            let id = ReservationId { attempt: 1000 * (me + 1) + n, ..mine };
            let least = if role == "spend" { least } else { Amount::default() };
            let want = Want { least, ..Want::of(id) };
            let Ok(reserved) = engine.reserve(&want).unwrap() else { break };
            let amount = reserved.limit.money.unwrap();
            if role != "spend" {
                sum += amount.0;
                continue;
            }
            let used = Money(amount.0.div_ceil(3));
            let usage = Usage { input_tokens: 1, cost: Some(used), ..Usage::default() };
            sum += engine.settle(id, usage).unwrap().counted.money.0;
        }
        sum.to_string()
    });
}
