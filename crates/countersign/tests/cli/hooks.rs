//! `hooks`: settings of agents change by exactly what is ours, and back again to the byte.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use countersign_testkit::{Call, Project};
use serde_json::{Value, json};

use crate::{PROGRAM, project};

/// The user's settings of Claude Code in a project.
pub(crate) fn claude(project: &Project) -> PathBuf {
    project.outside().join("home/.claude/settings.json")
}

pub(crate) fn put(path: &Path, bytes: impl AsRef<[u8]>) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, bytes).unwrap();
}

/// A call with no agent of this machine on the search path.
pub(crate) fn hooks(project: &Project, words: &str) -> Call {
    let words = words.split(' ').filter(|word| !word.is_empty());
    project.call(["hooks"]).args(words).env("PATH", "/usr/bin:/bin")
}

pub(crate) fn install(project: &Project, words: &str) -> Value {
    let call = hooks(project, &format!("install {words} --format json"));
    call.run().expect(0).data()["agents"][0].clone()
}

pub(crate) fn uninstall(project: &Project, words: &str) -> Value {
    let call = hooks(project, &format!("uninstall {words} --format json"));
    call.run().expect(0).data()["agents"][0].clone()
}

pub(crate) const CLAUDE: &str = "claude --agent-version 2.1.325";

/// A file, what installs into it, and what uninstalls.
fn check_exact(path: &Path, bytes: &[u8], project: &Project, agent: &str) {
    put(path, bytes);
    fs::set_permissions(path, fs::Permissions::from_mode(0o640)).unwrap();
    let shown = String::from_utf8_lossy(&bytes[..bytes.len().min(80)]).into_owned();
    install(project, agent);
    let with = fs::read(path).unwrap();
    assert_ne!(with, bytes, "{shown}");
    let again = install(project, agent);
    assert_eq!(again["changes"][0]["fate"], "kept", "{shown}");
    assert_eq!(fs::read(path).unwrap(), with, "{shown}");
    let name = agent.split(' ').next().unwrap();
    assert_eq!(uninstall(project, name)["changes"][0]["fate"], "restored", "{shown}");
    assert_eq!(fs::read(path).unwrap(), bytes, "{shown}");
    assert_eq!(fs::metadata(path).unwrap().permissions().mode() & 0o777, 0o640);
    fs::remove_file(path).unwrap();
}

/// PL-03: install and uninstall give the exact original, whatever it looks like.
#[test]
fn uninstall_gives_the_exact_original() {
    let project = project();
    let other = r#"{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"other"}]}]}}"#;
    let mut large = String::from("{\n");
    for number in 0..20_000 {
        large += &format!("\t\"key {number}\": [\"some value of no interest\", {number}],\n");
    }
    large += "\t\"end\": null\n}";
    assert!(large.len() > 1_000_000);
    let texts = [
        "",
        "\n",
        "{}",
        "{ }\n\n",
        "{\n}\n",
        "{\"unknown\":{\"x\":[1,2.50,-3e2]},\"disableAllHooks\":false}",
        "{\n   \"odd\" :1 ,\n     \"indent\"\t:\n2\n}\n",
        "{\r\n  \"a\": 1\r\n}\r\n",
        "\u{feff}{\n  \"bom\": true\n}\n",
        other,
        &large,
    ];
    for text in texts {
        check_exact(&claude(&project), text.as_bytes(), &project, CLAUDE);
    }
    let gemini = project.outside().join("home/.gemini/settings.json");
    let commented = "// mine\n{\n  /* a */ \"a\": 1 // b\n  // c\n}\n";
    check_exact(&gemini, commented.as_bytes(), &project, "gemini");
    let codex = project.outside().join("home/.codex/hooks.json");
    check_exact(&codex, b"{\"description\": \"x\", \"hooks\": {}}", &project, "codex");
    let config = project.outside().join("home/.codex/config.toml");
    let toml =
        "# c\r\na = 1\r\n[[hooks.Stop]]\r\n[[hooks.Stop.hooks]]\r\ntype='command'\r\ncommand='x'";
    check_exact(&config, toml.as_bytes(), &project, "codex");
}

/// PL-03: where there was nothing, nothing is left: neither file nor folder.
#[test]
fn files_of_ours_leave_no_trace() {
    let project = project();
    let home = project.outside().join("home");
    let before = fs::read_dir(&home).unwrap().count();
    for agent in ["claude", "codex", "gemini", "opencode"] {
        for scope in ["--user", "--project"] {
            let report = install(&project, &format!("{agent} {scope}"));
            assert_eq!(report["changes"][0]["fate"], "wrote", "{report}");
            let path = report["changes"][0]["path"].as_str().unwrap().to_owned();
            assert!(fs::read_to_string(&path).unwrap().contains(PROGRAM), "{path}");
            assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o644);
            let gone = uninstall(&project, &format!("{agent} {scope}"));
            assert!(gone["changes"].as_array().unwrap().iter().all(|it| it["fate"] == "removed"));
        }
    }
    fs::remove_dir_all(project.home()).unwrap();
    assert_eq!(fs::read_dir(&home).unwrap().count(), before);
    assert_eq!(project.git(["status", "--porcelain"]), "");
}

/// PL-03: what is registered is what the agent's version knows, as the agent starts it.
#[test]
fn what_is_registered() {
    let project = project();
    let check = |version: &str, expected: usize, guard: &str| {
        install(&project, &format!("claude --agent-version {version} {guard}"));
        let text = fs::read_to_string(claude(&project)).unwrap();
        let settings: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(settings["hooks"].as_object().unwrap().len(), expected, "{version}");
        settings["hooks"].clone()
    };
    check("1.0.85", 7, "");
    check("2.1.197", 14, "");
    let guarded = check("2.1.325", 15, "--guard");
    assert_eq!(guarded["PreToolUse"][0]["hooks"][0]["onFailure"], "block");
    let hooks = check("2.1.325 (Claude Code)".split(' ').next().unwrap(), 14, "");
    let entry =
        json!({ "type": "command", "command": format!("'{PROGRAM}' hook claude"), "timeout": 30 });
    assert_eq!(hooks["PostToolUse"], json!([{ "matcher": "*", "hooks": [entry] }]));
    assert_eq!(hooks["Stop"], json!([{ "hooks": [entry] }]));
    // Without a version, only what all versions know, and that is said.
    let ran = self::hooks(&project, "install claude").run().expect(0);
    ran.prints("the version of Claude Code is not known").prints("7 events");
    let report = install(&project, "gemini");
    assert_eq!(report["events"].as_array().unwrap().len(), 6, "{report}");
    self::hooks(&project, "install codex").run().expect(0).prints("give it with /hooks in codex");
    self::hooks(&project, "install claude --agent-version two").run().expect(2).says("no version");
}

/// PL-03: a version is found by asking the program, and all agents that are there are meant.
#[test]
fn agents_on_the_path_are_found() {
    let project = project();
    project.write_program("bin/claude", "#!/bin/sh\necho '2.1.117 (Claude Code)'\n");
    project.write_program("bin/gemini", "#!/bin/sh\nexit 1\n");
    let path = format!("{}:/usr/bin:/bin", project.path("bin").display());
    let call = project.call(["hooks", "install", "--format", "json"]).env("PATH", path);
    let data = call.run().expect(0).data();
    assert_eq!(data["agents"][0]["agent"], "claude");
    assert_eq!(data["agents"][0]["version"], "2.1.117");
    assert_eq!(data["agents"][0]["events"].as_array().unwrap().len(), 13);
    assert_eq!(data["agents"][1]["agent"], "gemini");
    assert_eq!(data["agents"].as_array().unwrap().len(), 2);
    let none = hooks(&project, "install").run().expect(1);
    none.says("none of the agents").says("hooks install claude");
}

/// PL-03: a program that moved is followed, from any quoting, and others' entries stay.
#[test]
fn a_moved_program_is_followed() {
    let project = project();
    let place = project.outside().join("it's \"here\" now");
    fs::create_dir(&place).unwrap();
    fs::copy(PROGRAM, place.join("countersign")).unwrap();
    let original = r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "other hook claude"}]}]}}"#;
    put(&claude(&project), original);
    let script = r#""$0" hooks install claude --agent-version 2.1.325"#;
    let moved = place.join("countersign").display().to_string();
    let environment = project.environment();
    let mut command = std::process::Command::new("sh");
    command.args(["-c", script, &moved]).env_clear().envs(environment).env("PATH", "/usr/bin:/bin");
    assert!(command.current_dir(project.root()).output().unwrap().status.success());
    let text = fs::read_to_string(claude(&project)).unwrap();
    let settings: Value = serde_json::from_str(&text).unwrap();
    let entry = &settings["hooks"]["Stop"][1]["hooks"][0];
    let said = entry["command"].as_str().unwrap();
    assert_eq!(project.sh(&format!("set -- {said}; printf %s \"$1\"")).out(), moved);
    hooks(&project, "status claude").run().expect(1).prints("not ").prints(PROGRAM);
    install(&project, CLAUDE);
    let text = fs::read_to_string(claude(&project)).unwrap();
    assert!(!text.contains("here") && text.contains("other hook claude"), "{text}");
    assert_eq!(text.matches(PROGRAM).count(), 14);
    uninstall(&project, "claude");
    assert_eq!(fs::read_to_string(claude(&project)).unwrap(), original);
}

/// PL-03: what a person changed after `install` stays when we go, to the byte.
#[test]
fn later_edits_stay() {
    let project = project();
    let original = "{\n  \"model\": \"a\"\n}\n";
    put(&claude(&project), original);
    install(&project, CLAUDE);
    let with = fs::read_to_string(claude(&project)).unwrap();
    let edited = with.replace("\"a\",", "\"b\",\n  \"env\": { \"X\": \"1\" },");
    assert_ne!(edited, with);
    put(&claude(&project), &edited);
    // Installing again on top of it changes nothing, and the later edit is what comes back.
    assert_eq!(install(&project, CLAUDE)["changes"][0]["fate"], "kept");
    let gone = uninstall(&project, "claude");
    assert_eq!(gone["changes"][0]["fate"], "cleaned", "{gone}");
    let expected = "{\n  \"model\": \"b\",\n  \"env\": { \"X\": \"1\" }\n}\n";
    assert_eq!(fs::read_to_string(claude(&project)).unwrap(), expected);
    let nothing = uninstall(&project, "claude");
    assert_eq!(nothing["changes"], json!([]));
    // A file of ours that another put something into is theirs now.
    fs::remove_file(claude(&project)).unwrap();
    install(&project, CLAUDE);
    let with = fs::read_to_string(claude(&project)).unwrap();
    put(&claude(&project), with.replacen('{', "{\n  \"theirs\": 1,", 1));
    uninstall(&project, "claude");
    let left: Value = serde_json::from_slice(&fs::read(claude(&project)).unwrap()).unwrap();
    assert_eq!(left, json!({ "theirs": 1 }));
}

/// PL-03: without the record of what was before, only what is ours goes.
#[test]
fn a_lost_record_costs_nothing() {
    let project = project();
    let original = "{\n    \"a\": 1\n}\n";
    put(&claude(&project), original);
    install(&project, CLAUDE);
    fs::remove_dir_all(project.home().join("hooks")).unwrap();
    assert_eq!(uninstall(&project, "claude")["changes"][0]["fate"], "cleaned");
    assert_eq!(fs::read_to_string(claude(&project)).unwrap(), original);
}

/// PL-03: a broken file is refused with its place, and nothing is changed, in any file.
#[test]
fn broken_files_are_refused() {
    let project = project();
    let check = |path: PathBuf, bytes: &[u8], agent: &str, place: &str| {
        put(&path, bytes);
        let call = hooks(&project, &format!("install {agent} --format json"));
        let error = call.run().expect(1).error();
        let message = error["message"].as_str().unwrap();
        assert!(message.contains(&format!("{}:{place}", path.display())), "{message}");
        assert_eq!(fs::read(&path).unwrap(), bytes);
        fs::remove_file(path).unwrap();
    };
    let home = project.outside().join("home");
    let settings = claude(&project);
    check(settings.clone(), b"{\n  \"a\": 1,\n}", "claude", "3:1: ");
    check(settings.clone(), b"{\n  // c\n}", "claude", "2:3: ");
    check(settings.clone(), b"{\"a\":\n\"\xff\"}", "claude", "2:2: ");
    check(settings.clone(), b"[]", "claude", "1:1: ");
    check(settings, b"{\"hooks\": {\"Stop\": 1}}", "claude", "1:20: ");
    check(home.join(".gemini/settings.json"), b"{\"a\": 1,}", "gemini", "1:8: ");
    check(home.join(".codex/hooks.json"), "\u{feff}{}".as_bytes(), "codex", "1:1: ");
    check(home.join(".codex/config.toml"), b"a = 1\nb =\n", "codex", "2:4: ");
    // One broken file of several agents, and none is written.
    let broken = home.join(".gemini/settings.json");
    put(&broken, "{");
    hooks(&project, "install claude gemini").run().expect(1).says("1:1: ");
    assert!(!claude(&project).exists());
    let plugin = home.join(".config/opencode/plugin/countersign.js");
    put(&plugin, "export const x = 1\n");
    hooks(&project, "install opencode").run().expect(1).says("is not ours");
    assert_eq!(fs::read_to_string(plugin).unwrap(), "export const x = 1\n");
}

/// PL-03: links are written through, and stay links.
#[test]
fn links_are_written_through() {
    let project = project();
    let real = project.outside().join("dotfiles/claude.json");
    put(&real, "{}");
    fs::create_dir_all(claude(&project).parent().unwrap()).unwrap();
    symlink(&real, claude(&project)).unwrap();
    install(&project, CLAUDE);
    assert!(claude(&project).is_symlink());
    assert!(fs::read_to_string(&real).unwrap().contains(PROGRAM));
    uninstall(&project, "claude");
    assert!(claude(&project).is_symlink());
    assert_eq!(fs::read_to_string(&real).unwrap(), "{}");
    fs::remove_file(&real).unwrap();
    hooks(&project, "install claude").run().expect(1).says("is a link to nothing");
}

/// PL-03: a folder that can't be written is said, and nothing is left in it.
#[test]
fn a_read_only_folder_is_said() {
    let project = project();
    put(&claude(&project), "{}");
    let script = format!(
        "cd {0:?} && mount --bind . . && mount -o remount,ro,bind . && cd {1:?} && \
         {PROGRAM} hooks install claude; echo code $?",
        claude(&project).parent().unwrap(),
        project.root()
    );
    let wrapped = format!("unshare --mount --map-root-user sh -c '{script}'");
    let ran = project.sh(&wrapped);
    if !ran.out().contains("code") {
        eprintln!("SKIPPED: mounts can't be made here: {}", ran.err());
        return;
    }
    ran.prints("code 1").says("can't write").says("settings.json");
    assert_eq!(fs::read_to_string(claude(&project)).unwrap(), "{}");
    assert_eq!(fs::read_dir(claude(&project).parent().unwrap()).unwrap().count(), 1);
}

/// PL-03: requests that make no sense are refused with a way out.
#[test]
fn wrong_requests_are_refused() {
    let project = project();
    let outside = project.outside();
    let call = hooks(&project, "install claude --project").at(outside);
    call.run().expect(1).says("is in no git repository").says("leave --project out");
    let call = hooks(&project, "install claude").without_env("HOME");
    call.run().expect(1).says("neither HOME nor CLAUDE_CONFIG_DIR is set");
    let call = hooks(&project, "install claude").without_env("HOME");
    let dir = project.outside().join("elsewhere");
    call.env("CLAUDE_CONFIG_DIR", &dir).run().expect(0);
    assert!(dir.join("settings.json").is_file());
    hooks(&project, "install goose").run().expect(2).says("claude, codex, gemini or opencode");
    hooks(&project, "install claude --user --project").run().expect(2);
    fs::create_dir_all(claude(&project)).unwrap();
    hooks(&project, "install claude").run().expect(1).says("is not a file");
}

/// PL-03: many at once do what one does.
#[test]
fn many_installs_at_once() {
    let project = project();
    put(&claude(&project), "{\"a\": 1}");
    let words = format!("install {CLAUDE}");
    let running: Vec<_> = (0..8).map(|_| hooks(&project, &words).start()).collect();
    for one in running {
        one.wait().expect(0);
    }
    let text = fs::read_to_string(claude(&project)).unwrap();
    assert_eq!(text.matches(PROGRAM).count(), 14, "{text}");
    uninstall(&project, "claude");
    assert_eq!(fs::read_to_string(claude(&project)).unwrap(), "{\"a\": 1}");
}

/// PL-03: who uninstalls in the wrong place is told the right one.
#[test]
fn the_other_place_is_named() {
    let project = project();
    install(&project, &format!("{CLAUDE} --project"));
    let notes = uninstall(&project, "claude")["notes"].to_string();
    assert!(notes.contains("what there is goes with --project"), "{notes}");
    assert_eq!(uninstall(&project, "claude --project")["notes"], json!([]));
    assert_eq!(uninstall(&project, "claude")["notes"], json!(["there was nothing of ours"]));
}
