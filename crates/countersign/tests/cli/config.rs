//! Settings: where each comes from, and what is said about wrong ones.

use std::fs;

use countersign_testkit::Project;
use serde_json::json;

use crate::project;

fn user_file(project: &Project, text: &str) {
    fs::create_dir_all(project.home()).unwrap();
    fs::write(project.home().join("config.toml"), text).unwrap();
}

/// PL-05: default, user, project, environment: later ones win, and each value says its origin.
#[test]
fn every_value_knows_its_origin() {
    let project = project();
    user_file(&project, "[run]\nattempts = 4\nworker_seconds = 10\ncheck_seconds = 11\n");
    project.write("countersign.toml", "[run]\nworker_seconds = 20\ncheck_seconds = 21\n");
    let call = project.call(["config", "show", "--format", "json"]);
    let data = call.env("COUNTERSIGN_RUN_CHECK_SECONDS", "31").run().expect(0).data();
    let user = project.home().join("config.toml");
    let file = project.path("countersign.toml");
    let origin = |from: &str, at: serde_json::Value| json!({ "from": from, "at": at });
    assert_eq!(data["run.attempts"], json!({ "value": 4, "origin": origin("user", json!(user)) }));
    let worker = json!({ "value": 20, "origin": origin("project", json!(file)) });
    assert_eq!(data["run.worker_seconds"], worker);
    let name = json!("COUNTERSIGN_RUN_CHECK_SECONDS");
    let check = json!({ "value": 31, "origin": origin("environment", name) });
    assert_eq!(data["run.check_seconds"], check);
    assert_eq!(data["exec.grace_seconds"]["origin"], json!({ "from": "default" }));
    // The flag wins over all of them.
    let ran = project.goal("true", "true").arg("--attempts=2").run().expect(3);
    assert!(ran.err().contains("attempt 2") && !ran.err().contains("attempt 3"));
}

/// PL-05: `path`, `schema` and `default` describe what there is to set.
#[test]
fn the_reference_is_complete() {
    let project = project();
    let path = project.run(["config", "path"]).expect(0).out();
    assert!(path.contains(project.home().join("config.toml").to_str().unwrap()), "{path}");
    assert!(path.contains(project.path("countersign.toml").to_str().unwrap()), "{path}");
    let schema = project.run(["config", "schema"]).expect(0).json();
    let shown = project.run(["config", "show", "--format", "json"]).expect(0).data();
    let reference = project.run(["config", "default"]).expect(0).out();
    for key in shown.as_object().unwrap().keys() {
        let (_, name) = key.rsplit_once('.').unwrap();
        assert!(schema.to_string().contains(&format!("\"{name}\"")), "{key} has no schema");
        assert!(reference.contains(&format!("\n{name} = ")), "{key} is not in the reference");
    }
    // The reference is a valid file that changes nothing.
    project.write("countersign.toml", reference);
    let again = project.run(["config", "show", "--format", "json"]).expect(0).data();
    for (key, setting) in shown.as_object().unwrap() {
        assert_eq!(again[key]["value"], setting["value"], "{key}");
    }
}

/// PL-05: wrong settings are told with the file, the line and the nearest name.
#[test]
fn wrong_settings_are_located() {
    let project = project();
    let file = project.path("countersign.toml");
    let place = |line: u32| format!("{}:{line}: ", file.display());
    let cases = [
        ("[run]\n\natempts = 3\n", place(3) + "there is no setting 'run.atempts'"),
        ("[run]\nattempts = 3\n\n[exec]\nenv = 5\n", place(5) + "invalid type"),
        ("[run]\nattempts = \"three\"\n", place(2) + "invalid type: string \"three\""),
        ("[run]\nattempts = 0\n", place(2) + "run.attempts must be 1 to 100"),
        ("[run]\nattempts = 101\n", place(2) + "run.attempts must be 1 to 100"),
        ("[run]\nattempts = -1\n", place(2) + "invalid value"),
        ("\n\n[run\n", place(3) + "unclosed table"),
        ("[run]\nattempts = 1\nattempts = 2\n", place(3) + "duplicate key"),
        ("[ledger]\ndurability = \"maybe\"\n", place(2) + "unknown variant `maybe`"),
        ("attempts = 3\n", place(1) + "there is no setting 'attempts'"),
        ("run = 3\n", place(1) + "there is no setting 'run'"),
    ];
    for (text, said) in cases {
        project.write("countersign.toml", text);
        for verb in [&["config", "show"][..], &["status"]] {
            let ran = project.run(verb).expect(2);
            assert!(ran.err().contains(&said), "{text}\n{said}\n{}", ran.err());
        }
    }
    project.write("countersign.toml", "[run]\natempts = 3\n");
    project.run(["status"]).expect(2).says("did you mean 'run.attempts'?");
    project.write("countersign.toml", b"[run]\n# \xff\n");
    project.run(["status"]).expect(2).says("byte 8 is not UTF-8");
    fs::remove_file(&file).unwrap();
    fs::create_dir(&file).unwrap();
    project.run(["status"]).expect(2).says("countersign.toml");
    fs::remove_dir(&file).unwrap();
    user_file(&project, "[ledger]\nbusy_second = 3\n");
    project.run(["status"]).expect(2).says("config.toml:2").says("'ledger.busy_seconds'?");
}

/// PL-05: the environment is checked like a file.
#[test]
fn wrong_variables_are_named() {
    let project = project();
    let cases = [
        ("COUNTERSIGN_RUN_ATTEMPTS", "many", "'many' is not a number"),
        ("COUNTERSIGN_RUN_ATTEMPTS", "0", "run.attempts must be 1 to 100"),
        ("COUNTERSIGN_EXEC_OUTPUT_BYTES", "1", "at least 1024"),
        ("COUNTERSIGN_LEDGER_DURABILITY", "maybe", "unknown variant `maybe`"),
    ];
    for (name, value, said) in cases {
        let ran = project.call(["config", "show"]).env(name, value).run().expect(2);
        ran.says(&format!("{name}: ")).says(said);
    }
    // A variable that is set to nothing is not set.
    project.call(["config", "show"]).env("COUNTERSIGN_RUN_ATTEMPTS", "").run().expect(0);
}

/// SE-01: no secret of the user's, and nothing that makes a program load other code, reaches
/// workers and checks unless a setting says so.
#[test]
fn nothing_secret_is_allowed_by_default() {
    let project = project();
    let names = [
        "ANTHROPIC_API_KEY",
        "GITHUB_TOKEN",
        "AWS_SECRET_ACCESS_KEY",
        "CARGO_REGISTRY_TOKEN",
        "GIT_DIR_PLANTED",
        "LD_PLANTED",
        "HTTPS_PROXY",
        "SSH_AUTH_SOCK",
        "COUNTERSIGN_HOME",
    ];
    let leaks = format!("env | grep -E '^({})=' && exit 1; true", names.join("|"));
    let mut call = project.goal(&format!("{leaks}; echo > x"), &leaks).arg("--attempts=1");
    for name in &names[..8] {
        call = call.env(name, "planted");
    }
    call.run().expect(0);
}

/// LP-18, SE-01: a project chooses no program, no argument, no variable and no permission on its
/// user's account; a model it may.
#[test]
fn a_project_chooses_no_agents() {
    let project = project();
    let set = |text: &str| {
        project.write("countersign.toml", text);
        project.run(["config", "show", "--format", "json"])
    };
    for line in [
        "agent = \"command:touch x\"",
        "args = [\"--settings\", \"evil.json\"]",
        "env = [\"AWS_SECRET_ACCESS_KEY\"]",
        "permissions = \"full\"",
    ] {
        for role in ["worker", "verifier", "reviewer"] {
            let ran = set(&format!("[agents.{role}]\n{line}\n"));
            ran.expect(2).prints(&format!("countersign.toml:2: agents.{role}."));
        }
    }
    set("[agents.prices.\"gpt-5.5\"]\ninput = 0\noutput = 0\n")
        .expect(2)
        .prints("not a project's to set");
    let shown = set("[agents.verifier]\nmodel = \"opus\"\n").expect(0).data();
    assert_eq!(shown["agents.verifier.model"]["value"], "opus");
}

/// LP-18: the user's own file chooses agents; names and prices that mean nothing are refused there.
#[test]
fn a_user_chooses_agents() {
    let project = project();
    let set = |text: &str| {
        user_file(&project, text);
        project.run(["config", "show", "--format", "json"])
    };
    let price = "[agents.prices.\"mine-1.5\"]\ninput = 1\noutput = 2.5\n";
    let text =
        format!("[agents.worker]\nagent = \"codex:gpt-5.5@high\"\npermissions = \"full\"\n{price}");
    let shown = set(&text).expect(0).data();
    assert_eq!(shown["agents.worker.agent"]["value"], "codex:gpt-5.5@high");
    assert_eq!(shown["agents.prices.mine-1.5.output"]["value"], 2.5);
    set("[agents.worker]\nagent = \"cluade\"\n").expect(2).prints("there is no agent 'cluade'");
    set("[agents.worker]\npermissions = \"all\"\n").expect(2).prints("unknown variant `all`");
    set("[agents.prices.mine]\ninput = 1\n").expect(2).prints("lack 'output'");
    set("[agents.prices.mine]\ninput = -1\n").expect(2).prints("-1 is no number of dollars");
}
