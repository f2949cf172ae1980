//! Rust: workspaces and packages of Cargo.

use std::collections::BTreeSet;
use std::rc::Rc;

use globset::GlobBuilder;

use super::files::{Files, Lookup, is_below, join, upwards, walked};
use super::names::STACK;
use super::types::{Activity, Evidence, Part, Stack};
use crate::yaml::Node;

/// How deep tables are looked into.
const MAX_TABLES: usize = 8;

pub(super) fn parts(files: &Files<'_>) -> Vec<Part> {
    let folders = files.folders_with("Cargo.toml");
    let own = folders.iter().copied().filter(|folder| !is_fuzzing(files, folder));
    let mut parts = Vec::new();
    let mut named = None;
    for folder in own {
        match root_of(files, folder) {
            Root::Itself => parts.push(part(files, folder)),
            Root::Above(above) => {
                let named = named.get_or_insert_with(|| paths_named(files, folders));
                if named.contains(folder) || is_member(files, above, folder) {
                    continue;
                }
                let file = join(folder, "Cargo.toml");
                let what = format!(
                    "no workspace has it as a member, so nothing that is run for {} reads it",
                    join(above, "Cargo.toml")
                );
                let fix = "name it below members or exclude there, or give it a [workspace]";
                files.odd((&file, 1), &what, fix);
                // What is run for the whole project is that of the workspace.
                parts.push(Part { root: Some(above.to_owned()), ..part(files, folder) });
            }
            Root::Nothing => {}
        }
    }
    parts
}

/// Where a package belongs.
enum Root<'a> {
    Itself,
    /// A workspace lies above it and doesn't exclude it.
    Above(&'a str),
    /// It is no package, or says itself whose it is.
    Nothing,
}

/// The folders that manifests name as `path`: what a member depends on is a member.
fn paths_named(files: &Files<'_>, folders: &[&str]) -> BTreeSet<String> {
    let mut named = BTreeSet::new();
    for folder in folders {
        if let Some(own) = manifest(files, folder) {
            name_paths(&own, folder, 0, &mut named);
        }
    }
    named
}

fn name_paths(node: &Node, folder: &str, depth: usize, named: &mut BTreeSet<String>) {
    if depth > MAX_TABLES {
        return;
    }
    for (key, _, node) in node.as_entries() {
        match node.as_text().filter(|_| key == "path") {
            Some(path) => named.extend(walked(folder, path)),
            None => name_paths(node, folder, depth + 1, named),
        }
    }
}

/// Whether the workspace in `above` names `folder` as its member.
fn is_member(files: &Files<'_>, above: &str, folder: &str) -> bool {
    let Some(root) = manifest(files, above) else { return false };
    let members = root.at(&["workspace", "members"]).map(Lookup::as_texts).unwrap_or_default();
    members.iter().any(|(glob, _)| {
        let path = walked(above, glob);
        let glob =
            path.and_then(|path| GlobBuilder::new(&path).literal_separator(true).build().ok());
        glob.is_some_and(|glob| glob.compile_matcher().is_match(folder))
    })
}

/// Whether a package is a harness of cargo-fuzz: it has no tests, and needs another compiler.
fn is_fuzzing(files: &Files<'_>, folder: &str) -> bool {
    let own = manifest(files, folder);
    own.is_some_and(|own| own.at(&["package", "metadata", "cargo-fuzz"]).is_some())
}

fn manifest(files: &Files<'_>, folder: &str) -> Option<Rc<Node>> {
    files.toml(&join(folder, "Cargo.toml"))
}

fn root_of<'a>(files: &Files<'_>, folder: &'a str) -> Root<'a> {
    let Some(own) = manifest(files, folder) else { return Root::Nothing };
    if own.at(&["workspace"]).is_some() {
        return Root::Itself;
    }
    if own.at(&["package"]).is_none() {
        return Root::Nothing;
    }
    if let Some(path) = own.at(&["package", "workspace"]).and_then(Lookup::as_text) {
        let root = walked(folder, path).and_then(|root| manifest(files, &root));
        let is_lost = root.is_none_or(|root| root.at(&["workspace"]).is_none());
        return if is_lost { Root::Itself } else { Root::Nothing };
    }
    let takes_in = |above: &str| {
        let Some(root) = manifest(files, above) else { return false };
        let excluded = root.at(&["workspace", "exclude"]).map(Lookup::as_texts).unwrap_or_default();
        root.at(&["workspace"]).is_some()
            && !excluded.iter().any(|(path, _)| {
                let path = join(above, path.trim_end_matches('/'));
                path == folder || is_below(folder, &path)
            })
    };
    let has_own = |above: &&str| files.has(&join(above, "Cargo.toml"));
    let found = upwards(folder).skip(1).filter(has_own).find(|above| takes_in(above));
    found.map_or(Root::Itself, Root::Above)
}

fn part(files: &Files<'_>, folder: &str) -> Part {
    let mut part = Part::new(folder, Stack::Cargo);
    let file = join(folder, "Cargo.toml");
    let own = manifest(files, folder);
    let line = |way: &[&str]| own.as_ref().and_then(|own| own.at(way)).map(|node| node.place.line);
    let (is_workspace, shown) = match line(&["workspace"]) {
        Some(line) => (true, files.evidence(&file, line)),
        None => (false, files.evidence(&file, line(&["package"]).unwrap_or(1))),
    };
    let all: &[&str] = if is_workspace { &["--workspace"] } else { &[] };
    let mut add = |activity, rank, before: &[&str], after: &[&str], why: Evidence| {
        let argv = [before, all, after].concat();
        part.add(activity, rank, &argv, why);
    };
    add(Activity::Build, STACK, &["cargo", "build"], &["--all-targets"], shown.clone());
    add(Activity::Typecheck, STACK, &["cargo", "check"], &["--all-targets"], shown.clone());
    let lints = [["workspace", "lints"].as_slice(), &["lints"]].into_iter().find_map(line);
    let strict = files
        .first(folder, &["clippy.toml", ".clippy.toml"])
        .map(|file| Evidence::new(file, 0, "lints are set up"))
        .or_else(|| lints.map(|line| files.evidence(&file, line)));
    let clippy = ["cargo", "clippy"];
    match strict {
        Some(why) => {
            add(Activity::Lint, STACK, &clippy, &["--all-targets", "--", "-D", "warnings"], why);
        }
        None => add(Activity::Lint, STACK, &clippy, &["--all-targets"], shown.clone()),
    }
    match files.first(folder, &[".config/nextest.toml"]) {
        Some(file) => {
            let why = Evidence::new(file, 0, "nextest is set up");
            add(Activity::Unit, STACK, &["cargo", "nextest", "run"], &[], why);
            add(Activity::Unit, STACK + 1, &["cargo", "test"], &[], shown.clone());
        }
        None => add(Activity::Unit, STACK, &["cargo", "test"], &[], shown.clone()),
    }
    let layout = files
        .first(folder, &["rustfmt.toml", ".rustfmt.toml"])
        .map_or(shown, |file| Evidence::new(file, 0, "the layout is set up"));
    part.add(Activity::Format, STACK, &["cargo", "fmt", "--all", "--check"], layout);
    for (name, activity, argv) in [
        (".cargo/mutants.toml", Activity::Mutation, &["cargo", "mutants"][..]),
        ("tarpaulin.toml", Activity::Coverage, &["cargo", "tarpaulin"]),
        (".tarpaulin.toml", Activity::Coverage, &["cargo", "tarpaulin"]),
    ] {
        if let Some(file) = files.first(folder, &[name]) {
            part.add(activity, STACK, argv, Evidence::new(file, 0, "it is set up"));
        }
    }
    part
}
