//! What can't be run here: it is said, and is never a pass.

use countersign_testkit::Project;
use serde_json::json;

use crate::{CHECK, PROGRAM, TASK, reasons};

/// A greeter whose project asks for types and style that nothing here can check.
fn unchecked() -> Project {
    let project = Project::new(PROGRAM);
    project.write("greet.sh", "echo Hello\n");
    project.write("tests/greets.sh", "sh greet.sh Ada | grep -qx 'Hello, Ada'\n");
    let settings = format!(
        "[project.commands]\nunit = \"{CHECK}\"\nlint = \"no-such-linter .\"\ntypecheck = \
         \"no-such-typer .\"\n"
    );
    project.write("countersign.toml", settings);
    project.commit("A greeter");
    project
}

/// VC-01, VC-05: where only the keeper of an environment is missing, what it would run is run, and that is said.
#[test]
fn what_is_kept_by_an_absent_keeper_is_run() {
    let project = Project::new(PROGRAM);
    if project.sh("command -v hatch").code == Some(0) {
        return;
    }
    project.write("greet.sh", "echo Hello\n");
    project.write("tests/greets.sh", "sh greet.sh Ada | grep -qx 'Hello, Ada'\n");
    let commands = |unit: &str| format!("[project.commands]\nunit = \"{unit}\"\n");
    project.write("countersign.toml", commands("hatch run sh tests/greets.sh"));
    project.commit("A greeter");
    project.write("greet.sh", "echo \"Hello, $1\"\n");
    let ran = project.run(["verify", "--task", TASK, "--format", "json"]).expect(0);
    let data = ran.data();
    let told =
        "hatch is not installed, so `sh tests/greets.sh` is run for `hatch run sh tests/greets.sh`";
    assert!(reasons(&data).contains(told), "{data:#}");
    assert_eq!(data["judgement"]["results"][0]["mark"], "pass", "{data:#}");
}

/// VC-03, VC-05: a type check and a lint whose programs are missing stay criteria; they are unknown, with
/// why and what to do, and never pass.
#[test]
fn what_is_not_installed_is_unknown() {
    let project = unchecked();
    project.write("greet.sh", "echo \"Hello, $1\"\n");
    let ran = project.run(["verify", "--task", TASK, "--format", "json"]).expect(0);
    let data = ran.data();
    let results = data["judgement"]["results"].as_array().unwrap();
    let marks: Vec<_> =
        results.iter().map(|one| (one["activity"].clone(), one["mark"].clone())).collect();
    let expected = [("unit", "pass"), ("typecheck", "skipped"), ("lint", "skipped")];
    assert_eq!(marks, expected.map(|(activity, mark)| (json!(activity), json!(mark))));
    let why = "no-such-linter is not installed; install it, or name another command";
    assert!(results[2]["error"].to_string().contains(why), "{results:#?}");
    assert!(reasons(&data).contains("`no-such-typer .` (typecheck) was not run"), "{data:#}");
    let text = project.run(["verify", "--task", TASK]).expect(0);
    text.prints("accepted; NOT RUN: typecheck, lint")
        .prints("unknown")
        .prints("not run")
        .prints("nobody knows whether it holds");
    let markdown = project.run(["verify", "--task", TASK, "--format", "markdown"]).expect(0);
    let markdown = markdown.prints("## ✅ accepted; NOT RUN: typecheck, lint");
    markdown.prints("| unknown | lint | `no-such-linter .` |  | not run |");
    assert_eq!(data["judgement"]["not_run"][1]["activity"], "lint", "{data:#}");
    let why_not = data["judgement"]["not_run"][1]["why"].to_string();
    assert!(why_not.contains("no-such-linter is not installed"), "{data:#}");
    project.run(["verify", "--task", TASK, "--sarif", "out.sarif"]).expect(0);
    let sarif: serde_json::Value = serde_json::from_str(&project.read("out.sarif")).unwrap();
    let results = sarif["runs"][0]["results"].as_array().unwrap();
    let told = results.iter().filter(|one| one["ruleId"] == "not-run");
    let told: Vec<_> = told.map(|one| (one["level"].clone(), one["message"].to_string())).collect();
    assert_eq!(told.len(), 2, "{sarif:#}");
    assert!(told[1].0 == "warning" && told[1].1.contains("NOT RUN: lint (`no-such-linter .`)"));
    let kept = project.run(["contract", "show", "--format", "json"]).expect(0).data();
    let kept = kept["results"].as_array().unwrap().last().unwrap().clone();
    assert_eq!(kept["overall"], "pending", "{kept:#}");
    assert!(kept["criteria"].to_string().contains(why), "{kept:#}");
}

/// VC-08: a lint that can't be run is an environment's fault only where the base can't run it either.
#[test]
fn what_the_work_made_unrunnable_is_refused() {
    let lint = |script: &str| {
        let project = unchecked();
        project.write("lint.sh", script);
        let settings = format!("[project.commands]\nunit = \"{CHECK}\"\nlint = \"sh lint.sh\"\n");
        project.write("countersign.toml", settings);
        project.commit("A lint");
        project.write("greet.sh", "echo \"Hello, $1\"\n");
        project
    };
    let missing = lint("no-such-linter .\n");
    let ran = missing.run(["verify", "--task", TASK]).expect(0);
    ran.prints("accepted; NOT RUN: lint").prints("can't be run here, on the base neither");
    let working = lint("test -f greet.sh\n");
    working.write("lint.sh", "no-such-linter .\n");
    let ran = working.run(["verify", "--task", TASK]).expect(3);
    assert!(!ran.out().contains("NOT RUN"), "{}", ran.out());
}

/// VC-08: where somebody agreed to it, a person must look.
#[test]
fn an_agreed_criterion_that_is_unknown_is_asked_about() {
    let project = unchecked();
    project.run(["contract", "draft", TASK, "--yes"]);
    project.write("greet.sh", "echo \"Hello, $1\"\n");
    let ran = project.run(["verify", "--contract", "latest"]).expect(4);
    let ran =
        ran.prints("(lint: `no-such-linter .`) was agreed on, and nobody knows whether it holds");
    ran.prints("no-such-linter is not installed");
}

/// VC-03, VC-08: what a critic is called for is a person's to judge, with the critic's questions, and two
/// workers are compared in words.
#[test]
fn critics_leave_their_questions() {
    let project = Project::new(PROGRAM);
    project.write("auth/greet.sh", "echo Hello\n");
    project.write("tests/greets.sh", "sh auth/greet.sh Ada | grep -qx 'Hello, Ada'\n");
    let settings = format!(
        "[project]\nwithout = [\"typecheck\", \"lint\", \"e2e\"]\n[project.commands]\nunit = \"{CHECK}\"\n"
    );
    project.write("countersign.toml", settings);
    project.commit("A greeter");
    project.run(["contract", "draft", TASK, "--files", "auth/greet.sh", "--yes"]).expect(0);
    let text = project.run(["contract", "render"]).expect(0);
    text.prints("security critic").prints("asked: Can anybody see or do more than before");
    project.write("auth/greet.sh", "echo \"Hello, $1\"\n");
    for agent in ["alice", "bob"] {
        let words = ["verify", "--contract", "latest", "--agent", agent];
        let ran = project.run(words).expect(4);
        let ran = ran.prints("no critic has reviewed it, and verify asks no agent to");
        let ran = ran.prints("is a person's to judge: Can anybody see or do more than before");
        let ran = ran.prints("After a look: countersign review accept");
        ran.prints("Does it hold for names with spaces");
    }
    let compared = project.run(["contract", "compare"]).expect(0);
    compared.prints("alice (a person must judge)").prints("bob (a person must judge)");
    // Without a contract nobody agreed to a critic, and what the rules would ask for is said.
    let ran = project.run(["verify", "--task", TASK]).expect(0);
    ran.prints("no critic has read it").prints("security (auth/greet.sh: who gets in)");
}
