//! LP-23, LP-24: `run logs`.

use countersign_testkit::wait_until;

use crate::stage::{data, failed_twice, project};

/// LP-23: what agents wrote comes byte for byte, by attempt and role.
#[test]
fn what_agents_wrote_is_shown() {
    let (project, _) = failed_twice();
    let all = project.run(["run", "logs"]).expect(0);
    assert_eq!(all.out().matches("at work\n").count(), 3, "{}", all.out());
    assert_eq!(all.out().matches("\"verdict\":\"fail\"").count(), 1);
    all.says("iteration 2 (attempt 2), verifier 1 command:");
    let second = ["run", "logs", "--attempt", "2", "--role", "worker"];
    let second = project.run(second).expect(0).out();
    assert_eq!(second, "worker 2 at work\n<script>alert('worker')</script>\n");
    let prompts = project.run(["run", "logs", "--prompts", "--role", "verifier"]).expect(0).out();
    assert_eq!(prompts.matches("You are the verifier.").count(), 2, "{prompts}");
    let starts = data(&project, &["logs", "--role", "worker"]);
    assert_eq!(starts.as_array().unwrap().len(), 3, "{starts:#}");
    assert_eq!((&starts[0]["is_cut"], &starts[0]["attempt"]), (&false.into(), &1.into()));
    assert!(starts[0]["text"].as_str().unwrap().starts_with("worker 1 at work"));
    project.run(["run", "logs", "--attempt", "9"]).expect(0).says("nothing of that kind");
    project.run(["run", "logs", "--follow", "--format", "json"]).expect(2);
}

/// LP-24: a follower hears every attempt of a run that is under way, and ends with it.
#[test]
fn a_follower_hears_all_attempts_to_the_end() {
    let project = project();
    let gate = project.outside().join("gate");
    let worker = format!(
        "command:echo try $COUNTERSIGN_ATTEMPT; echo $COUNTERSIGN_ATTEMPT > n; \
         until test -e {}-$COUNTERSIGN_ATTEMPT; do sleep 0.05; done",
        gate.display()
    );
    let goal = ["run", "Count", "--check", "grep 2 n", "--worker", &worker, "--examine"];
    let running = project.call(goal).arg("--no-input").start();
    let launched = |project: &countersign_testkit::Project, count: usize| {
        wait_until("a worker at work", || {
            let ran = project.run(["run", "logs", "--format", "json"]);
            let starts = (ran.code == Some(0)).then(|| ran.data())?;
            (starts.as_array()?.len() >= count).then_some(())
        });
    };
    launched(&project, 1);
    let follower = project.call(["run", "logs", "--follow", "--role", "worker"]).start();
    std::fs::write(project.outside().join("gate-1"), "").unwrap();
    launched(&project, 2);
    std::fs::write(project.outside().join("gate-2"), "").unwrap();
    running.wait();
    let heard = follower.wait().expect(0);
    assert_eq!(heard.out(), "try 1\ntry 2\n", "{}", heard.err());
    heard.says("iteration 2 (attempt 2), worker");
}

/// LP-23: bytes that are no text arrive as they are, and a reader may go away.
#[test]
fn bytes_arrive_as_they_are() {
    let project = project();
    project.goal("printf 'a\\377\\033[31mb'; echo x > x", "true").run().expect(0);
    let ran = project.run(["run", "logs"]).expect(0);
    assert_eq!(ran.stdout, b"a\xff\x1b[31mb\n");
    let project = crate::stage::project();
    project.goal("yes | head -c 5000000; echo x > x", "true").run().expect(0);
    let program = crate::PROGRAM;
    let ran =
        project.sh(&format!("{program} run logs | head -c 3; echo; {program} run logs | wc -c"));
    assert_eq!(ran.expect(0).out(), "y\ny\n5000000\n");
}

/// LP-23: the phases of a run are told as they come, and follow from its journal at any time.
#[test]
fn phases_are_told_and_kept() {
    let project = project();
    let goal = ["run", "Count", "--check", "grep 2 n", "--examine", "--no-input", "--debug"];
    let verifier = "command:echo nothing";
    let call = project.call(goal).args(["--worker", "command:echo 2 > n", "--verifier", verifier]);
    let ran = call.run();
    let ran = ran.says("[EXEC] iter=1 phase=worker engine=command model=default dispatched=true");
    let ran = ran.says("[EXEC] iter=1 phase=layer_check verdict=pass level=\"exit code\"");
    ran.says("phase=verdict engine=command model=default verdict=unusable us_id=ALL");
    let lines = project.run(["log", "--phases"]).expect(0).out();
    assert!(lines.lines().all(|line| line.contains(" [EXEC] iter=1 phase=")), "{lines}");
    project.run(["cancel", "latest"]).expect(0);
    project.run(["resume", "latest"]).expect(3);
    let lines = project.run(["log", "--phases"]).expect(0).out();
    assert!(lines.ends_with("[VALIDATE] result=BLOCKED iterations=1 us_id=ALL\n"), "{lines}");
    let data = project.run(["log", "--phases", "--format", "json"]).expect(0).data();
    assert_eq!(data["phases"].as_array().unwrap().len(), lines.lines().count());
}
