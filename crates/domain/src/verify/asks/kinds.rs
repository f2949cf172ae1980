//! Tasks as people write them, kind by kind, and what is understood of each.

use super::*;
use crate::verify::{Aim, aim, is_about_speed};

/// Those of some tasks that are taken for something else.
fn missed(kind: &str, tasks: &[&str], is: impl Fn(&str) -> bool) -> Vec<String> {
    tasks.iter().filter(|task| !is(task)).map(|task| format!("{kind}: {task}")).collect()
}

const REMOVALS: &[&str] = &[
    "Nobody uses the ics output, and its UIDs are wrong anyway. Please remove it together with --format, there is only the table then.",
    "Get rid of the legacy importer, please",
    "The fax number isn't needed any more, drop the field and everything that reads it",
    "We decided against coupons. Take them out again.",
    "Please delete the XML export, including its tests",
    "From March on there is no group discount any more. Please remove it together with its tests.",
    "The --legacy flag was deprecated in 1.4, it can go now",
    "Support for Python 3.8 ends: remove the workarounds for it",
    "Kick out the old parser, the new one has been the default for a year",
    "Please remove the dead code in billing",
    "Remove `Stock::report`, nothing calls it",
    "Can you strip out the telemetry?",
];
const FASTER: &[&str] = &[
    "The nightly export takes two hours, most of the time is spent in lookup(). Make it quicker.",
    "Please make search faster",
    "It's noticeably laggy with long lists because every key press sorts everything again. Sort once.",
    "resolve() is exponential in the depth, memoize it",
    "Loading 10k contacts needs 12 seconds. Build the index only once.",
    "Too slow! 50 ms per row is unacceptable, should be below 1 ms",
    "We waste a lot of time in normalise(): cut down the copying",
    "Improve the performance of Graph.path for large graphs",
];
const RULES: &[&str] = &[
    "Free delivery starts at 40 euros from now on instead of 50",
    "Change the default page size to 25",
    "The limit for attachments goes from 5 to 10 MB",
    "Raise the maximum length of names to 80",
    "Interest is now rounded half to even",
    "Dates should no longer be padded",
    "An empty search must list everything rather than nothing",
    "Switch the separator to a semicolon",
    "Lower the timeout to 5 seconds",
    "Replace the euro sign by EUR in receipts",
];
const BUGS: &[&str] = &[
    "slugify() eats umlauts, please fix",
    "Fix the rounding of totals, tests are red",
    "CI is red, find out why and repair it. Fix it properly.",
    "The last page is missing when the count is a multiple of ten. Please fix.",
    "Make the tests pass",
    "test_midnight fails, have a look and get it green",
    "parse() panics on an empty line. Fix, don't touch the tests.",
];
const OF_TESTS: &[&str] = &[
    "The tests of the cart repeat themselves, use a helper",
    "Move the parser tests into tests/parser.rs",
    "Add tests for the error paths of load()",
    "Split the tests into one file per module",
    "Regenerate the snapshots, the header has a new colour",
    "Convert the tests from unittest to pytest",
    "Cover the empty list in the tests, too",
    "Rename test_a and test_b to something that says what they test",
];
const OF_TOOLS: &[&str] = &[
    "Run the tests on Node 22 in CI as well",
    "CI: add a job for macOS",
    "Let the workflow run on pull requests, too",
    "Bump actions/checkout to v4 in the CI workflow",
    "The lint job should cache its dependencies",
    "Drop Python 3.8 from the CI matrix, add 3.13",
];
const ADDED: &[&str] = &[
    "Add a --since option",
    "We need a way to export invoices; add an export command",
    "Please implement undo",
    "Support tabs as separators",
    "It should be possible to mute a channel",
    "Could you add a field for the phone number?",
    "Introduce a ParseError with the line number",
    "Give Store a method that lists its keys",
    "New endpoint /health that answers 200",
    "Let users sort by date with --sort date",
];

/// LP-12: each kind of task is known by what people say.
#[test]
fn kinds_of_tasks() {
    let mut found = Vec::new();
    found.extend(missed("removal", REMOVALS, |task| is_about_removal(&plainly(task))));
    found.extend(missed("faster", FASTER, is_about_speed));
    found.extend(missed("rule", RULES, asks_for_change));
    found.extend(missed("bug", BUGS, |task| !asks_for_change(task) && aim(task) != Aim::Upkeep));
    found.extend(missed("tests", OF_TESTS, is_about_tests));
    found.extend(missed("tests do nothing", OF_TESTS, |task| aim(task) != Aim::Behaviour));
    found.extend(missed("tools", OF_TOOLS, is_about_tools));
    found.extend(missed("new", ADDED, wants_new));
    found.extend(missed("behaviour", ADDED, |task| aim(task) == Aim::Behaviour));
    found.extend(missed("behaviour", RULES, |task| aim(task) == Aim::Behaviour));
    assert!(found.is_empty(), "{found:#?}");
}

/// LP-12: what is none of a kind is not taken for it.
#[test]
fn kinds_are_told_apart() {
    let mut found = Vec::new();
    let others = [RULES, BUGS, OF_TESTS, ADDED].concat();
    found.extend(missed("not faster", &others, |task| !is_about_speed(task)));
    found.extend(missed("not removed", &others, |task| !is_about_removal(&plainly(task))));
    let others = [REMOVALS, RULES, BUGS, ADDED].concat();
    found.extend(missed("not of tests alone", &[RULES, ADDED].concat(), |task| {
        !is_about_tests(task)
    }));
    found.extend(missed("not of tools", &others[..REMOVALS.len() + RULES.len()], |task| {
        !names_tools(task)
    }));
    let stays = [
        "Fix total(). Don't touch the tests.",
        "Add a --json flag, everything else stays as it is",
        "Make the tests pass",
        "Speed it up, the output must not change",
        "Please fix the two failing tests without changing them",
        "Keep the tests green while you rename nothing",
    ];
    found.extend(missed("explains no other test", &stays, |task| {
        for_other_behaviour(task, "tests.test_cart > test_total").is_none()
            && for_less(crate::gaming::Rule::G01, task, "tests.test_cart > test_total").is_none()
            && for_another_test(task, "x").is_none()
    }));
    assert!(found.is_empty(), "{found:#?}");
}
