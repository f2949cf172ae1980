//! Input that nobody wrote, and input that somebody wrote to hurt.

use std::fmt::Write as _;

use countersign_domain::gaming::Severity;
use countersign_gaming::{Changed, Role, Task, detect, outline, role};
use proptest::prelude::*;

const PATHS: &[&str] = &[
    "tests/test_a.py",
    "a.py",
    "src/a.test.ts",
    "src/a.tsx",
    "src/lib.rs",
    "a_test.go",
    "a.go",
    "src/test/java/ATest.java",
    "spec/a_spec.rb",
    "Makefile",
    "package.json",
    "conftest.py",
    ".github/workflows/ci.yml",
    "a.snap",
    "tests/fixtures/a.csv",
    "README.md",
    "Cargo.toml",
    "x.sh",
    "pyproject.toml",
    "tests/a.cs",
    "tests/a.bats",
    "a.pth",
    "test/a_test.cpp",
    "build.rs",
];

fn look(before: &[u8], after: &[u8]) -> usize {
    let changed =
        PATHS.iter().map(|path| Changed { path, before: Some(before), after: Some(after) });
    let changes: Vec<Changed<'_>> = changed.collect();
    let came = Changed { path: "tests/test_new.py", before: None, after: Some(after) };
    let gone = Changed { path: "tests/test_old.py", before: Some(after), after: None };
    let moved = [came, gone];
    detect(&changes, &Task::default()).len() + detect(&moved, &Task::default()).len()
}

/// Hostile files end, and are no reason to panic.
#[test]
fn hostile_files_are_survived() {
    let repeat = |text: &str, count: usize| text.repeat(count).into_bytes();
    for after in [
        repeat("x", 1_000_000),
        repeat("(", 5_000),
        repeat("[[{", 5_000),
        repeat("assert x == (", 1_000),
        repeat("if a:\n ", 500),
        repeat("\"", 2_001),
        repeat("'''", 1_001),
        repeat("/*", 2_000),
        repeat("{\"scripts\":", 1_000),
        repeat("\\", 2_000),
        repeat("a: ", 1_000),
        repeat("- a:\n  ", 500),
        repeat("\u{202e}é", 2_000),
        repeat("#[test]\n", 500),
        repeat("expect(", 2_000),
        vec![0xff; 10_000],
        vec![0; 10_000],
        b"def test_\xff\xfe():\n    assert \xc3\x28 == 1\n".to_vec(),
        Vec::new(),
    ] {
        look(b"def test_a():\n    assert f(1) == 2\n", &after);
    }
}

/// Trees as deep as they get are read, or not, but never with a full stack.
#[test]
fn deep_files_are_survived() {
    for depth in [100, 450, 2_000] {
        let open = "f(".repeat(depth);
        let close = ")".repeat(depth);
        let text = format!("def test_a():\n    assert {open}1{close} == 2\n");
        look(b"", text.as_bytes());
        let blocks: String = (0..depth.min(300)).fold(String::new(), |mut text, level| {
            let _ = writeln!(text, "{}if a:", " ".repeat(level));
            text
        });
        look(b"", blocks.as_bytes());
    }
}

/// The same input gives the same findings, and no more of them than anybody reads.
#[test]
fn findings_are_bounded_and_repeatable() {
    let before: String =
        (0..3_000).map(|n| format!("def test_{n}():\n    assert f({n}) == {n}\n\n")).collect();
    let after: String =
        (0..3_000).map(|n| format!("def test_{n}():\n    assert True\n\n")).collect();
    let change = Changed {
        path: "tests/test_a.py",
        before: Some(before.as_bytes()),
        after: Some(after.as_bytes()),
    };
    let task = Task::default();
    let once = detect(&[change], &task);
    assert!(!once.is_empty() && once.len() <= 400, "{}", once.len());
    assert_eq!(once, detect(&[change], &task));
    let gone = Changed { path: "tests/test_a.py", before: Some(before.as_bytes()), after: None };
    assert!(detect(&[gone], &task).len() <= 400);
}

/// What was not changed is not looked at.
#[test]
fn what_is_the_same_has_no_findings() {
    let text = b"def test_a():\n    assert True\n";
    let change = Changed { path: "tests/test_a.py", before: Some(text), after: Some(text) };
    assert!(detect(&[change], &Task::default()).is_empty());
    assert!(detect(&[], &Task::default()).is_empty());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    /// No bytes are a reason to panic, in no language.
    #[test]
    fn any_bytes_are_read(before in any::<Vec<u8>>(), after in any::<Vec<u8>>()) {
        look(&before, &after);
    }

    /// No text that looks like code is a reason to panic.
    #[test]
    fn any_code_is_read(words in prop::collection::vec(prop::sample::select(vec![
        "def test_a():", "    assert ", "(", ")", "\"", "'", "==", " or ", "#[test]", "fn a() {", "}", "é",
        "expect(", ").toBe(", "test('a', () => {", "if ", "\n", "\n    ", "return ", "5", "-1", "func TestA(t *testing.T) {",
        "t.Error(", "assert_eq!(", ",", "[", "]", "approx(", "abs=", "@pytest.mark.parametrize(", "\u{200b}", "\\", "//", "/*",
    ]), 0..60)) {
        look(b"def test_a():\n    assert f(1) == 2\n", words.concat().as_bytes());
    }
}

/// Roles of the stacks that people use.
#[test]
fn every_stack_has_its_roles() {
    for (path, expected) in [
        ("tests/test_a.py", Role::Test),
        ("pkg/a_test.py", Role::Test),
        ("app/tests.py", Role::Test),
        ("conftest.py", Role::RunnerConfig),
        ("tests/conftest.py", Role::RunnerConfig),
        ("pytest.ini", Role::RunnerConfig),
        ("tox.ini", Role::RunnerConfig),
        ("sitecustomize.py", Role::RunnerConfig),
        ("src/a.test.ts", Role::Test),
        ("src/a.spec.tsx", Role::Test),
        ("src/__tests__/a.js", Role::Test),
        ("cypress/e2e/login.cy.ts", Role::Test),
        ("e2e/login.ts", Role::Test),
        ("jest.config.js", Role::RunnerConfig),
        ("vitest.setup.ts", Role::RunnerConfig),
        (".mocharc.json", Role::RunnerConfig),
        ("playwright.config.ts", Role::RunnerConfig),
        ("src/__snapshots__/a.test.ts.snap", Role::Snapshot),
        ("tests/snapshots/a__b.snap", Role::Snapshot),
        ("testdata/a.golden", Role::Snapshot),
        ("tests/a.rs", Role::Test),
        ("src/a/tests.rs", Role::Test),
        ("src/a.rs", Role::Product),
        ("benches/a.rs", Role::Product),
        ("a_test.go", Role::Test),
        ("testdata/a.json", Role::Fixture),
        ("tests/fixtures/a.csv", Role::Fixture),
        ("tests/data.json", Role::Fixture),
        ("proptest-regressions/a.txt", Role::Fixture),
        ("src/test/java/com/shop/PriceTest.java", Role::Test),
        ("src/main/java/com/shop/Price.java", Role::Product),
        ("Shop.Tests/PriceTests.cs", Role::Test),
        ("spec/price_spec.rb", Role::Test),
        ("spec/spec_helper.rb", Role::RunnerConfig),
        ("tests/PriceTest.php", Role::Test),
        ("phpunit.xml", Role::RunnerConfig),
        ("Tests/PriceTests.swift", Role::Test),
        ("test/price_test.cpp", Role::Test),
        ("pom.xml", Role::BuildConfig),
        ("build.gradle.kts", Role::BuildConfig),
        ("package.json", Role::BuildConfig),
        ("Makefile", Role::BuildConfig),
        ("justfile", Role::BuildConfig),
        ("build.rs", Role::BuildConfig),
        (".cargo/config.toml", Role::BuildConfig),
        ("tsconfig.build.json", Role::BuildConfig),
        (".github/workflows/ci.yml", Role::Ci),
        (".gitlab-ci.yml", Role::Ci),
        ("Jenkinsfile", Role::Ci),
        ("Cargo.lock", Role::Lockfile),
        ("web/pnpm-lock.yaml", Role::Lockfile),
        ("countersign.toml", Role::Ours),
        (".countersign/a", Role::Ours),
        (".claude/settings.local.json", Role::Ours),
        (".husky/pre-commit", Role::Ours),
        (".gitattributes", Role::Ours),
        ("README.md", Role::Docs),
        ("docs/a.txt", Role::Docs),
        ("node_modules/a/b.js", Role::Vendored),
        ("vendor/github.com/a/b.go", Role::Vendored),
        ("dist/a.min.js", Role::Generated),
        ("api/a.pb.go", Role::Generated),
        ("src/contest.py", Role::Product),
        ("src/latest.ts", Role::Product),
        ("attestation.go", Role::Product),
        ("", Role::Product),
    ] {
        assert_eq!(role(path), expected, "{path}");
    }
}

/// What the engine reads from an outline: tests, and where they lie in a product file.
#[test]
fn an_outline_tells_test_code_from_product_code() {
    let source = "pub fn price(n: i64) -> i64 { n }\n\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn rebate() { assert_eq!(super::price(1), 1); }\n}\n\npub fn tax() {}\n";
    let read = outline("src/price.rs", source.as_bytes());
    assert!(read.parsed);
    assert_eq!(read.tests.len(), 1);
    let test = &read.tests[0];
    assert_eq!((test.id.as_str(), test.line, test.assertions[0].strength), ("tests::rebate", 6, 4));
    assert_eq!(read.inline.len(), 1);
    let inline = &source[read.inline[0].clone()];
    assert!(
        inline.starts_with("#[cfg(test)]") && inline.ends_with("}\n}") || inline.ends_with('}')
    );
    assert!(!inline.contains("pub fn tax"));
    let go = outline(
        "a_test.go",
        b"package a\nfunc TestA(t *testing.T) { if A() != 1 { t.Fatal() } }\n",
    );
    assert_eq!((go.tests[0].id.as_str(), go.tests[0].assertions.len()), ("TestA", 1));
    assert!(outline("src/a.py", b"def test_a(): assert 1 == 2\n").tests.is_empty());
}

/// No severity is ever raised by a task, and none is taken away.
#[test]
fn a_task_never_makes_a_finding_vanish() {
    let change = Changed {
        path: "tests/test_a.py",
        before: Some(b"def test_a():\n    assert f(1) == 2\n"),
        after: Some(b"@pytest.mark.skip\ndef test_a():\n    assert f(1) == 2\n"),
    };
    let plain = detect(&[change], &Task::default());
    let asked = detect(&[change], &Task { text: "Skip the flaky test", ..Task::default() });
    assert_eq!(plain.len(), asked.len());
    assert_eq!(plain[0].severity, Severity::Warn);
    assert_eq!(asked[0].severity, Severity::Info);
    assert!(asked[0].message.contains("Skip the flaky test"), "{}", asked[0].message);
}
