//! Verifiers that don't agree, work that keeps failing, and the questions that this leads to.

use countersign_testkit::agents::RealAgent::{self, Claude, Codex};
use countersign_testkit::model::{Protocol, Script, Turn};

use super::{CALC, Cast, TEST_ADD, VERIFIER, claim, fail, pass, shell, write};

/// Right work that differs from attempt to attempt.
fn variant(agent: RealAgent, attempt: u32) -> Turn {
    let calc = format!("{CALC}\n\ndef add(a, b):\n    # Take {attempt}.\n    return a + b\n");
    shell(agent, &(write("calc.py", &calc) + &write("test_add.py", TEST_ADD)))
}

/// LP-08, LP-15: Claude Code passes what Codex fails. Codex's issues go back to the worker as one
/// assignment; after the rounds a person decides, once, and the work is taken.
#[test]
fn a_disagreement_ends_with_a_person() {
    const ATTEMPTS: u32 = 3;
    let mut script = Script::new();
    for attempt in 1..=ATTEMPTS {
        script = script.turn(variant(Claude, attempt)).turn(claim(attempt));
    }
    let fails = (1..=ATTEMPTS).map(|take| fail(&format!("Take {take} drops the sign.")));
    let script = script
        .lane_of(Protocol::Messages, VERIFIER, (1..=ATTEMPTS).map(|_| pass()))
        .lane_of(Protocol::Responses, VERIFIER, fails);
    let Some(cast) = Cast::new(script) else { return };
    let call = cast.run(Claude, &[Claude, Codex]).args(["--attempts", "9"]);
    let ran = call.run().expect(4).prints("a person has to decide");
    ran.says("round 3 of 3: verifier 1 passed, verifier 2 objects");
    let rulings = cast.rulings();
    let decisions: Vec<&str> = rulings.iter().map(|(decision, _)| decision.as_str()).collect();
    assert_eq!(decisions, ["revise", "revise", "ask"], "{rulings:#?}");
    for split in cast.events("ruled") {
        assert_eq!(split["is_split"], true, "{split:#}");
    }
    let prompts = cast.prompts(false);
    assert!(prompts[1].contains("Take 1 drops the sign."), "{}", prompts[1]);
    assert!(prompts[1].contains("suggestion, not binding: Have a look at negative numbers."));
    // Silence is no answer: nothing runs meanwhile, and nothing is rejected.
    let asked = cast.stage.model.requests().len();
    cast.call(["resume"]).run().expect(4);
    assert_eq!(cast.stage.model.requests().len(), asked);
    cast.answer("accept");
    cast.call(["resume"]).run().expect(0).prints("accepted");
    cast.expect_accepted();
    assert_eq!(cast.events("resolved").len(), 1);
}

/// LP-07, LP-15: the third attempt that fails is the last: a person gets what was tried, in an
/// account of its own.
#[test]
fn three_failures_go_to_a_person() {
    let mut script = Script::new();
    for attempt in 1..=3 {
        let calc = format!("{CALC}\n\ndef add(a, b):\n    return a - b - {attempt}\n");
        let command = write("calc.py", &calc) + &write("test_add.py", TEST_ADD);
        script = script.turn(shell(Codex, &command)).turn(claim(attempt));
    }
    let Some(cast) = Cast::new(script) else { return };
    let ran = cast.run(Codex, &[Claude]).args(["--attempts", "9"]).run().expect(4);
    assert!(ran.out().contains("a person has to decide"), "{}", ran.out());
    let decisions: Vec<String> = cast.rulings().into_iter().map(|(decision, _)| decision).collect();
    assert_eq!(decisions, ["revise", "revise", "ask"]);
    assert!(cast.events("verified").is_empty(), "a verifier was paid for nothing");
    let engine = cast.engine();
    let question = engine.checkpoints(false).unwrap().remove(0);
    let question = engine.checkpoint(question.id).unwrap().question;
    assert!(question.context.contains("python3 -m unittest -q: 3 times"), "{}", question.context);
    for attempt in 1..=3 {
        let named = format!("ttempt {attempt}");
        assert!(question.context.contains(&named), "{named}: {}", question.context);
    }
    drop(engine);
    cast.answer("block");
    cast.call(["resume"]).run().expect(3).prints("not accepted");
    let closed = cast.events("closed").remove(0);
    assert_eq!(closed["because"], "escalated", "{closed}");
    cast.project().expect_no_survivors();
}
