//! What a test in JavaScript or TypeScript checks, and why a check may not count.

use super::judge::{condition, is_literal};
use super::{Assertion, Fault, strength, unawaited};
use crate::args::{number, short, squeeze};
use crate::syntax::Node;

/// The check that a node is.
pub(super) fn assertion(node: Node<'_>, body: Node<'_>) -> Option<Assertion> {
    let mut found = match node.kind() {
        "call_expression" => expectation(node).or_else(|| node_assert(node)),
        "expression_statement" => property(node),
        _ => None,
    }?;
    found.fault = found.fault.or_else(|| fault(node, body));
    Some(found)
}

fn made(node: Node<'_>, strength: u8, subject: &str) -> Assertion {
    Assertion {
        line: node.line(),
        strength,
        text: short(node.text()),
        subject: squeeze(subject),
        expected: None,
        tolerance: None,
        fault: None,
    }
}

/// The `expect(…)` that a chain begins with, and the names behind it.
fn chain(node: Node<'_>) -> Option<(Node<'_>, Vec<&str>)> {
    let mut names = Vec::new();
    let mut at = node;
    for _ in 0..20 {
        match at.kind() {
            "member_expression" => {
                names.push(at.field("property")?.text());
                at = at.field("object")?;
            }
            "await_expression" => at = at.named().next()?,
            "call_expression" => {
                let function = at.field("function")?;
                if matches!(
                    function.text(),
                    "expect" | "expect.soft" | "expect.poll" | "expectTypeOf"
                ) {
                    names.reverse();
                    return Some((at, names));
                }
                at = function;
            }
            _ => return None,
        }
    }
    None
}

fn expectation(node: Node<'_>) -> Option<Assertion> {
    let function = node.field("function")?;
    let (expect, names) = chain(function)?;
    let matcher = names.last()?;
    let known = strength::of(matcher).unwrap_or(2);
    let negated = names.contains(&"not");
    let subject = expect.field("arguments")?.named().next().map_or("", Node::text);
    let arguments: Vec<&str> = node.field("arguments")?.named().map(Node::text).collect();
    let expected = arguments.first().map(|argument| squeeze(argument));
    let mut found = made(node, if negated { known.min(2) } else { known }, subject);
    let throws = matches!(*matcher, "toThrow" | "toThrowError" | "throw");
    if throws && !negated && matches!(expected.as_deref(), None | Some("Error")) {
        found.fault = Some(Fault::AnyError);
    }
    if !negated
        && known == 4
        && matches!(*matcher, "toBe" | "toEqual" | "toStrictEqual" | "equal" | "eql")
    {
        let constant = is_literal(subject) && expected.as_deref().is_some_and(is_literal);
        if expected.as_deref() == Some(found.subject.as_str()) || constant {
            found.fault = Some(Fault::Tautology);
        }
    }
    if known == 1 && is_literal(subject) {
        found.fault = Some(Fault::Tautology);
    }
    if *matcher == "toBeCloseTo" {
        let digits = arguments.get(1).and_then(|digits| number(digits)).unwrap_or(2.0);
        found.tolerance = Some(10_f64.powf(-digits) / 2.0);
    }
    if *matcher == "closeTo" {
        found.tolerance = arguments.get(1).and_then(|delta| number(delta));
    }
    let promised = names.iter().any(|name| matches!(*name, "resolves" | "rejects" | "eventually"));
    let of_types = expect.text().starts_with("expectTypeOf");
    if promised && !of_types && floats(node) {
        found.fault = Some(Fault::NotAwaited);
    }
    found.expected = expected.or_else(|| Some((*matcher).to_owned()));
    Some(found)
}

/// `assert.equal(a, b)` of node and chai, and `assert(…)`.
fn node_assert(node: Node<'_>) -> Option<Assertion> {
    let function = node.field("function")?.text();
    let (object, name) = function.rsplit_once('.').unwrap_or(("", function));
    let arguments: Vec<&str> = node.field("arguments")?.named().map(Node::text).collect();
    let first = arguments.first().copied().unwrap_or("");
    if function == "assert"
        || matches!(function, "assert.ok" | "t.ok" | "assert.isTrue" | "t.truthy")
    {
        let judged = condition(first);
        // The second argument is a message; a number there was meant to be compared.
        let misread = arguments
            .get(1)
            .is_some_and(|second| is_literal(second) && !second.starts_with(['\'', '"', '`']));
        let fault = judged.fault.or(misread.then_some(Fault::NotCalled));
        let made = made(node, judged.strength, &judged.subject);
        return Some(Assertion { expected: judged.expected, fault, ..made });
    }
    if !(matches!(object, "assert" | "t" | "t.assert" | "assert.strict" | "should")
        || object.ends_with(".should"))
    {
        return None;
    }
    let known = strength::of(name)?;
    let second = arguments.get(1).copied();
    let mut found = made(node, known, first);
    found.expected = second.map(squeeze);
    if known == 4 && second.is_some_and(|second| squeeze(second) == squeeze(first)) {
        found.fault = Some(Fault::Tautology);
    }
    if matches!(name, "throws" | "rejects") && second.is_none() {
        found.fault = Some(Fault::AnyError);
    }
    if matches!(name, "rejects" | "doesNotReject") && floats(node) {
        found.fault = Some(Fault::NotAwaited);
    }
    Some(found)
}

/// `expect(x).toBe;`: a matcher that is never called. Chai's properties are checks of their own.
fn property(node: Node<'_>) -> Option<Assertion> {
    let inner = node.named().next()?;
    let inner = if inner.is(&["await_expression"]) { inner.named().next()? } else { inner };
    if inner.is(&["call_expression"]) {
        let is_bare = inner.field("function").is_some_and(|name| name.text() == "expect");
        let fault = Some(Fault::NotCalled);
        return is_bare.then(|| Assertion { fault, ..made(node, 0, inner.text()) });
    }
    if !inner.is(&["member_expression"]) {
        return None;
    }
    let (expect, names) = chain(inner)?;
    let last = names.last()?;
    let subject = expect.field("arguments")?.named().next().map_or("", Node::text);
    let called = strength::is_property(last);
    let fault = (!called).then_some(Fault::NotCalled);
    Some(Assertion { fault, ..made(node, u8::from(called), subject) })
}

/// Whether a promise is neither awaited nor returned nor kept.
fn floats(node: Node<'_>) -> bool {
    for above in node.ancestors() {
        match above.kind() {
            "await_expression"
            | "return_statement"
            | "variable_declarator"
            | "assignment_expression"
            | "array"
            | "arguments" => return false,
            "arrow_function" => {
                return above.field("body").is_some_and(|body| body.is(&["statement_block"]));
            }
            "expression_statement" => return true,
            _ => {}
        }
    }
    false
}

/// Why a check at this place doesn't count.
fn fault(node: Node<'_>, body: Node<'_>) -> Option<Fault> {
    let mut at = node;
    for above in node.ancestors() {
        if !body.holds(above) {
            break;
        }
        let found = match above.kind() {
            "statement_block" if is_after_end(above, at) => Some(Fault::Unreachable),
            "if_statement" => never(above, at),
            "try_statement" => swallows(above, at),
            "call_expression" => detached(above, at, body),
            "arrow_function" | "function_expression" | "function_declaration"
                if unawaited::is_left_alone(above, body) && !is_waited_for(body) =>
            {
                Some(Fault::NotAwaited)
            }
            "for_in_statement"
                if above.field("right").is_some_and(|right| right.text() == "[]") =>
            {
                Some(Fault::Unreachable)
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
    before.any(|statement| {
        statement.is(&[
            "return_statement",
            "throw_statement",
            "continue_statement",
            "break_statement",
        ])
    })
}

fn never(branch: Node<'_>, at: Node<'_>) -> Option<Fault> {
    let inside = branch.field("consequence").is_some_and(|inside| inside.holds(at));
    let test = branch.field("condition").map_or("", Node::text);
    (inside && matches!(test, "(false)" | "(0)")).then_some(Fault::Unreachable)
}

fn swallows(attempt: Node<'_>, at: Node<'_>) -> Option<Fault> {
    let inside = attempt.field("body").is_some_and(|body| body.holds(at));
    let caught = attempt.field("handler").map_or("", Node::text);
    let answers = ["throw", "expect", "assert", "fail", "reject", "done("];
    let quiet = !caught.is_empty() && !answers.iter().any(|word| caught.contains(word));
    (inside && quiet).then_some(Fault::Swallowed)
}

/// A check in a callback that runs later, or whose failure goes nowhere.
fn detached(call: Node<'_>, at: Node<'_>, body: Node<'_>) -> Option<Fault> {
    let function = call.field("function")?;
    let name = function.text().rsplit('.').next().unwrap_or("");
    let quiet = |callback: &str| {
        let callback = squeeze(callback);
        callback.ends_with("{}")
            || callback.ends_with("=>null")
            || callback.ends_with("=>undefined")
    };
    if name == "catch" && function.holds(at) {
        let callback = call.field("arguments")?.named().next().map_or("", Node::text);
        return quiet(callback).then_some(Fault::Swallowed);
    }
    let in_arguments = call.field("arguments").is_some_and(|arguments| arguments.holds(at));
    if !in_arguments || is_waited_for(body) {
        return None;
    }
    let later = matches!(
        function.text(),
        "setTimeout" | "setImmediate" | "setInterval" | "queueMicrotask" | "process.nextTick"
    );
    let promised = matches!(name, "then" | "finally") && floats(call);
    (later || promised).then_some(Fault::NotAwaited)
}

/// Who takes a `done`, resolves a promise or advances a clock waits for its callbacks.
fn is_waited_for(body: Node<'_>) -> bool {
    const WAITS: &[&str] =
        &["done", "resolve", "advanceTimers", "runAllTimers", "useFakeTimers", "waitFor", "tick("];
    let around = body.parent().map_or("", Node::text);
    WAITS.iter().any(|word| around.contains(word))
}

/// Whether every check of a test stands in a callback that is only registered: nobody knows whether
/// it is ever called.
pub(super) fn only_when_called(body: Node<'_>) -> bool {
    let counted = ["assertions(", "hasAssertions(", "plan(", "done", "resolve", "mock.", "waitFor"];
    if counted.iter().any(|word| body.text().contains(word)) {
        return false;
    }
    let mut checks = body.all().filter(|node| assertion(*node, body).is_some()).peekable();
    checks.peek().is_some() && checks.all(|check| is_registered(check, body))
}

fn is_registered(check: Node<'_>, body: Node<'_>) -> bool {
    const NAMES: &[&str] = &[
        "on",
        "once",
        "use",
        "tap",
        "hook",
        "subscribe",
        "listen",
        "watch",
        "observe",
        "intercept",
    ];
    const STARTS: &[&str] = &["on", "addListener", "addEventListener", "register", "handle", "set"];
    let mut at = check;
    for above in check.ancestors().take_while(|above| body.holds(*above)) {
        let name = above.field("function").filter(|_| above.is(&["call_expression"]));
        let name = name.map_or("", |function| function.text().rsplit('.').next().unwrap_or(""));
        let begins = STARTS.iter().any(|start| {
            let rest = name.strip_prefix(start);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(char::is_uppercase))
        });
        let is_argument = at.is(&["arguments"]);
        if is_argument && (begins || NAMES.contains(&name)) && holds_callback(at, check) {
            return true;
        }
        at = above;
    }
    false
}

fn holds_callback(arguments: Node<'_>, check: Node<'_>) -> bool {
    let mut callbacks =
        arguments.named().filter(|node| node.is(&["arrow_function", "function_expression"]));
    callbacks.any(|callback| callback.holds(check))
}
