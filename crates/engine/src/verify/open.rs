//! Before anything runs: the base, the tree that is handed over, and the terms.

use std::collections::BTreeMap;
use std::path::Path;

use countersign_domain::classify::ContractType;
use countersign_domain::contract::Rules;
use countersign_domain::contract::rules::Change as Touched;
use countersign_domain::project::{Activity, Project, Recipe, Runner, detect, without_keeper};
use countersign_domain::verify::{Due, Reason, Terms, Weight, aim, heeded};
use countersign_domain::{ObjectId, Stamp};
use countersign_gaming::{Role, role};
use countersign_git::{Change, Commit};

use super::Request;
use super::agreed::{Agreed, Between};
use super::folders::Folders;
use super::lacking::Planned;
use super::{borrow, scripts, surroundings};
use crate::classify::Classifier;
use crate::config::{self, PROJECT_FILE, Resolved};
use crate::error::{Error, Kind, Result};
use crate::names::new_stamp;
use crate::run::MAX_GOAL_BYTES;
use crate::{Engine, project};

/// What is fixed before anything runs.
pub(super) struct Opened {
    pub id: Stamp,
    pub terms: Terms,
    pub tree: ObjectId,
    /// From the base to what was handed over, each path once.
    pub changes: Vec<Change>,
    pub agreed: Agreed,
    pub folders: Folders,
}

/// More commits than these are many.
const MOST_COUNTED: u32 = 1000;

/// Critics whose questions are about great harm.
const GRAVE: [&str; 4] = ["security", "exploit", "data", "memory-safety"];

/// What to do where the work is none of the changes that are looked at.
const ELSEWHERE: &str = "committed, name what it began with: --base HEAD~1, --base main";

/// What most trunks are called.
const TRUNKS: [&str; 6] =
    ["origin/HEAD", "origin/main", "origin/master", "main", "master", "trunk"];

impl Engine {
    pub(super) fn open_verification(&mut self, request: &Request) -> Result<Opened> {
        check(request)?;
        let named = request.contract.as_deref();
        let named = named.map(|text| self.approved_contract(text)).transpose()?;
        let id = new_stamp(&self.host)?;
        let folders = self.verification_folders(id)?;
        let scratch = folders.own.join("scratch");
        let worktree = self.repository.layout().worktree.clone();
        let installed = borrow::installed(self)?;
        let tree = match &request.tree {
            Some(tree) => tree.clone(),
            None => self.repository.snapshot_without(&worktree, &scratch, &installed)?.tree,
        };
        let revision = request.base.as_deref();
        let base = match &named {
            Some((id, agreed)) => {
                self.base_of_contract(*id, &agreed.newest().contract.scope, revision)?
            }
            None => self.base_of(request, &tree, &scratch)?,
        };
        // Both outlive whatever happens to branches and files meanwhile.
        self.repository.keep(&format!("verify/{id}/handed"), &tree)?;
        self.repository.keep(&format!("verify/{id}/base"), &base.commit)?;
        let changes = self.repository.differences(&base.tree, &tree)?;
        // Who is checked doesn't choose the settings.
        self.settings = self.settings_of(&base.tree)?;
        let broken = self.broken_settings(&changes)?;
        let is_code = changes.iter().any(|one| is_code(&one.path.to_string_lossy()));
        let between = Between { base: &base, tree: &tree, is_code };
        let mut agreed = match named {
            Some((id, _)) => self.agreed_before(id, &between, request.runs_deferred)?,
            None => self.agreed_now(request, &between)?,
        };
        agreed.notes.extend(broken);
        agreed.notes.extend(unheeded(&agreed.contract.task));
        agreed.notes.extend(installed.iter().map(|path| not_ignored(path)));
        if request.contract.is_none() && revision.is_none() {
            agreed.notes.extend(self.earlier_commits(&base)?);
            agreed.notes.extend(self.first_commit(&base)?);
            let text = format!("if there is work and it is {ELSEWHERE}");
            agreed
                .notes
                .extend(changes.is_empty().then_some(Reason { weight: Weight::Note, text }));
        }
        if request.contract.is_none() {
            agreed.notes.extend(self.unread(&base, &changes));
        }
        let terms = Terms {
            task: agreed.contract.task.clone(),
            contract: agreed.contract.contract_type,
            tier: agreed.contract.tier,
            risk: agreed.contract.risk,
            aim: aim(heeded(&agreed.contract.task)),
            base_commit: base.commit,
            base_tree: base.tree,
            checks: agreed.checks.clone(),
            examples: agreed.contract.examples.clone(),
        };
        Ok(Opened { id, terms, tree, changes, agreed, folders })
    }

    /// The settings as the base's file has them. One that can't be read counts as none.
    fn settings_of(&mut self, base: &ObjectId) -> Result<Resolved> {
        let listed = self.repository.list(base)?;
        let file = listed.iter().find(|one| one.path.as_os_str() == PROJECT_FILE);
        let text = match file {
            Some(file) => self.repository.content(&file.side.object)?,
            None => Vec::new(),
        };
        let root = self.repository.layout().worktree.clone();
        match config::resolve_over(&self.host, &root, &String::from_utf8_lossy(&text)) {
            Ok(settings) => Ok(settings),
            Err(error) => {
                self.notices
                    .push(format!("{PROJECT_FILE} of the base is not believed: {}", error.message));
                config::resolve(&self.host, None)
            }
        }
    }

    /// That the work broke the project's settings. If they were broken before, nothing can be said of
    /// the work, and the mistake is the request's.
    fn broken_settings(&mut self, changes: &[Change]) -> Result<Option<Reason>> {
        let Some(mistake) = self.mistake.take() else { return Ok(None) };
        if !changes.iter().any(|change| change.path.as_os_str() == PROJECT_FILE) {
            return Err(mistake);
        }
        let root = format!("{}/", self.repository.layout().worktree.display());
        let text = format!(
            "the project's settings can't be read any more: {}",
            mistake.message.replace(&root, "")
        );
        Ok(Some(Reason { weight: Weight::Refuse, text }))
    }

    /// What the work began with. Uncommitted changes began with the last commit; committed ones
    /// where this branch left its trunk.
    fn base_of(&self, request: &Request, tree: &ObjectId, scratch: &Path) -> Result<Commit> {
        if let Some(revision) = &request.base {
            return self.repository.resolve(revision).map_err(|error| self.cut(error.into()));
        }
        let Some(head) = self.repository.head()? else {
            let nothing = self.repository.nothing()?;
            if nothing.tree == *tree {
                let message = "this repository has no commit yet, and no file";
                return Err(Error::new(Kind::Refused, message)
                    .hint("verify when there is work: all files count as new then"));
            }
            return Ok(nothing);
        };
        if head.tree != *tree {
            return Ok(Commit { commit: head.commit, tree: head.tree });
        }
        let fork = TRUNKS.iter().find_map(|trunk| {
            let fork = self.repository.fork(trunk, head.commit.as_str()).ok().flatten()?;
            (fork.tree != *tree).then_some(fork)
        });
        let dirty = if fork.is_none() { self.dirty_modules(tree, scratch)? } else { Vec::new() };
        // Advice leaves no files: it is put on the record, so that a person is asked to read it.
        if fork.is_none() && dirty.is_empty() && self.is_advice(request) {
            return Ok(Commit { commit: head.commit, tree: head.tree });
        }
        fork.ok_or_else(|| match dirty.first() {
            Some(module) => {
                let module = module.display();
                let message = format!(
                    "nothing was changed since the last commit but files of the submodule {module}, \
                     which are not committed there"
                );
                Error::new(Kind::Refused, message)
                    .hint(format!("commit them in {module}: what is recorded of it is a commit"))
            }
            None => self.cut(self.unchanged()),
        })
    }

    /// Whether only advice was asked for, where the history says that nothing was changed.
    fn is_advice(&self, request: &Request) -> bool {
        // What was committed can't be told from what was there in a shallow clone.
        let classifier = Classifier::with(&self.settings.config.classify);
        !self.repository.is_shallow()
            && classifier.is_ok_and(|classifier| {
                let found = classifier.classify(&request.task, &request.said);
                found.effective().contract == ContractType::Advisory
            })
    }

    /// That nothing was handed over: work that was asked for is not there.
    fn unchanged(&self) -> Error {
        if self.repository.is_shallow() {
            return Error::new(Kind::Refused, "nothing was changed since the last commit");
        }
        let message = "nothing was changed since the last commit: what was asked for is not there";
        Error::new(Kind::NotAccepted, message).hint(format!("if the work is {ELSEWHERE}"))
    }

    /// The same with what to do where the history that is asked for was cut off.
    fn cut(&self, error: Error) -> Error {
        if !self.repository.is_shallow() {
            return error;
        }
        error.hint(
            "this clone is shallow, so what the work began with may be missing: `git fetch \
             --unshallow` brings it, and in GitHub Actions `fetch-depth: 0` of actions/checkout",
        )
    }

    /// That there was nothing before the work.
    fn first_commit(&self, base: &Commit) -> Result<Option<Reason>> {
        let is_first =
            self.repository.head()?.is_none() && self.repository.list(&base.tree)?.is_empty();
        let text = "this repository has no commit yet, so every file in it counts as the work";
        Ok(is_first.then(|| Reason { weight: Weight::Note, text: text.to_owned() }))
    }

    /// What the rules would have a critic read, where the harm is great. Without a contract nobody has
    /// agreed to that, and it is only said.
    fn unread(&self, base: &Commit, changes: &[Change]) -> Option<Reason> {
        let rules = self.rules_before(&base.tree).unwrap_or_else(|_| Rules::shipped().clone());
        let paths: Vec<_> = changes.iter().map(|one| one.path.to_string_lossy()).collect();
        let touched: Vec<Touched<'_>> =
            paths.iter().map(|path| Touched { path, added: &[] }).collect();
        let calls = rules.resolve(&touched);
        let grave = calls.called.iter().filter_map(|called| {
            let critic = called.critic.as_deref().filter(|name| GRAVE.contains(name))?;
            let hit = called.hits.first()?;
            Some(format!("{critic} ({}: {})", hit.path, hit.reason))
        });
        let grave: Vec<String> = grave.collect();
        let text = format!(
            "no critic has read it, and the rules call for {}; under a contract (`countersign \
             contract draft`) a person answers for that",
            grave.join(", ")
        );
        (!grave.is_empty()).then_some(Reason { weight: Weight::Note, text })
    }

    /// What is not compared if uncommitted changes began with the last commit: commits of the same
    /// work, perhaps.
    fn earlier_commits(&self, base: &Commit) -> Result<Option<Reason>> {
        let is_last = self.repository.head()?.is_some_and(|head| head.commit == base.commit);
        let forks = TRUNKS.iter().filter(|_| is_last).filter_map(|trunk| {
            let fork = self.repository.fork(trunk, base.commit.as_str()).ok().flatten()?;
            Some((trunk, fork))
        });
        let Some((trunk, fork)) = forks.into_iter().next() else { return Ok(None) };
        let between =
            self.repository.history(&base.commit, Some(&fork.commit), MOST_COUNTED)?.len();
        let what = match between {
            0 => return Ok(None),
            1 => format!("1 commit since {trunk} is"),
            many => format!("{many} commits since {trunk} are"),
        };
        let text = format!(
            "only what is not committed is compared, with the last commit: {what} left out \
             (--base {trunk} takes that in)"
        );
        Ok(Some(Reason { weight: Weight::Note, text }))
    }

    /// The commands that the base's files name, for work that changes code.
    pub(crate) fn checks_for(&self, base: &Commit) -> Result<Vec<Due>> {
        let found =
            self.checks_of((base, &base.tree), ContractType::Verifiable, &mut Vec::new())?;
        Ok(found.into_iter().filter(|one| one.lacks.is_none()).map(|one| one.due).collect())
    }

    /// The commands that the base's files name; those of the handed tree only where the base has
    /// none, as it was the work's to write them.
    pub(super) fn checks_of(
        &self,
        (base, tree): (&Commit, &ObjectId),
        contract: ContractType,
        notes: &mut Vec<Reason>,
    ) -> Result<Vec<Planned>> {
        self.expect_folders([&base.tree, tree])?;
        let project = self.project_of(&base.tree)?;
        let of_settings = project.findings.iter().filter(|one| one.file == PROJECT_FILE);
        notes.extend(of_settings.map(|one| {
            let text = format!("{} of {PROJECT_FILE}: {}; {}", one.key, one.what, one.fix);
            Reason { weight: Weight::Note, text }
        }));
        let mut found = dues(&self.installed_first(project), contract);
        if !found.iter().any(Due::is_test) && contract == ContractType::Verifiable {
            let new = dues(&self.installed_first(self.project_of(tree)?), contract);
            if new.iter().any(Due::is_test) {
                let text = "the base names no tests, so the commands are those that the work brought along";
                notes.push(Reason { weight: Weight::Note, text: text.to_owned() });
                found = new;
            }
        }
        if found.iter().any(|one| one.runner == Some(Runner::Unittest)) && base.tree != *tree {
            let new = dues(&self.project_of(tree)?, contract);
            for one in &mut found {
                run_more(one, &new);
            }
        }
        let mut planned: Vec<Planned> = Vec::new();
        for mut due in self.apart((&base.tree, tree), found)? {
            notes.extend(self.run_without_keeper(&mut due));
            let is_same =
                |one: &Planned| one.due.command == due.command && one.due.folder == due.folder;
            if !planned.iter().any(is_same) {
                let lacks = self.missing_program_in(&due.command, &due.folder);
                planned.push(Planned { due, lacks });
            }
        }
        notes.extend(planned.iter().filter_map(Planned::reason));
        Ok(planned)
    }

    /// Runs what a keeper of environments would run, where only the keeper is missing: the environment is there.
    fn run_without_keeper(&self, due: &mut Due) -> Option<Reason> {
        let (keeper, own) = without_keeper(&due.command)?;
        self.missing_program(keeper)
            .filter(|_| self.missing_program_in(own, &due.folder).is_none())?;
        let text = format!("{keeper} is not installed, so `{own}` is run for `{}`", due.command);
        due.command = own.to_owned();
        Some(Reason { weight: Weight::Note, text })
    }

    /// Refuses settings of single folders that no tree has.
    fn expect_folders(&self, trees: [&ObjectId; 2]) -> Result<()> {
        let said = project::settings_of(&self.settings.config.project)?;
        if !said.names_folders() {
            return Ok(());
        }
        let mut paths = Vec::new();
        for tree in trees {
            paths.extend(self.repository.list(tree)?.iter().map(|one| one.path.clone()));
        }
        let paths = paths.iter().filter_map(|path| path.to_str());
        project::expect_folders(&said, paths, &self.settings)
    }

    /// Lints that stand before or behind tests in one script are checks of their own: one that fails
    /// would keep the tests from being run.
    fn apart(&self, (base, tree): (&ObjectId, &ObjectId), found: Vec<Due>) -> Result<Vec<Due>> {
        let mut all = Vec::new();
        for mut due in found {
            if let Recipe::Told { command, .. } = scripts::behind(self, &due, [base, tree]) {
                due.runner = Runner::of(&command);
            }
            let script =
                if due.is_test() { scripts::text(self, &due, [base, tree])? } else { None };
            match script.as_deref().and_then(scripts::apart) {
                Some((lints, tests)) => {
                    let lint = |(activity, command): (Activity, String)| Due {
                        activity: activity.name().to_owned(),
                        runner: Runner::of(&command),
                        command,
                        ..due.clone()
                    };
                    all.extend(lints.into_iter().map(lint));
                    all.push(Due { runner: Runner::of(&tests), command: tests, ..due });
                }
                None => all.push(due),
            }
        }
        Ok(all)
    }

    /// What the files of `tree` say about how it is checked.
    pub(super) fn project_of(&self, tree: &ObjectId) -> Result<Project> {
        let listed = self.repository.list(tree)?;
        let objects: BTreeMap<String, ObjectId> = listed
            .iter()
            .filter(|one| one.side.mode & 0o170_000 == 0o100_000)
            .filter_map(|one| Some((one.path.to_str()?.to_owned(), one.side.object.clone())))
            .collect();
        let read = |path: &str| self.repository.content(objects.get(path)?).ok();
        let found = detect(objects.keys().map(String::as_str), &read);
        let said = project::settings_of(&self.settings.config.project)?;
        Ok(said.apply(found, PROJECT_FILE))
    }

    /// Puts the ways of doing something that can't be gone here behind the others.
    fn installed_first(&self, mut project: Project) -> Project {
        for part in &mut project.parts {
            part.tools.sort_by_key(|tool| {
                self.missing_program_in(&tool.command.shell, &tool.folder).is_some()
            });
        }
        project
    }

    /// The program of a command, if it is nowhere, not even among the packages of its folder.
    fn missing_program_in(&self, command: &str, folder: &str) -> Option<String> {
        let root = &self.repository.layout().worktree;
        let program = self.missing_program(command)?;
        let mut packages = [root.join(folder), root.clone()]
            .into_iter()
            .flat_map(|at| surroundings::installed(&at));
        (!packages.any(|at| at.join(&program).exists())).then_some(program)
    }

    /// The program of a command, if it is nowhere.
    fn missing_program(&self, command: &str) -> Option<String> {
        // A shell finds out by itself what several words mean.
        if command.contains(['&', '|', ';', '$', '(', '`', '<', '>']) {
            return None;
        }
        let program = command.split_whitespace().find(|word| !word.contains('='))?;
        let path = self.host.variable("PATH").unwrap_or_default();
        let is_local = program.contains('/');
        let found = is_local || countersign_exec::find_program(program, path).is_some();
        (!found).then(|| program.to_owned())
    }
}

fn check(request: &Request) -> Result<()> {
    let usage = |message: &str, hint: &str| Err(Error::new(Kind::Usage, message).hint(hint));
    if request.contract.is_none() && request.task.trim().is_empty() {
        return usage("the task is empty", "say in words what was to be done: --task 'Fix …'");
    }
    if request.task.len() > MAX_GOAL_BYTES {
        return usage("the task has more than 1 MiB", "name the part that says what to do");
    }
    if request.checks.iter().any(|check| check.trim().is_empty()) {
        return usage("a check is empty", "--check takes a shell command, such as 'make test'");
    }
    if request.seconds == Some(0) {
        return usage("--timeout must be at least 1", "leave it out for the configured time");
    }
    Ok(())
}

pub(super) fn users(command: &str) -> Due {
    Due {
        activity: "check".to_owned(),
        command: command.to_owned(),
        folder: String::new(),
        runner: Runner::of(command),
        why: "you asked for it".to_owned(),
    }
}

/// Where the tests of Python are for pytest now, it runs those of before as well: it knows both kinds.
/// The command was only guessed from a file of tests, on the base as well.
fn run_more(due: &mut Due, new: &[Due]) {
    let is_next = |one: &&Due| {
        one.runner == Some(Runner::Pytest)
            && one.folder == due.folder
            && one.activity == due.activity
    };
    let is_guessed = |one: &Due| one.why.ends_with("a file of tests");
    if due.runner == Some(Runner::Unittest)
        && is_guessed(due)
        && let Some(next) = new.iter().find(is_next).filter(|one| is_guessed(one))
    {
        *due = next.clone();
    }
}

/// What is due for `contract`: types and lints always, tests where something is to be verified.
fn dues(project: &Project, contract: ContractType) -> Vec<Due> {
    let activities: &[Activity] = match contract {
        ContractType::Verifiable => &[Activity::Typecheck, Activity::Lint, Activity::Unit],
        ContractType::Skip => &[Activity::Typecheck, Activity::Lint],
        ContractType::Advisory => &[],
    };
    let mut due: Vec<Due> = Vec::new();
    for activity in activities {
        for tool in project.tools(*activity) {
            let one = Due {
                activity: activity.name().to_owned(),
                command: tool.command.shell.clone(),
                folder: tool.folder.clone(),
                runner: tool.runner,
                why: tool.why.first().map(ToString::to_string).unwrap_or_default(),
            };
            if !due.iter().any(|known| known.command == one.command && known.folder == one.folder) {
                due.push(one);
            }
        }
    }
    due
}

/// That the end of a long task was not read. What stands there neither explains a change nor asks for
/// a test, and nobody should believe that it did.
fn unheeded(task: &str) -> Option<Reason> {
    let read = heeded(task);
    (read.len() < task.len()).then(|| {
        let (all, read) = (task.chars().count(), read.chars().count());
        let text = format!(
            "of the {all} characters of the task only the first {read} were read for what it asks for, \
             explains and states: name what matters there"
        );
        Reason { weight: Weight::Note, text }
    })
}

/// That packages were installed where git does not ignore them, and are no part of the work.
fn not_ignored(path: &Path) -> Reason {
    let path = path.display();
    let text = format!(
        "{path} counts as installed, not as work: no commit has it; a line `{path}/` in .gitignore \
         would say so"
    );
    Reason { weight: Weight::Note, text }
}

/// Whether a change there can change what a program does.
pub(super) fn is_code(path: &str) -> bool {
    !matches!(role(path), Role::Docs)
}
