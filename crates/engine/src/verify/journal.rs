//! How a verification gets on the record.

use countersign_domain::Stamp;
use countersign_domain::gaming::Judged;
use countersign_domain::ledger::{Event, Stored as _};
use countersign_domain::receipt::Receipt;
use countersign_domain::verify::{Ground, Judgement, PlantedOn, VerifyEvent};
use countersign_store::{Appended, Expected, ViewChange};

use super::reuse::{self, Found, Reused};
use super::{Work, results, review};
use crate::error::{Error, Kind, Result};
use crate::query::receipt_row_of;

impl Work<'_> {
    pub(super) fn record_opening(&mut self) -> Result<()> {
        let event = VerifyEvent::Opened {
            terms: Box::new(self.terms.clone()),
            contract: self.contract,
            tree: self.tree.clone(),
            agreement: Some(self.agreed.id),
        };
        self.append(&event)?;
        // What runs next may try to change the record of what was to be run.
        self.engine.seal().map(|_| ())
    }

    pub(super) fn record_run(
        &mut self,
        ground: Ground,
        receipt: Receipt,
        planted: Option<PlantedOn>,
    ) -> Result<()> {
        results::quote(&mut self.receipts, &receipt);
        let (receipt, planted) = (Box::new(receipt), planted.map(Box::new));
        self.append(&VerifyEvent::Ran { ground, receipt, planted })
    }

    pub(super) fn record_reuse(&mut self, ground: Ground, found: Found) -> Result<()> {
        let Found { receipt, planted } = found;
        results::quote(&mut self.receipts, &receipt);
        self.reused.push(Reused { receipt: receipt.id(), from: receipt.run });
        self.append(&VerifyEvent::Reused { ground, receipt: Box::new(receipt), planted })
    }

    pub(super) fn record_judgement(
        &mut self,
        judgement: &Judgement,
        findings: &[Judged],
    ) -> Result<()> {
        let judgement = Box::new(judgement.clone());
        self.append(&VerifyEvent::Judged { judgement, findings: findings.to_vec() })
    }

    fn append(&mut self, event: &VerifyEvent) -> Result<()> {
        let stream = reuse::stream(self.id)?;
        let (kind, body) = event.encode()?;
        let draft = self.engine.draft(&kind, VerifyEvent::FORMAT, body);
        let expected = Expected::Sequence(self.sequence);
        let mut rows = rows_of_event(self.id, self.sequence + 1, event)?;
        if let VerifyEvent::Judged { judgement, .. } = event {
            let time = format!("{:.6}", draft.time);
            rows.extend(review::row_of_end(self.id, (&self.terms, judgement), &time)?);
        }
        match self.engine.store.append(&stream, expected, &[draft], &rows)? {
            Appended::Written(_) => {
                self.sequence += 1;
                Ok(())
            }
            Appended::Spooled(why) => {
                let message = format!("the ledger is not available: {why}");
                Err(Error::new(Kind::Unavailable, message).hint("mend that, then verify again"))
            }
        }
    }
}

/// What follows in the views from one event of a verification.
fn rows_of_event(id: Stamp, sequence: u64, event: &VerifyEvent) -> Result<Vec<ViewChange>> {
    let mut rows = Vec::new();
    if let VerifyEvent::Ran { receipt, .. } = event {
        rows.push(receipt_row_of(&VerifyEvent::stream(id), receipt, sequence)?);
    }
    rows.extend(reuse::row(id, sequence, event)?);
    Ok(rows)
}

/// What follows in the views from all events of a verification.
pub(crate) fn rows_of(stream: &str, events: &[Event]) -> Result<Vec<ViewChange>> {
    let Some(Ok(id)) = stream.strip_prefix("verify/").map(str::parse) else {
        return Ok(Vec::new());
    };
    let mut rows = Vec::new();
    for event in events {
        let Some(body) = &event.body else { continue };
        let decoded = VerifyEvent::decode(&event.kind, body)?;
        rows.extend(rows_of_event(id, event.sequence, &decoded)?);
    }
    rows.extend(review::row_of(id, events)?);
    Ok(rows)
}
