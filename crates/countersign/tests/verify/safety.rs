//! What a verification leaves alone, and what what it runs can't do.

use std::fs;

use crate::{CHECK, data, greeter, has, reasons, verify};

/// Nothing of the user's is touched, and nothing is left behind.
#[test]
fn the_users_files_are_left_alone() {
    let project = greeter();
    project.write("greet.sh", "echo \"Hello, $1\"\n");
    project.write("staged.txt", "x\n");
    project.git(["add", "staged.txt"]);
    let before = project.fingerprint();
    verify(&project, &["--check", "sh tests/greets.sh; rm -rf ./*; git commit -qam gone; true"]);
    assert_eq!(project.fingerprint(), before);
    project.expect_no_survivors();
    let work = project.home().join("work");
    let left: Vec<_> = walk(&work).into_iter().filter(|path| path.contains("verify-")).collect();
    assert!(left.is_empty(), "{left:?}");
}

fn walk(folder: &std::path::Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        found.push(entry.path().to_string_lossy().into_owned());
        if entry.path().is_dir() {
            found.extend(walk(&entry.path()));
        }
    }
    found
}

/// Receipts are ours, and a check gets no secret of the caller's.
#[test]
fn a_check_sees_little() {
    let project = greeter();
    project.write("greet.sh", "echo \"Hello, $1\"\n");
    let script =
        "test -z \"$SECRET_TOKEN\" && test \"$(dirname \"$HOME\")\" = \"$(dirname \"$PWD\")\"";
    let ran = project
        .call(["verify", "--task", crate::TASK, "--check", CHECK, "--check", script])
        .env("SECRET_TOKEN", "hush")
        .run();
    ran.expect(0);
}

/// G24: what is checked finds nothing by which it would know that it is.
#[test]
fn a_checkout_does_not_bear_our_name() {
    let project = greeter();
    project.write("greet.sh", "echo \"Hello, $1\"\n");
    let says =
        "env | grep -v ^PATH=; pwd; git log -1; git branch; ls -a . .. .git; cat .git/config";
    // Where this test lies is not ours to say.
    let outside = project.outside();
    let script = format!(
        "{{ {says}; }} | sed 's#{}##g' > ../said; ! grep -iE 'countersign|verif|canary|handed' ../said",
        outside.display()
    );
    let home = project.outside().join("home/own");
    for sandbox in ["true", "false"] {
        let words = ["verify", "--task", crate::TASK, "--check", CHECK, "--check", &script];
        let call = project.call(words).env("COUNTERSIGN_VERIFY_SANDBOX", sandbox);
        let ran = call.env("COUNTERSIGN_HOME", &home).run();
        assert_eq!(ran.code, Some(0), "{}", ran.out());
    }
    assert_eq!(fs::read_dir(home.join("builds")).unwrap().count(), 0);
}

/// Where bubblewrap is, checks write nowhere else and have no network; the receipt says so.
#[test]
fn walls_where_there_are_some() {
    let project = greeter();
    if !has(&project, "bwrap") {
        return;
    }
    project.write("greet.sh", "echo \"Hello, $1\"\n");
    let outside = project.outside().join("written");
    let script = format!("sh tests/greets.sh && ! touch '{}' 2>/dev/null", outside.display());
    let (code, found) = data(&project, &["--check", &script]);
    if found["sandbox"] == "none" {
        eprintln!("SKIPPED: bubblewrap may not work here");
        return;
    }
    assert_eq!(code, Some(0), "{}", reasons(&found));
    assert!(found["sandbox"].as_str().unwrap().contains("no network"), "{found:#}");
    assert!(!outside.exists());
}

/// G46: what a project allows counts as it was before the work.
#[test]
fn work_can_not_allow_itself_anything() {
    let project = greeter();
    project.write("greet.sh", "echo \"Hello, $1\"\n");
    project
        .write(".github/workflows/ci.yml", "jobs:\n  test:\n    steps:\n      - run: make test\n");
    project.commit("CI");
    let weaker =
        "jobs:\n  test:\n    steps:\n      - run: make test\n        continue-on-error: true\n";
    project.write(".github/workflows/ci.yml", weaker);
    let allow = "[verify]\nallow = [\"G44 .github/**: I want it so\"]\n";
    project.write("countersign.toml", allow);
    let (code, found) = data(&project, &["--check", "true"]);
    assert_eq!(code, Some(3), "{}", reasons(&found));
    // The same words, agreed on before.
    project.git(["checkout", "--quiet", ".github"]);
    project.commit("Allowed");
    project.write(".github/workflows/ci.yml", weaker);
    let (code, found) = data(&project, &["--check", "true"]);
    assert_ne!(code, Some(3), "{}", reasons(&found));
    assert!(reasons(&found).contains("allowed: I want it so"), "{}", reasons(&found));
}

/// LP-06, G46: git's store can be written by the worker, so that a checkout has other files than those
/// that were handed over. What is stored under a name that is not its own is not checked.
#[test]
fn forged_objects_are_not_checked() {
    let project = greeter();
    project.write("good.sh", "echo \"Hello, $1\"\n");
    let good = project.git(["hash-object", "-w", "good.sh"]);
    std::fs::remove_file(project.path("good.sh")).unwrap();
    project.write("greet.sh", "echo not at all\n");
    let bad = project.git(["hash-object", "greet.sh"]);
    let object = |name: &str| {
        let (folder, file) = name.trim().split_at(2);
        project.path(&format!(".git/objects/{folder}/{file}"))
    };
    std::fs::create_dir_all(object(&bad).parent().unwrap()).unwrap();
    std::fs::copy(object(&good), object(&bad)).unwrap();
    let ran = verify(&project, &["--check", CHECK]).expect(1);
    assert!(ran.err().contains("greet.sh was replaced by another content"), "{}", ran.err());
    std::fs::remove_file(object(&bad)).unwrap();
    verify(&project, &["--check", CHECK]).expect(3);
}
