//! Runs whose tests look at the whole process they are in, so they need one without the others.

#![allow(clippy::unwrap_used, dead_code)]
#![cfg(target_os = "linux")]

#[path = "exec/support.rs"]
mod support;

use std::fs;
use std::io::{self, Write};
use std::process::Command;
use std::thread;

use countersign_exec::Ended;

use support::{Bench, eventually, exited, try_run};

const GIGABYTE: u64 = 1_000_000_000;

/// Counts, and stays as small as it is.
#[derive(Default)]
struct Counter(u64);

impl Write for Counter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn peak_memory_in_kib() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}

/// Read from `/proc`: the session we are in may belong to a leader outside of our namespace, which
/// is told as 0, and `getsid` of the library takes that for impossible.
fn session_of(pid: i32) -> Option<i32> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let (_, fields) = stat.rsplit_once(") ")?;
    fields.split(' ').nth(3)?.parse().ok()
}

/// RELIABILITY: bounded memory: a gigabyte passes through without being held.
#[test]
fn a_gigabyte_passes_in_flat_memory() {
    let bench = Bench::new();
    let mut spec = bench.shell("yes | head -c 1000000000");
    spec.max_output = u64::MAX;
    let before = peak_memory_in_kib();
    let mut counter = Counter::default();
    let finished = try_run(&spec, &mut counter).unwrap();
    assert_eq!(finished.ended, exited(0));
    assert_eq!((finished.output_bytes, counter.0), (GIGABYTE, GIGABYTE));
    assert_eq!(finished.excerpt.omitted, GIGABYTE - 32 * 1024);
    assert_eq!((finished.excerpt.head.len(), finished.excerpt.tail.len()), (8192, 24_576));
    let grown = peak_memory_in_kib() - before;
    assert!(grown < 8 * 1024, "grew by {grown} KiB");
}

/// Ending strays must not touch a child that other code of this process started.
#[test]
fn other_children_of_the_leader_are_left_alone() {
    let bench = Bench::new();
    let before = Command::new("sleep").arg("1000").spawn().unwrap();
    let apart = Command::new("setsid").args(["sleep", "1000"]).spawn().unwrap();
    let pid = i32::try_from(apart.id()).unwrap();
    eventually("a session of its own", || session_of(pid) == Some(pid));
    let spec = bench.shell("touch started; until test -e go; do sleep 0.02; done; kill -9 $PPID");
    let mut children = thread::scope(|scope| {
        let running = scope.spawn(|| bench.run(&spec).0.ended);
        eventually("a start", || bench.path().join("started").exists());
        let during = Command::new("sleep").arg("1000").spawn().unwrap();
        std::fs::write(bench.path().join("go"), "").unwrap();
        assert!(matches!(running.join().unwrap(), Ended::Lost { .. }));
        [before, apart, during]
    });
    for child in &mut children {
        assert_eq!(child.try_wait().unwrap(), None);
        child.kill().unwrap();
        child.wait().unwrap();
    }
}
