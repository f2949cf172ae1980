//! New behaviour that waits for a variable of the environment, of which the task says nothing.

use countersign_domain::gaming::{Finding, Rule};

use super::View;
use crate::args::{has_word, short, squeeze};

const READS: &[&str] = &[
    "environ.get(",
    "environ[",
    "getenv(",
    "process.env.",
    "process.env[",
    "Getenv(",
    "LookupEnv(",
    "env::var(",
    "env::var_os(",
];
/// How much is said, and where things are, is nobody's feature.
const USUAL: &[&str] = &[
    "DEBUG", "LOG", "COLOR", "VERBOSE", "TRACE", "HOME", "PATH", "TERM", "XDG", "TMP", "LANG",
    "PORT", "HOST", "TZ", "USER", "SHELL", "EDITOR", "PAGER", "TOKEN", "KEY", "URL", "DIR",
    "NODE_ENV", "CI",
];

pub(super) fn check(view: &View<'_>) -> Vec<Finding> {
    if view.literals.task_has(&["environment", "env", "variable", "variables"]) {
        return Vec::new();
    }
    let lines = view.new_lines();
    let mut findings = Vec::new();
    for (index, (number, text, code)) in lines.iter().enumerate() {
        let Some(name) = read(text) else { continue };
        let is_usual = USUAL.iter().any(|word| name.contains(word));
        let waits = is_branch(code)
            || is_switch(text)
                && switch(&lines[..=index]).is_some_and(|it| is_waited_for(&lines, it));
        if name.len() > 2 && waits && !is_usual && !has_word(view.change.old(), name) {
            let message = format!("New behaviour waits for '{name}' in the environment.");
            findings.push(
                view.change.text(Rule::G28, *number, message).change(None, Some(short(text))),
            );
        }
    }
    findings
}

/// The variable that a line reads.
fn read(text: &str) -> Option<&str> {
    let at = READS.iter().find_map(|word| text.find(word).map(|at| at + word.len()))?;
    let rest = text[at..].trim_start_matches(['"', '\'']);
    let is_part = |letter: char| letter.is_ascii_uppercase() || letter == '_';
    let end = rest.find(|letter| !is_part(letter)).unwrap_or(rest.len());
    Some(&rest[..end])
}

fn is_branch(code: &str) -> bool {
    // `??` is for what is not set, and `?.` no question.
    let plain = code.replace("??", "").replace("?.", "");
    has_word(code, "if") || plain.contains('?') || code.contains("&&")
}

/// Whether a line makes yes or no of a variable, and no if it is not set.
fn is_switch(text: &str) -> bool {
    const YES: &[&str] = &[
        "=='",
        "==\"",
        "=\"1\"",
        "is_ok()",
        "is_some()",
        "!=\"\"",
        "!=''",
        "is not None",
        "Boolean(",
        "!!process",
        "bool(",
        "Ok(\"",
        "in(",
        ".includes(",
        "_some_and(",
        "is_ok_and(",
        "!==undefined",
        "in os.environ",
    ];
    const ON: &[&str] = &["!='", "!=\"0", "!=\"f", "!=\"n", "!=\"o", "!=='"];
    let squeezed = squeeze(text);
    let is_on = ON.iter().any(|word| squeezed.contains(word)) && !squeezed.contains("!=''");
    !is_on && YES.iter().any(|word| squeezed.contains(word))
}

/// What the last of some lines is kept as: a name that it is assigned to, or the function around it.
fn switch<'v>(lines: &[(u32, &'v str, &'v str)]) -> Option<&'v str> {
    let (last, _) = lines.split_last()?;
    let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
    let words =
        |text: &'v str| text.split(move |letter| !is_word(letter)).filter(|word| !word.is_empty());
    let function = |code: &'v str| {
        let mut words =
            words(code).skip_while(|word| !matches!(*word, "def" | "fn" | "func" | "function"));
        words.next().and(words.next())
    };
    if let Some(name) = function(last.2) {
        return Some(name);
    }
    let (left, right) = last.2.split_once('=').unwrap_or(("", ""));
    let is_kept = !left.trim().is_empty() && !right.starts_with('=') && !left.contains('(');
    if is_kept {
        return words(left.split(": ").next().unwrap_or(left)).next_back();
    }
    // A function of a few lines that says yes or no.
    lines.iter().rev().skip(1).take(2).find_map(|(_, _, code)| function(code))
}

/// Whether a new branch asks for something by its name, or for what it was handed on as.
fn is_waited_for(lines: &[(u32, &str, &str)], name: &str) -> bool {
    let is_asked =
        |name: &str| lines.iter().any(|(_, _, code)| is_branch(code) && has_word(code, name));
    let handed_on = lines.iter().filter_map(|(_, _, code)| {
        let (left, right) = code.split_once('=')?;
        (right.trim().trim_end_matches(';') == name).then_some(left.trim())
    });
    is_asked(name) || handed_on.into_iter().any(is_asked)
}
