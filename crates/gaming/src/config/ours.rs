//! Our own settings and state, hooks of agents and of git, and how git sees files.

use countersign_domain::gaming::{Finding, Rule, Severity};

use crate::args::short;
use crate::detect::Change;
use crate::role::Role;

pub(super) fn check(change: &Change<'_>) -> Vec<Finding> {
    if change.role != Role::Ours {
        return Vec::new();
    }
    let path = change.path.to_ascii_lowercase();
    let name = change.name();
    if name.eq_ignore_ascii_case("countersign.toml") || path.contains(".countersign/") {
        let message = "Settings or state of Countersign were changed by the work that they judge.";
        return vec![change.text(Rule::G46, 0, message).graded(Severity::Block)];
    }
    if path.starts_with(".git/") || path.contains("/.git/") {
        return vec![
            change.text(Rule::G46, 0, "The inside of git was changed.").graded(Severity::Block),
        ];
    }
    let lines = change.lines();
    if let Some((number, line)) =
        lines.removed.iter().find(|(_, line)| line.contains("countersign"))
    {
        let finding =
            change.text(Rule::G46, *number, "Our hook was taken out of an agent's settings.");
        return vec![finding.change(Some(short(line)), None).graded(Severity::Block)];
    }
    if name == ".gitattributes" || name == ".gitmodules" {
        let odd = |line: &str| {
            ["filter=", "-diff", "merge=", "export-ignore", "ignore = all"]
                .iter()
                .any(|word| line.contains(word))
        };
        let found =
            lines.added.iter().filter(|(_, line)| odd(line) && !line.contains("filter=lfs"));
        return found
            .map(|(number, line)| {
                change
                    .text(Rule::G46, *number, "How git sees files was changed.")
                    .change(None, Some(short(line)))
            })
            .collect();
    }
    vec![change.text(Rule::G46, 0, "Hooks that run around the work were changed.")]
}
