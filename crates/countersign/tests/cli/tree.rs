//! What a check sees: exactly the tree that was handed over, and an environment by allow-list.

use crate::project;

/// CX-09: untracked files, deletions, modes, links and odd names are handed over; what git
/// ignores is not.
#[test]
fn checks_see_exactly_what_was_handed_over() {
    let project = project();
    project.write(".gitignore", "*.o\nbuild/\n");
    project.write("gone.txt", "to be deleted\n");
    project.write("tool.sh", "echo tool\n");
    project.write("bytes.bin", [0_u8, 255, 13, 10, 0]);
    project.commit("Files of many kinds");
    let worker = r"
        rm gone.txt
        chmod +x tool.sh
        ln -s tool.sh link
        mkdir -p build deep/er
        echo x > build/out; echo x > main.o
        echo new > deep/er/file
        echo spaced > 'a name with spaces'
        printf odd > $(printf 'latin-\351')
        printf '\001\000' >> bytes.bin
        git rm -q --cached README.md
        echo staged > staged; git add staged; rm staged
    ";
    let check = r#"
        set -ex
        test ! -e gone.txt
        test -x tool.sh
        test -L link && test "$(readlink link)" = tool.sh
        test ! -e build && test ! -e main.o
        test "$(cat deep/er/file)" = new
        test "$(cat 'a name with spaces')" = spaced
        test "$(cat "$(printf 'latin-\351')")" = odd
        test "$(wc -c < bytes.bin)" -eq 7
        test -f README.md
        test ! -e staged
        test -z "$(git status --porcelain)"
    "#;
    project.goal(worker, check).arg("--attempts=1").run().expect(0);
}

/// LP-08: what a check writes stays in its own checkout.
#[test]
fn checks_do_not_change_what_is_judged() {
    let project = project();
    let checks = [
        "test ! -e left && echo x > left && echo broken > work.txt && git add -A && \
         git -c user.name=a -c user.email=a@b commit -qm x",
        "test ! -e left && grep -q right work.txt",
    ];
    let worker = "command:echo right > work.txt";
    let args = ["run", "Do it", "--worker", worker, "--check", checks[0], "--check", checks[1]];
    project.run(args).expect(0);
    let run = project.journal()["run"].as_str().unwrap().to_owned();
    let branch = format!("countersign/{run}");
    assert_eq!(project.git(["show", &format!("{branch}:work.txt")]), "right\n");
    assert!(!project.git(["ls-tree", "-r", "--name-only", &branch]).contains("left"));
}

/// SE-01: a worker and a check get what is on the list and nothing else.
#[test]
fn secrets_stay_outside() {
    let project = project();
    project
        .goal("env > env.txt", "env; ! env | grep -q 'TOKEN\\|swordfish'")
        .arg("--attempts=1")
        .env("MY_SECRET_TOKEN", "swordfish")
        .env("AWS_SECRET_ACCESS_KEY", "swordfish")
        .env("LC_PAPER", "a4")
        .run()
        .expect(0);
    let run = project.journal()["run"].as_str().unwrap().to_owned();
    let seen = project.git(["show", &format!("countersign/{run}:env.txt")]);
    for name in ["=swordfish", "SECRET", "COUNTERSIGN_HOME", "GIT_AUTHOR_NAME"] {
        assert!(!seen.contains(name), "{name} in:\n{seen}");
    }
    for name in ["PATH=", "HOME=", "LC_PAPER=a4", "COUNTERSIGN_ATTEMPT=1", "COUNTERSIGN_RUN="] {
        assert!(seen.contains(name), "no {name} in:\n{seen}");
    }
    // The list is a setting.
    let call = project.goal("env > env.txt", "grep -q swordfish env.txt");
    let call = call.env("COUNTERSIGN_EXEC_ENV", "PATH, MY_SECRET_TOKEN");
    call.env("MY_SECRET_TOKEN", "swordfish").arg("--attempts=1").run().expect(0);
}

/// LP-02: whatever a worker does with git in its checkout stays there.
#[test]
fn a_worker_s_git_is_its_own() {
    let project = project();
    project.write("stashed.txt", "1\n");
    project.commit("Second");
    project.write("stashed.txt", "2\n");
    project.git(["stash", "--quiet"]);
    project.git(["tag", "v1"]);
    project.git(["config", "user.name", "Alice"]);
    project.git(["config", "user.email", "alice@example.com"]);
    let before = project.fingerprint();
    let worker = r"
        set -e
        echo one > one.txt; git add one.txt; git commit -qm 'By the worker'
        git switch -qc elsewhere; echo two > two.txt; git add .; git commit -qm Two
        git branch -D work; git tag -f v1; git tag other
        echo three > three.txt; git add three.txt; git stash -q; git stash pop -q
        git config core.hooksPath /nowhere; git config --add alias.x '!false'
        mkdir -p .git/hooks; printf '#!/bin/sh\nexit 1\n' > .git/hooks/pre-commit
        chmod +x .git/hooks/pre-commit
        git remote add origin https://git.example/x.git
        git pack-refs --all; git gc -q; git reflog expire --expire=now --all
    ";
    let check = "test -f one.txt && test -f two.txt && test -f three.txt";
    project.goal(worker, check).arg("--attempts=1").run().expect(0);
    before.expect_same(&project.fingerprint());
    let run = project.journal()["run"].as_str().unwrap().to_owned();
    let commits = project.git(["rev-list", "--count", &format!("main..countersign/{run}")]);
    assert_eq!(commits.trim(), "1", "one commit, whatever the worker committed");
}
