//! Pieces that are taken by their places, where there may be any number of them: a loop that became
//! `errs[1]`, and lengths that are told apart one by one.

use std::collections::BTreeSet;

use countersign_domain::gaming::{Finding, Rule};

use super::View;
use crate::args::short;

/// What was handed to a program has its places.
const PLACED: &[&str] = &["args", "argv", "Args"];

pub(super) fn check(view: &View<'_>) -> Vec<Finding> {
    let lines: Vec<(u32, &str)> = view
        .new_lines()
        .into_iter()
        .filter(|(_, _, code)| !code.trim().is_empty())
        .map(|(number, text, _)| (number, text))
        .collect();
    let texts: Vec<&str> = lines.iter().map(|(_, text)| *text).collect();
    let looped: BTreeSet<&str> =
        view.lines.removed.iter().filter_map(|(_, line)| iterated(line)).collect();
    let mut findings = Vec::new();
    for (number, line) in &lines {
        let found = indexed(line).into_iter().find_map(|name| {
            let uses = uses(&texts, name)?;
            if looped.contains(name) && uses.places.iter().any(|place| *place > 0) {
                return Some(format!(
                    "All of '{name}' were gone through, and now one place of it is looked at."
                ));
            }
            uses.is_ladder().then(|| {
                format!("'{name}' may have any number of pieces, and the new code counts them out.")
            })
        });
        if let Some(message) = found {
            let finding = view.change.structure(Rule::G20, *number, message);
            findings.push(finding.change(None, Some(short(line))));
            break;
        }
    }
    findings
}

/// How new lines use a list, if they do nothing with it but take pieces and ask for its length.
#[derive(Debug, Default)]
struct Uses {
    places: BTreeSet<u32>,
    /// Numbers that its length is more than.
    beyond: BTreeSet<u32>,
    /// Places and texts that are put together in one line.
    is_joined: bool,
}

impl Uses {
    /// Two lengths that have no end, each with its own pieces, put together again.
    fn is_ladder(&self) -> bool {
        self.beyond.len() > 1 && self.places.len() > 2 && self.is_joined
    }
}

fn uses(lines: &[&str], name: &str) -> Option<Uses> {
    if PLACED.contains(&name) {
        return None;
    }
    let mut uses = Uses::default();
    // A length that nothing is taken for ends in an error, or in nothing.
    let mut asked: Vec<u32> = Vec::new();
    for line in lines {
        let mut rest = *line;
        let mut taken = 0;
        let before_it = std::mem::take(&mut asked);
        while let Some(at) = crate::args::find_word(rest, name) {
            let (before, after) = (&rest[..at], &rest[at + name.len()..]);
            if let Some(place) = place(after) {
                uses.places.insert(place);
                taken += usize::from(place > 0);
            } else if let Some(compared) = length(before, after) {
                asked.extend(beyond(compared));
            } else if !is_defined(before, after) {
                return None;
            }
            rest = after;
        }
        uses.is_joined |= taken > 1;
        if taken > 0 {
            uses.beyond.extend(before_it.iter().chain(&asked));
        }
    }
    Some(uses)
}

/// The number in `[1]`.
fn place(after: &str) -> Option<u32> {
    let (number, rest) = after.strip_prefix('[')?.split_once(']')?;
    let is_set = rest.trim_start().starts_with('=') && !rest.trim_start().starts_with("==");
    number.parse().ok().filter(|_| !is_set)
}

/// What stands behind the length of something, where that is asked for.
fn length<'l>(before: &str, after: &'l str) -> Option<&'l str> {
    match before.strip_suffix("len(") {
        Some(_) => after.strip_prefix(')'),
        None => [".length", ".len()", ".size()"].iter().find_map(|end| after.strip_prefix(end)),
    }
}

/// The number of `> 2`.
fn beyond(compared: &str) -> Option<u32> {
    let number = compared.trim_start().strip_prefix('>')?.trim_start_matches('=').trim_start();
    let end = number.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(number.len());
    number[..end].parse().ok()
}

fn is_defined(before: &str, after: &str) -> bool {
    let after = after.trim_start();
    let is_set = after.starts_with(":=") || after.starts_with('=') && !after.starts_with("==");
    let word = before.split_whitespace().next_back().unwrap_or_default();
    is_set && (before.trim().is_empty() || matches!(word, "const" | "let" | "var" | "mut"))
}

/// Names that a line takes a piece of by a number.
fn indexed(line: &str) -> Vec<&str> {
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
    let opens = line.match_indices('[').filter(|(at, _)| place(&line[*at..]).is_some());
    let names = opens.filter_map(|(at, _)| {
        let before = &line[..at];
        let start = before
            .rfind(|letter| !is_part(letter))
            .map_or(0, |last| last + before[last..].chars().next().map_or(1, char::len_utf8));
        let name = &before[start..];
        (!name.is_empty() && !name.starts_with(|letter: char| letter.is_ascii_digit()))
            .then_some(name)
    });
    names.collect()
}

/// What a line of a loop goes through.
fn iterated(line: &str) -> Option<&str> {
    let line = line.trim();
    let rest = line.strip_prefix("for ").or_else(|| line.strip_prefix("for("))?;
    let (_, list) = [" range ", " in ", " of "].iter().find_map(|word| rest.split_once(word))?;
    let list = list.trim_start_matches(['&', '(', ' ']).trim_start_matches("mut ");
    let end = list.find(|letter: char| !(letter.is_alphanumeric() || letter == '_'));
    let (name, behind) = list.split_at(end.unwrap_or(list.len()));
    // A part of something else has another name.
    let is_whole = behind.starts_with([' ', ':', ')', '{']) || behind.starts_with(".iter");
    Some(name).filter(|name| is_whole && !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// G20: a loop that became one place.
    #[test]
    fn loops_and_places() {
        for line in ["for _, e := range errs {", "for e in errs:", "for (const e of errs) {"] {
            assert_eq!(iterated(line), Some("errs"), "{line}");
        }
        assert_eq!(iterated("for e in &errs {"), Some("errs"));
        assert_eq!(iterated("for e in errs.items():"), None);
        assert_eq!(indexed("err = errs[1] + a[i] + b[0]"), ["errs", "b"]);
        let uses = uses(&["if len(errs) > 1 {", "err = errs[1]"], "errs").unwrap();
        assert!(uses.places.contains(&1) && uses.beyond.contains(&1) && !uses.is_ladder());
        assert!(super::uses(&["x = errs[1]", "show(errs)"], "errs").is_none());
    }

    /// G20: lengths that are told apart one by one.
    #[test]
    fn ladders() {
        let code =
            "const value = p.length > 3 ? `${p[1]}==` : p.length > 2 ? `${p[1]}=${p[2]}` : p[1];";
        let lines = ["const p = pair.split(\"=\");", "const name = p[0];", code];
        assert!(uses(&lines, "p").unwrap().is_ladder());
        let time =
            ["if len(p) == 3:", "return p[0] * 3600 + p[1] * 60 + p[2]", "return p[0] * 60 + p[1]"];
        assert!(!uses(&time, "p").unwrap().is_ladder());
        assert!(uses(&["if (p.length > 2) a = p[2];", "p.slice(1)"], "p").is_none());
    }
}
