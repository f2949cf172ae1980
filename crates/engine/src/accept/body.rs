//! What a pull request says about countersigned work. Reads the record and changes nothing.

use countersign_domain::acceptance::{Leg, Told, pull_request};
use countersign_domain::agent::Usage;
use countersign_domain::ledger::Stored as _;
use countersign_domain::relay::{Relay, RelayEvent, Standing};
use countersign_domain::run::Run;
use countersign_domain::secret::Scanner;
use countersign_domain::verify::VerifyEvent;
use countersign_domain::{ObjectId, Stamp};

use super::work::{Extent, Of, Work};
use crate::Engine;
use crate::error::Result;
use crate::relay::Undertaking;

/// A loaded run, the story that it was for, and the verification that it landed by.
type Loaded = (Run, Option<String>, Option<Stamp>);

impl Engine {
    /// Markdown for a pull request with the work of a run or a relay.
    pub fn pull_request(&self, undertaking: Undertaking, extent: Extent) -> Result<String> {
        let work = self.accepted_work(undertaking, extent)?;
        let (loaded, used, runs) = match &work.of {
            Of::Run(run) => (vec![((**run).clone(), None, None)], run.used, 1),
            Of::Relay(relay) => self.loaded(relay)?,
        };
        let text = pull_request(&self.told(&work, &loaded, (used, runs))?);
        // What agents said is in it.
        Ok(Scanner::builtin().redact(&text).into_owned())
    }

    fn told<'a>(
        &self,
        work: &'a Work,
        loaded: &'a [Loaded],
        (used, runs): (Usage, usize),
    ) -> Result<Told<'a>> {
        let mut legs = Vec::new();
        for (run, story, landed_by) in loaded {
            let story = match &work.of {
                Of::Relay(relay) => story.as_deref().and_then(|story| relay.terms(story)),
                Of::Run(_) => None,
            };
            legs.push(Leg { run, story, allowed: self.allowed_in(run)?, landed_by: *landed_by });
        }
        let (base, commit): (&ObjectId, &ObjectId) = (&work.base, &work.commit);
        let (goal, branch) = (work.goal.as_str(), work.branch.as_str());
        let missing = &work.missing[..];
        Ok(Told { id: work.id, goal, base, commit, branch, legs, used, runs, missing })
    }

    /// The runs of what landed and of all together, what all runs used, and how many there were.
    fn loaded(&self, relay: &Relay) -> Result<(Vec<Loaded>, Usage, usize)> {
        let mut used = Usage::default();
        for (_, run) in &relay.runs {
            used = used + self.load(*run)?.used;
        }
        let mut verified = std::collections::BTreeMap::new();
        // What landed may have landed in a relay before this one.
        let mut next = Some(relay.id());
        while let Some(id) = next.take() {
            for entry in self.relay_journal(id)? {
                match entry.event {
                    Some(RelayEvent::Opened(opened)) => {
                        next = opened.continues.map(|before| before.relay);
                    }
                    Some(RelayEvent::Landed { run, verification: Some(id), .. }) => {
                        verified.insert(run, id);
                    }
                    _ => {}
                }
            }
        }
        let mut loaded = Vec::new();
        for terms in &relay.opened.stories {
            if let Some(Standing::Landed { run, .. }) = relay.stories.get(&terms.id) {
                let by = verified.get(run).copied();
                loaded.push((self.load(*run)?, Some(terms.id.clone()), by));
            }
        }
        if let Some(Standing::Accepted { run, .. } | Standing::Landed { run, .. }) = &relay.release
        {
            loaded.push((self.load(*run)?, None, None));
        }
        Ok((loaded, used, relay.runs.len()))
    }

    /// What reading the change found and a person had allowed, with the reason.
    fn allowed_in(&self, run: &Run) -> Result<Vec<String>> {
        let Some(examined) = &run.examined else { return Ok(Vec::new()) };
        let mut allowed = Vec::new();
        for event in self.verification_events(examined.verification)? {
            let Some(body) = &event.body else { continue };
            if let VerifyEvent::Judged { findings, .. } = VerifyEvent::decode(&event.kind, body)? {
                for judged in findings {
                    if let Some(reason) = judged.allowed {
                        let (rule, message) = (judged.finding.rule, judged.finding.message);
                        allowed.push(format!(
                            "{message} ({rule}): the project's settings allow it: {reason}"
                        ));
                    }
                }
            }
        }
        Ok(allowed)
    }
}
