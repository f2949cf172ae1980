//! Honest work: done, checked, judged by an agent of another maker, countersigned.

use countersign_testkit::agents::RealAgent::{self, Claude, Codex};
use countersign_testkit::kinds;
use countersign_testkit::model::Script;

use super::{Cast, VERIFIER, claim, do_it, look, pass};

#[track_caller]
fn expect_countersigned(worker: RealAgent, verifier: RealAgent) {
    let script = Script::new().turn(do_it(worker)).turn(claim(1));
    let Some(cast) = Cast::new(script.lane(VERIFIER, [look(verifier), pass()])) else { return };
    let before = cast.project().fingerprint();
    cast.run(worker, &[verifier]).run().expect(0).prints("accepted");
    cast.expect_accepted();
    before.expect_same(&cast.project().fingerprint());
    assert_eq!(cast.stage.model.left(), 0, "something of the script was not asked for");
    let steps = "opened prepared reviewed launched worked claimed snapshotted examined \
                 verifier_launched verified ruled committed closed";
    assert_eq!(kinds(&cast.project().journal()).join(" "), steps);
    let judged = cast.events("verified").remove(0);
    assert!(judged["touched"].is_null(), "{judged}");
    // What was used is known, and it is known of both.
    for heard in [&cast.events("worked")[0]["heard"], &judged["heard"]] {
        assert!(heard["usage"]["input_tokens"].as_u64().is_some_and(|n| n > 0), "{heard}");
    }
    // The verifier sees the work, and nothing of what the worker says about it.
    let prompts = cast.prompts(true);
    assert_eq!(prompts.len(), 1);
    assert!(prompts[0].contains("+    return a + b"), "{}", prompts[0]);
    assert!(!prompts[0].contains("It is done."), "{}", prompts[0]);
}

/// LP-01, LP-03: Claude Code works, Codex judges.
#[test]
fn claude_works_and_codex_judges() {
    expect_countersigned(Claude, Codex);
}

/// LP-01, LP-03: Codex works, Claude Code judges.
#[test]
fn codex_works_and_claude_judges() {
    expect_countersigned(Codex, Claude);
}
