//! Checks whose tests are counted, with runners that are really run.

use countersign_testkit::Project;

use crate::{PROGRAM, data, has, reasons};

const TESTS: &str = "import unittest\nfrom calc import add\n\n\nclass AddTest(unittest.TestCase):\n    \
def test_zero(self):\n        self.assertEqual(add(0, 0), 0)\n\n    def test_add(self):\n        \
self.assertEqual(add(2, 3), 5)\n";

fn calculator() -> Project {
    let project = Project::new(PROGRAM);
    project.write("calc.py", "def add(a, b):\n    return a - b\n");
    project.write("tests/__init__.py", "");
    project.write("tests/test_calc.py", TESTS);
    project.commit("A calculator");
    project
}

#[track_caller]
fn ends(project: &Project, code: i32, words: &str) -> serde_json::Value {
    let (ended, data) = data(project, &[]);
    assert_eq!(ended, Some(code), "{}", reasons(&data));
    assert!(reasons(&data).contains(words), "{words:?} is not in {}", reasons(&data));
    data
}

/// VC-05, LP-08: found without any set-up, counted, and believed up to the canaries.
#[test]
fn a_fix_is_accepted_up_to_the_canaries() {
    let project = calculator();
    if !has(&project, "python3") {
        return;
    }
    project.write("calc.py", "def add(a, b):\n    return a + b\n");
    let data = ends(&project, 0, "");
    assert_eq!(data["judgement"]["level"], "canaries", "{data:#}");
    let shown = data["judgement"]["shown_by"].to_string();
    assert!(shown.contains("test_add") && !shown.contains("test_zero"), "{shown}");
}

/// G01, G02, G10, G40: the catalogue's commonest moves, each by what was run.
#[test]
fn the_commonest_moves_are_refused() {
    let project = calculator();
    if !has(&project, "python3") {
        return;
    }
    let with = |tests: &str, words: &str| {
        project.write("tests/test_calc.py", tests);
        ends(&project, 3, words);
        project.write("tests/test_calc.py", TESTS);
    };
    with(&TESTS.replace("3), 5", "3), -1"), "base's version of it fails on the new code (G10)");
    with(TESTS.split("    def test_add").next().unwrap(), "is gone, and it fails");
    let skipped =
        TESTS.replace("    def test_add", "    @unittest.skip('later')\n    def test_add");
    with(&skipped, "is skipped now, and it fails");
    project.write("calc.py", "import os\nos._exit(0)\n");
    ends(&project, 3, "proves nothing");
    project.write("calc.py", "def add(a, b):\n    return a * b\n");
    ends(&project, 3, "still fails");
}

/// D1.2: what failed before is shown, and does not hide what the work is worth.
#[test]
fn a_failure_of_the_base_is_shown() {
    let project = calculator();
    if !has(&project, "python3") {
        return;
    }
    let other = "import unittest\n\n\nclass OtherTest(unittest.TestCase):\n    def test_other(self):\n        \
                 self.assertEqual(1, 2)\n";
    project.write("tests/test_other.py", other);
    project.commit("Another test");
    project.write("calc.py", "def add(a, b):\n    return a + b\n");
    let data = ends(&project, 0, "failed on the base as well");
    assert!(data["judgement"]["failed_before"].to_string().contains("test_other"), "{data:#}");
}

/// G20: answers by name are a person's to look at; answers that it could not know decide.
#[test]
fn special_cases_are_asked_about() {
    let project = calculator();
    if !has(&project, "python3") {
        return;
    }
    let code = "def add(a, b):\n    if a == 2 and b == 3:\n        return 5\n    return a - b\n";
    project.write("calc.py", code);
    ends(&project, 4, "G20");
    let example = ["--example", "python3 -c 'import calc; print(calc.add(20, 22))' => 42"];
    let (ended, data) = data(&project, &example);
    assert_eq!(ended, Some(3), "{}", reasons(&data));
}
