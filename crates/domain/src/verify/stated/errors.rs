//! Statements that something must fail: `parse("1.2.3") should throw`.

use serde_json::{Value, json};

/// Words that ask for something, right before what is asked for.
const MUST: &[&str] = &["should", "must", "has to", "have to", "needs to", "ought to", "shall"];
/// What a call does that fails.
const FAILS: &[&str] = &[
    "throw",
    "raise",
    "fail",
    "panic",
    "error",
    "be an error",
    "be a error",
    "be rejected",
    "be refused",
    "return an error",
    "give an error",
    "yield an error",
    "result in an error",
    "return err",
    "reject",
    "be invalid",
];
/// What may follow and says that no error is meant after all.
const ELSE: &[&str] = &["code", "gracefully", "silently", "softly", "message"];
const ADVERBS: &[&str] = &["now", "also", "then", "instead", "rather", "always", "both", "all"];
/// How far a demand may stand from its call.
const NEAR: usize = 60;

/// What the answer of a call that fails is written as, or of one that does not where it should.
pub fn error(fails: bool) -> Value {
    json!({ "$error": fails })
}

/// Whether a value says that a call fails.
pub fn is_error(value: &Value) -> bool {
    *value == error(true)
}

/// Whether the text behind a call demands that the call fail: at once, or after what it gives now.
pub(super) fn is_demanded(after: &str) -> bool {
    let end = after.find(['\n', ';', '!', '?']).unwrap_or(after.len());
    let clause = after[..end].split(". ").next().unwrap_or_default().to_lowercase();
    let clause = clause.trim_end_matches('.');
    let Some((at, rest)) = MUST.iter().filter_map(|must| demand(clause, must)).min_by_key(|d| d.0)
    else {
        return false;
    };
    let between = clause[..at].trim_matches(['`', ' ', ',', ':', '-']);
    // "f(2) is used where g should throw" speaks of another; "f(2) gives 0, it should throw" does not.
    let subject = ["it", "but", "and", "which", "that", "this", ""];
    let last = between.rsplit([' ', ',']).next().unwrap_or_default();
    let gives = ["returns ", "gives ", "is ", "yields ", "prints ", "becomes ", "evaluates to "];
    let is_said = between.is_empty()
        || gives.iter().any(|word| between.starts_with(word)) && subject.contains(&last);
    is_said && at <= NEAR && fails(rest)
}

/// Where a demand stands, and what stands behind it.
fn demand<'c>(clause: &'c str, must: &str) -> Option<(usize, &'c str)> {
    let at = clause.find(must)?;
    let rest = clause[at + must.len()..].strip_prefix(' ')?;
    Some((at, rest))
}

fn fails(rest: &str) -> bool {
    let mut rest = rest.trim_start();
    while let Some(next) = ADVERBS
        .iter()
        .find_map(|word| rest.strip_prefix(word).and_then(|next| next.strip_prefix(' ')))
    {
        rest = next.trim_start();
    }
    FAILS.iter().any(|word| {
        let Some(after) = rest.strip_prefix(word) else { return false };
        let next = after.split_whitespace().next().unwrap_or_default();
        !after.starts_with(char::is_alphanumeric) && !ELSE.contains(&next)
    })
}
