//! Standard input of a hook: read whole, but never waited for without end, and never kept
//! beyond what a report can sensibly hold.

use std::io::Read as _;
use std::os::fd::AsFd as _;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};

/// The most bytes of a report that are kept; the rest is read and dropped, so that the agent is
/// not stuck with it.
pub const MOST: usize = 32 * 1024 * 1024;
/// How long nothing may come after a whole report before it is taken as it is.
const IDLE: Duration = Duration::from_secs(2);
/// How long an agent may take to begin its report.
const SILENCE: Duration = Duration::from_secs(8);
/// How long reading may take in all. An agent on a slow machine writes its report seconds after
/// it started the hook: what is not whole yet is waited for, for half the time that agents give.
const PATIENCE: Duration = Duration::from_secs(15);
/// What a pipe holds.
const CHUNK: usize = 64 * 1024;

/// What came on standard input, and why it may not be all.
#[derive(Debug, Default)]
pub struct Received {
    pub bytes: Vec<u8>,
    pub trouble: Option<String>,
}

/// Reads standard input.
pub fn receive() -> Received {
    let start = Instant::now();
    let mut received = Received { bytes: Vec::with_capacity(8 * 1024), trouble: None };
    let mut stdin = std::io::stdin().lock();
    let mut chunk = vec![0; CHUNK];
    loop {
        let left = PATIENCE.saturating_sub(start.elapsed());
        if !is_ready(IDLE.min(left)) {
            let most = if received.bytes.is_empty() { SILENCE } else { PATIENCE };
            if start.elapsed() + IDLE <= most && !is_whole(&received.bytes) {
                continue;
            }
            received.trouble = Some("standard input was not closed in time".to_owned());
            break;
        }
        match stdin.read(&mut chunk) {
            Ok(0) => break,
            Ok(count) => {
                let room = MOST - received.bytes.len();
                received.bytes.extend_from_slice(&chunk[..count.min(room)]);
                if count > room {
                    let why = format!("the report is larger than {MOST} bytes; its end is dropped");
                    received.trouble = Some(why);
                }
            }
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => {
                received.trouble = Some(format!("standard input can't be read: {error}"));
                break;
            }
        }
    }
    received
}

/// Whether nothing of a report is missing.
fn is_whole(bytes: &[u8]) -> bool {
    serde_json::from_slice::<serde::de::IgnoredAny>(bytes).is_ok()
}

/// Whether something (or the end) can be read within `patience`.
fn is_ready(patience: Duration) -> bool {
    let stdin = std::io::stdin();
    let mut wanted = [PollFd::from_borrowed_fd(stdin.as_fd(), PollFlags::IN)];
    let Ok(timeout) = Timespec::try_from(patience) else { return false };
    // An interrupted wait is as good as a long one: the reader looks again.
    matches!(poll(&mut wanted, Some(&timeout)), Ok(1..) | Err(rustix::io::Errno::INTR))
}
