//! Opening a relay: the plan is checked and fixed by its hash before anything starts.

use std::path::{Component, Path};

use countersign_domain::Stamp;
use countersign_domain::agent::AgentSpec;
use countersign_domain::budget::RunCaps;
use countersign_domain::classify::Label as _;
use countersign_domain::plan::{ConsensusScope, IterationUnit, Plan, Story, VerifyMode};
use countersign_domain::relay::{Opened, Relay, RelayEvent, StoryTerms};
use countersign_domain::run::{Limits, RequiredTest};

use super::{Told, legs};
use crate::Engine;
use crate::error::{Error, Kind, Result};
use crate::names::new_stamp;
use crate::plan::PlanFiles;
use crate::run::{agent, asked_budget, program_of, with_budget};

/// What a user asks for, over what the plan says.
#[derive(Debug, Clone, Default)]
pub struct RelayRequest {
    /// The plan's slug, or its folder; empty for that of the relay that is gone on from.
    pub plan: String,
    /// From the first that is tried to the strongest; as the plan or the settings say, if empty.
    pub workers: Vec<String>,
    pub verifiers: Vec<String>,
    pub reviewer: Option<String>,
    pub base: Option<String>,
    pub attempts: Option<u32>,
    pub worker_seconds: Option<u64>,
    pub check_seconds: Option<u64>,
    pub budget: Option<f64>,
    /// How often verifiers may disagree about a story, if not as the plan or the settings say.
    pub rounds: Option<u32>,
    pub jobs: Option<u32>,
    /// A relay that was blocked, to go on from: its id, or a beginning of it.
    pub continues: Option<String>,
    /// Whether a person wants to go on with a plan that is another now than it was there.
    pub takes_changed_plan: bool,
}

/// How often a story may be taken up again after it had landed.
const MAX_REOPENED: u32 = 2;

/// What to do where a second opinion is wanted and nobody is named for it.
const SECOND: &str = "name both: --verifier claude --verifier codex, or '- Verifier: claude' and \
    '- Consensus: codex' among the plan's choices";

/// Who works and who judges.
struct Crews {
    workers: Vec<AgentSpec>,
    verifiers: Vec<AgentSpec>,
    release_verifiers: Vec<AgentSpec>,
    reviewer: Option<AgentSpec>,
}

impl Engine {
    /// Fixes the plan and opens a relay for it.
    pub fn open_relay(
        &mut self,
        request: &RelayRequest,
        watch: &mut dyn FnMut(&Told<'_>),
    ) -> Result<Stamp> {
        let before = request.continues.as_deref();
        let before = before.map(|text| self.blocked_relay(text, request)).transpose()?;
        let named = before.as_ref().map(|before| before.opened.slug.as_str());
        let name = if request.plan.is_empty() { named.unwrap_or_default() } else { &request.plan };
        let files = self.plan(name)?;
        let check = self.check_plan(name, None)?;
        if let Some(problem) = check.problem_in_full() {
            return Err(problem);
        }
        let plan = &files.plan;
        if let Some(before) = &before {
            self.expect_known_plan(before, &files, request)?;
        }
        let crews = crews(plan, request, before.as_ref())?;
        for spec in crews.workers.iter().chain(&crews.release_verifiers).chain(&crews.reviewer) {
            program_of(self, spec)?;
        }
        let base = match &before {
            Some(before) => before.opened.base.clone(),
            None => self.run_base(request.base.as_deref())?,
        };
        let caps = self.relay_caps(request.budget)?;
        let rounds = self.relay_rounds(request, plan, &crews)?;
        let limits = self.relay_limits(request, plan);
        let prd = self.store.blobs().put(plan.render_prd().as_bytes())?;
        let spec = self.store.blobs().put(plan.render_spec().as_bytes())?;
        let stories = stories(plan)?;
        if stories.len() > 1 {
            self.expect_merging()?;
        }
        let continues = before.map(|before| self.continued(&before, &stories)).transpose()?;
        loop {
            let opened = Opened {
                relay: new_stamp(&self.host)?,
                slug: plan.slug.to_string(),
                objective: plan.objective.clone(),
                plan: plan.hash(),
                prd,
                spec,
                base: base.clone(),
                stories: stories.clone(),
                release_goal: release_goal(plan),
                release_task: release_task(plan),
                release_checks: release_checks(plan),
                release_examples: plan.release_examples(),
                workers: crews.workers.clone(),
                verifiers: crews.verifiers.clone(),
                release_verifiers: crews.release_verifiers.clone(),
                reviewer: crews.reviewer.clone(),
                limits: limits.clone(),
                rounds: Some(rounds),
                caps,
                jobs: request.jobs.unwrap_or(1).clamp(1, 64),
                max_reopened: MAX_REOPENED,
                self_verification: plan.choices.self_verification,
                files: inside(&files),
                continues: continues.clone().map(Box::new),
            };
            let relay = Relay::open(opened.clone());
            let event = RelayEvent::Opened(Box::new(opened));
            self.repository.keep(&format!("relays/{}/base", relay.id()), &relay.tip)?;
            if !self.write_relay(&relay, 0, std::slice::from_ref(&event))? {
                continue;
            }
            watch(&Told::Relay { relay: &relay, event: &event });
            self.seal()?;
            return Ok(relay.id());
        }
    }

    fn relay_limits(&self, request: &RelayRequest, plan: &Plan) -> Limits {
        let settings = &self.settings.config;
        Limits {
            attempts: request.attempts.unwrap_or(plan.choices.max_iterations).clamp(1, 100),
            worker_seconds: request.worker_seconds.unwrap_or(settings.run.worker_seconds),
            check_seconds: request.check_seconds.unwrap_or(settings.run.check_seconds),
            output_bytes: settings.exec.output_bytes,
        }
    }

    /// How often verifiers may disagree about a story: as the request, else the plan, else the settings say.
    fn relay_rounds(&self, request: &RelayRequest, plan: &Plan, crews: &Crews) -> Result<u32> {
        if request.rounds.is_some() && crews.release_verifiers.len() < 2 {
            let message = "rounds of consensus are asked for, and there are no two verifiers";
            return Err(Error::new(Kind::Usage, message).hint(SECOND));
        }
        let planned = plan.choices.consensus.as_ref().and_then(|one| one.rounds);
        self.rounds(request.rounds.or(planned))
    }

    fn relay_caps(&self, dollars: Option<f64>) -> Result<RunCaps> {
        Ok(with_budget(self.caps().of_run, dollars.map(asked_budget).transpose()?))
    }
}

/// The plan's files as a tree of the repository names them; none if they lie outside of it.
fn inside(files: &PlanFiles) -> Vec<String> {
    let is_inside = |path: &&String| {
        let path = Path::new(path);
        path.components().all(|part| matches!(part, Component::Normal(_)))
    };
    [&files.prd, &files.spec].into_iter().filter(is_inside).cloned().collect()
}

/// The agents that the request, else the plan, else the relay before this one names.
fn crews(plan: &Plan, request: &RelayRequest, before: Option<&Relay>) -> Result<Crews> {
    let all = |texts: &[String]| -> Result<Vec<AgentSpec>> {
        texts.iter().map(|text| agent(text)).collect()
    };
    let choices = &plan.choices;
    let before = before.map(|before| &before.opened);
    let workers = match (&request.workers[..], &choices.worker, before) {
        ([], Some(worker), _) => vec![worker.clone()],
        ([], None, Some(before)) => before.workers.clone(),
        (named, ..) => all(named)?,
    };
    if workers.is_empty() {
        let message = format!("plan {} names no worker", plan.slug);
        return Err(Error::new(Kind::Usage, message)
            .hint("name one: --worker claude, or `Worker:` among the plan's choices"));
    }
    let reviewer = match &request.reviewer {
        Some(text) => Some(agent(text)?),
        None => choices.reviewer.clone(),
    };
    let own = !request.verifiers.is_empty();
    if let (false, None, Some(before)) = (own, &choices.verifier, before) {
        let (verifiers, release_verifiers) =
            (before.verifiers.clone(), before.release_verifiers.clone());
        return Ok(Crews { workers, verifiers, release_verifiers, reviewer });
    }
    let verifier: Vec<AgentSpec> =
        if own { all(&request.verifiers)? } else { choices.verifier.iter().cloned().collect() };
    let second = choices.consensus.as_ref().filter(|_| !own);
    let second_agent = second.and_then(|consensus| consensus.verifier.clone());
    let (mut verifiers, mut release_verifiers) = (verifier.clone(), verifier);
    if let (Some(consensus), Some(agent)) = (second, second_agent) {
        if consensus.scope == ConsensusScope::All {
            verifiers.push(agent.clone());
        }
        release_verifiers.push(agent);
    }
    if choices.consensus.is_some() && release_verifiers.len() < 2 {
        let message =
            format!("plan {} wants a consensus, and there are no two verifiers", plan.slug);
        return Err(Error::new(Kind::Usage, message).hint(SECOND));
    }
    if choices.verify_mode == VerifyMode::Batch {
        // Each story is run and checked by us; who judges sees all of them together.
        verifiers.clear();
    }
    Ok(Crews { workers, verifiers, release_verifiers, reviewer })
}

/// The stories in the order of their dependencies; all in one, if the user chose that.
pub(super) fn stories(plan: &Plan) -> Result<Vec<StoryTerms>> {
    let order = plan.order().map_err(|cycle| Error::new(Kind::Refused, cycle.to_string()))?;
    let ordered: Vec<&Story> = order.iter().filter_map(|id| plan.story(*id)).collect();
    let terms: Vec<StoryTerms> = ordered.iter().map(|story| terms(plan, story)).collect();
    if plan.choices.iteration_unit == IterationUnit::AllAtOnce {
        return Ok(vec![together(plan, terms)]);
    }
    Ok(terms)
}

fn terms(plan: &Plan, story: &Story) -> StoryTerms {
    let checks = plan.checks_of(story.id);
    let required = |check: &countersign_domain::plan::Check| -> Vec<RequiredTest> {
        let of =
            |test: &String| RequiredTest { test: test.clone(), command: check.command.clone() };
        check.tests.iter().map(of).collect()
    };
    let tests = checks.iter().flat_map(required).collect();
    StoryTerms {
        id: story.id.to_string(),
        title: story.title.clone(),
        goal: plan.render_story(story.id),
        task: task(story),
        criteria: story.criteria.iter().map(|criterion| criterion.id.to_string()).collect(),
        checks: checks.into_iter().map(|check| check.command).collect(),
        tests,
        examples: plan.examples_of(story.id),
        depends_on: story.depends_on.iter().map(ToString::to_string).collect(),
        touches: story.files.clone(),
        impacted: plan.impacted(story.id).to_vec(),
        risk: story.risk.name().to_owned(),
    }
}

/// All stories as one, for who wants everything done at once.
fn together(plan: &Plan, stories: Vec<StoryTerms>) -> StoryTerms {
    let mut all = StoryTerms {
        id: "ALL".to_owned(),
        title: plan.objective.lines().next().unwrap_or_default().to_owned(),
        goal: release_goal(plan),
        task: release_task(plan),
        criteria: Vec::new(),
        checks: Vec::new(),
        tests: Vec::new(),
        examples: Vec::new(),
        depends_on: Vec::new(),
        touches: Vec::new(),
        impacted: Vec::new(),
        risk: String::new(),
    };
    let says_files = stories.iter().all(|story| !story.touches.is_empty());
    for story in stories {
        let id = story.id;
        all.criteria.extend(story.criteria.iter().map(|criterion| format!("{id} {criterion}")));
        for check in story.checks {
            if !all.checks.contains(&check) {
                all.checks.push(check);
            }
        }
        all.tests.extend(story.tests);
        all.examples.extend(story.examples);
        all.impacted.extend(story.impacted);
        if says_files {
            all.touches.extend(story.touches);
        }
        all.risk = highest(&all.risk, &story.risk);
    }
    all
}

fn highest(one: &str, other: &str) -> String {
    let name = if legs::risk_of(one) > legs::risk_of(other) { one } else { other };
    name.to_owned()
}

/// What a story asks for, in sentences, without its commands and tables.
fn task(story: &Story) -> String {
    let mut text = format!("{}\n", story.title);
    for criterion in &story.criteria {
        let (given, when, then) = (&criterion.given, &criterion.when, &criterion.then);
        text += &format!("\nGiven {given}, when {when}, then {then}.\n");
    }
    for case in story.negatives.iter().chain(&story.boundaries) {
        text += &format!("\n{case}\n");
    }
    text
}

/// The commands whose exit codes count for all stories together.
fn release_checks(plan: &Plan) -> Vec<String> {
    plan.release_checks().into_iter().map(|check| check.command).collect()
}

fn release_task(plan: &Plan) -> String {
    let mut text = format!("{}\n", plan.objective.trim());
    for story in &plan.stories {
        text += &format!("\n{}", task(story));
    }
    text
}

/// What is asked of all stories together.
fn release_goal(plan: &Plan) -> String {
    let mut text = format!("{}\n", plan.objective.trim());
    for story in &plan.stories {
        text += &format!("\n{}\n", plan.render_story(story.id).trim_end());
    }
    text
}
