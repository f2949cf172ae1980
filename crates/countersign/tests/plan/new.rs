//! Plans from files and options: approved, or not written.

use countersign_testkit::Project;
use serde_json::{Value, json};

use crate::{ANSWERS, PROGRAM, greeting};

fn project() -> Project {
    let project = Project::new(PROGRAM);
    project.write("answers.toml", ANSWERS);
    project
}

/// Whether nothing of a plan was written, not even in part.
#[track_caller]
fn expect_nothing(project: &Project) {
    assert!(!project.path("plans").exists(), "{:?}", std::fs::read_dir(project.path("plans")));
}

/// LP-04: nothing is written before somebody agrees; then the plan is as it was shown.
#[test]
fn a_plan_is_written_after_approval() {
    let project = project();
    let ran = project.run(["plan", "new", "--from", "answers.toml"]).expect(4);
    let ran = ran.prints("12/12  pass").prints("US-001: Say goodbye by name");
    ran.prints("the plan waits for somebody to agree; nothing was written").prints("--yes");
    expect_nothing(&project);
    let ran = project.run(["plan", "new", "--from", "answers.toml", "--yes"]).expect(0);
    ran.prints("made: plans/farewell/prd.md\n      plans/farewell/test-spec.md");
    project.run(["plan", "check", "farewell"]).expect(0);
    let names: Vec<_> = std::fs::read_dir(project.path("plans")).unwrap().collect();
    assert_eq!(names.len(), 1, "{names:?}");
    assert!(project.read("plans/farewell/prd.md").starts_with("# PRD: farewell\n\n## Objective\n"));
}

/// LP-04: nothing is overwritten: no plan, no file, no link.
#[test]
fn nothing_is_overwritten() {
    let project = project();
    project.write("plans/farewell/notes.md", "mine\n");
    for _ in 0..2 {
        let ran = project.run(["plan", "new", "--from", "answers.toml", "--yes"]).expect(1);
        ran.says("plans/farewell is already there").says("nothing is overwritten");
        std::fs::remove_dir_all(project.path("plans/farewell")).unwrap();
        std::os::unix::fs::symlink("../nowhere", project.path("plans/farewell")).unwrap();
        if project.path("plans/farewell").symlink_metadata().unwrap().is_symlink() {
            let ran = project.run(["plan", "new", "--from", "answers.toml", "--yes"]).expect(1);
            ran.says("plans/farewell is already there");
            std::fs::remove_file(project.path("plans/farewell")).unwrap();
            project.write("plans/farewell", "a file\n");
        }
        let ran = project.run(["plan", "new", "--from", "answers.toml", "--yes"]).expect(1);
        ran.says("is already there");
        std::fs::remove_file(project.path("plans/farewell")).unwrap();
        project.write("plans/farewell/notes.md", "mine\n");
    }
}

/// LP-04: of many who write the same plan at once, one does, and it is whole.
#[test]
fn one_of_many_writes_it() {
    let project = project();
    let calls: Vec<_> = (0..6)
        .map(|_| project.call(["plan", "new", "--from", "answers.toml", "--yes"]).start())
        .collect();
    let codes: Vec<_> = calls.into_iter().map(|call| call.wait().code).collect();
    assert_eq!(codes.iter().filter(|code| **code == Some(0)).count(), 1, "{codes:?}");
    assert_eq!(codes.iter().filter(|code| **code == Some(1)).count(), 5, "{codes:?}");
    project.run(["plan", "check", "farewell"]).expect(0);
    assert_eq!(std::fs::read_dir(project.path("plans")).unwrap().count(), 1);
}

/// LP-05: an ambiguous criterion, or one that speaks of another story, can't be agreed to.
#[test]
fn ambiguous_plans_are_not_written() {
    let project = project();
    let vague = ANSWERS
        .replace("a visitor called \\\"Ada\\\"", "a user")
        .replace("the visitor leaves", "they log in")
        .replace("the visitor reads \\\"Goodbye, Ada\\\"", "the system works correctly");
    project.write("answers.toml", vague);
    let ran = project.run(["plan", "new", "--from", "answers.toml", "--yes"]).expect(1);
    ran.prints("5/12   reject")
        .prints("nothing was written: US-001 AC1 can't be worked on as it is");
    project.write(
        "answers.toml",
        ANSWERS.replace("the visitor leaves", "the visitor leaves as in US-002"),
    );
    let ran = project.run(["plan", "new", "--from", "answers.toml", "--yes"]).expect(1);
    ran.prints("it speaks of US-002, which its worker doesn't see");
    expect_nothing(&project);
}

/// LP-04: the iteration unit is asked for and never assumed; what is wrong in a file is told with its line.
#[test]
fn bad_answers_are_told() {
    let project = project();
    let wrong = |text: &str, expected: &str| {
        project.write("answers.toml", text);
        project.run(["plan", "new", "--from", "answers.toml", "--yes"]).expect(2).says(expected);
    };
    wrong(&ANSWERS.replace("iteration_unit = \"per story\"", ""), "missing field `iteration_unit`");
    wrong(
        &ANSWERS.replace("\"per story\"", "\"per tale\""),
        "'per tale' is no iteration unit; did you mean 'per story'?",
    );
    wrong(&ANSWERS.replace("[choices]", "[chioces]"), "unknown field `chioces`");
    wrong(&ANSWERS.replace("risk = \"LOW\"", "risk = \"SMALL\""), "line 17");
    wrong("slug = ", "answers.toml: TOML parse error at line 1");
    project.write("answers.json", "{\"slug\": 1}");
    project.run(["plan", "new", "--from", "answers.json"]).expect(2).says("at line 1 column 10");
    project.write("answers.toml", b"slug = \"\xff\"");
    project
        .run(["plan", "new", "--from", "answers.toml"])
        .expect(2)
        .says("answers.toml:1:9: byte 8 (0xff) is no UTF-8");
    project.run(["plan", "new", "--from", "nowhere.toml"]).expect(1).says("there is no file");
    project.run(["plan", "new", "--from", "."]).expect(2).says("is not a file");
    project.write("answers.toml", ANSWERS.replace("\"claude:sonnet\"", "\"cloud\""));
    project
        .run(["plan", "new", "--from", "answers.toml"])
        .expect(1)
        .says("choices.worker: there is no agent 'cloud'");
    expect_nothing(&project);
}

/// LP-04: the same from options, over a file or alone.
#[test]
fn options_answer_as_well() {
    let project = project();
    let file = [
        "plan",
        "new",
        "--from",
        "answers.toml",
        "--slug",
        "bye",
        "--iteration-unit",
        "all at once",
        "--consensus",
        "yes",
    ];
    let data = project.call(file).args(["--yes", "--format", "json"]).run().expect(0).data();
    assert_eq!(data["written"]["prd"], "plans/bye/prd.md");
    assert_eq!(data["drafted"]["plan"]["choices"]["iteration_unit"], "all at once");
    assert_eq!(data["drafted"]["plan"]["choices"]["consensus"]["scope"], "all");
    assert_eq!(data["drafted"]["plan"]["choices"]["worker"], "claude:sonnet");
    let story = json!({
        "title": "Wave", "size": "S", "type": "code", "risk": "LOW",
        "criteria": [{ "given": "a guest with 2 hands", "when": "the guest leaves", "then": "the guest waves 1 hand" }],
        "negatives": ["no hand is hurt"], "boundaries": ["a guest with no hands"],
    });
    let alone = [
        "plan",
        "new",
        "--slug",
        "wave",
        "--objective",
        "Guests wave.",
        "--iteration-unit",
        "per story",
    ];
    let ran = project.call(alone).args(["--story", &story.to_string(), "--yes"]).run().expect(0);
    ran.prints("something is left to be filled in: countersign plan check wave");
    let ran = project.run(["plan", "check", "wave"]).expect(1);
    ran.prints("US-001 AC1: it has 0 of at least 3 tests")
        .prints("US-001 L1: nothing is written there");
    let ran = project
        .call(["plan", "new", "--slug", "wave2", "--objective", "x"])
        .args(["--story", &story.to_string()])
        .run();
    ran.expect(2).says("missing field `choices`");
    let ran = project.call(["plan", "new", "--story", "[1]"]).run();
    ran.expect(2).says("it is no JSON object");
}

/// LP-04: without a terminal and without answers, it is said what to do.
#[test]
fn nobody_is_asked_where_nobody_is() {
    let project = greeting();
    let ran = project.run(["plan", "new"]).expect(2);
    ran.says("there is nobody to ask: this is no terminal").says("--from answers.toml --yes");
    let ran =
        project.call(["plan", "new", "--objective", "x", "--format", "json"]).stdin("a\nb\n").run();
    assert_eq!(ran.expect(2).error()["kind"], "usage");
}

/// LP-04: the schema describes what the example answers.
#[test]
fn the_schema_knows_every_answer() {
    let project = project();
    let schema: Value =
        serde_json::from_str(&project.run(["plan", "schema"]).expect(0).out()).unwrap();
    let keys = schema["properties"].as_object().unwrap();
    for key in
        ["slug", "objective", "stories", "choices", "spec", "non_goals", "constraints", "done_when"]
    {
        assert!(keys.contains_key(key), "{key}");
    }
    assert_eq!(schema["$defs"]["IterationUnit"]["enum"], json!(["per story", "all at once"]));
    assert_eq!(schema["additionalProperties"], false);
}
