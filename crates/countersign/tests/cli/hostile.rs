//! Workers and checks that misbehave: each ends in a typed ruling, and nothing is left.

use std::fs;

use countersign_testkit::{Project, wait_until};

use crate::project;

fn last_receipt(project: &Project) -> serde_json::Value {
    let journal = project.journal();
    let entries = journal["entries"].as_array().unwrap();
    let checked = entries.iter().rev().find(|entry| entry["kind"] == "run.checked").unwrap();
    checked["event"]["body"].clone()
}

/// LP-08: a check that hangs is stopped at its deadline, with all it started.
#[test]
fn a_hanging_check_is_stopped() {
    let project = project();
    let check = "sleep 1000 & setsid sleep 1000 & trap '' TERM; while :; do sleep 1; done";
    let call = project.goal("echo > x", check).args(["--attempts=1", "--check-timeout=1"]);
    let ran = call.env("COUNTERSIGN_EXEC_GRACE_SECONDS", "1").run().expect(3);
    ran.says("stopped at its deadline");
    assert_eq!(last_receipt(&project)["execution"]["ended"]["how"], "timed_out");
    project.expect_no_survivors();
}

/// LP-08: a check that writes without end is stopped at the cap.
#[test]
fn a_flooding_check_is_stopped() {
    let project = project();
    let call = project.goal("echo > x", "yes 'no end' | head -c 200000000").arg("--attempts=1");
    let ran = call.env("COUNTERSIGN_EXEC_OUTPUT_BYTES", "1000000").run();
    ran.expect(3).says("it wrote too much output");
    let receipt = last_receipt(&project);
    assert_eq!(receipt["execution"]["ended"]["how"], "flooded");
    let bytes = receipt["execution"]["output"]["bytes"].as_u64().unwrap();
    assert!((1_000_000..2_000_000).contains(&bytes), "{bytes}");
    project.run(["ledger", "verify"]).expect(0);
    project.expect_no_survivors();
}

/// LP-08: a gigabyte below the cap is kept whole, and shown by its beginning and end.
#[test]
fn a_gigabyte_of_output_is_kept() {
    const SIZE: u64 = 1 << 30;
    let project = project();
    let check = format!("echo begin; head -c {} /dev/zero; echo; echo end", SIZE - 11);
    project.goal("echo > x", &check).arg("--attempts=1").run().expect(0);
    let receipt = last_receipt(&project);
    assert_eq!(receipt["execution"]["output"]["bytes"], SIZE);
    let excerpt = receipt["execution"]["output"]["excerpt"].as_str().unwrap();
    assert!(excerpt.starts_with("begin\n") && excerpt.ends_with("\nend\n"));
    assert!(excerpt.len() < 100_000, "{}", excerpt.len());
    // The blob's name is the hash of all of it.
    project.run(["ledger", "verify"]).expect(0).prints("intact");
}

/// LP-08: what forks away and leaves its session behind is ended and counted.
#[test]
fn daemons_do_not_survive() {
    let project = project();
    let daemon = "(setsid sh -c 'exec >/dev/null 2>&1 </dev/null; sleep 1000 & sleep 1000' &)";
    let call = project.goal(&format!("{daemon}; echo > x"), &format!("{daemon}; true"));
    let call = call.arg("--attempts=1").env("COUNTERSIGN_VERIFY_SANDBOX", "false");
    call.run().expect(0);
    assert!(last_receipt(&project)["execution"]["stragglers"].as_u64().unwrap() >= 1);
    project.expect_no_survivors();
    // Walls end it as well, where there are some.
    let call = project.goal(&format!("{daemon}; echo > x"), &format!("{daemon}; true"));
    call.arg("--attempts=1").run().expect(0);
    project.expect_no_survivors();
}

/// LP-08: a check that kills its parent proves nothing, and the run goes on.
#[test]
fn killing_the_parent_is_no_pass() {
    let project = project();
    for check in ["kill -9 $PPID; sleep 1000", "kill -9 $PPID; exit 0", "kill -STOP $PPID; exit 0"]
    {
        let call = project.goal("echo > x", check).args(["--attempts=1", "--check-timeout=2"]);
        // Walls hide the parent.
        let call = call.env("COUNTERSIGN_VERIFY_SANDBOX", "false");
        let ran = call.env("COUNTERSIGN_EXEC_GRACE_SECONDS", "1").run();
        let receipt = last_receipt(&project);
        let how = &receipt["execution"]["ended"]["how"];
        assert!(how == "lost" || how == "timed_out", "{check}: {receipt}");
        ran.expect(3);
        project.expect_no_survivors();
    }
}

/// LP-02: a worker or check that destroys its own checkout harms only itself.
#[test]
fn a_destroyed_checkout_ends_in_a_ruling() {
    let cases = [
        ("rm -rf .git; echo > x", "test -f x", 0),
        ("echo > x", "rm -rf .git * .[!.]*; true", 0),
        ("echo > x", "cd ..; rm -rf check-*; true", 0),
        ("mkdir deep; echo > deep/x; chmod 0 deep/x; chmod 0500 deep", "test -f deep/x", 0),
        ("mkdir deep; echo > deep/x; echo > y; chmod 0 deep y", "test -f deep/x", 0),
    ];
    for (worker, check, code) in cases {
        let project = project();
        let before = project.fingerprint();
        let ran = project.goal(worker, check).arg("--attempts=1").run();
        assert_eq!(ran.code, Some(code), "{worker} / {check}: {}", ran.err());
        before.expect_same(&project.fingerprint());
        project.run(["ledger", "verify"]).expect(0);
    }
}

/// LP-02: a worker that removes its whole folder has handed over nothing.
#[test]
fn a_removed_checkout_is_no_work() {
    let project = project();
    let ran = project.goal("cd ..; rm -rf attempt-*", "true").arg("--attempts=2").run();
    ran.expect(3).says("the worker's folder is gone");
    // Nor can work that was refused be slipped in again that way.
    let worker = "echo > x; [ $COUNTERSIGN_ATTEMPT = 1 ] || { cd ..; rm -rf attempt-*; }";
    let ran = project.goal(worker, "false").arg("--attempts=2").run().expect(3);
    ran.says("the check `false` did not pass");
    project.run(["ledger", "verify"]).expect(0);
}

/// LP-02: a pipe where git, or we, expect a file keeps nobody waiting.
#[test]
fn planted_pipes_do_not_hang() {
    let workers = [
        "mkfifo .gitignore; echo > x",
        "mkfifo .gitattributes pipe; echo > x",
        "mkdir -p sub && git init -q sub && rm sub/.git/HEAD && mkfifo sub/.git/HEAD; echo > x",
        "rm .git/index .git/HEAD; mkfifo .git/index .git/HEAD; echo > x",
        "[ $COUNTERSIGN_ATTEMPT = 2 ] && echo > x || mkfifo ../prompt-2.md",
    ];
    for worker in workers {
        let project = project();
        let ran = project.goal(worker, "test -f x").arg("--attempts=2").run();
        assert_eq!(ran.code, Some(0), "{worker}: {}", ran.err());
    }
}

/// SE-01: nothing that a worker plants in its checkout is run by us.
#[test]
fn planted_programs_do_not_run() {
    let project = project();
    project.write_program(
        "worker.sh",
        r#"#!/bin/sh
set -e
plant() { printf '#!/bin/sh\necho "$0" >> "$HOME/ran"\ncat\n' > "$1"; chmod +x "$1"; }
mkdir -p .git/hooks
for hook in post-checkout post-index-change reference-transaction pre-commit fsmonitor; do
    plant ".git/hooks/$hook"
done
plant .git/planted
git config core.fsmonitor .git/planted
git config core.hooksPath .git/hooks
git config core.pager .git/planted
git config diff.external .git/planted
git config filter.planted.clean .git/planted
git config filter.planted.smudge .git/planted
git config core.sshCommand .git/planted
git config core.worktree /
echo '* filter=planted diff=planted' > .gitattributes
plant sh; plant git; plant env
echo "BASH_ENV=$PWD/sh" > .env
echo work > work.txt
: > "$HOME/ran"
"#,
    );
    project.commit("A worker");
    let ran = project.goal("./worker.sh", "grep -q work work.txt").arg("--attempts=1").run();
    ran.expect(0);
    project.run(["log", "--diff"]).expect(0).prints("+work");
    let ran = fs::read_to_string(project.outside().join("home/ran")).unwrap();
    assert_eq!(ran, "", "these were run");
}

/// SE-01: hooks and signing of the user's own repository have no part in a run.
#[test]
fn the_user_s_hooks_do_not_run() {
    let project = project();
    let ran = project.outside().join("hooks-ran");
    for hook in ["reference-transaction", "post-checkout", "pre-commit", "post-index-change"] {
        let text = format!("#!/bin/sh\necho {hook} >> {}\n", ran.display());
        project.write_program(&format!(".git/hooks/{hook}"), &text);
    }
    project.git(["config", "commit.gpgSign", "true"]);
    let before = project.fingerprint();
    // Taking it has run hooks, which is git's own doing.
    let _ = fs::remove_file(&ran);
    project.goal("echo > x", "test -f x").run().expect(0);
    project.run(["status"]).expect(0);
    assert!(!ran.exists(), "{}", fs::read_to_string(&ran).unwrap());
    before.expect_same(&project.fingerprint());
}

/// LP-01: an interrupt from the keyboard leaves a run that can be gone on with.
#[test]
fn an_interrupted_program_leaves_nothing_running() {
    for signal in ["INT", "TERM", "HUP"] {
        let project = project();
        let worker = "[ -e $HOME/once ] || { touch $HOME/once; sleep 1000; }; echo > x";
        let running = project.goal(worker, "test -f x").start();
        let flag = project.outside().join("home/once");
        wait_until("the worker", || flag.exists().then_some(()));
        project.sh(&format!("kill -{signal} {}", running.id())).expect(0);
        let ended = running.wait();
        assert_ne!(ended.code, Some(0), "{}", ended.err());
        if signal == "INT" {
            ended.expect(130).says("interrupted; go on with: countersign resume");
        }
        project.expect_no_survivors();
        project.run(["resume"]).expect(0);
    }
}

/// SE-01: escape sequences and bytes that are no text can't steer the terminal.
#[test]
fn output_is_printed_safely() {
    let project = project();
    let nasty = r"printf 'title \033]0;owned\007 \033[31mred \377\376 \342\200\256rtl\n'";
    let ran = project.goal(&format!("{nasty}; echo > x"), &format!("{nasty}; exit 1")).run();
    let ran = ran.expect(3);
    let receipt = last_receipt(&project);
    assert_eq!(receipt["execution"]["output"]["bytes"], 36);
    let log = project.run(["log"]).expect(0);
    let commit = project.journal()["run"].as_str().unwrap().to_owned();
    let status = project.run(["status", &commit]).expect(0);
    let ids = project.run(["log", "--format", "json"]).expect(0);
    let id = receipt_ids(&ids.data());
    let show = project.run(["show", &id[0]]).expect(0);
    let whole = project.run(["show", &id[0], "--output"]).expect(0);
    for bytes in
        [&ran.stderr, &ran.stdout, &log.stdout, &status.stdout, &show.stdout, &whole.stdout]
    {
        let text = std::str::from_utf8(bytes).unwrap();
        let steers = |c: char| c.is_control() && c != '\n' && c != '\t' || c == '\u{202e}';
        assert!(!text.chars().any(steers), "{text:?}");
    }
    assert!(whole.out().contains("red"));
}

/// The receipts that the rulings of a journal rest on.
fn receipt_ids(journal: &serde_json::Value) -> Vec<String> {
    let entries = journal["entries"].as_array().unwrap();
    let ruled = entries.iter().filter(|entry| entry["kind"] == "run.ruled");
    ruled
        .flat_map(|entry| entry["event"]["body"]["receipts"].as_array().unwrap().clone())
        .map(|id| id.as_str().unwrap().to_owned())
        .collect()
}

/// LP-08: files inside a repository that a worker made are in no tree: nothing is accepted
/// that was not handed over, and the worker is told.
#[test]
fn nested_repositories_are_not_accepted() {
    let project = project();
    let make = "mkdir -p lib/inner && cd lib/inner && git init -q . && echo 1 > file";
    let commit = "git add file && git -c user.name=a -c user.email=a@b commit -qm x";
    for worker in [make.to_owned(), format!("{make} && {commit}")] {
        let worker = format!("echo > outer; {worker}");
        let ran = project.goal(&worker, "test -f outer").arg("--attempts=1").run().expect(3);
        ran.says("'lib/inner").says("is a git repository of its own");
    }
    let mended =
        "case $COUNTERSIGN_ATTEMPT in 1) cd lib && git init -q ;; *) rm -rf lib/.git ;; esac";
    let worker = format!("mkdir -p lib; echo > lib/x; ({mended})");
    project.goal(&worker, "test -f lib/x").arg("--attempts=2").run().expect(0);
}

/// LP-08: a check finds the tags that the user's repository has, as builds expect.
#[test]
fn checks_see_tags() {
    let project = project();
    project.git(["tag", "v1.2.3"]);
    project.goal("echo > x", "git describe --tags | grep -q '^v1.2.3-1-g'").run().expect(0);
}
