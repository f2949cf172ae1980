//! The rules of the six dimensions. Each gives its points and says why.

use super::Dimension;
use super::text::{Clause, Clauses};
use super::words::found;

type Rating = (u8, String);

pub(super) fn rate(dimension: Dimension, clauses: &Clauses) -> Rating {
    match dimension {
        Dimension::Single => single(clauses),
        Dimension::Domain => domain(clauses),
        Dimension::Stakeholder => stakeholder(clauses),
        Dimension::Portability => portability(clauses),
        Dimension::Concrete => concrete(clauses),
        Dimension::Independence => independence(clauses),
    }
}

/// Words that join a second action or outcome to the first.
const JOINS: [&str; 6] = ["and", "or", "also", "plus", "additionally", "then"];

fn single(clauses: &Clauses) -> Rating {
    let joins = joins(&clauses.when) + joins(&clauses.then);
    let vague = found("vague", &clauses.then.words);
    match (joins, vague.first()) {
        (0, None) => (2, "one behaviour".to_owned()),
        (0, Some(words)) => (1, format!("one behaviour, but nobody can test '{words}'")),
        (1, None) => (1, "one 'and' or 'or' in When or Then: perhaps two behaviours".to_owned()),
        (1, Some(words)) => (0, format!("perhaps two behaviours, and nobody can test '{words}'")),
        _ => (0, format!("{} behaviours; write a criterion for each", joins + 1)),
    }
}

fn joins(clause: &Clause) -> usize {
    let words = &clause.words;
    let is_join = |at: usize| {
        let is_range = words[..at].iter().rev().take(4).any(|word| word == "between");
        JOINS.contains(&words[at].as_str()) && !is_range
    };
    (0..words.len()).filter(|at| is_join(*at)).count() + clause.breaks
}

fn domain(clauses: &Clauses) -> Rating {
    let words = clauses.words();
    let names: Vec<&String> = clauses.names().collect();
    let technical = found("technical", &words);
    let slight = found("slight", &words);
    if let Some(name) = names.first() {
        (0, format!("'{name}' is a name from the code"))
    } else if technical.len() >= 2 {
        (0, format!("'{}' and '{}' are technical terms", technical[0], technical[1]))
    } else if let Some(word) = technical.first() {
        (1, format!("'{word}' is a technical term"))
    } else if let Some(word) = slight.first() {
        (1, format!("'{word}' is slightly technical"))
    } else {
        (2, "domain language only".to_owned())
    }
}

fn stakeholder(clauses: &Clauses) -> Rating {
    let words = clauses.words();
    if let Some(role) = found("role", &words).first() {
        (2, format!("for the {role}"))
    } else if let Some(benefit) = found("benefit", &words).first() {
        (2, format!("'{benefit}' says who gains what"))
    } else if let Some(somebody) = found("somebody", &words).first() {
        (1, format!("'{somebody}' could be anybody"))
    } else {
        (0, "nobody is named who gains by it".to_owned())
    }
}

fn portability(clauses: &Clauses) -> Rating {
    let words = clauses.words();
    let is_path = |name: &&String| name.starts_with('/') || name.contains('.');
    if let Some(word) = found("stack", &words).first() {
        (0, format!("'{word}' is a product or a language"))
    } else if let Some(name) = clauses.names().find(is_path) {
        (0, format!("'{name}' is there in one system only"))
    } else if let Some(word) = found("surface", &words).first() {
        (1, format!("'{word}' is there on some surfaces only"))
    } else if let Some(name) = clauses.names().next() {
        (1, format!("'{name}' is there in one code base only"))
    } else {
        (2, "it means the same with other tools".to_owned())
    }
}

fn concrete(clauses: &Clauses) -> Rating {
    let exact = |clause: &Clause| {
        let written = found("number", &clause.words);
        clause.values.first().or(written.first()).cloned()
    };
    let before = exact(&clauses.given).or_else(|| exact(&clauses.when));
    let after = exact(&clauses.then);
    let words = clauses.words();
    let vague = found("vague", &words);
    match (before, after, vague.first()) {
        (Some(before), Some(after), None) => (2, format!("'{before}' gives '{after}'")),
        (Some(_), Some(_), Some(words)) => (1, format!("exact values, but '{words}' is vague")),
        (None, None, Some(words)) => (0, format!("'{words}' is vague, and no value is named")),
        (None, None, None) => (0, "no value is named".to_owned()),
        (Some(_), None, Some(words)) => (0, format!("what comes out is '{words}'")),
        (Some(before), None, None) => (1, format!("'{before}' is named, and not what comes of it")),
        (None, Some(after), _) => (1, format!("'{after}' comes out, and nobody says of what")),
    }
}

fn independence(clauses: &Clauses) -> Rating {
    let words = clauses.words();
    let is_id = |two: &[String]| {
        let is_digits = |word: &str| !word.is_empty() && word.bytes().all(|b| b.is_ascii_digit());
        let id = format!("{}{}", two[0], two[1]);
        let joined = |word: &str| {
            let rest = word.strip_prefix("us").or_else(|| word.strip_prefix("ac"));
            rest.is_some_and(is_digits)
        };
        (matches!(two[0].as_str(), "us" | "ac") && is_digits(&two[1]))
            .then_some(id)
            .or_else(|| two.iter().find(|word| joined(word)).cloned())
    };
    if let Some(id) = words.windows(2).find_map(is_id) {
        (0, format!("it speaks of {}", id.to_uppercase()))
    } else if let Some(words) = found("requires", &words).first() {
        (0, format!("'{words}' requires that something else works"))
    } else if let Some(word) = found("leans", &words).first() {
        (1, format!("'{word}' leans on something that is not told"))
    } else {
        (2, "it stands by itself".to_owned())
    }
}
