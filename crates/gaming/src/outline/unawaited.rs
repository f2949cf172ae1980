//! Checks in an asynchronous function that a test calls, and that nobody waits for. Calling it runs
//! nothing of it in Python, and reports nothing of it in JavaScript.

use crate::syntax::Node;

const FUNCTIONS: &[&str] = &[
    "function_definition",
    "function_declaration",
    "function_expression",
    "arrow_function",
    "method_definition",
];
const CALLS: &[&str] = &["call", "call_expression"];

pub(super) fn is_async(function: Node<'_>) -> bool {
    function.is(FUNCTIONS) && function.text().starts_with("async")
}

/// Whether an asynchronous function within a test is called, and what comes of it is always left alone.
pub(super) fn is_left_alone(inner: Node<'_>, body: Node<'_>) -> bool {
    if !is_async(inner) {
        return false;
    }
    let Some(name) = name(inner) else {
        // `(async () => { … })()`
        let wrapped = inner.parent().filter(|above| above.is(&["parenthesized_expression"]));
        let call = wrapped.and_then(Node::parent).filter(|call| call.is(CALLS));
        return call.is_some_and(|call| is_dropped(call, body));
    };
    let is_use = |node: &Node<'_>| {
        let is_name = node.parent().is_some_and(|above| {
            above.is(&["variable_declarator"]) && above.field("name").is_some_and(|n| n.same(*node))
        });
        node.is(&["identifier"]) && node.text() == name && !inner.holds(*node) && !is_name
    };
    let mut uses = body.all().filter(is_use).peekable();
    uses.peek().is_some()
        && uses.all(|node| {
            let call = node.parent().filter(|above| above.is(CALLS));
            call.is_some_and(|call| {
                call.field("function").is_some_and(|function| function.same(node))
                    && is_dropped(call, body)
            })
        })
}

/// Functions of the file that a body calls, and of which it only ever drops what they hand back.
pub(super) fn dropped(body: Node<'_>, asyncs: &[&str]) -> Vec<String> {
    let calls: Vec<(Node<'_>, &str)> = body
        .all()
        .filter(|node| node.is(CALLS))
        .filter_map(|call| Some((call, call.field("function")?.text().rsplit('.').next()?)))
        .filter(|(_, name)| asyncs.contains(name))
        .collect();
    let is_kept = |name: &str| {
        let mut same = calls.iter().filter(|(_, other)| *other == name);
        same.any(|(call, _)| !is_dropped(*call, body))
    };
    let names = calls.iter().filter(|(_, name)| !is_kept(name));
    names.map(|(_, name)| (*name).to_owned()).collect()
}

/// The names of asynchronous functions, with those that a constant holds.
pub(super) fn asyncs(root: Node<'_>) -> Vec<&str> {
    root.all().filter(|node| is_async(*node)).filter_map(name).collect()
}

fn name(function: Node<'_>) -> Option<&str> {
    let holder = || function.parent().filter(|above| above.is(&["variable_declarator"]));
    let own = function.field("name").or_else(|| holder()?.field("name"));
    own.map(Node::text)
}

/// Whether nobody looks at what a call hands back.
fn is_dropped(call: Node<'_>, body: Node<'_>) -> bool {
    let Some(above) = call.parent() else { return false };
    match above.kind() {
        "expression_statement" => true,
        // `void check()`
        "unary_expression" => above.text().starts_with("void"),
        // `_ = check()`, where nothing reads the name.
        "assignment" | "variable_declarator" => {
            let held = above.field("left").or_else(|| above.field("name")).map_or("", Node::text);
            let named = body.all().filter(|node| node.is(&["identifier"]) && node.text() == held);
            named.count() == 1
        }
        // `check().catch(() => {})`
        "member_expression" => {
            let last = above.field("property").map_or("", Node::text);
            let outer = above.parent().filter(|outer| outer.is(CALLS));
            matches!(last, "catch" | "then" | "finally")
                && outer.is_some_and(|outer| is_dropped(outer, body))
        }
        _ => false,
    }
}
