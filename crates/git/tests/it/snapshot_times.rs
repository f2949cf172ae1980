//! Snapshots of files whose size and times do not tell that they changed.

use std::fs::{self, File, Metadata};
use std::os::unix::fs::MetadataExt as _;
use std::time::{Duration, SystemTime};

use crate::common::{Lab, age};
use crate::snapshot_index::{check, take};

/// Edits `a.txt` to another content of the same size and an old time, and forges its entry (the
/// first one of the index) to carry that time and the given time of change.
fn edit_with_times(lab: &Lab, changed: Option<u32>) -> Metadata {
    lab.git(&lab.root(), &["update-index", "--index-version", "2"]);
    lab.write("a.txt", "z\n");
    age(&lab.file("a.txt"));
    let found = fs::metadata(lab.file("a.txt")).unwrap();
    let changed = changed.map_or(found.ctime(), i64::from);
    let times = [changed, found.ctime_nsec(), found.mtime(), found.mtime_nsec()];
    let index = lab.file(".git/index");
    let mut bytes = fs::read(&index).unwrap();
    for (at, time) in times.into_iter().enumerate() {
        let time = u32::try_from(time).unwrap().to_be_bytes();
        bytes[12 + at * 4..16 + at * 4].copy_from_slice(&time);
    }
    fs::write(&index, &bytes).unwrap();
    found
}

fn set_index_time(lab: &Lab, time: SystemTime) {
    let index = File::options().write(true).open(lab.file(".git/index")).unwrap();
    index.set_modified(time).unwrap();
}

/// CX-09: an edit in an entry whose size and times all match, made in the second in which the
/// index was written, is seen because the copied index keeps its time.
#[test]
fn an_edit_within_the_tick_of_the_clock_is_seen() {
    let lab = Lab::new();
    let found = edit_with_times(&lab, None);
    set_index_time(&lab, found.modified().unwrap());
    assert_eq!(lab.git(&lab.root(), &["diff-files", "--name-only"]), "a.txt");
    check(&lab, &take(&lab), "a.txt", "z\n");
}

/// CX-09: the same with the old time put back, which git itself does not notice.
#[test]
fn a_time_put_back_within_the_tick_hides_nothing() {
    let lab = Lab::new();
    let found = edit_with_times(&lab, None);
    let second = Duration::from_secs(u64::try_from(found.ctime()).unwrap());
    set_index_time(&lab, SystemTime::UNIX_EPOCH + second);
    assert_eq!(lab.git(&lab.root(), &["diff-files", "--name-only"]), "");
    check(&lab, &take(&lab), "a.txt", "z\n");
}

/// CX-09: an edit that puts size and time back is seen, though the user's settings tell git to
/// be content with these.
#[test]
fn a_time_put_back_hides_nothing() {
    for (name, value) in [("core.trustctime", "false"), ("core.checkStat", "minimal")] {
        let lab = Lab::new();
        lab.git(&lab.root(), &["config", name, value]);
        edit_with_times(&lab, Some(1_000_000_000));
        assert_eq!(lab.git(&lab.root(), &["diff-files", "--name-only"]), "", "{name}");
        check(&lab, &take(&lab), "a.txt", "z\n");
    }
}
