//! Going on from a relay that was blocked: what landed there stays landed, the rest is tried again.

use countersign_domain::plan::Plan;
use countersign_domain::relay::{Continued, Relay, RelayOutcome, Standing, StoryTerms};

use super::{RelayRequest, Undertaking, open};
use crate::Engine;
use crate::error::{Error, Kind, Result};
use crate::plan::PlanFiles;

/// That a relay is gone on from with the plan that it is about.
fn expect_same_plan(before: &Relay, plan: &Plan) -> Result<()> {
    let (id, slug) = (before.id(), &before.opened.slug);
    if slug == plan.slug.as_str() {
        return Ok(());
    }
    Err(Error::new(Kind::Refused, format!("relay {id} is about the plan {slug}"))
        .hint(format!("countersign run --plan {slug} --continue {id}")))
}

/// What is another in a plan than when its relay was opened, in words; nothing if it is the same.
fn changes(before: &Relay, plan: &Plan) -> Result<Vec<String>> {
    if plan.hash() == before.opened.plan {
        return Ok(Vec::new());
    }
    let (was, now) = (&before.opened.stories, open::stories(plan)?);
    let mut found = Vec::new();
    for terms in &now {
        match before.terms(&terms.id) {
            None => found.push(format!("{} is new", terms.id)),
            Some(known) if known != terms => found.push(format!("{} is another", terms.id)),
            Some(_) => {}
        }
    }
    let is_gone = |terms: &&StoryTerms| !now.iter().any(|one| one.id == terms.id);
    found.extend(was.iter().filter(is_gone).map(|terms| format!("{} is gone", terms.id)));
    if found.is_empty() {
        found.push("its stories are the same, what is said of all of them is not".to_owned());
    }
    Ok(found)
}

impl Engine {
    /// How the plan of the relay that is to be gone on from differs from what it was there, in words;
    /// nothing if it does not. Who worked meanwhile may have edited it.
    pub fn changed_plan(&self, request: &RelayRequest) -> Result<Option<String>> {
        let Some(text) = request.continues.as_deref() else { return Ok(None) };
        let before = self.blocked_relay(text, request)?;
        let named = before.opened.slug.as_str();
        let files = self.plan(if request.plan.is_empty() { named } else { &request.plan })?;
        expect_same_plan(&before, &files.plan)?;
        self.changes_told(&before, &files)
    }

    fn changes_told(&self, before: &Relay, files: &PlanFiles) -> Result<Option<String>> {
        let changes = changes(before, &files.plan)?;
        if changes.is_empty() {
            return Ok(None);
        }
        let (slug, id) = (&before.opened.slug, before.id());
        let uncommitted = match &self.uncommitted(files)?[..] {
            [] => "its files are committed".to_owned(),
            paths => format!("not committed: {}", paths.join(", ")),
        };
        let changes = changes.join(", ");
        Ok(Some(format!(
            "the plan {slug} is not what it was in relay {id}: {changes}; {uncommitted}"
        )))
    }

    /// The files of a plan that are other than in the last commit.
    fn uncommitted(&self, files: &PlanFiles) -> Result<Vec<String>> {
        let Some(head) = self.repository.head()? else { return Ok(Vec::new()) };
        let listed = self.repository.list(&head.tree)?;
        let mut found = Vec::new();
        for path in [&files.prd, &files.spec] {
            let known = listed.iter().find(|one| one.path.as_os_str() == path.as_str());
            let known = known.map(|one| self.repository.content(&one.side.object)).transpose()?;
            if known != std::fs::read(self.repository.layout().worktree.join(path)).ok() {
                found.push(path.clone());
            }
        }
        Ok(found)
    }

    /// That a plan which was changed since is gone on with only if a person wants that.
    pub(super) fn expect_known_plan(
        &self,
        before: &Relay,
        files: &PlanFiles,
        request: &RelayRequest,
    ) -> Result<()> {
        expect_same_plan(before, &files.plan)?;
        let Some(words) = self.changes_told(before, files)? else { return Ok(()) };
        if request.takes_changed_plan {
            return self.expect_a_person();
        }
        let id = before.id();
        Err(Error::new(Kind::Human, words).hint(format!(
            "read what changed; if it is what you want: countersign run --continue {id} --changed-plan"
        )))
    }

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
