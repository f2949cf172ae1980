//! The command lines of CI's steps, each with the folder that it is run in.

use super::super::files::{Files, Lookup, walked};
use super::FILES;
use crate::yaml::{Node, Value};

/// How many steps are looked at.
const MAX_STEPS: usize = 2_000;

/// One command line of a step.
pub(super) struct Step {
    pub(super) text: String,
    pub(super) folder: String,
    pub(super) file: String,
    pub(super) line: usize,
}

/// The command lines of all files of CI.
pub(super) fn steps(files: &Files<'_>) -> Vec<Step> {
    let is_workflow =
        |path: &&str| path.rsplit_once('.').is_some_and(|(_, end)| matches!(end, "yml" | "yaml"));
    let github = files.below(".github/workflows").filter(is_workflow).take(100);
    let others = FILES.iter().copied().filter(|path| files.has(path));
    let mut steps = Vec::new();
    for path in github.chain(others) {
        if let Some(root) = files.yaml(path) {
            walk(&root, path, "", &mut steps);
        }
    }
    steps.truncate(MAX_STEPS);
    steps
}

/// Collects what stands below the keys that CI systems have for commands.
fn walk(node: &Node, file: &str, folder: &str, steps: &mut Vec<Step>) {
    if steps.len() >= MAX_STEPS {
        return;
    }
    match &node.value {
        Value::List(items) => items.iter().for_each(|item| walk(item, file, folder, steps)),
        Value::Map(_) if is_idle(node) => {}
        Value::Map(map) => {
            let own = ["working-directory", "working_directory", "workingDirectory"];
            let said = own.iter().find_map(|key| map.node(key)?.as_text()).map(clean);
            let said = said.or_else(|| {
                let way = ["defaults", "run", "working-directory"];
                node.at(&way).and_then(Lookup::as_text).map(clean)
            });
            let folder = said.as_deref().unwrap_or(folder);
            for entry in &map.entries {
                match entry.key.as_str() {
                    "run" | "script" | "command" | "commands" => {
                        take(&entry.node, file, folder, steps);
                    }
                    _ => {}
                }
                walk(&entry.node, file, folder, steps);
            }
        }
        _ => {}
    }
}

/// Whether a step or a job never runs, or whether nobody minds how it ends.
fn is_idle(node: &Node) -> bool {
    let idle = [
        ("when", "never"),
        ("if", "false"),
        ("continue-on-error", "true"),
        ("continueOnError", "true"),
        ("allow_failure", "true"),
    ];
    idle.iter().any(|(key, value)| node.at(&[key]).and_then(Lookup::as_text) == Some(value))
}

fn take(node: &Node, file: &str, folder: &str, steps: &mut Vec<Step>) {
    let mut place = Some(folder.to_owned());
    take_from(node, file, &mut place, steps);
}

/// Takes the lines of one shell, from the `place` that those before them left it in: none where nobody
/// can tell.
fn take_from(node: &Node, file: &str, place: &mut Option<String>, steps: &mut Vec<Step>) {
    if let Value::List(items) = &node.value {
        return items.iter().for_each(|item| take_from(item, file, place, steps));
    }
    let Value::Text { text, .. } = &node.value else { return };
    for (line, text) in whole_lines(text, node.place.line) {
        let text = text.as_str();
        let Some(folder) = place.take() else { return };
        // `cd web && npm test` is `npm test` in web.
        let first = text.strip_prefix("cd ").and_then(|rest| rest.split_once(['&', ';']));
        let (here, text_of) = match first {
            Some((below, rest)) => (gone(&folder, below), rest.trim_start_matches('&').trim()),
            None => (Some(folder.clone()), text),
        };
        if let Some(here) = here.filter(|_| !text_of.starts_with("cd ") && !text.contains("${{")) {
            let (text, file) = (text_of.to_owned(), file.to_owned());
            steps.push(Step { text, folder: here, file, line });
        }
        *place = left_in(folder, text);
    }
}

/// The lines of a text with what they go on with, each with the number of its first; `first` is the
/// number of the first of all.
fn whole_lines(text: &str, first: usize) -> Vec<(usize, String)> {
    let mut whole: Vec<(usize, String)> = Vec::new();
    let mut is_open = false;
    for (line, text) in (first..).zip(text.lines()) {
        let text = text.trim();
        if text.is_empty() || text.starts_with('#') {
            continue;
        }
        let slashes = text.len() - text.trim_end_matches('\\').len();
        let (text, goes_on) = if slashes % 2 == 1 {
            (text[..text.len() - 1].trim_end(), true)
        } else {
            (text, false)
        };
        match whole.last_mut().filter(|_| is_open) {
            Some((_, before)) => {
                before.push(' ');
                before.push_str(text);
            }
            None => whole.push((line, text.to_owned())),
        }
        is_open = goes_on || text.ends_with("&&") || text.ends_with('|');
    }
    whole
}

/// Where a line leaves its shell. What stands in parentheses goes nowhere for those after it.
fn left_in(folder: String, line: &str) -> Option<String> {
    if line.starts_with('(') {
        return Some(folder);
    }
    let commands = line.split(['&', ';']).map(str::trim);
    let mut ways = commands.filter_map(|command| command.strip_prefix("cd "));
    ways.try_fold(folder, |folder, way| gone(&folder, way))
}

/// The folder that `cd` goes to from `folder`: none where that is outside, or the shell's to say.
fn gone(folder: &str, said: &str) -> Option<String> {
    let said = said.split(['|', '#']).next().unwrap_or_default().trim();
    let said = said.trim_matches(['"', '\'']);
    let is_the_shells = said.is_empty() || said.starts_with(['/', '~', '-']);
    if is_the_shells || said.contains(['$', '`', '*']) {
        return None;
    }
    walked(folder, said)
}

fn clean(folder: &str) -> String {
    let folder = folder.trim().trim_start_matches("./").trim_end_matches('/');
    if folder == "." { String::new() } else { folder.to_owned() }
}
