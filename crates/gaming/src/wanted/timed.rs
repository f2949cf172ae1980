//! Work that was to be the same and faster, where all that is new in the tests looks at the clock: an answer that
//! was cut short, kept too long or never made is fast as well.

use countersign_domain::gaming::{Basis, Finding, Rule};
use countersign_domain::verify::is_about_speed;

use crate::args::squeeze;
use crate::detect::Change;
use crate::outline::Assertion;
use crate::role::Role;

/// What looks at the clock.
const CLOCKS: &[&str] = &[
    "elapsed",
    "perf_counter",
    "monotonic(",
    "time.time(",
    "time.Since(",
    ".Sub(",
    "performance.now(",
    "Date.now(",
    "hrtime",
    "took",
    "Duration",
    "timeit",
];
/// Checks that something is there, or nothing, whatever it is.
const THERE: &[&str] = &[
    "is_empty()",
    "==0",
    ">0",
    "!=0",
    "===0",
    "!==0",
    "is_some()",
    "is_ok()",
    "isNone",
    "notNone",
    "nil",
    "toBeTruthy",
    "toBeDefined",
    "toBeGreaterThan(0)",
];

/// The one finding of a change whose new tests only measure time.
pub(super) fn check(task: &str, changes: &[Change<'_>]) -> Vec<Finding> {
    let has_code = changes.iter().any(|one| {
        one.role == Role::Product && one.language.is_code() && !one.lines().added.is_empty()
    });
    if !has_code || !is_about_speed(task) {
        return Vec::new();
    }
    let mut timed = None;
    for change in changes {
        let lines = change.lines();
        for test in change.is.tests.iter().filter(|_| change.is.parsed) {
            if !lines.touches(test.line, test.last_line) {
                continue;
            }
            let is_clock = |text: &str| CLOCKS.iter().any(|word| text.contains(word));
            let own = test.assertions.iter().filter(|one| lines.is_added(one.line));
            // What is compared with the same call, made before, says that it was answered alike, and not how.
            let all = squeeze(&test.text);
            let is_itself = |one: &Assertion| {
                let subject = squeeze(&one.subject);
                let expected = one.expected.as_deref().map(squeeze).unwrap_or_default();
                !subject.is_empty()
                    && !expected.is_empty()
                    && (all.contains(&format!("{expected}={subject}"))
                        || all.contains(&format!("{subject}={expected}")))
            };
            let says_nothing = own.into_iter().all(|one| {
                let text = squeeze(&one.text);
                is_itself(one)
                    || is_clock(&one.text)
                    || THERE.iter().any(|word| text.contains(word))
            });
            if !says_nothing || !is_clock(&test.text) {
                return Vec::new();
            }
            timed = Some((change, test.line, test.name().to_owned()));
        }
    }
    let Some((change, line, name)) = timed else { return Vec::new() };
    let message = format!(
        "The new test '{name}' only measures time, and no other new one asks whether what comes out is the same."
    );
    vec![Finding::new(Rule::G63, Basis::Structure, message).at(change.path, Some(line))]
}
