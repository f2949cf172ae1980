//! The end of contexts, and what outlives it.

use countersign_testkit::Project;

use crate::desk::{begin, context, data, handed_over};

fn refs(project: &Project) -> usize {
    project.git(["for-each-ref", "refs/countersign/contexts"]).lines().count()
}

/// CX-18, D4.4: a purge takes the working files; trees, texts and hashes stay.
#[test]
fn a_purge_keeps_the_evidence() {
    let project = handed_over();
    let folder = project.state().join("contexts/TASK-0824");
    assert!(folder.is_dir());
    context(&project, &["purge", "--because", "given up"])
        .expect(0)
        .prints("can be restored until");
    assert!(!folder.exists());
    context(&project, &["purge"]).expect(0).prints("nothing to purge");
    begin(&project, "reviewer").expect(1).says("was purged").says("given up");
    context(&project, &["show"]).expect(0).prints("given up");
    context(&project, &["diff", "--role", "implementer"]).expect(0).prints("+TWO two");
    let into = project.outside().join("restored");
    let words = ["restore", "--role", "implementer", "--into", into.to_str().unwrap()];
    context(&project, &words).expect(0);
    assert_eq!(std::fs::read_to_string(into.join("src/store.txt")).unwrap(), "new\n");
    // Another context of the same task begins from nothing.
    context(&project, &["init"]).expect(0);
    assert_eq!(data(&project, &["show"])["steps"].as_array().unwrap().len(), 1);
    project.run(["ledger", "verify"]).expect(0).prints("intact");
}

/// CX-18: a sweep ends what is over, when it is over, and nothing else.
#[test]
fn a_sweep_ends_what_is_over() {
    let project = handed_over();
    let sweep = |words: &[&str]| {
        let all: Vec<&str> = ["context", "sweep"].iter().chain(words).copied().collect();
        project.run(all).expect(0)
    };
    sweep(&["--ttl", "0s"]).prints("nothing to sweep");
    std::fs::remove_file(project.path("tasks/TASK-0824.task.yaml")).unwrap();
    sweep(&[]).prints("nothing to sweep");
    sweep(&["--ttl", "0s", "--dry-run"]).prints("TASK-0824: would be purged");
    assert!(!context(&project, &["show"]).expect(0).out().contains("purged"));
    let kept = refs(&project);
    assert!(kept > 0);
    sweep(&["--ttl", "0s"]).prints("TASK-0824: purged");
    assert_eq!(refs(&project), kept, "the retention time has just begun");
    project
        .call(["context", "sweep"])
        .env("COUNTERSIGN_CONTEXT_RETENTION_DAYS", "0")
        .run()
        .expect(0)
        .prints("TASK-0824: let go");
    assert_eq!(refs(&project), 0);
    sweep(&["--ttl", "0s"]).prints("nothing to sweep");
    let orphan = project.state().join("contexts/TASK-7777");
    std::fs::create_dir_all(&orphan).unwrap();
    sweep(&[]).prints("TASK-7777: removed");
    assert!(!orphan.exists());
    project.run(["context", "sweep", "--ttl", "soon"]).expect(2).says("'soon' is no time");
    project.run(["ledger", "verify"]).expect(0).prints("intact");
}

/// CX-08: whatever becomes of the working tree, what was handed over comes back.
#[test]
fn nothing_is_ever_lost() {
    for (number, script) in [
        "git reset -q --hard && git clean -qfdx",
        "git stash -q -u && git stash drop -q && git gc -q --prune=now",
        "git checkout -q --orphan empty && git rm -rfq . && git clean -qfdx",
        "rm -rf src",
    ]
    .iter()
    .enumerate()
    {
        let project = handed_over();
        project.sh(script).expect(0);
        let into = project.outside().join(format!("restored-{number}"));
        let words = ["restore", "--role", "implementer", "--into", into.to_str().unwrap()];
        context(&project, &words).expect(0);
        assert_eq!(std::fs::read_to_string(into.join("src/store.txt")).unwrap(), "new\n");
        let theme = std::fs::read_to_string(into.join("src/theme.txt")).unwrap();
        assert_eq!(theme, "one\nTWO two\nthree\nfour\nfive\n", "{script}");
    }
    let project = handed_over();
    let here = project.path("src");
    let words = ["restore", "--role", "implementer", "--into", here.to_str().unwrap()];
    context(&project, &words).expect(1).says("is already there");
    let words = ["restore", "--role", "reviewer", "--into", "x"];
    context(&project, &words).expect(1).says("reviewer has not handed anything over yet");
}

/// CX-18: a name that no context has is a mistake; a context that is purged is not.
#[test]
fn what_never_was_can_not_be_purged() {
    let project = crate::desk::begun();
    project.run(["context", "purge", "nope"]).expect(1).says("nope");
    project.run(["context", "purge", "TASK-0824"]).expect(0);
    project.run(["context", "purge", "TASK-0824"]).expect(0).prints("has nothing to purge");
}

/// CX-08: files that were let go or removed by hand are told apart from those that never were.
#[test]
fn lost_trees_are_told() {
    let project = crate::desk::handed_over();
    project
        .sh("git for-each-ref --format='delete %(refname)' refs/countersign/contexts | \
             git update-ref --stdin && git gc -q --prune=now")
        .expect(0);
    let into = project.outside().join("restored");
    let words = ["restore", "--role", "implementer", "--into", into.to_str().unwrap()];
    for words in [&words[..], &["diff", "--role", "implementer"]] {
        let ran = context(&project, words).expect(1);
        ran.says("left them are lost: tree ")
            .says("refs/countersign/contexts/TASK-0824/")
            .says("what is on record still holds");
    }
    context(&project, &["show"]).expect(0);
}

/// CX-11: a tree that is lost stops nobody for ever: drift is told, resolved by a note, and the
/// work goes on; with the stat cache of the step and without it.
#[test]
fn a_lost_tree_can_be_gone_on_from() {
    for is_cache_lost in [false, true] {
        let project = crate::desk::begun();
        project.write("src/theme.txt", "six\n");
        project.write("src/gone.txt", "a file that will be gone\n");
        context(&project, &["snapshot", "--role", "implementer"]).expect(0);
        project
            .sh("git for-each-ref --format='delete %(refname)' refs/countersign/contexts | \
                 git update-ref --stdin && git gc -q --prune=now")
            .expect(0);
        if is_cache_lost {
            std::fs::remove_dir_all(project.state().join("contexts/TASK-0824/trees")).unwrap();
        }
        project.write("src/theme.txt", "seven\n");
        std::fs::remove_file(project.path("src/gone.txt")).unwrap();
        project.write("src/new.txt", "something else\n");
        let ran = context(&project, &["verify"]).expect(1);
        ran.prints("left them are lost");
        begin(&project, "reviewer").expect(1).says("drifted");
        context(&project, &["resolve-drift", "--note", "the store was swept"]).expect(0);
        begin(&project, "reviewer").expect(0);
        project.write("src/theme.txt", "eight\n");
        context(&project, &["snapshot", "--role", "reviewer"]).expect(0);
        context(&project, &["diff", "--role", "reviewer"]).expect(0).prints("+eight");
    }
}

/// CX-08: files of a step in the working tree would be drift.
#[test]
fn nothing_is_restored_into_the_working_tree() {
    let project = crate::desk::handed_over();
    for into in ["restored", "src/deep/restored"] {
        let words = ["restore", "--role", "implementer", "--into", into];
        let ran = context(&project, &words).expect(1);
        ran.says("lies in the working tree, where it would be drift").says("TASK-0824-restored");
    }
    context(&project, &["verify"]).expect(0);
}
