//! Plans: listed, read, checked, drafted, written once, taken over from rlp-desk.

mod answers;
mod files;
mod importing;
mod suggest;

use std::collections::BTreeMap;

use countersign_domain::Digest;
use countersign_domain::mistake::Mistake;
use countersign_domain::plan::{Checked, CriterionId, Names, Plan, Score, Slug, StoryId};
use serde::{Deserialize, Serialize};

use crate::Engine;
use crate::error::{Error, Kind, Result};

pub use answers::{AnswersFile, schema};
pub use files::WrittenPlan;
pub use importing::{ImportRequest, ImportedPlan};
pub use suggest::{Suggestions, suggested_risk};

/// A plan as its files say it.
#[derive(Debug, Clone, Serialize)]
pub struct PlanFiles {
    pub plan: Plan,
    /// Of what it says; a run fixes it by this name.
    pub hash: Digest,
    /// The two files, from the root of the repository.
    pub prd: String,
    pub spec: String,
}

impl PlanFiles {
    pub fn names(&self) -> Names {
        Names::new(self.prd.clone(), self.spec.clone())
    }
}

/// A plan in a list.
#[derive(Debug, Clone, Serialize)]
pub struct PlanRow {
    pub slug: String,
    pub stories: usize,
    pub criteria: usize,
    /// Why it can't be worked on, counted.
    pub refusals: usize,
    pub warnings: usize,
    pub hash: Digest,
    pub folder: String,
}

/// All plans, and those that can't be read.
#[derive(Debug, Clone, Serialize)]
pub struct PlanList {
    pub plans: Vec<PlanRow>,
    pub mistakes: Vec<Mistake>,
}

/// How many of the things that are wrong are named where only a few can be.
const MOST_NAMED: usize = 5;

/// What `plan check` found.
#[derive(Debug, Clone, Serialize)]
pub struct PlanCheck {
    pub slug: String,
    /// Why its files can't be read.
    pub mistakes: Vec<Mistake>,
    /// If they can.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checked: Option<Checked>,
}

impl PlanCheck {
    /// Why the plan can't be worked on.
    pub fn problem(&self) -> Option<Error> {
        let refusals = self.checked.as_ref().map_or(0, |checked| checked.refusals().count());
        let count = self.mistakes.len() + refusals;
        let things = if count == 1 { "thing is" } else { "things are" };
        (count > 0).then(|| {
            let message =
                format!("the plan '{}' can't be worked on: {count} {things} wrong", self.slug);
            Error::new(Kind::Refused, message)
                .hint("mend the places named above; only you can waive a law, in the PRD")
        })
    }

    /// The same where nobody has seen what was found: with the first of it.
    pub fn problem_in_full(&self) -> Option<Error> {
        let mut problem = self.problem()?;
        let mistakes = self.mistakes.iter().map(ToString::to_string);
        let refusals = self.checked.iter().flat_map(Checked::refusals);
        let refusals = refusals.map(|one| {
            format!("{}:{}: {}: {}; {}", one.file, one.line, one.subject, one.what, one.fix)
        });
        let all: Vec<String> = mistakes.chain(refusals).collect();
        for line in all.iter().take(MOST_NAMED) {
            problem.message += &format!("\n  {line}");
        }
        if all.len() > MOST_NAMED {
            problem.message += &format!("\n  and {} more", all.len() - MOST_NAMED);
        }
        Some(problem.hint(format!("`countersign plan check {}` tells all of it", self.slug)))
    }
}

/// A plan that is not written yet, to be looked at and approved.
#[derive(Debug, Clone, Serialize)]
pub struct DraftedPlan {
    pub plan: Plan,
    pub checked: Checked,
    /// Where it would be written.
    pub folder: String,
    pub prd: String,
    pub spec: String,
}

/// What somebody else, such as a model, thinks of a criterion. It only ever lowers a score.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Judged {
    story: StoryId,
    criterion: CriterionId,
    rated: Vec<countersign_domain::plan::Rated>,
}

impl Engine {
    /// All plans, by name.
    pub fn plans(&self) -> Result<PlanList> {
        let mut list = PlanList { plans: Vec::new(), mistakes: Vec::new() };
        for name in self.plan_names()? {
            match self.plan_files(&name)? {
                Err(mistakes) => list.mistakes.extend(mistakes),
                Ok(files) => {
                    let checked = files.plan.check(&files.names());
                    let refusals = checked.refusals().count();
                    list.plans.push(PlanRow {
                        slug: files.plan.slug.to_string(),
                        stories: files.plan.stories.len(),
                        criteria: files.plan.stories.iter().map(|story| story.criteria.len()).sum(),
                        refusals,
                        warnings: checked.shortcomings.len() - refusals,
                        hash: files.hash,
                        folder: self.shown_path(&self.plan_folder().join(&name)),
                    });
                }
            }
        }
        Ok(list)
    }

    /// The plan that `name` stands for: its slug, or the path of its folder or of its PRD.
    pub fn plan(&self, name: &str) -> Result<PlanFiles> {
        self.plan_files(name)?.map_err(|mistakes| files::unusable(&mistakes))
    }

    /// Checks a plan. `scores` is a file with what somebody else thinks of its criteria.
    pub fn check_plan(&self, name: &str, scores: Option<&str>) -> Result<PlanCheck> {
        let judged = scores.map(|file| self.judged(file)).transpose()?.unwrap_or_default();
        Ok(match self.plan_files(name)? {
            Err(mistakes) => PlanCheck { slug: name.to_owned(), mistakes, checked: None },
            Ok(files) => PlanCheck {
                slug: files.plan.slug.to_string(),
                mistakes: Vec::new(),
                checked: Some(files.plan.check_with(&files.names(), &judged)),
            },
        })
    }

    /// The plan of answers, with what is to be said about it. Nothing is written.
    pub fn draft_plan(&self, answers: &AnswersFile) -> Result<DraftedPlan> {
        let plan = answers.answers.plan(&answers.name).map_err(|all| files::unusable(&all))?;
        self.expect_new(&plan.slug)?;
        Ok(self.drafted(plan))
    }

    fn drafted(&self, plan: Plan) -> DraftedPlan {
        let folder = self.plan_folder().join(plan.slug.as_str());
        let shown = self.shown_path(&folder);
        let names =
            Names::new(format!("{shown}/{}", files::PRD), format!("{shown}/{}", files::SPEC));
        let checked = plan.check(&names);
        let (prd, spec) = (plan.render_prd(), plan.render_spec());
        DraftedPlan { plan, checked, folder: shown, prd, spec }
    }

    fn judged(&self, file: &str) -> Result<BTreeMap<(StoryId, CriterionId), Score>> {
        let path = self.host.cwd.join(file);
        let bytes = crate::context::read_file(&path, files::MAX_BYTES, "file of scores")?;
        let judged: Vec<Judged> = serde_json::from_slice(&bytes).map_err(|error| {
            Error::new(Kind::Usage, format!("{file}: {error}")).hint(
                "write [{\"story\": \"US-001\", \"criterion\": \"AC1\", \"rated\": [{\"dimension\": \
                 \"single\", \"points\": 1, \"reason\": \"…\"}]}]",
            )
        })?;
        let scores =
            judged.into_iter().map(|one| ((one.story, one.criterion), Score { rated: one.rated }));
        Ok(scores.collect())
    }

    /// Refuses a slug that a plan has.
    fn expect_new(&self, slug: &Slug) -> Result<()> {
        let folder = self.plan_folder().join(slug.as_str());
        // A link to nowhere is in the way as well.
        if folder.symlink_metadata().is_ok() {
            let message = format!("{} is already there", self.shown_path(&folder));
            return Err(Error::new(Kind::Refused, message)
                .hint("choose another slug, or edit that plan; nothing is overwritten"));
        }
        Ok(())
    }
}
