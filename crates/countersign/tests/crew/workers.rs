//! Workers that do in their checkout, or beyond it, what they should not.

use std::fs;

use countersign_testkit::{Project, kinds, wait_until};

use crate::stage::{call, expect_tidy, last, outcome, pass, planted, reasons, says, worker};
use crate::{CHECK, greeter};

/// Runs a worker that does the work and `more`, expects it to be accepted, and the user's things to be
/// as they were.
#[track_caller]
fn harmless(more: &str) -> Project {
    let project = greeter();
    let before = project.fingerprint();
    call(&project, &worker(more), "").run().expect(0);
    before.expect_same(&project.fingerprint());
    assert_eq!(outcome(&project)["outcome"], "accepted", "{more}");
    expect_tidy(&project);
    project
}

/// The files of the accepted branch.
fn accepted(project: &Project) -> String {
    let run = project.journal()["run"].as_str().unwrap().to_owned();
    project.git(["ls-tree", "-r", "--name-only", &format!("countersign/{run}")])
}

/// CX-09, LP-21: commits, resets, branches and stashes of a worker stay in its checkout; what counts are
/// the files as they lie there, on one commit of ours.
#[test]
fn what_a_worker_does_with_git_stays_there() {
    let me = "git config user.name W; git config user.email w@w; ";
    for more in [
        "git add -A; git commit -qm mine; git commit -q --allow-empty -m more",
        "git switch -qc elsewhere; git commit -qam mine",
        "git commit -qam mine; git reset -q --soft HEAD~; git branch -f main HEAD",
        "git update-ref -d HEAD; rm .git/index",
        "git stash -q; git stash pop -q; git tag v9",
    ] {
        let project = harmless(&format!("{me}{more}"));
        assert!(accepted(&project).contains("greet.sh"), "{more}");
        let run = project.journal()["run"].as_str().unwrap().to_owned();
        let count = project.git(["rev-list", "--count", &format!("main..countersign/{run}")]);
        assert_eq!(count.trim(), "1", "{more}");
        assert_eq!(project.git(["tag"]), "");
    }
}

/// CX-09: work that was reset away is not there, and is not accepted.
#[test]
fn what_a_worker_resets_is_gone() {
    let project = greeter();
    let ran = call(&project, &worker("git reset -q --hard"), "").args(["--attempts", "1"]).run();
    assert!(matches!(ran.code, Some(3 | 4)), "{}", ran.err());
    assert!(crate::stage::reasons(&project).contains("nothing_changed"));
    expect_tidy(&project);
}

/// CX-09: a worker that removes its checkout, or its repository, has handed over nothing, or only files.
#[test]
fn a_worker_that_removes_its_checkout_harms_nobody() {
    let project = greeter();
    let before = project.fingerprint();
    let ran = call(&project, &worker("rm -rf \"$PWD\""), "").args(["--attempts", "1"]).run();
    assert!(matches!(ran.code, Some(3 | 4)), "{}", ran.err());
    for words in
        ["handed over nothing: the worker's folder is gone", "the folder of the work was removed"]
    {
        assert!(ran.err().contains(words), "{words}: {}", ran.err());
    }
    assert!(!ran.err().contains("no file differs"), "{}", ran.err());
    before.expect_same(&project.fingerprint());
    expect_tidy(&project);
    harmless("rm -rf .git");
    harmless("mv .git .gone");
}

/// CX-09: a worker or a verifier that puts a link to the user's folder in the place of its checkout hands
/// over nothing, and nothing is removed behind the link: not what git ignores, nor what it does not know.
#[test]
fn a_link_in_place_of_a_checkout_is_not_followed() {
    for (work, judge) in [(true, false), (false, true)] {
        let project = greeter();
        project.write(".git/info/exclude", "kept/\n");
        project.write("kept/secret.txt", "mine\n");
        project.write("notes.txt", "mine as well\n");
        let before = project.fingerprint();
        let link = format!("d=\"$PWD\"; cd /; rm -rf \"$d\"; ln -s {:?} \"$d\"", project.root());
        let verifier =
            if judge { format!("{}; {link}", says(&pass("[\"r1\"]"))) } else { String::new() };
        let work = worker(if work { &link } else { "true" });
        let ran = call(&project, &work, &verifier).args(["--attempts", "1"]).run();
        assert!(matches!(ran.code, Some(3 | 4)), "{:?} {}", ran.code, ran.err());
        before.expect_same(&project.fingerprint());
        assert_eq!(project.read("kept/secret.txt"), "mine\n");
        assert_eq!(project.read("notes.txt"), "mine as well\n");
        expect_tidy(&project);
    }
}

/// LP-03: a worker that removes whatever lies beside its checkout has ended all the same.
#[test]
fn a_worker_that_removes_what_is_beside_it_has_ended() {
    let project = greeter();
    let ran = call(&project, &worker("cd ..; rm -rf ./*"), "").args(["--attempts", "1"]).run();
    assert!(matches!(ran.code, Some(3 | 4)), "{:?} {}", ran.code, ran.err());
    assert!(ran.err().contains("the folder of the work was removed"), "{}", ran.err());
}

/// LP-14: what a worker writes into our own folders and into the user's repository, if nothing keeps it
/// from that, does not make its work accepted, and is noticed.
#[test]
fn a_worker_that_edits_our_record_is_noticed() {
    let project = greeter();
    let database = project.state().join("ledger.db");
    // It changes the contract on the record to one that it fulfils.
    let forge = format!(
        "sqlite3 {database:?} \"UPDATE events SET body = replace(body, 'tests/greets.sh', 'greet.sh')\""
    );
    if project.sh("command -v sqlite3").code != Some(0) {
        eprintln!("SKIPPED: there is no sqlite3 to forge the record with");
        return;
    }
    let ran = call(&project, &format!("echo 'exit 0' > greet.sh; {forge}"), "").run();
    assert_ne!(ran.code, Some(0), "{}", ran.out());
    project.expect_no_survivors();
    let branches = project.git(["branch", "--list", "countersign/*"]);
    assert_eq!(branches, "");
}

/// LP-21: who kills us ends nothing but an attempt: what it left is kept, and the run goes on. Who kills
/// its supervisor is a worker that did not come to its end.
#[test]
fn a_worker_that_kills_us_is_gone_on_without() {
    let project = greeter();
    let marker = project.outside().join("killed");
    // The parent of its supervisor, and nobody else's.
    let killer = worker(&format!(
        "if [ ! -e {m} ]; then touch {m}; kill -9 $(cut -d' ' -f4 /proc/$PPID/stat); sleep 100; fi; true",
        m = marker.display()
    ));
    let ran = call(&project, &killer, "").run();
    assert_eq!(ran.code, None, "it was killed: {}", ran.err());
    project.expect_no_survivors();
    project.run(["resume"]).expect(0);
    assert!(kinds(&project.journal()).contains(&"interrupted".to_owned()));
    assert_eq!(outcome(&project)["outcome"], "accepted");
    expect_tidy(&project);

    let project = greeter();
    let killer = worker("kill -9 $PPID; sleep 100");
    let ran = call(&project, &killer, "").args(["--attempts", "1"]).run();
    assert!(matches!(ran.code, Some(1 | 3 | 4)), "{}", ran.err());
    let branches = project.git(["branch", "--list", "countersign/*"]);
    assert_eq!(branches, "", "nobody accepted it");
    expect_tidy(&project);
}

/// LP-13: a worker that plants things for those who come after it (hooks, filters, attributes) has them
/// run by nobody.
#[test]
fn what_a_worker_plants_is_run_by_nobody() {
    let project = greeter();
    let ran = project.outside().join("planted-ran");
    let hook = format!("printf '#!/bin/sh\\ntouch {}\\n'", ran.display());
    let plant = format!(
        "for h in post-checkout pre-commit post-index-change reference-transaction; do \
         mkdir -p .git/hooks; {hook} > .git/hooks/$h; chmod +x .git/hooks/$h; done; \
         git config core.fsmonitor .git/hooks/pre-commit; \
         git config filter.x.clean .git/hooks/pre-commit; \
         printf '* filter=x\\n' > .git/info/attributes"
    );
    call(&project, &worker(&plant), "").run().expect(0);
    assert!(!ran.exists());
    expect_tidy(&project);
}

/// LP-21: a worker that fills its checkout with pipes, locked folders and a repository of its own is
/// judged by what can be handed over.
#[test]
fn odd_things_in_a_checkout_hold_up_nobody() {
    let project = harmless("mkfifo pipe; mkdir locked; touch locked/f; chmod 0 locked/f");
    assert!(!accepted(&project).contains("pipe"));
    let project = greeter();
    let nested = worker("mkdir inner; cd inner; git init -q; touch x");
    let ran = call(&project, &nested, "").args(["--attempts", "1"]).run();
    assert!(matches!(ran.code, Some(3 | 4)), "{}", ran.err());
    assert_eq!(last(&project, "snapshotted")["body"]["nested"][0], "inner");
    project.sh(CHECK);
    fs::remove_dir_all(project.outside().join("home")).ok();
}

/// LP-08, LP-21: a path that git can't hold is a finding: the worker is told, and can mend it.
#[test]
fn what_git_cannot_hold_is_told() {
    let project = greeter();
    let odd = worker("mkdir .GIT; touch .GIT/x .GIT/y");
    let ran = call(&project, &odd, "").args(["--attempts", "1"]).run();
    assert!(matches!(ran.code, Some(3 | 4)), "{}{}", ran.out(), ran.err());
    assert!(reasons(&project).contains(".GIT"), "{}", reasons(&project));
    assert_eq!(last(&project, "snapshotted")["body"]["unheld"][0], ".GIT");
    let told = project.run(["log", "latest"]).expect(0).out();
    assert!(told.contains("git can't hold '.GIT'"), "{told}");

    let project = greeter();
    let mends = worker(
        "case $COUNTERSIGN_ATTEMPT in 1) mkdir .GIT; touch .GIT/x;; *) rm -rf .GIT; echo >> other.txt;; esac",
    );
    call(&project, &mends, "").args(["--attempts", "2"]).run().expect(0);
}

/// LP-01, LP-08: a run ends when it is cancelled, whatever its worker left; what could not be kept is
/// said, and stays until it is cleaned.
#[test]
fn a_run_whose_files_cannot_be_kept_is_cancelled() {
    for (worker, breaks) in [("mkdir .GIT; touch .GIT/x", false), ("true", true)] {
        let project = greeter();
        let begun = project.outside().join("begun");
        let script =
            format!("echo half > work.txt; {worker}; touch {}; sleep 1000", begun.display());
        let running = call(&project, &script, "").start();
        wait_until("the worker", || begun.exists().then_some(()));
        running.kill();
        project.expect_no_survivors();
        let real = project.sh("command -v git").out();
        let fails = "case \"$*\" in *'add --all'*) echo 'fatal: no' >&2; exit 128;; esac";
        let fails = if breaks { fails } else { "" };
        let path = planted(&project, "git", &format!("{fails}\nexec {} \"$@\"", real.trim()));
        let ran = project.call(["cancel", "latest"]).env("PATH", &path).run().expect(0);
        let ran = ran.prints("is cancelled");
        project.run(["status", "latest"]).expect(0).prints("it was cancelled");
        let kept = project.git([
            "for-each-ref",
            "--format=%(refname)",
            "refs/countersign/runs/*/cancelled",
        ]);
        if breaks {
            assert!(ran.err().contains("could not be kept"), "{}", ran.err());
            assert_eq!(kept, "");
            project.run(["run", "clean", "latest"]).expect(0);
        } else {
            assert_eq!(project.git(["show", &format!("{}:work.txt", kept.trim())]), "half\n");
        }
        expect_tidy(&project);
    }
}

/// LP-16, D1.6: a worker can only say that it can't go on; it ends no run, accepts none and removes
/// nothing, and what it asks for is refused where it is at work.
#[test]
fn a_worker_decides_nothing_about_runs() {
    let project = greeter();
    let ours = crate::PROGRAM;
    let here = project.root().display().to_string();
    let more = ["cancel latest", "accept latest --merge", "run clean latest --kill"]
        .map(|words| format!("{ours} -C {here} {words} >> asked.txt 2>&1; echo $? >> asked.txt;"))
        .concat();
    call(&project, &worker(&more), "").run().expect(0);
    assert_eq!(outcome(&project)["outcome"], "accepted");
    let run = project.journal()["run"].as_str().unwrap().to_owned();
    let asked = project.git(["show", &format!("countersign/{run}:asked.txt")]);
    assert_eq!(asked.matches("runs this command, and a person has to").count(), 3, "{asked}");
}

/// LP-16: the questions of a run that was ended wait for nobody.
#[test]
fn questions_end_with_their_run() {
    let project = greeter();
    call(&project, &worker("false"), "echo nothing").run().expect(4);
    let waiting = || {
        project.run(["checkpoint", "list", "--format", "json"]).expect(0).data()["checkpoints"]
            .clone()
    };
    assert_eq!(waiting().as_array().unwrap().len(), 1);
    project.run(["cancel", "latest"]).expect(0);
    project.run(["resume", "latest"]).expect(3);
    assert_eq!(waiting().as_array().unwrap().len(), 0);
    expect_tidy(&project);
}

/// LP-14: work that would be accepted is not, once its worker has changed the record that the acceptance
/// would rest on.
#[test]
fn a_changed_record_stops_the_acceptance() {
    let project = greeter();
    if project.sh("command -v sqlite3").code != Some(0) {
        eprintln!("SKIPPED: there is no sqlite3 to forge the record with");
        return;
    }
    let database = project.state().join("ledger.db");
    let forge = format!(
        "sqlite3 {database:?} \"DROP TRIGGER events_are_final; UPDATE events SET body = \
         replace(body, '{CHECK}', 'true') WHERE kind = 'run.opened'\""
    );
    let ran = call(&project, &worker(&forge), "").run();
    ran.expect(1).says("is not the one that was written");
    assert_eq!(project.git(["branch", "--list", "countersign/*"]), "");
    project.run(["ledger", "verify"]).expect(1);
}
