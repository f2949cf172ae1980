//! Putting accepted stories on top of each other. One that was worked on while others landed is put
//! together with them and verified again: what holds alone may not hold together.

use countersign_domain::classify::Overrides;
use countersign_domain::relay::{Relay, RelayEvent};
use countersign_domain::run::Outcome;
use countersign_domain::verify::Weight;
use countersign_domain::{ObjectId, Stamp};
use countersign_git::{Identity, Merged, NewCommit};

use super::{legs, looked};
use crate::Engine;
use crate::error::{Error, Kind, Result};
use crate::run::commit_message;
use crate::verify::Request;

pub(super) fn land(
    engine: &mut Engine,
    relay: &Relay,
    story: &str,
    run: Stamp,
) -> Result<RelayEvent> {
    let story = story.to_owned();
    let loaded = engine.load(run)?;
    let Some(Outcome::Accepted { tree, commit, .. }) = loaded.outcome().cloned() else {
        return Err(Error::new(Kind::Bug, format!("run {run} was not accepted")));
    };
    if loaded.base().commit == relay.tip {
        keep(engine, relay, &story, &commit)?;
        return Ok(RelayEvent::Landed { story, run, commit, tree, verification: None });
    }
    let base = &loaded.base().commit;
    let merged = match engine.repository.merge_trees(base, &relay.tip, &commit)? {
        Merged::Tree(tree) => tree,
        Merged::Conflicts(conflicts) => {
            let reasons = conflicts
                .iter()
                .map(|one| format!("{} was changed by another story meanwhile", one.path.display()))
                .collect();
            return Ok(RelayEvent::Collided { story, run, reasons });
        }
    };
    let risk = relay.terms(&story).and_then(|terms| legs::risk_of(&terms.risk));
    let request = Request {
        task: relay.terms(&story).map_or_else(String::new, |terms| terms.task.clone()),
        base: Some(relay.tip.to_string()),
        tree: Some(merged.clone()),
        checks: loaded.opened.contract.checks.iter().map(|check| check.command.clone()).collect(),
        examples: loaded.opened.crew.as_ref().map_or_else(Vec::new, |crew| crew.examples.clone()),
        agent: Some(loaded.opened.worker.clone()),
        said: Overrides { risk, ..Overrides::default() },
        seconds: Some(relay.opened.limits.check_seconds),
        own_seconds: loaded.opened.contract.own_seconds(),
        ..Request::default()
    };
    let verification = engine.verify_work(&request, &mut |_| {})?;
    if !looked::holds(engine, &loaded, &merged, &verification.judgement)? {
        let judgement = &verification.judgement;
        let against = judgement.reasons.iter().filter(|reason| reason.weight > Weight::Note);
        let mut reasons: Vec<String> = against.map(|reason| reason.text.clone()).collect();
        reasons.insert(0, "together with what landed meanwhile it does not hold".to_owned());
        return Ok(RelayEvent::Collided { story, run, reasons });
    }
    let commit = engine.repository.commit(&NewCommit {
        tree: &merged,
        parents: std::slice::from_ref(&relay.tip),
        message: &commit_message(&loaded),
        time_seconds: run.unix_seconds(),
        author: Identity::COUNTERSIGN,
        committer: Identity::COUNTERSIGN,
    })?;
    keep(engine, relay, &story, &commit)?;
    let verification = Some(verification.id);
    Ok(RelayEvent::Landed { story, run, commit, tree: merged, verification })
}

/// Keeps a commit that no branch has yet.
fn keep(engine: &Engine, relay: &Relay, story: &str, commit: &ObjectId) -> Result<()> {
    let name = format!("relays/{}/{story}-{}", relay.id(), relay.runs.len());
    match engine.repository.keep(&name, commit) {
        // Whoever was killed after it kept the same.
        Err(countersign_git::Error::Moved { .. }) => {
            Ok(engine.repository.keep(&format!("{name}-{}", commit.short()), commit)?)
        }
        kept => Ok(kept?),
    }
}
