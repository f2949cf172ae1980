//! Contracts that can't be had, or can't be carried out.

use countersign_testkit::Project;

use crate::{PROGRAM, web};

/// VC-05: an activity without a command is a failure with a clear message, until the settings say
/// that there is none.
#[test]
fn an_activity_without_a_command_fails() {
    let project = Project::new(PROGRAM);
    project.write("Makefile", "test:\n\t./test.sh\nlint:\n\t./lint.sh\n");
    project.write("src/a.c", "int a;\n");
    let args = ["contract", "draft", "Fix the overflow in src/a.c", "--yes"];
    let ran = project.run(args).expect(5);
    ran.prints("'typecheck' can't pass").prints("project.without = [\"typecheck\"]");
    project.run(["contract", "render"]).expect(0).prints("so it can't pass");
    project.write("countersign.toml", "[project]\nwithout = [\"typecheck\"]\n");
    let ran = project.run(args).expect(0);
    assert!(!ran.out().contains("typecheck"), "{}", ran.out());
}

/// VC-03: a project's rules go over the shipped ones, and mistakes are told at their places.
#[test]
fn rules_are_a_projects_to_change() {
    let project = web();
    let rules = "standards/activities.yaml";
    project
        .write(rules, "files:\n  \"**/auth/**\": {off: true}\n  \"src/**\": {critics: [house]}\n");
    project.run(["contract", "draft", "Fix src/auth/login.ts", "--yes"]).expect(0);
    let out = project.run(["contract", "explain"]).expect(0).out();
    assert!(out.contains("standards/activities.yaml:3: src/** holds"), "{out}");
    assert!(!out.contains("critic security"), "{out}");
    project.write(
        rules,
        "files:\n  \"src/[\": {e2e: sometimes}\npattern: {}\npatterns:\n  '(': {critics: [A]}\n",
    );
    let ran = project.run(["contract", "draft", "Fix src/auth/login.ts"]).expect(2);
    let ran = ran.says("standards/activities.yaml:2:3: files.src/[: it is no glob");
    let ran = ran.says("there is no 'sometimes'; use one of immediate, deferred, skip");
    let ran = ran.says("3:1: pattern: there is no key 'pattern'; did you mean 'patterns'?");
    ran.says("5:3: patterns.(: it is no regular expression");
}

/// VC-01: what can't be drafted is refused with a word on what to do.
#[test]
fn refusals_say_what_to_do() {
    let project = web();
    project.run(["contract", "show"]).expect(1).says("there is no contract yet");
    project.run(["contract", "draft", " "]).expect(2).says("the task is empty");
    let call = project.call(["contract", "draft", "Fix it", "--files", "../x"]);
    call.run().expect(2).says("is no path in the repository");
    project.run(["contract", "show", "2020"]).expect(1).says("there is no contract '2020'");
    let secret = format!("Use the key ghp_{}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
    project.run(["contract", "draft", &secret]).expect(1).says("looks like a secret");
    let empty = Project::without_commits(PROGRAM);
    empty.run(["contract", "draft", "Read about it", "--contract", "advisory", "--yes"]).expect(0);
    empty.write("a.md", "text\n");
    empty.run(["contract", "amend"]).expect(0);
}

/// F4: of many answers at a time one stands, and whoever comes too late is told what was said.
#[test]
fn answers_at_the_same_time() {
    let project = web();
    project.run(["contract", "draft", "Fix the login"]).expect(0);
    let calls: Vec<_> = (0..6)
        .map(|n| {
            let words = ["contract", "reject", "--reason", "no"];
            let words = if n % 2 == 0 { &["contract", "approve"][..] } else { &words[..] };
            project.call(words).start()
        })
        .collect();
    let ran: Vec<_> = calls.into_iter().map(countersign_testkit::Running::wait).collect();
    assert!(ran.iter().any(|one| one.code == Some(0)));
    for one in ran.iter().filter(|one| one.code != Some(0)) {
        assert!(one.err().contains("answered the other way"), "{}", one.err());
    }
}

/// VC-10: what the published schema refers to is in it, and a state file has a contract.
#[test]
fn the_schema_is_whole() {
    let project = web();
    let schema = project.run(["contract", "schema", "--format", "json"]).expect(0).data();
    assert_eq!(schema["required"], serde_json::json!(["verificationContract"]), "{schema:#}");
    let text = schema.to_string();
    let mut count = 0;
    for rest in text.split("\"$ref\":\"#").skip(1) {
        let place = rest.split('"').next().unwrap();
        assert!(schema.pointer(place).is_some(), "{place}");
        count += 1;
    }
    assert!(count > 0);
}

/// F4: whoever amends too late reads again; a contract's events always fit together.
#[test]
fn amended_at_the_same_time() {
    let project = web();
    let args = ["contract", "draft", "Explain the login", "--contract", "advisory", "--yes"];
    project.run(args).expect(0);
    project.write("src/auth/login.ts", "export const a = eval('2');\n");
    let calls: Vec<_> = (0..8).map(|_| project.call(["contract", "amend"]).start()).collect();
    for ran in calls.into_iter().map(countersign_testkit::Running::wait) {
        assert_eq!(ran.code, Some(0), "{}", ran.err());
    }
    let shown = project.run(["contract", "show", "--format", "json"]).expect(0).data();
    assert_eq!(shown["contract"]["version"], 2);
    project.run(["ledger", "verify"]).expect(0);
}

/// VC-04: where nothing is committed yet, all lines are new.
#[test]
fn rules_read_lines_before_the_first_commit() {
    let project = Project::without_commits(PROGRAM);
    project.run(["contract", "draft", "Explain it", "--contract", "advisory", "--yes"]).expect(0);
    project.write("tool.js", "const a = eval('2');\n");
    let ran = project.run(["contract", "amend", "--format", "json"]).expect(5);
    let criteria = ran.data()["contract"]["criteria"].to_string();
    for critic in ["security", "exploit"] {
        assert!(criteria.contains(&format!("\"critic\":\"{critic}\"")), "{critic}: {criteria}");
    }
}

/// VC-04: a file belongs to its rules whatever its name looks like to git.
#[test]
fn names_with_control_characters_are_read() {
    let project = web();
    project.run(["contract", "draft", "Explain it", "--contract", "advisory", "--yes"]).expect(0);
    project.write("src/a\tb.js", "export const a = eval('2');\n");
    let data = project.run(["contract", "amend", "--format", "json"]).expect(0).data();
    assert_eq!(data["changed"], serde_json::json!(["src/a\tb.js"]));
    assert!(data["contract"]["criteria"].to_string().contains("\"critic\":\"security\""));
    let shown = project.run(["contract", "amend"]).expect(0).out();
    assert!(!shown.contains("a\tb"), "{shown}");
}

/// VC-05: a criterion without a command is no success for amend either, and no note denies it.
#[test]
fn amending_names_what_has_no_command() {
    let project = Project::new(PROGRAM);
    project.write("package.json", "{\"scripts\": {\"test\": \"jest\", \"lint\": \"eslint .\"}}\n");
    project.write("countersign.toml", "[project]\nwithout = [\"typecheck\"]\n");
    project.write("src/a.js", "exports.a = 1;\n");
    project.commit("Begin");
    let drafted = project.run(["contract", "draft", "Fix src/a.js", "--yes"]).expect(0);
    drafted.prints("so none are deferred");
    project.write("src/auth/login.js", "exports.b = 1;\n");
    let ran = project.run(["contract", "amend"]).expect(5);
    let ran = ran.prints("'e2e' can't pass");
    assert!(!ran.out().contains("so none are deferred"), "{}", ran.out());
}

/// VC-01: a contract that a person wrote is held to what holds for all.
#[test]
fn contracts_from_files_are_checked() {
    let project = web();
    let draft = project.run(["contract", "draft", "Fix DarkModeToggle", "--format", "json"]);
    let whole = draft.expect(0).data()["contract"].clone();
    let from = ["contract", "draft", "--from", "-", "--yes"];
    let take = |contract: &serde_json::Value| project.call(from).stdin(contract.to_string()).run();
    take(&whole).expect(0);
    let marked = [&b"\xef\xbb\xbf"[..], whole.to_string().as_bytes()].concat();
    project.call(from).stdin(marked).run().expect(0);
    let with = |key: &str, value: &str| {
        let mut contract = whole.clone();
        contract["criteria"][0][key] = value.into();
        take(&contract).expect(2)
    };
    with("command", "  ").says("criterion 1 (typecheck) has an empty command");
    with("folder", "../../..").says("no path inside of the repository");
    with("folder", "/etc").says("no path inside of the repository");
    let mut forged = whole.clone();
    forged["scope"]["tree"] = "1".repeat(40).into();
    take(&forged).expect(2).says("is not the tree of");
    forged["scope"]["commit"] = serde_json::Value::Null;
    take(&forged).expect(2).says("there is no tree 1111");
    project.write("countersign.toml", "[contract]\nask_advisory = true\n");
    let mut advice = whole.clone();
    (advice["type"], advice["criteria"]) = ("advisory".into(), serde_json::json!([]));
    take(&advice).expect(4).prints("a person is asked first");
}

/// VC-04: files are named from where somebody stands; what isn't there is noted.
#[test]
fn files_are_named_from_where_one_stands() {
    let project = web();
    let of = |name: &str| {
        let call = project.call(["contract", "draft", "Fix it", "--yes", "--format", "json"]);
        let ran = call.args(["--files", name]).at(project.path("src/auth")).run();
        ran.expect(0).data()["contract"].clone()
    };
    let whole = project.path("docs/guide.md");
    for (name, path) in [
        ("login.ts", "src/auth/login.ts"),
        ("../settings/DarkModeToggle.tsx", "src/settings/DarkModeToggle.tsx"),
        (whole.to_str().unwrap(), "docs/guide.md"),
        ("../settings/", "src/settings/DarkModeToggle.tsx"),
    ] {
        let contract = of(name);
        assert_eq!(contract["expectedFiles"][0]["path"], path, "{contract:#}");
        assert_eq!(contract["notes"], serde_json::Value::Null, "{contract:#}");
    }
    let note = of("lgoin.ts")["notes"].to_string();
    assert!(
        note.contains("src/auth/lgoin.ts is expected to change and is not there yet"),
        "{note}"
    );
    let call = project.call(["contract", "draft", "Fix it", "--files", "nowhere/"]);
    call.run().expect(2).says("no folder with files in it");
}

/// VC-04: what was done on another branch was not done here.
#[test]
fn history_is_that_of_what_is_checked_out() {
    let project = web();
    let first = project.git(["rev-parse", "HEAD"]);
    let predicted = || {
        let task = "Invoice export needs more csv columns";
        let args = ["contract", "draft", task, "--yes", "--format", "json"];
        project.run(args).expect(0).data()["contract"]["expectedFiles"].clone()
    };
    project.write("src/export/csv.ts", "export const version = 1;\n");
    project.commit("invoice export: csv columns");
    assert_eq!(predicted()[0]["path"], "src/export/csv.ts");
    project.git(["checkout", "--quiet", "-b", "other", first.trim()]);
    project.write("src/export/csv.ts", "export const version = 2;\n");
    project.commit("Something else");
    assert_eq!(predicted(), serde_json::Value::Null);
}

/// VC-03: the shipped rules can be read, and the doctor reads a project's own.
#[test]
fn rules_are_shown_and_examined() {
    let project = web();
    let ran = project.run(["contract", "rules"]).expect(0).prints("**/auth/**");
    ran.says("would be in standards/activities.yaml");
    project.write("standards/activities.yaml", "files: 1\n");
    project.run(["contract", "draft", "Fix it"]).expect(2).says("countersign contract rules");
    assert!(project.run(["doctor"]).out().contains("standards/activities.yaml:1"));
}
