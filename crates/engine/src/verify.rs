//! Verification of work that is already there: any agent's or person's changes against a base,
//! without any preparation.
//!
//! The working tree is recorded once; everything after that looks at recorded trees only, each
//! check in a fresh checkout of its own. What is run is found in the base, which the work could not
//! change. The receipts and the verdict are on the record before anybody hears of them.

mod allowed;
mod borrow;
mod caches;
mod edits;
mod examples;
mod grounds;
mod journal;
mod open;
mod scripts;
mod suite;
mod surroundings;

use std::path::PathBuf;

use countersign_domain::classify::Overrides;
use countersign_domain::gaming::Judged;
use countersign_domain::verify::{
    Answered, Checked, Evidence, Example, Ground, Judgement, Terms, TestEdits, judge,
};
use countersign_domain::{Digest, ObjectId, Stamp};
use serde::Serialize;

use crate::Engine;
use crate::error::{Error, Result};

/// What somebody wants verified.
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// What was to be done, in words.
    pub task: String,
    /// What the work began with; without, the last commit, or where this branch left its trunk.
    pub base: Option<String>,
    /// Shell commands; without, what the base's files say.
    pub checks: Vec<String>,
    pub examples: Vec<Example>,
    /// What the user knows better than the words say.
    pub said: Overrides,
    /// How long one command may take.
    pub seconds: Option<u64>,
}

/// A verification that came to its end.
#[derive(Debug, Clone, Serialize)]
pub struct Verification {
    pub id: Stamp,
    pub terms: Terms,
    pub contract: Digest,
    /// What was handed over.
    pub tree: ObjectId,
    /// The changed paths, in order.
    pub changed: Vec<String>,
    pub judgement: Judgement,
    /// What reading the change found.
    pub findings: Vec<Judged>,
    pub checks: Vec<Checked>,
    pub examples: Vec<Answered>,
    pub edits: TestEdits,
    /// Folders that are not in the tree and were taken from the working tree, such as
    /// `node_modules`.
    pub borrowed: Vec<String>,
    /// How checks were confined, in words.
    pub sandbox: String,
}

/// What a watcher is told while it goes on.
#[derive(Debug)]
pub enum Moment<'a> {
    Opened { terms: &'a Terms, changed: usize },
    Running { command: &'a str, ground: Ground },
}

/// One verification at work.
struct Work<'e> {
    engine: &'e mut Engine,
    id: Stamp,
    terms: Terms,
    contract: Digest,
    tree: ObjectId,
    /// Everything of ours lies here, and is removed at the end.
    folder: PathBuf,
    seconds: u64,
    sequence: u64,
    walls: surroundings::Walls,
}

impl Engine {
    /// Verifies the working tree as it is.
    pub fn verify_work(
        &mut self,
        request: &Request,
        watch: &mut dyn FnMut(&Moment<'_>),
    ) -> Result<Verification> {
        let opened = self.open_verification(request)?;
        let folder = opened.work_folder.clone();
        let done = self.carry_out(request, opened, watch);
        // What ran may have left anything there; the record is elsewhere.
        clear(&folder);
        done
    }

    fn carry_out(
        &mut self,
        request: &Request,
        opened: open::Opened,
        watch: &mut dyn FnMut(&Moment<'_>),
    ) -> Result<Verification> {
        let open::Opened { id, terms, tree, changes, project_notes, work_folder } = opened;
        watch(&Moment::Opened { terms: &terms, changed: changes.len() });
        let seconds = request.seconds.unwrap_or(self.settings.config.run.check_seconds);
        let contract = terms.hash();
        let walls = surroundings::Walls::find(self);
        let mut work = Work {
            engine: self,
            id,
            terms,
            contract,
            tree,
            folder: work_folder,
            seconds,
            sequence: 0,
            walls,
        };
        work.record_opening()?;
        let files = edits::Files::read(work.engine, &changes)?;
        let allows = allowed::allows(&work)?;
        let borrowed = borrow::candidates(&work)?;
        let tests = edits::unchanged_tests(work.engine, &work.tree, &files)?;
        let findings = edits::findings(&files, (&work.terms.task, &tests), &borrowed, &allows);
        let (mut edits, roles) = edits::edits(&files);
        edits::discount(&mut edits, &findings);
        let grounds = grounds::make(&work, &changes, (&files, &tests))?;
        let mut checks = Vec::new();
        for number in 0..work.terms.checks.len() {
            checks.push(suite::check(&mut work, number, (&grounds, &borrowed), watch)?);
        }
        let examples = examples::ask(&mut work, &borrowed, watch)?;
        let evidence = Evidence {
            task: &work.terms.task,
            aim: work.terms.aim,
            contract: work.terms.contract,
            tier: work.terms.tier,
            changed: changes.len(),
            code: roles.code,
            product: roles.product,
            touched: roles.touched,
            checks: &checks,
            examples: &examples,
            findings: &findings,
            edits: &edits,
        };
        let mut judgement = judge(&evidence);
        judgement.reasons.extend(project_notes);
        work.record_judgement(&judgement, &findings)?;
        let sandbox = work.walls.words();
        Ok(Verification {
            id: work.id,
            contract: work.contract,
            tree: work.tree.clone(),
            changed: changes.iter().map(|one| one.path.to_string_lossy().into_owned()).collect(),
            terms: work.terms.clone(),
            judgement,
            findings,
            checks,
            examples,
            edits,
            borrowed: borrowed.iter().map(|one| one.path.clone()).collect(),
            sandbox,
        })
    }
}

/// Removes what a verification left; what can't be removed is swept with the cache one day.
fn clear(folder: &std::path::Path) {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    for entry in entries {
        if countersign_git::discard(&entry.path()).is_err() {
            let _ = std::fs::remove_dir_all(entry.path());
            let _ = std::fs::remove_file(entry.path());
        }
    }
    let _ = std::fs::remove_dir(folder);
}

impl Work<'_> {
    fn scratch(&self) -> PathBuf {
        self.folder.join("scratch")
    }

    fn content(&self, object: &ObjectId) -> Result<Vec<u8>> {
        self.engine.repository.content(object).map_err(Error::from)
    }
}
