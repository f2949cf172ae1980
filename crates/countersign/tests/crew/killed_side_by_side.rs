//! The leader of stories that are worked on side by side is killed: in between, and while a story is
//! verified again together with what landed meanwhile.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use countersign_engine::Engine;
use serde_json::Value;

use crate::killing::{die, expect_killed, told_to_die};
use crate::roster::{End, Stage, drive};

/// How many leaders are killed in each test, spread over what happens.
const SPREAD: usize = 5;

/// Which events are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Counted {
    All,
    /// Those of verifications that the relay itself asks for: of stories put together.
    Landing,
}

/// Whether an event that is written on this thread, which drives the relay, belongs to such a
/// verification.
fn is_of_landing(kind: &str, driver: std::thread::ThreadId) -> bool {
    std::thread::current().id() == driver
        && !["relay.", "run.", "ledger.", "seal"].iter().any(|other| kind.starts_with(other))
}

/// The other side of the tests here: a leader that dies where it was told to.
#[test]
fn driver() {
    let Some((when, host)) = told_to_die() else { return };
    let (counted, after) = when.split_once(' ').unwrap();
    let counted = if counted == "landing" { Counted::Landing } else { Counted::All };
    let after: usize = after.parse().unwrap();
    let mut engine = Engine::open(host).unwrap();
    let seen = AtomicUsize::new(0);
    let own = std::thread::current().id();
    engine.observe(move |event| {
        let is_counted = counted == Counted::All || is_of_landing(&event.kind, own);
        if is_counted && seen.fetch_add(1, Ordering::SeqCst) + 1 == after {
            die();
        }
    });
    drive(&mut engine, Some(2));
}

/// What happens when nobody interferes.
struct Undisturbed {
    end: Told,
    events: usize,
    /// Those of the landing.
    landing: Vec<String>,
}

/// What must come out whoever was first: the files, the commits without their order, and what happened
/// in each leg.
#[derive(Debug, PartialEq, Eq)]
struct Told {
    tree: String,
    commits: Vec<String>,
    relay: Vec<String>,
    legs: BTreeMap<String, Vec<String>>,
}

fn undisturbed() -> &'static Undisturbed {
    static ONCE: OnceLock<Undisturbed> = OnceLock::new();
    ONCE.get_or_init(|| {
        let stage = Stage::new();
        let mut engine = Engine::open(stage.host()).unwrap();
        let events = Arc::new(Mutex::new((0, Vec::new())));
        let (heard, own) = (Arc::clone(&events), std::thread::current().id());
        engine.observe(move |event| {
            let mut heard = heard.lock().unwrap();
            heard.0 += 1;
            if is_of_landing(&event.kind, own) {
                heard.1.push(event.kind.clone());
            }
        });
        drive(&mut engine, Some(2));
        drop(engine);
        let end = told(&stage.expect_end("undisturbed"));
        let (events, landing) = events.lock().unwrap().clone();
        assert!(!landing.is_empty(), "two stories go on at once, so one is verified again");
        eprintln!("{events} events, and of landing {landing:?}");
        Undisturbed { end, events, landing }
    })
}

fn told(end: &End) -> Told {
    let tree = end.commits.split(' ').next().unwrap_or_default().to_owned();
    let subject = |line: &str| line.split_once(' ').map_or("", |(_, subject)| subject).to_owned();
    let mut commits: Vec<String> = end.commits.lines().map(subject).collect();
    commits.sort();
    let kinds = |journal: &[Value]| -> Vec<String> {
        journal.iter().map(|event| event["kind"].as_str().unwrap().to_owned()).collect()
    };
    let [relay, runs @ ..] = &end.journals[..] else { panic!("there is no journal") };
    let name = |journal: &[Value]| {
        let story = journal[0].pointer("/event/body/crew/story/story");
        story.and_then(Value::as_str).unwrap_or("?").to_owned()
    };
    let legs = runs.iter().map(|journal| (name(journal), kinds(journal))).collect();
    let mut relay = kinds(relay);
    relay.sort();
    Told { tree, commits, relay, legs }
}

/// Has a leader killed there, and expects another one to come to the same.
fn expect_resumed(death: &str) {
    let stage = Stage::new();
    let before = stage.project.fingerprint();
    let path = [("PATH", &stage.path)];
    expect_killed(&stage.project, "killed_side_by_side::driver", death, &path);
    let call = stage.project.call(["resume", "latest", "--no-input"]).env("PATH", &stage.path);
    let ran = call.run();
    assert_eq!(ran.code, Some(0), "killed after {death}: {}{}", ran.out(), ran.err());
    let found = stage.expect_end(death);
    assert_eq!(told(&found), undisturbed().end, "killed after {death}");
    before.expect_same(&stage.project.fingerprint());
}

/// LP-01, LP-16: killed anywhere while two stories are worked on at once, the relay comes to the same
/// files, the same commits and the same steps of each story, with nothing left over.
#[test]
fn killed_while_two_stories_go_on() {
    let events = undisturbed().events;
    for nth in 0..SPREAD {
        expect_resumed(&format!("all {}", spread(nth, events)));
    }
}

/// LP-14, LP-16: killed while stories are verified as they are put together, it comes to the same.
#[test]
fn killed_while_stories_are_put_together() {
    let events = undisturbed().landing.len();
    for nth in 0..SPREAD.min(events) {
        expect_resumed(&format!("landing {}", spread(nth, events)));
    }
}

/// The number of an event, of so many: the first one, the last one, and those between them.
fn spread(nth: usize, events: usize) -> usize {
    1 + nth * (events - 1) / (SPREAD.min(events) - 1).max(1)
}
