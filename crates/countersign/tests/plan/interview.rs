//! The interview, held on a real pseudo-terminal (that of `script`, from util-linux).

use countersign_testkit::{Project, Ran};

use crate::PROGRAM;

/// Runs the program on a terminal that gives these answers, one on each line. `None` where there is
/// no `script`.
fn held(project: &Project, args: &str, answers: &str) -> Option<Ran> {
    let probe = project.sh("script --version");
    if probe.code != Some(0) {
        println!("SKIPPED: `script` of util-linux is not installed");
        return None;
    }
    let line = format!("'{PROGRAM}' {args}; echo \"ended with $?\"");
    let call = project.call_of("script").args(["--quiet", "--command", &line, "/dev/null"]);
    Some(call.env("TERM", "dumb").stdin(answers).run())
}

/// The answers to all questions about a plan with one story.
fn answers(unit: &str, agree: &str) -> String {
    let story = [
        // The plan.
        "Visitors are greeted by name.",
        "",
        // The story and its criteria; the first is too vague, and is asked for again.
        "Greet by name",
        "a user",
        "they log in",
        "the system works correctly",
        "a visitor called \"Ada\"",
        "the visitor asks for a greeting",
        "the visitor reads \"Hello, Ada\"",
        "",
        // Negative cases: none at first, which is not enough.
        "",
        "no greeting without a name",
        "",
        "a name of 200 letters",
        "",
        // Type, size, urgency, risk, files.
        "",
        "S",
        "2",
        "LOW",
        "greet.sh",
        // Four layers.
        "",
        "",
        "",
        "",
        // Three tests: id, category, layer, command, expected.
        "greets",
        "",
        "",
        "sh t.sh name",
        "",
        "refuses",
        "",
        "",
        "",
        "",
        "long_names",
        "",
        "L3",
        "",
        "",
        "",
        // No further story.
        "",
    ];
    let around = [
        // Verify mode, worker, verifier, consensus, iterations, report.
        "",
        "claude:opus",
        "nobody",
        "codex@high",
        "",
        "0",
        "12",
        "",
        // Build, test, lint, L1 to L4.
        "N/A — a script",
        "sh t.sh",
        "sh -n greet.sh",
        "",
        "",
        "",
        "",
        // The happy and the error case.
        "Ada",
        "Hello, Ada",
        "sh greet.sh Ada",
        "",
        // Around it.
        "other languages",
        "",
        "",
        "all tests pass",
        "",
    ];
    format!("{}\n{unit}\n{}\n{agree}", story.join("\n"), around.join("\n"))
}

/// LP-04: the interview asks for everything, assumes no iteration unit, and writes after a yes.
#[test]
fn the_interview_makes_a_plan() {
    let project = Project::new(PROGRAM);
    // Neither nothing nor nonsense chooses the iteration unit.
    let Some(ran) = held(&project, "plan new", &answers("\nwhatever\n2", "y\n")) else { return };
    let out = ran.out();
    for expected in [
        "5 of 12: reject",
        "It could mean too much. Once more, please:",
        "12 of 12: pass",
        "at least one is needed",
        "an answer is needed",
        "'whatever' is none of them",
        "there is no agent 'nobody'",
        "a number from 1 to 1000",
        "Write it to plans/visitors-are-greeted-by-name? [y/N]",
        "made: plans/visitors-are-greeted-by-name/prd.md",
        "ended with 0",
    ] {
        assert!(out.contains(expected), "{expected}\n{out}");
    }
    let prd = project.read("plans/visitors-are-greeted-by-name/prd.md");
    for line in [
        "- Iteration unit: all at once",
        "- Worker: `claude:opus`",
        "- Verifier: `codex@high`",
        "- Touches: `greet.sh`",
    ] {
        assert!(prd.contains(line), "{line}\n{prd}");
    }
    project.run(["plan", "check", "visitors-are-greeted-by-name"]).expect(0);
}

/// LP-04: nothing is written without a yes, or if the interview is left before its end.
#[test]
fn without_a_yes_nothing_is_written() {
    let project = Project::new(PROGRAM);
    let Some(ran) = held(&project, "plan new", &answers("1", "\n")) else { return };
    let out = ran.out();
    assert!(out.contains("not agreed to; nothing was written"), "{out}");
    assert!(out.contains("ended with 1"), "{out}");
    let Some(ran) = held(&project, "plan new", "Visitors are greeted.\n\nGreet\n") else { return };
    let out = ran.out();
    assert!(out.contains("the interview was ended; nothing was written"), "{out}");
    assert!(!project.path("plans").exists());
}

/// LP-04: a file is approved on the terminal as well; what options said is not asked again.
#[test]
fn files_and_options_are_approved_too() {
    let project = Project::new(PROGRAM);
    project.write("answers.toml", crate::ANSWERS);
    let Some(ran) = held(&project, "plan new --from answers.toml", "yes\n") else { return };
    assert!(ran.out().contains("made: plans/farewell/prd.md"), "{}", ran.out());
    let said =
        "plan new --objective 'Guests are greeted.' --slug guests --iteration-unit 'per story'";
    let answers = answers("", "y\n");
    let rest =
        answers.split_once("Greet by name\n").unwrap().1.replacen("\n\n\nclaude", "\n\nclaude", 1);
    let Some(ran) = held(&project, said, &format!("Greet by name\n{rest}")) else { return };
    let out = ran.out();
    assert!(out.contains("made: plans/guests/prd.md"), "{out}");
    assert!(!out.contains("What does one worker do"), "{out}");
}
