//! The leader of a plan of three stories is killed at every event: another one goes on to the same end.

use std::fmt;
use std::str::FromStr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use countersign_domain::ledger::Event;
use countersign_engine::Engine;
use countersign_testkit::wait_until;
use serde_json::Value;

use crate::killing::{die, expect_killed, told_to_die};
use crate::roster::{COST, End, Stage, drive};

/// How many tests share the events.
const SHARES: usize = 4;

/// When a leader is to die: right after the nth event, counted from the start of a leg, or from its own.
#[derive(Debug, Clone, PartialEq)]
struct Death {
    leg: Option<String>,
    after: usize,
}

impl fmt::Display for Death {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.leg.as_deref().unwrap_or("-"), self.after)
    }
}

impl FromStr for Death {
    type Err = std::num::ParseIntError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (leg, after) = text.split_once(' ').unwrap_or(("-", text));
        let leg = (leg != "-").then(|| leg.to_owned());
        Ok(Self { leg, after: after.parse()? })
    }
}

/// The leg whose run an event starts.
fn started_by(event: &Event) -> Option<String> {
    if event.kind != "relay.started" {
        return None;
    }
    let body: Value = serde_json::from_str(event.body.as_deref()?).unwrap();
    Some(body["story"].as_str().unwrap_or("ALL").to_owned())
}

/// The other side of the tests here: a leader that dies where it was told to.
#[test]
fn driver() {
    let Some((when, host)) = told_to_die() else { return };
    let death: Death = when.parse().unwrap();
    let mut engine = Engine::open(host).unwrap();
    let counted = AtomicU64::new(0);
    engine.observe(move |event| {
        let is_begun = counted.load(Ordering::SeqCst) > 0;
        let begins = death.leg.is_none() || started_by(event) == death.leg;
        if (is_begun || begins) && counted.fetch_add(1, Ordering::SeqCst) + 1 == death.after as u64
        {
            die();
        }
    });
    drive(&mut engine, None);
}

/// What happens when nobody interferes.
struct Undisturbed {
    end: End,
    /// What is written before the first leg, then in each leg: its name and its events.
    legs: Vec<(Option<String>, Vec<String>)>,
}

fn undisturbed() -> &'static Undisturbed {
    static ONCE: OnceLock<Undisturbed> = OnceLock::new();
    ONCE.get_or_init(|| {
        let stage = Stage::new();
        let legs = Arc::new(Mutex::new(vec![(None, Vec::new())]));
        let mut engine = Engine::open(stage.host()).unwrap();
        let heard = Arc::clone(&legs);
        engine.observe(move |event| {
            let mut legs = heard.lock().unwrap();
            if let Some(leg) = started_by(event) {
                legs.push((Some(leg), Vec::new()));
            }
            legs.last_mut().unwrap().1.push(event.kind.clone());
        });
        drive(&mut engine, None);
        drop(engine);
        let end = stage.expect_end("undisturbed");
        let legs = legs.lock().unwrap().clone();
        let names: Vec<&str> = legs.iter().filter_map(|(name, _)| name.as_deref()).collect();
        assert_eq!(names, ["US-001", "US-002", "US-003", "ALL"]);
        assert_eq!((end.starts, end.cut_off), (7, 0), "a worker and a verifier each, and a last");
        assert_eq!(end.spent, 7 * COST);
        Undisturbed { end, legs }
    })
}

/// The deaths of one relay: after the nth event of each of its legs, and in one of them once more soon
/// after another leader has taken over.
fn deaths(legs: &[(Option<String>, Vec<String>)], nth: usize) -> Vec<Death> {
    let mut deaths = Vec::new();
    for (at, (leg, events)) in legs.iter().enumerate() {
        if nth < events.len() {
            deaths.push(Death { leg: leg.clone(), after: nth + 1 });
        }
        let soon = 1 + nth % 4;
        if at == 1 + nth % 3 && nth + 1 + soon <= events.len() {
            deaths.push(Death { leg: None, after: soon });
        }
    }
    deaths
}

/// Has leaders killed after every event whose number in its leg is of this share.
fn expect_resumed(share: usize) {
    let Undisturbed { end, legs } = undisturbed();
    let most = legs.iter().map(|(_, events)| events.len()).max().unwrap_or_default();
    let (mut killed, mut cut_off) = (0, 0);
    for nth in (share..most).step_by(SHARES) {
        let stage = Stage::new();
        let before = stage.project.fingerprint();
        let deaths = deaths(legs, nth);
        for death in &deaths {
            let path = [("PATH", &stage.path)];
            expect_killed(&stage.project, "killed_leader::driver", &death.to_string(), &path);
            if nth % 2 == 0 {
                // Else who comes next meets what is on its way out.
                stage.project.expect_no_survivors();
            }
        }
        let call = stage.project.call(["resume", "latest", "--no-input"]).env("PATH", &stage.path);
        let ran = call.run();
        let kinds: Vec<_> = legs.iter().filter_map(|(_, events)| events.get(nth)).collect();
        let when = format!("killed after {deaths:?}, which are {kinds:?}");
        assert_eq!(ran.code, Some(0), "{when}: {}{}", ran.out(), ran.err());
        assert!(ran.out().contains("complete: "), "{when}: {}", ran.out());
        let found = stage.expect_end(&when);
        found.expect_same(end, &when);
        assert!(found.spent >= end.spent, "{when}: {} is too little", found.spent);
        before.expect_same(&stage.project.fingerprint());
        killed += deaths.len();
        cut_off += found.cut_off;
    }
    let events: usize = legs.iter().map(|(_, events)| events.len()).sum();
    eprintln!(
        "{killed} leaders were killed ({events} events in all); {cut_off} starts were cut off"
    );
}

/// LP-01, LP-16, WL-17: killed after any event of a plan of three stories, and again while it resumes,
/// the relay comes to the same journals, the same commits and closed books, with nothing left over.
#[test]
fn killed_after_every_event_first_share() {
    expect_resumed(0);
}

/// As the first share.
#[test]
fn killed_after_every_event_second_share() {
    expect_resumed(1);
}

/// As the first share.
#[test]
fn killed_after_every_event_third_share() {
    expect_resumed(2);
}

/// As the first share.
#[test]
fn killed_after_every_event_fourth_share() {
    expect_resumed(3);
}

/// CO-05: what is said of an agent whose leader was killed counts only if the leader said it: a worker
/// that changes or removes it to look cheap, or puts an earlier one in its place, is counted with all that
/// it could have spent.
#[test]
fn a_killed_leader_leaves_no_cheap_agent() {
    let once = "[ -e ${0%/*}/once ] || { touch ${0%/*}/once; sleep 1000; }";
    for (script, code) in [
        (":", 0),
        ("rm \"$1\"", 4),
        ("sed -i 's/\"calls\":0/\"calls\":1/' \"$1\"", 4),
        ("mv \"$1\" \"$1.kept\"; LATER; mv \"$1.kept\" \"$1\"", 4),
    ] {
        let stage = Stage::with_agent(once, ":");
        let words = ["run", "--plan", "names", "--worker", "claude", "--no-input"];
        let running = stage.project.call(words).env("PATH", &stage.path).start();
        let flag = stage.project.outside().join("bin/once");
        wait_until("the worker", || flag.exists().then_some(()));
        running.kill();
        stage.project.expect_no_survivors();
        // tidy: polling, since an earlier file is told from the last one by time alone
        let later = "t=$(date +%s); until [ $(date +%s) -gt $((t + 4)) ]; do sleep 0.1; done";
        let script = script.replace("LATER", later);
        let script =
            format!("set -- {}/work/*/*/live.json; {script}", stage.project.home().display());
        stage.project.sh(&script).expect(0);
        let call = stage.project.call(["resume", "latest", "--no-input"]).env("PATH", &stage.path);
        let ran = call.run();
        assert_eq!(ran.code, Some(code), "{script}: {}{}", ran.out(), ran.err());
        let runs = stage.project.run(["status", "--format", "json"]).expect(0).data();
        let first = runs.as_array().unwrap().last().unwrap()["run"].as_str().unwrap().to_owned();
        let show = ["budget", "show", &first, "--format", "json"];
        let budget = stage.project.run(show).expect(0).data();
        let spent = budget["run"]["spent"]["money"].as_u64();
        let whole = if code == 0 { COST } else { 5_000_000 };
        assert_eq!(spent, Some(whole), "{script}: {budget:#}");
    }
}
