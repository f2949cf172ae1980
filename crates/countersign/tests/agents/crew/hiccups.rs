//! What goes wrong with models and says nothing about the work: limits of rate, contexts that are full.

use countersign_testkit::agents::RealAgent::{Claude, Codex};
use countersign_testkit::kinds;
use countersign_testkit::model::{Fault, Script, Turn};

use super::{Cast, VERIFIER, claim, do_it, look, pass, shell};

/// LP-11: a model that says "too many requests" is asked again later; no attempt is used up.
#[test]
fn a_rate_limit_backs_off_and_goes_on() {
    let limited = Fault::Told(429, "This request would exceed your rate limit; try again in 1 s.");
    let script = Script::new()
        .turn(Turn::fault(limited))
        .turn(do_it(Claude))
        .turn(claim(1))
        .lane(VERIFIER, [look(Codex), pass()]);
    let Some(cast) = Cast::new(script) else { return };
    cast.run(Claude, &[Codex]).run().expect(0).prints("accepted");
    cast.expect_accepted();
    let worked = cast.events("worked");
    assert_eq!(worked[0]["heard"]["end"], "rate_limited", "{:#}", worked[0]);
    assert_eq!(worked[1]["attempt"], 1);
    let decisions: Vec<String> = cast.rulings().into_iter().map(|(decision, _)| decision).collect();
    assert_eq!(decisions, ["retry", "accept"]);
    assert!(kinds(&cast.project().journal()).contains(&"waited".to_owned()));
}

/// LP-11: a conversation that has become too long is not gone on with: a fresh worker gets the same
/// assignment, in the files that the first one left.
#[test]
fn a_full_context_starts_fresh() {
    let full = Fault::Told(400, "prompt is too long: 215000 tokens > 200000 maximum");
    let script = Script::new()
        .turn(shell(Claude, "echo half > notes.txt"))
        .turn(Turn::fault(full))
        .turn(shell(Claude, "cat notes.txt && rm notes.txt"))
        .turn(do_it(Claude))
        .turn(claim(2))
        .lane(VERIFIER, [look(Codex), pass()]);
    let Some(cast) = Cast::new(script) else { return };
    cast.run(Claude, &[Codex]).run().expect(0).prints("accepted");
    cast.expect_accepted();
    let worked = cast.events("worked");
    assert_eq!(worked[0]["heard"]["end"], "context_overflow", "{:#}", worked[0]);
    let sessions: Vec<_> = worked.iter().map(|one| &one["heard"]["session"]).collect();
    assert_ne!(sessions[0], sessions[1]);
    let prompts = cast.prompts(false);
    assert!(prompts[1].contains("Attempt 1 was refused"), "{}", prompts[1]);
}
