//! Canaries: a test that must fail and one that must pass, planted beside the real ones and run in
//! the same process. A runner that was made to say "passed" says it of the first one too; one that
//! was made to stop early, or to look elsewhere, says nothing of either.

use countersign_domain::project::Runner;

use super::drawn::{Drawn, camel};

/// Files to plant, and the names by which their tests are known in a report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Canary {
    /// Paths from the root of the checkout, with their content.
    pub files: Vec<(String, String)>,
    /// Part of the id of the test that must fail, and of the one that must pass.
    pub fails: String,
    pub passes: String,
}

/// The canary for a suite of `runner` whose test files are `beside`, under names that were drawn for
/// it. `read` gives the content of a file of the tree.
pub fn canary(
    runner: Runner,
    beside: &[&str],
    drawn: &Drawn,
    read: &dyn Fn(&str) -> Option<String>,
) -> Option<Canary> {
    let first = *beside.first()?;
    let (folder, name) =
        first.rsplit_once('/').map_or(("", first), |(folder, name)| (folder, name));
    let within = |name: String| if folder.is_empty() { name } else { format!("{folder}/{name}") };
    let file = drawn.file.join("_");
    let (fails, passes) = named(runner, drawn);
    let (right, wrong) = (drawn.right, drawn.wrong);
    let (path, text) = match runner {
        Runner::Pytest => (
            within(python_name(name, &file)),
            format!(
                "def {fails}():\n    assert int(\"{right}\") == {wrong}\n\n\ndef {passes}():\n    assert int(\"{right}\") == {right}\n"
            ),
        ),
        Runner::Unittest => (
            within(format!("test_{file}.py")),
            format!(
                "import unittest\n\n\nclass {}Test(unittest.TestCase):\n    def {fails}(self):\n        self.assertEqual(int(\"{right}\"), {wrong})\n\n    def {passes}(self):\n        self.assertEqual(int(\"{right}\"), {right})\n",
                camel(&drawn.file)
            ),
        ),
        Runner::NodeTest | Runner::Jest | Runner::Vitest => {
            let text = script(runner, &read(first)?, ((&fails, &passes), drawn));
            (within(script_name(name, &drawn.file.join("-"))), text)
        }
        Runner::CargoTest | Runner::Nextest => {
            let package = first.split("/tests/").next().filter(|_| first.contains("/tests/"));
            let package = package.or_else(|| first.split_once("/src/").map(|(package, _)| package));
            let package = package.map_or(String::new(), |package| format!("{package}/"));
            (
                format!("{package}tests/{file}.rs"),
                format!(
                    "#[test]\nfn {fails}() {{\n    assert_eq!(\"{right}\".parse(), Ok({wrong}));\n}}\n\n#[test]\nfn {passes}() {{\n    assert_eq!(\"{right}\".parse(), Ok({right}));\n}}\n"
                ),
            )
        }
        Runner::GoTest => {
            let text = read(first)?;
            let package = text.lines().find_map(|line| line.strip_prefix("package "))?.trim();
            let function = |name: &str, want: u32| {
                let text = "x".repeat(usize::try_from(right).unwrap_or(0));
                format!(
                    "func {name}(t *testing.T) {{\n\tif got := len(\"{text}\"); got != {want} {{\n\t\tt.Errorf(\"got %d, want %d\", got, {want})\n\t}}\n}}\n"
                )
            };
            let (bad, good) = (function(&fails, wrong), function(&passes, right));
            let text = format!("package {package}\n\nimport \"testing\"\n\n{bad}\n{good}");
            (within(format!("{file}_test.go")), text)
        }
        _ => return None,
    };
    // A file of the project's own is left alone.
    if read(&path).is_some() {
        return None;
    }
    Some(Canary { files: vec![(path, text)], fails, passes })
}

/// The two names, as tests of `runner` are named.
fn named(runner: Runner, drawn: &Drawn) -> (String, String) {
    let name = |words: &[String]| match runner {
        Runner::Pytest | Runner::Unittest => format!("test_{}", words.join("_")),
        Runner::GoTest => format!("Test{}", camel(words)),
        Runner::NodeTest | Runner::Jest | Runner::Vitest => words.join(" "),
        _ => words.join("_"),
    };
    (name(&drawn.fails), name(&drawn.passes))
}

fn python_name(neighbour: &str, word: &str) -> String {
    let is_after = neighbour.ends_with("_test.py") && !neighbour.starts_with("test_");
    if is_after { format!("{word}_test.py") } else { format!("test_{word}.py") }
}

/// The name of a script that the runner finds because it is named as its neighbour is.
fn script_name(neighbour: &str, word: &str) -> String {
    let rest = neighbour.split_once('.').map_or("js", |(_, rest)| rest);
    if let Some(start) = ["test-", "test_"].iter().find(|start| neighbour.starts_with(**start)) {
        return format!("{start}{word}.{rest}");
    }
    let stem = neighbour.split('.').next().unwrap_or_default();
    match ["-test", "_test"].iter().find(|end| stem.ends_with(**end)) {
        Some(end) => format!("{word}{end}.{rest}"),
        None => format!("{word}.{rest}"),
    }
}

/// Both tests, with the assertion that the neighbour uses.
fn script(
    runner: Runner,
    neighbour: &str,
    ((fails, passes), drawn): ((&str, &str), &Drawn),
) -> String {
    let is_module = neighbour.lines().any(|line| {
        let line = line.trim_start();
        line.starts_with("import ") || line.starts_with("import{") || line.starts_with("export ")
    });
    let take = match (runner, is_module) {
        (Runner::NodeTest, true) => {
            "import test from 'node:test';\nimport assert from 'node:assert';\n\n"
        }
        (Runner::NodeTest, false) => {
            "const test = require('node:test');\nconst assert = require('node:assert');\n\n"
        }
        (Runner::Jest, true) if neighbour.contains("@jest/globals") => {
            "import { expect, test } from '@jest/globals';\n\n"
        }
        (Runner::Jest, false) if neighbour.contains("@jest/globals") => {
            "const { expect, test } = require('@jest/globals');\n\n"
        }
        (Runner::Vitest, _) => "import { expect, test } from 'vitest';\n\n",
        _ => "",
    };
    let check = |want: u32| match runner {
        Runner::NodeTest => format!("assert.strictEqual(Number('{}'), {want});", drawn.right),
        _ => format!("expect(Number('{}')).toBe({want});", drawn.right),
    };
    let (bad, good) = (check(drawn.wrong), check(drawn.right));
    format!(
        "{take}test('{fails}', () => {{\n  {bad}\n}});\n\ntest('{passes}', () => {{\n  {good}\n}});\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn() -> Drawn {
        let words = |text: &str| text.split(' ').map(str::to_owned).collect();
        let (fails, passes) = (words("adds two sums"), words("takes no dates"));
        Drawn { file: words("ki wi"), fails, passes, right: 4, wrong: 5 }
    }

    fn planted(runner: Runner, beside: &str, text: &str) -> Option<(String, String)> {
        let read = |path: &str| (path == beside).then(|| text.to_owned());
        canary(runner, &[beside], &drawn(), &read).map(|canary| canary.files[0].clone())
    }

    #[test]
    fn it_lies_beside_the_real_ones() {
        let check = |runner, beside, text, expected: &str| {
            assert_eq!(planted(runner, beside, text).unwrap().0, expected, "{beside}");
        };
        check(Runner::Pytest, "tests/unit/test_a.py", "", "tests/unit/test_ki_wi.py");
        check(Runner::Pytest, "test_a.py", "", "test_ki_wi.py");
        check(Runner::NodeTest, "test/a.test.mjs", "", "test/ki-wi.test.mjs");
        check(Runner::NodeTest, "test-a.js", "", "test-ki-wi.js");
        check(Runner::NodeTest, "lib/a-test.cjs", "", "lib/ki-wi-test.cjs");
        check(Runner::Vitest, "src/a.spec.ts", "", "src/ki-wi.spec.ts");
        check(Runner::CargoTest, "src/lib.rs", "", "tests/ki_wi.rs");
        check(Runner::CargoTest, "crates/a/src/lib.rs", "", "crates/a/tests/ki_wi.rs");
        check(Runner::CargoTest, "crates/a/tests/b.rs", "", "crates/a/tests/ki_wi.rs");
        check(Runner::GoTest, "pkg/a_test.go", "package pkg_test\n", "pkg/ki_wi_test.go");
        assert_eq!(planted(Runner::GoTest, "pkg/a_test.go", "no package"), None);
        assert_eq!(planted(Runner::Rspec, "spec/a_spec.rb", ""), None);
    }

    #[test]
    fn a_script_is_written_as_its_neighbour_is() {
        let (_, module) = planted(Runner::NodeTest, "a.test.js", "import x from './x';\n").unwrap();
        assert!(module.starts_with("import test"), "{module}");
        let (_, common) = planted(Runner::NodeTest, "a.test.js", "const x = 1;\n").unwrap();
        assert!(common.starts_with("const test"), "{common}");
        assert!(common.contains("test('adds two sums'") && common.contains("Number('4'), 5"));
        let (_, go) = planted(Runner::GoTest, "a_test.go", "package a\n").unwrap();
        assert!(go.contains("func TestAddsTwoSums(t") && go.contains("got != 5"), "{go}");
    }
}
