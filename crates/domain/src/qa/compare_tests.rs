//! Baselines and later runs.

use proptest::prelude::*;

use super::*;
use crate::qa::{Case, Draft, Ending, Format, Suite};

const FORMAT: Format = Format::Pytest;

/// `a+ b- c! d/ e?`: passed, failed, errored, skipped, unknown; `f-+` failed and then passed;
/// `*g+` is a suite of which nothing is named.
fn report(text: &str) -> Report {
    let mut draft = Draft::new(FORMAT);
    for word in text.split_whitespace() {
        let id = word.trim_matches(['*', '+', '-', '!', '/', '?']);
        let outcomes: Vec<Outcome> =
            word.trim_start_matches('*')[id.len()..].chars().map(outcome_of).collect();
        let outcome = *outcomes.last().unwrap();
        if word.starts_with('*') {
            draft.suite(Suite { id: id.to_owned(), outcome, unnamed: Totals::default() });
            continue;
        }
        let mut case = Case::new(id, outcome);
        if outcomes.len() > 1 {
            case.attempts = outcomes;
        }
        if outcome.is_bad() {
            case.message = Some(format!("{id} is bad"));
        }
        draft.add(case, None);
    }
    draft.finish(Ending::Closed, None)
}

fn outcome_of(letter: char) -> Outcome {
    match letter {
        '+' => Outcome::Passed,
        '-' => Outcome::Failed,
        '!' => Outcome::Errored,
        '/' => Outcome::Skipped,
        _ => Outcome::Unknown,
    }
}

fn names(comparison: &Comparison) -> String {
    let lists = [
        ("newly failing", &comparison.newly_failing),
        ("fixed", &comparison.fixed),
        ("still failing", &comparison.still_failing),
        ("flaky", &comparison.flaky),
        ("gone", &comparison.gone),
        ("new", &comparison.new),
        ("newly skipped", &comparison.newly_skipped),
        ("unknown", &comparison.unknown),
        ("unseen", &comparison.unseen),
    ];
    let said = lists.iter().filter(|(_, list)| !list.is_empty()).map(|(name, list)| {
        let ids: Vec<&str> = list.iter().map(|change| change.id.as_str()).collect();
        format!("{name} {}", ids.join(" "))
    });
    said.collect::<Vec<_>>().join("; ")
}

/// CX-12: newly failing, fixed, still failing, flaky, gone, new and newly skipped.
#[test]
fn every_change_has_its_list() {
    let check = |before: &str, after: &[&str], expected: &str| {
        let later: Vec<Report> = after.iter().map(|text| report(text)).collect();
        let comparison = compare(&report(before), &later);
        assert_eq!(names(&comparison), expected, "{before} | {after:?}");
    };
    check("a+", &["a+"], "");
    check("a+ b/", &["a- b!"], "newly failing a b");
    check("a- b!", &["a+ b+"], "fixed a b");
    check("a- b!", &["a! b-"], "still failing a b");
    check("a+ b- c/", &[""], "gone a b c");
    check("", &["a+ b/ c-"], "newly failing c; new a b");
    check("a+ b- c?", &["a/ b/ c/"], "newly skipped a b c");
    check("a/ b?", &["a+ b+"], "");
    check("a+ b-", &["a? b?"], "unknown a b");
    check("a+ b-", &["a-+ b-+"], "flaky a b");
    check("a+ b+ c-", &["a+ b- c+", "a- b- c+"], "newly failing b; fixed c; flaky a");
    check("a+", &["b+", "a+"], "new b");
    check("a+ b-", &[], "unseen a b");
    // Who names no passing test can't say that one is gone or new.
    check("a+ b-", &["*f+"], "new f; unseen a b");
    check("*f+ b-", &["*f+ c- d+"], "newly failing c; unseen b");
    check("*f+ *g+", &["*f-"], "newly failing f; gone g");
    check("*f+", &["*f- f::a-"], "newly failing f::a");
}

/// CX-12: the comparison says in words what is worse, and what it can't say.
#[test]
fn findings_in_words() {
    let before = report("a+ b+ c- d+ e+ f+");
    let comparison = compare(&before, &[report("a- b+ c- d/ e-+ g+")]);
    let expected = [
        "1 test fails now and did not before: a",
        "1 test is gone: f",
        "1 test passed and failed on the same tree: e",
        "1 test is skipped now and was run before: d",
        "1 test fails as before: c",
    ];
    assert_eq!(comparison.findings(), expected);
    let said =
        "1 newly failing, 1 still failing, 1 flaky, 1 gone, 1 new, 1 newly skipped, 1 unchanged";
    assert_eq!(comparison.to_string(), said);
    assert_eq!(comparison.newly_failing[0].message.as_deref(), Some("a is bad"));
    assert!(!comparison.is_clean());
    assert!(compare(&before, &[report("a+ b+ c- d+ e+ f+ g+")]).is_clean());

    let other = Report { format: Format::Junit, ..report("a+") };
    let cut = Report { is_complete: false, ..report("a+") };
    let findings = compare(&report("a+ b+"), &[other, cut]).findings();
    assert_eq!(findings[0], "1 test was not seen again: b");
    assert!(findings[1].starts_with("2 tests before, 1 test now"), "{findings:?}");
    assert!(findings[2].contains("in the format pytest and the later run in junit"));
    assert_eq!(findings[3], "a later run is not complete");
    let plain = compare(&report("a+"), &[Report::plain(Some(0))]);
    assert!(!plain.is_clean(), "a run without tests is no match for one with tests");
    assert!(!compare(&report("a+"), &[]).is_clean());
}

/// CX-12: stored comparisons keep their names.
#[test]
fn the_stored_form() {
    let comparison = compare(&report("a+"), &[report("a-")]);
    let golden = r#"{"newly_failing":[{"id":"a","before":"passed","after":"failed","message":"a is bad"}],"fixed":[],"still_failing":[],"flaky":[],"gone":[],"new":[],"newly_skipped":[],"unknown":[],"unseen":[],"unchanged":0,"before":{"passed":1,"failed":0,"errored":0,"skipped":0,"unknown":0},"after":{"passed":0,"failed":1,"errored":0,"skipped":0,"unknown":0},"limits":[]}"#;
    assert_eq!(serde_json::to_string(&comparison).unwrap(), golden);
    assert_eq!(serde_json::from_str::<Comparison>(golden).unwrap(), comparison);
}

proptest! {
    /// CX-12: every test is in exactly one list, or unchanged; a report is its own match.
    #[test]
    fn every_test_is_told_once(before in "([a-f][-+!/?]{1,2} ){0,6}", after in prop::collection::vec("([a-f][-+!/?]{1,2} ){0,6}", 1..3)) {
        let (baseline, later): (Report, Vec<Report>) = (report(&before), after.iter().map(|text| report(text)).collect());
        let comparison = compare(&baseline, &later);
        let lists = [
            &comparison.newly_failing, &comparison.fixed, &comparison.still_failing, &comparison.flaky, &comparison.gone,
            &comparison.new, &comparison.newly_skipped, &comparison.unknown, &comparison.unseen,
        ];
        let mut ids: Vec<&str> = lists.iter().flat_map(|list| list.iter()).map(|change| change.id.as_str()).collect();
        let told = ids.len() as u64;
        ids.sort_unstable();
        ids.dedup();
        prop_assert_eq!(ids.len() as u64, told);
        let all: BTreeSet<&str> = baseline.cases.iter().chain(later.iter().flat_map(|one| &one.cases)).map(|case| case.id.as_str()).collect();
        prop_assert_eq!(told + comparison.unchanged, all.len() as u64);
        prop_assert!(comparison.unseen.is_empty());
        let same = compare(&baseline, std::slice::from_ref(&baseline));
        prop_assert!(same.newly_failing.is_empty() && same.gone.is_empty() && same.new.is_empty() && same.newly_skipped.is_empty());
    }
}
