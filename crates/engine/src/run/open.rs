//! Opening a run: everything that is checked before any work starts.

use std::collections::BTreeMap;

use countersign_domain::Stamp;
use countersign_domain::agent::{AgentSpec, Kind as AgentKind, Money};
use countersign_domain::budget::{Limit, RunCaps};
use countersign_domain::contract::{Check, Contract, MadeFrom, Reassignment, Timing};
use countersign_domain::run::{
    Assigned, Base, Crew, Handed, Limits, MAX_ROUNDS, Opened, Policy, Run, RunEvent,
};
use countersign_domain::verify::Example;

use super::{Progress, WriteError};
use crate::Engine;
use crate::error::{Error, Kind, Result};
use crate::names::new_stamp;
use crate::query::stream_of;

/// The longest goal.
pub const MAX_GOAL_BYTES: usize = 1024 * 1024;

/// What a user asks for.
#[derive(Debug, Clone)]
pub struct Goal {
    /// In words; may be empty where a contract says it.
    pub goal: String,
    /// The task's contract: its id, a beginning of it, or `latest`. Its criteria are the checks.
    pub contract: Option<String>,
    /// Shell commands that must succeed on the tree that is handed over.
    pub checks: Vec<String>,
    /// `command:` and a shell command.
    pub worker: String,
    /// What to start from; `None` for what is checked out.
    pub base: Option<String>,
    pub attempts: Option<u32>,
    pub worker_seconds: Option<u64>,
    pub check_seconds: Option<u64>,
    /// How long single checks may take, where that is less.
    pub own_seconds: BTreeMap<String, u64>,
    /// Who works and who judges, where that is more than a command.
    pub crew: Option<CrewWish>,
}

/// The crew that a user asks for.
#[derive(Debug, Clone, Default)]
pub struct CrewWish {
    /// Stronger workers, in the order in which they are tried after the first.
    pub stronger: Vec<AgentSpec>,
    pub verifiers: Vec<AgentSpec>,
    pub reviewer: Option<AgentSpec>,
    /// The caps, if they are not those of the settings.
    pub caps: Option<RunCaps>,
    /// What the run may cost, where that differs from its caps.
    pub most: Option<Money>,
    pub story: Option<Assigned>,
    /// What is judged, where nobody works.
    pub handed: Option<Handed>,
    /// What is asked for and no more, where the goal has other things around it.
    pub task: Option<String>,
    /// Questions to the new code whose answers we compare ourselves.
    pub examples: Vec<Example>,
    /// How often verifiers may disagree, if not as the settings say.
    pub rounds: Option<u32>,
}

impl CrewWish {
    /// The crew that texts name, as users write them.
    pub fn parse(
        workers: &[String],
        verifiers: &[String],
        reviewer: Option<&str>,
        dollars: Option<f64>,
    ) -> Result<Self> {
        let all = |texts: &[String]| -> Result<Vec<AgentSpec>> {
            texts.iter().map(|text| agent(text)).collect()
        };
        Ok(Self {
            stronger: all(workers.get(1..).unwrap_or_default())?,
            verifiers: all(verifiers)?,
            reviewer: reviewer.map(agent).transpose()?,
            caps: None,
            most: dollars.map(asked_budget).transpose()?,
            story: None,
            handed: None,
            task: None,
            examples: Vec::new(),
            rounds: None,
        })
    }
}

/// The amount that `--budget` names.
pub(crate) fn asked_budget(dollars: f64) -> Result<Money> {
    Money::from_dollars(dollars).filter(|money| *money > Money::ZERO).ok_or_else(|| {
        Error::new(Kind::Usage, format!("--budget {dollars} is no amount of dollars"))
    })
}

/// The caps, where all of a run may cost `most`. An attempt keeps the cap that it has: who allows a
/// run more has not said that one attempt may take all of it.
pub(crate) fn with_budget(caps: RunCaps, most: Option<Money>) -> RunCaps {
    let money = most.or(caps.run.money);
    RunCaps { run: Limit { money, ..caps.run }, ..caps }
}

impl Goal {
    /// Whether this can be worked on at all; looks at nothing but the request itself.
    pub fn check(&self) -> Result<()> {
        let usage = |message: &str| Err(Error::new(Kind::Usage, message));
        let is_agreed = self.contract.is_some();
        if is_agreed && !(self.goal.is_empty() && self.checks.is_empty()) {
            return usage("a contract says what is to be done, and what is checked")
                .map_err(|e| e.hint("leave out the goal and --check, or --contract"));
        }
        if !is_agreed && self.goal.trim().is_empty() {
            return usage("the goal is empty")
                .map_err(|e| e.hint("say in words what is to be done"));
        }
        if self.goal.len() > MAX_GOAL_BYTES {
            let message = format!("the goal has {} bytes; 1 MiB is the most", self.goal.len());
            return usage(&message).map_err(|e| e.hint("name a file in the repository instead"));
        }
        if !is_agreed && self.checks.is_empty() && self.crew.is_none() {
            return usage("there is no check, so nothing could be proven")
                .map_err(|e| e.hint("add --check 'CMD': a command that must exit with code 0"));
        }
        if self.checks.iter().any(|check| check.trim().is_empty()) {
            return usage("a check is empty")
                .map_err(|e| e.hint("--check takes a shell command, such as --check 'make test'"));
        }
        let bounds = [
            (self.attempts.is_none_or(|n| (1..=100).contains(&n)), "--attempts must be 1 to 100"),
            (self.worker_seconds != Some(0), "--worker-timeout must be at least 1"),
            (self.check_seconds != Some(0), "--check-timeout must be at least 1"),
        ];
        if let Some((_, rule)) = bounds.into_iter().find(|(holds, _)| !holds) {
            return usage(rule);
        }
        match &self.crew {
            None => worker_command(&self.worker).map(|_| ()),
            Some(_) => agent(&self.worker).map(|_| ()),
        }
    }
}

/// The agent that a text names.
pub(crate) fn agent(text: &str) -> Result<AgentSpec> {
    text.parse().map_err(|unnamed: countersign_domain::agent::Unnamed| {
        Error::new(Kind::Usage, unnamed.to_string()).hint(unnamed.hint())
    })
}

/// What a run under a task's contract is opened with.
struct AgreedGoal {
    goal: String,
    checks: Vec<Check>,
    base: Base,
    made_from: MadeFrom,
}

/// A command of a contract, as it is run from the root of a checkout.
fn in_folder(folder: &str, command: &str) -> String {
    if folder.is_empty() {
        return command.to_owned();
    }
    format!("cd '{}' && ( {command} )", folder.replace('\'', r"'\''"))
}

/// The command behind a worker's name.
pub(super) fn worker_command(worker: &str) -> Result<&str> {
    let (engine, command) = worker.split_once(':').unwrap_or((worker, ""));
    if engine != "command" {
        return Err(Error::new(Kind::Usage, format!("there is no worker engine '{engine}'"))
            .hint("use --worker 'command:SHELL COMMAND'; the prompt comes on its standard input"));
    }
    if command.trim().is_empty() {
        return Err(Error::new(Kind::Usage, "the worker's command is empty")
            .hint("use --worker 'command:SHELL COMMAND'"));
    }
    Ok(command)
}

impl Engine {
    /// Fixes the contract and opens a run for `goal`.
    pub fn open_run(&mut self, goal: &Goal, watch: &mut dyn FnMut(&Progress<'_>)) -> Result<Stamp> {
        self.open_run_with(None, goal, watch)
    }

    /// Opens a run with an id that was given to it before.
    pub(crate) fn open_run_as(&mut self, run: Stamp, goal: &Goal) -> Result<()> {
        self.open_run_with(Some(run), goal, &mut |_| {}).map(|_| ())
    }

    fn open_run_with(
        &mut self,
        id: Option<Stamp>,
        goal: &Goal,
        watch: &mut dyn FnMut(&Progress<'_>),
    ) -> Result<Stamp> {
        goal.check()?;
        let agreed = goal.contract.as_deref();
        let agreed = agreed.map(|text| self.agreed_goal(text, goal.base.as_deref())).transpose()?;
        let base = match &agreed {
            Some(agreed) => agreed.base.clone(),
            None => self.run_base(goal.base.as_deref())?,
        };
        self.check_branch()?;
        let crew = goal.crew.as_ref().map(|wish| self.crew(goal, wish)).transpose()?;
        let (checks, crew) = match (&agreed, crew) {
            (Some(agreed), crew) => (agreed.checks.clone(), crew),
            (None, Some(crew)) if goal.checks.is_empty() => {
                (self.detected_checks(&base)?, Some(Crew { is_detected: true, ..crew }))
            }
            (None, crew) => {
                let of = |command: &String| Check {
                    seconds: goal.own_seconds.get(command).copied(),
                    ..Check::new(command)
                };
                (goal.checks.iter().map(of).collect(), crew)
            }
        };
        let settings = &self.settings.config;
        let limits = Limits {
            attempts: goal.attempts.unwrap_or(settings.run.attempts),
            worker_seconds: goal.worker_seconds.unwrap_or(settings.run.worker_seconds),
            check_seconds: goal.check_seconds.unwrap_or(settings.run.check_seconds),
            output_bytes: settings.exec.output_bytes,
        };
        loop {
            let contract = Contract {
                run: id.map_or_else(|| self.new_run_id(), Ok)?,
                goal: agreed.as_ref().map_or(&goal.goal, |agreed| &agreed.goal).clone(),
                base_commit: base.commit.clone(),
                base_tree: base.tree.clone(),
                checks: checks.clone(),
                made_from: agreed.as_ref().map(|agreed| agreed.made_from.clone()),
            };
            let opened = Opened {
                base: base.clone(),
                contract_hash: contract.hash(),
                contract,
                worker: goal.worker.clone(),
                limits: limits.clone(),
                crew: crew.clone().map(Box::new),
            };
            let run = Run::open(opened.clone());
            let event = RunEvent::Opened(Box::new(opened));
            // The base must outlive whatever happens to the user's branches meanwhile.
            self.repository.keep(&format!("runs/{}/base", run.id()), &run.base().commit)?;
            if let Some(crew) = &run.opened.crew {
                self.fix_budget(run.id(), crew.policy.caps)?;
            }
            match self.write(&run, 0, &event) {
                Ok(_) => {}
                Err(WriteError::Other(error)) => return Err(error),
                // Someone with another home was given the same id, and was first.
                Err(WriteError::Overtaken) if id.is_some() => return Ok(run.id()),
                Err(WriteError::Overtaken) => continue,
            }
            watch(&Progress { run: &run, sequence: 1, event: &event });
            self.seal_at(&event)?;
            return Ok(run.id());
        }
    }

    /// The crew, with all its bounds; every agent of it must be here before anything starts.
    fn crew(&self, goal: &Goal, wish: &CrewWish) -> Result<Crew> {
        let mut workers = vec![agent(&goal.worker)?];
        workers.extend(wish.stronger.iter().cloned());
        for spec in workers.iter().chain(&wish.verifiers).chain(&wish.reviewer) {
            super::agent::program_of(self, spec)?;
        }
        let is_agent = workers.iter().all(|spec| spec.kind != AgentKind::Command);
        let policy = Policy {
            caps: with_budget(wish.caps.unwrap_or_else(|| self.caps().of_run), wish.most),
            requires_claim: is_agent,
            stale_seconds: self.settings.config.run.stale_seconds,
            rounds: self.rounds(wish.rounds)?,
            ..Policy::default()
        };
        Ok(Crew {
            workers,
            verifiers: wish.verifiers.clone(),
            reviewer: wish.reviewer.clone(),
            policy,
            story: wish.story.clone(),
            handed: wish.handed.clone(),
            task: wish.task.clone(),
            examples: wish.examples.clone(),
            is_detected: false,
        })
    }

    /// How often verifiers may disagree: as asked for, else as the settings say.
    pub(crate) fn rounds(&self, asked: Option<u32>) -> Result<u32> {
        let Some(rounds) = asked else { return Ok(self.settings.config.run.consensus_rounds) };
        if !(1..=MAX_ROUNDS).contains(&rounds) {
            let message = format!("{rounds} rounds of consensus are asked for");
            let hint = format!("--consensus-rounds is 1 to {MAX_ROUNDS}");
            return Err(Error::new(Kind::Usage, message).hint(hint));
        }
        Ok(rounds)
    }

    /// The commands that the base's own files name for work of this kind.
    fn detected_checks(&self, base: &Base) -> Result<Vec<Check>> {
        let commit =
            countersign_git::Commit { commit: base.commit.clone(), tree: base.tree.clone() };
        let found = self.checks_for(&commit)?;
        if !found.iter().any(countersign_domain::verify::Due::is_test) {
            let message = "this repository names no tests, so nothing could be proven";
            return Err(Error::new(Kind::Usage, message)
                .hint("add --check 'CMD': a command that must exit with code 0"));
        }
        Ok(found.into_iter().map(|due| Check::new(in_folder(&due.folder, &due.command))).collect())
    }

    /// What a contract that was agreed on asks of a worker. If work under it did not hold before, the
    /// worker is told what is known about that.
    fn agreed_goal(&self, text: &str, revision: Option<&str>) -> Result<AgreedGoal> {
        let (id, agreement) = self.approved_contract(text)?;
        let version = agreement.newest();
        let contract = &version.contract;
        if let Some(missing) = contract.unresolved().next() {
            let message = format!("contract {id}: {} has no command", missing.words());
            return Err(Error::new(Kind::MissingTool, message)
                .hint("`countersign contract show` says what to do about it"));
        }
        let commit = self.base_of_contract(id, &contract.scope, revision)?;
        let (mut checks, mut criteria) = (Vec::new(), Vec::new());
        for (number, criterion) in (1..).zip(&contract.criteria) {
            if criterion.timing == Timing::Deferred {
                continue;
            }
            let Some(command) = &criterion.command else { continue };
            checks.push(Check::new(in_folder(&criterion.folder, command)));
            criteria.push(number);
        }
        if checks.is_empty() {
            let message = format!("contract {id} has nothing that could be run");
            return Err(Error::new(Kind::Refused, message)
                .hint("a person must judge such work: countersign verify --contract"));
        }
        let mut goal = contract.task.clone();
        if let Some(known) = Reassignment::of(&agreement) {
            goal += &format!("\n\n{}", known.render());
        }
        let made_from = MadeFrom { id, hash: version.hash, criteria };
        let base = Base { commit: commit.commit, tree: commit.tree, branch: None };
        Ok(AgreedGoal { goal, checks, base, made_from })
    }

    /// An id that no run of this ledger has. Ids are unique on a machine for everyone with the
    /// same home; a repository may be used with several.
    pub(crate) fn new_run_id(&self) -> Result<Stamp> {
        loop {
            let stamp = new_stamp(&self.host)?;
            if self.store.head(&stream_of(stamp)?)?.is_none() {
                return Ok(stamp);
            }
        }
    }

    /// Accepted work goes to a branch below `countersign/`, which git can't make beside a branch
    /// of that very name: better said before the work than after it.
    fn check_branch(&self) -> Result<()> {
        if self.repository.has_branch("countersign")? {
            let message = "there is a branch 'countersign', so 'countersign/RUN' can't be made";
            let hint = "rename it: git branch -m countersign another-name";
            return Err(Error::new(Kind::Refused, message).hint(hint));
        }
        Ok(())
    }

    pub(crate) fn run_base(&self, revision: Option<&str>) -> Result<Base> {
        if let Some(revision) = revision {
            let commit = self.repository.resolve(revision)?;
            return Ok(Base { commit: commit.commit, tree: commit.tree, branch: None });
        }
        let head = self.repository.head()?.ok_or_else(|| {
            Error::new(Kind::Refused, "this repository has no commit yet, so work has no base")
                .hint("make a first commit: git add -A && git commit -m 'Start'")
        })?;
        Ok(Base { commit: head.commit, tree: head.tree, branch: head.branch })
    }

    /// Whether there are changes in the worktree that a run from `HEAD` does not see.
    pub fn has_uncommitted_changes(&self) -> Result<bool> {
        Ok(self.repository.head()?.is_some() && self.repository.is_dirty()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::BudgetConfig;

    /// CO-05: `--budget` is about the run; what an attempt may spend is what the settings say, also
    /// where that is none, and so are tokens.
    #[test]
    fn a_budget_of_a_run_leaves_that_of_an_attempt() {
        let wish = CrewWish::parse(&["claude".to_owned()], &[], None, Some(45.0)).unwrap();
        let dollars = |dollars| Money::from_dollars(dollars);
        let capped = |most| crate::config::Dollars(dollars(most).unwrap_or(Money::ZERO));
        let mut settings = BudgetConfig {
            attempt_dollars: capped(5.0),
            run_dollars: capped(20.0),
            day_dollars: capped(0.0),
            attempt_tokens: 0,
            run_tokens: 0,
            day_tokens: 0,
        };
        settings.run_tokens = 7;
        let caps = |settings: &BudgetConfig| with_budget(settings.caps().of_run, wish.most);
        let fixed = caps(&settings);
        assert_eq!((fixed.attempt.money, fixed.run.money), (dollars(5.0), dollars(45.0)));
        assert_eq!(fixed.run.tokens, Some(7));
        settings.attempt_dollars = crate::config::Dollars(Money::ZERO);
        assert_eq!(caps(&settings).attempt.money, None);
        assert_eq!(with_budget(settings.caps().of_run, None).run.money, dollars(20.0));
        for wrong in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(CrewWish::parse(&[], &[], None, Some(wrong)).is_err(), "{wrong}");
        }
    }
}
