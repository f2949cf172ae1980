//! What killed commands leave behind, and who takes it away.

use std::fs::{self, OpenOptions};

use countersign_testkit::{Project, Running, wait_until};

use crate::desk::{begun, context};

/// The temporary folders that are there.
fn folders(project: &Project) -> Vec<String> {
    let found = fs::read_dir(project.state().join("scratch")).unwrap();
    found.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

/// A hand-over that is in the middle of recording: a filter waits for somebody to write to a pipe.
fn stuck(project: &Project) -> Running {
    project
        .sh("mkfifo ../pipe && echo '*.wait filter=wait' > .git/info/attributes && \
             git config filter.wait.clean 'touch ../began; cat ../pipe'")
        .expect(0);
    project.write("src/a.wait", "x\n");
    let role = ["context", "snapshot", "TASK-0824", "--role", "implementer"];
    let running = project.call(role).start();
    wait_until("the filter", || project.outside().join("began").exists().then_some(()));
    running
}

/// Lets the filter that waits go on.
fn release(project: &Project) {
    OpenOptions::new().write(true).open(project.outside().join("pipe")).unwrap();
}

/// CX-17: the folder of a killed command is removed by the next one.
#[test]
fn what_a_killed_command_left_is_swept() {
    let project = begun();
    let running = stuck(&project);
    let left = folders(&project);
    assert!(!left.is_empty());
    running.kill();
    release(&project);
    project.expect_no_survivors();
    assert_eq!(folders(&project), left);
    project.sh("git config --remove-section filter.wait && rm .git/info/attributes").expect(0);
    context(&project, &["verify"]).expect(0);
    assert_eq!(folders(&project), Vec::<String>::new());
}

/// CX-17: the folder of one that still works is left to it.
#[test]
fn what_is_in_use_is_left() {
    let project = begun();
    let running = stuck(&project);
    let used = folders(&project);
    // A file that waits for nobody is out of the way of who only looks.
    let filter = "git config filter.wait.clean cat";
    project.sh(filter).expect(0);
    context(&project, &["diff"]).expect(0);
    assert_eq!(folders(&project), used);
    release(&project);
    running.wait().expect(0);
    assert_eq!(folders(&project), Vec::<String>::new());
}
