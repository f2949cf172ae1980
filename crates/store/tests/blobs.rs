//! Blobs: named by what they hold, whole or not there.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod support;

use std::fs;
use std::io::{Read, Write};
use std::path::Path;

use countersign_domain::Digest;
use countersign_store::{Durability, Error, Options, Store};
use support::{Random, open, options, temp};

fn files(dir: &Path) -> Vec<std::path::PathBuf> {
    let mut found = Vec::new();
    let Ok(entries) = fs::read_dir(dir) else { return found };
    for entry in entries {
        let path = entry.unwrap().path();
        if path.is_dir() { found.extend(files(&path)) } else { found.push(path) }
    }
    found
}

/// PL-01: 50 MB go through in pieces, and come back as they were.
#[test]
fn big_blobs_are_streamed() {
    let dir = temp();
    let blobs = open(dir.path()).blobs();
    let mut writer = blobs.writer().unwrap();
    let mut random = Random(11);
    let mut digest = <sha2::Sha256 as sha2::Digest>::new();
    let mut noise: Vec<u8> =
        (0..1 << 17).flat_map(|_| random.below(1 << 40).to_le_bytes()).collect();
    for n in 0..50 {
        noise.rotate_left(n * 7919);
        writer.write_all(&noise).unwrap();
        sha2::Digest::update(&mut digest, &noise);
    }
    let (name, length) = writer.finish().unwrap();
    assert_eq!(length, 50 << 20);
    assert_eq!(name.as_bytes()[..], sha2::Digest::finalize(digest)[..]);
    assert!(blobs.check(&name).unwrap());
    let mut reader = blobs.open(&name).unwrap();
    let mut seen = 0;
    let mut buffer = vec![0; 1 << 16];
    loop {
        match reader.read(&mut buffer).unwrap() {
            0 => break,
            n => seen += n,
        }
    }
    assert_eq!(seen as u64, length);
}

/// PL-01: the same content is kept once; one that was damaged is healed by writing it again.
#[test]
fn the_same_content_is_one_blob() {
    let dir = temp();
    for durability in [Durability::ProcessDeath, Durability::PowerLoss] {
        let blobs = Store::open(Options { durability, ..options(dir.path()) }).unwrap().blobs();
        let name = blobs.put(b"some bytes").unwrap();
        assert_eq!(name, Digest::of(b"some bytes"));
        assert_eq!(blobs.put(b"some bytes").unwrap(), name);
        let kept = files(&dir.path().join("ledger/blobs"));
        assert_eq!(kept.len(), 1, "{kept:?}");
        fs::write(&kept[0], b"garbage").unwrap();
        assert!(!blobs.check(&name).unwrap());
        blobs.put(b"some bytes").unwrap();
        assert!(blobs.check(&name).unwrap());
        assert_eq!(blobs.read(&name).unwrap(), b"some bytes");
    }
}

/// PL-01: an empty blob is a blob.
#[test]
fn nothing_can_be_kept() {
    let dir = temp();
    let blobs = open(dir.path()).blobs();
    let name = blobs.put(b"").unwrap();
    assert_eq!(blobs.read(&name).unwrap(), b"");
    assert!(blobs.check(&name).unwrap());
}

/// RELIABILITY: a writer that doesn't finish leaves nothing; one that was killed leaves what a
/// sweep removes, without touching those still at work.
#[test]
fn unfinished_blobs_leave_nothing() {
    let dir = temp();
    let blobs = open(dir.path()).blobs();
    let mut writer = blobs.writer().unwrap();
    writer.write_all(&vec![7; 100_000]).unwrap();
    drop(writer);
    let folder = dir.path().join("ledger/blobs");
    assert_eq!(files(&folder), Vec::<std::path::PathBuf>::new());

    fs::write(folder.join("unfinished-by-the-dead"), b"half").unwrap();
    let mut writer = blobs.writer().unwrap();
    assert_eq!(blobs.sweep().unwrap(), 1);
    writer.write_all(b"whole").unwrap();
    let (name, _) = writer.finish().unwrap();
    assert_eq!(blobs.read(&name).unwrap(), b"whole");
    assert_eq!(blobs.sweep().unwrap(), 0);
}

/// RELIABILITY: a changed, cut or exchanged blob is found; a missing one is named.
#[test]
fn changed_blobs_are_found() {
    let dir = temp();
    let blobs = open(dir.path()).blobs();
    let one = blobs.put(&b"one ".repeat(5000)).unwrap();
    let two = blobs.put(&b"two ".repeat(5000)).unwrap();
    let path = |name: &Digest| {
        let name = name.to_string();
        dir.path().join("ledger/blobs").join(&name[..2]).join(format!("{name}.zst"))
    };
    let sound = fs::read(path(&one)).unwrap();
    for place in 0..sound.len() {
        let mut bytes = sound.clone();
        bytes[place] ^= 0x10;
        fs::write(path(&one), &bytes).unwrap();
        // Some bits of the frame's header mean nothing to its content.
        let intact = blobs.check(&one).unwrap();
        assert!(!intact || blobs.read(&one).unwrap() == b"one ".repeat(5000), "byte {place}");
    }
    for length in 0..sound.len() {
        fs::write(path(&one), &sound[..length]).unwrap();
        assert!(!blobs.check(&one).unwrap(), "cut to {length}");
    }
    fs::copy(path(&two), path(&one)).unwrap();
    assert!(!blobs.check(&one).unwrap());
    assert!(blobs.check(&two).unwrap());
    blobs.remove(&one).unwrap();
    blobs.remove(&one).unwrap();
    assert!(matches!(blobs.check(&one), Err(Error::NoBlob(name)) if name == one));
}
