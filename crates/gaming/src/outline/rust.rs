//! Tests in Rust: `#[test]` and its like, in files of their own and inside of product files.

use super::judge::{condition, is_literal};
use super::pieces::{Piece, follow};
use super::{Assertion, Fault, Marker, Other, Outline, Test, strength};
use crate::args::{self, number, short, squeeze};
use crate::similar::{Shape, digest};
use crate::syntax::{Node, Tree};

pub(super) fn read(tree: &Tree<'_>, is_test: bool) -> Outline {
    let root = tree.root();
    let mut outline = Outline::default();
    if !is_test {
        outline.inline = inline(root);
    }
    let functions: Vec<Function<'_>> = root
        .all()
        .filter(|node| node.is(&["function_item"]))
        .map(|node| Function { node, attributes: attributes(node) })
        .collect();
    let pieces: Vec<Piece> = functions.iter().map(Function::piece).collect();
    for (function, piece) in functions.iter().zip(&pieces) {
        let text = function.node.field("body").map_or("", Node::text);
        if function.is_test() {
            let mut assertions = follow(piece, &pieces);
            if assertions.is_empty() {
                assertions.extend(survives(function.node));
            }
            outline.tests.push(Test {
                id: function.id(),
                line: function.node.line(),
                last_line: function.node.last_line(),
                digest: digest(text),
                assertions,
                markers: function.markers(),
                cases: function.cases(),
                text: function.node.text().to_owned(),
                shape: Shape::of(text),
            });
        } else {
            let (name, line) = (function.name().to_owned(), function.node.line());
            outline.others.push(Other { name, line, shape: Shape::of(text) });
        }
    }
    outline
}

/// Where `#[cfg(test)]` modules and tests lie.
fn inline(root: Node<'_>) -> Vec<std::ops::Range<usize>> {
    let items = root
        .all()
        .filter(|node| node.is(&["mod_item", "function_item", "use_declaration", "impl_item"]));
    let mut ranges: Vec<std::ops::Range<usize>> = Vec::new();
    for item in items {
        let attributes = attributes(item);
        let is_test = attributes.iter().any(|attribute| {
            let text = squeeze(attribute.text());
            (text.contains("cfg(test)") || text.contains("cfg(all(test"))
                || item.kind() == "function_item" && is_test_attribute(&text)
        });
        let start = attributes.first().map_or(item.start(), |first| first.start());
        let covered = ranges.last().is_some_and(|last| last.contains(&start));
        if is_test && !covered {
            ranges.push(start..item.end());
        }
    }
    ranges
}

/// The attributes right before an item, in order.
pub(crate) fn attributes(item: Node<'_>) -> Vec<Node<'_>> {
    let Some(parent) = item.parent() else { return Vec::new() };
    let mut found = Vec::new();
    for child in parent.children() {
        if child.same(item) {
            return found;
        }
        match child.kind() {
            "attribute_item" => found.push(child),
            "line_comment" | "block_comment" => {}
            _ => found.clear(),
        }
    }
    Vec::new()
}

fn is_test_attribute(text: &str) -> bool {
    let inner = text.trim_start_matches("#[").trim_end_matches(']');
    let path = inner.split('(').next().unwrap_or("");
    matches!(
        path.rsplit("::").next(),
        Some("test" | "rstest" | "test_case" | "quickcheck" | "case" | "wasm_bindgen_test")
    )
}

struct Function<'t> {
    node: Node<'t>,
    attributes: Vec<Node<'t>>,
}

impl<'t> Function<'t> {
    fn name(&self) -> &'t str {
        self.node.field("name").map_or("", Node::text)
    }

    fn is_test(&self) -> bool {
        self.attributes.iter().any(|attribute| is_test_attribute(&squeeze(attribute.text())))
            || self.node.ancestors().any(|above| {
                above.is(&["macro_invocation"]) && above.text().starts_with("proptest!")
            })
    }

    fn id(&self) -> String {
        let modules = self.node.ancestors().filter(|above| above.is(&["mod_item"]));
        let mut names: Vec<&str> =
            modules.filter_map(|module| module.field("name")).map(Node::text).collect();
        names.reverse();
        names.push(self.name());
        names.join("::")
    }

    fn markers(&self) -> Vec<Marker> {
        let modules = self.node.ancestors().filter(|above| above.is(&["mod_item"]));
        let around = modules.flat_map(attributes);
        let mut markers = Vec::new();
        for attribute in self.attributes.iter().copied().chain(around) {
            let text = squeeze(attribute.text());
            if text.contains("ignore") {
                let conditional = text.contains("cfg_attr") && !text.contains("all()");
                markers.push(Marker::Skip { reason: short(attribute.text()), conditional });
            }
            if text.contains("should_panic") {
                markers.push(Marker::ExpectedFailure);
            }
            if text.contains("cfg(any())")
                || text.contains("cfg(not(test))")
                || text.contains("cfg(FALSE)")
            {
                markers.push(Marker::Gated);
            } else if text.contains("cfg(feature") {
                markers.push(Marker::Skip { reason: short(attribute.text()), conditional: true });
            }
        }
        markers
    }

    fn cases(&self) -> Option<usize> {
        let cases = self.attributes.iter().map(|attribute| squeeze(attribute.text()));
        let count = cases
            .filter(|text| text.starts_with("#[case") || text.starts_with("#[test_case"))
            .count();
        if count > 0 {
            return Some(count);
        }
        let looped = self.node.field("body")?.all().find(|node| node.is(&["for_expression"]))?;
        let list = looped.field("value")?.all().find(|node| node.is(&["array_expression"]))?;
        Some(list.named().count())
    }

    fn piece(&self) -> Piece {
        let body = self.node.field("body").unwrap_or(self.node);
        let macros = body.all().filter(|node| node.is(&["macro_invocation"]));
        let mut assertions: Vec<Assertion> =
            macros.filter_map(|node| assertion(node, body)).collect();
        assertions.extend(body.all().filter_map(program_check));
        let calls = body.all().filter(|node| node.is(&["call_expression"]));
        let mut calls: Vec<String> = calls
            .filter_map(|call| call.field("function"))
            .map(|name| name.text().rsplit([':', '.']).next().unwrap_or("").to_owned())
            .collect();
        // What stands in a macro is no call for the parser.
        let inside = body.all().filter(|node| node.is(&["token_tree"]));
        calls.extend(
            inside
                .flat_map(Node::named)
                .filter(|n| n.is(&["identifier"]))
                .map(|n| n.text().to_owned()),
        );
        calls.truncate(200);
        Piece { name: self.name().to_owned(), assertions, calls, dropped: Vec::new() }
    }
}

/// `command.assert().success().stdout("…")`
fn program_check(node: Node<'_>) -> Option<Assertion> {
    let function = node.field("function").filter(|_| node.is(&["call_expression"]))?;
    if function.field("field").map(Node::text) != Some("assert") {
        return None;
    }
    let whole =
        node.ancestors().take_while(|above| above.is(&["call_expression", "field_expression"]));
    let whole = whole.last().unwrap_or(node);
    let told = whole.text().get(node.text().len()..).unwrap_or("");
    let exact = told.contains(".stdout(") || told.contains(".stderr(");
    Some(Assertion {
        line: node.line(),
        strength: if exact { 4 } else { 2 },
        text: short(told.trim_start()),
        subject: squeeze(function.text()),
        expected: Some(squeeze(told)),
        tolerance: None,
        fault: None,
    })
}

/// A test without a macro still checks that nothing panics.
fn survives(node: Node<'_>) -> Option<Assertion> {
    let text = node.field("body")?.text();
    let checks = [".unwrap()", ".expect(", "panic!", "unreachable!", "unwrap_err()", ")?;"];
    checks.iter().any(|word| text.contains(word)).then(|| Assertion {
        line: node.line(),
        strength: 1,
        text: short(text),
        subject: "it doesn't panic".to_owned(),
        expected: None,
        tolerance: None,
        fault: None,
    })
}

fn assertion(node: Node<'_>, body: Node<'_>) -> Option<Assertion> {
    let name = node.field("macro")?.text().rsplit("::").next()?;
    let known = strength::of(name).or_else(|| name.contains("assert").then_some(2))?;
    let tokens = node.named().find(|child| child.is(&["token_tree"]))?.text();
    let inner = tokens.get(1..tokens.len().saturating_sub(1)).unwrap_or("");
    let arguments = args::split(inner);
    let first = arguments.first().copied().unwrap_or("");
    let mut made = Assertion {
        line: node.line(),
        strength: known,
        text: short(node.text()),
        subject: squeeze(first),
        expected: None,
        tolerance: None,
        fault: None,
    };
    if name.ends_with("assert") {
        let judged = condition(first);
        made.strength = judged.strength;
        made.subject = judged.subject;
        made.expected = judged.expected;
        made.tolerance = judged.tolerance;
        made.fault = judged.fault;
    } else if let Some(second) = arguments.get(1) {
        let swap = is_literal(first) && !is_literal(second);
        let (subject, expected) = if swap { (*second, first) } else { (first, *second) };
        made.subject = squeeze(subject);
        made.expected = Some(squeeze(expected));
        made.tolerance = arguments
            .iter()
            .find_map(|part| part.split_once("epsilon"))
            .and_then(|(_, rest)| number(rest));
        let same = squeeze(first) == squeeze(second) && !name.ends_with("ne");
        if same || (is_literal(first) && is_literal(second)) {
            made.fault = Some(Fault::Tautology);
        }
    }
    made.fault = made.fault.or_else(|| fault(node, body));
    Some(made)
}

fn fault(node: Node<'_>, body: Node<'_>) -> Option<Fault> {
    let mut at = node;
    for above in node.ancestors() {
        if !body.holds(above) {
            break;
        }
        let found = match above.kind() {
            "block" if is_after_end(above, at) => Some(Fault::Unreachable),
            "if_expression" => above
                .field("condition")
                .filter(|test| {
                    test.text() == "false"
                        && above.field("consequence").is_some_and(|c| c.holds(at))
                })
                .map(|_| Fault::Unreachable),
            "call_expression" => thrown_away(above, body),
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
    before.any(|statement| {
        let text = squeeze(statement.text());
        text == "return;"
            || text == "return"
            || text == "if true{return;}"
            || text == "if true{return}"
            || text == "return Ok(());"
    })
}

/// A check in a closure whose panic or thread nobody looks at.
fn thrown_away(call: Node<'_>, body: Node<'_>) -> Option<Fault> {
    let name = call.field("function")?.text();
    let last = name.rsplit([':', '.']).next()?;
    let fault = match last {
        "catch_unwind" => Fault::Swallowed,
        "spawn" => Fault::NotAwaited,
        _ => return None,
    };
    let joins = ["join", ".await", "scope", "recv("];
    if fault == Fault::NotAwaited && joins.iter().any(|word| body.text().contains(word)) {
        return None;
    }
    let statement =
        call.ancestors().find(|above| above.is(&["let_declaration", "expression_statement"]))?;
    let pattern = statement.field("pattern").map_or("_", Node::text);
    (pattern == "_" || fault == Fault::NotAwaited).then_some(fault)
}
