//! What people and tools do to a tree without changing it: nothing is told but notes.

use crate::scene::{Scene, told};

/// What is done before recording, what after, and which notes there are.
type Case = (&'static str, &'static str, &'static [&'static str]);

#[track_caller]
fn check(cases: &[Case]) {
    for (before, script, notes) in cases {
        let mut scene = Scene::new();
        scene.sh(before);
        scene.record();
        scene.sh(script);
        let drift = scene.drift();
        assert_eq!(told(&drift), *notes, "{script}");
        assert!(drift.is_none(), "{script}");
    }
}

const NO_NOTES: &[&str] = &[];

/// CX-10: the index is the user's own affair.
#[test]
fn staging_is_no_drift() {
    check(&[
        ("true", "git add -A", NO_NOTES),
        ("git add -A", "git reset -q", NO_NOTES),
        ("true", "git add -N new.txt", NO_NOTES),
        ("true", "git rm -q --cached b.txt", NO_NOTES),
        ("true", "git update-index -q --refresh || true", NO_NOTES),
        ("true", "git update-index --force-write-index", NO_NOTES),
        ("true", "git update-index --index-version 4", NO_NOTES),
        ("true", "git update-index --split-index", NO_NOTES),
        ("true", "git update-index --untracked-cache || true", NO_NOTES),
        ("true", "rm .git/index", NO_NOTES),
        ("git add -A", "git read-tree HEAD", NO_NOTES),
    ]);
}

/// CX-10: times that change without the content.
#[test]
fn rewriting_the_same_is_no_drift() {
    check(&[
        ("true", "touch a.txt b.txt new.txt link .env run.sh", NO_NOTES),
        ("true", "touch -h link && find . -not -path './.git*' -exec touch -h {} +", NO_NOTES),
        ("true", "cp b.txt t && mv t b.txt", NO_NOTES),
        ("true", "chmod +x b.txt && chmod -x b.txt", NO_NOTES),
        ("true", "echo x >> b.txt && git checkout -q -- b.txt", NO_NOTES),
        ("true", "ln -sfn a.txt link", NO_NOTES),
        ("true", "mkdir -p empty/inside", NO_NOTES),
        ("true", "mv a.txt t && mv t a.txt && rm -f t", NO_NOTES),
        ("true", "cp .env t.swp && mv t.swp .env", NO_NOTES),
        ("true", "git stash -q && git stash pop -q", NO_NOTES),
    ]);
}

/// CX-10: work on the repository that is no work on the files.
#[test]
fn upkeep_is_no_drift() {
    check(&[
        ("true", "git gc -q --prune=now", NO_NOTES),
        ("true", "git repack -qad && git prune && git pack-refs --all", NO_NOTES),
        (
            "true",
            "git repack -qd && git commit-graph write --reachable && git multi-pack-index write",
            NO_NOTES,
        ),
        ("git clone -q . ../other && git remote add o ../other", "git fetch -q o", NO_NOTES),
        ("true", "git branch topic && git tag v1 && git tag -a -m x v2", NO_NOTES),
        (
            "true",
            "git remote add o /nowhere && git branch -q --set-upstream-to=main topic 2>/dev/null || true",
            NO_NOTES,
        ),
        ("true", "git notes add -m note", NO_NOTES),
        ("true", "git config user.name Other && git config core.editor vi", NO_NOTES),
        ("true", "git config --global alias.s status", NO_NOTES),
        ("true", "echo x > .git/description && echo x > .git/COMMIT_EDITMSG", NO_NOTES),
        ("true", "git reflog expire --expire=now --all", NO_NOTES),
        ("true", "git fsck --no-progress >/dev/null 2>&1", NO_NOTES),
    ]);
}

/// CX-10: looking, and working elsewhere.
#[test]
fn looking_and_working_elsewhere_is_no_drift() {
    check(&[
        ("true", "git status >/dev/null && git diff >/dev/null && git log >/dev/null", NO_NOTES),
        ("git stash -q && git stash apply -q", "git stash list && git stash show -p", NO_NOTES),
        (
            "true",
            "git worktree add -q ../linked && cd ../linked && echo x > a.txt && git commit -qam x",
            NO_NOTES,
        ),
        ("git worktree add -q ../linked", "cd ../linked && git switch -qc there", NO_NOTES),
        ("true", "git clone -q . ../clone && echo x > ../clone/a.txt", NO_NOTES),
        ("true", "git archive HEAD >/dev/null && git bundle create -q ../b HEAD", NO_NOTES),
    ]);
}

/// CX-10: builds that write only what is ignored.
#[test]
fn builds_are_no_drift() {
    check(&[
        (
            "true",
            "echo 2 > target/debug/out && mkdir target/release && echo 1 > target/release/x",
            NO_NOTES,
        ),
        ("true", "mkdir __pycache__ && echo 1 > __pycache__/a.pyc", NO_NOTES),
        ("true", "rm -r target build node_modules", NO_NOTES),
        ("true", "echo 1 > build/new.o && rm build/out.o && echo debug > x.log", NO_NOTES),
        ("true", "mkdir -p node_modules/x && echo 1 > node_modules/x/index.js", NO_NOTES),
        (
            "rm -r node_modules",
            "mkdir -p node_modules/.bin && echo 1 > node_modules/.bin/jest",
            NO_NOTES,
        ),
        (
            "true",
            "mkdir -p .venv/lib/python3.12/site-packages && echo 1 > .venv/lib/python3.12/site-packages/x.pth",
            NO_NOTES,
        ),
        ("true", "echo x > .a.txt.swp", NO_NOTES),
        (
            "mkdir dist && echo 1 > dist/keep && echo 'dist/*' >> .gitignore && git add -f dist/keep",
            "echo 1 > dist/bundle.js && mkdir dist/css && echo 1 > dist/css/x.css",
            NO_NOTES,
        ),
        (
            "echo .worktrees/ >> .gitignore && git worktree add -q .worktrees/x",
            "echo 1 > .worktrees/x/new && git worktree add -q .worktrees/y",
            NO_NOTES,
        ),
    ]);
}

/// CX-10: a different name for the same commit, and a way there and back, are notes.
#[test]
fn the_same_commit_by_another_name_is_a_note() {
    let clean = "git add -A && git commit -qm work && git branch other HEAD~1";
    check(&[
        ("true", "git switch -qc topic", &["note branch changed"]),
        ("true", "git checkout -q --detach", &["note branch changed"]),
        ("true", "git branch -m renamed", &["note branch changed"]),
        (
            "true",
            "git add -A && git commit -qm x && git reset -q --soft HEAD~1",
            &["note went and came back"],
        ),
        (clean, "git switch -q other && git switch -q main", &["note went and came back"]),
        ("true", "git stash -q && git stash apply -q", &["note stash changed"]),
        ("git stash -q && git stash apply -q", "git stash drop -q", &["note stash changed"]),
        ("true", "echo '*.x' >> .git/info/exclude", &["note rules changed"]),
    ]);
}
