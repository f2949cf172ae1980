//! Whether all that commands must print can be printed.

use super::{Findings, Place, refuse};
use crate::plan::types::Plan;

pub(super) fn check(plan: &Plan, found: &mut Findings<'_>) {
    for one in plan.contradictions() {
        let subject = format!("{} {}", one.row.story, one.row.criterion);
        let what = format!(
            "`{}` must print {:?} here and {:?} in {}",
            one.row.command,
            one.row.printed().unwrap_or_default(),
            one.other,
            one.place
        );
        let fix = "give each a command of its own, or say in prose what is only part of the output";
        found.add(refuse("expected", subject), Place::Spec(one.row.line.0), what, fix);
    }
}
