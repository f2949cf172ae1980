//! What lies around a change and can't be seen in it: settings of the repository that change what is
//! recorded, links that lead out of it, commits that are not compared.

use std::path::{Component, Path};

use countersign_domain::verify::{Reason, Weight};
use countersign_git::Change;

use super::{Work, submodules, surroundings};
use crate::error::Result;
use crate::regular;

const MODE_LINK: u32 = 0o120_000;

/// What a person has to know before the verdict counts.
pub(super) fn reasons(work: &Work<'_>, changes: &[Change]) -> Result<Vec<Reason>> {
    let mut found = links(work, changes)?;
    found.extend(filters(work)?);
    found.extend(submodules::reasons(work)?);
    found.extend(above(work));
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

/// Keys of Cargo's settings that change what a build or a test run does.
const CARGO_KEYS: [&str; 9] = [
    "rustc",
    "rustc-wrapper",
    "rustc-workspace-wrapper",
    "rustflags",
    "rustdoc",
    "rustdocflags",
    "runner",
    "linker",
    "paths",
];

/// Settings of the user's own that hold for checks as well, and those that were left out.
fn above(work: &Work<'_>) -> Vec<Reason> {
    let note = |text| Reason { weight: Weight::Note, text };
    let mut found = Vec::new();
    let commands = || work.terms.checks.iter().map(|due| due.command.as_str());
    if let Some(file) = surroundings::customized(work.engine) {
        let text = format!(
            "{} would run in every Python: checks run without it, and without the packages beside it",
            file.display()
        );
        found.push(note(text));
    }
    if commands().any(|command| command.contains("cargo")) {
        found.extend(surroundings::cargo_home(work.engine).and_then(|home| cargo(&home)).map(note));
    }
    found
}

/// What the user's settings of Cargo change. Registries are there too, so they can't be left out.
fn cargo(home: &Path) -> Option<String> {
    let names = ["config.toml", "config"];
    let (path, text) = names.iter().find_map(|name| {
        let path = home.join(name);
        let bytes = regular::read(&path, 1 << 20)?;
        Some((path, String::from_utf8_lossy(&bytes).into_owned()))
    })?;
    let table: toml::Table = text.parse().ok()?;
    let mut keys = Vec::new();
    for (name, value) in &table {
        if name == "env" || name == "patch" || CARGO_KEYS.contains(&name.as_str()) {
            keys.push(name.clone());
        }
        gather(name, value, &mut keys);
    }
    let words = keys.join(", ");
    let text = format!("{} holds for checks as well; it sets {words}", path.display());
    (!keys.is_empty()).then_some(text)
}

fn gather(above: &str, value: &toml::Value, keys: &mut Vec<String>) {
    let Some(table) =
        value.as_table().filter(|_| above.starts_with("build") || above.starts_with("target"))
    else {
        return;
    };
    for (name, value) in table {
        let path = format!("{above}.{name}");
        if CARGO_KEYS.contains(&name.as_str()) {
            keys.push(path);
        } else {
            gather(&path, value, keys);
        }
    }
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
