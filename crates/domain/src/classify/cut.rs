//! Cuts a clause where a coordinated action begins: ", then delete …", "and drop …", "but first wipe …".
//!
//! The words of the joint belong to neither side, so that a clause reads the same whether something is joined to it or
//! not.

use super::clause::Clause;
use super::lexicon::{Hit, Lexicon};
use super::read::{acts, among, is_act};
use super::token::{Form, Token};

/// Words that join a further action to what stands before.
const JOINTS: &str = " and then also plus but und et y e и dann puis luego poi ";
/// Those of them that mean nothing at the beginning of a clause.
const LEADING: &str = " and then also but und et dann puis luego ";
/// Words that may stand between the joint and the action.
const STEPS: &str = " just only simply instead rather please pls kindly also first second third next finally afterwards later now \
    additionally furthermore even directly immediately quickly then bitte ";
/// Several words that join like one.
const PHRASES: [&[&str]; 8] = [
    &["while", "at", "it"],
    &["while", "you're", "at", "it"],
    &["while", "you", "are", "at", "it"],
    &["while", "we're", "at", "it"],
    &["while", "we", "are", "at", "it"],
    &["as", "well", "as"],
    &["after", "that"],
    &["in", "addition"],
];

/// The clauses of a clause: one for each action that is joined on.
pub(super) fn cut(lexicon: &Lexicon, mut clause: Clause) -> Vec<Clause> {
    let end = loose_end(&clause.tokens, clause.tokens.len());
    clause.truncate(end.unwrap_or(usize::MAX));
    let hits = lexicon.find(&clause.tokens);
    let mut cuts: Vec<(usize, usize)> = Vec::new();
    for hit in hits.iter().filter(|h| is_act(lexicon, h)) {
        let end = joint(&clause.tokens, hit).filter(|_| acts(lexicon, &clause.tokens, *hit));
        if let Some(end) = end.filter(|end| cuts.last().is_none_or(|(_, last)| last < end)) {
            cuts.push((end, hit.at));
        }
    }
    let mut parts = Vec::new();
    for (end, at) in cuts.into_iter().rev() {
        parts.push(split_off(&mut clause, at));
        clause.truncate(end);
    }
    let begin = clause.tokens.iter().take_while(|token| among(LEADING, &token.text)).count();
    clause.skip(begin);
    parts.push(clause);
    parts.reverse();
    parts.retain(|part| !part.tokens.is_empty() || !part.tags.is_empty());
    parts
}

/// Takes the clause from `at` on away. A question mark belongs to the end.
fn split_off(clause: &mut Clause, at: usize) -> Clause {
    let tokens = clause.tokens.split_off(at);
    let first = clause.paths.partition_point(|(place, _)| *place < at);
    let paths = clause.paths.split_off(first);
    Clause {
        tokens,
        line: clause.line,
        question: std::mem::take(&mut clause.question),
        paths: paths.into_iter().map(|(place, path)| (place - at, path)).collect(),
        code: clause.code,
        ..Clause::default()
    }
}

/// Where what stands before this action ends, if something joins the action to it.
fn joint(tokens: &[Token], hit: &Hit) -> Option<usize> {
    let before = hit.at.checked_sub(1)?;
    let form = tokens[hit.at].form;
    let joined = among(JOINTS, &tokens[before].text)
        || (tokens[hit.at].breaks && !matches!(form, Form::Ed | Form::Ing));
    if !joined && form != Form::Base {
        return None;
    }
    loose_end(tokens, hit.at).or_else(|| {
        let steps = tokens[..hit.at].iter().rev().take_while(|t| among(STEPS, &t.text)).count();
        (hit.at - steps..=hit.at).rev().find(|at| *at > 0 && tokens[*at].breaks)
    })
}

/// Where the first joint stands among the small words in front of `end`.
fn loose_end(tokens: &[Token], end: usize) -> Option<usize> {
    let mut found = None;
    let mut at = end;
    while at > 0 {
        let phrase = PHRASES.iter().find(|phrase| ends_with(&tokens[..at], phrase));
        let word = &tokens[at - 1].text;
        at -= phrase.map_or(1, |phrase| phrase.len());
        if phrase.is_some() || among(JOINTS, word) {
            found = Some(at);
        } else if !among(STEPS, word) {
            break;
        }
    }
    found
}

fn ends_with(tokens: &[Token], phrase: &[&str]) -> bool {
    tokens.len() >= phrase.len()
        && tokens[tokens.len() - phrase.len()..].iter().zip(phrase).all(|(t, word)| t.text == *word)
}

/// The pieces of a clause between all its joints and pauses, whatever follows them ("delete the users table and the
/// backups"); none if there is only one.
pub(super) fn pieces(clause: &Clause) -> Vec<Clause> {
    let begins = |tokens: &[Token], at: usize| {
        let phrase = || PHRASES.iter().any(|phrase| ends_with(&tokens[..at], phrase));
        tokens[at].breaks || among(JOINTS, &tokens[at - 1].text) || phrase()
    };
    if !(1..clause.tokens.len()).any(|at| begins(&clause.tokens, at)) {
        return Vec::new();
    }
    let mut clause = clause.clone();
    let mut parts = Vec::new();
    for at in (1..clause.tokens.len()).rev() {
        if at < clause.tokens.len() && begins(&clause.tokens, at) {
            parts.push(split_off(&mut clause, at));
            let end = loose_end(&clause.tokens, at).unwrap_or(usize::MAX);
            clause.truncate(end);
        }
    }
    parts.push(clause);
    parts.reverse();
    parts.retain(|part| !part.tokens.is_empty());
    parts
}
