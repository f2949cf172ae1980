//! What is told to people and to agents: that it is true, said once, and says what to do.

use countersign_testkit::{Project, wait_until};
use serde_json::Value;

use crate::relay::{answer_all, project, worker as story_worker};
use crate::roster::{COST, Stage};
use crate::stage::{call, expect_asked, expect_tidy, pass, worker};
use crate::{CHECK, GOAL, PROGRAM, greeter};

/// LP-20: a reviewer that was named and did not look is told, with why; the work goes on.
#[test]
fn a_reviewer_that_fails_is_told() {
    let project = greeter();
    let call = call(&project, &worker("true"), "").args(["--reviewer", "command:exit 3"]);
    let ran = call.run().expect(0);
    let words = "assignment not reviewed: the reviewer did not finish: failed: exit code 3";
    assert!(ran.err().contains(words), "{}", ran.err());
    assert!(!ran.err().contains("it exit code"), "{}", ran.err());
    // Where nobody is named, nothing is missed.
    let project = greeter();
    let ran = crate::stage::call(&project, &worker("true"), "").run().expect(0);
    assert!(!ran.err().contains("not reviewed"), "{}", ran.err());
}

/// LP-20, CO-05: a reviewer whose leader was killed is on the books when another one goes on, and looks
/// again.
#[test]
fn a_reviewer_that_was_cut_off_is_settled() {
    let begin = "if [ \"$COUNTERSIGN_ROLE\" = reviewer ] && [ ! -e ${0%/*}/once ]; then \
                 touch ${0%/*}/once; sleep 1000; fi";
    let stage = Stage::with_agent(begin, ":");
    let words = ["run", "--plan", "names", "--worker", "claude", "--reviewer", "claude"];
    let running = stage.project.call(words).arg("--no-input").env("PATH", &stage.path).start();
    let flag = stage.project.outside().join("bin/once");
    wait_until("the reviewer", || flag.exists().then_some(()));
    running.kill();
    stage.project.expect_no_survivors();
    let call = stage.project.call(["resume", "latest", "--no-input"]).env("PATH", &stage.path);
    let ran = call.run();
    assert_eq!(ran.code, Some(0), "{}{}", ran.out(), ran.err());
    let runs = stage.project.run(["status", "--format", "json"]).expect(0).data();
    let runs: Vec<String> = runs
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|row| row["run"].as_str().map(str::to_owned))
        .collect();
    let mut spent = None;
    for run in &runs {
        let show = ["budget", "show", run, "--format", "json"];
        let budget = stage.project.run(show).expect(0).data();
        assert_eq!(budget["run"]["unsettled"].as_array().map_or(0, Vec::len), 0, "{budget:#}");
        spent = budget["run"]["shared"][1]["spent"]["money"].as_u64().or(spent);
    }
    // Three workers and three reviewers came to their end; the one that was cut off had used nothing.
    assert_eq!(spent, Some(6 * COST), "{runs:?}");
}

/// LP-24: who is at work is told with what is heard of it; when its driver was killed, that it was, and how
/// to go on.
#[test]
fn who_was_at_work_is_told_apart() {
    let project = greeter();
    let flag = project.outside().join("begun");
    let waits = format!("touch {}; sleep 1000", flag.display());
    let running = call(&project, &worker(&waits), "").start();
    wait_until("the worker", || flag.exists().then_some(()));
    let told = wait_until("what is heard of it", || {
        let told = project.run(["run", "status"]).expect(0).out();
        told.contains("silent for").then_some(told)
    });
    let lines: Vec<&str> = told.lines().collect();
    let at = lines.iter().position(|line| line.contains("is at work for")).unwrap();
    let after = lines[at + 1..].iter().take_while(|line| line.starts_with("  "));
    assert!(after.clone().any(|line| line.contains("silent for")), "{told}");
    running.kill();
    project.expect_no_survivors();
    let told = project.run(["run", "status"]).expect(0).out();
    assert!(told.contains("was at work when its driver ended"), "{told}");
    assert!(told.contains("go on: countersign resume"), "{told}");
    assert!(!told.contains("is at work"), "{told}");
}

/// LP-07, LP-11: who judges knows of which tests only the exit code of their command was seen.
#[test]
fn a_verifier_is_told_what_was_not_seen() {
    let project = project(&["alpha"]);
    let kept = project.outside().join("judged");
    let of = |criterion: &str| {
        let criteria =
            format!(r#""criteria":[{{"criterion":"{criterion}","met":true,"evidence":"r1"}}]"#);
        pass(r#"["r1"]"#).replace(r#""criteria":[]"#, &criteria)
    };
    let verifier = format!(
        "command:p=$(cat); printf '%s\\n' \"$p\" >> {}; case \"$p\" in *'Judge ALL only'*) \
         printf '%s' '{}';; *) printf '%s' '{}';; esac",
        kept.display(),
        of("US-001 AC1"),
        of("AC1")
    );
    let words = ["run", "--plan", "names", "--no-input", "--worker", &story_worker("$u")];
    let ran = project.call(words).args(["--verifier", &verifier]).run();
    assert_eq!(ran.code, Some(0), "{}{}", ran.out(), ran.err());
    let told = std::fs::read_to_string(&kept).unwrap();
    let words = "only the exit code of their command was seen";
    assert_eq!(told.matches(words).count(), 2, "{told}");
    assert!(told.contains("alpha_boundary"), "{told}");
}

/// LP-15: of a check that failed, the worker is told once what it printed on its own files, not what it
/// printed on others.
#[test]
fn a_worker_is_told_what_its_own_files_did() {
    let project = project(&["alpha"]);
    let seen = project.outside().join("prompts");
    let wrong =
        "printf 'echo expected alpha and got $(sh alpha.sh) >&2; exit 1\\n' > tests/alpha.sh";
    let worker = story_worker("$u").replacen(
        "command:prompt=$(cat); ",
        &format!("command:prompt=$(cat); printf '%s\\n' \"$prompt\" >> {}; ", seen.display()),
        1,
    );
    let worker = format!("{worker}; case \"$prompt\" in *'was refused'*) ;; *) {wrong};; esac");
    let words = ["run", "--plan", "names", "--no-input", "--worker", &worker];
    let ran = project.run(words);
    assert_eq!(answer_all(&project, ran.code.unwrap_or(-1)), 0, "{}{}", ran.out(), ran.err());
    let prompts = std::fs::read_to_string(&seen).unwrap();
    assert!(prompts.contains("expected alpha and got alpha"), "{prompts}");
    assert!(!prompts.contains("No such file"), "{prompts}");
    let second = prompts.split("was refused").nth(1).unwrap();
    assert_eq!(second.matches("did not pass").count(), 1, "{second}");
    assert_eq!(second.matches("exit code 1").count(), 1, "{second}");
    // Said once, by the answer.
    let (out, err) = (ran.out(), ran.err());
    assert_eq!(
        format!("{out}{err}").matches("complete:").count(),
        usize::from(ran.code == Some(0))
    );
}

/// CO-12: a question tells how long it has been waiting, and, where an answer is wanted by some time, what
/// happens then: it gets urgent, and nothing is decided.
#[test]
fn a_question_tells_its_age() {
    let project = greeter();
    let gives_up = r#"mkdir -p .countersign; echo '{"status":"blocked","because":"who knows"}' > .countersign/claim.json"#;
    let ran = call(&project, gives_up, "").env("COUNTERSIGN_RUN_ANSWER_HOURS", "2").run();
    expect_asked(&project, ran, "impossible");
    let shown = project.run(["checkpoint", "show"]).expect(0).out();
    assert!(shown.contains("(just now)"), "{shown}");
    assert!(shown.contains("wanted by") && shown.contains("no time decides it"), "{shown}");
    project.run(["checkpoint", "list"]).expect(0).prints("just now");
    project.run(["checkpoint", "answer", "latest", "stop"]).expect(0);
    let shown = project.run(["checkpoint", "show"]).expect(0).out();
    assert!(!shown.contains("no time decides it"), "{shown}");
}

/// PL-02: a worker that removes the ledger is told of as that, with where to look.
#[test]
fn a_removed_ledger_is_told() {
    let project = greeter();
    let removes = worker(&format!("rm -rf {}", project.state().display()));
    let ran = project
        .call(["run", GOAL, "--check", CHECK, "--no-input", "--worker"])
        .arg(format!("command:{removes}"))
        .run();
    assert_ne!(ran.code, Some(0), "{}{}", ran.out(), ran.err());
    assert!(ran.err().contains("was removed meanwhile"), "{}", ran.err());
    assert!(ran.err().contains("countersign ledger verify"), "{}", ran.err());
    let told = project.run(["ledger", "verify"]);
    assert!(told.out().contains("ledger_replaced"), "{}", told.out());
}

/// A project in Python, if that is here.
fn python() -> Option<Project> {
    let project = Project::new(PROGRAM);
    project.write("greet.py", "def greet(name):\n    return 'Hello, ' + name\n");
    project.write("test_greet.py", TESTS);
    project.commit("A greeter");
    let is_here = project.sh("python3 -c 'import unittest'").code == Some(0);
    if !is_here {
        eprintln!("SKIPPED: there is no python3");
    }
    is_here.then_some(project)
}

const TESTS: &str = "import unittest\nfrom greet import greet\n\n\nclass GreetTest(unittest.TestCase):\n    \
def test_greets(self):\n        self.assertEqual(greet('Ada'), 'Hello, Ada')\n";

/// LP-13: a new test that passes and fails with the same code proves nothing: a person is asked about it,
/// with its name.
#[test]
fn a_flaky_test_is_a_persons() {
    let Some(project) = python() else { return };
    // It fails the first time that it is run on the new code, and never again.
    let count = project.outside().join("count");
    let test = format!(
        "\n    def test_says_bye(self):\n        import greet, os\n        self.assertEqual(greet.bye('Ada'), 'Bye, Ada')\n        \
         seen = os.path.exists('{0}')\n        open('{0}', 'w').close()\n        self.assertTrue(seen)\n",
        count.display()
    );
    project.write("../bye.py", "\n\ndef bye(name):\n    return 'Bye, ' + name\n");
    project.write("../test_bye.py", test);
    let outside = project.outside();
    let outside = outside.display();
    let worker = format!(
        "command:cat {outside}/bye.py >> greet.py; cat {outside}/test_bye.py >> test_greet.py"
    );
    let words = ["run", "Add bye to greet.py: it says goodbye by name", "--no-input", "--examine"];
    let call = project.call(words).args(["--check", "python3 -m unittest -v", "--worker", &worker]);
    // The count is outside of what a check may write.
    let ran = call.env("COUNTERSIGN_VERIFY_SANDBOX", "false").run();
    expect_asked(&project, ran, "findings");
    let shown: Value = project.run(["checkpoint", "show", "--format", "json"]).expect(0).data();
    let words = shown.to_string();
    assert!(words.contains("test_says_bye") && words.contains("is flaky"), "{shown:#}");
    assert!(!words.contains("test_greets is flaky"), "{shown:#}");
    expect_tidy(&project);
}
