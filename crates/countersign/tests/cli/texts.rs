//! What people read, as snapshots that are reviewed like code.

use countersign_testkit::{Project, Ran};

use crate::{project, project_with_run};

/// What differs from machine to machine and run to run, taken out.
fn settings(project: &Project) -> insta::Settings {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("snapshots");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.add_filter(&regex_of(&project.outside().display().to_string()), "[outside]");
    settings.add_filter(r"\d{8}_\d{6}_\d{3}", "[run]");
    settings.add_filter(r"\d{4}-\d\d-\d\dT[0-9:.]+Z?", "[time]");
    settings.add_filter(r"\b[0-9a-f]{64}\b", "[digest]");
    settings.add_filter(r"\b[0-9a-f]{40}\b", "[object]");
    settings.add_filter(r"\b[0-9a-f]{12}\b", "[short]");
    settings.add_filter(r"\b\d+ ms\b|\b\d+\.\d s\b", "[duration]");
    settings.add_filter(r"at most \d+ MiB", "at most [size]");
    settings.add_filter(r"bubblewrap: .*", "[sandbox]");
    settings.add_filter(r"(?m)^(sandbox +)none$", "$1[sandbox]");
    settings.add_filter(r" +\n", "\n");
    settings
}

fn regex_of(text: &str) -> String {
    text.chars().flat_map(|c| if c.is_alphanumeric() { vec![c] } else { vec!['\\', c] }).collect()
}

#[track_caller]
fn check(project: &Project, name: &str, ran: &Ran) {
    let text = format!(
        "exit code: {}\n----- standard output\n{}----- standard error\n{}",
        ran.code.unwrap_or(-1),
        ran.out(),
        ran.err()
    );
    settings(project).bind(|| insta::assert_snapshot!(name, text));
}

/// Every verb with a help of its own.
const VERBS: &[&str] = &[
    "",
    "run",
    "run status",
    "run logs",
    "run report",
    "run audit",
    "run clean",
    "accept",
    "resume",
    "cancel",
    "status",
    "watch",
    "log",
    "show",
    "init",
    "hooks",
    "hooks install",
    "hooks status",
    "hooks uninstall",
    "doctor",
    "config",
    "config show",
    "config path",
    "config schema",
    "config default",
    "ledger",
    "ledger verify",
    "ledger export",
    "ledger seal",
    "ledger rebuild",
    "ledger retain",
    "ledger append",
    "ledger key",
    "verify",
    "project",
    "project show",
    "contract",
    "contract draft",
    "contract schema",
    "plan",
    "plan new",
    "plan check",
    "plan show",
    "plan list",
    "plan import",
    "plan schema",
    "review",
    "review list",
    "review show",
    "review accept",
    "checkpoint",
    "checkpoint list",
    "checkpoint show",
    "checkpoint answer",
    "checkpoint discuss",
    "budget",
    "budget show",
    "task",
    "task new",
    "task check",
    "task list",
    "task complete",
    "context",
    "context init",
    "context show",
    "context list",
    "context export",
    "context env",
    "context update",
    "context block",
    "context unblock",
    "context snapshot",
    "context verify",
    "context diff",
    "context record-qa",
    "context attach",
    "context resolve-drift",
    "context adopt",
    "context restore",
    "context rebuild",
    "context purge",
    "context sweep",
    "memory",
    "memory list",
    "memory read",
    "memory write",
    "memory delete",
    "memory publish",
    "mcp",
    "demo",
    "completions",
    "man",
];

/// PL-06: the help of every verb.
#[test]
fn help() {
    let project = project();
    for verb in VERBS {
        let args = verb.split(' ').filter(|word| !word.is_empty());
        let ran = project.call(args).arg("--help").run().expect(0);
        let name = format!("help {verb}").trim_end().replace(' ', "-");
        settings(&project).bind(|| insta::assert_snapshot!(name, ran.out()));
    }
}

/// PL-06: what a run says as it goes, and what can be asked about it afterwards.
#[test]
fn a_run_as_it_is_told() {
    let project = project();
    let worker = "command:echo $COUNTERSIGN_ATTEMPT > n; echo 'All done!'";
    let args = ["run", "Count to two", "--check", "test -f n", "--check", "grep 2 n"];
    let ran = project.call(args).args(["--worker", worker]).run().expect(0);
    check(&project, "run-accepted", &ran);
    check(&project, "log", &project.run(["log"]));
    check(&project, "log-diff", &project.run(["log", "--diff"]));
    check(&project, "status", &project.run(["status"]));
    check(&project, "status-one", &project.run(["status", "latest"]));
    let log = project.run(["log"]).out();
    let receipt = log.rsplit("receipt ").next().unwrap().lines().next().unwrap().to_owned();
    check(&project, "show", &project.run(["show", &receipt]));
    check(&project, "ledger-verify", &project.run(["ledger", "verify"]));
    let ran = project.goal("echo 'I did it'", "false").arg("--attempts=1").run();
    check(&project, "run-refused", &ran);
}

/// PL-06: what a newcomer meets first.
#[test]
fn first_steps() {
    let project = project();
    check(&project, "status-empty", &project.run(["status"]));
    check(&project, "log-empty", &project.run(["log"]));
    check(&project, "init", &project.run(["init"]));
    check(&project, "init-again", &project.run(["init"]));
    check(&project, "config-show", &project.run(["config", "show"]));
    check(&project, "config-path", &project.run(["config", "path"]));
    check(&project, "run-without-anything", &project.run(["run"]));
    let ran = project.run(["run", "x", "--worker", "command:true"]);
    check(&project, "run-without-check", &ran);
    let outside = project.outside();
    check(&project, "not-a-repository", &project.call(["status"]).at(outside).run());
}

/// PL-06: the demonstration as it is told.
#[test]
fn the_demonstration() {
    let project = project_with_run();
    let mut settings = settings(&project);
    settings.add_filter(r"alias countersign=.*", "alias countersign=[program]");
    let ran = project.run(["demo", "--into", "../demo"]).expect(0);
    settings.bind(|| insta::assert_snapshot!("demo", ran.err() + &ran.out()));
}
