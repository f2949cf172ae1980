//! The product, broken on purpose, where the work is nothing but tests: nothing is red on the base then,
//! and only code that is wrong shows whether a test would say so.

use std::collections::BTreeSet;

use countersign_domain::{Digest, ObjectId};
use countersign_gaming::mutant::{self, Product, Reached, Trial, Way};
use countersign_gaming::{Role, outline};
use countersign_git::{Edit, Side};

use super::edits::Files;
use super::{Work, grounds};
use crate::error::Result;

/// So many files of the product are looked through for what tests call.
const MOST_FILES: usize = 400;

/// What can be broken, and the tests that would notice.
pub(super) struct Breakable {
    /// New tests that call something of the product, with what they call.
    trials: Vec<(Trial, Reached)>,
    /// What was done to the code, the tree, and the functions that are broken in it.
    pub trees: Vec<(Way, ObjectId, Reached)>,
}

impl Breakable {
    /// Whether a test of this bare name is new, and calls something that was broken.
    pub(super) fn has(&self, bare: &str) -> bool {
        self.trials.iter().any(|(trial, _)| trial.is_called(bare))
    }

    /// Whether such a test calls one of these functions, as far as names tell.
    pub(super) fn reaches(&self, bare: &str, functions: &Reached) -> bool {
        let mut own = self.trials.iter().filter(|(trial, _)| trial.is_called(bare));
        own.any(|(_, own)| own.meets(functions))
    }
}

/// Breaks what the new tests call, in every way that there is something to break.
pub(super) fn find(
    work: &Work<'_>,
    (files, unchanged): (&Files, &[(String, Vec<u8>)]),
) -> Result<Option<Breakable>> {
    let trials = fresh(files, unchanged);
    if trials.is_empty() {
        return Ok(None);
    }
    let repository = &work.engine.repository;
    let listed = repository.list(&work.tree)?;
    let read = grounds::read(work, &listed, (mutant::is_read, MOST_FILES))?;
    let sources: Vec<(String, &[u8])> = read
        .iter()
        .map(|(one, bytes)| (one.path.to_string_lossy().into_owned(), bytes.as_slice()))
        .collect();
    let sources: Vec<(&str, &[u8])> =
        sources.iter().map(|(path, bytes)| (path.as_str(), *bytes)).collect();
    let product = Product::of(&sources);
    let mut reached = Reached::default();
    let mut callers = Vec::new();
    for trial in trials {
        let own = product.reached(&trial);
        if !own.is_empty() {
            reached.extend(&own);
            callers.push((trial, own));
        }
    }
    let mut trees = Vec::new();
    for way in Way::ALL {
        let mut edits = Vec::new();
        let (files, hit) = product.broken(&reached, way);
        for (path, bytes) in files {
            let Some((one, _)) = read.iter().find(|(one, _)| one.path.to_str() == Some(path))
            else {
                continue;
            };
            let side = Side { mode: one.side.mode, object: repository.store(&bytes)? };
            edits.push(Edit { path: one.path.clone(), to: Some(side) });
        }
        if !edits.is_empty() {
            let tree = repository.compose(&work.tree, &edits, &work.scratch())?;
            trees.push((way, tree, hit));
        }
    }
    Ok((!trees.is_empty()).then_some(Breakable { trials: callers, trees }))
}

/// The tests of changed files that were in none of them before, whatever they were called.
fn fresh(files: &Files, unchanged: &[(String, Vec<u8>)]) -> Vec<Trial> {
    let is_code = |role: Role| matches!(role, Role::Test | Role::Product);
    let changed = || files.iter().filter(|file| is_code(file.role));
    let old: BTreeSet<Digest> = changed()
        .filter_map(|file| Some(outline(&file.path, file.before.as_deref()?)))
        .flat_map(|outline| outline.tests)
        .map(|test| test.digest)
        .collect();
    let new: Vec<(&str, &[u8])> =
        changed().filter_map(|file| Some((file.path.as_str(), file.after.as_deref()?))).collect();
    if new.is_empty() {
        return Vec::new();
    }
    let helpers = unchanged.iter().map(|(path, bytes)| (path.as_str(), bytes.as_slice()));
    let trials = mutant::trials(&new, &helpers.collect::<Vec<_>>());
    trials.into_iter().filter(|trial| !old.contains(&trial.digest)).collect()
}
