//! The places of a function that are broken, and how.

use std::collections::BTreeMap;
use std::ops::Range;

use super::Way;
use crate::syntax::{Node, Tree};

/// What stands where.
pub(super) type Edit = (Range<usize>, String);

/// Code that is not run as it is written, or decides about whether it is ever done.
const NEVER: &[&str] = &[
    "comment",
    "line_comment",
    "block_comment",
    "type",
    "type_annotation",
    "type_arguments",
    "type_parameters",
    "array_type",
    "literal_type",
    "attribute_item",
    "decorator",
    "import_statement",
    "import_from_statement",
    "use_declaration",
    "import_declaration",
    "field_declaration",
    "macro_definition",
    "while_statement",
    "do_statement",
    "while_expression",
    "loop_expression",
    "for_clause",
    "const_block",
];
/// Macros that begin with a text that is put together when they run.
const FORMATS: &[&str] = &[
    "format",
    "write",
    "writeln",
    "print",
    "println",
    "eprintln",
    "panic",
    "bail",
    "anyhow",
    "format_args",
    "vec",
];
/// Calls whose texts are names of something that has to be there.
const NAMES: &[&str] = &[
    "require",
    "import",
    "import_module",
    "getattr",
    "setattr",
    "hasattr",
    "open",
    "encode",
    "decode",
    "readFileSync",
    "readFile",
];
/// Arguments that only have a few right values.
const SETTINGS: &[&str] = &["encoding", "errors", "mode", "newline", "flags"];
/// The largest numbers that fit; one more is a mistake that is found when code is built.
const LARGEST: &[u64] = &[127, 255, 32_767, 65_535];

/// The places in these ranges that are broken in one way, from the first to the last.
pub(super) fn find(tree: &Tree<'_>, ranges: &[Range<usize>], way: Way) -> Vec<Edit> {
    let mut skipped: Vec<Range<usize>> = Vec::new();
    let mut edits: BTreeMap<usize, Edit> = BTreeMap::new();
    for node in tree.root().all() {
        let is_in = |range: &Range<usize>| range.start <= node.start() && node.end() <= range.end;
        if !ranges.iter().any(is_in) {
            continue;
        }
        skipped.extend(skip(node, way));
        if skipped.iter().any(is_in) {
            continue;
        }
        let edit = match way {
            Way::Comparisons => comparison(node),
            Way::Texts => text(node),
            Way::Numbers => number(node),
            Way::Signs => sign(node),
        };
        if let Some(edit) = edit {
            edits.insert(edit.0.start, edit);
        }
    }
    edits.into_values().collect()
}

/// The text with all edits.
pub(super) fn apply(text: &str, edits: &[Edit]) -> String {
    let mut new = String::with_capacity(text.len() + edits.len() * 4);
    let mut at = 0;
    for (range, by) in edits.iter().filter(|(range, _)| range.start <= range.end) {
        if range.start < at {
            continue;
        }
        new.push_str(&text[at..range.start]);
        new.push_str(by);
        at = range.end;
    }
    new + &text[at..]
}

/// The part of a node that stays as it is.
fn skip(node: Node<'_>, way: Way) -> Option<Range<usize>> {
    let whole = node.start()..node.end();
    let is_value = matches!(way, Way::Texts | Way::Numbers);
    match node.kind() {
        kind if NEVER.contains(&kind) => Some(whole),
        // A loop over something, or one that counts; other loops of Go end by what is in them.
        "for_statement" => {
            let counts = |one: Node<'_>| {
                one.is(&["range_clause", "for_clause"]) || matches!(one.text(), "in" | "(")
            };
            let body = node.field("body")?;
            let end = if node.children().any(counts) { body.start() } else { node.end() };
            Some(node.start()..end)
        }
        // What is behind the thing that is looked into: a place beyond its end only stops.
        "subscript" | "subscript_expression" | "index_expression" | "slice_expression"
            if is_value =>
        {
            node.named().next().map(|first| first.end()..node.end())
        }
        "array_expression" => {
            let sign = node.children().find(|one| one.text() == ";")?;
            Some(sign.start()..node.end())
        }
        "binary_expression" | "binary_operator" if way == Way::Numbers => {
            operator(node).filter(|sign| matches!(sign.text(), "<<" | ">>")).map(|_| whole)
        }
        "call" | "call_expression" if way == Way::Texts => {
            let function = node.field("function")?;
            let name = function.text().rsplit(['.', ':']).next().unwrap_or_default();
            let arguments = node.field("arguments")?;
            NAMES.contains(&name).then(|| arguments.start()..arguments.end())
        }
        "keyword_argument" if way == Way::Texts => {
            let name = node.field("name")?;
            SETTINGS.contains(&name.text()).then_some(whole)
        }
        "token_tree" => {
            let owner = node.parent().filter(|one| one.is(&["macro_invocation"]))?;
            let name = owner.field("macro").map_or("", Node::text);
            let is_format = FORMATS.contains(&name) && way == Way::Texts;
            let is_list = name == "vec" && way == Way::Numbers && !node.text().contains(';');
            (!is_format && !is_list).then_some(whole)
        }
        _ => None,
    }
}

/// The sign between two sides.
fn operator(node: Node<'_>) -> Option<Node<'_>> {
    node.field("operator").or_else(|| {
        let mut signs = node.children().filter(|one| {
            one.named().next().is_none() && !one.text().starts_with(char::is_alphanumeric)
        });
        signs.next()
    })
}

/// Whether code asks whether something is there at all: what is done without only stops.
fn is_about_nothing(node: Node<'_>) -> bool {
    const NOTHING: &[&str] = &["nil", "none", "null", "undefined", "None", "null_literal"];
    node.all().any(|one| NOTHING.contains(&one.text()) || one.is(&["null", "undefined"]))
}

fn comparison(node: Node<'_>) -> Option<Edit> {
    if node.is(&["unary_expression", "not_operator"]) {
        let sign = node.children().next().filter(|one| matches!(one.text(), "!" | "not"))?;
        let is_plain = !is_about_nothing(node) && !node.text().contains('=');
        return is_plain.then(|| (sign.start()..sign.end(), String::new()));
    }
    if !node.is(&["binary_expression", "comparison_operator"]) || is_about_nothing(node) {
        return None;
    }
    let (sign, by) = node.children().find_map(|sign| {
        let by = match sign.text() {
            "==" => "!=",
            "!=" => "==",
            "===" => "!==",
            "!==" => "===",
            "<" => ">=",
            ">=" => "<",
            ">" => "<=",
            "<=" => ">",
            "in" if node.is(&["comparison_operator"]) => "not in",
            "not in" => "in",
            _ => return None,
        };
        Some((sign, by))
    })?;
    Some((sign.start()..sign.end(), by.to_owned()))
}

fn text(node: Node<'_>) -> Option<Edit> {
    let whole = node.text();
    // Lists that are filled, or stay empty.
    if node.is(&["list", "array"]) && whole.split_whitespace().collect::<String>() == "[]" {
        return Some((node.start()..node.end(), "[\"x\"]".to_owned()));
    }
    if whole == "String::new()" {
        return Some((node.start()..node.end(), "String::from(\"x\")".to_owned()));
    }
    let kinds = [
        "string",
        "template_string",
        "string_literal",
        "raw_string_literal",
        "interpreted_string_literal",
    ];
    let is_alone = node.parent().is_some_and(|one| one.is(&["expression_statement"]));
    let quote = whole.find(['"', '\'', '`'])?;
    if !node.is(&kinds) || is_alone || whole[..quote].contains(['b', 'B']) {
        return None;
    }
    let sign = &whole[quote..=quote];
    let is_long = whole[quote..].starts_with(&sign.repeat(3)) && whole.len() >= quote + 6;
    let at = node.start() + quote + if is_long { 3 } else { 1 };
    Some((at..at, "x".to_owned()))
}

fn number(node: Node<'_>) -> Option<Edit> {
    let kinds = ["integer", "float", "number", "integer_literal", "float_literal", "int_literal"];
    let is_field = node.parent().is_some_and(|one| one.is(&["field_expression"]));
    if !node.is(&kinds) || is_field {
        return None;
    }
    let text = node.text();
    let is_digit = |one: char| one.is_ascii_digit() || one == '_';
    let digits = text.len() - text.trim_start_matches(is_digit).len();
    // In Rust a sign may stand before the kind of a number.
    let (whole, rest) = text.split_at(text[..digits].trim_end_matches('_').len());
    let whole = whole.replace('_', "");
    let is_plain = !rest.starts_with(['x', 'b', 'o', 'X', 'e']);
    let value: u64 = whole.parse().ok().filter(|_| is_plain && whole.len() < 7)?;
    let is_octal = whole.len() > 1 && whole.starts_with('0');
    (!LARGEST.contains(&value) && !is_octal)
        .then(|| (node.start()..node.end(), format!("{}{rest}", value + 1)))
}

fn sign(node: Node<'_>) -> Option<Edit> {
    if node.is(&["true", "false", "boolean_literal", "True", "False"]) {
        let by = match node.text() {
            "true" => "false",
            "false" => "true",
            "True" => "False",
            "False" => "True",
            _ => return None,
        };
        return Some((node.start()..node.end(), by.to_owned()));
    }
    if !node.is(&["binary_expression", "binary_operator", "boolean_operator"]) {
        return None;
    }
    let has_let = node.all().any(|one| one.is(&["let_condition"]))
        || node.ancestors().any(|one| one.is(&["let_chain"]));
    let (sign, by) = node.children().find_map(|sign| {
        let by = match sign.text() {
            "+" if is_numeric(node) => "-",
            "-" if is_numeric(node) => "+",
            "&&" if !has_let => "||",
            "||" if !has_let => "&&",
            "and" => "or",
            "or" => "and",
            _ => return None,
        };
        Some((sign, by))
    })?;
    let is_logic = !matches!(by, "+" | "-");
    let is_fit = !is_logic || !is_about_nothing(node);
    is_fit.then(|| (sign.start()..sign.end(), by.to_owned()))
}

/// Whether both sides are numbers, as far as it can be seen.
fn is_numeric(node: Node<'_>) -> bool {
    const NUMBERS: &[&str] =
        &["integer", "float", "number", "integer_literal", "float_literal", "int_literal"];
    const TEXTS: &[&str] = &[
        "string",
        "template_string",
        "string_literal",
        "raw_string_literal",
        "interpreted_string_literal",
        "list",
        "array",
        "macro_invocation",
    ];
    node.all().any(|one| one.is(NUMBERS)) && !node.all().any(|one| one.is(TEXTS))
}
