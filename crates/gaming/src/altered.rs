//! Values that are silently others after work that was to change no behaviour: a price in a table that only
//! got another shape, a message that was to move.

mod numbers;
mod texts;

use countersign_domain::gaming::{Finding, Rule};
use countersign_domain::verify::{Aim, aim};

use crate::args::short;
use crate::detect::Change;
use crate::language::Language;
use crate::literals::Literals;
use crate::role::Role;

/// Who asks for one of these asks for other values as well, or for nothing that stays.
const OTHERS: &[&str] = &[
    "bump",
    "upgrade",
    "update",
    "version",
    "versions",
    "convert",
    "port",
    "migrate",
    "reword",
    "wording",
    "typo",
    "typos",
    "spelling",
    "translate",
    "message",
    "messages",
    "faster",
    "speed",
    "slow",
    "fast",
    "performance",
    "remove",
    "delete",
    "drop",
    "merge",
    "regenerate",
    "log",
    "logging",
    "fix",
    "repair",
    "mend",
];

/// So much is read of both sides together.
const MAX_BYTES: usize = 1_000_000;

/// One value of the product, where it stands.
#[derive(Debug, Clone)]
struct Value<'c> {
    change: &'c Change<'c>,
    line: u32,
    text: String,
    /// The line that it stands in.
    around: String,
}

pub(crate) fn check(changes: &[Change<'_>], literals: &Literals) -> Vec<Finding> {
    if !wants_the_same(literals) {
        return crate::wanted::untold::check(changes, literals);
    }
    let files: Vec<&Change<'_>> = changes.iter().filter(|one| is_read(one)).collect();
    let bytes: usize = files.iter().map(|one| one.old().len() + one.current().len()).sum();
    if bytes > MAX_BYTES {
        return Vec::new();
    }
    let read = |is_new: bool| -> Vec<Value<'_>> {
        files.iter().flat_map(|change| values(change, is_new)).collect()
    };
    let (old, new) = (read(false), read(true));
    let mut found = numbers::altered(&old, &new, literals);
    found.extend(texts::altered(&old, &new, literals));
    found.into_iter().map(|(was, is)| finding(&was, &is)).collect()
}

/// Whether the task asks for another shape, or says that nothing else may change.
fn wants_the_same(literals: &Literals) -> bool {
    let task = literals.task();
    !task.is_empty() && aim(task) != Aim::Behaviour && !literals.task_has(OTHERS)
}

fn is_read(change: &Change<'_>) -> bool {
    let is_data = [".json", ".csv", ".yaml", ".yml"].iter().any(|end| change.path.ends_with(end));
    change.role == Role::Product && !change.is_binary && (change.language.is_code() || is_data)
}

/// The values of one side of a file, without its comments and tests.
fn values<'c>(change: &'c Change<'c>, is_new: bool) -> Vec<Value<'c>> {
    let (text, outline) =
        if is_new { (change.current(), &change.is) } else { (change.old(), &change.was) };
    let mut plain = match change.language {
        Language::Other => text.to_owned(),
        language => crate::mask::without_comments(text, language),
    };
    // Blanked and not cut out, so that lines keep their numbers.
    for range in &outline.inline {
        if let Some(part) = plain.get(range.clone()) {
            let blank: String = part.chars().filter(|letter| *letter == '\n').collect();
            let filled = format!("{}{blank}", " ".repeat(part.len() - blank.len()));
            plain.replace_range(range.clone(), &filled);
        }
    }
    let mut found = Vec::new();
    let mut is_said = false;
    for (line, around) in (1..).zip(plain.lines()).filter(|(_, line)| line.len() < 2_000) {
        let start = around.trim_start();
        let quotes = around.matches("\"\"\"").count() + around.matches("'''").count();
        // What a function says about itself is prose.
        let is_prose = change.language == Language::Python
            && (is_said || quotes > 0 && start.starts_with(['"', '\'', 'r']));
        is_said = change.language == Language::Python && is_said != (quotes % 2 == 1);
        let is_import =
            ["import ", "from ", "use ", "require("].iter().any(|word| start.starts_with(word));
        if is_import || is_prose {
            continue;
        }
        found.extend(crate::literals::values(around).into_iter().map(|text| Value {
            change,
            line,
            text,
            around: around.to_owned(),
        }));
    }
    found
}

fn finding(was: &Value<'_>, is: &Value<'_>) -> Finding {
    let message = format!(
        "The task asks for no other behaviour, and {} is {} now.",
        short(&was.text),
        short(&is.text)
    );
    let finding = is.change.structure(Rule::G64, is.line, message);
    finding.change(Some(short(&was.around)), Some(short(&is.around)))
}
