//! What lies around a change and can't be seen in it: settings of the repository that change what is
//! recorded, links that lead out of it, commits that are not compared.

use std::path::{Component, Path};

use countersign_domain::verify::{Reason, Weight};
use countersign_git::Change;

use super::Work;
use crate::error::Result;

const MODE_LINK: u32 = 0o120_000;

/// What a person has to know before the verdict counts.
pub(super) fn reasons(work: &Work<'_>, changes: &[Change]) -> Result<Vec<Reason>> {
    let mut found = links(work, changes)?;
    found.extend(filters(work)?);
    Ok(found)
}

/// Links that lead out of the tree: what is behind them was not handed over, and may be another
/// thing tomorrow.
fn links(work: &Work<'_>, changes: &[Change]) -> Result<Vec<Reason>> {
    let mut found = Vec::new();
    for change in changes {
        let Some(new) = change.new.as_ref().filter(|new| new.mode == MODE_LINK) else { continue };
        let target = work.engine.repository.content(&new.object)?;
        let target = String::from_utf8_lossy(&target);
        if leads_out(&change.path, Path::new(&*target)) {
            let text = format!(
                "{} is a link to {target}, which is not in the tree: what is behind it was not \
                 handed over",
                change.path.display()
            );
            found.push(Reason { weight: Weight::Ask, text });
        }
    }
    Ok(found)
}

fn leads_out(link: &Path, target: &Path) -> bool {
    let mut depth = link.components().count().saturating_sub(1);
    for part in target.components() {
        match part {
            Component::RootDir | Component::Prefix(_) => return true,
            Component::ParentDir if depth == 0 => return true,
            Component::ParentDir => depth -= 1,
            Component::CurDir => {}
            Component::Normal(_) => depth += 1,
        }
    }
    false
}

/// Filters in the repository's own settings, which whoever works there can write: what git records
/// is then what they make of the files.
fn filters(work: &Work<'_>) -> Result<Vec<Reason>> {
    let own = work.engine.repository.own_filters()?;
    // Large files are kept that way, and what it is is well known.
    let strange = own.into_iter().filter(|(name, does)| name != "lfs" || !is_lfs(does));
    let said = strange.map(|(name, does)| {
        let text = format!(
            "git's settings of this repository have a filter '{name}' ({does}): what was recorded \
             may not be what lies here"
        );
        Reason { weight: Weight::Ask, text }
    });
    Ok(said.collect())
}

fn is_lfs(does: &str) -> bool {
    does == "true" || does.starts_with("git-lfs ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_that_lead_out() {
        for (link, target, is_out) in [
            ("a", "b", false),
            ("a", "/etc/passwd", true),
            ("a", "../b", true),
            ("d/a", "../b", false),
            ("d/a", "../../b", true),
            ("d/a", "e/../../b", false),
        ] {
            assert_eq!(leads_out(Path::new(link), Path::new(target)), is_out, "{link} -> {target}");
        }
    }
}
