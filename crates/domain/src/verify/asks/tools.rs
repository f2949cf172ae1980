//! Whether a task is about what builds, checks and starts the code.

use super::about::names_code;
use super::{sentences, to_mend, words};

/// What builds, checks and starts code, and nothing else.
const TOOLS: &[&str] = &[
    "ci",
    "workflow",
    "workflows",
    "makefile",
    "make",
    "npm",
    "coverage",
    "lint",
    "linter",
    "eslint",
    "prettier",
    "editorconfig",
    "dockerfile",
    "pyproject",
];
/// What says how code is built and under which terms it is published.
const MANIFESTS: &[&str] =
    &["cargo.toml", "package.json", "pyproject.toml", "go.mod", "setup.cfg", "tsconfig.json"];

/// What may as well be a word of the domain: a script of a page, a pipeline of data.
const PERHAPS: &[&str] = &["pipeline", "script", "scripts", "target"];

/// Whether the task is about what builds, checks and starts the code.
pub(in crate::verify) fn is_about_tools(task: &str) -> bool {
    let first = sentences(task).find(|sentence| !sentence.is_empty()).unwrap_or_default();
    names_tools(task) || words(first).iter().any(|word| PERHAPS.contains(&word.as_str()))
}

/// Whether it says so with a word that means nothing else.
pub(in crate::verify) fn names_tools(task: &str) -> bool {
    let first = sentences(task).find(|sentence| !sentence.is_empty()).unwrap_or_default();
    // "Make it faster" is about the code; `make check` is a command.
    let is_command = |tool: &str| first.contains(&format!("`{tool} "));
    let lower = task.to_lowercase();
    if MANIFESTS.iter().any(|name| lower.trim_start_matches('`').starts_with(name)) {
        return true;
    }
    let names = |words: &[String]| {
        words.iter().any(|word| match word.as_str() {
            "make" => is_command("make"),
            word => TOOLS.contains(&word),
        })
    };
    names(&words(first)) || changes_tools(task)
}

/// Whether the task wants all tests to pass: "get `npm test` green again", "fix the failing tests". One that
/// speaks of a single test does not.
pub(in crate::verify) fn wants_green(task: &str) -> bool {
    const RED: &[&str] = &["failing", "red", "broken", "fail", "failed"];
    const STAYS: &[&str] = &["stay", "stays", "keep", "remain", "still", "stayed"];
    const RUNS: &[&str] = &["npm", "go", "cargo", "make", "yarn", "pnpm"];
    sentences(task).any(|sentence| {
        let words = words(sentence);
        let has = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
        let pairs = || words.windows(2).map(|pair| (pair[0].as_str(), pair[1].as_str()));
        let is_all = pairs().any(|(one, two)| {
            RED.contains(&one) && two == "tests"
                || matches!(one, "tests" | "suite") && matches!(two, "pass" | "green" | "succeed")
        });
        let is_run = pairs().any(|(one, two)| RUNS.contains(&one) && two == "test")
            || has(&["pytest", "ci", "suite"]);
        is_all && !has(STAYS) || has(&["green"]) && is_run && !has(STAYS)
    })
}

/// Whether the task is about what a check says that is no test: "go vet complains that …".
pub fn names_check(task: &str, command: &str) -> bool {
    const PLAIN: &[&str] =
        &["run", "exec", "all", "targets", "check", "workspace", "python", "poetry"];
    let said = words(task);
    let is_tool = |word: &String| word.len() > 2 && !PLAIN.contains(&word.as_str());
    // What follows the first dash or path says how it is run.
    let plain = command.split_whitespace().take_while(|word| !word.contains(['/', '=']));
    let plain: Vec<&str> = plain.filter(|word| !word.starts_with('-')).collect();
    words(&plain.join(" ")).iter().filter(|word| is_tool(word)).any(|word| said.contains(word))
}

/// "3.9 is out of support. Take it out of CI": behind how things are, the first thing that is asked for
/// is done to a tool. Where something is to be mended, a tool may only have told of it.
fn changes_tools(task: &str) -> bool {
    const DOES: &[&str] = &[
        "take", "add", "drop", "remove", "put", "pin", "bump", "use", "run", "let", "set",
        "switch", "update", "raise", "move",
    ];
    const AT: &[&str] = &["of", "in", "from", "to", "on", "into"];
    const MORE: &[&str] = &["fix", "mend", "repair", "implement", "support", "correct"];
    let begins = |words: &[String], list: &[&str]| {
        let first = words.iter().find(|word| word.as_str() != "please");
        first.is_some_and(|word| list.contains(&word.as_str()))
    };
    let all: Vec<Vec<String>> = sentences(task).map(words).collect();
    let Some(at) = all.iter().position(|words| begins(words, DOES)) else { return false };
    let tool = (0..all[at].len()).find(|place| {
        let before = all[at][..*place].iter().rev();
        let mut before = before.skip_while(|word| matches!(word.as_str(), "the" | "our"));
        TOOLS.contains(&all[at][*place].as_str())
            && before.next().is_some_and(|word| AT.contains(&word.as_str()))
    });
    let Some(tool) = tool else { return false };
    let told = all[..at].iter().flatten().chain(&all[at][..tool]);
    let told: Vec<&str> = told.map(String::as_str).collect();
    !to_mend(&told.join(" ")) && !names_code(task) && !all.iter().any(|one| begins(one, MORE))
}

#[cfg(test)]
mod tests {
    use super::names_check;

    /// LP-12: a lint that the task is about shows the work by having been red.
    #[test]
    fn checks_that_a_task_is_about() {
        let check = |task: &str, command: &str, is: bool| {
            assert_eq!(names_check(task, command), is, "{task} / {command}");
        };
        check("go vet complains about the lock", "go vet ./...", true);
        check("Fix the mypy errors in bill.py", "python -m mypy .", true);
        check("clippy is red since the update", "cargo clippy --all-targets", true);
        check("Go over the list and run it", "go vet ./...", false);
        check("Check the total", "cargo check", false);
        check("Fix the total", "npm run lint", false);
    }

    use super::*;

    /// LP-12: who wants all tests to pass wants more than that some do.
    #[test]
    fn what_wants_all_tests_to_pass() {
        let check = |task: &str, is: bool| assert_eq!(wants_green(task), is, "{task}");
        check("Get `npm test` green again. Books lose their last page.", true);
        check("Please fix the failing tests in tests/test_limit.py.", true);
        check("Make the tests pass.", true);
        check("Fix the rounding, the tests must stay green.", false);
        check("test_fractions is red. Fix it.", false);
        check("The report is too long.", false);
    }

    /// VC-05: what is asked of tools, and what tools only told of.
    #[test]
    fn what_is_about_tools() {
        let tag = "A block with <script> gives a live script tag. Fix it.";
        assert!(is_about_tools(tag) && !names_tools(tag));
        assert!(names_tools("Cargo.toml: add a description and the license (MIT)"));
        assert!(!names_tools("read() loses the name in Cargo.toml"));
        assert!(names_tools("Let the lint job of CI use the cache"));
        assert!(names_tools("Windows 7 is history. Please take it out of the CI, too."));
        assert!(names_tools("Node 16 is end of life. Drop it from our workflow and add 22."));
        assert!(names_tools("Go 1.19 is old. Remove it from CI, and run on when a job fails."));
        assert!(!names_tools("The total is wrong. Fix it, CI is red."));
        assert!(!names_tools("Go 1.19 is old. Remove it from CI. Fix the total, too."));
        assert!(!names_tools("A test fails. Take the cause out, as it says in CI."));
        assert!(!names_tools("Long names are cut. Let the report have all of it. CI runs late."));
        assert!(!names_tools("cut() loses a letter. Add it again, as seen in CI."));
    }
}
