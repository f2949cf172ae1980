//! Looking for gaming in a change of 5,000 lines, against starting a program that does nothing.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context as _;

use super::arena::{self, Arena};
use super::measure::{in_turns, time};
use super::report::{Bar, Row};

/// Tests and functions in each of five languages: four lines of each of them change.
const EACH: usize = 250;

pub(super) fn measure(arena: &Arena) -> anyhow::Result<Vec<Row>> {
    let words = ["--package", "countersign-gaming", "--example", "gaming"];
    let program = arena::build(&arena.root, &words)?;
    let before = lay_out(arena, "gaming-before", "0")?;
    let after = lay_out(arena, "gaming-after", "7")?;
    let run = |program: &Path| {
        let mut command = arena.command(program, &arena.root);
        time(command.arg(&before).arg(&after))
    };
    let pair = in_turns(arena.runs(21), |_| run(Path::new("/bin/true")), |_| run(&program))?;
    let bar = Bar::TimeAtMost(Duration::from_millis(200));
    Ok(vec![Row::of_pair("gaming in a change of 5,000 lines", "`/bin/true`", pair, bar)])
}

/// A folder with tests and code; `digit` is what differs between two of them.
fn lay_out(arena: &Arena, name: &str, digit: &str) -> anyhow::Result<PathBuf> {
    let folder = arena.path(name);
    let python = |n: usize| {
        format!(
            "def test_{n}():\n    total = price({n}{digit}, 10)\n    assert total == {n}{digit}\n    assert total != {digit}\n\n"
        )
    };
    let script = |n: usize| {
        format!(
            "test('price {n}', () => {{\n  const total = price({n}{digit}, 10)\n  expect(total).toBe({n}{digit})\n  expect(total).not.toBe({digit})\n}})\n"
        )
    };
    let rust = |n: usize| {
        format!(
            "#[test]\nfn price_{n}() {{\n    let total = price({n}{digit}, 10);\n    assert_eq!(total, {n}{digit});\n    assert_ne!(total, {digit});\n}}\n"
        )
    };
    let go = |n: usize| {
        format!(
            "func TestPrice{n}(t *testing.T) {{\n\ttotal := Price({n}{digit}, 10)\n\tif total != {n}{digit} {{\n\t\tt.Errorf(\"got %d\", {digit})\n\t}}\n}}\n"
        )
    };
    let product = |n: usize| {
        format!(
            "def price_{n}(n, rebate):\n    if n == {n}{digit}:\n        return {n}{digit}\n    rest = n * {digit}\n    return rest - rebate\n\n"
        )
    };
    for (path, head, text) in [
        ("tests/test_price.py", "", &python as &dyn Fn(usize) -> String),
        ("src/price.test.ts", "", &script),
        ("tests/price.rs", "", &rust),
        ("price_test.go", "package price\n", &go),
        ("shop/price.py", "", &product),
    ] {
        let path = folder.join(path);
        let parent = path.parent().context("a file has a folder")?;
        fs::create_dir_all(parent)?;
        let text: String = (0..EACH).map(text).collect();
        fs::write(&path, format!("{head}{text}"))?;
    }
    Ok(folder)
}
