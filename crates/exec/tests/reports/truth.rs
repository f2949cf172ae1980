//! What really happened in the recorded runs: the projects are ours, so we know.

use countersign_domain::worklog::deviation::Tested;

use crate::support::recordings;

/// How many tests of a project pass in truth, and whether all of it is well. A test that passes
/// although it should fail, or is still to be written, is none that passes.
const TRUTH: [(&str, u64, bool); 34] = [
    ("cargo/aborts", 2, false),
    ("cargo/broken", 0, false),
    ("cargo/empty", 0, false),
    ("cargo/exits", 2, false),
    ("cargo/mixed", 8, false),
    ("cargo/noisy", 3, false),
    ("cargo/passing", 4, true),
    ("jest/broken", 1, false),
    ("jest/empty", 0, false),
    ("jest/exits", 2, false),
    ("jest/flaky", 1, false),
    ("jest/hooks", 1, false),
    ("jest/killed", 0, false),
    ("jest/mixed", 9, false),
    ("jest/noisy", 3, false),
    ("jest/passing", 3, true),
    ("jest/single", 2, true),
    ("jest/skipping", 0, false),
    ("pytest/bad-option", 0, false),
    ("pytest/broken", 1, false),
    ("pytest/crash", 1, false),
    ("pytest/empty", 0, false),
    ("pytest/flaky", 2, false),
    ("pytest/killed", 2, false),
    ("pytest/late", 0, false),
    ("pytest/mixed", 8, false),
    ("pytest/noisy", 4, false),
    ("pytest/not-there", 0, false),
    ("pytest/passing-collect", 0, false),
    ("pytest/passing-none", 0, false),
    ("pytest/passing", 5, true),
    ("pytest/skipping", 0, false),
    ("pytest/stopped", 1, false),
    ("pytest/subtests", 7, false),
];

const MORE_TRUTH: [(&str, u64, bool); 33] = [
    ("go/all", 21, false),
    ("go/broken", 0, false),
    ("go/cached", 4, true),
    ("go/count", 3, true),
    ("go/cover", 4, true),
    ("go/exits", 1, false),
    ("go/failfast", 10, false),
    ("go/lies", 1, false),
    ("go/mixed", 10, false),
    ("go/none-match", 0, false),
    ("go/not-there", 0, false),
    ("go/noisy-old.json", 3, false),
    ("go/noisy", 2, false),
    ("go/panics", 1, false),
    ("go/passing", 3, true),
    ("go/refuses", 1, false),
    // Without `-v`, go says ok of a package that skips everything, or that lies about its end.
    ("go/lies-1.27.txt", 0, true),
    ("go/lies-old.txt", 0, true),
    ("go/skipping-1.27.txt", 0, true),
    ("go/skipping-old.txt", 0, true),
    ("go/skipping", 0, false),
    ("go/slow", 1, false),
    ("go/some", 4, true),
    ("go/untested", 0, false),
    ("node/broken", 1, false),
    ("node/cancelled", 2, false),
    ("node/empty", 0, false),
    ("node/exits", 1, true),
    ("node/mixed-named", 3, true),
    ("node/mixed", 7, false),
    ("node/noisy", 1, false),
    ("node/passing", 3, true),
    ("node/plain", 0, true),
];

/// The same projects run by others, and reports that can't tell the truth.
const ALIASES: [(&str, &str); 22] = [
    // Pytest doesn't say in JUnit which tests passed that should have failed.
    ("junit/pytest-mixed-xunit", "9"),
    ("junit/pytest-mixed-logs", "pytest/noisy"),
    ("junit/pytest-", "pytest/"),
    ("junit/jest-", "jest/"),
    ("junit/vitest-", "jest/"),
    ("junit/node-", "node/"),
    ("junit/nextest-", "nextest/"),
    ("junit/surefire-0", "1"),
    ("junit/surefire-2", "2"),
    ("libtest/nextest-", "nextest/"),
    ("libtest/", "cargo/"),
    ("nextest/empty", "cargo/empty"),
    // A test that ends its own program with 0 passes for nextest.
    ("nextest/exits", "3 well"),
    ("nextest/flaky", "2"),
    ("nextest/leaky", "2"),
    ("nextest/partition", "2 well"),
    ("nextest/passing-hide", "3 well"),
    ("nextest/stress", "3 well"),
    ("nextest/", "cargo/"),
    ("tap/node-file-", "node/"),
    ("tap/node-", "node/"),
    ("tap/vitest-", "jest/"),
];

/// The most that may be counted as passed, and whether a pass is the truth.
pub fn truth(name: &str) -> (u64, bool) {
    let name = name.replace("vitest/unhandled", "2").replace("vitest/exits", "2");
    let name = name.strip_prefix("vitest/").map_or(name.clone(), |rest| format!("jest/{rest}"));
    let alias = ALIASES.iter().find(|(from, _)| name.starts_with(from));
    let name = match alias {
        Some((from, to)) if to.ends_with('/') => truth_name(&name.replace(from, to)),
        Some((_, to)) => (*to).to_owned(),
        None => name,
    };
    if let Some(count) = name.chars().next().and_then(|letter| letter.to_digit(10)) {
        return (u64::from(count), name.ends_with("well"));
    }
    let named = name.contains("-named") || name.contains("-filtered");
    let all = TRUTH.iter().chain(&MORE_TRUTH);
    let found =
        all.filter(|(project, _, _)| name.starts_with(project)).max_by_key(|one| one.0.len());
    let (_, count, is_well) = found.unwrap_or_else(|| panic!("nobody knows the truth of {name}"));
    (*count, *is_well || named)
}

fn truth_name(name: &str) -> String {
    let again = ALIASES.iter().find(|(from, _)| name.starts_with(from));
    match again {
        Some((from, to)) if to.ends_with('/') => name.replace(from, to),
        Some((_, to)) => (*to).to_owned(),
        None => name.to_owned(),
    }
}

/// CX-12: no recording counts more passes than there were, and none passes that should not.
#[test]
fn no_recording_is_better_than_the_truth() {
    let mut passed = 0;
    for recording in recordings() {
        let (most, is_well) = truth(&recording.name);
        let Ok(report) = recording.read() else { continue };
        let conclusion = report.conclusion();
        assert!(report.totals.passed <= most, "{}: {}", recording.name, report.totals);
        let has_passed = conclusion.tested == Tested::Passed;
        assert!(!has_passed || is_well, "{}: {conclusion:?}", recording.name);
        passed += u64::from(has_passed);
    }
    assert!(passed > 60, "{passed}");
}

/// CX-12: what is well is seen to be well, if the runner says enough.
#[test]
fn what_passes_is_seen_to_pass() {
    for recording in recordings() {
        let (_, is_well) = truth(&recording.name);
        let conclusion = recording.read().map(|report| report.conclusion());
        let is_silent = recording.name.contains("allowed") || recording.name.contains("exits");
        if is_well && recording.exit_code == 0 && !is_silent {
            let conclusion = conclusion.unwrap();
            assert_eq!(conclusion.tested, Tested::Passed, "{}: {conclusion:?}", recording.name);
        }
    }
}
