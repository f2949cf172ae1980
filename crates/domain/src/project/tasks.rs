//! Task runners: Make, just, Task and pre-commit. Their targets serve files of any kind.

use std::collections::BTreeMap;

use super::add::Script;
use super::files::{Files, Lookup, join};
use super::names::{self, CI, TASK};
use super::types::{Activity, Evidence, Part, Stack};

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
            let text = files.text(&file).unwrap_or_default();
            for Target { name, line, recipe, .. } in targets(&text, program) {
                let script = Script { name, text: &recipe, file: &file, line, rank: TASK };
                part.add_script(files, &script, &[program, name]);
            }
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

struct Target<'a> {
    name: &'a str,
    line: usize,
    recipe: String,
    /// The targets that come before it.
    needs: &'a str,
}

/// The targets of a Makefile and the recipes of a justfile: both are a name, a colon, and lines
/// that are indented.
fn targets<'a>(text: &'a str, program: &str) -> Vec<Target<'a>> {
    let mut found: Vec<Target<'_>> = Vec::new();
    let mut is_open = false;
    for (line, content) in (1..).zip(text.lines()) {
        if content.starts_with([' ', '\t']) {
            if let Some(target) = found.last_mut().filter(|_| is_open) {
                let step = content.trim().trim_start_matches(['@', '-', '+']);
                if !step.starts_with('#') {
                    target.recipe.push_str(step);
                    target.recipe.push('\n');
                }
            }
            continue;
        }
        let named = target_name(content);
        // A line that is no target ends the recipe of the one before it.
        is_open = named.is_some() || (is_open && content.trim().is_empty());
        if let Some((name, needs)) = named {
            found.push(Target { name, line, recipe: String::new(), needs });
        }
    }
    for target in &mut found {
        // What only needs other targets does what they do.
        if target.recipe.is_empty() && !target.needs.is_empty() {
            target.recipe = format!("{program} {}", target.needs);
        }
    }
    found.retain(|target| !target.recipe.trim().is_empty());
    found
}

fn target_name(line: &str) -> Option<(&str, &str)> {
    let line = line.split('#').next().unwrap_or("");
    let (head, rest) = line.split_once(':')?;
    let mut words = head.trim_start_matches('@').split_whitespace();
    let (name, next) = (words.next()?, words.next().unwrap_or_default());
    let assigns = rest.starts_with(['=', ':']) || next.starts_with('=') || next.ends_with('=');
    let plain = |letter: char| letter.is_alphanumeric() || "-_:./".contains(letter);
    let is_name = !name.starts_with('.') && name.chars().all(plain);
    (is_name && !assigns).then(|| (name, rest.trim()))
}

fn add_tasks(files: &Files<'_>, part: &mut Part, file: &str) {
    let Some(root) = files.yaml(file) else { return };
    for (name, line, node) in root.at(&["tasks"]).map(Lookup::as_entries).unwrap_or_default() {
        let steps = node.at(&["cmds"]).or_else(|| node.at(&["cmd"])).unwrap_or(node);
        let mut texts: Vec<&str> = steps.as_texts().into_iter().map(|(text, _)| text).collect();
        texts.extend(steps.as_text());
        // A task may call others, which is a step that can fail.
        let text = if texts.is_empty() { "task".to_owned() } else { texts.join("\n") };
        let script = Script { name, text: &text, file, line, rank: TASK };
        part.add_script(files, &script, &["task", name]);
    }
}

fn add_script(files: &Files<'_>, part: &mut Part) {
    let Some(file) = files.first("", &SCRIPTS).filter(|_| part.folder.is_empty()) else { return };
    let text = files.text(&file).unwrap_or_default();
    let first = text.lines().next().unwrap_or_default();
    let shell = if first.contains("bash") { "bash" } else { "sh" };
    let script = Script { name: "test", text: &text, file: &file, line: 0, rank: CI };
    part.add_script(files, &script, &[shell, &file]);
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
