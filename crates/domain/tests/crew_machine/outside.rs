//! What changed in the user's own repository while an agent was at work.

use countersign_domain::checkpoint::key;
use countersign_domain::run::{
    AskFor, Decision, Outcome, Outside, Reason, RefusedBecause, Ruling, Run, RunEvent, Sort, rule,
};

use crate::world::{Attempt, NOW, World, asked, count, opened, world};

fn outside(sort: Sort) -> Vec<Outside> {
    let name = "hooks/pre-commit".to_owned();
    let after = Some("3 bytes that may run".to_owned());
    vec![Outside { sort, name, before: None, after, during: None }]
}

fn by_worker(sort: Sort) -> Attempt {
    Attempt { outside: outside(sort), ..Attempt::good(3) }
}

fn drive(attempts: &[Attempt], answers: &[&'static str]) -> (Run, Option<Outcome>, World) {
    let mut world = world(attempts);
    world.answers.extend(answers);
    let (run, outcome) = world.drive(opened(&["claude"], &["codex"], 3));
    (run, outcome, world)
}

/// G46: what makes programs run asks a person before anything else is done with the work.
#[test]
fn a_person_is_asked_first() {
    let (run, outcome, world) = drive(&[by_worker(Sort::Hook)], &[]);
    assert_eq!((outcome, asked(&run)), (None, Some(AskFor::Outside)));
    assert_eq!(count(&world, |event| matches!(event, RunEvent::Examined(_))), 0);
    let reasons = &run.rulings.last().unwrap().reasons;
    assert!(matches!(&reasons[..], [Reason::Outside { .. }]), "{reasons:?}");
    assert!(reasons[0].to_string().contains("hooks/pre-commit"), "{}", reasons[0]);
}

/// G46: taken, it is judged as ever, and the acceptance says who took it.
#[test]
fn what_was_taken_is_judged_as_ever() {
    let (run, outcome, _) = drive(&[by_worker(Sort::Hook), Attempt::good(3)], &[key::ACCEPT]);
    assert!(matches!(outcome, Some(Outcome::Accepted { .. })), "{:?}", run.rulings);
    assert_eq!(run.verified.len(), 1);
    let taken = Reason::TakenByPerson { ask_for: AskFor::Outside, by: "Ada".to_owned() };
    assert_eq!(run.rulings.last().unwrap().reasons, [taken]);
    let failing = Attempt::failing(3, "make test");
    let (_, _, world) = drive(&[by_worker(Sort::Hook), failing, Attempt::good(4)], &[key::ACCEPT]);
    let revised = |event: &RunEvent| {
        matches!(event, RunEvent::Ruled(Ruling { decision: Decision::Revise, .. }))
    };
    assert_eq!(count(&world, revised), 1, "what does not hold is sent back all the same");
}

/// G46: a person may send the work back, or end it.
#[test]
fn a_person_may_send_it_back_or_end_it() {
    let back = [by_worker(Sort::Setting), Attempt::good(4)];
    let (run, outcome, _) = drive(&back, &[key::SEND_BACK]);
    assert!(matches!(outcome, Some(Outcome::Accepted { .. })), "{:?}", run.rulings);
    assert_eq!(run.attempt, 2);
    let (_, outcome, _) = drive(&[by_worker(Sort::Setting)], &[key::STOP]);
    let because = RefusedBecause::FindingsRejected;
    assert_eq!(outcome, Some(Outcome::Refused { because }));
}

/// G46: what its user may have done is told, and stops nothing.
#[test]
fn what_is_told_stops_nothing() {
    for sort in [Sort::Reference, Sort::Index, Sort::Files] {
        let (run, outcome, world) = drive(&[by_worker(sort)], &[]);
        assert!(matches!(outcome, Some(Outcome::Accepted { .. })), "{:?}", run.rulings);
        assert_eq!((run.outside.len(), run.questions), (1, 0));
        assert_eq!(Run::replay(world.journal).unwrap(), Some(run));
    }
}

/// G46: a verifier that does it is noticed as a worker is, whatever it says.
#[test]
fn a_verifier_is_noticed() {
    let judged = Attempt { by_verifier: outside(Sort::Hook), ..Attempt::good(3) };
    let (run, outcome, _) = drive(&[judged, Attempt::good(3)], &[]);
    assert_eq!((outcome, asked(&run)), (None, Some(AskFor::Outside)));
}

/// G46: what a cut-off worker did is asked about when the next one has come to its end, and an acceptance
/// can't be written over it.
#[test]
fn what_a_cut_off_worker_did_is_not_forgotten() {
    let mut journal = drive(&[Attempt::good(3)], &[]).2.journal;
    let at = journal.iter().position(|event| matches!(event, RunEvent::Launched { .. })).unwrap();
    let cut_off = RunEvent::Interrupted { attempt: 1, tree: None, outside: outside(Sort::Setting) };
    let again: Vec<RunEvent> = journal[1..=at].to_vec();
    let rest = journal.split_off(at + 1);
    journal.extend(std::iter::once(cut_off).chain(again).chain(rest));
    let handed = |event: &RunEvent| matches!(event, RunEvent::Snapshotted { .. });
    let at = journal.iter().position(handed).unwrap();
    let run = Run::replay(journal[..=at].to_vec()).unwrap().unwrap();
    let ruling = rule(&run, &run.opened.limits, NOW);
    assert_eq!(ruling.decision, Decision::Ask { ask_for: AskFor::Outside });
    assert!(Run::replay(journal).is_err(), "it can't go on as if nothing had happened");
}
