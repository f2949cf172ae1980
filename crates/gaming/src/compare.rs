//! Tests as they were against tests as they are.
//!
//! A test is found again by its name, by its body, or by a body that is mostly the same. What is
//! left over was deleted, or is still there where no runner sees it.

mod matching;
mod mocks;
mod pair;
mod rows;
mod seams;

pub(crate) use pair::turned;

use countersign_domain::gaming::{Basis, Finding, Rule, Severity};

use crate::args::short;
use crate::detect::{Change, Found};
use crate::language::Language;
use crate::outline::{Fault, Marker, Test};
use crate::role::Role;
use crate::similar::ALIKE;
use matching::Pairs;

pub(crate) fn check(changes: &[Change<'_>]) -> Vec<Found> {
    let pairs = Pairs::of(changes);
    let mut found = Vec::new();
    for (before, after) in &pairs.same {
        let is_moved = |one: &Found| {
            let (was, is) = (before.test.cases.unwrap_or(0), after.test.cases.unwrap_or(0));
            one.finding.rule == Rule::G06
                && (rows::are_kept(before, after)
                    || rows::moved(before, after, changes) + is >= was)
        };
        let told = pair::check(before.test, after.change, after.test);
        found.extend(told.into_iter().filter(|one| !is_moved(one)));
        if is_collected(before.change) && !is_collected(after.change) {
            let message = format!(
                "The test '{}' is in a file now that its runner doesn't read.",
                before.test.id
            );
            let finding = after.change.structure(Rule::G04, after.test.line, message);
            found.push(named(finding, before.test));
        }
    }
    for lost in &pairs.lost {
        found.push(lost_test(lost, changes, &pairs));
    }
    for new in &pairs.new {
        found.extend(new_test(new.change, new.test, changes));
    }
    found.extend(mocks::check(changes));
    found.extend(seams::check(changes));
    found
}

pub(crate) fn named(finding: Finding, test: &Test) -> Found {
    Found { finding, name: test.id.clone() }
}

/// A test and the file that it stands in.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place<'c> {
    pub(crate) change: &'c Change<'c>,
    pub(crate) test: &'c Test,
}

fn lost_test(lost: &Place<'_>, changes: &[Change<'_>], pairs: &Pairs<'_>) -> Found {
    let Place { change, test } = *lost;
    if let Some((file, other)) = uncollected(test, changes) {
        let message = format!(
            "The test '{}' is the function '{}' now, which no runner collects.",
            test.id, other.name
        );
        return named(file.structure(Rule::G04, other.line, message), test);
    }
    if let Some(file) = elsewhere(test, changes) {
        let message =
            format!("The test '{}' was moved to {}, where no runner looks.", test.id, file.path);
        return named(Finding::new(Rule::G08, Basis::Structure, message).at(file.path, None), test);
    }
    let gone =
        Finding::new(Rule::G01, Basis::Structure, format!("The test '{}' is gone.", test.id))
            .at(change.path, Some(test.line))
            .change(Some(short(&test.text)), None);
    let merged = is_merged(lost, pairs);
    let gone = if merged {
        Finding {
            message: format!(
                "The test '{}' is gone; its values are in a test with cases.",
                test.id
            ),
            ..gone.graded(Severity::Info)
        }
    } else {
        gone
    };
    named(gone, test)
}

/// A function with the body of a lost test that no test calls.
fn uncollected<'c>(
    test: &Test,
    changes: &'c [Change<'c>],
) -> Option<(&'c Change<'c>, &'c crate::outline::Other)> {
    let plain = |name: &str| {
        let name = name.to_ascii_lowercase().replace('_', "");
        name.trim_start_matches('x')
            .trim_start_matches("disabled")
            .trim_start_matches("skip")
            .to_owned()
    };
    let own = plain(test.name());
    let others =
        changes.iter().flat_map(|change| change.is.others.iter().map(move |other| (change, other)));
    let mut others = others.filter(|(_, other)| {
        plain(&other.name) == own || test.shape.likeness(&other.shape) >= ALIKE
    });
    others.find(|(change, other)| {
        let calls = format!("{}(", other.name);
        !change.is.tests.iter().any(|test| test.text.contains(&calls))
    })
}

/// A file that is no test file and has the text of a lost test.
fn elsewhere<'c>(test: &Test, changes: &'c [Change<'c>]) -> Option<&'c Change<'c>> {
    let wanted: Vec<&str> =
        test.text.lines().map(str::trim).filter(|line| line.len() > 8).collect();
    let wanted = &wanted[..wanted.len().min(50)];
    if wanted.len() < 2 {
        return None;
    }
    changes.iter().find(|change| {
        !matches!(change.role, Role::Test)
            && (change.came || !change.old().contains(wanted[0]))
            && wanted.iter().all(|line| change.current().contains(line))
    })
}

/// Whether what a lost test compares with stands in a test with cases.
fn is_merged(lost: &Place<'_>, pairs: &Pairs<'_>) -> bool {
    let expected: Vec<&str> =
        lost.test.assertions.iter().filter_map(|assertion| assertion.expected.as_deref()).collect();
    let known = pairs.same.iter().map(|(_, after)| after).chain(&pairs.new);
    let mut with_cases = known.filter(|place| place.test.cases.is_some_and(|cases| cases > 1));
    !expected.is_empty()
        && with_cases.any(|place| {
            let text = crate::args::squeeze(&place.test.text);
            place.change.path == lost.change.path
                && expected.iter().all(|value| text.contains(value))
        })
}

/// Whether a runner with its usual settings reads this file.
fn is_collected(change: &Change<'_>) -> bool {
    let name = change.name();
    let stem = name.split('.').next().unwrap_or(name);
    match change.language {
        Language::Python => {
            stem.starts_with("test_")
                || stem.ends_with("_test")
                || matches!(stem, "tests" | "test" | "conftest")
        }
        Language::JavaScript | Language::TypeScript | Language::Tsx => !name.contains(".tst."),
        Language::Go => stem.ends_with("_test"),
        _ => true,
    }
}

/// What is wrong with a test that wasn't there before. Weak tests are common and honest.
fn new_test(change: &Change<'_>, test: &Test, changes: &[Change<'_>]) -> Vec<Found> {
    let mut found = Vec::new();
    let at = |rule, line, message: String| change.structure(rule, line, message);
    if test.id.contains('#') && change.language == Language::Python {
        let message = format!(
            "A second test named '{}' hides the first.",
            test.name().split('#').next().unwrap_or("")
        );
        found.push(named(at(Rule::G07, test.line, message), test));
    }
    for marker in &test.markers {
        match marker {
            Marker::Focus => {
                let message =
                    format!("The test '{}' is focused, so that others don't run.", test.id);
                found.push(named(at(Rule::G03, test.line, message).graded(Severity::Block), test));
            }
            Marker::Skip { conditional: false, .. } | Marker::ExpectedFailure | Marker::Gated => {
                let message = format!(
                    "The new test '{}' doesn't count: it is skipped or expected to fail.",
                    test.id
                );
                found.push(named(at(Rule::G02, test.line, message).graded(Severity::Info), test));
            }
            Marker::Skip { .. } | Marker::Slow => {}
        }
    }
    if test.assertions.is_empty() && test.markers.is_empty() {
        let message = format!("The new test '{}' checks nothing.", test.id);
        found.push(named(at(Rule::G07, test.line, message).graded(Severity::Info), test));
    }
    if reads_source(&test.text, changes) {
        let message = format!("The new test '{}' reads the code instead of running it.", test.id);
        found.push(named(at(Rule::G07, test.line, message).graded(Severity::Info), test));
    }
    for assertion in &test.assertions {
        let Some(fault) = assertion.fault else { continue };
        let finding = pair::faulty(change, test, assertion, fault);
        let weak = fault == Fault::AnyError;
        found.push(named(if weak { finding.graded(Severity::Info) } else { finding }, test));
    }
    found
}

/// Whether a test opens a file of the new code, and only looks for words in it.
fn reads_source(text: &str, changes: &[Change<'_>]) -> bool {
    let opens = ["read_text(", "readFile", "open(", "read_to_string(", "ReadFile("];
    let is_changed = |value: &String| {
        let inner = crate::literals::inside(value);
        let name = inner.rsplit('/').next().unwrap_or(inner);
        changes
            .iter()
            .any(|one| one.role == Role::Product && one.language.is_code() && one.name() == name)
    };
    text.contains("inspect.getsource(")
        || opens.iter().any(|word| text.contains(word))
            && text.lines().flat_map(crate::literals::values).any(|value| is_changed(&value))
}
