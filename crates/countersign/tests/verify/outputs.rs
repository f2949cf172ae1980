//! Reports for people and programs.

use crate::{CHECK, data, greeter, verify};

/// VC-08: results per criterion, with attempts, level and receipts.
#[test]
fn results_have_what_a_program_needs() {
    let project = greeter();
    project.write("greet.sh", "echo \"Hello, $1\"\n");
    let (_, found) = data(&project, &["--check", CHECK]);
    let result = &found["judgement"]["results"][0];
    assert_eq!(result["mark"], "pass");
    assert_eq!(result["attempts"], 1);
    assert_eq!(result["level"], "exit_code");
    assert_eq!(result["command"], CHECK);
    assert!(!result["receipts"].as_array().unwrap().is_empty());
    assert_eq!(found["judgement"]["verdict"], "accepted");
    assert_eq!(found["terms"]["checks"][0]["activity"], "check");
}

/// VC-08: a receipt says in which folder it ran.
#[test]
fn a_receipt_says_where_it_ran() {
    let project = greeter();
    project.write("greet.sh", "echo Hi\n");
    let (_, found) = data(&project, &["--check", CHECK]);
    let receipt = found["checks"][0]["runs"][0]["receipt"].as_str().unwrap();
    let shown = project.run(["show", receipt]).expect(0).out();
    let folder = shown.lines().find(|line| line.starts_with("folder")).unwrap_or_default();
    assert_eq!(folder.split_whitespace().collect::<Vec<_>>(), ["folder", "."], "{shown}");
}

/// VC-08: what has to fail, or may, does not look like a failure of the work.
#[test]
fn runs_that_try_something_are_told_in_words() {
    let project = countersign_testkit::Project::new(crate::PROGRAM);
    if !crate::has(&project, "python3") {
        return;
    }
    project.write("calc.py", "def add(a, b):\n    return a - b\n");
    project.write("tests/__init__.py", "");
    let test = "import unittest\nfrom calc import add\n\n\nclass AddTest(unittest.TestCase):\n    \
                def test_add(self):\n        self.assertEqual(add(2, 3), 5)\n";
    project.write("tests/test_calc.py", test);
    project.commit("A calculator");
    project.write("calc.py", "def add(a, b):\n    return a + b\n");
    let ran = project.run(["verify", "--task", "Fix add: it must add"]).expect(0);
    let ran = ran.prints("with canaries: 1 passed, and our own two did what they must");
    let ran = ran.prints("also tried: with wrong expectations");
    let row = ran.out().lines().find(|line| line.contains("with canaries")).unwrap().to_owned();
    let (_, after) = row.split_once("with canaries").unwrap();
    assert!(!after.contains("failed"), "{row}");
}

/// VC-08: a refusal that is no gaming has its results for code scanning too.
#[test]
fn a_plain_refusal_is_in_the_sarif() {
    let project = greeter();
    project.write("greet.sh", "echo Hi\n");
    verify(&project, &["--check", CHECK, "--sarif", "out.sarif"]).expect(3);
    let sarif: serde_json::Value = serde_json::from_str(&project.read("out.sarif")).unwrap();
    let results = sarif["runs"][0]["results"].as_array().unwrap();
    let failed = results.iter().find(|one| one["message"]["text"].to_string().contains(CHECK));
    let failed = failed.unwrap_or_else(|| panic!("{sarif:#}"));
    assert_eq!((&failed["ruleId"], &failed["level"]), (&"verdict".into(), &"error".into()));
    let place = &failed["locations"][0]["physicalLocation"]["artifactLocation"]["uri"];
    assert_eq!(place, "greet.sh");
}

/// A summary for a CI step, and findings for code scanning.
#[test]
fn a_step_of_ci_gets_markdown_and_sarif() {
    let project = greeter();
    project.write("tests/greets.sh", "exit 0\n");
    project.write("greet.sh", "echo Hi | cat\n");
    project.write("summary.md", "before\n");
    project.commit("Noise");
    project.git(["reset", "--quiet", "--soft", "HEAD~1"]);
    let words = ["--check", CHECK, "--summary", "summary.md", "--sarif", "out.sarif"];
    verify(&project, &words).expect(3);
    let summary = project.read("summary.md");
    assert!(summary.starts_with("before\n## ❌ refused"), "{summary}");
    assert!(
        summary.contains("| **fail** |") || summary.contains("### Refused because"),
        "{summary}"
    );
    let sarif: serde_json::Value = serde_json::from_str(&project.read("out.sarif")).unwrap();
    assert_eq!(sarif["version"], "2.1.0");
    let results = sarif["runs"][0]["results"].as_array().unwrap();
    assert!(results.iter().any(|one| one["level"] == "error"), "{sarif:#}");
    let rules = sarif["runs"][0]["tool"]["driver"]["rules"].as_array().unwrap();
    for result in results {
        assert!(rules.iter().any(|rule| rule["id"] == result["ruleId"]), "{result}");
    }
    verify(&project, &["--check", CHECK, "--format", "markdown"]).expect(3).prints("## ❌ refused");
}

/// VC-08: a report that can't be written is said before anything runs, with the option that names it.
#[test]
fn a_report_that_cant_be_written_is_said() {
    let project = greeter();
    project.write("greet.sh", "echo Hi\n");
    let ran = verify(&project, &["--check", CHECK, "--sarif", "no/out.sarif"]);
    ran.expect(2).says("--sarif no/out.sarif: there is no folder no");
    let ran = verify(&project, &["--check", CHECK, "--summary", "no/out.md"]);
    ran.expect(2).says("--summary no/out.md: there is no folder no");
    verify(&project, &["--check", CHECK, "--sarif", "-"]).expect(2).says("name a file");
}
