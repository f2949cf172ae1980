//! The supervisor: one process per program, which outlives both the program and the leader.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::process::setsid;

use crate::control::{Cause, Order, Report, is_passing, send};
use crate::exit_watch::{LOOK_AGAIN, exit_of, pid_of, timeout};
use crate::start::start;
use crate::tree::Tree;

/// How often adopted orphans that have ended are collected while the program runs.
const REAP_EVERY: Duration = Duration::from_secs(1);

/// The whole life of a supervisor: takes one order from its standard input, which is the control
/// channel, and returns when no process of the run is left.
pub fn supervise() -> ExitCode {
    match serve() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(io::stderr(), "countersign starts this command itself: {error}");
            ExitCode::from(2)
        }
    }
}

fn serve() -> io::Result<()> {
    let channel = UnixStream::from(io::stdin().as_fd().try_clone_to_owned()?);
    channel.peer_addr()?;
    let mut reader = BufReader::new(&channel);
    let mut line = Vec::new();
    reader.read_until(b'\n', &mut line)?;
    let order: Order = serde_json::from_slice(&line)?;
    let asked_already = !reader.buffer().is_empty();
    let report = fulfil(order, &channel, asked_already);
    // A leader that can't be told is gone, and then nobody is left who would want to know.
    let _ = send(&channel, &report);
    Ok(())
}

/// Runs the program and ends its tree. Nothing in here returns while the tree lives.
fn fulfil(order: Order, channel: &UnixStream, asked_already: bool) -> Report {
    let (deadline, grace) = (order.deadline, order.grace);
    let begun = Instant::now();
    let started = stand_apart().and_then(|()| start(order));
    let program = started.and_then(|child| pid_of(&child).ok_or("no process id".to_owned()));
    let program = match program {
        Ok(program) => program,
        // A reason may quote an argument, which may be a megabyte long.
        Err(reason) => {
            return Report::NotStarted { reason: reason.chars().take(1000).collect() };
        }
    };
    let _ = send(channel, &Report::Started { pid: program.as_raw_nonzero().get() });

    let mut tree = Tree::new(program);
    let cause =
        if asked_already { Cause::Asked } else { watch(&mut tree, channel, begun, deadline) };
    let duration = begun.elapsed();
    let felled = tree.end(grace);
    let used = crate::used::by_children();
    Report::Ended { cause, duration, stragglers: felled.stragglers, left: felled.left, used }
}

/// Makes this process the adopter of all orphans below it, in a session of its own: no terminal
/// can signal it, and no process below it can share a session with anything above.
#[cfg(target_os = "linux")]
fn stand_apart() -> Result<(), String> {
    use rustix::process::{DumpableBehavior, getpid, set_child_subreaper, set_dumpable_behavior};

    set_child_subreaper(Some(getpid()))
        .map_err(|error| format!("orphans can't be adopted: {error}"))?;
    // Fails only if we lead a session already.
    let _ = setsid();
    // The program runs as the same user. Without this it could attach to us as a debugger does
    // and write a report of its own.
    let _ = set_dumpable_behavior(DumpableBehavior::NotDumpable);
    // `killall countersign` is to end the leader; we then end the tree.
    let _ = rustix::thread::set_name(c"cs-supervisor");
    Ok(())
}

#[cfg(not(target_os = "linux"))]
#[allow(clippy::unnecessary_wraps)]
fn stand_apart() -> Result<(), String> {
    let _ = setsid();
    Ok(())
}

/// Waits for the first of: the program ends, time is up, the leader asks or is gone.
fn watch(tree: &mut Tree, channel: &UnixStream, begun: Instant, deadline: Duration) -> Cause {
    let exit = exit_of(tree.program());
    let tick = if exit.is_some() { REAP_EVERY } else { LOOK_AGAIN };
    loop {
        tree.reap();
        if let Some(status) = tree.status() {
            return match status.terminating_signal() {
                Some(signal) => Cause::Signalled { signal },
                None => Cause::Exited { code: status.exit_status().unwrap_or(-1) },
            };
        }
        let remaining = deadline.saturating_sub(begun.elapsed());
        if remaining.is_zero() {
            return Cause::TimedOut;
        }
        let mut watched = vec![PollFd::new(channel, PollFlags::IN)];
        watched.extend(exit.as_ref().map(|exit| PollFd::new(exit, PollFlags::IN)));
        let _ = poll(&mut watched, Some(&timeout(remaining.min(tick))));
        if !watched[0].revents().is_empty() && leader_wants_the_end(channel) {
            tree.reap();
            if tree.status().is_none() {
                return Cause::Asked;
            }
        }
    }
}

/// Any byte is a request; the end of the channel means that the leader is gone.
fn leader_wants_the_end(mut channel: &UnixStream) -> bool {
    let read = channel.read(&mut [0; 64]);
    !read.is_err_and(|error| is_passing(&error))
}
