//! Results of checks against the baseline.

use crate::desk::{TASK, begun, context, data};

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
