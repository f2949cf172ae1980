//! What came of contracts: how it gets on the record, what it leaves to others, and how two workers
//! compare.

use countersign_domain::Stamp;
use countersign_domain::contract::{
    Agreement, Comparison, ContractEvent, Overall, Reassignment, Results,
};

use super::journal::stream;
use crate::Engine;
use crate::error::{Error, Kind, Result};

impl Engine {
    /// Puts what came of a contract on its record. Others may write to it meanwhile.
    pub(crate) fn record_results(
        &mut self,
        id: Stamp,
        make: &dyn Fn(&Agreement) -> Results,
    ) -> Result<()> {
        loop {
            let (agreement, sequence) = self.load_contract(id)?;
            let event = ContractEvent::Verified(Box::new(make(&agreement)));
            match self.write_contract(id, sequence, &[event]) {
                // Somebody was first; what they wrote may matter for what we write.
                Err(_) if self.head_of(id)? != sequence => {}
                written => return written,
            }
        }
    }

    pub(super) fn head_of(&self, id: Stamp) -> Result<u64> {
        Ok(self.store.head(&stream(id)?)?.map_or(0, |head| head.sequence))
    }

    /// What another worker must know about the newest work under a contract.
    pub fn reassignment(&self, id: Stamp) -> Result<Reassignment> {
        let agreement = self.reviewed_contract(id)?;
        Reassignment::of(&agreement).ok_or_else(|| nothing_failed(id, &agreement))
    }

    /// The newest work under a contract beside that of the worker before.
    pub fn compare_results(&self, id: Stamp) -> Result<Comparison> {
        let agreement = self.reviewed_contract(id)?;
        agreement.compare().ok_or_else(|| {
            let message = format!("less than two results of contract {id} are on the record");
            Error::new(Kind::Refused, message)
                .hint("verify work of another agent: countersign verify --contract ID --agent NAME")
        })
    }
}

/// Why there is nothing to hand on.
fn nothing_failed(id: Stamp, agreement: &Agreement) -> Error {
    let Some(results) = agreement.results.last() else {
        let message = format!("no work under contract {id} was verified yet");
        return Error::new(Kind::Refused, message).hint("verify some first");
    };
    let said = results.reviewed.as_ref().filter(|said| said.is_accepted);
    if let (Overall::Fail, Some(said)) = (results.overall, said) {
        let message = format!("the newest work under contract {id} was {}", said.words());
        return Error::new(Kind::Refused, message).hint("there is nothing to hand on");
    }
    let version = agreement.version(results.contract);
    let waits = version.map(|version| results.waits_for(&version.contract)).unwrap_or_default();
    if results.overall == Overall::Pending {
        let waits =
            if waits.is_empty() { String::new() } else { format!(": {}", waits.join("; ")) };
        let message = format!("the newest work under contract {id} is not decided yet{waits}");
        return Error::new(Kind::Refused, message)
            .hint("nothing failed, so there is nothing to hand on before that is answered");
    }
    let message = format!("the newest work under contract {id} holds");
    Error::new(Kind::Refused, message).hint("there is nothing to hand on")
}
