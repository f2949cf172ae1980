//! Results of checks against the baseline.

use crate::desk::{TASK, begin, begun, context, data};

fn junit(cases: &[(&str, &str)]) -> String {
    let body: String = cases
        .iter()
        .map(|(name, outcome)| match *outcome {
            "pass" => format!("<testcase classname=\"t\" name=\"{name}\" time=\"0.1\"/>"),
            "skip" => format!("<testcase classname=\"t\" name=\"{name}\"><skipped/></testcase>"),
            _ => format!(
                "<testcase classname=\"t\" name=\"{name}\"><failure message=\"no\"/></testcase>"
            ),
        })
        .collect();
    let failed = cases.iter().filter(|(_, outcome)| *outcome == "fail").count();
    let skipped = cases.iter().filter(|(_, outcome)| *outcome == "skip").count();
    format!(
        "<testsuites><testsuite name=\"s\" tests=\"{}\" failures=\"{failed}\" errors=\"0\" \
         skipped=\"{skipped}\">{body}</testsuite></testsuites>",
        cases.len()
    )
}

/// CX-12: the first results are the baseline; later ones are compared, test by test.
#[test]
fn results_are_compared_with_the_baseline() {
    let project = begun();
    let record = |name: &str, text: &str, code: &str| {
        project.write(name, text);
        data(&project, &["record-qa", "--role", "implementer", "--from", name, "--exit-code", code])
    };
    let first = [("a", "pass"), ("b", "fail"), ("c", "pass"), ("d", "pass"), ("e", "fail")];
    let results = record("target/one.xml", &junit(&first), "1");
    assert_eq!(results["is_baseline"], true);
    project.write("src/theme.txt", "work\n");
    let second = [("a", "fail"), ("b", "pass"), ("d", "skip"), ("e", "fail"), ("f", "pass")];
    let results = record("target/two.xml", &junit(&second), "1");
    assert_eq!(results["is_baseline"], false);
    let named = |key: &str| -> Vec<String> {
        let all = results["comparison"][key].as_array().unwrap();
        let last = |id: &str| id.rsplit(['.', ':', ' ', '/']).next().unwrap_or(id).to_owned();
        all.iter().map(|change| last(change["id"].as_str().unwrap())).collect()
    };
    assert_eq!(named("newly_failing"), ["a"]);
    assert_eq!(named("fixed"), ["b"]);
    assert_eq!(named("still_failing"), ["e"]);
    assert_eq!(named("gone"), ["c"]);
    assert_eq!(named("new"), ["f"]);
    assert_eq!(named("newly_skipped"), ["d"]);
    let findings = results["findings"].to_string();
    assert!(findings.contains('c') && findings.contains('a'), "{findings}");
}

/// CX-12: what is fixed and what is gone is told wherever results are, and gone stands out.
#[test]
fn gone_and_fixed_tests_are_told_everywhere() {
    let project = begun();
    let record = |name: &str, text: &str| {
        project.write(name, text);
        context(
            &project,
            &["record-qa", "--role", "implementer", "--from", name, "--exit-code", "0"],
        )
        .expect(0)
    };
    record("target/one.xml", &junit(&[("a", "pass"), ("b", "fail"), ("c", "pass")]));
    project.write("src/theme.txt", "work\n");
    let told = record("target/two.xml", &junit(&[("a", "pass"), ("b", "pass")]));
    for shown in [told, context(&project, &["show"]).expect(0)] {
        shown.prints("✗ 1 test is gone: ").prints("✓ 1 test failed before and passes now: ");
    }
    context(&project, &["verify"]).expect(0).prints("✗ 1 test is gone: ");
    for role in ["implementer", "reviewer"] {
        let ran = context(&project, &["export", "--role", role]).expect(0);
        ran.prints("  - **1 test is gone: ").prints("1 test failed before and passes now: ");
    }
}

/// CX-12: a test that an earlier baseline had stays known, until somebody says why it may go.
#[test]
fn a_new_baseline_hides_no_vanished_test() {
    let project = begun();
    let record = |content: &str, cases: &[(&str, &str)], more: &[&str]| {
        project.write("src/theme.txt", content);
        project.write("target/r.xml", junit(cases));
        let words =
            ["record-qa", "--role", "implementer", "--from", "target/r.xml", "--exit-code", "0"];
        context(&project, &[&words, more].concat())
    };
    let gone = "✗ 1 test is gone: ";
    record("1\n", &[("a", "pass"), ("b", "pass")], &[]).expect(0);
    let less = [("b", "pass")];
    record("2\n", &less, &["--baseline"]).expect(0).prints(gone).says("--note");
    record("3\n", &less, &[]).expect(0).prints(gone);
    record("4\n", &less, &["--baseline"]).expect(0).prints(gone);
    context(&project, &["show"]).expect(0).prints(gone);
    context(&project, &["verify"]).expect(0).prints(gone);
    context(&project, &["export", "--role", "reviewer"]).expect(0).prints("1 test is gone: ");
    record("5\n", &less, &["--note", "a tested what is no more"]).expect(2).says("--baseline");
    record("5\n", &less, &["--baseline", "--note", " "]).expect(2);
    record("5\n", &less, &["--baseline", "--note", "a tested what is no more"]).expect(0);
    let after = record("6\n", &less, &[]).expect(0);
    assert!(!after.out().contains("gone"), "{}", after.out());
    // It comes and goes again: the newest baselines count.
    record("7\n", &[("b", "pass"), ("c", "pass")], &["--baseline"]).expect(0);
    record("8\n", &less, &[]).expect(0).prints(gone);
    let handed = context(&project, &["snapshot", "--role", "implementer"]).expect(0);
    handed.prints("in the last results, 1 test is gone: ");
}

/// CX-12: an exit code alone is evidence, and what it can't tell is said.
#[test]
fn an_exit_code_alone_is_recorded() {
    let project = begun();
    let words = ["record-qa", "--role", "implementer"];
    context(&project, &words).expect(2).says("--exit-code");
    let record = |code: &str| context(&project, &[&words[..], &["--exit-code", code]].concat());
    record("0").expect(0).prints("passed: ");
    project.write("src/theme.txt", "work\n");
    record("1").expect(0).prints("failed: ");
}

/// CX-12: runs on the same tree count together, in one call or in several; a test that failed once
/// is no clean pass there.
#[test]
fn a_test_that_failed_and_passed_on_one_tree_is_flaky() {
    let good = junit(&[("a", "pass"), ("b", "pass")]);
    let bad = junit(&[("a", "fail"), ("b", "pass")]);
    let project = begun();
    // Not ignored: reports are no part of the tree that they are about.
    project.write("good.xml", &good);
    project.write("bad.xml", &bad);
    let words = ["record-qa", "--role", "implementer", "--exit-code"];
    let both =
        [&words[..], &["1", "--from", "bad.xml", "--exit-code", "0", "--report", "good.xml"]];
    let results = data(&project, &both.concat());
    assert_eq!(results["conclusion"]["tested"], "failed", "{results}");
    assert!(results["comparison"]["flaky"][0]["id"].as_str().unwrap().ends_with('a'));
    assert_eq!((&results["runs"], &results["is_baseline"]), (&2.into(), &false.into()));
    project.write("again.xml", &good);
    let ran = context(&project, &[&words[..], &["0", "--from", "again.xml"]].concat()).expect(0);
    ran.prints("1 test passed and failed on the same tree")
        .prints("3 runs on this tree count together");
    // Another tree begins anew.
    project.write("src/theme.txt", "mended\n");
    let ran = context(&project, &[&words[..], &["0", "--from", "again.xml"]].concat()).expect(0);
    ran.prints("implementer: passed: 2 passed").prints("✓ 1 test failed before and passes now: ");
    let three = [&words[..], &["0", "--exit-code", "1", "--from", "again.xml"]].concat();
    context(&project, &three).expect(2).says("2 exit codes for 1 logs");
}

/// CX-12: results are recorded by who is at work, or by who left the tree that they are about.
#[test]
fn only_roles_that_worked_have_results() {
    let project = begun();
    project.write("target/one.xml", junit(&[("a", "pass")]));
    let record = |role: &str| {
        let from = ["--from", "target/one.xml", "--exit-code", "0"];
        context(&project, &[&["record-qa", "--role", role], &from[..]].concat())
    };
    record("reviewer").expect(1).says("implementer is at work, so only it can record results");
    project.write("src/theme.txt", "work\n");
    context(&project, &["snapshot", "--role", "implementer"]).expect(0);
    record("implementer").expect(0);
    // A report in the tree is no drift of anybody's, but is told to be put elsewhere.
    project.write("report.xml", junit(&[("a", "pass")]));
    let there = ["record-qa", "--role", "implementer", "--from", "report.xml"];
    let ran = context(&project, &there).expect(1);
    ran.says("report.xml lies in the working tree, which has to be what implementer left")
        .says("where git ignores them");
    std::fs::remove_file(project.path("report.xml")).unwrap();
    assert_eq!(data(&project, &["show"])["drift_budget"], 0);
    let ran = record("reviewer").expect(1).says("reviewer has not begun");
    ran.says("--role reviewer --status in_progress").says("recorded with --role implementer");
    begin(&project, "reviewer").expect(0);
    record("reviewer").expect(0);
    record("implementer").expect(1).says("reviewer is at work");
}

/// CX-12: what can't be understood is no pass, and a changed task has no baseline.
#[test]
fn what_is_unknown_is_no_pass() {
    let project = begun();
    project.write("target/odd.xml", "<testsuites><testsuite>");
    let words = ["record-qa", "--role", "implementer", "--from", "target/odd.xml"];
    let ran = context(&project, &[&words[..], &["--exit-code", "0"]].concat());
    if ran.code == Some(0) {
        let shown = ran.out().to_lowercase();
        assert!(!shown.contains("passed") || shown.contains("unknown"), "{shown}");
    }
    project.write("target/plain", "all good\n");
    let words = ["record-qa", "--role", "implementer", "--from", "target/plain"];
    context(&project, &[&words[..], &["--reader", "poem"]].concat())
        .expect(2)
        .says("there are junit");
    project.write("tasks/TASK-0824.task.yaml", TASK.replace("P1", "P0"));
    let ran = context(&project, &[&words[..], &["--exit-code", "0"]].concat()).expect(1);
    ran.says("context rebuild TASK-0824");
}
