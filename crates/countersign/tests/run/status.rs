//! LP-23: `run status`.

use countersign_testkit::wait_until;

use crate::stage::{data, escalated, failed_twice, project, refused};

/// LP-23: what was accepted says where, what it took and how.
#[test]
fn an_accepted_run_is_told() {
    let (project, _) = failed_twice();
    let status = data(&project, &["status"]);
    assert_eq!(status["kind"], "run");
    assert_eq!(status["state"], "ended");
    assert_eq!(status["ending"]["is_accepted"], true, "{status:#}");
    assert!(status["ending"]["category"].is_null());
    let leg = &status["legs"][0];
    assert_eq!((&leg["attempt"], &leg["standing"]), (&3.into(), &"accepted".into()), "{leg:#}");
    let human = project.run(["run", "status"]).expect(0);
    human.prints("accepted, on branch countersign/").prints("Make it <sum>");
}

/// LP-16, LP-23: a refused run has a typed reason, a flag and an action, for people and programs.
#[test]
fn a_refused_run_says_why_and_what_to_do() {
    let project = refused();
    let status = data(&project, &["status"]);
    let ending = &status["ending"];
    assert_eq!(ending["because"], "attempts_exhausted", "{ending:#}");
    assert_eq!(ending["category"], "metric_failure");
    assert_eq!(ending["is_recoverable"], true);
    assert!(ending["suggested_action"].as_str().unwrap().contains("stronger worker"));
    let human = project.run(["run", "status", "latest"]).expect(0);
    human.prints("metric_failure").prints("stronger worker");
}

/// LP-17, LP-23: a run that waits shows the question and how to answer it.
#[test]
fn a_waiting_run_shows_its_question() {
    let project = escalated();
    let status = data(&project, &["status"]);
    assert_eq!(status["state"], "waiting for a person", "{status:#}");
    let question = &status["questions"][0];
    let id = question["id"].as_str().unwrap();
    let waits = status["legs"][0]["waits_for"][0].as_str().unwrap();
    assert_eq!(waits, format!("an answer to {id}"));
    let human = project.run(["run", "status"]).expect(0);
    human
        .prints(&format!("countersign checkpoint answer {id}"))
        .prints("go on: countersign resume");
}

/// LP-23, LP-24: while an agent works it is told who, and since when.
#[test]
fn who_is_at_work_is_told() {
    let project = project();
    let gate = project.outside().join("gate");
    let worker = format!(
        "command:until test -e {}; do sleep 0.05; done; echo done > done.txt",
        gate.display()
    );
    let words = ["run", "Wait", "--check", "test -f done.txt", "--examine", "--worker", &worker];
    let mut running = project.call(words).arg("--no-input").start();
    let status = wait_until("a worker at work", || {
        let ran = project.run(["run", "status", "--format", "json"]);
        let status = (ran.code == Some(0)).then(|| ran.data())?;
        status["live"][0].is_object().then_some(status)
    });
    assert_eq!(status["state"], "at work", "{status:#}");
    let leg = &status["legs"][0];
    assert_eq!(leg["at_work"]["role"], "worker", "{status:#}");
    assert_eq!(leg["at_work"]["agent"], worker.as_str());
    assert_eq!(status["live"][0]["attempt"], 1);
    assert!(!running.has_ended());
    project.run(["run", "clean", "latest"]).expect(1).says("it is at work");
    std::fs::write(gate, "").unwrap();
    running.wait().expect(0);
    assert_eq!(data(&project, &["status"])["state"], "ended");
}

#[test]
fn there_may_be_nothing_to_tell() {
    let project = project();
    for verb in ["status", "logs", "report"] {
        project.run(["run", verb]).expect(1).says("there is no run yet");
        project.run(["run", verb, "20200101_000000_001"]).expect(1).says("there is no run");
    }
}
