//! What CI runs: it speaks for the commands that it names, and may be the only one to name them.

mod steps;

use super::files::Files;
use super::names::{self, CI, RUN_BY_CI};
use super::types::{Activity, Command, Evidence, Part, Runner, Stack, Tool};
use crate::worklog::command::runner_of;
use steps::{Step, steps};

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
    if names::fitness(activity, &step.text, std::slice::from_ref(&step.text)) == names::Fitness::Fit
    {
        parts[at].add_command(activity, CI, Command::of_shell(&step.text), why);
    }
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

/// Programs that run what others wrote.
const INTERPRETERS: &[&str] = &["python", "node", "ruby", "php", "perl", "bash", "sh"];

/// Whether a program is this one, in whatever version: `python3.12`.
fn is_called(program: &str, name: &str) -> bool {
    let version = program.rsplit('/').next().and_then(|program| program.strip_prefix(name));
    version.is_some_and(|version| version.chars().all(|one| one.is_ascii_digit() || one == '.'))
}

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
    if let Some(language) = INTERPRETERS.iter().find(|language| is_called(short, language)) {
        // What it runs is the program, and its first word may be what that is to do.
        let told = words.iter().skip(1).filter(|word| !word.starts_with('-')).take(2);
        return [*language].iter().chain(told).map(|word| (*word).to_owned()).collect();
    }
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
