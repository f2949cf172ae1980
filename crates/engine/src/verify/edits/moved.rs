//! Tests that are gone and stand in a new test of any file: line by line, or as rows of its table.

use std::collections::{BTreeMap, BTreeSet};

use countersign_gaming::{Outline, Role, Test, outline};

use super::asked::calls;
use super::renamed::tokens;
use super::{File, Files, name, same, text};

/// What makes less of a table than is written down.
const CUTS: [&str; 9] =
    [".take(", ".skip(", ".filter(", ".slice(", ".step_by(", "islice", "..", "continue", "break"];

/// One file of tests on both sides.
struct Sides<'f> {
    file: &'f File,
    before: Outline,
    after: Outline,
}

/// The names of tests that are gone, with the name of the new test that has all of each.
pub(super) fn moved(files: &Files) -> BTreeMap<String, String> {
    let tests = |side: &Option<Vec<u8>>, path: &str| {
        side.as_ref().map(|bytes| outline(path, bytes)).unwrap_or_default()
    };
    let read = files.iter().filter(|file| file.role == Role::Test);
    let sides: Vec<Sides<'_>> = read
        .map(|file| Sides {
            file,
            before: tests(&file.before, &file.path),
            after: tests(&file.after, &file.path),
        })
        .collect();
    let known = |test: &Test| {
        let mut old = sides.iter().flat_map(|side| &side.before.tests);
        old.any(|one| one.digest == test.digest)
    };
    let mut gone: Vec<(&Sides<'_>, &Test)> = Vec::new();
    for side in &sides {
        let is_gone = |test: &&Test| side.after.tests.iter().all(|other| other.id != test.id);
        gone.extend(side.before.tests.iter().filter(is_gone).map(|test| (side, test)));
    }
    let mut found = BTreeMap::new();
    for side in sides.iter().filter(|side| side.after.parsed && !gone.is_empty()) {
        let fresh = side.after.tests.iter().filter(|test| !known(test) && test.markers.is_empty());
        for new in fresh {
            let mut olds = put_together(new, side, &gone);
            olds.extend(tabled(new, side, &gone));
            found.extend(olds.into_iter().map(|old| (old, name(new))));
        }
    }
    found
}

/// The tests that a new one consists of: it has all lines of each in their order, and no line besides.
fn put_together(new: &Test, side: &Sides<'_>, gone: &[(&Sides<'_>, &Test)]) -> Vec<String> {
    let all = body(new);
    let mut is_known = vec![false; all.len()];
    let mut found = Vec::new();
    for (from, old) in gone {
        let part = body(old);
        let place = all.windows(part.len().max(1)).position(|lines| lines == part);
        let Some(at) = place.filter(|_| calls_the_same(old, from, side)) else { continue };
        is_known[at..at + part.len()].fill(true);
        found.push(name(old));
    }
    if is_known.iter().all(|known| *known) { found } else { Vec::new() }
}

/// The tests that are rows of a new one: all that each of their checks names stands in a row of its table, and
/// it calls what they call and compares with values, every row of them.
fn tabled(new: &Test, side: &Sides<'_>, gone: &[(&Sides<'_>, &Test)]) -> Vec<String> {
    let compares = new.assertions.iter().any(|one| one.fault.is_none() && one.strength == 4);
    if !compares || CUTS.iter().any(|cut| new.text.contains(cut)) {
        return Vec::new();
    }
    let rows = format!("{}\n{}", new.text, data_of(new, &text(side.file.after.as_ref())));
    let called: BTreeSet<&str> = calls(&new.text).into_iter().collect();
    let is_row = |from: &Sides<'_>, old: &Test| {
        let mut checks = old.assertions.iter().filter(|one| one.fault.is_none());
        !std::ptr::eq(from, side)
            && checks.all(|one| {
                is_whole(&one.text) && calls(&one.text).iter().all(|call| called.contains(call))
            })
            && same::are_rows(std::iter::once(old), &rows)
            && calls_the_same(old, from, side)
    };
    let (whole, others): (Vec<_>, Vec<_>) = gone.iter().partition(|(from, old)| is_row(from, old));
    // A row may compare all of an answer of which the test looked at a part, as long as most rows are what
    // tests were: all of them pass on the new code as they were.
    let is_asked = |from: &Sides<'_>, old: &Test| {
        let mut checks = old.assertions.iter().filter(|one| one.fault.is_none()).peekable();
        !std::ptr::eq(from, side)
            && checks.peek().is_some()
            && checks.all(|one| asks_of_row(&one.text, (&called, &rows)))
            && calls_the_same(old, from, side)
    };
    let parts: Vec<_> = others.into_iter().filter(|(from, old)| is_asked(from, old)).collect();
    let parts = if parts.len() < whole.len() { parts } else { Vec::new() };
    whole.into_iter().chain(parts).map(|(_, old)| name(old)).collect()
}

/// A text that is shorter may stand anywhere by chance.
const TELLING: usize = 8;

/// Whether what a check hands to a function stands in a row, and the new test calls that function.
fn asks_of_row(check: &str, (called, rows): (&BTreeSet<&str>, &str)) -> bool {
    let all = tokens(check);
    let given: Vec<&[&str]> = all
        .windows(3)
        .filter(|three| three[1] == "(" && three[2].starts_with('"') && three[2].len() > TELLING)
        .collect();
    !given.is_empty()
        && given.iter().all(|three| called.contains(three[0]) && rows.contains(three[2]))
}

/// Whether a check has its question and its answer in it: a call, and a value for each.
fn is_whole(check: &str) -> bool {
    let is_value = |token: &&&str| {
        token.starts_with(|letter: char| letter.is_ascii_digit() || "\"'`".contains(letter))
    };
    let named = calls(check);
    let asked = named.iter().filter(|name| name.starts_with(char::is_alphabetic)).count();
    asked > 0 && tokens(check).iter().filter(is_value).count() > 1
}

/// Whether what a test calls is no other thing in the file where it stands now.
fn calls_the_same(test: &Test, from: &Sides<'_>, to: &Sides<'_>) -> bool {
    let (was, is) = (text(from.file.before.as_ref()), text(to.file.after.as_ref()));
    calls(&test.text).into_iter().all(|call| {
        let now = definition(&is, call);
        now.is_empty() || now == definition(&was, call)
    })
}

/// The lines of a test below its own name, without layout, comments and brackets that close.
fn body(test: &Test) -> Vec<String> {
    let own = name(test);
    let mut lines = test.text.lines();
    lines.by_ref().find(|line| line.contains(&own));
    let said = lines.map(|line| tokens(line).join(" "));
    said.filter(|line| line.contains(|letter: char| !"(){}[]; ".contains(letter))).collect()
}

/// The words that may stand before the name of what a file defines.
const HEADS: [&str; 14] = [
    "pub",
    "async",
    "export",
    "default",
    "fn",
    "def",
    "func",
    "function",
    "class",
    "const",
    "static",
    "let",
    "var",
    "macro_rules!",
];

/// What a line at the left edge of a file defines.
fn defined(line: &str) -> Option<&str> {
    let is_end = |letter: char| !(letter.is_alphanumeric() || matches!(letter, '_' | '!'));
    let mut words = line.split(is_end).filter(|word| !word.is_empty());
    let is_outside = line.starts_with(|letter: char| letter.is_alphabetic() || letter == '_');
    words.find(|word| !HEADS.contains(word)).filter(|_| is_outside)
}

/// What a file defines under a name, with all lines of it.
fn definition(whole: &str, name: &str) -> String {
    blocks(whole, &|line| {
        let is_head = HEADS.iter().any(|head| line.starts_with(&format!("{head} ")));
        is_head && defined(line) == Some(name)
    })
}

/// The data at the left edge of a file that a test names.
fn data_of(test: &Test, whole: &str) -> String {
    let named: BTreeSet<&str> = tokens(&test.text).into_iter().collect();
    blocks(whole, &|line| {
        let is_data = line.contains('=') && !line.contains("=>");
        is_data && defined(line).is_some_and(|name| named.contains(name))
    })
}

/// The stretches of a text that begin with such a line at its left edge.
fn blocks(whole: &str, is_head: &dyn Fn(&str) -> bool) -> String {
    let mut found = String::new();
    let mut is_within = false;
    for line in whole.lines() {
        let is_inner = line.is_empty() || line.starts_with([' ', '\t', '}', ')', ']']);
        is_within = if is_inner { is_within } else { is_head(line) };
        if is_within && !line.trim().is_empty() {
            found += line.trim();
            found.push('\n');
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    fn check(files: &[(&str, &str, &str)], expected: &[(&str, &str)]) {
        let side = |text: &str| (!text.is_empty()).then(|| text.as_bytes().to_vec());
        let files = files.iter().map(|(path, before, after)| {
            let (before, after) = (side(before), side(after));
            (PathBuf::from(path), File { path: (*path).into(), role: Role::Test, before, after })
        });
        let found = moved(&Files(files.collect()));
        let found: Vec<(&str, &str)> =
            found.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
        assert_eq!(found, expected);
    }

    const ONE: &str = "#[test]\nfn ups() {\n    let a = up(1);\n    assert_eq!(a, 2);\n}\n\n\
                       #[test]\nfn downs() {\n    says(down(2), \"1\");\n}\n\n#[test]\nfn stays() {\n    \
                       assert_eq!(up(3), 4);\n}\n";
    const LEFT: &str = "#[test]\nfn stays() {\n    assert_eq!(up(3), 4);\n}\n";

    /// G01: all lines of tests that are gone stand in a new test of another file.
    #[test]
    fn tests_that_were_put_together_elsewhere() {
        let new = |lines: &str| format!("#[test]\nfn both() {{\n{lines}}}\n");
        let all = "    let a = up(1);\n    assert_eq!(a, 2);\n\n    // Down.\n    says(down(2), \"1\");\n";
        let both = [("downs", "both"), ("ups", "both")];
        check(&[("tests/a.rs", ONE, LEFT), ("tests/b.rs", "", &new(all))], &both);
        // A value is another, a line is missing, one stands before, and one is switched off.
        for lines in [
            "    let a = up(1);\n    assert_eq!(a, 3);\n    says(down(2), \"1\");\n".to_owned(),
            format!("    if skip() {{ return; }}\n{all}"),
            format!("    let says = |_, _| ();\n{all}"),
        ] {
            check(&[("tests/a.rs", ONE, LEFT), ("tests/b.rs", "", &new(&lines))], &[]);
        }
        // One that only has another name is known by what it says.
        let one = "    let a = up(1);\n    assert_eq!(a, 2);\n";
        check(&[("tests/a.rs", ONE, LEFT), ("tests/b.rs", "", &new(one))], &[]);
        let ignored = new(all).replace("#[test]", "#[test]\n#[ignore]");
        check(&[("tests/a.rs", ONE, LEFT), ("tests/b.rs", "", &ignored)], &[]);
        // What it calls is another thing there.
        let fake = format!("fn says(_: u8, _: &str) {{}}\n\n{}", new(all));
        check(&[("tests/a.rs", ONE, LEFT), ("tests/b.rs", "", &fake)], &[]);
    }

    /// G01: tests that are gone are rows of a table in another file.
    #[test]
    fn tests_that_became_rows_elsewhere() {
        let old = "#[test]\nfn halves() {\n    assert_eq!(set(\"a1 a2\").to_string(), \"a\");\n}\n\n\
                   #[test]\nfn apart() {\n    assert_eq!(set(\"b1 c1\").to_string(), \"b1\\nc1\");\n}\n";
        let left = "#[test]\nfn stays() {\n    assert_eq!(up(3), 4);\n}\n";
        let table = |rows: &str, over: &str| {
            format!(
                "const CASES: &[(&str, &str, &str)] = &[\n{rows}\n];\n\n#[test]\nfn joins() {{\n    \
                 for (name, given, want) in {over} {{\n        \
                 let got = set(given).to_string().replace('\\n', \" \");\n        \
                 assert_eq!(&got, want, \"{{name}}\");\n    }}\n}}\n"
            )
        };
        let rows =
            "    (\"two halves\", \"a1 a2\", \"a\"),\n    (\"apart\", \"b1 c1\", \"b1 c1\"),";
        let both = [("apart", "joins"), ("halves", "joins")];
        let with = |table: &str, expected: &[(&str, &str)]| {
            check(&[("tests/a.rs", old, left), ("tests/b.rs", "", table)], expected);
        };
        with(&table(rows, "CASES"), &both);
        // A test that looked at a part of an answer is a row if most of the others are.
        let part = format!(
            "{old}\n#[test]\nfn many() {{\n    assert_eq!(set(\"long1 long2\").len(), 2);\n}}\n"
        );
        let more = format!("{rows}\n    (\"many\", \"long1 long2\", \"long1 long2\"),");
        let all = [both[0], both[1], ("many", "joins")];
        check(&[("tests/a.rs", &part, left), ("tests/b.rs", "", &table(&more, "CASES"))], &all);
        check(&[("tests/a.rs", &part, left), ("tests/b.rs", "", &table(rows, "CASES"))], &both);
        let alone = &part[old.len()..];
        check(&[("tests/a.rs", alone, left), ("tests/b.rs", "", &table(&more, "CASES"))], &[]);
        with(&table(rows, "&CASES[..1]"), &[]);
        with(&table(rows, "CASES.iter().take(1)"), &[]);
        with(&table(rows, "OTHERS"), &[]);
        with(&table(&rows.replace("\"a\")", "\"b\")"), "CASES"), &[("apart", "joins")]);
        with(&table(rows, "CASES").replace("to_string", "to_text"), &[]);
    }
}
