//! The contract that a verification stands under: one that was agreed on, or one that is made from
//! the words and put on the record with it.

use std::collections::BTreeMap;

use countersign_domain::classify::{ContractType, Tier};
use countersign_domain::contract::{
    Agreement, ContractEvent, Criterion, GeneratedFrom, Refusal, Reviewed, Scope, TaskContract,
    Timing, Version, Why,
};
use countersign_domain::project::{Activity, Runner};
use countersign_domain::verify::{Due, Reason, Weight};
use countersign_domain::{Digest, ObjectId, Stamp};
use countersign_git::Commit;

use super::lacking::Planned;
use super::{Request, scripts};
use crate::Engine;
use crate::classify::Classifier;
use crate::contract::{of_tree, rejected};
use crate::error::{Error, Kind, Result};

/// A contract, and what is run for it.
#[derive(Debug, Clone)]
pub(super) struct Agreed {
    pub id: Stamp,
    pub hash: Digest,
    pub contract: TaskContract,
    pub checks: Vec<Due>,
    /// For each check, the number of its criterion, counted from one.
    pub numbers: Vec<u32>,
    pub notes: Vec<Reason>,
    /// Whether tier and risk are known, and no guess.
    pub is_sure: bool,
    /// Whether it is one that somebody agreed to.
    pub is_named: bool,
    /// The numbers of criteria whose programs are not here, and why they are not run.
    pub lacking: BTreeMap<u32, String>,
    /// What people said to criteria that only a reader can judge, of the same work, by number.
    pub reviewed: BTreeMap<u32, Reviewed>,
    /// Who rejected the same work as a whole.
    pub rejected: Option<Reviewed>,
}

/// What was there, what is there, and whether code is among what differs.
pub(super) struct Between<'a> {
    pub base: &'a Commit,
    pub tree: &'a ObjectId,
    pub is_code: bool,
}

impl Engine {
    /// The contract that `text` names, if work may be verified under it.
    pub(crate) fn approved_contract(&self, text: &str) -> Result<(Stamp, Agreement)> {
        let id = self.find_contract(text)?;
        let agreement = self.reviewed_contract(id)?;
        if let Some(Refusal { by, why, .. }) = agreement.refusal() {
            let message = format!("contract {id} was refused by {by}: {why}");
            return Err(Error::new(Kind::Refused, message).hint("draft a new contract"));
        }
        if !agreement.is_approved() {
            let message = format!("nobody has agreed to contract {id}");
            let hint = format!("read it, then: countersign contract approve {id}");
            return Err(Error::new(Kind::Refused, message).hint(hint));
        }
        Ok((id, agreement))
    }

    /// What the work under a contract began with. It holds for one tree and no other.
    pub(crate) fn base_of_contract(
        &self,
        id: Stamp,
        scope: &Scope,
        revision: Option<&str>,
    ) -> Result<Commit> {
        let commit = scope.commit.as_ref().map(ObjectId::as_str);
        let Some(revision) = revision.or(commit) else {
            let message = format!("contract {id} doesn't say which commit the work began with");
            return Err(Error::new(Kind::Usage, message).hint("name it: --base REVISION"));
        };
        let base = self.repository.resolve(revision)?;
        match &scope.tree {
            Some(tree) if *tree != base.tree => {
                let message = format!("contract {id} was made for another tree than {revision}'s");
                Err(Error::new(Kind::Refused, message)
                    .hint("leave --base out, or draft a contract for what the work began with"))
            }
            _ => Ok(base),
        }
    }

    /// A contract that was agreed on, with what the real diff adds to it.
    pub(super) fn agreed_before(
        &mut self,
        id: Stamp,
        between: &Between<'_>,
        runs_deferred: bool,
    ) -> Result<Agreed> {
        let amended = self.amend_to(id, Some(&between.base.tree), between.tree)?;
        let (contract, hash) = (amended.view.contract, amended.view.hash);
        let mut notes = Vec::new();
        if amended.is_amended {
            let text = format!("the diff called for more, so version {} holds", contract.version);
            notes.push(Reason { weight: Weight::Note, text });
        }
        let agreement = self.reviewed_contract(id)?;
        let reviewed = of_tree(&agreement, (hash, between.tree));
        let rejected = rejected(&agreement, (hash, between.tree));
        notes.extend(rejected.as_ref().filter(|_| reviewed.is_empty()).map(rejected_whole));
        let project = self.project_of(&between.base.tree)?;
        let (mut checks, mut numbers) = (Vec::new(), Vec::new());
        for (number, criterion) in (1..).zip(&contract.criteria) {
            if let Some(left) = left_out(number, criterion, runs_deferred) {
                notes.push(reviewed.get(&number).map_or(left, |said| answered(number, said)));
                continue;
            }
            let Some(command) = &criterion.command else { continue };
            let tools = project.tools(criterion.activity);
            let tool = tools
                .iter()
                .find(|tool| tool.command.shell == *command && tool.folder == criterion.folder);
            checks.push(Due {
                activity: criterion.activity.name().to_owned(),
                command: command.clone(),
                folder: criterion.folder.clone(),
                runner: tool.map_or_else(|| Runner::of(command), |tool| tool.runner),
                why: criterion.description.clone(),
            });
            numbers.push(number);
        }
        // Somebody has agreed to what it says.
        Ok(Agreed {
            id,
            hash,
            contract,
            checks,
            numbers,
            notes,
            is_sure: true,
            is_named: true,
            lacking: BTreeMap::new(),
            reviewed,
            rejected,
        })
    }

    /// A contract from the words. The same words on the same base, with the same commands, are the
    /// same contract, whenever they are said.
    pub(super) fn agreed_now(
        &mut self,
        request: &Request,
        between: &Between<'_>,
    ) -> Result<Agreed> {
        let mut notes = Vec::new();
        let classifier = Classifier::with(&self.settings.config.classify)?;
        let found = classifier.classify(&request.task, &request.said);
        let (effective, is_sure) = (found.effective(), found.is_surely_grave());
        let mut contract_type = effective.contract;
        if between.is_code && contract_type != ContractType::Verifiable {
            let text = format!(
                "the words said {contract_type}, and files of code differ, so it is verified"
            );
            contract_type = ContractType::Verifiable;
            notes.push(Reason { weight: Weight::Note, text });
        }
        let tier = if between.is_code { effective.tier.max(Tier::Light) } else { effective.tier };
        let users = |command: &String| Planned { due: super::open::users(command), lacks: None };
        let planned = match request.checks.is_empty() {
            false => {
                let mut planned: Vec<Planned> = request.checks.iter().map(users).collect();
                planned.extend(self.tests_beside(request, between, &mut notes)?);
                planned
            }
            true if contract_type == ContractType::Advisory => Vec::new(),
            true => self.checks_of((between.base, between.tree), contract_type, &mut notes)?,
        };
        let from =
            if request.checks.is_empty() { GeneratedFrom::Auto } else { GeneratedFrom::User };
        let contract = TaskContract {
            contract_type,
            criteria: planned.iter().map(|one| criterion_of(&one.due)).collect(),
            generated_from: from,
            generated_at: self.host.now(),
            task: request.task.clone(),
            tier,
            risk: effective.risk,
            expected_files: Vec::new(),
            notes: Vec::new(),
            scope: Scope {
                task: String::new(),
                attempt: 1,
                tree: Some(between.base.tree.clone()),
                commit: Some(between.base.commit.clone()),
            },
            version: 1,
            previous: None,
            examples: request.examples.clone(),
        };
        let lacking: BTreeMap<u32, String> =
            (1..).zip(&planned).filter_map(|(number, one)| Some((number, one.why()?))).collect();
        let here = (1..).zip(planned).filter(|(_, one)| one.lacks.is_none());
        let (numbers, checks) = here.map(|(number, one)| (number, one.due)).unzip();
        let (id, contract, rejected) =
            self.known_or_recorded(contract, (between.tree, &mut notes))?;
        notes.extend(rejected.as_ref().map(rejected_whole));
        let (hash, reviewed) = (contract.hash(), BTreeMap::new());
        Ok(Agreed {
            id,
            hash,
            contract,
            checks,
            numbers,
            notes,
            is_sure,
            is_named: false,
            lacking,
            reviewed,
            rejected,
        })
    }

    /// The contract as it is on the record, and who rejected this very work under it.
    fn known_or_recorded(
        &mut self,
        contract: TaskContract,
        (tree, notes): (&ObjectId, &mut Vec<Reason>),
    ) -> Result<(Stamp, TaskContract, Option<Reviewed>)> {
        if let Some((id, known)) = self.same_contract(&contract)? {
            let rejected = match self.reviewed_contract(id) {
                Ok(agreement) => rejected(&agreement, (known.hash(), tree)),
                // A record that was damaged keeps nobody from verifying; a rejection may be in it.
                Err(error) => {
                    let text = format!(
                        "whether somebody rejected this work before can't be read: {error}"
                    );
                    notes.push(Reason { weight: Weight::Ask, text });
                    None
                }
            };
            return Ok((id, known, rejected));
        }
        let (id, contract) = self.record_contract(contract)?;
        Ok((id, contract, None))
    }

    /// The repository's own tests, where all that the user named only reads: a lint that passes shows
    /// nothing of what was asked for.
    fn tests_beside(
        &self,
        request: &Request,
        between: &Between<'_>,
        notes: &mut Vec<Reason>,
    ) -> Result<Vec<Planned>> {
        if !between.is_code || !request.checks.iter().all(|check| scripts::only_reads(check)) {
            return Ok(Vec::new());
        }
        let whole = (between.base, between.tree);
        let found = self.checks_of(whole, ContractType::Verifiable, &mut Vec::new())?;
        let tests: Vec<Planned> =
            found.into_iter().filter(|one| one.due.is_test() && one.lacks.is_none()).collect();
        if !tests.is_empty() {
            let text = "what you named runs no tests, so the repository's own are run as well";
            notes.push(Reason { weight: Weight::Note, text: text.to_owned() });
        }
        Ok(tests)
    }

    fn record_contract(&mut self, contract: TaskContract) -> Result<(Stamp, TaskContract)> {
        let id = self.new_contract_id()?;
        let scope = Scope { task: id.to_string(), ..contract.scope.clone() };
        let contract = TaskContract { scope, ..contract };
        let hash = contract.hash();
        let version = Version { contract: contract.clone(), hash, tree: None };
        self.write_contract(id, 0, &[ContractEvent::Drafted(Box::new(version))])?;
        Ok((id, contract))
    }
}

fn criterion_of(due: &Due) -> Criterion {
    Criterion {
        activity: Activity::parse(&due.activity).unwrap_or(Activity::Check),
        description: format!("`{}` ends with exit code 0", due.command),
        pattern: None,
        timing: Timing::Immediate,
        command: Some(due.command.clone()),
        folder: due.folder.clone(),
        critic: None,
        amended: false,
        why: vec![Why::Always { text: due.why.clone() }],
    }
}

/// What a person said to a criterion counts for the same work.
fn answered(number: u32, said: &Reviewed) -> Reason {
    let weight = if said.is_accepted { Weight::Note } else { Weight::Refuse };
    Reason { weight, text: format!("criterion {number} was {}", said.words()) }
}

/// What a person rejected stays rejected, whatever its checks say.
fn rejected_whole(said: &Reviewed) -> Reason {
    let text = format!("this work was {}", said.words());
    Reason { weight: Weight::Refuse, text }
}

/// What a reader is asked by a criterion that only a reader can judge, after a colon.
pub(super) fn asked(criterion: &Criterion) -> String {
    let questions = criterion.questions();
    if questions.is_empty() { String::new() } else { format!(": {}", questions.join(" ")) }
}

/// Why a criterion is not run here, and what that means for the work.
fn left_out(number: u32, criterion: &Criterion, runs_deferred: bool) -> Option<Reason> {
    let words = criterion.words();
    let (weight, text) = if criterion.is_unresolved() {
        (Weight::Refuse, format!("criterion {number} ({words}) has no command, so it can't pass"))
    } else if criterion.command.is_none() {
        let asked = asked(criterion);
        // Whom a run asks judges all of the work; nobody is asked here.
        let review = "no critic has reviewed it, and verify asks no agent to";
        let text =
            format!("criterion {number} ({words}): {review}; it is a person's to judge{asked}");
        (Weight::Ask, text)
    } else if criterion.timing == Timing::Deferred && !runs_deferred {
        let command = criterion.command.as_deref().unwrap_or_default();
        let text = format!(
            "criterion {number} ({words}) is deferred: run `{command}` where it can run, or verify \
             with --deferred"
        );
        (Weight::Ask, text)
    } else {
        return None;
    };
    Some(Reason { weight, text })
}
