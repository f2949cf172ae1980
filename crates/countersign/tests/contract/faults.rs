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
