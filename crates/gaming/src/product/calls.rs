//! Code that ends the process, skips from inside, or rewrites what the runner says.

use countersign_domain::gaming::{Finding, Rule, Severity};

use super::View;
use super::children::{self, Ends};
use crate::args::{has_word, short, squeeze};
use crate::language::Language;
use crate::role::Role;
use crate::syntax::Node;

pub(super) fn check(view: &View<'_>) -> Vec<Finding> {
    let mut findings = exits(view);
    findings.extend(outcomes(view));
    findings.extend(hooks(view));
    if view.change.role == Role::Product {
        findings.extend(skips(view));
    }
    findings
}

const EXITS: &[&str] = &[
    "os._exit(0)",
    "register(os._exit,",
    "process.exit(0)",
    "process.exit()",
    "process::exit(0)",
    "os.Exit(0)",
    "sys.exit(0)",
    "sys.exit()",
    "System.exit(0)",
    "Environment.Exit(0)",
    "exitProcess(0)",
    "exit!(0)",
    "Kernel.exit(0)",
];

fn exits(view: &View<'_>) -> Vec<Finding> {
    let change = view.change;
    let is_product = change.role == Role::Product;
    if change.role == Role::BuildConfig || is_product && is_program(change.path) {
        return Vec::new();
    }
    let mut findings = Vec::new();
    let forks = change.current().contains("fork(") || change.current().contains("multiprocessing");
    for (number, text, code) in view.new_lines() {
        let squeezed = squeeze(code);
        let Some(exit) = EXITS.iter().find(|exit| squeezed.contains(**exit)) else { continue };
        if expects_exit(view, number) || is_product && in_main(view, number) {
            continue;
        }
        let ends = if is_product { Ends::Anyway } else { children::ends(view, number) };
        if matches!(ends, Ends::AsChild) {
            continue;
        }
        let hard = matches!(ends, Ends::Anyway) && !exit.starts_with("sys.");
        let message = if is_product {
            "The product ends the process with success, and with it the tests."
        } else {
            "Test code ends the process with success, whatever failed before."
        };
        let finding = change.text(Rule::G40, number, message).change(None, Some(short(text)));
        // A child that was forked ends itself this way.
        let proof = !is_product && hard && !forks && !guards(view, number);
        findings.push(if proof { finding.graded(Severity::Block) } else { finding });
    }
    findings
}

/// Programs end with a code.
fn is_program(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let stem = name.split('.').next().unwrap_or(name);
    ["main", "cli", "__main__", "cmd", "bin", "app", "index", "server", "manage"].contains(&stem)
        || [
            "bin/",
            "cmd/",
            "scripts/",
            "cli/",
            "tools/",
            "examples/",
            "bench/",
            "benches/",
            "benchmarks/",
        ]
        .iter()
        .any(|folder| path.starts_with(folder) || path.contains(&format!("/{folder}")))
}

/// The lines around a place, from the function that it stands in.
fn around<'v>(view: &View<'v>, line: u32, before: u32) -> Vec<&'v str> {
    let first = line.saturating_sub(before).max(1);
    let skip = usize::try_from(first - 1).unwrap_or(0);
    let count = usize::try_from(line - first + 1).unwrap_or(0);
    view.change.current().lines().skip(skip).take(count).collect()
}

fn expects_exit(view: &View<'_>, line: u32) -> bool {
    around(view, line, 3).iter().any(|text| {
        text.contains("raises(SystemExit")
            || text.contains("assertRaises(SystemExit")
            || text.contains("spyOn(process")
    })
}

fn in_main(view: &View<'_>, line: u32) -> bool {
    let heads = [
        "__main__",
        "def main",
        "fn main",
        "func main",
        "function main",
        "require.main",
        "def cli",
        "void main",
        "Main(",
    ];
    let near = around(view, line, 60);
    let head = near.iter().rev().find(|text| {
        let text = text.trim_start();
        [
            "def ",
            "fn ",
            "func ",
            "function ",
            "pub fn ",
            "if __name__",
            "async def ",
            "export function ",
            "public static",
        ]
        .iter()
        .any(|start| text.starts_with(start))
    });
    head.is_some_and(|head| heads.iter().any(|word| head.contains(word)))
}

fn guards(view: &View<'_>, line: u32) -> bool {
    around(view, line, 4).iter().any(|text| {
        text.contains("__main__")
            || text.contains("require.main")
            || text.contains("import.meta.main")
    })
}

/// A skip that the product itself raises.
fn skips(view: &View<'_>) -> Vec<Finding> {
    let words = [
        "raise unittest.SkipTest",
        "raise SkipTest",
        "pytest.skip(",
        "raise pytest.skip",
        "pytest.skip.Exception",
        "Assumptions.assume",
    ];
    let is_kit = ["testing", "testkit", "testutil", "pytest_", "conftest", "plugin"]
        .iter()
        .any(|word| view.change.path.contains(word));
    view.new_lines()
        .into_iter()
        .filter(|(_, _, code)| !is_kit && words.iter().any(|word| code.contains(word)))
        .map(|(number, text, _)| {
            view.change
                .text(Rule::G02, number, "The product skips the test that calls it.")
                .change(None, Some(short(text)))
        })
        .collect()
}

/// Assertions and matchers that are replaced.
fn outcomes(view: &View<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    let block = |number, text: &str, message: &str| {
        view.change
            .text(Rule::G41, number, message)
            .change(None, Some(short(text)))
            .graded(Severity::Block)
    };
    let in_runner = view.change.role != Role::Product;
    for (number, text, code) in view.new_lines() {
        let squeezed = squeeze(code);
        let assigned = |name: &str| {
            squeezed.match_indices(name).any(|(at, _)| {
                let rest = &squeezed[at + name.len()..];
                rest.starts_with('=') && !rest.starts_with("==") && !rest.starts_with("=>")
            })
        };
        let asserts = [
            "assert.equal",
            "assert.strictEqual",
            "assert.deepEqual",
            "assert.deepStrictEqual",
            "assert.ok",
            "Object.is",
            "TestResult.wasSuccessful",
            "Function.runtest",
            "TestReport.from_item_and_call",
            "expect.prototype",
            "TestCase.assertEqual",
            "TestCase.fail",
        ];
        if asserts.iter().any(|name| assigned(name))
            || squeezed.starts_with("_pytest.") && squeezed.contains('=')
        {
            findings.push(block(number, text, "An assertion or a part of the runner is replaced."));
        }
        let exit_code =
            assigned("process.exitCode") && squeezed.contains("exitCode=0") && in_runner;
        if exit_code || assigned("exitstatus") && squeezed.contains("exitstatus=0") {
            findings.push(block(number, text, "The exit status of the tests is set to success."));
        }
    }
    for node in view.tree.into_iter().flat_map(|tree| tree.root().all()) {
        if !view.lines.touches(node.line(), node.line()) {
            continue;
        }
        if node.is(&["macro_definition"]) {
            findings.extend(shadowed_macro(view, node));
        } else if view.change.language.is_script() && node.is(&["call_expression"]) {
            findings.extend(shadowed_matcher(view, node));
        }
    }
    findings
}

/// `macro_rules! assert_eq` that expands to nothing.
fn shadowed_macro(view: &View<'_>, node: Node<'_>) -> Option<Finding> {
    let name = node.field("name")?.text();
    if !matches!(name, "assert" | "assert_eq" | "assert_ne" | "panic" | "assert_matches") {
        return None;
    }
    let squeezed = squeeze(node.text());
    let nothing =
        ["=>{}", "=>{{}}", "=>()", "=>{()}", "=>{true}"].iter().any(|end| squeezed.contains(end));
    let finding = view.change.structure(
        Rule::G41,
        node.line(),
        format!("'{name}!' is replaced by a macro of the same name."),
    );
    Some(if nothing { finding.graded(Severity::Block) } else { finding })
}

/// `expect.extend({ toBe() { … } })` with the name of a matcher that exists.
fn shadowed_matcher(view: &View<'_>, node: Node<'_>) -> Option<Finding> {
    if node.field("function")?.text() != "expect.extend" {
        return None;
    }
    let known = [
        "toBe",
        "toEqual",
        "toStrictEqual",
        "toContain",
        "toThrow",
        "toMatchObject",
        "toHaveLength",
        "toMatchSnapshot",
        "toBeTruthy",
    ];
    let own = node.all().filter(|child| child.is(&["method_definition", "pair"]));
    let mut names =
        own.filter_map(|child| child.field("name").or_else(|| child.field("key"))).map(Node::text);
    let name = names.find(|name| known.contains(name))?;
    let finding =
        view.change.structure(Rule::G41, node.line(), format!("The matcher '{name}' is replaced."));
    Some(finding.graded(Severity::Block))
}

/// Hooks of pytest that may change what it says.
fn hooks(view: &View<'_>) -> Vec<Finding> {
    if view.change.language != Language::Python {
        return Vec::new();
    }
    let mut findings = Vec::new();
    for node in view.tree.into_iter().flat_map(|tree| tree.root().all()) {
        if !node.is(&["function_definition"]) || !view.lines.touches(node.line(), node.last_line())
        {
            continue;
        }
        let name = node.field("name").map_or("", Node::text);
        let body = squeeze(node.field("body").map_or("", Node::text));
        let at = |message: &str| {
            view.change
                .structure(Rule::G41, node.line(), message)
                .change(None, Some(short(node.text())))
        };
        match name {
            "pytest_runtest_makereport"
            | "pytest_report_teststatus"
            | "pytest_runtest_logreport" => {
                let sets = body.contains(".outcome=\"passed\"")
                    || body.contains(".outcome='passed'")
                    || body.contains("excinfo=None")
                    || body.contains(".longrepr=None");
                let reported = at("A hook sees every report of the runner before it counts.");
                findings.push(if sets {
                    at("A hook turns failures into passes.").graded(Severity::Block)
                } else {
                    reported.graded(Severity::Info)
                });
            }
            "pytest_collection_modifyitems" | "pytest_ignore_collect" | "pytest_deselected" => {
                let drops = [
                    "items[:]=",
                    "items.clear()",
                    "items.remove(",
                    "del items",
                    "items.pop(",
                    "return True",
                ];
                let sorts = body.contains("items[:]=sorted(");
                if drops.iter().any(|word| body.contains(word)) && !sorts {
                    findings.push(at("A hook takes tests out of the collection."));
                } else if body.contains("add_marker(pytest.mark.skip") && !has_word(&body, "if") {
                    findings.push(at("A hook skips every test."));
                }
            }
            "pytest_pyfunc_call" | "pytest_runtest_call" | "pytest_runtest_protocol" => {
                findings.push(at("A hook runs tests in the place of the runner."));
            }
            _ => {}
        }
    }
    findings
}
