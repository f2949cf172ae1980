//! The fields that a task lists, in its words.

/// Words before a "by" that say what is done by the fields behind it.
const BY: &[&str] = &[
    "sort",
    "sorts",
    "sorted",
    "order",
    "orders",
    "ordered",
    "group",
    "groups",
    "grouped",
    "compare",
    "compares",
    "compared",
    "identified",
    "unique",
    "ranked",
    "keyed",
    "distinct",
];
/// Words that may stand around the names in a list.
const AROUND: &[&str] =
    &["the", "same", "its", "their", "by", "then", "also", "both", "and", ",", "&"];
/// What may follow the last name of a list. Any other word makes a longer name of it.
const BEHIND: &[&str] = &[
    "should",
    "must",
    "are",
    "is",
    "agree",
    "agrees",
    "match",
    "matches",
    "count",
    "counts",
    "so",
    "in",
    "with",
    "to",
    "have",
    "has",
    "which",
    "that",
    "where",
    "when",
    "if",
    "only",
    "as",
    "for",
    "was",
    "were",
    "will",
    "can",
    "may",
    "from",
    "be",
    "coincide",
    "instead",
    "alike",
    "do",
    "first",
    "ascending",
    "descending",
];
/// A clause with one of these may say that something makes no difference.
const IGNORES: &[&str] = &[
    "ignore",
    "ignored",
    "ignores",
    "ignoring",
    "regardless",
    "irrespective",
    "except",
    "without",
    "whatever",
    "not",
    "no",
    "even",
    "don't",
    "doesn't",
    "never",
    "either",
    "or",
    "matter",
    "different",
    "differ",
    "differs",
    "already",
    "now",
    "currently",
];
/// What a task lists as what things are equal, sorted or grouped by. In small letters.
pub(super) fn of(task: &str) -> Vec<Vec<String>> {
    let lower = task.to_lowercase().replace('’', "'");
    let clauses =
        lower.split(['\n', ';', ':', '(', ')', '!', '?']).flat_map(|text| text.split(". "));
    let mut found = Vec::new();
    for clause in clauses.take(500) {
        let spaced = clause.trim_end_matches('.').replace(',', " , ").replace('`', "");
        let words: Vec<&str> = spaced.split_whitespace().collect();
        if words.iter().any(|word| IGNORES.contains(word)) {
            continue;
        }
        for at in 0..words.len() {
            if begins(&words, at) {
                let list = list(&words[at + 1..]);
                found.extend((list.len() > 1).then_some(list));
            }
        }
    }
    found
}

/// Whether a list of fields follows a word: "the same", "equal if", "compares", "sorted … by".
fn begins(words: &[&str], at: usize) -> bool {
    let before = |count: usize| at.checked_sub(count).and_then(|at| words.get(at)).copied();
    match words[at] {
        "same" => !matches!(before(1), Some("," | "and" | "are" | "is") | None) || at == 0,
        "if" | "when" => {
            matches!(before(1), Some("equal" | "same" | "identical" | "duplicates" | "equals"))
        }
        "compares" | "compare" => {
            words.get(at + 1) != Some(&"by") && words.get(at + 1) != Some(&"equal")
        }
        "by" => (1..4).filter_map(before).any(|word| BY.contains(&word)),
        _ => false,
    }
}

/// The single words of a list, up to what is none.
fn list(words: &[&str]) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut at = 0;
    while let Some(word) = words.get(at) {
        if AROUND.contains(word) {
            at += 1;
            continue;
        }
        let next = words.get(at + 1).copied().unwrap_or(",");
        let is_name =
            word.len() > 2 && word.chars().all(|letter| letter.is_alphanumeric() || letter == '_');
        // "largest first" says how, and not by what.
        if is_name && matches!(next, "first" | "last") && !found.is_empty() {
            at += 2;
            continue;
        }
        let goes_on = matches!(next, "," | "and" | "then" | "&");
        if !is_name || !goes_on && (BEHIND.contains(word) || !BEHIND.contains(&next)) {
            break;
        }
        // "by day, the value may be another": what follows a bare comma and has a verb is another clause.
        let before =
            words[..at].iter().rev().find(|word| !matches!(**word, "the" | "its" | "their"));
        if !goes_on && before == Some(&",") {
            break;
        }
        found.push((*word).to_owned());
        if !goes_on {
            break;
        }
        at += 1;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// G63: fields by which things are compared, sorted or grouped.
    #[test]
    fn fields_that_are_listed() {
        let check = |task: &str, expected: &[&[&str]]| assert_eq!(of(task), expected, "{task}");
        check(
            "Keep one of those that are equal (same date, payee and amount).",
            &[&["date", "payee", "amount"]],
        );
        check("Files are equal if name and size agree.", &[&["name", "size"]]);
        check("Sort the towns by country, then by city.", &[&["country", "city"]]);
        check(
            "It should be sorted by count, largest first, and by name where counts are equal.",
            &[&["count", "name"]],
        );
        check(
            "Give it an Equal method that compares number, status and the instant of the ETA.",
            &[&["number", "status"]],
        );
        check(
            "Policies with the same limit and window should compare equal.",
            &[&["limit", "window"]],
        );
        check("Compare readings by day, the value may be another.", &[]);
        check("Two are the same if the UID is the same, whatever the rest says.", &[]);
        check("Add the same in the other file and test it.", &[]);
        check("Jobs of the same priority come out in reverse order.", &[]);
    }
}
