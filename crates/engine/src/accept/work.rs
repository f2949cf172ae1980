//! The work that can be accepted: that of a run, or of all stories of a relay.

use std::collections::BTreeMap;

use countersign_domain::classify::Overrides;
use countersign_domain::relay::{Relay, RelayOutcome, Standing, StoryTerms};
use countersign_domain::run::{Outcome, Run};
use countersign_domain::verify::Example;
use countersign_domain::{ObjectId, Stamp};

use crate::Engine;
use crate::error::{Error, Kind, Result};
use crate::relay::{Undertaking, highest_risk};

/// Work that was countersigned.
#[derive(Debug)]
pub(super) struct Work {
    pub id: Stamp,
    pub goal: String,
    pub base: ObjectId,
    pub commit: ObjectId,
    pub tree: ObjectId,
    pub branch: String,
    /// The commands that were checked; none where the branch's own files name them.
    pub checks: Vec<String>,
    /// The examples and known inputs that its answers were compared with.
    pub examples: Vec<Example>,
    pub check_seconds: u64,
    /// What the plan says of its stories.
    pub said: Overrides,
    /// What is not in it, of a relay that ended before all of its stories held together.
    pub missing: Vec<String>,
    pub of: Of,
}

#[derive(Debug)]
pub(super) enum Of {
    Run(Box<Run>),
    Relay(Box<Relay>),
}

impl Work {
    /// How long single commands may take, where that is less than all may.
    pub fn own_seconds(&self) -> BTreeMap<String, u64> {
        match &self.of {
            Of::Run(run) => run.opened.contract.own_seconds(),
            Of::Relay(_) => BTreeMap::new(),
        }
    }
}

/// How much of a relay is taken over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Extent {
    /// All stories, which hold together.
    #[default]
    Whole,
    /// What landed, also if that is not all.
    Landed,
}

/// What landed of a relay that was blocked, as work that is still to be verified as a whole.
fn landed_work(relay: &Relay, branch: String) -> Work {
    let has_landed =
        |terms: &&StoryTerms| matches!(relay.stories.get(&terms.id), Some(Standing::Landed { .. }));
    let landed: Vec<&StoryTerms> = relay.opened.stories.iter().filter(has_landed).collect();
    let mut checks: Vec<String> = Vec::new();
    for check in landed.iter().flat_map(|terms| &terms.checks) {
        if !checks.contains(check) {
            checks.push(check.clone());
        }
    }
    let others = relay.opened.stories.iter().filter(|terms| !has_landed(terms));
    let mut missing: Vec<String> =
        others.map(|terms| format!("{}: {}", terms.id, terms.title)).collect();
    missing.push("ALL: the stories were not judged together, or did not hold".to_owned());
    let goal: Vec<&str> = landed.iter().map(|terms| terms.task.trim()).collect();
    Work {
        id: relay.id(),
        goal: goal.join("\n\n"),
        base: relay.opened.base.commit.clone(),
        commit: relay.tip.clone(),
        tree: relay.tip_tree.clone(),
        branch,
        checks,
        // Known inputs are about all stories together, and some are not in it.
        examples: landed.iter().flat_map(|terms| terms.examples.clone()).collect(),
        check_seconds: relay.opened.limits.check_seconds,
        said: said(landed.into_iter()),
        missing,
        of: Of::Relay(Box::new(relay.clone())),
    }
}

/// What the plan says of these stories.
fn said<'a>(stories: impl Iterator<Item = &'a StoryTerms>) -> Overrides {
    Overrides { risk: highest_risk(stories), ..Overrides::default() }
}

impl Work {
    /// Whether it is less than what was asked for.
    pub fn is_partial(&self) -> bool {
        !self.missing.is_empty()
    }

    /// The first line of the goal, for a commit.
    pub fn subject(&self) -> String {
        let line = self.goal.trim().lines().next().unwrap_or_default();
        line.chars().take(72).collect()
    }

    /// One line for each story that landed.
    pub fn stories(&self) -> String {
        let Of::Relay(relay) = &self.of else { return String::new() };
        let landed =
            relay.opened.stories.iter().filter(|terms| {
                matches!(relay.stories.get(&terms.id), Some(Standing::Landed { .. }))
            });
        let lines: String =
            landed.map(|terms| format!("- {}: {}\n", terms.id, terms.title)).collect();
        if lines.is_empty() { lines } else { lines + "\n" }
    }
}

impl Engine {
    /// The work of a run or a relay that was accepted; of a relay that was blocked, what landed, if
    /// that is what is asked for.
    pub(super) fn accepted_work(&self, undertaking: Undertaking, extent: Extent) -> Result<Work> {
        let work = match undertaking {
            Undertaking::Run(run) => self.work_of_run(run)?,
            Undertaking::Relay(relay) => self.work_of_relay(relay, extent)?,
        };
        if self.repository.resolve(work.commit.as_str())?.tree != work.tree {
            let message = format!("{} does not hold what was accepted", work.commit);
            return Err(Error::new(Kind::Tampered, message)
                .hint("`countersign ledger verify` names what was changed"));
        }
        self.expect_genuine_trees(&[&work.tree])?;
        Ok(work)
    }

    fn work_of_run(&self, id: Stamp) -> Result<Work> {
        let run = self.load(id)?;
        if let Some(relay) = Self::relay_of(&run) {
            let message = format!("run {id} is a story of relay {relay}");
            return Err(Error::new(Kind::Refused, message)
                .hint(format!("accept all of it: countersign accept {relay} --merge")));
        }
        let (tree, commit, branch) = match run.outcome() {
            Some(Outcome::Accepted { tree, commit, branch }) => {
                (tree.clone(), commit.clone(), branch.clone())
            }
            Some(Outcome::Refused { .. }) => {
                let message = format!("run {id} ended without acceptance, so there is no work");
                return Err(Error::new(Kind::Refused, message)
                    .hint(format!("countersign log {id} tells why")));
            }
            None => {
                let message = format!("run {id} has not ended");
                return Err(Error::new(Kind::Refused, message)
                    .hint(format!("go on with it: countersign resume {id}")));
            }
        };
        let contract = &run.opened.contract;
        let crew = run.opened.crew.as_ref();
        let is_detected = crew.is_some_and(|crew| crew.is_detected);
        let examples = crew.map(|crew| crew.examples.clone()).unwrap_or_default();
        let checks = contract.checks.iter().map(|check| check.command.clone());
        Ok(Work {
            id,
            goal: contract.goal.clone(),
            base: run.base().commit.clone(),
            commit,
            tree,
            branch,
            checks: if is_detected { Vec::new() } else { checks.collect() },
            examples,
            check_seconds: run.opened.limits.check_seconds,
            said: Overrides::default(),
            missing: Vec::new(),
            of: Of::Run(Box::new(run)),
        })
    }

    fn work_of_relay(&self, id: Stamp, extent: Extent) -> Result<Work> {
        let relay = self.load_relay(id)?;
        let (commit, branch) = match &relay.outcome {
            Some(RelayOutcome::Complete { commit, branch }) => (commit.clone(), branch.clone()),
            Some(RelayOutcome::Blocked { branch: Some(branch), .. })
                if extent == Extent::Landed =>
            {
                return Ok(landed_work(&relay, branch.clone()));
            }
            Some(RelayOutcome::Blocked { branch, .. }) => {
                let message = format!("relay {id} ended before all of its stories held together");
                let rest = format!("try the rest again: countersign run --continue {id}");
                let hint = match branch {
                    Some(_) => format!(
                        "take over what landed: countersign accept {id} --landed --merge; or {rest}"
                    ),
                    None => format!("nothing of it landed; {rest}"),
                };
                return Err(Error::new(Kind::Refused, message).hint(hint));
            }
            None => {
                let message = format!("relay {id} has not ended");
                return Err(Error::new(Kind::Refused, message)
                    .hint(format!("go on with it: countersign resume {id}")));
            }
        };
        let mut checks = relay.opened.release_checks.clone();
        for check in relay.opened.stories.iter().flat_map(|story| &story.checks) {
            if !checks.contains(check) {
                checks.push(check.clone());
            }
        }
        Ok(Work {
            id,
            goal: relay.opened.objective.clone(),
            base: relay.opened.base.commit.clone(),
            tree: self.repository.resolve(commit.as_str())?.tree,
            commit,
            branch,
            checks,
            examples: relay.opened.release_examples.clone(),
            check_seconds: relay.opened.limits.check_seconds,
            said: said(relay.opened.stories.iter()),
            missing: Vec::new(),
            of: Of::Relay(Box::new(relay)),
        })
    }
}
