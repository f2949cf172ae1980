//! Canaries: a test that must fail and one that must pass, planted beside the real ones and run in
//! the same process. A runner that was made to say "passed" says it of the first one too; one that
//! was made to stop early, or to look elsewhere, says nothing of either.

use countersign_domain::project::Runner;

/// Files to plant, and the names by which their tests are known in a report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Canary {
    /// Paths from the root of the checkout, with their content.
    pub files: Vec<(String, String)>,
    /// Part of the id of the test that must fail, and of the one that must pass.
    pub fails: String,
    pub passes: String,
}

/// The canary for a suite of `runner` whose test files are `beside`. `word` is one that nobody can
/// know before: lower case letters and digits. `read` gives the content of a file of the tree.
pub fn canary(
    runner: Runner,
    beside: &[&str],
    word: &str,
    read: &dyn Fn(&str) -> Option<String>,
) -> Option<Canary> {
    let (fails, passes) = (format!("{word}_a"), format!("{word}_b"));
    let made = |path: String, text: String| Canary {
        files: vec![(path, text)],
        fails: fails.clone(),
        passes: passes.clone(),
    };
    let first = *beside.first()?;
    let (folder, name) =
        first.rsplit_once('/').map_or(("", first), |(folder, name)| (folder, name));
    let within = |name: String| if folder.is_empty() { name } else { format!("{folder}/{name}") };
    match runner {
        Runner::Pytest => Some(made(
            within(format!("test_{word}.py")),
            format!(
                "def test_{fails}():\n    assert int(\"1\") == 2\n\n\ndef test_{passes}():\n    assert int(\"2\") == 2\n"
            ),
        )),
        Runner::Unittest => Some(made(
            within(format!("test_{word}.py")),
            format!(
                "import unittest\n\n\nclass Test_{word}(unittest.TestCase):\n    def test_{fails}(self):\n        self.assertEqual(int(\"1\"), 2)\n\n    def test_{passes}(self):\n        self.assertEqual(int(\"2\"), 2)\n"
            ),
        )),
        Runner::NodeTest | Runner::Jest | Runner::Vitest => {
            let text = read(first)?;
            Some(made(within(script_name(name, word)), script(runner, &text, (&fails, &passes))))
        }
        Runner::CargoTest | Runner::Nextest => {
            let package = first.split("/tests/").next().filter(|_| first.contains("/tests/"));
            let package = package.or_else(|| first.split_once("/src/").map(|(package, _)| package));
            let package = package.map_or(String::new(), |package| format!("{package}/"));
            Some(made(
                format!("{package}tests/{word}.rs"),
                format!(
                    "#[test]\nfn {fails}() {{\n    assert_eq!(\"1\".parse(), Ok(2));\n}}\n\n#[test]\nfn {passes}() {{\n    assert_eq!(\"2\".parse(), Ok(2));\n}}\n"
                ),
            ))
        }
        Runner::GoTest => {
            let text = read(first)?;
            let package = text.lines().find_map(|line| line.strip_prefix("package "))?.trim();
            let (fails, passes) = (format!("Test_{word}_a"), format!("Test_{word}_b"));
            let text = format!(
                "package {package}\n\nimport \"testing\"\n\nfunc {fails}(t *testing.T) {{\n\tt.Fatal(\"as it must\")\n}}\n\nfunc {passes}(t *testing.T) {{\n\tt.Log(\"as it must\")\n}}\n"
            );
            Some(Canary { files: vec![(within(format!("{word}_test.go")), text)], fails, passes })
        }
        _ => None,
    }
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

fn script(runner: Runner, neighbour: &str, (fails, passes): (&str, &str)) -> String {
    let is_module = neighbour.lines().any(|line| {
        let line = line.trim_start();
        line.starts_with("import ") || line.starts_with("import{") || line.starts_with("export ")
    });
    let take = match (runner, is_module) {
        (Runner::NodeTest, true) => "import test from 'node:test';\n",
        (Runner::NodeTest, false) => "const test = require('node:test');\n",
        (Runner::Vitest, _) => "import { test } from 'vitest';\n",
        _ => "",
    };
    format!(
        "{take}test('{fails}', () => {{\n  if (Number('1') !== 2) throw new Error('as it must');\n}});\n\ntest('{passes}', () => {{\n  if (Number('2') !== 2) throw new Error('never');\n}});\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn planted(runner: Runner, beside: &str, text: &str) -> Option<(String, String)> {
        let read = |_: &str| Some(text.to_owned());
        canary(runner, &[beside], "kiwi7", &read).map(|canary| canary.files[0].clone())
    }

    #[test]
    fn it_lies_beside_the_real_ones() {
        let check = |runner, beside, text, expected: &str| {
            assert_eq!(planted(runner, beside, text).unwrap().0, expected, "{beside}");
        };
        check(Runner::Pytest, "tests/unit/test_a.py", "", "tests/unit/test_kiwi7.py");
        check(Runner::Pytest, "test_a.py", "", "test_kiwi7.py");
        check(Runner::NodeTest, "test/a.test.mjs", "", "test/kiwi7.test.mjs");
        check(Runner::NodeTest, "test-a.js", "", "test-kiwi7.js");
        check(Runner::NodeTest, "lib/a-test.cjs", "", "lib/kiwi7-test.cjs");
        check(Runner::Vitest, "src/a.spec.ts", "", "src/kiwi7.spec.ts");
        check(Runner::CargoTest, "src/lib.rs", "", "tests/kiwi7.rs");
        check(Runner::CargoTest, "crates/a/src/lib.rs", "", "crates/a/tests/kiwi7.rs");
        check(Runner::CargoTest, "crates/a/tests/b.rs", "", "crates/a/tests/kiwi7.rs");
        check(Runner::GoTest, "pkg/a_test.go", "package pkg_test\n", "pkg/kiwi7_test.go");
        assert_eq!(planted(Runner::GoTest, "pkg/a_test.go", "no package"), None);
        assert_eq!(planted(Runner::Rspec, "spec/a_spec.rb", ""), None);
    }

    #[test]
    fn a_script_is_written_as_its_neighbour_is() {
        let (_, module) = planted(Runner::NodeTest, "a.test.js", "import x from './x';\n").unwrap();
        assert!(module.starts_with("import test"), "{module}");
        let (_, common) = planted(Runner::NodeTest, "a.test.js", "const x = 1;\n").unwrap();
        assert!(common.starts_with("const test"), "{common}");
    }
}
