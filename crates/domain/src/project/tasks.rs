//! Task runners: Make, just, Task and pre-commit. Their targets serve files of any kind.

mod targets;

use std::collections::BTreeMap;

use super::add::Script;
use super::files::{Files, Lookup, join};
use super::names::{self, CI, TASK};
use super::types::{Activity, Evidence, Part, Stack};
use crate::yaml::{Node, Value};
use targets::{Target, targets};

pub(super) const MAKE: &[&str] = &["Makefile", "makefile", "GNUmakefile"];
pub(super) const JUST: &[&str] = &["justfile", "Justfile", ".justfile"];
pub(super) const TASKFILE: &[&str] =
    &["Taskfile.yml", "Taskfile.yaml", "taskfile.yml", "taskfile.yaml"];
/// Scripts that are called after what they do. Whatever else runs the tests is asked first.
const SCRIPTS: [&str; 8] = [
    "run_tests.sh",
    "run-tests.sh",
    "runtests.sh",
    "test.sh",
    "tests.sh",
    "scripts/run_tests.sh",
    "scripts/test.sh",
    "scripts/tests.sh",
];
const PRE_COMMIT: &str = ".pre-commit-config.yaml";

pub(super) fn parts(files: &Files<'_>) -> Vec<Part> {
    let mut parts: BTreeMap<&str, Part> = BTreeMap::new();
    let all = [MAKE, JUST, TASKFILE, &[PRE_COMMIT]].concat();
    let mut folders = files.folders_with_any(&all);
    if files.first("", &SCRIPTS).is_some() {
        folders.insert("");
    }
    for folder in folders {
        let mut part = Part::new(folder, Stack::Tasks);
        for (names, program) in [(MAKE, "make"), (JUST, "just")] {
            let Some(file) = files.first(folder, names) else { continue };
            add_targets(files, &mut part, (&file, program));
        }
        if let Some(file) = files.first(folder, TASKFILE) {
            add_tasks(files, &mut part, &file);
        }
        add_script(files, &mut part);
        add_pre_commit(files, &mut part);
        parts.insert(folder, part);
    }
    parts.into_values().collect()
}

fn add_targets(files: &Files<'_>, part: &mut Part, (file, program): (&str, &str)) {
    let text = files.text(file).unwrap_or_default();
    for Target { name, line, recipe, shells, lacks } in targets(&text, program) {
        if is_callable(files, &name, (file, line), lacks.as_deref()) {
            let script =
                Script { name: &name, text: &recipe, file, line, shells: &shells, rank: TASK };
            part.add_script(files, &script, &[program, &name]);
        }
    }
}

/// Whether a target can be called by its name alone.
fn is_callable(files: &Files<'_>, name: &str, place: (&str, usize), lacks: Option<&str>) -> bool {
    if let Some(lacks) = lacks.filter(|_| names::activity_of(name).is_some()) {
        let what = format!("'{name}' needs {lacks}, so it can't be called by its name alone");
        files.odd(place, &what, "give it a default, or name a command in countersign.toml");
    }
    lacks.is_none()
}

fn add_tasks(files: &Files<'_>, part: &mut Part, file: &str) {
    let Some(root) = files.yaml(file) else { return };
    let is_on = |node: &Node, key: &str| node.at(&[key]).and_then(Lookup::as_text) == Some("true");
    let is_strict = |node: &Node| {
        let set = node.at(&["set"]).map(Lookup::as_texts).unwrap_or_default();
        set.iter().any(|(option, _)| *option == "pipefail")
    };
    for (name, line, node) in root.at(&["tasks"]).map(Lookup::as_entries).unwrap_or_default() {
        let required = node.at(&["requires", "vars"]).map(Lookup::as_texts).unwrap_or_default();
        let lacks = required.first().map(|(lacks, _)| *lacks);
        if is_on(node, "internal") || !is_callable(files, name, (file, line), lacks) {
            continue;
        }
        let steps = steps(node);
        let text: Vec<&str> = steps.iter().map(|(text, _)| text.as_str()).collect();
        let strict = if is_strict(&root) || is_strict(node) { "set -o pipefail; " } else { "" };
        // What may fail decides nothing.
        let counted =
            steps.iter().filter(|(_, may_fail)| !may_fail && !is_on(node, "ignore_error"));
        let shells: Vec<String> = counted.map(|(text, _)| format!("{strict}{text}")).collect();
        if !steps.is_empty() {
            let text = text.join("\n");
            let script = Script { name, text: &text, file, line, shells: &shells, rank: TASK };
            part.add_script(files, &script, &["task", name]);
        }
    }
}

fn add_script(files: &Files<'_>, part: &mut Part) {
    let Some(file) = files.first("", &SCRIPTS).filter(|_| part.folder.is_empty()) else { return };
    let text = files.text(&file).unwrap_or_default();
    let first = text.lines().next().unwrap_or_default();
    let shell = if first.contains("bash") { "bash" } else { "sh" };
    let shells = [text.to_string()];
    let script =
        Script { name: "test", text: &text, file: &file, line: 0, shells: &shells, rank: CI };
    part.add_script(files, &script, &[shell, &file]);
}

/// What a task of Task runs, and whether that may fail: its commands, or else the tasks that it needs.
fn steps(task: &Node) -> Vec<(String, bool)> {
    let list = |node: &Node| match &node.value {
        Value::List(items) => items.iter().filter_map(step).collect(),
        _ => step(node).into_iter().collect::<Vec<_>>(),
    };
    let own = task.at(&["cmds"]).or_else(|| task.at(&["cmd"])).map(list);
    let own = own.filter(|steps| !steps.is_empty());
    let needs = || {
        let needs = task.at(&["deps"]).map(list).unwrap_or_default();
        let call = |(text, _): (String, bool)| {
            (if text.starts_with("task ") { text } else { format!("task {text}") }, false)
        };
        needs.into_iter().map(call).collect::<Vec<_>>()
    };
    own.unwrap_or_else(|| if matches!(task.value, Value::Map(_)) { needs() } else { list(task) })
}

fn step(node: &Node) -> Option<(String, bool)> {
    if let Some(text) = node.as_text() {
        return Some((text.to_owned(), false));
    }
    let may_fail = node.at(&["ignore_error"]).and_then(Lookup::as_text) == Some("true");
    let said = |key: &str| node.at(&[key]).and_then(Lookup::as_text);
    let text = said("cmd").map(str::to_owned);
    Some((text.or_else(|| said("task").map(|name| format!("task {name}")))?, may_fail))
}

/// What runs hooks on all files checks how they are laid out and written.
fn add_pre_commit(files: &Files<'_>, part: &mut Part) {
    let file = join(&part.folder, PRE_COMMIT);
    let Some(root) = files.yaml(&file).filter(|_| part.folder.is_empty()) else { return };
    let hooks: Vec<String> = repos(&root).into_iter().take(6).collect();
    if hooks.is_empty() {
        return;
    }
    let why = Evidence::new(&file, 0, format!("hooks: {}", hooks.join(", ")));
    let argv = ["pre-commit", "run", "--all-files"];
    part.add(Activity::Lint, TASK + names::UNFIT - 1, &argv, why);
}

fn repos(root: &crate::yaml::Node) -> Vec<String> {
    let Some(crate::yaml::Value::List(repos)) = root.at(&["repos"]).map(|node| &node.value) else {
        return Vec::new();
    };
    let hooks = repos.iter().filter_map(|repo| match &repo.at(&["hooks"])?.value {
        crate::yaml::Value::List(hooks) => Some(hooks),
        _ => None,
    });
    hooks.flatten().filter_map(|hook| hook.at(&["id"])?.as_text().map(str::to_owned)).collect()
}
