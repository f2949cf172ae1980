//! Contracts after the work: the real diff has the last word.

use serde_json::Value;

use crate::web;

fn amended(project: &countersign_testkit::Project) -> Value {
    project.run(["contract", "amend", "--format", "json"]).expect(0).data()
}

fn names(data: &Value, amended: bool) -> Vec<String> {
    let all = data["contract"]["criteria"].as_array().unwrap().iter();
    let own = all.filter(|one| (one["amended"] == true) == amended);
    own.map(|one| one["critic"].as_str().or(one["activity"].as_str()).unwrap().to_owned()).collect()
}

/// D2.1: work that was taken for advice and changes code is verified whatever the words said.
#[test]
fn advice_that_changes_code_is_verified() {
    let project = web();
    let args = ["contract", "draft", "Explain the login", "--contract", "advisory", "--yes"];
    project.run(args).expect(0);
    project.write("src/auth/login.ts", "export const a = eval('2');\n");
    let data = amended(&project);
    assert_eq!(data["isAmended"], true);
    assert_eq!(data["contract"]["type"], "verifiable");
    assert_eq!(data["contract"]["version"], 2);
    assert_eq!(data["contract"]["previous"], data["versions"][0]);
    let added = names(&data, true);
    for name in ["typecheck", "lint", "unit", "e2e", "security", "exploit"] {
        assert!(added.contains(&name.to_owned()), "{name} in {added:?}");
    }
    assert_eq!(data["changed"], serde_json::json!(["src/auth/login.ts"]));
    project.run(["contract", "explain"]).expect(0).prints("(changed): text becomes code");
    project.run(["contract", "render"]).expect(0).prints("added because of what was changed");
    project.run(["ledger", "verify"]).expect(0);
}

/// D2.1: text that changed needs no more than text needs.
#[test]
fn text_stays_text() {
    let project = web();
    let args = ["contract", "draft", "Fix a typo in docs/guide.md", "--contract", "skip", "--yes"];
    project.run(args).expect(0);
    project.write("docs/guide.md", "# The guide: eval(x)\n");
    let data = amended(&project);
    assert_eq!((&data["isAmended"], &data["contract"]["type"]), (&false.into(), &"skip".into()));
    assert_eq!(data["unexpected"], serde_json::json!([]));
}

/// VC-04: a criterion that the diff calls for and the contract missed is added and flagged, once.
#[test]
fn what_was_missed_is_added_and_flagged() {
    let project = web();
    let call = project.call(["contract", "draft", "Implement the toggle", "--yes"]);
    call.args(["--files", "src/settings/DarkModeToggle.tsx"]).run().expect(0);
    project.write("src/settings/DarkModeToggle.tsx", "export const on = 2;\n");
    assert_eq!(amended(&project)["isAmended"], false);
    project.write("db/migrations/1.sql", "drop table a;\n");
    let data = amended(&project);
    assert_eq!(data["unexpected"], serde_json::json!(["db/migrations/1.sql"]));
    let added = names(&data, true);
    assert!(added.contains(&"data".to_owned()) && added.contains(&"e2e".to_owned()), "{added:?}");
    assert!(names(&data, false).contains(&"unit".to_owned()));
    assert_eq!(amended(&project)["isAmended"], false, "a second time there is nothing to add");
    project.git(["add", "--all"]);
    project.git(["commit", "--quiet", "--message", "x"]);
    assert_eq!(amended(&project)["isAmended"], false);
}

/// D2.1: who is checked doesn't choose the rules, the commands, or what there is none of.
#[test]
fn the_work_does_not_choose_its_rules() {
    let project = web();
    let args = ["contract", "draft", "Explain the login", "--contract", "advisory", "--yes"];
    project.run(args).expect(0);
    project.write("src/auth/login.ts", "export const a = 2;\n");
    project.write("package.json", "{\"scripts\": {\"test\": \"./nothing.sh\"}}\n");
    project.write("countersign.toml", "[project]\nwithout = [\"unit\", \"lint\", \"e2e\"]\n");
    project.write("standards/activities.yaml", "files: {\"**/auth/**\": {off: true}}\n");
    let ran = project.run(["contract", "amend", "--format", "json"]).expect(0);
    let added = names(&ran.data(), true);
    let ran = ran.says("is not believed here");
    for name in ["typecheck", "lint", "unit", "e2e", "security"] {
        assert!(added.contains(&name.to_owned()), "{name} in {added:?}\n{}", ran.out());
    }
    project.run(["contract", "explain"]).expect(0).prints("package.json:5: test: jest");
}

/// VC-01: what was amended before anybody agreed can still be agreed to, and then work is verified.
#[test]
fn what_was_amended_can_be_agreed_to() {
    let project = web();
    project.run(["contract", "draft", "Make a 2 in the login"]).expect(0);
    project.write("src/auth/login.ts", "export const a = eval('2');\n");
    assert_eq!(amended(&project)["isAmended"], true);
    project.run(["contract", "list"]).expect(0).prints("not agreed");
    let verify = ["verify", "--contract", "latest"];
    project.run(verify).expect(1).says("nobody has agreed");
    project.run(["contract", "approve", "latest"]).expect(0).prints("version 2");
    let list = project.run(["contract", "list"]).expect(0).out();
    assert!(list.contains("agreed") && !list.contains("not agreed"), "{list}");
    let ran = project.run(verify);
    assert!(!ran.err().contains("nobody has agreed"), "{}", ran.err());
}
