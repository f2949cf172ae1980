//! What a person answers, and that it is carried out.

use countersign_testkit::Project;

use crate::greeter;
use crate::relay;
use crate::stage::{call, expect_asked, expect_tidy, last, outcome, pass, says, worker};

/// Answers the last question, and has the run go on.
#[track_caller]
fn answered(project: &Project, choice: &str, note: &str) -> countersign_testkit::Ran {
    project.run(["checkpoint", "answer", "latest", choice, "--note", note]).expect(0);
    project.run(["resume"])
}

/// LP-11, CO-12: a verifier's question that the worker does not answer is a person's: it is asked with its
/// own words and an option to answer it, and the answer reaches the verifier, once.
#[test]
fn a_verifiers_question_is_answered() {
    let project = greeter();
    let info = r#"{"verdict":"request_info","summary":"?","missing_evidence":["which locale?"]}"#;
    let verifier = format!(
        "if grep -q 'only en_US' \"$COUNTERSIGN_PROMPT_FILE\"; then {}; else {}; fi",
        says(&pass("[\"r1\"]")),
        says(info)
    );
    let ran = call(&project, &worker("true"), &verifier).run();
    expect_asked(&project, ran, "info");
    let shown = project.run(["checkpoint", "show", "latest"]).expect(0);
    let text = shown.out();
    for words in ["a verifier asks", "which locale?", "Answer it (answer)", "Risk"] {
        assert!(text.contains(words), "{words}: {text}");
    }
    for untrue in ["kept failing", "whatever is changed", "no verdict could be used"] {
        assert!(!text.contains(untrue), "{untrue}: {text}");
    }
    let unsaid = project.run(["checkpoint", "answer", "latest", "answer"]).expect(2);
    assert!(unsaid.err().contains("takes a reason"), "{}", unsaid.err());
    answered(&project, "answer", "only en_US").expect(0);
    assert_eq!(outcome(&project)["outcome"], "accepted");
    expect_tidy(&project);
}

/// LP-19: where verifiers disagree, another round has both judge again, each with what the other said.
#[test]
fn another_round_judges_again() {
    let project = greeter();
    let fail = r#"{"verdict":"fail","summary":"no","issues":[{"id":"I-1","severity":"major","description":"it shouts"}],"recommended_transition":"continue","next_contract":"say it softly"}"#;
    let good = pass("[\"r1\"]");
    let first = format!(
        "cat \"$COUNTERSIGN_PROMPT_FILE\" >> {}/told; {}",
        project.outside().display(),
        says(&good)
    );
    let second = format!(
        "if grep -q 'Another verifier passed it' \"$COUNTERSIGN_PROMPT_FILE\"; then {}; else {}; fi",
        says(&good),
        says(fail)
    );
    let call = call(&project, &worker("true"), &first).args(["--attempts", "1"]);
    let ran = call.args(["--verifier", &format!("command:{second}")]).run();
    assert!(ran.err().contains("recommends: continue; next: say it softly"), "{}", ran.err());
    expect_asked(&project, ran, "disagreement");
    answered(&project, "round", "look again").expect(0);
    let told = std::fs::read_to_string(project.outside().join("told")).unwrap();
    assert_eq!(told.matches("You are the verifier").count(), 2, "{told}");
    assert!(told.contains("it shouts"), "{told}");
    assert_eq!(last(&project, "verified")["body"]["verdict"]["verdict"], "pass");
    assert_eq!(outcome(&project)["outcome"], "accepted");
    expect_tidy(&project);
}

/// CO-12, LP-17: what a person decides about work that keeps failing reaches who judges it as well, and an
/// option that needs words is not taken without them.
#[test]
fn a_decision_reaches_the_verifier() {
    let project = greeter();
    let fail = r#"{"verdict":"fail","summary":"no","issues":[{"id":"I-1","severity":"major","description":"it is not polite"}]}"#;
    let verifier = format!(
        "if grep -q 'leave out politeness' \"$COUNTERSIGN_PROMPT_FILE\"; then {}; else {}; fi",
        says(&pass("[\"r1\"]")),
        says(fail)
    );
    let varied = worker("echo $COUNTERSIGN_ATTEMPT > attempt.txt");
    let ran = call(&project, &varied, &verifier).run();
    expect_asked(&project, ran, "escalation");
    let told = project.run(["checkpoint", "answer", "latest", "split"]).expect(2);
    assert!(told.err().contains("takes a reason"), "{}", told.err());
    answered(&project, "simplify", "leave out politeness").expect(0);
    assert_eq!(outcome(&project)["outcome"], "accepted");
    expect_tidy(&project);
}

/// LP-11: a verdict that can't be used is asked for again with what was wrong about it.
#[test]
fn a_verifier_is_told_what_was_wrong_with_its_verdict() {
    let project = greeter();
    let verifier = format!(
        "if grep -q 'there is no JSON object' \"$COUNTERSIGN_PROMPT_FILE\"; then {}; else echo fine; fi",
        says(&pass("[\"r1\"]")),
    );
    call(&project, &worker("true"), &verifier).run().expect(0);
    assert_eq!(outcome(&project)["outcome"], "accepted");
    expect_tidy(&project);
}

/// LP-15, LP-19: what was left out of a task is told to the worker with what failed; and what a person took in
/// a story holds for all stories together, as long as the files are the same.
#[test]
fn what_was_taken_in_a_story_holds_for_all() {
    let project = relay::project(&["alpha", "beta"]);
    let prd = std::fs::read_to_string(project.path("plans/names/prd.md")).unwrap();
    let wanted = "Asked twice, it must print \"still the same\".";
    project.write("plans/names/prd.md", prd.replacen("Asked twice, it says the same.", wanted, 1));
    project.commit("A plan that wants more");
    let told = project.outside().join("told");
    // The first attempt of a story fails, and leaves out what is wanted, as all others do.
    let begin = format!("command:cat $COUNTERSIGN_PROMPT_FILE >> {}; ", told.display());
    let fails = "[ $COUNTERSIGN_ATTEMPT != 1 ] || echo 'exit 1' > tests/$n.sh; mkdir -p";
    let worker = relay::worker("$u").replacen("command:", &begin, 1).replacen("mkdir -p", fails, 1);
    let ran = project.run(["run", "--plan", "names", "--no-input", "--worker", &worker]);
    assert_eq!(ran.code, Some(4), "{}{}", ran.out(), ran.err());
    let told = std::fs::read_to_string(told).unwrap();
    assert!(told.contains("The task wants \"still the same\""), "{told}");
    let question = project.run(["checkpoint", "show", "latest"]).expect(0).out();
    assert!(question.contains("still the same") && question.contains("G63"), "{question}");
    answered(&project, "accept", "not now").expect(0);
    let report = project.run(["run", "report"]).expect(0).out();
    assert!(report.contains("| ALL \\#1 |") && report.contains("accepted"), "{report}");
    assert!(!report.contains("| US-001 \\#3 |"), "it landed as it was taken: {report}");
}
