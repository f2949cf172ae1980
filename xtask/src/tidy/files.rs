//! Which files belong to the project.

use std::path::Path;
use std::process::Command;

use anyhow::Context as _;

/// Folders that never hold anything of ours.
const FOREIGN: &[&str] = &[".git", "target", "node_modules"];

/// The files of the project, from its root, with forward slashes and in order.
///
/// Git knows best, because it knows what is ignored; an unpacked archive is walked instead.
pub(crate) fn list(root: &Path) -> anyhow::Result<Vec<String>> {
    let listed = git(root, &["ls-files", "-co", "--exclude-standard", "-z"]);
    let mut paths = match listed {
        // A copy inside somebody else's repository may be ignored there.
        Some(paths) if paths.iter().any(|path| path == "Cargo.toml") => paths,
        _ => walk(root)?,
    };
    // The index still names files that were just deleted.
    paths.retain(|path| root.join(path).is_file());
    paths.sort();
    paths.dedup();
    Ok(paths)
}

/// Whether git keeps the lock file; nothing if there is no git to ask.
pub(crate) fn lock_is_committed(root: &Path) -> Option<bool> {
    let paths = git(root, &["ls-files", "-c", "-z", "--", "Cargo.toml", "Cargo.lock"])?;
    let has = |name: &str| paths.iter().any(|path| path == name);
    has("Cargo.toml").then(|| has("Cargo.lock"))
}

fn git(root: &Path, args: &[&str]) -> Option<Vec<String>> {
    let mut command = Command::new("git");
    // Git sets these for hooks; they would point it at another index or repository.
    for name in ["GIT_DIR", "GIT_INDEX_FILE", "GIT_WORK_TREE", "GIT_PREFIX"] {
        command.env_remove(name);
    }
    let output = command.arg("-C").arg(root).args(args).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output
        .status
        .success()
        .then(|| text.split('\0').filter(|path| !path.is_empty()).map(str::to_owned).collect())
}

fn walk(root: &Path) -> anyhow::Result<Vec<String>> {
    let mut found = Vec::new();
    let mut folders = vec![String::new()];
    while let Some(folder) = folders.pop() {
        let path = root.join(&folder);
        let entries = std::fs::read_dir(&path)
            .with_context(|| format!("{} can't be read", path.display()))?;
        for entry in entries {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            let path = if folder.is_empty() { name.clone() } else { format!("{folder}/{name}") };
            // Links are not followed: they may lead outside, or around in a circle.
            let kind = entry.file_type()?;
            if kind.is_dir() && !FOREIGN.contains(&name.as_str()) {
                folders.push(path);
            } else if kind.is_file() {
                found.push(path);
            }
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn git_and_walking_agree_about_the_source() {
        let root = crate::root::find().unwrap();
        let ours = |path: &String| path.starts_with("xtask/");
        let listed: Vec<String> = list(&root).unwrap().into_iter().filter(ours).collect();
        let mut walked: Vec<String> = walk(&root).unwrap().into_iter().filter(ours).collect();
        walked.sort();
        assert_eq!(listed, walked);
        assert!(listed.contains(&"xtask/src/tidy/files.rs".to_owned()));
    }

    #[test]
    fn without_git_nothing_is_claimed() {
        let nowhere = Path::new("/does/not/exist");
        assert_eq!(lock_is_committed(nowhere), None);
        assert_eq!(git(nowhere, &["ls-files"]), None);
        assert!(list(nowhere).is_err());
    }
}
