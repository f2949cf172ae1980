//! Breakers and recovery: what is tried again, by whom, and when it is over.

use countersign_domain::agent::AgentEnd;
use countersign_domain::run::{
    AskFor, Decision, Outcome, Policy, Reason, Recovery, RefusedBecause, Run, escalation,
};

use crate::world::{Attempt, asked, opened, says, world};

/// LP-16, LP-17: the same criterion twice takes a stronger worker; the third failure goes to a person.
#[test]
fn the_same_failure_climbs_and_then_escalates() {
    let attempts: Vec<Attempt> = (3..6).map(|tree| Attempt::failing(tree, "make test")).collect();
    let mut world = world(&attempts);
    let (run, outcome) = world.drive(opened(&["claude:haiku", "claude:opus"], &[], 9));
    assert_eq!((outcome, asked(&run)), (None, Some(AskFor::Escalation)));
    let rungs: Vec<Option<u32>> = run.rulings.iter().map(|ruling| ruling.rung).collect();
    assert_eq!(rungs, [Some(0), Some(1), None]);
}

/// LP-16: something else each time gives the strongest worker one try.
#[test]
fn scattered_failures_get_the_strongest_worker() {
    let attempts = [
        Attempt::failing(3, "a"),
        Attempt::failing(4, "b"),
        Attempt::failing(5, "c"),
        Attempt::failing(6, "d"),
    ];
    let (run, _) = world(&attempts).drive(opened(&["claude:haiku", "claude:opus"], &[], 9));
    let rungs: Vec<Option<u32>> = run.rulings.iter().map(|ruling| ruling.rung).collect();
    assert_eq!(rungs, [Some(0), Some(0), Some(1), None]);
    assert_eq!(asked(&run), Some(AskFor::Escalation));
}

/// LP-16: attempts that change nothing end the run.
#[test]
fn nothing_changes_for_three_attempts() {
    let same = Attempt::failing(3, "a");
    let attempts = [same.clone(), same.clone(), same.clone(), same];
    let policy = Policy { failures: 9, ..Policy::default() };
    let mut opened = opened(&["claude"], &[], 9);
    opened.crew.as_mut().unwrap().policy = policy;
    let (_, outcome) = world(&attempts).drive(opened);
    assert_eq!(outcome, Some(Outcome::Refused { because: RefusedBecause::Unchanged }));
}

/// CO-16: a rate limit is waited for, within bounds, and costs no attempt.
#[test]
fn what_may_pass_is_tried_again() {
    let limited =
        Attempt { end: AgentEnd::RateLimited { retry_seconds: Some(7) }, ..Attempt::good(2) };
    let mut world_ = world(&[limited.clone(), limited.clone(), Attempt::good(3)]);
    let (run, outcome) = world_.drive(opened(&["claude"], &[], 1));
    assert!(matches!(outcome, Some(Outcome::Accepted { .. })));
    assert_eq!((run.attempt, run.restarts), (1, 2));
    let Decision::Retry { until } = run.rulings[0].decision else { panic!() };
    assert_eq!(until.as_second(), 7);
    let (run, _) = world(&vec![limited; 5]).drive(opened(&["claude"], &[], 1));
    assert_eq!(asked(&run), Some(AskFor::Agent));
}

/// LP-15, LP-17: what files were refused for is not forgotten when they are handed in again: not by the
/// next worker, and not by the person who is asked.
#[test]
fn what_the_same_files_were_refused_for_is_carried_on() {
    let same = Attempt::judged(3, &[says("fail", "AC1")]);
    let mut world = world(&[same.clone(), same.clone(), same]);
    let (run, _) = world.drive(opened(&["claude"], &["codex"], 9));
    for told in &world.assigned[1..] {
        assert!(told.contains("major, AC1: it is wrong"), "{told}");
    }
    let is_same = |reason: &Reason| matches!(reason, Reason::SameTree { .. });
    assert!(run.rulings[1].reasons.iter().any(is_same));
    assert_eq!(world.shown.len(), 1, "it is not judged again");
    assert_eq!(asked(&run), Some(AskFor::Escalation));
    let account = escalation(&run, AskFor::Escalation);
    assert!(account.contains("- AC1: 3 times"), "{account}");
    assert!(!account.contains("refused before: "), "{account}");
    assert!(account.contains("handed in the same files again"), "{account}");
}

/// CO-16: retry, reflection, a stronger worker, a person: each level in its turn, on the record.
#[test]
fn recovery_has_four_levels() {
    let limited =
        Attempt { end: AgentEnd::RateLimited { retry_seconds: Some(7) }, ..Attempt::good(2) };
    let unfit = Attempt { claim: "{}", ..Attempt::good(3) };
    let reflects = Attempt {
        claim: r#"{"us_id": "US-001", "execution_steps": [{"step": "implement"}],
                   "reflection": "the sign was dropped"}"#,
        ..Attempt::failing(5, "make test")
    };
    let attempts = [
        limited,
        unfit,
        Attempt::failing(4, "make test"),
        reflects,
        Attempt::failing(6, "make test"),
    ];
    let mut opened = opened(&["claude:haiku", "claude:opus"], &[], 9);
    opened.crew.as_mut().unwrap().policy = Policy { failures: 4, ..Policy::default() };
    let mut world = world(&attempts);
    let (run, _) = world.drive(opened);
    let levels: Vec<Option<Recovery>> = run.rulings.iter().map(|one| one.recovery).collect();
    let (again, human) = (Some(Recovery::Retry), Some(Recovery::Human));
    let (reflection, stronger) = (Some(Recovery::Reflection), Some(Recovery::Stronger));
    assert_eq!(levels, [again, again, reflection, stronger, human]);
    let asks = |told: &String| told.contains("Before you change anything");
    let asked: Vec<bool> = world.assigned.iter().map(asks).collect();
    assert_eq!(asked, [false, false, false, true, true], "the first three tried nothing else");
    let last = world.assigned.last().unwrap();
    assert!(last.contains("attempt 3: the sign was dropped"), "{last}");
    assert!(escalation(&run, AskFor::Escalation).contains("the sign was dropped"));
    assert_eq!(Run::replay(world.journal).unwrap().unwrap(), run);
}
