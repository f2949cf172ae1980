//! The files of a tree: which there are, what stands in them, and what is odd about them.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

pub(super) use super::lookup::Lookup;
use super::toml;
use super::types::Evidence;
use crate::mistake::{Place, Warning, utf8};
use crate::yaml::{self, Node};

/// How many findings are told, how many files are read, and how deep folders are followed.
const MAX_FINDINGS: usize = 100;
const MAX_READ: usize = 5_000;
const MAX_DEPTH: usize = 32;

/// Whether a folder has code of others, or code that is only an example of something.
fn is_foreign(folder: &str) -> bool {
    matches!(
        folder,
        "node_modules"
            | "bower_components"
            | "vendor"
            | "third_party"
            | "third-party"
            | "target"
            | "dist"
            | ".venv"
            | "venv"
            | ".tox"
            | ".nox"
            | "site-packages"
            | "testdata"
            | "test-data"
            | "fixtures"
            | "__fixtures__"
            | "__mocks__"
            | "snapshots"
            | ".git"
            | ".next"
            | "Pods"
    )
}

/// Gives the content of a file.
pub(super) type Read<'a> = &'a dyn Fn(&str) -> Option<Vec<u8>>;

/// A tree, and what was noticed while it was read.
pub(super) struct Files<'a> {
    /// In order, each once.
    paths: Vec<&'a str>,
    /// Folders by the name of a file in them.
    by_name: HashMap<&'a str, Vec<&'a str>>,
    read: Read<'a>,
    texts: RefCell<BTreeMap<String, Option<Rc<str>>>>,
    documents: RefCell<BTreeMap<String, Option<Rc<Node>>>>,
    findings: RefCell<Vec<Warning>>,
}

impl<'a> Files<'a> {
    pub(super) fn new(paths: impl IntoIterator<Item = &'a str>, read: Read<'a>) -> Self {
        let mut paths: Vec<&str> = paths.into_iter().filter(|path| is_own(path)).collect();
        paths.sort_unstable();
        paths.dedup();
        let mut by_name: HashMap<&str, Vec<&str>> = HashMap::new();
        for path in &paths {
            let (folder, name) = split(path);
            by_name.entry(name).or_default().push(folder);
        }
        Self {
            paths,
            by_name,
            read,
            texts: RefCell::default(),
            documents: RefCell::default(),
            findings: RefCell::default(),
        }
    }

    /// The folders that have a file with this name, the upper ones first.
    pub(super) fn folders_with(&self, name: &str) -> &[&'a str] {
        self.by_name.get(name).map_or(&[], Vec::as_slice)
    }

    /// The folders that have any of these files.
    pub(super) fn folders_with_any(&self, names: &[&str]) -> BTreeSet<&'a str> {
        names.iter().flat_map(|name| self.folders_with(name)).copied().collect()
    }

    pub(super) fn has(&self, path: &str) -> bool {
        self.paths.binary_search(&path).is_ok()
    }

    /// The paths below `folder`, in order.
    pub(super) fn below(&self, folder: &str) -> impl Iterator<Item = &'a str> {
        let start = if folder.is_empty() { String::new() } else { format!("{folder}/") };
        self.from(&start).iter().copied().take_while(move |path| path.starts_with(&*start))
    }

    /// The paths from `start` on, in order.
    fn from(&self, start: &str) -> &[&'a str] {
        let at = self.paths.partition_point(|path| *path < start);
        self.paths.get(at..).unwrap_or_default()
    }

    /// The first of `names` that `folder` has, as a path.
    pub(super) fn first(&self, folder: &str, names: &[&str]) -> Option<String> {
        names.iter().map(|name| join(folder, name)).find(|path| self.has(path))
    }

    /// The first file directly in `folder` whose name begins with one of `starts`.
    pub(super) fn starting(&self, folder: &str, starts: &[&str]) -> Option<&'a str> {
        starts.iter().find_map(|start| {
            let start = join(folder, start);
            let found = self.from(&start).first().copied();
            found.filter(|path| path.starts_with(&*start) && split(path).0 == folder)
        })
    }

    /// The text of a file; what is no text or can't be read is a finding.
    pub(super) fn text(&self, path: &str) -> Option<Rc<str>> {
        if let Some(known) = self.texts.borrow().get(path) {
            return known.clone();
        }
        let text = self.read_text(path);
        self.texts.borrow_mut().insert(path.to_owned(), text.clone());
        text
    }

    fn read_text(&self, path: &str) -> Option<Rc<str>> {
        if !self.has(path) || self.texts.borrow().len() >= MAX_READ {
            return None;
        }
        let bytes = (self.read)(path)?;
        if bytes.len() > yaml::MAX_BYTES {
            let what = format!("it has {} bytes, and {} are read", bytes.len(), yaml::MAX_BYTES);
            self.odd((path, 1), &what, "name the commands below [project] in countersign.toml");
            return None;
        }
        match utf8(path, &bytes) {
            Ok(text) => Some(text.into()),
            Err(mistake) => {
                self.push(Warning::new((path, mistake.place), "", mistake.what, mistake.fix));
                None
            }
        }
    }

    /// A file in JSON or YAML, as far as it can be read.
    pub(super) fn yaml(&self, path: &str) -> Option<Rc<Node>> {
        self.document(path, |text| {
            let document = yaml::read(path, text);
            (document.root, document.mistakes)
        })
    }

    /// A file in strict JSON, as far as it can be read: what `whom` reads it with takes no more.
    pub(super) fn json(&self, path: &str, whom: &str) -> Option<Rc<Node>> {
        let is_new = !self.documents.borrow().contains_key(path);
        let node = self.yaml(path);
        let is_told = || self.findings.borrow().iter().any(|finding| finding.file == path);
        if is_new && !is_told() {
            let text = self.text(path)?;
            let text = text.trim_start_matches('\u{feff}');
            if let Err(error) = serde_json::from_str::<serde::de::IgnoredAny>(text) {
                let place = Place { line: error.line().max(1), column: error.column().max(1) };
                let what = format!("it is no JSON, and {whom} refuses it: {error}");
                let fix = "put it right; the rest of the file is used";
                self.push(Warning::new((path, place), "", what, fix));
            }
        }
        node
    }

    /// A file in TOML, as far as it can be read.
    pub(super) fn toml(&self, path: &str) -> Option<Rc<Node>> {
        self.document(path, |text| toml::read(path, text))
    }

    fn document(
        &self,
        path: &str,
        parse: impl Fn(&str) -> (Node, Vec<crate::mistake::Mistake>),
    ) -> Option<Rc<Node>> {
        if let Some(known) = self.documents.borrow().get(path) {
            return known.clone();
        }
        let node = self.text(path).map(|text| {
            let (node, mistakes) = parse(&text);
            for mistake in mistakes.into_iter().take(MAX_FINDINGS) {
                let key = mistake.key;
                self.push(Warning::new((path, mistake.place), key, mistake.what, mistake.fix));
            }
            Rc::new(node)
        });
        self.documents.borrow_mut().insert(path.to_owned(), node.clone());
        node
    }

    /// A line of a file, as evidence.
    pub(super) fn evidence(&self, path: &str, line: usize) -> Evidence {
        let text = self.text(path);
        let text = text.as_deref().unwrap_or_default();
        let text = text.lines().nth(line.saturating_sub(1)).unwrap_or_default();
        Evidence::new(path, line, text.trim())
    }

    /// Notes what is odd.
    pub(super) fn odd(&self, (path, line): (&str, usize), what: &str, fix: &str) {
        let place = Place { line, column: 1 };
        self.push(Warning::new((path, place), "", what, fix));
    }

    fn push(&self, finding: Warning) {
        let mut findings = self.findings.borrow_mut();
        if findings.len() < MAX_FINDINGS && !findings.contains(&finding) {
            findings.push(finding);
        }
    }

    pub(super) fn into_findings(self) -> Vec<Warning> {
        let mut findings = self.findings.into_inner();
        findings.sort();
        findings
    }
}

/// A path that is looked at: not code of others, not deeper than anybody goes.
fn is_own(path: &str) -> bool {
    let (folder, name) = split(path);
    !name.is_empty() && folder.split('/').count() <= MAX_DEPTH && !folder.split('/').any(is_foreign)
}

/// The folder and the name of a path.
pub(super) fn split(path: &str) -> (&str, &str) {
    path.rsplit_once('/').unwrap_or(("", path))
}

pub(super) fn join(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}

/// The folder that a relative path leads to; `None` if that is outside.
pub(super) fn walked(folder: &str, path: &str) -> Option<String> {
    let mut way: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(way.pop()?),
            part => way.push(part),
        }
    }
    Some(way.join("/"))
}

/// `folder` and every folder above it, the nearest first.
pub(super) fn upwards(folder: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(folder), |folder| (!folder.is_empty()).then(|| split(folder).0))
}

/// Whether `folder` lies below `above`.
pub(super) fn is_below(folder: &str, above: &str) -> bool {
    !folder.is_empty()
        && folder != above
        && (above.is_empty()
            || folder.strip_prefix(above).is_some_and(|rest| rest.starts_with('/')))
}
