//! CX-02: the scope of a task, expanded against the paths of a repository.

#![allow(clippy::unwrap_used)]

use countersign_domain::scope::{Globs, Scope};
use countersign_domain::snapshot::PathText;
use countersign_domain::task::{Mistake, Task, Warning};
use proptest::prelude::*;

const PATHS: [&str; 14] = [
    "Cargo.toml",
    "Makefile",
    "apps/web/index.html",
    "docs/My Guide.md",
    "docs/user/start.md",
    "packages/ui/src/a.ts",
    "packages/ui/src/deep/b.tsx",
    "packages/ui/src/deep/c.css",
    "schema/api.yaml",
    "src/auth/legacy.rs",
    "src/auth/login.rs",
    "src/authors.rs",
    "src/main.rs",
    "tests/[slug].rs",
];

fn paths() -> Vec<PathText> {
    PATHS.iter().rev().map(|path| PathText::from(*path)).collect()
}

fn globs() -> Globs {
    Globs::parse(include_str!("../../../docs/examples/scope-globs.yaml"), "globs.yaml").unwrap()
}

/// A task with these entries in and out of scope.
fn task(inside: &[&str], outside: &[&str]) -> Task {
    let list = |texts: &[&str]| serde_json::to_string(texts).unwrap();
    let text = format!(
        "id: T\ntitle: T\npriority: P1\narea: a\ndescription: D\nacceptance_criteria: [A]\n\
         scope:\n  in: {}\n  out: {}\n",
        list(inside),
        list(outside)
    );
    Task::parse(&text, "t.yaml").unwrap().0
}

#[track_caller]
fn expand(inside: &[&str], outside: &[&str]) -> (Scope, Vec<Warning>) {
    Scope::of(&task(inside, outside), &globs(), &paths()).unwrap()
}

/// What is in scope, as numbers of [`PATHS`].
#[track_caller]
fn check(inside: &[&str], outside: &[&str], expected: &[&str]) {
    let (scope, warnings) = expand(inside, outside);
    let found: Vec<String> = scope.repo_paths.iter().map(ToString::to_string).collect();
    assert_eq!(found, expected, "{inside:?} without {outside:?}");
    assert_eq!(warnings, [], "{inside:?}");
    for path in paths() {
        assert_eq!(scope.has(&path), scope.repo_paths.contains(&path), "{path}");
    }
}

/// CX-02: entries are files folders globs and macros.
#[test]
fn entries_are_files_folders_globs_and_macros() {
    let auth = ["src/auth/legacy.rs", "src/auth/login.rs"];
    check(&["src/main.rs"], &[], &["src/main.rs"]);
    for folder in ["src/auth", "src/auth/", "./src/auth/", "src//auth/.", r"src\auth", r"src\auth\"]
    {
        check(&[folder], &[], &auth);
    }
    check(&["`src/auth`"], &[], &auth);
    check(&["Makefile", "schema"], &[], &["Makefile", "schema/api.yaml"]);
    check(&["src/*.rs"], &[], &["src/authors.rs", "src/main.rs"]);
    check(&["src/**/*.rs"], &[], &[auth[0], auth[1], "src/authors.rs", "src/main.rs"]);
    check(&["src/**"], &["src/auth/legacy.rs"], &[auth[1], "src/authors.rs", "src/main.rs"]);
    check(&["src/auth*"], &[], &["src/authors.rs"]);
    check(&["src/a*/"], &[], &auth);
    check(&["**/{a,b}.ts{,x}"], &[], &["packages/ui/src/a.ts", "packages/ui/src/deep/b.tsx"]);
    check(&["src/main.?s", "src/[a-b]uthors.rs"], &[], &["src/authors.rs", "src/main.rs"]);
    check(&["tests/\\[slug\\].rs"], &[], &["tests/[slug].rs"]);
    check(&["docs/My Guide.md"], &[], &["docs/My Guide.md"]);
    check(&["."], &[], &PATHS);
    check(
        &["**"],
        &["**/*.rs", "packages", "docs/", "apps/"],
        &["Cargo.toml", "Makefile", "schema/api.yaml"],
    );
    check(
        &[":web"],
        &[],
        &["apps/web/index.html", "packages/ui/src/a.ts", "packages/ui/src/deep/b.tsx"],
    );
    check(&[":everything-users-see"], &[":web"], &["docs/user/start.md"]);
    check(&["src/main.rs", "src/main.rs", "src/*.rs"], &[], &["src/authors.rs", "src/main.rs"]);
    check(&[], &[], &[]);
}

/// CX-02: words are kept and expand to nothing.
#[test]
fn words_are_kept_and_expand_to_nothing() {
    let prose =
        ["the settings page", "Fix https://example.com/src/main.rs", "what users see, and why"];
    let (scope, warnings) = expand(&prose, &["old  browsers\n"]);
    assert_eq!(
        (scope.words_in, scope.words_out),
        (prose.map(str::to_owned).to_vec(), vec!["old  browsers\n".to_owned()])
    );
    assert_eq!((scope.repo_paths, warnings), (vec![], vec![]));
}

/// The warnings of a scope, without their file.
#[track_caller]
fn warned(inside: &[&str], outside: &[&str], expected: &[&str]) {
    let told: Vec<String> = expand(inside, outside).1.iter().map(ToString::to_string).collect();
    let expected: Vec<String> = expected.iter().map(|text| format!("t.yaml:{text}")).collect();
    assert_eq!(told, expected, "{inside:?} without {outside:?}");
}

/// CX-02: what matches nothing is warned of.
#[test]
fn what_matches_nothing_is_warned_of() {
    warned(
        &["src/new.rs"],
        &[],
        &["8:8: scope.in[0]: 'src/new.rs' matches nothing; check it, unless the task is to add it"],
    );
    warned(
        &["SRC/Auth"],
        &[],
        &["8:8: scope.in[0]: 'SRC/Auth' matches nothing; did you mean 'src/auth'?"],
    );
    warned(
        &["lib/login.rs"],
        &[],
        &["8:8: scope.in[0]: 'lib/login.rs' matches nothing; did you mean 'src/auth/login.rs'?"],
    );
    warned(
        &["*.rs"],
        &[],
        &[
            "8:8: scope.in[0]: '*.rs' matches nothing; '*' stays inside of one folder; write '**' for all below",
        ],
    );
    warned(
        &["src/**/*.py"],
        &[],
        &[
            "8:8: scope.in[0]: 'src/**/*.py' matches nothing; check it, unless the task is to add it",
        ],
    );
    warned(
        &["src"],
        &["src/main.rs/"],
        &["9:9: scope.out[0]: 'src/main.rs/' matches nothing; did you mean 'src/main.rs'?"],
    );
    warned(&[":api"], &[], &[]);
    warned(
        &["authentication"],
        &[],
        &[
            "8:8: scope.in[0]: 'authentication' is taken as words, because nothing is called so; write 'authentication/' if it is a folder",
        ],
    );
    warned(
        &["check `src/main.rs`, please"],
        &[],
        &[
            "8:8: scope.in[0]: 'check `src/main.rs`, please' is taken as words, and 'src/main.rs' in it is not in scope by that; put the path on a line of its own",
        ],
    );
    warned(
        &["src"],
        &["**"],
        &["8:8: scope.in: everything that is in scope is also out of scope; make 'out:' narrower"],
    );
    let many: Vec<String> = (0..100).map(|number| format!("new/{number}.rs")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    assert_eq!(expand(&many, &[]).1.len(), 20, "the rest would say the same");
}

/// CX-02: a file that is not there yet can be in scope.
#[test]
fn a_file_that_is_not_there_yet_can_be_in_scope() {
    let (scope, _) = expand(&["src/new.rs", "lib/", "web/**/*.ts"], &["lib/old"]);
    for (path, inside) in [
        ("src/new.rs", true),
        ("src/new.rs/x", true),
        ("src/new.rsx", false),
        ("lib/a/b", true),
        ("lib", false),
        ("lib/old/b", false),
        ("lib/older", true),
        ("web/a/b.ts", true),
        ("web/a/b.tsx", false),
        ("Src/new.rs", false),
    ] {
        assert_eq!(scope.has(&path.into()), inside, "{path}");
    }
}

/// CX-02: what is in scope doesn't depend on what was there when it was asked.
#[test]
fn a_scope_is_the_same_without_the_paths() {
    let texts = ["Makefile", "schema", "docs/My Guide.md", "src/*.rs", ":api", "the page"];
    let task = task(&texts, &["tests", "My Guide"]);
    let known = Scope::of(&task, &globs(), &paths()).unwrap().0;
    let blind = Scope::of(&task, &globs(), &[]).unwrap().0;
    let more = ["schema/new.yaml", "My Guide", "the page", "the page/x", "tests/x"];
    for path in paths().into_iter().chain(more.map(PathText::from)) {
        assert_eq!(blind.has(&path), known.has(&path), "{path}");
    }
    assert!(known.has(&"Makefile".into()) && !known.has(&"tests/x".into()));
}

/// CX-02: paths that are no text are found.
#[test]
fn paths_that_are_no_text_are_found() {
    let odd = PathText::new(*b"src/caf\xe9.rs");
    let paths = [odd.clone(), "src/a.rs".into()];
    for entry in ["src/", "src/*.rs", "src/caf?.rs", "src/**", r#""src/caf\351.rs""#] {
        let (scope, _) = Scope::of(&task(&[entry], &[]), &Globs::none(), &paths).unwrap();
        assert!(scope.repo_paths.contains(&odd), "{entry}");
    }
}

#[track_caller]
fn told<T>(result: Result<T, Vec<Mistake>>, expected: &[&str]) {
    let told: Vec<String> =
        result.err().unwrap_or_default().iter().map(ToString::to_string).collect();
    assert_eq!(told, expected);
}

/// CX-02: what leads out is refused.
#[test]
fn what_leads_out_is_refused() {
    let own = |entry: &str| Scope::of(&task(&[entry], &[]), &globs(), &paths());
    let path = "write the path from the root of the repository";
    let out = format!("it is refused: '..' leads out of the repository, or may; {path}");
    let absolute = format!("it is refused: it is absolute; {path}");
    for (entry, expected) in [
        ("../x", &out),
        ("src/../..", &out),
        ("src/../**", &out),
        ("..", &out),
        ("/etc/passwd", &absolute),
        ("/**", &absolute),
        ("C:\\Windows", &absolute),
        ("~/x", &format!("it is refused: it is below somebody's home; {path}")),
        ("\"a/../b\"", &format!("it is refused: it leads out of the repository, or may; {path}")),
        ("!src/main.rs", &"'!' excludes nothing here; put what is not meant below 'out:', without the '!'".to_owned()),
        ("src/[a", &"it is no glob: unclosed character class; missing ']'; close every bracket, or put '\\' before one that is part of a name".to_owned()),
        (":wbe", &"there is no macro ':wbe'; did you mean 'web'?".to_owned()),
    ] {
        told(own(entry), &[&format!("t.yaml:8:8: scope.in[0]: '{entry}': {expected}")]);
    }
    let none = Scope::of(&task(&[":a"], &[]), &Globs::none(), &paths());
    told(
        none,
        &[
            "t.yaml:8:8: scope.in[0]: ':a': there is no macro ':a'; write the paths out, or make a file of macros",
        ],
    );
    let both = Scope::of(&task(&["/a", ":b"], &["../c"]), &globs(), &paths());
    assert_eq!(both.err().map(|mistakes| mistakes.len()), Some(3), "all are told at once");
}

/// CX-02: the example has the macros that it shows.
#[test]
fn the_example_is_right() {
    assert_eq!(globs().names().collect::<Vec<_>>(), ["api", "everything-users-see", "web"]);
}

proptest! {
    /// No entry panics, and what is said to be in scope is in it.
    #[test]
    fn any_entry_is_read(
        entries in prop::collection::vec("[a-z./\\\\*?{}\\[\\]!:~\"` ,-]{1,20}|\\PC{1,20}", 1..6),
        raw in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..12), 0..20),
    ) {
        let entries: Vec<&str> = entries.iter().map(String::as_str).filter(|entry| !entry.trim().is_empty()).collect();
        let mut all: Vec<PathText> = raw.into_iter().map(PathText::new).collect();
        all.extend(paths());
        if let Ok((scope, _)) = Scope::of(&task(&entries, &entries[..entries.len() / 2]), &globs(), &all) {
            let mut sorted = scope.repo_paths.clone();
            sorted.sort();
            sorted.dedup();
            prop_assert_eq!(&sorted, &scope.repo_paths);
            for path in &all {
                prop_assert_eq!(scope.has(path), sorted.binary_search(path).is_ok());
            }
        }
    }
}
