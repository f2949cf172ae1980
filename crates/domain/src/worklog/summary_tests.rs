//! What summaries say, and that they stay short whatever is in them.

use proptest::prelude::*;

use super::*;

fn deviation(kind: DeviationKind, severity: Severity, items: &[&str]) -> Deviation {
    Deviation { kind, severity, items: items.iter().map(|&item| item.to_owned()).collect() }
}

fn summary(deviations: Vec<Deviation>) -> Summary {
    Summary {
        phase: Phase::ExecutionComplete,
        at: "2026-11-16T09:05:07Z".parse().unwrap(),
        operations: 12,
        files: vec!["a.rs".into(), "b.rs".into(), "c.rs".into()],
        todos_done: 4,
        todos_remaining: 2,
        deviations,
        verification: Verifications { passed: 3, failed: 0, skipped: 1 },
    }
}

use DeviationKind::{TestFailure, TodoIncomplete, UnplannedFile};
use Severity::{High, Low, Medium};

/// WL-11: what an agent is told, and what an entry says.
#[test]
fn summaries_in_words() {
    let quiet = summary(vec![]);
    assert_eq!(quiet.render(), "execution_complete: 12 operations, 3 files, 4/6 todos.");
    assert_eq!(quiet.render_entry(), "execution: 12 ops, 3 files, 4/6 todos");
    let loud = summary(vec![
        deviation(TestFailure, High, &["pytest"]),
        deviation(TodoIncomplete, Medium, &["write the docs", "add a test", "c"]),
        deviation(UnplannedFile, Low, &["src/pay.rs"]),
    ]);
    assert_eq!(
        loud.render(),
        "execution_complete: 12 operations, 3 files, 4/6 todos. ADJUSTMENT_NEEDED. Tests failed: \
         pytest. 3 todos open: write the docs, add a test, …. 1 unplanned file: src/pay.rs."
    );
    assert_eq!(loud.render_entry(), "execution: 12 ops, 3 files, 4/6 todos, ADJUSTMENT_NEEDED");
    let unknown = summary(vec![deviation(TestFailure, Medium, &["jest"])]);
    assert!(unknown.render().ends_with("Tests not known to pass: jest."));
    assert!(!unknown.needs_adjustment());
}

/// WL-11: the stored form.
#[test]
fn summaries_as_json() {
    let stored =
        serde_json::to_string(&summary(vec![deviation(UnplannedFile, Low, &["x"])])).unwrap();
    assert_eq!(
        stored,
        r#"{"phase":"execution_complete","at":"2026-11-16T09:05:07Z","operations":12,"files":["a.rs","b.rs","c.rs"],"todos_done":4,"todos_remaining":2,"deviations":[{"kind":"unplanned_file","severity":"low","items":["x"]}],"verification":{"passed":3,"failed":0,"skipped":1}}"#
    );
    let read: Summary = serde_json::from_str(&stored).unwrap();
    assert_eq!(read.deviations.len(), 1);
}

/// D0.9: a correction is a deviation that was there and is gone.
#[test]
fn corrections() {
    let open = |items: &[&str]| summary(vec![deviation(TodoIncomplete, Medium, items)]);
    let fine = summary(vec![]);
    assert!(fine.corrects(&open(&["a"])));
    assert!(open(&["b"]).corrects(&open(&["a", "b"])));
    assert!(!open(&["a", "b"]).corrects(&open(&["a"])));
    assert!(!fine.corrects(&fine));
    let planning = Summary { phase: Phase::PlanningComplete, ..summary(vec![]) };
    assert!(!planning.corrects(&open(&["a"])));
}

fn deviations() -> impl Strategy<Value = Vec<Deviation>> {
    let kind = prop::sample::select(vec![TestFailure, TodoIncomplete, UnplannedFile]);
    let severity = prop::sample::select(vec![Low, Medium, High]);
    let item = prop_oneof!["\\PC{1,200}", "[a-z/]{1,120}", "[世界é\n]{1,60}"];
    let one = (kind, severity, prop::collection::vec(item, 1..5))
        .prop_map(|(kind, severity, items)| Deviation { kind, severity, items });
    prop::collection::vec(one, 0..8)
}

proptest! {
    /// WL-11, WL-04: at most 100 tokens for an agent and 30 for an entry, on one line.
    #[test]
    fn summaries_stay_short(deviations in deviations(), count in 0_u32..10_000) {
        let phase = Phase::VerificationComplete;
        let summary = Summary { phase, operations: count, ..summary(deviations) };
        let text = summary.render();
        prop_assert!(tokens(&text) <= MAX_TOKENS, "{} {}", tokens(&text), text);
        prop_assert!(!text.contains('\n'));
        prop_assert_eq!(text.contains("ADJUSTMENT_NEEDED"), summary.needs_adjustment());
        let entry = summary.render_entry();
        prop_assert!(tokens(&entry) <= MAX_ENTRY_TOKENS, "{} {}", tokens(&entry), entry);
        prop_assert!(entry.len() <= 4 * MAX_ENTRY_TOKENS);
    }
}
