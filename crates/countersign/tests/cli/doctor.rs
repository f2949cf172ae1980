//! `countersign doctor`: what is well is called so, and nothing else is.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use countersign_testkit::Project;

use crate::faults::mounting;
use crate::{project, project_with_run};

/// PL-06: a healthy project gets a clean bill; each part is named.
#[test]
fn doctor_finds_health() {
    let project = project_with_run();
    let before = project.fingerprint();
    let data = project.run(["doctor", "--format", "json"]).expect(0).data();
    assert_eq!(data["healthy"], true);
    let found = data["findings"].as_array().unwrap();
    for what in ["git", "repository", "ledger", "key", "disk", "sandbox"] {
        let finding = found.iter().find(|finding| finding["what"] == what);
        assert!(finding.is_some_and(|finding| finding["health"] != "bad"), "{what}: {data}");
    }
    assert!(found.iter().any(|f| f["what"] == "agent" || f["what"] == "agents"), "{data}");
    before.expect_same(&project.fingerprint());
}

/// LP-18: an agent that is here is told with its version, and with what it lacks to run by itself.
#[test]
fn doctor_knows_agents() {
    let project = project_with_run();
    project.write_program("bin/claude", "#!/bin/sh\necho '2.1.325 (Claude Code)'\n");
    project.write_program("bin/codex", "#!/bin/sh\necho 'codex-cli 99.0.0'\n");
    project.write_program("bin/gemini", "#!/bin/sh\nexit 3\n");
    let path = format!("{}:/usr/bin:/bin", project.path("bin").display());
    let doctor = || project.call(["doctor"]).env("PATH", &path);
    let ran = doctor().run().expect(0);
    ran.prints("2.1.325 (Claude Code) (tested); can't run by itself: not logged in")
        .prints("set ANTHROPIC_API_KEY")
        .prints("(newer than 0.166.0, which is tested)")
        .prints("Gemini CLI at")
        .prints("--version ended with exit code 3");
    let ran = doctor().env("ANTHROPIC_API_KEY", "secret-key").run().expect(0);
    let ran = ran.prints("ok    agent").prints("can log in (ANTHROPIC_API_KEY is set)");
    assert!(!ran.out().contains("secret-key") && !ran.err().contains("secret-key"));
    // A version that nobody has tried is no clean bill.
    project.write_program("bin/claude", "#!/bin/sh\necho '1.0.3 (Claude Code)'\n");
    let ran = doctor().env("ANTHROPIC_API_KEY", "secret-key").run().expect(0);
    let ran = ran.prints("note  agent       Claude Code").prints("(older than 2.");
    let ran = ran.prints("install a newer Claude Code");
    assert!(!ran.out().contains("ok    agent"), "{}", ran.out());
}

/// SE-01: a key that others can read, or that is none, is bad health.
#[test]
fn doctor_finds_a_bad_key() {
    let project = project_with_run();
    let key = project.home().join("key");
    fs::set_permissions(&key, fs::Permissions::from_mode(0o644)).unwrap();
    project.run(["doctor"]).expect(1).prints("can be read by others").prints("chmod 600");
    fs::write(&key, "not a key\n").unwrap();
    project.run(["doctor"]).expect(1).prints("is not a signing key");
    project.run(["ledger", "seal"]).expect(0).prints("nothing new to seal");
    project.goal("echo > y", "true").run().expect(1).says("is not a signing key");
}

/// The finding about `what`: how it is to be taken, and in which words.
fn finding(project: &Project, code: i32, what: &str) -> (String, String) {
    let data = project.run(["doctor", "--format", "json"]).expect(code).data();
    let found = data["findings"].as_array().unwrap().iter().find(|one| one["what"] == what);
    let found = found.unwrap_or_else(|| panic!("nothing about {what}: {data:#}"));
    let text = |name: &str| found[name].as_str().unwrap_or_default().to_owned();
    (text("health"), format!("{}; {}", text("detail"), text("hint")))
}

/// PL-06: a project that nothing has happened in is not changed by looking at it.
#[test]
fn doctor_makes_nothing() {
    let project = project();
    let (health, words) = finding(&project, 0, "ledger");
    assert_eq!((&health[..], &words[..]), ("note", "none yet; it is made when first needed; "));
    assert!(!project.state().exists() && !project.home().join("key").exists());
}

/// PL-06: a ledger that was removed is missed, before and after another one has begun in its place,
/// also when its folder alone is left.
#[test]
fn doctor_misses_a_removed_ledger() {
    let project = project_with_run();
    let aside = project.outside().join("aside");
    fs::rename(project.state(), &aside).unwrap();
    for _ in 0..2 {
        let (health, words) = finding(&project, 1, "ledger");
        assert_eq!(health, "bad");
        assert!(words.contains("countersign is gone; refs/countersign/seals/"), "{words}");
        assert!(words.contains("put the folder back from a backup"), "{words}");
        assert!(!project.state().exists(), "looking made a ledger");
    }
    project.goal("echo > z", "true").run();
    let (health, words) = finding(&project, 1, "ledger");
    assert_eq!(health, "bad");
    assert!(words.contains("it took the place of ledger"), "{words}");
    assert!(words.contains("countersign ledger verify"), "{words}");

    fs::remove_dir_all(project.state()).unwrap();
    fs::create_dir(project.state()).unwrap();
    assert_eq!(finding(&project, 1, "ledger").0, "bad");

    fs::remove_dir_all(project.state()).unwrap();
    fs::rename(&aside, project.state()).unwrap();
    let seals = project.git(["for-each-ref", "--format=%(refname)", "refs/countersign/seals"]);
    let newest = fs::read_to_string(project.state().join("ledger.id")).unwrap();
    for other in seals.lines().filter(|name| !name.ends_with(newest.trim())) {
        project.git(["update-ref", "-d", other]);
    }
    assert_eq!(finding(&project, 0, "ledger").0, "good");
}

/// PL-06: whoever has lost a ledger for good is told how to say so; it is named afterwards as well.
#[test]
fn a_ledger_can_be_given_up() {
    let project = project_with_run();
    let lost = fs::read_to_string(project.state().join("ledger.id")).unwrap();
    fs::remove_dir_all(project.state()).unwrap();
    project.goal("echo > z", "true").run();
    let (health, words) = finding(&project, 1, "ledger");
    assert_eq!(health, "bad");
    let command = words.split('`').find(|part| part.starts_with("git update-ref -d ")).unwrap();
    assert!(command.ends_with(lost.trim()), "{words}");
    project.run(["ledger", "verify"]).expect(1);
    project.sh(command).expect(0);
    let (health, words) = finding(&project, 0, "ledger");
    assert_ne!(health, "bad", "{words}");
    let verified = project.run(["ledger", "verify"]).expect(0);
    let told = format!("{}{}", verified.out(), verified.err());
    assert!(told.contains(lost.trim()) && told.contains("is gone"), "{told}");
}

/// PL-06: events that were lost with a damaged database are told by every later look.
#[test]
fn doctor_remembers_what_was_lost() {
    let project = project_with_run();
    for name in ["ledger.db", "ledger.db-wal", "ledger.db-shm"] {
        let _ = fs::remove_file(project.state().join(name));
    }
    let (health, words) = finding(&project, 0, "ledger");
    assert!(health == "note" && words.contains("the ledger was damaged"), "{words}");
    let (health, words) = finding(&project, 0, "ledger");
    assert!(health == "note" && words.contains("events were lost when it was damaged"), "{words}");
}

/// SE-01: a key that is gone, or another than the ledger is sealed with, is bad health.
#[test]
fn doctor_misses_the_key_of_the_ledger() {
    let project = project_with_run();
    let key = project.home().join("key");
    fs::rename(&key, project.outside().join("aside")).unwrap();
    let (health, words) = finding(&project, 1, "key");
    assert_eq!(health, "bad");
    assert!(words.contains("is gone, and the ledger is sealed with"), "{words}");
    assert!(words.contains("restore it from a backup") && !key.exists(), "{words}");
    project.run(["ledger", "key"]).expect(0);
    let (health, words) = finding(&project, 1, "key");
    assert_eq!(health, "bad");
    assert!(words.contains("is not the key that the ledger is sealed with"), "{words}");
    fs::rename(project.outside().join("aside"), &key).unwrap();
    assert_eq!(finding(&project, 0, "key").0, "good");
}

/// PL-06: settings that can't be read are told as such, and the ledger is looked at all the same.
#[test]
fn doctor_tells_settings_from_the_ledger() {
    let project = project_with_run();
    project.write("countersign.toml", "nonsense = 1\n");
    let (health, words) = finding(&project, 1, "settings");
    assert!(health == "bad" && words.contains("there is no setting 'nonsense'"), "{words}");
    assert_eq!(finding(&project, 1, "ledger").0, "good");
}

/// PL-06: damage that no command has met yet is found, and looking at it changes nothing.
#[test]
fn doctor_finds_damaged_pages() {
    let project = project_with_run();
    let script = "command -v sqlite3 && sqlite3 .git/countersign/ledger.db 'PRAGMA wal_checkpoint(TRUNCATE)'";
    if project.sh(script).code != Some(0) {
        eprintln!("SKIPPED: there is no sqlite3 to bring all pages into one file with");
        return;
    }
    let database = project.state().join("ledger.db");
    let mut bytes = fs::read(&database).unwrap();
    bytes[3 * 4096..5 * 4096].fill(0xa5);
    fs::write(&database, &bytes).unwrap();
    for _ in 0..2 {
        let (health, words) = finding(&project, 1, "ledger");
        assert_eq!(health, "bad", "{words}");
        assert!(words.contains("it is damaged"), "{words}");
        assert!(words.contains("put the folder back from a backup"), "{words}");
    }
    let is_aside = |name: &str| name.starts_with("damaged-");
    let names = fs::read_dir(project.state()).unwrap().flatten();
    assert!(
        !names.filter_map(|one| one.file_name().into_string().ok()).any(|name| is_aside(&name))
    );
}

/// PL-06: folders that can't be written, and disks that are nearly full, are named, wherever they are.
#[test]
fn doctor_finds_what_can_not_be_written() {
    let project = project_with_run();
    let file = project.outside().join("home/file");
    fs::write(&file, "").unwrap();
    let ran = project.call(["doctor"]).env("COUNTERSIGN_HOME", &file).run().expect(1);
    ran.prints("BAD   home").prints("home/file is there and is no folder");
    let script = r#"
        mount --bind .git/countersign .git/countersign
        mount -o remount,ro,bind .git/countersign
        countersign doctor | grep -A 1 BAD
        umount .git/countersign
        mount --bind "$COUNTERSIGN_HOME" "$COUNTERSIGN_HOME"
        mount -o remount,ro,bind "$COUNTERSIGN_HOME"
        countersign doctor | grep -A 1 BAD
        umount "$COUNTERSIGN_HOME"
        mkdir -p "$COUNTERSIGN_HOME/work"
        mount -t tmpfs -o size=6m tmpfs "$COUNTERSIGN_HOME/work"
        countersign doctor | grep -A 1 BAD
    "#;
    let Some(ran) = mounting(&project, script) else { return };
    let out = ran.expect(0).out();
    for words in [
        "BAD   ledger",
        "countersign can't be written: Read-only file system",
        "give yourself the right to write there",
        "BAD   home",
        "home/countersign can't be written: Read-only file system",
        "BAD   disk",
        " MiB free at ",
        "countersign run clean",
    ] {
        assert!(out.contains(words), "{words}: {out}");
    }
    assert_eq!(out.matches("BAD").count(), 3, "{out}");
}
