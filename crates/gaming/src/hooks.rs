//! Functions of the product that do nothing of their own until somebody sets them to something, and that only
//! tests ever set.

mod declared;

use countersign_domain::gaming::{Finding, Rule};

use crate::args::{find_word, has_word, names, short, squeeze};
use crate::detect::Change;
use crate::language::Language;
use crate::literals::Literals;
use crate::mask;
use crate::product::FUNCTIONS;
use crate::role::Role;
use crate::syntax::{Node, Tree};

/// Who says one of these wants something that can be set.
const WANTED: &[&str] = &[
    "hook",
    "hooks",
    "callback",
    "callbacks",
    "inject",
    "injectable",
    "injected",
    "replaceable",
    "replace",
    "replaced",
    "pluggable",
    "plugin",
    "override",
    "overridden",
    "configurable",
    "configure",
    "customise",
    "customize",
    "setter",
    "settable",
    "listener",
    "handler",
    "observer",
    "register",
    "variable",
    "stub",
    "mock",
    "fake",
];
/// What is told to somebody, or comes from outside, may well do nothing or be another one in tests.
const OUTSIDE: &[&str] =
    &["log", "debug", "trace", "now", "clock", "sleep", "rand", "metric", "warn", "exit", "print"];

/// So many of a file are looked at.
const MOST: usize = 60;

pub(crate) fn check(changes: &[Change<'_>], literals: &Literals) -> Vec<Finding> {
    let mut findings = Vec::new();
    if literals.task_has(WANTED) {
        return findings;
    }
    let task = literals.task();
    let texts = Texts::of(changes);
    for change in changes.iter().filter(|one| one.role == Role::Product && one.after.is_some()) {
        for seam in seams(change).into_iter().filter(|seam| !names(task, &seam.name)) {
            let Some((at, line, text)) = texts.set_by_tests(&seam) else { continue };
            if !texts.is_asked(&seam) || texts.is_set(&seam) {
                continue;
            }
            let message = format!(
                "'{}' does nothing of its own in the product, and only a test sets it to something that does.",
                seam.name
            );
            let finding = at.structure(Rule::G29, line, message);
            findings.push(finding.change(None, Some(short(text))));
        }
    }
    findings
}

/// A variable for a function, and the functions that only set it.
#[derive(Debug)]
struct Seam {
    name: String,
    setters: Vec<String>,
    /// How often the product sets it without giving it anything: where a language has no word for that.
    declarations: usize,
}

/// Code of the product and of the tests, as it is now and without texts and comments.
struct Texts<'c> {
    product: Vec<String>,
    tests: Vec<(&'c Change<'c>, u32, String, &'c str)>,
}

impl<'c> Texts<'c> {
    fn of(changes: &'c [Change<'c>]) -> Self {
        let mut texts = Self { product: Vec::new(), tests: Vec::new() };
        for change in changes.iter().filter(|one| one.language.is_code() && one.after.is_some()) {
            for line in change.all_lines().filter(|line| line.text.len() <= 2_000) {
                let is_test = line.is_test || change.role == Role::RunnerConfig;
                if !is_test && change.role == Role::Product {
                    texts.product.push(squeeze(line.code));
                } else if is_test && line.is_new {
                    texts.tests.push((change, line.number, squeeze(line.code), line.text));
                }
            }
        }
        texts
    }

    /// The line of a test that sets it.
    fn set_by_tests(&self, seam: &Seam) -> Option<(&'c Change<'c>, u32, &'c str)> {
        let name = seam.name.as_str();
        let is_set = |code: &str| {
            is_assigned(code, name)
                || code.contains("setattr(") && code.contains(&format!(",\"{name}\""))
                || code.contains(&format!("{name}.set("))
                || code.contains(&format!("*{name}."))
                || seam
                    .setters
                    .iter()
                    .any(|setter| find_word(code, &format!("{setter}(")).is_some())
        };
        let found = self.tests.iter().find(|(_, _, code, _)| is_set(code));
        found.map(|(change, number, _, line)| (*change, *number, *line))
    }

    /// Whether the product calls it, or asks for it.
    fn is_asked(&self, seam: &Seam) -> bool {
        let called = |line: &&String| {
            let is_declared = ["var ", "let ", "export let ", "static ", "pub static "]
                .iter()
                .any(|word| line.starts_with(word) && has_word(line, &seam.name));
            !is_declared && !is_assigned(line, &seam.name)
        };
        let name = format!("{}(", seam.name);
        let is_loud =
            seam.name.chars().any(char::is_alphabetic) && seam.name.to_uppercase() == seam.name;
        let mut lines = self.product.iter().filter(called);
        lines.any(|line| find_word(line, &name).is_some() || is_loud && has_word(line, &seam.name))
    }

    /// Whether the product sets it to something, by itself or by what is there for that.
    fn is_set(&self, seam: &Seam) -> bool {
        let calls = |line: &String| {
            let is_head =
                ["func ", "fn ", "def ", "function "].iter().any(|word| line.contains(word));
            !is_head
                && seam
                    .setters
                    .iter()
                    .any(|setter| find_word(line, &format!("{setter}(")).is_some())
        };
        let declared = ["var ", "let ", "export ", "static ", "const ", "pub "];
        let sets = |line: &String| {
            let is_declared = declared.iter().any(|word| line.starts_with(word));
            !is_declared && is_assigned(line, &seam.name)
        };
        let count = self.product.iter().filter(|line| sets(line)).count();
        self.product.iter().any(calls) || count > seam.setters.len() + seam.declarations
    }
}

/// Whether a squeezed line gives a name another value.
fn is_assigned(line: &str, name: &str) -> bool {
    let Some(at) = find_word(line, name) else { return false };
    let rest = &line[at + name.len()..];
    rest.starts_with('=') && !rest.starts_with("==") && !rest.starts_with("=>")
}

/// New variables of a whole file that hold a function that does nothing, or none.
fn seams(change: &Change<'_>) -> Vec<Seam> {
    let lines = change.lines();
    let code = mask::code(change.current(), change.language);
    let all: Vec<&str> = code.lines().collect();
    // Few files have one, and parsing is what takes time.
    let mut tree: Option<Option<Tree<'_>>> = None;
    let mut found = Vec::new();
    let mut offset = 0;
    for (number, line) in (1..).zip(&all) {
        let at = offset;
        offset += line.len() + 1;
        if !lines.is_added(number) || change.is_test_at(at) || line.len() > 1_000 {
            continue;
        }
        let rest = code.get(at..).unwrap_or("");
        let Some(name) = declared::name(change.language, line, rest) else { continue };
        let lower = name.to_lowercase();
        let is_outside = OUTSIDE.iter().any(|word| lower.contains(word));
        if !is_outside && found.len() < MOST && !has_word(change.old(), name) {
            let tree = tree.get_or_insert_with(|| Tree::parse(change.language, change.current()));
            let setters = tree.as_ref().map(|tree| setters(tree, name)).unwrap_or_default();
            let declarations = usize::from(change.language == Language::Python);
            found.push(Seam { name: name.to_owned(), setters, declarations });
        }
    }
    found
}

/// Functions that do nothing but set a variable to what they get.
fn setters(tree: &Tree<'_>, name: &str) -> Vec<String> {
    let functions = tree.root().all().filter(|node| node.is(FUNCTIONS));
    let sets = |node: &Node<'_>| {
        let body = squeeze(node.field("body").map_or("", Node::text));
        let given = node.field("parameters").map_or("", Node::text);
        let ways = [
            format!("{name}="),
            format!("{name}.set("),
            format!("*{name}."),
            format!("{name}.lock("),
            format!("{name}.write("),
        ];
        let way =
            ways.iter().find(|way| find_word(&body, way).is_some() || body.contains(way.as_str()));
        let value = way.and_then(|way| body.split_once(way.as_str())).map(|(_, value)| value);
        let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
        let mut words = value.unwrap_or("").split(|letter| !is_part(letter));
        value.is_some_and(|value| !value.starts_with('='))
            && words.any(|word| !word.is_empty() && has_word(given, word))
    };
    let named = functions.filter(sets).filter_map(|node| node.field("name"));
    named.map(|name| name.text().to_owned()).collect()
}
