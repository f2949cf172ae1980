//! The leader is killed while an agent is at work, and another one goes on.

use countersign_testkit::agents::RealAgent::{Claude, Codex};
use countersign_testkit::model::{Fault, Script, Turn};
use countersign_testkit::{kinds, wait_until};

use super::{Cast, VERIFIER, claim, do_it, look, pass, shell};

/// LP-01, LP-10: killed while the worker works: its whole tree ends, what it had written is kept, and
/// another worker does it.
#[test]
fn killed_while_the_worker_works() {
    let script = Script::new()
        .turn(shell(Claude, "echo half > half.txt"))
        .turn(Turn::fault(Fault::Hang))
        .turn(do_it(Claude))
        .turn(claim(1))
        .lane(VERIFIER, [look(Codex), pass()]);
    let Some(cast) = Cast::new(script) else { return };
    let running = cast.run(Claude, &[Codex]).start();
    wait_until("the worker's second request", || {
        (cast.stage.model.requests().iter().filter(|one| one.offers_tools()).count() >= 2)
            .then_some(())
    });
    running.kill();
    cast.project().expect_no_survivors();
    cast.call(["resume"]).run().expect(0).says("attempt 1 was cut off");
    cast.expect_accepted();
    let journal = cast.project().journal();
    let cut = kinds(&journal).iter().filter(|kind| *kind == "interrupted").count();
    assert_eq!(cut, 1);
    let run = journal["run"].as_str().unwrap();
    let kept = format!("refs/countersign/runs/{run}/interrupted-1:half.txt");
    assert_eq!(cast.project().git(["show", &kept]), "half\n");
    let engine = cast.engine();
    assert!(engine.unsettled(run.parse().unwrap()).unwrap().is_empty());
}

/// LP-01, LP-10: killed while a verifier judges: the work is not done again, only judged again.
#[test]
fn killed_while_the_verifier_judges() {
    let script = Script::new()
        .turn(do_it(Codex))
        .turn(claim(1))
        .lane(VERIFIER, [look(Claude), Turn::fault(Fault::Hang), look(Claude), pass()]);
    let Some(cast) = Cast::new(script) else { return };
    let running = cast.run(Codex, &[Claude]).start();
    let is_judging = |texts: Vec<String>| texts.iter().any(|text| text.contains(VERIFIER));
    wait_until("the verifier's second request", || {
        let requests = cast.stage.model.requests();
        let judging = requests.into_iter().filter(|one| is_judging(one.user_texts()));
        (judging.count() >= 2).then_some(())
    });
    running.kill();
    cast.project().expect_no_survivors();
    cast.call(["resume"]).run().expect(0).prints("accepted");
    cast.expect_accepted();
    assert_eq!(cast.events("worked").len(), 1);
    assert_eq!(cast.events("verifier_interrupted").len(), 1);
    assert_eq!(cast.events("verified").len(), 1);
}
