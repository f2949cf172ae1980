//! Runs on one tree.

use super::*;
use crate::qa::{Case, Draft, Ending, Format};

/// `a+ b-`: passed, failed; `c-+` failed and then passed.
fn run(text: &str) -> Report {
    let mut draft = Draft::new(Format::Junit);
    for word in text.split_whitespace() {
        let id = word.trim_matches(['+', '-']);
        let outcome = |letter| if letter == '+' { Outcome::Passed } else { Outcome::Failed };
        let outcomes: Vec<Outcome> = word[id.len()..].chars().map(outcome).collect();
        let mut case = Case::new(id, *outcomes.last().unwrap());
        if outcomes.len() > 1 {
            case.attempts = outcomes;
        }
        draft.add(case, None);
    }
    draft.finish(Ending::Closed, None)
}

#[track_caller]
fn check(runs: &[&str], tested: Tested, reasons: &[&str]) {
    let runs: Vec<Report> = runs.iter().map(|text| run(text)).collect();
    let found = conclude(&runs).unwrap();
    assert_eq!((found.tested, found.reasons.join(" | ")), (tested, reasons.join(" | ")));
}

/// CX-12: a test that failed and then passed is no clean pass, wherever it did so.
#[test]
fn a_test_that_failed_once_is_no_clean_pass() {
    check(&["a+ b+"], Tested::Passed, &["2 tests passed"]);
    check(&["a+", "a+"], Tested::Passed, &["1 test passed"]);
    let flaky = "1 test passed and failed on the same tree: a";
    let earlier = "run 1 of 2 on this tree: 1 test failed: a";
    check(&["a- b+", "a+ b+"], Tested::Failed, &[flaky, "2 tests passed", earlier]);
    check(&["a+ b+", "a- b+"], Tested::Failed, &[flaky, "1 test failed: a"]);
    check(&["a-+ b+"], Tested::Unknown, &[flaky, "2 tests passed, 1 test only when run again"]);
    assert_eq!(conclude(&[]), None);
}
