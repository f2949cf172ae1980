//! What people took in the runs of stories, for where their work is judged again: as it lands, and with all
//! other stories. Nobody is asked twice about the same finding in the same files.

use countersign_domain::ObjectId;
use countersign_domain::relay::{Relay, Standing};
use countersign_domain::run::{Looked, Run};
use countersign_domain::verify::{Judgement, Verdict, Weight};

use crate::Engine;
use crate::error::Result;
use crate::query::stream_of;

/// What was taken in the stories that landed and is about all of them as well: findings of gaming. What else
/// is asked about may be said of each story in the same words, and is news of each.
pub(super) fn at(engine: &Engine, relay: &Relay) -> Result<Vec<Looked>> {
    let mut all: Vec<Looked> = Vec::new();
    for (story, standing) in &relay.stories {
        let Standing::Landed { run, .. } = standing else { continue };
        if engine.store.head(&stream_of(*run)?)?.is_none() {
            continue;
        }
        let run = engine.load(*run)?;
        let findings = run.examined.iter().flat_map(|examined| &examined.findings);
        let findings: Vec<&String> = findings.collect();
        for (text, by) in taken(engine, &run, &relay.tip_tree)? {
            if findings.contains(&&text) {
                all.push(Looked { text, story: story.clone(), by });
            }
        }
    }
    Ok(all)
}

/// Whether what the work of `run` came to in `tree` holds: by itself, or since a person took all of what is
/// to be looked at when it was judged alone.
pub(super) fn holds(
    engine: &Engine,
    run: &Run,
    tree: &ObjectId,
    judgement: &Judgement,
) -> Result<bool> {
    if judgement.verdict != Verdict::Human {
        return Ok(judgement.verdict == Verdict::Accepted);
    }
    let taken = taken(engine, run, tree)?;
    let mut asked = judgement.reasons.iter().filter(|reason| reason.weight > Weight::Note);
    Ok(asked.all(|reason| taken.iter().any(|(text, _)| *text == reason.text)))
}

/// What a person took in a run, and who, as far as the files that it speaks of are the same in `tree`.
fn taken(engine: &Engine, run: &Run, tree: &ObjectId) -> Result<Vec<(String, String)>> {
    let (Some((texts, by)), Some(own)) = (run.taken_findings(), &run.last_tree) else {
        return Ok(Vec::new());
    };
    let changes = engine.repository.diff(own, tree)?;
    // A finding begins with the file that it is about, if it is about one.
    let is_same = |text: &&str| {
        !changes.iter().any(|change| {
            let rest = text.strip_prefix(&*change.path.to_string_lossy());
            rest.is_some_and(|rest| rest.starts_with(':'))
        })
    };
    Ok(texts.into_iter().filter(is_same).map(|text| (text.to_owned(), by.to_owned())).collect())
}
