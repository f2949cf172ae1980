//! One goal from contract to ruling.

use countersign_testkit::kinds;

use crate::{project, project_with_run};

/// LP-01: a goal goes through contract, attempt, snapshot, check, ruling and commit.
#[test]
fn honest_work_is_accepted() {
    let project = project();
    let before = project.fingerprint();
    let ran = project.goal("echo done > done.txt", "grep done done.txt").run().expect(0);
    let steps = [
        "opened",
        "prepared",
        "launched",
        "worked",
        "snapshotted",
        "checked",
        "ruled",
        "committed",
        "closed",
    ];
    assert_eq!(kinds(&project.journal()), steps);
    ran.prints("accepted").prints("countersign accept ").says("countersigned");
    before.expect_same(&project.fingerprint());
    project.expect_no_survivors();
}

/// LP-01: accepted work is a commit on a branch of its own, with trailers that name the proof.
#[test]
fn the_accepted_commit_names_its_proof() {
    let project = project_with_run();
    let journal = project.journal();
    let run = journal["run"].as_str().unwrap().to_owned();
    let branch = format!("countersign/{run}");
    let message = project.git(["log", "-1", "--format=%B", &branch]);
    assert!(message.starts_with("Do it\n"), "{message}");
    assert!(message.contains(&format!("Countersign-Run: {run}\n")), "{message}");
    let opened = &journal["entries"][0]["event"]["body"];
    let contract = opened["contract_hash"].as_str().unwrap();
    assert!(message.contains(&format!("Countersign-Contract: {contract}\n")), "{message}");
    let named = message.lines().find_map(|line| line.strip_prefix("Countersign-Receipt: "));
    let shown = project.run(["show", named.unwrap(), "--format", "json"]).expect(0).data();
    assert_eq!(shown["passed"], true);
    assert_eq!(shown["contract"], contract);
    let tree = project.git(["rev-parse", &format!("{branch}^{{tree}}")]);
    assert_eq!(shown["tree"], tree.trim());
    assert_eq!(
        project.git(["rev-parse", &format!("{branch}^")]),
        project.git(["rev-parse", "main"])
    );
    assert_eq!(project.git(["show", &format!("{branch}:done.txt")]), "done\n");
}

/// LP-02: a worker that says it is done and has done nothing is refused with exit code 3.
#[test]
fn a_claim_alone_is_refused() {
    let project = project();
    let ran = project.goal("echo 'Done! All tests pass.'", "true").arg("--attempts=1").run();
    let ran = ran.expect(3).prints("not accepted").says("no file differs");
    assert!(!ran.out().contains("countersign accept"), "{}", ran.out());
    assert_eq!(project.git(["branch", "--list", "countersign/*"]), "");
    project.expect_no_survivors();
}

/// LP-08: a failed check refuses, however the worker ended.
#[test]
fn failing_checks_are_refused() {
    let project = project();
    let worker = "command:echo x > x.txt";
    let args = ["run", "Do it", "--attempts", "2", "--worker", worker];
    let checks = ["--check", "true", "--check", "echo why >&2; false", "--check", "exit 7"];
    let ran = project.call(args).args(checks).args(["--format", "json"]).run().expect(3);
    assert_eq!(ran.error()["kind"], "not_accepted");
    let data = ran.data();
    assert_eq!(data["outcome"]["because"], "attempts_exhausted");
    assert_eq!(data["run"]["attempt"], 2);
    let journal = project.journal();
    let rulings: Vec<_> = journal["entries"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|entry| entry["kind"] == "run.ruled")
        .map(|entry| entry["event"]["body"].clone())
        .collect();
    assert_eq!(rulings.len(), 2);
    assert_eq!(rulings[0]["decision"], "revise");
    assert_eq!(rulings[1]["decision"], "block");
    // Every check is run, and each that failed is a reason.
    for ruling in rulings {
        assert_eq!(ruling["receipts"].as_array().unwrap().len(), 3);
        let failed: Vec<_> =
            ruling["reasons"].as_array().unwrap().iter().map(|r| r["check"].clone()).collect();
        assert_eq!(failed, [1, 2]);
    }
}

/// LP-01: the worker gets the findings on standard input and in `$COUNTERSIGN_PROMPT`, and
/// goes on from the files it left.
#[test]
fn findings_reach_the_next_attempt() {
    let project = project();
    project.write_program(
        "worker.sh",
        r#"#!/bin/sh
set -e
stdin=$(cat)
[ "$stdin" = "$(cat "$COUNTERSIGN_PROMPT_FILE")" ]
[ "$stdin" = "$(printf '%s' "$COUNTERSIGN_PROMPT")" ]
printf '%s\n' "$stdin" | grep -q 'Do it'
printf '%s\n' "$stdin" | grep -q 'sh check.sh'
if [ "$COUNTERSIGN_ATTEMPT" = 1 ]; then
    ! printf '%s\n' "$stdin" | grep -q 'was refused'
    echo half > work.txt
else
    printf '%s\n' "$stdin" | grep -q 'Attempt 1 was refused'
    printf '%s\n' "$stdin" | grep -q 'the work is only half'
    printf '%s\n' "$stdin" | grep -q 'exit code 9'
    [ "$(cat work.txt)" = half ]
    echo whole > work.txt
fi
"#,
    );
    let check = "grep -q whole work.txt || { echo 'the work is only'  $(cat work.txt); exit 9; }\n";
    project.write("check.sh", check);
    project.commit("A worker and a check");
    let ran = project.goal("./worker.sh", "sh check.sh").run();
    ran.expect(0).says("attempt 2").says("refused; the worker gets the findings");
    let journal = project.journal();
    assert_eq!(kinds(&journal).iter().filter(|kind| *kind == "ruled").count(), 2);
}

/// LP-08: a worker that fails, is killed or runs out of time has not even claimed success.
#[test]
fn workers_that_do_not_finish_are_refused() {
    let cases = [
        ("echo x > x; exit 4", "exit code 4"),
        ("echo x > x; kill -9 $$", "ended by signal 9"),
        ("echo x > x; sleep 1000", "stopped at its deadline"),
        ("echo x > x; trap '' TERM; while :; do sleep 1; done", "stopped at its deadline"),
    ];
    let project = project();
    for (worker, why) in cases {
        let call = project.goal(worker, "true").args(["--attempts=1", "--worker-timeout=1"]);
        let call = call.env("COUNTERSIGN_EXEC_GRACE_SECONDS", "1");
        call.run().expect(3).says(&format!("the worker did not finish: {why}"));
        project.expect_no_survivors();
    }
}

/// LP-01: a run may start from a named revision, and says so when changes are left out.
#[test]
fn a_run_starts_from_a_commit() {
    let project = project();
    project.write("second.txt", "2\n");
    project.commit("Second");
    project.write("README.md", "Changed and not committed.\n");
    let check = "test ! -f second.txt && grep -q 'A project' README.md && test -f new";
    let before = project.fingerprint();
    project.goal("echo > new", check).args(["--base", "main~1"]).run().expect(0);
    let check = "test -f second.txt && grep -q 'A project' README.md && test -f new";
    project.goal("echo > new", check).run().expect(0).says("uncommitted changes are not part");
    project.goal("true", "true").args(["--base", "nowhere"]).run().expect(1).says("nowhere");
    before.expect_same(&project.fingerprint());
}

/// LP-01: going on with a run that has ended tells how it ended, and changes nothing.
#[test]
fn an_ended_run_stays_ended() {
    let project = project_with_run();
    let journal = project.journal();
    project.run(["resume"]).expect(0).prints("accepted");
    let run = journal["run"].as_str().unwrap();
    project.run(["cancel", run]).expect(1).says("has already ended: accepted");
    assert_eq!(project.journal(), journal);
    project.goal("true", "true").arg("--attempts=1").run().expect(3);
    project.run(["resume"]).expect(3).prints("not accepted");
}

/// PL-06: a list that is cut says so.
#[test]
fn a_cut_list_says_so() {
    let project = project();
    for _ in 0..2 {
        project.goal("echo > x", "test -f x").run().expect(0);
    }
    let listed = project.run(["status", "--most", "1"]).expect(0).prints("there are older ones");
    assert_eq!(listed.out().lines().count(), 3, "{}", listed.out());
    assert!(!project.run(["status", "--most", "2"]).expect(0).out().contains("older"));
    project.run(["status", "--most", "0"]).expect(2);
}

/// SE-02: what an agent needs to log in reaches the worker only if the settings name it, and
/// checks never.
#[test]
fn a_workers_secrets_do_not_reach_checks() {
    let project = project();
    let worker = "echo \"key ${AGENT_KEY:-none}\" > key";
    let check = "test -z \"$AGENT_KEY\" && cat key";
    let ran = project.goal(worker, &format!("{check} | grep -q none")).env("AGENT_KEY", "k1");
    ran.run().expect(0);
    let ran = project.goal(worker, &format!("{check} | grep -q k1")).env("AGENT_KEY", "k1");
    ran.env("COUNTERSIGN_EXEC_WORKER_ENV", "AGENT_KEY").run().expect(0);
}

/// SE-03: the checks of a run have the walls that those of a verification have; the receipt says so.
#[test]
fn checks_are_confined_where_that_can_be_done() {
    let project = crate::project();
    if project.sh("command -v bwrap && bwrap --ro-bind / / --unshare-net true").code != Some(0) {
        eprintln!("SKIPPED: bubblewrap is not here or not allowed, so this test proves nothing");
        return;
    }
    let outside = project.outside().join("written");
    let check = format!("touch {} && exit 1; touch $HOME/x $TMPDIR/y inside", outside.display());
    project.goal("echo > x", &check).arg("--attempts=1").run().expect(0);
    assert!(!outside.exists());
    let id = project.journal()["entries"].as_array().unwrap().iter().find_map(|entry| {
        let receipt = entry["event"]["body"]["receipts"][0].as_str();
        receipt.filter(|_| entry["kind"] == "run.ruled").map(str::to_owned)
    });
    let receipt = project.run(["show", &id.unwrap(), "--format", "json"]).expect(0).data();
    let sandbox = receipt["execution"]["sandbox"].as_str().unwrap().to_owned();
    assert!(sandbox.contains("no network"), "{sandbox}");
    let call = project.goal("echo > x", "touch inside").arg("--attempts=1");
    let call = call.env("COUNTERSIGN_VERIFY_SANDBOX", "false");
    call.run().expect(0);
}
