//! What git and other programs obey besides the files of a working tree.
//!
//! None of it changes what we see, but whoever works in the tree obeys it: a hook that was
//! planted, a filter, an attribute, a mark in the index. Each is known by a digest only.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use countersign_domain::id::Digest;
use countersign_domain::snapshot::{PathText, Setting, Watch};

use crate::discover::{Layout, as_path, read};
use crate::error::Error;
use crate::repository::Repository;
use crate::tree::watched::expand;

/// Sections of a repository's own configuration that change neither files nor what runs when
/// they are worked on; many commands write there.
const HARMLESS: &[&str] = &[
    "advice",
    "author",
    "blame",
    "branch",
    "browser",
    "color",
    "column",
    "commit",
    "committer",
    "completion",
    "credential",
    "fetch",
    "format",
    "gc",
    "gitcvs",
    "grep",
    "gui",
    "help",
    "http",
    "index",
    "init",
    "instaweb",
    "interactive",
    "lfs",
    "log",
    "maintenance",
    "man",
    "notes",
    "pack",
    "pager",
    "pull",
    "push",
    "rebase",
    "receive",
    "remote",
    "repack",
    "rerere",
    "sendemail",
    "showbranch",
    "stash",
    "submodule",
    "svn-remote",
    "tag",
    "transfer",
    "user",
    "versionsort",
];

/// The same in the section `core`.
const HARMLESS_CORE: &[&str] = &[
    "abbrev",
    "bigfilethreshold",
    "commentchar",
    "commitgraph",
    "compression",
    "deltabasecachelimit",
    "editor",
    "logallrefupdates",
    "loosecompression",
    "multipackindex",
    "notesref",
    "packedgitlimit",
    "packedgitwindowsize",
    "pager",
    "preloadindex",
    "quotepath",
    "splitindex",
    "untrackedcache",
    "warnambiguousrefs",
    "whitespace",
];

/// What counts in the configuration of the user and of the machine.
const EVERYWHERE: &[&str] = &[
    "core.attributesfile",
    "core.autocrlf",
    "core.checkstat",
    "core.eol",
    "core.excludesfile",
    "core.filemode",
    "core.fsmonitor",
    "core.hookspath",
    "core.ignorestat",
    "core.symlinks",
    "core.trustctime",
    "core.worktree",
    "diff.external",
    "status.showuntrackedfiles",
];

/// The configuration that is in force, in the order in which it was read.
#[derive(Debug, Default)]
pub(crate) struct Config {
    entries: Vec<(Vec<u8>, String, Vec<u8>)>,
}

impl Config {
    /// `listed` is what `git config --list --show-scope -z` says: `<scope>\0<key>\n<value>\0`.
    fn parse(listed: &[u8]) -> Self {
        let mut parts = listed.split(|byte| *byte == 0);
        let mut entries = Vec::new();
        while let (Some(scope), Some(setting)) = (parts.next(), parts.next()) {
            let mut halves = setting.splitn(2, |byte| *byte == b'\n');
            let key = String::from_utf8_lossy(halves.next().unwrap_or_default()).into_owned();
            // Without a value it means "true".
            let value = halves.next().unwrap_or(b"true").to_vec();
            entries.push((scope.to_vec(), key, value));
        }
        Self { entries }
    }

    /// The value that holds; names are in small letters.
    pub(crate) fn last(&self, key: &str) -> Option<&[u8]> {
        let found =
            self.entries.iter().rev().find(|(scope, name, _)| name == key && *scope != b"command");
        found.map(|(_, _, value)| value.as_slice())
    }

    /// What counts, each name with all its values.
    fn counting(&self) -> BTreeMap<&str, Vec<&[u8]>> {
        let mut found: BTreeMap<&str, Vec<&[u8]>> = BTreeMap::new();
        for (scope, key, value) in &self.entries {
            if counts(scope, key) {
                found.entry(key).or_default().push(value);
            }
        }
        found
    }
}

fn counts(scope: &[u8], key: &str) -> bool {
    let (section, rest) = key.split_once('.').unwrap_or((key, ""));
    match scope {
        b"local" | b"worktree" if section == "core" => !HARMLESS_CORE.contains(&rest),
        // Which changes of a submodule git tells.
        b"local" | b"worktree" if section == "submodule" => rest.ends_with(".ignore"),
        b"local" | b"worktree" => !HARMLESS.contains(&section),
        b"command" => false,
        _ => EVERYWHERE.contains(&key) || section == "filter",
    }
}

impl Repository {
    /// The configuration that is in force at `git_dir`.
    pub(crate) fn config(&self, git_dir: &Path) -> Result<Config, Error> {
        let asked = ["config", "--list", "--show-scope", "-z"];
        Ok(Config::parse(&self.git_at(git_dir).args(asked).output()?))
    }

    /// Everything that is obeyed in the working tree at `layout`, by name.
    pub(crate) fn settings(&self, layout: &Layout, config: &Config, watch: &Watch) -> Vec<Setting> {
        let mut found: BTreeMap<Vec<u8>, Digest> = BTreeMap::new();
        for (key, values) in config.counting() {
            found.insert(format!("config {key}").into_bytes(), Digest::of(&values.join(&0)));
        }
        let hooks = config.last("core.hookspath");
        let hooks = hooks.map_or_else(
            || layout.common_dir.join("hooks"),
            |path| layout.worktree.join(as_path(path)),
        );
        add_hooks(&hooks, &mut found);
        for name in ["info/attributes", "info/grafts", "objects/info/alternates"] {
            add_file(name.as_bytes(), &layout.common_dir.join(name), &mut found);
        }
        let sparse = "info/sparse-checkout";
        add_file(sparse.as_bytes(), &layout.git_dir.join(sparse), &mut found);
        let attributes = self.user_file(config.last("core.attributesfile"), "attributes");
        if !attributes.is_empty() {
            found.insert(b"the user's attributes".to_vec(), Digest::of(&attributes));
        }
        if let Some(home) = self.variable("HOME") {
            for path in watch.home().flat_map(|pattern| expand(&home, pattern)) {
                add_file(
                    &[b"~/", &path[..]].concat(),
                    &home.join(OsStr::from_bytes(&path)),
                    &mut found,
                );
            }
        }
        let named = |(name, digest)| Setting { name: PathText::new(name), digest };
        found.into_iter().map(named).collect()
    }
}

/// Adds every hook that git would run.
fn add_hooks(folder: &Path, found: &mut BTreeMap<Vec<u8>, Digest>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        if !name.as_bytes().ends_with(b".sample") {
            add_file(&[b"hooks/", name.as_bytes()].concat(), &entry.path(), found);
        }
    }
}

/// Adds a file with its permission to be run, if it is there. One that can't be read counts by
/// that alone.
fn add_file(name: &[u8], path: &PathBuf, found: &mut BTreeMap<Vec<u8>, Digest>) {
    let Ok(meta) = fs::metadata(path) else {
        return;
    };
    if !meta.is_file() {
        return;
    }
    let text = read(path).ok().flatten();
    let mut bytes = text.unwrap_or_else(|| b"unreadable".to_vec());
    bytes.push(u8::from(meta.permissions().mode() & 0o111 != 0));
    found.insert(name.to_vec(), Digest::of(&bytes));
}
