//! What a run printed that did not end well, and whether a module that it did not find is one that
//! could be installed.

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use countersign_domain::receipt::Receipt;
use countersign_domain::verify::{Ground, Said};
use countersign_git::Listed;

use super::super::Work;
use super::has_all;
use crate::error::Result;

/// What the run of `receipt` said, where a verdict may need it.
pub(super) fn said(work: &Work<'_>, ground: Ground, receipt: &Receipt) -> Result<Option<Said>> {
    // Of the old code with the new tests it matters why a command failed that names no tests.
    if receipt.passed() || !has_all(ground) && ground != Ground::Red {
        return Ok(None);
    }
    let bytes = work.engine.store.blobs().read(&receipt.execution.output.blob)?;
    let text = String::from_utf8_lossy(&bytes);
    let repository = &work.engine.repository;
    // Few outputs name a module.
    let listed = OnceCell::new();
    let is_to_come = |name: &str| {
        let (base, handed) = listed.get_or_init(|| {
            let of = |tree| repository.list(tree).unwrap_or_default();
            (of(&work.terms.base_tree), of(&work.tree))
        });
        let worktree = &repository.layout().worktree;
        is_to_come(name, (base, handed)) && !is_made(name, handed, worktree)
    };
    Ok(Some(Said::of(&text, &is_to_come)))
}

/// Whether a module is one of the project's own that the base does not have: `shop.cart` where there is
/// a folder `shop`.
fn is_to_come(name: &str, (base, handed): (&[Listed], &[Listed])) -> bool {
    let parts: Vec<&str> = name.split(['.', '/']).filter(|part| !part.is_empty()).collect();
    let Some(top) = parts.first() else { return false };
    let has = |listed: &[Listed], parts: &[&str]| listed.iter().any(|one| holds(&one.path, parts));
    let is_own = has(base, &[top]) || has(handed, &[top]);
    is_own && !has(base, &parts)
}

/// Whether a module that no tree has lies in the working tree all the same: what installs the project
/// made it, such as the file with its version, and git ignores it.
fn is_made(name: &str, handed: &[Listed], worktree: &Path) -> bool {
    let parts: Vec<&str> = name.split('.').filter(|part| !part.is_empty()).collect();
    let [top, rest @ ..] = &parts[..] else { return false };
    if rest.is_empty() || handed.iter().any(|one| holds(&one.path, &parts)) {
        return false;
    }
    let folders: BTreeSet<PathBuf> = handed
        .iter()
        .flat_map(|one| one.path.ancestors().skip(1))
        .filter(|folder| folder.file_name().is_some_and(|name| name == *top))
        .map(Path::to_owned)
        .collect();
    folders.iter().any(|folder| {
        let module = rest.iter().fold(worktree.join(folder), |path, part| path.join(part));
        module.with_extension("py").is_file() || module.join("__init__.py").is_file()
    })
}

/// Whether `path` is, or lies in, the module of these names, wherever modules begin.
fn holds(path: &Path, parts: &[&str]) -> bool {
    let names: Vec<&str> = path.iter().filter_map(|name| name.to_str()).collect();
    let last = names.len().saturating_sub(1);
    names.windows(parts.len()).enumerate().any(|(at, found)| {
        let mut pairs = found.iter().zip(parts).enumerate();
        pairs.all(|(index, (name, part))| {
            let stem = name.split('.').next().unwrap_or(name);
            name == part || at + index == last && stem == *part
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// VC-08: a module is looked for wherever the project's modules may begin.
    #[test]
    fn modules_of_the_project() {
        let check = |path: &str, name: &[&str], is: bool| {
            assert_eq!(holds(Path::new(path), name), is, "{path} {name:?}");
        };
        check("src/calc/__init__.py", &["calc"], true);
        check("calc.py", &["calc"], true);
        check("src/calc/add.py", &["calc", "add"], true);
        check("src/calc/add.py", &["calc", "sub"], false);
        check("docs/calc.py.md", &["add"], false);
        check("calc", &["calc", "add"], false);
    }
}
