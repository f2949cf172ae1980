//! Equalities that look at less than the one whose place they take.

use countersign_domain::gaming::{Finding, Rule};

use super::super::{FUNCTIONS, View};
use super::asked;
use crate::args::{has_word, short, squeeze};
use crate::language::Language;
use crate::syntax::{Node, Tree};

const NAMES: &[&str] = &["__eq__", "eq", "equals", "Equal", "Equals", "isEqual"];
const TYPES: &[&str] = &["class_definition", "class_declaration", "struct_item", "enum_item"];

pub(super) fn check(view: &View<'_>) -> Vec<Finding> {
    let (Some(tree), Some(before)) = (view.tree, view.change.before.as_deref()) else {
        return Vec::new();
    };
    let mut findings = excluded(view);
    let is_ours = |node: &Node<'_>| {
        !view.change.is_test_at(node.start())
            && (node.line()..=node.last_line()).any(|line| view.lines.is_added(line))
    };
    let changed: Vec<Node<'_>> = equalities(tree).filter(is_ours).collect();
    if changed.is_empty() {
        return findings;
    }
    let Some(old) = Tree::parse(view.change.language, before) else { return findings };
    for node in changed {
        if let Some(what) = lost(view, &old, node) {
            let message = format!("An equality of its own no longer looks at {what}.");
            let finding = view.change.structure(Rule::G24, node.line(), message);
            findings.push(finding.change(None, Some(short(node.text()))));
        }
    }
    findings
}

/// What an equality leaves out that was looked at before, in words.
fn lost(view: &View<'_>, old: &Tree<'_>, node: Node<'_>) -> Option<String> {
    let language = view.change.language;
    let owner = owner(node);
    let name = node.field("name")?.text();
    let body = node.field("body")?.text();
    let earlier = equalities(old).find(|other| {
        other.field("name").is_some_and(|other| other.text() == name)
            && self::owner(*other) == owner
    });
    let earlier_body = earlier.and_then(|node| node.field("body")).map(Node::text);
    let fields = match earlier_body {
        Some(was) => read(was),
        None => match derived(language, old, &owner) {
            Some(fields) => fields,
            None => return first(view, old, node, &owner),
        },
    };
    if squeeze(body).contains("discriminant(self)==") {
        let is_asked = view.literals.task_has(&["kind", "kinds", "variant", "variants"]);
        return (!is_asked && fields.iter().any(|field| field == "*"))
            .then(|| "the values of its variants".to_owned());
    }
    let (reach, is_alone) = reach(view, node)?;
    let is_left = |field: &&String| has_word(view.change.current(), field) && *field != "*";
    let fields: Vec<&String> = fields.iter().filter(is_left).collect();
    let (kept, missing): (Vec<&String>, Vec<&String>) =
        fields.iter().partition(|field| has_word(&reach, field));
    let task = asked::Sentences::of(view.literals.task());
    let is_listed = task.compares_by(&kept, &missing);
    let out = missing.iter().find(|field| !is_listed && !task.ignores(field));
    if let Some(field) = out {
        return Some(format!("'{field}'"));
    }
    let was_long = |field: &str| earlier_body.is_none_or(|was| !is_counted(was, field));
    let counted = kept
        .iter()
        .find(|field| is_alone && is_counted(body, field) && was_long(field) && !task.counts());
    if let Some(field) = counted {
        return Some(format!("what is in '{field}', only at how much it is"));
    }
    // Who writes by hand what the language worked out has a reason, and the task is where it stands.
    let is_about_it = if is_alone { task.is_about_equality() } else { task.names_equality() };
    let is_unasked = earlier.is_none() && !fields.is_empty() && !is_about_it;
    let is_exact = fields.iter().all(|field| is_compared(body, field)) || is_by_key(body);
    (is_unasked && !is_exact).then(|| "all that it looked at before, as it was".to_owned())
}

/// `self.key() == other.key()`, which says what counts by its name.
fn is_by_key(body: &str) -> bool {
    let body = squeeze(body);
    let inner = body.trim_matches(['{', '}']);
    let sides = inner.split_once("==");
    let own = sides.and_then(|(left, _)| left.strip_prefix("self."));
    let others = sides.and_then(|(_, right)| right.strip_prefix("other."));
    own.is_some() && own == others
}

/// What the first equality of a class leaves out, where most of it is left out and the task doesn't say by
/// what things are told apart.
fn first(view: &View<'_>, old: &Tree<'_>, node: Node<'_>, owner: &str) -> Option<String> {
    let is_it = |one: &Node<'_>| {
        one.is(TYPES) && one.field("name").is_some_and(|name| name.text() == owner)
    };
    let fields = match old.root().all().find(is_it) {
        Some(class) if view.change.language == Language::Rust => derived_fields(class),
        Some(class) => given(class),
        None => members(view.change.old(), owner)?,
    };
    let (reach, _) = reach(view, node)?;
    let (kept, missing): (Vec<&String>, Vec<&String>) =
        fields.iter().partition(|field| has_word(&reach, field));
    let task = asked::Sentences::of(view.literals.task());
    let is_told = task.compares_by(&kept, &missing)
        || missing.iter().any(|field| task.ignores(field))
        || kept.iter().any(|field| view.literals.task_has(&[field.as_str()]));
    let is_little = !kept.is_empty() && kept.len() * 2 < fields.len() && fields.len() > 2;
    if let Some(out) = missing.iter().find(|field| !task.ignores(field))
        && task.counts_the_rest()
        && !kept.is_empty()
    {
        return Some(format!("'{out}', though the task says that everything else counts"));
    }
    let out = missing.first().filter(|_| is_little && !is_told && task.is_about_all())?;
    Some(format!("'{out}', though the task speaks of all"))
}

/// The fields of a struct of Rust.
fn derived_fields(node: Node<'_>) -> Vec<String> {
    let parts = node.all().filter(|part| part.is(&["field_declaration"]));
    parts.filter_map(|part| Some(part.field("name")?.text().to_owned())).collect()
}

/// The fields of a struct of Go: `Major, Minor int`.
fn members(text: &str, owner: &str) -> Option<Vec<String>> {
    let (_, body) = text.split_once(&format!("type {owner} struct {{"))?;
    let mut fields = Vec::new();
    for line in body.lines().take_while(|line| line.trim() != "}") {
        let line = line.split("//").next().unwrap_or("").trim();
        let names = line.rsplit_once(' ').map_or("", |(names, _)| names);
        fields.extend(
            names.split(',').map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned),
        );
    }
    Some(fields)
}

/// The fields that objects of a class get when they are made.
fn given(class: Node<'_>) -> Vec<String> {
    let makes = |one: &Node<'_>| {
        let name = one.field("name").map_or("", Node::text);
        one.is(FUNCTIONS) && matches!(name, "__init__" | "constructor")
    };
    let Some(function) = class.all().find(makes) else { return Vec::new() };
    let mut fields: Vec<String> = Vec::new();
    for line in function.text().lines() {
        let line = line.trim();
        let own = line.strip_prefix("self.").or_else(|| line.strip_prefix("this."));
        let Some((name, rest)) = own.and_then(|own| own.split_once([' ', ':', '='])) else {
            continue;
        };
        let is_name = name.chars().all(|letter| letter.is_alphanumeric() || letter == '_');
        if is_name && rest.contains('=') && !fields.iter().any(|known| known == name) {
            fields.push(name.to_owned());
        }
    }
    fields
}

/// Whether a field is compared as it is: `self.bass == other.bass`.
fn is_compared(body: &str, field: &str) -> bool {
    let squeezed = squeeze(body);
    ["self", "this"].iter().any(|own| {
        ["other", "that", "rhs", "o"].iter().any(|other| {
            squeezed.contains(&format!("{own}.{field}=={other}.{field}"))
                || squeezed.contains(&format!("{other}.{field}=={own}.{field}"))
        })
    }) || ["(self.", "(other."].iter().all(|part| squeezed.contains(part))
        && squeezed.contains(")==(")
}

fn equalities<'t>(tree: &'t Tree<'_>) -> impl Iterator<Item = Node<'t>> {
    tree.root()
        .all()
        .filter(|node| node.is(FUNCTIONS))
        .filter(|node| node.field("name").is_some_and(|name| NAMES.contains(&name.text())))
}

/// The type that a method belongs to.
fn owner(node: Node<'_>) -> String {
    let plain = |text: &str| {
        let text = text.trim_matches(['(', ')']).rsplit(' ').next().unwrap_or("");
        let text = text.trim_start_matches(['*', '&']);
        text.split(['<', '[']).next().unwrap_or("").to_owned()
    };
    if let Some(receiver) = node.field("receiver") {
        return plain(receiver.text());
    }
    let around = node.ancestors().find(|above| above.is(&["impl_item"]) || above.is(TYPES));
    let named = around.and_then(|above| above.field("type").or_else(|| above.field("name")));
    // Parameters of a type have spaces in them.
    named.map(|name| plain(name.text().split('<').next().unwrap_or(""))).unwrap_or_default()
}

/// The fields that a body reads: `self.rows`, `other.rows.len()`.
fn read(body: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for part in body.split('.').skip(1) {
        let end = part.find(|l: char| !(l.is_alphanumeric() || l == '_')).unwrap_or(part.len());
        let (word, rest) = part.split_at(end);
        let is_plain = !matches!(word, "length" | "size" | "constructor" | "__class__");
        if !word.is_empty() && is_plain && !rest.starts_with('(') {
            found.push(word.to_owned());
        }
    }
    found.sort();
    found.dedup();
    found
}

/// The fields of a type whose equality the language worked out; `*` are the values of variants.
fn derived(language: Language, old: &Tree<'_>, owner: &str) -> Option<Vec<String>> {
    let is_it = |node: &Node<'_>| {
        node.is(TYPES) && node.field("name").is_some_and(|name| name.text() == owner)
    };
    let node = old.root().all().find(is_it)?;
    let before = &old.root().text()[..node.start() - old.root().start()];
    let is_above = |line: &&str| {
        let line = line.trim();
        line.is_empty() || line.starts_with(['#', '/', '@', ')']) || line.contains("derive(")
    };
    let above: String = before.lines().rev().take_while(is_above).collect();
    match language {
        Language::Rust => {
            let parts = || node.all().filter(|part| part.is(&["field_declaration"]));
            let mut fields: Vec<String> =
                parts().filter_map(|part| Some(part.field("name")?.text().to_owned())).collect();
            if node.is(&["enum_item"]) {
                let has_values = node.all().any(|part| {
                    part.is(&["ordered_field_declaration_list", "field_declaration_list"])
                });
                fields = if has_values { vec!["*".to_owned()] } else { Vec::new() };
            }
            above.contains("PartialEq").then_some(fields)
        }
        Language::Python => {
            let is_data = (above.contains("@dataclass") || above.contains("dataclasses.dataclass"))
                && !above.contains("eq=False");
            let lines = node.field("body")?.named().filter_map(|part| field(part.text()));
            is_data.then(|| lines.map(str::to_owned).collect())
        }
        _ => None,
    }
}

/// The name of a field of a dataclass that is compared: `text: str = ""`.
fn field(line: &str) -> Option<&str> {
    let (name, rest) = line.split_once(':')?;
    let is_name = name.chars().all(|letter| letter.is_alphanumeric() || letter == '_');
    let is_compared = !rest.contains("ClassVar") && !squeeze(rest).contains("compare=False");
    (is_name && is_compared && !name.is_empty()).then_some(name)
}

/// A body with those functions of the file that it calls, and whether there are none. Nothing where
/// all of a thing is handed to somebody else.
fn reach(view: &View<'_>, node: Node<'_>) -> Option<(String, bool)> {
    const WHOLE: &[&str] = &[
        "__dict__",
        "vars(",
        "asdict(",
        "astuple(",
        "super()",
        "DeepEqual(",
        "cmp.Equal(",
        "==*",
        "stringify(this",
        "{..}",
    ];
    let body = node.field("body")?.text();
    let squeezed = squeeze(body);
    if WHOLE.iter().any(|word| squeezed.contains(word)) {
        return None;
    }
    let root = view.tree?.root();
    let functions: Vec<Node<'_>> =
        root.all().filter(|other| other.is(FUNCTIONS) && !other.same(node)).take(2_000).collect();
    let named = |name: &str| {
        let is_it = |other: &&Node<'_>| other.field("name").is_some_and(|own| own.text() == name);
        functions.iter().find(is_it).map(|other| other.text())
    };
    let mut text = body.to_owned();
    let mut is_alone = true;
    for (name, argument) in calls(&squeezed) {
        let of_self = name.starts_with("self.") || name.starts_with("this.");
        let bare = name.rsplit(['.', ':']).next().unwrap_or("");
        let is_of_field = of_self && name.matches('.').count() > 1;
        // A closure of the body is read with it.
        if squeezed.contains(&format!("let {bare}=")) {
            is_alone = false;
            continue;
        }
        match named(bare).filter(|_| !is_of_field) {
            Some(other) => {
                text.push_str(other);
                is_alone = false;
            }
            // Somebody else's function sees all of it.
            None if of_self && !is_of_field || argument && bare != "isinstance" => return None,
            None => {}
        }
    }
    // A property is read like a field: `self._key == other._key`.
    for property in read(body) {
        if let Some(other) = named(&property) {
            text.push_str(other);
            is_alone = false;
        }
    }
    Some((text, is_alone))
}

/// The functions that a text calls, and whether one gets the thing itself.
fn calls(squeezed: &str) -> Vec<(&str, bool)> {
    let is_part = |l: char| l.is_alphanumeric() || matches!(l, '_' | '.' | ':');
    let mut found = Vec::new();
    for (at, _) in squeezed.match_indices('(').take(200) {
        let before = &squeezed[..at];
        let name = &before[before.trim_end_matches(is_part).len()..];
        let argument = squeezed[at + 1..].trim_start_matches(['&', '*']);
        let is_self = ["self", "this"]
            .iter()
            .any(|own| argument.strip_prefix(own).is_some_and(|rest| rest.starts_with([',', ')'])));
        if !name.is_empty() {
            found.push((name, is_self));
        }
    }
    found
}

/// Whether a body only counts what is in a field.
fn is_counted(body: &str, field: &str) -> bool {
    let squeezed = squeeze(body);
    let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
    let mut seen = squeezed.match_indices(field).filter(|(at, _)| {
        !squeezed[..*at].ends_with(is_word) && !squeezed[at + field.len()..].starts_with(is_word)
    });
    let counts =
        [".len()", ".length", ".size", ".count()", ".is_some()", ".is_none()", ".is_empty()"];
    seen.all(|(at, _)| {
        let (before, after) = (&squeezed[..at], &squeezed[at + field.len()..]);
        let thing = before.trim_end_matches(|letter| is_word(letter) || letter == '.');
        counts.iter().any(|count| after.starts_with(count)) || thing.ends_with("len(")
    })
}

/// Fields of a dataclass that were compared, and are left out now.
fn excluded(view: &View<'_>) -> Vec<Finding> {
    if view.change.language != Language::Python {
        return Vec::new();
    }
    let task = asked::Sentences::of(view.literals.task());
    let was_compared = |name: &str| {
        let mut old = view.change.old().lines().map(str::trim);
        old.any(|line| field(line) == Some(name))
    };
    let mut findings = Vec::new();
    for (number, text, _) in view.new_lines() {
        let Some((name, rest)) = text.trim().split_once(':') else { continue };
        if squeeze(rest).contains("compare=False") && was_compared(name) && !task.ignores(name) {
            let message = format!("Two things are equal now whatever their '{name}' is.");
            let finding = view.change.structure(Rule::G24, number, message);
            findings.push(finding.change(None, Some(short(text))));
        }
    }
    findings
}
