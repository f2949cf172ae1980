//! What git obeys in the submodules of the repository and in its other working trees. Their settings are read
//! as files, without a process for each.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use countersign_domain::id::Digest;
use countersign_domain::run::{Obeyed, Sort, is_obeyed};
use countersign_domain::secret::Scanner;

use super::{SECRETIVE, digest_of, hooks_in, more, told};
use crate::discover::read;
use crate::repository::Repository;

/// So many folders are looked at, and so deep: a submodule may be named as a path is.
const MOST: usize = 200;
const DEEPEST: usize = 6;

const MAIN: &str = "the main working tree";

/// What git writes itself when a submodule or a working tree comes to be: people get them while a run goes on.
const OF_INIT: &[&str] = &[
    "core.bare",
    "core.filemode",
    "core.ignorecase",
    "core.precomposeunicode",
    "core.repositoryformatversion",
    "core.sparsecheckout",
    "core.sparsecheckoutcone",
    "core.symlinks",
    "core.worktree",
];

impl Repository {
    /// Adds what is obeyed in the repositories of submodules, and in working trees besides this one.
    pub(super) fn add_others(&self, found: &mut Vec<Obeyed>) {
        let layout = self.layout();
        for folder in modules(&layout.common_dir.join("modules")) {
            let name = folder.strip_prefix(&layout.common_dir).unwrap_or(&folder);
            let name = name.to_string_lossy().into_owned();
            add_settings(&folder.join("config"), &name, found);
            more::link(&folder.join("hooks"), &format!("{name}/hooks"), found);
            hooks_in(&folder.join("hooks"), &format!("{name}/hooks"), found);
            for file in ["info/attributes", "info/exclude", "info/grafts"] {
                add_file(&folder.join(file), format!("{name}/{file}"), found);
            }
        }
        let trees = fs::read_dir(layout.common_dir.join("worktrees"));
        let mut trees: Vec<PathBuf> =
            trees.into_iter().flatten().flatten().map(|entry| entry.path()).collect();
        trees.push(layout.common_dir.clone());
        trees.sort();
        for tree in trees.into_iter().filter(|tree| *tree != layout.git_dir).take(MOST) {
            let name = tree.strip_prefix(&layout.common_dir).unwrap_or(&tree).to_string_lossy();
            let name = if name.is_empty() { MAIN.into() } else { name };
            add_settings(&tree.join("config.worktree"), &name, found);
        }
    }
}

/// The repositories below a folder: those of submodules lie in those that have them.
fn modules(top: &Path) -> Vec<PathBuf> {
    let mut all = Vec::new();
    let mut waiting = vec![(top.to_owned(), 0)];
    let mut left = MOST;
    while let Some((folder, depth)) = waiting.pop() {
        let entries = fs::read_dir(&folder).into_iter().flatten().flatten();
        let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
        paths.sort();
        for path in paths {
            let is_folder = fs::symlink_metadata(&path).is_ok_and(|found| found.is_dir());
            let Some(next) = left.checked_sub(1).filter(|_| is_folder && depth < DEEPEST) else {
                continue;
            };
            left = next;
            if path.join("HEAD").is_file() {
                waiting.push((path.join("modules"), depth + 1));
                all.push(path);
            } else {
                waiting.push((path, depth + 1));
            }
        }
    }
    all.sort();
    all
}

fn add_file(path: &Path, name: String, found: &mut Vec<Obeyed>) {
    let Some(digest) = digest_of(path) else { return };
    let rules = more::rules(&read(path).ok().flatten().unwrap_or_default());
    if !rules.is_empty() {
        let said = told("", &rules.join("; "));
        found.push(Obeyed { sort: Sort::File, name, digest, said });
    }
}

fn add_settings(path: &Path, whose: &str, found: &mut Vec<Obeyed>) {
    let Some(text) = read(path).ok().flatten() else { return };
    let mut all: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let (entries, is_whole) = said(&String::from_utf8_lossy(&text));
    if !is_whole {
        let file = path.file_name().unwrap_or_default().to_string_lossy();
        let name = if whose == MAIN { file.into_owned() } else { format!("{whose}/{file}") };
        let (sort, said) = (Sort::Unreadable, "settings that git can't read".to_owned());
        found.push(Obeyed { sort, name, digest: Digest::of(b"unreadable"), said });
    }
    for (key, value) in entries {
        let is_of_init = OF_INIT.contains(&&*key) || key.starts_with("extensions.");
        if is_obeyed(&key) && !is_of_init {
            all.entry(key).or_default().push(value);
        }
    }
    for (key, values) in all {
        let digest = Digest::of(values.join("\0").as_bytes());
        let said = match key.split('.').next() {
            Some(section) if SECRETIVE.contains(&section) => "a value that is not told".to_owned(),
            _ => told(&format!("{key} = "), &values.join(", ")),
        };
        let name = Scanner::builtin().redact(&format!("{key} ({whose})")).into_owned();
        found.push(Obeyed { sort: Sort::Setting, name, digest, said });
    }
}

/// The settings of a file as they stand there: names as git lists them, values as they are written; and whether
/// git can make something of all of it, which else reads none.
fn said(text: &str) -> (Vec<(String, String)>, bool) {
    let mut all = Vec::new();
    let mut section = String::new();
    // A line goes on in the next where a stroke ends it.
    let text = text.replace("\\\r\n", " ").replace("\\\n", " ");
    for line in text.trim_start_matches('\u{feff}').lines().map(str::trim) {
        let mut rest = line;
        if let Some(line) = line.strip_prefix('[') {
            let Some((name, after)) = line.split_once(']').filter(|(head, _)| is_head(head)) else {
                return (all, false);
            };
            section = match name.split_once(char::is_whitespace) {
                Some((name, sub)) => {
                    let sub = sub.trim().trim_matches('"');
                    format!("{}.{sub}", name.to_lowercase())
                }
                None => name.to_lowercase(),
            };
            rest = after.trim();
        }
        if rest.is_empty() || rest.starts_with(['#', ';']) {
            continue;
        }
        let (key, value) = rest.split_once('=').unwrap_or((rest, "true"));
        let key = key.trim();
        if section.is_empty() || !is_key(key) || !is_closed(value) {
            return (all, false);
        }
        all.push((format!("{section}.{}", key.to_lowercase()), value.trim().to_owned()));
    }
    (all, true)
}

/// Whether it can stand between the brackets of a section: a name, and another one in quotes.
fn is_head(head: &str) -> bool {
    let (name, sub) = head.split_once(char::is_whitespace).unwrap_or((head, "\"\""));
    let sub = sub.trim();
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '.';
    let is_quoted = sub.len() > 1 && sub.starts_with('"') && sub.ends_with('"');
    !name.is_empty() && name.chars().all(is_name) && is_quoted
}

fn is_key(key: &str) -> bool {
    // Without a value, a remark may stand right behind it.
    let key = key.split(['#', ';']).next().unwrap_or_default().trim_end();
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '-';
    key.starts_with(|c: char| c.is_ascii_alphabetic()) && key.chars().all(is_part)
}

/// Whether every quote of a value has its end.
fn is_closed(value: &str) -> bool {
    let (mut is_open, mut chars) = (false, value.chars());
    while let Some(c) = chars.next() {
        match c {
            '"' => is_open = !is_open,
            '\\' => drop(chars.next()),
            '#' | ';' if !is_open => break,
            _ => {}
        }
    }
    !is_open
}

#[cfg(test)]
mod tests {
    use super::*;

    /// G46: settings are read as git reads them, as far as telling them apart goes.
    #[test]
    fn settings_are_read() {
        let text =
            "[core]\n\tFsMonitor = x # y\n; no\n[filter \"A.b\"] clean = a \\\n b\n[alias]\nst\n";
        let expected =
            [("core.fsmonitor", "x # y"), ("filter.A.b.clean", "a   b"), ("alias.st", "true")];
        let (all, is_whole) = said(text);
        assert!(is_whole);
        let all: Vec<(&str, &str)> = all.iter().map(|(key, value)| (&**key, &**value)).collect();
        assert_eq!(all, expected);
    }

    /// G46: what git can make nothing of is known, and what it can is not taken for that.
    #[test]
    fn what_can_t_be_read_is_known() {
        for text in [
            "",
            "\u{feff}# x\n[a]\n",
            "[a.b]\nc\n",
            "[a \"b c\"] d = \"x ] \\\" # y\" # z\n",
            "[a]\nb ; c\n",
            "[a \"b\\\"c\"]\r\nd=\r\n",
        ] {
            assert!(said(text).1, "{text:?}");
        }
        for text in
            ["[a", "[]", "[a b]", "[a \"b]", "a = b", "[a]\n= b", "[a]\n1 = 2", "[a]\nb = \"c"]
        {
            assert!(!said(text).1, "{text:?}");
        }
    }
}
