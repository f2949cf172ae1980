//! New functions that answer with the task's own example, and work nothing out of what they are handed.

use countersign_domain::gaming::{Finding, Rule};

use super::fixed::is_fixed;
use super::{FUNCTIONS, View};
use crate::args::{has_word, short, split, squeeze};
use crate::literals::{inside, values};
use crate::mask;
use crate::syntax::Node;

const RETURNS: &[&str] = &["return_statement", "return_expression"];
const CHOICES: &[&str] = &["conditional_expression", "ternary_expression", "if_expression"];
const BRANCHES: &[&str] = &["if_statement", "elif_clause", "if_expression"];
const LOOPS: &[&str] = &[
    "for_statement",
    "for_in_statement",
    "while_statement",
    "for_expression",
    "while_expression",
    "loop_expression",
    "arrow_function",
    "lambda",
    "closure_expression",
    "func_literal",
];
/// Longer functions do some work.
const MAX_BYTES: usize = 1_500;

pub(super) fn check(view: &View<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for node in view.new_nodes(FUNCTIONS) {
        let name = node.field("name").map_or("", Node::text);
        let is_new = !name.is_empty() && !has_word(view.change.old(), name);
        let handed = handed(node);
        if !is_new || handed.is_empty() || node.text().len() > MAX_BYTES || is_of_others(node) {
            continue;
        }
        let answers = answers(node);
        let is_recited = |answer: &Node<'_>| {
            let mut written = values(answer.text()).into_iter();
            written.any(|value| {
                value.starts_with('"') && recites(view.literals.task(), inside(&value))
            })
        };
        let told = answers.iter().find(|answer| is_recited(answer));
        let is_fixed = || answers.iter().all(|one| is_written_down(*one, node, &handed));
        if let Some(answer) = told.filter(|_| is_fixed()) {
            let message = format!("'{name}' is new and answers with the example of the task.");
            let finding = view.change.structure(Rule::G26, node.line(), message);
            findings.push(finding.change(None, Some(short(answer.text()))));
        }
    }
    findings
}

/// What a function is handed, by name.
fn handed(node: Node<'_>) -> Vec<&str> {
    let parameters = node.field("parameters").map_or("", Node::text);
    let bare = parameters.trim().trim_start_matches('(').trim_end_matches(')');
    let name = |one: &'_ str| -> usize {
        one.find(|letter: char| !(letter.is_alphanumeric() || letter == '_')).unwrap_or(one.len())
    };
    split(bare)
        .into_iter()
        .map(|one| one.trim_start_matches(['*', '&', '.']).trim_start_matches("mut "))
        .map(|one| &one[..name(one)])
        .filter(|one| !matches!(*one, "" | "self" | "cls" | "this" | "ctx" | "mut"))
        .collect()
}

/// Whether somebody else says what the function takes: a trait, a parent, a decorator.
fn is_of_others(node: Node<'_>) -> bool {
    node.ancestors().any(|above| {
        let head = above.text().split(['{', '\n']).next().unwrap_or("");
        above.is(&["impl_item"]) && has_word(head, "for")
            || above.is(&["trait_item", "decorated_definition"])
                && !above.text().trim_start().starts_with("@static")
            || above.is(&["class_declaration", "class"]) && has_word(head, "extends")
            || above.is(&["class_definition"]) && above.field("superclasses").is_some()
    })
}

/// What a function hands back, at each of its ends.
fn answers(node: Node<'_>) -> Vec<Node<'_>> {
    let mut found: Vec<Node<'_>> =
        node.all().filter(|one| one.is(RETURNS)).filter_map(|one| one.named().next()).collect();
    let last = node.field("body").filter(|_| node.is(&["function_item"]));
    found.extend(
        last.and_then(|body| body.named().last()).filter(|one| {
            !one.is(&["expression_statement", "let_declaration"]) && !one.is(RETURNS)
        }),
    );
    found
}

/// Whether an answer is written down, and what was handed in has no part in it but by its number. Where the
/// answer is nothing, anybody may have asked for it.
fn is_written_down(answer: Node<'_>, function: Node<'_>, handed: &[&str]) -> bool {
    let around: Vec<Node<'_>> =
        answer.ancestors().take_while(|above| !above.same(function)).collect();
    if around.iter().any(|above| above.is(LOOPS)) {
        return false;
    }
    let ends = ends(answer);
    let is_nothing = |text: &str| values(text).iter().all(|value| inside(value).trim().is_empty());
    if ends.iter().all(|end| is_nothing(end) && !is_worked_out(end)) {
        return true;
    }
    let branches = around.iter().filter(|above| above.is(BRANCHES));
    let mut asked = branches.filter_map(|above| above.field("condition")).map(Node::text);
    let own = answer.all().filter(|one| one.is(CHOICES));
    let mut own = own.filter_map(condition);
    ends.iter().all(|end| !is_worked_out(end))
        && !asked.any(|text| looks_into(text, handed))
        && !own.any(|text| looks_into(text, handed))
}

/// The condition of an expression that chooses.
fn condition(node: Node<'_>) -> Option<&str> {
    // `answer if condition else other` has no names for its parts.
    node.field("condition").or_else(|| node.named().nth(1)).map(Node::text)
}

/// What an answer may be: the parts of a choice, or itself.
fn ends(answer: Node<'_>) -> Vec<&str> {
    if !answer.is(CHOICES) {
        return vec![answer.text()];
    }
    let condition = condition(answer);
    let parts = answer.named().map(Node::text).filter(|part| Some(*part) != condition);
    parts
        .map(|part| part.trim_start_matches("else").trim().trim_matches(['{', '}']).trim())
        .collect()
}

fn is_worked_out(end: &str) -> bool {
    // What makes a text of Rust's own or a list adds nothing to it.
    const MAKES: &[&str] = &[".to_string()", ".to_owned()", ".into()", "vec!", "String::from"];
    let mut plain = end.trim().to_owned();
    for word in MAKES {
        plain = plain.replace(word, "");
    }
    let is_empty = matches!(
        squeeze(&plain).as_str(),
        "" | "[]"
            | "{}"
            | "()"
            | "nil"
            | "null"
            | "None"
            | "undefined"
            | "Vec::new()"
            | "String::new()"
            | "set()"
            | "[]string{}"
    );
    !is_empty && !is_fixed(&plain)
}

/// Whether a condition asks more of what was handed in than whether, or how much, there is.
fn looks_into(condition: &str, handed: &[&str]) -> bool {
    let squeezed = squeeze(condition);
    let plain = squeezed.trim_matches(['(', ')']).to_owned();
    handed.iter().any(|name| {
        let mut rest = plain.clone();
        for counted in [
            format!("len({name})"),
            format!("{name}.length"),
            format!("{name}.len()"),
            format!("{name}.is_empty()"),
            format!("{name}.isEmpty()"),
            format!("{name}.size"),
            format!("not {name}"),
            format!("!{name}"),
            format!("{name}==nil"),
            format!("{name}===null"),
            format!("{name}==null"),
            format!("{name} is None"),
        ] {
            rest = rest.replace(&counted, "");
        }
        rest != **name && has_word(&mask::code(&rest, crate::language::Language::JavaScript), name)
    })
}

/// Words of a sentence that gives an example.
const EXAMPLE: &[&str] = &["example", "e.g", "instance", "such as", "like"];

/// Whether a text is what the task gives as an example of an answer.
fn recites(task: &str, text: &str) -> bool {
    let text = text.replace("\\n", "\n");
    let pieces: Vec<&str> =
        text.split(['\n', ' ', ';', ',']).filter(|piece| piece.trim().len() > 1).collect();
    let has_digit = |piece: &&str| piece.contains(|letter: char| letter.is_ascii_digit());
    let is_long = pieces.len() > 2
        && pieces.iter().any(has_digit)
        && pieces.iter().all(|piece| has_word(task, piece));
    let is_given = |sentence: &str| {
        let lower = sentence.to_lowercase();
        let written = values(sentence);
        let has_more = written.iter().filter(|value| inside(value) != text).count() > 0;
        written.iter().any(|value| inside(value) == text)
            && has_more
            && EXAMPLE.iter().any(|word| has_word(&lower, word))
    };
    let sentences = task.split(['\n', ';']).flat_map(|line| line.split(". "));
    is_long || text.len() > 2 && sentences.into_iter().any(is_given)
}
