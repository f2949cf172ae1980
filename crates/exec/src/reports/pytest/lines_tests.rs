//! Lines of pytest, and lines that only look like them.

use super::*;

const PASSED: Word = Word::Outcome(Outcome::Passed);
const FAILED: Word = Word::Outcome(Outcome::Failed);
const SKIPPED: Word = Word::Outcome(Outcome::Skipped);

/// CX-12: `-v`, also with words of pytest in the parameters.
#[test]
fn tests() {
    let check = |line: &str, expected: Option<(&str, Word)>| {
        let found = told(line);
        let found = found.as_ref().map(|told| (told.id.as_str(), told.word));
        assert_eq!(found, expected, "{line}");
    };
    check("a.py::b PASSED                  [ 50%]", Some(("a.py::b", PASSED)));
    check("a.py::b PASSED                  [ 5/17]", Some(("a.py::b", PASSED)));
    check("a.py::b PASSED                  244.7us", Some(("a.py::b", PASSED)));
    check("a.py::b PASSED", Some(("a.py::b", PASSED)));
    check("a.py::b SKIPPED (not today) [ 50%]", Some(("a.py::b", SKIPPED)));
    check("a.py::b SKIPPED (it PASSED (once)) [ 50%]", Some(("a.py::b", SKIPPED)));
    check("a.py::b[x PASSED] FAILED [ 50%]", Some(("a.py::b[x PASSED]", FAILED)));
    check("a.py::b[PASSED] PASSED [ 50%]", Some(("a.py::b[PASSED]", PASSED)));
    check("my tests/a.py::b PASSED [ 50%]", Some(("my tests/a.py::b", PASSED)));
    check("a.py::b RERUN [ 50%]", Some(("a.py::b", Word::Rerun)));
    check("[gw0] [ 33%] PASSED a.py::b", Some(("a.py::b", PASSED)));
    check("a.py::b SUBPASSED[number] (i=0) [ 33%]", Some(("a.py::b [number] (i=0)", PASSED)));
    check("a.py::b SUBFAILED(i=1) [ 33%]", Some(("a.py::b (i=1)", FAILED)));
    check("a.py::b [number] (i=0) SUBPASS [ 33%]", Some(("a.py::b [number] (i=0)", PASSED)));
    check("a.py::b PASSEDPASSED", None);
    check("a.py::b hello PASSED", None);
    check("a.py::b c.py::d PASSED [100%]", None);
    check("a.py::b", None);
    check("PASSED", None);
    check("b PASSED [ 50%]", None);
}

#[test]
fn last_lines() {
    let check = |line: &str, expected: Option<&str>| {
        let found = match read(line) {
            Said::Final(said) => Some((said.totals.to_string(), said.strange)),
            _ => None,
        };
        assert_eq!(found.as_ref().map(|(text, _)| text.as_str()), expected, "{line}");
        assert!(found.is_none_or(|(_, strange)| strange.is_some() == line.contains("odd")));
    };
    check("===== 5 passed in 0.12s =====", Some("5 passed"));
    check("5 passed in 0.12s", Some("5 passed"));
    check(
        "= 1 failed, 2 passed, 1 xfailed, 3 warnings, 2 errors in 65.00s (0:01:05) =",
        Some("2 passed, 1 failed, 2 errored, 1 skipped"),
    );
    check("===== no tests ran in 0.01s =====", Some("no tests"));
    check("===== 5 deselected in 0.01s =====", Some("no tests"));
    check("5 passed, 4 subtests passed in 0.12s", Some("9 passed"));
    check("5 passed, 1 odd in 0.12s", Some("5 passed"));
    check("5 passed in 0.1", None);
    check("5 passed", None);
    check("===== 5 passed in 0.12s", None);
    check("passed in 0.12s", None);
    check("all 5 passed in 0.12s", None);
}

#[test]
fn frames_and_counts() {
    let check = |line: &str, expected: Said<'_>| assert_eq!(read(line), expected, "{line}");
    check("==== test session starts ====", Said::Begin);
    check("==== short test summary info ====", Said::ShortSummary);
    check("==== FAILURES ====", Said::Section);
    check("!!!! KeyboardInterrupt !!!!", Said::Stopped("KeyboardInterrupt"));
    check("ERROR: usage: pytest", Said::Stopped("ERROR: usage: pytest"));
    check("collected 17 items", Said::Collected(17));
    check("collecting ... collected 1 item", Said::Collected(1));
    check("collected 17 items / 14 deselected / 3 selected", Said::Collected(3));
    check("collected 1 item / 1 error", Said::Collected(1));
    check("2 workers [17 items]", Said::Collected(17));
    check("ERROR a.py::b - RuntimeError", Said::Nothing);
}

#[test]
fn dots_and_files() {
    let check = |line: &str, expected: Option<(Option<&str>, &str)>| {
        let found = dots(line).map(|(file, totals, _)| (file, totals.to_string()));
        let expected = expected.map(|(file, said)| (file, said.to_owned()));
        assert_eq!(found, expected, "{line}");
    };
    check("a.py .F.s  [ 50%]", Some((Some("a.py"), "2 passed, 1 failed, 1 skipped")));
    check("sub/a.py .", Some((Some("sub/a.py"), "1 passed")));
    check("...E  [100%]", Some((None, "3 passed, 1 errored")));
    check("R..RRF", Some((None, "2 passed, 1 failed")));
    check("collecting ...", None);
    check("hello", None);
    check("", None);
    check("a.py::b .", None);
}

#[test]
fn short_summary() {
    let check = |line: &str, expected: Option<(&str, Word, Option<&str>)>| {
        let found = short(line);
        let found = found.as_ref().map(|told| (told.id.as_str(), told.word, told.message));
        assert_eq!(found, expected, "{line}");
    };
    check("FAILED a.py::b - assert 1 == 2", Some(("a.py::b", FAILED, Some("assert 1 == 2"))));
    check(
        "FAILED a.py::b[- x] - assert a - b",
        Some(("a.py::b[- x]", FAILED, Some("assert a - b"))),
    );
    check("FAILED a.py::b", Some(("a.py::b", FAILED, None)));
    check("PASSED a.py::b[a b]", Some(("a.py::b[a b]", PASSED, None)));
    check("ERROR a.py", Some(("a.py", Word::Outcome(Outcome::Errored), None)));
    check("XFAIL a.py::b - known", Some(("a.py::b", SKIPPED, Some("known"))));
    check("SUBFAILED(i=1) a.py::b - assert 1", Some(("a.py::b (i=1)", FAILED, Some("assert 1"))));
    check(
        "SUBFAILED[n] (i=1) a.py::b - assert 1",
        Some(("a.py::b [n] (i=1)", FAILED, Some("assert 1"))),
    );
    check("(i=1) SUBFAIL a.py::b - assert 1", Some(("a.py::b (i=1)", FAILED, Some("assert 1"))));
    check("SKIPPED [1] a.py:14: not today", None);
    check("nothing FAILED here", None);
}
