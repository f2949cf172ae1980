//! Recording in every kind of tree: the truth is what a snapshot by git alone has.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::time::{Duration, SystemTime};

use countersign_domain::snapshot::Recorded;
use countersign_git::{Checkout, Tip};
use data_encoding::HEXLOWER;

use crate::common::{Lab, age, files, make_executable, put};
use crate::scene::Scene;

/// Records, and expects the tree that git itself makes of the working tree.
#[track_caller]
pub(crate) fn check_truth(scene: &mut Scene) -> Recorded {
    let recorded = scene.record();
    let repository = scene.repository();
    let truth = repository.snapshot(&scene.worktree, &scene.scratch()).unwrap().tree;
    assert_eq!(recorded.grounds[0].tree, truth);
    assert_eq!(scene.told(), Vec::<String>::new(), "nothing has happened yet");
    recorded
}

/// CX-09: work of every kind is in the tree.
#[test]
fn a_tree_in_the_middle_of_work_is_recorded() {
    let mut scene = Scene::new();
    let recorded = check_truth(&mut scene);
    let watched: Vec<String> =
        recorded.watched.iter().map(|watched| watched.path.to_string()).collect();
    assert_eq!(watched, [".env", "generated/api.py", "node_modules/.bin/jest"]);
    assert_eq!(recorded.position.branch.unwrap().to_string(), "main");
    assert_eq!(recorded.position.head, recorded.grounds[0].head);
}

/// CX-09: before the first commit, with and without an index.
#[test]
fn an_unborn_branch_is_recorded() {
    let mut scene = Scene::of(Lab::empty());
    assert_eq!(check_truth(&mut scene).position.head, None);
    scene.write("x", "1\n");
    check_truth(&mut scene);
    scene.sh("git add x && git commit -qm first");
    assert_eq!(scene.told(), ["committed"]);
    scene.mend("first commit");
}

/// CX-09: object names of SHA-256.
#[test]
fn longer_object_names_are_fine() {
    let lab = Lab::bare();
    lab.git(&lab.path(""), &["init", "-q", "--object-format=sha256", "repo"]);
    let mut scene = Scene::of(lab);
    scene.sh(
        "echo 1 > a && git add a && git commit -qm first && echo 2 > b && echo '*.x' > .gitignore",
    );
    check_truth(&mut scene);
    scene.sh("echo 3 > a && git update-index --assume-unchanged a && echo 1 > c.x");
    assert_eq!(scene.told(), ["edited a", "added c.x", "setting marks in the index"]);
    scene.mend("sha256");
}

/// CX-09: a linked worktree stands for itself.
#[test]
fn a_linked_worktree_is_recorded() {
    let lab = Lab::new();
    lab.git(&lab.root(), &["worktree", "add", "-q", "../linked"]);
    let linked = lab.path("linked");
    let mut scene = Scene::at(lab, linked);
    scene.sh("echo 1 > a.txt && echo 2 > new");
    let recorded = check_truth(&mut scene);
    assert_eq!(recorded.position.branch.unwrap().to_string(), "linked");
    scene.sh("cd ../repo && echo main > a.txt && git commit -qam main");
    assert_eq!(scene.told(), Vec::<String>::new());
    scene.sh("git stash -qu");
    assert_eq!(scene.told(), ["stashed", "(back to HEAD a.txt)", "(removed new)"]);
    scene.mend("stash");
    // The content outlives the worktree.
    scene.sh("cd ../repo && git worktree remove --force ../linked && git gc -q --prune=now");
    let tree = &recorded.grounds[0].tree;
    assert_eq!(scene.lab.content(tree, "new").as_deref(), Some("2\n"));
}

/// CX-09: nothing that was recorded is lost, whatever is done afterwards.
#[test]
fn what_was_recorded_can_be_restored() {
    let mut scene = Scene::new();
    scene.sh("git init -q inner && echo 1 > inner/x");
    let recorded = scene.record();
    let before = files(&scene.worktree);
    scene.sh("git reset -q --hard HEAD~1 && git clean -qffdx && git reflog expire --expire=now --all && git gc -q --prune=now");
    for (number, ground) in recorded.grounds.iter().enumerate() {
        let into = scene.lab.path(&format!("restored-{number}"));
        let tip = Tip::Tree { tree: &ground.tree, parent: None, message: "x", time_seconds: 1 };
        scene.repository().checkout(&Checkout { into: &into, tip, spares: None }).unwrap();
        for (path, seen) in files(&into) {
            let path = ground.path.as_path().join(path);
            assert_eq!(before.get(&path), Some(&seen), "{}", path.display());
        }
    }
    assert!(scene.lab.path("restored-0/fresh/one.txt").exists());
    assert!(scene.lab.path("restored-1/x").exists());
    // The recorded commit is kept as well.
    scene.git(&["cat-file", "-e", recorded.position.head.unwrap().as_str()]);
}

/// CX-09: a sparse checkout is whole; files that come onto the disk are no drift.
#[test]
fn a_sparse_checkout_is_recorded() {
    for how in ["--no-sparse-index", "--sparse-index"] {
        let mut scene = Scene::of(Lab::new());
        scene.sh(&format!("git sparse-checkout set --cone {how} nothing && echo 1 > b.txt"));
        let recorded = check_truth(&mut scene);
        assert_eq!(scene.lab.names(&recorded.grounds[0].tree), ["a.txt", "b.txt", "dir/c.txt"]);
        scene.sh("git sparse-checkout disable");
        assert!(scene.drift().files.is_empty(), "{:?}", scene.told());
        scene.sh("echo evil > dir/c.txt");
        assert_eq!(scene.told()[0], "edited dir/c.txt");
    }
}

/// CX-09: conflicts, and operations that are under way.
#[test]
fn unfinished_operations_are_recorded() {
    for (script, operation) in [
        ("! git merge -q other >/dev/null", "merge"),
        ("! git rebase -q other >/dev/null 2>&1", "rebase"),
        ("! git cherry-pick other >/dev/null 2>&1", "cherry_pick"),
    ] {
        let mut scene = Scene::of(Lab::new());
        scene.sh("git switch -qc other && echo 1 > a.txt && git commit -qam 1 && \
                  git switch -q main && echo 2 > a.txt && git commit -qam 2");
        scene.sh(script);
        let recorded = check_truth(&mut scene);
        let told = serde_json::to_value(recorded.position.operation).unwrap();
        assert_eq!(told, operation);
        scene.sh("echo solved > a.txt && git add a.txt");
        assert_eq!(scene.told(), ["edited a.txt"], "{script}");
    }
}

/// CX-09: a shallow clone is a tree like any other.
#[test]
fn a_shallow_clone_is_recorded() {
    let lab = Lab::new();
    lab.write("a.txt", "2\n");
    lab.commit_all("second");
    let url = format!("file://{}", lab.root().display());
    lab.git(&lab.path(""), &["clone", "-q", "--depth=1", &url, "shallow"]);
    let shallow = lab.path("shallow");
    let mut scene = Scene::at(lab, shallow);
    check_truth(&mut scene);
    scene.sh("git commit -q --allow-empty -m x");
    assert_eq!(scene.told(), ["committed"]);
}

/// CX-09: a file edited in the second of its commit, with its time set back, is no clean file.
#[test]
fn young_files_are_not_believed() {
    let mut scene = Scene::of(Lab::empty());
    scene.write("a", "one\n");
    age(&scene.worktree.join("a"));
    scene.sh("git add -A && git commit -qm one");
    scene.write("a", "two\n");
    age(&scene.worktree.join("a"));
    let recorded = check_truth(&mut scene);
    assert_eq!(scene.lab.content(&recorded.grounds[0].tree, "a").as_deref(), Some("two\n"));
    scene.write("a", "six\n");
    age(&scene.worktree.join("a"));
    assert_eq!(scene.told(), ["edited a"]);
}

/// CX-09: a folder of the user's that is no repository of its own.
#[test]
fn executable_and_empty_files_are_recorded() {
    let mut scene = Scene::of(Lab::new());
    scene.write("empty", "");
    scene.write("tool", "x\n");
    make_executable(&scene.worktree.join("tool"));
    fs::create_dir_all(scene.worktree.join(OsStr::from_bytes(b"no\xffthing"))).unwrap();
    check_truth(&mut scene);
    scene.sh("git add -A && git commit -qm x && git rm -rq --cached . && rm -r no*");
    assert_eq!(scene.told(), ["committed"]);
}

/// CX-09: files in the place of folders, folders in the place of files, and back.
#[test]
fn files_and_folders_change_places() {
    for script in [
        "rm b.txt && mkdir b.txt && echo 1 > b.txt/x",
        "rm -r dir && echo 1 > dir",
        "rm -r dir && ln -s a.txt dir",
        "mv dir moved && ln -s moved dir",
        "rm a.txt && mkfifo a.txt",
        "rm -r dir && mkfifo dir",
        "rm a.txt b.txt dir/c.txt",
        "git rm -q --cached a.txt && rm b.txt && mkdir a",
        "git mv a.txt z && echo 1 > a.txt",
        "git add -N . && echo 1 > n && git add -N n",
        "git update-index --assume-unchanged a.txt && rm a.txt",
        "git update-index --skip-worktree a.txt b.txt && rm a.txt && echo 1 > b.txt",
        "git update-index --chmod=+x a.txt",
        "git config core.fileMode false && chmod +x a.txt",
        "git config core.symlinks false && ln -s a.txt l",
        "mkdir -p d/e/f && echo 1 > d/e/f/g && echo 'd/e/*' > .gitignore && git add -f d/e/f/g",
        "echo '!keep' > .gitignore && echo '*.x' >> .gitignore && echo 1 > a.x && echo 2 > keep",
        "git update-index --split-index && echo 1 > a.txt",
        "echo x > a.txt && git add a.txt && echo y > a.txt",
        "mkdir target && echo 1 > target/x && mkdir -p s/build && echo 1 > s/build/y",
    ] {
        let mut scene = Scene::of(Lab::new());
        scene.sh(script);
        let recorded = scene.record();
        let repository = scene.repository();
        let truth = repository.snapshot(&scene.worktree, &scene.scratch()).unwrap().tree;
        assert_eq!(recorded.grounds[0].tree, truth, "{script}");
        assert_eq!(scene.told(), Vec::<String>::new(), "{script}");
    }
}

/// CX-08: what lies between two recorded moments, forwards and backwards, repositories inside
/// included, as a list, as a patch and as numbers.
#[test]
fn two_moments_are_compared() {
    let mut scene = Scene::of(Lab::new());
    scene.sh("git init -q inner && echo 1 > inner/x");
    let first = scene.record();
    scene.sh("echo 2 >> a.txt && rm b.txt && mv dir/c.txt dir/d.txt && echo 2 > inner/x");
    scene.sh("git init -q late && echo 1 > late/y");
    let second = scene.record();
    let (repository, scratch) = (scene.repository(), scene.lab.path("kept/scratch"));
    let paths = |from: &Recorded, to: &Recorded| -> Vec<String> {
        let changes = repository.diff_between((from, to), &scratch).unwrap();
        changes
            .iter()
            .map(|change| format!("{} {:?}", change.path.display(), change.status))
            .collect()
    };
    let expected = [
        "a.txt Modified",
        "b.txt Deleted",
        "dir/d.txt Renamed { from: \"dir/c.txt\" }",
        "inner/x Modified",
        "late/y Added",
    ];
    assert_eq!(paths(&first, &second), expected);
    let backwards = [
        "a.txt Modified",
        "b.txt Added",
        "dir/c.txt Renamed { from: \"dir/d.txt\" }",
        "inner/x Modified",
        "late/y Deleted",
    ];
    assert_eq!(paths(&second, &first), backwards);
    assert_eq!(paths(&first, &first), Vec::<String>::new());
    let stat = repository.stat_between((&first, &second), &scratch).unwrap();
    assert_eq!((stat.files, stat.insertions, stat.deletions), (5, 3, 2));
    // The patch leads from one to the other, wherever it is applied.
    let patch = repository.patch_between((&second, &first), &scratch).unwrap().bytes;
    put(&scene.lab.path("back.patch"), &patch);
    scene.sh("rm -rf inner/.git late/.git && git apply --unsafe-paths ../back.patch");
    assert!(!scene.worktree.join("late/y").exists());
    assert_eq!(fs::read_to_string(scene.worktree.join("inner/x")).unwrap(), "1\n");
    assert_eq!(fs::read_to_string(scene.worktree.join("dir/c.txt")).unwrap(), "c\n");
    let one =
        repository.patch_at(&first.grounds[0].tree, &second.grounds[0].tree, Path::new("a.txt"));
    let one = String::from_utf8(one.unwrap()).unwrap();
    assert!(one.contains("+2") && !one.contains("b.txt"), "{one}");
}

/// CX-09: an index that names another content for a file that looks untouched deceives git, but
/// nobody who believes an earlier recording, or nothing.
#[test]
fn a_forged_index_is_not_believed() {
    let mut scene = Scene::of(Lab::new());
    scene.record();
    scene.sh("echo evil > a.txt && echo new > new && git add -A");
    let index = scene.worktree.join(".git/index");
    let mut bytes = fs::read(&index).unwrap();
    let object = |revision: &str| {
        let name = scene.git(&["rev-parse", revision]);
        HEXLOWER.decode(name.as_bytes()).unwrap()
    };
    let (evil, harmless) = (object(":a.txt"), object("HEAD:a.txt"));
    let at = bytes.windows(20).position(|part| part == evil).unwrap();
    bytes[at..at + 20].copy_from_slice(&harmless);
    let sum = bytes.len() - 20;
    bytes[sum..].fill(0);
    fs::write(&index, bytes).unwrap();
    // As if some seconds had passed.
    let later = SystemTime::now() + Duration::from_secs(5);
    File::options().write(true).open(&index).unwrap().set_modified(later).unwrap();
    assert_eq!(scene.git(&["diff", "HEAD", "--", "a.txt"]), "", "git is deceived");
    assert_eq!(scene.told(), ["edited a.txt", "added new"]);
    for is_earlier in [true, false] {
        let recorded = scene.record_trusting(is_earlier);
        let tree = &recorded.grounds[0].tree;
        assert_eq!(scene.lab.content(tree, "a.txt").as_deref(), Some("evil\n"), "{is_earlier}");
        assert_eq!(scene.lab.content(tree, "new").as_deref(), Some("new\n"), "{is_earlier}");
        assert_eq!(scene.lab.content(tree, "b.txt").as_deref(), Some("b\n"), "{is_earlier}");
    }
    fs::remove_file(scene.cache()).unwrap();
    assert_eq!(scene.told(), ["edited a.txt", "added new", "note beside changed"]);
}
