//! What may still be spent.

use jiff::civil::date;

use super::*;
use crate::agent::{Role, Usage};
use crate::budget::{BudgetEvent, settle};

fn run(n: u16) -> Stamp {
    format!("20261116_101500_{n:03}").parse().unwrap()
}

fn id(n: u16, attempt: u32, role: Role) -> ReservationId {
    ReservationId { run: run(n), attempt, role, start: 1 }
}

fn dollars(amount: u64) -> Money {
    Money(amount * 1_000_000)
}

fn caps(attempt: u64, run: u64, day: u64) -> Caps {
    let limit = |money| Limit { money: Some(dollars(money)), tokens: None };
    let of_run = RunCaps { attempt: limit(attempt), run: limit(run), purse: None };
    Caps { of_run, day: limit(day) }
}

fn books(caps: Caps) -> Books {
    Books { today: Day::new(date(2026, 11, 16)), others: Vec::new(), caps }
}

impl Books {
    /// Reserves as the engine does; gives the amount in dollars.
    fn take(&mut self, id: ReservationId) -> Result<u64, String> {
        let granted = self.grant(&Want::of(id)).map_err(|over| over.to_string())?;
        if granted.is_first {
            let caps = self.caps.of_run;
            self.today.apply(BudgetEvent::Fixed { run: id.run, caps }).unwrap();
        }
        if !granted.is_known {
            self.today.apply(BudgetEvent::Reserved { id, limit: granted.limit }).unwrap();
        }
        Ok(granted.limit.money.map_or(0, |money| money.0 / 1_000_000))
    }

    fn spend(&mut self, id: ReservationId, cost: u64) {
        let reserved = self.find(&id).unwrap().1.limit;
        let settled = settle(reserved, Usage { cost: Some(dollars(cost)), ..Usage::default() });
        self.today.apply(BudgetEvent::Settled { id, settled }).unwrap();
    }

    fn raise(&mut self, scope: Scope, n: u16, amount: u64, number: u32) {
        let by = Amount { money: dollars(amount), tokens: 0 };
        let checkpoint = CheckpointId { run: run(n), number };
        let raised = Raised { scope, run: run(n), attempt: 1, by, checkpoint };
        self.today.apply(BudgetEvent::Raised(raised)).unwrap();
    }
}

/// CO-05: a start gets the least of what the caps leave; what is reserved counts as spent.
#[test]
fn reserved_and_spent_stay_below_every_cap() {
    let mut books = books(caps(5, 12, 16));
    assert_eq!(books.take(id(1, 1, Role::Worker)), Ok(5));
    assert_eq!(books.take(id(1, 1, Role::Worker)), Ok(5), "the same start is reserved once");
    assert_eq!(books.run_sums(run(1)).reserved.money, dollars(5));
    // Judge and worker of an attempt are counted apart.
    assert_eq!(books.take(id(1, 1, Role::Verifier)), Ok(5));
    assert_eq!(books.take(id(1, 2, Role::Worker)), Ok(2));
    let over = books.take(id(1, 2, Role::Verifier)).unwrap_err();
    assert_eq!(
        over,
        "the budget of run 20261116_101500_001, $12.00, is reached: $0.00 spent, $12.00 reserved, \
         $0.00 left"
    );
    books.spend(id(1, 1, Role::Worker), 1);
    assert_eq!(books.take(id(1, 2, Role::Verifier)), Ok(4));
    assert_eq!(books.take(id(2, 1, Role::Worker)), Ok(4), "what is left of the day");
    assert!(
        books.take(id(3, 1, Role::Worker)).unwrap_err().starts_with("the budget of 2026-11-16")
    );
}

/// CO-05: one start of a role that used up its attempt is followed by no other.
#[test]
fn an_attempt_has_a_cap_of_its_own() {
    let mut books = books(caps(5, 100, 100));
    books.take(id(1, 1, Role::Worker)).unwrap();
    books.spend(id(1, 1, Role::Worker), 4);
    let again = ReservationId { start: 2, ..id(1, 1, Role::Worker) };
    assert_eq!(books.take(again), Ok(1));
    books.spend(again, 3);
    let third = ReservationId { start: 3, ..again };
    let over = books.take(third).unwrap_err();
    assert_eq!(
        over,
        "the budget of attempt 1 of run 20261116_101500_001, $5.00, is reached: $7.00 spent, $0.00 \
         reserved, $0.00 left"
    );
    assert_eq!(books.run_sums(run(1)).overshoot.money, dollars(2));
    assert_eq!(books.take(id(1, 2, Role::Worker)), Ok(5));
}

/// CO-05: what is left and too little is told with what was needed.
#[test]
fn too_little_is_not_enough() {
    let books = books(caps(5, 1, 20));
    let least = Amount { money: Money(2_000_000), tokens: 0 };
    let want = Want { least, ..Want::of(id(1, 1, Role::Worker)) };
    let over = books.grant(&want).unwrap_err();
    assert_eq!((over.left.scope, over.left.left), (Scope::Run, 1_000_000));
    assert!(over.to_string().ends_with("$1.00 left, and $2.00 needed"), "{over}");
    let crumbs = Books {
        caps: Caps { day: Limit { money: Some(Money(9_999)), tokens: None }, ..books.caps },
        ..books.clone()
    };
    assert!(crumbs.grant(&Want::of(id(1, 1, Role::Worker))).is_err(), "not worth a start");
    let most = Limit { money: Some(Money(300_000)), tokens: Some(7) };
    let granted = books.grant(&Want { most, ..Want::of(id(1, 1, Role::Worker)) }).unwrap();
    assert_eq!(granted.limit, most);
}

/// CO-05: without caps anything starts, and is counted all the same.
#[test]
fn no_cap_is_no_bound() {
    let mut books = books(Caps::default());
    let worker = id(1, 1, Role::Worker);
    assert_eq!(books.grant(&Want::of(worker)).unwrap().limit, Limit::default());
    books.take(worker).unwrap();
    books.spend(worker, 1000);
    let sums = books.run_sums(run(1));
    assert_eq!((sums.spent.money, sums.overshoot), (dollars(1000), Amount::default()));
}

/// CO-05: a run's caps are those that it was opened with; a day's are those of now.
#[test]
fn a_run_keeps_its_caps() {
    let mut books = books(caps(5, 10, 100));
    books.take(id(1, 1, Role::Worker)).unwrap();
    books.caps = caps(50, 100, 7);
    assert_eq!(books.cap(Scope::Run, run(1), 1).money, Some(dollars(10)));
    assert_eq!(books.take(id(1, 2, Role::Worker)), Ok(2), "the rest of the day");
    assert_eq!(books.cap(Scope::Run, run(2), 1).money, Some(dollars(100)));
}

/// CO-05: what a run spent on other days counts for it, and not for today.
#[test]
fn days_are_counted_apart() {
    let mut books = books(caps(5, 8, 6));
    books.take(id(1, 1, Role::Worker)).unwrap();
    books.spend(id(1, 1, Role::Worker), 5);
    let tomorrow = Day::new(date(2026, 11, 17));
    books.others.push(std::mem::replace(&mut books.today, tomorrow));
    assert_eq!(books.take(id(1, 2, Role::Worker)), Ok(3), "the rest of the run");
    assert_eq!(books.take(id(2, 1, Role::Worker)), Ok(3), "the rest of the day");
}

/// CO-05, D3.1: a raise holds for what it was asked for, and no answer raises twice.
#[test]
fn raises_hold_where_they_were_asked_for() {
    let mut books = books(caps(5, 5, 12));
    books.take(id(1, 1, Role::Worker)).unwrap();
    books.raise(Scope::Run, 1, 3, 1);
    assert_eq!(books.take(id(1, 1, Role::Verifier)), Ok(3));
    books.raise(Scope::Attempt, 1, 2, 2);
    assert_eq!(books.cap(Scope::Attempt, run(1), 1).money, Some(dollars(7)));
    assert_eq!(books.cap(Scope::Attempt, run(1), 2).money, Some(dollars(7)), "and after it");
    assert_eq!(books.cap(Scope::Attempt, run(1), 0).money, Some(dollars(5)), "not before it");
    assert_eq!(books.cap(Scope::Attempt, run(2), 2).money, Some(dollars(5)));
    assert_eq!(books.cap(Scope::Run, run(2), 1).money, Some(dollars(5)));
    books.raise(Scope::Day, 1, 100, 3);
    assert_eq!(books.cap(Scope::Day, run(2), 1).money, Some(dollars(112)));
    let checkpoint = CheckpointId { run: run(1), number: 3 };
    let raised = books.raised_by(checkpoint).unwrap();
    let twice = books.today.apply(BudgetEvent::Raised(raised)).unwrap_err();
    assert_eq!(twice.to_string(), "20261116_101500_001.3 raised a cap twice");
    let tomorrow = Day::new(date(2026, 11, 17));
    books.others.push(std::mem::replace(&mut books.today, tomorrow));
    assert_eq!(books.cap(Scope::Day, run(2), 1).money, Some(dollars(12)));
    assert_eq!(books.cap(Scope::Run, run(1), 1).money, Some(dollars(8)));
}

/// CO-05: runs with one purse share a cap, and a raise of it; others have their own.
#[test]
fn a_purse_is_shared() {
    let mut books = books(caps(5, 8, 100));
    let shared = RunCaps { purse: Some(run(9)), ..books.caps.of_run };
    for n in [1, 2] {
        books.today.apply(BudgetEvent::Fixed { run: run(n), caps: shared }).unwrap();
    }
    assert_eq!(books.take(id(1, 1, Role::Worker)), Ok(5));
    let tomorrow = Day::new(date(2026, 11, 17));
    books.others.push(std::mem::replace(&mut books.today, tomorrow));
    assert_eq!(books.take(id(2, 1, Role::Worker)), Ok(3));
    let over = books.take(id(1, 2, Role::Worker)).unwrap_err();
    assert!(
        over.contains("20261116_101500_009, which run 20261116_101500_001 is part of"),
        "{over}"
    );
    assert_eq!(books.take(id(3, 1, Role::Worker)), Ok(5), "it has a cap of its own");
    books.raise(Scope::Run, 2, 4, 1);
    assert_eq!(books.take(id(1, 2, Role::Worker)), Ok(4));
    assert_eq!(books.run_sums(run(2)).reserved.money, dollars(3));
    assert_eq!(books.shared_sums(run(2)).reserved.money, dollars(12));
}

/// CO-05: tokens are bounded like money, each by itself.
#[test]
fn tokens_are_bounded_too() {
    let limit = Limit { money: None, tokens: Some(1000) };
    let mut books =
        books(Caps { of_run: RunCaps { attempt: limit, run: limit, purse: None }, day: limit });
    let worker = id(1, 1, Role::Worker);
    assert_eq!(books.grant(&Want::of(worker)).unwrap().limit, limit);
    books.take(worker).unwrap();
    let settled = settle(limit, Usage { input_tokens: 1400, ..Usage::default() });
    books.today.apply(BudgetEvent::Settled { id: worker, settled }).unwrap();
    let over = books.take(id(1, 2, Role::Worker)).unwrap_err();
    assert!(over.contains("1400 tokens spent") && over.contains("0 tokens left"), "{over}");
    assert_eq!(books.run_sums(run(1)).overshoot.tokens, 400);
    assert_eq!(books.run_sums(run(1)).unknown, 1, "nobody knows what it cost");
}

/// CO-05: what was never reserved is no fact of a day; the first end stands.
#[test]
fn a_day_that_makes_no_sense_is_told() {
    let mut day = Day::new(date(2026, 11, 16));
    let worker = id(1, 1, Role::Worker);
    let released = BudgetEvent::Released { id: worker, why: "x".into() };
    let reserved = BudgetEvent::Reserved { id: worker, limit: Limit::default() };
    let said = |found: Result<(), super::super::Mismatch>| found.unwrap_err().to_string();
    assert!(said(day.apply(released.clone())).ends_with("was ended and never reserved"));
    day.apply(reserved.clone()).unwrap();
    assert!(day.is_open());
    assert!(said(day.clone().apply(reserved)).ends_with("was reserved twice"));
    day.apply(released).unwrap();
    assert_eq!((day.sums(|_| true), day.is_open()), (Sums::default(), false));
    // What comes out of the spool may have been said before.
    let settled = settle(Limit::default(), Usage { cost: Some(dollars(1)), ..Usage::default() });
    day.apply(BudgetEvent::Settled { id: worker, settled }).unwrap();
    assert_eq!((day.sums(|_| true), day.sequence), (Sums::default(), 3));
}
