//! Where a test lies that something was found about when it was run.

use std::collections::BTreeMap;

use countersign_domain::gaming::Judged;
use countersign_domain::verify::{Place, bare};
use countersign_gaming::{Role, probe};

use super::{Files, text};

/// Where the tests of these findings lie, by their ids. Of what is gone, where it was.
pub(in crate::verify) fn places(
    findings: &[Judged],
    files: &Files,
    unchanged: &[(String, Vec<u8>)],
) -> BTreeMap<String, Place> {
    let ids = findings.iter().flat_map(|one| &one.finding.tests);
    let mut found = BTreeMap::new();
    if findings.iter().all(|one| one.finding.tests.is_empty()) {
        return found;
    }
    let code = || files.iter().filter(|file| matches!(file.role, Role::Test | Role::Product));
    let sides = code().map(|file| (file.path.as_str(), text(file.after.as_ref())));
    let kept = unchanged
        .iter()
        .map(|(path, bytes)| (path.as_str(), String::from_utf8_lossy(bytes).into_owned()));
    let gone = code().map(|file| (file.path.as_str(), text(file.before.as_ref())));
    let texts: Vec<(&str, String)> = sides.chain(kept).chain(gone).collect();
    for id in ids {
        let name = probe::named(bare(id));
        let at = texts.iter().filter_map(|(path, text)| Some((*path, line_of(text, name)?)));
        // Of several files that have such a test, its id tells which.
        let all: Vec<(&str, u32)> = at.collect();
        let told = all.iter().find(|(path, _)| names_file(id, path)).or_else(|| all.first());
        if let Some((path, line)) = told {
            let place = match inline(path, unchanged) {
                Some(whole) => Place { path: whole, line: None },
                None => Place { path: (*path).to_owned(), line: Some(*line) },
            };
            found.insert(id.clone(), place);
        }
    }
    found
}

/// The first line that has a name as a whole; of several, one that says what it is.
fn line_of(text: &str, name: &str) -> Option<u32> {
    let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
    let has = |line: &str| {
        line.match_indices(name).any(|(at, _)| {
            !line[..at].ends_with(is_word) && !line[at + name.len()..].starts_with(is_word)
        })
    };
    let begins = ["def ", "fn ", "func ", "async def ", "it(", "test(", "pub fn ", "#[test] fn "];
    let lines = || (1..).zip(text.lines()).filter(|(_, line)| has(line));
    let is_head = |line: &str| begins.iter().any(|begin| line.trim_start().starts_with(begin));
    let head = lines().find(|(_, line)| is_head(line)).or_else(|| lines().next());
    head.filter(|_| !name.is_empty()).map(|(number, _)| number)
}

/// Whether the id of a test has the path of its file, or that path as a module.
fn names_file(id: &str, path: &str) -> bool {
    let stem = path.rsplit_once('.').map_or(path, |(stem, _)| stem);
    id.contains(path)
        || id.contains(&stem.replace('/', "."))
        || id.contains(&stem.replace('/', "::"))
}

/// The file whose inline tests a text of the unchanged ones is, if it is such a part.
fn inline(path: &str, unchanged: &[(String, Vec<u8>)]) -> Option<String> {
    let stem = path.strip_suffix("/tests.rs")?;
    let is_part = unchanged.iter().any(|(known, bytes)| {
        known == path && String::from_utf8_lossy(bytes).contains("mod tests")
    });
    is_part.then(|| format!("{stem}.rs"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// G01: a finding lies where its test lies.
    #[test]
    fn the_line_and_the_file_of_a_test() {
        let text = "# test_one\ndef test_one_more():\n    pass\ndef test_one():\n    pass\n";
        assert_eq!(line_of(text, "test_one"), Some(4));
        assert_eq!(line_of("it('adds two', () => {})", "adds two"), Some(1));
        assert_eq!((line_of(text, "test_two"), line_of(text, "")), (None, None));
        assert!(names_file("tests.test_cart::test_one", "tests/test_cart.py"));
        assert!(names_file("test/a.test.js > adds", "test/a.test.js"));
        assert!(!names_file("tests.test_cart::test_one", "tests/test_other.py"));
    }
}
