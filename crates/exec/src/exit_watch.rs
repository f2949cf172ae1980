//! Waiting for a process, with a limit, without signals and without stealing other children.

use std::os::fd::OwnedFd;
use std::process::Child;
use std::thread::sleep;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::Pid;

/// How often to look where the system offers nothing to wait on.
pub(crate) const LOOK_AGAIN: Duration = Duration::from_millis(10);

/// Something that becomes readable when the child `pid`, not yet reaped, has ended.
#[cfg(target_os = "linux")]
pub(crate) fn exit_of(pid: Pid) -> Option<OwnedFd> {
    rustix::process::pidfd_open(pid, rustix::process::PidfdFlags::empty()).ok()
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn exit_of(_pid: Pid) -> Option<OwnedFd> {
    None
}

pub(crate) fn pid_of(child: &Child) -> Option<Pid> {
    i32::try_from(child.id()).ok().and_then(Pid::from_raw)
}

/// A duration as `poll` wants it; never longer than an hour, which every caller loops over.
pub(crate) fn timeout(duration: Duration) -> Timespec {
    let capped = duration.min(Duration::from_hours(1));
    Timespec {
        tv_sec: i64::try_from(capped.as_secs()).unwrap_or(3600),
        tv_nsec: i64::from(capped.subsec_nanos()),
    }
}

/// Reaps `child` if it ends within `limit`; false if it does not.
pub(crate) fn wait_within(child: &mut Child, limit: Duration) -> bool {
    let begun = Instant::now();
    let exit = pid_of(child).and_then(exit_of);
    loop {
        // An error means that it is no longer our child: there is nothing left to wait for.
        if !matches!(child.try_wait(), Ok(None)) {
            return true;
        }
        let Some(remaining) = limit.checked_sub(begun.elapsed()) else {
            return false;
        };
        match &exit {
            Some(exit) => {
                let mut watched = [PollFd::new(exit, PollFlags::IN)];
                let _ = poll(&mut watched, Some(&timeout(remaining)));
            }
            None => sleep(LOOK_AGAIN.min(remaining)),
        }
    }
}
