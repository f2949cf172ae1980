//! What git and other programs obey besides the files of a working tree.
//!
//! None of it changes what we see, but whoever works in the tree obeys it: a hook that was
//! planted, a filter, an attribute, a mark in the index. Each is known by a digest; what it says is
//! kept where it is short and no secret, so that it can be told and put back.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use countersign_domain::id::Digest;
use countersign_domain::secret::Scanner;
use countersign_domain::snapshot::{PathText, Said, Setting, Watch};

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

/// Of a longer text, only the digest is kept.
const MOST_SAID: usize = 400;

/// The configuration that is in force, in the order in which it was read.
#[derive(Debug, Default, Clone)]
pub(crate) struct Config {
    entries: Vec<Entry>,
}

#[derive(Debug, Clone)]
struct Entry {
    scope: Vec<u8>,
    /// The file that it stands in, as git names it.
    file: Vec<u8>,
    key: String,
    value: Vec<u8>,
}

impl Config {
    /// `listed` is what `git config --list --show-scope --show-origin -z` says:
    /// `<scope>\0file:<file>\0<key>\n<value>\0`.
    pub(crate) fn parse(listed: &[u8]) -> Self {
        let mut parts = listed.split(|byte| *byte == 0);
        let mut entries = Vec::new();
        while let (Some(scope), Some(origin), Some(setting)) =
            (parts.next(), parts.next(), parts.next())
        {
            let mut halves = setting.splitn(2, |byte| *byte == b'\n');
            let key = String::from_utf8_lossy(halves.next().unwrap_or_default()).into_owned();
            // Without a value it means "true".
            let value = halves.next().unwrap_or(b"true").to_vec();
            let file = origin.strip_prefix(b"file:").unwrap_or_default().to_vec();
            entries.push(Entry { scope: scope.to_vec(), file, key, value });
        }
        Self { entries }
    }

    /// The value that holds; names are in small letters.
    pub(crate) fn last(&self, key: &str) -> Option<&[u8]> {
        let is_it = |entry: &&Entry| entry.key == key && entry.scope != b"command";
        self.entries.iter().rev().find(is_it).map(|entry| entry.value.as_slice())
    }

    /// All that files say, in their order: whose file it is, the name, the value.
    pub(crate) fn said(&self) -> impl Iterator<Item = (&[u8], &str, &[u8])> {
        let own = self.entries.iter().filter(|entry| entry.scope != b"command");
        own.map(|entry| (&entry.scope[..], &entry.key[..], &entry.value[..]))
    }

    /// The files that are read under a condition: where that is said, and which.
    pub(crate) fn conditional(&self) -> impl Iterator<Item = (&[u8], &[u8])> {
        let is_one = |entry: &&Entry| {
            entry.key.starts_with("includeif.")
                && entry.key.rsplit('.').next() == Some("path")
                && entry.scope != b"command"
        };
        self.entries.iter().filter(is_one).map(|entry| (&entry.file[..], &entry.value[..]))
    }

    /// What counts, each name with all that is said of it.
    fn counting(&self) -> BTreeMap<&str, Vec<&Entry>> {
        let mut found: BTreeMap<&str, Vec<&Entry>> = BTreeMap::new();
        for entry in self.entries.iter().filter(|entry| counts(&entry.scope, &entry.key)) {
            found.entry(&entry.key).or_default().push(entry);
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
        let asked = ["config", "--list", "--show-scope", "--show-origin", "-z"];
        Ok(Config::parse(&self.git_at(git_dir).args(asked).output()?))
    }

    /// The filters that the repository's own settings name, and what each of them does: `clean`,
    /// `smudge` and `process` of one filter are three entries.
    pub fn own_filters(&self) -> Result<Vec<(String, String)>, Error> {
        let config = self.config(&self.layout().git_dir)?;
        let own = config.entries.iter().filter(|entry| {
            matches!(&entry.scope[..], b"local" | b"worktree") && !entry.value.is_empty()
        });
        let named = own.filter_map(|entry| {
            let (name, last) = entry.key.strip_prefix("filter.")?.rsplit_once('.')?;
            let is_run = matches!(last, "clean" | "smudge" | "process");
            is_run.then(|| (name.to_owned(), String::from_utf8_lossy(&entry.value).into_owned()))
        });
        Ok(named.collect())
    }

    /// Everything that is obeyed in the working tree at `layout`, by name.
    pub(crate) fn settings(&self, layout: &Layout, config: &Config, watch: &Watch) -> Vec<Setting> {
        let mut found = Vec::new();
        for (key, entries) in config.counting() {
            let values: Vec<&[u8]> = entries.iter().map(|entry| entry.value.as_slice()).collect();
            let said = entries.iter().map(|entry| Said {
                // Git names files from where it was started.
                at: Some(PathText::from(&*layout.git_dir.join(as_path(&entry.file)))),
                text: Some(PathText::new(entry.value.as_slice())),
            });
            found.push(Setting {
                name: PathText::new(format!("config {key}")),
                digest: Digest::of(&values.join(&0)),
                said: said.collect(),
            });
        }
        let hooks = config.last("core.hookspath");
        let hooks = hooks.map_or_else(
            || layout.common_dir.join("hooks"),
            |path| layout.worktree.join(as_path(path)),
        );
        add_hooks(&hooks, &mut found);
        for name in ["info/attributes", "info/grafts", "objects/info/alternates"] {
            found.extend(file(name.as_bytes(), &layout.common_dir.join(name)));
        }
        let sparse = "info/sparse-checkout";
        found.extend(file(sparse.as_bytes(), &layout.git_dir.join(sparse)));
        let own = config.last("core.attributesfile");
        let attributes = self.user_file(own, "attributes");
        if !attributes.is_empty() {
            let at = self.user_path(own, "attributes").map(|path| PathText::from(&*path));
            found.push(Setting {
                name: PathText::from("the user's attributes"),
                digest: Digest::of(&attributes),
                said: vec![Said { at, text: Some(PathText::new(attributes)) }],
            });
        }
        if let Some(home) = self.variable("HOME") {
            for path in watch.home().flat_map(|pattern| expand(&home, pattern)) {
                let name = [b"~/", &path[..]].concat();
                found.extend(file(&name, &home.join(OsStr::from_bytes(&path))));
            }
        }
        found
    }
}

/// Adds every hook that git would run.
fn add_hooks(folder: &Path, found: &mut Vec<Setting>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        if !name.as_bytes().ends_with(b".sample") {
            found.extend(file(&[b"hooks/", name.as_bytes()].concat(), &entry.path()));
        }
    }
}

/// A file with its permission to be run, if it is there. One that can't be read counts by that
/// alone.
fn file(name: &[u8], path: &Path) -> Option<Setting> {
    let meta = fs::metadata(path).ok().filter(fs::Metadata::is_file)?;
    let text = read(path).ok().flatten();
    let said = Said { at: Some(PathText::from(path)), text: text.clone().map(PathText::new) };
    let mut bytes = text.unwrap_or_else(|| b"unreadable".to_vec());
    bytes.push(u8::from(meta.permissions().mode() & 0o111 != 0));
    let digest = Digest::of(&bytes);
    Some(Setting { name: PathText::new(name), digest, said: vec![said] })
}

/// Takes out of what settings say all that is long, looks like a secret, or is not asked for.
pub(crate) fn keep_said(settings: &mut [Setting], is_asked: impl Fn(&Setting) -> bool) {
    let scanner = Scanner::builtin();
    for setting in settings {
        if !is_asked(setting) {
            setting.said.clear();
            continue;
        }
        // A name can hold what its value means to hide, and both together tell more.
        let name = setting.name.as_bytes().to_vec();
        for said in &mut setting.said {
            let whole = |text: &PathText| [&name[..], b" = ", text.as_bytes()].concat();
            let is_kept = |text: &PathText| {
                text.as_bytes().len() <= MOST_SAID && !scanner.finds_any(&whole(text))
            };
            said.text = said.text.take().filter(is_kept);
        }
    }
}
