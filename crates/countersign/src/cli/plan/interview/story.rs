//! Questions about stories, their criteria and their tests.

use std::collections::BTreeMap;

use countersign_domain::classify::{Label as _, Risk};
use countersign_domain::plan::{
    AcceptanceCriterion, AnswerCriterion, AnswerStory, AnswerTest, Category, CriterionId, Gate,
    Layer, Line, Size, StoryId, StoryKind, score,
};
use countersign_domain::task::Priority;
use countersign_engine::plan::{Suggestions, suggested_risk};
use countersign_engine::{Engine, Error};

use super::desk::Talk;
use crate::ui;

/// More criteria than this are several stories.
const MAX_CRITERIA: usize = 4;

pub fn all(
    desk: &mut impl Talk,
    engine: &Engine,
    suggestions: &Suggestions,
) -> Result<Vec<AnswerStory>, Error> {
    let mut stories: Vec<AnswerStory> = Vec::new();
    loop {
        let id = StoryId::new(u32::try_from(stories.len()).unwrap_or(0) + 1);
        desk.group(&format!("{id}"));
        let title = if stories.is_empty() {
            desk.needed("What is the first story, in a few words?", None)?
        } else {
            desk.optional("What is the next story? An empty line ends.", None)?
        };
        if title.is_empty() {
            return Ok(stories);
        }
        let before: Vec<StoryId> = (1..id.number()).map(StoryId::new).collect();
        stories.push(one(desk, engine, title, (&before, suggestions))?);
    }
}

fn one(
    desk: &mut impl Talk,
    engine: &Engine,
    title: String,
    (before, suggestions): (&[StoryId], &Suggestions),
) -> Result<AnswerStory, Error> {
    let mut criteria = criteria(desk)?;
    let negatives = at_least_one(desk, "What must not happen?")?;
    let boundaries =
        at_least_one(desk, "What happens at the limits (nothing, the most, at once)?")?;
    let kinds: Vec<&str> = StoryKind::ALL.iter().map(|kind| kind.name()).collect();
    let kind = StoryKind::ALL[desk.choose("Which type is it?", &kinds, Some(0))?];
    let sizes: Vec<&str> = Size::ALL.iter().map(|size| size.name()).collect();
    let size = Size::ALL[desk.choose("How large is it?", &sizes, Some(0))?];
    let priorities = Priority::ALL.map(Priority::name);
    let priority = Priority::ALL[desk.choose("How urgent is it?", &priorities, Some(1))?];
    let words: Vec<String> =
        criteria.iter().map(|one| format!("{} {} {}", one.given, one.when, one.then)).collect();
    let suggested = suggested_risk(engine, &format!("{title}. {}", words.join(". ")))?;
    let risks: Vec<&str> = Risk::ALL.iter().map(|risk| risk.name()).collect();
    let at = Risk::ALL.iter().position(|risk| *risk == suggested);
    let risk = Risk::ALL[desk.choose("How much harm if it is done wrongly?", &risks, at)?];
    let depends_on = depends_on(desk, before)?;
    let touches = desk.optional("Which files will it touch (globs, parted by commas)?", None)?;
    let touches = touches.split(',').map(str::trim).filter(|glob| !glob.is_empty());
    let layers = layers(desk)?;
    for (number, criterion) in (1..).zip(&mut criteria) {
        criterion.tests = tests(desk, CriterionId::new(number), suggestions)?;
    }
    Ok(AnswerStory {
        title,
        priority,
        size,
        kind,
        risk,
        depends_on,
        touches: touches.map(str::to_owned).collect(),
        criteria,
        negatives,
        boundaries,
        layers,
        waivers: Vec::new(),
        impacted: Vec::new(),
    })
}

/// Criteria with their scores. One that is too ambiguous is asked for again.
fn criteria(desk: &mut impl Talk) -> Result<Vec<AnswerCriterion>, Error> {
    let mut criteria: Vec<AnswerCriterion> = Vec::new();
    desk.tell("     Acceptance criteria, in the words of those who need it, with exact values.");
    while criteria.len() < MAX_CRITERIA {
        let id = CriterionId::new(u32::try_from(criteria.len()).unwrap_or(0) + 1);
        let given = if criteria.is_empty() {
            desk.needed(&format!("{id}: Given"), None)?
        } else {
            desk.optional(&format!("{id}: Given (an empty line ends)"), None)?
        };
        if given.is_empty() {
            break;
        }
        let when = desk.needed(&format!("{id}: When"), None)?;
        let then = desk.needed(&format!("{id}: Then"), None)?;
        let criterion = AcceptanceCriterion { id, given, when, then, line: Line(1) };
        let score = score(&criterion);
        let gate = score.gate();
        desk.tell(&format!("     {} of 12: {gate}", score.total()));
        for low in score.low() {
            let said = format!("       {} {}: {}", low.dimension, low.points, low.reason);
            desk.tell(&ui::printable(&said));
        }
        if gate == Gate::Reject {
            desk.tell("     It could mean too much. Once more, please:");
            continue;
        }
        let AcceptanceCriterion { given, when, then, .. } = criterion;
        criteria.push(AnswerCriterion { given, when, then, tests: Vec::new() });
    }
    Ok(criteria)
}

fn at_least_one(desk: &mut impl Talk, question: &str) -> Result<Vec<String>, Error> {
    loop {
        let lines = desk.list(question)?;
        if !lines.is_empty() {
            return Ok(lines);
        }
        desk.tell("     at least one is needed");
    }
}

fn depends_on(desk: &mut impl Talk, before: &[StoryId]) -> Result<Vec<StoryId>, Error> {
    if before.is_empty() {
        return Ok(Vec::new());
    }
    let read = |text: &str| -> Result<Vec<StoryId>, String> {
        let parts =
            text.split(',').map(str::trim).filter(|part| !part.is_empty() && *part != "none");
        parts
            .map(|part| match part.parse::<StoryId>() {
                Ok(id) if before.contains(&id) => Ok(id),
                _ => Err(format!("'{part}' is no story before this one")),
            })
            .collect()
    };
    let answer =
        desk.checked("Which stories must be done before (US-001, …)?", Some("none"), |text| {
            read(text).map(|_| text.to_owned())
        })?;
    let mut ids = read(&answer).unwrap_or_default();
    ids.sort();
    ids.dedup();
    Ok(ids)
}

fn layers(desk: &mut impl Talk) -> Result<BTreeMap<String, String>, Error> {
    let mut layers = BTreeMap::new();
    for layer in Layer::ALL {
        let usual = match layer {
            Layer::L1 => "tests of the parts by themselves",
            Layer::L2 => "N/A — no external services",
            Layer::L3 => "a known input through the whole, and what comes out",
            Layer::L4 => "N/A — nothing is deployed",
        };
        let question = format!("{layer}, {}: how is it verified?", layer.title().to_lowercase());
        layers.insert(layer.name().to_owned(), desk.needed(&question, Some(usual))?);
    }
    Ok(layers)
}

/// Three tests and more, by default one of each category.
fn tests(
    desk: &mut impl Talk,
    criterion: CriterionId,
    suggestions: &Suggestions,
) -> Result<Vec<AnswerTest>, Error> {
    desk.tell(&format!("     Tests of {criterion}: at least three, of at least two categories."));
    let names: Vec<&str> = Category::ALL.iter().map(|category| category.name()).collect();
    let layers: Vec<&str> = Layer::ALL.iter().map(|layer| layer.name()).collect();
    let mut tests: Vec<AnswerTest> = Vec::new();
    loop {
        let number = tests.len() + 1;
        let question = format!("{criterion}, test {number}: its id, as its runner names it");
        let test = if number <= 3 {
            desk.needed(&question, None)?
        } else {
            desk.optional(&format!("{question} (an empty line ends)"), None)?
        };
        if test.is_empty() {
            return Ok(tests);
        }
        let at = desk.choose("Which category is it?", &names, Some((number - 1) % names.len()))?;
        let layer = desk.choose("On which layer?", &layers, Some(0))?;
        let usual =
            tests.last().map(|test| test.command.clone()).or_else(|| suggestions.test.clone());
        let command = desk.needed("Which command runs it?", usual.as_deref())?;
        let expected =
            desk.needed("What is expected? (in `code`: all that it prints)", Some("passes"))?;
        tests.push(AnswerTest {
            layer: Layer::ALL[layer],
            category: Category::ALL[at],
            command,
            test,
            expected,
        });
    }
}
