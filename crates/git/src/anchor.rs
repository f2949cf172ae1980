//! Small files kept in a chain of commits under `refs/countersign/`, where a later rewrite of
//! the ledger would show.

use countersign_domain::id::ObjectId;
use data_encoding::HEXLOWER;

use crate::batch::{Batch, Object};
use crate::commit::{Identity, NewCommit};
use crate::error::Error;
use crate::keep::reference;
use crate::loose::{Kind, Made};
use crate::repository::Repository;

/// Names and contents.
type Files = Vec<(String, Vec<u8>)>;

/// One link of a chain: a commit and the files in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Anchor {
    pub commit: ObjectId,
    /// Names and contents.
    pub files: Vec<(String, Vec<u8>)>,
}

/// A link to be appended.
#[derive(Debug, Clone, Copy)]
pub struct NewAnchor<'a> {
    /// The tip that the caller has seen; `None` to begin a chain.
    pub previous: Option<&'a ObjectId>,
    /// Names without a slash, and contents.
    pub files: &'a [(&'a str, &'a [u8])],
    pub message: &'a str,
    /// Seconds since 1970.
    pub time_seconds: u64,
}

impl Repository {
    /// Appends a link to the chain `name`; [`Error::Moved`] when its tip is not `previous`.
    pub fn anchor(&self, name: &str, new: &NewAnchor<'_>) -> Result<ObjectId, Error> {
        let reference = reference(name)?;
        let commit = if self.is_shared()? { self.link_by_git(new)? } else { self.link(new)? };
        if self.update_expected(&moves(&reference, &commit, new.previous)) {
            return Ok(commit);
        }
        let outcome = self.update_ref(&reference, &commit, new.previous)?;
        if outcome.status.success() {
            return Ok(commit);
        }
        let found = self.anchor_tip(name)?;
        if found.as_ref() == Some(&commit) {
            // It was moved, and only that it was could not be told.
            return Ok(commit);
        }
        if found.as_ref() == new.previous {
            return Err(outcome.into_error());
        }
        Err(Error::Moved { name: name.to_owned(), found })
    }

    /// The last link of the chain `name`, if it has begun.
    pub fn anchor_tip(&self, name: &str) -> Result<Option<ObjectId>, Error> {
        self.peel(&reference(name)?)
    }

    /// The chains that are `prefix` or lie below it, with their tips.
    pub fn anchor_refs(&self, prefix: &str) -> Result<Vec<(String, ObjectId)>, Error> {
        self.kept(prefix)
    }

    /// All links of the chain `name`, oldest first; none when it has not begun.
    pub fn anchored(&self, name: &str) -> Result<Vec<Anchor>, Error> {
        let mut anchors = self.newest_anchors(name, usize::MAX)?;
        anchors.reverse();
        Ok(anchors)
    }

    /// The last link of the chain `name` with its files, if it has begun.
    pub fn newest_anchor(&self, name: &str) -> Result<Option<Anchor>, Error> {
        Ok(self.newest_anchors(name, 1)?.pop())
    }

    /// At most `most` links of the chain `name`, newest first.
    fn newest_anchors(&self, name: &str, most: usize) -> Result<Vec<Anchor>, Error> {
        let mut batch = Batch::start(self)?;
        let mut anchors = Vec::new();
        let mut next = batch.object(&reference(name)?)?;
        while let Some(commit) = next.filter(|_| anchors.len() < most) {
            let (tree, parent) = links(&commit).ok_or_else(|| broken(name, &commit.id))?;
            let files = files(&mut batch, &tree)?.ok_or_else(|| broken(name, &commit.id))?;
            next = match parent {
                Some(parent) => {
                    Some(batch.object(&parent)?.ok_or_else(|| broken(name, &commit.id))?)
                }
                None => None,
            };
            anchors.push(Anchor { commit: commit.id, files });
        }
        Ok(anchors)
    }

    /// Puts the objects of a link into the store: files, a tree in which they lie side by side, and a
    /// commit. Their names are known before they are there, so they are written at once.
    fn link(&self, new: &NewAnchor<'_>) -> Result<ObjectId, Error> {
        let digits = self.hash_len()? * 2;
        let (mut made, mut entries) = (Vec::new(), Vec::new());
        for (name, content) in new.files {
            let blob = Made::new(Kind::Blob, content, digits)?;
            entries.push((checked(name)?, blob.name.clone()));
            made.push(blob);
        }
        entries.sort();
        let tree = Made::new(Kind::Tree, &tree_of(&entries)?, digits)?;
        let commit = commit_of(new, &tree.name).to_string();
        let commit = Made::new(Kind::Commit, commit.as_bytes(), digits)?;
        let name = commit.name.clone();
        made.extend([tree, commit]);
        self.put(&made)?;
        Ok(name)
    }

    /// The same by git, which knows who else is to write there.
    fn link_by_git(&self, new: &NewAnchor<'_>) -> Result<ObjectId, Error> {
        let mut listing = String::new();
        for (name, content) in new.files {
            let asked = ["hash-object", "-w", "--no-filters", "--stdin"];
            let (name, git) = (checked(name)?, self.git());
            let blob = git.args(asked).input(*content).object()?;
            listing.push_str(&format!("100644 blob {blob}\t{name}\0"));
        }
        let tree = self.git().args(["mktree", "-z"]).input(listing).object()?;
        self.commit(&commit_of(new, &tree))
    }
}

fn commit_of<'a>(new: &NewAnchor<'a>, tree: &'a ObjectId) -> NewCommit<'a> {
    NewCommit {
        tree,
        parents: new.previous.map_or(&[], std::slice::from_ref),
        message: new.message,
        time_seconds: new.time_seconds,
        author: Identity::COUNTERSIGN,
        committer: Identity::COUNTERSIGN,
    }
}

/// The name of an anchored file, which lies beside the others.
fn checked(name: &str) -> Result<&str, Error> {
    if matches!(name, "" | "." | "..") || name.contains(['/', '\0']) || is_git(name) {
        return Err(Error::BadName { name: name.to_owned(), place: "for an anchored file" });
    }
    Ok(name)
}

/// The words that move a reference from where the caller has seen it.
fn moves(reference: &str, to: &ObjectId, from: Option<&ObjectId>) -> String {
    match from {
        Some(from) => format!("update {reference} {to} {from}\n"),
        None => format!("create {reference} {to}\n"),
    }
}

/// A tree as git keeps it: `<mode> <name>\0<id>`, over and over.
fn tree_of(entries: &[(&str, ObjectId)]) -> Result<Vec<u8>, Error> {
    let mut content = Vec::new();
    for (name, blob) in entries {
        content.extend(format!("100644 {name}\0").into_bytes());
        let id = HEXLOWER.decode(blob.as_str().as_bytes());
        content.extend(id.map_err(|error| Error::Failed {
            command: "write a tree".to_owned(),
            code: None,
            stderr: format!("{blob}: {error}"),
        })?);
    }
    Ok(content)
}

fn is_git(name: &str) -> bool {
    name.eq_ignore_ascii_case(".git")
}

/// The tree and the first parent of a commit.
fn links(commit: &Object) -> Option<(String, Option<String>)> {
    if commit.kind != "commit" {
        return None;
    }
    let head = String::from_utf8_lossy(&commit.content);
    let mut lines = head.lines();
    let tree = lines.next()?.strip_prefix("tree ")?.to_owned();
    let parent = lines.next().and_then(|line| line.strip_prefix("parent ")).map(str::to_owned);
    Some((tree, parent))
}

/// The files of a flat tree; `None` when something in it is missing or no file.
fn files(batch: &mut Batch, tree: &str) -> Result<Option<Files>, Error> {
    let Some(object) = batch.object(tree)? else {
        return Ok(None);
    };
    let Some(entries) = entries(&object.content, tree.len() / 2) else {
        return Ok(None);
    };
    let mut files = Vec::with_capacity(entries.len());
    for (name, id) in entries {
        match batch.object(&id)? {
            Some(blob) if blob.kind == "blob" => files.push((name, blob.content)),
            _ => return Ok(None),
        }
    }
    Ok(Some(files))
}

/// Reads `<mode> <name>\0<id>`, over and over.
fn entries(mut rest: &[u8], hash_len: usize) -> Option<Vec<(String, String)>> {
    let mut found = Vec::new();
    while !rest.is_empty() {
        let space = rest.iter().position(|byte| *byte == b' ')?;
        let end = rest.iter().position(|byte| *byte == 0)?;
        let name = String::from_utf8(rest.get(space + 1..end)?.to_vec()).ok()?;
        let id = rest.get(end + 1..end + 1 + hash_len)?;
        found.push((name, HEXLOWER.encode(id)));
        rest = &rest[end + 1 + hash_len..];
    }
    Some(found)
}

fn broken(name: &str, commit: &ObjectId) -> Error {
    Error::Failed {
        command: "git cat-file --batch".to_owned(),
        code: None,
        stderr: format!("the chain '{name}' is broken at {commit}: an object is missing or odd"),
    }
}
