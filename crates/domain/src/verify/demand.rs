//! What tier and risk of a task ask of its evidence.

use super::evidence::{Checked, Ground, TestEdits};
use super::level::Level;
use super::tests_run::bare;
use super::verdict::{Judgement, Reason, Weight};
use crate::classify::{ContractType, Risk, Tier};
use crate::qa::Outcome;

/// The level that the result of a verifiable task should have. Work that can do harm needs more than
/// tests that live in the same process as the code.
pub fn demanded(tier: Tier, risk: Risk, has_examples: bool) -> Level {
    if has_examples {
        Level::Oracle
    } else if tier >= Tier::Standard || risk >= Risk::High {
        Level::Canaries
    } else {
        Level::CleanRoom
    }
}

/// What stands behind a judgement.
#[derive(Debug, Clone, Copy)]
pub struct Reached {
    pub contract: ContractType,
    pub tier: Tier,
    pub risk: Risk,
    /// Whether tier and risk are known, and no guess.
    pub is_sure: bool,
    pub has_examples: bool,
    /// Whether a test that was there before the work was run on the new code, and passed.
    pub has_protected: bool,
}

/// Whether a test that was there before was run on the new code, and passed: with the base's files, or,
/// where those can't be built with the new code, as it is now if it still says the same. A command
/// whose tests nobody can tell apart counts if the base `has_files` of tests.
pub fn has_protected(checks: &[Checked], edits: &TestEdits, has_files: bool) -> bool {
    let is_one = |check: &Checked| {
        let room = check
            .on(Ground::Room)
            .is_some_and(|room| room.report.totals.passed > 0 || has_files && room.ended.passed());
        let (Some(base), Some(handed)) = (check.on(Ground::Base), check.on(Ground::Handed)) else {
            return room;
        };
        // Where its file was moved, a test that is the same lies under another place.
        let passes = |name: &str| {
            let mut all = handed.report.cases.iter();
            all.any(|case| bare(&case.id) == name && case.outcome == Outcome::Passed)
        };
        room || base.report.cases.iter().any(|case| {
            let (name, has_passes) = (bare(&case.id), handed.report.totals.passed > 0);
            let is_same = edits.equivalent.contains(name);
            is_same && has_passes || !edits.changed.contains(name) && passes(name)
        })
    };
    checks.iter().filter(|check| check.is_test()).any(is_one)
}

/// What is missing, if the evidence is less than tier and risk ask for. Where harm is likely and
/// nothing but the work's own tests speaks for it, a person must look; where that it is likely is only
/// a guess, it is told.
pub fn falls_short(judgement: &Judgement, reached: Reached) -> Option<Reason> {
    let Reached { tier, risk, .. } = reached;
    // What nothing was run for is told elsewhere.
    if reached.contract != ContractType::Verifiable || judgement.results.is_empty() {
        return None;
    }
    let is_grave = tier == Tier::Strict || risk == Risk::Critical;
    if is_grave && !reached.has_examples && !reached.has_protected {
        let known = if reached.is_sure { "is" } else { "may be (that is a guess)" };
        let weight = if reached.is_sure { Weight::Ask } else { Weight::Note };
        let text = format!(
            "the task {known} {tier} with risk {risk}, and neither an example nor a test that was there \
             before speaks for the work (--example 'CMD => OUTPUT' adds one)"
        );
        return Some(Reason { weight, text });
    }
    let wanted = demanded(tier, risk, reached.has_examples);
    let level = judgement.level?;
    (level < wanted).then(|| {
        let text = format!("a {tier} task with risk {risk} asks for {wanted}; this is {level}");
        Reason { weight: Weight::Note, text }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verify::{Mark, Result, Verdict};

    fn judgement(level: Level) -> Judgement {
        let result = Result {
            activity: "unit".into(),
            command: "make test".into(),
            mark: Mark::Pass,
            level: Some(level),
            attempts: 1,
            error: None,
            receipts: Vec::new(),
        };
        Judgement {
            verdict: Verdict::Accepted,
            level: Some(level),
            reasons: Vec::new(),
            results: vec![result],
            findings: Vec::new(),
            shown_by: Vec::new(),
            failed_before: Vec::new(),
            flaky: Vec::new(),
            not_run: Vec::new(),
        }
    }

    /// VC-08: what is asked for grows with tier and risk.
    #[test]
    fn what_is_asked_for() {
        let check = |tier, risk, examples, expected| {
            assert_eq!(demanded(tier, risk, examples), expected, "{tier} {risk}");
        };
        check(Tier::Light, Risk::Low, false, Level::CleanRoom);
        check(Tier::Light, Risk::High, false, Level::Canaries);
        check(Tier::Standard, Risk::Medium, false, Level::Canaries);
        check(Tier::Strict, Risk::Critical, false, Level::Canaries);
        check(Tier::Light, Risk::Low, true, Level::Oracle);
    }

    /// VC-08: grave work that only its own tests speak for is a person's to look at.
    #[test]
    fn what_falls_short() {
        let of = |tier, risk, is_sure, (examples, protected), expected: Option<Weight>| {
            let reached = Reached {
                contract: ContractType::Verifiable,
                tier,
                risk,
                is_sure,
                has_examples: examples,
                has_protected: protected,
            };
            let found = falls_short(&judgement(Level::CleanRoom), reached);
            assert_eq!(found.map(|reason| reason.weight), expected, "{tier} {risk}");
        };
        let check = |tier, risk, has, expected| of(tier, risk, true, has, expected);
        check(Tier::Light, Risk::Low, (false, false), None);
        check(Tier::Standard, Risk::Medium, (false, false), Some(Weight::Note));
        check(Tier::Strict, Risk::Medium, (false, false), Some(Weight::Ask));
        check(Tier::Light, Risk::Critical, (false, false), Some(Weight::Ask));
        check(Tier::Strict, Risk::Critical, (false, true), Some(Weight::Note));
        check(Tier::Strict, Risk::Critical, (true, false), Some(Weight::Note));
        // What is only guessed stops nobody.
        of(Tier::Strict, Risk::Critical, false, (false, false), Some(Weight::Note));
    }
}
