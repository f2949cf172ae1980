//! Answers that are remembered under how many pieces an argument has, or under its first one, while they
//! hang on all of it.

use crate::args::{find_word, has_word, squeeze};
use crate::mask;
use crate::product::{FUNCTIONS, View};
use crate::syntax::{Node, Tree};

/// What says little of an argument, behind its name.
const LITTLE: &[&str] = &[
    ".length",
    ".len()",
    ".size()",
    ".size",
    ".count()",
    "[0]",
    "[-1]",
    ".at(0)",
    ".at(-1)",
    ".first()",
    ".last()",
    ".is_empty()",
    "?.length",
];
/// The same, where it is a part of a key: only how it begins.
const BEGINNINGS: &[&str] = &["[:", ".slice(0,", ".substring(0,", ".get(0)", "?.[0]"];
/// What makes something that is empty: what is made in a call is gone after it.
const MAKES: &[&str] =
    &["new Map", "new Set", "{}", "dict(", "make(", "map[", "::new(", "::default(", "[]", "vec!["];

/// The line of a key that leaves out most of an argument, and the name of the argument.
pub(super) fn find<'v>(view: &View<'v>) -> Option<(u32, &'v str)> {
    let root = view.tree.map(Tree::root)?;
    let kinds = ["arrow_function", "function_expression"];
    let functions = root.all().filter(|node| node.is(FUNCTIONS) || node.is(&kinds));
    let mut open = functions.filter(|node| {
        view.lines.touches(node.line(), node.last_line())
            && node.text().len() < 8_000
            && !view.change.is_test_at(node.start())
    });
    open.find_map(|node| key_of(view, node))
}

fn key_of<'v>(view: &View<'v>, node: Node<'v>) -> Option<(u32, &'v str)> {
    let body = node.field("body")?;
    let text = mask::without_comments(body.text(), view.change.language);
    let lines: Vec<(u32, String)> = (body.line()..)
        .zip(text.lines().map(squeeze))
        .filter(|(_, line)| !line.is_empty())
        .collect();
    let names = parameters(node);
    for (number, line) in lines.iter().filter(|(number, _)| view.lines.is_added(*number)) {
        for name in names.iter().filter(|name| has_word(line, name)) {
            let Some(key) = key(&lines, line, name) else { continue };
            if is_kept(&lines, &key, name) && lines.iter().any(|(_, line)| is_whole(line, name)) {
                return Some((*number, name));
            }
        }
    }
    None
}

/// The names that a function is handed values under.
fn parameters<'v>(node: Node<'v>) -> Vec<&'v str> {
    let text = node.field("parameters").map_or("", Node::text);
    let text = text.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')).unwrap_or(text);
    let first = |one: &'v str| {
        let one = one.trim().trim_start_matches("mut ").trim_start_matches(['&', '*', '.']);
        one.split(|letter| !is_name(letter)).next().unwrap_or("")
    };
    let own = |name: &&str| !name.is_empty() && !matches!(*name, "self" | "cls" | "this" | "ctx");
    crate::args::split(text).into_iter().map(first).filter(own).collect()
}

fn is_name(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

/// What a line makes of an argument that is a key: a name of its own, or the expression itself.
fn key(lines: &[(u32, String)], line: &str, name: &str) -> Option<String> {
    let plain = ["const ", "let ", "var ", "mut "]
        .iter()
        .fold(line, |line, word| line.strip_prefix(word).unwrap_or(line));
    if let Some((left, value)) = plain.split_once('=') {
        let left = left.trim_end_matches(':').split(':').next().unwrap_or("");
        let is_plain = !left.is_empty() && left.chars().all(is_name) && !value.starts_with('=');
        let is_key = lines.iter().any(|(_, line)| looks_up(line, left).is_some());
        if is_plain && left != name && says_little(value, name) && is_key {
            return Some(left.to_owned());
        }
    }
    let direct = [
        format!("{name}.length"),
        format!("len({name})"),
        format!("{name}.len()"),
        format!("{name}.size"),
    ];
    direct.into_iter().find(|key| looks_up(line, key).is_some())
}

/// Whether all that a value has of an argument is its number or its beginning.
fn says_little(value: &str, name: &str) -> bool {
    let mut rest = value;
    let mut count = 0;
    while let Some(at) = find_word(rest, name) {
        let (before, after) = (&rest[..at], &rest[at + name.len()..]);
        let begins = BEGINNINGS.iter().any(|word| after.starts_with(word));
        // What is worked out of a part (`rows[0].map(…)`) may be anything.
        if !is_little(before, after) && !begins || before.ends_with('.') {
            return false;
        }
        count += 1;
        rest = after;
    }
    count > 0 && !value.contains("=>") && !has_word(value, "for")
}

fn is_little(before: &str, after: &str) -> bool {
    before.ends_with("len(") && after.starts_with(')')
        || LITTLE
            .iter()
            .any(|word| after.strip_prefix(word).is_some_and(|rest| !rest.starts_with(is_name)))
}

/// The place that a line looks something up in under a key.
fn looks_up<'l>(line: &'l str, key: &str) -> Option<&'l str> {
    let ways = [
        format!(".has({key})"),
        format!(".get({key})"),
        format!(".get(&{key})"),
        format!(".contains_key(&{key})"),
        format!(".entry({key})"),
        format!("[{key}]"),
    ];
    let found = ways.iter().find_map(|way| line.find(way.as_str()));
    let before = match found {
        Some(at) => &line[..at],
        None => {
            let (_, behind) = line.split_once(&format!("{key} in "))?;
            let end = behind.find(|letter: char| !is_name(letter) && letter != '.');
            &behind[..end.unwrap_or(behind.len())]
        }
    };
    let is_part = |letter: char| is_name(letter) || matches!(letter, '.' | '#' | '(' | ')' | '?');
    let start = before.len()
        - before
            .chars()
            .rev()
            .take_while(|letter| is_part(*letter))
            .map(char::len_utf8)
            .sum::<usize>();
    let place = before[start..].rsplit('(').find(|part| !part.trim_matches(')').is_empty())?;
    let place = place.split(')').next().unwrap_or(place);
    (!place.is_empty()).then_some(place)
}

/// Whether something is put under the key in a place that outlives the call, and handed out from there.
fn is_kept(lines: &[(u32, String)], key: &str, name: &str) -> bool {
    let puts = |line: &str| {
        let set = |word: &str| line.contains(&format!("{word}({key},"));
        let assigned = line.split_once(&format!("[{key}]")).is_some_and(|(_, rest)| {
            rest.starts_with('=') && !rest.starts_with("==")
                || rest.starts_with("??=")
                || rest.starts_with("||=")
        });
        set(".set") || set(".insert") || set(".setdefault") || assigned
    };
    let entry = format!(".entry({key}).or_insert_with(||");
    let fills = |line: &str| line.split_once(&entry).is_some_and(|(_, made)| has_word(made, name));
    let is_short_lived = |line: &str, place: &str| {
        let first = place.split(['.', '?']).next().unwrap_or(place);
        let is_made = find_word(line, first).is_some_and(|at| {
            let rest = line[at + first.len()..].trim_start_matches(':');
            rest.starts_with('=') && MAKES.iter().any(|word| rest.contains(word))
        });
        is_made || line.starts_with(&format!("let mut {first}=")) && line.contains("::new(")
    };
    let places: Vec<&str> = lines.iter().filter_map(|(_, line)| looks_up(line, key)).collect();
    let outlives =
        places.iter().any(|place| !lines.iter().any(|(_, line)| is_short_lived(line, place)));
    let is_put = lines.iter().any(|(_, line)| puts(line));
    let all = || lines.iter().map(|(_, line)| line.as_str());
    outlives && (is_put && is_handed_out(lines, key, name) || all().any(fills))
}

/// Whether what is found under the key is the answer, and nothing of the argument is added to it.
fn is_handed_out(lines: &[(u32, String)], key: &str, name: &str) -> bool {
    let found: Vec<&str> = lines
        .iter()
        .filter(|(_, line)| looks_up(line, key).is_some())
        .flat_map(|(_, line)| bound(line))
        .collect();
    lines.iter().any(|(_, line)| {
        let Some(at) = find_word(line, "return") else { return false };
        let answer = line[at + "return".len()..].trim_start();
        let is_found = looks_up(&line[at..], key).is_some()
            || found.iter().any(|one| {
                find_word(answer, one).is_some_and(|at| at == 0 || answer[..at].ends_with('('))
            });
        is_found && !is_whole(answer, name)
    })
}

/// The names that a line gives to what it looked up.
fn bound(line: &str) -> Vec<&str> {
    let Some((left, right)) = line.split_once('=') else { return Vec::new() };
    if right.starts_with('=') {
        return Vec::new();
    }
    let words = left.split(|letter| !is_name(letter));
    let own = |word: &&str| {
        !word.is_empty() && !matches!(*word, "const" | "let" | "var" | "mut" | "if" | "ok" | "Some")
    };
    words.filter(own).collect()
}

/// Whether a text looks at more of an argument than a key says.
fn is_whole(text: &str, name: &str) -> bool {
    let mut rest = text;
    while let Some(at) = find_word(rest, name) {
        let (before, after) = (&rest[..at], &rest[at + name.len()..]);
        let begins = BEGINNINGS.iter().any(|word| after.starts_with(word));
        if !is_little(before, after) && !begins && !before.ends_with('.') {
            return true;
        }
        rest = after;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    /// G27: what a key has of an argument.
    #[test]
    fn keys_that_say_little() {
        for value in [
            "rows.length",
            "len(rows)",
            "rows.len();",
            "`${rows.length}`",
            "str(len(rows))",
            "rows[0].date",
            "(len(rows),rows[0])",
        ] {
            assert!(says_little(value, "rows"), "{value}");
        }
        for value in
            ["rows.join()", "tuple(rows)", "rows.map((row)=>row.length)", "hash(rows)", "len(cols)"]
        {
            assert!(!says_little(value, "rows"), "{value}");
        }
    }

    /// G27: where something is looked up.
    #[test]
    fn places_of_answers() {
        assert_eq!(looks_up("if(done.has(key))return done.get(key)", "key"), Some("done"));
        assert_eq!(looks_up("if key in self.done:", "key"), Some("self.done"));
        assert_eq!(looks_up("if hit,ok:=done[key];ok{", "key"), Some("done"));
        assert_eq!(looks_up("if let Some(hit)=done.get(&key){", "key"), Some("done"));
        assert_eq!(looks_up("total+=key", "key"), None);
    }
}
