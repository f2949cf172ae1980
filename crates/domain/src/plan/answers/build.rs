//! Makes a plan of answers.

use std::collections::BTreeMap;

use super::{AnswerChoices, AnswerEnd, AnswerStory, Answers};
use crate::agent::AgentSpec;
use crate::mistake::{Mistake, Place, suggestion};
use crate::plan::filled::Filled;
use crate::plan::id::{CriterionId, Line, StoryId};
use crate::plan::read::Names;
use crate::plan::types::{
    AcceptanceCriterion, Choices, Commands, Consensus, ConsensusScope, EndToEnd, Impacted, Layer,
    Mapped, Mutation, Plan, SpecLayer, Story, TestSpec, VerifyMode, Waiver,
};
use crate::run::MAX_ROUNDS;
use crate::scope::relative_glob;

/// What is wrong with answers.
struct Wrong<'n> {
    name: &'n str,
    mistakes: Vec<Mistake>,
}

impl Wrong<'_> {
    fn add(&mut self, key: impl Into<String>, what: impl Into<String>, fix: impl Into<String>) {
        self.mistakes.push(Mistake::new((self.name, Place::START), key, what, fix));
    }
}

impl Answers {
    /// The plan that these answers describe, as it will be read from its files. `name` is what the
    /// answers are called in messages.
    pub fn plan(&self, name: &str) -> Result<Plan, Vec<Mistake>> {
        let mut wrong = Wrong { name, mistakes: Vec::new() };
        let slug = self.slug.trim().parse();
        if slug.is_err() {
            let what = format!("'{}' can't be the slug of a plan", self.slug);
            let fix = "use small letters, digits and '-', as in auth-refactor";
            wrong.add("slug", what, fix);
        }
        let stories: Vec<Story> =
            (1..).zip(&self.stories).map(|(at, one)| story(&mut wrong, at, one)).collect();
        let spec = spec(&mut wrong, self);
        let choices = choices(&mut wrong, &self.choices, &stories);
        let plan = slug.ok().map(|slug| Plan {
            slug,
            objective: crate::normal::unix(&self.objective).trim().to_owned(),
            stories,
            non_goals: lines(&self.non_goals),
            constraints: lines(&self.constraints),
            done_when: lines(&self.done_when),
            choices,
            spec,
        });
        match plan.filter(|_| wrong.mistakes.is_empty()) {
            Some(plan) => plan.as_read(),
            None => Err(wrong.mistakes),
        }
    }
}

impl Plan {
    /// The plan as it will be read, if it is written: what can't be said in the files is told now.
    pub(in crate::plan) fn as_read(&self) -> Result<Self, Vec<Mistake>> {
        let names = Names::new("prd.md", "test-spec.md");
        let read = Self::parse(&self.render_prd(), &self.render_spec(), &names)?;
        if read == *self {
            return Ok(read);
        }
        let what = "something in the answers would be read otherwise than it is meant";
        let fix = "leave out what means something in Markdown at the beginning or end of a text";
        Err(vec![Mistake::new(("prd.md", Place::START), "", what, fix)])
    }
}

/// A text on one line.
fn line(text: &str) -> String {
    text.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ")
}

fn lines(texts: &[String]) -> Vec<String> {
    texts.iter().map(|text| line(text)).filter(|text| !text.is_empty()).collect()
}

/// Globs as they will be read. One that leads out is told when it is.
fn globs(texts: &[String]) -> Vec<String> {
    let mut found = Vec::new();
    for text in lines(texts) {
        let glob = relative_glob(&text).unwrap_or(text);
        if !found.contains(&glob) {
            found.push(glob);
        }
    }
    found
}

fn story(wrong: &mut Wrong<'_>, number: u32, answer: &AnswerStory) -> Story {
    let id = StoryId::new(number);
    let criteria = (1..).zip(&answer.criteria).map(|(at, one)| AcceptanceCriterion {
        id: CriterionId::new(at),
        given: line(&one.given),
        when: line(&one.when),
        then: line(&one.then),
        line: Line(1),
    });
    let layers = by_layer(wrong, &format!("{id}.layers"), &answer.layers);
    let layers = Layer::ALL.iter().zip(layers).map(|(layer, text)| (*layer, Filled::read(&text)));
    Story {
        id,
        title: line(&answer.title),
        priority: answer.priority,
        size: answer.size,
        kind: answer.kind,
        risk: answer.risk,
        depends_on: answer.depends_on.clone(),
        files: globs(&answer.touches),
        criteria: criteria.collect(),
        negatives: lines(&answer.negatives),
        boundaries: lines(&answer.boundaries),
        layers: layers.collect(),
        waivers: answer
            .waivers
            .iter()
            .map(|one| Waiver {
                law: one.law,
                justification: line(&one.justification),
                by: line(&one.by),
                line: Line(1),
            })
            .collect(),
        line: Line(1),
        depends_line: Line(1),
    }
}

/// The texts of the four layers, in order.
fn by_layer(wrong: &mut Wrong<'_>, key: &str, texts: &BTreeMap<String, String>) -> [String; 4] {
    let mut found: [String; 4] = Default::default();
    for (name, text) in texts {
        let at = Layer::parse(name).and_then(|it| Layer::ALL.iter().position(|one| *one == it));
        match at {
            Some(at) => found[at] = line(text),
            None => {
                let fix = suggestion(name, Layer::ALL.iter().map(|layer| layer.name()));
                wrong.add(key, format!("'{name}' is no layer"), fix);
            }
        }
    }
    found
}

fn choices(wrong: &mut Wrong<'_>, answer: &AnswerChoices, stories: &[Story]) -> Choices {
    let mut agent = |key: &str, text: &Option<String>| -> Option<AgentSpec> {
        let text = text.as_ref().map(|text| line(text)).filter(|text| !text.is_empty())?;
        match text.parse::<AgentSpec>() {
            Ok(agent) => Some(agent),
            Err(unnamed) => {
                wrong.add(format!("choices.{key}"), unnamed.to_string(), unnamed.hint());
                None
            }
        }
    };
    let scope = answer.consensus_scope.unwrap_or(ConsensusScope::All);
    let rounds = answer.consensus_rounds.map(|rounds| rounds.clamp(1, MAX_ROUNDS));
    let consensus = match answer.consensus.as_deref().map(str::trim) {
        None | Some("" | "no" | "none") => None,
        Some("yes") => Some(Consensus { verifier: None, scope, rounds }),
        Some(text) => {
            Some(Consensus { verifier: agent("consensus", &Some(text.to_owned())), scope, rounds })
        }
    };
    let risks = stories.iter().map(|story| story.risk);
    Choices {
        iteration_unit: answer.iteration_unit,
        verify_mode: answer.verify_mode.unwrap_or(VerifyMode::PerStory),
        worker: agent("worker", &answer.worker),
        verifier: agent("verifier", &answer.verifier),
        reviewer: agent("reviewer", &answer.reviewer),
        consensus,
        max_iterations: answer
            .max_iterations
            .unwrap_or_else(|| Choices::suggested_iterations(stories.len())),
        self_verification: answer
            .self_verification
            .unwrap_or_else(|| Choices::suggested_self_verification(risks)),
    }
}

fn spec(wrong: &mut Wrong<'_>, answers: &Answers) -> TestSpec {
    let answer = &answers.spec;
    let end = |end: &AnswerEnd| EndToEnd {
        input: line(&end.input),
        expected: line(&end.expected),
        command: line(&end.command),
    };
    let (happy, error) = (answer.happy.as_ref().map(end), answer.error.as_ref().map(end));
    let has_ends = happy.is_some() || error.is_some();
    let layers = by_layer(wrong, "spec.layers", &answer.layers);
    let layers = Layer::ALL.iter().zip(layers).map(|(layer, text)| {
        let (commands, instead) = match Filled::read(&text) {
            Filled::Given(command) => (vec![command], None),
            // Known inputs are commands as well.
            Filled::Open(_) if *layer == Layer::L3 && has_ends => (Vec::new(), None),
            other => (Vec::new(), Some(other)),
        };
        SpecLayer { layer: *layer, commands, instead, line: Line(1) }
    });
    let command = Filled::read(&line(&answer.mutation));
    let threshold = answer.mutation_threshold.filter(|_| command.is_given());
    let threshold = threshold.unwrap_or(Mutation::THRESHOLD);
    let impacted = (1..).zip(&answers.stories).filter(|(_, story)| !story.impacted.is_empty());
    TestSpec {
        commands: Commands {
            build: Filled::read(&line(&answer.build)),
            test: Filled::read(&line(&answer.test)),
            lint: Filled::read(&line(&answer.lint)),
        },
        layers: layers.collect(),
        happy,
        error,
        mutation: Mutation { command, threshold, line: Line(1) },
        mapping: mapping(answers),
        impacted: impacted
            .map(|(at, story)| Impacted { story: StoryId::new(at), tests: lines(&story.impacted) })
            .collect(),
        reproducibility: lines(&answer.reproducibility),
    }
}

fn mapping(answers: &Answers) -> Vec<Mapped> {
    let mut rows = Vec::new();
    for (story, answer) in (1..).zip(&answers.stories) {
        for (criterion, one) in (1..).zip(&answer.criteria) {
            rows.extend(one.tests.iter().map(|test| Mapped {
                story: StoryId::new(story),
                criterion: CriterionId::new(criterion),
                layer: test.layer,
                category: test.category,
                command: line(&test.command),
                test: line(&test.test),
                expected: line(&test.expected),
                line: Line(1),
            }));
        }
    }
    rows
}
