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
