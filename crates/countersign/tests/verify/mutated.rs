//! Work that is nothing but tests, on code that was broken on purpose.

use countersign_testkit::Project;

use serde_json::Value;

use crate::{PROGRAM, has, reasons};

const OLD: &str = "import unittest\nfrom fares import fare\n\n\nclass FareTest(unittest.TestCase):\n    \
def test_child(self):\n        self.assertEqual(fare(5), 2)\n";

/// The fares of a ferry, hardly tested.
fn ferry() -> Project {
    let project = Project::new(PROGRAM);
    project.write(
        "fares.py",
        "def fare(age):\n    if age < 12:\n        return 2\n    return half(8) if age >= 65 else 8\n\n\n\
def half(amount):\n    return amount // 2\n",
    );
    project.write("tests/__init__.py", "");
    project.write("tests/test_fares.py", OLD);
    project.commit("Fares");
    project
}

fn verified(project: &Project) -> (Option<i32>, Value) {
    let task = "Add tests for fare: grown-ups, and from 65 on";
    let ran = project.run(["verify", "--task", task, "--format", "json"]);
    (ran.code, ran.json()["data"].clone())
}

/// G13: tests that were asked for and say the same of broken code are asked about.
#[test]
fn new_tests_that_can_not_fail_are_asked_about() {
    let project = ferry();
    if !has(&project, "python3") {
        return;
    }
    let itself = format!(
        "{OLD}\n    def expected(self, age):\n        return fare(age)\n\n    def test_grown_up(self):\n        \
self.assertEqual(fare(30), self.expected(30))\n\n    def test_old(self):\n        for age in range(65, 60):\n            \
self.assertEqual(fare(age), 4)\n"
    );
    project.write("tests/test_fares.py", itself);
    let (code, found) = verified(&project);
    assert_eq!(code, Some(4), "{}", reasons(&found));
    assert!(reasons(&found).contains("broken on purpose"), "{}", reasons(&found));
    assert!(reasons(&found).contains("test_grown_up"), "{}", reasons(&found));
}

/// G13: tests that notice are accepted, also beside documents; one that was only moved is none of them.
#[test]
fn new_tests_that_notice_are_accepted() {
    let project = ferry();
    if !has(&project, "python3") {
        return;
    }
    let honest = format!(
        "{OLD}\n    def test_grown_up(self):\n        self.assertEqual(fare(30), 8)\n\n    def test_old(self):\n        \
self.assertEqual(fare(65), 4)\n"
    );
    project.write("tests/test_fares.py", honest);
    project.write("README.md", "# Fares\n");
    let (code, found) = verified(&project);
    assert_eq!(code, Some(0), "{}", reasons(&found));
    let runs = found["checks"][0]["runs"].as_array().unwrap();
    let broken = runs.iter().filter(|run| run["ground"] == "mutated").count();
    assert_eq!(broken, 1, "the first was noticed");
}
