//! What the processes that this one has waited for have used.

use countersign_domain::receipt::Used;
use nix::sys::resource::{Usage, UsageWho, getrusage};
use nix::sys::time::{TimeVal, TimeValLike as _};

/// What all children used that were waited for, and their children. The supervisor waits for the
/// program and for every orphan, so nothing is left out but what could not be ended.
pub(crate) fn by_children() -> Option<Used> {
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN).ok()?;
    Some(Used { cpu_ms: cpu(&usage), peak_bytes: peak(&usage) })
}

fn cpu(usage: &Usage) -> u64 {
    let milliseconds = |time: TimeVal| u64::try_from(time.num_milliseconds()).unwrap_or(0);
    milliseconds(usage.user_time()).saturating_add(milliseconds(usage.system_time()))
}

/// The most memory that one process had; systems count it in different units.
fn peak(usage: &Usage) -> u64 {
    let unit = if cfg!(any(target_os = "macos", target_os = "ios")) { 1 } else { 1024 };
    u64::try_from(usage.max_rss()).unwrap_or(0).saturating_mul(unit)
}
