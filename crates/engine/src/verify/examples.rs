//! Examples: questions to the new code whose answers are compared here, not there.

use countersign_domain::ObjectId;
use countersign_domain::verify::{Answered, Example, Ground, Level};
use countersign_exec::runners::start;

use super::borrow::Borrowed;
use super::place::{Job, Place};
use super::{Moment, Work, reuse};
use crate::error::Result;

/// The longest answer that is compared.
const MOST_BYTES: usize = 1 << 20;

/// Asks every example of the terms, each in a checkout of its own; those that are right now also of the base.
/// What it answers as well says nothing of the work.
pub(super) fn ask(
    work: &mut Work<'_>,
    borrowed: &[Borrowed],
    watch: &mut dyn FnMut(&Moment<'_>),
) -> Result<Vec<Answered>> {
    let mut answered = Vec::new();
    let first = work.terms.checks.len();
    let (tree, base) = (work.tree.clone(), work.terms.base_tree.clone());
    for (at, example) in work.terms.examples.clone().into_iter().enumerate() {
        let number = first + at;
        let now = answer(work, (&example, number), (&tree, Ground::Handed, borrowed), watch)?;
        let before = if now.is_right() && example.is_oracle() {
            let old = answer(work, (&example, number), (&base, Ground::Base, borrowed), watch)?;
            Some(old.is_right())
        } else {
            None
        };
        answered.push(Answered { before, ..now });
    }
    Ok(answered)
}

/// What the code of a tree says to an example.
fn answer(
    work: &mut Work<'_>,
    (example, number): (&Example, usize),
    (tree, ground, borrowed): (&ObjectId, Ground, &[Borrowed]),
    watch: &mut dyn FnMut(&Moment<'_>),
) -> Result<Answered> {
    let limit = std::time::Duration::from_secs(work.seconds);
    // What it says about itself is no answer.
    let quiet = format!("( {} ) 2>/dev/null", example.command);
    let begun = start(None, &quiet, &Place::of(work).reports);
    let level = Level::Oracle;
    let job = Job { begun: &begun, folder: "", number, attempt: 1, level, limit };
    let command = &example.command;
    let receipt = if let Some(found) = reuse::find(work, &job, (tree, false))? {
        watch(&Moment::Reused { command, ground, from: found.receipt.run });
        let receipt = found.receipt.clone();
        work.record_reuse(ground, found)?;
        receipt
    } else {
        watch(&Moment::Running { command, ground });
        let place = Place::make(work, tree, borrowed)?;
        let receipt = place.run(work, &job, tree)?;
        place.end(work, &receipt.execution.ended);
        work.record_run(ground, receipt.clone(), None)?;
        receipt
    };
    let bytes = work.engine.store.blobs().read(&receipt.execution.output.blob)?;
    let printed = String::from_utf8_lossy(&bytes[..bytes.len().min(MOST_BYTES)]).into_owned();
    let (example, ended) = (example.clone(), receipt.execution.ended.clone());
    Ok(Answered { example, printed, ended, receipt: receipt.id(), before: None })
}
