//! Tests that are gone, told once for each file: a file that was deleted would fill the screen otherwise.
//! JSON, Markdown and SARIF have each of them.

use std::collections::BTreeMap;

use countersign_domain::gaming::{Finding, Judged};
use countersign_domain::verify::Reason;
use countersign_engine::verify::Verification;

/// So many tests of one file are told one by one.
const ALONE: usize = 2;

/// So many are named.
const NAMED: usize = 5;

/// What is told as one line or more.
pub(super) enum Told<'v> {
    Reason(&'v Reason),
    /// Several tests of one file.
    Tests(String),
}

/// The reasons, with those about tests of one file that are gone as one, where its first stood. That a test is
/// gone is told by reading as well; it is left out where its run said so.
pub(super) fn grouped<'v>(done: &'v Verification, reasons: &[&'v Reason]) -> Vec<Told<'v>> {
    group(&done.judgement.findings, &done.findings, reasons)
}

fn group<'v>(ran: &[Judged], read: &[Judged], reasons: &[&'v Reason]) -> Vec<Told<'v>> {
    let mut by: BTreeMap<(&str, String), Vec<&str>> = BTreeMap::new();
    let key = |reason: &Reason| {
        let found = ran.iter().map(|one| &one.finding).find(|one| is_said_by(one, reason))?;
        let ([id], Some(path)) = (&found.tests[..], &found.path) else { return None };
        let what =
            found.message.strip_prefix(id.as_str())?.trim_start_matches(" was run before and ");
        let is_plain =
            found.message.ends_with("is gone") || found.message.ends_with("is skipped now");
        is_plain.then(|| ((path.as_str(), format!("{what} ({})", found.rule)), id.as_str()))
    };
    for ((path, what), id) in reasons.iter().filter_map(|reason| key(reason)) {
        by.entry((path, what)).or_default().push(id);
    }
    let mut told = Vec::new();
    for reason in reasons {
        if read.iter().any(|one| is_said_by(&one.finding, reason) && is_told(&one.finding, ran)) {
            continue;
        }
        let group = key(reason).and_then(|(key, id)| Some((by.get(&key)?, key, id)));
        match group.filter(|(ids, ..)| ids.len() > ALONE) {
            None => told.push(Told::Reason(reason)),
            Some((ids, (path, what), id)) if ids.first() == Some(&id) => {
                told.push(Told::Tests(line(path, &what, ids)));
            }
            Some(_) => {}
        }
    }
    told
}

fn line(path: &str, what: &str, ids: &[&str]) -> String {
    let short = |id: &&str| id.rsplit(" > ").next().unwrap_or(id).to_owned();
    let mut named: Vec<String> = ids.iter().take(NAMED).map(short).collect();
    if ids.len() > NAMED {
        named.push(format!("and {} more", ids.len() - NAMED));
    }
    let what = what.replacen("is ", "are ", 1);
    format!("{path}: {} tests were run before and {what}: {}", ids.len(), named.join(", "))
}

/// Whether a reason says this finding and nothing else.
fn is_said_by(finding: &Finding, reason: &Reason) -> bool {
    let told = format!("{} ({})", finding.message, finding.rule);
    reason.text.strip_suffix(&told).is_some_and(|before| {
        let place = finding.path.as_deref().unwrap_or_default();
        before.is_empty() || before.starts_with(place) && before.ends_with(": ")
    })
}

/// Whether a test that reading misses is one that a run missed.
fn is_told(finding: &Finding, ran: &[Judged]) -> bool {
    let name =
        finding.message.strip_prefix("The test '").and_then(|rest| rest.strip_suffix("' is gone."));
    let Some(name) = name.map(|name| name.replace("::", " > ")) else { return false };
    let misses = |one: &Finding| {
        one.message.ends_with(" was run before and is gone")
            && one.tests.iter().any(|id| id.strip_suffix(&name).is_some_and(is_end))
    };
    ran.iter().any(|one| misses(&one.finding))
}

/// Whether a name may follow: nothing stands before it, or a sign.
fn is_end(before: &str) -> bool {
    !before.ends_with(|letter: char| letter.is_alphanumeric() || letter == '_')
}

#[cfg(test)]
mod tests {
    use countersign_domain::gaming::{Basis, Rule};
    use countersign_domain::verify::Weight;

    use super::*;

    fn judged(message: &str, (path, id): (&str, &str)) -> Judged {
        let finding =
            Finding::new(Rule::G01, Basis::Execution, message).at(path, None).about(&[id]);
        Judged { finding, allowed: None }
    }

    fn told(ran: &[Judged], read: &[Judged], texts: &[&str]) -> Vec<String> {
        let reasons: Vec<Reason> = texts
            .iter()
            .map(|text| Reason { weight: Weight::Ask, text: (*text).to_owned() })
            .collect();
        let reasons: Vec<&Reason> = reasons.iter().collect();
        let found = group(ran, read, &reasons).into_iter().map(|one| match one {
            Told::Reason(reason) => reason.text.clone(),
            Told::Tests(text) => text,
        });
        found.collect()
    }

    /// G01: tests of one file are told as one, with others as they are.
    #[test]
    fn tests_of_one_file_are_told_as_one() {
        let gone = |id: &str| format!("{id} was run before and is gone");
        let ran: Vec<Judged> = ["s > a", "s > b", "s > c"]
            .iter()
            .map(|id| judged(&gone(id), ("t/s.js", id)))
            .chain([judged(&gone("d"), ("t/d.js", "d"))])
            .collect();
        let texts: Vec<String> = ["s > a", "d", "s > b", "s > c"]
            .iter()
            .map(|id| format!("{} (G01)", gone(id)))
            .collect();
        let mut texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        texts.push("something else");
        let expected = [
            "t/s.js: 3 tests were run before and are gone (G01): a, b, c",
            "d was run before and is gone (G01)",
            "something else",
        ];
        assert_eq!(told(&ran, &[], &texts), expected);
        assert_eq!(told(&ran, &[], &texts[..2]), texts[..2], "few are told one by one");
        // What is said besides is said of each.
        let more = format!("{}; allowed: it is known", texts[0]);
        assert_eq!(told(&ran, &[], &[&more, texts[2], texts[3]]), [&more, texts[2], texts[3]]);
    }

    /// G01: a test that is gone is told once.
    #[test]
    fn what_a_run_said_is_not_said_again() {
        let ran = [judged("s > a was run before and is gone", ("t/s.js", "s > a"))];
        let read = [
            judged("The test 's::a' is gone.", ("t/s.js", "")),
            judged("The test 's::aa' is gone.", ("t/s.js", "")),
        ];
        let texts = [
            "t/s.js:3: The test 's::a' is gone. (G01)",
            "t/s.js:9: The test 's::aa' is gone. (G01)",
        ];
        assert_eq!(told(&ran, &read, &texts), [texts[1]]);
        assert_eq!(told(&[], &read, &texts), texts);
    }
}
