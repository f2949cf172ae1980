//! Running one program: the leader's side.

use std::io::{self, Write};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, poll};

use crate::cancel::{Cancel, Listening};
use crate::control::{Cause, Heard, Report, Reports};
use crate::excerpt::Excerpt;
use crate::exit_watch::timeout;
use crate::launch::Launch;
use crate::sink::{Poured, Sink};
use crate::spec::{Ended, Error, Finished, Spec, Supervisor};
use crate::tree::KILL_LIMIT;

/// What a supervisor gets beyond the program's deadline and grace before it counts as hung.
const MARGIN: Duration = KILL_LIMIT.saturating_add(Duration::from_secs(2));

/// How long and how much we still read when nobody of the tree is left. The pipe holds no more
/// than this; whoever keeps it open was handed it from outside the tree.
const DRAIN_LIMIT: Duration = Duration::from_secs(2);
const DRAIN_BYTES: usize = 1024 * 1024;

/// Runs a program to its end and writes all its output, both streams as they come, to `output`.
///
/// When this returns, no process of the program's tree is left. An error means that something on
/// our side failed; whatever the program itself does is an [`Ended`].
pub fn run(
    supervisor: &Supervisor,
    spec: &Spec,
    cancel: &Cancel,
    output: &mut dyn Write,
) -> Result<Finished, Error> {
    let listening = cancel.listen().map_err(Error::Watch)?;
    let sink = Sink::new(output, spec.max_output);
    if cancel.is_cancelled() {
        return Ok(account(sink, Ended::Cancelled, Duration::ZERO, 0));
    }
    let limit = spec.deadline.saturating_add(spec.grace).saturating_add(MARGIN);
    let launch = Launch::start(supervisor, spec)?;
    let mut run = Run { launch, sink, begun: Instant::now(), limit, stop: None, piped: true };
    match run.follow(&listening, spec.grace)? {
        Outcome::Reported(report) => run.conclude(report),
        Outcome::Lost(reason) => run.give_up(reason),
    }
}

/// Why the leader asked for the end.
#[derive(Debug)]
enum Stop {
    Flooded,
    Cancelled,
    Failed(io::Error),
}

enum Outcome {
    Reported(Report),
    Lost(&'static str),
}

struct Run<'a> {
    launch: Launch,
    sink: Sink<'a>,
    begun: Instant,
    /// When the supervisor counts as hung, counted from `begun`.
    limit: Duration,
    stop: Option<Stop>,
    /// The output is still open.
    piped: bool,
}

impl Run<'_> {
    /// Reads output and reports until the supervisor has said how it ended, or can't any more.
    fn follow(&mut self, listening: &Listening, grace: Duration) -> Result<Outcome, Error> {
        let mut reports = Reports::default();
        loop {
            let ready = self.wait(listening)?;
            if ready.control {
                let Heard::Reports(heard) = reports.read(&self.launch.control) else {
                    return Ok(Outcome::Lost("the supervisor ended without a report"));
                };
                for report in heard {
                    match report {
                        Report::Started { pid } => self.launch.origin.program = Some(pid),
                        last => return Ok(Outcome::Reported(last)),
                    }
                }
            } else if self.begun.elapsed() >= self.limit {
                return Ok(Outcome::Lost("the supervisor did not answer in time"));
            }
            if ready.cancelled {
                self.stop(Stop::Cancelled, grace);
            }
            if ready.output {
                match self.sink.pour(&mut self.launch.output) {
                    Poured::More(_) => {}
                    Poured::End => self.piped = false,
                    Poured::Full => self.stop(Stop::Flooded, grace),
                    Poured::Failed(error) => self.stop(Stop::Failed(error), grace),
                }
            }
        }
    }

    fn wait(&self, listening: &Listening) -> Result<Ready, Error> {
        let remaining = self.limit.saturating_sub(self.begun.elapsed());
        // A cancelled handle stays readable; it was heard once `stop` is set.
        let unheard = if self.stop.is_none() { PollFlags::IN } else { PollFlags::empty() };
        let mut watched = [
            PollFd::new(&self.launch.control, PollFlags::IN),
            PollFd::new(&listening.wake, unheard),
            PollFd::new(&self.launch.output, PollFlags::IN),
        ];
        // An output that has ended would report that again and again.
        let count = if self.piped { 3 } else { 2 };
        match poll(&mut watched[..count], Some(&timeout(remaining))) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(Error::Watch(error.into())),
        }
        let ready = |at: usize| !watched[at].revents().is_empty();
        Ok(Ready {
            control: ready(0),
            cancelled: ready(1) && self.stop.is_none(),
            output: ready(2) && self.piped,
        })
    }

    /// Asks for the end once; the first reason stands.
    fn stop(&mut self, why: Stop, grace: Duration) {
        if self.stop.is_none() {
            self.stop = Some(why);
            self.launch.ask_for_the_end();
            let limit = self.begun.elapsed().saturating_add(grace).saturating_add(MARGIN);
            self.limit = self.limit.min(limit);
        }
    }

    /// The supervisor has reported how it went.
    fn conclude(mut self, report: Report) -> Result<Finished, Error> {
        let (cause, duration, stragglers, left, used) = match report {
            Report::Ended { cause, duration, stragglers, left, used } => {
                (cause, duration, stragglers, left, used)
            }
            Report::NotStarted { reason } => {
                self.launch.finish();
                let ended = Ended::NotStarted { reason };
                return Ok(account(self.sink, ended, Duration::ZERO, 0));
            }
            Report::Started { .. } => return self.give_up("the supervisor repeated itself"),
        };
        self.drain();
        self.flush();
        if left > 0 {
            self.launch.destroy();
        } else {
            self.launch.finish();
        }
        let ended = match (self.stop, cause) {
            _ if left > 0 => Ended::Lost { reason: format!("{left} processes can't be ended") },
            (Some(Stop::Failed(error)), _) => return Err(Error::Output(error)),
            (Some(Stop::Flooded), _) => Ended::Flooded,
            (Some(Stop::Cancelled), _) | (None, Cause::Asked) => Ended::Cancelled,
            (None, Cause::Exited { code }) => Ended::Exited { code },
            (None, Cause::Signalled { signal }) => Ended::Signalled { signal },
            (None, Cause::TimedOut) => Ended::TimedOut,
        };
        Ok(Finished { used, ..account(self.sink, ended, duration, stragglers) })
    }

    /// The supervisor is gone or hung: end what it was to end, and vouch for nothing.
    fn give_up(mut self, why: &str) -> Result<Finished, Error> {
        let duration = self.begun.elapsed();
        let left = self.launch.destroy();
        self.drain();
        self.flush();
        if let Some(Stop::Failed(error)) = self.stop {
            return Err(Error::Output(error));
        }
        let reason = match left {
            0 => why.to_owned(),
            left => format!("{why}; {left} processes can't be ended"),
        };
        Ok(account(self.sink, Ended::Lost { reason }, duration, 0))
    }

    /// Takes what is still in the pipe, without trusting anybody to close it.
    fn drain(&mut self) {
        let begun = Instant::now();
        let mut drained = 0;
        while self.piped && drained <= DRAIN_BYTES {
            let remaining = DRAIN_LIMIT.saturating_sub(begun.elapsed());
            let mut watched = [PollFd::new(&self.launch.output, PollFlags::IN)];
            match poll(&mut watched, Some(&timeout(remaining))) {
                Ok(0) => return,
                Ok(_) => {}
                Err(_) if remaining.is_zero() => return,
                Err(_) => continue,
            }
            match self.sink.pour(&mut self.launch.output) {
                Poured::More(count) => drained += count,
                Poured::End => self.piped = false,
                Poured::Full => self.stop = self.stop.take().or(Some(Stop::Flooded)),
                Poured::Failed(error) => self.stop = Some(Stop::Failed(error)),
            }
        }
    }

    fn flush(&mut self) {
        if let Err(error) = self.sink.flush() {
            self.stop = Some(Stop::Failed(error));
        }
    }
}

#[derive(Debug, Clone, Copy)]
struct Ready {
    control: bool,
    cancelled: bool,
    output: bool,
}

fn account(sink: Sink<'_>, ended: Ended, duration: Duration, stragglers: u32) -> Finished {
    let excerpt: Excerpt = sink.excerpt.finish();
    Finished { ended, duration, output_bytes: sink.bytes, excerpt, stragglers, used: None }
}
