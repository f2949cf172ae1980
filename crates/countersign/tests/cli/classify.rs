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

/// What is wrong inside a line is told under its name; odd characters in a text are no error.
#[test]
fn odd_lines_keep_their_names() {
    let project = project();
    let mut input = "\u{feff}{\"id\": 1, \"text\": \"Fix the crash\"}\n".as_bytes().to_vec();
    input.extend(b"{\"id\": 2, \"text\": \"drop the users table \\ud83d\"}\n");
    input.extend(b"{\"id\": 3, \"text\": \"drop the users table \xff\"}\n");
    input.extend(b"{\"id\": \"four\", \"text\": 4}\n{\"id\": 5}\n");
    let ran = project.call(["classify", "--jsonl"]).stdin(input).run().expect(2);
    let lines: Vec<serde_json::Value> =
        ran.out().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines[0]["contract"], "verifiable");
    assert_eq!(
        (&lines[1]["reversibility"], &lines[2]["reversibility"]),
        (&"none".into(), &"none".into())
    );
    assert_eq!((&lines[3]["id"], &lines[4]["id"]), (&"four".into(), &5.into()));
    assert!(lines[3]["error"].as_str().unwrap().contains("a string"));
}

/// What is cut off could be what matters.
#[test]
fn too_much_is_refused() {
    let project = project();
    let text = "tidy the list. ".repeat(80_000);
    project.call(["classify", "-"]).stdin(text).run().expect(2).says("at most");
}

/// Actions are words like others, and a floor that could never hold is refused.
#[test]
fn a_project_adds_actions_and_floors() {
    let project = project();
    let terms = "[classify.terms]\n\"act.destroy\" = [\"yeet\"]\n";
    project.write("countersign.toml", terms);
    let ran = project.run(["classify", "--explain", "yeet the users table"]).expect(0);
    ran.prints("none").prints("it destroys stored data");
    project.write("countersign.toml", "[classify.terms.act]\ndestroy = [\"yeet\"]\n");
    project.run(["classify", "yeet the users table"]).expect(0).prints("none");
    project.write("countersign.toml", "[classify.terms]\n\"act.destory\" = [\"yeet\"]\n");
    project.run(["classify", "x"]).expect(2).says("countersign.toml:2").says("act.destory");
    let rule = "[classify]\nrules = [\"any:mony : tier STRICT | our money\"]\n";
    project.write("countersign.toml", rule);
    project.run(["classify", "x"]).expect(2).says("countersign.toml:2").says("any:mony");
}

/// Rules have commas of their own, so in the environment a semicolon stands between two; what is wrong with one is told
/// under the name of the variable.
#[test]
fn floors_from_the_environment() {
    let project = project();
    let name = "COUNTERSIGN_CLASSIFY_RULES";
    let judged = |rules: &str, text: &str| {
        let call = project.call(["classify", text, "--format", "json"]);
        call.env(name, rules).run().expect(0).data()
    };
    let rules = "w:zorkmid : tier STRICT, risk CRITICAL | our money; \
        w:grue : tier STRICT, reversibility none | it bites;";
    let data = judged(rules, "Change the zorkmid handler");
    assert_eq!((&data["tier"], &data["risk"]), (&"STRICT".into(), &"CRITICAL".into()), "{data}");
    let data = judged(rules, "Change the grue handler");
    assert_eq!(data["reversibility"], "none", "{data}");
    for (rules, said) in [
        ("any:mony : tier STRICT | x", "any:mony"),
        ("w:a : tier LOUD | x", "is no label"),
        ("w:a tier STRICT", "no \" : \""),
    ] {
        let ran = project.call(["classify", "x"]).env(name, rules).run().expect(2);
        ran.says(name).says(said);
    }
}
