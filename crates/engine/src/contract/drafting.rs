//! Drafting a contract: words, files and the repository in, a version on the record out.

use countersign_domain::classify::{ContractType, Overrides};
use countersign_domain::contract::{
    ContractEvent, Drafting, Expected, GeneratedFrom, Scope, Source, TaskContract, Version, draft,
    predict,
};
use countersign_domain::verify::Example;
use serde::Serialize;

use super::journal::ContractView;
use crate::classify::Classifier;
use crate::error::{Error, Kind, Result};
use crate::run::MAX_GOAL_BYTES;
use crate::{Engine, regular};

/// The largest contract that is read from a file.
const MAX_CONTRACT: u64 = 1 << 20;

/// What a contract is asked for.
#[derive(Debug, Clone, Default)]
pub struct DraftRequest {
    pub task: String,
    /// The files that a person expects to change.
    pub files: Vec<String>,
    /// The task's id; without it, the contract's own.
    pub task_id: Option<String>,
    pub said: Overrides,
    /// Whether it comes from a plan of several tasks.
    pub from_plan: bool,
    /// Questions to the code, with the answers that are right.
    pub examples: Vec<Example>,
    /// Who agrees at once, if anybody does.
    pub approved_by: Option<String>,
}

/// A contract that was drafted.
#[derive(Debug, Clone, Serialize)]
pub struct Drafted {
    #[serde(flatten)]
    pub view: ContractView,
    /// Whether the words left open what kind of task it is.
    pub unsure: bool,
    /// Whether a person is asked before such work goes ahead, whatever was agreed to with it.
    #[serde(rename = "asksFirst", skip_serializing_if = "std::ops::Not::not")]
    pub asks_first: bool,
}

impl Engine {
    /// Drafts a contract and puts it on the record.
    pub fn draft_contract(&mut self, request: &DraftRequest) -> Result<Drafted> {
        let task = request.task.trim();
        if task.is_empty() {
            return Err(Error::new(Kind::Usage, "the task is empty")
                .hint("say in words what is to be done"));
        }
        if task.len() > MAX_GOAL_BYTES {
            let message = format!("the task has {} bytes; 1 MiB is the most", task.len());
            return Err(Error::new(Kind::Usage, message).hint("name a file instead"));
        }
        let classified = Classifier::open(&self.host)?.classify(task, &request.said);
        let grounds = self.grounds()?;
        let head = self.repository.head()?;
        let history = match &head {
            Some(head) => self.history(&head.commit)?,
            None => countersign_domain::contract::History::default(),
        };
        let paths: Vec<&str> = grounds.paths.iter().map(String::as_str).collect();
        let expected = if request.files.is_empty() {
            predict(task, &paths, &history)
        } else {
            said_files(&request.files)?
        };
        let id = self.new_contract_id()?;
        let scope = Scope {
            task: request.task_id.clone().unwrap_or_else(|| id.to_string()),
            attempt: 1,
            commit: head.as_ref().map(|head| head.commit.clone()),
            tree: head.map(|head| head.tree),
        };
        let from = match (request.from_plan, request.files.is_empty()) {
            (true, _) => GeneratedFrom::Prd,
            (false, true) => GeneratedFrom::Auto,
            (false, false) => GeneratedFrom::User,
        };
        let drafted = draft(Drafting {
            task,
            classified: &classified,
            expected,
            project: &grounds.project,
            rules: &grounds.rules,
            without: grounds.settings.without(),
            generated_from: from,
            scope,
            now: self.host.now(),
        });
        let contract = TaskContract { examples: request.examples.clone(), ..drafted };
        // Nothing verifies advice, so whoever wants to be asked agrees to each by itself.
        let asks_first = contract.contract_type == ContractType::Advisory
            && (self.settings.config.contract.ask_advisory || request.from_plan);
        let approved_by = request.approved_by.as_deref().filter(|_| !asks_first);
        let view = self.open_contract(id, contract, approved_by)?;
        Ok(Drafted { view, unsure: classified.unsure, asks_first })
    }

    /// Takes a contract that a person wrote, as the published schema has it.
    pub fn take_contract(&mut self, path: &str, approved_by: Option<&str>) -> Result<Drafted> {
        let bytes = regular::read(&self.host.cwd.join(path), MAX_CONTRACT).ok_or_else(|| {
            Error::new(Kind::Usage, format!("{path} can't be read, or is larger than 1 MiB"))
        })?;
        let wrong = |what: String| {
            Error::new(Kind::Usage, format!("{path}: {what}"))
                .hint("`countersign contract schema` describes the file")
        };
        let mut contract: TaskContract =
            serde_json::from_slice(&bytes).map_err(|error| wrong(error.to_string()))?;
        contract.generated_from = GeneratedFrom::User;
        contract.version = 1;
        contract.previous = None;
        contract.check().map_err(|unfit| wrong(unfit.to_string()))?;
        let id = self.new_contract_id()?;
        let view = self.open_contract(id, contract, approved_by)?;
        Ok(Drafted { view, unsure: false, asks_first: false })
    }

    fn open_contract(
        &mut self,
        id: countersign_domain::Stamp,
        contract: TaskContract,
        approved_by: Option<&str>,
    ) -> Result<ContractView> {
        let text = serde_json::to_string(&contract)?;
        self.screen(&[("the contract", Some(&text)), ("the name", approved_by)], false)?;
        let hash = contract.hash();
        let version = Version { contract, hash, tree: None };
        let mut happened = vec![ContractEvent::Drafted(Box::new(version))];
        if let Some(by) = approved_by {
            happened.push(ContractEvent::Approved { hash, by: by.to_owned() });
        }
        self.append_contract(id, 0, &happened)?;
        self.contract(id)
    }
}

fn said_files(files: &[String]) -> Result<Vec<Expected>> {
    let said = files.iter().map(|file| {
        let path = file.trim_start_matches("./").trim_end_matches('/');
        if path.is_empty() || path.starts_with('/') || path.split('/').any(|part| part == "..") {
            let message = format!("'{file}' is no path in the repository");
            return Err(Error::new(Kind::Usage, message)
                .hint("write paths from the root of the repository"));
        }
        let because = "said so".to_owned();
        Ok(Expected { path: path.to_owned(), source: Source::User, because })
    });
    said.collect()
}
