//! Files that a person expects to change, as they name them from where they stand.

use std::path::{Component, Path, PathBuf};

use countersign_domain::contract::{Expected, Source};

use crate::error::{Error, Kind, Result};

/// The most files of a folder that are expected to change.
const MAX_OF_FOLDER: usize = 50;

/// Where names are read: below `root`, by somebody who stands in `cwd`.
pub(super) struct Named<'a> {
    pub(super) root: &'a Path,
    pub(super) cwd: &'a Path,
}

impl Named<'_> {
    /// The files that `names` stand for, and what is to be noted about them; `known` are those that
    /// there are.
    pub(super) fn expected(
        &self,
        names: &[String],
        known: &[&str],
    ) -> Result<(Vec<Expected>, Vec<String>)> {
        let (mut expected, mut notes) = (Vec::new(), Vec::new());
        for name in names {
            let path = self.placed(name).ok_or_else(|| {
                Error::new(Kind::Usage, format!("'{name}' is no path in the repository"))
                    .hint("write paths from where you are, or whole ones")
            })?;
            let files = if self.is_folder(name, &path) {
                files_of(&path, known, &mut notes)?
            } else {
                if !self.root.join(&path).exists() {
                    notes.push(format!("{path} is expected to change and is not there yet"));
                }
                vec![path]
            };
            let because = "said so".to_owned();
            expected.extend(files.into_iter().map(|path| Expected {
                path,
                source: Source::User,
                because: because.clone(),
            }));
        }
        Ok((expected, notes))
    }

    fn is_folder(&self, name: &str, path: &str) -> bool {
        name.ends_with('/') || path.is_empty() || self.root.join(path).is_dir()
    }

    /// A name as a path from the root; nothing where it leads out. Where a folder has two names, either
    /// will do.
    fn placed(&self, name: &str) -> Option<String> {
        let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let (root, cwd) = (real(self.root), real(self.cwd));
        let ways = [(root.as_path(), cwd.join(name)), (self.root, self.cwd.join(name))];
        ways.iter().find_map(|(root, path)| below(root, path))
    }
}

/// `path` as seen from `root`, by its words alone.
fn below(root: &Path, path: &Path) -> Option<String> {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                plain.pop();
            }
            Component::CurDir => {}
            other => plain.push(other),
        }
    }
    plain.strip_prefix(root).ok()?.to_str().map(str::to_owned)
}

/// The files of a folder.
fn files_of(folder: &str, known: &[&str], notes: &mut Vec<String>) -> Result<Vec<String>> {
    let start = if folder.is_empty() { String::new() } else { format!("{folder}/") };
    let own: Vec<&str> = known.iter().copied().filter(|path| path.starts_with(&start)).collect();
    if own.is_empty() {
        return Err(Error::new(Kind::Usage, format!("'{folder}/' is no folder with files in it"))
            .hint("name the files that will be there"));
    }
    if own.len() > MAX_OF_FOLDER {
        notes.push(format!(
            "of {} files in {start} the first {MAX_OF_FOLDER} stand for all",
            own.len()
        ));
    }
    Ok(own.into_iter().take(MAX_OF_FOLDER).map(str::to_owned).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(cwd: &str, name: &str, placed: Option<&str>) {
        let (root, cwd) = (Path::new("/nowhere/at/all"), Path::new(cwd));
        assert_eq!(Named { root, cwd }.placed(name).as_deref(), placed);
    }

    /// VC-04: a name means what it means where its author stands.
    #[test]
    fn names_are_read_where_their_author_stands() {
        check("/nowhere/at/all", "a.rs", Some("a.rs"));
        check("/nowhere/at/all", "./src/../a.rs", Some("a.rs"));
        check("/nowhere/at/all/tests", "a.rs", Some("tests/a.rs"));
        check("/nowhere/at/all/tests", "../src/a.rs", Some("src/a.rs"));
        check("/nowhere/at/all", "/nowhere/at/all/src/a.rs", Some("src/a.rs"));
        check("/nowhere/at/all", "../a.rs", None);
        check("/nowhere/at/all", "/etc/passwd", None);
    }
}
