//! Killed while a seal goes to its places: that is no tampering, however often it happens.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use countersign_testkit::{Project, Ran};

use crate::project;

/// A git that kills who started it when a seal is anchored: `before` or `after` the reference moves.
const KILLER: &str = r#"#!/bin/sh
case "$*" in *update-ref*refs/countersign/seals/*)
    if [ "$WHEN" = before ]; then kill -9 $PPID; exit 1; fi
    PATH=$REAL git "$@"
    kill -9 $PPID; exit 1;;
esac
PATH=$REAL exec git "$@"
"#;

/// Seals something new, and is killed at the anchor.
fn seal_killed(project: &Project, when: &str) -> Ran {
    let folder = project.outside().join("killer");
    fs::create_dir_all(&folder).unwrap();
    let program = folder.join("git");
    fs::write(&program, KILLER).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    note(project);
    let real = std::env::var_os("PATH").unwrap();
    let path = format!("{}:{}", folder.display(), real.display());
    let call = project.call(["ledger", "seal"]).env("PATH", path).env("REAL", real);
    call.env("WHEN", when).run()
}

fn note(project: &Project) {
    let args = ["ledger", "append", "--stream", "agent", "--kind", "note"];
    project.call(args).stdin("1").run().expect(0);
}

/// PL-05: who is killed between a seal and its anchors, again and again, leaves a ledger that is
/// intact; the next seal catches up.
#[test]
fn being_killed_while_sealing_is_no_tampering() {
    for moments in [
        ["before", "before", "before"],
        ["after", "after", "after"],
        ["before", "after", "before"],
        ["after", "before", "after"],
    ] {
        let project = project();
        note(&project);
        project.run(["ledger", "seal"]).expect(0);
        for moment in moments {
            assert_eq!(seal_killed(&project, moment).code, None, "it was not killed");
            let ran = project.run(["ledger", "verify"]);
            assert_eq!(ran.code, Some(0), "{moments:?}: {}{}", ran.out(), ran.err());
        }
        project.run(["ledger", "seal"]).expect(0);
        let ran = project.run(["ledger", "verify"]).expect(0);
        assert!(!ran.out().contains("is not anchored"), "{moments:?}: {}", ran.out());
    }
}

/// PL-05: an anchor that lost more than the newest seal was not left behind by us.
#[test]
fn an_anchor_that_was_cut_is_still_told() {
    let project = project();
    for _ in 0..3 {
        note(&project);
        project.run(["ledger", "seal"]).expect(0);
    }
    let name = project.git(["for-each-ref", "--format=%(refname)", "refs/countersign/seals"]);
    let name = name.trim();
    project.git(["update-ref", name, &format!("{name}~2")]);
    project.run(["ledger", "verify"]).expect(1).prints("anchor_removed");
}

/// PL-05: where the last anchor is remembered decides nothing: without it, or with a wrong one, the
/// chain is read.
#[test]
fn a_wrong_memory_of_the_last_anchor_changes_nothing() {
    let project = project();
    let memory = project.state().join("anchor.tip");
    let mut last = String::new();
    for wrong in [None, Some("nonsense\n"), Some(""), Some("the last one")] {
        note(&project);
        project.run(["ledger", "seal"]).expect(0);
        let now = fs::read_to_string(&memory).unwrap();
        match wrong {
            None => fs::remove_file(&memory).unwrap(),
            // The seal that the next one follows, at a commit that is no longer the tip.
            Some("the last one") => {
                let (seal, _) = now.split_once(' ').unwrap();
                let (_, commit) = last.split_once(' ').unwrap();
                fs::write(&memory, format!("{seal} {commit}")).unwrap();
            }
            Some(text) => fs::write(&memory, text).unwrap(),
        }
        last = now;
    }
    note(&project);
    project.run(["ledger", "seal"]).expect(0);
    let ran = project.run(["ledger", "verify"]).expect(0);
    assert!(!ran.out().contains("is not anchored"), "{}", ran.out());
    let name = project.git(["for-each-ref", "--format=%(refname)", "refs/countersign/seals"]);
    assert_eq!(project.git(["rev-list", "--count", name.trim()]).trim(), "5");
}
