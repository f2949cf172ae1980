//! From changed files to findings.

mod change;

use countersign_domain::gaming::{Basis, Finding, Rule, Severity, Words};

pub(crate) use change::{Change, Line};

use crate::trailers::without_trailers;
use crate::{
    agreed, altered, compare, config, copies, granted, hooks, literals::Literals, product, prose,
    suppressed, uncalled, wanted,
};

/// One file of a change, as it was and as it is. A rename is one that went and one that came.
#[derive(Debug, Clone, Copy)]
pub struct Changed<'a> {
    pub path: &'a str,
    pub before: Option<&'a [u8]>,
    pub after: Option<&'a [u8]>,
}

/// A file that was not changed.
#[derive(Debug, Clone, Copy)]
pub struct File<'a> {
    pub path: &'a str,
    pub bytes: &'a [u8],
}

/// What the work was to be.
#[derive(Debug, Clone, Copy, Default)]
pub struct Task<'a> {
    /// The task in words. What it names is an info where it would be a warning.
    pub text: &'a str,
    /// Tests and their data that were not changed, for what they have in common with the product.
    pub tests: &'a [File<'a>],
}

/// A finding, and the name of the test that it is about.
#[derive(Debug)]
pub(crate) struct Found {
    pub(crate) finding: Finding,
    pub(crate) name: String,
}

impl From<Finding> for Found {
    fn from(finding: Finding) -> Self {
        Self { finding, name: String::new() }
    }
}

/// More findings than this are no easier to read; the gravest stay.
const MOST: usize = 400;
const MOST_OF_A_RULE: usize = 40;

/// What looks like gaming in a change. The same input gives the same findings in the same order.
pub fn detect(changes: &[Changed<'_>], task: &Task<'_>) -> Vec<Finding> {
    let changes = change::read(changes);
    let task = &Task { text: without_trailers(task.text), ..*task };
    let literals = Literals::of(&changes, task.tests, task.text);
    let mut found: Vec<Found> = compare::check(&changes);
    for change in &changes {
        found.extend(config::check(change));
        found.extend(product::check(change, &changes, &literals).into_iter().map(Found::from));
        found.extend(suppressed::check(change).into_iter().map(Found::from));
        found.extend(prose::check(change).into_iter().map(Found::from));
    }
    found.extend(copies::check(&changes, task.tests, &literals).into_iter().map(Found::from));
    found.extend(altered::check(&changes, &literals).into_iter().map(Found::from));
    found.extend(wanted::check(task.text, &changes, task.tests).into_iter().map(Found::from));
    found.extend(agreed::check(task.text, &changes, task.tests).into_iter().map(Found::from));
    found.extend(hooks::check(&changes, &literals).into_iter().map(Found::from));
    found.extend(uncalled::check(task.text, &changes, task.tests).into_iter().map(Found::from));
    let words = Words::of(task.text);
    let mut findings: Vec<Finding> =
        found.into_iter().map(|found| graded(found, &words, task.text)).collect();
    findings.sort_by(|one, other| order(one).cmp(&order(other)));
    findings.dedup_by(|one, other| order(one) == order(other));
    bounded(findings)
}

type Order<'f> = (std::cmp::Reverse<Severity>, Rule, &'f Option<String>, Option<u32>, &'f str);

fn order(finding: &Finding) -> Order<'_> {
    let Finding { severity, rule, path, line, message, .. } = finding;
    (std::cmp::Reverse(*severity), *rule, path, *line, message)
}

/// What the task asks for is an info, and says why.
fn graded(found: Found, task: &Words<'_>, text: &str) -> Finding {
    let Found { mut finding, name } = found;
    // A task that asks for another layout asks for no other value in it.
    let is_altered = finding.rule == Rule::G64 && finding.basis == Basis::Structure;
    if finding.severity == Severity::Info || is_altered {
        return finding;
    }
    match granted::decided(&finding, text) {
        Some(false) => return finding,
        Some(true) => {
            let is_proven = finding.severity == Severity::Block;
            finding.severity = if is_proven { Severity::Warn } else { Severity::Info };
            finding.message.push_str(" The task asks for it.");
            return finding;
        }
        None => {}
    }
    let path = finding.path.clone().unwrap_or_default();
    if let Some(clause) = finding.rule.asked_in(task, &[&path, &name]) {
        // One word of the task makes nobody sure of what is proven.
        let is_proven = finding.severity == Severity::Block && !finding.rule.is_asked_in_detail();
        finding.severity = if is_proven { Severity::Warn } else { Severity::Info };
        finding.message = format!(
            "{} The task asks for it: \"{}\".",
            finding.message,
            crate::args::short(clause)
        );
    }
    finding
}

fn bounded(findings: Vec<Finding>) -> Vec<Finding> {
    let mut counts: std::collections::HashMap<Rule, usize> = std::collections::HashMap::new();
    let keep = |finding: &Finding| {
        let count = counts.entry(finding.rule).or_default();
        *count += 1;
        *count <= MOST_OF_A_RULE
    };
    findings.into_iter().filter(keep).take(MOST).collect()
}
