//! What is there, and what was done before: the paths of a working tree, and commits with the
//! files that they changed.

use countersign_domain::id::ObjectId;

use crate::error::Error;
use crate::repository::Repository;

/// A commit: what it was about, and the files that it changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Past {
    pub subject: String,
    /// Those whose names are UTF-8.
    pub files: Vec<String>,
}

impl Repository {
    /// The files of the working tree that git tracks or would track, in order; those whose names
    /// are no UTF-8 are left out.
    pub fn paths(&self) -> Result<Vec<String>, Error> {
        let mut paths = texts(&self.listed()?);
        paths.sort_unstable();
        paths.dedup();
        Ok(paths)
    }

    /// The paths that [`Self::paths`] leaves out because they are no UTF-8, as well as they can be shown.
    pub fn unreadable_paths(&self) -> Result<Vec<String>, Error> {
        let listed = self.listed()?;
        let paths = listed.split(|byte| *byte == 0).filter(|path| str::from_utf8(path).is_err());
        Ok(paths.map(|path| String::from_utf8_lossy(path).into_owned()).collect())
    }

    fn listed(&self) -> Result<Vec<u8>, Error> {
        let worktree = &self.layout().worktree;
        let asked =
            ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate"];
        let git = self.git().env("GIT_WORK_TREE", worktree).within(worktree);
        git.args(asked).output()
    }

    /// The newest `most` commits that lead to `tip` and not to `since`, the newest first, without
    /// merges.
    pub fn history(
        &self,
        tip: &ObjectId,
        since: Option<&ObjectId>,
        most: u32,
    ) -> Result<Vec<Past>, Error> {
        let most = format!("--max-count={most}");
        let asked = ["log", "-z", "--no-merges", "--name-only", "--format=%x01%s%x02", &most];
        // What a setting may add to the answer, or run for it.
        let calm = ["--no-show-signature", "--no-decorate", "--no-renames", "--no-ext-diff"];
        let git = self.git().args(asked).args(calm).arg(tip.as_str());
        let git = match since {
            Some(since) => git.arg(format!("^{since}")),
            None => git,
        };
        let said = git.arg("--").output()?;
        Ok(said.split(|byte| *byte == 1).filter_map(past).collect())
    }

    /// Whether `tip` is `old` or comes after it; a commit that is gone comes before none.
    pub fn comes_after(&self, tip: &ObjectId, old: &ObjectId) -> Result<bool, Error> {
        let asked = ["merge-base", "--is-ancestor", old.as_str(), tip.as_str()];
        Ok(self.git().args(asked).outcome()?.status.success())
    }

    /// The messages of the commits that lead to `tip` and not to `since`, the oldest first.
    pub fn messages(&self, tip: &ObjectId, since: &ObjectId) -> Result<Vec<String>, Error> {
        let asked = ["log", "-z", "--reverse", "--topo-order", "--format=%B"];
        let calm = ["--no-show-signature", "--no-decorate", "--no-patch"];
        let git = self.git().args(asked).args(calm).arg(tip.as_str()).arg(format!("^{since}"));
        let said = git.arg("--").output()?;
        let texts = said.split(|byte| *byte == 0).filter(|text| !text.is_empty());
        Ok(texts.map(|text| String::from_utf8_lossy(text).into_owned()).collect())
    }

    /// Who the user is to git: name and address, where both are known.
    pub fn user(&self) -> Result<Option<(String, String)>, Error> {
        let ask = |name: &str| -> Result<Option<String>, Error> {
            let outcome = self.git().args(["config", "--get", name]).outcome()?;
            let said = String::from_utf8_lossy(&outcome.stdout).trim().to_owned();
            // What git itself would drop from a name.
            let plain = !said.contains(['<', '>', '\n', '\0']);
            Ok((outcome.status.success() && !said.is_empty() && plain).then_some(said))
        };
        Ok(ask("user.name")?.zip(ask("user.email")?))
    }
}

fn past(record: &[u8]) -> Option<Past> {
    let end = record.iter().position(|byte| *byte == 2)?;
    let subject = String::from_utf8_lossy(&record[..end]).into_owned();
    let files = texts(&record[end + 1..]);
    Some(Past { subject, files })
}

/// Texts with a zero byte after each; git puts a new line before the first name of a commit.
fn texts(bytes: &[u8]) -> Vec<String> {
    let parts = bytes.split(|byte| *byte == 0).filter_map(|part| str::from_utf8(part).ok());
    parts
        .map(|part| part.trim_start_matches('\n'))
        .filter(|part| !part.is_empty())
        .map(str::to_owned)
        .collect()
}
