//! Setting up: `init`, `completions`, `man`.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use crate::{project, project_with_run};

/// PL-02: `init` says what it wrote, and doing it again changes nothing.
#[test]
fn init_is_idempotent() {
    let project = project();
    let first = project.run(["init", "--format", "json"]).expect(0).data();
    assert_eq!(first["wrote"].as_array().unwrap().len(), 3);
    assert_eq!(first["kept"], serde_json::json!([]));
    assert_eq!(project.git(["status", "--porcelain"]), "?? countersign.toml\n");
    project.commit("Set up");
    let before = project.fingerprint();
    let key = fs::read(project.home().join("key")).unwrap();
    let second = project.run(["init", "--format", "json"]).expect(0).data();
    assert_eq!(second["kept"], first["wrote"]);
    assert_eq!(second["wrote"], serde_json::json!([]));
    before.expect_same(&project.fingerprint());
    assert_eq!(fs::read(project.home().join("key")).unwrap(), key);
    // The file as written changes nothing.
    let shown = project.run(["config", "show"]).expect(0).out();
    assert!(shown.lines().all(|line| line.ends_with("default")), "{shown}");
}

/// PL-02: what `init` finds is left as it is.
#[test]
fn init_keeps_what_is_there() {
    let project = project();
    project.write("countersign.toml", "[run]\nattempts = 7\n");
    project.run(["init"]).expect(0).prints("kept").prints("wrote");
    assert_eq!(project.read("countersign.toml"), "[run]\nattempts = 7\n");
    project.run(["config", "show"]).expect(0).prints("7");
}

/// SE-01: the key is made once, for its owner only, outside of the repository.
#[test]
fn the_key_is_private() {
    let project = project_with_run();
    let key = project.home().join("key");
    assert_eq!(fs::metadata(&key).unwrap().permissions().mode() & 0o777, 0o600);
    let public = project.run(["ledger", "key"]).expect(0).out();
    assert_eq!(public.trim().len(), 64);
    assert!(!fs::read_to_string(&key).unwrap().contains(public.trim()));
}

/// PL-06: without git, the doctor says so, and a run ends with code 5.
#[test]
fn a_missing_git_is_named() {
    let project = project();
    let ran = project.call(["doctor"]).env("PATH", "/nowhere").run().expect(1);
    ran.prints("git");
    let ran = project.goal("true", "true").env("PATH", "/nowhere").run().expect(5);
    ran.says("install git");
}

/// PL-06: completions for the common shells, and they are well formed.
#[test]
fn completions_are_scripts() {
    let project = project();
    for shell in ["bash", "zsh", "fish"] {
        let script = project.run(["completions", shell]).expect(0).out();
        assert!(script.contains("countersign") && script.contains("resume"), "{shell}");
        let path = project.outside().join(shell);
        fs::write(&path, script).unwrap();
    }
    let path = project.outside().join("bash");
    let ran = project.sh(&format!("command -v bash >/dev/null || exit 0; bash -n {path:?}"));
    ran.expect(0);
    project.run(["completions", "tcsh"]).expect(2).says("possible values");
}

/// PL-06: the manual: one page, or one for each verb.
#[test]
fn the_manual_is_complete() {
    let project = project();
    let page = project.run(["man"]).expect(0).out();
    assert!(page.contains(".TH countersign 1") && page.contains("EXIT") || page.contains("Exit"));
    let folder = project.outside().join("man");
    project.run(["man", "--out", folder.to_str().unwrap()]).expect(0);
    let pages: Vec<_> = fs::read_dir(&folder).unwrap().flatten().map(|e| e.file_name()).collect();
    for verb in ["run", "resume", "cancel", "ledger", "ledger-verify", "config-show"] {
        let name = format!("countersign-{verb}.1");
        assert!(pages.iter().any(|page| *page == *name), "{name} is not in {pages:?}");
    }
}
