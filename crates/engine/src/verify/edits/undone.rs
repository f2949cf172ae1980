//! What the task names that was to get another name, to be moved or to go, looked up in the files.

use std::cell::OnceCell;

use countersign_domain::verify::{self, Sides, definitions};
use countersign_gaming::{Role, role};
use countersign_git::Listed;

use super::super::Work;
use super::{Files, MOST_BYTES, is_file, text};
use crate::error::Result;

/// So many files that were not changed are read for what the base defines.
const MOST_FILES: usize = 500;

/// What the task says is to be done and was not.
pub(in crate::verify) fn undone(work: &Work<'_>, files: &Files) -> Result<Vec<String>> {
    let base = work.engine.repository.list(&work.terms.base_tree)?;
    let handed = work.engine.repository.list(&work.tree)?;
    let changed: Vec<Sides> = files
        .iter()
        .map(|file| Sides {
            path: file.path.clone(),
            before: text(file.before.as_ref()),
            after: text(file.after.as_ref()),
        })
        .collect();
    let others: OnceCell<Vec<String>> = OnceCell::new();
    let elsewhere = |name: &str| {
        // What can't be read is not known.
        let others = others.get_or_init(|| unchanged(work, files, &base).unwrap_or_default());
        others.iter().any(|text| definitions(text, name) > 0)
    };
    let was: Vec<&str> = base.iter().filter_map(|one| one.path.to_str()).collect();
    let is: Vec<&str> = handed.iter().filter_map(|one| one.path.to_str()).collect();
    let known = verify::Files { base: &was, handed: &is, changed: &changed, elsewhere: &elsewhere };
    Ok(verify::undone(work.terms.heeded(), &known))
}

/// The texts of the base's code that was not changed.
fn unchanged(work: &Work<'_>, files: &Files, base: &[Listed]) -> Result<Vec<String>> {
    let code = base.iter().filter(|one| is_file(&one.side) && files.file(&one.path).is_none());
    let code = code.filter(|one| {
        let path = one.path.to_str();
        path.is_some_and(|path| matches!(role(path), Role::Product | Role::Test))
    });
    let objects: Vec<_> = code.take(MOST_FILES).map(|one| &one.side.object).collect();
    let sizes = work.engine.repository.sizes(&objects)?;
    let is_small = |size: &Option<u64>| size.is_some_and(|size| size <= MOST_BYTES >> 4);
    let small = objects.into_iter().zip(sizes).filter(|(_, size)| is_small(size));
    let objects: Vec<_> = small.map(|(object, _)| object).collect();
    let contents = work.engine.repository.contents(&objects)?;
    let texts = contents.into_iter().flatten();
    Ok(texts.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).collect())
}
