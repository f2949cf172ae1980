//! The tree of processes below a supervisor, and how it is ended.
//!
//! On Linux the supervisor is the adopter of all orphans below it. So a process of the tree can
//! change its group, session or parents as it likes and remains below us, and "we have no child
//! left" means that nobody is left: no guess from names or groups is needed.

use std::thread::sleep;
use std::time::{Duration, Instant};

use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitOptions, WaitStatus, wait};

/// How long SIGKILL may take to work before we say that it does not.
pub(crate) const KILL_LIMIT: Duration = Duration::from_secs(4);

/// How long processes that are about to end anyway are left alone, so that the last members of
/// a pipeline are not counted as stragglers.
const SETTLE: Duration = Duration::from_millis(20);

const MAX_PAUSE: Duration = Duration::from_millis(50);

/// The program and everything it started.
#[derive(Debug)]
pub(crate) struct Tree {
    program: Pid,
    status: Option<WaitStatus>,
}

/// What was found when the tree was ended.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Felled {
    /// Processes other than the program that had to be told to end.
    pub(crate) stragglers: u32,
    /// Processes that even SIGKILL did not end: not ours to signal, or stuck in the kernel.
    pub(crate) left: u32,
}

impl Tree {
    pub(crate) fn new(program: Pid) -> Self {
        Self { program, status: None }
    }

    pub(crate) fn program(&self) -> Pid {
        self.program
    }

    /// How the program ended, once [`Self::reap`] has met it.
    pub(crate) fn status(&self) -> Option<WaitStatus> {
        self.status
    }

    /// Collects all that have ended; true while anybody is left.
    pub(crate) fn reap(&mut self) -> bool {
        loop {
            match wait(WaitOptions::NOHANG) {
                Ok(Some((pid, status))) if pid == self.program => self.status = Some(status),
                Ok(Some(_)) | Err(Errno::INTR) => {}
                Ok(None) => return true,
                Err(_) => return self.has_others(),
            }
        }
    }

    /// Ends everybody: SIGTERM, `grace`, SIGKILL, until nobody is left.
    pub(crate) fn end(&mut self, grace: Duration) -> Felled {
        if self.status.is_some() && self.gone_within(SETTLE) {
            return Felled::default();
        }
        let stragglers = self.ask(grace);
        Felled { stragglers, left: self.kill() }
    }

    fn gone_within(&mut self, limit: Duration) -> bool {
        let begun = Instant::now();
        while self.reap() {
            if begun.elapsed() >= limit {
                return false;
            }
            sleep(Duration::from_millis(1));
        }
        true
    }
}

#[cfg(target_os = "linux")]
impl Tree {
    /// Orphans come to us, so whoever is left is a child, and `wait` would have said so.
    #[allow(clippy::unused_self)]
    fn has_others(&self) -> bool {
        false
    }

    /// SIGTERM to everybody, also to those that appear meanwhile, until all left or time is up.
    fn ask(&mut self, grace: Duration) -> u32 {
        let begun = Instant::now();
        let mut told = std::collections::BTreeSet::new();
        let mut stragglers = None;
        let mut pause = Duration::from_millis(1);
        loop {
            let members = members();
            let others = members.iter().filter(|p| !p.zombie && p.pid != self.program_number());
            stragglers.get_or_insert(u32::try_from(others.count()).unwrap_or(u32::MAX));
            for process in members {
                if told.insert((process.pid, process.born)) {
                    crate::process_table::signal(&process, Signal::TERM);
                    // A stopped process can't act on the request until it is continued.
                    crate::process_table::signal(&process, Signal::CONT);
                }
            }
            let remaining = grace.saturating_sub(begun.elapsed());
            if self.gone_within(pause.min(remaining)) || remaining.is_zero() {
                return stragglers.unwrap_or(0);
            }
            pause = (pause * 2).min(MAX_PAUSE);
        }
    }

    /// SIGKILL to everybody, again and again, because they may keep forking.
    fn kill(&mut self) -> u32 {
        let begun = Instant::now();
        while self.reap() {
            let members = members();
            if begun.elapsed() >= KILL_LIMIT {
                return u32::try_from(members.len().max(1)).unwrap_or(u32::MAX);
            }
            kill_groups(&members);
            for process in &members {
                crate::process_table::signal(process, Signal::KILL);
            }
            if self.gone_within(Duration::from_millis(1)) {
                break;
            }
        }
        0
    }

    fn program_number(&self) -> i32 {
        self.program.as_raw_nonzero().get()
    }
}

#[cfg(target_os = "linux")]
fn members() -> Vec<crate::process_table::Process> {
    let own = rustix::process::getpid().as_raw_nonzero().get();
    crate::process_table::below(&crate::process_table::processes(), &[own].into())
}

/// The kernel signals a group at one instant, so a chain of forks can't outrun it as it can
/// outrun our walk. Our session is our own and theirs are below it: no group of theirs has a
/// stranger in it, save for our own group, which they could join.
#[cfg(target_os = "linux")]
fn kill_groups(members: &[crate::process_table::Process]) {
    let own = rustix::process::getpgrp();
    let groups: std::collections::BTreeSet<i32> = members.iter().map(|p| p.group).collect();
    for group in groups.into_iter().filter(|group| *group > 1).filter_map(Pid::from_raw) {
        if group != own {
            let _ = rustix::process::kill_process_group(group, Signal::KILL);
        }
    }
}

/// Without adoption and `/proc`, the program's process group is all that we can reach: a
/// process that leaves the group on purpose escapes.
#[cfg(not(target_os = "linux"))]
impl Tree {
    fn has_others(&self) -> bool {
        rustix::process::test_kill_process_group(self.program).is_ok()
    }

    fn ask(&mut self, grace: Duration) -> u32 {
        let stragglers = u32::from(self.status.is_some());
        let _ = rustix::process::kill_process_group(self.program, Signal::TERM);
        let _ = rustix::process::kill_process_group(self.program, Signal::CONT);
        self.gone_within(grace);
        stragglers
    }

    fn kill(&mut self) -> u32 {
        let begun = Instant::now();
        while self.reap() {
            if begun.elapsed() >= KILL_LIMIT {
                return 1;
            }
            let _ = rustix::process::kill_process_group(self.program, Signal::KILL);
            self.gone_within(MAX_PAUSE);
        }
        0
    }
}
