//! Verifiers that ask, disagree, or say what can't be used, and are asked again.

use countersign_domain::checkpoint::key;
use countersign_domain::run::{AskFor, Outcome, RefusedBecause, Run, escalation};

use crate::world::{Attempt, asked, handed, opened, says, world};

/// LP-11, D3.1: a question that no attempt answers is a person's; the answer reaches the verifier, which
/// judges the same work again.
#[test]
fn a_verifiers_question_is_answered_by_a_person() {
    let asks = |tree| Attempt::judged(tree, &[says("request_info", "AC1")]);
    let same = [asks(3), asks(3), Attempt::good(3)];
    let last = [asks(3), Attempt::good(3)];
    for (attempts, allowed, opened) in [
        (&same[..], 9, opened(&["claude"], &["codex"], 9)),
        (&last[..], 1, opened(&["claude"], &["codex"], 1)),
        (&last[..], 1, handed(&["codex"])),
    ] {
        let (run, outcome) = world(attempts).drive(opened.clone());
        assert_eq!((outcome, asked(&run)), (None, Some(AskFor::Info)), "{allowed}");
        let mut world = world(attempts);
        world.answers.push_back(key::ANSWER);
        let (run, outcome) = world.drive(opened);
        assert!(matches!(outcome, Some(Outcome::Accepted { .. })), "{:?}", run.rulings);
        let told = world.shown.last().unwrap();
        assert!(told.contains("which locale?") && told.contains("as I say"), "{told}");
        assert_eq!(Run::replay(world.journal).unwrap().unwrap(), run);
    }
}

/// LP-11: the person may also send it back, take it, or stop.
#[test]
fn a_verifiers_question_has_other_ways_out() {
    let asks = || Attempt::judged(3, &[says("request_info", "AC1")]);
    let drive = |answer| {
        let mut world = world(&[asks(), Attempt::good(4)]);
        world.answers.push_back(answer);
        world.drive(opened(&["claude"], &["codex"], 1))
    };
    let (run, outcome) = drive(key::SEND_BACK);
    assert!(matches!(outcome, Some(Outcome::Accepted { .. })) && run.attempt == 2);
    let (_, outcome) = drive(key::STOP);
    assert_eq!(outcome, Some(Outcome::Refused { because: RefusedBecause::NotJudged }));
    let mut world = world(&[asks(), asks()]);
    world.answers.push_back(key::ACCEPT);
    let (run, outcome) = world.drive(opened(&["claude"], &["codex"], 1));
    assert!(matches!(outcome, Some(Outcome::Accepted { .. })), "{:?}", run.rulings);
}

/// LP-19: another round of judging is one: both judge the same work afresh, each with what the other said.
#[test]
fn another_round_of_judging_is_carried_out() {
    let split = || Attempt::judged(3, &[says("pass", "AC1"), says("fail", "AC1")]);
    let crew = || opened(&["claude"], &["claude", "codex"], 1);
    let mut once = world(&[split(), Attempt::good(3)]);
    once.answers.push_back(key::ROUND);
    let (run, outcome) = once.drive(crew());
    assert!(matches!(outcome, Some(Outcome::Accepted { .. })), "{:?}", run.rulings);
    assert_eq!((once.shown.len(), once.assigned.len()), (4, 1), "four judgings, one attempt");
    let (first, second) = (&once.shown[2], &once.shown[3]);
    assert!(
        first.contains("Another verifier failed it") && first.contains("it is wrong"),
        "{first}"
    );
    assert!(second.contains("Another verifier passed it"), "{second}");
    assert_eq!(Run::replay(once.journal).unwrap().unwrap(), run);

    // Who still disagrees is asked about again, and not sent to the worker, however many attempts are left.
    let mut still = world(&[split(), split(), split(), split(), split()]);
    still.answers.push_back(key::ROUND);
    let mut opened = opened(&["claude"], &["claude", "codex"], 9);
    opened.crew.as_mut().unwrap().policy.rounds = 1;
    let (run, _) = still.drive(opened);
    assert_eq!((asked(&run), run.attempt, run.questions), (Some(AskFor::Disagreement), 1, 2));
}

/// LP-19: files that verifiers disagreed about and that are handed in again as they are, are the next round of
/// that disagreement, which nobody is paid to judge; a person gets the words of both, and each answer holds.
#[test]
fn the_same_files_are_the_same_disagreement() {
    let split = || Attempt::judged(3, &[says("pass", "AC1"), says("fail", "AC1")]);
    let crew = |rounds: u32, attempts| {
        let mut opened = opened(&["claude"], &["claude", "codex"], attempts);
        opened.crew.as_mut().unwrap().policy.rounds = rounds;
        opened
    };
    // When the rounds are over; when nothing changes any more; when attempts run out.
    for (rounds, attempts, asked_at) in [(3, 20, 3), (20, 20, 4), (20, 2, 2)] {
        let mut world = world(&vec![split(); 20]);
        let (run, outcome) = world.drive(crew(rounds, attempts));
        assert_eq!((outcome, asked(&run)), (None, Some(AskFor::Disagreement)), "{rounds}");
        assert_eq!((run.attempt, world.shown.len()), (asked_at, 2), "{rounds}: judged once");
        let round = run.round().unwrap().to_string();
        let said = format!("round {asked_at} of {rounds}: verifier 1 passed, verifier 2 objects");
        assert_eq!(round, said);
        let account = escalation(&run, AskFor::Disagreement);
        for side in ["verifier 1 (codex) passes it: s", "verifier 2 (codex) objects: s"] {
            assert!(account.contains(side), "{account}");
        }
    }
    for (answer, judgings) in [(key::ACCEPT, 2), (key::ROUND, 4), (key::SEND_BACK, 4)] {
        let mut world = world(&[split(), split(), Attempt::good(3)]);
        world.answers.push_back(answer);
        let (run, outcome) = world.drive(crew(2, 20));
        assert!(matches!(outcome, Some(Outcome::Accepted { .. })), "{answer}: {:?}", run.rulings);
        assert_eq!(world.shown.len(), judgings, "{answer}");
        let works = if answer == key::SEND_BACK { 3 } else { 2 };
        assert_eq!(world.assigned.len(), works, "{answer}");
        let told = world.shown.last().unwrap();
        let is_told = told.contains("Another verifier passed it");
        assert_eq!(is_told, answer == key::ROUND, "{answer}: {told}");
        assert_eq!(Run::replay(world.journal).unwrap().unwrap(), run, "{answer}");
    }
}

/// LP-11: who is asked for a verdict again is told why the last could not be used.
#[test]
fn an_unusable_verdict_is_asked_for_with_its_faults() {
    let rubbish = Attempt::judged(3, &["looks good to me".into()]);
    let hollow = says("pass", "AC1").replace("[\"r1\"]", "[\"r9\"]");
    let mut world = world(&[rubbish, Attempt::judged(3, &[hollow]), Attempt::good(3)]);
    let (run, outcome) = world.drive(opened(&["claude"], &["codex"], 3));
    assert!(matches!(outcome, Some(Outcome::Accepted { .. })), "{:?}", run.rulings);
    let [first, second, third] = &world.shown[..] else { panic!("{:?}", world.shown.len()) };
    assert!(!first.contains("could not be used"), "{first}");
    assert!(second.contains("there is no JSON object with a verdict"), "{second}");
    assert!(third.contains("there is no receipt 'r9'"), "{third}");
    assert!(!third.contains("there is no JSON object"), "only the last counts: {third}");
}
