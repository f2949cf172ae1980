//! Looking for agents and asking them for their version.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;

use countersign_exec::{Ended, agents};

use crate::support::{Bench, supervisor};

fn agent(bench: &Bench, name: &str, script: &str) {
    let path = bench.path().join(name);
    fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(&path, Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn agents_are_found_and_probed() {
    let bench = Bench::new();
    agent(
        &bench,
        "claude",
        "test \"$1\" = --version && echo && echo '2.1 (Claude Code)' && echo x",
    );
    agent(&bench, "goose", "echo broken; exit 1");
    let found = agents::installed(bench.path().as_os_str());
    let names: Vec<&str> = found.iter().map(|(agent, _)| agent.name).collect();
    assert_eq!(names, ["claude", "goose"]);

    let probe =
        |at: usize| agents::probe(&supervisor(), &found[at].1, &bench.environment()).unwrap();
    assert_eq!(probe(0).version.as_deref(), Some("2.1 (Claude Code)"));
    assert!(probe(0).ended.passed());
    assert_eq!(probe(1).version, None);
    bench.assert_nobody_left();
}

#[test]
fn an_agent_that_waits_for_ever_is_not_waited_for() {
    let bench = Bench::new();
    agent(&bench, "codex", "exec sleep 1000");
    let path = bench.path().join("codex");
    let probe = agents::probe(&supervisor(), &path, &bench.environment()).unwrap();
    assert_eq!((probe.ended, probe.version), (Ended::TimedOut, None));
    bench.assert_nobody_left();
}
