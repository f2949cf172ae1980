//! Task files.

use crate::desk::{TASK, context, desk};
use crate::project;

/// CX-02: from a new file to a task that is done.
#[test]
fn a_task_from_its_writing_to_its_end() {
    let project = project();
    project.run(["task", "list"]).expect(0).prints("there is no task");
    let made = project.run(["task", "new", "Remember the theme", "--area", "mobile"]).expect(0);
    made.prints("made: tasks/TASK-0001.task.yaml");
    let made = project.run(["task", "new", "Another: with \"quotes\" # and more"]).expect(0);
    made.prints("TASK-0002");
    project.run(["task", "new", "x", "--id", "TASK-0001"]).expect(1).says("is already there");
    project.run(["task", "new", "x", "--id", "../up"]).expect(2).says("is not a task's id");
    project.run(["task", "new", "x", "--priority", "P9"]).expect(2).says("P0, P1, P2, P3");
    project.run(["task", "new", " "]).expect(2).says("the title is empty");
    // What can't be begun is not fine.
    let ran = project.run(["task", "check"]).expect(2);
    ran.prints("tasks/TASK-0002.task.yaml: no standard is cited; name one in the task file");
    let list = project.run(["task", "list"]).expect(0);
    list.prints("Remember the theme").prints("Another: with \"quotes\" # and more");
    project.run(["task", "complete", "TASK-0001"]).expect(0).prints("done: TASK-0001");
    let list = project.run(["task", "list", "--format", "json"]).expect(0).data();
    assert_eq!(list["tasks"][0]["status"], "done");
    assert_eq!(list["tasks"][1]["status"], "todo");
}

/// CX-02: every mistake is told with its place, and nothing is made of such a file.
#[test]
fn mistakes_have_a_place() {
    let project = desk();
    let check = |text: &str, expected: &[&str]| {
        project.write("tasks/TASK-0824.task.yaml", text);
        let ran = project.run(["task", "check"]).expect(2);
        for words in expected {
            assert!(ran.out().contains(words), "{words} is not in:\n{}", ran.out());
        }
        context(&project, &["init"]).expect(2).says("tasks/TASK-0824.task.yaml:");
        context(&project, &["show"]).expect(1).says("there is no context");
    };
    check(&TASK.replace("priority: P1", "priority: P7"), &["TASK-0824.task.yaml:3:"]);
    check(&TASK.replace("title:", "titel:"), &["TASK-0824.task.yaml:2:1", "title"]);
    check(
        &TASK.replace("priority: P1", "priority: high").replace("area: mobile", "area: [1]"),
        &["task.yaml:3:", "task.yaml:4:"],
    );
    check("id: [", &["task.yaml:1:"]);
    check("", &["task.yaml:1:1"]);
    project.write("tasks/TASK-0824.task.yaml", b"id: TASK-0824\ntitle: \xff\n");
    project.run(["task", "check"]).expect(2).prints("task.yaml:2:8").prints("not UTF-8");
}

/// CX-05: a task that says nothing, or that nothing binds, can't be begun.
#[test]
fn a_task_must_say_something() {
    let project = desk();
    let empty = TASK.replace("standards:\n  - \"CONTRIBUTING.md#state\"\n", "");
    project.write("tasks/TASK-0824.task.yaml", &empty);
    context(&project, &["init"]).expect(1).says("no standard is cited").says("standards: [");
    let nameless = TASK.replace("CONTRIBUTING.md#state", "CONTRIBUTING.md#stat");
    project.write("tasks/TASK-0824.task.yaml", nameless);
    context(&project, &["init"]).expect(2).says("state");
    let nowhere = TASK.replace("CONTRIBUTING.md#state", "HOUSE.md#state");
    project.write("tasks/TASK-0824.task.yaml", nowhere);
    context(&project, &["init"]).expect(2).says("HOUSE.md");
    let (head, tail) = TASK.split_once("description: |").unwrap();
    let rest = tail.split_once("scope:").unwrap().1;
    project.write("tasks/TASK-0824.task.yaml", format!("{head}description: \"\"\nscope:{rest}"));
    let ran = context(&project, &["init"]);
    assert!(ran.err().contains("description"), "{}", ran.err());
    assert_ne!(ran.code, Some(0));
}

/// CX-18: a task with work left is not done, unless a person says why.
#[test]
fn a_task_with_work_left_is_not_done() {
    let project = crate::desk::handed_over();
    project.run(["task", "complete", "TASK-0824"]).expect(1).says("reviewer is pending");
    let anyway = ["task", "complete", "TASK-0824", "--anyway", "we gave it up"];
    project.run(anyway).expect(0).prints("its context is purged");
    context(&project, &["show"]).expect(0).prints("we gave it up");
}

/// CX-11, CX-18: what is completed is what the last role left.
#[test]
fn a_task_is_not_completed_over_drift() {
    let project = desk();
    project.write("tasks/TASK-0824.task.yaml", format!("{TASK}roles: [worker]\n"));
    context(&project, &["init"]).expect(0);
    project.write("src/theme.txt", "work\n");
    context(&project, &["snapshot", "--role", "worker"]).expect(0);
    project.write("src/theme.txt", "more\n");
    project.run(["task", "complete", "TASK-0824"]).expect(1).says("src/theme.txt");
    context(&project, &["resolve-drift", "--note", "mine"]).expect(0);
    project.run(["task", "complete", "TASK-0824"]).expect(0);
}

/// CX-06: names that steps have are no names of roles.
#[test]
fn some_names_are_taken() {
    for name in ["start", "now", "resolution", "a b", "../x", "ü"] {
        let project = desk();
        project.write("tasks/TASK-0824.task.yaml", format!("{TASK}roles: [\"{name}\"]\n"));
        let ran = project.run(["task", "check"]);
        assert_eq!(ran.code, Some(2), "{name}: {}", ran.out());
        assert_ne!(context(&project, &["init"]).code, Some(0), "{name}");
    }
}

/// CX-02, CX-03: a check finds what would keep a context from being made.
#[test]
fn a_check_looks_at_standards_and_scope() {
    let project = desk();
    for (from, to) in [
        ("CONTRIBUTING.md#state", "CONTRIBUTING.md#nope"),
        ("CONTRIBUTING.md#state", "NOWHERE.md#state"),
        ("\"src/**\"", "\":nomacro\""),
        ("\"src/**\"", "\"../..\""),
    ] {
        project.write("tasks/TASK-0824.task.yaml", TASK.replace(from, to));
        let ran = project.run(["task", "check"]);
        assert_eq!(ran.code, Some(2), "{to}: {}", ran.out());
    }
}

/// CX-02: an id that two files have stands for neither.
#[test]
fn two_files_with_one_id_are_refused() {
    let project = crate::desk::desk();
    project.write("tasks/old/copy.task.yaml", crate::desk::TASK);
    for name in ["TASK-0824", "tasks/TASK-0824.task.yaml"] {
        let ran = project.run(["context", "init", name]).expect(1);
        ran.says(
            "tasks/TASK-0824.task.yaml and tasks/old/copy.task.yaml both have the id TASK-0824",
        )
        .says("give one of them another id");
    }
}

/// CX-02: `task check` of one task says what would keep its context from being made, or is odd.
#[test]
fn a_check_of_one_task_is_as_strict() {
    let project = crate::desk::desk();
    let check = || project.run(["task", "check", "TASK-0824"]);
    check().expect(0).prints("fine");
    let long = format!("description: |\n  {}\n", "word ".repeat(600));
    let task = crate::desk::TASK.replace("description: |\n", &long);
    project.write("tasks/TASK-0824.task.yaml", task);
    check().expect(0).prints("are hard to take in");
    let roles = format!("{}roles: [dev, now]\n", crate::desk::TASK);
    project.write("tasks/TASK-0824.task.yaml", roles);
    let ran = check().expect(2);
    assert!(ran.out().contains("tasks/TASK-0824.task.yaml:"), "{}", ran.out());
    ran.prints("'now' can't be the name of a role");
    project.write("tasks/TASK-0824.task.yaml", crate::desk::TASK);
    project.write("tasks/other.task.yaml", crate::desk::TASK);
    check().expect(2).prints("both have the id TASK-0824");
}

/// CX-03: a standard is a document of the repository.
#[test]
fn a_standard_is_no_link_to_elsewhere() {
    let project = crate::desk::desk();
    project
        .sh("mv CONTRIBUTING.md ../elsewhere.md && ln -s ../elsewhere.md CONTRIBUTING.md")
        .expect(0);
    project.run(["context", "init", "TASK-0824"]).expect(2).says("leads out of the repository");
    project
        .sh("rm CONTRIBUTING.md && mv ../elsewhere.md docs/C.md && ln -s docs/C.md CONTRIBUTING.md")
        .expect(0);
    project.run(["context", "init", "TASK-0824"]).expect(0);
}

/// D4.3: what is not committed inside of a submodule is told as well when a task begins.
#[test]
fn a_dirty_submodule_is_told() {
    let project = crate::desk::desk();
    project
        .sh("git init -q ../lib && cd ../lib && echo a > a && git add a && \
                git -c user.name=x -c user.email=x@example.com commit -qm a")
        .expect(0);
    project.sh("git -c protocol.file.allow=always submodule --quiet add ../lib lib").expect(0);
    project.commit("A submodule");
    project.sh("echo b > lib/a").expect(0);
    project.run(["context", "init", "TASK-0824"]).expect(0).prints("count as the start");
}
