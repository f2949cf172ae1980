//! Section 3: how the workers worked, by their own account and by what we ran.

use serde::Serialize;

use super::text::{MOST, short};
use super::{Cite, Kept, Remark, Share, Source, Trail};
use crate::claim::{Audit, Claimed, Stand, audit};

#[derive(Debug, Clone, Serialize)]
pub struct Process {
    /// Workers that ended and left a claim that could be used.
    pub claims: Share,
    /// Claims in which every test came before its implementation.
    pub test_first: Share,
    /// Criteria whose tests are said to have failed before the work.
    pub red: Share,
    /// Criteria whose tests are said to pass after it.
    pub green: Share,
    /// Claims with a run from end to end.
    pub e2e: Share,
    /// Claimed commands that ended for us as they were said to.
    pub reproduced: Share,
    /// Tests that failed before the work and pass now, run by us.
    pub shown_by: u64,
    pub remarks: Kept<Remark>,
    /// Where a worker said that it can't be done, or that some of it isn't.
    pub honest: Kept<Remark>,
}

pub(super) fn process(source: &Source) -> Process {
    let mut found = Process {
        claims: Share::default(),
        test_first: Share::default(),
        red: Share::default(),
        green: Share::default(),
        e2e: Share::default(),
        reproduced: Share::default(),
        shown_by: 0,
        remarks: Kept::of(Vec::new()),
        honest: Kept::of(Vec::new()),
    };
    let (mut remarks, mut honest) = (Vec::new(), Vec::new());
    for (trail, iteration) in source.iterations() {
        let cite = || vec![Cite::new(trail, iteration)];
        if let Some(claimed) = &iteration.claimed {
            found.claims.count(claimed.given().is_some());
            if let Claimed::Unfit { faults } = claimed {
                let text = format!("the claim can't be used: {}", faults.join("; "));
                remarks.push(Remark { text: short(&text, MOST), cites: cite() });
            }
        }
        if let Some(examined) = &iteration.examined {
            for reproduced in &examined.reproduced {
                found.reproduced.count(reproduced.agrees());
            }
            if iteration.is_accepted() {
                found.shown_by += examined.shown_by.len() as u64;
            }
        }
        let Some(claim) = iteration.claimed.as_ref().and_then(Claimed::given) else { continue };
        match &claim.stand {
            Stand::Done => {}
            Stand::Partly { deferred, because, .. } => {
                let text = format!("left out {}: {because}", deferred.join(", "));
                honest.push(Remark { text: short(&text, MOST), cites: cite() });
            }
            Stand::Blocked { because, kind } => {
                let text = format!("said that {}: {because}", kind.words());
                honest.push(Remark { text: short(&text, MOST), cites: cite() });
                continue;
            }
        }
        let audited = iteration.examined.as_ref().and_then(|examined| examined.audit.clone());
        let audited = audited.unwrap_or_else(|| audit(claim, trail.criteria()));
        found.take(trail, &audited);
        remarks.extend(
            audited
                .remarks
                .iter()
                .map(|remark| Remark { text: short(remark, MOST), cites: cite() }),
        );
    }
    Process { remarks: Kept::of(remarks), honest: Kept::of(honest), ..found }
}

impl Process {
    fn take(&mut self, trail: &Trail, audited: &Audit) {
        let criteria: Vec<&String> = match trail.criteria() {
            [] => audited.red.union(&audited.green).collect(),
            named => named.iter().collect(),
        };
        for criterion in criteria {
            self.red.count(audited.red.contains(criterion));
            self.green.count(audited.green.contains(criterion));
        }
        let has_criteria = !trail.criteria().is_empty() || !audited.red.is_empty();
        self.test_first.count(audited.is_test_first && has_criteria);
        self.e2e.count(audited.has_e2e);
    }
}
