//! Going on from a relay that was blocked: what landed there stays landed, the rest is tried again.

use countersign_domain::plan::Plan;
use countersign_domain::relay::{Continued, Relay, RelayOutcome, Standing, StoryTerms};

use super::{RelayRequest, Undertaking};
use crate::Engine;
use crate::error::{Error, Kind, Result};

/// That a relay is gone on from with the plan that it is about.
pub(super) fn expect_same_plan(before: &Relay, plan: &Plan) -> Result<()> {
    let (id, slug) = (before.id(), &before.opened.slug);
    if slug == plan.slug.as_str() {
        return Ok(());
    }
    Err(Error::new(Kind::Refused, format!("relay {id} is about the plan {slug}"))
        .hint(format!("countersign run --plan {slug} --continue {id}")))
}

impl Engine {
    /// The relay that `text` names, if it can be gone on from.
    pub(super) fn blocked_relay(&self, text: &str, request: &RelayRequest) -> Result<Relay> {
        let Undertaking::Relay(id) = self.find_undertaking(text)? else {
            return Err(Error::new(Kind::Usage, format!("'{text}' is a run, and no relay"))
                .hint("`countersign status` lists what there is"));
        };
        let relay = self.load_relay(id)?;
        let refused =
            |message: String, hint: String| Err(Error::new(Kind::Refused, message).hint(hint));
        match &relay.outcome {
            None => {
                let hint = format!("go on with it: countersign resume {id}");
                return refused(format!("relay {id} has not ended"), hint);
            }
            Some(RelayOutcome::Complete { .. }) => {
                let hint = format!("take it over: countersign accept {id} --merge");
                return refused(format!("relay {id} is complete"), hint);
            }
            Some(RelayOutcome::Blocked { .. }) => {}
        }
        if request.base.is_some() {
            return Err(Error::new(Kind::Usage, "what is gone on with has its base already")
                .hint("leave --base out, or --continue"));
        }
        Ok(relay)
    }

    /// What the next relay takes over, with what was held against the stories that are done again.
    pub(super) fn continued(&self, before: &Relay, stories: &[StoryTerms]) -> Result<Continued> {
        let mut continued = before.to_continue(stories);
        for (story, standing) in &before.stories {
            let Standing::Refused { run, .. } = standing else { continue };
            let loaded = self.load(*run)?;
            let reasons = loaded.rulings.last().map(|ruling| &ruling.reasons[..]);
            let reasons = reasons.unwrap_or_default().iter().map(ToString::to_string);
            let reasons: Vec<String> = reasons.take(20).collect();
            if !reasons.is_empty() {
                continued.findings.insert(story.clone(), reasons);
            }
        }
        Ok(continued)
    }
}
