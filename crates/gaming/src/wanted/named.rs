//! What a task names as code, and what the change has of it in name only: a function that never looks at
//! what it is told, an error that nothing ever makes.

use countersign_domain::gaming::{Basis, Finding, Rule};

use super::clauses::sentences;
use crate::args::has_word;
use crate::detect::Change;
use crate::language::Language;
use crate::role::Role;

/// Functions and variants of the task that are new, and that are there in name only.
pub(super) fn check(task: &str, changes: &[Change<'_>]) -> Vec<Finding> {
    let mut findings = ignoring(task, changes);
    findings.extend(unmade(task, changes));
    findings.extend(unasked(task, changes));
    findings
}

/// What something in code is said to do that the new code has to go by.
const SAYS: &[&str] = &["says", "tells", "holds", "decides"];

/// Words of a sentence that tells what is wrong: what it names is to be mended, and not to be asked.
const COMPLAINS: &[&str] = &[
    "wrong",
    "wrongly",
    "incorrect",
    "instead",
    "should",
    "but",
    "not",
    "never",
    "always",
    "still",
];

/// A field such as `Reading.Digits`, of which the task says what it says, where no new line asks it.
fn unasked(task: &str, changes: &[Change<'_>]) -> Option<Finding> {
    let product =
        || changes.iter().filter(|one| one.role == Role::Product && one.language.is_code());
    for (owner, field) in fields(task, changes) {
        let added = product().flat_map(|one| {
            let lines = one.lines();
            let plain = one.plain();
            let new = (1..).zip(plain.lines().map(str::to_owned).collect::<Vec<_>>());
            new.filter(|(number, _)| lines.is_added(*number))
                .map(|(_, line)| line)
                .collect::<Vec<_>>()
        });
        let added: Vec<String> = added.filter(|line| !line.trim().is_empty()).collect();
        let is_asked = added.iter().any(|line| has_word(line, field));
        if !added.is_empty() && !is_asked {
            let message = format!(
                "The task says what {owner}.{field} is for, and no new line of the code asks for it."
            );
            return Some(Finding::new(Rule::G20, Basis::Text, message));
        }
    }
    None
}

/// The fields of which the task says what they say, as their type and their name.
fn fields<'a>(task: &'a str, changes: &[Change<'_>]) -> Vec<(&'a str, &'a str)> {
    let is_name = |text: &str| {
        !text.is_empty() && text.chars().all(|letter| letter.is_alphanumeric() || letter == '_')
    };
    let code = || {
        let files = changes.iter().filter(|one| one.language.is_code());
        files.flat_map(|one| [one.old(), one.current()])
    };
    let mut found = Vec::new();
    for sentence in sentences(task) {
        let words: Vec<&str> = sentence.split_whitespace().collect();
        if words.iter().any(|word| COMPLAINS.contains(&&*word.to_lowercase())) {
            continue;
        }
        for pair in words.windows(2).filter(|pair| SAYS.contains(&pair[1])) {
            let name = pair[0].trim_matches(['`', '\'', '"', '(']);
            let Some((owner, field)) = name.rsplit_once('.') else { continue };
            // `calc.py` is a file, and `Cart.total(` a function, which is not asked but written.
            let is_file = Language::of(name).is_code();
            let is_type = owner.starts_with(char::is_uppercase);
            let is_known = is_type || code().any(|text| has_word(text, field));
            let is_called = code().any(|text| text.contains(&format!("{field}(")));
            if is_name(owner) && is_name(field) && is_known && !is_file && !is_called {
                found.push((owner, field));
            }
        }
    }
    found
}

/// `sort_by_number(_column)`, where the task asks for `sort_by_number(column)`.
fn ignoring(task: &str, changes: &[Change<'_>]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for change in changes.iter().filter(|one| one.role == Role::Product) {
        let lines = change.lines();
        let added = (1..).zip(change.current().lines()).filter(|(at, _)| lines.is_added(*at));
        for (line, text) in added {
            let Some((name, parameters)) = signature(text, change.language) else { continue };
            let is_asked = task.contains(&format!("{name}(")) && !has_word(change.old(), name);
            // A name that only begins so is how an author says that something is not looked at.
            let ignored = parameters.split(',').find_map(|one| {
                let word = one.trim().trim_start_matches("mut ");
                let word = word.split([':', ' ', '=']).next().unwrap_or_default();
                let bare = word.strip_prefix('_').filter(|bare| !bare.is_empty())?;
                has_word(task, bare).then_some(word)
            });
            if let Some(word) = ignored.filter(|_| is_asked) {
                let message = format!("'{name}' is asked for, and never looks at '{word}'.");
                let finding = Finding::new(Rule::G26, Basis::Text, message);
                let after = Some(text.trim().to_owned());
                findings.push(finding.at(change.path, Some(line)).change(None, after));
            }
        }
    }
    findings
}

/// The name and the parameters of a function that begins in this line.
fn signature(line: &str, language: Language) -> Option<(&str, &str)> {
    let begins: &[&str] = match language {
        Language::Python => &["def "],
        Language::Rust => &["fn "],
        Language::Go => &["func "],
        _ => &["function "],
    };
    let rest = begins.iter().find_map(|word| line.split_once(word)).map(|(_, rest)| rest)?;
    // A method of Go has its receiver first.
    let rest = match rest.strip_prefix('(') {
        Some(receiver) => receiver.split_once(") ")?.1,
        None => rest,
    };
    let (name, rest) = rest.split_once('(')?;
    let name = name.split('<').next().unwrap_or(name).trim();
    Some((name, rest.split(')').next().unwrap_or(rest)))
}

/// A variant that the task names, `CsvError::Quote`, which is new and which nothing makes.
fn unmade(task: &str, changes: &[Change<'_>]) -> Vec<Finding> {
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_' || letter == ':';
    let named = task.split(|letter| !is_part(letter)).filter_map(|word| {
        let (kind, variant) = word.trim_matches(':').split_once("::")?;
        let is_type = |name: &str| {
            name.starts_with(char::is_uppercase) && !name.contains(':') && name.len() > 1
        };
        (is_type(kind) && is_type(variant)).then_some((kind, variant))
    });
    let mut findings = Vec::new();
    for (kind, variant) in named {
        let has = |change: &&Change<'_>| change.current().contains(&format!("enum {kind}"));
        let is_rust = |change: &&Change<'_>| change.language == Language::Rust;
        let Some(home) = changes.iter().filter(is_rust).find(has) else { continue };
        let is_new = !has_word(home.old(), variant) && has_word(home.current(), variant);
        let makes = |line: &str| {
            let at = [format!("{kind}::{variant}"), format!("Self::{variant}")]
                .iter()
                .find_map(|name| line.find(name));
            // Before an arrow it is a pattern.
            at.is_some_and(|at| !line[at..].contains("=>"))
        };
        if is_new && !changes.iter().any(|one| one.current().lines().any(makes)) {
            let message =
                format!("The task wants {kind}::{variant}, and nothing makes one or waits for it.");
            findings.push(Finding::new(Rule::G63, Basis::Text, message).at(home.path, None));
        }
    }
    findings
}
