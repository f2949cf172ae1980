//! The review queue: what only a person can judge waits here until one has, once.

use countersign_domain::classify::ContractType;
use countersign_domain::contract;
use countersign_domain::ledger::{Event, Stored as _};
use countersign_domain::verify::{Answer, Judgement, Reason, Terms, Verdict, VerifyEvent};
use countersign_domain::{ObjectId, Stamp, canonical};
use countersign_store::{Appended, Expected, ViewChange, ViewRow};
use serde::{Deserialize, Serialize};

use super::reuse;
use crate::Engine;
use crate::error::{Error, Kind, Result};

/// The kind of the view rows.
const VIEW: &str = "review";

/// What a person said, and when.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reviewed {
    pub answer: Answer,
    pub by: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub note: String,
    pub at: String,
}

/// One verification that a person is to look at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReviewRow {
    pub id: Stamp,
    /// The first line of the task, shortened.
    pub task: String,
    pub verdict: Verdict,
    #[serde(rename = "type")]
    pub contract: ContractType,
    /// When the verification ended.
    pub since: String,
    /// What was said, if anybody has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reviewed: Option<Reviewed>,
}

/// All that there is to see of it.
#[derive(Debug, Clone, Serialize)]
pub struct Review {
    #[serde(flatten)]
    pub row: ReviewRow,
    pub whole_task: String,
    pub reasons: Vec<Reason>,
    pub base: ObjectId,
    pub tree: ObjectId,
    pub changed: Vec<String>,
}

/// What a person says.
#[derive(Debug, Clone)]
pub struct Reviewing {
    pub answer: Answer,
    pub by: String,
    pub note: String,
}

/// Whether the end of a verification is one that a person is to look at. A text that nobody checked is
/// also one; what was refused needs work, and no look.
fn is_for_people(terms: &Terms, judgement: &Judgement) -> bool {
    match judgement.verdict {
        Verdict::Human | Verdict::Advisory => true,
        Verdict::Accepted => terms.contract == ContractType::Skip,
        Verdict::Refused => false,
    }
}

/// The row that follows from the end of a verification.
pub(super) fn row_of_end(
    id: Stamp,
    (terms, judgement): (&Terms, &Judgement),
    time: &str,
) -> Result<Option<ViewChange>> {
    let row = ended(id, (terms, judgement), time);
    row.as_ref().map(change).transpose()
}

fn ended(id: Stamp, (terms, judgement): (&Terms, &Judgement), time: &str) -> Option<ReviewRow> {
    is_for_people(terms, judgement).then(|| ReviewRow {
        id,
        task: terms.task.trim().lines().next().unwrap_or_default().chars().take(200).collect(),
        verdict: judgement.verdict,
        contract: terms.contract,
        since: time.to_owned(),
        reviewed: None,
    })
}

fn change(row: &ReviewRow) -> Result<ViewChange> {
    let body = canonical::to_string(row)?;
    Ok(ViewRow { kind: VIEW.into(), key: row.id.to_string(), body }.into())
}

/// The row that follows from all events of a verification.
pub(super) fn row_of(id: Stamp, events: &[Event]) -> Result<Option<ViewChange>> {
    let folded = fold(id, events)?;
    folded.row.as_ref().map(change).transpose()
}

/// What the events of a verification come to for a person.
#[derive(Default)]
struct Folded {
    terms: Option<(Terms, ObjectId)>,
    judgement: Option<Judgement>,
    row: Option<ReviewRow>,
}

fn fold(id: Stamp, events: &[Event]) -> Result<Folded> {
    let mut folded = Folded::default();
    for event in events {
        let Some(body) = &event.body else { continue };
        match VerifyEvent::decode(&event.kind, body)? {
            VerifyEvent::Opened { terms, tree, .. } => folded.terms = Some((*terms, tree)),
            VerifyEvent::Judged { judgement, .. } => {
                if let Some((terms, _)) = &folded.terms {
                    folded.row = ended(id, (terms, &judgement), &event.time);
                }
                folded.judgement = Some(*judgement);
            }
            VerifyEvent::Reviewed { by, answer, note } => {
                let at = event.time.clone();
                if let Some(row) = folded.row.as_mut().filter(|row| row.reviewed.is_none()) {
                    row.reviewed = Some(Reviewed { answer, by, note, at });
                }
            }
            VerifyEvent::Ran { .. } | VerifyEvent::Reused { .. } => {}
        }
    }
    Ok(folded)
}

impl Engine {
    /// What people are to look at, the newest first; with what was answered if `is_all`.
    pub fn reviews(&self, is_all: bool) -> Result<Vec<ReviewRow>> {
        let rows = self.store.views(VIEW, "", u32::MAX)?;
        let rows: std::result::Result<Vec<ReviewRow>, _> =
            rows.iter().map(|row| serde_json::from_str(&row.body)).collect();
        Ok(rows?.into_iter().filter(|row| is_all || row.reviewed.is_none()).collect())
    }

    /// The verification that `text` names: its id, a beginning of it, or `latest`.
    pub fn find_review(&self, text: &str) -> Result<Stamp> {
        let prefix = if text == "latest" { "" } else { text };
        let rows = self.store.views(VIEW, prefix, 2)?;
        match (text, rows.as_slice()) {
            ("latest", [newest, ..]) | (_, [newest]) => newest
                .key
                .parse()
                .map_err(|error| Error::new(Kind::Bug, format!("a view: {error}"))),
            (_, [one, other]) => {
                let message = format!("'{text}' could be {} or {}", other.key, one.key);
                Err(Error::new(Kind::Refused, message).hint("give more of the id"))
            }
            ("latest", []) => Err(Error::new(Kind::NotFound, "nobody has to look at anything")),
            _ => Err(Error::new(Kind::NotFound, format!("there is no review '{text}'"))
                .hint("`countersign review list --all` lists them")),
        }
    }

    /// All that there is to see of one.
    pub fn review(&self, id: Stamp) -> Result<Review> {
        let folded = fold(id, &self.verification_events(id)?)?;
        let gone = || Error::new(Kind::NotFound, format!("there is nothing to review in {id}"));
        let (Some((terms, tree)), Some(judgement), Some(row)) =
            (folded.terms, folded.judgement, folded.row)
        else {
            return Err(gone().hint("`countersign review list --all` lists them"));
        };
        let between = self.repository.differences(&terms.base_tree, &tree)?;
        let changed = between.iter().map(|one| one.path.to_string_lossy().into_owned()).collect();
        let (whole_task, base) = (terms.task, terms.base_tree);
        Ok(Review { row, whole_task, reasons: judgement.reasons, base, tree, changed })
    }

    /// What a person said to the verification `id`, if there is one and anybody has.
    pub(crate) fn said_of(&self, id: Stamp) -> Result<Option<contract::Reviewed>> {
        let row = fold(id, &self.verification_events(id)?)?.row;
        let said = row.and_then(|row| row.reviewed).map(|said| contract::Reviewed {
            is_accepted: said.answer == Answer::Accepted,
            by: said.by,
            at: said.at,
            note: said.note,
            verification: id,
        });
        Ok(said)
    }

    /// The work that is reviewed, as a patch.
    pub fn review_patch(&self, review: &Review) -> Result<Vec<u8>> {
        Ok(self.repository.patch(&review.base, &review.tree)?)
    }

    /// Puts on the record what a person says. The first answer stands.
    pub fn answer_review(&mut self, id: Stamp, said: &Reviewing) -> Result<Review> {
        self.screen(&[("the name", Some(&said.by)), ("the note", Some(&said.note))], false)?;
        let stream = reuse::stream(id)?;
        loop {
            let review = self.review(id)?;
            if let Some(known) = &review.row.reviewed {
                let what = match known.answer {
                    Answer::Accepted => "accepted",
                    Answer::Rejected => "rejected",
                };
                let message = format!("{id} was {what} by {} at {}", known.by, known.at);
                return Err(Error::new(Kind::Refused, message)
                    .hint("an answer is given once, and holds for that work; other work is asked about anew"));
            }
            let Reviewing { answer, by, note } = said.clone();
            let event = VerifyEvent::Reviewed { by: by.clone(), answer, note: note.clone() };
            let (kind, body) = event.encode()?;
            let draft = self.draft(&kind, VerifyEvent::FORMAT, body);
            let at = format!("{:.6}", draft.time);
            let reviewed = Some(Reviewed { answer, by, note, at });
            let row = ReviewRow { reviewed, ..review.row };
            let sequence = self.store.head(&stream)?.map_or(0, |head| head.sequence);
            let expected = Expected::Sequence(sequence);
            // Somebody may have answered since we looked.
            if self.review(id)?.row.reviewed.is_some() {
                continue;
            }
            match self.store.append(&stream, expected, &[draft], &[change(&row)?]) {
                Ok(Appended::Written(_)) => {
                    self.seal_what_is_done()?;
                    return self.review(id);
                }
                Ok(Appended::Spooled(why)) => {
                    let message = format!("the ledger is not available: {why}");
                    return Err(
                        Error::new(Kind::Unavailable, message).hint("mend that, then answer again")
                    );
                }
                Err(countersign_store::Error::Conflict { .. }) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }
}
