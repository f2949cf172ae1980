//! What a task asks for, as the command line tells it.

use crate::project;

/// WL-02, VC-02: the four values with reasons; nothing but words is needed, not even a
/// repository.
#[test]
fn a_task_is_judged_by_its_words() {
    let project = project();
    let ran = project.run(["-C", "/", "classify", "Fix the login so that tokens expire"]).expect(0);
    ran.prints("contract       verifiable")
        .prints("tier           STRICT")
        .prints("risk           CRITICAL")
        .prints("reversibility  full");
    let ran = project.run(["classify", "What does the scheduler do at midnight?"]).expect(0);
    ran.prints("advisory").prints("EXEMPT").prints("Provisional");
    let ran = project.run(["classify", "--explain", "Drop the users table in production"]);
    ran.expect(0).prints("none").prints(".txt:");
    project
        .call(["classify", "-"])
        .stdin("Correct a typo in the README")
        .run()
        .expect(0)
        .prints("skip");
}

/// WL-02: what the user says wins, and is told as the user's.
#[test]
fn the_user_knows_better() {
    let project = project();
    let args = ["classify", "Correct a typo in the README", "--tier", "strict"];
    let more = ["--contract=verifiable", "--risk=HIGH", "--format=json"];
    let data = project.call(args).args(more).run().expect(0).data();
    assert_eq!((&data["tier"], &data["contract"]), (&"STRICT".into(), &"verifiable".into()));
    assert_eq!(data["risk"], "HIGH");
    assert_eq!(data["provisional"], false);
    for field in ["tier", "contract", "risk"] {
        assert_eq!(data["details"][field]["origin"], "user", "{field}");
    }
    assert_eq!(data["details"]["reversibility"]["origin"], "inferred");
    project.run(["classify", "x", "--tier", "LOUD"]).expect(2).says("STANDARD");
    project.run(["classify"]).expect(2).says("TEXT");
}

/// Unknown stays unknown: what can't be told is treated as verifiable, at least STANDARD.
#[test]
fn unknown_stays_unknown() {
    let project = project();
    let ran = project.run(["classify", "xqz vlorp", "--format", "json"]).expect(0);
    let data = ran.data();
    assert_eq!(data["unsure"], true, "{data}");
    assert_eq!(data["effective"]["contract"], "verifiable");
    assert_eq!(data["effective"]["tier"], "STANDARD");
    for text in ["", "\u{200b}\u{0}\u{7}", "\u{feff}\n\t"] {
        project.call(["classify", "-"]).stdin(text).run().expect(0).prints("contract");
    }
}

/// One answer for each line, also for one that is wrong.
#[test]
fn lines_are_answered_one_by_one() {
    let project = project();
    let input = "{\"id\": 1, \"text\": \"Fix the crash\"}\n\nnonsense\n{\"id\": \"b\", \"text\": \"Why?\"}\n";
    let ran = project.call(["classify", "--jsonl"]).stdin(input).run().expect(2);
    let ran = ran.says("the first is 3");
    let lines: Vec<serde_json::Value> =
        ran.out().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 3);
    assert_eq!((&lines[0]["id"], &lines[0]["contract"]), (&1.into(), &"verifiable".into()));
    assert!(lines[1]["error"].as_str().unwrap().starts_with("line 3: "));
    assert_eq!((&lines[2]["id"], &lines[2]["contract"]), (&"b".into(), &"advisory".into()));
    for name in ["tier", "risk", "reversibility", "confidence", "reasons"] {
        assert!(!lines[0][name].is_null(), "{name}");
    }
}

/// D2.2: a project adds words in its settings; what doesn't fit is refused with its line.
#[test]
fn a_project_adds_its_words() {
    let project = project();
    let judged = |text: &str| {
        project.run(["classify", text, "--format", "json"]).expect(0).data()["risk"].clone()
    };
    assert_ne!(judged("Change the zorkmid handler"), "CRITICAL");
    project.write("countersign.toml", "[classify.terms]\nmoney = [\"zorkmid*\"]\n");
    assert_eq!(judged("Change the zorkmid handler"), "CRITICAL");
    project.run(["config", "show"]).expect(0).prints("classify.terms.money");
    project.write("countersign.toml", "[classify.terms]\ncheese = [\"brie\"]\n");
    let ran = project.run(["classify", "x"]).expect(2);
    ran.says("countersign.toml:2").says("cheese");
}
