//! What is done to a recorded tree through git's history, and what it is explained as.

use crate::scene::{Scene, told};

/// What is done before recording, what after, and what is told.
type Case = (&'static str, &'static str, &'static [&'static str]);

#[track_caller]
fn check(cases: &[Case]) {
    for (before, script, expected) in cases {
        let mut scene = Scene::new();
        scene.sh(before);
        scene.record();
        scene.sh(script);
        let drift = scene.drift();
        assert_eq!(told(&drift), *expected, "{script}");
        let is_told = expected.iter().any(|line| !line.starts_with("note "));
        assert_eq!(!drift.is_none(), is_told, "{script}");
        scene.mend(script);
    }
}

/// Everything committed, and branches with commits of their own: `other` beside, `ahead` on top.
const CLEAN: &str = "git add -A && git commit -qm work && git switch -qc other HEAD~1 && \
                     echo other > other.txt && git add -A && git commit -qm other && \
                     git switch -qc ahead main && echo ahead > ahead.txt && git add -A && \
                     git commit -qm ahead && git switch -q main";

/// What goes when `main` does not have its last commit any more.
const BACK: [&str; 4] =
    ["(edited a.txt)", "(removed fresh/one.txt)", "(removed new.txt)", "(removed staged.txt)"];

/// CX-10: commits on top of the recorded one.
#[test]
fn commits_are_told() {
    check(&[
        ("true", "git add -A && git commit -qm premature", &["committed"]),
        ("true", "git commit -qam one && git add -A && git commit -qm two", &["committed"]),
        ("true", "git commit -q --allow-empty -m empty", &["committed"]),
        ("true", "git commit -q --amend --no-edit", &["amended"]),
        ("true", "git commit -q --amend -m other --author 'X <x@y>'", &["amended"]),
        (CLEAN, "git cherry-pick other >/dev/null", &["cherry-picked", "(added other.txt)"]),
        (
            CLEAN,
            "git revert --no-edit HEAD >/dev/null",
            &["reverted", BACK[0], BACK[1], BACK[2], BACK[3]],
        ),
    ]);
}

/// CX-10: commits of others, and the content that came with them.
#[test]
fn commits_of_others_are_told() {
    check(&[
        (CLEAN, "git merge -q --no-edit other", &["merged", "(added other.txt)"]),
        (CLEAN, "git merge -q --no-ff --no-edit ahead", &["merged", "(added ahead.txt)"]),
        (CLEAN, "git merge -q --ff-only ahead", &["fast-forwarded", "(added ahead.txt)"]),
        (CLEAN, "git pull -q . ahead", &["fast-forwarded", "(added ahead.txt)"]),
        (CLEAN, "git rebase -q other", &["rebased", "(added other.txt)"]),
        (
            CLEAN,
            "git switch -q ahead && echo more >> b.txt",
            &["switched", "(added ahead.txt)", "edited b.txt"],
        ),
        (CLEAN, "git checkout -q ahead~0", &["switched", "(added ahead.txt)"]),
    ]);
}

/// CX-10: a branch that was set back, with and without its files.
#[test]
fn resets_are_told() {
    check(&[
        (CLEAN, "git reset -q --hard HEAD~1", &["reset", BACK[0], BACK[1], BACK[2], BACK[3]]),
        (CLEAN, "git reset -q --soft HEAD~1", &["reset"]),
        (CLEAN, "git reset -q HEAD~2", &["reset"]),
        (CLEAN, "git reset -q --hard ahead", &["reset", "(added ahead.txt)"]),
        (CLEAN, "git update-ref --no-deref HEAD ahead", &["switched"]),
    ]);
}

/// CX-10: uncommitted work that was put away or thrown away.
#[test]
fn work_that_went_is_told() {
    check(&[
        ("true", "git stash -q", &["stashed", "(back to HEAD a.txt)", "(removed staged.txt)"]),
        (
            "true",
            "git stash -qu",
            &[
                "stashed",
                "(back to HEAD a.txt)",
                "(removed fresh/one.txt)",
                "(removed new.txt)",
                "(removed staged.txt)",
            ],
        ),
        (
            "echo y >> b.txt && git stash push -q b.txt",
            "git stash -q && echo x >> b.txt",
            &["stashed", "(back to HEAD a.txt)", "edited b.txt", "(removed staged.txt)"],
        ),
        (
            "true",
            "git reset -q --hard",
            &["discarded", "(back to HEAD a.txt)", "(removed staged.txt)"],
        ),
        ("true", "git restore .", &["discarded", "(back to HEAD a.txt)"]),
        ("true", "git checkout -q -- a.txt", &["discarded", "(back to HEAD a.txt)"]),
        ("true", "git clean -qfd", &["cleaned", "(removed fresh/one.txt)", "(removed new.txt)"]),
        (
            "true",
            "git reset -q --hard && git clean -qfdx",
            &[
                "discarded",
                "removed .env",
                "(back to HEAD a.txt)",
                "(removed fresh/one.txt)",
                "removed generated/api.py",
                "(removed new.txt)",
                "(removed staged.txt)",
            ],
        ),
        ("echo x >> b.txt", "git checkout -q -- a.txt", &["back to HEAD a.txt"]),
    ]);
}

/// CX-10: the same when the reflog is gone.
#[test]
fn the_history_alone_tells() {
    let lost = [
        ("git add -A && git commit -qm premature", "committed"),
        ("git commit -q --amend --no-edit", "amended"),
        ("git stash -q", "stashed"),
        ("git reset -q --hard", "discarded"),
    ];
    for (script, expected) in lost {
        let scene = Scene::recorded();
        scene.sh(&format!("{script} && rm -rf .git/logs"));
        assert_eq!(scene.told()[0], expected, "{script}");
    }
    let clean = [
        ("git merge -q --no-edit other", "merged"),
        ("git merge -q --ff-only ahead", "fast-forwarded"),
        ("git rebase -q other", "rebased"),
        ("git reset -q --hard HEAD~1", "reset"),
        ("git switch -q ahead", "switched"),
    ];
    for (script, expected) in clean {
        let mut scene = Scene::new();
        scene.sh(CLEAN);
        scene.record();
        scene.sh(&format!("{script} && rm -rf .git/logs"));
        assert_eq!(scene.told()[0], expected, "{script}");
    }
}

/// CX-10: an operation in progress, and a commit that is gone.
#[test]
fn unfinished_things_are_told() {
    let conflict = "git add -A && git commit -qm work && git switch -qc other HEAD~1 && \
                    echo other > a.txt && git commit -qam other && git switch -q main";
    let told = |script: &str| {
        let mut scene = Scene::new();
        scene.sh(conflict);
        scene.record();
        scene.sh(script);
        let told = scene.told();
        scene.mend(script);
        told
    };
    assert_eq!(told("! git merge -q other >/dev/null"), ["edited a.txt", "note operation began"]);
    assert_eq!(
        told("! git rebase -q other >/dev/null 2>&1"),
        ["rebased", "edited a.txt", "note branch changed", "note operation began"]
    );
    let scene = Scene::recorded();
    scene.sh("git switch -q --orphan x 2>/dev/null || git checkout -q --orphan x");
    assert_eq!(scene.told(), ["orphaned", "note branch changed"]);
    scene.mend("orphan");
}
