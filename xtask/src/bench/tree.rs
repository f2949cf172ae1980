//! Repositories with many files, and changes to them.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::BufWriter;
use std::path::{Path, PathBuf};

use anyhow::ensure;

use super::arena::Arena;

/// About as many files as source folders have.
const PER_FOLDER: usize = 12;

/// How many files are changed in which way.
#[derive(Clone, Copy)]
pub(super) struct Changes {
    modified: usize,
    deleted: usize,
    new: usize,
}

/// 100 changes to what git knows and to what it does not.
pub(super) const HUNDRED: Changes = Changes { modified: 85, deleted: 5, new: 10 };
/// 100 changes to what git knows, and 50 files that it does not.
pub(super) const ROLE: Changes = Changes { modified: 95, deleted: 5, new: 50 };

/// A repository whose files are all committed, with a warm index.
pub(super) struct Tree {
    pub(super) path: PathBuf,
    files: usize,
}

impl Tree {
    pub(super) fn new(arena: &Arena, name: &str, files: usize) -> anyhow::Result<Self> {
        let tree = Self { path: arena.repository(name)?, files };
        let stream = arena.path("tree.import");
        tree.write_import(BufWriter::new(File::create(&stream)?))?;
        let mut import = arena.command("git", &tree.path);
        import.args(["fast-import", "--quiet"]).stdin(File::open(&stream)?);
        ensure!(import.status()?.success(), "git fast-import failed");
        fs::remove_file(&stream)?;
        tree.git(arena, &["reset", "--quiet", "--hard", "main"])?;
        // Entries as young as the index itself would have to be read again.
        std::thread::sleep(std::time::Duration::from_millis(1100));
        tree.git(arena, &["update-index", "--refresh", "--force-write-index"])?;
        Ok(tree)
    }

    /// Makes changes to the committed tree, with contents that no other `mark` gives, and
    /// forgets the objects that earlier snapshots wrote: everyone has the same to do.
    pub(super) fn change(&self, changes: Changes, mark: usize) -> anyhow::Result<()> {
        self.forget_objects()?;
        let Changes { modified, deleted, new } = changes;
        let step = self.files / (modified + deleted);
        for change in 0..modified + deleted {
            let path = self.path.join(file_name(change * step));
            if change < modified {
                fs::write(path, content(change * step, mark + 1))?;
            } else if path.exists() {
                fs::remove_file(path)?;
            }
        }
        for number in 0..new {
            let name = format!("{}.new", file_name(number * self.files / new));
            fs::write(self.path.join(name), content(number, mark + 1))?;
        }
        Ok(())
    }

    /// Changes one file that was committed and not changed before; gives its name.
    pub(super) fn change_one(&self, mark: usize) -> anyhow::Result<String> {
        let name = file_name(self.files / 2 + 1);
        fs::write(self.path.join(&name), content(self.files, mark + 1))?;
        Ok(name)
    }

    /// Removes the loose objects and leaves their folders, as a repository in use has them.
    fn forget_objects(&self) -> anyhow::Result<()> {
        for folder in fs::read_dir(self.path.join(".git/objects"))? {
            let folder = folder?;
            if folder.file_name().len() == 2 {
                for object in fs::read_dir(folder.path())? {
                    fs::remove_file(object?.path())?;
                }
            }
        }
        Ok(())
    }

    /// Writes a file that is not one of the many.
    pub(super) fn write(&self, name: &str, text: &str) -> anyhow::Result<()> {
        let path = self.path.join(name);
        fs::create_dir_all(path.parent().unwrap_or(&self.path))?;
        Ok(fs::write(path, text)?)
    }

    /// Commits everything.
    pub(super) fn commit(&self, arena: &Arena) -> anyhow::Result<()> {
        self.git(arena, &["add", "--all"])?;
        let who = ["-c", "user.name=Alice", "-c", "user.email=alice@example.com"];
        self.git(arena, &[&who[..], &["commit", "--quiet", "--message", "More"]].concat())
    }

    fn git(&self, arena: &Arena, words: &[&str]) -> anyhow::Result<()> {
        let status = arena.command("git", &self.path).args(words).status()?;
        ensure!(status.success(), "git {words:?} failed");
        Ok(())
    }

    /// One commit with all files, in one pack: as after a clone.
    fn write_import(&self, mut out: impl std::io::Write) -> anyhow::Result<()> {
        let who = "Alice <alice@example.com> 1700000000 +0000";
        write!(out, "commit refs/heads/main\ncommitter {who}\ndata 5\nfiles\n")?;
        for file in 0..self.files {
            let text = content(file, 0);
            write!(out, "M 644 inline {}\ndata {}\n{text}\n", file_name(file), text.len())?;
        }
        out.flush()?;
        Ok(())
    }
}

fn file_name(file: usize) -> String {
    let folder = file / PER_FOLDER;
    format!("area{:02}/part{:02}/unit{folder}/file{file}.rs", folder / 600, folder / 25 % 24)
}

/// 200 to 2000 bytes that depend on the file and the mark.
fn content(file: usize, mark: usize) -> String {
    let mut text = format!("// {file} {mark}\n");
    for line in 0..5 + file * 7 % 38 {
        let _ = writeln!(text, "let value_{line} = compute({file}, {mark}, {line} + 1);");
    }
    text
}

/// The folder that snapshots of `tree` may use.
pub(super) fn scratch(tree: &Path) -> PathBuf {
    tree.join(".git/scratch")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_of_the_promised_size_and_all_different() {
        let names: std::collections::BTreeSet<String> = (0..100_000).map(file_name).collect();
        assert_eq!(names.len(), 100_000);
        for file in 0..100 {
            assert!((170..2_100).contains(&content(file, 3).len()), "{file}");
        }
    }
}
