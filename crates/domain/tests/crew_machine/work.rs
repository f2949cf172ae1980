//! Work that is accepted or sent back: what was run, what was claimed, who was heard.

use countersign_domain::agent::AgentEnd;
use countersign_domain::claim::{self, Claimed};
use countersign_domain::receipt::Ended;
use countersign_domain::run::{
    Decision, Effect, Next, Outcome, Reason, Reproduced, Ruling, Run, RunEvent, Shown, Step,
    assignment, rule, verifier_assignment,
};
use countersign_domain::verify::{SpecRow, Unexpected, Verdict};

use crate::world::{Attempt, NOW, count, opened, says, world};

/// LP-07: what a row of the test-spec expects and its command does not print sends the work back, once and
/// with the row's name; nobody judges it. A command that failed could not print it.
#[test]
fn other_output_than_expected_is_sent_back() {
    let row = SpecRow { story: "US-001".into(), criterion: "AC1".into(), test: "greets".into() };
    let unexpected = Unexpected {
        rows: vec![row],
        command: "sh greet.sh".into(),
        expected: "Hello".into(),
        got: "it printed \"Hi\"".into(),
    };
    let other = Attempt {
        verdict: Verdict::Refused,
        unexpected: vec![unexpected.clone()],
        ..Attempt::good(3)
    };
    let mut world = world(&[other.clone(), Attempt::good(4)]);
    let (run, outcome) = world.drive(opened(&["claude"], &["codex"], 3));
    assert!(matches!(outcome, Some(Outcome::Accepted { .. })));
    assert_eq!(run.rulings[0].reasons, [Reason::OtherOutput(unexpected)]);
    let line = "- US-001 AC1 'greets': `sh greet.sh` must print \"Hello\", as the test-spec says: it printed \"Hi\"\n";
    assert!(world.assigned[1].contains(line), "{}", world.assigned[1]);
    assert_eq!(count(&world, |event| matches!(event, RunEvent::Verified(_))), 1);
    let failed = Attempt { fails: Some("sh greet.sh"), ..other };
    let (run, _) = self::world(&[failed]).drive(opened(&["claude"], &["codex"], 1));
    let [Reason::ProofFailed { .. }] = &run.rulings[0].reasons[..] else {
        panic!("{:#?}", run.rulings)
    };
}

/// LP-02, LP-08, LP-11: what we ran and every verifier pass it.
#[test]
fn honest_work_is_accepted() {
    let mut world = world(&[Attempt::good(3)]);
    let (run, outcome) = world.drive(opened(&["claude"], &["codex", "claude"], 3));
    assert!(matches!(outcome, Some(Outcome::Accepted { .. })), "{outcome:?}");
    assert_eq!(run.verified.len(), 2);
    assert_eq!(run.used.tokens(), 30);
    assert_eq!(Run::replay(world.journal).unwrap().unwrap(), run);
}

/// LP-08: a verifier is not asked about work whose checks fail, and can't save it.
#[test]
fn what_fails_is_sent_back_before_anybody_judges_it() {
    let mut world = world(&[Attempt::failing(3, "make test"), Attempt::good(4)]);
    let (run, outcome) = world.drive(opened(&["claude"], &["codex"], 3));
    assert!(matches!(outcome, Some(Outcome::Accepted { .. })));
    let verified = world.journal.iter().filter(|e| matches!(e, RunEvent::Verified(_))).count();
    assert_eq!((verified, run.attempt), (1, 2));
    let told = assignment(&Run { rulings: run.rulings[..1].to_vec(), ..run });
    assert!(
        told.contains("expected 2, found 3") && told.contains("Attempt 1 was refused"),
        "{told}"
    );
    assert!(told.contains("tests/test_old.py"));
}

/// LP-15: what a verifier finds becomes a fix assignment; its hints are suggestions.
#[test]
fn a_failing_verdict_becomes_a_fix_assignment() {
    let fail = Attempt::judged(3, &[says("fail", "AC1")]);
    let mut world = world(&[fail, Attempt::good(4)]);
    let (run, outcome) = world.drive(opened(&["claude"], &["codex"], 3));
    assert!(matches!(outcome, Some(Outcome::Accepted { .. })));
    let told = assignment(&Run { rulings: run.rulings[..1].to_vec(), ..run });
    assert!(told.contains("major, AC1: it is wrong"), "{told}");
    assert!(told.contains("(suggestion, not binding: try harder)"), "{told}");
}

/// LP-10: a claim that can't be used fails the attempt, with the field.
#[test]
fn an_unfit_claim_is_sent_back() {
    let unfit = Attempt { claim: r#"{"us_id": "US-002"}"#, ..Attempt::good(3) };
    let none = Attempt { claim: "", ..Attempt::good(4) };
    let (run, outcome) = world(&[unfit, none, Attempt::good(5)]).drive(opened(&["claude"], &[], 9));
    assert!(matches!(outcome, Some(Outcome::Accepted { .. })));
    let first = &run.rulings[0].reasons;
    assert!(
        first.iter().any(|r| matches!(r, Reason::ClaimUnfit { fault } if fault.contains("US-002")))
    );
    assert!(run.rulings[1].reasons.contains(&Reason::ClaimUnfit { fault: "there is none".into() }));
}

/// LP-02: nobody can write an acceptance into a journal that nothing proves.
#[test]
fn an_acceptance_needs_what_we_ran() {
    for attempt in [
        Attempt::failing(3, "make test"),
        Attempt { verdict: Verdict::Human, ..Attempt::good(3) },
        Attempt::judged(3, &[says("fail", "AC1")]),
    ] {
        let mut world = world(&[attempt]);
        let mut run = Run::open(opened(&["claude"], &[], 3));
        while let Next::Perform(effect) = run.next() {
            if effect == Effect::Rule {
                break;
            }
            let event = world.perform(&run, effect);
            run.apply(event).unwrap();
        }
        let forged = Ruling { decision: Decision::Accept, ..rule(&run, &run.opened.limits, NOW) };
        let is_proven = run.examined.as_ref().is_some_and(|one| one.verdict == Verdict::Accepted);
        assert_eq!(run.apply(RunEvent::Ruled(forged)).is_ok(), is_proven);
    }
}

/// LP-01: a verifier whose driver is gone is cut off, and judges again.
#[test]
fn a_cut_off_verifier_judges_again() {
    let mut world = world(&[Attempt::good(3)]);
    let mut run = Run::open(opened(&["claude"], &["codex"], 3));
    while !matches!(run.step, Step::VerifierLaunched { .. }) {
        let Next::Perform(effect) = run.next() else { panic!() };
        let event = world.perform(&run, effect);
        run.apply(event).unwrap();
    }
    let Next::Perform(Effect::InterruptVerifier { attempt, verifier }) = run.next_after_takeover()
    else {
        panic!()
    };
    run.apply(RunEvent::VerifierInterrupted { attempt, verifier, outside: Vec::new() }).unwrap();
    assert_eq!(run.next(), Next::Perform(Effect::LaunchVerifier { attempt, verifier }));
}

/// LP-02: a verifier sees contract, difference and receipts, and nothing that the worker said.
#[test]
fn a_verifier_never_hears_the_worker() {
    let mut world = world(&[Attempt::good(3)]);
    let (run, _) = world.drive(opened(&["claude"], &["codex"], 3));
    let shown = Shown { patch: "+ a line with ``` in it", is_cut: false, verifier: 0 };
    let text = verifier_assignment(&run, &shown);
    assert!(!text.contains("Done!"), "{text}");
    assert!(text.contains("r1: `make test` passed") && text.contains("make it work"), "{text}");
    assert!(text.contains("````diff\n+ a line with ``` in it\n````"), "{text}");
}

/// LP-10: correct files whose claim was wrong, or whose worker died after the work, are judged when they
/// come again: nothing was held against the files.
#[test]
fn what_was_said_wrongly_is_not_held_against_the_files() {
    let old = Attempt {
        claim: r#"{"us_id": "US-001", "iteration": 9, "execution_steps": [{"step":
        "implement"}]}"#,
        ..Attempt::good(3)
    };
    let crashed =
        Attempt { end: AgentEnd::Failed { detail: "exit code 1".into() }, ..Attempt::good(3) };
    let partly = Attempt {
        claim: r#"{"us_id": "US-001", "status": "partly", "verified_acs": ["AC1"],
        "deferred_acs": ["AC2"], "because": "time", "execution_steps": [{"step": "implement"}]}"#,
        ..Attempt::good(3)
    };
    let differs = Attempt {
        reproduced: vec![Reproduced {
            command: "make e2e".into(),
            claimed: 0,
            ended: Ended::Exited { code: 2 },
            is_red: false,
        }],
        ..Attempt::good(3)
    };
    for first in [old, crashed, partly, differs] {
        let mut world = world(&[first, Attempt::good(3)]);
        let (run, outcome) = world.drive(opened(&["claude"], &["codex"], 3));
        assert!(matches!(outcome, Some(Outcome::Accepted { .. })), "{:?}", run.rulings);
        assert_eq!(run.attempt, 2);
        assert_eq!(Run::replay(world.journal).unwrap().unwrap(), run);
    }
}

/// LP-10: nobody is paid to judge work whose claim stands in its way; what we run ourselves is run.
#[test]
fn a_faulty_claim_does_not_pay_for_a_verifier() {
    let unfit = Attempt { claim: r#"{"us_id": "US-002"}"#, ..Attempt::good(3) };
    let none = Attempt { claim: "", ..Attempt::good(4) };
    let mut world = world(&[unfit, none, Attempt::good(5)]);
    let (run, outcome) = world.drive(opened(&["claude"], &["codex"], 9));
    assert!(matches!(outcome, Some(Outcome::Accepted { .. })));
    let judged = count(&world, |event| matches!(event, RunEvent::Verified(_)));
    let examined = count(&world, |event| matches!(event, RunEvent::Examined(_)));
    assert_eq!((judged, examined, run.attempt), (1, 3, 3));
}

/// LP-10: journals of the first versions, in which such work was judged, are read as they are.
#[test]
fn a_journal_of_before_is_read() {
    let mut journal = world(&[Attempt { claim: "", ..Attempt::good(3) }]);
    let mut run = Run::open(opened(&["claude"], &["codex"], 9));
    while run.next() != Next::Perform(Effect::Rule) {
        let Next::Perform(effect) = run.next() else { panic!() };
        let event = journal.perform(&run, effect);
        run.apply(event).unwrap();
    }
    let launch = Effect::LaunchVerifier { attempt: 1, verifier: 0 };
    let event = journal.perform(&run, launch);
    run.apply(event).unwrap();
    let Next::Perform(effect @ Effect::Verify { .. }) = run.next() else { panic!() };
    let event = journal.perform(&run, effect);
    run.apply(event).unwrap();
    let accepted = Ruling { decision: Decision::Accept, ..rule(&run, &run.opened.limits, NOW) };
    assert_eq!(rule(&run, &run.opened.limits, NOW).decision, Decision::Revise);
    let second = Effect::LaunchVerifier { attempt: 1, verifier: 1 };
    let event = journal.perform(&run, second);
    assert!(run.apply(event).is_err(), "there is no such verifier");
    let mut unjudged = run.clone();
    unjudged.verified.clear();
    assert!(unjudged.apply(RunEvent::Ruled(accepted)).is_err(), "nothing is accepted by it");
}

/// LP-12: what is said to have failed before the work and passes there for us is held against the claim,
/// and no further: with a claim that holds, the same files are accepted.
#[test]
fn red_that_is_green_is_held_against_the_claim() {
    let ended = |code| Ended::Exited { code };
    let agrees = |code| Reproduced::red("make test", 1, ended(code)).agrees();
    assert_eq!((agrees(0), agrees(1), agrees(127)), (false, true, true));
    let lied =
        Attempt { reproduced: vec![Reproduced::red("make test", 1, ended(0))], ..Attempt::good(3) };
    let mut world = world(&[lied, Attempt::good(3)]);
    let (run, outcome) = world.drive(opened(&["claude"], &["codex"], 3));
    assert!(matches!(outcome, Some(Outcome::Accepted { .. })), "{:?}", run.rulings);
    let reason = run.rulings[0].reasons[0].to_string();
    assert!(reason.contains("was said to fail before the work"), "{reason}");
    assert_eq!(count(&world, |event| matches!(event, RunEvent::Verified(_))), 1);
}

/// LP-10: every claim that the assignment shows as an example is one that we take.
#[test]
fn the_examples_of_a_claim_can_be_handed_in() {
    let failed = Attempt::failing(3, "make test");
    let mut world = world(&[failed, Attempt::good(4)]);
    world.drive(opened(&["claude"], &[], 3));
    for (attempt, told) in (1..).zip(&world.assigned) {
        let examples: Vec<&str> = told.split("```json\n").skip(1).collect();
        assert_eq!(examples.len(), 3, "{told}");
        for example in examples {
            let example = example.split("```").next().unwrap();
            let claimed = claim::read(example.as_bytes(), Some("US-001"), attempt);
            assert!(matches!(claimed, Claimed::Given { .. }), "{example}: {claimed:?}");
        }
    }
    assert!(world.assigned[1].contains("\"reflection\""), "{}", world.assigned[1]);
}
