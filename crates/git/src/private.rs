//! The private repository inside a checkout, made by hand: no template, no hooks, no process.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use countersign_domain::id::ObjectId;

use crate::checkout::Tip;
use crate::commit::{Identity, NewCommit};
use crate::error::Error;
use crate::foreign;
use crate::loose::{Kind, Made};
use crate::settings::Config;
use crate::tree::hash::Filters;

/// The file, inside the private `.git`, that says a checkout is ours.
pub(crate) const MARKER: &str = "countersign-checkout";
const MARKER_TEXT: &str = "Made by Countersign; may be removed at any time.\n";

/// The branch that a worker finds itself on.
const BRANCH: &str = "refs/heads/work";

/// What holds in every private repository, whatever the user has set elsewhere: nothing may
/// keep running in the background, and no commit may ask for a passphrase.
const OWN_SETTINGS: &str = "\
[core]
\tbare = false
\tlogAllRefUpdates = true
\tfsmonitor = false
\tsplitIndex = false
[gc]
\tauto = 0
[maintenance]
\tauto = false
[commit]
\tgpgSign = false
[tag]
\tgpgSign = false
";

/// The settings of the user's repository that decide how files look and what is ignored.
const INHERITED: &[&str] = &[
    "core.attributesfile",
    "core.autocrlf",
    "core.bigfilethreshold",
    "core.checkroundtripencoding",
    "core.eol",
    "core.excludesfile",
    "core.filemode",
    "core.ignorecase",
    "core.precomposeunicode",
    "core.protecthfs",
    "core.protectntfs",
    "core.symlinks",
    "user.email",
    "user.name",
];

/// A private repository under construction.
#[derive(Debug)]
pub(crate) struct Private {
    git_dir: PathBuf,
}

impl Private {
    /// Lays out an empty repository in `directory`. The marker comes first, so that a half-made
    /// checkout can be removed as well.
    pub(crate) fn create(directory: &Path) -> Result<Self, Error> {
        let private = Self { git_dir: directory.join(".git") };
        fs::create_dir(&private.git_dir).map_err(Error::io("create", &private.git_dir))?;
        private.write(MARKER, MARKER_TEXT.as_bytes())?;
        for name in ["objects/info", "objects/pack", "refs/heads", "refs/tags", "info"] {
            let path = private.git_dir.join(name);
            fs::create_dir_all(&path).map_err(Error::io("create", &path))?;
        }
        private.write("HEAD", format!("ref: {BRANCH}\n").as_bytes())?;
        Ok(private)
    }

    pub(crate) fn git_dir(&self) -> &Path {
        &self.git_dir
    }

    /// Makes the objects in `store`, and in all that it leans on, readable here.
    pub(crate) fn borrow_from(&self, store: &Path) -> Result<(), Error> {
        let stores = foreign::stores(store)?;
        let lines: Vec<u8> =
            stores.iter().flat_map(|store| foreign::alternate_line(store)).collect();
        self.write("objects/info/alternates", &lines)
    }

    /// Writes the configuration: how objects are named, what the user has set, then ours.
    pub(crate) fn configure(&self, inherited: &[u8], is_sha256: bool) -> Result<(), Error> {
        let format: &[u8] = if is_sha256 {
            b"[core]\n\trepositoryFormatVersion = 1\n[extensions]\n\tobjectFormat = sha256\n"
        } else {
            b"[core]\n\trepositoryFormatVersion = 0\n"
        };
        self.write("config", &[format, inherited, OWN_SETTINGS.as_bytes()].concat())
    }

    /// Copies a file of the user's repository, if it is there.
    pub(crate) fn copy(&self, from: &Path, name: &str) -> Result<(), Error> {
        match fs::read(from) {
            Ok(bytes) => self.write(name, &bytes),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            Err(error) => Err(Error::io("read", from)(error)),
        }
    }

    /// Makes the commit of `tip`, if there is none, and stands on it.
    pub(crate) fn stand_on(
        &self,
        (tip, author): (Tip<'_>, Identity<'static>),
    ) -> Result<ObjectId, Error> {
        let commit = match tip {
            Tip::Commit(commit) => commit.clone(),
            Tip::Tree { tree, parent, message, time_seconds } => self.commit(&NewCommit {
                tree,
                parents: parent.map_or(&[], std::slice::from_ref),
                message,
                time_seconds,
                author,
                committer: author,
            })?,
        };
        self.set_branch(&commit)?;
        Ok(commit)
    }

    /// Makes a commit object there.
    fn commit(&self, new: &NewCommit<'_>) -> Result<ObjectId, Error> {
        let digits = new.tree.as_str().len();
        let made = Made::new(Kind::Commit, new.to_string().as_bytes(), digits)?;
        let (folder, file) = made.name.as_str().split_at(2);
        let stored = made.stored().map_err(Error::io("write", &self.git_dir))?;
        self.store(&format!("objects/{folder}/{file}"), &stored)?;
        Ok(made.name)
    }

    pub(crate) fn set_branch(&self, commit: &ObjectId) -> Result<(), Error> {
        self.write(BRANCH, format!("{commit}\n").as_bytes())
    }

    /// Adds references; `listed` has lines of `<object> <name>`, sorted by name.
    pub(crate) fn add_references(&self, listed: &[u8]) -> Result<(), Error> {
        if listed.is_empty() {
            return Ok(());
        }
        self.write("packed-refs", &[b"# pack-refs with: sorted\n", listed].concat())
    }

    /// Puts an object there, as it is stored.
    pub(crate) fn store(&self, name: &str, bytes: &[u8]) -> Result<(), Error> {
        let path = self.git_dir.join(name);
        if path.exists() {
            return Ok(());
        }
        let folder = path.parent().unwrap_or(&self.git_dir);
        fs::create_dir_all(folder).map_err(Error::io("create", folder))?;
        self.write(name, bytes)
    }

    pub(crate) fn write(&self, name: &str, bytes: &[u8]) -> Result<(), Error> {
        let path = self.git_dir.join(name);
        fs::write(&path, bytes).map_err(Error::io("write", &path))
    }
}

/// The part of a repository's own settings that a checkout takes over, as configuration text.
/// Filters are programs, so who only wants to look at files does without them.
pub(crate) fn inherited(config: &Config, filters: Filters) -> Vec<u8> {
    let own = config.said().filter(|(scope, key, _)| {
        matches!(*scope, b"local" | b"worktree") && is_inherited(key, filters)
    });
    own.flat_map(|(_, key, value)| written(key, value)).collect()
}

fn is_inherited(key: &str, filters: Filters) -> bool {
    let of_filter = key.strip_prefix("filter.").and_then(|rest| rest.rsplit_once('.'));
    match of_filter {
        Some(_) if filters == Filters::Left => false,
        Some((_, last)) => matches!(last, "clean" | "smudge" | "process" | "required"),
        None => INHERITED.contains(&key),
    }
}

/// `a.b.c = value` in the form of a configuration file.
fn written(key: &str, value: &[u8]) -> Vec<u8> {
    let (section, rest) = key.split_once('.').unwrap_or((key, ""));
    let (subsection, name) = rest.rsplit_once('.').map_or((None, rest), |(a, b)| (Some(a), b));
    let mut text = format!("[{section}").into_bytes();
    if let Some(subsection) = subsection {
        text.extend(b" ");
        text.extend(quoted(subsection.as_bytes()));
    }
    text.extend(format!("]\n\t{name} = ").into_bytes());
    text.extend(quoted(value));
    text.push(b'\n');
    text
}

fn quoted(value: &[u8]) -> Vec<u8> {
    let mut text = vec![b'"'];
    for byte in value {
        match byte {
            b'"' | b'\\' => text.extend([b'\\', *byte]),
            b'\n' => text.extend(b"\\n"),
            _ => text.push(*byte),
        }
    }
    text.push(b'"');
    text
}

#[cfg(test)]
mod tests {
    use super::{Config, Filters, inherited};

    fn check(listed: &str, expected: &str) {
        let text = inherited(&Config::parse(listed.as_bytes()), Filters::Applied);
        assert_eq!(String::from_utf8(text).unwrap(), expected, "{listed:?}");
    }

    #[test]
    fn only_what_shapes_files_is_inherited() {
        check("local\0file:c\0core.autocrlf\ntrue\0", "[core]\n\tautocrlf = \"true\"\n");
        check("worktree\0file:c\0core.symlinks\nfalse\0", "[core]\n\tsymlinks = \"false\"\n");
        check("global\0file:c\0core.autocrlf\ntrue\0", "");
        check("local\0file:c\0core.hookspath\n/x\0local\0file:c\0remote.origin.url\ny\0", "");
        check("local\0file:c\0core.fsmonitor\n/x\0local\0file:c\0alias.x\n!y\0", "");
    }

    #[test]
    fn filters_can_be_left_out() {
        let listed = b"local\0file:c\0filter.a.clean\nx\0local\0file:c\0core.eol\nlf\0";
        let text = inherited(&Config::parse(listed), Filters::Left);
        assert_eq!(String::from_utf8(text).unwrap(), "[core]\n\teol = \"lf\"\n");
    }

    #[test]
    fn filters_keep_their_names_and_quotes() {
        check(
            "local\0file:c\0filter.a \"b\".clean\nsed \"s/\\./x/\"\nrest\0local\0file:c\0filter.l.required\0",
            "[filter \"a \\\"b\\\"\"]\n\tclean = \"sed \\\"s/\\\\./x/\\\"\\nrest\"\n[filter \"l\"]\n\trequired = \"true\"\n",
        );
    }
}
