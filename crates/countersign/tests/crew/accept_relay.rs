//! `countersign accept` for all stories of a plan.

use countersign_testkit::Project;

use crate::relay::{answer_all, project, worker};

/// A project whose plan of two stories was carried out; the relay's id.
fn carried_out() -> (Project, String) {
    let project = project(&["alpha", "beta"]);
    let words = ["run", "--plan", "names", "--worker", &worker("$u"), "--no-input"];
    let ran = project.run(words);
    assert_eq!(answer_all(&project, ran.code.unwrap_or(-1)), 0, "{}", ran.err());
    let relay = project.run(["log", "latest", "--format", "json"]).expect(0).data();
    let relay = relay["relay"].as_str().unwrap().to_owned();
    (project, relay)
}

/// LP-14: the commits of all stories come into the branch, or one for all of them; a story alone is not
/// taken over, and a pull request tells of each.
#[test]
fn all_stories_are_accepted_together() {
    let (project, relay) = carried_out();
    let start = project.git(["rev-parse", "HEAD"]);
    let before = project.fingerprint();
    let body = project.run(["accept", "--pr-body"]).expect(0).out();
    for part in
        ["US-001: Print alpha", "US-002: Print beta", "All stories together", "`sh tests/beta.sh`"]
    {
        assert!(body.contains(part), "{part} is not in:\n{body}");
    }
    let runs = project.run(["status", "--format", "json"]).expect(0).data();
    let stories: Vec<&str> =
        runs.as_array().unwrap().iter().map(|run| run["run"].as_str().unwrap()).collect();
    let story = stories.last().unwrap();
    project
        .run(["accept", story, "--merge"])
        .expect(1)
        .says(&format!("countersign accept {relay}"));
    before.expect_same(&project.fingerprint());

    project.run(["accept", &relay, "--merge"]).expect(0).prints("fast-forward");
    let log = project.git(["log", "--format=%s", &format!("{}..HEAD", start.trim())]);
    assert_eq!(log, "US-002: Print beta\nUS-001: Print alpha\n");
    assert_eq!(project.git(["status", "--porcelain"]), "");

    project.git(["reset", "-q", "--hard", start.trim()]);
    project.run(["accept", &relay, "--squash"]).expect(0).prints("one commit");
    let message = project.git(["log", "-1", "--format=%B"]);
    for part in [
        "- US-001: Print alpha",
        "Countersign-Story: US-001",
        "Countersign-Story: US-002",
        &format!("Countersign-Relay: {relay}"),
    ] {
        assert!(message.contains(part), "{part} is not in:\n{message}");
    }
    assert_eq!(project.git(["rev-list", "--count", &format!("{}..HEAD", start.trim())]), "1\n");
    project.run(["ledger", "verify"]).expect(0).prints("intact");
}

/// LP-14: a branch that moved on is merged with all stories and verified again; with a conflict, nothing
/// is changed.
#[test]
fn stories_and_a_branch_that_moved_are_verified_together() {
    let (project, relay) = carried_out();
    let start = project.git(["rev-parse", "HEAD"]);
    project.write("alpha.sh", "echo another\n");
    project.commit("Meanwhile");
    let before = project.fingerprint();
    project.run(["accept", &relay, "--merge"]).expect(1).prints("alpha.sh (contents)");
    before.expect_same(&project.fingerprint());

    project.git(["reset", "-q", "--hard", start.trim()]);
    project.write("README.md", "Another project.\n");
    project.commit("Meanwhile");
    let words = ["accept", &relay, "--merge", "--looked", "read both", "--format", "json"];
    let data = project.run(words).expect(0).data();
    assert_eq!(data["how"], "merge_commit", "{data:#}");
    assert!(data["verification"].is_string(), "{data:#}");
    project.sh("sh tests/alpha.sh && sh tests/beta.sh && grep -q Another README.md").expect(0);
}

/// LP-14, VC-08: the known inputs of the plan count for stories and branch together as well.
#[test]
fn a_known_input_that_became_false_is_refused() {
    let (project, relay) = carried_out();
    let body = project.run(["accept", &relay, "--pr-body"]).expect(0).out();
    assert!(body.contains("--example 'sh base.sh => base'"), "{body}");
    project.write("none.sh", "echo yes\n");
    project.commit("Meanwhile");
    let before = project.fingerprint();
    let words = ["accept", &relay, "--merge", "--looked", "read both"];
    project.run(words).expect(3).prints("sh none.sh").prints("nothing was changed");
    before.expect_same(&project.fingerprint());
}
