//! LP-03: the worker of a story sees its own story and nothing of the others. The plan's files are left
//! out of its checkout and are in what is handed over all the same.

use std::path::{Path, PathBuf};

use countersign_domain::ObjectId;
use countersign_domain::run::Run;
use countersign_git::{Edit, Listed};

use crate::Engine;
use crate::error::Result;

/// The plan's files, as the base of the run has them.
fn plan_files(engine: &Engine, run: &Run) -> Result<Vec<Listed>> {
    let crew = run.opened.crew.as_ref();
    let story = crew.filter(|crew| crew.handed.is_none()).and_then(|crew| crew.story.as_ref());
    let names = story.map(|story| &story.plan_files[..]).unwrap_or_default();
    if names.is_empty() {
        return Ok(Vec::new());
    }
    let listed = engine.repository.list(&run.base().tree)?;
    let is_one = |one: &&Listed| names.iter().any(|name| one.path == Path::new(name));
    Ok(listed.iter().filter(is_one).cloned().collect())
}

/// Takes the plan out of the checkout of `tree` in which a worker will work. What an earlier attempt
/// made of it stays, since that is held against the work.
pub(super) fn leave_out(
    engine: &Engine,
    run: &Run,
    (folder, tree): (&Path, &ObjectId),
) -> Result<()> {
    let plan = plan_files(engine, run)?;
    if plan.is_empty() {
        return Ok(());
    }
    let listed = engine.repository.list(tree)?;
    let is_there = |one: &&Listed| listed.iter().any(|other| other == *one);
    let paths: Vec<PathBuf> = plan.iter().filter(is_there).map(|one| one.path.clone()).collect();
    Ok(engine.repository.leave_out(folder, &paths)?)
}

/// What was handed over, with the plan as it was where the worker left none. One that it wrote stays and
/// is a change like any other.
pub(super) fn put_back(
    engine: &Engine,
    run: &Run,
    (tree, scratch): (ObjectId, &Path),
) -> Result<ObjectId> {
    let plan = plan_files(engine, run)?;
    if plan.is_empty() {
        return Ok(tree);
    }
    let listed = engine.repository.list(&tree)?;
    let is_free = |one: &&Listed| {
        let meets =
            |other: &Listed| other.path.starts_with(&one.path) || one.path.starts_with(&other.path);
        !listed.iter().any(meets)
    };
    let back = |one: &Listed| Edit { path: one.path.clone(), to: Some(one.side.clone()) };
    let edits: Vec<Edit> = plan.iter().filter(is_free).map(back).collect();
    Ok(engine.repository.compose(&tree, &edits, scratch)?)
}
