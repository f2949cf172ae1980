//! What agents and others can do to checkouts that they do not work in, or that are put away: nothing of it
//! is in the next one.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, symlink};
use std::path::Path;
use std::process::Command;

use crate::spare::{
    check, check_out, check_out_by, expect_fresh, remembered, settle, times_tell, varied,
};

/// Exchanges the blocks of two files, as ext4 does for whoever asks; elsewhere, nothing happens.
const EXCHANGE: &str = r#"import fcntl, os, struct, sys
victim = sys.argv[1]
with open("other", "wb") as file:
    file.write(b"x" * os.stat(victim).st_size)
    file.flush()
    os.fsync(file.fileno())
one, two = os.open("other", os.O_RDWR), os.open(victim, os.O_RDWR)
os.fsync(two)
try:
    fcntl.ioctl(one, 0xC028660F, struct.pack("=IIQQQQ", 0, two, 0, 0, 1, 0))
except OSError:
    pass
os.fsync(two)
os.posix_fadvise(two, 0, 0, os.POSIX_FADV_DONTNEED)
"#;

/// Where the file lies whose blocks are exchanged.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Lies {
    InUse,
    PutAway,
}

/// Whether a spare is read before somebody takes it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ahead {
    Read,
    Unread,
}

/// Lets an agent exchange blocks of a file, in its own checkout or in one that is put away, and uses that
/// again.
fn check_exchanged(place: Lies, ahead: Ahead) {
    let lab = varied();
    let (one, tree) = (lab.open(), lab.snapshot());
    let mut known = remembered(&one, &lab, &tree);
    settle();
    let spares = lab.path("spares");
    if place == Lies::PutAway {
        assert!(one.retire(&known, &spares));
        // What was read before the agent began does not count.
        one.read_ahead(&spares);
        known = fs::read_dir(&spares).unwrap().next().unwrap().unwrap().path();
    }
    let loose = one.let_loose();
    let path = known.join("src/b.rs");
    let before = fs::metadata(&path).unwrap();
    let asked =
        Command::new("python3").args(["-c", EXCHANGE, "src/b.rs"]).current_dir(&known).status();
    assert!(asked.unwrap().success());
    let after = fs::metadata(&path).unwrap();
    let is_seen = (before.ctime(), before.ctime_nsec()) != (after.ctime(), after.ctime_nsec());
    if is_seen || fs::read_to_string(&path).unwrap() == "fn b() {}\n" {
        eprintln!("SKIPPED: blocks are not exchanged unseen on this file system");
        return;
    }
    drop(loose);
    assert!(place == Lies::PutAway || one.retire(&known, &spares));
    if ahead == Ahead::Read {
        one.read_ahead(&spares);
    }
    let last = check_out_by(&one, &lab, (&tree, "last"));
    assert_eq!(fs::read_to_string(last.join("src/b.rs")).unwrap(), "fn b() {}\n");
    expect_fresh(&lab, &tree, &last);
}

/// VC-06, G47: where an agent worked, a file that has all of its times and other content is found.
#[test]
fn exchanged_blocks_are_found() {
    check_exchanged(Lies::InUse, Ahead::Unread);
    check_exchanged(Lies::InUse, Ahead::Read);
}

/// VC-06, G47: an agent reaches what was put away before it began as well.
#[test]
fn exchanged_blocks_of_spares_are_found() {
    check_exchanged(Lies::PutAway, Ahead::Unread);
    check_exchanged(Lies::PutAway, Ahead::Read);
}

/// VC-06: what is as it was keeps its times where an agent worked too, although it is read.
#[test]
fn what_was_read_keeps_its_times() {
    let lab = varied();
    if !times_tell(&lab) {
        eprintln!("SKIPPED: on this file system times don't tell");
        return;
    }
    let (one, tree) = (lab.open(), lab.snapshot());
    let known = remembered(&one, &lab, &tree);
    settle();
    let time = |top: &Path| fs::symlink_metadata(top.join("src/c.rs")).unwrap();
    let before = time(&known);
    drop(one.let_loose());
    assert!(one.retire(&known, &lab.path("spares")));
    let after = time(&check_out_by(&one, &lab, (&tree, "last")));
    assert_eq!((after.ino(), after.ctime_nsec()), (before.ino(), before.ctime_nsec()));
}

/// VC-06: of several, one that needs no reading is taken, or else the one that was put away first and is
/// known.
#[test]
fn the_nearest_is_taken() {
    let lab = varied();
    let (one, tree) = (lab.open(), lab.snapshot());
    let number = |path: &Path| fs::metadata(path).unwrap().ino();
    let strange = check_out(&lab, &tree, "strange");
    let (first, second) =
        (check_out_by(&one, &lab, (&tree, "first")), check_out_by(&one, &lab, (&tree, "second")));
    let known = [number(&first), number(&second)];
    for used in [&strange, &first, &second] {
        assert!(one.retire(used, &lab.path("spares")));
        settle();
    }
    drop(one.let_loose());
    let take = |name: &str| check_out_by(&one, &lab, (&tree, name));
    let taken = take("a");
    assert_eq!(number(&taken), known[0]);
    assert!(one.retire(&taken, &lab.path("spares")));
    assert_eq!(
        ["b", "c"].map(|name| number(&take(name))),
        known,
        "it was seen since, the other not"
    );
}

/// Gives a folder an access list that all that is made in it takes over: nobody may execute anything.
const ACCESS: &str = r#"import os, struct
entries = [(1, 6), (4, 4), (32, 4)]
value = struct.pack("<I", 2) + b"".join(struct.pack("<HHI", tag, rights, 0xFFFFFFFF) for tag, rights in entries)
try:
    os.setxattr(".", "system.posix_acl_default", value)
    os.setxattr(".", "user.note", b"kept")
except OSError:
    pass
os.chmod(".", 0o1777)
"#;

/// VC-06: what somebody set on the top of a checkout holds for nothing that is made there afterwards.
#[test]
fn the_top_is_set_right() {
    let lab = varied();
    let change = |top: &Path| {
        let ran = Command::new("python3").args(["-c", ACCESS]).current_dir(top).status();
        assert!(ran.unwrap().success());
    };
    check(&lab, change);
    let attributes = "import os, sys; print(sorted(n for n in os.listxattr(sys.argv[1]) if not n.startswith('security')))";
    for name in ["again", "last"] {
        let top = lab.path(name);
        assert_eq!(fs::metadata(&top).unwrap().mode() & 0o7777, 0o777 & !mask(), "{name}");
        let listed = Command::new("python3").args(["-c", attributes]).arg(&top).output().unwrap();
        assert_eq!(String::from_utf8_lossy(&listed.stdout).trim(), "[]", "{name}");
    }
}

fn mask() -> u32 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let mask = status.lines().find_map(|line| line.strip_prefix("Umask:")).unwrap();
    u32::from_str_radix(mask.trim(), 8).unwrap()
}

/// VC-06: a link in the place of the spares leads to what is somebody else's.
#[test]
fn a_link_to_elsewhere_is_not_followed() {
    let lab = varied();
    let (one, tree) = (lab.open(), lab.snapshot());
    let used = check_out_by(&one, &lab, (&tree, "used"));
    let elsewhere = lab.path("elsewhere");
    fs::create_dir_all(elsewhere.join("spare-mine")).unwrap();
    symlink(&elsewhere, lab.path("spares")).unwrap();
    assert!(!one.retire(&used, &lab.path("spares")), "it is not put there");
    let again = check_out_by(&one, &lab, (&tree, "again"));
    assert_eq!(fs::read_to_string(again.join("src/b.rs")).unwrap(), "fn b() {}\n");
    assert_eq!(fs::read_dir(&elsewhere).unwrap().count(), 1);
}
