//! The interview: numbered questions in small groups. Suggestions are defaults; the iteration unit
//! has none, as nobody but the user can choose it.

mod desk;
mod story;

use countersign_domain::classify::Risk;
use countersign_domain::plan::{
    AnswerChoices, AnswerEnd, AnswerSpec, Answers, Choices, IterationUnit, Layer, Slug, VerifyMode,
};
use countersign_engine::plan::Suggestions;
use countersign_engine::{Engine, Error, Kind};
use serde_json::{Map, Value};

pub use desk::Desk;
use desk::Talk;

/// Asks for everything that a plan needs; what the options said is not asked again.
pub fn hold(
    desk: &mut impl Talk,
    engine: &Engine,
    said: &Map<String, Value>,
) -> Result<Answers, Error> {
    let known = |key: &str| said.get(key).and_then(Value::as_str).map(str::to_owned);
    let chosen = |key: &str| {
        said.get("choices").and_then(|choices| choices.get(key)).map(|value| match value {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        })
    };
    let suggestions = engine.plan_suggestions();
    desk.group("The plan");
    let objective = match known("objective") {
        Some(objective) => objective,
        None => desk.needed("What is achieved when all is done, and for whom?", None)?,
    };
    let suggested = Slug::suggest(&objective).map(|slug| slug.to_string());
    let slug = match known("slug") {
        Some(slug) => slug,
        None => desk.checked("A short name for it", suggested.as_deref(), |text| {
            text.parse::<Slug>().map(|slug| slug.to_string()).map_err(|error| error.to_string())
        })?,
    };
    let stories = story::all(desk, engine, &suggestions)?;
    let risk = stories.iter().map(|story| story.risk).max().unwrap_or(Risk::Low);
    let choices = choices(desk, (stories.len(), risk), &chosen)?;
    let spec = match said.get("spec") {
        Some(spec) => serde_json::from_value(spec.clone())
            .map_err(|error| Error::new(Kind::Usage, format!("--spec: {error}")))?,
        None => spec(desk, &suggestions, risk)?,
    };
    desk.group("Around it");
    let non_goals = desk.list("What is not wanted?")?;
    let constraints = desk.list("What technical constraints are there?")?;
    let done_when = desk.list("When is it done?")?;
    Ok(Answers { slug, objective, stories, non_goals, constraints, done_when, choices, spec })
}

fn choices(
    desk: &mut impl Talk,
    (stories, risk): (usize, Risk),
    said: &impl Fn(&str) -> Option<String>,
) -> Result<AnswerChoices, Error> {
    desk.group("How it is carried out");
    let units: Vec<&str> = IterationUnit::ALL.iter().map(|unit| unit.name()).collect();
    let unit = match said("iteration_unit").and_then(|unit| IterationUnit::parse(&unit)) {
        Some(unit) => unit,
        None => {
            desk.tell("One story each time is bounded and verified step by step; all at once is faster and verified once.");
            let at = desk.choose("What does one worker do in one iteration?", &units, None)?;
            IterationUnit::ALL[at]
        }
    };
    let modes: Vec<&str> = VerifyMode::ALL.iter().map(|mode| mode.name()).collect();
    let mode = match said("verify_mode").and_then(|mode| VerifyMode::parse(&mode)) {
        Some(mode) => mode,
        None => VerifyMode::ALL[desk.choose("When does the Verifier look?", &modes, Some(0))?],
    };
    let mut agent = |key: &str, question: &str| match said(key) {
        Some(agent) => Ok(Some(agent)),
        None => desk.agent(question),
    };
    let worker =
        agent("worker", "Which agent works (claude:opus, codex:gpt-5.5@high, command:…)?")?;
    let verifier = agent("verifier", "Which agent judges?")?;
    let usual = if risk == Risk::Critical { "yes" } else { "no" };
    let consensus = match said("consensus") {
        Some(consensus) => consensus,
        None => {
            desk.needed("Must a second Verifier agree (yes, no, or the agent)?", Some(usual))?
        }
    };
    let scope = match consensus.as_str() {
        "no" | "none" => None,
        _ => Some(desk.choose(
            "On every verification, or only on the last?",
            &["all", "final only"],
            Some(0),
        )?),
    };
    let most = Choices::suggested_iterations(stories).to_string();
    let most = match said("max_iterations") {
        Some(most) => most,
        None => desk.checked("How many iterations may there be?", Some(&most), |text| {
            let number = text.parse::<u32>().ok().filter(|number| (1..=1000).contains(number));
            number
                .map(|number| number.to_string())
                .ok_or_else(|| "a number from 1 to 1000".to_owned())
        })?,
    };
    let usual = usize::from(!Choices::suggested_self_verification([risk]));
    let report = match said("self_verification") {
        Some(report) => report == "true",
        None => {
            desk.choose("A report on the process itself at the end?", &["yes", "no"], Some(usual))?
                == 0
        }
    };
    Ok(AnswerChoices {
        iteration_unit: unit,
        verify_mode: Some(mode),
        worker,
        verifier,
        reviewer: said("reviewer"),
        consensus: Some(consensus),
        consensus_scope: scope.map(|at| countersign_domain::plan::ConsensusScope::ALL[at]),
        consensus_rounds: None,
        max_iterations: most.parse().ok(),
        self_verification: Some(report),
    })
}

fn spec(desk: &mut impl Talk, suggestions: &Suggestions, risk: Risk) -> Result<AnswerSpec, Error> {
    desk.group("How everything is proven (a command, or 'N/A — why')");
    let mut spec = AnswerSpec {
        build: desk.needed("What builds it?", suggestions.build.as_deref())?,
        test: desk.needed("What runs its tests?", suggestions.test.as_deref())?,
        lint: desk.needed("What lints it?", suggestions.lint.as_deref())?,
        ..AnswerSpec::default()
    };
    for layer in Layer::ALL {
        let usual = match layer {
            Layer::L1 => Some(spec.test.as_str()),
            Layer::L2 => Some("N/A — no external services"),
            Layer::L3 => suggestions.end_to_end.as_deref(),
            Layer::L4 => Some("N/A — nothing is deployed"),
        };
        let question = format!("{layer}, {}: which command?", layer.title().to_lowercase());
        let answer = match layer {
            Layer::L3 => desk.optional(&question, usual)?,
            _ => desk.needed(&question, usual)?,
        };
        spec.layers.insert(layer.name().to_owned(), answer);
    }
    spec.happy = end(desk, "a known input that must work")?;
    spec.error = end(desk, "a known input that must be refused")?;
    spec.mutation = match risk {
        Risk::Critical => desk.needed("What tries the tests with mutants?", None)?,
        _ => "N/A — not critical".to_owned(),
    };
    Ok(spec)
}

fn end(desk: &mut impl Talk, what: &str) -> Result<Option<AnswerEnd>, Error> {
    let input = desk.optional(&format!("Through the whole: {what} (empty for none)"), None)?;
    if input.is_empty() {
        return Ok(None);
    }
    let expected = desk.needed("What must come out?", None)?;
    let command = desk.needed("Which command is that?", None)?;
    Ok(Some(AnswerEnd { input, expected, command }))
}

/// Asks whether the plan is to be written; anything but a yes is a no.
pub fn agrees(folder: &str) -> Result<bool, Error> {
    let mut desk = Desk::new(std::io::stdin().lock(), anstream::stderr());
    let question = format!("Write it to {}? [y/N] ", crate::ui::printable(folder));
    let answer = desk.line(&question)?;
    Ok(matches!(answer.to_lowercase().as_str(), "y" | "yes"))
}
