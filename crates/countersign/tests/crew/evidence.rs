//! What is asked of the evidence: by what the user says, and not by what words might mean.

use countersign_testkit::Project;

use crate::PROGRAM;
use crate::stage::{pass, says};

/// What the README asks for: in a project without any test before.
fn first() -> Project {
    let project = Project::new(PROGRAM);
    project.write("greet.sh", "echo Hello\n");
    project.commit("A greeter");
    project
}

const WORKER: &str = "command:echo 'echo \"Hello, $1\"' > greet.sh; mkdir -p tests; echo \"sh greet.sh \
                      Ada | grep -qx 'Hello, Ada'\" > tests/greet.sh";
const RUN: [&str; 5] =
    ["run", "greet.sh greets by name", "--check", "sh tests/greet.sh", "--no-input"];

/// VC-08: a class of which the classifier is not sure stops nobody, and accuses nobody.
#[test]
fn a_guess_at_harm_stops_nobody() {
    let project = first();
    let verifier = format!("command:{}", says(&pass(r#"["r1"]"#)));
    let call = project.call(RUN).args(["--worker", WORKER, "--verifier", &verifier]);
    let ran = call.run();
    assert_eq!(ran.code, Some(0), "{}{}", ran.out(), ran.err());
    assert!(ran.out().contains("countersign accept ") && !ran.out().contains("git merge"));
}

/// VC-08, CO-12: where harm is likely and only the work's own tests speak for it, a person is asked to
/// look, and not told that a check was gamed; an example of theirs decides it as well.
#[test]
fn missing_evidence_is_no_gaming() {
    let goal = "Fix the security hole in the login: greet.sh greets by name";
    let words = ["run", goal, "--check", "sh tests/greet.sh", "--no-input", "--examine"];
    let project = first();
    let ran = project.call(words).args(["--worker", WORKER]).run();
    assert_eq!(ran.code, Some(4), "{}{}", ran.out(), ran.err());
    let told = project.run(["checkpoint", "show"]).expect(0).out();
    assert!(told.contains("what was run doesn't decide it"), "{told}");
    assert!(!told.contains("gamed"), "{told}");
    assert!(told.contains("Recommended: accept"), "{told}");

    let project = first();
    let call = project.call(words).args(["--worker", WORKER]);
    let ran = call.args(["--example", "sh greet.sh Grace => Hello, Grace"]).run();
    assert_eq!(ran.code, Some(0), "{}{}", ran.out(), ran.err());

    let project = first();
    let call = project.call(RUN).args(["--worker", WORKER, "--attempts", "1"]);
    let ran = call.args(["--example", "sh greet.sh Grace => Bye, Grace"]).run();
    assert_eq!(ran.code, Some(3), "{}{}", ran.out(), ran.err());
    assert!(ran.out().contains("what to do:"), "{}", ran.out());
}
