//! Plans that can't be read: every sort of bad file, told with its line.

use std::os::unix::fs::symlink;

use countersign_testkit::Project;

use crate::{PRD, SPEC, greeting};

#[track_caller]
fn refused(project: &Project, prd: impl AsRef<[u8]>, expected: &str) {
    project.write("plans/greeting/prd.md", prd);
    project.run(["plan", "check", "greeting"]).expect(1).prints(expected);
    // Whoever needs the plan is told the same.
    let expected = expected.trim_start_matches("wrong: ");
    project.run(["plan", "show", "greeting"]).expect(1).says(expected);
}

/// LP-04: bytes that are no text, empty and huge files, missing files, folders and pipes.
#[test]
fn bad_files_are_told() {
    let project = greeting();
    let mut bytes = PRD.as_bytes().to_vec();
    bytes[20] = 0xff;
    refused(
        &project,
        &bytes,
        "wrong: plans/greeting/prd.md:3:4: byte 20 (0xff) is no UTF-8; save the file as UTF-8",
    );
    refused(&project, "", "wrong: plans/greeting/prd.md:1:1: the file is empty");
    refused(
        &project,
        "x".repeat(2 << 20),
        "wrong: plans/greeting/prd.md:1:1: the file has 2097152 bytes",
    );
    refused(
        &project,
        PRD.replace("## Objective", "## Objektive"),
        "wrong: plans/greeting/prd.md:3:1: there is no \
        section 'Objektive' here; did you mean 'Objective'?",
    );
    refused(
        &project,
        PRD.replace("PRD: greeting", "PRD: other"),
        "test-spec.md:1:1: slug: the slug is 'greeting', and the PRD's is 'other'",
    );
    std::fs::remove_file(project.path("plans/greeting/test-spec.md")).unwrap();
    refused(
        &project,
        PRD,
        "wrong: plans/greeting/test-spec.md:1:1: the file is missing; a plan has prd.md and test-spec.md",
    );
    std::fs::create_dir(project.path("plans/greeting/test-spec.md")).unwrap();
    refused(&project, PRD, "wrong: plans/greeting/test-spec.md:1:1: it is not a file");
    std::fs::remove_dir(project.path("plans/greeting/test-spec.md")).unwrap();
    project.sh("mkfifo plans/greeting/test-spec.md");
    refused(&project, PRD, "wrong: plans/greeting/test-spec.md:1:1: it is not a file");
    // All plans are listed all the same.
    let ran = project.run(["plan", "list"]).expect(0);
    ran.prints("wrong: plans/greeting/test-spec.md:1:1: it is not a file");
}

/// LP-04: line ends, a byte order mark and tabs make no difference; text can't steer the terminal.
#[test]
fn odd_files_are_read() {
    let project = greeting();
    let odd = format!("\u{feff}{}", PRD.replace("- Size: S", "*\tSize: S").replace('\n', "\r\n"));
    project.write("plans/greeting/prd.md", odd);
    project.write("plans/greeting/test-spec.md", format!("\u{feff}{}", SPEC.replace('\n', "\r\n")));
    project.run(["plan", "check", "greeting"]).expect(0);
    let steering = PRD.replace("Greet by name", "Greet \u{1b}[2J by name");
    project.write("plans/greeting/prd.md", steering);
    let ran = project.run(["plan", "check", "greeting"]).expect(1);
    assert!(!ran.out().contains("\u{1b}[2J"), "{}", ran.out());
    ran.prints("there is a character that nobody sees (U+001B)");
}

/// LP-04: a plan that is not there, has another folder's name, or lies behind a link.
#[test]
fn names_of_plans() {
    let project = greeting();
    let ran = project.run(["plan", "check", "greting"]).expect(1);
    ran.says("there is no plan 'greting' in plans").says("did you mean 'greeting'?");
    project
        .run(["plan", "check", "plans/nowhere"])
        .expect(1)
        .says("there is no plan at plans/nowhere");
    project.run(["plan", "check", "../../etc/passwd"]).expect(1).says("there is no plan at");
    std::fs::rename(project.path("plans/greeting"), project.path("plans/hello")).unwrap();
    let ran = project.run(["plan", "check", "hello"]).expect(1);
    ran.prints("the slug is 'greeting', and the folder 'hello'; call both the same");
    std::fs::rename(project.path("plans/hello"), project.path("greeting")).unwrap();
    symlink(project.path("greeting"), project.path("plans/greeting")).unwrap();
    project.run(["plan", "check", "greeting"]).expect(0);
}
