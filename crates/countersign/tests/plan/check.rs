//! Plans are checked, shown and listed.

use countersign_testkit::Project;
use serde_json::json;

use crate::{PRD, PROGRAM, greeting};

/// LP-05, LP-23: a plan that is good enough passes, and its scores are shown.
#[test]
fn a_good_plan_passes() {
    let project = greeting();
    let ran = project.run(["plan", "check", "greeting"]).expect(0);
    let ran =
        ran.prints("US-002  AC1        2       2       2            2            2         2");
    ran.prints("fine: greeting can be worked on");
    let data =
        project.run(["plan", "check", "plans/greeting", "--format", "json"]).expect(0).data();
    assert_eq!(data["checked"]["scores"][0]["total"], 12);
    assert_eq!(data["checked"]["scores"][0]["rated"][5]["dimension"], "independence");
    assert_eq!(data["checked"]["shortcomings"], json!([]));
    project.run(["plan", "check", "plans/greeting/prd.md"]).expect(0);
    project.call(["plan", "check", "."]).at(project.path("plans/greeting")).run().expect(0);
}

/// LP-05 to LP-07: a plan that is not is refused with 1, and every place is named.
#[test]
fn a_poor_plan_is_refused() {
    let project = greeting();
    let vague = PRD
        .replacen("a visitor called \"Ada\"", "a user", 1)
        .replacen("the visitor asks for a greeting", "they log in", 1)
        .replacen("the visitor reads \"Hello, Ada\"", "the system works correctly", 1)
        .replacen("L3: the program with a known name, and what it prints", "L3: TODO", 1);
    project.write("plans/greeting/prd.md", vague);
    let ran = project.run(["plan", "check", "greeting"]).expect(1);
    let ran = ran
        .prints("1       2       1            1            0         0             5/12   reject");
    let ran = ran.prints("wrong: plans/greeting/prd.md:19: US-001 AC1: it scores 5 of 12");
    let ran = ran.prints("wrong: plans/greeting/prd.md:10: US-001 L3: it is still to be written");
    ran.prints("the plan 'greeting' can't be worked on: 2 things are wrong");
    let ran = project.run(["plan", "check", "greeting", "--format", "json"]).expect(1);
    assert_eq!(ran.data()["checked"]["shortcomings"][0]["rule"], "layers");
    assert_eq!(ran.error()["kind"], "refused");
    project.run(["plan", "list"]).expect(0).prints("2 wrong");
}

/// D1.9: what a model thinks lowers a score and never raises it.
#[test]
fn a_models_scores_only_lower() {
    let project = greeting();
    let scores = |points: u8| {
        let names = ["single", "domain", "stakeholder", "portability", "concrete", "independence"];
        let rated: Vec<_> = names
            .iter()
            .map(|name| json!({ "dimension": name, "points": points, "reason": "the model says so" }))
            .collect();
        json!([{ "story": "US-001", "criterion": "AC1", "rated": rated }]).to_string()
    };
    project.write("low.json", scores(0));
    let ran = project.run(["plan", "check", "greeting", "--scores", "low.json"]).expect(1);
    ran.prints("it scores 0 of 12 (single 0: the model says so");
    project.write("high.json", scores(2));
    project.run(["plan", "check", "greeting", "--scores", "high.json"]).expect(0);
    project.write("broken.json", "[{\"story\": \"US-001\"}]");
    let ran = project.run(["plan", "check", "greeting", "--scores", "broken.json"]).expect(2);
    ran.says("missing field `criterion`");
}

/// LP-03: what is shown for one story has nothing of the others; the hash is the same for the same plan.
#[test]
fn a_plan_is_shown() {
    let project = greeting();
    let ran = project.run(["plan", "show", "greeting"]).expect(0);
    let ran = ran.prints("US-002: Ask for a missing name").prints("iteration unit     per story");
    ran.prints("plans/greeting/test-spec.md");
    let one = project.run(["plan", "show", "greeting", "--story", "us-1"]).expect(0).out();
    assert!(one.contains("greets_long_names") && !one.contains("US-002"), "{one}");
    let ran = project.run(["plan", "show", "greeting", "--story", "US-003"]).expect(1);
    ran.says("there is no story 'US-003' in the plan greeting").says("there is: US-001, US-002");
    let hash = |project: &Project| {
        let data = project.run(["plan", "show", "greeting", "--format", "json"]).expect(0).data();
        data["hash"].as_str().unwrap().to_owned()
    };
    let before = hash(&project);
    project.write("plans/greeting/prd.md", PRD.replace('\n', "\r\n"));
    assert_eq!(hash(&project), before);
    project.write("plans/greeting/prd.md", PRD.replace("Ada", "Eve"));
    assert_ne!(hash(&project), before);
}

/// LP-23: plans lie where the settings say.
#[test]
fn plans_are_listed() {
    let project = greeting();
    project.run(["plan", "list"]).expect(0).prints("greeting  2 stories  can be worked on");
    project.write("countersign.toml", "[plan]\nfolder = \"docs/plans\"\n");
    project
        .run(["plan", "list"])
        .expect(0)
        .prints("there is no plan; `countersign plan new` makes one");
    let ran = project.run(["plan", "check", "greeting"]).expect(1);
    ran.says("there is no plan 'greeting' in docs/plans").says("`countersign plan new` makes one");
    project.run(["plan", "check", "plans/greeting"]).expect(0);
    let empty = Project::new(PROGRAM);
    let data = empty.run(["plan", "list", "--format", "json"]).expect(0).data();
    assert_eq!(data, json!({ "plans": [], "mistakes": [] }));
}
