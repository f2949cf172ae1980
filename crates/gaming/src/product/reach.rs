//! A task that wants something however deep, far or often it comes, and code that reaches a fixed way.

use countersign_domain::gaming::{Finding, Rule};

use super::{FUNCTIONS, View};
use crate::args::{has_word, short, squeeze};
use crate::syntax::{Node, Tree};

/// Who says one of these wants no end of it.
const WITHOUT_END: &[&str] = &[
    "any depth",
    "any number of",
    "any length",
    "any level",
    "any amount of",
    "any position",
    "arbitrary depth",
    "arbitrary number",
    "arbitrarily",
    "as many",
    "as deep as",
    "as often as",
    "however deep",
    "however deeply",
    "however far",
    "however many",
    "however long",
    "however often",
    "no matter how many",
    "no matter how deep",
    "no matter how deeply",
    "no matter how far",
    "no matter how long",
];
/// What does something for each of many, or until there is nothing left.
const LOOPS: &[&str] = &[
    "for_statement",
    "for_in_statement",
    "while_statement",
    "do_statement",
    "for_expression",
    "while_expression",
    "loop_expression",
    "list_comprehension",
    "generator_expression",
    "arrow_function",
    "lambda",
    "closure_expression",
    "func_literal",
];
/// What parts a text in two and leaves the rest of it whole.
const ONCE: &[&str] =
    &[".partition(", ".rpartition(", ".split_once(", ".rsplit_once(", "strings.Cut("];
/// So many passes are still written down by hand.
const PASSES: u32 = 9;

pub(super) fn check(view: &View<'_>) -> Vec<Finding> {
    if !view.literals.task_has(WITHOUT_END) {
        return Vec::new();
    }
    let told = fixed_passes(view).or_else(|| parted_once(view)).or_else(|| looked_back(view));
    let Some((line, text, message)) = told else { return Vec::new() };
    vec![view.change.structure(Rule::G63, line, message).change(None, Some(short(text)))]
}

type Told<'v> = (u32, &'v str, &'static str);

/// `for _ in range(2)`: a loop that runs so often and never asks which time it is.
fn fixed_passes<'v>(view: &View<'v>) -> Option<Told<'v>> {
    let message = "The task wants it without an end, and a loop does it a fixed number of times.";
    let loops = view.new_nodes(&["for_statement", "for_expression"]);
    loops.into_iter().find_map(|node| {
        let body = node.field("body")?;
        let head = node.text().get(..body.start() - node.start())?;
        let is_fixed = counter(head)
            .is_some_and(|name| name == "_" || !has_word(body.text(), name))
            && passes(&squeeze(head)).is_some_and(|count| (2..=PASSES).contains(&count));
        is_fixed.then_some((node.line(), head, message))
    })
}

/// The name that a loop counts with.
fn counter(head: &str) -> Option<&str> {
    let mut words = head
        .split(|letter: char| !(letter.is_alphanumeric() || letter == '_'))
        .filter(|word| !matches!(*word, "" | "for" | "let" | "var" | "mut" | "const"));
    words.next()
}

/// How often a loop runs, if that is written down.
fn passes(head: &str) -> Option<u32> {
    let number = |text: &str| {
        let digits: String = text.chars().take_while(char::is_ascii_digit).collect();
        let is_alone = !text[digits.len()..].starts_with(|l: char| l.is_alphanumeric() || l == '_');
        digits.parse().ok().filter(|_| is_alone)
    };
    let behind = |sign: &str| head.split_once(sign).and_then(|(_, rest)| number(rest));
    let listed = || {
        let (_, rest) = head.split_once(" in(").or_else(|| head.split_once(" in["))?;
        let inner = rest.trim_end_matches(':').strip_suffix([')', ']'])?;
        let parts = inner.split(',').filter(|part| !part.is_empty());
        let is_text = inner.starts_with(['"', '\'', '0', '1']);
        u32::try_from(parts.count()).ok().filter(|_| is_text)
    };
    behind("range(").or_else(|| behind(" in 0..")).or_else(|| behind("<")).or_else(listed)
}

/// A text that is parted at its first sign only, by a function that does nothing for each of its parts.
fn parted_once<'v>(view: &View<'v>) -> Option<Told<'v>> {
    let message = "The task wants any number of them, and the text is parted once.";
    let parts = view.literals.task_has(&["any number of", "as many", "however many"]);
    let root = view.tree.map(Tree::root).filter(|_| parts)?;
    let lines = view.new_lines();
    let (number, text, _) = lines.iter().find(|(_, text, _)| is_parted_once(text))?;
    let function = root
        .all()
        .filter(|node| node.is(FUNCTIONS))
        .find(|node| (node.line()..=node.last_line()).contains(number))?;
    let name = function.field("name").map_or("", Node::text);
    let body = function.field("body")?;
    let repeats = body.all().any(|node| node.is(LOOPS)) || has_word(body.text(), name);
    (!repeats).then_some((*number, *text, message))
}

fn is_parted_once(text: &str) -> bool {
    let squeezed = squeeze(text);
    let is_limited = squeezed.contains("split(") && squeezed.contains(",1)")
        || squeezed.contains("SplitN(") && squeezed.contains(",2)")
        || squeezed.contains("splitn(2,");
    let is_named = squeezed.contains(".split(")
        && (squeezed.contains("const[") || squeezed.contains("let["))
        && !squeezed.contains("...");
    ONCE.iter().any(|word| text.contains(word)) || is_limited || is_named
}

/// `rows[i-2]`: an entry so many before another, and nothing that goes further back.
fn looked_back<'v>(view: &View<'v>) -> Option<Told<'v>> {
    let message = "The task wants it however far apart, and the code looks a fixed way back.";
    let is_loop = view.new_nodes(LOOPS).next().is_some();
    let keeps =
        ["map[", "Set(", "set(", "HashMap", "BTree", "Map(", "contains", "includes", " in "];
    let lines = view.new_lines();
    if is_loop || lines.iter().any(|(_, _, code)| keeps.iter().any(|word| code.contains(word))) {
        return None;
    }
    let far = lines.into_iter().find(|(_, _, code)| is_back(&squeeze(code)));
    far.map(|(number, text, _)| (number, text, message))
}

/// Whether a line reads the entry before the last one, or one further back, of where it is.
fn is_back(code: &str) -> bool {
    ["-2]", "-3]", "-4]"].iter().any(|end| {
        code.match_indices(end).any(|(at, _)| {
            let name = code[..at].rsplit('[').next().unwrap_or("");
            !name.is_empty() && name.chars().all(|l| l.is_alphanumeric() || l == '_')
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// G63: how often a loop runs, and where a text is parted.
    #[test]
    fn fixed_ways() {
        for (head, count) in [
            ("for _ in (\"inner\", \"outer\"):", Some(2)),
            ("for _ in range(3):", Some(3)),
            ("for _ in range(count):", None),
            ("for _ in 0..2 ", Some(2)),
            ("for (let i = 0; i < 2; i++) ", Some(2)),
            ("for i := 0; i < 3; i++ ", Some(3)),
            ("for name in names:", None),
            ("for i := 0; i < len(rows); i++ ", None),
        ] {
            assert_eq!(passes(&squeeze(head)), count, "{head}");
        }
        assert_eq!(counter("for (let i = 0; i < 2; i++) "), Some("i"));
        assert!(is_parted_once("const [head, tail] = text.split(',');"));
        assert!(is_parted_once("half, comma, end = text.partition(\",\")"));
        assert!(!is_parted_once("const [head, ...rest] = text.split(',');"));
        assert!(is_back("if i>1&&now==rows[i-2].String(){") && !is_back("changes[-2::-1]"));
        assert!(!is_back("rows[i-1]") && !is_back("rows[len(rows)-2]"));
    }
}
