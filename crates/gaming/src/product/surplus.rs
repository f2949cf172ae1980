//! Arguments that nobody takes: a function is called with more than it has parameters for, which JavaScript
//! lets pass without a word. What was to be done with them is not done.

use countersign_domain::gaming::{Finding, Rule};

use super::View;
use crate::args::short;
use crate::syntax::{Node, Tree};

pub(super) fn check(view: &View<'_>) -> Vec<Finding> {
    if !view.change.language.is_script() {
        return Vec::new();
    }
    let Some(root) = view.tree.map(Tree::root) else { return Vec::new() };
    let mut findings = Vec::new();
    for call in view.new_nodes(&["call_expression"]) {
        let Some(name) = call.field("function").filter(|one| one.is(&["identifier"])) else {
            continue;
        };
        let Some(given) = call.field("arguments") else { continue };
        if given.named().any(|one| one.is(&["spread_element"])) {
            continue;
        }
        let handed = given.named().filter(|one| !one.is(&["comment"])).count();
        let Some(taken) = taken(root, name.text()) else { continue };
        if handed > taken {
            let message = format!(
                "'{}' is called with {handed} arguments and takes {taken}: what is handed over has no effect.",
                name.text()
            );
            let finding = view.change.structure(Rule::G26, call.line(), message);
            findings.push(finding.change(None, Some(short(call.text()))));
        }
    }
    findings
}

/// How many parameters the only function of that name in a file has, where that is all it can take.
fn taken(root: Node<'_>, name: &str) -> Option<usize> {
    let is_named = |node: &Node<'_>| node.field("name").is_some_and(|one| one.text() == name);
    let mut all = root
        .all()
        .filter(|node| {
            node.is(&["function_declaration", "variable_declarator", "class_declaration"])
                || node.is(&["generator_function_declaration"])
        })
        .filter(is_named);
    let function = all.next()?;
    // A name that anything else has as well, such as a parameter, may be something else here.
    let is_other = root.all().any(|node| {
        let is_parameter = node.parent().is_some_and(|above| above.is(&["formal_parameters"]));
        is_parameter && node.text() == name
    });
    if all.next().is_some() || is_other || !function.is(&["function_declaration"]) {
        return None;
    }
    let parameters = function.field("parameters")?;
    let is_open = parameters.named().any(|one| one.is(&["rest_pattern", "rest_parameter"]))
        || parameters.text().contains("...")
        || function.field("body")?.text().contains("arguments");
    (!is_open).then(|| parameters.named().filter(|one| !one.is(&["comment"])).count())
}
