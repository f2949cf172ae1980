//! `hooks status`: what is there, and what keeps hooks from being called.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::hooks::{CLAUDE, claude, hooks, install, put, uninstall};
use crate::{PROGRAM, project};

/// PL-03: `status` says what is there, what is wrong, and exits accordingly.
#[test]
fn status_finds_what_is_wrong() {
    let project = project();
    let status = || hooks(&project, "status claude --format json").run();
    hooks(&project, "status").run().expect(0).prints("no hooks");
    hooks(&project, "status claude").run().expect(1).prints("no hooks; install them");
    install(&project, CLAUDE);
    let data = status().expect(0).data();
    let place = &data["agents"][0]["places"][0];
    assert_eq!(place["scope"], "user");
    assert_eq!(place["program"], PROGRAM);
    assert_eq!(place["events"].as_array().unwrap().len(), 14);
    let says = |text: &str| {
        let data = status().expect(1).data();
        let findings = data["agents"][0]["findings"].as_array().unwrap();
        let found = findings.iter().any(|it| it["text"].as_str().unwrap().contains(text));
        assert!(found, "'{text}' is not in {data}");
    };
    // Somebody switches hooks off in a file that is nearer.
    project.write(".claude/settings.local.json", "{\"disableAllHooks\": true}");
    says("settings.local.json silences all hooks: disableAllHooks");
    hooks(&project, "install claude").run().expect(0).prints("silences all hooks");
    install(&project, CLAUDE);
    fs::remove_file(project.path(".claude/settings.local.json")).unwrap();
    project.write(".claude/settings.json", "{ nonsense");
    says(".claude/settings.json:1:3: ");
    fs::remove_file(project.path(".claude/settings.json")).unwrap();
    let good = fs::read_to_string(claude(&project)).unwrap();
    put(&claude(&project), good.replacen("\"Stop\"", "\"Stopp\"", 1));
    says("not registered: Stop");
    put(&claude(&project), good.replace("\"matcher\": \"*\"", "\"matcher\": \"Bash\""));
    says("hears of some tools only");
    put(&claude(&project), good.replace(PROGRAM, "/nowhere/countersign"));
    says("which is not there");
    put(&claude(&project), good);
    status().expect(0);
}

/// PL-03: in a project, the switch is set where it beats those of others.
#[test]
fn the_switch_of_a_project_beats_the_users() {
    let project = project();
    put(&claude(&project), "{\"disableAllHooks\": true}");
    install(&project, &format!("{CLAUDE} --project"));
    let of = |name: &str| -> Value { serde_json::from_str(&project.read(name)).unwrap() };
    assert_eq!(of(".claude/settings.json")["disableAllHooks"], false);
    assert_eq!(of(".claude/settings.local.json"), json!({ "disableAllHooks": false }));
    hooks(&project, "status claude").run().expect(0).prints("but a nearer file beats it");
    uninstall(&project, "claude --project");
    assert!(!project.path(".claude").exists());
}

/// PL-03: a plugin of another version, or one that lost its program, is noticed.
#[test]
fn an_old_plugin_is_noticed() {
    let project = project();
    let report = install(&project, "opencode --project --guard");
    let path = PathBuf::from(report["changes"][0]["path"].as_str().unwrap());
    let text = fs::read_to_string(&path).unwrap();
    hooks(&project, "status opencode").run().expect(0).prints("11 events, guard");
    put(&path, text.replace("PATIENCE", "TIME"));
    hooks(&project, "status opencode").run().expect(1).prints("of another version");
    install(&project, "opencode --project --guard");
    assert_eq!(fs::read_to_string(&path).unwrap(), text);
    uninstall(&project, "opencode --project");
    assert!(!project.path(".opencode").exists());
}

/// PL-03: what silences the hooks of the other agents is found too.
#[test]
fn switches_of_other_agents_are_found() {
    let project = project();
    let home = project.outside().join("home");
    put(&home.join(".codex/config.toml"), "[features]\nhooks = false\n");
    install(&project, "codex");
    let ran = hooks(&project, "status codex").run().expect(1);
    ran.prints("silences all hooks: features.hooks = false").prints("trust not known");
    install(&project, "gemini");
    project.write(".gemini/settings.json", "{\"hooksConfig\": {\"enabled\": false}}");
    let ran = hooks(&project, "status gemini").run().expect(1);
    ran.prints(".gemini/settings.json silences the hooks: hooksConfig.enabled");
}
