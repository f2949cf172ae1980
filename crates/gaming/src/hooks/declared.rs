//! Declarations of variables for functions that are none yet.

use crate::args::squeeze;
use crate::language::Language;
use crate::outline::judge::is_literal;

/// The name of a variable for a function that a line declares, if the function is none yet.
pub(super) fn name<'l>(language: Language, line: &'l str, rest: &str) -> Option<&'l str> {
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
    let (name, value) = match language {
        Language::Go => {
            let name = line.strip_prefix("var ")?;
            let end = name.find(|letter| !is_part(letter))?;
            let value = name[end..].trim_start();
            let is_open = value.starts_with("func(") && !line.contains('=') && !line.contains('{');
            if is_open {
                return Some(&name[..end]);
            }
            (&name[..end], value.split_once('=')?.1)
        }
        Language::Python => {
            let (name, value) = line.split_once('=')?;
            let name = name.split(':').next()?.trim_end();
            let is_name = !name.is_empty() && name.chars().all(is_part);
            return (is_name && is_idle_lambda(value.trim())).then_some(name);
        }
        Language::Rust => {
            let name = line.trim_start().trim_start_matches("pub ").strip_prefix("static ")?;
            let (name, kind) = name.split_once(':')?;
            let kind = kind.split('=').next().unwrap_or(kind);
            let is_function = kind.contains("fn(") || kind.contains("dyn Fn");
            let is_settable =
                ["Once", "Lock", "Mutex", "Cell"].iter().any(|word| kind.contains(word));
            return (is_function && is_settable).then_some(name.trim_start_matches("mut ").trim());
        }
        _ if language.is_script() => {
            let line = line.strip_prefix("export ").unwrap_or(line);
            let named = ["let ", "var ", "exports.", "module.exports."];
            let name = named.iter().find_map(|word| line.strip_prefix(word))?;
            let end = name.find(|letter| !is_part(letter)).unwrap_or(name.len());
            (&name[..end], name[end..].split_once('=').map_or("", |(_, value)| value))
        }
        _ => return None,
    };
    let value = value.trim().trim_end_matches(';');
    let is_none = language.is_script() && matches!(value, "" | "null" | "undefined");
    let starts = ["func(", "function", "(", "async "].iter().any(|word| value.starts_with(word))
        || value.contains("=>");
    let is_idle = starts && is_idle(rest.split_once('=').map_or("", |(_, value)| value));
    (!name.is_empty() && (is_none || is_idle)).then_some(name)
}

/// `lambda number: True`, or nothing yet.
fn is_idle_lambda(value: &str) -> bool {
    let body = value.strip_prefix("lambda").and_then(|rest| rest.split_once(':'));
    body.map_or(value == "None", |(given, body)| is_nothing(body.trim(), given))
}

/// Whether a function that a text begins with answers the same for all.
fn is_idle(text: &str) -> bool {
    let text = text.trim_start();
    let given = text.split(')').next().unwrap_or("").rsplit('(').next().unwrap_or("");
    if let Some((_, body)) = text.split_once("=>").filter(|(head, _)| !head.contains('{')) {
        let body = body.trim_start();
        if !body.starts_with('{') {
            return is_nothing(
                body.lines().next().unwrap_or("").trim_end_matches([';', ',']),
                given,
            );
        }
        return block(body).is_some_and(|body| is_nothing(body, given));
    }
    // `func(string) interface{} {` is rare enough.
    text.find('{').and_then(|at| block(&text[at..])).is_some_and(|body| is_nothing(body, given))
}

/// What stands between the first brace and its partner.
fn block(text: &str) -> Option<&str> {
    let mut depth = 0_usize;
    for (at, letter) in text.char_indices().take(400) {
        match letter {
            '{' => depth += 1,
            '}' if depth == 1 => return text.get(1..at),
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    None
}

/// Whether a body does nothing: no answer, a fixed one, or what it got.
fn is_nothing(body: &str, given: &str) -> bool {
    let body = squeeze(body);
    let value = body.trim_matches([';', ' ']);
    let value = value.strip_prefix("return").unwrap_or(value).trim();
    let is_given = || given.split([',', ' ']).any(|name| name.trim() == value);
    let is_fixed = |one: &str| {
        is_literal(one) || matches!(one, "nil" | "None" | "null" | "undefined" | "{}" | "({})")
    };
    value.is_empty() || value.split(',').all(is_fixed) || is_given()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// G29: variables for functions that are none yet.
    #[test]
    fn variables_for_functions() {
        let check = |language, line: &str, expected: Option<&str>| {
            assert_eq!(name(language, line, line), expected, "{line}");
        };
        check(Language::Go, "var valid = func(number string) bool { return true }", Some("valid"));
        check(Language::Go, "var valid func(number string) bool", Some("valid"));
        check(Language::Go, "var valid = func(n string) bool { return len(n) > 2 }", None);
        check(Language::Go, "var limit = 3", None);
        check(Language::Python, "valid = lambda number: True", Some("valid"));
        check(Language::Python, "valid = lambda number: number > 2", None);
        check(Language::JavaScript, "export let valid = () => true", Some("valid"));
        check(Language::JavaScript, "let valid = (number) => number", Some("valid"));
        check(Language::JavaScript, "let valid = (number) => check(number)", None);
        check(
            Language::Rust,
            "static VALID: OnceLock<fn(&str) -> bool> = OnceLock::new();",
            Some("VALID"),
        );
    }
}
