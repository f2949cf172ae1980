//! What stands behind `make test`, `just test`, `task test` and `sh run_tests.sh`: the command that is
//! really run, where it is one that can be told.
//!
//! A runner that is started by somebody else's file names no test: what one command does is known only
//! where that command is read.

use super::files::{Lookup, join, walked};
use super::tasks::{JUST, MAKE, TASKFILE};
use super::types::Runner;
use crate::yaml;

/// How often a variable may stand for another.
const MOST_STEPS: usize = 8;

/// What stands behind a command, in one tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Recipe {
    /// The tree has no such recipe and no such script.
    Absent,
    /// It has one, and it is more than a row of plain commands, or has no runner of tests that is known.
    Unclear,
    /// What is really run, and in which folder.
    Told { command: String, folder: String },
}

/// What stands behind `command`, which is run in `folder`. `read` gives the text of a file of the tree.
pub fn recipe(command: &str, folder: &str, read: &dyn Fn(&str) -> Option<String>) -> Recipe {
    let Some(call) = Call::of(command, folder) else { return Recipe::Absent };
    let read = |path: &str| read(path).map(|text| whole_lines(&text));
    let first = |names: &[&str]| names.iter().find_map(|name| read(&join(&call.folder, name)));
    let mut folder = call.folder.clone();
    let (text, steps) = match call.starts {
        Starts::Make => of_target(first(MAKE), &call.target, made),
        Starts::Just => of_target(first(JUST), &call.target, just),
        Starts::Task => {
            let text = first(TASKFILE);
            let steps = text.as_deref().and_then(|text| tasked(text, &call.target));
            (text, steps)
        }
        Starts::Shell => {
            let path = join(&call.folder, &call.target);
            let text = read(&path);
            let told = text.as_deref().and_then(|text| shell(text, &path));
            let steps = told.map(|(steps, own)| {
                folder = own.unwrap_or_else(|| call.folder.clone());
                steps
            });
            (text, steps)
        }
    };
    match (text, steps.and_then(plain)) {
        (None, _) => Recipe::Absent,
        (Some(_), None) => Recipe::Unclear,
        (Some(_), Some(command)) => Recipe::Told { command, folder },
    }
}

/// A file with targets, if it has `target` or may have it, and the steps of that. What is included from
/// elsewhere may have any.
fn of_target(
    text: Option<String>,
    target: &str,
    reader: fn(&str, &str) -> Option<Vec<String>>,
) -> (Option<String>, Option<Vec<String>>) {
    let includes = ["include ", "-include ", "sinclude ", "import ", "mod "];
    let may_have = |text: &String| {
        text.lines().any(|line| includes.iter().any(|word| line.starts_with(word)))
            || below(text, target).is_some()
    };
    let text = text.filter(may_have);
    let steps = text.as_deref().and_then(|text| reader(text, target));
    (text, steps)
}

/// The steps as one command, if they are a row of plain ones with a runner that is known.
fn plain(steps: Vec<String>) -> Option<String> {
    let told: Vec<String> = steps.into_iter().filter(|step| !step.starts_with("echo ")).collect();
    let is_plain = |step: &String| {
        let ends = [";", "|", "`", "$(", "{{", "<", ">", "&&", " &"];
        !ends.iter().any(|sign| step.contains(sign)) && !step.starts_with("cd ")
    };
    let text = told.join(" && ");
    (!told.is_empty() && told.iter().all(is_plain) && Runner::of(&text).is_some()).then_some(text)
}

/// What starts other programs' commands.
#[derive(Debug, Clone, Copy)]
enum Starts {
    Make,
    Just,
    Task,
    Shell,
}

/// A command that only starts what another file says.
struct Call {
    starts: Starts,
    target: String,
    folder: String,
}

impl Call {
    fn of(command: &str, folder: &str) -> Option<Self> {
        let words: Vec<&str> = command.split_whitespace().collect();
        let (program, mut rest) = words.split_first()?;
        let (starts, quiet, place): (_, &[&str], &[&str]) = match *program {
            "make" | "gmake" => (Starts::Make, QUIET, &["-C", "--directory"]),
            "just" => (Starts::Just, QUIET, &[]),
            "task" => (Starts::Task, QUIET, &["-d", "--dir"]),
            "sh" | "bash" | "dash" => (Starts::Shell, &["-e", "-u", "-eu"], &[]),
            script if script.starts_with("./") => {
                let target = plain_path(script)?;
                let whole = Self { starts: Starts::Shell, target, folder: folder.to_owned() };
                return rest.is_empty().then_some(whole);
            }
            _ => return None,
        };
        let mut folder = folder.to_owned();
        while let [word, more @ ..] = rest {
            let (name, value) = word.split_once('=').map_or((*word, None), |(n, v)| (n, Some(v)));
            if quiet.contains(word) {
                rest = more;
            } else if place.contains(&name) {
                let (value, more) = value.map_or_else(
                    || more.split_first().map(|(value, more)| (*value, more)),
                    |value| Some((value, more)),
                )?;
                folder = join(&folder, &plain_path(value)?);
                rest = more;
            } else {
                break;
            }
        }
        let [target] = rest else { return None };
        let is_script = matches!(starts, Starts::Shell);
        let target = if is_script { plain_path(target)? } else { (*target).to_owned() };
        let is_target = !target.starts_with('-') && !target.contains('=');
        is_target.then_some(Self { starts, target, folder })
    }
}

/// What only says less about the commands that are started.
const QUIET: &[&str] = &["-s", "--silent", "--quiet", "-q", "--no-print-directory"];

/// A path below the folder that it is named in, as the tree has it.
fn plain_path(path: &str) -> Option<String> {
    let path = path.strip_prefix("./").unwrap_or(path).trim_end_matches('/');
    let is_plain = !path.is_empty()
        && !path.starts_with(['/', '-', '~'])
        && !path.contains(['$', '`', '\'', '"', '*', ';', '&', '|'])
        && !path.split('/').any(|part| part == "..");
    is_plain.then(|| path.to_owned())
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

/// The steps of a script, without what only says where and how it is run, and the folder that it goes to.
fn shell(text: &str, path: &str) -> Option<(Vec<String>, Option<String>)> {
    let (mut steps, mut folder): (Vec<String>, _) = (Vec::new(), None);
    for line in
        text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'))
    {
        if line.starts_with("set +") {
            return None;
        }
        if line.starts_with("cd \"$(dirname") {
            // Steps before it are run elsewhere.
            let is_first = steps.is_empty() && folder.is_none();
            folder = Some(beside(line, path).filter(|_| is_first)?);
        } else if !line.starts_with("set -") {
            let step = line.strip_prefix("exec ").unwrap_or(line);
            steps.push(step.replace("\"$@\"", "").replace("$@", "").trim().to_owned());
        }
    }
    // Without `set -e` only the last step decides.
    let is_strict = text.lines().any(|line| line.trim().starts_with("set -e"));
    let is_told = steps.iter().all(|step| !step.contains('$'));
    (is_told && (steps.len() == 1 || is_strict)).then_some((steps, folder))
}

/// Where `cd "$(dirname "$0")/.."` goes in the script at `path`; nothing if that is outside of the tree.
fn beside(line: &str, path: &str) -> Option<String> {
    let (_, rest) = line.strip_prefix("cd \"$(dirname")?.split_once(')')?;
    let (further, tail) = rest.split_once('"')?;
    if !matches!(tail.trim(), "" | "|| exit" | "|| exit 1") || further.contains('$') {
        return None;
    }
    walked(path.rsplit_once('/').map_or("", |(folder, _)| folder), further)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(file: (&str, &str), command: &str, expected: Option<&str>) {
        let read = |path: &str| (path == file.0).then(|| file.1.to_owned());
        let found = match recipe(command, "", &read) {
            Recipe::Told { command, folder } if folder.is_empty() => Some(command),
            Recipe::Told { command, folder } => Some(format!("{folder}: {command}")),
            Recipe::Absent | Recipe::Unclear => None,
        };
        assert_eq!(found.as_deref(), expected, "{command}: {}", file.1);
    }

    /// VC-05: what is there and can't be told is not looked for elsewhere.
    #[test]
    fn what_is_there_and_unclear_is_known() {
        let of = |text: &str, command: &str| {
            recipe(command, "", &|path| (path == "Makefile").then(|| text.to_owned()))
        };
        assert_eq!(of("test:\n\tpytest || true\n", "make test"), Recipe::Unclear);
        assert_eq!(of("lint:\n\truff .\n", "make test"), Recipe::Absent);
        assert_eq!(of("include tests.mk\n", "make test"), Recipe::Unclear);
        assert_eq!(of("", "just test"), Recipe::Absent);
        assert_eq!(of("test:\n\tpytest\n", "pytest"), Recipe::Absent);
    }

    /// VC-05: the same recipe is asked for in many words.
    #[test]
    fn calls_are_read() {
        let file = ("Makefile", "test:\n\tpytest -q\n");
        for quiet in ["make -s test", "make --no-print-directory test", "gmake --silent test"] {
            check(file, quiet, Some("pytest -q"));
        }
        for other in ["make", "make -k test", "make test lint", "make test V=1", "make -n test"] {
            check(file, other, None);
        }
        let below = ("calc/Makefile", "test:\n\tpytest -q\n");
        for call in ["make -C calc test", "make -s -C ./calc/ test", "make --directory=calc test"] {
            check(below, call, Some("calc: pytest -q"));
        }
        check(below, "make -C ../calc test", None);
        let script =
            |text: &str, expected| check(("ci/test.sh", text), "bash ci/test.sh", expected);
        script("pytest\n", Some("pytest"));
        script("cd \"$(dirname \"$0\")\"\npytest\n", Some("ci: pytest"));
        script("cd \"$(dirname \"$0\")/..\" || exit 1\npytest\n", Some("pytest"));
        script("cd \"$(dirname \"$0\")/../..\"\npytest\n", None);
        script("cd \"$(dirname \"$0\")/$X\"\npytest\n", None);
        script("pytest a\ncd \"$(dirname \"$0\")\"\nset -e\npytest\n", None);
        check(("ci/test.sh", "pytest\n"), "sh -e ./ci/test.sh", Some("pytest"));
        check(("ci/test.sh", "pytest\n"), "sh -c ci/test.sh", None);
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
