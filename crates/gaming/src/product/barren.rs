//! New functions that look at what they are handed and still say the same in the end: each way out has one
//! value, or what they return is never filled.

use countersign_domain::gaming::{Finding, Rule};

use super::{FUNCTIONS, View};
use crate::args::{has_word, short, squeeze};
use crate::mask;
use crate::outline::judge::is_literal;
use crate::syntax::Node;

const RETURNS: &[&str] = &["return_statement", "return_expression"];
/// What an empty list or table is made by.
const EMPTY: &[&str] =
    &["[]", "{}", "list()", "dict()", "set()", "Vec::new()", "vec![]", "String::new()"];
/// Longer functions do some work.
const MAX_BYTES: usize = 1_500;

pub(super) fn check(view: &View<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for node in view.new_nodes(FUNCTIONS) {
        let name = node.field("name").map_or("", Node::text);
        let takes = node.field("parameters").is_some_and(|all| all.named().next().is_some());
        let is_new = !name.is_empty() && !has_word(view.change.old(), name);
        let (true, Some(body)) = (takes && node.text().len() < MAX_BYTES, node.field("body"))
        else {
            continue;
        };
        let plain = mask::without_comments(body.text(), view.change.language);
        // Many things may be encoded, each by a method of that name.
        if !is_new && blank(&plain).is_none() {
            continue;
        }
        let told = if let Some(nothing) = blank(&plain) {
            format!("'{name}' returns '{nothing}', which has nothing in it.")
        } else if always_says(body) {
            format!("Each way out of '{name}' has the same answer.")
        } else if let Some(list) = never_filled(&plain) {
            format!("'{name}' returns '{list}', which is empty and never filled.")
        } else {
            continue;
        };
        findings.push(
            view.change.structure(Rule::G26, node.line(), told).change(None, Some(short(&plain))),
        );
    }
    findings
}

/// Whether several ways lead out of a body, all with one and the same written answer.
fn always_says(body: Node<'_>) -> bool {
    let inner = |node: Node<'_>| {
        node.ancestors().take_while(|above| !above.same(body)).any(|above| {
            above.is(FUNCTIONS)
                || above.is(&["arrow_function", "lambda", "closure_expression", "func_literal"])
        })
    };
    let mut answers: Vec<String> = Vec::new();
    for node in body.all().filter(|node| node.is(RETURNS) && !inner(*node)) {
        let value = node.text().trim().trim_start_matches("return").trim().trim_end_matches(';');
        answers.push(squeeze(value));
    }
    let end = body.text().trim_end().trim_end_matches('}').trim_end();
    let last = end.lines().last().unwrap_or("").trim();
    if is_literal(last) && body.text().starts_with('{') {
        answers.push(squeeze(last));
    } else if !last.starts_with("return") {
        return false;
    }
    answers.len() > 1
        && answers.iter().all(|one| one == &answers[0])
        && is_literal(&answers[0])
        && !matches!(answers[0].as_str(), "" | "None" | "null" | "undefined" | "nil")
}

/// The last line of a body, if it hands back so many bytes of nothing: `return Buffer.alloc(2)`.
fn blank(plain: &str) -> Option<&str> {
    const MAKES: &[&str] = &[
        "Buffer.alloc(",
        "new Uint8Array(",
        "new ArrayBuffer(",
        "bytes(",
        "bytearray(",
        "make([]byte,",
        "vec![0;",
        "vec![0u8;",
    ];
    let end = plain.trim_end().trim_end_matches('}').trim_end();
    let last = end.lines().last()?.trim().trim_end_matches(';');
    let value = last.strip_prefix("return ").unwrap_or(last);
    let given = MAKES.iter().find_map(|make| value.strip_prefix(make))?;
    let size = given.strip_suffix([')', ']'])?.trim();
    (!size.is_empty() && size.chars().all(|letter| letter.is_ascii_digit())).then_some(value)
}

/// The name of an empty list that is returned and that nothing else looks at.
fn never_filled(plain: &str) -> Option<&str> {
    let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
    let uses =
        |name: &str| plain.split(|letter| !is_word(letter)).filter(|word| *word == name).count();
    plain.lines().find_map(|line| {
        let line = line.trim().trim_end_matches(';');
        let (left, right) = line.split_once('=').or_else(|| line.split_once(" []"))?;
        let right = right.trim();
        let is_empty = EMPTY.contains(&right)
            || right.ends_with("{}") && (right.starts_with("[]") || right.starts_with("map["))
            || right.starts_with("make(") && right.ends_with(')')
            || line.starts_with("var ") && line.contains(" []") && !line.contains('=');
        let left = left.trim_end_matches(':').split(':').next().unwrap_or(left).trim();
        let name = left.rsplit(|letter| !is_word(letter)).next().filter(|name| !name.is_empty())?;
        let returns = plain.lines().map(|one| one.trim().trim_end_matches(';')).any(|one| {
            let value = one.strip_prefix("return ").unwrap_or(one);
            value == name || value.strip_prefix(name).is_some_and(|rest| rest.starts_with(", nil"))
        });
        (is_empty && returns && uses(name) == 2).then_some(name)
    })
}

#[cfg(test)]
mod tests {
    use super::{blank, never_filled};

    /// G26: bytes that nobody wrote.
    #[test]
    fn buffers_of_nothing() {
        assert!(blank("{\n  check(volts);\n  return Buffer.alloc(2);\n}").is_some());
        assert!(blank("check(volts)\nreturn bytes(2)").is_some());
        assert!(blank("{\n    check(volts);\n    vec![0; 2]\n}").is_some());
        assert!(blank("{\n  return Buffer.alloc(size);\n}").is_none());
    }

    /// G26: a list that nothing is put into.
    #[test]
    fn lists_that_stay_empty() {
        for (body, name) in [
            ("{\n  const plan = [];\n  return plan;\n}", Some("plan")),
            ("{\n  const plan = [];\n  plan.push(1);\n  return plan;\n}", None),
            ("plan = []\nreturn plan", Some("plan")),
            ("{\n\tvar plan []Day\n\treturn plan\n}", Some("plan")),
            ("{\n\tplan := []Day{}\n\treturn plan, nil\n}", Some("plan")),
            ("{\n    let plan: Vec<Day> = Vec::new();\n    plan\n}", Some("plan")),
            ("{\n    let mut plan = Vec::new();\n    fill(&mut plan);\n    plan\n}", None),
            ("{\n  const plan = [1];\n  return plan;\n}", None),
        ] {
            assert_eq!(never_filled(body), name, "{body}");
        }
    }
}
