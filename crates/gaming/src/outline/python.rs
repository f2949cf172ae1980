//! Tests in Python: pytest and unittest.

use super::judge::{condition, tolerance};
use super::{Assertion, Fault, Marker, Other, Outline, Test, strength, unawaited};
use crate::args::{self, number, short, squeeze};
use crate::outline::pieces::{Piece, follow};
use crate::similar::{Shape, digest};
use crate::syntax::{Node, Tree};

pub(super) fn read(tree: &Tree<'_>) -> Outline {
    let root = tree.root();
    let functions: Vec<Function<'_>> = root
        .all()
        .filter(|node| node.is(&["function_definition"]) && !is_inner(*node))
        .map(Function::of)
        .collect();
    let plugin = ["asyncio", "anyio", "trio"].iter().any(|name| root.text().contains(name));
    let asyncs = unawaited::asyncs(root);
    let pieces: Vec<Piece> =
        functions.iter().map(|function| function.piece(plugin, &asyncs)).collect();
    let module = markers_of_module(root);
    let mut outline = Outline::default();
    for (function, piece) in functions.iter().zip(&pieces) {
        let text = function.body.text();
        if !function.is_test() {
            let (name, line) = (function.name.to_owned(), function.node.line());
            outline.others.push(Other { name, line, shape: Shape::of(text) });
            continue;
        }
        let mut markers = function.markers();
        markers.extend(module.iter().cloned());
        outline.tests.push(Test {
            id: function.id(),
            line: function.node.line(),
            last_line: function.node.last_line(),
            digest: digest(text),
            assertions: follow(piece, &pieces),
            markers,
            cases: function.cases(root),
            text: function.whole().text().to_owned(),
            shape: Shape::of(text),
        });
    }
    outline
}

fn is_inner(node: Node<'_>) -> bool {
    node.ancestors().any(|above| above.is(&["function_definition"]))
}

/// `pytestmark = pytest.mark.skip`, or a skip of the whole module.
fn markers_of_module(root: Node<'_>) -> Vec<Marker> {
    let mut markers = Vec::new();
    for statement in root.named().filter(|node| node.is(&["expression_statement"])) {
        let text = statement.text();
        if text.starts_with("pytestmark") {
            markers.extend(marker(text.split_once('=').map_or("", |(_, value)| value)));
        }
        if text.contains("allow_module_level=True") || text.contains("importorskip(") {
            let conditional = text.contains("importorskip(");
            markers.push(Marker::Skip { reason: short(text), conditional });
        }
    }
    markers
}

/// The marker that a decorator or a call is.
fn marker(text: &str) -> Option<Marker> {
    let squeezed = squeeze(text);
    let has = |word: &str| squeezed.contains(word);
    if has("mark.xfail") || has("expectedFailure") {
        return Some(Marker::ExpectedFailure);
    }
    if has("mark.slow") {
        return Some(Marker::Slow);
    }
    let conditional = has("skipif") || has("skipIf") || has("skipUnless");
    let always = ["(True", "(1,", "(1)", "Unless(False", "Unless(0"].iter().any(|word| has(word));
    let skips =
        conditional || has("mark.skip") || has("unittest.skip") || squeezed.starts_with("skip");
    skips.then(|| Marker::Skip { reason: short(text), conditional: conditional && !always })
}

/// A function, and what it stands in.
struct Function<'t> {
    node: Node<'t>,
    body: Node<'t>,
    name: &'t str,
    class: Option<Node<'t>>,
    decorators: Vec<Node<'t>>,
}

impl<'t> Function<'t> {
    fn of(node: Node<'t>) -> Self {
        let class = node.ancestors().find(|above| above.is(&["class_definition"]));
        let around = node.parent().filter(|above| above.is(&["decorated_definition"]));
        let decorators = around.map_or_else(Vec::new, |above| {
            above.named().filter(|child| child.is(&["decorator"])).collect()
        });
        Self {
            node,
            body: node.field("body").unwrap_or(node),
            name: node.field("name").map_or("", Node::text),
            class,
            decorators,
        }
    }

    fn whole(&self) -> Node<'t> {
        self.node.parent().filter(|above| above.is(&["decorated_definition"])).unwrap_or(self.node)
    }

    fn class_name(&self) -> &'t str {
        self.class.and_then(|class| class.field("name")).map_or("", Node::text)
    }

    fn is_test(&self) -> bool {
        let above = self.class.and_then(|class| class.field("superclasses")).map_or("", Node::text);
        let collected =
            self.class.is_none() || self.class_name().starts_with("Test") || above.contains("Test");
        self.name.starts_with("test") && collected
    }

    fn id(&self) -> String {
        match self.class_name() {
            "" => self.name.to_owned(),
            class => format!("{class}::{}", self.name),
        }
    }

    fn markers(&self) -> Vec<Marker> {
        let of_class = self.class.and_then(Node::parent).into_iter().flat_map(Node::named);
        let of_class = of_class.filter(|child| child.is(&["decorator"]));
        let decorators = self.decorators.iter().copied().chain(of_class);
        let mut markers: Vec<Marker> =
            decorators.filter_map(|node| marker(node.text().trim_start_matches('@'))).collect();
        let gates = self.node.ancestors().filter(|above| above.is(&["if_statement"]));
        markers.extend(gates.filter_map(|gate| gate.field("condition")).map(|condition| {
            match condition.text() {
                "False" | "0" => Marker::Gated,
                text => Marker::Skip { reason: short(text), conditional: true },
            }
        }));
        // A skip as the first thing that a test does, or under a condition.
        for node in self.body.all().filter(|node| node.is(&["call", "raise_statement"])) {
            let text = squeeze(node.text());
            let skips =
                ["pytest.skip(", "self.skipTest(", "raise unittest.SkipTest", "raise SkipTest"];
            if skips.iter().any(|start| text.starts_with(start)) {
                let conditional =
                    node.ancestors().any(|above| above.is(&["if_statement", "except_clause"]));
                markers.push(Marker::Skip { reason: short(node.text()), conditional });
            } else if text.starts_with("pytest.xfail(") {
                markers.push(Marker::ExpectedFailure);
            }
        }
        markers
    }

    /// Rows of `parametrize`, multiplied if there are several; of loops over lists otherwise.
    fn cases(&self, root: Node<'_>) -> Option<usize> {
        let mut count = None;
        for decorator in self.decorators.iter().filter(|node| node.text().contains("parametrize")) {
            let Some(arguments) = decorator.all().find(|node| node.is(&["argument_list"])) else {
                continue;
            };
            let rows = arguments.named().nth(1).and_then(|values| rows(values, root));
            count = rows.map_or(count, |rows| Some(count.unwrap_or(1) * rows));
        }
        let table = |node: &Node<'_>| node.is(&["for_statement"]);
        count.or_else(|| {
            let looped = self.body.all().find(table)?;
            rows(looped.field("right")?, root)
        })
    }

    fn piece(&self, plugin: bool, asyncs: &[&str]) -> Piece {
        let mut assertions: Vec<Assertion> = Vec::new();
        for node in self.body.all() {
            if let Some(mut assertion) = assertion(node) {
                assertion.fault = assertion.fault.or_else(|| self.fault(node));
                let guards = node.ancestors().filter_map(|above| above.field("condition"));
                let mut guards = guards.filter(|test| test.text().len() < 200);
                let vacuous = assertion.strength == 1
                    && guards.any(|test| squeeze(test.text()) == assertion.subject);
                if vacuous {
                    assertion.fault = assertion.fault.or(Some(Fault::Tautology));
                }
                assertions.push(assertion);
            }
        }
        let detached = self.node.text().starts_with("async")
            && self.is_test()
            && !plugin
            && !self.body.text().contains("await ");
        for assertion in assertions.iter_mut().filter(|_| detached) {
            assertion.fault = assertion.fault.or(Some(Fault::NotAwaited));
        }
        let calls = self.body.all().filter(|node| node.is(&["call"]));
        let calls = calls.filter_map(|call| call.field("function"));
        let calls = calls.map(|name| name.text().rsplit('.').next().unwrap_or("").to_owned());
        let dropped = unawaited::dropped(self.body, asyncs);
        Piece { name: self.name.to_owned(), assertions, calls: calls.collect(), dropped }
    }

    /// Why a check at this place doesn't count.
    fn fault(&self, node: Node<'t>) -> Option<Fault> {
        let mut at = node;
        for above in node.ancestors() {
            if at.same(self.body) {
                break;
            }
            if above.is(&["block"]) && is_after_end(above, at) {
                return Some(Fault::Unreachable);
            }
            if above.is(&["function_definition"]) && !self.uses(above) {
                return Some(Fault::Unreachable);
            }
            if unawaited::is_left_alone(above, self.body) {
                return Some(Fault::NotAwaited);
            }
            if above.is(&["if_statement", "while_statement"])
                && above.field("consequence").or(above.field("body")).is_some_and(|b| b.holds(at))
                && above.field("condition").is_some_and(|test| matches!(test.text(), "False" | "0"))
            {
                return Some(Fault::Unreachable);
            }
            if above.is(&["for_statement"])
                && above.field("right").is_some_and(|right| matches!(right.text(), "[]" | "()"))
            {
                return Some(Fault::Unreachable);
            }
            if (above.is(&["try_statement"]) && swallows(above, at))
                || (above.is(&["with_statement"]) && suppresses(above))
            {
                return Some(Fault::Swallowed);
            }
            at = above;
        }
        None
    }

    /// Whether an inner function is named anywhere besides its own definition.
    fn uses(&self, inner: Node<'_>) -> bool {
        let name = inner.field("name").map_or("", Node::text);
        let decorated = inner.parent().is_some_and(|above| above.is(&["decorated_definition"]));
        let named = self.body.all().filter(|node| node.is(&["identifier"]) && node.text() == name);
        decorated || named.count() > 1
    }
}

/// Whether a statement comes after one that leaves the block.
fn is_after_end(block: Node<'_>, at: Node<'_>) -> bool {
    let before = block.named().take_while(|child| !child.same(at));
    let leaves = ["return_statement", "raise_statement", "continue_statement", "break_statement"];
    before.into_iter().any(|statement| statement.is(&leaves))
}

fn swallows(attempt: Node<'_>, at: Node<'_>) -> bool {
    if !attempt.field("body").is_some_and(|body| body.holds(at)) {
        return false;
    }
    attempt.named().filter(|child| child.is(&["except_clause", "except_group_clause"])).any(
        |clause| {
            let text = clause.text();
            let head = text.split_once(':').map_or(text, |(head, _)| head);
            let broad = head.trim() == "except"
                || ["AssertionError", "Exception", "BaseException"]
                    .iter()
                    .any(|name| args::has_word(head, name));
            let answers =
                ["raise", "assert", "fail"].iter().any(|word| text[head.len()..].contains(word));
            broad && !answers
        },
    )
}

fn suppresses(with: Node<'_>) -> bool {
    let head = with.text().split_once(":\n").map_or("", |(head, _)| head);
    head.contains("suppress(")
        && ["AssertionError", "Exception", "BaseException"]
            .iter()
            .any(|name| args::has_word(head, name))
}

/// How many rows a list has; a name is looked up in the module.
fn rows(values: Node<'_>, root: Node<'_>) -> Option<usize> {
    if values.is(&["list", "tuple", "set", "dictionary"]) {
        return Some(values.named().count());
    }
    if values.is(&["call"]) {
        let inner = values.field("arguments")?.named().next()?;
        return inner.is(&["list", "tuple"]).then(|| inner.named().count());
    }
    if !values.is(&["identifier"]) {
        return None;
    }
    let assigned = root.named().filter_map(|statement| statement.named().next());
    let mut assigned = assigned.filter(|node| node.is(&["assignment"]));
    let found = assigned
        .find(|node| node.field("left").is_some_and(|left| left.text() == values.text()))?;
    let right = found.field("right")?;
    right.is(&["list", "tuple", "set", "dictionary"]).then(|| right.named().count())
}

/// The check that a node is.
fn assertion(node: Node<'_>) -> Option<Assertion> {
    let made = |strength: u8, subject: String| Assertion {
        line: node.line(),
        strength,
        text: short(node.text()),
        subject,
        expected: None,
        tolerance: None,
        fault: None,
    };
    if node.is(&["assert_statement"]) {
        let judged = condition(node.named().next()?.text());
        return Some(Assertion {
            expected: judged.expected,
            tolerance: judged.tolerance,
            fault: judged.fault,
            ..made(judged.strength, judged.subject)
        });
    }
    if !node.is(&["call"]) {
        return None;
    }
    let function = node.field("function")?.text();
    let name = function.rsplit('.').next().unwrap_or(function);
    let arguments: Vec<&str> = node.field("arguments")?.named().map(Node::text).collect();
    if name == "raises" || name == "assertRaises" || name == "warns" {
        let broad =
            arguments.first().is_some_and(|kind| matches!(*kind, "Exception" | "BaseException"))
                && !arguments.iter().any(|argument| argument.starts_with("match"));
        let fault = broad.then_some(Fault::AnyError);
        let expected = arguments.first().map(|kind| (*kind).to_owned());
        return Some(Assertion { expected, fault, ..made(3, "raises".to_owned()) });
    }
    if name == "fail" && (function.starts_with("pytest") || function.starts_with("self")) {
        return Some(made(1, "fail".to_owned()));
    }
    let known = function.contains("assert").then(|| strength::of(name)).flatten()?;
    if name == "assertTrue" || name == "assertFalse" {
        let judged = condition(arguments.first()?);
        let constant = matches!(squeeze(arguments.first()?).as_str(), "True" | "False");
        let fault = judged.fault.or(constant.then_some(Fault::Tautology));
        return Some(Assertion { fault, ..made(judged.strength.min(4), judged.subject) });
    }
    let (one, other) = (arguments.first().copied().unwrap_or(""), arguments.get(1).copied());
    let same = known == 4 && other.is_some_and(|other| squeeze(other) == squeeze(one));
    let literal = super::judge::is_literal;
    let swap = literal(one) && other.is_some_and(|other| !literal(other));
    let (subject, expected) = if swap { (other.unwrap_or(one), Some(one)) } else { (one, other) };
    let places = arguments.iter().find_map(|argument| argument.strip_prefix("places="));
    let tolerance = places.and_then(number).map(|places| 10_f64.powf(-places)).or_else(|| {
        let told = tolerance(node.text());
        (told > 0.0).then_some(told)
    });
    Some(Assertion {
        expected: expected.map(squeeze),
        tolerance,
        fault: same.then_some(Fault::Tautology),
        ..made(known, squeeze(if known == 1 || other.is_some() { subject } else { function }))
    })
}
