//! A budget that ends an agent, and a person who raises it.

use countersign_testkit::agents::RealAgent::{Claude, Codex};
use countersign_testkit::model::Script;

use super::{Cast, VERIFIER, claim, do_it, look, pass, shell};

/// LP-16: an agent at its cap is ended, what it cost over it is on the books, a person is asked, and
/// with a raise the same attempt is made again.
#[test]
fn an_agent_at_its_cap_waits_for_a_raise() {
    let script = Script::new()
        .turn(shell(Claude, "true").input_tokens(900_000))
        .turn(do_it(Claude))
        .turn(claim(1))
        .lane(VERIFIER, [look(Codex), pass()]);
    let Some(cast) = Cast::new(script) else { return };
    let call = cast.run(Claude, &[Codex]).args(["--budget", "0.25"]);
    call.run().expect(4).prints("a person has to decide");
    let worked = cast.events("worked").remove(0);
    assert_eq!(worked["heard"]["end"], "budget_reached", "{worked:#}");
    let (decision, reasons) = cast.rulings().remove(0);
    assert_eq!((decision.as_str(), reasons.len()), ("ask", 1), "{reasons:#?}");
    cast.project().expect_no_survivors();
    let engine = cast.engine();
    let run = engine.find_run("latest").unwrap();
    let status = engine.budget_status(None, Some(run)).unwrap().run.unwrap();
    assert!(status.unsettled.is_empty(), "{status:?}");
    assert!(status.sums.spent.money.dollars() > 0.25, "{status:?}");
    drop(engine);
    cast.answer("raise");
    let ran = cast.call(["resume"]).run();
    ran.expect(0).prints("accepted");
    cast.expect_accepted();
}
