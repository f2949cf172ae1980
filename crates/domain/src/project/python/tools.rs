//! Tools of Python, known by their tables, their files and by dependencies.

mod nox;
mod tox;

use std::collections::BTreeSet;

use super::super::files::{Files, Lookup, is_below, join, split};
use super::super::names::{ENVIRONMENTS, STACK};
use super::super::types::{Activity, Evidence, Part};
use super::pyproject;
use crate::yaml::Node;

/// A tool: its tables in pyproject.toml, its own files, sections of files for many tools, its name
/// among dependencies, and what it is called with.
struct Known {
    activity: Activity,
    table: &'static [&'static str],
    files: &'static [&'static str],
    section: &'static str,
    package: &'static str,
    argv: &'static [&'static str],
    rank: u32,
}

const KNOWN: &[Known] = &[
    Known {
        activity: Activity::Unit,
        table: &["tool", "pytest"],
        files: &["pytest.ini", ".pytest.ini", "pytest.toml", "conftest.py", "tests/conftest.py"],
        section: "[tool:pytest]",
        package: "pytest",
        argv: &["pytest"],
        rank: STACK,
    },
    Known {
        activity: Activity::Lint,
        table: &["tool", "ruff"],
        files: &["ruff.toml", ".ruff.toml"],
        section: "",
        package: "ruff",
        argv: &["ruff", "check", "."],
        rank: STACK,
    },
    Known {
        activity: Activity::Format,
        table: &["tool", "ruff", "format"],
        files: &[],
        section: "",
        package: "",
        argv: &["ruff", "format", "--check", "."],
        rank: STACK,
    },
    Known {
        activity: Activity::Format,
        table: &["tool", "black"],
        files: &[],
        section: "",
        package: "black",
        argv: &["black", "--check", "."],
        rank: STACK + 1,
    },
    Known {
        activity: Activity::Lint,
        table: &["tool", "flake8"],
        files: &[".flake8"],
        section: "[flake8]",
        package: "flake8",
        argv: &["flake8"],
        rank: STACK + 1,
    },
    Known {
        activity: Activity::Lint,
        table: &["tool", "pylint"],
        files: &[".pylintrc", "pylintrc"],
        section: "[pylint]",
        package: "pylint",
        argv: &["pylint", "--recursive=y", "."],
        rank: STACK + 2,
    },
    Known {
        activity: Activity::Typecheck,
        table: &["tool", "mypy"],
        files: &["mypy.ini", ".mypy.ini"],
        section: "[mypy]",
        package: "mypy",
        argv: &["mypy", "."],
        rank: STACK,
    },
    Known {
        activity: Activity::Typecheck,
        table: &["tool", "pyright"],
        files: &["pyrightconfig.json"],
        section: "",
        package: "pyright",
        argv: &["pyright"],
        rank: STACK + 1,
    },
    Known {
        activity: Activity::Coverage,
        table: &["tool", "coverage"],
        files: &[".coveragerc"],
        section: "[coverage:run]",
        package: "pytest-cov",
        argv: &["pytest", "--cov"],
        rank: STACK,
    },
    Known {
        activity: Activity::Mutation,
        table: &["tool", "mutmut"],
        files: &[],
        section: "[mutmut]",
        package: "mutmut",
        argv: &["mutmut", "run"],
        rank: STACK,
    },
];

pub(super) fn add(files: &Files<'_>, part: &mut Part, runs: &[&str], nested: &[&str]) {
    let folder = part.folder.clone();
    for tool in KNOWN {
        if let Some(why) = why(files, &folder, tool) {
            part.add(tool.activity, tool.rank, &[runs, tool.argv].concat(), why);
        }
    }
    add_others(files, part, runs);
    let is_direct = |rank: u32| rank < ENVIRONMENTS;
    let mut tools = part.tools.iter();
    let has_unit = tools.any(|tool| tool.activity == Activity::Unit && is_direct(tool.rank));
    if let Some(test) = first_test(files, &folder, nested).filter(|_| !has_unit) {
        let place = test.rsplit_once('/').map(|(place, _)| place);
        let within = place.map(|place| place.strip_prefix(&format!("{folder}/")).unwrap_or(place));
        let mut argv = [runs, &["python3", "-m"]].concat();
        if is_for_pytest(files, test) {
            argv.push("pytest");
        } else {
            argv.extend(["unittest", "discover"]);
            // Folders that are no packages are not looked into by itself.
            let is_package = place.is_some_and(|place| files.has(&join(place, "__init__.py")));
            if let Some(within) = within.filter(|within| !is_package && *within != folder) {
                argv.extend(["-s", within]);
            }
        }
        part.add(Activity::Unit, STACK + 5, &argv, Evidence::new(test, 0, "a file of tests"));
    }
}

/// Whether a file of tests has functions, which only pytest runs.
fn is_for_pytest(files: &Files<'_>, test: &str) -> bool {
    let content = files.text(test).unwrap_or_default();
    let mut lines = content.lines();
    lines.any(|line| {
        let is_function = line.starts_with("def test_") || line.starts_with("async def test_");
        is_function || line.starts_with("import pytest") || line.starts_with("from pytest")
    })
}

/// What runs tests in environments of its own, and what belongs to a framework.
fn add_others(files: &Files<'_>, part: &mut Part, runs: &[&str]) {
    let folder = part.folder.clone();
    tox::add(files, part);
    if let Some(file) = files.first(&folder, &["noxfile.py"]) {
        let why = Evidence::new(&file, 0, "nox is set up");
        part.add(Activity::Unit, ENVIRONMENTS + 1, &["nox"], why);
        nox::add(files, part, &file);
    }
    if let Some(file) = files.first(&folder, &["manage.py"]) {
        let argv = [runs, &["python3", "manage.py", "test"]].concat();
        part.add(Activity::Unit, STACK + 2, &argv, Evidence::new(file, 0, "a Django project"));
    }
}

fn why(files: &Files<'_>, folder: &str, tool: &Known) -> Option<Evidence> {
    let file = join(folder, "pyproject.toml");
    let tables = pyproject(files, folder);
    let table = tables.as_ref().and_then(|node| node.at(tool.table));
    if let Some(node) = table {
        return Some(files.evidence(&file, node.place.line));
    }
    if let Some(file) = files.first(folder, tool.files) {
        return Some(Evidence::new(file, 0, format!("{} is set up", tool.argv[0])));
    }
    for name in ["setup.cfg", "tox.ini"] {
        let path = join(folder, name);
        let section =
            if name == "tox.ini" && tool.package == "pytest" { "[pytest]" } else { tool.section };
        let text = files.text(&path).filter(|_| !section.is_empty());
        let line = text.and_then(|text| text.lines().position(|line| line.trim() == section));
        if let Some(line) = line {
            return Some(Evidence::new(path, line + 1, section));
        }
    }
    dependency(files, folder, tool.package)
}

/// A line that names a package among what is needed.
fn dependency(files: &Files<'_>, folder: &str, package: &str) -> Option<Evidence> {
    if package.is_empty() {
        return None;
    }
    let names = [
        "pyproject.toml",
        "requirements-dev.txt",
        "dev-requirements.txt",
        "requirements-test.txt",
        "requirements.txt",
        "requirements/dev.txt",
        "requirements/test.txt",
        "Pipfile",
        "setup.py",
    ];
    names.iter().map(|name| join(folder, name)).find_map(|path| {
        if path.ends_with("pyproject.toml") {
            let line = line_of(&*files.toml(&path)?, package, false)?;
            return Some(files.evidence(&path, line));
        }
        let text = files.text(&path)?;
        let asks = |line: &str| !is_about(line) && names_package(line, package);
        let (at, line) = text.lines().enumerate().find(|(_, line)| asks(line))?;
        Some(Evidence::new(path, at + 1, line.trim()))
    })
}

/// The line of pyproject.toml that names a package among what is needed, and not among its own words.
fn line_of(node: &Node, package: &str, is_needed: bool) -> Option<usize> {
    node.as_entries().into_iter().find_map(|(key, line, node)| {
        if is_needed && key == package {
            return Some(line);
        }
        let is_needed = is_needed || key.contains("dependencies") || key == "dependency-groups";
        let mut texts = node.as_texts().into_iter().filter(|_| is_needed);
        let asked = texts.find(|(text, _)| names_package(text, package));
        asked.map(|(_, line)| line).or_else(|| line_of(node, package, is_needed))
    })
}

/// Whether a line is a comment, or says what the package itself is about.
fn is_about(line: &str) -> bool {
    let line = line.trim_start();
    ["#", "keywords", "description", "long_description"].iter().any(|word| line.starts_with(word))
}

/// Whether a line asks for `package`: its name, and then a version, a quote or nothing.
fn names_package(line: &str, package: &str) -> bool {
    let line = line.trim().trim_start_matches(['"', '\'']);
    let quoted = line.split(['"', '\'']);
    quoted.into_iter().any(|text| {
        let rest = text.trim().strip_prefix(package);
        let signs = ['=', '>', '<', '~', '!', '[', ';', '^', '@', '(', '#', '\\', '-'];
        rest.is_some_and(|rest| {
            let next = rest.trim_start();
            // A name that goes on is another name: `mypy-extensions`.
            next.is_empty() || (next.starts_with(signs) && !rest.starts_with('-'))
        })
    })
}

/// So many paths are looked at for tests.
const MOST_PATHS: usize = 20_000;

/// The first file of tests that belongs to this part and not to one below it.
pub(super) fn first_test<'a>(files: &Files<'a>, folder: &str, nested: &[&str]) -> Option<&'a str> {
    files.below(folder).take(MOST_PATHS).find(|path| {
        let (parent, _) = split(path);
        let theirs = |other: &str| parent == other || is_below(parent, other);
        is_test(path) && !nested.iter().any(|other| theirs(other))
    })
}

fn is_test(path: &str) -> bool {
    let (_, name) = split(path);
    let is_named = name.starts_with("test_") || name.ends_with("_test.py");
    is_named && name.rsplit_once('.').is_some_and(|(_, end)| end == "py")
}

/// The folders that tests are run in where nothing describes the project: its root, unless Python's own
/// runner would find nothing from there, or only one of several.
pub(super) fn tops<'a>(files: &Files<'a>) -> Vec<&'a str> {
    let tests: Vec<&str> = files.below("").take(MOST_PATHS).filter(|path| is_test(path)).collect();
    if tests.is_empty() {
        return Vec::new();
    }
    let is_package = |folder: &str| files.has(&join(folder, "__init__.py"));
    let top = |test: &&'a str| -> &'a str {
        let (mut folder, _) = split(test);
        if !is_package(folder) {
            let (above, name) = split(folder);
            return if matches!(name, "tests" | "test") { above } else { folder };
        }
        while !folder.is_empty() && is_package(folder) {
            folder = split(folder).0;
        }
        folder
    };
    let tops: BTreeSet<&str> = tests.iter().map(top).collect();
    let is_lost = tests.iter().all(|test| is_package(split(test).0));
    let is_split = !tops.contains("") && (tops.len() > 1 || is_lost);
    if !is_split || tests.iter().any(|test| is_for_pytest(files, test)) {
        return vec![""];
    }
    tops.into_iter().collect()
}
