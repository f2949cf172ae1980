//! Letting time pass that a ruling told to wait, without being deaf to who wants the run to end.

use std::time::Duration;

use countersign_domain::run::{Run, RunEvent};
use jiff::Timestamp;

use crate::Engine;
use crate::error::Result;
use crate::query::stream_of;

/// How soon an end is noticed, of the time and of the run.
const EVERY: Duration = Duration::from_millis(200);

/// Waits until `until`, by the clock: a machine that slept meanwhile has waited. A clock that was set
/// back must not hold the run for longer than it was meant to wait.
pub(super) fn wait(engine: &Engine, run: &Run, attempt: u32, until: Timestamp) -> Result<RunEvent> {
    let begun = std::time::Instant::now();
    let whole = until.duration_since(engine.host.now());
    let whole = Duration::try_from(whole).unwrap_or_default();
    let stream = stream_of(run.id())?;
    while engine.host.now() < until && begun.elapsed() < whole {
        let head = engine.store.head(&stream)?;
        if head.is_some_and(|head| head.sequence > run.sequence) {
            break;
        }
        std::thread::sleep(EVERY.min(whole.saturating_sub(begun.elapsed())));
    }
    Ok(RunEvent::Waited { attempt })
}
