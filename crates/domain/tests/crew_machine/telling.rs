//! What people decided and verifiers propose, and who is told.

use countersign_domain::checkpoint::key;
use countersign_domain::run::{AskFor, Outcome, escalation};
use countersign_domain::verdict::Transition;

use crate::world::{Attempt, asked, opened, says, world};

/// CO-12: what a person decided is part of what is asked for: who works and who judges both hear it, with
/// what the choice means.
#[test]
fn a_decision_reaches_who_works_and_who_judges() {
    for (choice, meaning) in [
        (key::SIMPLIFY, "Less is asked for: as I say"),
        (key::SPLIT, "Do it in parts, one after the other: as I say"),
        (
            key::REFACTOR,
            "First make room for the change, with the same checks; then do it. as I say",
        ),
    ] {
        let mut attempts: Vec<Attempt> =
            (3..6).map(|tree| Attempt::failing(tree, "make test")).collect();
        attempts.push(Attempt::good(7));
        let mut world = world(&attempts);
        world.answers.push_back(choice);
        let (run, outcome) = world.drive(opened(&["claude"], &["codex"], 3));
        assert!(matches!(outcome, Some(Outcome::Accepted { .. })), "{:?}", run.rulings);
        for told in [world.assigned.last().unwrap(), world.shown.last().unwrap()] {
            assert!(told.contains("# What a person decided"), "{told}");
            assert!(told.contains(meaning), "{meaning}: {told}");
        }
    }
}

/// LP-11: what a verifier recommends and proposes is kept, told to the next worker as a suggestion and to a
/// person in the account, and changes no ruling.
#[test]
fn what_a_verifier_proposes_is_passed_on() {
    let fail = |tree| {
        let mut said: serde_json::Value = serde_json::from_str(&says("fail", "AC1")).unwrap();
        said["recommended_transition"] = "blocked".into();
        said["next_contract"] = "mend the sign\nfirst".into();
        Attempt::judged(tree, &[said.to_string()])
    };
    // The second hands in the same files: the proposal about them stands.
    let mut world = world(&[fail(3), fail(3), fail(4)]);
    let (run, _) = world.drive(opened(&["claude"], &["codex"], 9));
    assert_eq!(asked(&run), Some(AskFor::Escalation), "it is not blocked for being told to");
    for ruling in &run.rulings {
        let [proposed] = &ruling.proposed[..] else { panic!("{ruling:?}") };
        assert_eq!(proposed.transition, Some(Transition::Blocked));
    }
    for told in &world.assigned[1..] {
        assert!(told.contains("A verifier proposes as the next step"), "{told}");
        assert!(told.contains("mend the sign first"), "{told}");
        assert!(told.contains("`make test` must exit with code 0"), "no check is lowered: {told}");
    }
    let account = escalation(&run, AskFor::Escalation);
    assert!(account.contains("verifier 1 recommends: blocked; mend the sign first"), "{account}");
}
