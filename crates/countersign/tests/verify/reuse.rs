//! Receipts that are used again, and what keeps one from being used.

use std::fs;

use countersign_testkit::{Project, Ran};
use serde_json::Value;

use crate::{CHECK, PROGRAM, TASK, greeter, has};

/// A project whose check leaves a line outside whenever it is started.
struct Counted {
    project: Project,
    check: String,
}

impl Counted {
    fn new() -> Self {
        let project = greeter();
        project.write("greet.sh", "echo \"Hello, $1\"\n");
        let check = format!("echo x >> {}/started; {CHECK}", project.outside().display());
        Self { project, check }
    }

    /// Verifies, with what else is to be seen in the environment.
    fn verify(&self, words: &[&str], environment: &[(&str, &str)]) -> Ran {
        let mut call = self.project.call(["verify", "--task", TASK, "--check", &self.check]);
        call = call.args(words).env("COUNTERSIGN_VERIFY_SANDBOX", "false");
        for (name, value) in environment {
            call = call.env(name, value);
        }
        call.run()
    }

    /// How many checks were started since the last time.
    fn started(&self) -> usize {
        let file = self.project.outside().join("started");
        let lines = fs::read_to_string(&file).unwrap_or_default().lines().count();
        let _ = fs::remove_file(file);
        lines
    }
}

/// D1.7: the same tree, command, environment and contract are run once, and that is said.
#[test]
fn the_same_is_run_once() {
    let counted = Counted::new();
    counted.verify(&[], &[]).expect(0);
    let first = counted.started();
    assert!(first >= 2, "{first}");
    let again = counted.verify(&[], &[]).expect(0);
    again.prints("accepted").prints("reused from verification").says("(reused from");
    assert_eq!(counted.started(), 0);
    let ran = counted.verify(&["--format", "json"], &[]).expect(0);
    let data = ran.data();
    let checks = data["checks"][0]["runs"].as_array().unwrap().clone();
    assert!(checks.iter().all(|run| run["reused"] == true), "{data:#}");
    assert_eq!(data["reused"].as_array().unwrap().len(), first);
    let receipt = data["reused"][0]["receipt"].as_str().unwrap().to_owned();
    counted.project.run(["show", &receipt]).expect(0);
    counted.verify(&["--fresh"], &[]).expect(0);
    assert_eq!(counted.started(), first);
    counted.project.run(["ledger", "rebuild"]).expect(0);
    counted.verify(&[], &[]).expect(0);
    assert_eq!(counted.started(), 0);
    counted.project.run(["ledger", "verify"]).expect(0).prints("intact");
}

/// D1.7: what differs is run again; the base is the same, and stays known.
#[test]
fn another_tree_environment_or_contract_is_run_again() {
    let counted = Counted::new();
    counted.verify(&[], &[]).expect(0);
    counted.started();
    counted.project.write("greet.sh", "echo \"Hello, $1\" \n");
    counted.verify(&[], &[]).expect(0);
    let changed = counted.started();
    assert!(changed > 0);
    counted.verify(&[], &[("LC_TIME", "C.UTF-8")]).expect(0);
    assert!(counted.started() > changed, "the base is run again as well");
    counted.verify(&[], &[("NOBODYS_BUSINESS", "x")]).expect(0);
    assert_eq!(counted.started(), 0);
    counted.verify(&["--check", "true"], &[]).expect(0);
    assert!(counted.started() > changed, "another contract");
    counted.verify(&["--example", "sh greet.sh Bo => Hello, Bo"], &[]).expect(0);
    counted.started();
    counted.verify(&["--example", "sh greet.sh Bo => Hello, Bo"], &[]).expect(0);
    assert_eq!(counted.started(), 0);
}

/// D1.7: a failure is a fact, a time-out or a program that is not there is none.
#[test]
fn a_failure_is_reused_and_a_time_out_is_not() {
    let counted = Counted::new();
    counted.project.write("greet.sh", "echo Hey\n");
    counted.verify(&[], &[]).expect(3);
    assert!(counted.started() > 0);
    counted.verify(&[], &[]).expect(3).prints("failed on the base as well");
    assert_eq!(counted.started(), 0);
    let log = counted.project.outside().join("started");
    let ends = [("sleep 60", 3, "deadline"), ("no-such-program-anywhere", 4, "not installed")];
    for (end, code, words) in ends {
        let check = format!("echo x >> {}; {end}", log.display());
        for _ in 0..2 {
            let ran = counted
                .project
                .call(["verify", "--task", TASK, "--check", &check, "--timeout", "1"])
                .env("COUNTERSIGN_VERIFY_SANDBOX", "false");
            ran.run().expect(code).prints(words);
            assert!(counted.started() > 0, "{end}");
        }
    }
}

/// SE-01: what was changed in the ledger is not believed, and is run again.
#[test]
fn a_receipt_that_was_tampered_with_is_not_reused() {
    let counted = Counted::new();
    if !has(&counted.project, "sqlite3") {
        return;
    }
    counted.project.write("greet.sh", "echo Hey\n");
    counted.verify(&[], &[]).expect(3);
    counted.started();
    let database = counted.project.state().join("ledger.db");
    let change = "DROP TRIGGER events_are_final; UPDATE events SET body = \
                  replace(body, 'greets.sh', 'greeds.sh') WHERE kind = 'verify.ran'";
    let ran = counted.project.sh(&format!("sqlite3 {} \"{change}\"", database.display()));
    ran.expect(0);
    let ran = counted.verify(&[], &[]).expect(3);
    ran.says("are not reused");
    assert!(counted.started() > 0);
}

/// VC-08: a reused receipt gives the same tests, as the runner's report is kept; canaries as well.
#[test]
fn counted_tests_are_the_same_when_reused() {
    let project = Project::new(PROGRAM);
    if !has(&project, "python3") {
        return;
    }
    project.write("calc.py", "def add(a, b):\n    return a - b\n");
    project.write("tests/__init__.py", "");
    let test = "import unittest\nfrom calc import add\n\n\nclass AddTest(unittest.TestCase):\n    \
                def test_zero(self):\n        self.assertEqual(add(0, 0), 0)\n\n    \
                def test_add(self):\n        self.assertEqual(add(2, 3), 5)\n";
    project.write("tests/test_calc.py", test);
    project.commit("A calculator");
    project.write("calc.py", "def add(a, b):\n    return a + b\n");
    let verify = || project.run(["verify", "--task", TASK, "--format", "json"]).expect(0).data();
    let (first, second) = (verify(), verify());
    assert_eq!(first["judgement"]["level"], "canaries");
    assert_eq!(first["judgement"], second["judgement"]);
    let runs = |data: &Value| {
        let mut runs = data["checks"].clone();
        for run in runs.as_array_mut().unwrap().iter_mut() {
            for one in run["runs"].as_array_mut().unwrap() {
                one.as_object_mut().unwrap().remove("reused");
            }
        }
        runs
    };
    assert_eq!(runs(&first), runs(&second));
    assert!(first["reused"].as_array().unwrap().is_empty());
    assert!(second["reused"].as_array().unwrap().len() >= 3, "{second:#}");
    let id = second["reused"][0]["receipt"].as_str().unwrap();
    let receipt = project.run(["show", id, "--format", "json"]).expect(0).data();
    let execution = &receipt["execution"];
    assert!(execution["report"].is_string(), "{receipt:#}");
    assert!(execution["used"]["peak_bytes"].as_u64().unwrap() > 0, "{receipt:#}");
    let tool = &execution["tools"][0];
    assert_eq!(tool["program"], "python3", "{receipt:#}");
    assert!(tool["version"].as_str().unwrap().starts_with("Python 3"), "{receipt:#}");
    assert_eq!(receipt["level"], "counted", "{receipt:#}");
    assert!(!execution["argv"].to_string().contains("/place/"), "{receipt:#}");
}
