//! The trees that checks run on besides the base and what was handed over: new code with old
//! tests, and old code with new tests.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};

use countersign_domain::ObjectId;
use countersign_domain::verify::Ground;
use countersign_gaming::probe::{self, Known, Other};
use countersign_gaming::variation::{self, Step};
use countersign_gaming::{Language, Role, documented, expectation, role, settings};
use countersign_git::{Change, Edit, Listed, Side};

use super::Work;
use super::edits::{self, File, Files};
use super::mutants::{self, Breakable};
use crate::error::Result;

/// The trees of a verification, by ground.
pub(super) struct Grounds {
    trees: BTreeMap<Ground, ObjectId>,
    /// The new and the old code with values that are further off, for when the first say too little.
    pub further: Option<(ObjectId, ObjectId)>,
    /// Whether code of the product was changed.
    pub has_product: bool,
    /// The base's code with the new tests.
    pub red: ObjectId,
    /// The changed code, as it was handed over.
    code: Vec<(String, Vec<u8>)>,
    /// What tests may be given other values for: much is read for it, and few verifications get so far.
    known: OnceCell<Known>,
    /// Where tests are all that was done: the product, broken on purpose.
    pub breakable: Option<Breakable>,
}

impl Grounds {
    pub(super) fn tree(&self, ground: Ground) -> Option<&ObjectId> {
        self.trees.get(&ground)
    }

    /// What the old code and the task know, and what is new in the code.
    pub(super) fn known(&self, work: &Work<'_>) -> Result<&Known> {
        if let Some(known) = self.known.get() {
            return Ok(known);
        }
        let mut known = Known::default();
        if self.has_product {
            let old = old_code(work)?;
            known = Known::of(&borrowed(&old), &borrowed(&self.code), work.terms.heeded());
        }
        Ok(self.known.get_or_init(|| known))
    }
}

fn borrowed(files: &[(String, Vec<u8>)]) -> Vec<(&str, &[u8])> {
    files.iter().map(|(path, bytes)| (path.as_str(), bytes.as_slice())).collect()
}

/// What the base's side of it is run with, in the clean room.
pub(super) fn is_protected(role: Role) -> bool {
    matches!(role, Role::Test | Role::Fixture | Role::Snapshot | Role::RunnerConfig)
}

/// Files that say what `make test` and its like run. In the clean room they are the base's.
fn is_task_file(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path).to_lowercase();
    matches!(
        name.as_str(),
        "makefile" | "gnumakefile" | "justfile" | ".justfile" | "taskfile.yml" | "taskfile.yaml"
    )
}

/// What new tests need to be run with old code.
fn is_of_tests(role: Role) -> bool {
    matches!(role, Role::Test | Role::Fixture | Role::Snapshot)
}

/// Puts the trees together. A ground that is another ground's tree has that tree. Where no code differs,
/// there is broken code as well.
pub(super) fn make(
    work: &Work<'_>,
    changes: &[Change],
    (files, tests): (&Files, &[(String, Vec<u8>)]),
    has_code: bool,
) -> Result<Grounds> {
    let repository = &work.engine.repository;
    let (base, handed) = (&work.terms.base_tree, &work.tree);
    let (mut room, mut red) = (Vec::new(), Vec::new());
    for change in changes {
        let Some(file) = files.file(&change.path) else { continue };
        let edit = |to: &Option<Side>| Edit { path: change.path.clone(), to: to.clone() };
        let is_named = work.is_put_back(&file.path);
        if is_protected(file.role) || is_task_file(&file.path) || is_named {
            room.push(edit(&change.old));
        }
        if is_of_tests(file.role) {
            red.push(edit(&change.new));
        }
        if let Some((old, new)) = exchanged(file) {
            // One file holds both: its tests are put into the other side's code.
            let put = |edits: &mut Vec<Edit>, text: &[u8], like: &Option<Side>| -> Result<()> {
                let Some(like) = like else { return Ok(()) };
                let side = Side { mode: like.mode, object: repository.store(text)? };
                edits.push(Edit { path: change.path.clone(), to: Some(side) });
                Ok(())
            };
            put(&mut room, &old, &change.new)?;
            put(&mut red, &new, &change.old)?;
        }
    }
    let scratch = work.scratch();
    let mut trees = BTreeMap::new();
    trees.insert(Ground::Base, base.clone());
    trees.insert(Ground::Handed, handed.clone());
    trees.insert(Ground::Room, repository.compose(handed, &room, &scratch)?);
    let red = repository.compose(base, &red, &scratch)?;
    let shared = edits::shared(files, tests, work.terms.heeded());
    for (ground, tree) in [(Ground::Varied, handed), (Ground::VariedBase, &red)] {
        if let Some(tree) = varied(work, tree, (&shared, Step::Near))? {
            trees.insert(ground, tree);
        }
    }
    let far = (&shared[..], Step::Far);
    let further = varied(work, handed, far)?.zip(varied(work, &red, far)?);
    if red != *base {
        trees.insert(Ground::Red, red.clone());
    }
    let has_product = files.iter().any(|file| file.role == Role::Product);
    let code = files.iter().filter(|file| is_code(&file.path));
    let code = code.filter_map(|file| Some((file.path.clone(), file.after.clone()?))).collect();
    let breakable = if has_code { None } else { mutants::find(work, (files, tests))? };
    let known = OnceCell::new();
    Ok(Grounds { trees, further, has_product, red, code, known, breakable })
}

/// So many files of the product are read for what they know.
const MOST_KNOWN: usize = 400;

fn is_code(path: &str) -> bool {
    Language::of(path).is_code() && role(path) == Role::Product
}

/// The code of the product as it was.
fn old_code(work: &Work<'_>) -> Result<Vec<(String, Vec<u8>)>> {
    let listed = work.engine.repository.list(&work.terms.base_tree)?;
    let old = read(work, &listed, (is_code, MOST_KNOWN))?;
    Ok(old.into_iter().map(|(one, bytes)| (one.path.to_string_lossy().into(), bytes)).collect())
}

/// The files that are `wanted`, at most so many, with what is in them: one process reads them all.
pub(super) fn read<'l>(
    work: &Work<'_>,
    listed: &'l [Listed],
    (wanted, most): (impl Fn(&str) -> bool, usize),
) -> Result<Vec<(&'l Listed, Vec<u8>)>> {
    let files = listed.iter().filter(|one| one.path.to_str().is_some_and(&wanted));
    let files: Vec<&Listed> = files.take(most).collect();
    let objects: Vec<&ObjectId> = files.iter().map(|one| &one.side.object).collect();
    let contents = work.engine.repository.contents(&objects)?;
    Ok(files.into_iter().zip(contents).filter_map(|(one, bytes)| Some((one, bytes?))).collect())
}

/// A tree in which each check of the tests of these bare names is a test of its own, with other values if
/// that is asked for; nothing if no value can be another one.
pub(super) fn single(
    work: &Work<'_>,
    tree: &ObjectId,
    (names, other): (&BTreeSet<String>, Option<(&Known, Other)>),
) -> Result<Option<ObjectId>> {
    let repository = &work.engine.repository;
    let mut edits = Vec::new();
    let mut is_other = other.is_none();
    let listed = repository.list(tree)?;
    for (one, bytes) in read(work, &listed, (variation::is_read, MOST_VARIED))? {
        let path = one.path.to_string_lossy();
        let copied = probe::single(&path, &bytes, &|name| names.contains(name));
        let varied = other
            .and_then(|other| probe::probed(&path, copied.as_deref().unwrap_or(&bytes), other));
        is_other |= varied.is_some();
        if let Some(text) = varied.or(copied) {
            let side = Side { mode: one.side.mode, object: repository.store(&text)? };
            edits.push(Edit { path: one.path.clone(), to: Some(side) });
        }
    }
    if !is_other {
        return Ok(None);
    }
    Ok(Some(repository.compose(tree, &edits, &work.scratch())?))
}

/// The names of the tests, and of those that their single checks become, that add up what comes out and
/// compare it with what went in; none where the task does not say that it must.
pub(super) fn adding(work: &Work<'_>, names: &BTreeSet<String>) -> Result<BTreeSet<String>> {
    let mut found = BTreeSet::new();
    if !probe::must_add_up(work.terms.heeded()) {
        return Ok(found);
    }
    let listed = work.engine.repository.list(&work.tree)?;
    for (one, bytes) in read(work, &listed, (variation::is_read, MOST_VARIED))? {
        let path = one.path.to_string_lossy();
        let copied = probe::single(&path, &bytes, &|name| names.contains(name));
        found.extend(probe::adding_up(&path, copied.as_deref().unwrap_or(&bytes)));
    }
    Ok(found)
}

/// So many files are looked through for values to exchange.
const MOST_VARIED: usize = 300;

/// A tree with other values in its tests, where the code names theirs.
fn varied(
    work: &Work<'_>,
    tree: &ObjectId,
    (shared, step): (&[String], Step),
) -> Result<Option<ObjectId>> {
    if shared.is_empty() {
        return Ok(None);
    }
    let repository = &work.engine.repository;
    let mut edits = Vec::new();
    let listed = repository.list(tree)?;
    for (one, bytes) in read(work, &listed, (variation::is_read, MOST_VARIED))? {
        let path = one.path.to_string_lossy();
        if let Some(text) = variation::varied(&path, &bytes, (shared, step)) {
            let side = Side { mode: one.side.mode, object: repository.store(&text)? };
            edits.push(Edit { path: one.path.clone(), to: Some(side) });
        }
    }
    if edits.is_empty() {
        return Ok(None);
    }
    Ok(Some(repository.compose(tree, &edits, &work.scratch())?))
}

/// What was handed over with wrong expectations in the tests of these bare names, and the names of
/// those that have one now.
pub(super) fn wrong(
    work: &Work<'_>,
    names: &BTreeSet<String>,
) -> Result<Option<(ObjectId, BTreeSet<String>)>> {
    let repository = &work.engine.repository;
    let (mut edits, mut exchanged) = (Vec::new(), BTreeSet::new());
    let listed = repository.list(&work.tree)?;
    for (one, bytes) in read(work, &listed, (variation::is_read, MOST_VARIED))? {
        let path = one.path.to_string_lossy();
        let wanted = |name: &str| names.contains(name);
        if let Some((text, tests)) = expectation::exchanged(&path, &bytes, &wanted) {
            let side = Side { mode: one.side.mode, object: repository.store(&text)? };
            edits.push(Edit { path: one.path.clone(), to: Some(side) });
            exchanged.extend(tests);
        }
    }
    if edits.is_empty() {
        return Ok(None);
    }
    let tree = repository.compose(&work.tree, &edits, &work.scratch())?;
    Ok(Some((tree, exchanged)))
}

/// A file that holds tests, or settings of their runner, beside something else: the new file with the old
/// ones, and the old file with the new ones.
fn exchanged(file: &File) -> Option<(Vec<u8>, Vec<u8>)> {
    let apart = inline(file).or_else(|| manifest(file));
    if file.role != Role::Product || Language::of(&file.path) != Language::Rust {
        return apart;
    }
    let (before, after) = (file.before.as_ref()?, file.after.as_ref()?);
    let (room, red) = apart.clone().unwrap_or_else(|| (after.clone(), before.clone()));
    let put = |code: &[u8], other: &[u8]| {
        let (code, other) = (str::from_utf8(code).ok()?, str::from_utf8(other).ok()?);
        documented(code, other).map(String::into_bytes)
    };
    put(&room, before).zip(put(&red, after)).or(apart)
}

/// A manifest with settings of the runner in it: each side's, with the other's settings.
fn manifest(file: &File) -> Option<(Vec<u8>, Vec<u8>)> {
    let (before, after) = (file.before.as_ref()?, file.after.as_ref()?);
    if file.role != Role::BuildConfig {
        return None;
    }
    let (old, new) = (str::from_utf8(before).ok()?, str::from_utf8(after).ok()?);
    let put = |rest, settings| settings::with(&file.path, rest, settings).map(String::into_bytes);
    put(new, old).zip(put(old, new))
}

/// A product file with tests in it: its new code with the old tests, and its old code with the
/// new tests. Only where both sides have one stretch of tests, so that it is clear what goes where.
fn inline(file: &File) -> Option<(Vec<u8>, Vec<u8>)> {
    let (before, after) = (file.before.as_ref()?, file.after.as_ref()?);
    let stretch = |bytes: &[u8]| {
        let outline = countersign_gaming::outline(&file.path, bytes);
        match &outline.inline[..] {
            [one] => Some(one.clone()),
            _ => None,
        }
    };
    if file.role != Role::Product {
        return None;
    }
    let (old, new) = (stretch(before), stretch(after));
    let put = |code: &[u8], place: &std::ops::Range<usize>, tests: &[u8]| {
        [&code[..place.start], tests, &code[place.end..]].concat()
    };
    match (old, new) {
        (Some(old), Some(new)) => {
            let (old_tests, new_tests) = (&before[old.clone()], &after[new.clone()]);
            (old_tests != new_tests)
                .then(|| (put(after, &new, old_tests), put(before, &old, new_tests)))
        }
        // Tests where there were none, or none where there were some.
        (None, Some(new)) => {
            Some((put(after, &new, b""), [&before[..], b"\n", &after[new]].concat()))
        }
        (Some(old), None) => {
            Some(([&after[..], b"\n", &before[old.clone()]].concat(), put(before, &old, b"")))
        }
        (None, None) => None,
    }
}
