//! What a person decides in one run of a relay reaches the runs that come after it.

use std::fs;

use countersign_testkit::Project;

use crate::relay::{answer_all, project, worker};
use crate::stage::pass;

/// A verifier that passes every story, and says `of_all` of all of them together, unless it is shown the
/// words `unless`.
fn verifier(of_all: &str, unless: &str) -> String {
    let of = |criteria: &str| pass(r#"["r1"]"#).replace(r#""criteria":[]"#, criteria);
    let alone = of(r#""criteria":[{"criterion":"AC1","met":true,"evidence":"r1"}]"#);
    let both = of(
        r#""criteria":[{"criterion":"US-001 AC1","met":true,"evidence":"r1"},{"criterion":"US-002 AC1","met":true,"evidence":"r1"}]"#,
    );
    let of_all = if of_all.is_empty() { &both } else { of_all };
    format!(
        "command:p=$(cat); case \"$p\" in *'Judge ALL only'*'{unless}'*|*'{unless}'*'Judge ALL only'*) printf '%s' '{both}';; \
         *'Judge ALL only'*) printf '%s' '{of_all}';; *) printf '%s' '{alone}';; esac"
    )
}

/// A worker that keeps its prompts, and does `more` where it is shown `words`.
fn keeping(project: &Project, (words, more): (&str, &str)) -> String {
    let seen = project.outside().join("prompts");
    let keeps =
        format!("command:prompt=$(cat); printf '%s\\n' \"$prompt\" >> {}; ", seen.display());
    let worker = worker("$u").replacen("command:prompt=$(cat); ", &keeps, 1);
    format!("{worker}; case \"$prompt\" in *'{words}'*) {more};; esac")
}

/// LP-14, LP-15, CO-12: who sends back what all stories come to is heard: the story that it is about is
/// taken up again by a worker that has the person's words and all that the verifier found, no other story
/// is, and who judges then knows the words as well.
#[test]
fn a_note_at_the_end_reaches_the_story() {
    let project = project(&["alpha", "beta"]);
    let fail = r#"{"us_id":"ALL","verdict":"fail","summary":"no","issues":[{"id":"I-1","severity":"major","criterion":"US-001 AC1","description":"it whispers","fix_hint":"speak up"}],"next_contract":"make it heard"}"#;
    let worker = keeping(&project, ("alpha must be loud", "echo ': loud' >> alpha.sh"));
    let words = ["run", "--plan", "names", "--no-input", "--worker", &worker];
    let content = verifier("", "-");
    let strict = verifier(fail, "alpha must be loud");
    let ran = project.call(words).args(["--verifier", &content, "--verifier", &strict]).run();
    assert_eq!(ran.code, Some(4), "{}{}", ran.out(), ran.err());
    let shown = project.run(["checkpoint", "show"]).expect(0).out();
    assert!(shown.contains("it whispers") && shown.contains("send-back"), "{shown}");
    let seen = project.outside().join("prompts");
    fs::remove_file(&seen).unwrap();

    let note = ["--note", "alpha must be loud"];
    project.run(["checkpoint", "answer", "latest", "send-back"].iter().chain(&note)).expect(0);
    let ran = project.run(["resume", "latest", "--no-input"]);
    // No test shows the difference, so a person looks at it.
    let code = answer_all(&project, ran.code.unwrap_or(-1));
    assert_eq!(code, 0, "{}{}", ran.out(), ran.err());
    assert!(ran.err().contains("US-001 no longer holds"), "{}", ran.err());
    let prompts = fs::read_to_string(&seen).unwrap();
    for words in ["alpha must be loud", "it whispers", "speak up", "make it heard"] {
        assert!(prompts.contains(words), "{words}: {prompts}");
    }
    assert!(prompts.contains("# US-001") && !prompts.contains("# US-002"), "{prompts}");
    let branch = project.git(["branch", "--list", "countersign/*", "--format=%(refname:short)"]);
    let file = project.git(["show", &format!("{}:alpha.sh", branch.trim())]);
    assert_eq!(file, "echo alpha\n: loud\n");
    project.run(["ledger", "verify"]).expect(0).prints("intact");
    project.expect_no_survivors();
}

/// LP-14, CO-12: a person who names a story in the note has that one taken up again, whatever story the
/// finding seems to be about; and what was decided about a story is known to who judges all of them.
#[test]
fn a_note_can_name_the_story() {
    let project = project(&["alpha", "beta"]);
    let fail = r#"{"us_id":"ALL","verdict":"fail","summary":"no","issues":[{"id":"I-1","severity":"major","description":"something whispers"}]}"#;
    let worker = keeping(&project, ("US-001 is too quiet", "echo ': loud' >> alpha.sh"));
    let strict = verifier(fail, "US-001 is too quiet");
    let words = ["run", "--plan", "names", "--no-input", "--worker", &worker];
    let content = verifier("", "-");
    let ran = project.call(words).args(["--verifier", &content, "--verifier", &strict]).run();
    assert_eq!(ran.code, Some(4), "{}{}", ran.out(), ran.err());
    let answer = ["checkpoint", "answer", "latest", "send-back", "--note", "US-001 is too quiet"];
    project.run(answer).expect(0);
    let ran = project.run(["resume", "latest", "--no-input"]);
    // No test shows the difference, so a person looks at it.
    let code = answer_all(&project, ran.code.unwrap_or(-1));
    assert_eq!(code, 0, "{}{}", ran.out(), ran.err());
    assert!(ran.err().contains("US-001 no longer holds"), "{}", ran.err());
    assert!(!ran.err().contains("US-002 no longer holds"), "{}", ran.err());
}

/// LP-14: where several stories break, all of them are taken up again, each with what it is about, and
/// written down at once.
#[test]
fn several_stories_are_taken_up_again() {
    let project = project(&["alpha", "beta"]);
    let issue = |id: &str, story: &str, words: &str| {
        format!(
            r#"{{"id":"{id}","severity":"major","criterion":"{story} AC1","description":"{words}"}}"#
        )
    };
    let issues =
        [issue("I-1", "US-001", "alpha whispers"), issue("I-2", "US-002", "beta whispers")];
    let fail = format!(
        r#"{{"us_id":"ALL","verdict":"fail","summary":"no","issues":[{}]}}"#,
        issues.join(",")
    );
    // The difference shows what was done about it.
    let strict = verifier(&fail, "+: loud");
    let worker = keeping(&project, ("worked on before", "echo ': loud' >> $n.sh"));
    let words = ["run", "--plan", "names", "--no-input", "--worker", &worker, "--verifier"];
    let ran = project.call(words).arg(strict).run();
    let told = format!("{}{}", ran.out(), ran.err());
    assert_eq!(answer_all(&project, ran.code.unwrap_or(-1)), 0, "{told}");
    for story in ["US-001", "US-002"] {
        assert!(told.contains(&format!("{story} no longer holds")), "{told}");
    }
    let log = project.run(["log", "latest"]).expect(0).out();
    assert_eq!(log.matches("no longer holds").count(), 2, "{log}");
    let prompts = fs::read_to_string(project.outside().join("prompts")).unwrap();
    let second = prompts.split("# US-001: Print alpha").nth(2).unwrap();
    assert!(second.contains("alpha whispers"), "{prompts}");
    let of_first = second.split("# US-002").next().unwrap();
    assert!(!of_first.contains("beta whispers"), "{prompts}");
    project.run(["ledger", "verify"]).expect(0).prints("intact");
}
