//! A script whose paths are others because what they name has moved: `node --test spec/` where the folder is
//! called `test` now. Everything else of it is as it was.

use countersign_domain::verify::Due;
use countersign_git::Listed;

use super::super::Work;
use super::text;
use crate::error::Result;

/// The command of the work, for trees in which what the base's command names is gone.
#[derive(Debug)]
pub(in crate::verify) struct Moved {
    pub(in crate::verify) command: String,
    /// Paths in the words of both commands, the old one first.
    paths: Vec<(String, String)>,
    folder: String,
}

impl Moved {
    /// Nothing unless the script of the work is the base's but for paths that moved.
    pub(in crate::verify) fn find(
        work: &Work<'_>,
        due: &Due,
        command: &str,
    ) -> Result<Option<Self>> {
        let (base, head) = (&work.terms.base_tree, &work.tree);
        let (Some(old), Some(new)) =
            (text(work.engine, due, [base, base])?, text(work.engine, due, [head, head])?)
        else {
            return Ok(None);
        };
        let Some(paths) = exchanged(&old, &new) else { return Ok(None) };
        let (before, after) =
            (work.engine.repository.list(base)?, work.engine.repository.list(head)?);
        let has = |listed: &[Listed], path: &str| has(listed, &due.folder, path);
        let are_moved = paths.iter().all(|(old, new)| {
            has(&before, old) && !has(&after, old) && has(&after, new) && !has(&before, new)
        });
        let is_known = command.ends_with(&old);
        Ok((are_moved && is_known).then(|| Self {
            command: format!("{}{new}", &command[..command.len() - old.len()]),
            paths,
            folder: due.folder.clone(),
        }))
    }

    /// Whether a tree has everything where the work has it, and nothing where it was.
    pub(in crate::verify) fn is_in(&self, listed: &[Listed]) -> bool {
        self.paths
            .iter()
            .all(|(old, new)| has(listed, &self.folder, new) && !has(listed, &self.folder, old))
    }
}

/// Whether there is a file or folder at a path below `folder`.
fn has(listed: &[Listed], folder: &str, path: &str) -> bool {
    let path = std::path::Path::new(folder).join(path);
    listed.iter().any(|one| one.path.starts_with(&path))
}

/// The words in which two scripts differ, if they are paths; nothing if the scripts differ otherwise, or not
/// at all.
fn exchanged(old: &str, new: &str) -> Option<Vec<(String, String)>> {
    let (was, is): (Vec<&str>, Vec<&str>) =
        (old.split_whitespace().collect(), new.split_whitespace().collect());
    if was.len() != is.len() {
        return None;
    }
    let differing = was.iter().zip(&is).filter(|(was, is)| was != is);
    let paths: Option<Vec<_>> = differing.map(|(was, is)| Some((path(was)?, path(is)?))).collect();
    paths.filter(|paths| !paths.is_empty())
}

/// A word as a path, up to its first wildcard: `spec/**/*.js` is in `spec`.
fn path(word: &str) -> Option<String> {
    let word = word.trim_matches(['"', '\'']);
    let word = word.strip_prefix("./").unwrap_or(word);
    let plain = word.split(['*', '{', '?']).next().unwrap_or("");
    let plain = if plain.len() < word.len() {
        plain.rsplit_once('/').map_or("", |(folder, _)| folder)
    } else {
        plain
    };
    let plain = plain.trim_end_matches('/');
    let is_path = |letter: char| letter.is_alphanumeric() || "_-./@".contains(letter);
    let is_inside = !plain.is_empty()
        && !plain.starts_with(['-', '/', '.'])
        && !plain.contains("..")
        && plain.chars().all(is_path);
    is_inside.then(|| plain.to_owned())
}

#[cfg(test)]
mod tests {
    use super::exchanged;

    /// CHEATS trap: tests moved to another folder, and the script with them.
    #[test]
    fn paths_that_are_others() {
        let pair = |old: &str, new: &str| Some(vec![(old.to_owned(), new.to_owned())]);
        assert_eq!(exchanged("node --test spec/", "node --test test/"), pair("spec", "test"));
        assert_eq!(
            exchanged("mocha './spec/**/*.js' --bail", "mocha './test/**/*.js' --bail"),
            pair("spec", "test")
        );
        for (old, new) in [
            ("node --test spec/", "node --test spec/"),
            ("node --test spec/", "node --test test/ || true"),
            ("node --test spec/", "node --test-only test/"),
            ("jest", "true"),
            ("jest --ci spec", "jest --passWithNoTests spec"),
            ("node --test spec/", "node --test ../other/"),
        ] {
            let found = exchanged(old, new);
            let is_word = found.is_some_and(|all| all.iter().all(|(_, new)| new != "true"));
            assert!(!is_word, "{old} / {new}");
        }
    }
}
