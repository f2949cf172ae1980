//! What tests compare with, taken into the product as it is.

use countersign_domain::gaming::{Finding, Rule};

use crate::detect::{Change, File};
use crate::role::{Role, role};

/// Shorter files are alike by chance.
const LEAST: usize = 8;

/// New files that are a recording of the tests, byte by byte, and that new code names.
pub(crate) fn check(changes: &[Change<'_>], tests: &[File<'_>]) -> Vec<Finding> {
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
    taken.map(|change| change.text(Rule::G22, 1, message)).collect()
}
