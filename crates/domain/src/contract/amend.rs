//! Amending a contract: what the real diff calls for and the contract missed is added and flagged.
//!
//! Words alone never lower a check: work that was taken for advice or text and changes code is
//! verified after all. Advice that is only text stays advice. Nothing is ever taken away here.

use jiff::Timestamp;

use super::draft::{NO_E2E, Surroundings, always, ordered};
use super::rules::{Change, Rules};
use super::task::{Criterion, TaskContract, Why};
use crate::classify::{ContractType, Label as _, Tier};
use crate::project::{Activity, Project, Without};

/// What a diff is judged with.
#[derive(Debug, Clone, Copy)]
pub struct Amendment<'a> {
    pub changes: &'a [Change<'a>],
    pub project: &'a Project,
    pub rules: &'a Rules,
    pub without: &'a Without,
    pub now: Timestamp,
}

/// The next version of `contract`; `None` if the diff calls for nothing that it doesn't have.
pub fn amend(contract: &TaskContract, with: Amendment<'_>) -> Option<TaskContract> {
    if with.changes.is_empty() {
        return None;
    }
    let calls = with.rules.resolve(with.changes);
    let was = contract.contract_type;
    let is_text = with.changes.iter().all(|change| with.rules.is_text(change.path));
    let becomes = match (was, calls.is_plain) {
        (ContractType::Verifiable, _) | (_, false) => ContractType::Verifiable,
        // Advice that was written down is advice: a person reads it, and no command does.
        (ContractType::Advisory, true) if is_text => return None,
        // Settings that changed need what text needs, also where only advice was asked for.
        (ContractType::Advisory | ContractType::Skip, true) => ContractType::Skip,
    };
    let mut notes = contract.notes.clone();
    let surroundings =
        Surroundings { project: with.project, without: with.without, rules: with.rules };
    let paths: Vec<&str> = with.changes.iter().map(|change| change.path).collect();
    let mut wanted = always(&surroundings, &paths, becomes);
    if becomes == ContractType::Verifiable {
        for called in &calls.called {
            wanted.extend(surroundings.criteria(called, &mut notes));
        }
    }
    let mut criteria = contract.criteria.clone();
    let mut is_changed = was != becomes;
    for criterion in ordered(wanted) {
        is_changed |= take(&mut criteria, criterion);
    }
    if !is_changed {
        return None;
    }
    if criteria.iter().any(|criterion| criterion.activity == Activity::E2e) {
        notes.retain(|note| note != NO_E2E);
    }
    if was != becomes {
        let first = paths.iter().find(|path| !with.rules.is_plain(path)).or(paths.first());
        notes.push(format!(
            "taken for {} by its words, and verified as {} because {} changed",
            was.name(),
            becomes.name(),
            first.copied().unwrap_or("a file"),
        ));
    }
    let tier = if becomes > was { contract.tier.max(Tier::Standard) } else { contract.tier };
    Some(TaskContract {
        contract_type: becomes,
        criteria: ordered(criteria),
        generated_at: with.now,
        notes,
        tier,
        version: contract.version + 1,
        previous: Some(contract.hash()),
        ..contract.clone()
    })
}

/// Adds what is missing, and makes what is deferred immediate where the diff says so. Whether
/// anything changed.
fn take(criteria: &mut Vec<Criterion>, wanted: Criterion) -> bool {
    let same = |known: &&mut Criterion| {
        known.key() == wanted.key()
            // A person may have named another command for it; theirs stands.
            || (known.activity == wanted.activity && known.critic == wanted.critic
                && wanted.command.is_none() && wanted.pattern.is_none())
    };
    if let Some(known) = criteria.iter_mut().find(same) {
        let is_sooner = wanted.timing > known.timing;
        if is_sooner {
            known.timing = wanted.timing;
            known.amended = true;
            known.why.extend(wanted.why.into_iter().map(of_diff));
        }
        return is_sooner;
    }
    let why = wanted.why.into_iter().map(of_diff).collect();
    criteria.push(Criterion { amended: true, why, ..wanted });
    true
}

fn of_diff(why: Why) -> Why {
    match why {
        Why::Rule(hit) => Why::Diff(hit),
        other => other,
    }
}
