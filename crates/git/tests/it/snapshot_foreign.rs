//! Snapshots of a checkout whose repository a worker did with as it liked.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use countersign_domain::ObjectId;
use countersign_git::discard;

use crate::common::{Lab, age, make_pipe, put, put_script};

/// A laboratory with a checkout of its first commit at `work`.
fn lab() -> (Lab, PathBuf) {
    let lab = Lab::new();
    let work = lab.check_out(&lab.id("HEAD^{tree}"), "work").path;
    (lab, work)
}

/// Takes a snapshot of the checkout; once that is gone, all of the tree must still be there.
fn take(lab: &Lab, work: &Path) -> ObjectId {
    let tree = lab.snapshot_of(work);
    discard(work).unwrap();
    lab.git(&lab.root(), &["rev-list", "--objects", "--no-object-names", tree.as_str()]);
    lab.open().keep("t", &tree).unwrap();
    lab.git(&lab.root(), &["fsck", "--strict", "--connectivity-only"]);
    tree
}

/// Writes a file that git will not look at again once it has seen it.
fn put_old(path: &Path, content: &str) {
    put(path, content);
    age(path);
}

/// CX-09: what a worker committed or staged in its own repository is recorded in ours.
#[test]
fn commits_of_a_worker_are_carried_over() {
    let (lab, work) = lab();
    put_old(&work.join("a.txt"), "committed\n");
    put_old(&work.join("new/deep"), "committed\n");
    lab.git(&work, &["add", "-A"]);
    lab.git(&work, &["commit", "-qm", "mine"]);
    put_old(&work.join("b.txt"), "staged\n");
    lab.git(&work, &["add", "-A"]);
    let tree = take(&lab, &work);
    assert_eq!(lab.content(&tree, "a.txt").as_deref(), Some("committed\n"));
    assert_eq!(lab.content(&tree, "b.txt").as_deref(), Some("staged\n"));
    assert_eq!(lab.content(&tree, "new/deep").as_deref(), Some("committed\n"));
}

/// CX-09: the same when the worker packed its objects.
#[test]
fn packed_commits_of_a_worker_are_carried_over() {
    let (lab, work) = lab();
    put_old(&work.join("a.txt"), "packed\n");
    lab.git(&work, &["commit", "-qam", "mine"]);
    lab.git(&work, &["gc", "-q"]);
    let tree = take(&lab, &work);
    assert_eq!(lab.content(&tree, "a.txt").as_deref(), Some("packed\n"));
}

/// CX-09: the same when its store leans on yet another one.
#[test]
fn objects_from_elsewhere_are_carried_over() {
    let (lab, work) = lab();
    let elsewhere = lab.path("elsewhere");
    lab.git(&lab.path(""), &["init", "-q", "elsewhere"]);
    put(&elsewhere.join("a.txt"), "from elsewhere\n");
    lab.git(&elsewhere, &["add", "-A"]);
    let alternates = work.join(".git/objects/info/alternates");
    let old = fs::read_to_string(&alternates).unwrap();
    let more = elsewhere.join(".git/objects");
    fs::write(&alternates, format!("{old}{}\n", more.display())).unwrap();
    put_old(&work.join("a.txt"), "from elsewhere\n");
    lab.git(&work, &["add", "a.txt"]);
    let tree = take(&lab, &work);
    fs::remove_dir_all(&elsewhere).unwrap();
    assert_eq!(lab.content(&tree, "a.txt").as_deref(), Some("from elsewhere\n"));
}

/// CX-09: a repository that shares nothing with ours can be recorded into it.
#[test]
fn a_separate_clone_is_recorded() {
    let lab = Lab::new();
    let url = format!("file://{}", lab.root().display());
    lab.git(&lab.path(""), &["clone", "-q", &url, "clone"]);
    put_old(&lab.path("clone/only-there"), "x\n");
    lab.git(&lab.path("clone"), &["add", "-A"]);
    lab.git(&lab.path("clone"), &["commit", "-qm", "there"]);
    put(&lab.path("clone/a.txt"), "edited\n");
    let tree = lab.snapshot_of(&lab.path("clone"));
    fs::remove_dir_all(lab.path("clone")).unwrap();
    assert_eq!(lab.content(&tree, "only-there").as_deref(), Some("x\n"));
    assert_eq!(lab.content(&tree, "a.txt").as_deref(), Some("edited\n"));
}

/// CX-09: a file that a worker tracks although it is ignored is recorded.
#[test]
fn what_a_worker_tracks_is_recorded() {
    let (lab, work) = lab();
    put(&work.join(".gitignore"), "*.log\n");
    put(&work.join("tracked.log"), "x\n");
    put(&work.join("other.log"), "x\n");
    lab.git(&work, &["add", "-f", "tracked.log"]);
    let names = [".gitignore", "a.txt", "b.txt", "dir/c.txt", "tracked.log"];
    assert_eq!(lab.names(&take(&lab, &work)), names);
}

/// CX-09: marks that a worker sets in its index hide nothing.
#[test]
fn marks_of_a_worker_hide_nothing() {
    let (lab, work) = lab();
    lab.git(&work, &["update-index", "--assume-unchanged", "a.txt"]);
    lab.git(&work, &["update-index", "--skip-worktree", "b.txt"]);
    put(&work.join("a.txt"), "hidden\n");
    put(&work.join("b.txt"), "hidden\n");
    let tree = take(&lab, &work);
    assert_eq!(lab.content(&tree, "a.txt").as_deref(), Some("hidden\n"));
    assert_eq!(lab.content(&tree, "b.txt").as_deref(), Some("hidden\n"));
}

/// CX-09: a worker that makes its checkout sparse deletes nothing by it.
#[test]
fn a_sparse_checkout_of_a_worker_is_whole() {
    for how in ["--no-sparse-index", "--sparse-index"] {
        let (lab, work) = lab();
        lab.git(&work, &["sparse-checkout", "set", "--cone", how, "nothing"]);
        assert!(!work.join("dir").exists());
        put(&work.join("a.txt"), "edited\n");
        let tree = take(&lab, &work);
        assert_eq!(lab.names(&tree), ["a.txt", "b.txt", "dir/c.txt"], "{how}");
        assert_eq!(lab.content(&tree, "a.txt").as_deref(), Some("edited\n"));
    }
}

/// CX-09: settings, filters and hooks that a worker plants in its repository, or in one nested
/// in it, are not obeyed when we record.
#[test]
fn settings_of_a_worker_are_not_obeyed() {
    let (lab, work) = lab();
    let marker = lab.path("ran");
    put_script(&lab.path("trap"), &format!("echo x >> '{}'; cat", marker.display()));
    let trap = lab.path("trap");
    let trap = trap.to_str().unwrap();
    lab.git(&work, &["init", "-q", "nested"]);
    put(&work.join("nested/file"), "one\n");
    lab.git(&work.join("nested"), &["add", "-A"]);
    lab.git(&work.join("nested"), &["commit", "-qm", "one"]);
    lab.git(&work, &["add", "-A"]);
    for repository in [work.clone(), work.join("nested")] {
        put(&repository.join(".gitattributes"), "* filter=trap\n");
        for (name, value) in [
            ("filter.trap.clean", trap),
            ("filter.trap.process", trap),
            ("core.fsmonitor", trap),
            ("core.excludesFile", "/nowhere"),
            ("core.fileMode", "false"),
        ] {
            lab.git(&repository, &["config", name, value]);
        }
        put_script(&repository.join(".git/hooks/post-index-change"), trap);
    }
    put(&work.join("nested/file"), "two\n");
    put(&work.join("a.txt"), "edited\n");
    let tree = lab.snapshot_of(&work);
    assert!(!marker.exists(), "a planted program ran");
    assert_eq!(lab.content(&tree, "a.txt").as_deref(), Some("edited\n"));
    assert_eq!(lab.mode(&tree, "nested"), "160000");
}

/// CX-09: an index that names paths outside of the checkout does not lead us there.
#[test]
fn an_index_that_leads_out_is_not_used() {
    let (lab, work) = lab();
    put(&lab.path("aa/secret"), "secret\n");
    put(&work.join("xx/aa/secret"), "harmless\n");
    lab.git(&work, &["add", "-A"]);
    let index = work.join(".git/index");
    let mut bytes = fs::read(&index).unwrap();
    let at = bytes.windows(12).position(|part| part == b"xx/aa/secret").unwrap();
    bytes[at..at + 2].copy_from_slice(b"..");
    fs::write(&index, bytes).unwrap();
    let tree = lab.snapshot_of(&work);
    assert_eq!(lab.names(&tree), ["a.txt", "b.txt", "dir/c.txt", "xx/aa/secret"]);
    assert_eq!(lab.content(&tree, "xx/aa/secret").as_deref(), Some("harmless\n"));
}

/// CX-09: whatever lies in the place of the worker's repository, its files are recorded, and
/// a pipe there does not hold us up.
#[test]
fn a_broken_repository_is_no_obstacle() {
    type Breaks = fn(&Path);
    let ways: [Breaks; 8] = [
        |work| fs::remove_dir_all(work.join(".git")).unwrap(),
        |work| fs::remove_file(work.join(".git/index")).unwrap(),
        |work| fs::write(work.join(".git/index"), "nonsense").unwrap(),
        |work| {
            fs::remove_file(work.join(".git/index")).unwrap();
            make_pipe(&work.join(".git/index"));
        },
        |work| {
            fs::remove_file(work.join(".git/index")).unwrap();
            symlink("/dev/zero", work.join(".git/index")).unwrap();
        },
        |work| {
            fs::remove_file(work.join(".git/config")).unwrap();
            make_pipe(&work.join(".git/config"));
        },
        |work| make_pipe(&work.join(".git/commondir")),
        |work| fs::write(work.join(".git/objects/pack/x.idx"), "nonsense").unwrap(),
    ];
    for (number, breaks) in ways.into_iter().enumerate() {
        let (lab, work) = lab();
        put(&work.join("a.txt"), "edited\n");
        breaks(&work);
        let tree = lab.snapshot_of(&work);
        assert_eq!(lab.names(&tree), ["a.txt", "b.txt", "dir/c.txt"], "way {number}");
        assert_eq!(lab.content(&tree, "a.txt").as_deref(), Some("edited\n"), "way {number}");
    }
}
