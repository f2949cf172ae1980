//! Where findings of execution lie, what they rest on, and which of them a person allowed.

use super::super::evidence::{Checked, Evidence, Ground};
use super::super::tests_run::bare;
use super::super::verdict::Weight;
use super::Weighed;
use crate::gaming::Allow;
use crate::qa::Outcome;

/// Puts every finding where its first test lies, and takes back what a person allowed for all of
/// its tests.
pub(super) fn settle(check: &Checked, (evidence, weighed): (&Evidence<'_>, &mut Weighed)) {
    let mut is_lowered = false;
    for (judged, reason) in weighed.findings.iter_mut().zip(&weighed.caught) {
        let finding = &mut judged.finding;
        if let Some(first) = finding.tests.first() {
            let place = evidence.places.get(first).filter(|_| finding.path.is_none());
            if let Some(place) = place {
                (finding.path, finding.line) = (Some(place.path.clone()), place.line);
            }
            finding.before = outcome(check, Ground::Base, first);
            finding.after = outcome(check, Ground::Handed, first);
        }
        let covers = |allow: &&Allow| {
            let is_meant = |id: &String| {
                let path = evidence.places.get(id).map(|place| place.path.as_str());
                allow.covers_test((id, bare(id)), path)
            };
            let tests = &finding.tests;
            allow.rule == finding.rule
                && if tests.is_empty() { allow.covers(finding) } else { tests.iter().all(is_meant) }
        };
        judged.allowed = evidence.allows.iter().find(covers).map(|allow| allow.reason.clone());
        let Some(why) = &judged.allowed else { continue };
        if let Some(reason) = weighed.reasons.get_mut(*reason) {
            is_lowered |= reason.weight == Weight::Refuse;
            reason.weight = Weight::Note;
            reason.text += &format!("; allowed: {why}");
        }
    }
    let refuses = weighed.reasons.iter().any(|reason| reason.weight == Weight::Refuse);
    // What failed, failed by what is allowed.
    weighed.has_failed &= !is_lowered || refuses || weighed.is_moot;
}

fn outcome(check: &Checked, ground: Ground, id: &str) -> Option<String> {
    let ran = check.on(ground)?;
    let case = ran.report.case(id).map(|case| case.outcome);
    let outcome = case.map_or_else(|| "not run".to_owned(), |outcome: Outcome| outcome.to_string());
    Some(format!("{id}: {outcome} ({ground})"))
}
