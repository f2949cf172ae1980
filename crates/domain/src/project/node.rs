//! JavaScript and TypeScript: scripts and tools of packages, with the package manager of their
//! workspace.

mod installer;
mod tools;

use std::collections::BTreeMap;
use std::rc::Rc;

use globset::{Glob, GlobSet, GlobSetBuilder};

use super::add::Script;
use super::files::{Files, Lookup, join, upwards};
use super::names::SCRIPT;
use super::types::{Part, Stack};
use crate::yaml::Node;
use installer::Installer;

pub(super) fn parts(files: &Files<'_>) -> Vec<Part> {
    let folders = files.folders_with("package.json");
    let workspaces: BTreeMap<&str, GlobSet> =
        folders.iter().filter_map(|folder| Some((*folder, members(files, folder)?))).collect();
    folders.iter().map(|folder| part(files, folder, &workspaces)).collect()
}

fn manifest(files: &Files<'_>, folder: &str) -> Option<Rc<Node>> {
    files.json(&join(folder, "package.json"), "Node")
}

/// The folders that a package takes in as members of its workspace.
fn members(files: &Files<'_>, folder: &str) -> Option<GlobSet> {
    let own = manifest(files, folder);
    let pnpm = files.yaml(&join(folder, "pnpm-workspace.yaml"));
    let list = own.as_ref().and_then(|own| {
        let node = own.at(&["workspaces"])?;
        Some(node.at(&["packages"]).unwrap_or(node).as_texts())
    });
    let list = list.or_else(|| Some(pnpm.as_ref()?.at(&["packages"])?.as_texts()))?;
    let mut globs = GlobSetBuilder::new();
    for (text, _) in list.iter().filter(|(text, _)| !text.starts_with('!')) {
        let glob = join(folder, text.trim_start_matches("./").trim_end_matches('/'));
        if let Ok(glob) = Glob::new(&glob) {
            globs.add(glob);
        }
    }
    globs.build().ok()
}

fn part(files: &Files<'_>, folder: &str, workspaces: &BTreeMap<&str, GlobSet>) -> Part {
    let root = upwards(folder)
        .skip(1)
        .find(|above| workspaces.get(above).is_some_and(|globs| globs.is_match(folder)));
    let mut part = Part::new(folder, Stack::Node);
    part.root = root.map(str::to_owned);
    let Some(own) = manifest(files, folder) else { return part };
    let installer = Installer::of(files, folder);
    let file = join(folder, "package.json");
    for (name, line, node) in own.at(&["scripts"]).map(Lookup::as_entries).unwrap_or_default() {
        let Some(text) = node.as_text() else { continue };
        let shells = [text.to_owned()];
        let script = Script { name, text, file: &file, line, shells: &shells, rank: SCRIPT };
        part.add_script(files, &script, &[installer.name(), "run", name]);
    }
    tools::add(files, &mut part, &tools::Package { own: &own, installer });
    part
}
