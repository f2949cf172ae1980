//! What can be done to a recorded tree, and what each is explained as.
//!
//! Every line of the tables is a way to change a tree between two looks at it, with the real
//! git, and all that must be told about it. Nothing that changed content may be missed.

use countersign_git::Look;

use crate::scene::{Scene, told};

/// What is done, in a shell, and what is told.
type Case = (&'static str, &'static [&'static str]);

#[track_caller]
fn check(cases: &[Case]) {
    for (script, expected) in cases {
        let scene = Scene::recorded();
        scene.sh(script);
        let drift = scene.drift();
        assert_eq!(told(&drift), *expected, "{script}");
        let is_told = expected.iter().any(|line| !line.starts_with("note "));
        assert_eq!(!drift.is_none(), is_told, "{script}");
        scene.mend(script);
    }
}

/// CX-10: remedies work in the folder where they are told, and for many files at once.
#[test]
fn remedies_work_where_they_are_told() {
    let many = "for n in $(seq 40); do echo $n > many-$n; echo $n > \"fresh/m $n\"; done";
    for script in [
        "echo more >> a.txt; rm b.txt; echo 1 > c; mv big.txt large.txt; chmod 600 run.sh",
        "git add -A; git commit -qm one; echo x > extra; git add -A; git commit -qm two; echo 1 > c",
        "echo x > extra; git add -A; git commit -qm both",
        "git update-index --skip-worktree b.txt; echo x >> b.txt; echo '* -diff' > .git/info/attributes",
        "git stash -q; echo other > a.txt",
        "git switch -qc other HEAD~1 2>/dev/null || git checkout -qf -b other HEAD~1; echo x > a.txt",
        many,
        "git rm -qrf . ; git reset -q",
    ] {
        for folder in ["", "fresh", "dir"] {
            let scene = Scene::recorded();
            scene.sh(script);
            if !scene.worktree.join(folder).is_dir() {
                continue;
            }
            scene.mend_from(folder, script);
        }
    }
}

/// CX-10: permissions that git does not restore come back with the files.
#[test]
fn odd_permissions_come_back() {
    for script in ["rm a.txt", "git stash -q", "git reset -q --hard", "echo x > a.txt"] {
        let mut scene = Scene::new();
        scene.sh("chmod 640 a.txt");
        scene.record();
        scene.sh(script);
        scene.mend(script);
    }
}

/// CX-10: edits of every kind of file.
#[test]
fn edits_are_noticed() {
    check(&[
        ("echo more >> a.txt", &["edited a.txt"]),
        ("echo more >> b.txt", &["edited b.txt"]),
        ("echo more >> new.txt", &["edited new.txt"]),
        ("echo more >> staged.txt", &["edited staged.txt"]),
        ("echo more >> fresh/one.txt", &["edited fresh/one.txt"]),
        ("echo two > fresh/two.txt", &["added fresh/two.txt"]),
        ("mkdir -p x/y && echo 1 > x/y/z", &["added x/y/z"]),
        ("echo top > conftest.py", &["added conftest.py"]),
        (": > big.txt", &["edited big.txt"]),
        ("ln -sfn b.txt link", &["edited link"]),
        ("cp b.txt t && cp a.txt b.txt && mv t a.txt", &["edited a.txt", "edited b.txt"]),
        ("echo more >> a.txt && git add -A", &["edited a.txt"]),
    ]);
}

/// CX-10: files that came, went or changed their name.
#[test]
fn comings_and_goings_are_noticed() {
    check(&[
        ("rm b.txt", &["removed b.txt"]),
        ("git rm -qf b.txt", &["removed b.txt"]),
        ("rm new.txt", &["removed new.txt"]),
        ("rm -r fresh", &["removed fresh/one.txt"]),
        ("mv big.txt large.txt", &["renamed large.txt"]),
        ("git mv big.txt large.txt", &["renamed large.txt"]),
        ("mv big.txt large.txt && echo more >> large.txt", &["renamed large.txt"]),
        ("mv dir folder", &["renamed folder/c.txt"]),
        ("mv big.txt BIG.txt", &["renamed BIG.txt"]),
        ("mv new.txt fresh/new.txt", &["renamed fresh/new.txt"]),
    ]);
}

/// CX-10: permissions, kinds of files, line endings, layout.
#[test]
fn changes_of_form_are_noticed() {
    check(&[
        ("chmod +x a.txt", &["chmod a.txt"]),
        ("chmod -x run.sh", &["chmod run.sh"]),
        ("chmod 600 b.txt", &["chmod b.txt"]),
        ("chmod 666 new.txt", &["chmod new.txt"]),
        ("sed -i 's/$/\\r/' big.txt", &["line endings only big.txt"]),
        ("sed -i 's/^/  /' tests/test_a.py", &["white space only tests/test_a.py"]),
        ("rm b.txt && ln -s a.txt b.txt", &["replaced b.txt"]),
        ("rm link && cp a.txt link", &["replaced link"]),
        ("rm b.txt && mkfifo b.txt", &["replaced b.txt"]),
        ("rm b.txt && mkdir b.txt && echo 1 > b.txt/x", &["removed b.txt", "added b.txt/x"]),
        ("mkfifo pipe", &["added pipe"]),
        ("mv dir elsewhere && ln -s elsewhere dir", &["added dir", "renamed elsewhere/c.txt"]),
        (
            "cp -r dir ../kept && rm -r dir && ln -s ../kept dir",
            &["added dir", "removed dir/c.txt"],
        ),
    ]);
}

/// CX-10: an edit that keeps the size, the time, or both.
#[test]
fn times_and_sizes_hide_nothing() {
    check(&[
        ("touch -r b.txt t && echo x > b.txt && touch -r t b.txt && rm t", &["edited b.txt"]),
        ("cp -p b.txt t && echo x > t && touch -r b.txt t && mv t b.txt", &["edited b.txt"]),
    ]);
}

/// CX-10: what is ignored, but read by programs.
#[test]
fn ignored_files_are_watched() {
    check(&[
        ("echo KEY=2 > .env", &["edited .env"]),
        ("rm .env", &["removed .env"]),
        ("chmod 777 .env", &["chmod .env"]),
        ("echo 'x = 2' > generated/api.py", &["edited generated/api.py"]),
        ("echo 'x = 2' > generated/more.py", &["added generated/more.py"]),
        ("echo evil > build/conftest.py", &["added build/conftest.py"]),
        (
            "mkdir __pycache__ && echo evil > __pycache__/conftest.py",
            &["added __pycache__/conftest.py"],
        ),
        (
            "mkdir -p .venv/lib/python3.12/site-packages && \
             echo evil > .venv/lib/python3.12/site-packages/sitecustomize.py",
            &["added .venv/lib/python3.12/site-packages/sitecustomize.py"],
        ),
        ("echo evil > node_modules/.bin/jest", &["edited node_modules/.bin/jest"]),
        ("echo evil > node_modules/.bin/tsc", &["added node_modules/.bin/tsc"]),
        ("mkfifo generated/pipe", &["added generated/pipe"]),
        ("git worktree add -q ./tree 2>/dev/null", &["repository added tree"]),
    ]);
}

/// CX-10: marks in the index, settings and rules hide nothing, and are told themselves.
#[test]
fn tricks_hide_nothing() {
    let marks = "setting marks in the index";
    let cases: [(&str, Vec<&str>); 16] = [
        (
            "git config core.checkStat minimal && git config core.trustctime false && \
             touch -r b.txt t && echo x > b.txt && touch -r t b.txt && rm t",
            vec!["edited b.txt", "setting config core.checkstat", "setting config core.trustctime"],
        ),
        (
            "git update-index --assume-unchanged b.txt && echo x >> b.txt",
            vec!["edited b.txt", marks],
        ),
        ("git update-index --skip-worktree b.txt && echo x >> b.txt", vec!["edited b.txt", marks]),
        ("git update-index --skip-worktree b.txt && rm b.txt", vec!["removed b.txt", marks]),
        (
            "git config status.showUntrackedFiles no && echo x > conftest.py",
            vec!["added conftest.py", "setting config status.showuntrackedfiles"],
        ),
        (
            "echo conftest.py >> .git/info/exclude && echo x > conftest.py",
            vec!["added conftest.py", "note rules changed"],
        ),
        (
            "echo conftest.py > ../ignore && git config core.excludesFile \"$PWD/../ignore\" && \
             echo x > conftest.py",
            vec!["added conftest.py", "setting config core.excludesfile", "note rules changed"],
        ),
        (
            "mkdir -p ~/.config/git && echo conftest.py > ~/.config/git/ignore && echo x > conftest.py",
            vec!["added conftest.py", "note rules changed"],
        ),
        (
            "echo conftest.py >> .gitignore && echo x > conftest.py",
            vec!["edited .gitignore", "added conftest.py"],
        ),
        (
            "echo '*' > fresh/.gitignore && echo x > fresh/conftest.py",
            vec!["added fresh/.gitignore", "added fresh/conftest.py"],
        ),
        (
            "git config core.fsmonitor true && echo x >> b.txt",
            vec!["edited b.txt", "setting config core.fsmonitor"],
        ),
        (
            "git config core.fileMode false && chmod +x b.txt",
            vec!["chmod b.txt", "setting config core.filemode"],
        ),
        (
            "git config filter.f.clean 'echo b' && echo '*.txt filter=f' > .git/info/attributes && \
             echo x > b.txt",
            vec!["edited b.txt", "setting config filter.f.clean", "setting info/attributes"],
        ),
        (
            "echo '*.txt -diff' > .gitattributes && echo x > b.txt",
            vec!["added .gitattributes", "edited b.txt"],
        ),
        (
            "git config core.autocrlf input && sed -i 's/$/\\r/' big.txt",
            vec!["line endings only big.txt", "setting config core.autocrlf"],
        ),
        (
            "git sparse-checkout set --no-cone '/*' '!/tests/'",
            vec![
                "removed tests/test_a.py",
                "setting config core.sparsecheckout",
                "setting config core.sparsecheckoutcone",
                "setting config extensions.worktreeconfig",
                "setting info/sparse-checkout",
                marks,
            ],
        ),
    ];
    for (script, expected) in cases {
        let scene = Scene::recorded();
        scene.sh(script);
        assert_eq!(scene.told(), expected, "{script}");
        assert!(!scene.drift().is_none(), "{script}");
        scene.mend(script);
    }
}

/// CX-10: a thorough look sees the same as the quick one.
#[test]
fn a_thorough_look_sees_the_same() {
    for script in
        ["true", "echo x >> a.txt; rm b.txt; echo 1 > c; echo 2 > .env; chmod 600 big.txt"]
    {
        let scene = Scene::recorded();
        scene.sh(script);
        assert_eq!(told(&scene.drift_by(Look::Thorough)), scene.told(), "{script}");
    }
}
