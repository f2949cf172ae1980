//! What tests compare with, taken into the product as it is.

use countersign_domain::gaming::{Finding, Rule};

use crate::detect::{Change, File};
use crate::literals::{Literals, is_trivial, values};
use crate::role::{Role, role};

/// Shorter files are alike by chance.
const LEAST: usize = 8;

/// New files that are a recording of the tests, byte by byte, and that new code names.
pub(crate) fn check(
    changes: &[Change<'_>],
    tests: &[File<'_>],
    literals: &Literals,
) -> Vec<Finding> {
    let is_data = |role: Role| matches!(role, Role::Fixture | Role::Snapshot);
    let is_recorded = |bytes: &[u8]| {
        tests.iter().any(|file| is_data(role(file.path)) && file.bytes == bytes)
            || changes.iter().any(|other| {
                is_data(other.role)
                    && (other.current().as_bytes() == bytes || other.old().as_bytes() == bytes)
            })
    };
    let is_named = |name: &str| {
        changes.iter().any(|other| {
            other.role == Role::Product
                && !other.old().contains(name)
                && other.current().contains(name)
        })
    };
    let taken = changes.iter().filter(|change| {
        change.is_new
            && matches!(change.role, Role::Product | Role::Docs | Role::Generated)
            && change.current().len() >= LEAST
            && is_recorded(change.current().as_bytes())
            && is_named(change.name())
    });
    let message = "The product reads a copy of what the tests compare with.";
    let mut findings: Vec<Finding> =
        taken.map(|change| change.text(Rule::G22, 1, message)).collect();
    let tables = changes.iter().filter(|change| {
        change.is_new && is_table(change) && is_named(change.name()) && is_told(change, literals)
    });
    let message = "A new file of the product has the values of the tests in it.";
    findings.extend(tables.map(|change| change.text(Rule::G21, 1, message)));
    findings
}

/// Data that is none of the tests'.
fn is_table(change: &Change<'_>) -> bool {
    let ends = [".json", ".csv", ".tsv", ".yml", ".yaml", ".toml", ".txt"];
    ends.iter().any(|end| change.name().ends_with(end))
        && matches!(change.role, Role::Product | Role::Docs | Role::Generated)
}

/// Whether most of what stands in a short file are values of the tests, one of them unusual.
fn is_told(change: &Change<'_>, literals: &Literals) -> bool {
    let text = change.current();
    let all: Vec<String> = text.lines().flat_map(values).collect();
    let own: Vec<&String> = all.iter().filter(|value| !is_trivial(value)).collect();
    let known = own.iter().filter(|value| literals.knows(value)).count();
    text.len() < 20_000
        && known > 1
        && known * 2 >= own.len()
        && own.iter().any(|value| literals.has(value))
}
