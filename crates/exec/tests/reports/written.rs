//! Reports that were written by hand, from what runners document or get wrong.

#![allow(clippy::unwrap_used)]

use countersign_domain::qa::Format;
use countersign_exec::reports::read;

use crate::support::brief;

#[track_caller]
fn check(format: Format, exit_code: Option<i32>, text: &str, expected: &str) {
    let report = read(text.as_bytes(), Some(format), exit_code);
    assert_eq!(
        report.map_or_else(|mistake| mistake.to_string(), |report| brief(&report)),
        expected
    );
}

fn junit(text: &str, expected: &str) {
    check(Format::Junit, None, text, expected);
}

/// CX-12: JUnit as gradle, GoogleTest, Bazel, PHPUnit and CTest write it.
#[test]
fn dialects_of_junit() {
    junit(
        r#"<?xml version="1.0" encoding="UTF-8"?>
<testsuite name="demo.CalcTest" tests="3" skipped="1" failures="1" errors="0" timestamp="2026-01-02T03:04:05" hostname="host" time="0.036">
  <properties/>
  <testcase name="adds()" classname="demo.CalcTest" time="0.02"/>
  <testcase name="fails()" classname="demo.CalcTest" time="0.01">
    <failure message="org.opentest4j.AssertionFailedError: no" type="org.opentest4j.AssertionFailedError">org.opentest4j.AssertionFailedError: no
	at demo.CalcTest.fails(CalcTest.java:9)</failure>
  </testcase>
  <testcase name="skipped()" classname="demo.CalcTest" time="0.0"><skipped/></testcase>
  <system-out><![CDATA[<testcase name="not there"/>]]></system-out>
</testsuite>"#,
        "Failed: 1 passed, 1 failed, 1 skipped [passed demo.CalcTest > adds(), failed demo.CalcTest > fails(), skipped demo.CalcTest > skipped()]",
    );
    junit(
        r#"<testsuites tests="3" failures="0" disabled="1" errors="0" name="AllTests">
  <testsuite name="Math" tests="3" failures="0" disabled="1" skipped="1" errors="0">
    <testcase name="Adds" status="run" result="completed" classname="Math"/>
    <testcase name="DISABLED_Later" status="notrun" result="suppressed" classname="Math"/>
    <testcase name="Skipped" status="run" result="skipped" classname="Math"><skipped message="no"/></testcase>
  </testsuite>
</testsuites>"#,
        "Passed: 1 passed, 2 skipped [passed Math > Adds, skipped Math > DISABLED_Later, skipped Math > Skipped]",
    );
    junit(
        r#"<testsuites><testsuite name="a/b_test" tests="1" failures="0" errors="1">
<testcase name="a/b_test" status="run" duration="0" time="0"><error message="exited with error code 1"></error></testcase>
</testsuite></testsuites>"#,
        "Failed: 1 errored [errored a/b_test]",
    );
    junit(
        r#"<testsuites><testsuite name="all" tests="2" assertions="2" errors="0" failures="0" skipped="0">
<testsuite name="Tests\MathTest" file="/repo/tests/MathTest.php" tests="2" errors="0" failures="0" skipped="0">
<testsuite name="Tests\MathTest::adds" tests="2" errors="0" failures="0" skipped="0">
<testcase name="adds with data set #0" class="Tests\MathTest" classname="Tests.MathTest" assertions="1"/>
<testcase name="adds with data set #1" class="Tests\MathTest" classname="Tests.MathTest" assertions="1"/>
</testsuite></testsuite></testsuite></testsuites>"#,
        "Passed: 2 passed [passed Tests.MathTest > adds with data set #0, passed Tests.MathTest > adds with data set #1]",
    );
    junit(
        r#"<testsuite name="Linux-c++" tests="2" failures="1" disabled="0" skipped="0">
<testcase name="one" classname="one" time="0.01" status="run"/>
<testcase name="two" classname="two" time="0.01" status="fail"><failure message="Failed"/></testcase></testsuite>"#,
        "Failed: 1 passed, 1 failed [passed one, failed two]",
    );
}

/// CX-12: JUnit that contradicts itself is no pass, and counts none that may not be one.
#[test]
fn junit_that_contradicts_itself() {
    let suite =
        |attributes: &str, inside: &str| format!("<testsuite {attributes}>{inside}</testsuite>");
    let two = "<testcase name='a'/><testcase name='b'/>";
    junit(&suite("tests='2'", two), "Passed: 2 passed [passed a, passed b]");
    junit(&suite("tests='3'", two), "Unknown: 2 passed [passed a, passed b] {Surplus}");
    junit(
        &suite("tests='2' failures='1'", two),
        "Failed: 2 unknown [unknown a, unknown b] {Contradiction, Contradiction}",
    );
    junit(
        &suite("tests='2' skipped='1'", two),
        "Unknown: 2 unknown [unknown a, unknown b] {Contradiction}",
    );
    junit(&suite("tests='-1' failures='many'", two), "Passed: 2 passed [passed a, passed b]");
    junit(&suite("", ""), "Unknown: no tests []");
    junit(
        &suite("tests='1'", "<testcase name='a' status='weird'/>"),
        "Unknown: 1 unknown [unknown a]",
    );
    junit(&suite("", "<testcase name='a' status='failed'/>"), "Failed: 1 failed [failed a]");
    junit(
        &suite("", "<testcase/>"),
        "Unknown: 1 unknown [unknown a test without a name] {Unreadable}",
    );
    junit(
        &suite("name='s'", "<error message='no setup'/><testcase name='a'/>"),
        "Failed: 1 passed, 1 errored [passed a, errored s]",
    );
    let twice = "<testcase name='a'/><testcase name='a'><failure/></testcase>";
    junit(&suite("tests='2' failures='1'", twice), "Failed: 1 failed [failed a] {Duplicate}");
    let flaky = "<testcase name='a'><flakyFailure message='once'/></testcase>";
    junit(&suite("tests='1'", flaky), "Passed: 1 passed [passed a (failed, passed)]");
    junit(&suite("tests='2' failures='1'", flaky), "Failed: 1 passed [passed a (failed, passed)]");
}

/// CX-12: TAP as others write it.
#[test]
fn dialects_of_tap() {
    let tap = |text: &str, expected: &str| check(Format::Tap, None, text, expected);
    tap("1..2\nok 1 - a\nok 2 - b\n", "Passed: 2 passed [passed a, passed b]");
    tap("ok 1 - a\nok 2 - b\n1..2\n", "Passed: 2 passed [passed a, passed b]");
    tap("ok\nok\n1..2\n", "Passed: 2 passed [passed #1, passed #2]");
    tap("1..2\nok 1 - a\nnot ok 2 - b\n", "Failed: 1 passed, 1 failed [passed a, failed b]");
    tap("1..2\nok 1 - a\n", "Unknown: 1 unknown [unknown a] {Cut}");
    tap("ok 1 - a\n", "Unknown: 1 unknown [unknown a] {Cut}");
    tap("1..1\nok 1 - a\nok 2 - b\n", "Unknown: 2 unknown [unknown a, unknown b] {Contradiction}");
    tap("1..2\nok 1 - a\nok 1 - b\n", "Unknown: 2 unknown [unknown a, unknown b] {Contradiction}");
    tap("1..1\nok 1 - a", "Unknown: 1 unknown [unknown a]");
    tap("1..0 # SKIP no database\n", "Unknown: no tests []");
    tap("1..2\nok 1 - a\nBail out! no disk\n", "Unknown: 1 unknown [unknown a] {Stopped, Cut}");
    tap(
        "1..2\nok 1 - a # TODO later\nnot ok 2 - b # TODO\n",
        "Unknown: 2 skipped [skipped a, skipped b]",
    );
    tap(
        "TAP version 14\n1..1\n    1..1\n    ok 1 - inner\nok 1 - outer\n",
        "Passed: 1 passed [passed outer > inner]",
    );
    tap(
        "1..1\n    1..2\n    ok 1 - inner\nok 1 - outer\n",
        "Unknown: 1 unknown [unknown outer > inner] {Contradiction}",
    );
    tap(
        "1..1\n    1..1\n    ok 1 - inner\nnot ok 1 - outer\n",
        "Failed: 1 passed, 1 failed [failed outer, passed outer > inner]",
    );
    tap("1..1\nok 1 - a\n  ---\n  message: 'not ok 2 - b'\n  ...\n", "Passed: 1 passed [passed a]");
}

/// CX-12: anchors of what must never pass: the summary against the list, zero tests, killed runs.
#[test]
fn what_must_never_pass() {
    let pytest = |text: &str, expected: &str| check(Format::Pytest, None, text, expected);
    let head = "===== test session starts =====\ncollected 3 items\n\n";
    let lines = "a.py::a PASSED [ 33%]\na.py::b FAILED [ 66%]\na.py::c PASSED [100%]\n\n";
    pytest(
        &format!("{head}{lines}===== 3 passed in 0.1s =====\n"),
        "Failed: 1 failed, 2 unknown [unknown a.py::a, failed a.py::b, unknown a.py::c] {Contradiction}",
    );
    pytest(
        &format!("{head}{lines}===== 1 failed, 2 passed in 0.1s =====\n"),
        "Failed: 2 passed, 1 failed [passed a.py::a, failed a.py::b, passed a.py::c]",
    );
    pytest("3 passed in 0.1s\n", "Unknown: no tests [] {Stray, Cut}");
    pytest(
        &format!("{head}===== 3 passed in 0.1s =====\n"),
        "Unknown: no tests [] {Contradiction}",
    );
    pytest(&format!("{head}===== no tests ran in 0.1s =====\n"), "Unknown: no tests []");
    pytest("a.py ...  [100%]\n\n3 passed in 0.1s", "Passed: 3 passed [a.py passed: 3 passed]");
    pytest(
        "a.py ...  [100%]\n\n3 p\u{202e}assed in 0.1s\n",
        "Unknown: 3 unknown [a.py passed: 3 unknown] {Unreadable, Contradiction}",
    );
    let run = "a.py::a PASSED [100%]\n===== 1 passed in 0.1s =====\n";
    let empty = "===== test session starts =====\n===== no tests ran in 0.1s =====\n";
    pytest(
        &format!("{empty}===== test session starts =====\n{run}"),
        "Unknown: 1 passed [passed a.py::a] {SeveralRuns, Empty}",
    );

    let cargo =
        |text: &str, code: Option<i32>, expected: &str| check(Format::Cargo, code, text, expected);
    let result = |passed: u32| {
        format!(
            "test result: ok. {passed} passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n"
        )
    };
    let one = format!("running 1 test\ntest a ... ok\n\n{}", result(1));
    cargo(&one, Some(0), "Passed: 1 passed [passed a]");
    cargo(&one, None, "Unknown: 1 passed [passed a]");
    cargo(&one, Some(101), "Failed: 1 passed [passed a]");
    cargo(
        &format!("running 1 test\ntest a ... FAILED\n\n{}", result(1)),
        Some(0),
        "Failed: 1 failed [failed a] {Stray, Contradiction}",
    );
    cargo(
        &format!("running 2 tests\ntest a ... ok\n\n{}", result(1)),
        Some(0),
        "Unknown: 1 passed [passed a] {Stray, Contradiction}",
    );
    cargo(&format!("running 0 tests\n\n{}", result(0)), Some(0), "Unknown: no tests []");
    cargo("running 1 test\ntest a ... ok\n", Some(0), "Unknown: 1 unknown [unknown a] {Cut}");
}

/// CX-12: packages of Go, with and without names of tests.
#[test]
fn packages_of_go() {
    let go =
        |text: &str, code: Option<i32>, expected: &str| check(Format::GoTest, code, text, expected);
    go("ok  \ta\t0.1s\n", Some(0), "Passed: no tests [a passed: no tests]");
    go("ok  \ta\t0.1s\n", None, "Unknown: no tests [a passed: no tests]");
    go("ok  \ta\t0.1s [no tests to run]\n", Some(0), "Unknown: no tests []");
    go(
        "=== RUN   TestA\n--- PASS: TestA (0.00s)\nPASS\nok  \ta\t0.1s\n",
        Some(0),
        "Passed: 1 passed [passed a TestA]",
    );
    go(
        "=== RUN   TestA\nPASS\nok  \ta\t0.1s\n",
        Some(0),
        "Unknown: 1 unknown [unknown a TestA] {Contradiction}",
    );
    go(
        "=== RUN   TestA\n--- PASS: TestA (0.00s)\nPASS\n",
        Some(0),
        "Unknown: 1 unknown [unknown TestA] {Cut}",
    );
}

/// CX-12: a test that is run again is flaky, whichever way its runner says so.
#[test]
fn tests_that_are_run_again() {
    let go = "=== RUN   TestA\n--- FAIL: TestA (0.00s)\n=== RUN   TestA\n--- PASS: TestA (0.00s)\nFAIL\nFAIL\ta\t0.1s\n";
    check(Format::GoTest, Some(1), go, "Failed: 1 failed [failed a TestA (failed, passed)]");
    let pytest =
        "a.py::a RERUN [100%]\na.py::a PASSED [100%]\n===== 1 passed, 1 rerun in 0.1s =====\n";
    check(Format::Pytest, Some(0), pytest, "Passed: 1 passed [passed a.py::a (failed, passed)]");
    let nextest = "    Starting 1 test across 1 binary\n  TRY 1 FAIL [   0.001s] a b\n  TRY 2 PASS [   0.001s] a b\n     Summary [   0.001s] 1 test run: 1 passed (1 flaky), 0 skipped\n   FLAKY 2/2 [   0.001s] a b\n";
    check(Format::Nextest, Some(0), nextest, "Passed: 1 passed [passed a b (failed, passed)]");
}

/// CX-12: what failed tests say is read without colours, in documents as well.
#[test]
fn colours_in_documents() {
    let message = |format, text: &str| {
        let report = read(text.as_bytes(), Some(format), Some(1)).unwrap();
        report.cases[0].message.clone().unwrap()
    };
    for red in ["\u{1b}[31m", "&#27;[31m", "&#x1b;[31m", "&#x1B;[38;5;9m"] {
        let text = format!(
            "<testsuite tests='1' failures='1'><testcase name='a'>\
             <failure message='{red}1 !== 2\u{1b}[39m'/></testcase></testsuite>"
        );
        assert_eq!(message(Format::Junit, &text), "1 !== 2", "{red:?}");
    }
    let text = r#"{"numTotalTests":1,"numPassedTests":0,"numFailedTests":1,"success":false,"testResults":
        [{"name":"/p/a.test.js","status":"failed","assertionResults":[{"title":"a","status":"failed",
        "failureMessages":["\u001b[31mexpected \u001b[1m1\u001b[22m to be 2\u001b[39m"]}]}]}"#;
    assert_eq!(message(Format::JestJson, text), "expected 1 to be 2");
}

/// CX-12: only colours go from a document. What begins and does not end must not take tests with it.
#[test]
fn other_sequences_in_documents() {
    let text = "<testsuite tests='2' failures='1'><testcase name='a'><failure message='\u{1b}]'/></testcase>\
                <testcase name='b' classname='\u{7}c'/></testsuite>";
    let report = read(text.as_bytes(), Some(Format::Junit), Some(1)).unwrap();
    assert_eq!(report.cases.len(), 2);
}

/// CX-12: node counts a suite within a suite as one test. A test more than that is still one too many.
#[test]
fn suites_within_suites() {
    let inner =
        "<testsuite name='in' tests='2'><testcase name='b'/><testcase name='c'/></testsuite>";
    let outer = |tests: u64, more: &str| {
        format!(
            "<testsuite name='out' tests='{tests}'><testcase name='a'/>{inner}{more}</testsuite>"
        )
    };
    junit(&outer(2, ""), "Passed: 3 passed [passed a, passed in > b, passed in > c]");
    let report =
        read(outer(2, "<testcase name='d'/>").as_bytes(), Some(Format::Junit), Some(0)).unwrap();
    assert_eq!(report.totals.unknown, 2, "what stands in the outer suite is doubted");
    let injected =
        outer(2, "").replace("<testcase name='c'/>", "<testcase name='c'/><testcase name='d'/>");
    let report = read(injected.as_bytes(), Some(Format::Junit), Some(0)).unwrap();
    assert_eq!(report.totals.unknown, 3, "what stands in the inner suite is doubted");
}
