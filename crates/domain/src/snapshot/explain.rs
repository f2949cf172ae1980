//! From what was recorded and what was found to what happened.
//!
//! What was done to the tree as a whole is named first; the files that follow from it are marked,
//! so that the ones that do not follow stand out.

mod moved;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashMap, HashSet};

use super::drift::{Drift, FileDrift, Kind, Moved, Note, SettingDrift};
use super::found::{FileChange, Found, How, Step};
use super::path_text::PathText;
use super::recorded::{Recorded, Setting, State};
use super::text::Difference;

/// What became of `recorded`, as far as `found` tells.
pub fn explain(recorded: &Recorded, found: &Found) -> Drift {
    let moved = moved::moved(recorded, found);
    // What is gone from where something was moved to its new place, which tells both.
    let sources: HashSet<&PathText> =
        found.changes.iter().filter_map(|change| change.from.as_ref()).collect();
    let is_source = |change: &&FileChange| {
        change.after.is_none() && change.from.is_none() && sources.contains(&change.path)
    };
    let gone = found.changes.iter().filter(is_source);
    let gone: HashMap<&PathText, &FileChange> = gone.map(|gone| (&gone.path, gone)).collect();
    let told = found.changes.iter().filter(|change| !is_source(change));
    let files = told.map(|change| file(change, &gone, moved.as_ref())).collect();
    Drift {
        settings: settings(&recorded.settings, &found.settings),
        notes: notes(recorded, found, moved.as_ref()),
        moved,
        files,
    }
}

fn file(
    change: &FileChange,
    gone: &HashMap<&PathText, &FileChange>,
    moved: Option<&Moved>,
) -> FileDrift {
    let gone = change.from.as_ref().and_then(|from| gone.get(from));
    let before = change.before.clone().or_else(|| gone.and_then(|gone| gone.before.clone()));
    FileDrift {
        path: change.path.clone(),
        kind: kind(change, moved),
        before,
        after: change.after.clone(),
        follows: follows(change, moved) && gone.is_none_or(|gone| follows(gone, moved)),
    }
}

/// Whether what was done to the whole tree explains this file as well.
fn follows(change: &FileChange, moved: Option<&Moved>) -> bool {
    match moved {
        None => false,
        Some(Moved::Stashed { .. }) => change.as_head && change.in_stash,
        Some(_) => change.as_head,
    }
}

fn kind(change: &FileChange, moved: Option<&Moved>) -> Kind {
    use State::{File, Ignored, Link, Repository, Unreadable};
    if let Some(from) = &change.from {
        return Kind::Renamed { from: from.clone() };
    }
    // Where the commit is the same, its content coming back is no edit.
    let is_restored = change.as_head && !moved.is_some_and(Moved::is_of_head);
    match (&change.before, &change.after) {
        (None, Some(Repository { .. })) => Kind::RepositoryAdded,
        (Some(Repository { .. }), None) => Kind::RepositoryRemoved,
        (Some(Repository { .. }), Some(Repository { .. })) => Kind::RepositoryMoved,
        (None, _) => Kind::Added,
        (_, None) => Kind::Removed,
        (Some(File { .. }), Some(File { .. })) => match change.difference {
            Difference::None => Kind::Chmod,
            Difference::LineEndings => Kind::LineEndings,
            Difference::Filtered => Kind::Filtered,
            Difference::Layout if !is_restored => Kind::Layout,
            _ if is_restored => Kind::Restored,
            _ => Kind::Edited,
        },
        (Some(Link { .. }), Some(Link { .. })) if is_restored => Kind::Restored,
        (Some(Ignored { digest: a, .. }), Some(Ignored { digest: b, .. })) if a == b => Kind::Chmod,
        (Some(Link { .. }), Some(Link { .. })) | (Some(Ignored { .. }), Some(Ignored { .. })) => {
            Kind::Edited
        }
        (Some(File { .. }), Some(Unreadable { .. })) => Kind::Chmod,
        _ => Kind::Retyped,
    }
}

fn settings(before: &[Setting], after: &[Setting]) -> Vec<SettingDrift> {
    let mut all: BTreeMap<&PathText, (Option<&Setting>, Option<&Setting>)> = BTreeMap::new();
    for setting in before {
        all.entry(&setting.name).or_default().0 = Some(setting);
    }
    for setting in after {
        all.entry(&setting.name).or_default().1 = Some(setting);
    }
    let digest = |setting: Option<&Setting>| setting.map(|setting| setting.digest);
    let said =
        |setting: Option<&Setting>| setting.map_or_else(Vec::new, |known| known.said.clone());
    all.into_iter()
        .filter(|(_, (before, after))| digest(*before) != digest(*after))
        .map(|(name, (before, after))| SettingDrift {
            name: name.clone(),
            before: digest(before),
            after: digest(after),
            was: said(before),
            is: said(after),
        })
        .collect()
}

fn notes(recorded: &Recorded, found: &Found, moved: Option<&Moved>) -> Vec<Note> {
    let (before, after) = (&recorded.position, &found.position);
    let mut notes = Vec::new();
    match found.how {
        How::Cached | How::Thorough => {}
        How::CacheLost { beside_same: true } => notes.push(Note::CacheLost),
        How::CacheLost { beside_same: false } => notes.push(Note::BesideChanged),
        How::TreeLost => notes.push(Note::TreeLost),
    }
    if before.branch != after.branch && !matches!(moved, Some(Moved::Switched { .. })) {
        let (from, to) = (before.branch.clone(), after.branch.clone());
        notes.push(Note::BranchChanged { from, to });
    }
    if before.stash != after.stash && !matches!(moved, Some(Moved::Stashed { .. })) {
        let (from, to) = (before.stash.clone(), after.stash.clone());
        notes.push(Note::StashChanged { from, to });
    }
    if before.operation != after.operation {
        notes.extend(before.operation.map(|operation| Note::OperationEnded { operation }));
        notes.extend(after.operation.map(|operation| Note::OperationBegan { operation }));
    }
    let is_move = |step: &&Step| step.from.as_ref().is_some_and(|from| *from != step.to);
    let times = found.trail.steps.iter().filter(is_move).count() as u64;
    if before.head == after.head && times > 0 {
        notes.push(Note::WentAndCameBack { times });
    }
    if let Some(head) = before.head.as_ref().filter(|_| found.trail.lost) {
        notes.push(Note::HeadLost { head: head.clone() });
    }
    if recorded.rules != found.rules {
        notes.push(Note::RulesChanged);
    }
    for beyond in found.beyond.iter().chain(&recorded.beyond) {
        let note = Note::Beyond { path: beyond.path.clone(), why: beyond.why };
        if !notes.contains(&note) {
            notes.push(note);
        }
    }
    notes
}
