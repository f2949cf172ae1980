//! What the user's own repository is like, as far as an agent that writes there could profit from it.
//!
//! Cheap: two git processes at once that open no object, some small files, and one look at each tracked file
//! without reading it. Nothing of the user's runs because of it: no filter, no hook, no monitor.

mod files;
mod made;
mod more;
mod others;

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::thread;

use countersign_domain::id::Digest;
use countersign_domain::run::{Fingerprint, HEAD, OUR_BRANCHES, Obeyed, SHALLOW, Sort, is_obeyed};
use countersign_domain::secret::Scanner;

use crate::discover::{as_path, is_true, read};
use crate::error::Error;
use crate::keep::NAMESPACE;
use crate::position::SplitOnce as _;
use crate::repository::Repository;
use crate::settings::Config;

/// Of what is said, no more is told.
const MOST_SAID: usize = 200;
/// No more files of a folder with hooks are looked at, and none of a folder further down.
const MOST_HOOKS: usize = 200;
const DEEPEST: usize = 3;
/// What is larger is known by its size and its times.
const MOST_READ: u64 = 1 << 20;
/// Sections whose values are never told.
const SECRETIVE: &[&str] = &["credential", "http"];

impl Repository {
    /// The repository as it is now. `own` is where a run keeps what was handed over (`runs/ID`): while one of
    /// its agents works, nobody else writes there. Files that were not as git last saw them `earlier` are
    /// looked at again.
    pub fn fingerprint(
        &self,
        own: &str,
        earlier: Option<&Fingerprint>,
    ) -> Result<Fingerprint, Error> {
        let git_dir = &self.layout().git_dir;
        self.expect_files()?;
        let (config, listed) = thread::scope(|scope| {
            let listed = scope.spawn(|| {
                let asked = ["for-each-ref", "--format=%(objectname) %(refname)"];
                self.git().args(asked).outcome()?.heard()
            });
            let config = self.config(git_dir);
            (config, listed.join())
        });
        let (config, (listed, warned)) = (config?, listed.unwrap_or_else(|_| Ok(<_>::default()))?);
        let mut print = Fingerprint { obeyed: settings(&config), ..Fingerprint::default() };
        self.add_hooks(&config, &mut print.obeyed);
        self.add_files(&config, &mut print.obeyed);
        self.add_others(&mut print.obeyed);
        add_refs(&listed, own, &mut print);
        self.add_unreadable(&warned, own, &mut print);
        print.refs.insert(HEAD.to_owned(), self.standing_on()?);
        let is_sparse = config.last("core.sparsecheckout").is_some_and(is_true);
        self.add_index(is_sparse, earlier, &mut print)?;
        Ok(print)
    }

    /// Git waits for ever for a pipe in the place of one of its own files.
    fn expect_files(&self) -> Result<(), Error> {
        let layout = self.layout();
        let common = ["config", "packed-refs", "shallow"].map(|name| layout.common_dir.join(name));
        let own = ["HEAD", "index", "config.worktree"].map(|name| layout.git_dir.join(name));
        let waits = |path: &PathBuf| {
            let kind = fs::metadata(path).map(|found| found.file_type());
            kind.is_ok_and(|kind| !kind.is_file() && !kind.is_dir())
        };
        match common.into_iter().chain(own).find(waits) {
            Some(path) => Err(Error::Blocking { path }),
            None => Ok(()),
        }
    }

    /// What `HEAD` says.
    fn standing_on(&self) -> Result<String, Error> {
        let text = read(&self.layout().git_dir.join("HEAD"))?.unwrap_or_default();
        let text = String::from_utf8_lossy(text.trim_ascii()).into_owned();
        // What stands there where references are kept in another way.
        if text != "ref: refs/heads/.invalid" {
            return Ok(text);
        }
        let outcome = self.git().args(["symbolic-ref", "--quiet", "HEAD"]).outcome()?;
        if outcome.status.success() {
            let name = String::from_utf8_lossy(outcome.stdout.trim_ascii()).into_owned();
            return Ok(format!("ref: {name}"));
        }
        Ok(self.peel("HEAD")?.map_or_else(String::new, |commit| commit.to_string()))
    }

    /// The hooks of the repository, and those of another folder that the settings name.
    fn add_hooks(&self, config: &Config, found: &mut Vec<Obeyed>) {
        let layout = self.layout();
        let own = layout.common_dir.join("hooks");
        more::link(&own, "hooks", found);
        hooks_in(&own, "hooks", found);
        if let Some(path) = config.last("core.hookspath").filter(|path| !path.is_empty()) {
            let folder = match path {
                [b'~', b'/', rest @ ..] => {
                    self.variable("HOME").map(|home| home.join(as_path(rest)))
                }
                path => Some(layout.worktree.join(as_path(path))),
            };
            if let Some(folder) = folder.filter(|folder| *folder != own).map(more::whole) {
                more::link(&folder, &folder.to_string_lossy(), found);
                hooks_in(&folder, &folder.to_string_lossy(), found);
            }
        }
    }

    fn add_files(&self, config: &Config, found: &mut Vec<Obeyed>) {
        let layout = self.layout();
        let common =
            ["info/attributes", "info/exclude", "info/grafts", "objects/info/alternates", SHALLOW];
        let common = common.map(|name| (name.to_owned(), layout.common_dir.join(name)));
        let own = ("info/sparse-checkout".to_owned(), layout.git_dir.join("info/sparse-checkout"));
        let user = [("core.attributesfile", "attributes"), ("core.excludesfile", "ignore")];
        let user = user.into_iter().filter_map(|(key, name)| {
            let path = self.user_path(config.last(key), name)?;
            Some((path.to_string_lossy().into_owned(), path))
        });
        for (name, path) in common.into_iter().chain([own]).chain(user) {
            let Some(digest) = digest_of(&path) else { continue };
            let text = read(&path).ok().flatten();
            let rules = more::rules(text.as_deref().unwrap_or_default());
            // Without a rule it is as if it were not there.
            if text.is_some() && rules.is_empty() {
                continue;
            }
            let digest = text.map_or(digest, |_| Digest::of(rules.join("\n").as_bytes()));
            let said = told("", &rules.join("; "));
            found.push(Obeyed { sort: Sort::File, name, digest, said });
        }
        self.add_conditional(config, found);
        more::add_locks(layout, found);
    }
}

/// What the settings say that are obeyed, each name with all of its values.
fn settings(config: &Config) -> Vec<Obeyed> {
    let mut all: BTreeMap<String, (&str, Vec<&[u8]>)> = BTreeMap::new();
    for (scope, key, value) in config.said().filter(|(_, key, _)| is_obeyed(key)) {
        let name = match scope {
            b"local" => key.to_owned(),
            scope => format!("{key} ({})", String::from_utf8_lossy(scope)),
        };
        all.entry(name).or_insert((key, Vec::new())).1.push(value);
    }
    let each = all.into_iter().map(|(name, (key, values))| {
        let digest = Digest::of(&values.join(&0));
        let section = key.split('.').next().unwrap_or_default();
        let said = if SECRETIVE.contains(&section) {
            "a value that is not told".to_owned()
        } else {
            told(&format!("{key} = "), &String::from_utf8_lossy(&values.join(&b", "[..])))
        };
        // A name can hold a secret as well: `url.https://TOKEN@host/.insteadOf`.
        let name = Scanner::builtin().redact(&name).into_owned();
        Obeyed { sort: Sort::Setting, name, digest, said }
    });
    each.collect()
}

/// `text` in short and without secrets; `name` is what it belongs to, which may show that it is one.
fn told(name: &str, text: &str) -> String {
    let whole = format!("{name}{}", text.replace(['\n', '\r'], " "));
    let safe = Scanner::builtin().redact(&whole);
    let said = safe.strip_prefix(name).unwrap_or("a value that is not told");
    let mut short: String = said.chars().take(MOST_SAID).collect();
    if short.len() < said.len() {
        short.push('…');
    }
    if short.is_empty() { "an empty value".to_owned() } else { short }
}

/// Adds what lies in a folder of hooks, and what hooks there may call.
fn hooks_in(folder: &Path, name: &str, found: &mut Vec<Obeyed>) {
    let mut left = MOST_HOOKS;
    let mut waiting = vec![(folder.to_owned(), name.to_owned(), 0)];
    while let Some((folder, name, depth)) = waiting.pop() {
        let entries = fs::read_dir(&folder).into_iter().flatten().flatten();
        let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
        paths.sort();
        for path in paths.into_iter().filter(|path| !is_sample(path)) {
            let own = path.file_name().unwrap_or_default().to_string_lossy();
            let name = format!("{name}/{own}");
            if path.is_dir() {
                if depth < DEEPEST {
                    waiting.push((path, name, depth + 1));
                }
                continue;
            }
            let (Some(digest), Some(next)) = (digest_of(&path), left.checked_sub(1)) else {
                continue;
            };
            left = next;
            let said = fs::metadata(&path).map_or_else(
                |_| "something that can't be read".to_owned(),
                |meta| {
                    let runs = if is_run(&meta) { "that may run" } else { "that may not run" };
                    format!("{} {runs}", more::bytes(meta.len()))
                },
            );
            found.push(Obeyed { sort: Sort::Hook, name, digest, said });
        }
    }
}

/// What git lays there for people to read never runs.
fn is_sample(path: &Path) -> bool {
    path.as_os_str().as_bytes().ends_with(b".sample")
}

fn is_run(meta: &fs::Metadata) -> bool {
    meta.permissions().mode() & 0o111 != 0
}

/// What is in a file and whether it may run; nothing if there is none.
fn digest_of(path: &Path) -> Option<Digest> {
    // Of a link that leads nowhere, where it would lead is all there is.
    let Ok(meta) = fs::metadata(path) else {
        let target = fs::read_link(path).ok()?;
        return Some(Digest::of(&[b"link ", target.as_os_str().as_bytes()].concat()));
    };
    if meta.is_dir() {
        return None;
    }
    let is_read = meta.is_file() && meta.len() <= MOST_READ;
    let text = if is_read { read(path).ok().flatten() } else { None };
    let text = text.unwrap_or_else(|| {
        let known = (meta.len(), meta.ino(), meta.mtime(), meta.ctime(), meta.ctime_nsec());
        format!("unread {known:?}").into_bytes()
    });
    Some(Digest::of(&[&text[..], &[0, u8::from(is_run(&meta))]].concat()))
}

/// Adds the references; of ours, those that belong to the run `own`.
fn add_refs(listed: &[u8], own: &str, print: &mut Fingerprint) {
    for line in listed.split(|byte| *byte == b'\n') {
        let Some((object, name)) = line.split_once_byte(b' ') else { continue };
        let (object, name) = (String::from_utf8_lossy(object), String::from_utf8_lossy(name));
        let sort = match &*name {
            name if is_own(name, own) => Sort::Own,
            name if name.starts_with("refs/replace/") => Sort::Replaced,
            // Those of other runs, of sessions and of seals: they come and go with their own commands.
            name if name.starts_with(NAMESPACE) => continue,
            _ => {
                print.refs.insert(name.into_owned(), object.into_owned());
                continue;
            }
        };
        let digest = Digest::of(object.as_bytes());
        let name = name.strip_prefix("refs/replace/").unwrap_or(&name).to_owned();
        let said = object.chars().take(12).collect();
        print.obeyed.push(Obeyed { sort, name, digest, said });
    }
}

/// Whether only the run `own` makes this reference: what it keeps, and the branch that it makes when it is
/// accepted. One below that branch would keep it from being made.
pub(super) fn is_own(name: &str, own: &str) -> bool {
    let kept = name.strip_prefix(NAMESPACE).and_then(|name| name.strip_prefix(own));
    let run = own.strip_prefix("runs/");
    let branch =
        name.strip_prefix(OUR_BRANCHES).zip(run).and_then(|(name, run)| name.strip_prefix(run));
    kept.is_some_and(|rest| rest.starts_with('/'))
        || branch.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}
