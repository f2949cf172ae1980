//! LP-04: plans as people write them, read and written.

use countersign_domain::classify::Risk;
use countersign_domain::plan::{
    Category, CriterionId, Filled, IterationUnit, Layer, Names, Plan, Purpose, StoryId,
};

const PRD: &str = include_str!("../../../docs/examples/plans/greeting/prd.md");
const SPEC: &str = include_str!("../../../docs/examples/plans/greeting/test-spec.md");

fn names() -> Names {
    Names::new("prd.md", "test-spec.md")
}

#[track_caller]
fn plan(prd: &str, spec: &str) -> Plan {
    match Plan::parse(prd, spec, &names()) {
        Ok(plan) => plan,
        Err(mistakes) => {
            let told: Vec<String> = mistakes.iter().map(ToString::to_string).collect();
            panic!("{}", told.join("\n"));
        }
    }
}

/// LP-04: the example of the documentation is read in full.
#[test]
fn the_example_is_a_plan() {
    let plan = plan(PRD, SPEC);
    assert_eq!(plan.slug.as_str(), "greeting");
    assert_eq!(plan.stories.len(), 2);
    let story = &plan.stories[1];
    assert_eq!((story.id, story.risk), (StoryId::new(2), Risk::Low));
    assert_eq!(story.depends_on, [StoryId::new(1)]);
    assert_eq!(story.files, ["greet.sh", "tests/asks.sh"]);
    assert_eq!(story.criteria[0].given, "a visitor who gives the empty name \"\"");
    assert_eq!(PRD.lines().nth(story.criteria[0].line.0 - 1), Some("#### AC1"));
    assert_eq!(story.layers[1].1, Filled::NotApplicable("no external services".into()));
    assert!(story.needs(Layer::L3) && !story.needs(Layer::L2));
    assert_eq!(plan.choices.iteration_unit, IterationUnit::PerStory);
    assert_eq!(plan.spec.mapping[5].command, "sh greet.sh | grep name");
    assert_eq!(plan.spec.mapping[1].category, Category::Boundary);
    assert_eq!(plan.impacted(StoryId::new(2)), ["sh tests/greets.sh name"]);
    assert_eq!(plan.order().unwrap(), [StoryId::new(1), StoryId::new(2)]);
}

/// LP-04: what is written is read as the same plan, and says the same once more.
#[test]
fn what_is_written_is_read_again() {
    let first = plan(PRD, SPEC);
    let (prd, spec) = (first.render_prd(), first.render_spec());
    assert_eq!(prd, PRD);
    let again = plan(&prd, &spec);
    assert_eq!(first, again);
    assert_eq!(first.hash(), again.hash());
    assert_eq!((again.render_prd(), again.render_spec()), (prd, spec));
}

/// LP-04: the hash names what is said, and not how it is laid out.
#[test]
fn the_hash_names_what_is_said() {
    let first = plan(PRD, SPEC);
    let laid_out = PRD.replace("\n\n", "\n\n\n").replace("- Size: S", "* **Size:** small");
    let laid_out = format!("\u{feff}{}", laid_out.replace('\n', "\r\n"));
    assert_eq!(first.hash(), plan(&laid_out, SPEC).hash());
    let commented = PRD.replace("## Stories", "<!-- to\nbe seen -->\n## Stories");
    assert_eq!(first.hash(), plan(&commented, SPEC).hash());
    for (from, to) in [("Hello, Ada", "Hello, Eve"), ("P2", "P1"), ("per story", "all at once")] {
        assert_ne!(first.hash(), plan(&PRD.replacen(from, to, 1), SPEC).hash(), "{from}");
    }
    let spec = SPEC.replacen("tests/all.sh", "tests/none.sh", 1);
    assert_ne!(first.hash(), plan(PRD, &spec).hash());
}

/// LP-03: a worker sees its own story and nothing of the others.
#[test]
fn a_worker_sees_its_own_story_only() {
    let plan = plan(PRD, SPEC);
    let seen = plan.render_story(StoryId::new(1));
    for own in ["Greet by name", "Hello, Ada", "greets_long_names", "sh -n greet.sh", "POSIX shell"]
    {
        assert!(seen.contains(own), "{own}\n{seen}");
    }
    for other in ["US-002", "missing name", "What is your name?", "asks_for_a_name", "all names"] {
        assert!(!seen.contains(other), "{other}\n{seen}");
    }
    let second = plan.render_story(StoryId::new(2));
    assert!(second.contains("sh tests/greets.sh name"), "{second}");
    assert!(!second.contains("US-001"), "{second}");
    assert_eq!(plan.render_story(StoryId::new(9)), "");
}

/// LP-07: each command is there once, with the criteria that it proves.
#[test]
fn commands_name_what_they_prove() {
    let spec = SPEC.replace("`sh tests/greets.sh long`", "`sh tests/greets.sh name`");
    let plan = plan(PRD, &spec);
    let checks = plan.checks_of(StoryId::new(1));
    let told: Vec<(&str, Purpose, usize)> = checks
        .iter()
        .map(|check| (check.command.as_str(), check.purpose, check.tests.len()))
        .collect();
    assert_eq!(
        told,
        [
            ("sh -n greet.sh", Purpose::Lint, 0),
            ("sh tests/all.sh", Purpose::Test, 0),
            ("sh tests/greets.sh name", Purpose::Layer(Layer::L1), 2),
            ("sh greet.sh Ada", Purpose::Layer(Layer::L3), 1),
        ]
    );
    assert_eq!(checks[2].criteria, [CriterionId::new(1)]);
    assert_eq!(checks[2].expected, None);
    assert_eq!(checks[3].expected.as_deref(), Some("Hello, Ada"));
    let all = plan.release_checks();
    assert!(all.iter().any(|check| check.command == "sh tests/all.sh unit"));
}

/// LP-07: what a row expects in code is what its command must print; prose is compared with nothing. A
/// command that several rows expect the same of is asked once.
#[test]
fn what_is_expected_as_code_is_compared() {
    let row = |expected: &str| {
        let cell = "| `prints_greeting`   | `Hello, Ada`         |";
        assert!(SPEC.contains(cell));
        let spec = SPEC.replace(cell, &format!("| `prints_greeting` | {expected} |"));
        plan(PRD, &spec).examples_of(StoryId::new(1))
    };
    for prose in ["Hello, Ada", "`Hello` or `Ada`", "prints `Hello, Ada`"] {
        assert_eq!(row(prose), [], "{prose}");
    }
    for (code, prints) in [
        ("`Hello, Ada`", "Hello, Ada"),
        ("``a`b``", "a`b"),
        ("` a \\| b `", "a | b"),
        ("`- x`", "- x"),
    ] {
        let [example] = &row(code)[..] else { panic!("{code}") };
        assert_eq!((&example.command[..], &example.prints[..]), ("sh greet.sh Ada", prints));
        let rows: Vec<String> = example.rows.iter().map(ToString::to_string).collect();
        assert_eq!(rows, ["US-001 AC1 'prints_greeting'"]);
    }
    let twice = SPEC
        .replace("`sh tests/greets.sh long` ", "`sh greet.sh Ada`")
        .replace("| the whole name       |", "| `Hello, Ada` |");
    let twice = plan(PRD, &twice);
    let [example] = &twice.examples_of(StoryId::new(1))[..] else { panic!("{twice:#?}") };
    assert_eq!(example.rows.len(), 2);
    // With all stories there, known inputs are asked as well.
    let all: Vec<(String, String, usize)> = plan(PRD, SPEC)
        .release_examples()
        .into_iter()
        .map(|one| (one.command, one.prints, one.rows.len()))
        .collect();
    let of = |command: &str, prints: &str, rows| (command.to_owned(), prints.to_owned(), rows);
    assert_eq!(
        all,
        [
            of("sh greet.sh Ada", "Hello, Ada", 1),
            of("sh greet.sh | grep name", "What is your name?", 1),
            of("sh greet.sh Ada", "Hello, Ada", 0),
            of("sh greet.sh", "What is your name?", 0),
        ]
    );
}

/// LP-04: stories wait for those that they depend on; otherwise the urgent ones come first.
#[test]
fn stories_come_in_their_order() {
    let swapped = PRD.replace("Depends on: US-001", "Depends on: none").replace("P2", "P0");
    let order = plan(&swapped, SPEC).order().unwrap();
    assert_eq!(order, [StoryId::new(2), StoryId::new(1)]);
    let urgent = plan(&PRD.replace("P2", "P0"), SPEC).order().unwrap();
    assert_eq!(urgent, [StoryId::new(1), StoryId::new(2)]);
}
