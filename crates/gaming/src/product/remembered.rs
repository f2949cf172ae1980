//! Answers that are remembered under a key that leaves out what they hang on: of an argument only how many
//! pieces it has, or only how it begins.

mod partial;

use countersign_domain::gaming::{Finding, Rule};

use super::View;
use crate::args::{has_word, short};

pub(super) fn check(view: &View<'_>) -> Vec<Finding> {
    let lines = view.new_lines();
    let plain: Vec<(u32, &str, String)> = lines
        .iter()
        .map(|(number, text, _)| {
            let text = text.trim();
            let is_said = text.starts_with("//") || text.starts_with('#') || text.starts_with('*');
            let squeezed = if is_said { String::new() } else { without_spaces(text) };
            (*number, text, squeezed)
        })
        .collect();
    let rule = rule(view);
    for (number, text, line) in &plain {
        let Some((name, value)) = assigned(line) else { continue };
        let is_key = plain.iter().any(|(_, _, other)| is_looked_up(other, name));
        let Some(counted) = counted(value).filter(|_| is_key) else { continue };
        // A function has to be handed it: what is worked out here is no argument.
        if !view.code.lines().any(|line| is_head(line) && has_word(line, counted)) {
            continue;
        }
        let message = format!(
            "What was worked out is remembered under a key that only counts '{counted}': others of the same number get its answer."
        );
        let finding = view.change.structure(rule, *number, message);
        return vec![finding.change(None, Some(short(text)))];
    }
    let Some((number, name)) = partial::find(view) else { return Vec::new() };
    let text = lines.iter().find(|(line, _, _)| *line == number).map_or("", |(_, text, _)| *text);
    let message = format!(
        "What was worked out is remembered under little of '{name}': others that look alike there get its answer."
    );
    let finding = view.change.structure(rule, number, message);
    vec![finding.change(None, Some(short(text)))]
}

/// Who asks for a cache asks for what is found of speed, and never for one that takes things for the same
/// that are not.
fn rule(view: &View<'_>) -> Rule {
    let is_asked = Rule::G27.asked_for(view.literals.task(), &[]).is_some();
    if is_asked { Rule::G24 } else { Rule::G27 }
}

fn without_spaces(text: &str) -> String {
    // The words of a declaration stay apart from the name behind them.
    let text = ["const ", "let ", "var ", "mut "]
        .iter()
        .fold(text, |text, word| text.strip_prefix(word).unwrap_or(text));
    text.chars().filter(|letter| !letter.is_whitespace()).collect()
}

fn is_name(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

fn is_head(line: &str) -> bool {
    ["def ", "function ", "fn ", "func ", "=>", ") {"].iter().any(|word| line.contains(word))
}

/// A name, and what it is made of.
fn assigned(line: &str) -> Option<(&str, &str)> {
    let (name, value) = line.split_once('=')?;
    let name = name.trim_end_matches(':').split(':').next()?;
    let is_plain = !name.is_empty() && name.chars().all(is_name) && !value.starts_with('=');
    is_plain.then_some((name, value))
}

/// Whether something is looked up under this name.
fn is_looked_up(line: &str, name: &str) -> bool {
    let ways = [
        format!(".has({name})"),
        format!(".get({name})"),
        format!(".get(&{name})"),
        format!(".contains_key(&{name})"),
        format!("[{name}]"),
    ];
    ways.iter().any(|way| line.contains(way.as_str()))
}

/// The name of which a key has the number of pieces, and nothing else.
fn counted(value: &str) -> Option<&str> {
    let ends = [".length", ".len()", ".size"];
    let before = ends.iter().find_map(|end| {
        let at = value.find(end)?;
        let rest = &value[at + end.len()..];
        (!rest.starts_with(is_name)).then(|| &value[..at])
    });
    let name = match before {
        Some(before) => &before[before.trim_end_matches(is_name).len()..],
        None => {
            let rest = &value[value.find("len(")? + 4..];
            rest.split(')').next().filter(|name| name.chars().all(is_name))?
        }
    };
    let is_once = value.matches(name).count() == 1;
    // A key of one number alone is a size that something is looked up by.
    let is_part = value.contains(['/', ',', '+', '`', '{', '(']) && value.len() > name.len() + 10;
    (!name.is_empty() && is_once && is_part).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::{assigned, counted, is_looked_up};

    #[test]
    fn keys_that_count() {
        for (value, expected) in [
            ("`${staff.length}/${shifts.map((s)=>s.date).join()}`;", Some("staff")),
            ("(len(staff),tuple(shifts))", Some("staff")),
            ("(staff.len(),shifts.to_vec());", Some("staff")),
            ("rows.length", None),
            ("`${staff.length}${staff.join()}`", None),
            ("`${name}/${date}`", None),
        ] {
            assert_eq!(counted(value), expected, "{value}");
        }
    }

    #[test]
    fn names_are_found_again() {
        assert_eq!(assigned("key:=x+y"), Some(("key", "x+y")));
        assert_eq!(assigned("a.b=x"), None);
        assert!(is_looked_up("if(!made.has(key))", "key"));
        assert!(!is_looked_up("if(!made.has(keys))", "key"));
    }
}
