//! What a file is for, by its path.

mod names;

use crate::language::Language;
use names::{BUILD_NAMES, BUILD_STEMS, DATA_FOLDERS, LOCKFILES, TEST_FOLDERS};

/// What a file is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// Tests, and the code that only tests use.
    Test,
    /// Data that tests read.
    Fixture,
    /// Recorded output that tests compare with.
    Snapshot,
    /// Settings of a test runner, and what it loads before the tests.
    RunnerConfig,
    /// Manifests, build scripts, settings of compilers and linters.
    BuildConfig,
    /// What a server runs for every change.
    Ci,
    Lockfile,
    /// Settings and state of Countersign, of agents' hooks and of git.
    Ours,
    Docs,
    /// Everything that is none of the others.
    Product,
    /// Code of others.
    Vendored,
    /// Made by a tool.
    Generated,
}

/// What a file is for. In Rust, a product file may have tests in it: see `Outline::inline`.
pub fn role(path: &str) -> Role {
    let path = path.trim_start_matches("./").replace('\\', "/");
    let lower = path.to_ascii_lowercase();
    let folders: Vec<&str> = lower.split('/').collect();
    // Most paths have no hidden folder, and all of a tree's are asked for: one look for all of them.
    let is_hidden = folders.iter().any(|folder| folder.starts_with('.'));
    let (name, folders) = folders.split_last().map_or(("", &[][..]), |(name, rest)| (*name, rest));
    let is_in = |names: &[&str]| folders.iter().any(|folder| names.contains(folder));
    if is_ours(&lower, (name, is_hidden)) {
        return Role::Ours;
    }
    if is_in(&["node_modules", "vendor", "third_party", "third-party", "vendored", "site-packages"])
    {
        return Role::Vendored;
    }
    if is_ci(&lower, (name, is_hidden)) {
        return Role::Ci;
    }
    if LOCKFILES.contains(&name) {
        return Role::Lockfile;
    }
    if name.ends_with(".snap")
        || name.ends_with(".snapshot")
        || name.ends_with(".golden")
        || name.ends_with(".ambr")
        || name.contains(".approved.")
        || name.contains(".verified.")
        || is_in(&["__snapshots__", "snapshots", "golden", "goldens", "__image_snapshots__"])
            && !Language::of(name).is_code()
    {
        return Role::Snapshot;
    }
    if is_runner_config(name, &lower) {
        return Role::RunnerConfig;
    }
    if is_generated(name, folders) {
        return Role::Generated;
    }
    let in_tests = is_in(TEST_FOLDERS);
    let near_data = is_in(DATA_FOLDERS) || name.ends_with(".proptest-regressions");
    let named_test = is_test_name(name, &path);
    let of_data = is_in(DATA_FOLDERS) && (!named_test || is_in(&["testdata"]));
    if of_data || near_data && !in_tests {
        return Role::Fixture;
    }
    if named_test || in_tests && Language::of(name).is_code() {
        return Role::Test;
    }
    // What lies beside tests and is plain text is compared with, unless it explains them.
    let explains = ["readme", "contributing", "changelog", "license", "notes"];
    if in_tests && !(is_docs(name, folders) && explains.iter().any(|start| name.starts_with(start)))
    {
        return Role::Fixture;
    }
    if is_build_config(name) {
        return Role::BuildConfig;
    }
    // No program reads what git and editors leave out or lay out.
    if matches!(name, ".gitignore" | ".editorconfig" | ".gitkeep" | ".npmignore" | ".dockerignore")
    {
        return Role::Docs;
    }
    if is_docs(name, folders) {
        return Role::Docs;
    }
    Role::Product
}

fn is_ours(path: &str, (name, is_hidden): (&str, bool)) -> bool {
    let within = |folder: &str| is_hidden && is_within(path, folder);
    name == "countersign.toml"
        || within(".countersign/")
        || within(".git/")
        || within(".githooks/")
        || within(".husky/")
        || name == ".gitattributes"
        || name == ".gitmodules"
        || (within(".claude/") && name.starts_with("settings"))
        || (within(".codex/") && matches!(name, "config.toml" | "hooks.json"))
        || (within(".gemini/") && name == "settings.json")
}

/// Whether `folder`, with a slash at its end, is one of those that `path` is in.
fn is_within(path: &str, folder: &str) -> bool {
    let mut found = path.match_indices(folder);
    found.any(|(at, _)| at == 0 || path.as_bytes()[at - 1] == b'/')
}

fn is_ci(path: &str, (name, is_hidden): (&str, bool)) -> bool {
    const FOLDERS: &[&str] = &[
        ".github/workflows/",
        ".github/actions/",
        ".circleci/",
        ".buildkite/",
        ".ci/",
        ".woodpecker/",
    ];
    const NAMES: &[&str] = &[
        ".gitlab-ci.yml",
        ".travis.yml",
        "azure-pipelines.yml",
        "bitbucket-pipelines.yml",
        "jenkinsfile",
        "appveyor.yml",
        ".appveyor.yml",
        ".drone.yml",
        "cloudbuild.yaml",
        "codecov.yml",
        ".codecov.yml",
        "codeowners",
    ];
    let is_in = is_hidden && FOLDERS.iter().any(|folder| is_within(path, folder));
    is_in || NAMES.contains(&name)
}

fn is_runner_config(name: &str, path: &str) -> bool {
    const NAMES: &[&str] = &[
        "conftest.py",
        "pytest.ini",
        ".pytest.ini",
        "tox.ini",
        "noxfile.py",
        "sitecustomize.py",
        "usercustomize.py",
        ".coveragerc",
        "phpunit.xml",
        "phpunit.xml.dist",
        ".rspec",
        "spec_helper.rb",
        "rails_helper.rb",
        "karma.conf.js",
        ".nycrc",
        ".nycrc.json",
        "nextest.toml",
        "junit-platform.properties",
        "testng.xml",
        ".runsettings",
        "codeception.yml",
        "pest.php",
    ];
    const STEMS: &[&str] = &[
        "jest.config.",
        "vitest.config.",
        "vitest.workspace.",
        "vitest.setup.",
        "jest.setup.",
        "setuptests.",
        "setup-tests.",
        "playwright.config.",
        "cypress.config.",
        ".mocharc.",
        "ava.config.",
        "jest-setup.",
        "vitest-setup.",
        "test-setup.",
        "wdio.conf.",
        "web-test-runner.config.",
    ];
    NAMES.contains(&name)
        || STEMS.iter().any(|stem| name.starts_with(stem))
        || name.ends_with(".pth")
        || path.ends_with(".config/nextest.toml")
}

fn is_generated(name: &str, folders: &[&str]) -> bool {
    const ENDS: &[&str] = &[
        ".min.js",
        ".min.css",
        ".pb.go",
        "_pb2.py",
        "_pb2_grpc.py",
        ".g.dart",
        ".generated.ts",
        ".generated.go",
        ".designer.cs",
        ".g.cs",
        ".map",
        ".bundle.js",
    ];
    const FOLDERS: &[&str] = &["dist", "__generated__", "generated", "gen", "target", "coverage"];
    ENDS.iter().any(|end| name.ends_with(end))
        || folders.iter().any(|folder| FOLDERS.contains(folder))
}

fn is_test_name(name: &str, path: &str) -> bool {
    let (stem, _) = name.split_once('.').unwrap_or((name, ""));
    let original = path.rsplit('/').next().unwrap_or(path);
    let original = original.split('.').next().unwrap_or(original);
    match Language::of(name) {
        Language::Python => {
            stem.starts_with("test_")
                || stem.ends_with("_test")
                || stem.ends_with("_tests")
                || matches!(stem, "tests" | "test")
        }
        Language::JavaScript | Language::TypeScript | Language::Tsx => {
            [".test.", ".spec.", ".cy.", ".e2e.", ".tst."].iter().any(|mark| name.contains(mark))
                || matches!(stem, "test" | "tests")
                || stem.ends_with("-test")
                || stem.ends_with("_test")
                || stem.starts_with("test-")
        }
        Language::Rust => {
            matches!(stem, "tests" | "test") || stem.ends_with("_test") || stem.ends_with("_tests")
        }
        Language::Go | Language::Cpp | Language::Ruby => {
            stem.ends_with("_test")
                || stem.ends_with("_spec")
                || stem.starts_with("test_")
                || stem.ends_with("_unittest")
                || original.ends_with("Tests")
        }
        Language::Java | Language::Kotlin | Language::CSharp | Language::Php | Language::Swift => {
            ["Test", "Tests", "IT", "Spec", "TestCase"].iter().any(|end| original.ends_with(end))
                || original.starts_with("Test") && original.len() > 4
        }
        Language::Shell => {
            name.ends_with(".bats")
                || ["test_", "test-"].iter().any(|start| stem.starts_with(start))
                || ["_test", "-test", "_tests", "-tests"].iter().any(|end| stem.ends_with(end))
                || matches!(stem, "test" | "tests" | "runtests")
        }
        Language::Other => name.ends_with(".feature"),
    }
}

fn is_build_config(name: &str) -> bool {
    BUILD_NAMES.contains(&name)
        || BUILD_STEMS.iter().any(|stem| name.starts_with(stem)) && !name.ends_with(".md")
        || name.ends_with(".csproj")
        || name.ends_with(".mk")
}

fn is_docs(name: &str, folders: &[&str]) -> bool {
    let ends = [".md", ".mdx", ".rst", ".adoc", ".txt"];
    ends.iter().any(|end| name.ends_with(end)) && name != "cmakelists.txt"
        || matches!(name, "readme" | "license" | "changelog" | "authors" | "notice")
        || folders.first().is_some_and(|folder| matches!(*folder, "docs" | "doc"))
            && !Language::of(name).is_code()
}
