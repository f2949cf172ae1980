//! Runs under a contract, work that is handed on, and the results of two workers.

use countersign_testkit::Project;
use serde_json::{Value, json};

use crate::PROGRAM;

const TASK: &str = "Fix greet: it must greet by name";

/// A project whose settings name its tests, and a contract that was agreed on.
fn agreed() -> Project {
    let project = Project::new(PROGRAM);
    project.write("greet", "echo Hello\n");
    project.write("tests/greets.sh", "sh greet Ada | tee /dev/stderr | grep -qx 'Hello, Ada'\n");
    let settings = "[project]\nwithout = [\"typecheck\", \"lint\"]\n[project.commands]\n\
                    unit = \"sh tests/greets.sh\"\n";
    project.write("countersign.toml", settings);
    project.commit("A greeter");
    project.run(["contract", "draft", TASK, "--yes"]).expect(0);
    project
}

fn run(project: &Project, worker: &str) -> countersign_testkit::Ran {
    let worker = format!("command:{worker}");
    project.run(["run", "--contract", "latest", "--worker", &worker, "--attempts", "2"])
}

fn shown(project: &Project) -> Value {
    project.run(["contract", "show", "--format", "json"]).expect(0).data()
}

/// VC-08, VC-09: a run under a contract keeps its results there; what failed is handed on to the next
/// worker with its output, and the two are compared.
#[test]
fn work_that_fails_is_handed_on() {
    let project = agreed();
    project.run(["contract", "reassign"]).expect(1).says("was verified yet");
    run(&project, "echo 'echo Hey' > greet").expect(3);
    let results = shown(&project)["results"][0].clone();
    assert_eq!(results["overall"], "fail", "{results:#}");
    assert_eq!(results["agent"], "command:echo 'echo Hey' > greet");
    assert_eq!(results["criteria"][0]["attempts"], 2, "{results:#}");
    assert!(results["criteria"][0]["output"].as_str().unwrap().contains("Hey"), "{results:#}");
    let handed = project.run(["contract", "reassign", "--format", "json"]).expect(0).data();
    assert_eq!(handed["failed"][0]["criterion"], 1, "{handed:#}");
    assert_eq!(handed["failed"][0]["attempts"], 2, "{handed:#}");
    assert_eq!(handed["tree"], results["tree"]);
    let text = project.run(["contract", "reassign"]).expect(0).out();
    assert!(text.contains("run: sh tests/greets.sh") && text.contains("| Hey"), "{text}");
    project.run(["contract", "compare"]).expect(1).says("less than two results");
    let fixes = "grep -q 'Earlier work' && echo 'echo \"Hello, $1\"' > greet";
    run(&project, fixes).expect(0);
    let compared = project.run(["contract", "compare", "--format", "json"]).expect(0).data();
    let row = &compared["criteria"][0];
    assert_eq!((&row["before"], &row["after"]), (&json!("fail"), &json!("pass")), "{compared:#}");
    project.run(["contract", "compare"]).expect(0).prints("fail").prints("pass");
    project.run(["contract", "reassign"]).expect(1).says("holds");
    let journal = project.journal();
    let opened = &journal["entries"][0]["event"]["body"];
    assert_eq!(opened["contract"]["made_from"]["hash"], shown(&project)["hash"], "{opened:#}");
    project.run(["ledger", "verify"]).expect(0).prints("intact");
}

/// VC-01: no delegation without a contract that was agreed on.
#[test]
fn a_run_needs_agreement() {
    let project = agreed();
    let words = ["run", "--contract", "latest", "--worker", "command:true"];
    project.run([&words[..], &["Do it"]].concat()).expect(2);
    project.run([&words[..], &["--check", "true"]].concat()).expect(2);
    project.run(["contract", "draft", "Fix it again"]).expect(0);
    project.run(words).expect(1).says("nobody has agreed");
    project.run(["run", "--contract", "nope", "--worker", "command:true"]).expect(1);
}

/// VC-10: each published shape has a schema.
#[test]
fn every_shape_has_a_schema() {
    let project = agreed();
    for (shape, key) in [
        ("contract", "criteria"),
        ("results", "completedAt"),
        ("reassignment", "failed"),
        ("comparison", "after"),
    ] {
        let schema = project.run(["contract", "schema", shape]).expect(0).json();
        assert!(schema["properties"][key].is_object(), "{shape}: {schema:#}");
    }
    let whole = project.run(["contract", "schema", "results"]).expect(0).json();
    let criterion = whole["$defs"]["CriterionResult"]["properties"].clone();
    for key in ["attempts", "startedAt", "finishedAt", "level", "output", "receipts"] {
        assert!(criterion[key].is_object(), "{key}: {criterion:#}");
    }
}
