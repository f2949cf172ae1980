//! How a verification gets on the record.

use countersign_domain::gaming::Judged;
use countersign_domain::ledger::{Stored as _, Stream};
use countersign_domain::receipt::Receipt;
use countersign_domain::verify::{Ground, Judgement, VerifyEvent};
use countersign_store::{Appended, Expected};

use super::Work;
use crate::error::{Error, Kind, Result};

impl Work<'_> {
    pub(super) fn record_opening(&mut self) -> Result<()> {
        let event = VerifyEvent::Opened {
            terms: Box::new(self.terms.clone()),
            contract: self.contract,
            tree: self.tree.clone(),
        };
        self.append(&event)?;
        // What runs next may try to change the record of what was to be run.
        self.engine.seal().map(|_| ())
    }

    pub(super) fn record_run(&mut self, ground: Ground, receipt: Receipt) -> Result<()> {
        self.append(&VerifyEvent::Ran { ground, receipt: Box::new(receipt) })
    }

    pub(super) fn record_judgement(
        &mut self,
        judgement: &Judgement,
        findings: &[Judged],
    ) -> Result<()> {
        let judgement = Box::new(judgement.clone());
        self.append(&VerifyEvent::Judged { judgement, findings: findings.to_vec() })?;
        self.engine.seal().map(|_| ())
    }

    fn append(&mut self, event: &VerifyEvent) -> Result<()> {
        let stream: Stream = VerifyEvent::stream(self.id)
            .parse()
            .map_err(|error| Error::new(Kind::Bug, format!("a verification's stream: {error}")))?;
        let (kind, body) = event.encode()?;
        let draft = self.engine.draft(&kind, VerifyEvent::FORMAT, body);
        let expected = Expected::Sequence(self.sequence);
        match self.engine.store.append(&stream, expected, &[draft], &[])? {
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
