//! Section 9: what the record can't tell. A report that doesn't say where it is blind looks better
//! than it is.

use super::text::short;
use super::{Cite, Remark, Source};
use crate::run::Review;
use crate::verify::Level;

pub(super) fn spots(source: &Source) -> Vec<Remark> {
    let mut spots = Vec::new();
    records(source, &mut spots);
    crews(source, &mut spots);
    for (trail, iteration) in source.iterations() {
        let cites = || vec![Cite::new(trail, iteration)];
        let mut say = |text: String| spots.push(Remark { text, cites: cites() });
        if iteration.is_interrupted() {
            say("it was cut off: what it used until then was not counted".to_owned());
        }
        let used = iteration.used();
        if used.is_partial {
            say("it used more than could be counted".to_owned());
        } else if used.tokens() > 0 && used.cost.is_none() {
            say("nobody knows what it cost".to_owned());
        } else if used.is_priced_by_us {
            say("its cost is worked out from list prices".to_owned());
        }
        let receipts = &iteration.receipts;
        if receipts.iter().any(|receipt| receipt.execution.sandbox == "none") {
            say("its checks ran without a sandbox".to_owned());
        }
        let level = iteration.examined.as_ref().map(|examined| examined.level);
        let is_weak = matches!(level, Some(None | Some(Level::ExitCode)))
            || (level.is_none() && !receipts.is_empty());
        if iteration.is_accepted() && is_weak {
            say("it was accepted by exit codes alone: no tests were counted".to_owned());
        }
        if iteration.is_accepted()
            && iteration.examined.as_ref().is_some_and(|examined| examined.shown_by.is_empty())
        {
            say("no test was seen to fail before the work and to pass after it".to_owned());
        }
        for path in iteration.nested.iter().take(5) {
            say(format!("the repository '{}' inside was not handed over", short(path, 160)));
        }
        for path in iteration.unheld.iter().take(5) {
            say(format!("git can't hold '{}', so it was not handed over", short(path, 160)));
        }
        for one in iteration.outside.iter().take(20) {
            let text =
                format!("in the user's own repository, while its agents were at work: {one}");
            say(format!("{}; who did it is not known", short(&text, 400)));
        }
    }
    spots
}

/// What is not on the record any more, or not yet.
fn records(source: &Source, spots: &mut Vec<Remark>) {
    let mut say = |text: String| spots.push(Remark { text, cites: Vec::new() });
    for run in &source.lost {
        say(format!("run {run}: retention has removed its record; only hashes are left"));
    }
    for trail in &source.runs {
        if trail.gone > 0 {
            say(format!("run {}: retention has removed {} of its events", trail.run, trail.gone));
        }
        if trail.outcome.is_none() {
            say(format!("run {} has not ended: this is what is known so far", trail.run));
        }
    }
}

/// Who did not look.
fn crews(source: &Source, spots: &mut Vec<Remark>) {
    let mut say = |text: &str| spots.push(Remark { text: text.to_owned(), cites: Vec::new() });
    let crews = || source.runs.iter().map(|trail| trail.opened.crew.as_deref());
    let judges = |crew: &crate::run::Crew| crew.handed.is_some() && !crew.verifiers.is_empty();
    let is_judged_together = crews().flatten().any(judges);
    if !is_judged_together && crews().any(|crew| crew.is_none_or(|crew| crew.verifiers.is_empty()))
    {
        say(
            "no verifier read the work: whether it does what the words say was checked by commands only",
        );
    }
    if crews().any(|crew| crew.is_none()) {
        say("no claim was asked for, so the worker's way of working is not known; gaming was not \
             looked for");
    }
    let skipped = source
        .iterations()
        .filter_map(|(_, one)| one.review.as_ref())
        .any(|review| matches!(review.review, Review::Skipped { .. }) && review.attempt == 1);
    if skipped {
        say("nobody reviewed the assignment before the work");
    }
    say(
        "what workers say of their steps is their own account; only the commands that we ran again \
         are proven",
    );
    say("mutation scores are not on the record: how strong the tests are is not measured here");
}
