//! Where several verifiers judge: what those who object hold against the work as one list, and the rounds in
//! which they disagreed. Both are pure; rounds are counted from the journal.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::Reason;
use crate::verdict::Issue;

/// The most rounds that may be asked for.
pub const MAX_ROUNDS: u32 = 20;

/// A disagreement of verifiers about one attempt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Round {
    /// Counted from 1, since a person was asked last.
    pub number: u32,
    /// After so many a person decides.
    pub of: u32,
    /// Who passes the work, counted from 0 as everywhere on the record.
    pub passed: Vec<u32>,
    /// Who objects.
    pub against: Vec<u32>,
}

impl fmt::Display for Round {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { number, of, passed, against } = self;
        let objects = if against.len() == 1 { "objects" } else { "object" };
        write!(f, "round {number} of {of}: {} passed, {} {objects}", who(passed), who(against))
    }
}

/// Verifiers as people count them.
pub(super) fn who(verifiers: &[u32]) -> String {
    let numbers: Vec<String> = verifiers.iter().map(|one| (one + 1).to_string()).collect();
    match &numbers[..] {
        [] => "none".to_owned(),
        [one] => format!("verifier {one}"),
        [first @ .., last] => format!("verifiers {} and {last}", first.join(", ")),
    }
}

/// What all who object hold against the work, as one list: the gravest first, what several of them say
/// once, with who says it and every suggestion. Nothing of anybody is lost.
pub fn merged<'a>(objections: impl IntoIterator<Item = (u32, &'a Issue)>) -> Vec<Reason> {
    let mut all: Vec<Reason> = Vec::new();
    for (verifier, issue) in objections {
        if let Some(known) = all.iter_mut().find(|known| is_same(known, issue)) {
            add(known, verifier, issue);
            continue;
        }
        all.push(Reason::Issue {
            verifier,
            id: issue.id.clone(),
            severity: issue.severity,
            criterion: issue.criterion.clone(),
            description: issue.description.clone(),
            fix_hint: issue.fix_hint.clone(),
            also: Vec::new(),
        });
    }
    // Stable: what is equally grave stays in the order of who said it.
    all.sort_by_key(|reason| match reason {
        Reason::Issue { severity, .. } => Some(*severity),
        _ => None,
    });
    all
}

/// Whether it says the same about the same, whatever it calls it and however it is set.
fn is_same(known: &Reason, issue: &Issue) -> bool {
    let plain = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
    match known {
        Reason::Issue { criterion, description, .. } => {
            *criterion == issue.criterion && plain(description) == plain(&issue.description)
        }
        _ => false,
    }
}

fn add(known: &mut Reason, by: u32, issue: &Issue) {
    let Reason::Issue { verifier, severity, fix_hint, also, .. } = known else { return };
    *severity = (*severity).min(issue.severity);
    if *verifier != by && !also.contains(&by) {
        also.push(by);
    }
    *fix_hint = match (fix_hint.take(), &issue.fix_hint) {
        (Some(old), Some(new)) if !old.contains(new.as_str()) => Some(format!("{old} / {new}")),
        (old, new) => old.or_else(|| new.clone()),
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verdict::Severity::{self, Critical, Major, Minor};

    fn issue(severity: Severity, criterion: &str, description: &str, hint: Option<&str>) -> Issue {
        Issue {
            id: "I1".into(),
            severity,
            criterion: Some(criterion.into()),
            description: description.into(),
            fix_hint: hint.map(Into::into),
            ..serde_json::from_value(serde_json::json!({
                "id": "I1", "severity": "minor", "description": ""
            }))
            .unwrap()
        }
    }

    fn told(objections: &[(u32, Issue)]) -> Vec<String> {
        let all = merged(objections.iter().map(|(by, issue)| (*by, issue)));
        all.iter().map(ToString::to_string).collect()
    }

    /// LP-19, D1.3: what all of them hold against it is in one list, the gravest first, whoever speaks last.
    #[test]
    fn nothing_is_lost_and_the_gravest_comes_first() {
        let objections = [
            (0, issue(Minor, "AC1", "a name is odd", None)),
            (0, issue(Major, "AC2", "it loses data", None)),
            (1, issue(Critical, "AC1", "it crashes", None)),
            (1, issue(Major, "AC1", "it is slow", None)),
        ];
        let expected = [
            "critical, AC1: it crashes",
            "major, AC2: it loses data",
            "major, AC1: it is slow",
            "minor, AC1: a name is odd",
        ];
        assert_eq!(told(&objections), expected);
        // One who objects to nothing in particular takes nothing away.
        assert_eq!(told(&objections[..2]).len(), 2);
        assert!(told(&[]).is_empty());
    }

    /// LP-19: the same said twice is one point: of all who say it, as grave as the gravest, with all suggestions.
    #[test]
    fn the_same_is_said_once() {
        let objections = [
            (0, issue(Minor, "AC1", "It  crashes", Some("catch it"))),
            (1, issue(Critical, "AC1", "it crashes", Some("return early"))),
            (1, issue(Major, "AC2", "it crashes", None)),
            (0, issue(Minor, "AC1", "it crashes", Some("catch it"))),
        ];
        let all = merged(objections.iter().map(|(by, issue)| (*by, issue)));
        let Reason::Issue { verifier, severity, fix_hint, also, .. } = &all[0] else { panic!() };
        assert_eq!((*verifier, *severity, &also[..]), (0, Critical, &[1][..]));
        assert_eq!(fix_hint.as_deref(), Some("catch it / return early"));
        assert_eq!(all.len(), 2, "about another criterion it is another point: {all:?}");
    }

    /// LP-19: a round is told with its sides.
    #[test]
    fn rounds_are_told() {
        let round = Round { number: 2, of: 3, passed: vec![0], against: vec![1] };
        assert_eq!(round.to_string(), "round 2 of 3: verifier 1 passed, verifier 2 objects");
        let round = Round { number: 1, of: 1, passed: vec![1], against: vec![0, 2, 3] };
        let said = "round 1 of 1: verifier 2 passed, verifiers 1, 3 and 4 object";
        assert_eq!(round.to_string(), said);
    }
}
