//! The process table, read from `/proc`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Signal, kill_process, pidfd_open, pidfd_send_signal};

/// One row. A process is known by `pid` and `born` together: numbers are used again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Process {
    pub(crate) pid: i32,
    pub(crate) parent: i32,
    pub(crate) group: i32,
    pub(crate) session: i32,
    /// The main thread has ended. Other threads may still run, so it can still need a signal.
    pub(crate) zombie: bool,
    /// When it was started, in ticks since the machine was.
    pub(crate) born: u64,
}

/// Every process that can be seen now. Not one instant: rows are read one after the other.
pub(crate) fn processes() -> Vec<Process> {
    let Ok(entries) = fs::read_dir("/proc") else {
        return Vec::new();
    };
    entries
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .filter_map(process)
        .collect()
}

pub(crate) fn process(pid: i32) -> Option<Process> {
    parse(pid, &fs::read(format!("/proc/{pid}/stat")).ok()?)
}

/// The program's name stands in parentheses and may itself contain any byte, so fields are
/// counted from the last closing one.
fn parse(pid: i32, stat: &[u8]) -> Option<Process> {
    let after_name = stat.iter().rposition(|byte| *byte == b')')? + 1;
    let fields = std::str::from_utf8(&stat[after_name..]).ok()?;
    let mut fields = fields.split_ascii_whitespace();
    Some(Process {
        pid,
        zombie: matches!(fields.next()?, "Z" | "X"),
        parent: fields.next()?.parse().ok()?,
        group: fields.next()?.parse().ok()?,
        session: fields.next()?.parse().ok()?,
        born: fields.nth(15)?.parse().ok()?,
    })
}

/// All processes whose line of parents leads to one of `roots`, without the roots.
pub(crate) fn below(table: &[Process], roots: &BTreeSet<i32>) -> Vec<Process> {
    let mut children: BTreeMap<i32, Vec<&Process>> = BTreeMap::new();
    for process in table {
        children.entry(process.parent).or_default().push(process);
    }
    let mut seen = roots.clone();
    let mut open: Vec<i32> = roots.iter().copied().collect();
    let mut found = Vec::new();
    while let Some(parent) = open.pop() {
        for child in children.get(&parent).into_iter().flatten() {
            if seen.insert(child.pid) {
                open.push(child.pid);
                found.push((*child).clone());
            }
        }
    }
    found
}

/// Signals exactly this process, not another one that was given its number since.
pub(crate) fn signal(process: &Process, signal: Signal) {
    let Some(pid) = Pid::from_raw(process.pid) else {
        return;
    };
    match pidfd_open(pid, PidfdFlags::empty()) {
        // While the handle is open the number can't change hands, so the check holds.
        Ok(handle) => {
            if self::process(process.pid).is_some_and(|now| now.born == process.born) {
                let _ = pidfd_send_signal(&handle, signal);
            }
        }
        Err(Errno::SRCH) => {}
        Err(_) => {
            let _ = kill_process(pid, signal);
        }
    }
}

/// Whether the process was started with exactly this `NAME=value` in its environment.
pub(crate) fn carries(pid: i32, variable: &[u8]) -> bool {
    fs::read(format!("/proc/{pid}/environ"))
        .is_ok_and(|environ| environ.split(|byte| *byte == 0).any(|entry| entry == variable))
}

/// Whether the process was started with a variable in its environment that begins so.
pub(crate) fn carries_beginning(pid: i32, beginning: &[u8]) -> bool {
    fs::read(format!("/proc/{pid}/environ")).is_ok_and(|environ| {
        environ.split(|byte| *byte == 0).any(|entry| entry.starts_with(beginning))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(pid: i32, parent: i32) -> Process {
        Process { pid, parent, group: 0, session: 0, zombie: false, born: 0 }
    }

    #[test]
    fn names_with_parentheses_do_not_shift_fields() {
        let stat = b"42 (a) S 1 (x) Z 7 8 9 0 -1 4194560 0 0 0 0 1 2 3 4 20 0 1 0 987 1 2\n";
        let expected =
            Process { pid: 42, parent: 7, group: 8, session: 9, zombie: true, born: 987 };
        assert_eq!(parse(42, stat), Some(expected));
        assert_eq!(parse(42, b""), None);
        assert_eq!(parse(42, b"42 (a) S 1"), None);
    }

    #[test]
    fn below_finds_all_generations_and_survives_a_loop() {
        let table = [row(1, 0), row(2, 1), row(3, 2), row(4, 3), row(5, 1), row(8, 9), row(9, 8)];
        let pids = |roots: &[i32]| -> BTreeSet<i32> {
            below(&table, &roots.iter().copied().collect()).iter().map(|p| p.pid).collect()
        };
        assert_eq!(pids(&[2]), BTreeSet::from([3, 4]));
        assert_eq!(pids(&[2, 3]), BTreeSet::from([4]));
        assert_eq!(pids(&[8]), BTreeSet::from([9]));
        assert_eq!(pids(&[77]), BTreeSet::new());
    }

    #[test]
    fn we_are_in_the_table() {
        let me = i32::try_from(std::process::id()).unwrap();
        let mine = process(me).unwrap();
        assert!(processes().contains(&mine));
        assert!(!mine.zombie);
    }
}
