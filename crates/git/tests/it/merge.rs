//! Merges of recorded commits, and that nothing of the user's is touched by them.

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use countersign_domain::ObjectId;
use countersign_git::{Conflict, Error, Merged, Repository};

use crate::common::{Lab, make_executable, os, put_script};

/// A laboratory whose base is committed: `ours` and `theirs` are then made from it.
struct Fork {
    lab: Lab,
    base: ObjectId,
}

impl Fork {
    fn new(prepare: impl FnOnce(&Lab)) -> Self {
        let lab = Lab::new();
        prepare(&lab);
        lab.git(&lab.root(), &["add", "-A"]);
        lab.git(&lab.root(), &["commit", "-q", "--allow-empty", "-m", "base"]);
        let base = lab.id("HEAD");
        Self { lab, base }
    }

    /// A commit on top of the base.
    fn side(&self, name: &str, change: impl FnOnce(&Lab)) -> ObjectId {
        let lab = &self.lab;
        lab.git(&lab.root(), &["checkout", "-qfB", name, self.base.as_str()]);
        change(lab);
        lab.git(&lab.root(), &["add", "-A"]);
        lab.git(&lab.root(), &["commit", "-q", "--allow-empty", "-m", name]);
        lab.id("HEAD")
    }

    fn merge(&self, ours: &ObjectId, theirs: &ObjectId) -> Merged {
        let before = self.lab.everything();
        let merged = self.lab.open().merge_trees(&self.base, ours, theirs).unwrap();
        assert_eq!(self.lab.everything(), before, "nothing of the user's is touched");
        merged
    }

    fn clean(&self, ours: &ObjectId, theirs: &ObjectId) -> ObjectId {
        match self.merge(ours, theirs) {
            Merged::Tree(tree) => tree,
            Merged::Conflicts(conflicts) => panic!("conflicts: {conflicts:?}"),
        }
    }

    fn conflicts(&self, ours: &ObjectId, theirs: &ObjectId) -> Vec<(PathBuf, Vec<String>)> {
        match self.merge(ours, theirs) {
            Merged::Tree(tree) => panic!("it merged to {tree}"),
            Merged::Conflicts(found) => {
                found.into_iter().map(|Conflict { path, kinds }| (path, kinds)).collect()
            }
        }
    }
}

fn remove(lab: &Lab, name: &str) {
    fs::remove_file(lab.file(name)).unwrap();
}

fn rename(lab: &Lab, from: &str, to: &str) {
    fs::create_dir_all(lab.file(to).parent().unwrap()).unwrap();
    fs::rename(lab.file(from), lab.file(to)).unwrap();
}

/// LP-14: what both sides did is in the merge, with modes, links and odd names, and a file that one
/// side moved has what the other side wrote into it.
#[test]
fn what_both_sides_did_goes_together() {
    let text: String = (1..40).map(|line| format!("line {line}\n")).collect();
    let fork = Fork::new(|lab| {
        lab.write("long.txt", &text);
        lab.write("run.sh", "#!/bin/sh\n");
        lab.write(os(b"od\xff\n name"), "odd\n");
    });
    let ours = fork.side("ours", |lab| {
        lab.write("long.txt", text.replace("line 2\n", "line two\n"));
        make_executable(&lab.file("run.sh"));
        lab.write("ours.txt", "ours\n");
    });
    let theirs = fork.side("theirs", |lab| {
        lab.write("long.txt", text.replace("line 30\n", "line thirty\n"));
        rename(lab, "long.txt", "moved/long.txt");
        lab.write(os(b"od\xff\n name"), "odder\n");
        symlink("a.txt", lab.file("link")).unwrap();
        remove(lab, "b.txt");
    });
    let tree = fork.clean(&ours, &theirs);
    let both = text.replace("line 2\n", "line two\n").replace("line 30\n", "line thirty\n");
    assert_eq!(fork.lab.content(&tree, "moved/long.txt"), Some(both));
    assert_eq!(fork.lab.content(&tree, "long.txt"), None);
    assert_eq!(fork.lab.content(&tree, "b.txt"), None);
    assert_eq!(fork.lab.content(&tree, "ours.txt").as_deref(), Some("ours\n"));
    assert_eq!(fork.lab.mode(&tree, "run.sh"), "100755");
    assert_eq!(fork.lab.mode(&tree, "link"), "120000");
    assert_eq!(fork.lab.open().merge_trees(&fork.base, &fork.base, &theirs).unwrap(), {
        Merged::Tree(fork.lab.id(&format!("{theirs}^{{tree}}")))
    });
}

/// LP-14: every kind of conflict is named by its path, once, and what kind it is.
#[test]
fn conflicts_are_named() {
    let long: String = (1..30).map(|line| format!("line {line}\n")).collect();
    let fork = Fork::new(|lab| {
        lab.write("both.txt", "1\n");
        lab.write("gone.txt", "1\n");
        lab.write("named.txt", &long);
        lab.write("image.bin", [0, 1, 2, 3]);
        lab.write(os(b"od\xff"), "1\n");
        lab.write("script.txt", "s\n");
        lab.write("calm.txt", "1\n");
    });
    let ours = fork.side("ours", |lab| {
        lab.write("both.txt", "2\n");
        lab.write("gone.txt", "2\n");
        rename(lab, "named.txt", "ours.txt");
        lab.write("image.bin", [0, 9, 9]);
        lab.write(os(b"od\xff"), "2\n");
        make_executable(&lab.file("script.txt"));
        lab.write("new.txt", "ours\n");
        lab.write("calm.txt", "2\n");
    });
    let theirs = fork.side("theirs", |lab| {
        lab.write("both.txt", "3\n");
        remove(lab, "gone.txt");
        rename(lab, "named.txt", "theirs.txt");
        lab.write("image.bin", [0, 7, 7, 7]);
        lab.write(os(b"od\xff"), "3\n");
        remove(lab, "script.txt");
        lab.write("new.txt", "theirs\n");
    });
    let found = fork.conflicts(&ours, &theirs);
    let kinds = |path: &[u8]| {
        let path = Path::new(os(path));
        let of: Vec<_> = found.iter().filter(|(one, _)| one == path).collect();
        assert_eq!(of.len(), 1, "{} is named once: {found:?}", path.display());
        of[0].1.join(", ")
    };
    assert_eq!(kinds(b"both.txt"), "contents");
    assert_eq!(kinds(b"gone.txt"), "modify/delete");
    assert_eq!(kinds(b"image.bin"), "binary, contents");
    assert_eq!(kinds(b"od\xff"), "contents");
    assert_eq!(kinds(b"script.txt"), "modify/delete");
    assert_eq!(kinds(b"new.txt"), "contents");
    assert_eq!(kinds(b"named.txt"), "rename/rename");
    assert!(!found.iter().any(|(path, _)| path == Path::new("calm.txt")), "{found:?}");
}

/// LP-14: a file here and a folder there, and one renamed here and removed there.
#[test]
fn what_can_not_be_in_one_place_is_a_conflict() {
    let long: String = (1..30).map(|line| format!("line {line}\n")).collect();
    let fork = Fork::new(|lab| lab.write("old.txt", &long));
    let ours = fork.side("ours", |lab| {
        lab.write("place", "a file\n");
        rename(lab, "old.txt", "new.txt");
    });
    let theirs = fork.side("theirs", |lab| {
        lab.write("place/inside.txt", "in a folder\n");
        remove(lab, "old.txt");
    });
    let found = fork.conflicts(&ours, &theirs);
    let words = format!("{found:?}");
    assert!(words.contains("file/directory") && words.contains("rename/delete"), "{words}");
}

/// A commit on top of `base` in which these submodules stand on commits with these digits.
fn modules(lab: &Lab, base: &ObjectId, moves: &[(&str, char)]) -> ObjectId {
    lab.git(&lab.root(), &["read-tree", base.as_str()]);
    for (module, digit) in moves {
        let link = format!("160000,{},{module}", digit.to_string().repeat(40));
        lab.git(&lab.root(), &["update-index", "--add", "--cacheinfo", &link]);
    }
    let tree = lab.git(&lab.root(), &["write-tree"]);
    let asked = ["commit-tree", &tree, "-p", base.as_str(), "-m", "modules"];
    lab.git(&lab.root(), &asked).parse().unwrap()
}

/// LP-14: two commits of one submodule don't merge by themselves; one that only one side moved does.
#[test]
fn submodules_are_commits() {
    let mut fork = Fork::new(|_| ());
    fork.base = modules(&fork.lab, &fork.base, &[("one", '1'), ("two", '1')]);
    let ours = modules(&fork.lab, &fork.base, &[("one", '2')]);
    let theirs = modules(&fork.lab, &fork.base, &[("two", '3')]);
    let tree = fork.clean(&ours, &theirs);
    let listed = fork.lab.git(&fork.lab.root(), &["ls-tree", tree.as_str(), "one", "two"]);
    assert!(listed.contains("160000 commit 2222") && listed.contains("160000 commit 3333"));
    let theirs = modules(&fork.lab, &fork.base, &[("one", '3')]);
    let found = fork.conflicts(&ours, &theirs);
    assert_eq!(
        found.iter().map(|(path, _)| path.as_path()).collect::<Vec<_>>(),
        [Path::new("one")]
    );
    assert!(found[0].1[0].starts_with("submodule"), "{found:?}");
}

/// LP-14: settings and attributes that lie about don't change what a merge comes to, and no hook runs.
#[test]
fn surroundings_do_not_decide() {
    let fork = Fork::new(|lab| lab.write("both.txt", "1\n"));
    let ours = fork.side("ours", |lab| lab.write("both.txt", "2\n"));
    let theirs = fork.side("theirs", |lab| {
        lab.write("both.txt", "3\n");
        // What the work says of its own merging is not asked.
        lab.write(".gitattributes", "both.txt merge=union\n");
    });
    let lab = &fork.lab;
    let ran = lab.path("ran");
    let script = format!("touch {}", ran.display());
    for hook in ["post-checkout", "reference-transaction", "post-index-change"] {
        put_script(&lab.file(format!(".git/hooks/{hook}")), &script);
    }
    lab.git(&lab.root(), &["config", "merge.default", "union"]);
    lab.git(&lab.root(), &["config", "merge.renames", "false"]);
    let found = fork.conflicts(&ours, &theirs);
    assert_eq!(found, [(PathBuf::from("both.txt"), vec!["contents".to_owned()])]);
    assert!(!ran.exists());
    let unioned = fork.clean(&theirs, &ours);
    assert_eq!(lab.content(&unioned, "both.txt").as_deref(), Some("3\n2\n"));
}

/// LP-14: an older git, which merges only in working trees, is said to be too old; what is no commit is
/// named.
#[test]
fn an_old_git_and_an_unknown_commit_are_said() {
    let fork = Fork::new(|_| ());
    let ours = fork.side("ours", |lab| lab.write("a.txt", "2\n"));
    let theirs = fork.side("theirs", |lab| lab.write("b.txt", "2\n"));
    let lab = &fork.lab;
    let body = "case \"$*\" in\n*merge-tree*) echo 'usage: git merge-tree' >&2; exit 129;;\n\
                *' version'*) echo 'git version 2.36.1'; exit;;\nesac\nexec REAL \"$@\"";
    let path = std::env::var_os("PATH").unwrap();
    let real = std::env::split_paths(&path).map(|one| one.join("git")).find(|one| one.is_file());
    put_script(&lab.path("bin/git"), &body.replace("REAL", real.unwrap().to_str().unwrap()));
    let mut old = lab.path("bin").into_os_string();
    old.push(":");
    old.push(&path);
    let mut env = lab.env();
    env.retain(|(name, _)| name != "PATH");
    env.push((OsString::from("PATH"), old));
    let repository = Repository::open_with(&lab.root(), env).unwrap();
    let error = repository.merge_trees(&fork.base, &ours, &theirs).unwrap_err();
    assert_eq!(error.to_string(), "git 2.36.1 is too old; install git 2.40.0 or newer");

    let unknown: ObjectId = "1".repeat(40).parse().unwrap();
    let error = lab.open().merge_trees(&fork.base, &ours, &unknown).unwrap_err();
    assert!(matches!(error, Error::UnknownRevision { .. }), "{error}");
}

/// LP-14: ancestry is told.
#[test]
fn what_is_below_what() {
    let fork = Fork::new(|_| ());
    let ours = fork.side("ours", |lab| lab.write("a.txt", "2\n"));
    let theirs = fork.side("theirs", |lab| lab.write("b.txt", "2\n"));
    let repository = fork.lab.open();
    assert!(repository.is_below(&fork.base, &ours).unwrap());
    assert!(repository.is_below(&ours, &ours).unwrap());
    assert!(!repository.is_below(&ours, &fork.base).unwrap());
    assert!(!repository.is_below(&ours, &theirs).unwrap());
}
