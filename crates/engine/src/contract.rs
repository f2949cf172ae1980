//! Contracts of tasks: drafted before the work, agreed on, amended from the real diff, and kept in
//! a stream of their own.

mod amending;
mod drafting;
mod history;
mod journal;
mod schema;

pub use amending::{AmendRequest, Amended};
pub use drafting::{DraftRequest, Drafted};
pub(crate) use journal::rows_of;
pub use journal::{ContractRow, ContractView};
pub use schema::schema;

use countersign_domain::contract::Rules;
use countersign_domain::project::{Project, Settings};

use crate::error::{Error, Kind, Result};
use crate::{Engine, project, regular};

/// The largest file of activity rules.
const MAX_RULES: u64 = 1 << 20;

/// What contracts are made with.
pub(crate) struct Grounds {
    pub(crate) paths: Vec<String>,
    pub(crate) project: Project,
    pub(crate) settings: Settings,
    pub(crate) rules: Rules,
}

impl Engine {
    /// What the repository is now, and the rules that hold in it.
    pub(crate) fn grounds(&self) -> Result<Grounds> {
        let settings = project::settings_of(&self.settings.config.project)?;
        let paths = self.repository.paths()?;
        let root = &self.repository.layout().worktree;
        let project = project::found(root, &paths, &settings);
        Ok(Grounds { project, settings, rules: self.activity_rules()?, paths })
    }

    /// The shipped rules with those of the project over them.
    fn activity_rules(&self) -> Result<Rules> {
        let name = &self.settings.config.contract.rules;
        let path = self.repository.layout().worktree.join(name);
        if name.is_empty() || !path.exists() {
            return Ok(Rules::shipped().clone());
        }
        let bytes = regular::read(&path, MAX_RULES).ok_or_else(|| {
            let message = format!("{name} can't be read: it is no file, or larger than 1 MiB");
            Error::new(Kind::Usage, message).hint("contract.rules names the file")
        })?;
        let wrong = |mistakes: Vec<countersign_domain::mistake::Mistake>| {
            let told: Vec<String> = mistakes.iter().map(ToString::to_string).collect();
            Error::new(Kind::Usage, told.join("\n"))
                .hint("docs/design/contracts.md describes the file of activity rules")
        };
        let text =
            countersign_domain::mistake::utf8(name, &bytes).map_err(|one| wrong(vec![one]))?;
        Rules::with_project(name, text).map_err(wrong)
    }
}
