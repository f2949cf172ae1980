//! Good and bad documents.

use super::super::packages::Kind;
use super::*;

#[track_caller]
fn count(path: &str, text: &str, findings: usize) {
    assert_eq!(check(&Source::new(path, text)).len(), findings, "{path}: {text}");
}

#[test]
fn the_architecture_is_short() {
    count("ARCHITECTURE.md", &"a\n".repeat(250), 0);
    count("ARCHITECTURE.md", &"a\n".repeat(251), 1);
    count("docs/ARCHITECTURE.md", &"a\n".repeat(251), 0);
}

#[test]
fn the_changelog_has_room_for_changes() {
    count("CHANGELOG.md", "# Changelog\n\n## [Unreleased]\n", 0);
    count("CHANGELOG.md", "# Changelog\n\n## [0.1.0] - 2026-01-01\n", 1);
    count("CHANGELOG.md", "# Changelog\n\nUnreleased\n", 1);
}

#[test]
fn the_second_command_of_the_readme_tests() {
    let readme =
        |second: &str| format!("# A\n\n```sh\n# get it\ngit clone a && cd a\n{second}\n```\n");
    count("README.md", &readme("cargo xtask test"), 0);
    count("README.md", &readme("$ cargo xtask test   # everything"), 0);
    count("README.md", &readme("cargo test"), 1);
    count("README.md", &readme(""), 1);
    count("README.md", "```rust\na\ncargo xtask test\n```\n", 1);
    let console = "```console\n$ git clone a\nCloning into a\n$ cargo xtask test\n```\n";
    count("README.md", console, 0);
    let apart = "```sh\ngit clone a\n```\nand\n```sh\ncargo xtask test\n```\n";
    count("README.md", apart, 0);
}

#[test]
fn ci_calls_the_same_command() {
    let head =
        "#!/usr/bin/env bash\n# cargo build\nset -euo pipefail\nexport CARGO_TERM_COLOR=never\n";
    count(".ci/run", &format!("{head}cargo xtask test\n"), 0);
    count(".ci/run", &format!("{head}cargo xtask test --quick\n"), 1);
    count(".ci/run", &format!("{head}cargo build\ncargo xtask test\n"), 1);
    count(".ci/run", head, 1);
}

#[test]
fn files_that_must_be_there_are() {
    let paths = ["Cargo.lock", "CHANGELOG.md", "LICENSE-MIT", "LICENSE-APACHE", ".ci/run"];
    let paths = paths.map(str::to_owned);
    assert_eq!(check_presence(&paths, Some(true)), []);
    assert_eq!(check_presence(&paths, None), []);
    assert_eq!(check_presence(&paths, Some(false)).len(), 1);
    assert_eq!(check_presence(&paths[1..], None).len(), 1);
    assert_eq!(check_presence(&[], None).len(), 5);
}

#[test]
fn every_dependency_has_its_row() {
    let needs = [("serde", Kind::Normal), ("b", Kind::Normal)];
    let packages = [Package::sample("a", &needs), Package::sample("b", &needs[..1])];
    let count =
        |text| check_dependencies(&Source::new("docs/DEPENDENCIES.md", text), &packages).len();
    assert_eq!(count("| `serde` | 1 |\n"), 0);
    assert_eq!(count("| `serde_json` | 1 | next to `serde` |\n"), 1);
}
