//! Examples: questions to the new code whose answers are compared here, not there.

use countersign_domain::verify::{Answered, Ground, Level};
use countersign_exec::runners::start;

use super::borrow::Borrowed;
use super::place::{Job, Place};
use super::{Moment, Work, reuse};
use crate::error::Result;

/// The longest answer that is compared.
const MOST_BYTES: usize = 1 << 20;

/// Asks every example of the terms, each in a checkout of its own.
pub(super) fn ask(
    work: &mut Work<'_>,
    borrowed: &[Borrowed],
    watch: &mut dyn FnMut(&Moment<'_>),
) -> Result<Vec<Answered>> {
    let mut answered = Vec::new();
    let first = work.terms.checks.len();
    let limit = std::time::Duration::from_secs(work.seconds);
    for (at, example) in work.terms.examples.clone().into_iter().enumerate() {
        let tree = work.tree.clone();
        // What it says about itself is no answer.
        let quiet = format!("( {} ) 2>/dev/null", example.command);
        let begun = start(None, &quiet, &Place::of(work).reports);
        let (number, level) = (first + at, Level::Oracle);
        let job = Job { begun: &begun, folder: "", number, attempt: 1, level, limit };
        let (command, ground) = (&example.command, Ground::Handed);
        let receipt = if let Some(found) = reuse::find(work, &job, (&tree, false))? {
            watch(&Moment::Reused { command, ground, from: found.receipt.run });
            let receipt = found.receipt.clone();
            work.record_reuse(ground, found)?;
            receipt
        } else {
            watch(&Moment::Running { command, ground });
            let place = Place::make(work, &tree, borrowed)?;
            let receipt = place.run(work, &job, &tree)?;
            place.end(work, &receipt.execution.ended);
            work.record_run(ground, receipt.clone(), None)?;
            receipt
        };
        let bytes = work.engine.store.blobs().read(&receipt.execution.output.blob)?;
        let printed = String::from_utf8_lossy(&bytes[..bytes.len().min(MOST_BYTES)]).into_owned();
        answered.push(Answered {
            example,
            printed,
            ended: receipt.execution.ended.clone(),
            receipt: receipt.id(),
        });
    }
    Ok(answered)
}
