//! Several runs at once in one repository.

use std::collections::BTreeSet;

use countersign_testkit::Running;

use crate::project;

fn runs_at_once(count: usize) {
    let project = project();
    let before = project.fingerprint();
    let running: Vec<Running> = (0..count)
        .map(|n| {
            let (worker, check) = (format!("echo {n} > n.txt"), format!("grep -qx {n} n.txt"));
            project.goal(&worker, &check).args(["--format", "json"]).start()
        })
        .collect();
    let ended: Vec<_> = running.into_iter().map(|run| run.wait().expect(0).data()).collect();
    let ids: BTreeSet<_> = ended.iter().map(|data| data["run"]["run"].to_string()).collect();
    assert_eq!(ids.len(), count);
    for (n, data) in ended.iter().enumerate() {
        let branch = data["outcome"]["branch"].as_str().unwrap();
        assert_eq!(project.git(["show", &format!("{branch}:n.txt")]), format!("{n}\n"));
    }
    let listed = project.run(["status", "--format", "json"]).expect(0).data();
    assert_eq!(listed.as_array().unwrap().len(), count);
    project.run(["ledger", "verify"]).expect(0).prints("everything is sealed");
    before.expect_same(&project.fingerprint());
    project.expect_no_survivors();
}

/// PL-01: two runs at once don't meet.
#[test]
fn two_runs_at_once() {
    runs_at_once(2);
}

/// PL-01: eight runs at once don't meet either, and their seals form one chain.
#[test]
fn eight_runs_at_once() {
    runs_at_once(8);
}

/// SE-01: verifying while others work and seal names no damage, and remaking views takes
/// nothing from anybody.
#[test]
fn looking_and_remaking_disturb_nobody() {
    let project = project();
    project.run(["init"]).expect(0);
    let worker = "sleep 0.2; echo $COUNTERSIGN_ATTEMPT >> x";
    let mut running: Vec<Running> =
        (0..4).map(|_| project.goal(worker, "grep -q 3 x").start()).collect();
    let around = ["seal", "rebuild", "verify", "seal", "rebuild", "verify"];
    while !running.iter_mut().all(Running::has_ended) {
        let looks: Vec<Running> =
            around.iter().map(|verb| project.call(["ledger", verb]).start()).collect();
        for look in looks {
            look.wait().expect(0);
        }
    }
    for run in running {
        run.wait().expect(0);
    }
    let listed = project.run(["status", "--format", "json"]).expect(0).data();
    let accepted = |run: &&serde_json::Value| run["outcome"]["outcome"] == "accepted";
    assert_eq!(listed.as_array().unwrap().iter().filter(accepted).count(), 4, "{listed}");
    project.run(["ledger", "verify"]).expect(0).prints("everything is sealed");
}

/// WL-17: two users of one repository, each with a home of their own, never share an id.
#[test]
fn two_homes_at_once() {
    let project = project();
    let other = project.outside().join("other-home");
    let running: Vec<Running> = (0..6)
        .map(|n| {
            let call = project.goal("echo > x", "test -f x").args(["--format", "json"]);
            let home = if n % 2 == 0 { project.home() } else { other.clone() };
            call.env("COUNTERSIGN_HOME", home).start()
        })
        .collect();
    let ended: Vec<_> = running.into_iter().map(|run| run.wait().expect(0).data()).collect();
    let ids: BTreeSet<_> = ended.iter().map(|data| data["run"]["run"].to_string()).collect();
    assert_eq!(ids.len(), 6);
}
