//! Recorded output and data of tests. Adding to them is honest; bending them is the finding.

use countersign_domain::gaming::{Finding, Rule, Severity};

use crate::args::short;
use crate::detect::Change;
use crate::role::Role;

pub(super) fn check(change: &Change<'_>) -> Vec<Finding> {
    let (rule, what) = match change.role {
        Role::Snapshot => (Rule::G16, "Recorded output"),
        Role::Fixture => (Rule::G17, "Data of tests"),
        _ => return Vec::new(),
    };
    if change.before.is_none() {
        return Vec::new();
    }
    if change.after.is_none() {
        // A renamed file came elsewhere, and is looked at there.
        return vec![change.text(rule, 0, format!("{what} was deleted.")).graded(Severity::Warn)];
    }
    if change.is_binary {
        return vec![change.text(rule, 0, format!("{what} was changed."))];
    }
    let lines = change.lines();
    let Some((number, removed)) = lines.removed.first() else {
        return Vec::new();
    };
    let plain = |text: &str| text.split_whitespace().collect::<String>();
    let added = lines.added.first();
    let line = added.map_or(*number, |(line, _)| *line);
    let finding = change
        .text(rule, line, format!("{what} was changed."))
        .change(Some(short(removed)), added.map(|(_, text)| short(text)));
    let layout_only = change.new().len() < 1_000_000 && plain(change.old()) == plain(change.new());
    vec![if layout_only { finding.graded(Severity::Info) } else { finding }]
}
