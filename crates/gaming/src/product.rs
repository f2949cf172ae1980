//! Product code that knows its tests.
//!
//! Only what is new is looked at, and only outside of test code. With a syntax tree, comments and
//! texts are told from code; without one, lines are read with both blanked.

mod answers;
mod barren;
mod bounds;
mod buried;
mod callers;
mod calls;
mod capped;
mod children;
mod chosen;
mod compared;
mod copied;
mod counted;
mod cut_off;
mod deaf;
mod discarded;
mod echoed;
mod environment;
mod equality;
mod errors;
mod executed;
mod fingerprint;
mod fixed;
mod fixtures;
mod frozen;
mod heard;
mod history;
mod hollow;
mod idle;
mod kept;
mod labels;
mod learnt;
mod lost;
mod moments;
mod muffled;
mod narrow;
mod narrowed;
mod once;
mod opted;
mod passed_over;
mod pasted;
mod pinned;
mod put_off;
mod ranges;
mod reach;
mod recited;
mod recorded;
mod remembered;
mod repeated;
mod reset;
mod shelved;
mod shortened;
mod sidecar;
mod special;
mod spelled_out;
mod stopped;
mod stubs;
mod surplus;
mod swapped;
mod unguarded;
mod unread;
mod unrolled;
mod unset;
mod unused;
mod worded;
mod words;
mod wrapped;

use countersign_domain::gaming::Finding;

use crate::detect::Change;
use crate::lines::Lines;
use crate::literals::Literals;
use crate::mask;
use crate::role::Role;
use crate::syntax::{Node, Tree};

/// A rule that reads a file of the product and asks nobody what was said before.
type Reading = fn(&View<'_>) -> Vec<Finding>;

/// Such rules, in the order in which their findings are told, between those that don't say a thing twice.
const FIRST: &[Reading] = &[
    answers::check,
    narrow::check,
    pasted::check,
    echoed::check,
    counted::check,
    bounds::check,
    shortened::check,
    capped::check,
    pinned::check,
    executed::check,
    unguarded::check,
    unrolled::check,
    recorded::check,
    remembered::check,
    kept::check,
    once::check,
    equality::check,
];
const SECOND: &[Reading] = &[
    put_off::check,
    copied::check,
    hollow::check,
    discarded::check,
    surplus::check,
    buried::check,
    shelved::check,
    reset::check,
];
const LAST: &[Reading] = &[
    reach::check,
    cut_off::check,
    idle::check,
    moments::check,
    unset::check,
    sidecar::check,
    stopped::check,
    swapped::check,
    labels::check,
];

pub(crate) fn check(
    change: &Change<'_>,
    changes: &[Change<'_>],
    literals: &Literals,
) -> Vec<Finding> {
    let looked_at =
        matches!(change.role, Role::Product | Role::Test | Role::RunnerConfig | Role::BuildConfig);
    if !looked_at || !change.language.is_code() || change.after.is_none() || change.is_binary {
        return Vec::new();
    }
    let lines = change.lines();
    if lines.added.is_empty() || is_for_tests(change) {
        return Vec::new();
    }
    let source = change.current();
    let tree = needs_tree(change).then(|| Tree::parse(change.language, source)).flatten();
    let code = mask::code(source, change.language);
    let view = View { change, lines: &lines, code: &code, tree: tree.as_ref(), literals, changes };
    let mut findings = words::check(&view);
    findings.extend(calls::check(&view));
    if change.role == Role::Product {
        let special = special::check(&view);
        // What is said of a line already is not said twice.
        let is_told = |one: &Finding| special.iter().any(|told| told.line == one.line);
        findings.extend(chosen::check(&view).into_iter().filter(|one| !is_told(one)));
        findings.extend(fixtures::check(&view).into_iter().filter(|one| !is_told(one)));
        findings.extend(worded::check(&view).into_iter().filter(|one| !is_told(one)));
        findings.extend(spelled_out::check(&view).into_iter().filter(|one| !is_told(one)));
        let is_told = |one: &Finding| special.iter().any(|told| told.line == one.line);
        findings.extend(compared::check(&view).into_iter().filter(|one| !is_told(one)));
        findings.extend(special);
        findings.extend(FIRST.iter().flat_map(|rule| rule(&view)));
        let errors = errors::check(&view);
        let is_told = |one: &Finding| errors.iter().any(|told| told.line == one.line);
        findings.extend(passed_over::check(&view).into_iter().filter(|one| !is_told(one)));
        findings.extend(muffled::check(&view));
        findings.extend(errors);
        findings.extend(narrowed::check(&view));
        let stubs = stubs::check(&view);
        let is_told = |one: &Finding| stubs.iter().any(|told| told.line == one.line);
        findings.extend(recited::check(&view).into_iter().filter(|one| !is_told(one)));
        findings.extend(stubs);
        findings.extend(SECOND.iter().flat_map(|rule| rule(&view)));
        let is_told = |one: &Finding| findings.iter().any(|told| told.line == one.line);
        let barren: Vec<_> = barren::check(&view).into_iter().filter(|one| !is_told(one)).collect();
        findings.extend(barren);
        findings.extend(LAST.iter().flat_map(|rule| rule(&view)));
        unmet(&view, &mut findings);
    }
    findings
}

/// Whether a file of Go has nothing in it but functions that tests hand themselves to.
fn is_for_tests(change: &Change<'_>) -> bool {
    let source = change.current();
    if !change.path.ends_with(".go") || !source.contains("\"testing\"") {
        return false;
    }
    let mut heads = source.lines().filter(|line| line.starts_with("func ")).peekable();
    let takes =
        |line: &str| ["testing.T", "testing.B", "testing.M"].iter().any(|of| line.contains(of));
    heads.peek().is_some() && heads.all(takes) && !source.contains("testing.Testing(")
}

/// What looks done and isn't, as far as nothing is said of the line already.
fn unmet(view: &View<'_>, findings: &mut Vec<Finding>) {
    let late = [
        learnt::check(view),
        lost::check(view),
        repeated::check(view),
        unread::check(view),
        opted::check(view),
    ];
    for one in late.into_iter().flatten() {
        if findings.iter().all(|told| told.line != one.line) {
            findings.push(one);
        }
    }
}

/// What begins a function or a method, in all languages that are parsed.
pub(crate) const FUNCTIONS: &[&str] = &[
    "function_definition",
    "function_item",
    "function_declaration",
    "method_definition",
    "method_declaration",
];

/// In test code only a few definitions matter, and parsing is what takes time.
fn needs_tree(change: &Change<'_>) -> bool {
    let words = ["macro_rules!", "expect.extend", "def pytest_"];
    change.role == Role::Product || words.iter().any(|word| change.current().contains(word))
}

/// A file as its detectors see it.
pub(crate) struct View<'v> {
    pub(crate) change: &'v Change<'v>,
    pub(crate) lines: &'v Lines<'v>,
    /// The text without comments and without what is in quotes.
    pub(crate) code: &'v str,
    pub(crate) tree: Option<&'v Tree<'v>>,
    pub(crate) literals: &'v Literals,
    /// All files of the change.
    pub(crate) changes: &'v [Change<'v>],
}

impl<'v> View<'v> {
    /// Nodes of some kinds that begin in a new line of product code.
    pub(crate) fn new_nodes(
        &self,
        kinds: &'static [&'static str],
    ) -> impl Iterator<Item = Node<'v>> {
        let root = self.tree.map(Tree::root);
        let (change, lines) = (self.change, self.lines);
        root.into_iter()
            .flat_map(Node::all)
            .filter(move |node| node.is(kinds))
            .filter(move |node| lines.is_added(node.line()) && !change.is_test_at(node.start()))
    }

    /// New lines of product code: number, text, and the text as code only.
    pub(crate) fn new_lines(&self) -> Vec<(u32, &'v str, &'v str)> {
        let mut offset = 0;
        let mut found = Vec::new();
        let codes = self.code.split('\n');
        let texts = self.change.current().split('\n');
        for ((number, text), code) in (1..).zip(texts).zip(codes) {
            let in_test = self.change.role == Role::Product && self.change.is_test_at(offset);
            if self.lines.is_added(number) && !in_test && text.len() < 2_000 {
                found.push((number, text, code));
            }
            offset += text.len() + 1;
        }
        found
    }
}
