//! Files that git converts: a restore gives the bytes that the role left, whatever filters and
//! attributes say by then.

use std::fs;
use std::path::PathBuf;

use countersign_testkit::Project;

use crate::desk::{begin, context, data, desk};

/// `(what, before the task, the work, after the snapshot)`; the file is `src/a.x`.
const SITUATIONS: &[(&str, &str, &str, &str)] = &[
    (
        "CRLF on disk, LF in git",
        "echo '*.x text eol=crlf' > .gitattributes && printf 'a\\r\\n' > src/a.x",
        "printf 'a\\r\\nb\\r\\n' > src/a.x",
        "true",
    ),
    (
        "LF on disk where git would write CRLF",
        "echo '*.x text eol=crlf' > .gitattributes && printf 'a\\r\\n' > src/a.x",
        "printf 'a\\nb\\n' > src/a.x",
        "true",
    ),
    (
        "mixed line ends by autocrlf",
        "git config core.autocrlf input && printf 'a\\n' > src/a.x",
        "printf 'a\\r\\nb\\nc\\r\\n' > src/a.x",
        "git config --unset core.autocrlf",
    ),
    (
        "attributes that came later",
        "printf 'a\\n' > src/a.x",
        "printf 'a\\nb\\n' > src/a.x",
        "echo '*.x text eol=crlf' > .git/info/attributes",
    ),
    (
        "an identifier",
        "echo '*.x ident' > .gitattributes && echo '$Id$' > src/a.x",
        "printf '$Id: by hand $\\nmore\\n' > src/a.x",
        "true",
    ),
    (
        "a filter that deletes lines",
        "git config filter.d.clean 'sed /secret/d' && echo '*.x filter=d' > .gitattributes && \
         echo a > src/a.x",
        "printf 'a\\nsecret\\nb\\n' > src/a.x",
        "true",
    ),
    (
        "a filter that was removed",
        "git config filter.d.clean 'sed /secret/d' && echo '*.x filter=d' > .gitattributes && \
         echo a > src/a.x",
        "printf 'a\\nsecret\\nb\\n' > src/a.x",
        "git config --remove-section filter.d && rm .gitattributes",
    ),
    (
        "a filter that was planted",
        "echo '*.x filter=d' > .gitattributes && echo a > src/a.x",
        "printf 'a\\nb\\n' > src/a.x",
        "git config filter.d.smudge 'touch ../ran; echo evil' && \
         git config filter.d.clean 'touch ../ran; cat' && git config filter.d.required true",
    ),
    (
        "another encoding",
        "echo '*.x text working-tree-encoding=UTF-16LE' > .gitattributes && \
         printf 'a\\000' > src/a.x",
        "printf 'a\\000b\\000' > src/a.x",
        "true",
    ),
    (
        "a megabyte through a filter",
        "git config filter.d.clean 'tr -d x' && echo '*.x filter=d' > .gitattributes && \
         echo a > src/a.x",
        "head -c 1000000 /dev/urandom > src/a.x && echo x >> src/a.x",
        "git config filter.d.smudge 'head -c 3'",
    ),
    (
        "a pointer of a large file",
        "git config filter.lfs.clean 'touch ../ran-lfs; cat' && \
         git config filter.lfs.smudge 'echo large' && echo '*.x filter=lfs' > .gitattributes && \
         printf 'version https://git-lfs.github.com/spec/v1\\noid sha256:%064d\\nsize 5\\n' 1 \
         > src/a.x",
        "printf 'version https://git-lfs.github.com/spec/v1\\noid sha256:%064d\\nsize 6\\n' 2 \
         > src/a.x",
        "true",
    ),
];

fn prepared(before: &str, work: &str) -> Project {
    let project = desk();
    project.sh(before).expect(0);
    project.commit("Files that git converts");
    project.run(["context", "init", "TASK-0824"]).expect(0);
    project.sh(work).expect(0);
    context(&project, &["snapshot", "--role", "implementer"]).expect(0);
    project
}

fn restore(project: &Project, step: &str) -> PathBuf {
    let into = project.outside().join(format!("restored-{step}"));
    context(project, &["restore", "--role", step, "--into", into.to_str().unwrap()]).expect(0);
    into
}

/// CX-09: the bytes come back, with and without the step before them, and nothing runs.
#[test]
fn bytes_come_back() {
    for (what, before, work, after) in SITUATIONS {
        let project = prepared(before, work);
        let left = fs::read(project.path("src/a.x")).unwrap();
        let same = context(&project, &["verify"]);
        assert_eq!(same.code, Some(0), "{what}: {}", same.out());
        project.sh(after).expect(0);
        let into = restore(&project, "implementer");
        let came = fs::read(into.join("src/a.x")).unwrap();
        assert!(came == left, "{what}: {} for {} bytes", came.len(), left.len());
        assert!(!project.outside().join("ran").exists(), "{what}: a filter ran");
        let theme = fs::read(into.join("src/theme.txt")).unwrap();
        assert_eq!(theme, fs::read(project.path("src/theme.txt")).unwrap(), "{what}");
    }
}

/// CX-09: bytes that are the same in the next step are known by then.
#[test]
fn bytes_stay_over_steps() {
    let (_, before, work, _) = SITUATIONS[5];
    let project = prepared(before, work);
    let left = fs::read(project.path("src/a.x")).unwrap();
    begin(&project, "reviewer").expect(0);
    project.write("src/store.txt", "new\n");
    context(&project, &["snapshot", "--role", "reviewer"]).expect(0);
    assert_eq!(fs::read(restore(&project, "reviewer").join("src/a.x")).unwrap(), left);
    // Lost bytes are read again from the working tree.
    begin(&project, "validator").expect(0);
    fs::remove_dir_all(project.state().join("raw")).unwrap();
    project.write("src/store.txt", "newer\n");
    context(&project, &["snapshot", "--role", "validator"]).expect(0);
    assert_eq!(fs::read(restore(&project, "validator").join("src/a.x")).unwrap(), left);
}

/// CX-09: bytes that are lost are not made up, and that is said.
#[test]
fn lost_bytes_are_said() {
    let (_, before, work, _) = SITUATIONS[5];
    let project = prepared(before, work);
    fs::remove_dir_all(project.state().join("raw")).unwrap();
    let into = project.outside().join("restored");
    let words = ["restore", "--role", "implementer", "--into", into.to_str().unwrap()];
    context(&project, &words).expect(0).prints("they are as git recorded them");
    assert_eq!(fs::read(into.join("src/a.x")).unwrap(), b"a\nb\n");
    project.write("src/a.x", "other\n");
    context(&project, &["verify"]).expect(1).prints("a remedy brings back what git makes of them");
}

/// CX-10: the remedies, carried out one after the other, put the bytes back.
#[test]
fn remedies_bring_bytes_back() {
    let acts = [
        "echo other > src/a.x",
        "printf 'a\\nb\\n' > src/a.x",
        "rm -r src",
        "mv src/a.x src/b.x",
        "rm src/a.x && mkfifo src/a.x",
        "git stash -q -u",
        "git checkout -q -- .",
        "chmod +x src/a.x",
    ];
    let (_, before, work, _) = SITUATIONS[5];
    for act in acts {
        let project = prepared(before, work);
        let left = fs::read(project.path("src/a.x")).unwrap();
        project.sh(act).expect(0);
        let verify = ["context", "verify", "TASK-0824", "--format", "json"];
        let found = project.run(verify).expect(1).data();
        let folder = std::path::Path::new(crate::PROGRAM).parent().unwrap().display().to_string();
        for remedy in found["remedies"].as_array().unwrap() {
            let script = format!("PATH={folder}:$PATH; {}", remedy.as_str().unwrap());
            project.sh(&script).expect(0);
        }
        assert_eq!(fs::read(project.path("src/a.x")).unwrap(), left, "{act}: {found:#}");
        let again = context(&project, &["verify"]);
        assert_eq!(again.code, Some(0), "{act}: {}", again.out());
    }
}

/// CX-18: the bytes go when the trees are let go.
#[test]
fn bytes_go_with_the_trees() {
    let (_, before, work, _) = SITUATIONS[5];
    let project = prepared(before, work);
    assert!(project.state().join("raw/TASK-0824").is_dir());
    context(&project, &["purge"]).expect(0);
    assert!(project.state().join("raw/TASK-0824").is_dir(), "kept for the retention time");
    project.write("countersign.toml", "[context]\nretention_days = 0\n");
    project.run(["context", "sweep"]).expect(0);
    assert!(!project.state().join("raw/TASK-0824").exists());
    assert!(data(&project, &["show"])["purged"].is_string());
}

/// CX-07: who changed nothing but bytes that git converts away has something to hand over.
#[test]
fn bytes_are_work_too() {
    let project = desk();
    project.write(".gitattributes", "*.x text\n");
    project.write("src/a.x", "a\nb\n");
    project.commit("A text");
    project.run(["context", "init", "TASK-0824"]).expect(0);
    project.write("src/a.x", "a\r\nb\r\n");
    context(&project, &["snapshot", "--role", "implementer"]).expect(0);
    let into = restore(&project, "implementer");
    assert_eq!(fs::read_to_string(into.join("src/a.x")).unwrap(), "a\r\nb\r\n");
    let into = restore(&project, "start");
    assert_eq!(fs::read_to_string(into.join("src/a.x")).unwrap(), "a\nb\n");
}

/// What `git lfs clean` does: the bytes go into a store of its own, and git gets a pointer.
const CLEAN_LARGE: &str = r#"#!/bin/sh
cat > "$TMPDIR/large.$$"
name=$(sha256sum < "$TMPDIR/large.$$" | cut -c1-64)
folder=.git/lfs/objects/$(echo "$name" | cut -c1-2)/$(echo "$name" | cut -c3-4)
mkdir -p "$folder"
printf 'version https://git-lfs.github.com/spec/v1\noid sha256:%s\nsize %s\n' \
    "$name" "$(wc -c < "$TMPDIR/large.$$")"
mv "$TMPDIR/large.$$" "$folder/$name"
"#;

/// CX-09: what LFS keeps is not kept twice, comes back from there, and is a pointer without it.
#[test]
fn large_files_are_kept_once() {
    let project = desk();
    project.write_program("../clean", CLEAN_LARGE);
    project.sh("git config filter.lfs.clean ../clean").expect(0);
    project.write(".gitattributes", "*.bin filter=lfs\n");
    project.write("src/a.bin", "large\n".repeat(10_000));
    project.commit("Large files");
    project.run(["context", "init", "TASK-0824"]).expect(0);
    let large = "larger\n".repeat(10_000);
    project.write("src/b.bin", &large);
    context(&project, &["snapshot", "--role", "implementer"]).expect(0);
    assert!(!project.state().join("raw").exists(), "kept twice");
    let into = restore(&project, "implementer");
    assert_eq!(fs::read_to_string(into.join("src/b.bin")).unwrap(), large);
    // What LFS does not have when the next step is made is kept by us.
    fs::remove_dir_all(project.path(".git/lfs")).unwrap();
    project.write_program("../clean", &CLEAN_LARGE.replace("mv ", "rm -r .git/lfs; : "));
    begin(&project, "reviewer").expect(0);
    project.write("src/store.txt", "new\n");
    context(&project, &["snapshot", "--role", "reviewer"]).expect(0);
    let into = restore(&project, "reviewer");
    assert_eq!(fs::read_to_string(into.join("src/a.bin")).unwrap(), "large\n".repeat(10_000));
    assert_eq!(fs::read_to_string(into.join("src/b.bin")).unwrap(), large);
    let again = project.outside().join("again");
    let words = ["restore", "--role", "implementer", "--into", again.to_str().unwrap()];
    context(&project, &words).expect(0).prints("src/a.bin is a pointer");
    assert!(fs::read_to_string(again.join("src/a.bin")).unwrap().starts_with("version https"));
}

fn mode_of(path: &std::path::Path) -> u32 {
    use std::os::unix::fs::PermissionsExt as _;
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

/// CX-09: a private file is private where it is restored, and what no tree holds is named.
#[test]
fn permissions_are_restored() {
    let project = crate::desk::begun();
    project.write("src/private.txt", "mine\n");
    project.write(".env", "KEY=1\n");
    project.sh("chmod 600 src/private.txt && chmod 775 test.sh && mkfifo src/pipe").expect(0);
    context(&project, &["snapshot", "--role", "implementer"]).expect(0);
    let into = project.outside().join("known");
    let words = ["restore", "--role", "implementer", "--into", into.to_str().unwrap()];
    let ran = context(&project, &words).expect(0);
    ran.prints("src/pipe (pipe)").prints(".env (ignored)");
    assert_eq!(mode_of(&into.join("src/private.txt")), 0o600);
    assert_eq!(mode_of(&into.join("test.sh")), 0o775);
    assert_ne!(mode_of(&into), 0o700, "as open as the user makes folders");
    // Without the cache nobody knows, so nobody else gets in.
    fs::remove_dir_all(project.state().join("contexts/TASK-0824/trees")).unwrap();
    let into = project.outside().join("unknown");
    let words = ["restore", "--role", "implementer", "--into", into.to_str().unwrap()];
    context(&project, &words).expect(0).prints("which permissions the files had is lost");
    assert_eq!(mode_of(&into), 0o700);
}

/// CX-08: a printed difference is one that git takes, whatever is in it.
#[test]
fn a_printed_difference_can_be_applied() {
    let project = crate::desk::begun();
    fs::write(project.path("src/theme.txt"), b"one\r\n\xff\x1b[31m\nfive").unwrap();
    fs::write(project.path("src/odd \t\"name\".txt"), "x\r\n").unwrap();
    context(&project, &["snapshot", "--role", "implementer"]).expect(0);
    let patch = context(&project, &["diff", "--role", "implementer"]).expect(0).stdout;
    assert!(patch.windows(2).any(|two| two == b"\r\n") && patch.contains(&0xff));
    let other = project.outside().join("other");
    let words = ["restore", "--role", "start", "--into", other.to_str().unwrap()];
    context(&project, &words).expect(0);
    fs::write(project.outside().join("p"), &patch).unwrap();
    project.sh("cd ../other && git apply ../p").expect(0);
    for name in ["src/theme.txt", "src/odd \t\"name\".txt"] {
        assert_eq!(fs::read(other.join(name)).unwrap(), fs::read(project.path(name)).unwrap());
    }
    // The hunks of drift as well.
    let before = fs::read(project.path("src/theme.txt")).unwrap();
    fs::write(project.path("src/theme.txt"), b"one\r\ntwo\r\n").unwrap();
    let hunks = context(&project, &["verify", "--hunks"]).expect(1).stdout;
    fs::write(project.outside().join("p"), hunks).unwrap();
    project.sh("git apply --reverse ../p").expect(0);
    assert_eq!(fs::read(project.path("src/theme.txt")).unwrap(), before);
}
