//! LP-12: how the worker says it worked, held against how it should have worked.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::{Claim, StepKind};

/// What a claim says about the way of working. It decides nothing by itself: whether tests are red
/// before and green after is found by running them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Audit {
    pub steps: u32,
    /// Criteria whose tests were seen to fail before the work.
    pub red: BTreeSet<String>,
    /// Criteria whose tests were seen to pass after it.
    pub green: BTreeSet<String>,
    /// Whether something was run from end to end.
    pub has_e2e: bool,
    /// Whether every test came before its implementation.
    pub is_test_first: bool,
    /// Steps without a criterion.
    pub unlinked: u32,
    /// What is not as it should be, in words.
    pub remarks: Vec<String>,
}

/// Audits `claim` for the criteria that were assigned.
pub fn audit(claim: &Claim, criteria: &[String]) -> Audit {
    let steps = &claim.execution_steps;
    let mut audit = Audit {
        steps: u32::try_from(steps.len()).unwrap_or(u32::MAX),
        is_test_first: true,
        ..Audit::default()
    };
    let mut first: BTreeMap<(&str, StepKind), usize> = BTreeMap::new();
    for (at, step) in steps.iter().enumerate() {
        audit.has_e2e |= step.step == StepKind::VerifyE2e && step.exit_code == Some(0);
        let Some(criterion) = step.ac_id.as_deref() else {
            audit.unlinked += 1;
            continue;
        };
        first.entry((criterion, step.step)).or_insert(at);
        match step.step {
            StepKind::VerifyRed if step.exit_code.is_some_and(|code| code != 0) => {
                audit.red.insert(criterion.to_owned());
            }
            StepKind::VerifyRed => audit
                .remarks
                .push(format!("{criterion}: its tests are said to fail before, with exit code 0")),
            StepKind::VerifyGreen if step.exit_code == Some(0) => {
                audit.green.insert(criterion.to_owned());
            }
            StepKind::VerifyGreen => audit
                .remarks
                .push(format!("{criterion}: its tests are said to pass, with a failing exit code")),
            _ => {}
        }
    }
    for criterion in criteria {
        let at = |kind| first.get(&(criterion.as_str(), kind)).copied();
        let (red, green) = (at(StepKind::VerifyRed), at(StepKind::VerifyGreen));
        match (red, green) {
            (Some(red), Some(green)) if red > green => {
                audit.remarks.push(format!("{criterion}: green came before red"));
            }
            (None, _) => audit.remarks.push(format!("{criterion}: no test was seen to fail first")),
            (_, None) => audit.remarks.push(format!("{criterion}: no test was seen to pass")),
            _ => {}
        }
        let is_late = matches!(
            (at(StepKind::WriteTest), at(StepKind::Implement)),
            (Some(test), Some(code)) if test > code
        );
        audit.is_test_first &= !is_late && at(StepKind::WriteTest).is_some();
    }
    if !audit.has_e2e {
        audit.remarks.push("nothing was run from end to end".to_owned());
    }
    if audit.unlinked > 0 {
        audit.remarks.push(format!("{} steps name no criterion", audit.unlinked));
    }
    audit
}

#[cfg(test)]
mod tests {
    use super::super::{ClaimedStep, Stand};
    use super::*;

    fn claim(steps: &[(StepKind, Option<&str>, Option<i64>)]) -> Claim {
        let step = |(step, ac, exit_code): &(StepKind, Option<&str>, Option<i64>)| ClaimedStep {
            step: *step,
            ac_id: ac.map(str::to_owned),
            command: Some("make test".into()),
            exit_code: *exit_code,
            summary: String::new(),
        };
        Claim {
            us_id: None,
            iteration: None,
            stand: Stand::Done,
            claims: Vec::new(),
            execution_steps: steps.iter().map(step).collect(),
            reflection: None,
        }
    }

    /// LP-12: red before green for each criterion, red with a failing exit, end to end present,
    /// every step linked.
    #[test]
    fn the_way_of_working_is_audited() {
        let ac = Some("AC1");
        let good = claim(&[
            (StepKind::WriteTest, ac, None),
            (StepKind::VerifyRed, ac, Some(1)),
            (StepKind::Implement, ac, None),
            (StepKind::VerifyGreen, ac, Some(0)),
            (StepKind::VerifyE2e, ac, Some(0)),
        ]);
        let criteria = ["AC1".to_owned()];
        let audited = audit(&good, &criteria);
        assert_eq!(audited.remarks, Vec::<String>::new());
        assert!(audited.is_test_first && audited.has_e2e && audited.unlinked == 0);

        let check = |steps: &[(StepKind, Option<&str>, Option<i64>)], remark: &str| {
            let found = audit(&claim(steps), &criteria).remarks;
            assert!(found.iter().any(|found| found.contains(remark)), "{found:?}");
        };
        check(&[(StepKind::VerifyRed, ac, Some(0))], "with exit code 0");
        check(
            &[(StepKind::VerifyGreen, ac, Some(0)), (StepKind::VerifyRed, ac, Some(1))],
            "green came before red",
        );
        check(&[(StepKind::VerifyGreen, ac, Some(0))], "no test was seen to fail first");
        check(&[(StepKind::VerifyGreen, ac, Some(2))], "failing exit code");
        check(&[(StepKind::Implement, None, None)], "1 steps name no criterion");
        check(&[(StepKind::Implement, ac, None)], "end to end");
    }
}
