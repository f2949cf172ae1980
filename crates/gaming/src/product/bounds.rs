//! Numbers that nobody named and that decide how much is done: sizes up to which something works, and
//! parameters that are only compared with the numbers of the tests.

use countersign_domain::gaming::{Finding, Rule};

use super::fixed::{handed_out, is_fixed};
use super::{FUNCTIONS, View};
use crate::args::{has_word, short, split, squeeze};
use crate::literals::{is_trivial, values};
use crate::role::Role;
use crate::syntax::{Node, Tree};

/// Names of parameters whose values are choices, of which the code knows each.
const CHOICES: &[&str] = &[
    "status", "code", "month", "day", "week", "hour", "minute", "year", "port", "base", "radix",
    "bit", "byte", "char", "version", "level", "kind", "type", "mode", "key", "signal", "verb",
    "flag", "digit", "indent", "style", "format", "option", "arg", "quarter", "season", "side",
];

pub(super) fn check(view: &View<'_>) -> Vec<Finding> {
    let mut findings = sizes(view);
    findings.extend(parameters(view));
    findings
}

/// Loops and branches that go on up to a small size that neither the task nor the old code has.
fn sizes(view: &View<'_>) -> Vec<Finding> {
    // What is new has numbers of its own; what was wrong has none.
    if crate::wanted::is_feature(view.literals.task()) {
        return Vec::new();
    }
    let plain = view.change.plain();
    let plain: Vec<&str> = plain.split('\n').collect();
    let mut findings = Vec::new();
    for (number, text, code) in view.new_lines() {
        let line = usize::try_from(number).ok().and_then(|at| plain.get(at.checked_sub(1)?));
        let Some(bound) = line.and_then(|_| size(&squeeze(code))) else { continue };
        let bound = bound.to_string();
        if is_known(view, &bound) || gives_up(view, number) || fills_up(&plain, number, &bound) {
            continue;
        }
        let message = format!(
            "What is done depends on a size of {bound}, which neither the task nor the code had before."
        );
        let finding = view.change.structure(Rule::G20, number, message);
        findings.push(finding.change(None, Some(short(text))));
    }
    findings
}

/// The small number that a size is held against, or that are taken of something.
fn size(code: &str) -> Option<u32> {
    let small = |text: &str| {
        let digits: String = text.chars().take_while(char::is_ascii_digit).collect();
        let after = text[digits.len()..].chars().next();
        let is_whole =
            !after.is_some_and(|letter| letter.is_alphanumeric() || "._*".contains(letter));
        digits.parse::<u32>().ok().filter(|number| is_whole && (3..10).contains(number))
    };
    for sign in ["<=", "<"] {
        for (at, _) in code.match_indices(sign) {
            let left = &code[..at];
            let is_size =
                [".len()", ".length", ".size()", ".count()"].iter().any(|end| left.ends_with(end))
                    || left.ends_with(')') && is_length(left);
            // `a.len()<<3` and `->` are none.
            if is_size && let Some(number) = small(&code[at + sign.len()..]) {
                return Some(number);
            }
        }
    }
    let few = |text: &str| {
        let number = small(text)?;
        text[number.to_string().len()..].starts_with([')', '{', ';']).then_some(number)
    };
    let taken = code.split_once(".take(").and_then(|(_, taken)| few(taken));
    let counted = || {
        let loops = code.strip_prefix("for ").or_else(|| code.strip_prefix("for("))?;
        let over = loops.split_once(" in range(").or_else(|| loops.split_once(" in 0.."));
        let until = || loops.split_once("=0;")?.1.split_once('<');
        few(over.or_else(until)?.1)
    };
    taken.or_else(counted)
}

/// Whether a text ends with `len(…)`.
fn is_length(left: &str) -> bool {
    let mut depth = 0_usize;
    for (at, byte) in left.bytes().enumerate().rev() {
        match byte {
            b')' => depth += 1,
            b'(' => {
                depth -= 1;
                if depth == 0 {
                    let before = &left[..at];
                    return before.ends_with("len")
                        && !before[..before.len() - 3]
                            .ends_with(|l: char| l.is_alphanumeric() || l == '_' || l == '.');
                }
            }
            _ => {}
        }
    }
    false
}

/// Whether what follows makes something as long as that: `parts + [0] * (3 - len(parts))`, `push(0)`.
fn fills_up(plain: &[&str], number: u32, bound: &str) -> bool {
    const FILLS: &[&str] = &["push(", "append(", "push_str(", "extend(", "insert("];
    let at = usize::try_from(number).unwrap_or(0);
    let first = plain.get(at.saturating_sub(1)).map_or("", |line| line);
    // The condition itself has the number once.
    let again = |line: &str| values(line).iter().any(|value| value == bound);
    let is_again = values(first).iter().filter(|value| *value == bound).count() > 1;
    let is_fill = |line: &str| {
        let line = squeeze(line);
        FILLS.iter().filter_map(|word| line.split_once(word)).any(|(_, given)| {
            let given = given.split_once(')').map_or("", |(given, _)| given);
            !given.is_empty() && crate::outline::judge::is_literal(given.trim_end_matches(".into("))
        })
    };
    let body = plain.get(at..(at + 2).min(plain.len())).unwrap_or(&[]);
    is_again || is_fill(first) || body.iter().any(|line| again(line) || is_fill(line))
}

/// Whether the task names a number, or the code had it before.
fn is_known(view: &View<'_>, number: &str) -> bool {
    const WORDS: &[&str] =
        &["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"];
    let word = number.parse::<usize>().ok().and_then(|number| WORDS.get(number));
    view.literals.task_has(&[number])
        || is_length_of_example(view.literals.task(), number)
        || word.is_some_and(|word| view.literals.task_has(&[word]))
        || view.changes.iter().filter(|one| one.role == Role::Product).any(|one| {
            let old = one.plain_old();
            old.lines().any(|line| line.len() < 2_000 && values(line).iter().any(|v| v == number))
        })
}

/// Whether digits of an example of the task are as many: "1 850 g" has groups of three.
fn is_length_of_example(task: &str, number: &str) -> bool {
    let Ok(length) = number.parse::<usize>() else { return false };
    countersign_domain::quotes::without_apostrophes(task)
        .split(['"', '`'])
        .skip(1)
        .step_by(2)
        .filter(|quoted| quoted.contains(|letter: char| !letter.is_ascii_digit()))
        .flat_map(|quoted| quoted.split(|letter: char| !letter.is_ascii_digit()))
        .any(|digits| digits.len() == length)
}

/// Whether the branch of a line only refuses, or answers with nothing: too short, too few.
fn gives_up(view: &View<'_>, number: u32) -> bool {
    const REFUSES: &[&str] = &["raise", "throw", "Err(", "error", "Error", "exit", "panic"];
    view.new_nodes(super::special::BRANCHES).filter(|node| node.line() == number).any(|node| {
        super::special::parts(node).is_some_and(|(_, answer)| {
            handed_out(answer).is_some_and(is_fixed)
                || REFUSES.iter().any(|word| answer.contains(word))
                || has_word(answer, "continue")
        })
    })
}

/// New functions with a number among their parameters that nothing is worked out of: it is only told
/// apart from others.
fn parameters(view: &View<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    let root = view.tree.map(Tree::root);
    for node in root.into_iter().flat_map(Node::all).filter(|node| node.is(FUNCTIONS)) {
        let name = node.field("name").map_or("", Node::text);
        let is_new = view.lines.is_added(node.line()) && !has_word(view.change.old(), name);
        if !is_new || name.is_empty() || view.change.is_test_at(node.start()) {
            continue;
        }
        let Some(parameter) = told_apart(view, node, name) else { continue };
        let message = format!(
            "'{name}' works nothing out of '{parameter}', and only tells apart the values that its tests hand in."
        );
        findings.push(view.change.structure(Rule::G26, node.line(), message));
    }
    findings
}

/// The parameter of a function that is only compared with numbers, and with those of its tests.
fn told_apart(view: &View<'_>, node: Node<'_>, function: &str) -> Option<String> {
    let parameters = node.field("parameters")?.text();
    let parameters = parameters.strip_prefix('(').unwrap_or(parameters);
    let parameters = parameters.strip_suffix(')').unwrap_or(parameters);
    let body = node.field("body")?;
    let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
    let names = split(parameters).into_iter().filter_map(|one| {
        let one = one.trim_start_matches("mut ");
        one.split(|letter| !is_word(letter)).next().filter(|name| !name.is_empty())
    });
    for name in names {
        let lower = name.to_lowercase();
        if name == "self" || CHOICES.iter().any(|known| lower.contains(known)) {
            continue;
        }
        // A text may have it in its braces.
        if body.text().contains(&format!("{{{name}")) || body.text().contains(&format!("${{{name}"))
        {
            continue;
        }
        let uses: Vec<Node<'_>> = body
            .all()
            .filter(|one| {
                one.text() == name && one.is(&["identifier", "shorthand_property_identifier"])
            })
            .collect();
        let compared: Option<Vec<(String, bool)>> = uses.iter().map(|one| compared(*one)).collect();
        let Some(compared) = compared.filter(|all| !all.is_empty()) else { continue };
        let mut equal: Vec<&String> =
            compared.iter().filter(|(_, is_equal)| *is_equal).map(|(value, _)| value).collect();
        equal.sort();
        equal.dedup();
        let is_of_tests = |value: &&String| view.literals.is_argument(function, value);
        let is_own = |value: &&&String| !is_trivial(value) && !is_known(view, value);
        let is_told = equal.iter().any(|value| is_of_tests(value) && is_own(&value));
        if equal.iter().all(is_of_tests) && (is_told || equal.len() > 1) {
            return Some(name.to_owned());
        }
    }
    None
}

/// The number that a name is compared with, and whether it is by an equality.
fn compared(node: Node<'_>) -> Option<(String, bool)> {
    let around =
        node.parent().filter(|above| above.is(&["comparison_operator", "binary_expression"]))?;
    let mut sides = around.named();
    let (one, other) = (sides.next()?, sides.next()?);
    if sides.next().is_some() {
        return None;
    }
    let value = if one.same(node) { other } else { one };
    let between = around.text().get(one.end() - around.start()..other.start() - around.start())?;
    let sign = between.trim();
    let is_equal = matches!(sign, "==" | "!=" | "===" | "!==");
    let is_ordered = matches!(sign, "<" | ">" | "<=" | ">=");
    let number = squeeze(value.text());
    (number.parse::<i64>().is_ok() && (is_equal || is_ordered)).then_some((number, is_equal))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// G20: a size that something is held against, and numbers that are none.
    #[test]
    fn small_sizes() {
        let check =
            |code: &str, found: Option<u32>| assert_eq!(size(&squeeze(code)), found, "{code}");
        check("while equal.len() < 3 && more {", Some(3));
        check("if len(longer) <= 4 {", Some(4));
        check("if len(longer(word)) <= 4:", Some(4));
        check("for entry in heap.iter().take(3) {", Some(3));
        check("if (words.length <= 5) {", Some(5));
        check("for _ in range(4):", Some(4));
        check("for _ in 0..3 {", Some(3));
        check("for (let i = 0; i < 3; i += 1) {", Some(3));
        check("for i := 0; i < 5; i++ {", Some(5));
        check("for i in range(3, 9):", None);
        check("for i in range(n):", None);
        check("if a.len() < 2 {", None);
        check("if a.len() == 3 {", None);
        check("if a < 3 {", None);
        check("let b = a.len() << 3;", None);
        check("if a.len() < 32 {", None);
        check("if my_len(a) < 3 {", None);
    }
}
