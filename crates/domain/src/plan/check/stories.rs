//! Whether a story is small, stands by itself, and is thought through to its limits.

use super::{Findings, Place, refuse, warn};
use crate::plan::ambiguity::is_agent;
use crate::plan::filled::is_promise;
use crate::plan::id::StoryId;
use crate::plan::types::{Story, Waiver};

/// More criteria than this are several stories.
const MAX_CRITERIA: usize = 4;
/// More files than this are probably several stories.
const MAX_FILES: usize = 2;
/// Shorter justifications justify nothing.
const MIN_WORDS: usize = 3;

pub(super) fn check(story: &Story, found: &mut Findings<'_>) {
    size(story, found);
    cases(story, found);
    references(story, found);
    for criterion in &story.criteria {
        let clauses = [&criterion.given, &criterion.when, &criterion.then];
        if clauses.iter().any(|clause| is_promise(clause)) {
            let about = refuse("ambiguity", format!("{} {}", story.id, criterion.id));
            let what = "Given, When or Then is still to be written";
            found.add(about, Place::Prd(criterion.line.0), what, "write it");
        }
    }
    for waiver in &story.waivers {
        if let Some((what, fix)) = flaw_of(waiver) {
            let about = refuse("waiver", format!("{} {}", story.id, waiver.law));
            found.add(about, Place::Prd(waiver.line.0), what, fix);
        }
    }
}

fn size(story: &Story, found: &mut Findings<'_>) {
    let place = Place::Prd(story.line.0);
    let criteria = story.criteria.len();
    if criteria > MAX_CRITERIA {
        let what = format!("it has {criteria} criteria, and a story has up to {MAX_CRITERIA}");
        found.add(refuse("size", story.id), place, what, "split the story");
    }
    if story.files.len() > MAX_FILES {
        let what = format!("it touches {} files or globs", story.files.len());
        found.add(warn("size", story.id), place, what, "split the story, if it is two");
    }
}

fn cases(story: &Story, found: &mut Findings<'_>) {
    let wanted = [
        (&story.negatives, "Negative cases", "what must not happen"),
        (&story.boundaries, "Boundary cases", "what happens with nothing, the most, or at once"),
    ];
    for (cases, title, what) in wanted {
        if cases.iter().all(|case| is_promise(case)) {
            let fix = format!("say {what}, below '#### {title}'");
            let what = format!("it has no {}", title.to_lowercase());
            found.add(refuse("cases", story.id), Place::Prd(story.line.0), what, fix);
        }
    }
}

/// A criterion speaks of its own story only: the worker sees no other.
fn references(story: &Story, found: &mut Findings<'_>) {
    for criterion in &story.criteria {
        for text in [&criterion.given, &criterion.when, &criterion.then] {
            let others = ids(text);
            for other in others.into_iter().filter(|other| *other != story.id) {
                let about = refuse("reference", format!("{} {}", story.id, criterion.id));
                let what = format!("it speaks of {other}, which its worker doesn't see");
                let fix =
                    format!("say what must be there; that {other} comes first is for 'Depends on'");
                found.add(about, Place::Prd(criterion.line.0), what, fix);
            }
        }
    }
}

/// The stories that a text names.
fn ids(text: &str) -> Vec<StoryId> {
    let is_apart = |c: char| !(c.is_alphanumeric() || "-_".contains(c));
    text.split(is_apart).filter_map(|word| word.trim_matches(['-', '_']).parse().ok()).collect()
}

/// Why a waiver doesn't count.
pub(super) fn flaw_of(waiver: &Waiver) -> Option<(String, &'static str)> {
    let words = waiver.justification.split_whitespace().count();
    if words < MIN_WORDS || is_promise(&waiver.justification) {
        let what = format!("'{}' justifies nothing", waiver.justification);
        return Some((what, "say in a sentence why the law doesn't hold here"));
    }
    let is_named = waiver.by.chars().any(char::is_alphabetic) && !is_promise(&waiver.by);
    if !is_named || is_agent(&waiver.by) {
        let what = format!("'{}' can't waive a law", waiver.by);
        return Some((what, "only a person can: write that person's name"));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_found() {
        assert_eq!(ids("after US-001, then us2"), [StoryId::new(1), StoryId::new(2)]);
        assert_eq!(ids("status-2 in US dollars"), []);
    }
}
