//! Large files and many files. The sizes are such that a test has the time for them; by hand it
//! was a gigabyte, and a hundred thousand files.

use std::fs::{self, File};

use countersign_testkit::{Project, Ran};

use crate::desk::begun;

const LARGE: u64 = 200 << 20;

/// Calls `countersign context VERB TASK-0824 …` with less memory than [`LARGE`], threads and
/// libraries included.
fn confined(project: &Project, words: &str) -> Ran {
    let script = format!(
        "export MALLOC_ARENA_MAX=1; ulimit -v 150000; exec '{}' context {words}",
        crate::PROGRAM
    );
    project.sh(&script)
}

/// CX-07, CX-09: a file that is larger than the memory is recorded, compared and restored.
#[test]
fn a_file_larger_than_the_memory() {
    let project = begun();
    // It has a size and takes no room.
    File::create(project.path("src/large")).unwrap().set_len(LARGE).unwrap();
    project.write("src/theme.txt", "work\n");
    let handed = confined(&project, "snapshot TASK-0824 --role implementer").expect(0);
    handed.prints("src/large is too large for the diff");
    confined(&project, "verify TASK-0824").expect(0);
    let diff = confined(&project, "diff TASK-0824 --role implementer").expect(0);
    assert!(diff.out().contains("+work") && diff.out().len() < 4000);
    confined(&project, "restore TASK-0824 --role implementer --into ../restored").expect(0);
    let restored = fs::metadata(project.outside().join("restored/src/large")).unwrap();
    assert_eq!(restored.len(), LARGE);
    fs::rename(project.path("src/large"), project.path("src/moved")).unwrap();
    confined(&project, "verify TASK-0824").expect(1).prints("src/moved was src/large (renamed)");
}

/// CX-07: many new files are handed over, and what is said about them stays readable.
#[test]
fn many_new_files() {
    let project = begun();
    for folder in 0..8 {
        fs::create_dir_all(project.path(&format!("many/{folder}"))).unwrap();
        for file in 0..500 {
            fs::write(project.path(&format!("many/{folder}/{file}")), "x\n").unwrap();
        }
    }
    let handed = confined(&project, "snapshot TASK-0824 --role implementer").expect(0);
    assert!(handed.out().contains("4000 files"), "{}", handed.out());
    assert!(handed.out().contains("and so it is with 3969 more"), "{}", handed.out());
    assert!(handed.out().len() < 10_000, "{}", handed.out().len());
    confined(&project, "verify TASK-0824").expect(0);
    fs::remove_file(project.path("many/7/77")).unwrap();
    confined(&project, "verify TASK-0824").expect(1).prints("many/7/77");
}
