//! Files of a tree that a checkout of it does not hold, and whose absence its own git does not tell of.

use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use crate::error::Error;
use crate::repository::Repository;

impl Repository {
    /// Takes `paths`, which its tree has, out of a checkout that was made just now. Its index says that
    /// they are not wanted there, as in a sparse checkout; a record of its files lacks them.
    pub fn leave_out(&self, checkout: &Path, paths: &[PathBuf]) -> Result<(), Error> {
        if paths.is_empty() {
            return Ok(());
        }
        let git_dir = checkout.join(".git");
        let mut names = Vec::new();
        for path in paths {
            names.extend_from_slice(path.as_os_str().as_bytes());
            names.push(0);
        }
        self.git_at(&git_dir)
            .env("GIT_WORK_TREE", checkout)
            .within(checkout)
            .args(["update-index", "--skip-worktree", "-z", "--stdin"])
            .input(names)
            .output()?;
        for path in paths {
            let file = checkout.join(path);
            fs::remove_file(&file).map_err(Error::io("remove", &file))?;
            let folders = path.ancestors().skip(1).filter(|above| !above.as_os_str().is_empty());
            for folder in folders {
                // One that holds other files stays.
                if fs::remove_dir(checkout.join(folder)).is_err() {
                    break;
                }
            }
        }
        Ok(())
    }
}
