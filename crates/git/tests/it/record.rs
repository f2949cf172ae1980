//! Recording in every kind of tree: the truth is what a snapshot by git alone has.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;

use countersign_domain::snapshot::{Recorded, SpecialKind, Why, explain};
use countersign_git::{Checkout, Error, Look, Tip};

use crate::common::{Lab, age, files, make_executable, make_pipe, os, put, unprivileged};
use crate::scene::{Scene, told};

/// Records, and expects the tree that git itself makes of the working tree.
#[track_caller]
fn check_truth(scene: &mut Scene) -> Recorded {
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
        scene.repository().checkout(&Checkout { into: &into, tip }).unwrap();
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

/// CX-09: names that are no text, have new lines, are long, or look like something else.
#[test]
fn odd_names_are_recorded() {
    let mut scene = Scene::of(Lab::new());
    let long = "l".repeat(255);
    let names: [&[u8]; 10] = [
        b"not \xff text",
        b"two\nlines",
        b"\"quoted\"",
        b"back\\slash",
        b"tab\tname",
        b":(top)magic",
        b"-dash",
        b"sp ace ",
        "grün/日本".as_bytes(),
        long.as_bytes(),
    ];
    for name in names {
        put(&scene.worktree.join(os(name)), "1\n");
    }
    check_truth(&mut scene);
    for name in names {
        put(&scene.worktree.join(os(name)), "2\n");
    }
    let drift = scene.drift();
    assert_eq!(drift.files.len(), names.len(), "{:?}", scene.told());
    for name in names {
        assert!(drift.files.iter().any(|file| file.path.as_bytes() == name), "{name:?}");
    }
    let patch = scene.repository().patch_of(&drift.files, &scene.scratch()).unwrap();
    assert_eq!(patch.windows(3).filter(|part| *part == b"\n+2").count(), names.len());
    scene.mend("odd names");
}

/// CX-09: links to nowhere, to folders, to themselves are content and are not followed.
#[test]
fn links_are_not_followed() {
    let mut scene = Scene::of(Lab::new());
    let link = |to: &str, name: &str| symlink(to, scene.worktree.join(name)).unwrap();
    link("nowhere", "dangling");
    link("dir", "folder");
    link(".", "dir/loop");
    link("self", "self");
    link("/etc", "outside");
    check_truth(&mut scene);
    scene.sh("echo x >> dir/c.txt && rm self && ln -s other self");
    assert_eq!(scene.told(), ["edited dir/c.txt", "edited self"]);
    scene.mend("links");
}

/// CX-09: pipes, sockets and devices are named and hold nobody up.
#[test]
fn special_files_are_named() {
    let mut scene = Scene::of(Lab::new());
    make_pipe(&scene.worktree.join("pipe"));
    let _socket = UnixListener::bind(scene.worktree.join("dir/socket")).unwrap();
    let recorded = check_truth(&mut scene);
    let kinds: Vec<SpecialKind> = recorded.special.iter().map(|special| special.kind).collect();
    assert_eq!(kinds, [SpecialKind::Socket, SpecialKind::Pipe]);
    scene.sh("rm pipe dir/socket && echo 1 > dir/socket");
    assert_eq!(scene.told(), ["replaced dir/socket", "removed pipe"]);
}

/// CX-09: line endings that git converts, either way.
#[test]
fn converted_line_endings_are_recorded() {
    for settings in [
        "git config core.autocrlf true",
        "git config core.autocrlf input",
        "echo '* text=auto eol=crlf' > .gitattributes",
        "echo '*.txt text' > .gitattributes",
    ] {
        let mut scene = Scene::of(Lab::new());
        scene.sh(settings);
        scene.sh("printf '1\\r\\n2\\r\\n' > crlf.txt && printf '1\\n2\\n' > lf.txt && printf '1\\r\\n2\\n' > mixed.txt");
        check_truth(&mut scene);
        scene.sh("touch crlf.txt lf.txt mixed.txt a.txt");
        assert_eq!(scene.told(), Vec::<String>::new(), "{settings}");
        scene.sh("printf '1\\n2\\n' > crlf.txt && printf '1\\r\\n2\\r\\n' > lf.txt && printf '1\\n2\\r\\n' > mixed.txt");
        let expected = ["crlf", "lf", "mixed"].map(|name| format!("line endings only {name}.txt"));
        assert_eq!(scene.told(), expected, "{settings}");
        scene.sh("echo 3 >> lf.txt");
        assert_eq!(scene.told()[1], "edited lf.txt", "{settings}");
    }
}

/// CX-09: filters, such as those of large files, keep what they replace.
#[test]
fn filtered_files_are_recorded() {
    let mut scene = Scene::of(Lab::new());
    scene.sh(
        "git config filter.upper.clean 'tr a-z A-Z' && git config filter.upper.smudge cat && \
         echo '*.up filter=upper' > .gitattributes && echo abc > x.up && git add -A && \
         git commit -qm filtered",
    );
    check_truth(&mut scene);
    scene.sh("touch x.up");
    assert_eq!(scene.told(), Vec::<String>::new());
    scene.sh("echo aBc > x.up");
    assert_eq!(scene.told(), ["before filters only x.up"]);
    scene.sh("echo abd > x.up");
    assert_eq!(scene.told(), ["edited x.up"]);
}

/// CX-09: pointers of large files whose program is missing are files like any other.
#[test]
fn pointers_without_their_program_are_recorded() {
    let mut scene = Scene::of(Lab::new());
    let pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n";
    scene.write(".gitattributes", "*.bin filter=lfs diff=lfs merge=lfs -text\n");
    scene.write("x.bin", pointer);
    check_truth(&mut scene);
    scene.sh("sed -i 's/size 1/size 2/' x.bin");
    assert_eq!(scene.told(), ["edited x.bin"]);
}

/// CX-09: more ignored files than can be watched are said to be so.
#[test]
fn bounds_are_told() {
    let mut scene = Scene::of(Lab::new());
    scene.write(".gitignore", "data/\nfew/\nhuge\n");
    for number in 0..600 {
        scene.write(&format!("data/{number}"), "1\n");
    }
    scene.write("few/x", "1\n");
    let huge = fs::File::create(scene.worktree.join("huge")).unwrap();
    huge.set_len(64 << 20).unwrap();
    let recorded = scene.record();
    let beyond: Vec<(String, Why)> =
        recorded.beyond.iter().map(|beyond| (beyond.path.to_string(), beyond.why)).collect();
    assert_eq!(beyond, [("data".to_owned(), Why::TooMany), ("huge".to_owned(), Why::TooLarge)]);
    assert_eq!(scene.told(), ["note beyond", "note beyond"]);
    huge.set_len(65 << 20).unwrap();
    scene.write("few/x", "2\n");
    scene.write("data/1", "2\n");
    assert_eq!(scene.told(), ["edited few/x", "edited huge", "note beyond", "note beyond"]);
}

/// CX-09: a name that git refuses is watched, and said not to be stored.
#[test]
fn refused_names_are_watched() {
    let mut scene = Scene::of(Lab::new());
    scene.write("git~1/x", "1\n");
    let recorded = scene.record();
    assert_eq!(recorded.beyond[0].why, Why::Unrecordable);
    assert_eq!(scene.told(), ["note beyond"]);
    scene.write("git~1/x", "2\n");
    assert_eq!(scene.told(), ["edited git~1/x", "note beyond"]);
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

/// CX-09: a file that can't be read is an error that names it; an ignored one is not.
#[test]
fn unreadable_files_are_named() {
    unprivileged("record::unreadable_files_are_named", || {
        let mut scene = Scene::of(Lab::new());
        scene.sh("echo '.secret*' > .gitignore && echo 1 > .secret && mkdir .secrets && echo 1 > .secrets/x && \
                  chmod 000 .secret .secrets");
        scene.record_blindly();
        let told = |scene: &Scene| {
            let found = scene.try_compare(Look::Cached).unwrap();
            told(&explain(scene.last(), &found))
        };
        assert_eq!(told(&scene), ["note beyond", "note beyond"]);
        scene.sh("chmod 000 b.txt");
        assert_eq!(told(&scene)[0], "chmod b.txt");
        scene.sh("echo 1 > new && chmod 000 new");
        let refused = scene.try_record();
        assert!(matches!(refused, Err(Error::Unreadable { .. })), "{refused:?}");
        scene.sh("chmod 700 .secrets");
    });
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

/// CX-09: many files that git does not know yet, in one folder and in many.
#[test]
fn many_unknown_files_are_recorded() {
    let mut scene = Scene::of(Lab::new());
    for number in 0..3_000 {
        scene.write(&format!("many/{number}"), "1\n");
        scene.write(&format!("dir/deep{}/{number}", number % 50), "2\n");
        scene.write(&format!("dir/x{number}"), "3\n");
    }
    check_truth(&mut scene);
    scene.write("many/1500", "2\n");
    scene.write("dir/deep7/new", "2\n");
    scene.sh("rm dir/x77");
    assert_eq!(scene.told(), ["added dir/deep7/new", "removed dir/x77", "edited many/1500"]);
}

/// CX-09: a file that never rests is named, and waited for no longer than a few times.
#[test]
fn a_restless_file_is_named() {
    let mut scene = Scene::of(Lab::new());
    // The filter itself changes the file each time that git reads it.
    scene.sh(
        "printf '#!/bin/sh\\ncat\\ndate +%%N%%s >> \"$1\"\\n' > ../restless && chmod +x ../restless && \
         git config filter.r.clean \"$PWD/../restless %f\" && echo 'r.txt filter=r' > .gitattributes && \
         echo 1 > r.txt",
    );
    let refused = scene.try_record();
    assert!(
        matches!(&refused, Err(Error::Restless { path }) if path.ends_with("r.txt")),
        "{refused:?}"
    );
    scene.sh("git config filter.r.clean cat");
    scene.record();
    scene.sh("echo 2 > r.txt && git config filter.r.clean \"$PWD/../restless %f\"");
    let refused = scene.try_compare(Look::Cached);
    assert!(matches!(&refused, Err(Error::Restless { .. })), "{refused:?}");
}
