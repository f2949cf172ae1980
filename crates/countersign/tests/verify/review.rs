//! The review queue.

use crate::{CHECK, greeter, verify};

/// VC-07: what a person must look at waits, and is answered once.
#[test]
fn what_waits_is_answered_once() {
    let project = greeter();
    project.run(["review", "list"]).expect(0).prints("nothing waits");
    project.run(["review", "show"]).expect(1).says("nobody has to look");
    project.write("greet.sh", "echo Hello # by name\n");
    verify(&project, &["--check", "true"]).expect(4).prints("countersign review accept");
    project.run(["review", "list"]).expect(0).prints("a human must look").prints("waits");
    let shown = project.run(["review", "show"]).expect(0);
    shown.prints("no code of the product was changed").prints("greet.sh");
    project.run(["review", "show", "--diff"]).expect(0).prints("+echo Hello # by name");
    let words = ["review", "accept", "--note", "only a comment", "--actor", "alice"];
    project.run(words).expect(0).prints("accepted by alice").prints("only a comment");
    let again = project.run(["review", "reject"]).expect(1);
    again.says("was accepted by alice").says("given once");
    let rows = project.run(["review", "list", "--format", "json"]).expect(0).data();
    assert_eq!(rows["reviews"], serde_json::json!([]));
    let rows = project.run(["review", "list", "--all", "--format", "json"]).expect(0).data();
    let said = &rows["reviews"][0]["reviewed"];
    assert_eq!((&said["answer"], &said["by"]), (&"accepted".into(), &"alice".into()), "{rows:#}");
    assert!(said["at"].is_string());
    project.run(["ledger", "verify"]).expect(0).prints("intact");
    project.run(["ledger", "rebuild"]).expect(0);
    project.run(["review", "list", "--all"]).expect(0).prints("accepted by alice");
}

/// VC-07: advice and texts wait as well; what is accepted or refused by its checks does not.
#[test]
fn advice_and_texts_wait() {
    let project = greeter();
    project.write("docs/REVIEW.md", "It should greet by name.\n");
    let advice = ["verify", "--task", "Review the greeter and suggest improvements"];
    project.run(advice).expect(4);
    project.run(["review", "list"]).expect(0).prints("advisory");
    project.run(["review", "reject", "--note", "too short"]).expect(0).prints("rejected by user");
    project.run(["verify", "--task", "Fix a typo in the README"]);
    let rows = project.run(["review", "list", "--format", "json"]).expect(0).data();
    assert_eq!(rows["reviews"][0]["type"], "skip", "{rows:#}");
    let before = rows["reviews"].as_array().unwrap().len();
    project.write("greet.sh", "echo \"Hello, $1\"\n");
    verify(&project, &["--check", CHECK]).expect(0);
    verify(&project, &["--check", "false"]).expect(3);
    let rows = project.run(["review", "list", "--format", "json"]).expect(0).data();
    assert_eq!(rows["reviews"].as_array().unwrap().len(), before, "{rows:#}");
}

/// VC-07, D2.5: advice waits for a reader where it was only said, and under a contract as well.
#[test]
fn advice_waits_wherever_it_was_given() {
    let project = greeter();
    let waiting = || {
        let rows = project.run(["review", "list", "--format", "json"]).expect(0).data();
        rows["reviews"].as_array().unwrap().len()
    };
    project.run(["verify", "--task", "How should we store the names?"]).expect(4);
    assert_eq!(waiting(), 1);
    let question = "Which database should we choose, Postgres or MySQL?";
    project.run(["contract", "draft", "--yes", question]).expect(0).prints("advisory");
    let under_contract = ["verify", "--contract", "latest"];
    project.run(under_contract).expect(4).prints("only a person can read it");
    assert_eq!(waiting(), 2);
    project.write("docs/b.md", "Postgres, as we know it.\n");
    project.run(["contract", "amend", "latest"]).expect(0).prints("nothing to amend");
    project.run(under_contract).expect(4).prints("advisory");
    assert_eq!(waiting(), 3);
    project.run(["review", "list"]).expect(0).prints("Which database");
    // What changes code is verified, whatever the words said.
    project.write("greet.sh", "echo Hallo\n");
    project.run(under_contract).expect(3).prints("the diff called for more");
    project.run(["contract", "show"]).expect(0).prints("verifiable");
}

/// F4: of many answers at a time, one stands.
#[test]
fn one_of_many_answers_stands() {
    let project = greeter();
    project.write("greet.sh", "echo Hello # by name\n");
    verify(&project, &["--check", "true"]).expect(4);
    let calls: Vec<_> = (0..6)
        .map(|n| {
            let verb = if n % 2 == 0 { "accept" } else { "reject" };
            project.call(["review", verb, "--actor", &format!("person-{n}")]).start()
        })
        .collect();
    let codes: Vec<_> = calls.into_iter().map(|call| call.wait().code).collect();
    assert_eq!(codes.iter().filter(|code| **code == Some(0)).count(), 1, "{codes:?}");
}
