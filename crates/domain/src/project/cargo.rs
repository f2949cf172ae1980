//! Rust: workspaces and packages of Cargo.

use std::rc::Rc;

use super::files::{Files, Lookup, is_below, join, upwards, walked};
use super::names::STACK;
use super::types::{Activity, Evidence, Part, Stack};
use crate::yaml::Node;

pub(super) fn parts(files: &Files<'_>) -> Vec<Part> {
    let folders = files.folders_with("Cargo.toml");
    let mut roots: Vec<&str> =
        folders.iter().copied().filter(|folder| is_root(files, folder)).collect();
    roots.retain(|folder| !is_fuzzing(files, folder));
    roots.into_iter().map(|folder| part(files, folder)).collect()
}

/// Whether a package is a harness of cargo-fuzz: it has no tests, and needs another compiler.
fn is_fuzzing(files: &Files<'_>, folder: &str) -> bool {
    let own = manifest(files, folder);
    own.is_some_and(|own| own.at(&["package", "metadata", "cargo-fuzz"]).is_some())
}

fn manifest(files: &Files<'_>, folder: &str) -> Option<Rc<Node>> {
    files.toml(&join(folder, "Cargo.toml"))
}

/// Whether a package stands alone: no workspace above it takes it in.
fn is_root(files: &Files<'_>, folder: &str) -> bool {
    let Some(own) = manifest(files, folder) else { return false };
    if own.at(&["workspace"]).is_some() {
        return true;
    }
    if own.at(&["package"]).is_none() {
        return false;
    }
    if let Some(path) = own.at(&["package", "workspace"]).and_then(Lookup::as_text) {
        let root = walked(folder, path).and_then(|root| manifest(files, &root));
        return root.is_none_or(|root| root.at(&["workspace"]).is_none());
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
    !upwards(folder).skip(1).any(|above| files.has(&join(above, "Cargo.toml")) && takes_in(above))
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
