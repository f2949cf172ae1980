//! Drafting a contract: words, files and the repository in, a version on the record out.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

use countersign_domain::classify::{ContractType, Overrides};
use countersign_domain::contract::{
    ContractEvent, Drafting, GeneratedFrom, Scope, TaskContract, Version, draft, predict,
};
use countersign_domain::verify::Example;
use serde::Serialize;

use super::journal::ContractView;
use super::named::Named;
use crate::Engine;
use crate::classify::Classifier;
use crate::error::{Error, Kind, Result};
use crate::run::MAX_GOAL_BYTES;

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
        let said = Named { root: &self.repository.layout().worktree, cwd: &self.host.cwd };
        let (expected, notes) = if request.files.is_empty() {
            (predict(task, &paths, &history), Vec::new())
        } else {
            said.expected(&request.files, &paths)?
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
        let notes = [drafted.notes.clone(), notes].concat();
        let contract = TaskContract { examples: request.examples.clone(), notes, ..drafted };
        let asks_first = self.asks_first(&contract, request.from_plan);
        let approved_by = request.approved_by.as_deref().filter(|_| !asks_first);
        let view = self.open_contract(id, contract, approved_by)?;
        Ok(Drafted { view, unsure: classified.unsure, asks_first })
    }

    /// Nothing verifies advice, so whoever wants to be asked agrees to each by itself.
    fn asks_first(&self, contract: &TaskContract, from_plan: bool) -> bool {
        contract.contract_type == ContractType::Advisory
            && (self.settings.config.contract.ask_advisory || from_plan)
    }

    /// Takes a contract that a person wrote, as the published schema has it.
    pub fn take_contract(
        &mut self,
        path: &str,
        from_plan: bool,
        approved_by: Option<&str>,
    ) -> Result<Drafted> {
        let bytes = handed(&self.host.cwd.join(path))
            .map_err(|why| Error::new(Kind::Usage, format!("{path} can't be read: {why}")))?;
        // Some editors begin every file with a mark.
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes);
        let wrong = |what: String| {
            Error::new(Kind::Usage, format!("{path}: {what}"))
                .hint("`countersign contract schema` describes the file")
        };
        let mut contract: TaskContract =
            serde_json::from_slice(bytes).map_err(|error| wrong(error.to_string()))?;
        contract.generated_from = GeneratedFrom::User;
        contract.version = 1;
        contract.previous = None;
        contract.check().map_err(|unfit| wrong(unfit.to_string()))?;
        self.check_scope(&contract.scope).map_err(|error| {
            wrong(format!("its scope: {}", error.message))
                .hint("leave commit and tree out of the scope, and verify with --base REVISION")
        })?;
        let asks_first = self.asks_first(&contract, from_plan);
        let approved_by = approved_by.filter(|_| !asks_first);
        let id = self.new_contract_id()?;
        let view = self.open_contract(id, contract, approved_by)?;
        Ok(Drafted { view, unsure: false, asks_first })
    }

    /// Whether what a contract says it holds for is in this repository.
    fn check_scope(&self, scope: &Scope) -> Result<()> {
        let no = |message: String| Err(Error::new(Kind::Usage, message));
        let Some(commit) = &scope.commit else {
            return match &scope.tree {
                Some(tree) if self.repository.list(tree).is_err() => {
                    no(format!("there is no tree {tree} here"))
                }
                _ => Ok(()),
            };
        };
        let Ok(found) = self.repository.resolve(commit.as_str()) else {
            return no(format!("there is no commit {commit} here"));
        };
        match &scope.tree {
            Some(tree) if *tree != found.tree => no(format!("{tree} is not the tree of {commit}")),
            _ => Ok(()),
        }
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

/// What a person hands over by its name: they know whether it is a file or a pipe.
fn handed(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(MAX_CONTRACT + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_CONTRACT {
        return Err(io::Error::other("it is larger than 1 MiB"));
    }
    Ok(bytes)
}
