//! What CI runs: it speaks for the commands that it names, and may be the only one to name them.

use super::files::{Files, Lookup, walked};
use super::names::{self, CI, RUN_BY_CI};
use super::types::{Activity, Command, Evidence, Part, Runner, Stack, Tool};
use crate::worklog::command::runner_of;
use crate::yaml::{Node, Value};

/// How many steps are looked at.
const MAX_STEPS: usize = 2_000;

const FILES: &[&str] = &[
    ".gitlab-ci.yml",
    ".circleci/config.yml",
    "azure-pipelines.yml",
    "bitbucket-pipelines.yml",
    ".travis.yml",
    ".woodpecker.yml",
    ".drone.yml",
    ".buildkite/pipeline.yml",
    ".cirrus.yml",
    "appveyor.yml",
];

/// One command line of a step.
struct Step {
    text: String,
    folder: String,
    file: String,
    line: usize,
}

/// Takes what CI runs into `parts`.
pub(super) fn take_in(files: &Files<'_>, parts: &mut Vec<Part>) {
    for step in steps(files) {
        let Some(words) = plain_words(&step.text) else { continue };
        let why = Evidence::new(&step.file, step.line, &step.text);
        let key = key(&words);
        let mut is_known = false;
        for part in parts.iter_mut().filter(|part| part.folder == step.folder) {
            for tool in part.tools.iter_mut().filter(|tool| key_of(&tool.command) == key) {
                is_known = true;
                speak_for(tool, &why);
            }
        }
        if !is_known && let Some(activity) = activity_of(&step.text, &key) {
            add(parts, activity, &step, why);
        }
    }
}

fn speak_for(tool: &mut Tool, why: &Evidence) {
    let is_first = !tool.why.iter().any(|known| is_ci(&known.file));
    if is_first {
        tool.rank = tool.rank.saturating_sub(RUN_BY_CI);
    }
    if tool.why.len() < 4 && !tool.why.contains(why) {
        tool.why.push(why.clone());
    }
}

fn is_ci(file: &str) -> bool {
    file.starts_with(".github/workflows/") || FILES.contains(&file)
}

/// A command that only CI names.
fn add(parts: &mut Vec<Part>, activity: Activity, step: &Step, why: Evidence) {
    // What has variables in it can't be run elsewhere.
    if step.text.contains(['$', '`', '<', '>']) || step.text.ends_with('\\') {
        return;
    }
    let at = parts.iter().position(|part| part.folder == step.folder && part.stack == Stack::Tasks);
    let at = at.unwrap_or_else(|| {
        parts.push(Part::new(&step.folder, Stack::Tasks));
        parts.len() - 1
    });
    if names::fitness(activity, &step.text) == names::Fitness::Fit {
        parts[at].add_command(activity, CI, Command::of_shell(&step.text), why);
    }
}

fn steps(files: &Files<'_>) -> Vec<Step> {
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
    let first = node.place.line;
    for (line, text) in (first..).zip(text.lines()) {
        let text = text.trim();
        if text.is_empty() || text.starts_with('#') {
            continue;
        }
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

/// The words of a command, without assignments before it.
fn plain_words(text: &str) -> Option<Vec<&str>> {
    let words: Vec<&str> = text.split_whitespace().skip_while(|word| word.contains('=')).collect();
    (!words.is_empty()).then_some(words)
}

/// What only stands before a program.
const BEFORE: &[&[&str]] = &[
    &["npx"],
    &["bunx"],
    &["pnpm", "exec"],
    &["yarn", "exec"],
    &["uv", "run"],
    &["poetry", "run"],
    &["pdm", "run"],
    &["hatch", "run"],
    &["pipenv", "run"],
    &["bundle", "exec"],
    &["python", "-m"],
    &["python3", "-m"],
];

/// Programs that are told what to do by their next word.
const WITH_VERB: &[&str] = &[
    "cargo",
    "go",
    "npm",
    "pnpm",
    "yarn",
    "bun",
    "dotnet",
    "make",
    "just",
    "task",
    "gradle",
    "mvn",
    "composer",
    "ruff",
    "terraform",
    "biome",
    "bin/rails",
];

/// What tells one command from another: the program, and its verb where it has one.
fn key(words: &[&str]) -> Vec<String> {
    let mut words = words;
    while let Some(before) = BEFORE.iter().find(|before| words.starts_with(before)) {
        words = &words[before.len()..];
        while words.first().is_some_and(|word| word.starts_with('-')) {
            words = &words[1..];
        }
    }
    let program = words.first().copied().unwrap_or_default();
    let short = program.trim_start_matches("./");
    let short = if short == "mvnw" { "mvn" } else { short };
    let short = if short == "gradlew" { "gradle" } else { short };
    let mut key = vec![short.to_owned()];
    if WITH_VERB.contains(&short) {
        let verbs = words.iter().skip(1).filter(|word| !word.starts_with('-') && **word != "run");
        let verb = verbs.into_iter().next().copied().unwrap_or_default();
        key.push(if verb == "t" { "test".to_owned() } else { verb.to_owned() });
    }
    key
}

fn key_of(command: &Command) -> Vec<String> {
    let words: Vec<&str> = command.argv.iter().map(String::as_str).collect();
    key(&words)
}

/// What commands do that no other file needs to name.
const KNOWN: &[(Activity, &[&[&str]])] = &[
    (Activity::Build, &[&["cargo", "build"], &["go", "build"], &["dotnet", "build"]]),
    (Activity::Typecheck, &[&["cargo", "check"], &["tsc"], &["vue-tsc"], &["mypy"], &["pyright"]]),
    (
        Activity::Lint,
        &[
            &["cargo", "clippy"],
            &["ruff", "check"],
            &["eslint"],
            &["flake8"],
            &["pylint"],
            &["golangci-lint"],
            &["staticcheck"],
            &["rubocop"],
            &["shellcheck"],
            &["yamllint"],
            &["actionlint"],
            &["tflint"],
            &["sqlfluff"],
            &["markdownlint"],
            &["hadolint"],
        ],
    ),
    (
        Activity::Format,
        &[&["cargo", "fmt"], &["ruff", "format"], &["black"], &["prettier"], &["rustfmt"]],
    ),
    (Activity::Coverage, &[&["cargo", "llvm-cov"], &["cargo", "tarpaulin"]]),
    (Activity::Mutation, &[&["cargo", "mutants"], &["stryker"], &["mutmut"]]),
];

/// What a command does that no file but CI's names.
fn activity_of(text: &str, key: &[String]) -> Option<Activity> {
    let key: Vec<&str> = key.iter().map(String::as_str).collect();
    let known = KNOWN.iter().find(|(_, keys)| keys.contains(&&key[..])).map(|(known, _)| *known);
    if known.is_some() {
        return known;
    }
    let runner = runner_of(text, &[]).filter(|runner| runner.exit_counts)?;
    Some(match Runner::of(text) {
        Some(Runner::Playwright | Runner::Cypress) => Activity::E2e,
        _ if text.contains("e2e") => Activity::E2e,
        _ if text.contains("integration") => Activity::Integration,
        _ if matches!(runner.name.as_str(), "make" | "npm" | "just") => {
            names::activity_of(key.last()?).map_or(Activity::Unit, |(activity, _)| activity)
        }
        _ => Activity::Unit,
    })
}
