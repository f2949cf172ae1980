//! Code under test that deceives in the very process that runs its tests.

use countersign_testkit::Project;

use crate::{PROGRAM, data, has, reasons};

const TESTS: &str = "import unittest\nfrom calc import add\n\n\nclass AddTest(unittest.TestCase):\n    \
def test_zero(self):\n        self.assertEqual(add(0, 0), 0)\n\n    def test_add(self):\n        \
self.assertEqual(add(2, 3), 5)\n";

/// A calculator that is wrong, with tests.
fn calculator() -> Project {
    let project = Project::new(PROGRAM);
    project.write("calc.py", "def add(a, b):\n    return a - b\n");
    project.write("tests/__init__.py", "");
    project.write("tests/test_calc.py", TESTS);
    project.commit("A calculator");
    project
}

/// Verifies, and expects a refusal with these words.
#[track_caller]
fn refused(project: &Project, words: &str) {
    let (code, found) = data(project, &[]);
    assert_eq!(code, Some(3), "{}", reasons(&found));
    assert!(reasons(&found).contains(words), "{words:?} is not in {}", reasons(&found));
}

/// Writes the report anew at the end, and ends with 0. Its base class would be found by reading.
const REWRITES: &str = "import os, re, sys, threading\n\n\ndef add(a, b):\n    return a - b\n\n\ndef \
_later():\n    threading.main_thread().join()\n    path = sys.modules['__main__'].report\n    text = \
open(path).read()\n    text = re.sub(r'(?s)><failure.*?</failure></testcase>', '/>', text)\n    text = \
text.replace('failures=\"1\"', 'failures=\"0\"')\n    open(path, 'w').write(text)\n    CODE\n\n\n\
threading.Thread(target=_later).start()\n";

/// G41: a report that was written anew is another account than what was printed.
#[test]
fn a_report_that_was_rewritten_is_no_account() {
    let project = calculator();
    if !has(&project, "python3") {
        return;
    }
    project.write("calc.py", REWRITES.replace("CODE", "os._exit(0)"));
    refused(&project, "the runner printed 1 passed, 1 failed, and its report has 2 passed");
    // The exit code alone says it as well.
    project.write("calc.py", REWRITES.replace("CODE", "pass"));
    refused(&project, "the runner printed 1 passed, 1 failed");
}

/// G41: so is one beside which nothing was printed any more.
#[test]
fn a_runner_that_fell_silent_is_asked_about() {
    let project = calculator();
    if !has(&project, "python3") {
        return;
    }
    let silent = "import os\n\nos.dup2(os.open(os.devnull, os.O_WRONLY), 2)\n\n\ndef add(a, b):\n    return a + b\n";
    project.write("calc.py", silent);
    let (code, found) = data(&project, &[]);
    assert_eq!(code, Some(4), "{}", reasons(&found));
    assert!(reasons(&found).contains("printed no summary"), "{}", reasons(&found));
}

/// G24: code that reads the answers out of its tests, and values that equal whatever they are compared
/// with: what is asserted does not decide.
#[test]
fn tests_that_pass_whatever_they_expect_are_refused() {
    let project = calculator();
    if !has(&project, "python3") {
        return;
    }
    let words = "what is asserted does not decide";
    let reads = "import os\nimport re\n\n\ndef add(a, b):\n    folder = os.path.dirname(os.path.abspath(__file__))\n    \
text = open(os.path.join(folder, 'tests', 'test_calc.py')).read()\n    found = re.search(r'add.%d, %d., (.*)[)]' % (a, b), text)\n    \
return int(found.group(1)) if found else a - b\n";
    project.write("calc.py", reads);
    refused(&project, words);
    let agrees = "class Sum(int):\n    def __eq__(self, other):\n        return True\n\n    __hash__ = int.__hash__\n\n\n\
def add(a, b):\n    return Sum(a - b)\n";
    project.write("calc.py", agrees);
    refused(&project, words);
}

/// LP-08: the names of canaries are made of the words around them.
#[test]
fn canaries_are_named_as_the_tests_around() {
    let project = calculator();
    if !has(&project, "python3") {
        return;
    }
    project.write("calc.py", "def add(a, b):\n    return a + b\n");
    let (code, found) = data(&project, &[]);
    assert_eq!(code, Some(0), "{}", reasons(&found));
    let planted = found["checks"][0]["planted"]["fails"].as_str().unwrap();
    assert!(planted.starts_with("test_") && planted.matches('_').count() >= 3, "{planted}");
    assert!(!planted.contains(|letter: char| letter.is_ascii_digit()), "{planted}");
}
