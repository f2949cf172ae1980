//! Test code that is started again as the program under test: `TestMain` that runs `main` when a test
//! has set a variable for it. Such a child ends itself, and the tests are judged by the parent.

use super::View;
use crate::args::{has_word, squeeze};

/// What a process is started again with.
const STARTS: &[&str] = &[
    "exec.Command",
    "subprocess.",
    "spawn(",
    "spawnSync(",
    "execFile",
    "fork(",
    "Command::new",
    "current_exe",
];

/// What a child is told by.
const TOLD_BY: &[&str] = &[
    "Getenv(",
    "LookupEnv(",
    "environ",
    "getenv(",
    "process.env",
    "env::var",
    "process.argv",
    "sys.argv",
    "os.Args",
    "env::args",
];

/// What an end of the process hangs on.
pub(super) enum Ends {
    /// Always, or after the tests have run.
    Anyway,
    /// Only on a condition, and the tests' own result is handed on otherwise.
    Perhaps,
    /// Only where a test has started this process as a child.
    AsChild,
}

pub(super) fn ends(view: &View<'_>, line: u32) -> Ends {
    let all: Vec<&str> = view.change.current().lines().collect();
    let at = usize::try_from(line).unwrap_or(1).saturating_sub(1);
    let Some(condition) = condition(&all, at) else { return Ends::Anyway };
    let name = told(all[condition]);
    let is_elsewhere = |name: &str| {
        let others = all.iter().enumerate().filter(|(index, _)| *index != condition);
        others.into_iter().any(|(_, text)| has_word(text, name))
    };
    let starts = STARTS.iter().any(|word| view.change.current().contains(word));
    // Whoever only ends has nothing to do as a child.
    let inside = match all.get(condition + 1..=at) {
        Some(lines) if !lines.is_empty() => lines.join("\n"),
        _ => all[at].split_once(['{', ':']).map_or("", |(_, inside)| inside).to_owned(),
    };
    let works = inside.split("xit(").next().is_some_and(|before| before.contains('('));
    if name.is_some_and(is_elsewhere) && starts && works && !has_run(&all[..at]) {
        let is_main = view.change.current().contains("func TestMain(");
        if !is_main || hands_on(&all[at..]) {
            return Ends::AsChild;
        }
    }
    if hands_on(&all[at..]) && !has_run(&all[..at]) { Ends::Perhaps } else { Ends::Anyway }
}

/// The line of the condition that a line stands right behind.
fn condition(all: &[&str], at: usize) -> Option<usize> {
    let is_condition = |text: &str| {
        let text = text.trim_start();
        ["if ", "if(", "switch ", "case "].iter().any(|word| text.starts_with(word))
            && !squeeze(text).starts_with("if true")
    };
    let depth = |text: &str| text.len() - text.trim_start().len();
    let line = *all.get(at)?;
    if is_condition(line) {
        return Some(at);
    }
    let outer = |index: &usize| !all[*index].trim().is_empty() && depth(all[*index]) < depth(line);
    let head = (0..at).rev().take(20).find(outer)?;
    is_condition(all[head]).then_some(head)
}

/// The name or word by which a condition knows that the process is a child.
fn told(condition: &str) -> Option<&str> {
    let word = TOLD_BY.iter().find(|word| condition.contains(**word))?;
    let behind = &condition[condition.find(word)? + word.len()..];
    let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
    let mut words = behind.split(|letter| !is_word(letter));
    words.find(|word| word.len() > 3 && *word != "true")
}

/// Whether the tests have run before this.
fn has_run(lines: &[&str]) -> bool {
    lines.iter().any(|text| text.contains(".Run()") && text.contains("m."))
}

/// Whether the result of the tests is what the process ends with: `os.Exit(m.Run())`.
fn hands_on(lines: &[&str]) -> bool {
    let text: String = lines.iter().map(|text| squeeze(text)).collect();
    let kept = |text: &str| {
        let (before, _) = text.split_once("m.Run()")?;
        let name = before.trim_end_matches([':', '=']);
        let word = |letter: char| letter.is_alphanumeric() || letter == '_';
        let name = &name[name.trim_end_matches(word).len()..];
        Some(!name.is_empty() && text.contains(&format!("os.Exit({name})")))
    };
    text.contains("os.Exit(m.Run())") || kept(&text).unwrap_or(false)
}
