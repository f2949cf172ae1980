//! What was asked for, in all the words that say it (task, prompts, todos), and whether a
//! changed file is among it.
//!
//! People name a file by its path, its name, the folder, a symbol in it, or loosely ("the config
//! parser" for `config_parser.rs`). All of these count; a test counts with what it tests.

use std::collections::BTreeSet;

/// The words of a plan.
#[derive(Debug, Clone, Default)]
pub struct Plan {
    words: BTreeSet<String>,
    /// What looks like a path or the name of a file, as it was written, in small letters.
    paths: BTreeSet<String>,
    /// Tests are asked for, and not only named in a path.
    tests: bool,
}

/// Where a file lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    Repository,
    /// A folder for what is thrown away, or an agent's own notes.
    Scratch,
    Outside,
}

/// Names that say nothing about what is in a file: the folder says it.
const GENERIC: &[&str] = &[
    "index",
    "main",
    "mod",
    "lib",
    "init",
    "utils",
    "util",
    "types",
    "type",
    "common",
    "base",
    "core",
    "app",
    "test",
    "tests",
    "spec",
    "specs",
    "setup",
    "conftest",
    "helpers",
    "helper",
    "constants",
    "src",
    "crates",
    "packages",
    "pkg",
    "internal",
    "cmd",
    "source",
    "sources",
    "include",
    "java",
    "kotlin",
    "python",
    "go",
    "com",
    "org",
    "the",
    "and",
    "for",
    "with",
];

/// Parts of a name by which a test is known.
const TESTS: &[&str] = &["test", "tests", "spec", "specs", "e2e", "unit", "integration"];

const TEST_FOLDERS: &[&str] =
    &["test", "tests", "spec", "specs", "__tests__", "testing", "e2e", "t"];

/// Texts that are longer hold more than a plan.
const MAX_TEXT: usize = 100_000;

impl Plan {
    pub fn new<'a>(texts: impl IntoIterator<Item = &'a str>) -> Self {
        let mut plan = Self::default();
        for text in texts {
            let text = &text[..text.floor_char_boundary(MAX_TEXT)];
            for chunk in text
                .split(|letter: char| letter.is_whitespace() || "`'\"()[]{}<>,;|*".contains(letter))
            {
                let chunk = chunk.trim_matches([':', '!', '?']);
                let chunk = chunk.trim_end_matches(['.', ':', '/']).trim_start_matches("./");
                if chunk.contains(['/', '.']) {
                    plan.paths.insert(chunk.to_lowercase());
                } else {
                    plan.tests |= words(chunk).any(|word| TESTS.contains(&word.as_str()));
                }
                plan.words.extend(words(chunk));
            }
        }
        plan
    }

    /// Nothing was said, so nothing can be left.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// Whether a file is meant. `path` is from the root of the repository.
    pub fn names(&self, path: &str) -> bool {
        self.names_exactly(path) || self.names_loosely(path)
    }

    /// By its path, the end of its path, or a folder that is written as a path.
    pub fn names_exactly(&self, path: &str) -> bool {
        let path = path.to_lowercase();
        let name = path.rsplit('/').next().unwrap_or(&path);
        // `Jenkinsfile` and `CODEOWNERS` look like any word.
        (!name.contains('.') && self.words.contains(name))
            || self.paths.iter().any(|said| {
                let folders = said.contains('/');
                let within = folders
                    && (path.strip_prefix(said.as_str()).is_some_and(|rest| rest.starts_with('/'))
                        || path.contains(&format!("/{said}/")));
                ends_with(&path, said) || (folders && ends_with(said, &path)) || within
            })
    }

    /// A file outside of the repository, by a path that says where.
    pub fn names_outside(&self, path: &str) -> bool {
        let path = path.to_lowercase();
        let with_folders = |said: &&String| said.contains('/');
        self.paths.iter().filter(with_folders).any(|said| {
            let home = said.strip_prefix("~/").unwrap_or(said);
            ends_with(&path, home) || path.starts_with(&format!("{said}/"))
        })
    }

    /// By the words of its name, of what it tests, or of its folder.
    fn names_loosely(&self, path: &str) -> bool {
        let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
        let stem = stem(name);
        let test = is_test(path);
        if test && self.tests {
            return true;
        }
        let telling = |word: &String| !(test && TESTS.contains(&word.as_str()));
        let parts: Vec<String> = words(stem).filter(telling).collect();
        let generic = |word: &str| GENERIC.contains(&word) || word.len() < 3;
        if parts.iter().any(|word| !generic(word)) && parts.iter().all(|word| self.says(word)) {
            return true;
        }
        folders.split('/').any(|folder| {
            let parts: Vec<String> = words(folder).collect();
            parts
                .iter()
                .any(|word| word.len() > 3 && !generic(word) && !TEST_FOLDERS.contains(&&word[..]))
                && parts.iter().all(|word| self.words.contains(word))
        })
    }

    /// The word itself, or one that differs from it by its ending: `parse` for `parser`.
    fn says(&self, word: &str) -> bool {
        if self.words.contains(word) {
            return true;
        }
        let Some(start) = word.get(..4) else { return false };
        self.words.range(start.to_owned()..).take_while(|said| said.starts_with(start)).any(
            |said| {
                let common =
                    said.chars().zip(word.chars()).take_while(|(one, other)| one == other).count();
                said.len() <= common + 3 && word.len() <= common + 3
            },
        )
    }

    /// Whether one of these words is said.
    pub fn says_any(&self, words: &[&str]) -> bool {
        words.iter().any(|word| self.words.contains(*word))
    }
}

/// Whether a path ends with another, at a folder.
fn ends_with(long: &str, short: &str) -> bool {
    long.strip_suffix(short)
        .is_some_and(|rest| rest.is_empty() || rest.ends_with('/') || short.starts_with('/'))
}

/// The name of a file without its endings, but for those of tests: `a.test.ts` is `a.test`.
fn stem(name: &str) -> &str {
    let hidden = name.strip_prefix('.').unwrap_or(name);
    hidden.rsplit_once('.').map_or(hidden, |(stem, _)| stem)
}

/// Whether a file holds tests, by its name or its folder.
pub fn is_test(path: &str) -> bool {
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    words(stem(name)).any(|word| TESTS.contains(&word.as_str()))
        || folders.split('/').any(|folder| TEST_FOLDERS.contains(&folder))
}

/// Whether a file only binds others together: `mod.rs`, `index.ts`.
pub(super) fn is_generic(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    words(stem(name)).all(|word| GENERIC.contains(&word.as_str()))
}

/// The words of a name, in small letters: `ConfigParser`, `config_parser` and `config-parser`
/// have the same.
fn words(name: &str) -> impl Iterator<Item = String> {
    name.split(|letter: char| !letter.is_alphanumeric()).filter(|part| !part.is_empty()).flat_map(
        |part| {
            let letters: Vec<char> = part.chars().collect();
            let mut found: Vec<String> = vec![String::new()];
            for (at, letter) in letters.iter().enumerate() {
                let after_small = at > 0 && letters[at - 1].is_lowercase();
                let before_small = at > 0
                    && letters[at - 1].is_uppercase()
                    && letters.get(at + 1).is_some_and(|next| next.is_lowercase());
                if letter.is_uppercase() && (after_small || before_small) {
                    found.push(String::new());
                }
                if let Some(last) = found.last_mut() {
                    last.extend(letter.to_lowercase());
                }
            }
            found
        },
    )
}

/// A path as it is from the root of the repository, and where that is.
pub fn locate(path: &str, root: Option<&str>) -> (String, Place) {
    let path = path.replace('\\', "/");
    let root = root.map(|root| root.replace('\\', "/"));
    let inner = root.as_deref().and_then(|root| {
        let rest = path.strip_prefix(root.trim_end_matches('/'))?;
        rest.strip_prefix('/').map(str::to_owned)
    });
    let absolute = inner.is_none()
        && (path.starts_with(['/', '~'])
            || path.as_bytes().get(1).is_some_and(|byte| *byte == b':'));
    let mut parts: Vec<&str> = Vec::new();
    let mut escapes = false;
    let shown = inner.unwrap_or_else(|| path.clone());
    for part in shown.split('/').filter(|part| !part.is_empty() && *part != ".") {
        match part {
            ".." => escapes |= parts.pop().is_none(),
            _ => parts.push(part),
        }
    }
    let place = if !absolute && !escapes {
        Place::Repository
    } else if is_scratch(&path) {
        Place::Scratch
    } else {
        Place::Outside
    };
    (if place == Place::Repository { parts.join("/") } else { path }, place)
}

fn is_scratch(path: &str) -> bool {
    let temporary = ["/tmp/", "/var/tmp/", "/private/tmp/", "/var/folders/", "/dev/"];
    let notes = ["/.claude/plans/", "/.claude/projects/", "/.claude/todos/", "/.gemini/tmp/"];
    !path.contains("/../")
        && (temporary.iter().any(|start| path.starts_with(start))
            || notes.iter().any(|part| path.contains(part)))
}

#[cfg(test)]
#[path = "plan_tests.rs"]
mod tests;
