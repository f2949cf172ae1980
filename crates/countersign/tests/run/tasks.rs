//! A task file as the goal of a run.

use countersign_testkit::Project;
use serde_json::Value;

use crate::stage::project;

const WORKER: &str = "command:echo done > done.txt";

/// A project with a task of these commands.
fn with_commands(commands: &str) -> Project {
    let project = project();
    project.run(["task", "new", "Write done.txt", "--area", "docs"]).expect(0);
    let file = task(&project);
    let text = project.read(&file);
    let filled = text
        .replace("Say what is to be done and why, in Markdown.", "Write done.txt.")
        .replace("acceptance_criteria: []", "acceptance_criteria: [done.txt is there]")
        .replace("  commands: []", &format!("  commands:\n{commands}"));
    project.write(&file, filled);
    project.write("endless.sh", "while :; do sleep 1; done\n");
    project.commit("A task");
    project
}

/// The file of the task.
fn task(project: &Project) -> String {
    let files = project.git(["ls-files", "--others", "--cached", "*.task.yaml"]);
    files.lines().next().unwrap().to_owned()
}

/// How the checks of the newest run ended.
fn endings(project: &Project) -> Vec<Value> {
    let journal = project.journal();
    let entries = journal["entries"].as_array().unwrap();
    let checked = entries.iter().filter(|entry| entry["kind"] == "run.checked");
    checked.map(|entry| entry["event"]["body"]["execution"]["ended"].clone()).collect()
}

/// LP-01: a command that has less time in its task than a run gives has that time and no more; the others
/// have what the run gives.
#[test]
fn a_command_has_the_time_that_its_task_gives() {
    let project =
        with_commands("    - test -f done.txt\n    - {command: sh endless.sh, timeout: 1s}\n");
    let words = ["run", "--task", &task(&project), "--attempts", "1", "--worker", WORKER];
    project.run(words).expect(3);
    let ended = endings(&project);
    assert_eq!(ended[0]["how"], "exited", "{ended:?}");
    assert_eq!(ended[1]["how"], "timed_out", "{ended:?}");
    let checks = &project.journal()["entries"][0]["event"]["body"]["contract"]["checks"];
    assert_eq!((&checks[0]["seconds"], &checks[1]["seconds"]), (&Value::Null, &1.into()));
    // It is the same where the whole verification is run.
    let examined = [&words[..], &["--examine", "--no-input"]].concat();
    let ran = project.run(examined);
    assert!(matches!(ran.code, Some(3 | 4)), "{}", ran.err());
    assert!(ran.err().contains("sh endless.sh"), "{}", ran.err());
    project.expect_no_survivors();
    // Who says on the command line that there is less time is heard as well.
    let project = with_commands("    - {command: sh endless.sh, timeout: 1h}\n");
    let words = ["run", "--task", &task(&project), "--attempts", "1", "--worker", WORKER];
    project.call(words).args(["--check-timeout", "1"]).run().expect(3);
    assert_eq!(endings(&project)[0]["how"], "timed_out");
    project.expect_no_survivors();
}

/// LP-01, LP-08: a task that wants a failed command tried again is told that a run does not: what passes
/// now and then proves nothing.
#[test]
fn a_retry_policy_is_not_followed_in_silence() {
    let project = with_commands(
        "    - {id: flaky, command: test -f done.txt, retry_policy: {max_attempts: 3}}\n    - test -f done.txt\n",
    );
    let words = ["run", "--task", &task(&project), "--attempts", "1", "--worker", WORKER];
    let told = project.run(words).expect(0).err();
    assert!(told.contains("flaky: its 'retry_policy' is not followed"), "{told}");
    assert_eq!(told.matches("retry_policy").count(), 1, "{told}");
}
