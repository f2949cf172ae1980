//! Leases and the stamp lock, between processes.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod support;

use std::io::{BufRead, BufReader};
use std::process::Child;
use std::time::Duration;

use countersign_domain::Stamp;
use countersign_store::{Error, StampLock, Store};
use rustix::process::{Pid, Signal, kill_process};
use support::{finish, open, play, role, temp};

/// The parts that children of these tests play.
#[test]
fn child() {
    let Some((role, dir)) = role() else { return };
    match role.as_str() {
        "hold" => {
            let lease = open(&dir).lease("run/1").unwrap();
            println!("\nheld");
            std::thread::sleep(Duration::from_mins(1)); // tidy: polling, it holds the lock until it is killed
            drop(lease);
        }
        "contend" => {
            let store = open(&dir);
            wait_for_start(&dir);
            let lease = store.lease("run/1");
            println!("\n{}", if lease.is_ok() { "won" } else { "lost" });
            // A winner holds on until all have tried.
            wait_for(&dir, "over");
            drop(lease);
        }
        "stamp" => {
            wait_for_start(&dir);
            for _ in 0..40 {
                println!("\nstamp {}", next_stamp(&dir.join("last")));
            }
        }
        _ => unreachable!(),
    }
}

fn wait_for_start(dir: &std::path::Path) {
    wait_for(dir, "start");
}

fn wait_for(dir: &std::path::Path, what: &str) {
    while !dir.join(what).exists() {
        std::thread::sleep(Duration::from_millis(1)); // tidy: polling, another process tells nobody when it holds a lock
    }
}

fn next_stamp(path: &std::path::Path) -> Stamp {
    loop {
        let mut lock = StampLock::acquire(path, Duration::from_secs(20)).unwrap();
        let last = lock.read().unwrap().parse().ok();
        let now = std::time::SystemTime::now().try_into().unwrap();
        if let Ok(stamp) = Stamp::after(last, now) {
            lock.write(&stamp.to_string()).unwrap();
            return stamp;
        }
        drop(lock);
        std::thread::sleep(Duration::from_millis(20)); // tidy: polling, another process tells nobody when it is gone
    }
}

/// A child that holds the lease.
fn holder(dir: &std::path::Path) -> Child {
    let mut child = play("hold", dir).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert!(lines.any(|line| line.unwrap() == "held"));
    child
}

fn holder_of(store: &Store) -> Option<String> {
    match store.lease("run/1") {
        Ok(_) => None,
        Err(Error::Leased { name, holder }) => {
            assert_eq!(name, "run/1");
            Some(holder)
        }
        Err(error) => panic!("{error}"),
    }
}

/// LP-08: the second taker is told who holds the lease; dropping it frees it.
#[test]
fn a_lease_has_one_holder() {
    let dir = temp();
    let (a, b) = (open(dir.path()), open(dir.path()));
    let lease = a.lease("run/1").unwrap();
    let other = a.lease("run/2").unwrap();
    assert_eq!(holder_of(&b).unwrap(), format!("process {}", std::process::id()));
    // Names that look alike are still two.
    drop((b.lease("run-1").unwrap(), b.lease("run%2f1").unwrap()));
    drop(lease);
    assert_eq!(holder_of(&b), None);
    drop(other);
}

/// RELIABILITY: kill -9 of the holder frees its lease at once.
#[test]
fn the_death_of_a_holder_ends_its_lease() {
    let dir = temp();
    let store = open(dir.path());
    let mut child = holder(dir.path());
    assert_eq!(holder_of(&store).unwrap(), format!("process {}", child.id()));
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(holder_of(&store), None);
}

/// RELIABILITY: a holder that is stopped keeps its lease, however long.
#[test]
fn a_stopped_holder_keeps_its_lease() {
    let dir = temp();
    let store = open(dir.path());
    let mut child = holder(dir.path());
    let pid = Pid::from_child(&child);
    kill_process(pid, Signal::STOP).unwrap();
    for _ in 0..20 {
        std::thread::sleep(Duration::from_millis(10)); // tidy: polling, another process tells nobody what it holds
        assert!(holder_of(&store).is_some());
    }
    kill_process(pid, Signal::CONT).unwrap();
    assert!(holder_of(&store).is_some());
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(holder_of(&store), None);
}

/// RELIABILITY: of 16 contenders exactly one gets the lease.
#[test]
fn one_of_sixteen_contenders_wins() {
    let dir = temp();
    for round in 0..3 {
        let place = dir.path().join(round.to_string());
        std::fs::create_dir(&place).unwrap();
        let mut children: Vec<Child> =
            (0..16).map(|_| play("contend", &place).spawn().unwrap()).collect();
        std::fs::write(place.join("start"), "").unwrap();
        let mut won = 0;
        for child in &mut children {
            let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
            let said = lines.find_map(|line| {
                let line = line.unwrap();
                matches!(line.as_str(), "won" | "lost").then_some(line)
            });
            won += u32::from(said.unwrap() == "won");
        }
        std::fs::write(place.join("over"), "").unwrap();
        for mut child in children {
            child.wait().unwrap();
        }
        assert_eq!(won, 1);
    }
}

/// WL-17: 16 processes draw ids at once; no id is given twice, and none is out of form.
#[test]
fn stamps_are_unique_among_processes() {
    let dir = temp();
    let children: Vec<Child> =
        (0..16).map(|_| play("stamp", dir.path()).spawn().unwrap()).collect();
    std::fs::write(dir.path().join("start"), "").unwrap();
    let mut stamps: Vec<Stamp> = Vec::new();
    for child in children {
        let text = finish(child);
        let drawn = text.lines().filter_map(|line| line.strip_prefix("stamp "));
        stamps.extend(drawn.map(|stamp| stamp.parse::<Stamp>().unwrap()));
    }
    assert_eq!(stamps.len(), 640);
    stamps.sort_unstable();
    stamps.dedup();
    assert_eq!(stamps.len(), 640);
}

/// WL-17: a damaged stamp file stops nobody.
#[test]
fn a_damaged_stamp_file_is_no_obstacle() {
    let dir = temp();
    let path = dir.path().join("last");
    std::fs::write(&path, [0xff, 0xfe, 0, 1].repeat(20)).unwrap();
    let first = next_stamp(&path);
    assert!(next_stamp(&path) > first);
}
