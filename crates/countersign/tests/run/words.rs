//! `run` takes a goal, and verbs about runs: neither gets in the other's way.

use crate::stage::{data, project};

/// LP-23: the name of a verb is a goal after `--`, and after any option.
#[test]
fn a_goal_may_be_the_name_of_a_verb() {
    let project = project();
    let rest = ["--check", "true", "--worker", "command:echo a > a"];
    project.run([&["run"], &rest[..], &["status"]].concat()).expect(0);
    assert_eq!(data(&project, &["status"])["goal"], "status");
    let rest = ["--check", "true", "--worker", "command:echo b > b"];
    project.run([&["run"], &rest[..], &["--", "clean"]].concat()).expect(0);
    assert_eq!(data(&project, &["status"])["goal"], "clean");
    project.run([&["run", "help"], &rest[..]].concat()).expect(0);
    assert_eq!(data(&project, &["status"])["goal"], "help");
}

/// LP-23: what belongs to a goal is refused with a verb, and the other way round.
#[test]
fn options_of_goals_and_of_verbs_do_not_mix() {
    let project = project();
    project.run(["run", "status", "--worker", "command:true"]).expect(2);
    project.run(["run", "--follow", "Do it", "--worker", "command:true"]).expect(2);
    project.run(["run"]).expect(2).says("--worker");
    project.run(["run", "status", "--format", "html"]).expect(2).says("no HTML form");
    project.run(["status", "--format", "html"]).expect(2).says("run report");
    project.run(["run", "clean", "--kill"]).expect(2);
    project.run(["run", "audit"]).expect(2).says("--out");
}

/// LP-01: a task file is a goal: the worker reads what it says, and its required commands are the checks,
/// where and as it says they run.
#[test]
fn a_task_file_is_a_goal() {
    let project = project();
    project.write("web/x", "");
    let task = |command: &str| {
        format!(
            "version: 1\nid: TASK-0001\ntitle: Add bye\npriority: P2\narea: web\nstatus: todo\n\
             description: |\n  Add web/bye.sh, which says bye.\nacceptance_criteria:\n  - it says bye\n\
             scope:\n  in: [web/**]\n  out: [base.sh]\nqa:\n  commands:\n    - {command}\n\
             \x20   - {{command: 'false', criticality: optional}}\n"
        )
    };
    let strict = "{command: 'test \"$(sh bye.sh)\" = $WORD && exit 3', cwd: web, env: {WORD: bye}, \
                  timeout: 20m, expected_exit_codes: [3], expected_paths: [web/bye.sh]}";
    project.write("tasks/TASK-0001.task.yaml", task(strict));
    project.commit("A task");
    let said = project.outside().join("said");
    let worker =
        |word: &str| format!("command:cat > {}; echo 'echo {word}' > web/bye.sh", said.display());
    let run = |word: &str| {
        let words = ["run", "--task", "TASK-0001", "--attempts", "1", "--no-input", "--worker"];
        project.call(words).arg(worker(word)).run()
    };
    run("hello").expect(3).says("cd web || exit 1");
    run("bye").expect(0);
    let said = std::fs::read_to_string(&said).unwrap();
    for words in
        ["Add web/bye.sh, which says bye.", "- it says bye", "It is not about:\n\n- base.sh"]
    {
        assert!(said.contains(words), "{words}: {said}");
    }
    assert!(!said.contains("`false`"), "what is optional is no check: {said}");
    let journal = project.journal();
    let limits = &journal["entries"][0]["event"]["body"]["limits"];
    assert_eq!(limits["check_seconds"], 1200, "{limits}");
    project
        .run(["run", "--task", "TASK-9", "--worker", "command:true"])
        .expect(1)
        .says("task list");
    project.run(["run", "Do it", "--task", "TASK-0001", "--worker", "command:true"]).expect(2);
}
