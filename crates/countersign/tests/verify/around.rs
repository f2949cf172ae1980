//! What lies around a change: links out of the tree, filters, scripts that tests are started by.

use std::os::unix::fs::symlink;

use countersign_testkit::Project;

use crate::{CHECK, PROGRAM, data, greeter, reasons, verify};

/// G47: what is behind a link that leads out of the tree was not handed over.
#[test]
fn a_link_out_of_the_tree_is_asked_about() {
    let project = greeter();
    let outside = project.outside().join("greet.sh");
    std::fs::write(&outside, "echo \"Hello, $1\"\n").unwrap();
    std::fs::remove_file(project.path("greet.sh")).unwrap();
    symlink(&outside, project.path("greet.sh")).unwrap();
    let (code, data) = data(&project, &["--check", CHECK]);
    assert_ne!(code, Some(0), "{data:#}");
    assert!(reasons(&data).contains("greet.sh is a link to"), "{}", reasons(&data));
}

/// G46: with a filter in the repository's own settings, what is recorded is what it makes of the files.
#[test]
fn filters_of_the_repository_are_asked_about() {
    let project = greeter();
    project.write("greet.sh", "echo \"Hello, $1\"\n");
    project.git(["config", "filter.lfs.process", "git-lfs filter-process"]);
    verify(&project, &["--check", CHECK]).expect(0);
    project.git(["config", "filter.better.clean", "cat"]);
    verify(&project, &["--check", CHECK]).expect(4).prints("a filter 'better' (cat)");
}

/// G43, LP-13: a script that the project's own way to test calls belongs to the tests.
#[test]
fn a_script_that_starts_the_tests_is_put_back() {
    let project = Project::new(PROGRAM);
    project.write("Makefile", "test:\n\tsh t.sh\n");
    project.write("t.sh", "sh greet.sh Ada | grep -qx 'Hello, Ada'\n");
    project.write("greet.sh", "echo \"Hello, $1\"\n");
    project.commit("A greeter");
    project.write("t.sh", "exit 0\n");
    project.write("greet.sh", "echo Hello\n");
    let words = ["verify", "--task", "Refactor greet, nothing else changes", "--format", "json"];
    let ran = project.run(words);
    assert_eq!(ran.code, Some(3), "{}", ran.out());
    assert!(ran.out().contains("passes only with the changed tests"), "{}", ran.out());
}

/// VC-08: a refusal says what failed, in the runner's words, and where all of it is; a report that
/// can't be written takes nothing away.
#[test]
fn a_refusal_says_why() {
    let project = greeter();
    project.write("greet.sh", "echo Hi\n");
    let ran = verify(&project, &["--check", CHECK]);
    let ran = ran.expect(3).prints("refused").prints("Failed: sh tests/greets.sh");
    let said = ran.out();
    let receipt = said.split("countersign show ").nth(1).and_then(|rest| rest.split('\n').next());
    project.run(["show", receipt.expect("a receipt")]).expect(0).prints("sh tests/greets.sh");
}
