//! What becomes of a relay that was blocked, and what is known before one is opened.

use countersign_testkit::Project;

use crate::legs::blocked_over;
use crate::relay::{answer_all, project, worker};
use crate::stage::planted;

/// A relay of two stories that was blocked over the second; its id.
fn blocked(project: &Project) -> String {
    let words = ["run", "--plan", "names", "--no-input", "--worker"];
    let ran = project.call(words).arg(blocked_over("US-002")).run();
    assert_eq!(ran.code, Some(4), "{}{}", ran.out(), ran.err());
    let open = project.run(["checkpoint", "list", "--format", "json"]).expect(0).data();
    let id = open["checkpoints"][0]["id"].as_str().unwrap().to_owned();
    project.run(["checkpoint", "answer", &id, "stop"]).expect(0);
    let relay = project.run(["log", "latest", "--format", "json"]).expect(0).data();
    let relay = relay["relay"].as_str().unwrap().to_owned();
    let ended = project.run(["resume", &relay, "--no-input"]).expect(3).out();
    assert!(ended.contains(&format!("countersign run --continue {relay}")), "{ended}");
    assert!(ended.contains(&format!("countersign accept {relay} --landed --merge")), "{ended}");
    assert!(ended.contains("what to do:"), "{ended}");
    relay
}

/// LP-16: what landed in a blocked relay stays landed; the rest is tried again on top of it, with what
/// was held against it, and the whole can be accepted.
#[test]
fn a_blocked_relay_is_gone_on_from() {
    let project = project(&["alpha", "beta"]);
    let relay = blocked(&project);
    let told = project.run(["run", "status"]).expect(0).out();
    assert!(told.contains(&format!("countersign run --continue {relay}")), "{told}");

    let seen = project.outside().join("prompts");
    let keeps = format!("command:prompt=$(cat); printf '%s' \"$prompt\" >> {}; ", seen.display());
    let worker = worker("$u").replacen("command:prompt=$(cat); ", &keeps, 1);
    let words = ["run", "--continue", &relay, "--no-input", "--worker", &worker];
    let ran = project.run(words);
    assert_eq!(answer_all(&project, ran.code.unwrap_or(-1)), 0, "{}{}", ran.out(), ran.err());
    assert!(
        ran.out().contains("landed there: US-001") || ran.err().contains("landed there: US-001")
    );
    let prompts = std::fs::read_to_string(&seen).unwrap();
    assert!(!prompts.contains("US-001"), "it is not worked on again: {prompts}");
    assert!(prompts.contains("who knows"), "what was held against it is known: {prompts}");

    // The report tells of the whole way, as the work rests on all of it (LP-22).
    let report = project.run(["run", "report"]).expect(0).out();
    assert!(report.contains("**Goes on from**") && report.contains("| US-001 "), "{report}");
    assert!(report.contains("US-002 \\#2"), "iterations are counted on: {report}");
    let status = project.run(["run", "status", "--format", "json"]).expect(0).data();
    assert_eq!(status["legs"].as_array().unwrap().len(), 3, "{status:#}");

    let before = project.git(["rev-parse", "HEAD"]);
    let body = project.run(["accept", "--pr-body"]).expect(0).out();
    assert!(body.contains("US-001: Print alpha") && body.contains("US-002: Print beta"), "{body}");
    project.run(["accept", "--merge"]).expect(0).prints("fast-forward");
    let log = project.git(["log", "--format=%s", &format!("{}..HEAD", before.trim())]);
    assert_eq!(log, "US-002: Print beta\nUS-001: Print alpha\n");
    project.run(["ledger", "verify"]).expect(0).prints("intact");

    // What is complete, and what has not ended, is not gone on from.
    project
        .run(["run", "--continue", "latest", "--worker", "command:true"])
        .expect(1)
        .says("complete");
    project.run(["run", "--continue", "20200101_000000_001", "--worker", "command:true"]).expect(1);
}

/// LP-16: a plan that was edited since, maybe by a worker, is gone on with only if a person says so: what
/// differs is named, and whether that is committed.
#[test]
fn a_changed_plan_needs_a_person() {
    let project = project(&["alpha", "beta"]);
    let relay = blocked(&project);
    let files = project.git(["ls-files"]);
    let prd = files.lines().find(|path| path.contains("names") && path.contains("prd")).unwrap();
    let text = std::fs::read_to_string(project.path(prd)).unwrap();
    project.write(prd, text.replace("Print beta", "Print beta once"));
    let worker = worker("$u");
    let words = ["run", "--continue", &relay, "--no-input", "--worker", &worker];
    let count = || project.run(["status", "--format", "json"]).expect(0).data();
    let before = count();
    let ran = project.run(words);
    assert_eq!(ran.code, Some(4), "{}{}", ran.out(), ran.err());
    let told = ran.err();
    for part in ["US-002 is another", &format!("not committed: {prd}"), &relay, "--changed-plan"] {
        assert!(told.contains(part), "{part} is not in {told}");
    }
    assert!(!told.contains("US-001"), "{told}");
    let ran = project.call(words).arg("--changed-plan").env("CLAUDECODE", "1").run();
    assert!(ran.code == Some(1) && ran.err().contains("a person is asked"), "{}", ran.err());
    project.commit("Another plan");
    let told = project.run(words).expect(4).err();
    assert!(told.contains("its files are committed"), "{told}");
    assert_eq!(count(), before, "nothing was begun");
    let ran = project.call(words).arg("--changed-plan").run();
    assert!(matches!(ran.code, Some(0 | 3 | 4)), "{}{}", ran.out(), ran.err());
    assert_ne!(count(), before, "{}{}", ran.out(), ran.err());
}

/// LP-14: what landed in a blocked relay can be accepted by command; it is verified as a whole first,
/// and what is missing is said.
#[test]
fn what_landed_can_be_accepted() {
    let project = project(&["alpha", "beta"]);
    let relay = blocked(&project);
    project.run(["accept", &relay, "--merge"]).expect(1).says("--landed");
    let body = project.run(["accept", &relay, "--landed", "--pr-body"]).expect(0).out();
    assert!(body.contains("What is not in it") && body.contains("US-002"), "{body}");
    let words = ["accept", &relay, "--landed", "--merge", "--looked", "read it"];
    let told = project.run(words).expect(0).out();
    assert!(told.contains("US-002: Print beta") && told.contains("verified again"), "{told}");
    project.sh("sh tests/alpha.sh && ! test -e beta.sh").expect(0);
    let risk = project.run(["contract", "show", "latest", "--format", "json"]).expect(0).out();
    assert!(risk.contains("LOW"), "the plan's own risk counts: {risk}");

    // What landed and no longer holds is not taken.
    let other = crate::relay::project(&["alpha", "beta"]);
    let relay = blocked(&other);
    other.write("tests/all.sh", "sh base.sh | grep -qx base && test ! -e alpha.sh\n");
    other.commit("No alpha, please");
    let before = other.fingerprint();
    other.run(["accept", &relay, "--landed", "--merge"]).expect(3);
    before.expect_same(&other.fingerprint());
}

/// LP-18: a git that can't put stories together is named before anything is worked on.
#[test]
fn an_old_git_is_named_before_the_work() {
    let project = project(&["alpha", "beta"]);
    let real = project.sh("command -v git").expect(0).out();
    let script = format!(
        "case \"$*\" in *--version*) echo 'git version 2.39.5';; *version*) echo 'git version 2.39.5';; \
         *) exec {} \"$@\";; esac",
        real.trim()
    );
    let path = planted(&project, "git", &script);
    let told = project.call(["doctor"]).env("PATH", &path).run().out();
    assert!(told.contains("2.39.5") && told.contains("plans with several stories"), "{told}");
    let words = ["run", "--plan", "names", "--no-input", "--worker", "command:true"];
    let ran = project.call(words).env("PATH", &path).run();
    assert_eq!(ran.code, Some(5), "{}{}", ran.out(), ran.err());
    assert!(ran.err().contains("git 2.39.5 is too old"), "{}", ran.err());
    assert_eq!(project.run(["status", "--format", "json"]).expect(0).data(), serde_json::json!([]));
}
