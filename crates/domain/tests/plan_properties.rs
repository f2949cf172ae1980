//! LP-04: what holds for any plan.

#![allow(clippy::unwrap_used)]

use countersign_domain::classify::{Label as _, Risk};
use countersign_domain::plan::{
    AcceptanceCriterion, Category, Choices, Commands, Consensus, ConsensusScope, CriterionId,
    EndToEnd, Filled, Impacted, IterationUnit, Law, Layer, Line, Mapped, Mutation, Names, Plan,
    Size, SpecLayer, Story, StoryId, StoryKind, TestSpec, VerifyMode, Waiver,
};
use countersign_domain::task::Priority;
use proptest::prelude::*;

/// One line of words, with all that means something in Markdown.
fn words() -> impl Strategy<Value = String> {
    "[a-zA-Z0-9é\"'][a-z0-9é `*_#|\\\\<>!\\[\\]():.,+=$&~-]{0,30}"
        .prop_map(|text| text.trim().to_owned())
        .prop_filter("it must say something", |text| Filled::read(text).is_given())
}

fn commands() -> impl Strategy<Value = String> {
    "[a-z.`|][a-z0-9 `|\"'$\\\\&;>,-]{0,30}"
        .prop_map(|text| text.trim().to_owned())
        .prop_filter("it must be a command", |text| Filled::read(text).is_given())
}

/// Globs that are written as they are read.
fn globs() -> impl Strategy<Value = Vec<String>> {
    let glob =
        commands().prop_filter("inside", |text| !text.starts_with('.') && !text.contains('\\'));
    some(glob.boxed(), 3).prop_map(|globs| {
        let mut seen = std::collections::BTreeSet::new();
        globs.into_iter().filter(|glob| seen.insert(glob.clone())).collect()
    })
}

fn filled(given: BoxedStrategy<String>) -> impl Strategy<Value = Filled> {
    prop_oneof![
        3 => given.prop_map(Filled::Given),
        1 => "[a-z][a-z ]{0,20}[a-z]".prop_map(Filled::NotApplicable),
        1 => Just(Filled::NotApplicable(String::new())),
        1 => Just(Filled::Open("TODO".into())),
        1 => Just(Filled::Open(String::new())),
    ]
}

fn one_of<T: Copy + std::fmt::Debug + 'static>(all: &'static [T]) -> impl Strategy<Value = T> {
    prop::sample::select(all)
}

fn some(strategy: BoxedStrategy<String>, most: usize) -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec(strategy, 0..=most)
}

fn waiver() -> impl Strategy<Value = Waiver> {
    (one_of(Law::ALL), "[a-z][a-z by—-]{0,20}[a-z]", "[A-Z][a-z]{1,8}")
        .prop_map(|(law, justification, by)| Waiver { law, justification, by, line: Line(7) })
}

fn story(number: u32) -> impl Strategy<Value = Story> {
    let head = (
        // Behind a heading, ' #' only ends it.
        words().prop_filter("a title", |text| !text.ends_with('#')),
        prop::sample::select(Priority::ALL.to_vec()),
        one_of(Size::ALL),
        one_of(StoryKind::ALL),
        one_of(Risk::ALL),
    );
    let layers = prop::collection::vec(filled(words().boxed()), 4);
    let criteria = prop::collection::vec((words(), words(), words()), 1..4);
    let lists = (globs(), some(words().boxed(), 2), some(words().boxed(), 2));
    (head, layers, criteria, lists, prop::option::of(waiver())).prop_map(
        move |((title, priority, size, kind, risk), layers, criteria, lists, waiver)| Story {
            id: StoryId::new(number),
            title,
            priority,
            size,
            kind,
            risk,
            depends_on: (1..number).map(StoryId::new).collect(),
            files: lists.0,
            criteria: (1..)
                .zip(criteria)
                .map(|(at, (given, when, then))| AcceptanceCriterion {
                    id: CriterionId::new(at),
                    given,
                    when,
                    then,
                    line: Line(1),
                })
                .collect(),
            negatives: lists.1,
            boundaries: lists.2,
            layers: Layer::ALL.iter().copied().zip(layers).collect(),
            waivers: waiver.into_iter().collect(),
            line: Line(1),
            depends_line: Line(1),
        },
    )
}

fn choices() -> impl Strategy<Value = Choices> {
    let agents = || {
        prop::option::of(prop::sample::select(vec![
            "claude:opus",
            "codex@high",
            "command:a `b` | c",
        ]))
    };
    let agent = |text: Option<&str>| text.map(|text| text.parse().unwrap());
    let consensus =
        prop::option::of((agents(), one_of(ConsensusScope::ALL), prop::option::of(1..=20_u32)));
    (
        (one_of(IterationUnit::ALL), one_of(VerifyMode::ALL)),
        (agents(), agents(), agents()),
        consensus,
        1..=1000_u32,
        any::<bool>(),
    )
        .prop_map(
            move |((unit, mode), agents, consensus, max_iterations, self_verification)| Choices {
                iteration_unit: unit,
                verify_mode: mode,
                worker: agent(agents.0),
                verifier: agent(agents.1),
                reviewer: agent(agents.2),
                consensus: consensus.map(|(verifier, scope, rounds)| Consensus {
                    verifier: agent(verifier),
                    scope,
                    rounds,
                }),
                max_iterations,
                self_verification,
            },
        )
}

fn end() -> impl Strategy<Value = Option<EndToEnd>> {
    prop::option::of(
        (words(), words(), commands()).prop_map(|(input, expected, command)| EndToEnd {
            input,
            expected,
            command,
        }),
    )
}

fn layer(layer: Layer) -> impl Strategy<Value = SpecLayer> {
    let instead = filled(words().boxed())
        .prop_filter("it must say that there is none", |filled| !filled.is_given());
    let none = instead.prop_map(move |instead| (Vec::new(), Some(instead)));
    let some = prop::collection::vec(commands(), 1..3).prop_map(|commands| (commands, None));
    prop_oneof![none, some].prop_map(move |(commands, instead)| SpecLayer {
        layer,
        commands,
        instead,
        line: Line(3),
    })
}

/// Prose, or what must be printed.
fn expected() -> impl Strategy<Value = String> {
    prop_oneof![words(), words().prop_map(|text| format!("`{}`", text.replace('`', "'")))]
}

fn spec() -> impl Strategy<Value = TestSpec> {
    let command = || filled(commands().boxed());
    let rows = prop::collection::btree_map(
        (commands(), commands()),
        (expected(), one_of(Layer::ALL), one_of(Category::ALL)),
        0..6,
    );
    let layers = (layer(Layer::L1), layer(Layer::L2), layer(Layer::L3), layer(Layer::L4));
    (
        (command(), command(), command()),
        (layers, end(), end()),
        (command(), 0..=100_u8),
        rows,
        (prop::option::of(some(commands().boxed(), 3)), some(words().boxed(), 3)),
    )
        .prop_map(|(commands, (layers, happy, error), (mutation, threshold), rows, lists)| {
            let mut layers = vec![layers.0, layers.1, layers.2, layers.3];
            // With a known input there is something to do.
            if happy.is_some() || error.is_some() {
                layers[2].instead = None;
            }
            let threshold = if mutation.is_given() { threshold } else { Mutation::THRESHOLD };
            TestSpec {
                commands: Commands { build: commands.0, test: commands.1, lint: commands.2 },
                layers,
                happy,
                error,
                mutation: Mutation { command: mutation, threshold, line: Line(9) },
                mapping: rows
                    .into_iter()
                    .map(|((command, test), (expected, layer, category))| Mapped {
                        story: StoryId::new(1),
                        criterion: CriterionId::new(1),
                        layer,
                        category,
                        command,
                        test,
                        expected,
                        line: Line(2),
                    })
                    .collect(),
                impacted: lists
                    .0
                    .map(|tests| Impacted { story: StoryId::new(1), tests })
                    .into_iter()
                    .collect(),
                reproducibility: lists.1,
            }
        })
}

fn plans() -> impl Strategy<Value = Plan> {
    let stories = (story(1), prop::option::of(story(2)));
    let lists = (some(words().boxed(), 2), some(words().boxed(), 2), some(words().boxed(), 2));
    ("[a-z][a-z0-9]{0,9}", words(), stories, (lists, choices()), spec()).prop_map(
        |(slug, objective, stories, (lists, choices), spec)| Plan {
            slug: format!("p{slug}").parse().unwrap(),
            objective: format!("A {objective}"),
            stories: std::iter::once(stories.0).chain(stories.1).collect(),
            non_goals: lists.0,
            constraints: lists.1,
            done_when: lists.2,
            choices,
            spec,
        },
    )
}

proptest! {
    /// LP-04: what is written is read as the same plan.
    #[test]
    fn written_and_read_it_is_the_same(plan in plans()) {
        let (prd, spec) = (plan.render_prd(), plan.render_spec());
        let read = Plan::parse(&prd, &spec, &Names::new("prd.md", "test-spec.md"));
        let read = read.map_err(|mistakes| {
            let told: Vec<String> = mistakes.iter().map(ToString::to_string).collect();
            TestCaseError::fail(format!("{}\n{prd}\n{spec}", told.join("\n")))
        })?;
        prop_assert_eq!(&read, &plan, "{}\n{}", prd, spec);
        prop_assert_eq!(read.hash(), plan.hash());
    }

    /// LP-04: no text at all makes the reader panic, and every mistake has a line of the file.
    #[test]
    fn any_text_is_read_or_told(text in any::<String>(), marks in "[-#|`*\\n\\t :UASC0-9>~<!a-c]{0,200}") {
        let whole = format!("# PRD: a\n\n## Objective\n\n{marks}\n\n## Stories\n\n### US-001: {marks}\n{text}");
        for prd in [&text, &marks, &whole] {
            let Err(mistakes) = Plan::parse(prd, prd, &Names::new("a", "b")) else { continue };
            prop_assert!(!mistakes.is_empty());
            let lines = prd.lines().count().max(1) + prd.matches('\r').count();
            prop_assert!(mistakes.iter().all(|one| (1..=lines).contains(&one.place.line)));
        }
    }
}
