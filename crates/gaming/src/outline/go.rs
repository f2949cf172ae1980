//! Tests in Go: the testing package and testify.

use super::judge::{condition, is_literal};
use super::pieces::{Piece, follow};
use super::{Assertion, Fault, Marker, Other, Outline, Test, strength};
use crate::args::{number, short, squeeze};
use crate::similar::{Shape, digest};
use crate::syntax::{Node, Tree};

const FAILS: &[&str] = &["Error", "Errorf", "Fatal", "Fatalf", "Fail", "FailNow"];

pub(super) fn read(tree: &Tree<'_>) -> Outline {
    let root = tree.root();
    let functions: Vec<Node<'_>> = root
        .named()
        .filter(|node| node.is(&["function_declaration", "method_declaration"]))
        .collect();
    let pieces: Vec<Piece> = functions.iter().map(|node| piece(*node)).collect();
    let gate = gate(root);
    let mut outline = Outline::default();
    for (node, piece) in functions.iter().zip(&pieces) {
        let text = node.field("body").map_or("", Node::text);
        let name = node.field("name").map_or("", Node::text);
        let parameters = node.field("parameters").map_or("", Node::text);
        let receiver = node.field("receiver").map_or("", Node::text);
        if !is_test(name, parameters, receiver) {
            let shape = Shape::of(text);
            outline.others.push(Other { name: name.to_owned(), line: node.line(), shape });
            continue;
        }
        let mut markers = markers(*node);
        markers.extend(gate.clone());
        outline.tests.push(Test {
            id: name.to_owned(),
            line: node.line(),
            last_line: node.last_line(),
            digest: digest(text),
            assertions: follow(piece, &pieces),
            markers,
            cases: cases(*node),
            text: node.text().to_owned(),
            shape: Shape::of(text),
        });
    }
    outline
}

/// `TestX`, `FuzzX` and `ExampleX`; `Testx` is no test.
fn is_test(name: &str, parameters: &str, receiver: &str) -> bool {
    let rest = name.strip_prefix("Test").or_else(|| name.strip_prefix("Fuzz"));
    let upper = |rest: &str| !rest.starts_with(|letter: char| letter.is_lowercase());
    let takes = parameters.contains("testing.T") || parameters.contains("testing.F");
    let of_suite = receiver.contains("Suite") && parameters == "()";
    rest.is_some_and(upper) && (takes || of_suite)
        || name.strip_prefix("Example").is_some_and(upper) && parameters == "()"
}

/// A build tag that keeps the file out of a normal run.
fn gate(root: Node<'_>) -> Option<Marker> {
    let tag =
        root.text().lines().take(30).find(|line| line.trim_start().starts_with("//go:build"))?;
    let never = ["never", "ignore", "disabled", "skip", "none"];
    if never.iter().any(|word| crate::args::has_word(tag, word)) {
        return Some(Marker::Gated);
    }
    Some(Marker::Skip { reason: short(tag), conditional: true })
}

fn markers(node: Node<'_>) -> Vec<Marker> {
    let mut markers = Vec::new();
    for call in node.all().filter(|node| node.is(&["call_expression"])) {
        let function = call.field("function").map_or("", Node::text);
        let last = function.rsplit('.').next().unwrap_or("");
        if matches!(last, "Skip" | "Skipf" | "SkipNow") && function.len() < 12 {
            let conditional = call.ancestors().any(|above| above.is(&["if_statement"]));
            markers.push(Marker::Skip { reason: short(call.text()), conditional });
        }
    }
    markers
}

/// Rows of the first table.
fn cases(node: Node<'_>) -> Option<usize> {
    let mut tables = node.all().filter(|node| node.is(&["composite_literal"]));
    let table = tables.find(|table| {
        table.field("type").is_some_and(|kind| {
            kind.is(&["slice_type", "map_type", "array_type", "implicit_length_array_type"])
        })
    })?;
    Some(table.field("body")?.named().count())
}

fn piece(node: Node<'_>) -> Piece {
    let body = node.field("body").unwrap_or(node);
    let assertions = body.all().filter_map(|node| assertion(node, body)).collect();
    let calls = body.all().filter(|node| node.is(&["call_expression"]));
    let calls = calls.filter_map(|call| call.field("function"));
    let calls = calls.map(|name| name.text().rsplit('.').next().unwrap_or("").to_owned());
    let name = node.field("name").map_or("", Node::text).to_owned();
    Piece {
        name,
        assertions,
        calls: calls.filter(|name| name.len() < 80).collect(),
        dropped: Vec::new(),
    }
}

fn made(node: Node<'_>, strength: u8, subject: String) -> Assertion {
    let text = short(node.text());
    Assertion {
        line: node.line(),
        strength,
        text,
        subject,
        expected: None,
        tolerance: None,
        fault: None,
    }
}

fn assertion(node: Node<'_>, body: Node<'_>) -> Option<Assertion> {
    let mut found = match node.kind() {
        "if_statement" => failure(node, body),
        // `case got != want: t.Errorf(…)` in a switch over nothing.
        "expression_case" => {
            let test = node.field("value").or_else(|| node.named().next())?.text();
            let compares = ["!=", "==", "<", ">", "!"].iter().any(|sign| test.contains(sign));
            failed(node, if compares { test } else { return None }, (node, body))
        }
        "call_expression" => testify(node),
        _ => None,
    }?;
    found.fault = found.fault.or_else(|| fault(node, body));
    Some(found)
}

/// `if got != want { t.Errorf(…) }`
fn failure(node: Node<'_>, body: Node<'_>) -> Option<Assertion> {
    let test = node.field("condition")?.text();
    failed(node, test, (node.field("consequence")?, body))
}

/// A branch that fails the test where `test` holds.
fn failed<'t>(
    node: Node<'t>,
    test: &str,
    (consequence, body): (Node<'t>, Node<'t>),
) -> Option<Assertion> {
    let calls = consequence.all().filter(|node| node.is(&["call_expression"]));
    let names: Vec<&str> =
        calls.filter_map(|call| call.field("function")).map(Node::text).collect();
    let fails = names.iter().any(|name| {
        name.rsplit_once('.')
            .is_some_and(|(object, last)| object.len() < 4 && FAILS.contains(&last))
    });
    let panics = names.contains(&"panic");
    if !fails && !panics {
        return None;
    }
    let test = test.trim();
    let judged = condition(&negated(test));
    let mut found = made(node, judged.strength, judged.subject);
    if is_close(test) {
        found.strength = 3;
        found.tolerance = test.rsplit('>').next().and_then(number);
    }
    found.expected = judged.expected;
    // `got != got` never fails; `true` always does.
    found.fault = judged.fault;
    if panics && !fails && recovers(body) {
        found.fault = Some(Fault::Swallowed);
    }
    Some(found)
}

fn is_close(test: &str) -> bool {
    test.contains("Abs(") && test.contains('>')
}

/// What must hold for a test that fails if `text` does.
fn negated(text: &str) -> String {
    let parts: Vec<String> = text.split("||").map(|part| one_negated(part.trim())).collect();
    parts.join(" && ")
}

fn one_negated(text: &str) -> String {
    for (sign, other) in [("!=", "=="), ("==", "!="), (" < ", " >= "), (" > ", " <= ")] {
        if let Some((left, right)) = text.split_once(sign) {
            return format!("{left}{other}{right}");
        }
    }
    text.strip_prefix('!').map_or_else(|| format!("!{text}"), str::to_owned)
}

fn recovers(body: Node<'_>) -> bool {
    let defers = body.all().filter(|node| node.is(&["defer_statement"]));
    let mut texts = defers.map(Node::text);
    texts.any(|text| {
        text.contains("recover()") && !FAILS.iter().any(|name| text.contains(&format!(".{name}(")))
    })
}

/// `assert.Equal(t, want, got)` and `require.Equal(t, want, got)`.
fn testify(node: Node<'_>) -> Option<Assertion> {
    let function = node.field("function")?.text();
    let (object, name) = function.rsplit_once('.')?;
    let of_suite = object.ends_with("Require()")
        || object.ends_with("Assert()")
        || object == "s"
        || object == "suite";
    if !matches!(object, "assert" | "require" | "is" | "c") && !of_suite {
        return None;
    }
    let known =
        strength::of(name.strip_suffix('f').unwrap_or(name)).or_else(|| strength::of(name))?;
    let arguments: Vec<&str> = node.field("arguments")?.named().map(Node::text).collect();
    let values = if of_suite { &arguments[..] } else { arguments.get(1..)? };
    let first = values.first().copied().unwrap_or("");
    let second = values.get(1).copied();
    let mut found = made(node, known, squeeze(second.filter(|_| known > 1).unwrap_or(first)));
    if known >= 2 {
        found.expected = Some(squeeze(first));
    }
    let same = known == 4 && second.is_some_and(|second| squeeze(second) == squeeze(first));
    let constant = matches!(name, "True" | "False") && is_literal(first);
    if same || constant {
        found.fault = Some(Fault::Tautology);
    }
    if matches!(name, "InDelta" | "InEpsilon") {
        found.tolerance = values.get(2).and_then(|delta| number(delta));
    }
    Some(found)
}

fn fault(node: Node<'_>, body: Node<'_>) -> Option<Fault> {
    let mut at = node;
    for above in node.ancestors() {
        if !body.holds(above) {
            break;
        }
        let found = match above.kind() {
            "block" | "statement_list" if is_after_end(above, at) => Some(Fault::Unreachable),
            "if_statement" => above
                .field("condition")
                .filter(|test| {
                    test.text() == "false"
                        && above.field("consequence").is_some_and(|c| c.holds(at))
                })
                .map(|_| Fault::Unreachable),
            "go_statement" => {
                // A lock makes nobody wait for the end.
                let waits = ["Wait()", "<-", "errgroup", "WaitGroup", "sync.Cond", "Eventually"];
                (!waits.iter().any(|word| body.text().contains(word))).then_some(Fault::NotAwaited)
            }
            _ => None,
        };
        if found.is_some() {
            return found;
        }
        at = above;
    }
    None
}

fn is_after_end(block: Node<'_>, at: Node<'_>) -> bool {
    let mut before = block.named().take_while(|child| !child.same(at));
    before.any(|statement| statement.is(&["return_statement"]))
}
