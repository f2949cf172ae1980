//! How an acceptance gets on the record.

use countersign_domain::Stamp;
use countersign_domain::acceptance::{AcceptanceEvent, Standing};
use countersign_domain::ledger::{Stored as _, Stream};
use countersign_store::{Appended, Expected};

use super::work::Work;
use crate::Engine;
use crate::error::{Error, Kind, Result};

impl Engine {
    /// What is on the record about accepting the work of a run or a relay.
    pub fn load_acceptance(&self, undertaking: Stamp) -> Result<Standing> {
        let stream = stream_of(undertaking)?;
        let events = self.store.read(&stream, 0)?;
        self.check_chain(&stream, &events)?;
        let mut decoded = Vec::with_capacity(events.len());
        for event in &events {
            // What retention removed is known by its place alone.
            let Some(body) = &event.body else { continue };
            decoded.push(AcceptanceEvent::decode(&event.kind, body)?);
        }
        let mut standing = Standing::replay(decoded);
        standing.sequence = events.last().map_or(0, |event| event.sequence);
        Ok(standing)
    }

    pub(super) fn record_acceptance(
        &mut self,
        work: &Work,
        standing: &mut Standing,
        event: AcceptanceEvent,
    ) -> Result<()> {
        let (kind, body) = event.encode()?;
        let draft = self.draft(&kind, AcceptanceEvent::FORMAT, body);
        let expected = Expected::Sequence(standing.sequence);
        match self.store.append(&stream_of(work.id)?, expected, &[draft], &[])? {
            Appended::Written(_) => {
                standing.apply(event);
                Ok(())
            }
            Appended::Spooled(why) => {
                let message = format!("the ledger is not available: {why}");
                Err(Error::new(Kind::Unavailable, message).hint("mend that, then accept again"))
            }
        }
    }
}

fn stream_of(undertaking: Stamp) -> Result<Stream> {
    AcceptanceEvent::stream(undertaking)
        .parse()
        .map_err(|error| Error::new(Kind::Bug, format!("an acceptance's stream: {error}")))
}
