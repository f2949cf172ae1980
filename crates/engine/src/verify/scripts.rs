//! Scripts of a `package.json` and recipes of Make and others: what stands behind `npm run test` and
//! `make test` is taken from the base, because the file that was handed over was the work's to write.

mod moved;

use countersign_domain::ObjectId;
use countersign_domain::project::{Activity, Recipe, Runner, recipe};
use countersign_domain::verify::Due;

pub(super) use self::moved::Moved;

use super::Work;
use crate::Engine;
use crate::error::Result;

/// What finds installed programs first, as package managers do.
const INSTALLED: &str = "export PATH=\"$PWD/node_modules/.bin:$PATH\"; ";

/// What is really run for a check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Resolved {
    pub command: String,
    pub folder: String,
    /// What runs its tests, where that can be told.
    pub runner: Option<Runner>,
}

/// What to run for `due`, whoever named it: a user's own command stands for what its recipe does, too.
pub(super) fn resolve(work: &Work<'_>, due: &Due) -> Result<Resolved> {
    let trees = [&work.terms.base_tree, &work.tree];
    let text = text(work.engine, due, trees)?;
    let inner = Due { command: text.clone().unwrap_or_else(|| due.command.clone()), ..due.clone() };
    let found = behind(work.engine, &inner, trees);
    let runner = match &found {
        Recipe::Told { command, .. } => Runner::of(command),
        // A runner that somebody else's file starts can't be told how to report.
        Recipe::Unclear => None,
        Recipe::Absent => {
            text.as_deref().map_or(due.runner, |text| Runner::of(text).or(due.runner))
        }
    };
    let (command, folder) = match found {
        Recipe::Told { command, folder } => (command, folder),
        Recipe::Absent | Recipe::Unclear => (inner.command, due.folder.clone()),
    };
    let command = if text.is_some() { format!("{INSTALLED}{command}") } else { command };
    Ok(Resolved { command, folder, runner })
}

/// What the script says that `due` runs, in the first of the trees that has it.
pub(super) fn text(engine: &Engine, due: &Due, trees: [&ObjectId; 2]) -> Result<Option<String>> {
    let Some(script) = script_of(&due.command) else { return Ok(None) };
    let folder = &due.folder;
    let path =
        if folder.is_empty() { "package.json".into() } else { format!("{folder}/package.json") };
    for tree in trees {
        let Some(manifest) = content(engine, tree, &path)? else { continue };
        let Ok(manifest) = serde_json::from_slice::<serde_json::Value>(&manifest) else { continue };
        if let Some(text) = manifest["scripts"][&script].as_str() {
            return Ok(Some(text.to_owned()));
        }
    }
    Ok(None)
}

/// What the recipe or the script does that `due` runs, in the first of the trees that has it. A runner that
/// is started by another program's file would name none of its tests.
pub(super) fn behind(engine: &Engine, due: &Due, trees: [&ObjectId; 2]) -> Recipe {
    let known = trees.into_iter().filter(|_| due.is_test()).map(|tree| {
        let read = |path: &str| {
            let bytes = content(engine, tree, path).ok().flatten()?;
            String::from_utf8(bytes).ok()
        };
        recipe(&due.command, &due.folder, &read)
    });
    known.into_iter().find(|found| *found != Recipe::Absent).unwrap_or(Recipe::Absent)
}

fn content(engine: &Engine, tree: &ObjectId, path: &str) -> Result<Option<Vec<u8>>> {
    let listed = engine.repository.list(tree)?;
    let file = listed.iter().find(|one| one.path.to_str() == Some(path));
    Ok(file.map(|file| engine.repository.content(&file.side.object)).transpose()?)
}

/// Programs that only read what is there, so that nothing behind them needs what they did.
const LINTS: [(&str, Activity); 14] = [
    ("xo", Activity::Lint),
    ("eslint", Activity::Lint),
    ("standard", Activity::Lint),
    ("semistandard", Activity::Lint),
    ("ts-standard", Activity::Lint),
    ("tslint", Activity::Lint),
    ("jshint", Activity::Lint),
    ("biome", Activity::Lint),
    ("oxlint", Activity::Lint),
    ("stylelint", Activity::Lint),
    ("publint", Activity::Lint),
    ("prettier", Activity::Format),
    ("tsd", Activity::Typecheck),
    ("dtslint", Activity::Typecheck),
];

/// The lints of a script `a && b && c`, and what is left of it; nothing if either is none, or if it is
/// anything but such a row.
pub(super) fn apart(script: &str) -> Option<(Vec<(Activity, String)>, String)> {
    if script.replace("&&", "").contains(['&', '|', ';', '`', '<', '>', '(', '\n']) {
        return None;
    }
    let (mut lints, mut tests) = (Vec::new(), Vec::new());
    for part in script.split("&&").map(str::trim) {
        match lint(part) {
            Some(activity) => lints.push((activity, part.to_owned())),
            None => tests.push(part),
        }
    }
    (!lints.is_empty() && !tests.is_empty()).then(|| (lints, tests.join(" && ")))
}

/// What a part of a script checks, if it only reads.
fn lint(part: &str) -> Option<Activity> {
    let words: Vec<&str> = part.split_whitespace().collect();
    if words.iter().any(|word| matches!(*word, "--fix" | "--write" | "-w")) {
        return None;
    }
    let words = match words[..] {
        ["npx", ref rest @ ..] => rest,
        ref all => all,
    };
    match words {
        ["tsc", rest @ ..] => rest.contains(&"--noEmit").then_some(Activity::Typecheck),
        ["npm" | "pnpm" | "yarn", "run", "lint"] => Some(Activity::Lint),
        [program, ..] => LINTS.iter().find(|(name, _)| name == program).map(|(_, what)| *what),
        [] => None,
    }
}

/// Whether a command only reads what is there, and runs no test.
pub(super) fn only_reads(command: &str) -> bool {
    const READERS: &[&str] = &[
        "gofmt",
        "golangci-lint",
        "staticcheck",
        "ruff",
        "flake8",
        "pylint",
        "mypy",
        "pyright",
        "black",
        "isort",
        "shellcheck",
        "actionlint",
        "yamllint",
        "markdownlint",
        "rustfmt",
    ];
    let parts: Vec<&str> = command.split("&&").map(str::trim).collect();
    !parts.is_empty()
        && parts.iter().all(|part| {
            let words: Vec<&str> = part.split_whitespace().collect();
            match words[..] {
                ["go", "vet", ..] | ["cargo", "clippy" | "fmt" | "check", ..] => true,
                ["python" | "python3", "-m", program, ..] | [program, ..] => {
                    READERS.contains(&program) || lint(part).is_some()
                }
                [] => false,
            }
        })
}

/// The script that a command of a package manager runs, if that is all it does.
fn script_of(command: &str) -> Option<String> {
    let is_loud = |word: &&str| !matches!(*word, "-s" | "--silent");
    let words: Vec<&str> = command.split_whitespace().filter(is_loud).collect();
    match words[..] {
        ["npm" | "pnpm" | "yarn", "t" | "tst"] => Some("test".to_owned()),
        ["npm" | "pnpm" | "yarn" | "bun", "run" | "run-script", name]
        | ["npm" | "pnpm" | "yarn", name @ ("test" | "start")] => Some(name.to_owned()),
        ["pnpm" | "yarn", name] if !name.starts_with('-') => Some(name.to_owned()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_scripts_run() {
        let check = |command: &str, script: Option<&str>| {
            assert_eq!(script_of(command).as_deref(), script, "{command}");
        };
        check("npm run test", Some("test"));
        check("npm test", Some("test"));
        check("pnpm lint", Some("lint"));
        check("yarn run unit", Some("unit"));
        check("npm run --silent test", Some("test"));
        check("npm test -s", Some("test"));
        check("npm ci", None);
        check("npm run test -- --watch", None);
        check("make test", None);
    }
    /// VC-05: a lint that fails keeps no test from being run; what builds for the tests stays with them.
    #[test]
    fn lints_are_apart_from_tests() {
        let check = |script: &str, expected: Option<(&[&str], &str)>| {
            let found = apart(script);
            let found = found.map(|(lints, tests)| {
                (lints.into_iter().map(|(_, lint)| lint).collect::<Vec<_>>(), tests)
            });
            let expected = expected.map(|(lints, tests)| {
                (lints.iter().map(ToString::to_string).collect::<Vec<_>>(), tests.to_owned())
            });
            assert_eq!(found, expected, "{script}");
        };
        check("xo && ava && tsd", Some((&["xo", "tsd"], "ava")));
        check("npm run lint && tsc && mocha", Some((&["npm run lint"], "tsc && mocha")));
        check("tsc --noEmit && node --test", Some((&["tsc --noEmit"], "node --test")));
        check("eslint . --fix && jest", None);
        check("eslint . ; jest", None);
        check("eslint . && jest || true", None);
        check("jest", None);
        check("eslint .", None);
        check("", None);
    }
}
