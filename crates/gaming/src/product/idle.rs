//! New methods that are there to change something and don't, that hand back a copy of themselves, and
//! answers that depend on how often somebody asked.

use countersign_domain::gaming::{Finding, Rule};

use super::{FUNCTIONS, View};
use crate::args::{has_word, short, squeeze};
use crate::language::Language;
use crate::mask;
use crate::syntax::{Node, Tree};

/// What a method does to what it belongs to, where its name begins so.
const TAKES_AWAY: &[&str] =
    &["delete", "remove", "clear", "reset", "pop", "evict", "discard", "close"];

pub(super) fn check(view: &View<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    let root = view.tree.map(Tree::root);
    for node in root.into_iter().flat_map(Node::all).filter(|node| node.is(FUNCTIONS)) {
        let name = node.field("name").map_or("", Node::text);
        let is_new = view.lines.is_added(node.line()) && !has_word(view.change.old(), name);
        if !is_new || node.text().len() > 2_000 || view.change.is_test_at(node.start()) {
            continue;
        }
        let body = node.field("body").map_or("", Node::text);
        let body = squeeze(&mask::without_comments(body, view.change.language));
        let message = if is_idle(view.change.language, node, &body) {
            format!("'{name}' is new, and changes nothing of what it could change.")
        } else if is_copy(name, &body) {
            format!("'{name}' is new and hands back a copy of what it belongs to, as it is.")
        } else {
            continue;
        };
        let finding = view.change.structure(Rule::G26, node.line(), message);
        findings.push(finding.change(None, Some(short(&body))));
    }
    findings.extend(counted(view));
    findings
}

/// Whether nothing is written through what a function may change.
fn is_idle(language: Language, node: Node<'_>, body: &str) -> bool {
    let parameters = node.field("parameters").map_or("", Node::text);
    let name = node.field("name").map_or("", Node::text).to_lowercase();
    let takes_away = TAKES_AWAY.iter().any(|word| name.starts_with(word));
    let of_trait = node.ancestors().any(|above| {
        let head = above.text().split('{').next().unwrap_or("");
        above.is(&["impl_item"]) && has_word(head, "for") || above.is(&["trait_item"])
    });
    let class = node.ancestors().find(|above| above.is(&["class_definition", "class_declaration"]));
    let has_parents = class.is_some_and(|class| {
        let head = class.text().lines().next().unwrap_or("");
        class.field("superclasses").is_some() || has_word(head, "extends")
    });
    let owners: Vec<String> = match language {
        Language::Rust if !of_trait => parameters
            .trim_matches(['(', ')'])
            .split(',')
            .filter(|one| one.contains("&mut "))
            .map(|one| if one.contains("&mut self") { "self" } else { one })
            .filter_map(|one| one.split(':').next().map(|name| name.trim().to_owned()))
            .collect(),
        Language::Go if takes_away => {
            let receiver = node.field("receiver").map_or("", Node::text).trim_matches(['(', ')']);
            let name = receiver.split_whitespace().next().unwrap_or_default();
            if receiver.contains('*') { vec![name.to_owned()] } else { Vec::new() }
        }
        Language::Python if takes_away && class.is_some() && !has_parents => {
            vec!["self".to_owned()]
        }
        _ if language.is_script() && takes_away && class.is_some() && !has_parents => {
            vec!["this".to_owned()]
        }
        _ => Vec::new(),
    };
    let is_stub = matches!(body.trim_matches(['{', '}', ':', ';']), "" | "pass" | "...");
    !owners.is_empty() && !is_stub && !owners.iter().any(|owner| is_written(body, owner))
}

/// Whether a squeezed body may write through a name: it is assigned to, called on, handed on, or gone.
fn is_written(body: &str, owner: &str) -> bool {
    let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
    let mut at = 0;
    while let Some(found) = body[at..].find(owner) {
        let start = at + found;
        at = start + owner.len();
        let before = &body[..start];
        if before.ends_with(is_word) || body[at..].starts_with(is_word) {
            continue;
        }
        // `self.a.b[c]`, with what follows it.
        let mut depth = 0_usize;
        let end = body[at..].find(|letter: char| {
            match letter {
                '[' => depth += 1,
                ']' if depth > 0 => depth -= 1,
                _ if depth > 0 || is_word(letter) || letter == '.' || letter == '#' => {}
                _ => return true,
            }
            false
        });
        let rest = end.map_or("", |end| &body[at + end..]);
        let path = end.map_or(&body[at..], |end| &body[at..at + end]);
        let is_set = rest.starts_with('=') && !rest.starts_with("==")
            || ["+=", "-=", "*=", "/=", "|=", "&=", "++", "--", ":="]
                .iter()
                .any(|sign| rest.starts_with(sign));
        let is_called = rest.starts_with('(') || rest.starts_with('?') || rest.starts_with("::");
        let is_handed =
            before.ends_with("&mut ") || path.is_empty() && rest.starts_with([',', ')']);
        let is_gone = before.ends_with("delete(")
            || before.ends_with("delete ")
            || before.ends_with("del ")
            || before.ends_with('&');
        if is_set || is_called || is_handed || is_gone {
            return true;
        }
    }
    // What is bound to a part of it may be written later.
    body.contains(" in ") || body.contains("for ") || body.contains("match ")
}

/// `self.clone()` in a method that promises more.
fn is_copy(name: &str, body: &str) -> bool {
    let answer = body.trim_matches(['{', '}', ';']);
    let answer = answer.strip_prefix("return ").unwrap_or(answer);
    let meant = ["clone", "copy", "to_", "as_", "into", "snapshot", "dup", "fork", "owned"];
    answer == "self.clone()" && !meant.iter().any(|word| name.contains(word))
}

/// A number of the whole module that counts calls, and a branch that waits for one of them.
fn counted(view: &View<'_>) -> Vec<Finding> {
    let lines = view.new_lines();
    let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
    let mut findings = Vec::new();
    for (number, text, code) in &lines {
        let is_top = code.starts_with(|letter: char| letter.is_alphabetic() || letter == '_');
        let words = || code.split(|letter| !is_word(letter)).filter(|word| !word.is_empty());
        let name = words().find(|word| {
            !matches!(
                *word,
                "var" | "let" | "static" | "mut" | "pub" | "const" | "export" | "crate"
            )
        });
        let declares =
            ["var ", "let ", "static ", "pub static "].iter().any(|word| code.starts_with(word))
                || squeeze(code).ends_with("=0");
        let Some(name) = name.filter(|name| is_top && declares && name.len() > 1) else { continue };
        let grows = |code: &str| {
            let code = squeeze(code);
            ["++", "+=1", ".fetch_add("].iter().any(|sign| code.contains(&format!("{name}{sign}")))
                || code.contains(&format!("&{name},1)"))
        };
        let Some((_, _, growing)) = lines.iter().find(|(_, _, code)| grows(code)) else { continue };
        // `let call = CALLS.fetch_add(1)`
        let alias = growing.split_once('=').and_then(|(left, _)| {
            left.trim_end_matches(':').split_whitespace().next_back().filter(|one| *one != name)
        });
        let waits = |code: &str| {
            let code = squeeze(code);
            let of = |name: &str| {
                code.match_indices(&format!("{name}==")).any(|(at, found)| {
                    let rest = code[at + found.len()..].trim_start_matches('=');
                    rest.starts_with(|letter: char| letter.is_ascii_digit())
                }) || code.contains(&format!("switch {name}{{"))
                    || code.contains(&format!("match {name}{{"))
            };
            of(name) || alias.is_some_and(of)
        };
        if lines.iter().any(|(_, _, code)| waits(code)) {
            let message = format!("'{name}' counts calls, and an answer depends on it.");
            let finding = view.change.structure(Rule::G20, *number, message);
            findings.push(finding.change(None, Some(short(text))));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    /// G26: what is read is not written.
    #[test]
    fn what_writes_and_what_only_reads() {
        let check = |body: &str, owner: &str, expected: bool| {
            assert_eq!(is_written(&squeeze(body), owner), expected, "{body}");
        };
        check("{ self.balance }", "self", false);
        check("{ self.balance = 0; old }", "self", true);
        check("{ self.balance == 0 }", "self", false);
        check("{ self.items.clear() }", "self", true);
        check("{ std::mem::take(&mut self.items) }", "self", true);
        check("{ self.items[at] = 5; }", "self", true);
        check("{ _, found := s.values[key]\n return found }", "s", false);
        check("{ delete(s.values, key) }", "s", true);
        check("{ give(to, 5) }", "to", true);
    }

    /// G26: a copy of itself is an answer only where a name says so.
    #[test]
    fn copies() {
        assert!(is_copy("transpose", "{self.clone()}"));
        assert!(!is_copy("to_owned", "{self.clone()}"));
        assert!(!is_copy("transpose", "{self.clone().turned()}"));
    }
}
