//! A run with a crew that is cut off at any point goes on to the same end: the same journal, books
//! that balance, one answer used once, and no process left.

use countersign_domain::budget::Amount;
use countersign_domain::checkpoint::State;
use countersign_engine::run::{CrewWish, Driven, Goal, Progress};
use countersign_engine::{Engine, Host};
use countersign_testkit::{Project, kinds, normalised, wait_until, without_interruptions};
use serde_json::Value;

use crate::killing::{die, expect_killed, expect_nothing_left, host, told_to_die};
use crate::project;
use crate::resume::{goal, kill_at_moments};

/// Three attempts: a verifier fails the first, the worker asks about the second, and the third holds.
const WORKER: &str = r#"sleep 0.02; echo $COUNTERSIGN_ATTEMPT >> attempts.txt
if [ $COUNTERSIGN_ATTEMPT = 2 ]; then
  echo '```json'
  echo '{"iteration": 2, "status": "blocked", "kind": "needs_human", "because": "Two or three?"}'
  echo '```'
fi"#;
const CHECK: &str = "test -f attempts.txt";
/// What a verifier says, by attempt.
const VERIFIER: &str = r#"cat > /dev/null; sleep 0.02; FAILS=1
for look in 'evidence gate' 'layer enforcement' 'test sufficiency' 'anti-gaming' 'worker process audit'
do looks="$looks,{\"check\":\"$look\",\"decision\":\"pass\",\"basis\":\"r1\"}"; done
rest="\"summary\":\"-\",\"criteria\":[],\"reasoning\":[${looks#,}],\"missing_evidence\":[],\"receipts\":[\"r1\"]"
case $COUNTERSIGN_ATTEMPT in
$FAILS) echo "{\"verdict\":\"fail\",$rest,\"issues\":[{\"id\":\"I1\",\"severity\":\"major\",\"description\":\"No 2.\"}]}" ;;
*) echo "{\"verdict\":\"pass\",$rest,\"issues\":[]}" ;;
esac"#;
/// Up to the question, and from the answer on.
const EVENTS: u64 = 32;
const ASKED: u64 = 19;
const AT_ONCE: u64 = 4;

fn wish() -> Goal {
    let verifiers = [format!("command:{VERIFIER}")];
    let crew = CrewWish::parse(&[], &verifiers, None, None).unwrap();
    Goal { crew: Some(crew), ..goal(WORKER, &[CHECK]) }
}

/// Opens a run and drives it to its question, answers that, and drives it to its end.
fn drive(host: &Host, watch: &mut dyn FnMut(&Progress<'_>)) {
    let mut engine = Engine::open(host.clone()).unwrap();
    let run = engine.open_run(&wish(), watch).unwrap();
    let driven = engine.drive(run, watch).unwrap();
    let Driven::Waiting { checkpoint, .. } = driven else { panic!("{driven:?}") };
    engine.answer(checkpoint, "insist", "Three.", "Alice").unwrap();
    engine.drive(run, watch).unwrap();
}

/// What the journal looks like when nobody interferes.
fn undisturbed() -> Vec<Value> {
    let project = project();
    drive(&host(&project), &mut |_| {});
    let journal = project.journal();
    let names = kinds(&journal);
    assert_eq!(names.len() as u64, EVENTS, "{names:?}");
    assert_eq!(names[usize::try_from(ASKED).unwrap() - 1], "asked");
    normalised(&journal)
}

/// Resumes as often as it takes, as a person does who answers when asked.
#[track_caller]
fn go_on(project: &Project) {
    let ran = project.run(["resume"]);
    if ran.code == Some(4) {
        // Somebody may have answered before the driver died.
        let mut engine = Engine::open(host(project)).unwrap();
        let open = engine.checkpoints(false).unwrap();
        assert!(open.len() < 2, "{open:?}");
        for one in open {
            engine.answer(one.id, "insist", "Three.", "Alice").unwrap();
        }
        drop(engine);
        project.run(["resume"]).expect(0).prints("accepted");
    } else {
        ran.expect(0).prints("accepted");
    }
}

/// Expects the newest run to be at its end, by the same steps as an undisturbed one.
#[track_caller]
fn expect_same_end(project: &Project, expected: &[Value], when: &str) {
    let journal = project.journal();
    let found = without_interruptions(normalised(&journal));
    assert_eq!(found, expected, "{when}");
    expect_nothing_left(project, when);
    let engine = Engine::open(host(project)).unwrap();
    let run = engine.find_run("latest").unwrap();
    let unsettled = engine.unsettled(run).unwrap();
    assert!(unsettled.is_empty(), "{when}: {unsettled:?}");
    let budget = engine.budget_status(None, Some(run)).unwrap().run.unwrap();
    assert_eq!(budget.sums.reserved, Amount::default(), "{when}: {budget:?}");
    let questions = engine.checkpoints_of(run).unwrap();
    assert_eq!(questions.len(), 1, "{when}");
    assert_eq!(questions[0].state, State::Consumed, "{when}");
    let resolved = kinds(&journal).iter().filter(|kind| *kind == "resolved").count();
    assert_eq!(resolved, 1, "{when}: an answer was used more than once");
    let branch = journal["entries"][journal["entries"].as_array().unwrap().len() - 1]["event"]
        ["body"]["branch"]
        .clone();
    let work = project.git(["show", &format!("{}:attempts.txt", branch.as_str().unwrap())]);
    assert_eq!(work, "1\n2\n3\n", "{when}: work was lost or done twice");
}

/// The other side of [`killed_after_every_event`]: a process that dies, as if killed, at once after
/// the event it was told. Without a word about that, it has nothing to do.
#[test]
fn driver() {
    let Some((when, host)) = told_to_die() else { return };
    let after: u64 = when.parse().unwrap();
    drive(&host, &mut |progress| {
        if progress.sequence == after {
            die();
        }
    });
}

/// LP-01, LP-16: killed after any of its events, a run with a crew resumes to the same journal.
#[test]
fn killed_after_every_event() {
    let expected = undisturbed();
    std::thread::scope(|scope| {
        // Several at once: most of the time goes into waiting for processes and the disk.
        for first in 1..=AT_ONCE {
            let expected = &expected;
            let each = (first..=EVENTS).step_by(usize::try_from(AT_ONCE).unwrap());
            scope.spawn(move || each.for_each(|after| expect_resumed(after, expected)));
        }
    });
}

/// Has a driver killed after an event, and another go on.
#[track_caller]
fn expect_resumed(after: u64, expected: &[Value]) {
    let project = project();
    let before = project.fingerprint();
    expect_killed(&project, "crew_resume::driver", &after.to_string(), &[]);
    assert_eq!(kinds(&project.journal()).len() as u64, after);
    go_on(&project);
    expect_same_end(&project, expected, &format!("killed after event {after}"));
    before.expect_same(&project.fingerprint());
}

/// LP-01, LP-16: killed at any moment, inside of effects too, and again while it resumes.
#[test]
fn killed_at_any_moment() {
    let expected = undisturbed();
    let worker = format!("command:{WORKER}");
    let verifier = format!("command:{VERIFIER}");
    let args = ["run", "Do it", "--check", CHECK, "--worker", &worker, "--verifier", &verifier];
    let call = |project: &Project| project.call(args).arg("--no-input");
    kill_at_moments(16, (&call, 4), |project, when| {
        go_on(project);
        expect_same_end(project, &expected, when);
    });
}

/// LP-10: a worker and a verifier that are killed themselves, with the supervisors above them or
/// without, are started again; nothing that they had done is lost, and no attempt is used up.
#[test]
fn killed_agents_are_started_again() {
    for whom in ["$$", "$PPID"] {
        let project = project();
        let once = |name: &str| {
            format!(
                "[ -e $HOME/{name} ] || {{ touch $HOME/{name}; kill -9 {whom}; sleep 1000; }}; "
            )
        };
        let worker = format!("command:{}echo 2 > attempts.txt", once("worker"));
        let passes = VERIFIER.replace("FAILS=1", "FAILS=none");
        let verifier = format!("command:{}{passes}", once("verifier"));
        let args = ["run", "Do it", "--check", CHECK, "--worker", &worker];
        let call = project.call(args).args(["--verifier", &verifier, "--no-input"]);
        call.run().expect(0).prints("accepted");
        let journal = project.journal();
        let closed = journal["entries"].as_array().unwrap().last().unwrap().clone();
        assert_eq!(closed["event"]["body"]["outcome"], "accepted", "{whom}");
        let prepared = kinds(&journal).iter().filter(|kind| *kind == "worked").count();
        assert_eq!(prepared, 2, "{whom}");
        project.expect_no_survivors();
    }
}

/// LP-16: a run that is cancelled after its driver was killed leaves nothing reserved.
#[test]
fn a_cancelled_run_leaves_nothing_reserved() {
    let project = project();
    let worker = "command:touch $HOME/begun; sleep 1000";
    let args = ["run", "Do it", "--check", CHECK, "--examine", "--worker", worker];
    let running = project.call(args).start();
    let flag = project.outside().join("home/begun");
    wait_until("the worker", || flag.exists().then_some(()));
    running.kill();
    project.expect_no_survivors();
    project.run(["cancel", "latest"]).expect(0);
    project.run(["resume"]).expect(3);
    let engine = Engine::open(host(&project)).unwrap();
    let run = engine.find_run("latest").unwrap();
    assert!(engine.unsettled(run).unwrap().is_empty());
}
