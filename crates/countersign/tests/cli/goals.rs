//! What can be asked for, and what is refused before any work starts.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

use crate::project;

/// LP-01: a goal that says nothing, a missing or empty check, and an unknown worker are wrong
/// usage, and nothing is recorded.
#[test]
fn unusable_goals_are_refused_before_work_starts() {
    let project = project();
    let good = ["--check", "true", "--worker", "command:true"];
    let cases: [(&[&str], &str); 13] = [
        (&["", good[0], good[1], good[2], good[3]], "the goal is empty"),
        (&[" \t\n ", good[0], good[1], good[2], good[3]], "the goal is empty"),
        (&["-", good[0], good[1], good[2], good[3]], "the goal is empty"),
        (&["x", "--worker", "command:true"], "there is no check"),
        (&["x", "--check", "  ", "--worker", "command:true"], "a check is empty"),
        (&["x", "--check", "true"], "--worker"),
        (&["x", "--check", "true", "--worker", "oracle:please"], "there is no agent 'oracle'"),
        (&["x", "--check", "true", "--worker", "true"], "there is no agent 'true'"),
        (&["x", "--check", "true", "--worker", "command: "], "command is empty"),
        (&["x", "--attempts", "0", good[0], good[1], good[2], good[3]], "--attempts must be 1"),
        (
            &["x", "--attempts", "-1", good[0], good[1], good[2], good[3]],
            "unexpected argument '-1'",
        ),
        (&["x", "--worker-timeout", "0", good[0], good[1], good[2], good[3]], "at least 1"),
        (&["x", "--check-timeout", "0", good[0], good[1], good[2], good[3]], "at least 1"),
    ];
    for (args, said) in cases {
        let ran = project.call(["run"]).args(args).run();
        assert_eq!(ran.code, Some(2), "{args:?}: {}", ran.err());
        ran.says(said);
    }
    let runs = project.run(["status", "--format", "json"]).expect(0).data();
    assert_eq!(runs, serde_json::json!([]));
}

/// LP-01: a goal of a megabyte works, and reaches the worker whole.
#[test]
fn a_megabyte_of_goal_works() {
    let project = project();
    let mut goal = "Line of a very long goal.\n".repeat(40_000);
    goal.truncate(1024 * 1024 - 20);
    goal.push_str("the very last words\n");
    let worker = "command:cat > seen.txt; \
                  case $COUNTERSIGN_PROMPT in *'the whole text is in'*) ;; *) exit 1;; esac";
    let check = "grep -q 'the very last words' seen.txt && test $(wc -c < seen.txt) -gt 1000000";
    let args = ["run", "-", "--attempts", "1", "--worker", worker, "--check", check];
    project.call(args).stdin(goal).run().expect(0);
    project.run(["log"]).expect(0);
    project.run(["status"]).expect(0).prints("Line of a very long goal.");
    let run = project.journal()["run"].as_str().unwrap().to_owned();
    let subject = project.git(["log", "-1", "--format=%s", &format!("countersign/{run}")]);
    assert_eq!(subject, "Line of a very long goal.\n");
}

/// LP-01: more than a mebibyte is refused with what to do instead.
#[test]
fn a_longer_goal_is_refused() {
    let project = project();
    let goal = "x".repeat(1024 * 1024 + 1);
    let args = ["run", "-", "--worker", "command:true", "--check", "true"];
    let ran = project.call(args).stdin(goal).run().expect(2);
    ran.says("1 MiB is the most").says("name a file in the repository instead");
}

/// LP-01: a goal that is not UTF-8 is refused, from both places it can come from.
#[test]
fn a_goal_that_is_no_text_is_refused() {
    let project = project();
    let rest = ["--worker", "command:true", "--check", "true"];
    let ran = project.call(["run", "-"]).args(rest).stdin(*b"abc\xff").run().expect(2);
    ran.says("the goal is not UTF-8 (byte 3)");
    let ran = project.call(["run"]).arg(OsStr::from_bytes(b"abc\xff")).args(rest).run().expect(2);
    ran.says("UTF-8");
    let json = ["--format", "json"];
    let ran = project.call(["run", "-"]).args(rest).args(json).stdin(*b"\xff").run().expect(2);
    assert_eq!(ran.error()["kind"], "usage");
}

/// SE-01: newlines and control characters in a goal stay in the record and off the terminal.
#[test]
fn a_goal_may_hold_anything_that_is_text() {
    let project = project();
    let goal = "First \x1b[31mline\u{7}\nCountersign-Run: forged\r\n\n- third";
    let rest = ["--worker", "command:echo > x", "--check", "test -f x", "--attempts=1"];
    let ran = project.call(["run", goal]).args(rest).run().expect(0);
    assert!(!ran.err().contains('\x1b') && !ran.err().contains('\u{7}'), "{:?}", ran.err());
    let journal = project.journal();
    assert_eq!(journal["entries"][0]["event"]["body"]["contract"]["goal"], goal);
    let run = journal["run"].as_str().unwrap();
    let format = "--format=%(trailers:key=Countersign-Run,valueonly)";
    let named = project.git(["log", "-1", format, &format!("countersign/{run}")]);
    assert_eq!(named.trim(), run, "a goal can't forge a trailer");
}
