//! How contracts get on the record, and how they are read back.

use countersign_domain::contract::{Agreement, ContractEvent, Refusal, Results, TaskContract};
use countersign_domain::ledger::{Event, Stored as _, Stream};
use countersign_domain::{Digest, Stamp, canonical};
use countersign_store::{Appended, Expected, ViewChange, ViewRow};
use serde::{Deserialize, Serialize};

use crate::Engine;
use crate::error::{Error, Kind, Result};

/// The kind of the view rows.
const VIEW: &str = "contract";

/// The kind of the rows by what first versions ask for.
const CONTENT: &str = "contract_content";

/// A contract in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ContractRow {
    pub id: String,
    /// The first line of the task, shortened.
    pub task: String,
    #[serde(rename = "type")]
    pub contract_type: String,
    pub version: u32,
    pub criteria: usize,
    // Rows that were written before have the other name.
    #[serde(alias = "is_approved")]
    pub is_approved: bool,
    #[serde(default)]
    pub is_refused: bool,
}

/// A contract as it is shown.
#[derive(Debug, Clone, Serialize)]
pub struct ContractView {
    pub id: Stamp,
    pub hash: Digest,
    #[serde(rename = "isApproved")]
    pub is_approved: bool,
    /// Who refused it, and why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refused: Option<Refusal>,
    pub contract: TaskContract,
    /// The hashes of all versions, the oldest first.
    pub versions: Vec<Digest>,
    /// What came of it, the oldest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub results: Vec<Results>,
    /// Criteria that have no command, in words: as long as there are any, nothing is verified.
    pub unresolved: Vec<String>,
}

pub(super) fn stream(id: Stamp) -> Result<Stream> {
    ContractEvent::stream(id)
        .parse()
        .map_err(|error| Error::new(Kind::Bug, format!("a contract's stream: {error}")))
}

impl Engine {
    /// The contracts of this repository, the newest first.
    pub fn contracts(&self, most: u32) -> Result<Vec<ContractRow>> {
        let rows = self.store.views(VIEW, "", most)?;
        rows.iter().map(|row| Ok(serde_json::from_str(&row.body)?)).collect()
    }

    /// The contract that `text` names: its id, a beginning of it, or `latest`.
    pub fn find_contract(&self, text: &str) -> Result<Stamp> {
        let prefix = if text == "latest" { "" } else { text };
        let rows = self.store.views(VIEW, prefix, 2)?;
        let keys: Vec<&str> = rows.iter().map(|row| row.key.as_str()).collect();
        match (text, keys.as_slice()) {
            ("latest", [newest, ..]) | (_, [newest]) => {
                newest.parse().map_err(|error| Error::new(Kind::Bug, format!("a view: {error}")))
            }
            (_, [one, other]) => {
                Err(Error::new(Kind::Refused, format!("'{text}' could be {other} or {one}"))
                    .hint("give more of the id"))
            }
            ("latest", []) => Err(Error::new(Kind::NotFound, "there is no contract yet")
                .hint("make one: countersign contract draft \"TASK\"")),
            _ => Err(Error::new(Kind::NotFound, format!("there is no contract '{text}'"))
                .hint("`countersign contract list` lists them")),
        }
    }

    /// A contract with all that happened to it.
    pub fn contract(&self, id: Stamp) -> Result<ContractView> {
        Ok(view_of(id, &self.reviewed_contract(id)?))
    }

    pub(crate) fn load_contract(&self, id: Stamp) -> Result<(Agreement, u64)> {
        let stream = stream(id)?;
        let events = self.store.read(&stream, 0)?;
        self.check_chain(&stream, &events)?;
        if events.is_empty() {
            let missing = Error::new(Kind::NotFound, format!("there is no contract {id}"));
            return Err(missing.hint("`countersign contract list` lists them"));
        }
        let sequence = events.last().map_or(0, |event| event.sequence);
        let agreement = fold(&events)?.ok_or_else(|| {
            Error::new(Kind::Tampered, format!("the versions of contract {id} don't fit together"))
                .hint("`countersign ledger verify` names what was changed")
        })?;
        Ok((agreement, sequence))
    }

    /// A person agrees to the newest version of a contract, or refuses it and says why.
    pub fn answer_contract(
        &mut self,
        id: Stamp,
        by: &str,
        refusal: Option<&str>,
    ) -> Result<ContractView> {
        if refusal.is_some_and(|why| why.trim().is_empty()) {
            return Err(Error::new(Kind::Usage, "the reason is empty")
                .hint("say what is wrong with the contract: --reason \"…\""));
        }
        self.screen(&[("the name", Some(by)), ("the reason", refusal)], false)?;
        loop {
            let (_, sequence) = self.load_contract(id)?;
            match self.answer_once(id, by, refusal) {
                // Somebody was first; what they said decides what is left to say.
                Err(_) if self.head_of(id)? != sequence => {}
                answered => return answered,
            }
        }
    }

    fn answer_once(&mut self, id: Stamp, by: &str, refusal: Option<&str>) -> Result<ContractView> {
        let (agreement, sequence) = self.load_contract(id)?;
        let hash = agreement.newest().hash;
        let said = match agreement.refusal_of(hash) {
            Some(Refusal { by, why, .. }) => Some((false, format!("{by} refused it: {why}"))),
            None if agreement.approved.contains(&hash) => Some((true, "it was agreed to".into())),
            None => None,
        };
        match said {
            Some((is_yes, _)) if is_yes == refusal.is_none() => {
                return Ok(view_of(id, &agreement));
            }
            Some((_, said)) => {
                let count = agreement.versions.len();
                let message = format!("version {count} was answered the other way already: {said}");
                return Err(Error::new(Kind::Refused, message).hint("draft a new contract"));
            }
            None => {}
        }
        let by = by.to_owned();
        let event = match refusal {
            None => ContractEvent::Approved { hash, by },
            Some(why) => ContractEvent::Rejected { hash, by, why: why.to_owned() },
        };
        self.append_contract(id, sequence, &[event])?;
        self.contract(id)
    }

    /// Appends what happened to a contract, and seals it.
    pub(super) fn append_contract(
        &mut self,
        id: Stamp,
        sequence: u64,
        happened: &[ContractEvent],
    ) -> Result<()> {
        self.write_contract(id, sequence, happened)?;
        self.seal_what_is_done()
    }

    /// A contract that asks for the same, was never amended, and that nobody refused.
    pub(crate) fn same_contract(
        &mut self,
        contract: &TaskContract,
    ) -> Result<Option<(Stamp, TaskContract)>> {
        for row in self.store.views(CONTENT, &contract.content().to_string(), 3)? {
            let Some(Ok(id)) = row.key.rsplit('/').next().map(str::parse) else { continue };
            let agreement = match self.load_contract(id) {
                Ok((agreement, _)) => agreement,
                // Whoever changed the record of one contract must not stop the next.
                Err(error) if error.kind == Kind::Tampered => {
                    self.notices.push(format!("contract {id} is not used again: {error}"));
                    continue;
                }
                Err(error) => return Err(error),
            };
            let known = &agreement.newest().contract;
            let is_same = known.content() == contract.content();
            if is_same && known.version == 1 && agreement.rejected.is_empty() {
                return Ok(Some((id, known.clone())));
            }
        }
        Ok(None)
    }

    /// Appends what happened to a contract; whoever calls this seals it.
    pub(crate) fn write_contract(
        &mut self,
        id: Stamp,
        sequence: u64,
        happened: &[ContractEvent],
    ) -> Result<()> {
        let stream = stream(id)?;
        let before = self.store.read(&stream, 0)?;
        let found = before.last().map_or(0, |event| event.sequence);
        if found != sequence {
            // What comes after the events of others may not fit; whoever calls reads them first.
            let message = format!("somebody else wrote to contract {id} meanwhile");
            return Err(Error::new(Kind::Refused, message).hint("try it again"));
        }
        let mut all = decoded(&before)?.unwrap_or_default();
        let mut drafts = Vec::new();
        for event in happened {
            let (kind, body) = event.encode()?;
            drafts.push(self.draft(&kind, ContractEvent::FORMAT, body));
            all.push(event.clone());
        }
        let agreement = Agreement::replay(all)
            .ok_or_else(|| Error::new(Kind::Bug, "a contract's events don't fit together"))?;
        let rows = [row_of(id, &agreement)?, content_row(id, &agreement)?];
        let expected = Expected::Sequence(sequence);
        if let Appended::Spooled(why) = self.store.append(&stream, expected, &drafts, &rows)? {
            self.notices.push(format!(
                "the ledger can't be written now ({why}); the contract waits in the spool, and the \
                 next command takes it in"
            ));
        }
        Ok(())
    }

    /// An id that no contract of this ledger has.
    pub(crate) fn new_contract_id(&self) -> Result<Stamp> {
        loop {
            let stamp = crate::names::new_stamp(&self.host)?;
            if self.store.head(&stream(stamp)?)?.is_none() {
                return Ok(stamp);
            }
        }
    }
}

pub(super) fn view_of(id: Stamp, agreement: &Agreement) -> ContractView {
    let newest = agreement.newest();
    ContractView {
        id,
        hash: newest.hash,
        is_approved: agreement.is_approved(),
        refused: agreement.refusal().cloned(),
        contract: newest.contract.clone(),
        versions: agreement.versions.iter().map(|version| version.hash).collect(),
        results: agreement.results.clone(),
        unresolved: unresolved(&newest.contract),
    }
}

/// What can't be carried out, and what to do about it.
pub(super) fn unresolved(contract: &TaskContract) -> Vec<String> {
    let words = contract.unresolved().map(|criterion| {
        let activity = criterion.activity;
        format!(
            "nothing in this repository says how to {verb}{of}, so '{activity}' can't pass: name a \
             command in countersign.toml below [project.commands] ({activity} = \"…\"), or say that \
             there is none: project.without = [\"{activity}\"], or of a folder: [\"FOLDER:{activity}\"]",
            verb = verb(activity.name()),
            of = criterion.pattern.as_ref().map(|of| format!(" for {of}")).unwrap_or_default(),
        )
    });
    words.collect()
}

fn verb(activity: &str) -> &str {
    match activity {
        "typecheck" => "check its types",
        "lint" => "lint it",
        "unit" => "run its unit tests",
        "integration" => "run its integration tests",
        "e2e" => "run its end-to-end tests",
        "build" => "build it",
        "format" => "check how files are laid out",
        other => other,
    }
}

fn decoded(events: &[Event]) -> Result<Option<Vec<ContractEvent>>> {
    let mut all = Vec::with_capacity(events.len());
    for event in events {
        let Some(body) = &event.body else { return Ok(None) };
        all.push(ContractEvent::decode(&event.kind, body)?);
    }
    Ok(Some(all))
}

fn fold(events: &[Event]) -> Result<Option<Agreement>> {
    Ok(decoded(events)?.and_then(Agreement::replay))
}

/// What follows in the view from all events of one contract.
pub(crate) fn rows_of(stream: &str, events: &[Event]) -> Result<Vec<ViewChange>> {
    let key = stream.strip_prefix("contract/").unwrap_or_default();
    match (fold(events)?, key.parse()) {
        (Some(agreement), Ok(id)) => {
            Ok(vec![row_of(id, &agreement)?, content_row(id, &agreement)?])
        }
        _ => Ok(vec![ViewChange::remove(VIEW, key)]),
    }
}

/// The row by which a contract is found by what it asks for.
fn content_row(id: Stamp, agreement: &Agreement) -> Result<ViewChange> {
    let first = &agreement.versions[0];
    let key = format!("{}/{id}", first.contract.content());
    Ok(ViewRow { kind: CONTENT.into(), key, body: canonical::to_string(&first.hash)? }.into())
}

fn row_of(id: Stamp, agreement: &Agreement) -> Result<ViewChange> {
    let contract = &agreement.newest().contract;
    let row = ContractRow {
        id: id.to_string(),
        task: contract.task.lines().next().unwrap_or_default().chars().take(100).collect(),
        contract_type: contract.contract_type.to_string(),
        version: contract.version,
        criteria: contract.criteria.len(),
        is_approved: agreement.is_approved(),
        is_refused: agreement.refusal().is_some(),
    };
    let body = canonical::to_string(&row)?;
    Ok(ViewRow { kind: VIEW.into(), key: id.to_string(), body }.into())
}
