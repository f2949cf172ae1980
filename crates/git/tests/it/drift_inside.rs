//! Repositories inside of a recorded working tree: submodules and others.

use crate::scene::Scene;

/// A scene with a submodule, a nested repository, one of those without a commit, and one deeper.
fn scene() -> Scene {
    let scene = Scene::new();
    scene.sh("git clone -q . ../other && git submodule --quiet add ../other sub && \
         git commit -qm sub && \
         git init -q inner && echo 1 > inner/x && git -C inner add x && \
         git -C inner commit -qm x && echo 2 > inner/untracked && \
         git init -q bare && echo 1 > bare/y && \
         git init -q inner/deep && echo 1 > inner/deep/z");
    scene
}

#[track_caller]
fn check(cases: &[(&str, &[&str])]) {
    for (script, expected) in cases {
        let mut scene = scene();
        let recorded = scene.record();
        let paths: Vec<String> =
            recorded.grounds.iter().map(|ground| ground.path.to_string()).collect();
        assert_eq!(paths, ["", "bare", "inner", "inner/deep", "sub"]);
        assert!(scene.drift().is_none(), "{:?}", scene.told());
        scene.sh(script);
        assert_eq!(scene.told(), *expected, "{script}");
        scene.mend(script);
    }
}

/// CX-09: what is edited inside is found, whether it is committed there or not.
#[test]
fn edits_inside_are_noticed() {
    check(&[
        ("echo x >> sub/b.txt", &["edited sub/b.txt"]),
        ("echo x > sub/conftest.py", &["added sub/conftest.py"]),
        ("echo x >> inner/x", &["edited inner/x"]),
        ("echo x >> inner/untracked", &["edited inner/untracked"]),
        ("echo x >> inner/deep/z && rm bare/y", &["removed bare/y", "edited inner/deep/z"]),
        (
            "git -C inner update-index --assume-unchanged x && echo x >> inner/x",
            &["edited inner/x"],
        ),
        (
            "git config submodule.sub.ignore all && echo x >> sub/b.txt",
            &["edited sub/b.txt", "setting config submodule.sub.ignore"],
        ),
    ]);
}

/// CX-09: a repository inside that moved, came or went.
#[test]
fn repositories_that_moved_are_noticed() {
    check(&[
        ("git -C sub commit -q --allow-empty -m x", &["repository moved sub"]),
        (
            "git -C sub checkout -q HEAD~1",
            &[
                "repository moved sub",
                "removed sub/.gitignore",
                "removed sub/big.txt",
                "removed sub/link",
                "removed sub/run.sh",
                "removed sub/tests/test_a.py",
            ],
        ),
        ("git -C inner add untracked && git -C inner commit -qm y", &["repository moved inner"]),
        ("git init -q again && echo 1 > again/x", &["repository added again"]),
        ("git init -q fresh", &["added fresh/.git"]),
        ("mkdir .x && mkdir .x/.git && echo 1 > .x/y", &["added .x/.git", "added .x/y"]),
    ]);
}

/// CX-09: a repository inside that is gone is named; its content is not lost.
#[test]
fn a_repository_that_is_gone_is_named() {
    for (script, expected) in [
        ("rm -rf sub", ["repository removed sub"].as_slice()),
        ("rm -rf inner", &["repository removed inner", "repository removed inner/deep"]),
        ("rm -rf inner/.git", &["repository moved inner"]),
    ] {
        let mut scene = scene();
        let recorded = scene.record();
        scene.sh(script);
        assert_eq!(scene.told(), expected, "{script}");
        scene.mend(script);
        scene.git(&["gc", "-q", "--prune=now"]);
        for ground in &recorded.grounds {
            scene.git(&["rev-list", "--objects", "--quiet", ground.tree.as_str()]);
        }
    }
}

/// CX-09: a submodule comes back with what was not committed in it, from where git keeps it.
#[test]
fn submodules_come_back() {
    for script in
        ["git submodule --quiet deinit -f sub", "rm -rf sub", "rm -rf sub/.git", "rm -rf sub/*"]
    {
        let mut scene = scene();
        scene.sh(
            "echo work >> sub/b.txt; echo new > sub/new; git -C sub commit -q --allow-empty -m x",
        );
        scene.record();
        scene.sh(script);
        assert!(!scene.drift().is_none(), "{script}");
        scene.mend_from("fresh", script);
    }
}

/// CX-09: acts inside that change nothing are no drift.
#[test]
fn benign_acts_inside_are_no_drift() {
    for script in [
        "git -C inner add untracked",
        "git -C sub gc -q",
        "touch sub/b.txt inner/x",
        "git -C inner branch topic",
        "git -C sub fetch -q",
        "git add sub inner a.txt",
        "git submodule status >/dev/null",
    ] {
        let mut scene = scene();
        scene.record();
        scene.sh(script);
        assert_eq!(scene.told(), Vec::<String>::new(), "{script}");
    }
}

/// CX-09: a submodule that nobody has asked for is an empty folder; filling it is noticed.
#[test]
fn an_empty_submodule_is_fine() {
    let mut scene = scene();
    scene.sh("git submodule --quiet deinit -f sub && rm -rf .git/modules/sub inner bare");
    assert_eq!(scene.record().grounds.len(), 1);
    assert!(scene.drift().is_none());
    scene.sh("git submodule --quiet update --init");
    assert_eq!(scene.told(), ["repository added sub"]);
    scene.mend("submodule update");
    assert!(scene.drift().is_none());
    scene.sh("rmdir sub");
    assert_eq!(scene.told(), ["repository removed sub"]);
    scene.sh("mkdir sub && echo 1 > sub/file");
    assert_eq!(scene.told(), ["repository added sub"]);
}

/// CX-09: what a nested repository is configured to run does not run because of us.
#[test]
fn nothing_planted_inside_runs() {
    let mut scene = scene();
    scene.sh(
        "printf '#!/bin/sh\\necho ran >> %s/ran; cat' \"$HOME\" > ../trap && chmod +x ../trap && \
         for r in inner sub; do for k in filter.t.clean filter.t.process core.fsmonitor \
         diff.external core.sshCommand; do git -C $r config $k \"$PWD/../trap\"; done; \
         echo '* filter=t' > $r/.gitattributes; done",
    );
    scene.record();
    scene.sh("echo x >> inner/x && echo x >> sub/b.txt");
    assert_eq!(scene.told(), ["edited inner/x", "edited sub/b.txt"]);
    assert!(!scene.lab.path("home/ran").exists(), "a planted program ran");
}
