//! Whether what was asked for was done, and what nothing shows.

use countersign_testkit::{Project, Ran};

use crate::{PROGRAM, has};

const CART: &str = "def total(items):\n    return sum(items)\n";
const TESTS: &str = "import unittest\nfrom shop.cart import total\n\n\nclass CartTest(unittest.TestCase):\n    \
def test_total(self):\n        self.assertEqual(total([1, 2]), 3)\n\n    def test_empty(self):\n        \
self.assertEqual(total([]), 0)\n";

/// A small shop whose tests pass.
fn shop() -> Option<Project> {
    let project = Project::new(PROGRAM);
    for (path, text) in [
        ("shop/__init__.py", ""),
        ("shop/cart.py", CART),
        ("shop/refund.py", "def refund(x):\n    return -x\n"),
        ("tests/__init__.py", ""),
        ("tests/test_cart.py", TESTS),
    ] {
        project.write(path, text);
    }
    project.commit("A shop");
    has(&project, "python3").then_some(project)
}

fn verify(project: &Project, task: &str) -> Ran {
    // The toolchain with which this test was built needs no home, unlike what stands in for it.
    let own = std::path::Path::new(env!("CARGO")).parent().unwrap();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path =
        std::env::join_paths(std::iter::once(own.to_owned()).chain(std::env::split_paths(&path)));
    project.call(["verify", "--task", task]).env("PATH", path.unwrap()).run()
}

/// LP-12: what was to get another name, or to go, is there or not, whatever else was changed.
#[test]
fn upkeep_that_was_not_done_is_asked_about() {
    let Some(project) = shop() else { return };
    project.git(["mv", "shop/refund.py", "shop/refunds.py"]);
    verify(&project, "Remove cart").expect(4).prints("to remove `cart`, and it is still there");
    verify(&project, "Rename refund.py to returns.py").expect(4).prints("there is no `returns.py`");
    verify(&project, "Rename total to sum_total").expect(4).prints("`total` is still there");
    verify(&project, "Rename refund.py to refunds.py").expect(0);
    project.git(["mv", "shop/refunds.py", "shop/refund.py"]);
    project.write("shop/cart.py", format!("# The cart.\n{CART}"));
    verify(&project, "Refactor cart").expect(4).prints("no code of the product was changed");
    project.write("shop/cart.py", "def total(items):\n    return sum(item for item in items)\n");
    verify(&project, "Refactor cart").expect(0);
}

/// LP-12: a task that is light has to show, too.
#[test]
fn light_work_that_nothing_shows_is_asked_about() {
    let Some(project) = shop() else { return };
    let mean = "def refund(x):\n    return -x\n\n\ndef mean(values):\n    return sum(values)\n";
    project.write("shop/refund.py", mean);
    for task in ["Add a function mean to refund.py", "Add a helper for the average to refund.py"] {
        verify(&project, task).expect(4).prints("nothing that was run shows that the task is done");
    }
}

/// LP-13: a permission holds for what was run as well, in every form of the report.
#[test]
fn what_is_allowed_is_allowed_when_run() {
    let Some(project) = shop() else { return };
    let allow = "[verify]\nallow = [\"G02 tests/test_cart.py: it is flaky\"]\n";
    project.write("countersign.toml", allow);
    project.commit("Settings");
    project.write("shop/cart.py", "def total(items):\n    return sum(item for item in items)\n");
    let skip =
        TESTS.replace("    def test_empty", "    @unittest.skip('flaky')\n    def test_empty");
    project.write("tests/test_cart.py", &skip);
    let ran = project.run(["verify", "--task", "Refactor cart", "--sarif", "out.sarif"]);
    ran.expect(0).prints("is skipped now (G02); allowed: it is flaky");
    let sarif: serde_json::Value = serde_json::from_str(&project.read("out.sarif")).unwrap();
    let results = sarif["runs"][0]["results"].as_array().unwrap();
    let run = results.iter().find(|one| one["message"]["text"].to_string().contains("run before"));
    let run = run.unwrap_or_else(|| panic!("{sarif:#}"));
    assert_eq!(run["suppressions"][0]["justification"], "it is flaky", "{run:#}");
    let place = &run["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "tests/test_cart.py", "{run:#}");
    assert!(place["region"]["startLine"].as_u64().is_some_and(|line| line > 1), "{run:#}");
    assert!(run["properties"]["before"].to_string().contains("passed"), "{run:#}");
    assert!(run["message"]["text"].to_string().contains("After:"), "{run:#}");
    std::fs::remove_file(project.path("out.sarif")).unwrap();
    // Without the permission it is asked about, with what it was and is.
    project.write("countersign.toml", "");
    project.git(["commit", "--quiet", "-m", "None", "countersign.toml"]);
    let ran = verify(&project, "Refactor cart").expect(4);
    ran.prints("is skipped now (G02)").prints("+ ");
    let ran = project.run(["verify", "--task", "Refactor cart", "--format", "markdown"]);
    ran.expect(4).prints("before: `").prints("after: `");
}

/// LP-12: tests that stand in the code are tests, and a repository without any never lost some.
#[test]
fn tests_in_the_code_and_none_at_all() {
    let project = Project::new(PROGRAM);
    if !has(&project, "cargo") {
        return;
    }
    let code = "pub fn first(text: &str) -> Option<char> {\n    text.chars().next()\n}\n";
    let manifest = "[package]\nname = \"first\"\nversion = \"0.1.0\"\nedition = \"2021\"\n";
    project.write("Cargo.toml", manifest);
    project.write(".gitignore", "target\n");
    project.write("src/lib.rs", code);
    project.commit("A letter");
    project.write("src/lib.rs", code.replace("text.chars().next()", "{ text.chars().next() }"));
    let ran = verify(&project, "Refactor first").expect(4);
    let ran = ran.prints("no tests were collected, on the base neither");
    assert!(!ran.out().contains("G40"), "{}", ran.out());
    let with =
        |body: &str| format!("{code}\n#[cfg(test)]\nmod tests {{\n    use super::*;\n{body}}}\n");
    let one = "    #[test]\n    fn a() {\n        assert_eq!(first(\"ab\"), Some('a'));\n    }\n";
    project.write("src/lib.rs", with(one));
    project.commit("A test");
    let two =
        "    #[test]\n    fn umlaut() {\n        assert_eq!(first(\"äb\"), Some('ä'));\n    }\n";
    project.write("src/lib.rs", with(&format!("{one}{two}")));
    verify(&project, "Add tests for umlauts").expect(0);
}
