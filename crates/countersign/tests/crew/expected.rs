//! What the rows of a test-spec say that commands print.

use std::fs;

use countersign_testkit::{NamesPlan, Project};
use serde_json::Value;

use crate::PROGRAM;
use crate::relay::{answer_all, worker};

/// A plan of one story, of which one row says what the script itself must print and one says it in prose.
fn project() -> Project {
    let project = Project::new(PROGRAM);
    let plan = NamesPlan::of(&["alpha"]);
    let row = "`sh tests/alpha.sh` | `alpha_boundary` | alpha |";
    let spec = plan.spec.replace(row, "`sh alpha.sh` | `alpha_boundary` | `alpha` |");
    let spec =
        spec.replace("`alpha_negative` | alpha |", "`alpha_negative` | nothing besides it |");
    for (name, content) in (NamesPlan { spec, ..plan }).files() {
        project.write(name, content);
    }
    project.commit("A plan");
    project
}

/// A worker whose first attempt prints more than it should, and whose tests let that pass.
fn loose(project: &Project) -> String {
    let prompts = project.outside().join("prompt");
    format!(
        "{}; printf '%s\\n' \"$prompt\" > {}-$COUNTERSIGN_ATTEMPT; \
         if [ $COUNTERSIGN_ATTEMPT = 1 ]; then echo 'echo alpha; echo and more; echo noise >&2' > alpha.sh; \
         echo 'sh alpha.sh | grep -q alpha' > tests/alpha.sh; else echo 'echo alpha; echo noise >&2' > alpha.sh; fi",
        worker("$u"),
        prompts.display()
    )
}

fn entries(project: &Project, id: &str) -> Vec<Value> {
    let journal = project.run(["log", id, "--format", "json"]).expect(0).data();
    journal["entries"].as_array().unwrap().clone()
}

/// LP-07: what a row expects in code is compared with what its command prints on what was handed over. Other
/// output is sent back with row, expectation and output; tests that pass don't help. Prose is compared with
/// nothing, and is shown to who judges.
#[test]
fn what_rows_expect_as_code_is_compared() {
    let project = project();
    let told = project.run(["plan", "check", "names"]).expect(0).out();
    assert!(told.contains("expected: 1 of 3 tests say in `code`"), "{told}");
    assert!(told.contains("prose is for who judges (test-spec, lines "), "{told}");
    let seen = project.outside().join("seen");
    let verifier = format!("command:cat > {}", seen.display());
    let worker = loose(&project);
    let words = ["run", "--plan", "names", "--no-input", "--worker", &worker];
    let ran = project.run([&words[..], &["--verifier", &verifier]].concat()).expect(4);
    // To end well is no pass where something else had to be printed.
    let said = ran.err();
    assert!(said.contains("other output `sh alpha.sh`, receipt"), "{said}");
    assert_eq!(said.matches("pass `sh alpha.sh`").count(), 1, "of the second attempt: {said}");

    let prompt = |attempt: u32| {
        fs::read_to_string(project.outside().join(format!("prompt-{attempt}"))).unwrap()
    };
    let due = "`sh alpha.sh` must print \"alpha\" and nothing else\n";
    assert!(prompt(1).contains(due), "{}", prompt(1));
    let against = "- US-001 AC1 'alpha_boundary': `sh alpha.sh` must print \"alpha\", as the test-spec \
                   says: it printed \"alpha\\nand more\"\n";
    assert!(prompt(2).contains(against), "{}", prompt(2));
    let shown = fs::read_to_string(&seen).unwrap();
    for words in
        ["nothing besides it", "what 1 row of the test-spec expects in `code` was compared"]
    {
        assert!(shown.contains(words), "{words} in {shown}");
    }
    let status = project.run(["run", "status", "--format", "json"]).expect(0).data();
    let run = status["legs"][0]["run"].as_str().unwrap();
    let all = entries(&project, run);
    let of = |kind: &str| all.iter().filter(|one| one["kind"] == kind).collect::<Vec<_>>();
    let examined = of("run.examined");
    assert_eq!(examined.len(), 2);
    let receipts = examined[0]["event"]["body"]["receipts"].as_array().unwrap();
    assert!(receipts.iter().all(|one| one["passed"] == true), "the tests let it pass");
    assert_eq!(examined[0]["event"]["body"]["unexpected"][0]["command"], "sh alpha.sh");
    assert_eq!(examined[1]["event"]["body"].get("unexpected"), None);
    let reasons = of("run.ruled")[0]["event"]["body"]["reasons"].as_array().unwrap().clone();
    assert_eq!((reasons.len(), &reasons[0]["reason"]), (1, &"other_output".into()));
    let report = project.run(["run", "report"]).expect(0).out();
    assert!(report.contains("1 say what their command must print"), "{report}");
}

/// LP-07: with all stories there, their rows are compared once more, and so they are by who verifies the branch.
#[test]
fn rows_hold_for_all_stories_together() {
    let project = project();
    let ran = project.run(["run", "--plan", "names", "--no-input", "--worker", &loose(&project)]);
    let told = format!("{}{}", ran.out(), ran.err());
    assert_eq!(answer_all(&project, ran.code.unwrap_or(-1)), 0, "{told}");
    let opened = &entries(&project, "latest")[0]["event"]["body"];
    let of = |list: &Value| {
        let all = list.as_array().unwrap().iter();
        all.map(|one| one["prints"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(of(&opened["stories"][0]["examples"]), ["alpha"]);
    assert_eq!(of(&opened["release_examples"]), ["alpha", "base", "no"]);
}
