//! Repositories that nobody likes: in each, a task is begun, work is handed over, the tree is the
//! same afterwards, and an edit is found by its name.

use crate::desk::{begin, context, desk};

/// `(what, before the task, the work)`: shell scripts in the root of the project.
const SITUATIONS: &[(&str, &str, &str)] = &[
    (
        "a clean submodule",
        "git init -q ../sub && git -C ../sub commit -q --allow-empty -m s && \
         git -c protocol.file.allow=always submodule -q add ../sub sub && git commit -qm sub",
        "echo x > src/x",
    ),
    (
        "a dirty submodule",
        "git init -q ../sub && echo s > ../sub/s && git -C ../sub add s && \
         git -C ../sub commit -qm s && \
         git -c protocol.file.allow=always submodule -q add ../sub sub && git commit -qm sub",
        "echo dirty >> sub/s && echo new > sub/new",
    ),
    (
        "a submodule that moved",
        "git init -q ../sub && git -C ../sub commit -q --allow-empty -m s && \
         git -c protocol.file.allow=always submodule -q add ../sub sub && git commit -qm sub",
        "git -C sub commit -q --allow-empty -m moved",
    ),
    ("a nested repository", "git init -q inner && echo i > inner/i", "echo more >> inner/i"),
    (
        "sparse checkout",
        "mkdir other && echo o > other/o && git add -A && git commit -qm o && \
         git sparse-checkout set --no-cone '/*' '!/other/'",
        "echo x > src/x",
    ),
    (
        "line ends by autocrlf",
        "git config core.autocrlf true && printf 'a\\r\\nb\\r\\n' > src/crlf && git add -A && \
         git commit -qm crlf",
        "printf 'a\\r\\nc\\r\\n' > src/crlf",
    ),
    (
        "line ends by attributes",
        "printf '*.txt text eol=crlf\\n' > .gitattributes && git add -A && git commit -qm attr",
        "printf 'one\\r\\nTWO\\r\\n' > src/theme.txt",
    ),
    (
        "a filter",
        "git config filter.up.clean 'tr a-z A-Z' && git config filter.up.smudge 'tr A-Z a-z' && \
         printf '*.up filter=up\\n' > .gitattributes && echo hello > src/a.up && git add -A && \
         git commit -qm filter",
        "echo other > src/a.up",
    ),
    (
        "pointers of large files",
        "printf 'version https://git-lfs.github.com/spec/v1\\noid sha256:%064d\\nsize 5\\n' 1 \
         > big.bin && git add -A && git commit -qm lfs",
        "printf 'version https://git-lfs.github.com/spec/v1\\noid sha256:%064d\\nsize 6\\n' 2 \
         > big.bin",
    ),
    (
        "links",
        "ln -s nowhere dangling && ln -s src folder && ln -s loop loop && git add -A && \
         git commit -qm links",
        "ln -sf elsewhere dangling && ln -s theme.txt src/link",
    ),
    ("pipes", "mkfifo pipe", "mkfifo src/pipe && echo x > src/x"),
    (
        "names",
        "printf x > \"$(printf 'src/\\377\\376')\" && printf x > \"$(printf 'src/a\\nb')\" && \
         printf x > 'src/ leading -dash' && printf x > \"src/$(printf '%0255d' 7)\" && \
         git add -A && git commit -qm names",
        "printf y > \"$(printf 'src/\\377\\376')\" && rm \"$(printf 'src/a\\nb')\"",
    ),
    (
        "another case",
        "true",
        "git mv src/theme.txt src/Theme.txt && cp src/Theme.txt src/theme.txt",
    ),
    (
        "an index with conflicts",
        "git checkout -q -b other && echo theirs > src/theme.txt && git commit -qam theirs && \
         git checkout -q main && echo ours > src/theme.txt && git commit -qam ours && \
         ! git merge -q other",
        "echo both > src/theme.txt",
    ),
    (
        "a rebase in progress",
        "git checkout -q -b other && echo theirs > src/theme.txt && git commit -qam theirs && \
         git checkout -q main && echo ours > src/theme.txt && git commit -qam ours && \
         ! git rebase -q other",
        "echo both > src/theme.txt",
    ),
    ("a detached head", "git checkout -q --detach", "echo x > src/x"),
    ("staged changes", "echo staged >> src/theme.txt && git add -A", "echo work >> src/theme.txt"),
    (
        "files that git is told not to look at",
        "git update-index --assume-unchanged test.sh && git update-index --skip-worktree docs/settings.md",
        "echo x >> test.sh && echo y >> docs/settings.md",
    ),
    ("thousands of new files", "true", "mkdir many && cd many && seq 3000 | xargs touch"),
    ("nothing but modes", "true", "chmod +x src/theme.txt"),
    ("a removed file", "true", "rm docs/settings.md"),
    ("bytes that are no text", "true", "head -c 100000 /dev/urandom > src/noise"),
    (
        "a folder for a file",
        "true",
        "rm docs/settings.md && mkdir docs/settings.md && echo x > docs/settings.md/x",
    ),
];

/// CX-07, CX-09, CX-10: the same story in every one of them.
#[test]
fn the_story_holds_everywhere() {
    for (what, before, work) in SITUATIONS {
        let project = desk();
        let ready = project.sh(before);
        assert_eq!(ready.code, Some(0), "{what}: {}", ready.err());
        let init = project.run(["context", "init", "TASK-0824"]);
        assert_eq!(init.code, Some(0), "{what}: {}", init.err());
        let worked = project.sh(work);
        assert_eq!(worked.code, Some(0), "{what}: {}", worked.err());
        let user = project.fingerprint();
        let handed = context(&project, &["snapshot", "--role", "implementer"]);
        assert_eq!(handed.code, Some(0), "{what}: {}", handed.err());
        let same = context(&project, &["verify"]);
        assert_eq!(same.code, Some(0), "{what}: {}{}", same.out(), same.err());
        user.expect_same(&project.fingerprint());
        project.write("tasks/notes.txt", "drift\n");
        let drift = begin(&project, "reviewer");
        assert_eq!(drift.code, Some(1), "{what}: {}{}", drift.out(), drift.err());
        assert!(drift.err().contains("tasks/notes.txt"), "{what}: {}", drift.err());
        let into = project.outside().join("restored");
        let words = ["restore", "--role", "implementer", "--into", into.to_str().unwrap()];
        let restored = context(&project, &words);
        assert_eq!(restored.code, Some(0), "{what}: {}", restored.err());
        assert!(!into.join("tasks/notes.txt").exists(), "{what}");
    }
}

/// CX-09: shallow and SHA-256 repositories.
#[test]
fn other_kinds_of_repositories() {
    let project = desk();
    let outside = project.outside();
    let shallow = outside.join("shallow");
    let from = format!("file://{}", project.root().display());
    project.git(["clone", "--quiet", "--depth=1", &from, shallow.to_str().unwrap()]);
    let modern = outside.join("modern");
    project.git(["init", "--quiet", "--object-format=sha256", modern.to_str().unwrap()]);
    let copied = project.sh("cp -r tasks src CONTRIBUTING.md ../modern/").code;
    assert_eq!(copied, Some(0));
    project.git_in(&modern, ["add", "--all"]);
    project.git_in(&modern, ["commit", "--quiet", "--message", "Start"]);
    for folder in [&shallow, &modern] {
        let at = |words: &[&str]| project.call(words.iter().copied()).at(folder).run();
        at(&["context", "init", "TASK-0824"]).expect(0);
        std::fs::write(folder.join("src/theme.txt"), "work\n").unwrap();
        at(&["context", "snapshot", "TASK-0824", "--role", "implementer"]).expect(0);
        at(&["context", "verify", "TASK-0824"]).expect(0);
        std::fs::write(folder.join("src/theme.txt"), "else\n").unwrap();
        at(&["context", "verify", "TASK-0824"]).expect(1).prints("src/theme.txt");
    }
}

/// CX-10: tricks that hide a change from git hide nothing from us.
#[test]
fn tricks_hide_nothing() {
    let tricks: &[(&str, &str)] = &[
        (
            "git update-index --assume-unchanged src/theme.txt; echo x >> src/theme.txt",
            "src/theme.txt",
        ),
        (
            "git update-index --skip-worktree src/theme.txt; echo x >> src/theme.txt",
            "src/theme.txt",
        ),
        (
            "touch -r src/theme.txt ../t; sed -i s/one/eno/ src/theme.txt; touch -r ../t src/theme.txt",
            "src/theme.txt",
        ),
        ("git config core.fileMode false; chmod +x src/theme.txt", "src/theme.txt"),
        (
            "git config core.trustctime false; touch -r src/theme.txt ../t; \
             sed -i s/one/eno/ src/theme.txt; touch -r ../t src/theme.txt",
            "src/theme.txt",
        ),
        ("git config core.fsmonitor true; echo x >> src/theme.txt", "src/theme.txt"),
        ("echo hidden >> .git/info/exclude; echo x > hidden", "hidden"),
        ("echo hidden > ../ex; git config core.excludesFile ../ex; echo x > hidden", "hidden"),
        ("echo other > .env", ".env"),
        ("git init -q src/inner; echo x > src/inner/x", "src/inner"),
        ("mv src ../moved; ln -s ../moved src", "src"),
        ("echo '*.txt -diff binary' > .gitattributes; echo x >> src/theme.txt", "src/theme.txt"),
        (
            "echo x >> src/theme.txt; git checkout -q -- src/theme.txt 2>/dev/null; true",
            "src/theme.txt",
        ),
    ];
    for (trick, named) in tricks {
        let project = desk();
        project.write(".env", "KEY=1\n");
        project.run(["context", "init", "TASK-0824"]).expect(0);
        project.write("src/theme.txt", "one\nwork\n");
        context(&project, &["snapshot", "--role", "implementer"]).expect(0);
        project.sh(trick).expect(0);
        let ran = context(&project, &["verify"]);
        assert_eq!(ran.code, Some(1), "{trick}: {}{}", ran.out(), ran.err());
        assert!(ran.out().contains(named), "{trick}: {}", ran.out());
    }
}
