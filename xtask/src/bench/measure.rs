//! Taking the time and the memory of processes.

use std::fs;
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};

/// Medians of two things measured in turns.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pair {
    pub(super) floor: Duration,
    pub(super) ours: Duration,
    pub(super) runs: usize,
}

/// Measures `floor` and `ours` in turns, `runs` times each. Which goes first changes every
/// time, so that neither always finds what the other left warm.
pub(super) fn in_turns(
    runs: usize,
    mut floor: impl FnMut(usize) -> anyhow::Result<Duration>,
    mut ours: impl FnMut(usize) -> anyhow::Result<Duration>,
) -> anyhow::Result<Pair> {
    // The first time pays for cold caches.
    floor(0)?;
    ours(1)?;
    let (mut floors, mut all_ours) = (Vec::new(), Vec::new());
    for run in 1..=runs {
        if run % 2 == 0 {
            floors.push(floor(2 * run)?);
            all_ours.push(ours(2 * run + 1)?);
        } else {
            all_ours.push(ours(2 * run)?);
            floors.push(floor(2 * run + 1)?);
        }
    }
    Ok(Pair { floor: median(floors), ours: median(all_ours), runs })
}

pub(super) fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

/// How long `command` takes from its start to its end.
pub(super) fn time(command: &mut Command) -> anyhow::Result<Duration> {
    let start = Instant::now();
    let status = command.status().with_context(|| format!("{command:?} can't be started"))?;
    let taken = start.elapsed();
    ensure!(status.success(), "{command:?} ended with {status}");
    Ok(taken)
}

/// How long `command` takes, and the most memory it held, in bytes.
pub(super) fn time_and_peak(command: &mut Command) -> anyhow::Result<(Duration, u64)> {
    let start = Instant::now();
    let mut child = command.spawn().with_context(|| format!("{command:?} can't be started"))?;
    let mut peak = 0;
    let status = loop {
        peak = memory(&child).unwrap_or(0).max(peak);
        if let Some(status) = child.try_wait()? {
            break status;
        }
        std::thread::sleep(Duration::from_millis(2));
    };
    ensure!(status.success(), "{command:?} ended with {status}");
    Ok((start.elapsed(), peak))
}

/// The most memory that `child` has held up to now; `None` when it has ended.
pub(super) fn memory(child: &Child) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_the_middle_one() {
        let times = |all: &[u64]| all.iter().map(|ms| Duration::from_millis(*ms)).collect();
        assert_eq!(median(times(&[9, 1, 5])), Duration::from_millis(5));
        assert_eq!(median(Vec::new()), Duration::ZERO);
    }

    #[test]
    fn both_sides_run_equally_often_and_in_turns() {
        let order = std::cell::RefCell::new(String::new());
        let run = |letter| {
            order.borrow_mut().push(letter);
            Ok(Duration::from_millis(if letter == 'f' { 2 } else { 3 }))
        };
        let pair = in_turns(3, |_| run('f'), |_| run('o')).unwrap();
        assert_eq!(*order.borrow(), "fooffoof");
        assert_eq!((pair.floor.as_millis(), pair.ours.as_millis(), pair.runs), (2, 3, 3));
    }
}
