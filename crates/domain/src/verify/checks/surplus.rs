//! A runner that counts more tests than it lists, and does so on the base as well.

use super::super::evidence::{Checked, Ground, Ran};
use super::super::verdict::Weight;
use super::Weighed;
use crate::qa::{DoubtKind, Report};
use crate::worklog::deviation::Tested;

/// Whether the only thing that speaks against a run is that more tests are counted than listed, as on the base:
/// then it is the runner's own way of counting, which no work made. Says so. Another surplus than the base's
/// may be tests that were left out of the report, and is a person's to judge.
pub(super) fn is_own(check: &Checked, handed: &Ran, weighed: &mut Weighed) -> bool {
    let Some(base) = check.on(Ground::Base) else { return false };
    let (Some(was), Some(is)) = (surplus(&base.report), surplus(&handed.report)) else {
        return false;
    };
    if was != is {
        let text = format!(
            "`{}` counts {is} tests more than it lists, and {was} more on the base: somebody must look whether it lists all that it ran",
            check.command
        );
        weighed.say(Weight::Ask, text);
        return true;
    }
    let text = format!(
        "`{}` counts {is} tests more than it lists, as on the base: what they are nobody knows",
        check.command
    );
    weighed.say(Weight::Note, text);
    true
}

/// How many tests are counted and not listed, where a report would be a pass but for them.
fn surplus(report: &Report) -> Option<u64> {
    report.doubt(DoubtKind::Surplus)?;
    let doubts = report.doubts.iter().filter(|doubt| doubt.kind != DoubtKind::Surplus);
    let rest = Report { doubts: doubts.cloned().collect(), ..report.clone() };
    let claimed = report.claimed.map_or(0, |claimed| claimed.all());
    let more = claimed.checked_sub(report.count().all()).filter(|more| *more > 0);
    more.filter(|_| rest.conclusion().tested == Tested::Passed)
}
