//! New repositories, for the demonstration and for tests.

use std::ffi::OsString;
use std::path::Path;

use crate::command::Environment;
use crate::commit::Identity;
use crate::error::Error;
use crate::repository::Repository;

/// Makes a repository in `folder` whose first commit holds all that lies there.
pub fn create(
    folder: &Path,
    variables: impl IntoIterator<Item = (OsString, OsString)>,
    message: &str,
) -> Result<Repository, Error> {
    let variables: Vec<_> = variables.into_iter().collect();
    let git = Environment::new(variables.clone()).git();
    git.args(["init", "--quiet", "--template=", "--initial-branch=main"]).arg(folder).output()?;
    let repository = Repository::open_with(folder, variables)?;
    repository.git().within(folder).args(["add", "-A"]).output()?;
    let Identity { name, email } = Identity::COUNTERSIGN;
    let mut commit = repository.git().within(folder);
    for role in ["AUTHOR", "COMMITTER"] {
        commit = commit.env(&format!("GIT_{role}_NAME"), name);
        commit = commit.env(&format!("GIT_{role}_EMAIL"), email);
    }
    commit.args(["commit", "--quiet", "--no-gpg-sign", "-m", message]).output()?;
    Ok(repository)
}
