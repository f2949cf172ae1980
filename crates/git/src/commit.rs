//! Commits and branches made from recorded trees.

use std::fmt;

use countersign_domain::id::ObjectId;

use crate::command::{Git, Outcome};
use crate::error::{Error, between, find};
use crate::repository::{Commit, Repository};

/// Who made a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Identity<'a> {
    pub name: &'a str,
    pub email: &'a str,
}

impl Identity<'static> {
    /// The identity of what we make ourselves.
    pub const COUNTERSIGN: Self = Self { name: "Countersign", email: "countersign@localhost" };

    /// Nobody in particular, for checkouts that are not to be known as ours.
    pub const PLAIN: Self = Self { name: "Developer", email: "developer@localhost" };
}

/// A commit to be made. The same input gives the same object id, anywhere and at any time.
#[derive(Debug, Clone)]
pub struct NewCommit<'a> {
    pub tree: &'a ObjectId,
    pub parents: &'a [ObjectId],
    pub message: &'a str,
    /// Seconds since 1970, for author and committer alike.
    pub time_seconds: u64,
    pub author: Identity<'a>,
    pub committer: Identity<'a>,
}

/// A commit as git keeps it.
impl fmt::Display for NewCommit<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "tree {}", self.tree)?;
        for parent in self.parents {
            writeln!(f, "parent {parent}")?;
        }
        for (role, who) in [("author", self.author), ("committer", self.committer)] {
            writeln!(f, "{role} {} <{}> {} +0000", who.name, who.email, self.time_seconds)?;
        }
        write!(f, "\n{}", self.message)
    }
}

impl Repository {
    /// Makes a commit object. Nothing points at it yet, nothing is signed, no hook runs.
    pub fn commit(&self, new: &NewCommit<'_>) -> Result<ObjectId, Error> {
        commit_with(self.git(), new)
    }

    /// A commit without files and without a parent: what work began with where nothing was committed
    /// before it. It is the same everywhere.
    pub fn nothing(&self) -> Result<Commit, Error> {
        let tree = self.git().arg("mktree").input(Vec::new()).object()?;
        let commit = self.commit(&NewCommit {
            tree: &tree,
            parents: &[],
            message: "Nothing\n",
            time_seconds: 1,
            author: Identity::PLAIN,
            committer: Identity::PLAIN,
        })?;
        Ok(Commit { commit, tree })
    }

    /// Whether the history was cut off, as `git clone --depth` and CI do.
    pub fn is_shallow(&self) -> bool {
        self.layout().common_dir.join("shallow").is_file()
    }

    /// Creates the branch `name` at `commit`, or finds it there already.
    pub fn branch(&self, name: &str, commit: &ObjectId) -> Result<(), Error> {
        if name.starts_with('-') || name == "HEAD" {
            return Err(Error::BadName { name: name.to_owned(), place: "for a branch" });
        }
        let reference = format!("refs/heads/{name}");
        match self.create_ref(&reference, commit)? {
            None => Ok(()),
            Some(found) if found == *commit => Ok(()),
            Some(found) => Err(Error::BranchExists { name: name.to_owned(), found }),
        }
    }

    /// Whether there is a branch of this name.
    pub fn has_branch(&self, name: &str) -> Result<bool, Error> {
        Ok(self.peel(&format!("refs/heads/{name}"))?.is_some())
    }

    /// Creates a reference unless it exists; then it gives what that points at.
    pub(crate) fn create_ref(
        &self,
        reference: &str,
        object: &ObjectId,
    ) -> Result<Option<ObjectId>, Error> {
        if self.update_expected(&format!("create {reference} {object}\n")) {
            return Ok(None);
        }
        let outcome = self.update_ref(reference, object, None)?;
        if outcome.status.success() {
            return Ok(None);
        }
        match self.peel(reference)? {
            Some(found) => Ok(Some(found)),
            None => Err(self.why_unmade(reference, outcome)),
        }
    }

    /// Why a reference could not be made: mostly because of what lies at its place, above it or below.
    fn why_unmade(&self, reference: &str, outcome: Outcome) -> Error {
        let name = reference.strip_prefix("refs/heads/").unwrap_or(reference).to_owned();
        let path = self.layout().common_dir.join(reference);
        let taken = format!("cannot lock ref '{reference}': '");
        if let Some(found) = between(&outcome.stderr, taken.as_bytes(), b"' exists; cannot create")
        {
            let found = String::from_utf8_lossy(found).into_owned();
            return Error::NameTaken { name, found };
        }
        if find(&outcome.stderr, b"there is a non-empty directory '").is_some() {
            return Error::PlaceTaken { name, path };
        }
        if find(&outcome.stderr, b": reference broken").is_some() {
            return Error::BrokenReference { name, path };
        }
        outcome.into_error()
    }

    /// Tries to point a reference at `new`, provided that it points at `old`, or is not there.
    pub(crate) fn update_ref(
        &self,
        reference: &str,
        new: &ObjectId,
        old: Option<&ObjectId>,
    ) -> Result<Outcome, Error> {
        let nothing = "0".repeat(new.as_str().len());
        let old = old.map_or(nothing.as_str(), ObjectId::as_str);
        let asked = ["update-ref", "--no-deref", reference, new.as_str(), old];
        // A log of references, where the user keeps one, names who moved them.
        let git = signed(self.git(), Identity::COUNTERSIGN, Identity::COUNTERSIGN);
        git.args(asked).outcome()
    }
}

/// Makes a commit object in the repository that `git` works on.
pub(crate) fn commit_with(git: Git, new: &NewCommit<'_>) -> Result<ObjectId, Error> {
    let date = format!("@{} +0000", new.time_seconds);
    let mut git = signed(git, new.author, new.committer)
        .env("GIT_AUTHOR_DATE", &date)
        .env("GIT_COMMITTER_DATE", &date)
        .args(["commit-tree", new.tree.as_str()]);
    for parent in new.parents {
        git = git.args(["-p", parent.as_str()]);
    }
    git.input(new.message).object()
}

/// Names who does it.
pub(crate) fn signed(git: Git, author: Identity<'_>, committer: Identity<'_>) -> Git {
    git.env("GIT_AUTHOR_NAME", author.name)
        .env("GIT_AUTHOR_EMAIL", author.email)
        .env("GIT_COMMITTER_NAME", committer.name)
        .env("GIT_COMMITTER_EMAIL", committer.email)
}
