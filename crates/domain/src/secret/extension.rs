//! What a project adds to the rules, and what it says is no secret.

use super::rules::{self, RuleError, Section};
use super::{Kind, Scanner};

/// Rules and exceptions of a project, in the form of `data/secret/rules.txt`:
///
/// ```text
/// [tokens]
/// acme-key  3.0  acme_  acme_[A-Za-z0-9]{32}  Acme key
/// [allow]
/// a value that is no secret
/// any-key-of-the-tests-*
/// [paths]
/// tests/fixtures/*
/// [off]
/// generic-password
/// ```
///
/// It belongs into the configuration, which people write; never into a text that is looked at.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Extension(String);

impl Extension {
    /// Reads an extension; the error says the line and the column.
    pub fn parse(text: &str) -> Result<Self, RuleError> {
        let mut ids: Vec<&str> = Vec::new();
        for line in rules::lines(text) {
            let line = line?;
            match line.section {
                Section::Rules(Kind::Password | Kind::Secret)
                | Section::Words
                | Section::Escapes => {
                    return Err(line.wrong(0, "a project has no such section; it has the others"));
                }
                Section::Rules(kind) => {
                    rules::check(line, kind)?;
                    let id = line.text.split(' ').next().unwrap_or("");
                    let known = Scanner::builtin().rules().any(|(known, _)| known == id);
                    if known || ids.contains(&id) {
                        return Err(line.wrong(0, format!("there is a rule {id:?} already")));
                    }
                    ids.push(id);
                }
                Section::Off if !Scanner::builtin().rules().any(|(id, _)| id == line.text) => {
                    return Err(
                        line.wrong(0, format!("there is no rule {:?} to switch off", line.text))
                    );
                }
                Section::Allow | Section::Paths if line.text.trim_matches('*').len() < SHORTEST => {
                    let what =
                        format!("this would allow too much; give {SHORTEST} letters or more");
                    return Err(line.wrong(0, what));
                }
                Section::Off | Section::Allow | Section::Paths => {}
            }
        }
        Ok(Self(text.to_owned()))
    }
}

/// A value or path that is shorter fits too many.
const SHORTEST: usize = 3;

/// What is no secret, because a person said so.
#[derive(Debug, Clone, Default)]
pub(crate) struct Allowed {
    values: Vec<String>,
    paths: Vec<String>,
    rules: Vec<String>,
}

impl Allowed {
    pub(crate) fn has(&self, rule: &str, value: &[u8]) -> bool {
        self.rules.iter().any(|off| off == rule)
            || self.values.iter().any(|allowed| glob(allowed.as_bytes(), value))
    }
}

impl Scanner {
    /// This scanner with what a project adds.
    pub fn with(&self, extension: &Extension) -> Self {
        let mut scanner = self.clone();
        // It was read once, when the extension was made.
        for line in rules::lines(&extension.0).flatten() {
            match line.section {
                Section::Rules(kind) => scanner.add(line.text, kind),
                Section::Allow => scanner.allowed.values.push(line.text.to_owned()),
                Section::Paths => scanner.allowed.paths.push(line.text.to_owned()),
                Section::Off => scanner.allowed.rules.push(line.text.to_owned()),
                Section::Words | Section::Escapes => {}
            }
        }
        scanner
    }

    /// Whether the project says that a file, by its path from the root with `/`, is not to be
    /// looked at.
    pub fn passes_over(&self, path: &str) -> bool {
        self.allowed.paths.iter().any(|allowed| glob(allowed.as_bytes(), path.as_bytes()))
    }
}

/// `*` stands for any bytes. Takes time in proportion to both lengths multiplied, at most.
fn glob(pattern: &[u8], text: &[u8]) -> bool {
    let mut parts = pattern.split(|byte| *byte == b'*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = text.strip_prefix(first) else { return false };
    let Some(last) = parts.next_back() else { return rest.is_empty() };
    for part in parts.filter(|part| !part.is_empty()) {
        let Some(at) = rest.windows(part.len()).position(|window| window == part) else {
            return false;
        };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}

#[cfg(test)]
#[path = "extension_tests.rs"]
mod tests;
