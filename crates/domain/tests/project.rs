//! What repositories are found to be: each file in `tests/project` is a tree and what follows.
//!
//! `--- PATH` begins a file of the tree; `=== expected` begins what is found: for every part its
//! tools, the best of each activity first, then what is odd.

use std::collections::BTreeMap;

use countersign_domain::project::{Activity, Project, Settings, detect};

fn found(tree: &BTreeMap<String, String>) -> Project {
    let read = |path: &str| tree.get(path).map(|text| text.clone().into_bytes());
    detect(tree.keys().map(String::as_str), &read)
}

fn described(project: &Project) -> String {
    let mut text = String::new();
    for part in &project.parts {
        let folder = if part.folder.is_empty() { "." } else { &part.folder };
        let root = part
            .root
            .as_ref()
            .map(|root| format!(" of {}", if root.is_empty() { "." } else { root }));
        text += &format!("{folder} {}{}\n", part.stack, root.unwrap_or_default());
        for tool in &part.tools {
            let runner = tool.runner.map(|runner| format!(" [{runner}]")).unwrap_or_default();
            let why: Vec<String> = tool.why.iter().map(ToString::to_string).collect();
            text += &format!(
                "  {}: {}{runner} <- {}\n",
                tool.activity,
                tool.command.shell,
                why.join(" | ")
            );
        }
    }
    for finding in &project.findings {
        text += &format!("! {finding}\n");
    }
    text
}

fn tree(text: &str) -> BTreeMap<String, String> {
    let mut tree = BTreeMap::new();
    let mut path = "";
    for line in text.lines() {
        match line.strip_prefix("--- ") {
            Some(next) => {
                path = next;
                tree.insert(path.to_owned(), String::new());
            }
            None => {
                if let Some(file) = tree.get_mut(path) {
                    file.push_str(line);
                    file.push('\n');
                }
            }
        }
    }
    tree
}

/// The trees.
const TREES: &[(&str, &str)] = &[
    ("broken", include_str!("project/broken.txt")),
    ("cargo-fuzz", include_str!("project/cargo-fuzz.txt")),
    ("cargo-strays", include_str!("project/cargo-strays.txt")),
    ("cargo-workspace", include_str!("project/cargo-workspace.txt")),
    ("ci-boost", include_str!("project/ci-boost.txt")),
    ("ci-cd", include_str!("project/ci-cd.txt")),
    ("ci-lines", include_str!("project/ci-lines.txt")),
    ("comments", include_str!("project/comments.txt")),
    ("cycle", include_str!("project/cycle.txt")),
    ("go", include_str!("project/go.txt")),
    ("hollow", include_str!("project/hollow.txt")),
    ("jvm", include_str!("project/jvm.txt")),
    ("manifests", include_str!("project/manifests.txt")),
    ("node-monorepo", include_str!("project/node-monorepo.txt")),
    ("node-npm", include_str!("project/node-npm.txt")),
    ("node-placeholder", include_str!("project/node-placeholder.txt")),
    ("node-yarn-bun", include_str!("project/node-yarn-bun.txt")),
    ("others", include_str!("project/others.txt")),
    ("python-keepers", include_str!("project/python-keepers.txt")),
    ("python-nox", include_str!("project/python-nox.txt")),
    ("python-parts", include_str!("project/python-parts.txt")),
    ("python-plain", include_str!("project/python-plain.txt")),
    ("python-tox", include_str!("project/python-tox.txt")),
    ("python-tox-envs", include_str!("project/python-tox-envs.txt")),
    ("python-uv", include_str!("project/python-uv.txt")),
    ("tasks", include_str!("project/tasks.txt")),
    ("uncalled", include_str!("project/uncalled.txt")),
    ("vite", include_str!("project/vite.txt")),
];

/// VC-05: every stack is found with its commands, its runners and the lines that speak for them.
#[test]
fn trees_are_found_to_be_what_they_are() {
    let mut wrong = String::new();
    for (name, text) in TREES {
        let (files, expected) = text.split_once("=== expected\n").unwrap_or((text, ""));
        let found = described(&found(&tree(files)));
        if found != expected {
            wrong += &format!("##### {name}\n=== expected\n{found}");
        }
    }
    assert!(wrong.is_empty(), "found is:\n{wrong}");
}

/// VC-05: a file is checked with the tools of the nearest part that reads such files.
#[test]
fn the_nearest_part_that_reads_a_file_checks_it() {
    let text = "--- Cargo.toml\n[package]\nname = 'a'\n--- package.json\n{\"scripts\": {\"test\": \"jest\"}}\n\
                --- web/package.json\n{\"scripts\": {\"test\": \"vitest run\"}}\n--- web/Makefile\nlint:\n\t./lint\n";
    let project = found(&tree(text));
    let check = |activity, path: &str, expected: &str| {
        let tool = project.tool_for(activity, path);
        let told = tool.map(|tool| format!("{}: {}", tool.folder, tool.command.shell));
        assert_eq!(told.unwrap_or_default(), expected, "{activity} of {path}");
    };
    check(Activity::Unit, "src/lib.rs", ": cargo test");
    check(Activity::Unit, "src/a.ts", ": npm run test");
    check(Activity::Unit, "web/a.ts", "web: npm run test");
    check(Activity::Unit, "web/native/lib.rs", ": cargo test");
    check(Activity::Unit, "webber/a.ts", ": npm run test");
    check(Activity::Lint, "web/a.ts", "web: make lint");
    check(Activity::Lint, "src/a.ts", "");
    check(Activity::Unit, "README.md", "");
    check(Activity::Mutation, "src/lib.rs", "");
    let all: Vec<&str> =
        project.tools(Activity::Unit).iter().map(|tool| tool.command.shell.as_str()).collect();
    assert_eq!(all, ["cargo test", "npm run test", "npm run test"]);
}

/// VC-05: a folder that is left out is so with all that is below it.
#[test]
fn folders_are_left_out_with_what_is_below() {
    let text = "--- Cargo.toml\n[package]\nname = 'a'\n--- examples/package.json\n{,\n\
                --- examples/web/package.json\n{\"scripts\": {\"test\": \"jest\"}}\n\
                --- more/examples/package.json\n{\"scripts\": {\"test\": \"jest\"}}\n";
    let left = |ignore: &str| {
        let settings = Settings::read(&BTreeMap::new(), &[], &[ignore.to_owned()]).unwrap();
        let project = settings.apply(found(&tree(text)), "countersign.toml");
        let folders: Vec<String> = project.parts.into_iter().map(|part| part.folder).collect();
        (folders.join(" "), project.findings.len())
    };
    assert_eq!(left("other"), (" examples/web more/examples".to_owned(), 1));
    for ignore in ["examples/**", "examples", "./examples/", "examples/"] {
        assert_eq!(left(ignore), (" more/examples".to_owned(), 0), "{ignore}");
    }
    assert_eq!(left("**/examples/**"), (String::new(), 0));
}

/// VC-05: whatever stands in the files, it ends, and says the same twice.
#[test]
fn hostile_trees_end() {
    let names = [
        "Cargo.toml",
        "package.json",
        "pyproject.toml",
        "pom.xml",
        "build.gradle",
        "go.mod",
        "composer.json",
        "Makefile",
        "justfile",
        "Taskfile.yml",
        ".github/workflows/a.yml",
        "pnpm-workspace.yaml",
        "setup.cfg",
        ".pre-commit-config.yaml",
        "Gemfile",
        "a.sln",
    ];
    let contents = [
        String::new(),
        "\u{feff}".to_owned(),
        "[".repeat(100_000),
        "{\"a\":".repeat(50_000),
        "a: &a [*a, *a]\n".to_owned(),
        "\0\r\n\t:".repeat(1_000),
        "a:\n".repeat(100_000),
        "<module>".repeat(100_000),
        "x".repeat(2_000_000),
    ];
    for content in &contents {
        let mut tree = BTreeMap::new();
        for name in names {
            tree.insert(name.to_owned(), content.clone());
            tree.insert(format!("{}{name}", "d/".repeat(200)), content.clone());
        }
        assert_eq!(found(&tree), found(&tree));
    }
    let read = |_: &str| None;
    let deep: Vec<String> = (0..20_000).map(|at| format!("p{at}/package.json")).collect();
    let project = detect(deep.iter().map(String::as_str), &read);
    assert!(project.parts.is_empty(), "what can't be read says nothing");
    let bytes = |_: &str| Some(vec![0xff, 0xfe]);
    let project = detect(["package.json"], &bytes);
    assert!(project.findings[0].to_string().starts_with("package.json:1:1: "));
}
