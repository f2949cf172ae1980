//! Looks for gaming between two folders: `gaming BEFORE AFTER [TASK]`, one finding per line.

#![allow(clippy::disallowed_methods, reason = "an example reads what it is given")]

use std::collections::BTreeSet;
use std::path::Path;
use std::process::ExitCode;

use countersign_gaming::{Changed, File, Role, Task, detect, role};

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [before, after, rest @ ..] = &words[..] else {
        eprintln!("usage: gaming BEFORE AFTER [TASK]");
        return ExitCode::from(2);
    };
    let mut paths = BTreeSet::new();
    for root in [before, after] {
        list(Path::new(root), Path::new(root), &mut paths);
    }
    let read = |root: &String, path: &String| std::fs::read(Path::new(root).join(path)).ok();
    let files: Vec<_> =
        paths.iter().map(|path| (path, read(before, path), read(after, path))).collect();
    let changes: Vec<Changed<'_>> = files
        .iter()
        .map(|(path, before, after)| Changed {
            path,
            before: before.as_deref(),
            after: after.as_deref(),
        })
        .collect();
    let text = rest.join(" ");
    let same = files.iter().filter(|(_, before, after)| before == after);
    let tests: Vec<File<'_>> = same
        .filter(|(path, ..)| role(path) == Role::Test)
        .filter_map(|(path, bytes, _)| Some(File { path, bytes: bytes.as_deref()? }))
        .collect();
    for finding in detect(&changes, &Task { text: &text, tests: &tests }) {
        let path = finding.path.as_deref().unwrap_or("");
        let line = finding.line.unwrap_or(0);
        let shown = finding.after.or(finding.before).unwrap_or_default();
        println!(
            "{:?} {} {path}:{line} {} | {shown}",
            finding.severity, finding.rule, finding.message
        );
    }
    ExitCode::SUCCESS
}

fn list(root: &Path, folder: &Path, paths: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            list(root, &path, paths);
        } else if let Some(name) = path.strip_prefix(root).ok().and_then(Path::to_str) {
            paths.insert(name.to_owned());
        }
    }
}
