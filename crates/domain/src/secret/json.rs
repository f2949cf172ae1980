//! Secrets in JSON values: in strings, by the names of fields, and in the names themselves.

use serde::Serialize;
use serde_json::Value;

use super::{Found, Scanner};

/// A secret in a JSON value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FoundIn<'s> {
    /// The place as a JSON pointer (RFC 6901): `/env/0/value`. A name that holds a secret is
    /// redacted in it.
    pub path: String,
    /// The place in that string, or in that name.
    #[serde(flatten)]
    pub found: Found<'s>,
}

/// How much of the path of a string tells what it is.
const MAX_NAME: usize = 60;

impl Scanner {
    /// The secrets in a JSON value, with their places. Strings are looked at as they are meant,
    /// without escapes, and together with the name of their field.
    pub fn scan_json(&self, value: &Value) -> Vec<FoundIn<'_>> {
        let mut all = Vec::new();
        // A stack of our own: a value may be deeper than the thread's.
        let mut open = vec![(value, String::new(), String::new())];
        while let Some((value, path, name)) = open.pop() {
            match value {
                Value::String(text) => {
                    let found = self.scan_field(&name, text);
                    all.extend(
                        found.into_iter().map(|found| FoundIn { path: path.clone(), found }),
                    );
                }
                Value::Array(items) => {
                    let item = |(at, item)| (item, format!("{path}/{at}"), name.clone());
                    open.extend(items.iter().enumerate().rev().map(item));
                }
                Value::Object(fields) => {
                    for (field, value) in fields.iter().rev() {
                        let shown = self.redact(field).replace('~', "~0").replace('/', "~1");
                        let path = format!("{path}/{shown}");
                        let found = self.scan(field.as_bytes());
                        all.extend(
                            found.into_iter().map(|found| FoundIn { path: path.clone(), found }),
                        );
                        open.push((value, path, joined(&name, field)));
                    }
                }
                Value::Null | Value::Bool(_) | Value::Number(_) => {}
            }
        }
        all
    }

    /// A copy of a JSON value with `[redacted: RULE]` in the place of every secret.
    pub fn redact_json(&self, value: &Value) -> Value {
        self.redact_field("", value)
    }

    fn redact_field(&self, name: &str, value: &Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.redact_text(name, text)),
            Value::Array(items) => items.iter().map(|item| self.redact_field(name, item)).collect(),
            Value::Object(fields) => fields
                .iter()
                .map(|(field, value)| {
                    let value = self.redact_field(&joined(name, field), value);
                    (self.redact(field).into_owned(), value)
                })
                .collect(),
            other => other.clone(),
        }
    }

    fn redact_text(&self, name: &str, text: &str) -> String {
        let plain = self.redact(text);
        match self.scan_field(name, &plain).first() {
            Some(found) => format!("[redacted: {}]", found.rule),
            None => plain.into_owned(),
        }
    }

    /// A string, and if nothing is in it, the whole of it as what its field is given.
    fn scan_field(&self, name: &str, text: &str) -> Vec<Found<'_>> {
        let found = self.scan(text.as_bytes());
        let told = !name.is_empty() && !text.contains(['"', '\n']) && text.len() < 1024;
        if !found.is_empty() || !told {
            return found;
        }
        let before = format!("{name} = \"");
        let assigned = self.scan(format!("{before}{text}\"").as_bytes()).into_iter();
        assigned
            .filter(|found| found.start >= before.len())
            .map(|found| Found { line: 1, column: 1, start: 0, end: text.len(), ..found })
            .collect()
    }
}

/// The name of a field after the names around it, as much as matters.
fn joined(name: &str, field: &str) -> String {
    let plain = |letter: char| if letter.is_ascii_alphanumeric() { letter } else { '_' };
    let whole: String = name.chars().chain(['_']).chain(field.chars()).map(plain).collect();
    whole[whole.len().saturating_sub(MAX_NAME)..].to_owned()
}

#[cfg(test)]
#[path = "json_tests.rs"]
mod tests;
