//! A text file as the rules see it: for Rust, every line split into code and comment.
//!
//! Strings are emptied, so that a rule about code never trips over a message, a pattern or a
//! fixture that merely mentions what it forbids.

use super::lexer;

/// One file of the project.
#[derive(Debug)]
pub(crate) struct Source<'a> {
    /// From the root of the workspace, with forward slashes.
    pub(crate) path: &'a str,
    pub(crate) text: &'a str,
    /// Empty unless the file is Rust.
    pub(crate) lines: Vec<Line>,
    /// What is said to tidy, each with the index of the line that it is about.
    marks: Vec<(usize, &'a str)>,
}

/// One line of a Rust file.
#[derive(Debug, Default)]
pub(crate) struct Line {
    /// The code, with strings emptied and comments taken out.
    pub(crate) code: String,
    /// The comment, with its slashes.
    pub(crate) comment: String,
    /// Whether the line is for development only: tests, examples, benchmarks.
    pub(crate) in_test: bool,
}

impl<'a> Source<'a> {
    pub(crate) fn new(path: &'a str, text: &'a str) -> Self {
        let mut source = Self { path, text, lines: Vec::new(), marks: marks(text) };
        if source.is_rust() {
            source.lines = lexer::split(text);
            let folders = ["/tests/", "/examples/", "/benches/"];
            let whole = folders.iter().any(|folder| path.contains(folder));
            let whole = whole || path.ends_with("/tests.rs");
            mark_tests(&mut source.lines, whole);
        }
        source
    }

    /// Whether the file is Rust of ours, and not data for a test that happens to be Rust.
    pub(crate) fn is_rust(&self) -> bool {
        let data = ["/fixtures/", "/testdata/", "/snapshots/"];
        has_extension(self.path, "rs") && !data.iter().any(|part| self.path.contains(part))
    }

    pub(crate) fn is_under(&self, folders: &[&str]) -> bool {
        folders.iter().any(|folder| self.path.starts_with(folder))
    }

    /// The lines of a Rust file with their numbers, counted from one, without those that say
    /// why they are exempt from `rule`.
    pub(crate) fn lines_for(&self, rule: &str) -> impl Iterator<Item = (usize, &Line)> {
        self.lines
            .iter()
            .enumerate()
            .filter(move |(index, _)| !self.is_exempt(*index, rule))
            .map(|(index, line)| (index + 1, line))
    }

    /// Whether the line carries `tidy: allow <rule>: <reason>`.
    pub(crate) fn is_exempt(&self, index: usize, rule: &str) -> bool {
        self.is_marked(index, &format!("allow {rule}:"))
    }

    /// Whether `tidy: <mark>` and a reason stand on the line, or alone on the one above it.
    pub(crate) fn is_marked(&self, index: usize, mark: &str) -> bool {
        self.marks.iter().any(|(at, said)| {
            // A mark without words is no reason, and doesn't count.
            let reason = said.strip_prefix(mark).unwrap_or("");
            *at == index && reason.chars().filter(|c| c.is_alphabetic()).count() >= 3
        })
    }
}

/// What is said to tidy, each with the index of the line that it is about.
fn marks(text: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    for (index, line) in text.lines().enumerate() {
        if let Some((before, said)) = line.split_once("tidy: ") {
            let alone = ["//", "#", "<!--"].contains(&before.trim());
            found.push((if alone { index + 1 } else { index }, said));
        }
    }
    found
}

/// Marks the lines of modules and items that only exist in tests.
fn mark_tests(lines: &mut [Line], whole: bool) {
    let mut depth = 0_usize;
    let mut waiting = false;
    for line in lines {
        let starts = ["cfg(test", "cfg(all(test", "cfg(any(test"];
        if depth == 0 && starts.iter().any(|start| line.code.contains(start)) {
            waiting = true;
        }
        line.in_test = whole || waiting || depth > 0;
        for letter in line.code.chars() {
            match letter {
                '{' if waiting || depth > 0 => {
                    depth += 1;
                    waiting = false;
                }
                '}' if depth > 0 => depth -= 1,
                // `mod tests;` and `use …;` end where they stand.
                ';' if waiting => waiting = false,
                _ => {}
            }
        }
    }
}

pub(crate) fn has_extension(path: &str, extension: &str) -> bool {
    path.rsplit_once('.').is_some_and(|(_, found)| found == extension)
}

/// Whether `text` has `word` that isn't a part of a longer identifier.
pub(crate) fn has_word(text: &str, word: &str) -> bool {
    let joins = |letter: char| letter.is_alphanumeric() || letter == '_';
    text.match_indices(word).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + word.len()..].chars().next();
        let opens = word.starts_with(joins) && before.is_some_and(joins);
        let goes_on = word.ends_with(joins) && after.is_some_and(joins);
        !opens && !goes_on
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_have_borders() {
        assert!(has_word("rusqlite::open()", "rusqlite"));
        assert!(has_word("a println!()", "println!"));
        assert!(!has_word("eprintln!()", "println!"));
        assert!(!has_word("not_rusqlite", "rusqlite"));
        assert!(!has_word("rusqlite2", "rusqlite"));
    }

    #[test]
    fn test_modules_are_told_apart() {
        let text = "fn a() {}\n#[cfg(test)]\nmod tests {\n    fn b() {}\n}\nfn c() {}\n";
        let source = Source::new("crates/x/src/lib.rs", text);
        let marks: Vec<bool> = source.lines.iter().map(|line| line.in_test).collect();
        assert_eq!(marks, [false, true, true, true, true, false]);

        let text = "#[cfg(test)]\nmod tests;\nfn c() {}\n";
        let source = Source::new("crates/x/src/lib.rs", text);
        let marks: Vec<bool> = source.lines.iter().map(|line| line.in_test).collect();
        assert_eq!(marks, [true, true, false]);
    }

    #[test]
    fn files_of_tests_are_tests_throughout() {
        for path in ["x/tests/cli.rs", "x/src/run/tests.rs", "x/examples/a.rs"] {
            assert!(Source::new(path, "fn a() {}\n").lines[0].in_test);
        }
    }

    #[test]
    fn data_that_looks_like_rust_is_not_rust() {
        assert!(!Source::new("crates/x/tests/fixtures/bad.rs", "").is_rust());
        assert!(!Source::new("README.md", "").is_rust());
    }

    #[test]
    fn an_exemption_needs_a_reason() {
        let text =
            "a\n// tidy: allow names: a trait of another crate\nb\nc // tidy: allow names:\n";
        let source = Source::new("a.txt", text);
        assert!(!source.is_exempt(0, "names"));
        assert!(source.is_exempt(2, "names"));
        assert!(!source.is_exempt(2, "prints"));
        assert!(!source.is_exempt(3, "names"));

        let source = Source::new("a.txt", "a // tidy: allow names: because\nb\n");
        assert!(source.is_exempt(0, "names"));
        assert!(!source.is_exempt(1, "names"));
    }
}
