//! Values that are handed in and that the task names, where the new code never reads them, or only asks
//! whether there is one.

use countersign_domain::gaming::{Basis, Finding, Rule};

use crate::args::{has_word, short};
use crate::detect::Change;
use crate::role::Role;

/// A shorter word is in every task.
const LEAST: usize = 4;
/// A number in a branch that stands for what is handed in.
const CONSTANTS: &[&str] = &["time.Second", "time.Minute", "time.Hour", "Duration::", "timedelta("];

pub(super) fn check(task: &str, changes: &[Change<'_>]) -> Vec<Finding> {
    let lower = task.to_lowercase();
    let words: Vec<&str> = lower
        .split(|letter: char| !(letter.is_alphanumeric() || letter == '_'))
        .filter(|word| word.len() >= LEAST)
        .collect();
    let mut findings = Vec::new();
    for change in changes.iter().filter(|one| one.role == Role::Product && !one.is_new) {
        if !change.language.is_code() || change.lines().added.is_empty() {
            continue;
        }
        let name = words.iter().find_map(|word| unread(change, word, changes));
        findings.extend(name);
    }
    findings
}

/// A field of this name that is set from outside, and what is wrong with how it is read.
fn unread(change: &Change<'_>, word: &str, changes: &[Change<'_>]) -> Option<Finding> {
    let now = change.plain();
    let name = now.lines().find_map(|line| set_from(line, word))?;
    let of = |text: &str| text.lines().flat_map(|line| reads(line, name)).collect::<Vec<Read>>();
    let all = of(now);
    let lines = change.lines();
    let added: Vec<(u32, &str)> = (1..)
        .zip(now.lines())
        .zip(change.current().split('\n'))
        .filter(|((number, line), _)| lines.is_added(*number) && !line.trim().is_empty())
        .map(|(one, _)| one)
        .collect();
    let is_elsewhere = changes.iter().any(|other| {
        other.path != change.path && other.role == Role::Product && has_word(other.current(), name)
    });
    if is_elsewhere || !of(change.old()).is_empty() {
        return None;
    }
    if all.is_empty() {
        let (number, line) = added.iter().find(|(_, line)| compares_fixed(line))?;
        let message = format!(
            "The task speaks of '{word}', which is handed in, and the code asks for a fixed value and never reads it."
        );
        let finding = Finding::new(Rule::G20, Basis::Structure, message);
        return Some(finding.at(change.path, Some(*number)).change(None, Some(short(line))));
    }
    let is_number = now.lines().any(|line| is_numeric(line, word));
    if is_number && all.iter().all(|read| read.is_yes_or_no) {
        let (number, line) = added.iter().find(|(_, line)| !reads(line, name).is_empty())?;
        let message = format!(
            "'{word}' is a number that the task speaks of, and the new code only asks whether there is one."
        );
        let finding = Finding::new(Rule::G20, Basis::Structure, message);
        return Some(finding.at(change.path, Some(*number)).change(None, Some(short(line))));
    }
    None
}

/// The field that a line sets from what is handed in under this name: `self.span = span`, `Span: span`.
fn set_from<'l>(line: &'l str, word: &str) -> Option<&'l str> {
    let lower = line.to_lowercase();
    if lower.len() != line.len() {
        return None;
    }
    let own = [format!("self.{word} = {word}"), format!("this.{word} = {word}")];
    let at = own.iter().find_map(|form| lower.find(form).map(|at| at + "self.".len()));
    let at = at.or_else(|| crate::args::find_word(&lower, &format!("{word}: {word}")));
    let at = at.filter(|at| {
        let end = lower[*at..].rfind(word).map_or(0, |last| at + last + word.len());
        !lower[end..].starts_with(|next: char| next.is_alphanumeric() || "_.(".contains(next))
    })?;
    line.get(at..at + word.len())
}

#[derive(Debug)]
struct Read {
    is_yes_or_no: bool,
}

/// Where a line reads a field.
fn reads(line: &str, name: &str) -> Vec<Read> {
    let form = format!(".{name}");
    let mut found = Vec::new();
    for (at, _) in line.match_indices(&form) {
        let after = &line[at + form.len()..];
        if after.starts_with(|next: char| next.is_alphanumeric() || next == '_') {
            continue;
        }
        let rest = after.trim_start();
        if rest.starts_with('=') && !rest.starts_with("==") {
            continue;
        }
        let before = &line[..at];
        let owner = before
            .rfind(|letter: char| !(letter.is_alphanumeric() || letter == '_'))
            .map_or(0, |last| last + 1);
        found.push(Read { is_yes_or_no: is_asked_for(before.get(..owner).unwrap_or(""), rest) });
    }
    found
}

/// Whether an expression between these is a condition by itself.
fn is_asked_for(before: &str, after: &str) -> bool {
    let before = before.trim_end();
    let bare = before.trim_end_matches('(').trim_end();
    let opens = ["not", "!", "if", "and", "or", "&&", "||", "elif", "while"];
    let is_open = opens.iter().any(|word| bare.ends_with(word)) || bare.is_empty();
    let after = after.trim_start_matches(')').trim_start();
    let zero = ["> 0", "!= 0", "!== 0", "== 0", "=== 0"];
    let rest = zero.iter().find_map(|form| after.strip_prefix(form)).unwrap_or(after);
    let rest = rest.trim_start_matches(')').trim_start();
    let ends = ["and ", "or ", "&&", "||", ":", "{", "?"];
    is_open && (rest.is_empty() || ends.iter().any(|word| rest.starts_with(word)))
}

/// Types of numbers, as fields are declared.
const NUMBERS: &[&str] = &[
    "int", "int32", "int64", "uint", "uint32", "uint64", "float64", "number", "usize", "isize",
    "u8", "u16", "u32", "u64", "i32", "i64", "f64", "float",
];

/// `overdraft=0` among parameters, or a field with the type of a number.
fn is_numeric(line: &str, word: &str) -> bool {
    let mut words = line.split_whitespace().map(|one| one.trim_end_matches([':', ',', ';']));
    let is_field = words.any(|one| one.eq_ignore_ascii_case(word))
        && words.next().is_some_and(|kind| NUMBERS.contains(&kind))
        && words.next().is_none();
    is_field || defaults_to_number(line, word)
}

fn defaults_to_number(line: &str, word: &str) -> bool {
    let squeezed = crate::args::squeeze(line);
    let form = format!("{word}=");
    let is_head = ["def ", "function", "constructor("].iter().any(|head| line.contains(head));
    is_head
        && crate::args::find_word(&squeezed, &form).is_some_and(|at| {
            squeezed[at + form.len()..].starts_with(|next: char| next.is_ascii_digit())
        })
}

/// Whether a line is a branch that compares with a value that is written down.
fn compares_fixed(line: &str) -> bool {
    let is_branch =
        ["if ", "if(", "while ", "return ", " ? "].iter().any(|word| line.contains(word));
    let Some(at) = line.rfind(['<', '>']) else { return false };
    let right = line[at + 1..].trim_start_matches('=').trim_start();
    let number = right.starts_with(|next: char| next.is_ascii_digit()) && !right.starts_with("0 ");
    let is_named = CONSTANTS.iter().any(|name| right.starts_with(name));
    is_branch && (number && !right.starts_with('0') || is_named)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// G20: what is handed in, and how it is read.
    #[test]
    fn fields_and_their_reads() {
        assert_eq!(set_from("        self.overdraft = overdraft", "overdraft"), Some("overdraft"));
        assert_eq!(set_from("return &L{Max: max, Span: span, Now: now}", "span"), Some("Span"));
        assert_eq!(set_from("self.span = spanner", "span"), None);
        let is_asked = |line: &str| reads(line, "limit").iter().all(|read| read.is_yes_or_no);
        assert!(is_asked("if cents > self.balance() and (not self.limit or self.entries):"));
        assert!(is_asked("if (this.limit > 0 && x) {") && is_asked("if self.limit {"));
        assert!(!is_asked("if cents > self.limit:") && !is_asked("f(self.limit)"));
        assert!(reads("self.limit = limit", "limit").is_empty());
        assert!(compares_fixed("if len(seen) >= l.Max && now.Sub(seen[0]) < time.Minute {"));
        assert!(!compares_fixed("if now.Sub(at) < l.Span {") && !compares_fixed("if a > 0:"));
        assert!(is_numeric("def __init__(self, name, overdraft=0):", "overdraft"));
        assert!(is_numeric("\tLimit int", "limit") && is_numeric("    pub limit: u32,", "limit"));
        assert!(!is_numeric("    limit: bool,", "limit"));
    }
}
