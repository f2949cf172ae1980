//! Tools that packages bring along, known by their configuration and by dependencies.

use super::super::comments::without_slashes;
use super::super::files::{Files, Lookup};
use super::super::names::STACK;
use super::super::types::{Activity, Evidence, Part};
use super::Installer;
use super::join;
use crate::yaml::{Node, Value};

pub(super) struct Package<'a> {
    pub(super) own: &'a Node,
    pub(super) installer: Installer,
}

/// A tool: what it depends on, how its configuration files begin, and what it is called with.
struct Known {
    activity: Activity,
    package: &'static str,
    files: &'static [&'static str],
    argv: &'static [&'static str],
    rank: u32,
}

const fn known(
    activity: Activity,
    package: &'static str,
    files: &'static [&'static str],
    argv: &'static [&'static str],
    rank: u32,
) -> Known {
    Known { activity, package, files, argv, rank }
}

const KNOWN: &[Known] = &[
    known(Activity::Typecheck, "vue-tsc", &[], &["vue-tsc", "--noEmit"], STACK),
    known(Activity::Typecheck, "typescript", &["tsconfig.json"], &["tsc", "--noEmit"], STACK + 1),
    known(Activity::Lint, "eslint", &["eslint.config.", ".eslintrc"], &["eslint", "."], STACK),
    known(Activity::Lint, "@biomejs/biome", &["biome.json"], &["biome", "check", "."], STACK + 1),
    known(
        Activity::Format,
        "@biomejs/biome",
        &["biome.json"],
        &["biome", "format", "."],
        STACK + 1,
    ),
    known(
        Activity::Format,
        "prettier",
        &[".prettierrc", "prettier.config."],
        &["prettier", "--check", "."],
        STACK,
    ),
    known(
        Activity::Unit,
        "vitest",
        &["vitest.config.", "vitest.workspace."],
        &["vitest", "run"],
        STACK,
    ),
    known(Activity::Unit, "jest", &["jest.config."], &["jest"], STACK + 1),
    known(Activity::Unit, "mocha", &[".mocharc"], &["mocha"], STACK + 2),
    known(Activity::Unit, "ava", &["ava.config."], &["ava"], STACK + 3),
    known(
        Activity::E2e,
        "@playwright/test",
        &["playwright.config."],
        &["playwright", "test"],
        STACK,
    ),
    known(
        Activity::E2e,
        "cypress",
        &["cypress.config.", "cypress.json"],
        &["cypress", "run"],
        STACK + 1,
    ),
    known(Activity::Coverage, "@vitest/coverage-v8", &[], &["vitest", "run", "--coverage"], STACK),
    known(
        Activity::Coverage,
        "@vitest/coverage-istanbul",
        &[],
        &["vitest", "run", "--coverage"],
        STACK,
    ),
    known(Activity::Coverage, "jest", &["jest.config."], &["jest", "--coverage"], STACK + 1),
    known(
        Activity::Mutation,
        "@stryker-mutator/core",
        &["stryker.conf", ".stryker.conf"],
        &["stryker", "run"],
        STACK,
    ),
];

/// Adds what is set up or depended on.
pub(super) fn add(files: &Files<'_>, part: &mut Part, package: &Package<'_>) {
    let folder = part.folder.clone();
    let file = join(&folder, "package.json");
    for tool in KNOWN {
        let config = files.starting(&folder, tool.files).filter(|_| !tool.files.is_empty());
        let own = dependency(package.own, tool.package);
        let why = match (config, own) {
            (Some(config), _) => Evidence::new(config, 0, format!("{} is set up", tool.argv[0])),
            // A dependency on TypeScript alone says nothing about what to compile.
            (_, Some((line, version))) if tool.package != "typescript" => {
                Evidence::new(&file, line, format!("{}: {version}", tool.package))
            }
            _ => continue,
        };
        let argv = if tool.argv.contains(&"--noEmit") && is_solution(files, &folder) {
            // The configuration itself names no file. `--noEmit` is no option of this before 5.6, and is
            // one of those that are built, which usually set it, afterwards.
            &[tool.argv[0], "-b"]
        } else {
            tool.argv
        };
        part.add(tool.activity, tool.rank, &[package.installer.runs(), argv].concat(), why);
    }
}

/// Whether the configuration of the compiler has no files of its own and only refers to others.
fn is_solution(files: &Files<'_>, folder: &str) -> bool {
    let path = join(folder, "tsconfig.json");
    let Some(text) = files.text(&path) else { return false };
    // Comments are allowed there, and commas that nothing follows.
    let root = crate::yaml::read(&path, &without_slashes(&text)).root;
    let items = |key: &str| match root.at(&[key]).map(|node| &node.value) {
        Some(Value::List(items)) => Some(items.len()),
        _ => None,
    };
    items("files") == Some(0) && root.at(&["include"]).is_none() && items("references") > Some(0)
}

fn dependency(package: &Node, name: &str) -> Option<(usize, String)> {
    let kinds = ["devDependencies", "dependencies", "optionalDependencies", "peerDependencies"];
    kinds.iter().find_map(|kind| {
        let entries = package.at(&[kind])?.as_entries();
        let (_, line, node) = entries.into_iter().find(|(key, ..)| *key == name)?;
        Some((line, node.as_text().unwrap_or_default().to_owned()))
    })
}
