//! A contract as readable text, for the agent that works under it.

use super::rules::Timing;
use super::task::TaskContract;
use crate::classify::{ContractType, Label as _};
use crate::project::Activity;

/// The whole contract, numbered, with the timing of each criterion.
pub fn render(contract: &TaskContract) -> String {
    let mut text = format!("Contract for: {}\n", contract.task.trim());
    text += &format!(
        "Kind: {} · tier {} · risk {} · version {}\n\n",
        contract.contract_type.name(),
        contract.tier,
        contract.risk,
        contract.version
    );
    text += match contract.contract_type {
        ContractType::Advisory => {
            "Nothing will be checked by a command; a person reads what you deliver.\n"
        }
        ContractType::Skip => "These criteria will be checked when you are done:\n\n",
        ContractType::Verifiable => {
            "Work in the knowledge that these criteria will be checked, by us and in a fresh \
             checkout. All of them must hold:\n\n"
        }
    };
    for (number, criterion) in (1..).zip(&contract.criteria) {
        let when = match criterion.timing {
            Timing::Immediate => "immediately",
            Timing::Deferred => "deferred, at the end of the batch",
        };
        let name = match &criterion.critic {
            Some(critic) => format!("{critic} critic"),
            None => criterion.activity.to_string(),
        };
        text += &format!("{number}. {name}: {} ({when})\n", criterion.description);
        if let Some(pattern) = &criterion.pattern {
            text += &format!("   about: {pattern}\n");
        }
        match &criterion.command {
            Some(command) if criterion.folder.is_empty() => text += &format!("   run: {command}\n"),
            Some(command) => text += &format!("   run in {}: {command}\n", criterion.folder),
            None if criterion.activity == Activity::Critic => {
                for question in criterion.questions() {
                    text += &format!("   asked: {question}\n");
                }
            }
            None => text += "   run: nothing is known that does this, so it can't pass\n",
        }
        if criterion.amended {
            text += "   added because of what was changed\n";
        }
    }
    if !contract.expected_files.is_empty() {
        text += "\nFiles that are expected to change:\n";
        for file in &contract.expected_files {
            text += &format!("- {}\n", file.path);
        }
        text += "Others may change too; what they call for is then added.\n";
    }
    for note in &contract.notes {
        text += &format!("\nNote: {note}.");
    }
    text.trim_end().to_owned() + "\n"
}
