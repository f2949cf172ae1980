//! Contracts of tasks: drafted before the work, agreed on, amended from the real diff, and kept in
//! a stream of their own.

mod amending;
mod drafting;
mod history;
mod journal;
mod named;
mod results;
mod reviewed;
mod schema;

pub use amending::{AmendRequest, Amended};
pub use drafting::{DraftRequest, Drafted};
pub(crate) use journal::rows_of;
pub use journal::{ContractRow, ContractView};
pub(crate) use reviewed::{of_tree, rejected};
pub use schema::{Shape, schema, schema_of};

use std::collections::BTreeMap;
use std::path::Path;

use countersign_domain::ObjectId;
use countersign_domain::contract::Rules;
use countersign_domain::mistake::{Mistake, utf8};
use countersign_domain::project::{Project, Settings, detect};
use countersign_git::Listed;

use crate::config::{Origin, PROJECT_FILE, Resolved};
use crate::error::{Error, Kind, Result};
use crate::{Engine, project, regular};

/// The largest file of activity rules.
const MAX_RULES: u64 = 1 << 20;

/// Where the file of activity rules is if nobody says so; there need not be one.
const UNNAMED: &str = "standards/activities.yaml";

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
        self.grounds_with(settings, self.activity_rules()?)
    }

    fn grounds_with(&self, settings: Settings, rules: Rules) -> Result<Grounds> {
        let paths = self.repository.paths()?;
        project::expect_folders(&settings, paths.iter().map(String::as_str), &self.settings)?;
        let project = project::found(&self.repository.layout().worktree, &paths, &settings);
        Ok(Grounds { paths, project, settings, rules })
    }

    /// As [`Engine::grounds`], as far as the work since `base` had no hand in it: who is checked
    /// doesn't choose the rules, the commands or what there is none of. What is new stands beside
    /// what was there.
    pub(crate) fn grounds_before(&self, base: &ObjectId, changed: &[&str]) -> Result<Grounds> {
        let listed = self.repository.list(base)?;
        let objects: BTreeMap<&str, &ObjectId> =
            listed.iter().filter_map(|one| Some((one.path.to_str()?, &one.side.object))).collect();
        let read = |path: &str| self.repository.content(objects.get(path)?).ok();
        let rules = self.rules_in(&listed)?;
        let settings = if changed.contains(&PROJECT_FILE) {
            Settings::default()
        } else {
            project::settings_of(&self.settings.config.project)?
        };
        let mut grounds = self.grounds_with(settings, rules)?;
        let before = detect(objects.keys().copied(), &read);
        let before = grounds.settings.apply(before, PROJECT_FILE);
        grounds.project = before.with_additions(grounds.project);
        Ok(grounds)
    }

    /// The shipped rules with those of the project over them, as they were in `base`.
    pub(crate) fn rules_before(&self, base: &ObjectId) -> Result<Rules> {
        self.rules_in(&self.repository.list(base)?)
    }

    fn rules_in(&self, listed: &[Listed]) -> Result<Rules> {
        let name = &self.settings.config.contract.rules;
        let file = listed.iter().find(|one| one.path.as_os_str() == name.as_str());
        let bytes = file.and_then(|file| self.repository.content(&file.side.object).ok());
        match bytes {
            Some(bytes) => rules_of(name, &bytes),
            None => Ok(Rules::shipped().clone()),
        }
    }

    /// The shipped rules with those of the project over them.
    fn activity_rules(&self) -> Result<Rules> {
        activity_rules(&self.settings, &self.repository.layout().worktree)
    }

    /// Where a project's own rules are, and whether there are any.
    pub fn rules_file(&self) -> (&str, bool) {
        let name = self.settings.config.contract.rules.as_str();
        let is_there = !name.is_empty() && self.repository.layout().worktree.join(name).exists();
        (name, is_there)
    }
}

/// The shipped rules with those of the project at `root` over them.
pub(crate) fn activity_rules(settings: &Resolved, root: &Path) -> Result<Rules> {
    let name = &settings.config.contract.rules;
    let path = root.join(name);
    if !path.exists() && !name.is_empty() && name != UNNAMED {
        let message = format!("contract.rules names {name}, and there is no such file");
        return Err(Error::new(Kind::Usage, message)
            .hint("write it, or correct the name; `countersign config show` says who set it"));
    }
    if name.is_empty() || !path.exists() {
        return Ok(Rules::shipped().clone());
    }
    if regular::leads_out(root, &path) {
        let message = format!("{name}: {}", regular::LEADS_OUT);
        return Err(Error::new(Kind::Usage, message).hint(regular::LEADS_OUT_FIX));
    }
    // What the project's file names is the repository's to say, as a link in it is.
    let said = settings.values.get("contract.rules").map(|(_, origin)| origin);
    if matches!(said, Some(Origin::Project(_))) && regular::is_outside(root, &path) {
        let message = format!("contract.rules names {name}, which is outside of the repository");
        return Err(Error::new(Kind::Usage, message)
            .hint("name a file of the repository, or set it in your own file"));
    }
    let bytes = regular::read(&path, MAX_RULES).ok_or_else(|| {
        let message = format!("{name} can't be read: it is no file, or larger than 1 MiB");
        Error::new(Kind::Usage, message).hint("contract.rules names the file")
    })?;
    rules_of(name, &bytes)
}

/// The rules of a file over the shipped ones, or all that is wrong with it.
fn rules_of(name: &str, bytes: &[u8]) -> Result<Rules> {
    let wrong = |mistakes: Vec<Mistake>| {
        let told: Vec<String> = mistakes.iter().map(ToString::to_string).collect();
        Error::new(Kind::Usage, told.join("\n"))
            .hint("`countersign contract rules` prints the shipped ones, and describes the file")
    };
    let text = utf8(name, bytes).map_err(|one| wrong(vec![one]))?;
    Rules::with_project(name, text).map_err(wrong)
}
