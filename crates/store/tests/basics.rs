//! The store used as intended: appending, reading, views, seals, formats.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod support;

use countersign_domain::ledger::Stream;
use countersign_store::{
    Appended, Error, EventsOf, Expected, Notice, Options, RowsOf, Store, ViewChange, ViewRow,
};
use support::{Sealer, all, assert_chain, draft, fill, new_draft, open, options, stream, temp};
use uuid::Uuid;

/// PL-01: an append goes through at the expected sequence only, and the loser is told where
/// the stream is.
#[test]
fn append_takes_the_expected_sequence() {
    let dir = temp();
    let mut store = open(dir.path());
    let run = stream("run/a");
    let drafts = [new_draft("one"), new_draft("two")];
    let done = store.append(&run, Expected::Sequence(0), &drafts, &[]).unwrap();
    let Appended::Written(events) = done else { panic!("{done:?}") };
    assert_eq!(events.iter().map(|e| e.sequence).collect::<Vec<_>>(), [1, 2]);
    assert_eq!(events[0].previous, store.id().root_of(&run));
    assert_eq!(events[1].previous, events[0].hash);

    let late = store.append(&run, Expected::Sequence(1), &[new_draft("late")], &[]);
    assert!(matches!(late, Err(Error::Conflict { expected: 1, found: 2, .. })), "{late:?}");
    let early = store.append(&run, Expected::Sequence(5), &[new_draft("early")], &[]);
    assert!(matches!(early, Err(Error::Conflict { expected: 5, found: 2, .. })), "{early:?}");
    store.append(&run, Expected::Sequence(2), &[new_draft("three")], &[]).unwrap();
    store.append(&run, Expected::Any, &[new_draft("four")], &[]).unwrap();
    assert_eq!(store.read(&run, 0).unwrap().len(), 4);
    assert_eq!(store.read(&run, 3).unwrap()[0].sequence, 4);
    assert_eq!(store.head(&run).unwrap().unwrap().sequence, 4);
    assert_eq!(store.head(&stream("run/none")).unwrap(), None);
    assert_chain(&store, "after four appends");
}

/// PL-01: of two handles that expect the same sequence, one wins.
#[test]
fn one_of_two_writers_wins() {
    let dir = temp();
    let (mut a, mut b) = (open(dir.path()), open(dir.path()));
    let run = stream("run/a");
    a.append(&run, Expected::Sequence(0), &[new_draft("a")], &[]).unwrap();
    let lost = b.append(&run, Expected::Sequence(0), &[new_draft("b")], &[]);
    assert!(matches!(lost, Err(Error::Conflict { found: 1, .. })));
    b.append(&run, Expected::Sequence(1), &[new_draft("b")], &[]).unwrap();
    assert_eq!(a.read(&run, 0).unwrap().len(), 2);
}

/// PL-01: a failed append leaves nothing, neither events nor view rows.
#[test]
fn append_is_all_or_nothing() {
    let dir = temp();
    let mut store = open(dir.path());
    let twice = draft(Uuid::from_u128(7), "same id");
    let view = ViewRow { kind: "run".into(), key: "a".into(), body: "{}".into() };
    let result =
        store.append(&stream("run/a"), Expected::Any, &[twice.clone(), twice], &[view.into()]);
    assert!(result.is_err());
    assert!(all(&store).is_empty());
    assert_eq!(store.view("run", "a").unwrap(), None);
    fill(&mut store, "run/a", 1);
}

/// PL-01: positions follow the order of writing across streams, and a scan can start anywhere.
#[test]
fn scan_gives_the_order_of_writing() {
    let dir = temp();
    let mut store = open(dir.path());
    for n in 0..10 {
        fill(&mut store, &format!("s/{}", n % 3), 1);
    }
    let positions: Vec<u64> = all(&store).iter().map(|placed| placed.position).collect();
    assert_eq!(positions, (1..=10).collect::<Vec<_>>());
    let mut rest = 0;
    store
        .scan(7, |_| {
            rest += 1;
            Ok(())
        })
        .unwrap();
    assert_eq!(rest, 3);
    let heads = store.heads_after(0).unwrap();
    assert_eq!(heads.len(), 3);
    assert_eq!(heads[&stream("s/0")].sequence, 4);
    assert_eq!(store.heads_after(9).unwrap().len(), 1);
    assert_eq!(store.extent(0).unwrap().position, 10);
}

/// PL-01: view rows are written with the events they follow from, and dropped by a rebuild
/// that leaves events and heads as they are.
#[test]
fn views_follow_events() {
    let dir = temp();
    let mut store = open(dir.path());
    let row =
        |key: &str, body: &str| ViewRow { kind: "run".into(), key: key.into(), body: body.into() };
    store
        .append(
            &stream("run/a"),
            Expected::Any,
            &[new_draft("a")],
            &[row("a1", "1").into(), row("a2", "2").into()],
        )
        .unwrap();
    let rows = [ViewChange::from(row("a1", "11")), row("b1", "3").into()];
    store.append(&stream("run/a"), Expected::Preferred(1), &[new_draft("b")], &rows).unwrap();
    assert_eq!(store.view("run", "a1").unwrap().unwrap().body, "11");
    let keys: Vec<_> =
        store.views("run", "a", 10).unwrap().into_iter().map(|row| row.key).collect();
    assert_eq!(keys, ["a2", "a1"]);
    assert_eq!(store.views("run", "", 1).unwrap()[0].key, "b1");
    let heads = store.heads_after(0).unwrap();
    let remade = store.rebuild(|stream, events| {
        assert_eq!((stream.as_str(), events()?.len()), ("run/a", 2));
        Ok(vec![row("a2", "22").into()])
    });
    assert_eq!(remade.unwrap(), 1);
    assert_eq!(store.view("run", "a1").unwrap(), None);
    assert_eq!(store.view("run", "a2").unwrap(), Some(row("a2", "22")));
    assert_eq!(store.heads_after(0).unwrap(), heads);
    // What can't be remade leaves the views as they were.
    let failed = store.rebuild(|_, _| Err(Error::Unreadable("a journal".into())));
    assert!(failed.is_err());
    assert_eq!(store.view("run", "a2").unwrap(), Some(row("a2", "22")));
}

/// PL-01: a row is removed with the event that ends it, by an append and by a rebuild alike; a
/// failed append removes nothing.
#[test]
fn views_lose_rows() {
    let dir = temp();
    let mut store = open(dir.path());
    let memory = stream("memory/a");
    let put = || {
        let row = ViewRow { kind: "memory".into(), key: "a".into(), body: "{}".into() };
        ViewChange::Put(row)
    };
    let gone = || ViewChange::remove("memory", "a");
    let is_there = |store: &Store| store.view("memory", "a").unwrap().is_some();
    store.append(&memory, Expected::Any, &[new_draft("written")], &[put()]).unwrap();
    let late = store.append(&memory, Expected::Sequence(0), &[new_draft("late")], &[gone()]);
    assert!(late.is_err() && is_there(&store), "{late:?}");
    store.append(&memory, Expected::Sequence(1), &[new_draft("deleted")], &[gone()]).unwrap();
    assert!(!is_there(&store));
    // What isn't there can be removed again; the last word counts.
    let again = [put(), gone(), gone(), put()];
    store.append(&memory, Expected::Any, &[new_draft("written")], &again).unwrap();
    assert!(is_there(&store));
    assert_eq!(store.rebuild(|_, _| Ok(vec![put(), gone()])).unwrap(), 0);
    assert!(!is_there(&store));
    assert_eq!(store.rebuild(|_, _| Ok(vec![gone(), put()])).unwrap(), 1);
    assert!(is_there(&store));
}

/// SE-01: seals are kept in their order, and a number is given once.
#[test]
fn seals_are_kept() {
    let dir = temp();
    let mut store = open(dir.path());
    let mut sealer = Sealer::new(1);
    assert_eq!(store.last_seal().unwrap(), None);
    for _ in 0..3 {
        fill(&mut store, "s/a", 2);
        sealer.seal(&mut store);
    }
    assert_eq!(store.seals().unwrap(), sealer.seals);
    assert_eq!(store.last_seal().unwrap().as_ref(), sealer.seals.last());
    assert!(store.add_seal(&sealer.seals[1]).is_err());
    let report = support::verify(&store, sealer.public(), &[sealer.anchor()]);
    assert!(report.is_intact(), "{:?}", report.findings);
    assert_eq!((report.events, report.seals, report.unsealed_events), (6, 3, 0));
}

/// PL-01: the ledger keeps its id, and opening a sound one has nothing to tell.
#[test]
fn a_ledger_is_found_again() {
    let dir = temp();
    let mut first = open(dir.path());
    let ids = fill(&mut first, "s/a", 3);
    let other = countersign_domain::ledger::LedgerId(Uuid::from_u128(9));
    let mut second =
        Store::open(countersign_store::Options { new_id: other, ..options(dir.path()) }).unwrap();
    assert_eq!(second.id(), first.id());
    assert_eq!(second.take_notices(), []);
    assert_eq!(second.set_asides(), []);
    support::assert_once(&second, &ids, "reopened");
}

/// PL-01: a ledger of a newer version is refused, and not touched.
#[test]
fn newer_formats_are_refused() {
    let dir = temp();
    drop(open(dir.path()));
    let path = dir.path().join("ledger/ledger.db");
    let plain = rusqlite::Connection::open(&path).unwrap();
    plain.pragma_update(None, "user_version", 2).unwrap();
    drop(plain);
    let before = std::fs::read(&path).unwrap();
    let refused = Store::open(options(dir.path()));
    assert!(matches!(refused, Err(Error::Newer { found: 2, known: 1 })), "{refused:?}");
    assert_eq!(std::fs::read(&path).unwrap(), before);
}

/// PL-01: a table of heads that doesn't agree with the events stops nobody from appending.
#[test]
fn heads_come_from_events() {
    let dir = temp();
    let mut store = open(dir.path());
    fill(&mut store, "s/a", 3);
    let plain = rusqlite::Connection::open(dir.path().join("ledger/ledger.db")).unwrap();
    plain.execute("UPDATE streams SET sequence = 1", []).unwrap();
    fill(&mut store, "s/a", 1);
    plain.execute("DELETE FROM streams", []).unwrap();
    fill(&mut store, "s/a", 1);
    assert_eq!(store.heads_after(0).unwrap()[&stream("s/a")].sequence, 5);
    assert_chain(&store, "heads were wrong");
}

/// PL-01: what comes in from the spool brings its view rows along, in the same transaction; a
/// stream that can't be understood keeps no other one waiting.
#[test]
fn views_follow_the_spool() {
    fn rows(stream: &Stream, events: &dyn Fn() -> EventsOf) -> RowsOf {
        if stream.as_str() == "note/odd" {
            return Err(Error::Unreadable("odd".into()));
        }
        let body = events()?.len().to_string();
        Ok(vec![ViewRow { kind: "count".into(), key: stream.to_string(), body }.into()])
    }
    let dir = temp();
    let options = Options { rows, ..support::options(dir.path()) };
    let mut store = Store::open(options).unwrap();
    for name in ["note/a", "note/odd", "note/a", "note/b"] {
        store.spool().write(&[support::entry(name, new_draft(name))]).unwrap();
    }
    assert!(!store.spool().is_empty());
    store.refresh().unwrap();
    assert!(store.spool().is_empty());
    let counts: Vec<_> =
        store.views("count", "", 9).unwrap().into_iter().map(|row| (row.key, row.body)).collect();
    let expected = [("note/b", "1"), ("note/a", "2")];
    assert_eq!(counts, expected.map(|(key, body)| (key.to_owned(), body.to_owned())));
    assert_eq!(store.read(&stream("note/odd"), 0).unwrap().len(), 1);
}

/// PL-01: what was meant for a place, but counts anywhere, is refused by the database when the
/// place is taken, and never by the spool.
#[test]
fn a_preferred_place_is_no_condition_for_the_spool() {
    let dir = temp();
    let mut store = open(dir.path());
    let name = stream("note/a");
    let held = std::fs::File::open(dir.path().join("ledger/writer.lock")).unwrap();
    held.lock().unwrap();
    store.wait_at_most(std::time::Duration::ZERO);
    for n in 0..2 {
        let draft = new_draft(&n.to_string());
        let done = store.append(&name, Expected::Preferred(0), &[draft], &[]).unwrap();
        assert!(matches!(done, Appended::Spooled(_)), "{done:?}");
    }
    held.unlock().unwrap();
    store.refresh().unwrap();
    assert_eq!(store.read(&name, 0).unwrap().len(), 2, "both are there");
    let late = store.append(&name, Expected::Preferred(1), &[new_draft("late")], &[]);
    assert!(matches!(late, Err(Error::Conflict { .. })), "{late:?}");
}

/// PL-01: what the store noticed is told once.
#[test]
fn spooled_entries_are_taken_in_by_the_next_opening() {
    let dir = temp();
    let mut store = open(dir.path());
    let entries: Vec<_> =
        (0..3).map(|n| support::entry("note/a", new_draft(&n.to_string()))).collect();
    let ids: Vec<_> = entries.iter().map(|entry| entry.draft.id).collect();
    store.spool().write(&entries).unwrap();
    let mut next = open(dir.path());
    assert_eq!(next.take_notices(), [Notice::Drained(3)]);
    assert_eq!(next.take_notices(), []);
    support::assert_once(&next, &ids, "drained");
    // A store that stays open catches up on request.
    store.spool().write(&[support::entry("note/a", new_draft("later"))]).unwrap();
    store.refresh().unwrap();
    assert_eq!(store.take_notices(), [Notice::Drained(1)]);
    assert_eq!(store.read(&stream("note/a"), 0).unwrap().len(), 4);
}
