//! The machine of a plan, driven by hand: in order, side by side, reopened, cancelled.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use countersign_domain::budget::RunCaps;
use countersign_domain::relay::{
    Blocked, Leg, Move, Next, Opened, Relay, RelayEvent, RelayOutcome, Standing, StoryTerms,
    may_overlap,
};
use countersign_domain::run::{Base, Limits, Outcome, RefusedBecause};
use countersign_domain::{Digest, ObjectId, Stamp};

fn object(number: u32) -> ObjectId {
    format!("{number:040x}").parse().unwrap()
}

fn stamp(number: u32) -> Stamp {
    format!("20261116_101500_{number:03}").parse().unwrap()
}

fn story(id: &str, depends_on: &[&str], touches: &[&str]) -> StoryTerms {
    let own = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
    StoryTerms {
        id: id.into(),
        title: id.into(),
        goal: id.into(),
        task: id.into(),
        criteria: vec!["AC1".into()],
        checks: vec![format!("test {id}")],
        tests: Vec::new(),
        examples: Vec::new(),
        depends_on: own(depends_on),
        touches: own(touches),
        impacted: Vec::new(),
        risk: "LOW".into(),
    }
}

fn relay(stories: Vec<StoryTerms>, jobs: u32) -> Relay {
    Relay::open(Opened {
        relay: stamp(900),
        slug: "x".into(),
        objective: "x".into(),
        plan: Digest::of(b"plan"),
        prd: Digest::of(b"prd"),
        spec: Digest::of(b"spec"),
        base: Base { commit: object(1), tree: object(2), branch: None },
        stories,
        release_goal: "all".into(),
        release_task: "all".into(),
        release_checks: vec!["test all".into()],
        release_examples: Vec::new(),
        workers: vec!["command:true".parse().unwrap()],
        verifiers: Vec::new(),
        release_verifiers: Vec::new(),
        reviewer: None,
        limits: Limits { attempts: 3, worker_seconds: 1, check_seconds: 1, output_bytes: 1 },
        caps: RunCaps::default(),
        jobs,
        max_reopened: 1,
        self_verification: false,
        rounds: None,
        files: Vec::new(),
        continues: None,
    })
}

fn moves(relay: &Relay) -> Vec<Move> {
    match relay.next() {
        Next::Moves(moves) => moves,
        Next::Done(outcome) => panic!("it has ended: {outcome:?}"),
    }
}

fn started(relay: &Relay) -> Vec<String> {
    let starts = moves(relay).into_iter().filter_map(|due| match due {
        Move::Start(leg) => Some(leg.to_string()),
        _ => None,
    });
    starts.collect()
}

fn accepted(number: u32) -> Outcome {
    Outcome::Accepted { tree: object(number), commit: object(number), branch: "b".into() }
}

fn start(relay: &mut Relay, leg: &Leg, run: u32) {
    let base = relay.tip.clone();
    relay.apply(RelayEvent::Started { leg: leg.clone(), run: stamp(run), base }).unwrap();
}

/// A story from its start to where it has landed.
fn pass(relay: &mut Relay, id: &str, run: u32) {
    let leg = Leg::Story(id.into());
    start(relay, &leg, run);
    relay.apply(RelayEvent::Ended { leg, run: stamp(run), outcome: accepted(run) }).unwrap();
    let landed = RelayEvent::Landed {
        story: id.into(),
        run: stamp(run),
        commit: object(run),
        tree: object(run),
        verification: None,
    };
    relay.apply(landed).unwrap();
}

/// LP-24: what a plan is for is told in one line, and what is left out of it is marked.
#[test]
fn an_objective_is_cut_with_a_mark() {
    let of = |objective: &str| {
        let mut relay = relay(Vec::new(), 1);
        relay.opened.objective = objective.into();
        relay.opened.headline(10)
    };
    assert_eq!(of("short"), "short");
    assert_eq!(of("two\nlines\n\nand more"), "two lines");
    assert_eq!(of("more than ten letters"), "more than …");
}

/// CO-14: stories go in the order of what they depend on, and end with all of them together.
#[test]
fn stories_go_in_order_and_then_all_together() {
    let mut relay =
        relay(vec![story("US-001", &[], &["a"]), story("US-002", &["US-001"], &["b"])], 4);
    assert_eq!(started(&relay), ["US-001"]);
    pass(&mut relay, "US-001", 11);
    assert_eq!(started(&relay), ["US-002"]);
    pass(&mut relay, "US-002", 12);
    assert_eq!(moves(&relay), [Move::Start(Leg::Release)]);
    start(&mut relay, &Leg::Release, 13);
    let ended = RelayEvent::Ended { leg: Leg::Release, run: stamp(13), outcome: accepted(12) };
    relay.apply(ended).unwrap();
    let outcome = RelayOutcome::Complete { commit: object(12), branch: relay.branch() };
    assert_eq!(moves(&relay), [Move::Close(outcome.clone())]);
    relay.apply(RelayEvent::Closed(outcome.clone())).unwrap();
    assert_eq!(relay.next(), Next::Done(outcome));
}

/// CO-14: side by side only what touches no common file; of what says nothing, nothing is known.
#[test]
fn only_stories_without_common_files_go_side_by_side() {
    let check = |one: &[&str], other: &[&str], overlaps: bool| {
        let own = |texts: &[&str]| texts.iter().map(|t| (*t).to_owned()).collect::<Vec<_>>();
        assert_eq!(may_overlap(&own(one), &own(other)), overlaps, "{one:?} {other:?}");
        assert_eq!(may_overlap(&own(other), &own(one)), overlaps, "{other:?} {one:?}");
    };
    check(&["a.py"], &["b.py"], false);
    // However a path is written; of what leads out nobody knows where to.
    check(&["./LIB.sh"], &["LIB.sh"], true);
    check(&["src//a.rs"], &["src/./a.rs"], true);
    check(&["a/../lib.sh"], &["lib.sh"], true);
    check(&["/etc/passwd"], &["lib.sh"], true);
    check(&["tests/"], &["tests/a.py"], true);
    check(&["./tests/"], &["./src/"], false);
    check(&["."], &["lib.sh"], true);
    check(&["a.py"], &["a.py", "b.py"], true);
    check(&["src/a/**"], &["src/b/**"], false);
    check(&["src/**"], &["src/b/c.rs"], true);
    check(&["*.py"], &["b.rs"], true);
    check(&["src"], &["src/b.rs"], true);
    check(&["src"], &["srcs/b.rs"], false);
    check(&[], &["b.rs"], true);

    let stories = vec![
        story("US-001", &[], &["a"]),
        story("US-002", &[], &["b"]),
        story("US-003", &[], &["a"]),
        story("US-004", &[], &[]),
    ];
    assert_eq!(started(&relay(stories.clone(), 4)), ["US-001", "US-002"]);
    assert_eq!(started(&relay(stories, 1)), ["US-001"]);
}

/// A story that fails holds up what depends on it, and nothing else; what waits is named.
#[test]
fn a_failed_story_holds_up_only_what_needs_it() {
    let stories = vec![
        story("US-001", &[], &["a"]),
        story("US-002", &["US-001"], &["b"]),
        story("US-003", &[], &["c"]),
    ];
    let mut relay = relay(stories, 1);
    let leg = Leg::Story("US-001".into());
    start(&mut relay, &leg, 11);
    let because = RefusedBecause::Escalated;
    let outcome = Outcome::Refused { because };
    relay.apply(RelayEvent::Ended { leg, run: stamp(11), outcome }).unwrap();
    assert_eq!(started(&relay), ["US-003"]);
    pass(&mut relay, "US-003", 12);
    let [Move::Close(RelayOutcome::Blocked { blocked, branch, waiting })] = &moves(&relay)[..]
    else {
        panic!("{:?}", moves(&relay))
    };
    let story = "US-001".to_owned();
    assert_eq!(*blocked, Blocked::Story { story, run: stamp(11), because });
    assert_eq!((waiting.as_slice(), branch.is_some()), (&["US-002".to_owned()][..], true));
}

/// LP-14: what no longer holds when all come together is taken up again.
#[test]
fn a_broken_story_is_reopened() {
    let mut relay = relay(vec![story("US-001", &[], &[])], 1);
    pass(&mut relay, "US-001", 11);
    start(&mut relay, &Leg::Release, 12);
    let outcome = Outcome::Refused { because: RefusedBecause::AttemptsExhausted };
    relay.apply(RelayEvent::Ended { leg: Leg::Release, run: stamp(12), outcome }).unwrap();
    assert_eq!(moves(&relay), [Move::Reopen { run: stamp(12) }]);
    let reasons = vec!["it broke".to_owned()];
    relay.apply(RelayEvent::Reopened { story: "US-001".into(), reasons: reasons.clone() }).unwrap();
    assert_eq!(relay.stories["US-001"], Standing::Open);
    assert_eq!(relay.findings["US-001"], reasons);
    assert_eq!(started(&relay), ["US-001"]);
    pass(&mut relay, "US-001", 13);
    assert_eq!(moves(&relay), [Move::Start(Leg::Release)]);
}

/// LP-14: several stories may be taken up again at once, and nothing is after something else happened.
#[test]
fn several_broken_stories_are_reopened() {
    let mut relay = relay(vec![story("US-001", &[], &["a"]), story("US-002", &[], &["b"])], 2);
    pass(&mut relay, "US-001", 11);
    pass(&mut relay, "US-002", 12);
    start(&mut relay, &Leg::Release, 13);
    let outcome = Outcome::Refused { because: RefusedBecause::AttemptsExhausted };
    relay.apply(RelayEvent::Ended { leg: Leg::Release, run: stamp(13), outcome }).unwrap();
    let reopened = |story: &str| RelayEvent::Reopened { story: story.into(), reasons: Vec::new() };
    relay.apply(reopened("US-001")).unwrap();
    let mut other = relay.clone();
    relay.apply(reopened("US-002")).unwrap();
    assert_eq!(started(&relay), ["US-001", "US-002"]);
    start(&mut other, &Leg::Story("US-001".into()), 14);
    assert!(other.apply(reopened("US-002")).is_err(), "it is too late by then");
    assert_eq!(relay.named_in("US-001, not US-0011; xUS-002").collect::<Vec<_>>(), ["US-001"]);
}

/// A story that collides with what landed meanwhile is done again on top of it.
#[test]
fn a_collision_is_done_again() {
    let mut relay = relay(vec![story("US-001", &[], &["a"]), story("US-002", &[], &["b"])], 2);
    let (one, two) = (Leg::Story("US-001".into()), Leg::Story("US-002".into()));
    start(&mut relay, &one, 11);
    start(&mut relay, &two, 12);
    for (leg, run) in [(&one, 11), (&two, 12)] {
        let (leg, outcome) = (leg.clone(), accepted(run));
        relay.apply(RelayEvent::Ended { leg, run: stamp(run), outcome }).unwrap();
    }
    let collided =
        RelayEvent::Collided { story: "US-002".into(), run: stamp(12), reasons: vec!["b".into()] };
    relay.apply(collided).unwrap();
    // Not while the first is still to land.
    assert!(started(&relay).contains(&"US-002".to_owned()));
}

/// A cancelled relay begins nothing, ends what runs, and ends.
#[test]
fn a_cancelled_relay_ends() {
    let mut relay = relay(vec![story("US-001", &[], &[]), story("US-002", &[], &[])], 1);
    start(&mut relay, &Leg::Story("US-001".into()), 11);
    relay.apply(RelayEvent::CancelRequested { by: "user".into() }).unwrap();
    assert!(relay.apply(RelayEvent::CancelRequested { by: "user".into() }).is_err());
    assert_eq!(started(&relay), Vec::<String>::new());
    let outcome = Outcome::Refused { because: RefusedBecause::Cancelled };
    let leg = Leg::Story("US-001".into());
    relay.apply(RelayEvent::Ended { leg, run: stamp(11), outcome }).unwrap();
    assert!(matches!(
        &moves(&relay)[..],
        [Move::Close(RelayOutcome::Blocked { blocked: Blocked::Cancelled, .. })]
    ));
}

/// Nothing can be written into a relay's journal that does not follow from it.
#[test]
fn only_what_is_due_may_follow() {
    let mut relay = relay(vec![story("US-001", &[], &[])], 1);
    let leg = Leg::Story("US-001".into());
    for early in [
        RelayEvent::Ended { leg: leg.clone(), run: stamp(11), outcome: accepted(1) },
        RelayEvent::Landed {
            story: "US-001".into(),
            run: stamp(11),
            commit: object(5),
            tree: object(5),
            verification: None,
        },
        RelayEvent::Started { leg: Leg::Release, run: stamp(11), base: object(1) },
        RelayEvent::Started { leg, run: stamp(11), base: object(7) },
        RelayEvent::Reopened { story: "US-001".into(), reasons: Vec::new() },
        RelayEvent::Closed(RelayOutcome::Complete { commit: object(1), branch: "b".into() }),
    ] {
        assert!(relay.apply(early.clone()).is_err(), "{early:?}");
    }
}

/// LP-17: a story that waits for a person keeps its files and no place, and what was begun meanwhile can
/// be read again from the journal.
#[test]
fn a_story_that_waits_for_a_person_holds_up_nobody() {
    let stories = vec![
        story("US-001", &[], &["a"]),
        story("US-002", &[], &["a"]),
        story("US-003", &[], &["b"]),
        story("US-004", &[], &["c"]),
        story("US-005", &["US-001"], &["d"]),
    ];
    let mut relay = relay(stories, 1);
    start(&mut relay, &Leg::Story("US-001".into()), 11);
    assert_eq!(started(&relay), Vec::<String>::new());
    let starts = |relay: &Relay, waiting: &[u32]| -> Vec<String> {
        let waiting = waiting.iter().map(|run| stamp(*run)).collect();
        let Next::Moves(moves) = relay.next_while(&waiting) else { panic!("it has ended") };
        let starts = moves.into_iter().filter_map(|due| match due {
            Move::Start(leg) => Some(leg.to_string()),
            _ => None,
        });
        starts.collect()
    };
    assert_eq!(starts(&relay, &[11]), ["US-003"], "one place, and US-002 has the same files");
    start(&mut relay, &Leg::Story("US-003".into()), 13);
    assert_eq!(starts(&relay, &[11]), Vec::<String>::new());
    assert_eq!(starts(&relay, &[11, 13]), ["US-004"]);
    let overlapping = RelayEvent::Started {
        leg: Leg::Story("US-002".into()),
        run: stamp(12),
        base: relay.tip.clone(),
    };
    assert!(relay.apply(overlapping).is_err());
}

/// LP-14: all criteria of all stories are judged together, each by the name of its story.
#[test]
fn all_criteria_are_judged_together() {
    let both = relay(vec![story("US-001", &[], &[]), story("US-002", &[], &[])], 1);
    assert_eq!(both.release_criteria(), ["US-001 AC1", "US-002 AC1"]);
    let mut whole = story("ALL", &[], &[]);
    whole.criteria = vec!["US-001 AC1".into(), "US-002 AC1".into()];
    assert_eq!(relay(vec![whole], 1).release_criteria(), ["US-001 AC1", "US-002 AC1"]);
}

/// What landed in a blocked relay stays landed in the one that goes on from it, unless the plan asks
/// for something else meanwhile; the rest is tried again, on top of it.
#[test]
fn a_blocked_relay_is_gone_on_from() {
    let stories = || {
        vec![
            story("US-001", &[], &["a"]),
            story("US-002", &[], &["b"]),
            story("US-003", &[], &["c"]),
        ]
    };
    let mut old = relay(stories(), 1);
    pass(&mut old, "US-001", 11);
    pass(&mut old, "US-002", 12);
    let leg = Leg::Story("US-003".into());
    start(&mut old, &leg, 13);
    let because = RefusedBecause::AttemptsExhausted;
    let outcome = Outcome::Refused { because };
    old.apply(RelayEvent::Ended { leg, run: stamp(13), outcome }).unwrap();
    let Some(Move::Close(end)) = moves(&old).pop() else { panic!("it is not at its end") };
    old.apply(RelayEvent::Closed(end)).unwrap();

    let mut edited = stories();
    edited[1].task = "something else".into();
    let go_on = |stories: Vec<StoryTerms>| {
        let continues = Some(Box::new(old.to_continue(&stories)));
        Relay::open(Opened { continues, stories, ..old.opened.clone() })
    };
    let mut new = go_on(stories());
    assert_eq!(new.tip, object(12));
    assert_eq!(started(&new), ["US-003"]);
    let landed = Standing::Landed { run: stamp(11), commit: object(11) };
    assert_eq!(new.stories["US-001"], landed);
    pass(&mut new, "US-003", 23);
    assert_eq!(moves(&new), [Move::Start(Leg::Release)]);

    assert_eq!(started(&go_on(edited)), ["US-002"], "what is asked for differs");
    let fewer = go_on(stories().split_off(1));
    assert_eq!(fewer.stories.len(), 2);
    assert_eq!(started(&fewer), ["US-003"]);

    let event = RelayEvent::Opened(Box::new(new.opened.clone()));
    let text = serde_json::to_string(&event).unwrap();
    assert_eq!(serde_json::from_str::<RelayEvent>(&text).unwrap(), event);
}
