//! Commands that start the tests: package scripts, Makefiles, justfiles, shell scripts.

use std::collections::HashMap;

use countersign_domain::gaming::{Finding, Rule, Severity};

use super::command::{Fate, fate, filter, partial, runs_tests};
use crate::args::short;
use crate::compare::turned;
use crate::detect::Change;
use crate::language::Language;

pub(super) fn check(change: &Change<'_>) -> Vec<Finding> {
    if change.after.is_none() {
        return Vec::new();
    }
    let name = change.name().to_ascii_lowercase();
    let read: fn(&str) -> Vec<Step> = match name.as_str() {
        "package.json" | "composer.json" | "deno.json" => package,
        "makefile" | "gnumakefile" | "justfile" | ".justfile" => targets,
        "tox.ini" | "noxfile.py" => tox,
        _ if name.ends_with(".mk") => targets,
        _ if change.language == Language::Shell && !name.ends_with(".bats") => shell,
        _ => return Vec::new(),
    };
    let before = read(change.old());
    let mut known: HashMap<&str, Vec<&str>> = HashMap::new();
    for step in &before {
        known.entry(step.name.as_str()).or_default().push(&step.command);
    }
    let after = read(change.new());
    let is_new = |step: &&Step| {
        !known.get(step.name.as_str()).is_some_and(|old| old.contains(&step.command.as_str()))
    };
    let mut findings: Vec<Finding> =
        after.iter().filter(is_new).filter_map(|step| judge(change, step, &known)).collect();
    findings.extend(gone(change, &before, &after));
    findings
}

/// One command of a target, script or file.
#[derive(Debug, Clone, PartialEq)]
struct Step {
    name: String,
    command: String,
    line: u32,
}

/// Names under which tests are started.
fn is_test_name(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let words: Vec<&str> = name.split([':', '-', '_', '.', '/', ' ']).collect();
    [
        "test",
        "tests",
        "check",
        "ci",
        "verify",
        "spec",
        "e2e",
        "unit",
        "integration",
        "lint",
        "typecheck",
        "coverage",
    ]
    .iter()
    .any(|word| words.contains(word))
}

fn judge(change: &Change<'_>, step: &Step, known: &HashMap<&str, Vec<&str>>) -> Option<Finding> {
    let old = known.get(step.name.as_str()).map(|old| short(&old.join("; ")));
    let at = |rule, message: String| {
        change.text(rule, step.line, message).change(old.clone(), Some(short(&step.command)))
    };
    let name = &step.name;
    let for_tests = is_test_name(name) || runs_tests(&step.command);
    let ran = known.get(name.as_str()).is_some_and(|old| old.iter().any(|old| runs_tests(old)));
    if step.command.starts_with('-') && runs_tests(&step.command) {
        return Some(
            at(Rule::G43, format!("The failure of '{name}' is ignored.")).graded(Severity::Block),
        );
    }
    match fate(&step.command) {
        Fate::ThrownAway => {
            return Some(
                at(Rule::G43, format!("The failure of '{name}' is thrown away."))
                    .graded(Severity::Block),
            );
        }
        Fate::Lost => {
            return Some(at(Rule::G43, format!("The failure of '{name}' gets lost in a pipe.")));
        }
        _ => {}
    }
    if !for_tests && !ran {
        let hooks = ["postinstall", "preinstall", "prepare", "pretest", "posttest", "install"];
        let hooked = hooks.contains(&name.as_str());
        return hooked.then(|| {
            at(Rule::G43, format!("'{name}' runs by itself, before or after the tests."))
        });
    }
    // A new name beside the old ones takes nothing away.
    let known_name = known.contains_key(name.as_str()) || known.is_empty();
    let grade =
        |finding: Finding| if known_name { finding } else { finding.graded(Severity::Info) };
    if let Some(option) = filter(&step.command) {
        let harmless = option.starts_with("--pass") || option.starts_with("--if");
        let rule = if harmless { Rule::G05 } else { Rule::G03 };
        let message = format!("'{name}' runs with '{option}', which leaves tests out.");
        return Some(grade(at(rule, message)));
    }
    if let Some(option) = partial(&step.command) {
        let message = format!("'{name}' runs with '{option}', and not all tests.");
        return Some(grade(at(Rule::G50, message)));
    }
    let old_text = known.get(name.as_str()).map(|old| old.join(" ")).unwrap_or_default();
    if let Some((knob, _, is)) = turned(&old_text, &step.command).first() {
        return Some(at(Rule::G12, format!("'{name}' has {knob} {is} now.")));
    }
    if step.command.starts_with("set +e") {
        return Some(at(Rule::G43, "Failures don't end the script any more.".to_owned()));
    }
    (ran && !step.command.contains("echo") && !runs_tests(&step.command)).then(|| {
        at(Rule::G43, format!("'{name}' starts something else than before.")).graded(Severity::Info)
    })
}

/// Names whose tests don't run any more.
fn gone(change: &Change<'_>, before: &[Step], after: &[Step]) -> Vec<Finding> {
    let mut names: Vec<&str> = before
        .iter()
        .filter(|step| runs_tests(&step.command) && is_test_name(&step.name))
        .map(|step| step.name.as_str())
        .collect();
    names.dedup();
    let mut findings = Vec::new();
    for name in names {
        let now: Vec<&Step> = after.iter().filter(|step| step.name == name).collect();
        let runs = now.iter().any(|step| runs_tests(&step.command));
        let empty = now.iter().any(|step| fate(&step.command) == Fate::NothingRuns);
        if runs || (now.is_empty() && change.language == Language::Shell) {
            continue;
        }
        let line = now.first().map_or(0, |step| step.line);
        let before = before.iter().find(|step| step.name == name).map(|step| short(&step.command));
        let after = now.first().map(|step| short(&step.command));
        let finding = change.text(Rule::G43, line, format!("'{name}' runs no tests any more."));
        let finding = finding.change(before, after);
        findings.push(if empty { finding.graded(Severity::Block) } else { finding });
    }
    findings
}

/// The pairs of the object `scripts`, read line by line.
fn package(text: &str) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut inside = false;
    for (number, line) in (1..).zip(text.lines()) {
        let trimmed = line.trim();
        let opens = trimmed.starts_with("\"scripts\"");
        inside |= opens;
        let pairs =
            if opens { trimmed.split_once('{').map_or("", |(_, rest)| rest) } else { trimmed };
        if inside {
            steps.extend(pairs_of(pairs, number));
        }
        if inside && pairs.contains('}') && !pairs.trim_start().starts_with('"')
            || (opens && trimmed.ends_with("},"))
        {
            inside = false;
        }
        if !inside && trimmed.contains("\"scripts\"") && !opens {
            let rest = trimmed.split_once("\"scripts\"").map_or("", |(_, rest)| rest);
            let rest = rest.split_once('{').map_or("", |(_, rest)| rest);
            steps.extend(pairs_of(rest, number));
        }
    }
    steps
}

/// `"name": "command", "name": "command"`
fn pairs_of(text: &str, line: u32) -> Vec<Step> {
    let mut texts = Vec::new();
    let mut rest = text;
    while let Some((_, opened)) = rest.split_once('"') {
        let mut escaped = false;
        let Some(end) = opened.find(|letter| {
            let ends = letter == '"' && !escaped;
            escaped = letter == '\\' && !escaped;
            ends
        }) else {
            break;
        };
        texts.push(opened[..end].replace("\\\"", "\""));
        rest = &opened[end + 1..];
        if texts.len() % 2 == 0 && rest.trim_start().starts_with('}') {
            break;
        }
    }
    texts
        .chunks_exact(2)
        .map(|pair| Step { name: pair[0].clone(), command: pair[1].clone(), line })
        .collect()
}

/// `name: …` and the indented lines below it.
fn targets(text: &str) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut name = String::new();
    for (number, line) in (1..).zip(text.lines()) {
        let is_recipe = line.starts_with(['\t', ' ']);
        if is_recipe && !name.is_empty() && !line.trim().is_empty() && !line.trim().starts_with('#')
        {
            let command = line.trim().trim_start_matches('@').to_owned();
            steps.push(Step { name: name.clone(), command, line: number });
        } else if let Some((head, rest)) = line.split_once(':').filter(|_| !is_recipe) {
            name = head.split_whitespace().next().unwrap_or("").trim_start_matches('@').to_owned();
            if let Some((_, command)) = rest.split_once(';') {
                steps.push(Step {
                    name: name.clone(),
                    command: command.trim().to_owned(),
                    line: number,
                });
            }
        }
    }
    steps
}

fn tox(text: &str) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut inside = false;
    for (number, line) in (1..).zip(text.lines()) {
        let trimmed = line.trim();
        let head =
            trimmed.strip_prefix("commands").and_then(|rest| rest.trim_start().strip_prefix('='));
        inside = head.is_some() || inside && line.starts_with([' ', '\t']);
        let command = head.unwrap_or(trimmed).trim();
        if trimmed.starts_with("ignore_outcome") && trimmed.to_ascii_lowercase().contains("true") {
            steps.push(Step {
                name: "test".to_owned(),
                command: "pytest || true".to_owned(),
                line: number,
            });
        } else if inside && !command.is_empty() {
            steps.push(Step { name: "test".to_owned(), command: command.to_owned(), line: number });
        }
    }
    steps
}

/// Every line of a script, under one name.
fn shell(text: &str) -> Vec<Step> {
    let lines = (1..).zip(text.lines()).filter(|(_, line)| line.len() < 2_000);
    let lines = lines
        .map(|(line, text)| (line, text.trim()))
        .filter(|(_, text)| !text.is_empty() && !text.starts_with('#'));
    lines
        .map(|(line, text)| Step { name: "test script".to_owned(), command: text.to_owned(), line })
        .collect()
}
