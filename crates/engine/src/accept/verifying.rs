//! Work and branch together, where that makes files that nobody has verified yet.

use countersign_domain::ObjectId;
use countersign_domain::acceptance::{AcceptanceEvent, Looked, Standing};
use countersign_domain::verify::{Answer, Verdict};
use countersign_git::Head;

use super::work::Work;
use super::{Acceptance, Grounds, Wish};
use crate::Engine;
use crate::error::Result;
use crate::verify::{Moment, Request, Reviewing};

impl Engine {
    /// Verifies work and branch together, unless a person has said what to think of these very files.
    pub(super) fn verify_together(
        &mut self,
        wish: &Wish,
        (work, standing): (&Work, &mut Standing),
        (head, tree): (&Head, &ObjectId),
        watch: &mut dyn FnMut(&Moment<'_>),
    ) -> Result<std::result::Result<Grounds, Acceptance>> {
        if let Some(known) = standing.verification(&head.commit, tree)
            && let Some(said) = self.said_of(known)?.filter(|said| said.is_accepted)
        {
            let looked = Some(Looked { by: said.by, why: said.note });
            return Ok(Ok(Grounds { verification: Some(known), looked }));
        }
        let request = Request {
            task: work.goal.clone(),
            base: Some(head.commit.to_string()),
            tree: Some(tree.clone()),
            checks: work.checks.clone(),
            examples: work.examples.clone(),
            said: work.said,
            agent: Some("acceptance".to_owned()),
            seconds: Some(work.check_seconds),
            own_seconds: work.own_seconds(),
            ..Request::default()
        };
        let verification = Box::new(self.verify_work(&request, watch)?);
        let (id, verdict) = (verification.id, verification.judgement.verdict);
        let (head, tree) = (head.commit.clone(), tree.clone());
        let event = AcceptanceEvent::Verified { head, tree, verification: id, verdict };
        self.record_acceptance(work, standing, event)?;
        let looked = match (verdict, &wish.looked) {
            (Verdict::Accepted, _) => None,
            (Verdict::Refused, _) => return Ok(Err(Acceptance::Refused { verification })),
            (Verdict::Human | Verdict::Advisory, None) => {
                return Ok(Err(Acceptance::Human { verification }));
            }
            (Verdict::Human | Verdict::Advisory, Some(why)) => {
                let (by, note) = (wish.by.clone(), why.clone());
                let said = Reviewing { answer: Answer::Accepted, by: by.clone(), note };
                self.answer_review(id, &said)?;
                Some(Looked { by, why: why.clone() })
            }
        };
        Ok(Ok(Grounds { verification: Some(id), looked }))
    }
}
