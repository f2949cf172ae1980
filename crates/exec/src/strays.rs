//! What a killed supervisor leaves behind: found and ended by the leader.
//!
//! The leader adopts orphans too, so processes whose supervisor is gone become its children.
//! It must end those, and must not touch children that other code of this process started.

/// Where the processes of one launch come from.
#[derive(Debug, Clone)]
pub(crate) struct Origin {
    pub(crate) supervisor: i32,
    /// `NAME=value`, in the environment of every process that did not clear it.
    #[cfg_attr(not(target_os = "linux"), allow(dead_code))]
    marker: Vec<u8>,
    /// When the supervisor was started, in ticks; nobody below it is older.
    #[cfg_attr(not(target_os = "linux"), allow(dead_code))]
    born: Option<u64>,
    /// The program itself, once it is known to have started.
    pub(crate) program: Option<i32>,
}

/// What became of a kin that nobody leads any more.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct EndedKin {
    pub ended: usize,
    /// Those that could not be ended.
    pub left: usize,
}

#[cfg(target_os = "linux")]
mod system {
    use std::collections::BTreeSet;
    use std::sync::Once;
    use std::thread::sleep;
    use std::time::{Duration, Instant};

    use rustix::process::{Pid, Signal, WaitOptions, getpid, set_child_subreaper, waitpid};

    use super::{EndedKin, Origin};
    use crate::launch::{LAUNCH_MARKER, supervisors};
    use crate::process_table::{
        Process, below, carries, carries_beginning, process, processes, signal,
    };
    use crate::spec::Kin;
    use crate::tree::KILL_LIMIT;

    impl Origin {
        /// Read at once after the start, while the supervisor is certainly ours.
        pub(crate) fn of(supervisor: i32, marker: Vec<u8>) -> Self {
            let born = process(supervisor).map(|row| row.born);
            Self { supervisor, marker, born, program: None }
        }
    }

    /// Makes this process the adopter of orphans below it.
    pub(crate) fn adopt_orphans() {
        static ADOPT: Once = Once::new();
        // Every kernel since 3.4 can; on an older one strays are found by their marker only.
        ADOPT.call_once(|| {
            let _ = set_child_subreaper(Some(getpid()));
        });
    }

    /// Ends all strays of `origin`; how many could not be ended.
    pub(crate) fn end_strays(origin: &Origin) -> u32 {
        let begun = Instant::now();
        loop {
            let left = kill_once(origin);
            if left == 0 || begun.elapsed() >= KILL_LIMIT {
                return left;
            }
            sleep(Duration::from_millis(2));
        }
    }

    /// Ends every process of `kin`, and all below them: for who has made sure that nobody leads them.
    /// Neither this process nor any that led to it is touched, nor what this process supervises.
    pub fn end_kin(kin: &Kin) -> EndedKin {
        let begun = Instant::now();
        let beginning = format!("{LAUNCH_MARKER}={}", kin.digits());
        let mut seen = BTreeSet::new();
        loop {
            let supervisors = supervisors();
            let table = processes();
            let spared: BTreeSet<i32> = lineage().chain(supervisors.iter().copied()).collect();
            let is_kin = |row: &&Process| {
                !spared.contains(&row.pid) && carries_beginning(row.pid, beginning.as_bytes())
            };
            let mut left: Vec<Process> = table.iter().filter(is_kin).cloned().collect();
            let roots = left.iter().map(|row| row.pid).collect();
            left.extend(below(&table, &roots).into_iter().filter(|row| !spared.contains(&row.pid)));
            for one in &left {
                signal(one, Signal::KILL);
                seen.insert((one.pid, one.born));
            }
            if left.is_empty() || begun.elapsed() >= KILL_LIMIT {
                return EndedKin { ended: seen.len() - left.len(), left: left.len() };
            }
            drop(supervisors);
            sleep(Duration::from_millis(2));
        }
    }

    /// This process and all that led to it.
    fn lineage() -> impl Iterator<Item = i32> {
        let parent = |pid: &i32| process(*pid).map(|row| row.parent).filter(|pid| *pid > 0);
        std::iter::successors(Some(getpid().as_raw_nonzero().get()), parent)
    }

    fn kill_once(origin: &Origin) -> u32 {
        let supervisors = supervisors();
        let own = getpid().as_raw_nonzero().get();
        let Some(session) = process(own).map(|row| row.session) else {
            return 0;
        };
        let table = processes();
        let is_stray = |row: &&Process| {
            row.pid != own
                && !supervisors.contains(&row.pid)
                && (is_orphan(row, origin, own, session) || carries(row.pid, &origin.marker))
        };
        let mut strays: Vec<Process> = table.iter().filter(is_stray).cloned().collect();
        let roots: BTreeSet<i32> = strays.iter().map(|row| row.pid).collect();
        strays.extend(below(&table, &roots));
        for stray in &strays {
            signal(stray, Signal::KILL);
            if let Some(pid) = Pid::from_raw(stray.pid).filter(|_| stray.parent == own) {
                let _ = waitpid(Some(pid), WaitOptions::NOHANG);
            }
        }
        u32::try_from(strays.len()).unwrap_or(u32::MAX)
    }

    /// A supervisor opens a session of its own, and a session can be left but not joined. So a
    /// child of ours in our session was started by us, and one in another session, younger than
    /// the supervisor, came from below it. (A child of ours that opens a session by itself,
    /// such as a daemon of git, is the one thing that looks the same.)
    fn is_orphan(row: &Process, origin: &Origin, own: i32, session: i32) -> bool {
        // Within one tick the numbers tell who is younger: they are given out in order.
        let younger = |born| (row.born, row.pid) > (born, origin.supervisor);
        row.parent == own && row.session != session && origin.born.is_some_and(younger)
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    use rustix::process::{Pid, Signal, kill_process_group};

    use super::{EndedKin, Origin};
    use crate::spec::Kin;

    /// Elsewhere nobody can be found by what it bears.
    pub fn end_kin(_kin: &Kin) -> EndedKin {
        EndedKin::default()
    }

    impl Origin {
        pub(crate) fn of(supervisor: i32, marker: Vec<u8>) -> Self {
            Self { supervisor, marker, born: None, program: None }
        }
    }

    pub(crate) fn adopt_orphans() {}

    /// The program's process group is all that can be reached here.
    pub(crate) fn end_strays(origin: &Origin) -> u32 {
        if let Some(program) = origin.program.and_then(Pid::from_raw) {
            let _ = kill_process_group(program, Signal::KILL);
        }
        0
    }
}

pub use system::end_kin;
pub(crate) use system::{adopt_orphans, end_strays};
