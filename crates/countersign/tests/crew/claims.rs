//! What workers hand in about their work, and how it is held against them.

use countersign_testkit::wait_until;

use crate::stage::{
    call, claim, claiming, expect_tidy, last, outcome, pass, reasons, says, worker,
};
use crate::{CHECK, greeter};

/// LP-10: a claim that is as it should be is taken, and proves nothing by itself.
#[test]
fn an_honest_claim_is_taken() {
    let project = greeter();
    let honest = claiming(&claim("1"));
    call(&project, &honest, "").run().expect(0);
    assert_eq!(last(&project, "claimed")["body"]["claimed"]["claim"], "given");
    assert_eq!(outcome(&project)["outcome"], "accepted");
    let files = project.git(["ls-tree", "-r", "--name-only", "HEAD"]);
    assert!(!files.contains(".countersign"), "{files}");
    let run = project.journal()["run"].as_str().unwrap().to_owned();
    let files = project.git(["ls-tree", "-r", "--name-only", &format!("countersign/{run}")]);
    assert!(!files.contains(".countersign"), "the claim is no part of the work: {files}");
    expect_tidy(&project);
}

/// LP-10: a claim of an earlier iteration, one that is no JSON, one that is no object, and one without
/// steps are sent back by the name of the field; the next attempt mends it.
#[test]
fn a_claim_that_can_not_be_used_is_sent_back() {
    let old = claiming(&claim("7"));
    let mended = |bad: &str| {
        let good = claiming(&claim("$COUNTERSIGN_ATTEMPT"));
        // A shell puts the number in where the claim is written without quotes.
        let good = good.replace("$COUNTERSIGN_ATTEMPT", "2");
        format!("if [ $COUNTERSIGN_ATTEMPT = 1 ]; then {bad}; else {good}; fi")
    };
    for (bad, fault) in [
        (old.as_str(), "it is of iteration 7, and this is 1"),
        (&claiming("{\"status\":"), "it is not JSON"),
        (&claiming("[1]"), "it is not a JSON object"),
        (&claiming("{}"), "execution_steps: it is missing"),
        (&claiming("{\"status\":\"victory\",\"execution_steps\":[]}"), "is none of done, partly"),
        (&worker("mkdir -p .countersign/claim.json"), "is no plain file"),
        (&worker("mkdir .countersign; mkfifo .countersign/claim.json"), "is no plain file"),
        (
            &worker("mkdir .countersign; ln -s /etc/passwd .countersign/claim.json"),
            "is no plain file",
        ),
        (
            &worker("mkdir .countersign; ln -s /dev/zero .countersign/claim.json"),
            "is no plain file",
        ),
        (
            &worker("mkdir .countersign; head -c 3000000 /dev/zero > .countersign/claim.json"),
            "is no plain file",
        ),
    ] {
        let project = greeter();
        // The files were right the first time: nobody is paid to judge them until the claim is too.
        let judge = format!(
            "echo x >> {}/judged; {}",
            project.outside().display(),
            says(&pass("[\"r1\"]"))
        );
        call(&project, &mended(bad), &judge).run().expect(0);
        let judged = std::fs::read_to_string(project.outside().join("judged")).unwrap();
        assert_eq!(judged, "x\n", "{fault}");
        assert!(reasons(&project).contains(fault), "{fault}: {}", reasons(&project));
        assert_eq!(outcome(&project)["outcome"], "accepted");
        expect_tidy(&project);
    }
}

/// LP-10: a claim that a killed worker's child writes later is of nobody.
#[test]
fn a_claim_after_the_end_does_not_count() {
    let project = greeter();
    let late = claim("9");
    let straggler = worker(&format!(
        "(sleep 30; mkdir -p .countersign; printf '%s' '{late}' > .countersign/claim.json) & true"
    ));
    call(&project, &straggler, "").run().expect(0);
    assert_eq!(last(&project, "claimed")["body"]["claimed"]["claim"], "none");
    assert!(!last(&project, "worked")["body"]["execution"]["stragglers"].is_null());
    expect_tidy(&project);
}

/// LP-10, LP-21: a claim that a worker writes when it is told to end at its deadline saves nothing: it was
/// stopped, however well it did and whatever code it ends with.
#[test]
fn a_claim_while_being_ended_does_not_count() {
    let project = greeter();
    let late = claim("1");
    let stopped = worker(&format!(
        "late() {{ mkdir -p .countersign; printf '%s' '{late}' > .countersign/claim.json; exit 0; }}; \
         trap late TERM; while :; do sleep 0.05; done"
    ));
    let call = call(&project, &stopped, "").args(["--worker-timeout", "1", "--attempts", "1"]);
    let ran = call.run();
    assert!(matches!(ran.code, Some(3 | 4)), "{}{}", ran.out(), ran.err());
    assert!(reasons(&project).contains("stopped"), "{}", reasons(&project));
    assert_eq!(project.git(["branch", "--list", "countersign/*"]), "");
    expect_tidy(&project);
}

/// LP-10, LP-21: what a worker claims after its leader and its supervisor were killed is of an attempt that
/// was cut off; who goes on does not take it for one of the next.
#[test]
fn a_claim_of_an_orphan_does_not_count() {
    let project = greeter();
    let outside = project.outside();
    let outside = outside.display();
    let late = claim("1");
    let orphan = format!(
        "if [ ! -e {outside}/once ]; then touch {outside}/once; \
         set -- $(cat /proc/$PPID/stat); kill -STOP $PPID; kill -9 $4 $PPID; mkdir -p .countersign; \
         printf '%s' '{late}' > .countersign/claim.json; touch {outside}/claimed; sleep 1000; fi"
    );
    let ran = call(&project, &worker(&orphan), "").run();
    assert_eq!(ran.code, None, "it was killed: {}{}", ran.out(), ran.err());
    wait_until("the claim", || project.outside().join("claimed").exists().then_some(()));
    project.run(["resume", "latest", "--no-input"]).expect(0);
    assert_eq!(last(&project, "claimed")["body"]["claimed"]["claim"], "none");
    assert_eq!(outcome(&project)["outcome"], "accepted");
    expect_tidy(&project);
}

/// LP-15, the honest way out: who says that it can't be done is not sent back, a person is asked.
#[test]
fn a_worker_may_say_that_it_can_not_be_done() {
    let project = greeter();
    let words = r#"{"status":"blocked","kind":"contradictory","because":"it must and must not"}"#;
    let ran = call(&project, &claiming(words), "").run();
    crate::stage::expect_asked(&project, ran, "impossible");
    assert!(reasons(&project).contains("it must and must not"));
    expect_tidy(&project);
}

/// LP-12: where something else has the name of the folder of claims, there is none.
#[test]
fn a_claim_that_is_nowhere_counts_as_none() {
    let project = greeter();
    call(&project, &worker("echo mine > .countersign"), "").run().expect(0);
    assert_eq!(last(&project, "claimed")["body"]["claimed"]["claim"], "none");
    expect_tidy(&project);
}

/// LP-10: where the project has a folder of that name, it stays, and a claim of an earlier attempt is not
/// taken for one of the next.
#[test]
fn a_claim_does_not_outlive_its_attempt() {
    let project = greeter();
    project.write(".countersign/own.txt", "the project's\n");
    project.commit("A folder");
    let good = claim("1").replace("\"iteration\":1,", "");
    let first = format!(
        "if [ $COUNTERSIGN_ATTEMPT = 1 ]; then echo 'echo Hi' > greet.sh; \
         printf '%s' '{good}' > .countersign/claim.json; else {}; fi",
        worker("true")
    );
    call(&project, &first, "").run().expect(0);
    let journal = project.journal();
    let entries = journal["entries"].as_array().unwrap();
    let claims: Vec<&str> = entries
        .iter()
        .filter(|entry| entry["kind"] == "run.claimed")
        .map(|entry| entry["event"]["body"]["claimed"]["claim"].as_str().unwrap())
        .collect();
    assert_eq!(claims, ["given", "none"]);
    let run = journal["run"].as_str().unwrap();
    let files = project.git(["ls-tree", "-r", "--name-only", &format!("countersign/{run}")]);
    assert!(files.contains(".countersign/own.txt") && !files.contains("claim.json"), "{files}");
    expect_tidy(&project);
}

/// A claim whose steps end with a red run of `command` that ended with this code.
fn red(iteration: u32, command: &str, code: i32) -> String {
    format!(
        r#"{{"status":"done","iteration":{iteration},"claims":["greets"],"execution_steps":[{{"step":"verify_red","ac_id":"AC1","command":"{command}","exit_code":{code},"summary":"red"}}]}}"#
    )
}

/// LP-12: what is said to have been red, and passes on the old code for us, is sent back; so is a red run
/// that ended with 0. The files are not held to blame: with a claim that holds they are accepted.
#[test]
fn red_is_tried_again_by_us() {
    for (lie, fault) in [
        (red(1, "test -f greet.sh", 1), "was said to fail before the work"),
        (red(1, CHECK, 0), "what is red ends with another code than 0"),
    ] {
        let project = greeter();
        let right = claiming(&red(2, CHECK, 1));
        let script =
            format!("if [ $COUNTERSIGN_ATTEMPT = 1 ]; then {}; else {right}; fi", claiming(&lie));
        call(&project, &script, "").args(["--check", "test -f greet.sh"]).run().expect(0);
        let ran = project.run(["log"]).expect(0);
        assert!(ran.out().contains(fault), "{fault}: {}", ran.out());
        let examined = last(&project, "examined");
        assert_eq!(examined["body"]["reproduced"][0]["is_red"], true, "{examined:#}");
        assert_eq!(outcome(&project)["outcome"], "accepted");
        expect_tidy(&project);
    }
}
