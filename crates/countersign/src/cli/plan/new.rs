//! `countersign plan new`: from questions, options or a file to an approved plan.

use std::io::IsTerminal as _;

use countersign_engine::plan::{AnswersFile, DraftedPlan};
use countersign_engine::{Engine, Error, Kind};
use serde_json::{Map, Value, json};

use super::interview::{self, Desk};
use super::{shown, unsettled};
use crate::cli::Context;
use crate::ui::{self, Format, Reply};

/// Make a plan: you are asked, or you answer in a file or in options.
///
/// On a terminal, questions are asked in small groups. Elsewhere, --from names a file with the
/// answers (`countersign plan schema` describes it), and options go over it. You see how ambiguous
/// each criterion is and the whole plan, and nothing is written before you agree.
#[derive(Debug, clap::Args)]
pub struct New {
    /// A file with the answers, in TOML or JSON.
    #[arg(long, value_name = "FILE")]
    from: Option<String>,
    /// The short name of the plan and of its folder, as in auth-refactor.
    #[arg(long)]
    slug: Option<String>,
    /// What is achieved when all is done.
    #[arg(long, value_name = "TEXT")]
    objective: Option<String>,
    /// A story as JSON, as the schema describes it; may be repeated.
    #[arg(long = "story", value_name = "JSON", value_parser = object)]
    stories: Vec<Value>,
    /// The commands and layers as JSON, as the schema describes them.
    #[arg(long, value_name = "JSON", value_parser = object)]
    spec: Option<Value>,
    /// What one worker does in one iteration: 'per story' or 'all at once'. There is no default.
    #[arg(long, value_name = "UNIT")]
    iteration_unit: Option<String>,
    /// When the Verifier looks: 'per story' or batch.
    #[arg(long, value_name = "MODE")]
    verify_mode: Option<String>,
    /// The agent that works, as in claude:opus.
    #[arg(long, value_name = "AGENT")]
    worker: Option<String>,
    /// The agent that judges.
    #[arg(long, value_name = "AGENT")]
    verifier: Option<String>,
    /// The agent that looks at assignments before they are handed out.
    #[arg(long, value_name = "AGENT")]
    reviewer: Option<String>,
    /// A second Verifier: yes, no, or the agent.
    #[arg(long, value_name = "AGENT")]
    consensus: Option<String>,
    /// When the second Verifier looks: all or 'final only'.
    #[arg(long, value_name = "SCOPE")]
    consensus_scope: Option<String>,
    /// How many iterations there may be.
    #[arg(long, value_name = "NUMBER")]
    max_iterations: Option<u32>,
    /// Whether a report on the process is made at the end.
    #[arg(long, value_name = "true|false")]
    self_verification: Option<bool>,
    /// Agree without being asked.
    #[arg(long)]
    yes: bool,
}

fn object(text: &str) -> Result<Value, String> {
    let value: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    if value.is_object() { Ok(value) } else { Err("it is no JSON object".to_owned()) }
}

impl New {
    /// What the options answer.
    fn said(&self) -> Map<String, Value> {
        let texts = [
            ("iteration_unit", &self.iteration_unit),
            ("verify_mode", &self.verify_mode),
            ("worker", &self.worker),
            ("verifier", &self.verifier),
            ("reviewer", &self.reviewer),
            ("consensus", &self.consensus),
            ("consensus_scope", &self.consensus_scope),
        ];
        let mut choices = Map::new();
        for (key, text) in texts {
            choices.extend(text.iter().map(|text| (key.to_owned(), json!(text))));
        }
        choices.extend(self.max_iterations.map(|most| ("max_iterations".to_owned(), json!(most))));
        choices
            .extend(self.self_verification.map(|yes| ("self_verification".to_owned(), json!(yes))));
        let mut said = Map::new();
        for (key, text) in [("slug", &self.slug), ("objective", &self.objective)] {
            said.extend(text.iter().map(|text| (key.to_owned(), json!(text))));
        }
        if !self.stories.is_empty() {
            said.insert("stories".to_owned(), json!(self.stories));
        }
        said.extend(self.spec.iter().map(|spec| ("spec".to_owned(), spec.clone())));
        if !choices.is_empty() {
            said.insert("choices".to_owned(), Value::Object(choices));
        }
        said
    }
}

pub fn run(cx: &Context, engine: &Engine, new: New) -> Result<Reply, Error> {
    let is_person = cx.format == Format::Human
        && std::io::stdin().is_terminal()
        && std::io::stderr().is_terminal();
    let answers = answers(engine, &new, is_person)?;
    let drafted = engine.draft_plan(&answers)?;
    if is_person {
        ui::say(&shown::draft(&drafted));
    }
    if let Some(ambiguous) = ambiguous(&drafted) {
        let human = if is_person { String::new() } else { shown::draft(&drafted) };
        return unsettled(drafted, human, Some(ambiguous));
    }
    let agreed = new.yes || (is_person && interview::agrees(&drafted.folder)?);
    if !agreed && is_person {
        let refused = Error::new(Kind::Refused, "not agreed to; nothing was written");
        return unsettled(drafted, String::new(), Some(refused));
    }
    if !agreed {
        let human = shown::draft(&drafted);
        let waits =
            Error::new(Kind::Human, "the plan waits for somebody to agree; nothing was written")
                .hint("look at it, then run the same with --yes");
        return unsettled(drafted, human, Some(waits));
    }
    let written = engine.write_plan(&drafted.plan)?;
    let mut human = if is_person { String::new() } else { shown::draft(&drafted) + "\n" };
    human +=
        &format!("made: {}\n      {}\n", ui::printable(&written.prd), ui::printable(&written.spec));
    if !drafted.checked.passes() {
        human += &format!(
            "something is left to be filled in: countersign plan check {}\n",
            written.slug
        );
    }
    Reply::new(json!({ "written": written, "drafted": drafted }), human)
}

fn answers(engine: &Engine, new: &New, is_person: bool) -> Result<AnswersFile, Error> {
    let said = new.said();
    if new.from.is_some() || !new.stories.is_empty() {
        return engine.answers(new.from.as_deref(), said);
    }
    if !is_person {
        return Err(Error::new(Kind::Usage, "there is nobody to ask: this is no terminal")
            .hint("answer in a file: countersign plan new --from answers.toml --yes (`plan schema` describes it)"));
    }
    let mut desk = Desk::new(std::io::stdin().lock(), anstream::stderr());
    let answers = interview::hold(&mut desk, engine, &said)?;
    Ok(AnswersFile { answers, name: "your answers".to_owned() })
}

/// What nobody can agree to: criteria that could mean anything, or that speak of other stories.
fn ambiguous(drafted: &DraftedPlan) -> Option<Error> {
    let is_gate = |rule: &str| matches!(rule, "ambiguity" | "reference");
    let refusals = drafted.checked.refusals().filter(|one| is_gate(one.rule));
    let subjects: Vec<String> = refusals.map(|one| one.subject.clone()).collect();
    (!subjects.is_empty()).then(|| {
        let message =
            format!("nothing was written: {} can't be worked on as it is", subjects.join(", "));
        Error::new(Kind::Refused, message)
            .hint("word these criteria anew; the table says what is low, and why")
    })
}
