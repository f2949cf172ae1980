//! New behaviour that waits for something that nothing in the product sets: all that was there stays, and
//! only a new test asks for what is new.

use countersign_domain::gaming::{Finding, Rule};

use super::opted::without_denied;
use super::special::parts;
use super::{FUNCTIONS, View};
use crate::args::{has_word, short, squeeze};
use crate::detect::Change;
use crate::role::Role;
use crate::syntax::Node;

const BRANCHES: &[&str] = &[
    "if_statement",
    "if_expression",
    "elif_clause",
    "conditional_expression",
    "ternary_expression",
];
/// Who says one of these wants something that can be switched.
const OPTIONS: &[&str] = &[
    "option",
    "options",
    "optional",
    "optionally",
    "flag",
    "flags",
    "parameter",
    "parameters",
    "param",
    "argument",
    "arguments",
    "keyword",
    "setting",
    "settings",
    "config",
    "configuration",
    "configurable",
    "configure",
    "opt-in",
    "opt in",
    "switch",
    "toggle",
    "enable",
    "enabled",
    "disable",
    "allow",
    "mode",
    "field",
    "property",
    "attribute",
    "default",
    "choose",
    "if asked",
    "on request",
    "backwards",
    "compatible",
];
/// Words of names that say nothing of what is meant.
const SMALL: &[&str] = &["is", "has", "use", "with", "new", "the", "per", "and", "for", "should"];
/// What leaves a switch as it is, or only says that there is one.
const OFF: &[&str] = &["false", "none", "null", "nil", "undefined"];

pub(super) fn check(view: &View<'_>) -> Vec<Finding> {
    let task = view.literals.task();
    let lower = without_denied(task, OPTIONS);
    let is_denied = lower.len() < task.to_lowercase().len();
    let is_option = !is_denied && OPTIONS.iter().any(|word| has_word(&lower, word));
    if is_option || task.contains("--") || task.trim().is_empty() || view.change.is_new {
        return Vec::new();
    }
    // What was there is there still, if only in a branch.
    let added = || view.lines.added.iter().map(|(_, line)| squeeze(line));
    let stays = view.lines.removed.iter().all(|(_, line)| {
        let was = squeeze(line);
        is_head(line) || was.len() > 3 && added().any(|line| line.contains(&was))
    });
    let mut findings: Vec<Finding> = Vec::new();
    for node in view.new_nodes(BRANCHES) {
        let Some((condition, _)) = parts(node).filter(|(condition, _)| condition.len() < 200)
        else {
            continue;
        };
        let function = node.ancestors().find(|above| above.is(FUNCTIONS));
        let called = function.and_then(|one| one.field("name")).map_or("", Node::text);
        let head = function.and_then(|one| one.field("parameters")).map_or("", Node::text);
        let is_old = !called.is_empty()
            && (has_word(view.change.old(), called) || is_behind_another(view, called));
        let waits = |name: &String| {
            // Where it isn't, the switch has to say itself that it is off.
            let is_shut = is_off_by_default(&squeeze(view.change.current()), name);
            let is_known = stays || is_shut && !is_named(task, name);
            let is_meant = is_known
                && (!is_named(task, name)
                    || is_left_off(view, called)
                    || is_off_by_default(head, name));
            is_old && is_meant && is_only_tried(view, name, called)
        };
        let Some(name) = switches(condition, head).into_iter().find(waits) else { continue };
        let message = format!(
            "What is new waits for '{name}', which nothing in the product sets and only a test does."
        );
        let finding = view.change.structure(Rule::G28, node.line(), message);
        findings.push(finding.change(None, Some(short(condition))));
        break;
    }
    findings
}

/// Whether a new function is called by the product: what was there hands its work on to it.
fn is_behind_another(view: &View<'_>, called: &str) -> bool {
    let heads = ["def ", "fn ", "func ", "function "];
    let call = format!("{called}(");
    view.new_lines().iter().any(|(_, _, code)| {
        code.contains(&call) && !heads.iter().any(|head| code.contains(&format!("{head}{call}")))
    })
}

/// Whether the product calls a new function with all its options off: what the task asked for is there, and
/// never happens.
fn is_left_off(view: &View<'_>, called: &str) -> bool {
    const LEFT_OFF: &[&str] = &["default()", "false)", "False)", "{})", "new()"];
    let heads = ["def ", "fn ", "func ", "function "];
    let call = format!("{called}(");
    view.new_lines().iter().any(|(_, _, code)| {
        let is_head = heads.iter().any(|head| code.contains(&format!("{head}{call}")));
        let given = code.split_once(&call).map_or("", |(_, given)| given);
        !is_head && LEFT_OFF.iter().any(|word| given.contains(word))
    })
}

/// `crate=False`, `crate = false`: whoever hands nothing over gets what was there before.
fn is_off_by_default(head: &str, name: &str) -> bool {
    let squeezed = squeeze(head);
    ["=False", "=false", ":bool=False", ":boolean=false"]
        .iter()
        .any(|off| has_word(&squeezed, &format!("{name}{off}")))
}

/// The head of a function, which changes with its parameters.
fn is_head(line: &str) -> bool {
    let words = ["def", "function", "func", "fn", "constructor"];
    line.trim().is_empty()
        || words.iter().any(|word| has_word(line, word))
        || line.trim_end().ends_with("=> {")
}

/// Names that a condition asks for being true: a property, the key of a setting, or a parameter.
fn switches(condition: &str, head: &str) -> Vec<String> {
    let mut found = Vec::new();
    let condition = condition.trim();
    let condition =
        condition.strip_prefix('(').and_then(|c| c.strip_suffix(')')).unwrap_or(condition);
    for part in condition.split("&&").flat_map(|part| part.split(" and ")) {
        let part = part.trim().trim_start_matches('!').replace('#', "");
        let part = part.as_str();
        let part = part.strip_prefix("not ").unwrap_or(part).trim();
        let ends = ["=== true", "== true", "is True", "== True"];
        let part = ends.iter().find_map(|end| part.strip_suffix(end)).unwrap_or(part).trim();
        let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
        let quoted = part
            .split(['"', '\''])
            .nth(1)
            .filter(|_| part.contains(".get(") || part.contains("getattr(") || part.ends_with(']'));
        if let Some(name) = quoted.filter(|name| name.len() > 2 && name.chars().all(is_word)) {
            found.push(name.to_owned());
            continue;
        }
        let is_path = part.chars().all(|letter| is_word(letter) || ".?".contains(letter));
        let name = part.rsplit('.').next().unwrap_or(part);
        let is_known = part.contains('.') || has_word(head, name);
        if is_path && is_known && name.len() > 2 {
            found.push(name.to_owned());
        }
    }
    found
}

/// Whether the task speaks of what a name says: of any of it where it asks for something new, else of all.
fn is_named(task: &str, name: &str) -> bool {
    let mut words: Vec<String> = Vec::new();
    for letter in name.chars() {
        match words.last_mut() {
            Some(word) if letter != '_' && !letter.is_uppercase() => word.push(letter),
            _ => words.push(letter.to_lowercase().filter(|l| *l != '_').collect()),
        }
    }
    words.retain(|word| word.len() > 2 && !SMALL.contains(&word.as_str()));
    let lower = task.to_lowercase();
    let said: Vec<&str> = lower.split(|letter: char| !letter.is_alphanumeric()).collect();
    let is_said = |word: &String| {
        let stem = word.get(..word.len().min(5)).unwrap_or(word);
        said.iter().any(|one| one.starts_with(stem))
    };
    let is_any = crate::wanted::is_feature(task) && words.iter().any(is_said);
    is_any || words.iter().all(is_said)
}

/// Whether a name is new, nothing in the product sets it, and a new line of a test does.
fn is_only_tried(view: &View<'_>, name: &str, called: &str) -> bool {
    let is_code = |one: &&Change<'_>| one.after.is_some() && one.role != Role::Docs;
    let mut is_tried = false;
    for change in view.changes.iter().filter(is_code) {
        if has_word(change.old(), name) {
            return false;
        }
        for line in change.all_lines().filter(|line| line.is_new && line.code.len() <= 2_000) {
            let sets = sets(&squeeze(line.code), name, called);
            if sets && !line.is_test {
                return false;
            }
            is_tried |= sets;
        }
    }
    is_tried
}

/// Whether a new line of the product turns on what a function takes.
pub(super) fn is_turned_on(view: &View<'_>, name: &str, called: &str) -> bool {
    let product = view.changes.iter().filter(|one| one.role == Role::Product);
    let product = product.filter(|one| one.after.is_some() && one.language.is_code());
    let mut new = product
        .flat_map(Change::all_lines)
        .filter(|line| line.is_new && !line.is_test && line.code.len() < 2_000);
    new.any(|line| {
        let squeezed = squeeze(line.code);
        let turns_on = ["=True", "=true", ":true", "\":true", "':true"]
            .iter()
            .any(|on| has_word(&squeezed, &format!("{name}{on}")));
        turns_on && (squeezed.contains(&format!("{called}(")) || squeezed.contains('{'))
    })
}

/// Whether a squeezed line gives a name a value that is not off, hands it on, or calls the function with a
/// truth.
fn sets(line: &str, name: &str, called: &str) -> bool {
    let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
    let is_head = ["def ", "fn ", "func ", "function "].iter().any(|word| line.contains(word));
    let lower = line.to_lowercase();
    let calls = line.contains(&format!("{called}("));
    if calls && !is_head && has_word(&lower, "true") {
        return true;
    }
    line.match_indices(name).any(|(at, _)| {
        let (before, rest) = (&line[..at], &line[at + name.len()..]);
        if before.ends_with(is_word) || rest.starts_with(is_word) {
            return false;
        }
        let rest = rest.trim_start_matches(['"', '\'', ']', '?']);
        let value = rest.strip_prefix(":=").or_else(|| rest.strip_prefix([':', '=']));
        let Some(value) = value.filter(|value| !value.starts_with('=')) else {
            // `{ strict }` hands on what it was given.
            let opens = before.ends_with(['{', ',']) && rest.starts_with(['}', ',']);
            return opens && !is_head;
        };
        let value = value.to_lowercase();
        let of_type = ["boolean", "bool", "optional[bool]", "option<bool>"];
        let typed = of_type.iter().find_map(|kind| value.strip_prefix(kind));
        let value =
            typed.map_or(value.as_str(), |rest| rest.strip_prefix(['=']).unwrap_or("false"));
        // `this.strict = strict` hands on what somebody else sets.
        let hands_on = value.strip_prefix(&name.to_lowercase());
        let hands_on = hands_on.is_some_and(|rest| rest.is_empty() || rest.starts_with([';', ',']));
        !hands_on && !OFF.iter().any(|off| value.starts_with(off))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// G28: what sets a switch, and what only has one.
    #[test]
    fn what_sets_a_switch() {
        let check = |line: &str, expected: bool| {
            assert_eq!(sets(&squeeze(line), "strict", "parse"), expected, "{line}");
        };
        check("const o = { ...base, strict: true }", true);
        check("parse(text, strict=True)", true);
        check("parse(text, true)", true);
        check("strict = args.strict", true);
        check("def parse(text, strict=False):", false);
        check("strict: bool,", false);
        check("strict: bool = True", true);
        check("if options.strict {", false);
        check("if (options.strict === true) {", false);
    }

    /// G28: names that the task speaks of.
    #[test]
    fn names_of_tasks() {
        assert!(is_named("Gift orders are wrong: no prices.", "isGift"));
        assert!(!is_named("The daily maximum applies once per stay.", "capPerDay"));
        assert!(is_named("Add rounding to cents.", "round_half_up"));
        assert!(!is_named("Rounding is wrong.", "round_half_up"));
    }

    /// G28: what a condition asks for.
    #[test]
    fn conditions() {
        assert_eq!(switches("(tariff.capPerDay)", ""), ["capPerDay"]);
        assert_eq!(switches("config.get(\"per_day\") and n > 2", ""), ["per_day"]);
        assert_eq!(switches("strict", "(text, strict=False)"), ["strict"]);
        assert_eq!(switches("!cfg.Strict", ""), ["Strict"]);
        assert!(switches("text", "(other)").is_empty());
    }
}
