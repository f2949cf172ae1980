//! How comparisons of working trees look: drift, what undoes it, differences.

use countersign_domain::context::step_words;
use countersign_domain::snapshot::Drift;
use countersign_engine::context::{ContextDiff, Verification};
use countersign_engine::{Error, Kind};

use super::{MOST, checked, more};
use crate::ui::{self, Reply};

pub fn verified(verified: &Verification) -> Result<Reply, Error> {
    let mut text = String::new();
    let mut problem = None;
    if let Some(role) = &verified.at_work {
        let what = if verified.so_far.is_empty() { "nothing" } else { "this" };
        text.push_str(&format!("{role} is at work, and has changed {what} up to now\n"));
        for line in &verified.so_far {
            text.push_str(&format!("  {}\n", ui::printable(line)));
        }
    }
    match &verified.drift {
        None if verified.at_work.is_some() => {}
        None => text.push_str(&format!(
            "{}: the working tree is what {} left\n",
            ui::paint(ui::GOOD, "same"),
            step_words(&verified.expected)
        )),
        Some(drift) => {
            text.push_str(&format!(
                "{}: the working tree is not what {} left\n",
                ui::paint(ui::BAD, "drift"),
                step_words(&verified.expected)
            ));
            text.push_str(&drift_text(drift, &verified.attributed));
            text.push_str(&remedies(verified));
            let message =
                format!("the working tree is not what {} left", step_words(&verified.expected));
            let hint = format!(
                "undo it or keep it, and then say why: countersign context resolve-drift {} --note \
                 \"WHY\"",
                verified.task
            );
            problem = Some(Error::new(Kind::Drift, message).hint(hint));
        }
    }
    if verified.drift_budget > 0 {
        text.push_str(&format!(
            "drift is on record: nothing starts until a person has said why: countersign context \
             resolve-drift {} --note \"WHY\"\n",
            verified.task
        ));
    }
    if !verified.checked.findings.is_empty() {
        text.push_str(&format!("{}:\n", ui::paint(ui::BOLD, "last results of checks")));
        text.push_str(&checked(&verified.checked));
    }
    for note in &verified.notes {
        text.push_str(&format!("{}: {}\n", ui::paint(ui::BOLD, "note"), ui::printable(note)));
    }
    Ok(Reply::new(verified, text)?.exact(&verified.hunks_bytes).problem(problem))
}

/// What puts drift right. Commands stand alone on their lines, so that they can be copied.
fn remedies(verified: &Verification) -> String {
    let mut text = String::new();
    let all = &verified.remedies;
    if !all.is_empty() {
        let order = if all.len() == 1 { "" } else { ", in this order" };
        text.push_str(&format!("{}{order}:\n", ui::paint(ui::BOLD, "to undo it")));
    }
    for command in all.iter().take(MOST) {
        text.push_str(&format!("  {}\n", ui::printable(command)));
    }
    if all.len() > MOST {
        let left = ui::count((all.len() - MOST) as u64, "more command");
        text.push_str(&format!(
            "  and {left}; countersign context verify {} --format json has all of them\n",
            verified.task
        ));
    }
    for words in verified.by_hand.iter().take(MOST) {
        text.push_str(&format!("{}: {}\n", ui::paint(ui::BOLD, "by hand"), ui::printable(words)));
    }
    more(&mut text, verified.by_hand.len());
    text
}

pub(super) fn drift_text(drift: &Drift, attributed: &[String]) -> String {
    let mut text = String::new();
    for line in drift.lines() {
        text.push_str(&format!("  {}\n", ui::printable(&line)));
    }
    for line in attributed {
        text.push_str(&format!("  {}\n", ui::paint(ui::DIM, ui::printable(line))));
    }
    text
}

pub fn diff(diff: &ContextDiff, wants_stat: bool) -> Result<Reply, Error> {
    let mut text = String::new();
    if wants_stat {
        for file in &diff.files {
            text.push_str(&format!(
                "{:<9} {}\n",
                file.status,
                ui::printable(&file.path.to_string())
            ));
        }
        text.push_str(&format!(
            "{} changed from {} to {}, +{} -{}\n",
            ui::count(diff.files.len() as u64, "file"),
            diff.from,
            diff.to,
            diff.insertions,
            diff.deletions
        ));
    } else if diff.patch.is_empty() {
        ui::say(&format!("nothing is different between {} and {}", diff.from, diff.to));
    }
    let patch = if wants_stat { &[][..] } else { &diff.bytes };
    Ok(Reply::new(diff, text)?.exact(patch))
}
