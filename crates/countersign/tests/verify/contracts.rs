//! Verification against a contract: its criteria become the checks, and it keeps what came of them.

use countersign_testkit::Project;
use serde_json::{Value, json};

use crate::{CHECK, TASK, data, greeter, verify};

/// A greeter with commands that its settings name.
fn agreed() -> Project {
    let project = Project::new(crate::PROGRAM);
    project.write("greet", "echo Hello\n");
    project.write("tests/greets.sh", "sh greet Ada | grep -qx 'Hello, Ada'\n");
    let settings = format!(
        "[project]\nwithout = [\"typecheck\", \"lint\"]\n[project.commands]\nunit = \"{CHECK}\"\n"
    );
    project.write("countersign.toml", settings);
    project.commit("Settings");
    project
}

fn draft(project: &Project, words: &[&str]) -> Value {
    let all = [&["contract", "draft", TASK, "--yes", "--format", "json"], words].concat();
    project.run(all).expect(0).data()
}

fn shown(project: &Project) -> Value {
    project.run(["contract", "show", "--format", "json"]).expect(0).data()
}

/// VC-08, D2.4: each criterion has a result with attempts, detail and times, under the contract's hash.
#[test]
fn criteria_become_checks_and_keep_their_results() {
    let project = agreed();
    let contract = draft(&project, &[]);
    let id = contract["id"].as_str().unwrap().to_owned();
    project.write("greet", "echo Hey\n");
    let verify = |words: &[&str]| {
        let all = [&["verify", "--contract", &id, "--format", "json"], words].concat();
        project.run(all)
    };
    verify(&["--agent", "first"]).expect(3);
    let results = shown(&project)["results"][0].clone();
    assert_eq!(results["overall"], "fail", "{results:#}");
    let failed = &results["criteria"][0];
    assert_eq!((&failed["status"], &failed["attempts"]), (&json!("fail"), &json!(1)));
    assert!(failed["error"].as_str().unwrap().contains("exit code 1"), "{failed:#}");
    assert!(failed["startedAt"].is_string() && failed["finishedAt"].is_string());
    project.write("greet", "echo \"Hello, $1\"\n");
    let ran = verify(&["--agent", "second"]).expect(0).data();
    assert_eq!(ran["agreement"], json!(id));
    let results = shown(&project)["results"].clone();
    assert_eq!(results.as_array().unwrap().len(), 2);
    let last = &results[1];
    assert_eq!((&last["overall"], &last["agent"]), (&json!("pass"), &json!("second")));
    assert_eq!(last["criteria"][0]["attempts"], 2);
    assert_eq!(last["contract"], ran["contract"]);
    let receipt = ran["judgement"]["results"][0]["receipts"][0].as_str().unwrap();
    let receipt = project.run(["show", receipt, "--format", "json"]).expect(0).data();
    assert_eq!(receipt["contract"], ran["contract"]);
    let text = project.run(["contract", "show"]).expect(0).out();
    assert!(text.contains(": pass, work of second"), "{text}");
    project.run(["ledger", "verify"]).expect(0).prints("intact");
}

/// VC-01: nothing is verified under what nobody agreed to, and a contract holds for its tree.
#[test]
fn a_contract_is_agreed_on_and_holds_for_its_tree() {
    let project = agreed();
    project.run(["contract", "draft", TASK]).expect(0);
    project.write("greet", "echo \"Hello, $1\"\n");
    let words = ["verify", "--contract", "latest"];
    project.run(words).expect(1).says("nobody has agreed").says("contract approve");
    project.run(["contract", "approve"]).expect(0);
    project.run([&words[..], &["--base", "HEAD~1"]].concat()).expect(1).says("another tree");
    project.run([&words[..], &["--task", "x"]].concat()).expect(2).says("--contract");
    project.run(["verify", "--contract", "nope"]).expect(1).says("there is no contract 'nope'");
    // What was committed meanwhile is part of the work.
    project.commit("Greet by name");
    project.run(words).expect(0).prints("accepted");
}

/// VC-08: what is deferred, or a person's to judge, is named and waits for one; examples decide.
#[test]
fn what_is_not_run_is_named() {
    let project = agreed();
    let contract = draft(&project, &["--example", "sh greet Bo => Hello, Bo"]);
    let mut contract = contract["contract"].clone();
    assert_eq!(contract["examples"][0]["prints"], "Hello, Bo");
    let criterion = |activity: &str, timing: &str, more: Value| {
        let mut all = json!({ "activity": activity, "description": "it holds", "timing": timing });
        all.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        all
    };
    let criteria = contract["criteria"].as_array_mut().unwrap();
    criteria.push(criterion("e2e", "deferred", json!({ "command": "true" })));
    criteria.push(criterion("critic", "immediate", json!({ "critic": "security" })));
    project.write("../contract.json", contract.to_string());
    let words = ["contract", "draft", "--from", "../contract.json", "--yes"];
    project.run(words).expect(0).prints("sh greet Bo => Hello, Bo");
    project.write("greet", "echo \"Hello, $1\"\n");
    let ran = project.run(["verify", "--contract", "latest"]).expect(4);
    ran.prints("criterion 2 (e2e: it holds) is deferred").prints("(critic security: it holds)");
    let results = shown(&project)["results"][0].clone();
    assert_eq!(results["overall"], "pending", "{results:#}");
    let ran = project.run(["verify", "--contract", "latest", "--deferred"]).expect(4);
    assert!(!ran.out().contains("is deferred"), "{}", ran.out());
    let results = shown(&project)["results"][1].clone();
    assert_eq!(results["criteria"][1]["status"], "pass", "{results:#}");
    assert_eq!(results["criteria"][2]["status"], "skipped", "{results:#}");
}

/// VC-01: words alone give a contract as well, which is on the record; the same words are the same.
#[test]
fn words_give_a_contract() {
    let project = greeter();
    project.write("greet.sh", "echo \"Hello, $1\"\n");
    let (_, first) = data(&project, &["--check", CHECK]);
    let (_, again) = data(&project, &["--check", CHECK]);
    assert_eq!(first["agreement"], again["agreement"]);
    let contract = shown(&project);
    assert_eq!((&contract["id"], &contract["hash"]), (&first["agreement"], &first["contract"]));
    assert_eq!(contract["contract"]["criteria"][0]["command"], CHECK);
    assert_eq!(contract["contract"]["generatedFrom"], "user");
    assert_eq!(contract["results"].as_array().unwrap().len(), 2);
    let (_, other) = data(&project, &["--check", "true"]);
    assert_ne!(first["agreement"], other["agreement"]);
}

/// VC-08: grave work needs an example or a test that was there before; the level is said.
#[test]
fn grave_work_needs_more_than_its_own_tests() {
    let project = Project::new(crate::PROGRAM);
    project.write("greet.sh", "echo Hello\n");
    project.commit("A greeter without tests");
    project.write("greet.sh", "echo \"Hello, $1\"\n");
    let check = ["--check", "sh greet.sh Ada | grep -qx 'Hello, Ada'"];
    verify(&project, &[&check[..], &["--tier", "LIGHT", "--risk", "LOW"]].concat()).expect(0);
    let grave = [&check[..], &["--tier", "STRICT"]].concat();
    verify(&project, &grave).expect(4).prints("neither an example nor a test");
    let shown = [&grave[..], &["--example", "sh greet.sh Bo => Hello, Bo"]].concat();
    verify(&project, &shown).expect(0);
    let project = greeter();
    project.write("greet.sh", "echo \"Hello, $1\"\n");
    verify(&project, &["--check", CHECK, "--risk", "CRITICAL"]).expect(0);
}

/// VC-07, VC-08: what only a reader can judge has the reader's answer as its result, for the same work.
#[test]
fn a_readers_answer_is_a_result() {
    let project = agreed();
    let mut contract = draft(&project, &[])["contract"].clone();
    let critic = json!({ "activity": "critic", "description": "it is safe", "timing": "immediate", "critic": "security" });
    contract["criteria"].as_array_mut().unwrap().push(critic);
    project.write("../contract.json", contract.to_string());
    project.run(["contract", "draft", "--from", "../contract.json", "--yes"]).expect(0);
    project.write("greet", "echo \"Hello, $1\"\n");
    let words = ["verify", "--contract", "latest"];
    project.run(words).expect(4).prints("is a person's to judge");
    let words_of_alice = ["review", "accept", "--actor", "alice", "--note", "nothing is run"];
    project.run(words_of_alice).expect(0);
    let results = shown(&project)["results"][0].clone();
    assert_eq!(results["overall"], "pass", "{results:#}");
    let critic = &results["criteria"][1];
    assert_eq!((&critic["status"], &critic["reviewed"]["by"]), (&json!("pass"), &json!("alice")));
    let text = project.run(["contract", "show"]).expect(0).out();
    assert!(text.contains("accepted by alice at ") && text.contains(": nothing is run"), "{text}");
    project.run(words).expect(0).prints("was accepted by alice");
    assert_eq!(shown(&project)["results"][1]["overall"], "pass");
    // Other work is another thing to read.
    project.write("greet", "echo \"Hello, $1\" # again\n");
    project.run(words).expect(4);
    project.run(["review", "reject", "--actor", "bob", "--note", "it logs names"]).expect(0);
    project.run(words).expect(3).prints("was rejected by bob");
}

/// VC-09: what another worker takes over names the tests for which the work was refused, also those
/// that failed on the base.
#[test]
fn tests_that_still_fail_are_handed_on() {
    let project = Project::new(crate::PROGRAM);
    if !crate::has(&project, "python3") {
        return;
    }
    project.write("calc.py", "def add(a, b):\n    return a - b\n");
    project.write(
        "test_calc.py",
        "import unittest\nfrom calc import add\n\n\nclass T(unittest.TestCase):\n    \
         def test_zero(self):\n        self.assertEqual(add(0, 0), 0)\n\n    \
         def test_add(self):\n        self.assertEqual(add(2, 3), 5)\n",
    );
    let settings = "[project]\nwithout = [\"typecheck\", \"lint\", \"e2e\"]\n";
    project.write("countersign.toml", settings);
    project.commit("A calculator that is wrong");
    let task = "Fix add: it must add its arguments";
    project.run(["contract", "draft", "--yes", task]).expect(0);
    project.write("calc.py", "def add(a, b):\n    return a * b\n");
    let verify = |agent: &str, code: i32| {
        project.run(["verify", "--contract", "latest", "--agent", agent]).expect(code);
    };
    verify("bob", 3);
    let handed = project.run(["contract", "reassign", "--format", "json"]).expect(0).data();
    let failed = &handed["failed"][0];
    assert_eq!(handed["failed"].as_array().unwrap().len(), 1, "{handed:#}");
    let error = "test_calc.T > test_add fails as on the base: AssertionError: 6 != 5";
    assert_eq!((&failed["error"], &failed["attempts"]), (&json!(error), &json!(1)));
    assert_eq!(failed["command"], "python3 -m unittest discover");
    assert!(failed["output"].as_str().unwrap().contains("FAIL: test_add"), "{failed:#}");
    project.run(["contract", "show"]).expect(0).prints(error).prints("| FAILED (failures=1)");
    project.write("calc.py", "def add(a, b):\n    return a + b\n");
    verify("ann", 4);
    let compared = project.run(["contract", "compare", "--format", "json"]).expect(0).data();
    let unit = &compared["criteria"][0];
    assert_eq!((&unit["before"], &unit["after"]), (&json!("fail"), &json!("pass")));
    let text = project.run(["contract", "compare"]).expect(0);
    text.prints("failed for bob").prints(error).prints("| FAILED (failures=1)");
}

/// VC-05: a file of activity rules that somebody names must be there.
#[test]
fn a_named_file_of_rules_must_be_there() {
    let project = agreed();
    let settings = project.read("countersign.toml");
    project.write("countersign.toml", format!("{settings}[contract]\nrules = \"rules.yaml\"\n"));
    project
        .run(["contract", "draft", TASK])
        .expect(2)
        .says("names rules.yaml")
        .says("no such file");
}

/// VC-09: what nobody decided yet has not failed, and what it waits for is said; a person's word counts
/// in what is handed on and compared.
#[test]
fn only_what_failed_is_handed_on() {
    let project = agreed();
    let mut contract = draft(&project, &[])["contract"].clone();
    let critic = json!({ "activity": "critic", "description": "it is safe", "timing": "immediate", "critic": "security" });
    contract["criteria"].as_array_mut().unwrap().push(critic);
    project.write("../contract.json", contract.to_string());
    project.run(["contract", "draft", "--from", "../contract.json", "--yes"]).expect(0);
    project.write("greet", "echo \"Hello, $1\"\n");
    let words = ["verify", "--contract", "latest", "--agent", "ann"];
    project.run(words).expect(4);
    let waits = project.run(["contract", "reassign"]).expect(1);
    waits
        .says("is not decided yet: criterion 2 (critic security: it is safe): a person must judge");
    project.run(["review", "reject", "--note", "it logs names"]).expect(0);
    let handed = project.run(["contract", "reassign"]).expect(0);
    handed.prints("rejected by user at ").prints(": it logs names").prints("work of  ann");
    project.write("greet", "echo \"Hello, $1\" # again\n");
    project.run(words).expect(4);
    project.run(["review", "accept"]).expect(0);
    project.run(["contract", "reassign"]).expect(1).says("holds");
    let compared = project.run(["contract", "compare", "--format", "json"]).expect(0).data();
    let row = &compared["criteria"][1];
    assert_eq!((&row["before"], &row["after"]), (&json!("fail"), &json!("pass")), "{compared:#}");
}

/// VC-07, D2.5: a person's rejection of advice and of texts counts, also when it is verified again.
#[test]
fn what_a_person_rejects_does_not_hold() {
    let project = agreed();
    project.write("docs/guide.md", "# Guide\n");
    project.commit("A guide");
    for (kind, code) in [("skip", 0), ("advisory", 4)] {
        let task = format!("Fix a typo in docs/guide.md, as {kind}");
        let made = ["contract", "draft", "--yes", "--contract", kind, &task];
        let made = [&made[..], &["--format", "json"]].concat();
        let mut contract = project.run(made).expect(0).data()["contract"].clone();
        if kind == "skip" {
            contract["criteria"] = json!([{ "activity": "lint", "description": "it is neat",
                "timing": "immediate", "command": "true" }]);
            project.write("../contract.json", contract.to_string());
            project.run(["contract", "draft", "--from", "../contract.json", "--yes"]).expect(0);
        }
        project.write("docs/guide.md", format!("# The guide, {kind}\n"));
        let words = ["verify", "--contract", "latest"];
        project.run(words).expect(code);
        project.run(["review", "reject", "--actor", "bob", "--note", "too short"]).expect(0);
        let results = shown(&project)["results"][0].clone();
        assert_eq!(results["overall"], "fail", "{results:#}");
        project.run(["contract", "reassign"]).expect(0).prints("too short");
        project.run(words).expect(3).prints("this work was rejected by bob at ");
        project.run(["contract", "reassign"]).expect(0).prints("too short");
    }
}

/// VC-01: whoever refused a contract, and why, is told wherever it is shown or needed.
#[test]
fn a_refusal_is_told() {
    let project = agreed();
    project.run(["contract", "draft", TASK]).expect(0);
    project.run(["contract", "reject", "--reason", " "]).expect(2).says("the reason is empty");
    project.run(["contract", "reject", "--reason", "too little", "--actor", "bob"]).expect(0);
    let words = "refused by bob: too little";
    project.run(["contract", "show"]).expect(0).prints(words);
    assert_eq!(shown(&project)["refused"]["why"], "too little");
    project.run(["contract", "list"]).expect(0).prints("refused");
    project.run(["verify", "--contract", "latest"]).expect(1).says(words).says("draft a new");
    project.run(["contract", "approve"]).expect(1).says("bob refused it: too little");
}
