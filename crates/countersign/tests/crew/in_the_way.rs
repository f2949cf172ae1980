//! What a worker leaves in the user's repository that stands in the way of us or of git: what it is and what to
//! do about it is said, and the work is not lost.

use std::fs;
use std::process::Command;

use countersign_testkit::{Project, Ran};

use crate::greeter;
use crate::outside::{TOLD, meddling, question};
use crate::stage::{call, expect_asked, expect_tidy, last};

/// Where a worker of these tests says that it was started.
fn starts(project: &Project) -> String {
    project.outside().join("starts").display().to_string()
}

/// A run whose worker does this to the repository `$R`.
fn run(project: &Project, script: &str) -> Ran {
    let script = format!("echo 1 >> {}; {script}", starts(project));
    call(project, &meddling(project, &script), "").run()
}

/// The run comes to its end, with no other start of its worker.
#[track_caller]
fn expect_end(project: &Project) {
    project.run(["resume", "latest", "--no-input"]).expect(0);
    assert_eq!(fs::read_to_string(starts(project)).unwrap(), "1\n", "it was started once");
    expect_tidy(project);
}

/// Expects that a person is asked, who takes the work.
#[track_caller]
fn accept(project: &Project, ran: Ran) {
    expect_asked(project, ran, "outside");
    project.run(["checkpoint", "answer", "latest", "accept", "--note", "x"]).expect(0);
}

/// G46: settings that say that there is no working tree, or none here, are named by whatever can't open the
/// repository for them, with the command that takes them back; then the question can be answered.
#[test]
fn settings_that_hide_the_working_tree_are_named() {
    for (setting, value, code) in [
        ("core.bare", "true", 4),
        ("core.worktree", "/nonexistent", 4),
        // Git itself can't do anything then.
        ("core.worktree", "/nonexistent/place", 1),
    ] {
        let project = greeter();
        let ran = run(&project, &format!("git -C $R config {setting} {value}")).expect(code);
        assert!(ran.err().contains(setting), "{}", ran.err());
        let config = project.root().join(".git/config");
        let cure = format!("git config --file '{}' ", config.display());
        let mut cures = Vec::new();
        for words in [
            &["checkpoint", "show"][..],
            &["checkpoint", "answer", "latest", "accept", "--note", "x"],
            &["resume", "latest", "--no-input"],
            &["run", "status"],
        ] {
            let told = project.run(words).expect(1).err();
            assert!(told.contains(setting) && told.contains(&cure), "{words:?}: {told}");
            cures.extend(told.lines().find_map(|line| Some(line.split_once(&cure)?.1.to_owned())));
        }
        let mended = Command::new("sh").arg("-c").arg(format!("{cure}{}", cures[0])).status();
        assert!(mended.unwrap().success(), "{cures:?}");
        if code != 4 {
            expect_asked(&project, project.run(["resume", "latest", "--no-input"]), "outside");
        }
        assert!(question(&project).contains(setting));
        project.run(["checkpoint", "answer", "latest", "accept", "--note", "mended"]).expect(0);
        expect_end(&project);
    }
}

/// G46: a branch below the name of the run's own is asked about, and said to be in the way as long as it is; so
/// is one that the name lies below.
#[test]
fn a_branch_in_the_way_is_named() {
    for (name, is_asked) in [("countersign/$COUNTERSIGN_RUN/x", true), ("countersign", false)] {
        let project = greeter();
        let ran = run(&project, &format!("git -C $R update-ref refs/heads/{name} main"));
        assert!(ran.err().contains(TOLD), "{}", ran.err());
        let told = if is_asked {
            expect_asked(&project, ran, "outside");
            assert!(question(&project).contains("our own reference refs/heads/countersign/"));
            project.run(["checkpoint", "answer", "latest", "accept", "--note", "x"]).expect(0);
            project.run(["resume", "latest", "--no-input"]).expect(1).err()
        } else {
            ran.expect(1).err()
        };
        let name = name.replace("$COUNTERSIGN_RUN", &id(&project));
        let words = format!("the branch '{name}' is in the way");
        assert!(told.contains(&words) && told.contains("countersign resume"), "{told}");
        let cure = format!("git branch -D {name}");
        assert!(told.contains(&cure), "{told}");
        project.git(["branch", "-q", "-D", &name]);
        expect_end(&project);
    }
}

fn id(project: &Project) -> String {
    last(project, "opened")["body"]["contract"]["run"].as_str().unwrap().to_owned()
}

/// G46: a file of a reference that is none is told as it is found, and where it is in our way, what it is and
/// where it lies.
#[test]
fn a_broken_reference_is_told() {
    let project = greeter();
    let ran = run(&project, "echo junk > $R/.git/refs/heads/junk").expect(0);
    let path = project.root().join(".git/refs/heads/junk");
    for words in [TOLD, "something that git can't read", &path.display().to_string()] {
        assert!(ran.err().contains(words), "{words}: {}", ran.err());
    }
    for name in [
        "refs/heads/countersign/$COUNTERSIGN_RUN",
        "refs/countersign/runs/$COUNTERSIGN_RUN/attempt-1",
    ] {
        let project = greeter();
        let junk = format!("f=$R/.git/{name}; mkdir -p $(dirname $f); echo junk > $f");
        let ran = run(&project, &junk);
        let name = name.replace("$COUNTERSIGN_RUN", &id(&project));
        let file = project.root().join(".git").join(&name);
        let is_kept = ran.code == Some(4);
        let mut told = ran.err();
        assert!(told.contains(&format!("our own reference {name} went from")), "{told}");
        if is_kept {
            accept(&project, ran);
            told = project.run(["resume", "latest", "--no-input"]).expect(1).err();
        }
        for words in ["git can't read", &*file.display().to_string(), "countersign resume"] {
            assert!(told.contains(words), "{words}: {told}");
        }
        fs::remove_file(&file).unwrap();
        if !is_kept {
            accept(&project, project.run(["resume", "latest", "--no-input"]));
        }
        expect_end(&project);
    }
}

/// G46: a lock on the packed references is told, as other locks are.
#[test]
fn a_lock_on_packed_references_is_told() {
    let project = greeter();
    let ran = run(&project, "touch $R/.git/packed-refs.lock").expect(0);
    assert!(ran.err().contains("git's lock packed-refs.lock is there"), "{}", ran.err());
}
