//! Work that is done once more, or a fixed number of times, where it is to be done as often as needed.

use countersign_domain::gaming::{Finding, Rule};

use super::View;
use super::special::parts;
use crate::args::{has_word, short, squeeze};
use crate::syntax::Node;

const IFS: &[&str] = &["if_statement", "if_expression"];
/// Words around a question that is rightly asked again: somebody else may have answered it meanwhile.
const AGAIN: &[&str] = &[
    "lock",
    "mutex",
    "await",
    "synchronized",
    "once",
    "raise",
    "throw",
    "panic",
    "assert",
    "error",
    "read(",
    "load(",
    "fetch(",
];

/// Functions that languages have, which rightly get what they gave: `reversed(reversed(x))`.
const KNOWN: &[&str] = &["dirname", "reversed", "filepath", "parent", "deref", "floor", "round"];

pub(super) fn check(view: &View<'_>) -> Vec<Finding> {
    // What is new may ask twice; what was wrong was to be mended for all.
    if crate::wanted::is_feature(view.literals.task()) {
        return Vec::new();
    }
    let mut findings = Vec::new();
    for node in view.new_nodes(IFS).filter(|node| is_asked_again(*node)) {
        let message = "The same is asked again in its own branch: it is done once more, and not as often as needed.";
        let finding = view.change.structure(Rule::G20, node.line(), message);
        findings.push(finding.change(None, Some(short(node.text()))));
    }
    for (number, text, code) in view.new_lines() {
        let is_twice = is_repeated(text) || nested(code).is_some();
        if !code.trim().is_empty() && is_twice {
            let message = "The same is done twice in a row: once more, and not as often as needed.";
            let finding = view.change.structure(Rule::G20, number, message);
            findings.push(finding.change(None, Some(short(text))));
        }
    }
    findings
}

/// Whether a branch stands in one with the same condition, which is a call.
fn is_asked_again(node: Node<'_>) -> bool {
    let Some((condition, _)) = parts(node) else { return false };
    let own = squeeze(condition);
    if !own.contains('(') || own.len() < 8 || own.len() > 400 {
        return false;
    }
    let function = ["function_definition", "function_item", "function_declaration", "closure"];
    let above = node.ancestors().take_while(|above| !above.is(&function));
    let mut outer = above.filter(|above| above.is(IFS)).filter(|above| {
        above.field("consequence").is_some_and(|consequence| consequence.holds(node))
            && parts(*above).is_some_and(|(condition, _)| squeeze(condition) == own)
    });
    outer.next().is_some_and(|outer| {
        let lower = outer.text().to_lowercase();
        !AGAIN.iter().any(|word| lower.contains(word)) && !has_word(&lower, "while")
    })
}

/// `.replace("  ", " ").replace("  ", " ")`
fn is_repeated(text: &str) -> bool {
    const CALLS: &[&str] = &[".replace(", ".replaceAll(", ".replacen(", ".trim_prefix("];
    CALLS.iter().any(|call| {
        let mut last: Option<&str> = None;
        text.split(call).skip(1).any(|rest| {
            let given = given(rest);
            let is_same = given.is_some() && last == given;
            last = given;
            is_same
        })
    })
}

/// A function of the product that gets nothing but its own answer: `merged(merged(all))`.
fn nested(code: &str) -> Option<&str> {
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
    code.match_indices('(').find_map(|(at, _)| {
        let before = &code[..at];
        let name = &before[before.trim_end_matches(is_part).len()..];
        let inner = code[at + 1..].strip_prefix(name)?.strip_prefix('(')?;
        let is_long = name.len() > 4 && name.starts_with(|letter: char| letter.is_lowercase());
        let rest = &inner[given(inner)?.len() + 1..];
        // One answer in another that has more to it, such as `max(max(a, b), c)`, is something else.
        (is_long && rest.starts_with(')') && !KNOWN.contains(&name)).then_some(name)
    })
}

/// The arguments up to the bracket that closes them; brackets in quotes close nothing.
fn given(rest: &str) -> Option<&str> {
    let (mut depth, mut quote, mut is_escaped) = (0_usize, None, false);
    for (at, letter) in rest.char_indices() {
        match (quote, letter) {
            _ if is_escaped => is_escaped = false,
            (Some(_), '\\') => is_escaped = true,
            (Some(open), letter) if open == letter => quote = None,
            (None, '"' | '\'' | '`') => quote = Some(letter),
            (None, '(') => depth += 1,
            (None, ')') if depth == 0 => return Some(&rest[..at]),
            (None, ')') => depth -= 1,
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// G20: a loop that was written out.
    #[test]
    fn what_is_done_once_more() {
        assert!(is_repeated("return text.replace(\"  \", \" \").replace(\"  \", \" \")"));
        assert!(is_repeated("x.replace(/--/g, '-').replace(/--/g, '-')"));
        assert!(!is_repeated("x.replace('(', '').replace(')', '')"));
        assert!(!is_repeated("x.replace('a', 'b'); y.trim()"));
        assert_eq!(nested("return merge_siblings(merge_siblings(kept))"), Some("merge_siblings"));
        assert_eq!(nested("return larger(larger(a, b), c)"), None);
        assert_eq!(nested("path.dirname(path.dirname(p))"), None);
        assert_eq!(nested("f(f(x))"), None);
    }
}
