//! Examples: questions to the new code whose answers are compared here, not there.

use countersign_domain::verify::{Answered, Ground};
use countersign_exec::runners::start;

use super::borrow::Borrowed;
use super::suite::Place;
use super::{Moment, Work};
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
        watch(&Moment::Running { command: &example.command, ground: Ground::Handed });
        let tree = work.tree.clone();
        let place = Place::make(work, &tree, borrowed)?;
        // What it says about itself is no answer.
        let quiet = format!("( {} ) 2>/dev/null", example.command);
        let begun = start(None, &quiet, &place.checkout);
        let receipt = place.run(work, (&begun, &place.checkout), (first + at, limit), &tree)?;
        place.clear();
        let bytes = work.engine.store.blobs().read(&receipt.execution.output.blob)?;
        let printed = String::from_utf8_lossy(&bytes[..bytes.len().min(MOST_BYTES)]).into_owned();
        answered.push(Answered {
            example,
            printed,
            ended: receipt.execution.ended.clone(),
            receipt: receipt.id(),
        });
        work.record_run(Ground::Handed, receipt)?;
    }
    Ok(answered)
}
