//! Whether recorded objects have the content that their names say.
//!
//! Git believes its own store: whoever can write there can put other content under an old name,
//! and nothing notices when it is read back. So what is to be believed is hashed here, lists of
//! files as well as files. One process reads everything, and is asked ahead of its answers.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;

use countersign_domain::id::ObjectId;
use countersign_domain::snapshot::{PathText, Recorded};

use crate::between::pairs;
use crate::command::Git;
use crate::error::Error;
use crate::repository::Repository;
use crate::tree::table::join;

mod hearing;
pub(crate) mod settled;

use hearing::{Answer, Hearing};
use settled::Store;

/// What is larger is not shown in a difference, and therefore not read for one.
const MOST_OF_FILE: u64 = 16 << 20;

const MODE_TREE: u32 = 0o040_000;
const MODE_GITLINK: u32 = 0o160_000;

/// An object that is not what its name says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Forged {
    /// What was recorded with it; empty for the list of files at the top.
    pub path: PathText,
    pub object: ObjectId,
    pub fault: Fault,
    /// Whether only the later of two trees has it.
    pub is_later: bool,
}

/// What is wrong with an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// It has a content that belongs to another name.
    Forged,
    Missing,
    /// Git can't make sense of what is stored.
    Unreadable,
}

impl Fault {
    pub fn words(self) -> &'static str {
        match self {
            Self::Forged => "was replaced by another content",
            Self::Missing => "is missing",
            Self::Unreadable => "can't be read",
        }
    }
}

impl Repository {
    /// The objects of `tree` and of everything in it that are not what their names say.
    pub fn forged(&self, tree: &ObjectId) -> Result<Vec<Forged>, Error> {
        let mut walk = Walk::new(|| self.git());
        walk.down(b"", &[Some(tree)])?;
        walk.files(None)
    }

    /// The same for several trees at once; each object is read once, and none of those that are
    /// `known` to be genuine, or were found so and can't have been changed since.
    pub fn forged_in(
        &self,
        trees: &[&ObjectId],
        known: &HashSet<ObjectId>,
    ) -> Result<Vec<Forged>, Error> {
        let store = Store::of(self);
        let is_told = store.is_some();
        let (mut settled, changed) = self.memory.take_settled().until(store.unwrap_or_default());
        let mut walk = Walk::new(|| self.git());
        if !walk.are_genuine(&changed)? {
            settled.doubt(&changed);
        }
        walk.passed = settled.take_trees();
        for tree in trees {
            walk.down(b"", &[Some(tree)])?;
        }
        let (passed, lists) = (std::mem::take(&mut walk.passed), std::mem::take(&mut walk.read));
        let is_known = |object: &ObjectId| known.contains(object) || settled.has(object);
        walk.files.retain(|object, _| !is_known(object));
        let read: Vec<ObjectId> = walk.files.keys().cloned().collect();
        let found = walk.files(None)?;
        if !found.is_empty() {
            self.memory.forget_trees();
        } else if is_told {
            // What is `known` is so of a file somewhere, not of the store.
            let lists = if known.is_empty() { lists } else { HashSet::new() };
            settled.add(read.into_iter(), (passed, lists));
            self.memory.keep_settled(settled);
        }
        Ok(found)
    }

    /// The same for all that was recorded, but for the bytes that git does not have.
    pub fn forged_of(&self, recorded: &Recorded) -> Result<Vec<Forged>, Error> {
        let mut walk = Walk::new(|| self.git());
        for ground in &recorded.grounds {
            walk.down(ground.path.as_bytes(), &[Some(&ground.tree)])?;
        }
        walk.files(None)
    }

    /// The same for the bytes that git does not have, which lie in `store`.
    pub fn forged_raw(&self, store: &Path, recorded: &Recorded) -> Result<Vec<Forged>, Error> {
        let mut walk = Walk::new(|| self.git().env("GIT_OBJECT_DIRECTORY", store));
        for ground in &recorded.grounds {
            if let Some(tree) = &ground.raw {
                walk.down(ground.path.as_bytes(), &[Some(tree)])?;
            }
        }
        walk.files(None)
    }

    /// The same for what a difference of two moments is made from.
    pub fn forged_between(&self, from: &Recorded, to: &Recorded) -> Result<Vec<Forged>, Error> {
        let mut walk = Walk::new(|| self.git());
        for pair in pairs(from, to)? {
            walk.down(pair.path.as_bytes(), &[Some(&pair.from), Some(&pair.to)])?;
        }
        let objects: Vec<ObjectId> = walk.files.keys().cloned().collect();
        let sizes = self.sizes(&objects.iter().collect::<Vec<_>>())?;
        walk.files(Some(&objects.into_iter().zip(sizes).collect()))
    }
}

/// A path, and in which of the trees it is.
type Place = (Vec<u8>, usize);

/// The same path in one tree or in two.
type Sides = Vec<Option<ObjectId>>;

/// A way down one tree, or two at once: what both have is passed over.
struct Walk<G> {
    hearing: Hearing<G>,
    found: Vec<Forged>,
    /// The files that are yet to be read.
    files: HashMap<ObjectId, Vec<Place>>,
    /// Lists of files of which nothing has to be read.
    passed: HashSet<ObjectId>,
    /// The others.
    read: HashSet<ObjectId>,
}

impl<G: Fn() -> Git> Walk<G> {
    fn new(git: G) -> Self {
        let (files, passed, read) = (HashMap::new(), HashSet::new(), HashSet::new());
        Self { hearing: Hearing::new(git), found: Vec::new(), files, passed, read }
    }

    /// Whether all of these objects are what their names say.
    fn are_genuine(&mut self, objects: &[ObjectId]) -> Result<bool, Error> {
        let answers = self.hearing.ask(&objects.iter().collect::<Vec<_>>(), false)?;
        Ok(answers.iter().all(|answer| matches!(answer, Answer::File | Answer::Tree(_))))
    }

    /// Reads the lists of files, level by level.
    fn down(&mut self, above: &[u8], roots: &[Option<&ObjectId>]) -> Result<(), Error> {
        let mut level: Vec<(Vec<u8>, Sides)> =
            vec![(above.to_vec(), roots.iter().map(|root| root.cloned()).collect())];
        while !level.is_empty() {
            let mut next = Vec::new();
            let trees = self.lists(&level)?;
            for (path, sides) in &level {
                let lists: Vec<_> =
                    sides.iter().map(|tree| tree.as_ref().and_then(|id| trees.get(id))).collect();
                next.extend(self.sort_in(path, &lists));
            }
            level = next;
        }
        Ok(())
    }

    /// The lists of one level that are what their names say; the others are told.
    fn lists(
        &mut self,
        level: &[(Vec<u8>, Sides)],
    ) -> Result<HashMap<ObjectId, Vec<Entry>>, Error> {
        let mut asked: HashMap<ObjectId, Vec<Place>> = HashMap::new();
        for (path, sides) in level {
            for (side, tree) in sides.iter().enumerate() {
                if let Some(tree) = tree.as_ref().filter(|tree| !self.passed.contains(*tree)) {
                    asked.entry(tree.clone()).or_default().push((path.clone(), side));
                }
            }
        }
        let objects: Vec<&ObjectId> = asked.keys().collect();
        let answers = self.hearing.ask(&objects, true)?;
        let mut lists = HashMap::new();
        for (object, answer) in objects.into_iter().zip(answers) {
            let list = match &answer {
                Answer::Tree(content) => entries(content, object.as_str().len() / 2),
                _ => None,
            };
            match list {
                Some(list) => {
                    self.read.insert(object.clone());
                    lists.insert(object.clone(), list);
                }
                None => tell(&mut self.found, (object, answer), &asked[object]),
            }
        }
        Ok(lists)
    }

    /// Notes the files of one folder, and gives the folders in it.
    fn sort_in(&mut self, path: &[u8], lists: &[Option<&Vec<Entry>>]) -> Vec<(Vec<u8>, Sides)> {
        let mut by_name: BTreeMap<&[u8], Vec<Option<&Entry>>> = BTreeMap::new();
        for (side, list) in lists.iter().enumerate() {
            for entry in list.iter().copied().flatten() {
                let sides = by_name.entry(&entry.name);
                sides.or_insert_with(|| vec![None; lists.len()])[side] = Some(entry);
            }
        }
        let mut folders = Vec::new();
        for (name, sides) in by_name {
            let object = |entry: Option<&Entry>| entry.map(|entry| entry.object.clone());
            if sides.len() > 1 && object(sides[0]) == object(sides[1]) {
                continue;
            }
            let whole = join(path, name);
            let trees: Sides = sides
                .iter()
                .map(|entry| object(entry.filter(|entry| entry.mode == MODE_TREE)))
                .collect();
            for (side, entry) in sides.iter().enumerate() {
                let is_file = |entry: &&Entry| !matches!(entry.mode, MODE_TREE | MODE_GITLINK);
                if let Some(entry) = entry.filter(|entry| is_file(entry)) {
                    let places = self.files.entry(entry.object.clone()).or_default();
                    places.push((whole.clone(), side));
                }
            }
            if trees.iter().any(Option::is_some) {
                folders.push((whole, trees));
            }
        }
        folders
    }

    /// Reads the files, and gives everything that was found. Files that `sizes` calls too large
    /// are left out.
    fn files(
        mut self,
        sizes: Option<&HashMap<ObjectId, Option<u64>>>,
    ) -> Result<Vec<Forged>, Error> {
        let is_small = |object: &ObjectId| {
            let size = sizes.and_then(|sizes| sizes.get(object).copied().flatten());
            size.is_none_or(|size| size <= MOST_OF_FILE)
        };
        let files = std::mem::take(&mut self.files);
        let objects: Vec<&ObjectId> = files.keys().filter(|object| is_small(object)).collect();
        let answers = self.hearing.ask(&objects, false)?;
        for (object, answer) in objects.into_iter().zip(answers) {
            if answer != Answer::File {
                tell(&mut self.found, (object, answer), &files[object]);
            }
        }
        self.found.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(self.found)
    }
}

fn tell(found: &mut Vec<Forged>, (object, answer): (&ObjectId, Answer), places: &[Place]) {
    let fault = match answer {
        Answer::Missing => Fault::Missing,
        Answer::Unreadable => Fault::Unreadable,
        // Of the right name, but of another kind than its list says.
        Answer::Forged | Answer::File | Answer::Tree(_) => Fault::Forged,
    };
    for (path, side) in places {
        let is_later = *side > 0 && !places.iter().any(|(_, side)| *side == 0);
        found.push(Forged {
            path: PathText::new(path.clone()),
            object: object.clone(),
            fault,
            is_later,
        });
    }
}

/// An entry of a list of files.
struct Entry {
    mode: u32,
    name: Vec<u8>,
    object: ObjectId,
}

/// Reads `<mode> <name>\0<object>`, again and again.
fn entries(mut rest: &[u8], hash_len: usize) -> Option<Vec<Entry>> {
    let mut found = Vec::new();
    while !rest.is_empty() {
        let space = rest.iter().position(|byte| *byte == b' ')?;
        let mode = u32::from_str_radix(str::from_utf8(&rest[..space]).ok()?, 8).ok()?;
        let zero = rest.iter().position(|byte| *byte == 0)?;
        let name = rest.get(space + 1..zero)?.to_vec();
        let object = rest.get(zero + 1..zero + 1 + hash_len)?;
        let object = data_encoding::HEXLOWER.encode(object).parse().ok()?;
        found.push(Entry { mode, name, object });
        rest = &rest[zero + 1 + hash_len..];
    }
    Some(found)
}
