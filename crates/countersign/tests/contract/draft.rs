//! Contracts before the work.

use crate::web;

fn criteria(data: &serde_json::Value) -> Vec<String> {
    let all = data["contract"]["criteria"].as_array().unwrap();
    let told = |one: &serde_json::Value| {
        let name = one["critic"].as_str().or(one["activity"].as_str()).unwrap();
        format!(
            "{name} {} {}",
            one["timing"].as_str().unwrap(),
            one["command"].as_str().unwrap_or("-")
        )
    };
    all.iter().map(told).collect()
}

/// VC-01: a contract has its type, criteria, origin and time before anybody works on the task.
#[test]
fn a_task_gets_a_contract() {
    let project = web();
    let task = "Add a dark mode toggle to the settings page in src/settings/DarkModeToggle.tsx";
    let data =
        project.run(["contract", "draft", task, "--yes", "--format", "json"]).expect(0).data();
    let contract = &data["contract"];
    assert_eq!(contract["type"], "verifiable");
    assert_eq!(contract["generatedFrom"], "auto");
    assert!(contract["generatedAt"].as_str().unwrap().ends_with('Z'));
    assert_eq!(contract["expectedFiles"][0]["path"], "src/settings/DarkModeToggle.tsx");
    assert_eq!(
        criteria(&data),
        [
            "typecheck immediate npm run typecheck",
            "lint immediate npm run lint",
            "unit immediate npm run test",
            "frontend immediate -",
            "e2e deferred npm run test:e2e",
        ]
    );
    assert_eq!(data["isApproved"], true);
    project.run(["ledger", "verify"]).expect(0);
}

/// VC-03: a file that calls for e2e at once makes it immediate, whatever others say.
#[test]
fn any_immediate_wins() {
    let project = web();
    let files = ["src/settings/DarkModeToggle.tsx", "src/auth/login.ts"];
    let call =
        project.call(["contract", "draft", "Implement the toggle", "--yes", "--format", "json"]);
    let data = call.arg("--files").args(files).run().expect(0).data();
    assert_eq!(data["contract"]["generatedFrom"], "user");
    let told = criteria(&data);
    assert!(told.contains(&"e2e immediate npm run test:e2e".to_owned()), "{told:?}");
    assert!(told.contains(&"security immediate -".to_owned()), "{told:?}");
}

/// VC-03: skip has typecheck and lint only, advisory has nothing and is no pass.
#[test]
fn skip_and_advisory_have_less() {
    let project = web();
    let of = |kind: &str| {
        let args =
            ["contract", "draft", "Look at it", "--contract", kind, "--yes", "--format", "json"];
        criteria(&project.run(args).expect(0).data())
    };
    assert_eq!(
        of("skip"),
        ["typecheck immediate npm run typecheck", "lint immediate npm run lint"]
    );
    assert!(of("advisory").is_empty());
}

/// VC-07: advisory work in a plan, or where somebody wants it so, asks first.
#[test]
fn advisory_work_asks_first_where_that_is_wanted() {
    let project = web();
    let words = ["contract", "draft", "Look at it", "--contract", "advisory", "--yes"];
    project.run(words).expect(0);
    let asked = project.run([&words[..], &["--plan"]].concat()).expect(4);
    asked.prints("a person is asked first").prints("contract approve");
    project.write("countersign.toml", "[contract]\nask_advisory = true\n");
    project.run(words).expect(4);
    project.run(["contract", "approve"]).expect(0);
}

/// VC-04: similar work of before says which files to expect.
#[test]
fn history_predicts_files() {
    let project = web();
    for at in 0..3 {
        project.write("src/export/csv.ts", format!("export const version = {at};\n"));
        project.commit("invoice export: csv columns");
    }
    let args =
        ["contract", "draft", "Invoice export needs more csv columns", "--yes", "--format", "json"];
    for _ in 0..2 {
        let data = project.run(args).expect(0).data();
        let first = &data["contract"]["expectedFiles"][0];
        assert_eq!(
            (&first["path"], &first["source"]),
            (&"src/export/csv.ts".into(), &"history".into())
        );
    }
}

/// VC-05: explain names the rule and the line of the repository behind every criterion.
#[test]
fn every_criterion_is_explained() {
    let project = web();
    project.run(["contract", "draft", "Fix the login in src/auth/login.ts", "--yes"]).expect(0);
    let ran = project.run(["contract", "explain"]).expect(0);
    let ran = ran
        .prints("activities.yaml (shipped):")
        .prints("**/auth/** holds for src/auth/login.ts (expected): who gets in");
    ran.prints("package.json:5: test: jest").prints("every verifiable task has it");
}

/// VC-06: an agent reads numbered text with timing, and no JSON.
#[test]
fn an_agent_reads_text() {
    let project = web();
    project.run(["contract", "draft", "Fix the toggle in DarkModeToggle", "--yes"]).expect(0);
    let out = project.run(["contract", "render"]).expect(0).out();
    assert!(
        out.contains(
            "1. typecheck: there are no type errors (immediately)\n   run: npm run typecheck\n"
        ),
        "{out}"
    );
    assert!(out.contains("(deferred, at the end of the batch)"), "{out}");
    assert!(!out.contains('{'), "{out}");
}

/// VC-10: contract and results have a published schema, in camelCase.
#[test]
fn the_schema_is_published() {
    let project = web();
    let schema = project.run(["contract", "schema"]).expect(0).json();
    let of = |name: &str| schema["properties"][name]["properties"].as_object().unwrap().clone();
    for key in
        ["type", "criteria", "generatedFrom", "generatedAt", "expectedFiles", "scope", "previous"]
    {
        assert!(of("verificationContract").contains_key(key), "{key}");
    }
    for key in ["overall", "criteria", "contract", "scope", "completedAt"] {
        assert!(of("verificationResults").contains_key(key), "{key}");
    }
}

/// VC-01: without a terminal nothing is agreed to unless somebody says so.
#[test]
fn agreement_is_said() {
    let project = web();
    let ran = project.run(["contract", "draft", "Fix the toggle in DarkModeToggle"]).expect(0);
    ran.prints("not agreed yet").prints("countersign contract approve");
    project.run(["contract", "approve", "--actor", "alice"]).expect(0).prints("agreed: ");
    project.run(["contract", "approve"]).expect(0);
    project.run(["contract", "reject", "--reason", "no"]).expect(1).says("answered the other way");
    project.run(["contract", "show"]).expect(0).prints("(agreed)");
    project.run(["contract", "list"]).expect(0).prints("Fix the toggle");
    project.run(["ledger", "rebuild"]);
    project.run(["contract", "list"]).expect(0).prints("Fix the toggle");
}

/// VC-01: a contract can come from a file that a person wrote, as the schema has it.
#[test]
fn a_contract_can_be_written_by_hand() {
    let project = web();
    let draft =
        project.run(["contract", "draft", "Fix the toggle in DarkModeToggle", "--format", "json"]);
    let mut contract = draft.expect(0).data()["contract"].clone();
    contract["criteria"][0]["command"] = "make types".into();
    project.write("contract.json", contract.to_string());
    let data =
        project.run(["contract", "draft", "--from", "contract.json", "--yes", "--format", "json"]);
    let data = data.expect(0).data();
    assert_eq!(data["contract"]["generatedFrom"], "user");
    assert_eq!(data["contract"]["criteria"][0]["command"], "make types");
    contract["criteria"] = serde_json::json!([]);
    project.write("contract.json", contract.to_string());
    let ran = project.run(["contract", "draft", "--from", "contract.json"]).expect(2);
    ran.says("has no criteria");
    contract["criterai"] = 1.into();
    project.write("contract.json", contract.to_string());
    project.run(["contract", "draft", "--from", "contract.json"]).expect(2).says("criterai");
}
