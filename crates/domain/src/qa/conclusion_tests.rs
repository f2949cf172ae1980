//! What proves a pass, and what doesn't; and how reports are put together and stored.

use proptest::prelude::*;

use super::*;
use crate::qa::{DoubtKind, Draft, Ending, Listed, Suite, Totals};

fn report(cases: &[(&str, Outcome)], exit_code: Option<i32>) -> Report {
    let mut draft = Draft::new(Format::Cargo);
    for (id, outcome) in cases {
        draft.add(Case::new(*id, *outcome), None);
    }
    draft.finish(Ending::Closed, exit_code)
}

fn passed(count: u64) -> Totals {
    Totals { passed: count, ..Totals::default() }
}

#[track_caller]
fn check(report: &Report, tested: Tested, reason: &str) {
    let conclusion = report.conclusion();
    assert_eq!(conclusion.tested, tested, "{conclusion:?}");
    let found = conclusion.reasons.iter().any(|said| said.contains(reason));
    assert!(found, "{reason:?} is not in {:?}", conclusion.reasons);
}

/// CX-12: a pass needs a test that passed, and nothing that speaks against it.
#[test]
fn what_proves_a_pass() {
    use Outcome::{Errored, Failed, Passed, Skipped, Unknown};
    check(&report(&[("a", Passed)], Some(0)), Tested::Passed, "1 test passed");
    check(&report(&[("a", Passed), ("b", Skipped)], None), Tested::Passed, "1 test passed");
    check(&report(&[("a", Passed), ("b", Failed)], Some(0)), Tested::Failed, "1 test failed: b");
    check(&report(&[("a", Passed), ("b", Errored)], None), Tested::Failed, "1 test failed: b");
    check(&report(&[("a", Passed)], Some(1)), Tested::Failed, "the exit code is 1");
    check(
        &report(&[("a", Passed), ("b", Unknown)], Some(0)),
        Tested::Unknown,
        "1 test ended nobody knows how: b",
    );
    check(&report(&[("a", Skipped)], Some(0)), Tested::Unknown, "no test passed");
    check(&report(&[], Some(0)), Tested::Unknown, "no test passed");
    let many: Vec<(String, Outcome)> = (0..9).map(|n| (format!("t{n}"), Failed)).collect();
    let many: Vec<(&str, Outcome)> =
        many.iter().map(|(id, outcome)| (id.as_str(), *outcome)).collect();
    check(&report(&many, None), Tested::Failed, "9 tests failed: t0, t1, t2, t3, t4, and 4 more");
}

/// CX-12: every grave doubt is one too many, and the others are none.
#[test]
fn doubts() {
    let good = report(&[("a", Outcome::Passed)], Some(0));
    let with = |kind: DoubtKind| {
        let doubt = Doubt { kind, line: Some(3), words: "odd".to_owned() };
        Report { doubts: vec![doubt], ..good.clone() }
    };
    for kind in [DoubtKind::Cut, DoubtKind::Stopped, DoubtKind::Contradiction, DoubtKind::Stray] {
        check(&with(kind), Tested::Unknown, "line 3: odd");
    }
    for kind in [
        DoubtKind::Disguised,
        DoubtKind::Unreadable,
        DoubtKind::OtherFormat,
        DoubtKind::Empty,
        DoubtKind::TooMany,
    ] {
        check(&with(kind), Tested::Unknown, "line 3: odd");
    }
    for kind in [DoubtKind::Duplicate, DoubtKind::SeveralRuns, DoubtKind::NotUtf8] {
        check(&with(kind), Tested::Passed, "1 test passed");
    }
    let cut = Report { is_complete: false, ..good.clone() };
    check(&cut, Tested::Unknown, "nothing says that the run came to its end");
    let claimed = Some(Totals { failed: 1, ..passed(1) });
    check(&Report { claimed, ..good.clone() }, Tested::Failed, "1 test failed without being named");
    // What is stored next to the tests proves nothing.
    let forged = Report { totals: passed(9), cases: Vec::new(), ..good };
    check(&forged, Tested::Unknown, "no test passed");
}

/// CX-12: where tests are not counted, the exit code has to be known.
#[test]
fn without_counted_tests() {
    check(&Report::plain(Some(0)), Tested::Passed, "it holds no tests");
    check(&Report::plain(Some(2)), Tested::Failed, "the exit code is 2");
    check(&Report::plain(None), Tested::Unknown, "the exit code is not known");
    let with = |outcome: Outcome, claimed: Option<Totals>, exit_code: Option<i32>| {
        let mut draft = Draft::new(Format::GoTest);
        draft.suite(Suite { id: "pkg".to_owned(), outcome, unnamed: Totals::default() });
        if let Some(claimed) = claimed {
            draft.claim(claimed);
        }
        draft.finish(Ending::Open, exit_code)
    };
    check(&with(Outcome::Passed, None, Some(0)), Tested::Passed, "it holds no tests");
    check(&with(Outcome::Passed, None, None), Tested::Unknown, "the exit code is not known");
    check(&with(Outcome::Failed, None, Some(0)), Tested::Failed, "failed: pkg");
    check(&with(Outcome::Unknown, None, Some(0)), Tested::Unknown, "nobody says how they ended");
    check(
        &with(Outcome::Passed, Some(passed(3)), Some(0)),
        Tested::Passed,
        "3 tests passed, says the runner",
    );
    check(&with(Outcome::Passed, Some(passed(3)), None), Tested::Unknown, "came to its end");
}

/// CX-12: a test that is listed twice counts once, with its worse outcome.
#[test]
fn duplicates() {
    let mut draft = Draft::new(Format::Junit);
    draft.add(Case::new("a", Outcome::Passed), Some(1));
    draft.add(Case::new("a", Outcome::Failed).with_message("\n\n  no\nwhy\n"), Some(2));
    draft.add(Case::new("a", Outcome::Skipped), Some(3));
    let report = draft.finish(Ending::Closed, None);
    assert_eq!(report.totals, Totals { failed: 1, ..Totals::default() });
    assert_eq!(report.cases[0].message.as_deref(), Some("  no\nwhy"));
    assert_eq!(report.doubts[0].to_string(), "line 2: 2 times a test is listed again, first a");
}

/// CX-12: a list that is not what the runner counts confirms no pass.
#[test]
fn lists_and_claims() {
    use Outcome::{Failed, Passed};
    let check = |listed: &[Outcome], claimed: Totals, expected: Totals, is_doubted: bool| {
        let mut list = Listed::default();
        for (number, outcome) in listed.iter().enumerate() {
            list.push(Case::new(format!("t{number}"), *outcome), None);
        }
        let mut draft = Draft::new(Format::Cargo);
        draft.settle(list, claimed, Some(9));
        let report = draft.finish(Ending::Closed, None);
        assert_eq!((report.totals, !report.doubts.is_empty()), (expected, is_doubted));
        assert_eq!(report.claimed, Some(claimed));
    };
    let unknown = |count: u64| Totals { unknown: count, ..Totals::default() };
    let failed = |count: u64, totals: Totals| Totals { failed: count, ..totals };
    check(&[Passed, Passed], passed(2), passed(2), false);
    check(&[Passed, Passed], passed(1), unknown(2), true);
    check(&[Passed, Passed], passed(3), unknown(2), true);
    check(&[Passed, Failed], failed(1, passed(1)), failed(1, passed(1)), false);
    check(&[Passed, Failed], passed(2), failed(1, unknown(1)), true);
    check(&[Passed, Failed], failed(2, passed(1)), failed(1, passed(1)), true);
    check(&[], passed(u64::MAX), Totals::default(), true);
}

/// CX-12: stored reports keep their names.
#[test]
fn the_stored_form() {
    let mut draft = Draft::new(Format::Nextest);
    let mut case = Case::new("a b", Outcome::Passed);
    case.attempts = vec![Outcome::Failed, Outcome::Passed];
    case.duration_ms = Some(5);
    draft.add(case, None);
    draft.add(Case::new("a c", Outcome::Failed).with_message("no"), None);
    draft.suite(Suite { id: "x".to_owned(), outcome: Outcome::Passed, unnamed: passed(2) });
    draft.claim(passed(3));
    draft.doubt(DoubtKind::SeveralRuns, Some(4), "two");
    let report = draft.finish(Ending::Closed, Some(100));
    let golden = r#"{"format":"nextest","cases":[{"id":"a b","outcome":"passed","duration_ms":5,"attempts":["failed","passed"]},{"id":"a c","outcome":"failed","message":"no"}],"suites":[{"id":"x","outcome":"passed","unnamed":{"passed":2,"failed":0,"errored":0,"skipped":0,"unknown":0}}],"totals":{"passed":3,"failed":1,"errored":0,"skipped":0,"unknown":0},"claimed":{"passed":3,"failed":0,"errored":0,"skipped":0,"unknown":0},"is_complete":true,"exit_code":100,"doubts":[{"kind":"several_runs","line":4,"words":"two"}]}"#;
    assert_eq!(serde_json::to_string(&report).unwrap(), golden);
    assert_eq!(serde_json::from_str::<Report>(golden).unwrap(), report);
    let conclusion = serde_json::to_string(&report.conclusion()).unwrap();
    assert_eq!(
        conclusion,
        r#"{"tested":"failed","basis":{"on":"counted","passed":3},"reasons":["1 test failed: a c","the exit code is 100"]}"#
    );
}

fn outcome() -> impl Strategy<Value = Outcome> {
    prop::sample::select(vec![
        Outcome::Passed,
        Outcome::Skipped,
        Outcome::Unknown,
        Outcome::Errored,
        Outcome::Failed,
    ])
}

proptest! {
    /// CX-12: whatever is added, in whatever order: the ids are sorted and each is there once,
    /// with its worst outcome, and a pass has nothing bad or unknown in it.
    #[test]
    fn reports_are_orderly(cases in prop::collection::vec(("[a-d]{1,2}", outcome()), 0..20), exit in prop::option::of(-1..2_i32)) {
        let mut draft = Draft::new(Format::Tap);
        for (id, outcome) in &cases {
            draft.add(Case::new(id, *outcome), None);
        }
        let report = draft.finish(Ending::Closed, exit);
        let ids: Vec<&str> = report.cases.iter().map(|case| case.id.as_str()).collect();
        prop_assert!(ids.is_sorted_by(|one, other| one < other));
        for case in &report.cases {
            let worst = cases.iter().filter(|(id, _)| *id == case.id).map(|(_, outcome)| *outcome).max();
            prop_assert_eq!(Some(case.outcome), worst);
        }
        let only_good = report.cases.iter().all(|case| matches!(case.outcome, Outcome::Passed | Outcome::Skipped));
        let is_pass = only_good && report.totals.passed > 0 && exit.is_none_or(|code| code == 0);
        prop_assert_eq!(report.conclusion().tested == Tested::Passed, is_pass);
        let stored = serde_json::to_string(&report).unwrap();
        prop_assert_eq!(serde_json::from_str::<Report>(&stored).unwrap(), report);
    }
}
