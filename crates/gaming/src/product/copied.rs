//! New functions that copy what they are of and put a text into it, where the task says more of them.

use countersign_domain::gaming::{Finding, Rule};

use super::{FUNCTIONS, View};
use crate::args::{has_word, short};
use crate::mask;

/// What makes a copy, in any of the languages.
const COPIES: &[&str] = &[
    ".clone()",
    "{ ...",
    "{...",
    "copy(",
    "structuredClone(",
    "Object.assign({}",
    "= *",
    "replace(self,",
];
/// What only puts texts together.
const WORDS: &[&str] =
    &["push_str", "format", "to_string", "to_owned", "concat", "join", "from", "into", "append"];
const LONGEST: usize = 600;

pub(super) fn check(view: &View<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for node in view.new_nodes(FUNCTIONS) {
        let name = node.field("name").map_or("", |name| name.text());
        let is_new = name.len() > 2 && !has_word(view.change.old(), name);
        let Some(body) = node.field("body").filter(|body| body.text().len() < LONGEST) else {
            continue;
        };
        let takes = node.field("parameters").map_or("", |all| all.text());
        if !is_new || takes.contains(',') || demands(view.literals.task(), name) < 3 {
            continue;
        }
        let plain = mask::without_comments(body.text(), view.change.language);
        if let Some(line) = worded(&plain) {
            let message = format!(
                "'{name}' is new and gives a copy with another text in it, and the task says more of it."
            );
            let finding = view.change.structure(Rule::G26, node.line(), message);
            findings.push(finding.change(None, Some(short(line))));
        }
    }
    findings
}

/// The only thing that is done to a copy before it is handed out, where that is a text that is put in.
fn worded(body: &str) -> Option<&str> {
    let inner = body.trim();
    let inner = inner.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')).unwrap_or(inner);
    let is_said = |line: &&str| !line.is_empty() && !line.starts_with("\"\"\"");
    let lines = inner.split(['\n', ';']).map(str::trim).filter(is_said);
    let all: Vec<&str> = lines.take(4).collect();
    let [copy, set, end] = all[..] else { return None };
    let name = copy.split('=').next()?.trim_end_matches([' ', ':']);
    let name = name.rsplit(' ').next().filter(|name| !name.is_empty())?;
    let answer = end.strip_prefix("return ").unwrap_or(end).trim_start_matches('&');
    let is_copy = COPIES.iter().any(|mark| copy.contains(mark));
    let is_set = set.strip_prefix(name).is_some_and(|rest| rest.starts_with('.'));
    (is_copy && is_set && answer == name && is_text(set)).then_some(set)
}

/// Whether a statement has a text in quotes, and calls nothing that works with anything else.
fn is_text(statement: &str) -> bool {
    let code = mask::code(statement, crate::language::Language::JavaScript);
    let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
    let is_plain = |(at, _): (usize, &str)| {
        let before = code[..at].trim_end_matches('!');
        let name = &before[before.trim_end_matches(is_word).len()..];
        WORDS.contains(&name)
    };
    statement.contains(['"', '\'', '`']) && code.match_indices('(').all(is_plain)
}

/// How many things the task says of a function, in the sentence that names it.
fn demands(task: &str, name: &str) -> usize {
    let sentence = task
        .split(['\n', ';'])
        .flat_map(|line| line.split(". "))
        .find(|sentence| has_word(sentence, name));
    let said = sentence.and_then(|sentence| sentence.split_once(name)).map_or("", |(_, rest)| rest);
    let said = said.split_once([':', '-']).map_or(said, |(_, rest)| rest);
    said.split(',')
        .flat_map(|part| part.split(" and "))
        .filter(|part| part.trim().len() > 3)
        .count()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// G26: a copy with another title.
    #[test]
    fn copies_with_a_text() {
        let rust = "{ let mut it = self.clone(); it.title.push_str(\" (mirrored)\"); it }";
        assert!(worded(rust).is_some());
        let script =
            "{\n  const it = { ...pattern };\n  it.title += ' (mirrored)';\n  return it;\n}";
        assert!(worded(script).is_some());
        let works = "{ let mut it = self.clone(); it.rows = turned(\"a\", &it.rows); it }";
        assert!(worded(works).is_none());
        let task = "Add mirrored() for the other front: all rows in reverse order, k2tog and ssk swapped, and \" (mirrored)\" behind the title.";
        assert!(demands(task, "mirrored") > 2);
        assert_eq!(demands("Add untitled(): the same without a title.", "untitled"), 1);
    }
}
