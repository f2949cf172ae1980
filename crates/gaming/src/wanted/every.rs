//! "For all operators": where the code has a table of that name, new tests that try some of its entries
//! try all of them.

use countersign_domain::gaming::{Basis, Finding, Rule};

use super::Work;
use crate::detect::Change;
use crate::literals::{inside, values};
use crate::role::Role;

/// A longer table is nothing that a test goes through by hand.
const MOST: usize = 12;

/// A table of the code that the task wants to hold as a whole, and of which new tests leave out entries.
pub(super) fn check(task: &str, (changes, work): (&[Change<'_>], &Work)) -> Vec<Finding> {
    let tried: Vec<String> = work
        .tried
        .iter()
        .flat_map(|line| values(line))
        .map(|value| inside(&value).to_owned())
        .collect();
    let code = changes.iter().filter(|one| one.role == Role::Product && one.language.is_code());
    let texts: Vec<&str> = code.map(Change::current).collect();
    let mut findings = Vec::new();
    for noun in nouns(task) {
        let keys = texts.iter().find_map(|text| table(text, &noun)).unwrap_or_default();
        let (known, missing): (Vec<&String>, Vec<&String>) =
            keys.iter().partition(|key| tried.contains(key));
        if let (false, Some(first)) = (known.is_empty(), missing.first()) {
            let message = format!(
                "The task speaks of all {noun}, and the new tests try some of them, but not {first:?}."
            );
            findings.push(Finding::new(Rule::G63, Basis::Structure, message));
        }
    }
    findings
}

/// What a task wants all of.
fn nouns(task: &str) -> Vec<String> {
    let lower = task.to_lowercase();
    let words: Vec<&str> =
        lower.split(|letter: char| !(letter.is_alphanumeric() || letter == '_')).collect();
    let pairs = words.windows(2).filter(|pair| matches!(pair[0], "all" | "every" | "each"));
    pairs.map(|pair| pair[1].to_owned()).filter(|noun| noun.len() > 3).collect()
}

/// The keys of a table in the code that has this name.
fn table(text: &str, noun: &str) -> Option<Vec<String>> {
    let stem = |word: &str| word.to_lowercase().trim_end_matches('s').to_owned();
    let mut lines = text.lines().filter(|line| line.len() < 2_000);
    lines.find(|line| {
        let head = line.split('=').next().unwrap_or_default();
        let mut names = head.split(|letter: char| !(letter.is_alphanumeric() || letter == '_'));
        let opens = line.trim_end().ends_with(['{', '[', '(']);
        opens && line.contains('=') && names.any(|name| stem(name) == stem(noun))
    })?;
    let rows = lines.take_while(|line| !line.starts_with(['}', ']', ')']));
    let key = |line: &str| {
        let (head, _) = line.split_once(':')?;
        let bare = head.trim().trim_matches(['"', '\'']);
        let is_name = bare.chars().all(|letter| letter.is_alphanumeric() || "_-".contains(letter));
        let is_deep = head.starts_with("        ") || head.starts_with("\t\t");
        (is_name && !bare.is_empty() && !is_deep).then(|| bare.to_owned())
    };
    // Of plain data one entry is as good as another; functions each do something else.
    let does =
        |line: &&str| ["lambda", "=>", "func", "fn ", "|"].iter().any(|it| line.contains(it));
    let keys: Vec<String> = rows.filter(does).filter_map(key).take(MOST + 1).collect();
    (keys.len() > 1 && keys.len() <= MOST).then_some(keys)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// G63: the entries of a table that the task speaks of.
    #[test]
    fn a_table_and_its_keys() {
        let code =
            "X = 1\nOPERATORS = {\n    \"is\": lambda a: a,\n    \"starts\": lambda a: a,\n}\n";
        assert_eq!(table(code, "operators"), Some(vec!["is".to_owned(), "starts".to_owned()]));
        let script = "const filters = {\n  upper: (x) => x,\n  lower: (x) => x,\n};\n";
        assert_eq!(table(script, "filter").map(|keys| keys.len()), Some(2));
        assert_eq!(table(code, "rules"), None);
        assert_eq!(table("OPERATORS = {\n    \"a\": 1,\n    \"b\": 2,\n}\n", "operators"), None);
        assert_eq!(nouns("Ignore case for all operators, in all."), ["operators"]);
    }
}
