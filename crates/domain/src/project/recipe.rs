//! What stands behind `make test`, `just test`, `task test` and `sh run_tests.sh`: the command that is
//! really run, where it is one that can be told.
//!
//! A runner that is started by somebody else's file names no test: what one command does is known only
//! where that command is read.

use super::files::{Lookup, join};
use super::tasks::{JUST, MAKE, TASKFILE};
use super::types::Runner;
use crate::yaml;

/// How often a variable may stand for another.
const MOST_STEPS: usize = 8;

/// The command behind `command`, which is run in `folder`. `read` gives the text of a file of the tree.
/// Nothing where it is more than a row of plain commands, or no runner of tests that is known.
pub fn recipe(
    command: &str,
    folder: &str,
    read: &dyn Fn(&str) -> Option<String>,
) -> Option<String> {
    let words: Vec<&str> = command.split_whitespace().collect();
    let read = |path: &str| read(path).map(|text| whole_lines(&text));
    let first = |names: &[&str]| names.iter().find_map(|name| read(&join(folder, name)));
    let steps = match words[..] {
        ["make", target] => made(&first(MAKE)?, target)?,
        ["just", target] => just(&first(JUST)?, target)?,
        ["task", target] => tasked(&first(TASKFILE)?, target)?,
        ["sh" | "bash", script] => shell(&read(&join(folder, script))?)?,
        [script] if script.starts_with("./") => shell(&read(&join(folder, &script[2..]))?)?,
        _ => return None,
    };
    let told: Vec<String> = steps.into_iter().filter(|step| !step.starts_with("echo ")).collect();
    let is_plain = |step: &String| {
        let ends = [";", "|", "`", "$(", "{{", "<", ">", "&&", " &"];
        !ends.iter().any(|sign| step.contains(sign)) && !step.starts_with("cd ")
    };
    let text = told.join(" && ");
    (!told.is_empty() && told.iter().all(is_plain) && Runner::of(&text).is_some()).then_some(text)
}

/// A text in which every step is on one line.
fn whole_lines(text: &str) -> String {
    text.replace("\r\n", "\n").replace("\\\n", " ")
}

/// The indented lines below the head of `target`, as they stand there, and the head.
fn below<'a>(text: &'a str, target: &str) -> Option<(&'a str, Vec<&'a str>)> {
    let is_head = |line: &&str| {
        !line.starts_with([' ', '\t', '#', '.'])
            && line.split_once(':').is_some_and(|(names, rest)| {
                !rest.starts_with('=') && names.split_whitespace().next() == Some(target)
            })
    };
    let mut lines = text.lines().skip_while(|line| !is_head(line));
    let head = lines.next()?;
    let steps = lines.take_while(|line| line.starts_with([' ', '\t']) || line.trim().is_empty());
    Some((head, steps.map(str::trim).filter(|line| !line.is_empty()).collect()))
}

fn made(text: &str, target: &str) -> Option<Vec<String>> {
    let (head, lines) = below(text, target)?;
    let needs = head.split_once(':').map_or("", |(_, needs)| needs);
    let needs = needs.trim_start_matches(':').split('#').next().unwrap_or_default().trim();
    if needs.contains(['$', '=', ';', '%', '|']) {
        return None;
    }
    let mut steps = Vec::new();
    if !needs.is_empty() {
        steps.push(format!("make {needs}"));
    }
    for line in lines.into_iter().filter(|line| !line.starts_with('#')) {
        let step = line.trim_start_matches(['@', '+']);
        // What may fail proves nothing, and is nothing to see through.
        if step.starts_with('-') {
            return None;
        }
        steps.push(expanded(step.trim(), text)?);
    }
    Some(steps)
}

/// A step with the values of the variables that the file sets.
fn expanded(step: &str, file: &str) -> Option<String> {
    let mut text = step.to_owned();
    for _ in 0..MOST_STEPS {
        let Some(at) = text.find("$(").or_else(|| text.find("${")) else {
            return (!text.contains('$'))
                .then(|| text.split_whitespace().collect::<Vec<_>>().join(" "));
        };
        let close = if text[at..].starts_with("$(") { ')' } else { '}' };
        let end = at + text[at..].find(close)?;
        let name = &text[at + 2..end];
        let is_name =
            name.chars().all(|one| one.is_alphanumeric() || one == '_') && !name.is_empty();
        let value = assigned(file, is_name.then_some(name)?)?;
        text = format!("{}{value}{}", &text[..at], &text[end + 1..]);
    }
    None
}

fn assigned<'a>(file: &'a str, name: &str) -> Option<&'a str> {
    let known = file.lines().find_map(|line| {
        let line = line.strip_prefix("export ").unwrap_or(line);
        let rest = line.strip_prefix(name)?.trim_start();
        let value = ["?=", ":=", "::=", "="].iter().find_map(|sign| rest.strip_prefix(sign))?;
        Some(value.split('#').next().unwrap_or_default().trim())
    });
    // What make itself sets, and what is empty unless somebody sets it.
    known.or(match name {
        "MAKE" => Some("make"),
        _ => None,
    })
}

fn just(text: &str, target: &str) -> Option<Vec<String>> {
    let (head, lines) = below(text, target)?;
    let (names, needs) = head.split_once(':')?;
    if !needs.split('#').next().unwrap_or_default().trim().is_empty() {
        return None;
    }
    let others = names.split_whitespace().skip(1).filter_map(|name| name.strip_prefix('*'));
    let others: Vec<String> = others.map(|name| format!("{{{{{name}}}}}")).collect();
    let steps = lines.into_iter().filter(|line| !line.starts_with('#')).map(|line| {
        let mut step = line.trim_start_matches('@').replace("{{ ", "{{").replace(" }}", "}}");
        for one in &others {
            step = step.replace(one, "");
        }
        step.trim().to_owned()
    });
    let steps: Vec<String> = steps.collect();
    (!steps.iter().any(|step| step.starts_with('-'))).then_some(steps)
}

fn tasked(text: &str, target: &str) -> Option<Vec<String>> {
    let root = yaml::read("Taskfile.yml", text).root;
    let task = root.at(&["tasks", target])?;
    if task.at(&["deps"]).is_some() || task.at(&["dir"]).is_some() {
        return None;
    }
    let steps = task.at(&["cmds"]).or_else(|| task.at(&["cmd"])).unwrap_or(task);
    let mut texts: Vec<&str> = steps.as_texts().into_iter().map(|(text, _)| text).collect();
    texts.extend(steps.as_text());
    let own = |text: &str| text.replace("{{.CLI_ARGS}}", "").trim().to_owned();
    Some(texts.into_iter().map(own).collect())
}

/// The steps of a script, without what only says where and how it is run.
fn shell(text: &str) -> Option<Vec<String>> {
    let mut steps = Vec::new();
    for line in
        text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'))
    {
        let is_frame = line.starts_with("set -")
            || line.starts_with("cd \"$(dirname") && line.matches('"').count() <= 4;
        if line.starts_with("set +") {
            return None;
        }
        if !is_frame {
            let step = line.strip_prefix("exec ").unwrap_or(line);
            steps.push(step.replace("\"$@\"", "").replace("$@", "").trim().to_owned());
        }
    }
    // Without `set -e` only the last step decides.
    let is_strict = text.lines().any(|line| line.trim().starts_with("set -e"));
    let is_told = steps.iter().all(|step| !step.contains('$'));
    (is_told && (steps.len() == 1 || is_strict)).then_some(steps)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(file: (&str, &str), command: &str, expected: Option<&str>) {
        let read = |path: &str| (path == file.0).then(|| file.1.to_owned());
        assert_eq!(recipe(command, "", &read).as_deref(), expected, "{command}: {}", file.1);
    }

    /// VC-05: what a Makefile runs is seen through its variables and what it needs.
    #[test]
    fn makefiles_are_seen_through() {
        let file = "PYTHON ?= python3\nFLAGS = -q \\\n  -x\n.PHONY: test\n\ntest:\n\t@echo testing\n\
                    \t@$(PYTHON) -m pytest $(FLAGS)\n\nlint:\n\truff check .\n";
        check(("Makefile", file), "make test", Some("python3 -m pytest -q -x"));
        check(("Makefile", file), "make lint", None);
        let needs = "test: build\n\tgo test ./...\n";
        check(("Makefile", needs), "make test", Some("make build && go test ./..."));
        let check_one = |recipe: &str, expected: Option<&str>| {
            check(("Makefile", &format!("test:\n\t{recipe}\n")), "make test", expected);
        };
        check_one("cargo test --workspace", Some("cargo test --workspace"));
        for other in
            ["-pytest", "pytest || true", "pytest | tee log", "$(RUN) pytest", "cd a\n\tpytest"]
        {
            check_one(other, None);
        }
    }

    /// VC-05: recipes of just and Task, and scripts.
    #[test]
    fn others_are_seen_through() {
        let just = "# tests\ntest *args:\n    pytest {{args}}\n";
        check(("justfile", just), "just test", Some("pytest"));
        let task =
            "version: '3'\ntasks:\n  test:\n    cmds:\n      - go test ./... {{.CLI_ARGS}}\n";
        check(("Taskfile.yml", task), "task test", Some("go test ./..."));
        let script = "#!/bin/sh\nset -e\ncd \"$(dirname \"$0\")\"\nexec python3 -m pytest \"$@\"\n";
        check(("run_tests.sh", script), "./run_tests.sh", Some("python3 -m pytest"));
        check(("t/run.sh", "pytest -q\n"), "sh t/run.sh", Some("pytest -q"));
        check(("run.sh", "pytest\necho ok\nls\n"), "sh run.sh", None);
        check(("run.sh", "set +e\npytest\n"), "sh run.sh", None);
    }
}
