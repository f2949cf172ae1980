//! One test as it was against the same test as it is.

use countersign_domain::gaming::{Finding, Rule, Severity};

use super::named;
use crate::args::number;
use crate::detect::{Change, Found};
use crate::outline::judge::is_literal;
use crate::outline::{Assertion, Fault, Marker, Test};
use crate::similar::tokens;

pub(super) fn check(before: &Test, change: &Change<'_>, after: &Test) -> Vec<Found> {
    let same = before.text == after.text
        && before.markers == after.markers
        && before.assertions == after.assertions
        && before.cases == after.cases;
    if same {
        return Vec::new();
    }
    let mut findings = markers(before, change, after);
    findings.extend(faults(before, change, after));
    let faulty = findings.iter().any(|finding| finding.severity > Severity::Info);
    findings.extend(assertions(before, change, after, faulty));
    findings.extend(cases(before, change, after));
    findings.extend(knobs(before, change, after));
    if findings.is_empty() {
        findings.extend(values(before, change, after));
    }
    findings.into_iter().map(|finding| named(finding, after)).collect()
}

fn markers(before: &Test, change: &Change<'_>, after: &Test) -> Vec<Finding> {
    let mut findings = Vec::new();
    for marker in after.markers.iter().filter(|marker| !before.markers.contains(marker)) {
        let same =
            |other: &&Marker| std::mem::discriminant(*other) == std::mem::discriminant(marker);
        let (had, has) =
            (before.markers.iter().filter(same).count(), after.markers.iter().filter(same).count());
        let firmer = matches!(marker, Marker::Skip { conditional: false, .. })
            && !before
                .markers
                .iter()
                .any(|other| matches!(other, Marker::Skip { conditional: false, .. }));
        if has <= had && !firmer {
            continue;
        }
        let at = |rule, message: String| change.structure(rule, after.line, message);
        findings.push(match marker {
            Marker::Skip { reason, conditional: false } => {
                at(Rule::G02, format!("The test '{}' is skipped now.", after.id))
                    .change(None, Some(reason.clone()))
            }
            Marker::Skip { reason, conditional: true } => {
                at(Rule::G02, format!("The test '{}' is skipped under a condition now.", after.id))
                    .change(None, Some(reason.clone()))
                    .graded(Severity::Info)
            }
            Marker::Focus => at(
                Rule::G03,
                format!("The test '{}' is focused, so that others don't run.", after.id),
            )
            .graded(Severity::Block),
            Marker::ExpectedFailure => {
                at(Rule::G02, format!("The test '{}' is expected to fail now.", after.id))
            }
            Marker::Gated => at(
                Rule::G05,
                format!("The test '{}' is behind a condition that is never true.", after.id),
            ),
            Marker::Slow => at(
                Rule::G50,
                format!(
                    "The test '{}' is marked as slow now, and left out where slow tests are.",
                    after.id
                ),
            ),
        });
    }
    findings
}

/// The finding of a check that doesn't count.
pub(super) fn faulty(
    change: &Change<'_>,
    test: &Test,
    assertion: &Assertion,
    fault: Fault,
) -> Finding {
    let (rule, what) = match fault {
        Fault::Tautology => (Rule::G13, "checks something that is always true"),
        Fault::NotCalled => (Rule::G13, "has a check that does nothing as it is written"),
        Fault::NotAwaited => (Rule::G15, "has a check that nobody waits for"),
        Fault::Swallowed => (Rule::G18, "throws the failure of its check away"),
        Fault::Unreachable => (Rule::G07, "has a check that it never comes to"),
        Fault::AnyError => (Rule::G14, "takes an error of any kind"),
    };
    change
        .structure(rule, assertion.line, format!("The test '{}' {what}.", test.id))
        .change(None, Some(assertion.text.clone()))
}

fn faults(before: &Test, change: &Change<'_>, after: &Test) -> Vec<Finding> {
    let mut findings: Vec<Finding> = Vec::new();
    let count =
        |test: &Test, fault| test.assertions.iter().filter(|a| a.fault == Some(fault)).count();
    for assertion in &after.assertions {
        let Some(fault) = assertion.fault else { continue };
        let known = before
            .assertions
            .iter()
            .any(|old| old.fault == Some(fault) && old.text == assertion.text);
        if !known && count(after, fault) > count(before, fault) {
            // A new check in an old test is as weak as one in a new test.
            let stricter = before.assertions.iter().any(|old| {
                old.subject == assertion.subject
                    && old.fault.is_none()
                    && !after.assertions.iter().any(|new| new.text == old.text)
            });
            let finding = faulty(change, after, assertion, fault);
            let is_new = fault == Fault::AnyError && !stricter;
            findings.push(if is_new { finding.graded(Severity::Info) } else { finding });
        }
    }
    let counted = ["expect.assertions(", "expect.hasAssertions("];
    if counted.iter().any(|word| before.text.contains(word) && !after.text.contains(word)) {
        let message = format!("The test '{}' no longer says how many checks must run.", after.id);
        findings.push(change.structure(Rule::G15, after.line, message));
    }
    findings
}

fn assertions(before: &Test, change: &Change<'_>, after: &Test, faulty: bool) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut left: Vec<&Assertion> = after.assertions.iter().collect();
    let mut unmatched: Vec<&Assertion> = Vec::new();
    for old in &before.assertions {
        let exact = left.iter().position(|new| {
            new.subject == old.subject
                && new.expected == old.expected
                && new.strength == old.strength
        });
        let found = exact.or_else(|| left.iter().position(|new| new.subject == old.subject));
        match found {
            Some(index) => findings.extend(weaker(old, left.remove(index), change, after)),
            None => unmatched.push(old),
        }
    }
    let sum = |all: &[&Assertion]| all.iter().map(|a| u32::from(a.effective())).sum::<u32>();
    let fell = sum(&unmatched) > sum(&left) && after.strength() < before.strength();
    if !fell || faulty {
        return findings;
    }
    if after.strength() == 0 {
        let message = format!("The test '{}' checks nothing any more.", after.id);
        findings.push(
            change
                .structure(Rule::G07, after.line, message)
                .change(Some(unmatched[0].text.clone()), None),
        );
    } else if findings.is_empty() {
        let message = format!("The test '{}' checks less than before.", after.id);
        let now = left.first().map(|new| new.text.clone());
        findings.push(
            change
                .structure(Rule::G11, after.line, message)
                .change(Some(unmatched[0].text.clone()), now),
        );
    }
    findings
}

/// What became of a check of the same thing.
fn weaker(old: &Assertion, new: &Assertion, change: &Change<'_>, test: &Test) -> Option<Finding> {
    let at = |rule, what: &str| {
        let message = format!("The test '{}' {what}.", test.id);
        change
            .structure(rule, new.line, message)
            .change(Some(old.text.clone()), Some(new.text.clone()))
    };
    if new.fault.is_some() {
        // Said elsewhere.
        return None;
    }
    if is_wider(old, new) {
        return Some(at(Rule::G12, "takes values that are further away"));
    }
    if new.effective() < old.effective() && (old.effective(), new.effective()) != (4, 3) {
        return Some(at(Rule::G11, "checks less strictly"));
    }
    let (was, is) = (old.expected.as_deref()?, new.expected.as_deref()?);
    let written = is_literal(was) || is_literal(is) || old.subject == "raises";
    let rule = if new.text.contains("Snapshot") { Rule::G16 } else { Rule::G10 };
    let strengthened = new.effective() > old.effective();
    (was != is && written && !strengthened).then(|| at(rule, "expects another value"))
}

fn is_wider(old: &Assertion, new: &Assertion) -> bool {
    match (old.tolerance, new.tolerance) {
        (Some(was), Some(is)) => is > was * 1.001 && is > 0.0,
        (None, Some(is)) => {
            let value = new.expected.as_deref().and_then(number).unwrap_or(1.0).abs().max(1e-9);
            old.strength == 4 && is >= value * 0.1
        }
        _ => false,
    }
}

fn cases(before: &Test, change: &Change<'_>, after: &Test) -> Option<Finding> {
    let (was, is) = (before.cases?, after.cases?);
    (is < was).then(|| {
        let message = format!("The test '{}' has {is} cases and had {was}.", after.id);
        change.structure(Rule::G06, after.line, message)
    })
}

/// Numbers with a name that say how patient or how thorough a test is.
const PATIENCE: &[&str] =
    &["timeout", "retries", "retry", "reruns", "retryTimes", "max_runs", "deadline", "flaky"];
const THOROUGH: &[&str] =
    &["max_examples", "numRuns", "cases", "iterations", "num_runs", "with_cases"];

pub(crate) fn knob(text: &str, name: &str) -> Option<f64> {
    let at = crate::args::find_word(text, name)?;
    let rest = &text[at + name.len()..];
    let near: String = rest.chars().take(12).collect();
    let end = near.find(['\n', ';']).unwrap_or(near.len());
    number(&near[..end])
}

fn knobs(before: &Test, change: &Change<'_>, after: &Test) -> Vec<Finding> {
    turned(&before.text, &after.text)
        .into_iter()
        .map(|(name, was, is)| {
            let had = was.map_or_else(String::new, |was| format!(", and was {was}"));
            let message = format!("In the test '{}', {name} is {is} now{had}.", after.id);
            change.structure(Rule::G12, after.line, message)
        })
        .collect()
}

/// Names of numbers that make a text more patient or less thorough than another.
pub(crate) fn turned(before: &str, after: &str) -> Vec<(&'static str, Option<f64>, f64)> {
    let mut found = Vec::new();
    for name in PATIENCE {
        let (was, is) = (knob(before, name), knob(after, name));
        match (was, is) {
            (Some(was), Some(is)) if is > was => found.push((*name, Some(was), is)),
            (None, Some(is)) if !matches!(*name, "timeout" | "deadline") && is > 1.0 => {
                found.push((*name, None, is));
            }
            _ => {}
        }
    }
    for name in THOROUGH {
        if let (Some(was), Some(is)) = (knob(before, name), knob(after, name)) {
            if is < was {
                found.push((*name, Some(was), is));
            }
        } else if let (None, Some(is)) = (knob(before, name), knob(after, name)) {
            if is <= 1.0 && *name != "cases" && *name != "iterations" {
                found.push((*name, None, is));
            }
        }
    }
    found
}

/// The same test with other values in it.
fn values(before: &Test, change: &Change<'_>, after: &Test) -> Option<Finding> {
    let (was, is) = (tokens(&before.text), tokens(&after.text));
    let is_number = |token: &str| token.starts_with(|letter: char| letter.is_ascii_digit());
    if was.len() != is.len() {
        return None;
    }
    let mut changed = was.iter().zip(&is).filter(|(one, other)| one != other).peekable();
    changed.peek()?;
    let (one, other) = changed.clone().next()?;
    changed.all(|(one, other)| is_number(one) && is_number(other)).then(|| {
        let message = format!("The test '{}' is the same with other values.", after.id);
        change
            .structure(Rule::G10, after.line, message)
            .change(Some((*one).to_owned()), Some((*other).to_owned()))
    })
}
