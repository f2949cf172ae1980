//! Puts features and rules into words a user understands.

use super::knowledge::Knowledge;
use super::model::Contribution;
use super::rules::Rule;
use super::types::Reason;

/// How many reasons a judgement carries.
pub(crate) const REASONS: usize = 4;

/// A feature that spoke for the value.
pub(crate) fn contribution(knowledge: &Knowledge, part: &Contribution<'_>) -> Reason {
    let (file, line) = match (part.source.line, part.source.own) {
        (0, _) => ("weights.tsv", part.line),
        (line, true) => ("configuration", usize::try_from(line).unwrap_or(0)),
        (line, false) => ("lexicon.txt", usize::try_from(line).unwrap_or(0)),
    };
    Reason {
        text: words(knowledge, part.name, &part.source.words),
        words: part.source.words.clone(),
        file: file.to_owned(),
        line,
        weight: (part.weight * 1000.0).round() / 1000.0,
    }
}

/// A rule that set a floor.
pub(crate) fn rule(rule: &Rule, words: &str) -> Reason {
    let file = if rule.own { "configuration" } else { "rules.txt" };
    Reason {
        text: rule.why.clone(),
        words: words.to_owned(),
        file: file.to_owned(),
        line: rule.line,
        weight: 1.0,
    }
}

/// No part of the text said anything about the value.
pub(crate) fn nothing_known() -> Reason {
    Reason {
        text: "nothing in the text speaks for or against it".to_owned(),
        words: String::new(),
        file: String::new(),
        line: 0,
        weight: 0.0,
    }
}

fn about(knowledge: &Knowledge, class: &str) -> String {
    let found = knowledge
        .lexicon
        .classes
        .iter()
        .find(|c| c.name == class || c.name.strip_prefix("act.") == Some(class));
    match (found, class) {
        (Some(class), _) => class.about.clone(),
        (None, "@critical") => "security, money, personal data or safety".to_owned(),
        (None, "@store") => "stored data".to_owned(),
        (None, "@outside") => "the world outside the repository".to_owned(),
        (None, "@words") => "words for people".to_owned(),
        (None, "@calm") => "looks, tests, form or logs".to_owned(),
        (None, "@plain") => "ordinary code".to_owned(),
        (None, other) => other.to_owned(),
    }
}

fn words(knowledge: &Knowledge, name: &str, said: &str) -> String {
    let (place, name) = name.strip_prefix("b.").map_or(("", name), |rest| ("further down, ", rest));
    for sign in ['>', '~'] {
        if let Some((act, thing)) = name.split_once(sign) {
            let link = if sign == '>' { "applied to" } else { "with regard to" };
            return format!(
                "{place}\"{said}\": {} {link} {}",
                about(knowledge, act),
                about(knowledge, thing)
            );
        }
    }
    if let Some(group) = name.strip_prefix("symptom&") {
        return format!("{place}\"{said}\": something is broken in {}", about(knowledge, group));
    }
    let Some((role, what)) = name.split_once(':') else {
        return format!("{place}{}", shape(name));
    };
    let meaning = about(knowledge, what);
    match role {
        "act" | "first" | "later" => format!("{place}the action \"{said}\" ({meaning})"),
        "obj" | "head" => format!("{place}the object \"{said}\" ({meaning})"),
        "topic" | "any" => format!("{place}it is about \"{said}\" ({meaning})"),
        "asked" => format!("{place}\"{said}\" is asked about ({meaning})"),
        "around" => format!("{place}\"{said}\" is mentioned ({meaning})"),
        "name" => format!("{place}a name contains \"{said}\" ({meaning})"),
        "tag" | "t" => format!("{place}it is marked \"{said}\""),
        "neg" => format!("{place}\"{said}\" is excluded"),
        "noun" => format!("{place}\"{said}\" is a thing here, not an action"),
        "path" => format!("{place}the path \"{said}\" names {what}"),
        "g" if said.contains('!') => format!("{place}{}", shape("negated")),
        "g" if said.contains('?') => format!("{place}{}", shape("mark")),
        "g" if said.contains(' ') => format!("{place}the words \"{said}\""),
        _ => format!("{place}the word \"{said}\""),
    }
}

fn shape(name: &str) -> String {
    match name {
        "asks" | "mark" | "interrogative" | "body.asks" => "it is a question".to_owned(),
        "hedged" => "it is not decided yet".to_owned(),
        "negated" => "it says what not to do".to_owned(),
        "verb" => "it begins with an action".to_owned(),
        "noverb" => "no action is named first".to_owned(),
        "verb.ed" => "it tells what was done".to_owned(),
        "breaking" => "it is marked as breaking".to_owned(),
        "critical.twice" => "it touches security, money or personal data more than once".to_owned(),
        "after.question" => "after a question it asks for something to be done".to_owned(),
        "tag.thought" => "it is marked as a question, a plan or a study".to_owned(),
        "only.thought" => "all it asks for is an answer or a plan".to_owned(),
        "thought.done" => "it asks for more than an answer".to_owned(),
        "empty" => "the text is empty".to_owned(),
        "several" => "it asks for several things".to_owned(),
        "len.tiny" | "len.short" => "it is short".to_owned(),
        "len.mid" => "it is one plain sentence".to_owned(),
        "len.long" => "its first line is long".to_owned(),
        _ if name.starts_with("body") => "it has a description".to_owned(),
        other => other.to_owned(),
    }
}
