//! Tests in JavaScript and TypeScript: jest, vitest, mocha, node:test, playwright.

use super::pieces::{Piece, follow};
use super::script_checks::{assertion, only_when_called};
use super::{Assertion, Fault, Marker, Other, Outline, Test, unawaited};
use crate::args::short;
use crate::similar::{Shape, digest};
use crate::syntax::{Node, Tree};

const TESTS: &[&str] = &["it", "test", "specify", "fit", "xit", "xtest", "xspecify"];
const GROUPS: &[&str] = &["describe", "context", "suite", "fdescribe", "xdescribe", "xcontext"];
const FUNCTIONS: &[&str] =
    &["arrow_function", "function_expression", "function", "function_declaration"];

pub(super) fn read(tree: &Tree<'_>) -> Outline {
    let root = tree.root();
    let mut outline = Outline::default();
    let asyncs = unawaited::asyncs(root);
    let pieces: Vec<Piece> = root
        .all()
        .filter(|node| {
            node.is(&["function_declaration", "variable_declarator", "method_definition"])
        })
        .filter_map(|node| {
            let name = node.field("name")?.text();
            let body = node.field("body").or_else(|| node.field("value")?.field("body"))?;
            Some((name, node, body))
        })
        .inspect(|(name, node, body)| {
            let shape = Shape::of(body.text());
            outline.others.push(Other { name: (*name).to_owned(), line: node.line(), shape });
        })
        .map(|(name, _, body)| piece(name, body, &asyncs))
        .collect();
    for node in root.all().filter(|node| node.is(&["call_expression"])) {
        let Some(call) = Call::of(node).filter(|call| TESTS.contains(&call.root)) else {
            continue;
        };
        let Some(name) = call.name() else { continue };
        let body = call.body();
        let text = body.map_or("", Node::text);
        let mut own = piece("", body.unwrap_or(node), &asyncs);
        if body.is_some_and(only_when_called) {
            // Nothing says that the callback ever runs.
            for check in own.assertions.iter_mut().filter(|check| check.fault.is_none()) {
                check.fault = Some(Fault::NotAwaited);
            }
        }
        let groups: Vec<Call<'_>> = node
            .ancestors()
            .filter_map(Call::of)
            .filter(|call| GROUPS.contains(&call.root))
            .collect();
        let mut id: Vec<String> = groups.iter().rev().filter_map(Call::name).collect();
        id.push(name);
        let mut markers = call.markers(body);
        markers.extend(groups.iter().flat_map(|group| group.markers(None)));
        markers.extend(gates(node));
        outline.tests.push(Test {
            id: id.join("::"),
            line: node.line(),
            last_line: node.last_line(),
            digest: digest(text),
            assertions: follow(&own, &pieces),
            markers,
            cases: call.cases(root),
            text: node.text().to_owned(),
            shape: Shape::of(text),
        });
    }
    outline
}

/// Conditions around a test that are asked before any test runs.
fn gates(node: Node<'_>) -> impl Iterator<Item = Marker> {
    let branches = node.ancestors().filter(|above| above.is(&["if_statement"]));
    branches.filter_map(|branch| branch.field("condition")).map(|condition| {
        match condition.text() {
            "(false)" | "(0)" => Marker::Gated,
            text => Marker::Skip { reason: short(text), conditional: true },
        }
    })
}

fn piece(name: &str, body: Node<'_>, asyncs: &[&str]) -> Piece {
    let assertions: Vec<Assertion> = body.all().filter_map(|node| assertion(node, body)).collect();
    let calls = body.all().filter(|node| node.is(&["call_expression"]));
    let calls = calls.filter_map(|call| call.field("function"));
    let calls = calls.map(|called| called.text().rsplit('.').next().unwrap_or("").to_owned());
    Piece {
        name: name.to_owned(),
        assertions,
        calls: calls.filter(|name| name.len() < 80).collect(),
        dropped: unawaited::dropped(body, asyncs),
    }
}

/// `it.only.each([…])('name', options, () => …)`
struct Call<'t> {
    node: Node<'t>,
    root: &'t str,
    /// What stands behind the first name, with dots.
    tail: &'t str,
    arguments: Vec<Node<'t>>,
}

impl<'t> Call<'t> {
    fn of(node: Node<'t>) -> Option<Self> {
        if !node.is(&["call_expression"]) {
            return None;
        }
        let function = node.field("function")?;
        let text = function.text();
        let end = text.find(|letter: char| !(letter.is_alphanumeric() || letter == '_'));
        let root = &text[..end.unwrap_or(text.len())];
        if !TESTS.contains(&root) && !GROUPS.contains(&root) {
            return None;
        }
        let arguments = node.field("arguments")?.named().collect();
        Some(Self { node, root, tail: &text[root.len()..], arguments })
    }

    /// The first argument, if it is a name. `it.each([…])` alone has none.
    fn name(&self) -> Option<String> {
        let first = self.arguments.first()?;
        let texts =
            ["string", "template_string", "identifier", "member_expression", "binary_expression"];
        // Playwright's `test.skip(condition, reason)` inside of a test is no test.
        let plain = first.is(&texts) && !self.node.parent()?.is(&["arguments", "call_expression"]);
        let is_test =
            plain && (self.body().is_some() || self.tail.contains("todo") || self.is_off());
        is_test.then(|| first.text().trim_matches(['\'', '"', '`']).to_owned())
    }

    fn is_off(&self) -> bool {
        self.root.starts_with('x') || [".skip", ".todo"].iter().any(|word| self.tail.contains(word))
    }

    fn body(&self) -> Option<Node<'t>> {
        let function = self.arguments.iter().rev().find(|node| node.is(FUNCTIONS))?;
        function.field("body")
    }

    /// `{ skip: true }` between the name and the body.
    fn option(&self, name: &str) -> bool {
        let objects = self.arguments.iter().filter(|node| node.is(&["object"]));
        objects.flat_map(|object| object.named()).any(|pair| {
            pair.field("key").is_some_and(|key| key.text() == name)
                && pair.field("value").is_some_and(|value| !matches!(value.text(), "false" | "0"))
        })
    }

    fn markers(&self, body: Option<Node<'_>>) -> Vec<Marker> {
        let mut markers = Vec::new();
        let tail =
            |word: &str| self.tail.split(['.', '(', '[', ']', '"', '\'']).any(|part| part == word);
        if self.root.starts_with('f') || tail("only") || self.option("only") {
            markers.push(Marker::Focus);
        }
        let conditional = tail("skipIf") || tail("runIf");
        if self.is_off() || conditional || self.option("skip") || self.option("todo") {
            let reason = short(self.node.field("function").map_or("", Node::text));
            markers.push(Marker::Skip { reason, conditional });
        }
        if tail("fails") || tail("failing") || tail("fail") || self.option("fails") {
            markers.push(Marker::ExpectedFailure);
        }
        for call in
            body.into_iter().flat_map(Node::all).filter(|node| node.is(&["call_expression"]))
        {
            let function = call.field("function").map_or("", Node::text);
            if matches!(
                function,
                "t.skip" | "this.skip" | "ctx.skip" | "test.skip" | "context.skip"
            ) {
                let conditional = call.ancestors().any(|above| above.is(&["if_statement"]))
                    || call.field("arguments").is_some_and(|all| all.named().count() > 1);
                markers.push(Marker::Skip { reason: short(call.text()), conditional });
            }
        }
        markers
    }

    /// Rows of `.each([…])`.
    fn cases(&self, root: Node<'_>) -> Option<usize> {
        if !self.tail.starts_with(".each") && !self.tail.contains(".each(") {
            return None;
        }
        let inner = self.node.field("function")?;
        let table = inner.field("arguments")?.named().next()?;
        if table.is(&["array"]) {
            return Some(table.named().count());
        }
        if table.is(&["identifier"]) {
            let mut named = root.all().filter(|node| node.is(&["variable_declarator"]));
            let found =
                named.find(|node| node.field("name").is_some_and(|n| n.text() == table.text()))?;
            let value = found.field("value")?;
            return value.is(&["array"]).then(|| value.named().count());
        }
        table.is(&["template_string"]).then(|| table.text().lines().count().saturating_sub(2))
    }
}
