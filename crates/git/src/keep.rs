//! References of our own, under `refs/countersign/`, that keep objects from being collected.

use countersign_domain::id::ObjectId;

use crate::commit::{Identity, signed};
use crate::error::Error;
use crate::repository::Repository;

pub(crate) const NAMESPACE: &str = "refs/countersign/";

impl Repository {
    /// Keeps `object` (a tree, a commit) alive under `name`. Keeping it twice is fine;
    /// [`Error::Moved`] says that the name keeps something else.
    pub fn keep(&self, name: &str, object: &ObjectId) -> Result<(), Error> {
        match self.create_ref(&reference(name)?, object)? {
            None => Ok(()),
            Some(found) if found == *object => Ok(()),
            Some(found) => Err(Error::Moved { name: name.to_owned(), found: Some(found) }),
        }
    }

    /// The same for many at once, at the price of one; gives `false` when that can't be done,
    /// and keeps none then.
    pub(crate) fn keep_new(&self, kept: &[(String, &ObjectId)]) -> Result<bool, Error> {
        let mut lines = String::new();
        for (name, object) in kept {
            lines.push_str(&format!("create {} {object}\n", reference(name)?));
        }
        if self.update_expected(&lines) {
            return Ok(true);
        }
        let asked = ["update-ref", "--no-deref", "--stdin"];
        let git = signed(self.git(), Identity::COUNTERSIGN, Identity::COUNTERSIGN);
        Ok(git.args(asked).input(lines).outcome()?.status.success())
    }

    /// The names that are `prefix` or lie below it, and what they keep; all, when it is empty.
    pub fn kept(&self, prefix: &str) -> Result<Vec<(String, ObjectId)>, Error> {
        let below = if prefix.is_empty() {
            NAMESPACE.trim_end_matches('/').to_owned()
        } else {
            reference(prefix)?
        };
        let asked = ["for-each-ref", "--format=%(objectname) %(refname)", &below];
        let said = self.git().args(asked).output()?;
        let said = String::from_utf8_lossy(&said);
        let named = |line: &str| {
            let (object, name) = line.split_once(' ')?;
            Some((name.strip_prefix(NAMESPACE)?.to_owned(), object.parse().ok()?))
        };
        Ok(said.lines().filter_map(named).collect())
    }

    /// Lets go of what `name` keeps. Letting go twice is fine.
    pub fn release(&self, name: &str) -> Result<(), Error> {
        self.git().args(["update-ref", "--no-deref", "-d", &reference(name)?]).output()?;
        Ok(())
    }
}

/// The full name of a reference of ours; git has rules for such names, ours are stricter.
pub(crate) fn reference(name: &str) -> Result<String, Error> {
    let plain = |part: &str| {
        !part.is_empty()
            && !part.starts_with(['.', '-'])
            && !part.ends_with('.')
            && !part.contains("..")
            && part.strip_suffix(".lock").is_none()
            && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte))
    };
    if name.split('/').all(plain) {
        Ok(format!("{NAMESPACE}{name}"))
    } else {
        Err(Error::BadName { name: name.to_owned(), place: "under refs/countersign" })
    }
}

#[cfg(test)]
mod tests {
    use super::reference;

    #[test]
    fn only_plain_names_become_references() {
        for name in ["a", "run/01J-x_y.z/tree"] {
            assert_eq!(reference(name).unwrap(), format!("refs/countersign/{name}"));
        }
        for name in ["", "/a", "a/", "a//b", "../heads/main", "a..b", ".a", "a.lock", "a b", "-a"] {
            assert!(reference(name).is_err(), "{name}");
        }
    }
}
