//! Files without the tests that can't be built, so that the others of their package still can.

use std::collections::BTreeSet;

use crate::language::Language;
use crate::outline::outline;
use crate::role::{Role, role};

/// What is left of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cut {
    /// It has the same lines; those of some tests are empty.
    Text(String),
    /// Nothing: the mistake lies in what its tests have in common.
    Whole,
    /// The mistake lies in the code, which is nobody's to leave out.
    Kept,
}

/// `source` without the tests in which a compiler found mistakes at `lines`, counted from one.
pub fn cut(path: &str, source: &str, lines: &[u32]) -> Cut {
    let is_test = role(path) == Role::Test;
    let outline = outline(path, source.as_bytes());
    let rows: Vec<&str> = source.lines().collect();
    let line_of = |at: usize| source[..at.min(source.len())].matches('\n').count() + 1;
    let stretches: Vec<(usize, usize)> =
        outline.inline.iter().map(|range| (line_of(range.start), line_of(range.end))).collect();
    let mut empty = BTreeSet::new();
    let mut blank = BTreeSet::new();
    for line in lines {
        let number = usize::try_from(*line).unwrap_or(usize::MAX);
        let test = outline.tests.iter().find(|test| (test.line..=test.last_line).contains(line));
        let stretch = stretches.iter().find(|(first, last)| (*first..=*last).contains(&number));
        if !is_test && stretch.is_none() {
            return Cut::Kept;
        }
        let place = rows.get(number.wrapping_sub(1)).copied().unwrap_or_default();
        match (test, stretch) {
            (Some(test), _) => {
                let (first, last) = (test.line as usize, test.last_line as usize);
                empty.extend(first - above(&rows, first)..=last);
            }
            (None, Some((first, last))) => empty.extend(*first..=*last),
            (None, None) if is_import(path, place) => {
                blank.insert(number);
            }
            (None, None) => return Cut::Whole,
        }
    }
    let left = rows.iter().enumerate().map(|(at, line)| match at + 1 {
        number if empty.contains(&number) => String::new(),
        // What only a test used that is gone must not be used any more.
        number if blank.contains(&number) => line.replacen('"', "_ \"", 1),
        _ => (*line).to_owned(),
    });
    let left = left.collect::<Vec<_>>().join("\n") + "\n";
    if left.trim() == source.trim() { Cut::Whole } else { Cut::Text(left) }
}

/// How many lines right above a function belong to it: attributes and comments.
fn above(text: &[&str], first: usize) -> usize {
    let before = text.get(..first.saturating_sub(1)).unwrap_or_default();
    let is_its =
        |line: &&&str| line.trim_start().starts_with("#[") || line.trim().starts_with("//");
    before.iter().rev().take_while(is_its).count()
}

/// A line of Go that imports one package and could do so for its effects.
fn is_import(path: &str, line: &str) -> bool {
    let line = line.trim();
    let line = line.strip_prefix("import ").unwrap_or(line);
    Language::of(path) == Language::Go
        && line.len() > 2
        && line.starts_with('"')
        && line.ends_with('"')
}

#[cfg(test)]
mod tests {
    use super::*;

    const RUST: &str = "use a::b;\n\n/// One.\n#[test]\nfn one() {\n    b(1, 2);\n}\n\n#[test]\nfn two() {\n    assert!(b(1));\n}\n";

    /// VC-05: a test that can't be built is left out with its attributes, and its lines stay empty.
    #[test]
    fn one_test_of_a_file() {
        let expected = "use a::b;\n\n\n\n\n\n\n\n#[test]\nfn two() {\n    assert!(b(1));\n}\n";
        assert_eq!(cut("tests/a.rs", RUST, &[6]), Cut::Text(expected.to_owned()));
        assert_eq!(cut("tests/a.rs", RUST, &[1]), Cut::Whole);
    }

    /// VC-05: code is never left out, its inline tests are.
    #[test]
    fn inline_tests() {
        let source = "fn b() {}\n\n#[cfg(test)]\nmod tests {\n    use super::c;\n    #[test]\n    fn one() {\n        c();\n    }\n}\n";
        assert_eq!(cut("src/a.rs", source, &[1]), Cut::Kept);
        let Cut::Text(left) = cut("src/a.rs", source, &[5]) else { panic!("nothing is left") };
        assert_eq!(left.trim(), "fn b() {}");
        let Cut::Text(left) = cut("src/a.rs", source, &[8]) else { panic!("nothing is left") };
        assert!(left.contains("mod tests") && !left.contains("fn one"), "{left}");
    }

    /// VC-05: in Go, a package that is not used any more must not be imported by its name.
    #[test]
    fn imports_of_go() {
        let source = "package a\n\nimport (\n\t\"sort\"\n\t\"testing\"\n)\n\nfunc TestA(t *testing.T) {\n\tb()\n}\n";
        let Cut::Text(left) = cut("a_test.go", source, &[4]) else { panic!("nothing is left") };
        assert!(left.contains("\t_ \"sort\"\n\t\"testing\""), "{left}");
        let Cut::Text(left) = cut("a_test.go", source, &[9]) else { panic!("nothing is left") };
        assert!(!left.contains("TestA"), "{left}");
    }
}
