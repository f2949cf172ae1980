//! LP-05, LP-06, LP-07, LP-09: what keeps a plan from being worked on.

use std::collections::BTreeMap;

use countersign_domain::plan::{
    Checked, CriterionId, Dimension, Gate, Names, Plan, Rated, Score, Severity, StoryId,
};

const PRD: &str = include_str!("../../../docs/examples/plans/greeting/prd.md");
const SPEC: &str = include_str!("../../../docs/examples/plans/greeting/test-spec.md");

fn names() -> Names {
    Names::new("prd.md", "test-spec.md")
}

#[track_caller]
fn parsed(prd: &str, spec: &str) -> Plan {
    Plan::parse(prd, spec, &names()).unwrap_or_else(|all| panic!("{all:#?}"))
}

#[track_caller]
fn checked(prd: &str, spec: &str) -> Checked {
    parsed(prd, spec).check(&names())
}

/// What is told of a plan, one per line.
fn told(checked: &Checked, severity: Severity) -> Vec<String> {
    let of = checked.shortcomings.iter().filter(|one| one.severity == severity);
    of.map(|one| format!("{}:{} {} {}: {}", one.file, one.line, one.rule, one.subject, one.what))
        .collect()
}

#[track_caller]
fn refused(prd: &str, spec: &str, expected: &[&str]) {
    let checked = checked(prd, spec);
    assert_eq!(told(&checked, Severity::Refuse), expected);
    assert_eq!(checked.passes(), expected.is_empty());
}

#[track_caller]
fn prd(from: &str, to: &str) -> String {
    assert!(PRD.contains(from), "{from}");
    PRD.replacen(from, to, 1)
}

#[track_caller]
fn spec(from: &str, to: &str) -> String {
    assert!(SPEC.contains(from), "{from}");
    SPEC.replacen(from, to, 1)
}

/// LP-05 to LP-07: the example of the documentation leaves nothing to be desired.
#[test]
fn the_example_passes() {
    let checked = checked(PRD, SPEC);
    assert_eq!(checked.shortcomings, []);
    assert!(checked.scores.iter().all(|scored| scored.gate == Gate::Pass && scored.total >= 10));
}

/// LP-07: it is told how many rows are compared and which are not; what no command can print, since
/// something else is expected of it too, is refused.
#[test]
fn what_is_expected_can_be_printed() {
    let told = checked(PRD, SPEC).expected;
    assert_eq!((told.compared, &told.prose[..]), (2, &[40, 41, 43, 44][..]));
    let wrong = "test-spec.md:42 expected US-001 AC1: `sh greet.sh Ada` must print \"Hi\" here and \"Hello, \
        Ada\" in 'Happy expected' of L3";
    let row = "| `prints_greeting`   | `Hello, Ada`";
    refused(PRD, &spec(row, "| `prints_greeting`   | `Hi`"), &[wrong]);
    let twice = SPEC
        .replace(
            "`sh tests/greets.sh name`   | `greets_by_name`    | Hello, Ada   ",
            "`x` | `a` | `1`",
        )
        .replace(
            "`sh tests/greets.sh long`   | `greets_long_names` | the whole name",
            "`x` | `b` | `2`",
        );
    let wrong =
        "test-spec.md:41 expected US-001 AC1: `x` must print \"2\" here and \"1\" in line 40";
    refused(PRD, &twice, &[wrong]);
}

/// LP-05: an ambiguous criterion is refused with its line and reasons.
#[test]
fn ambiguous_criteria_are_refused() {
    let vague = prd(
        "- Given a visitor called \"Ada\"\n- When the visitor asks for a greeting\n- Then the visitor reads \"Hello, Ada\"",
        "- Given a user\n- When they log in\n- Then the system works correctly",
    );
    refused(
        &vague,
        SPEC,
        &[
            "prd.md:19 ambiguity US-001 AC1: it scores 5 of 12 (concrete 0: 'works correctly' is vague, \
        and no value is named; independence 0: 'log in' requires that something else works; single 1: one behaviour, but \
        nobody can test 'works correctly'; stakeholder 1: 'user' could be anybody; portability 1: 'log in' is there on some \
        surfaces only)",
        ],
    );
    let warned = checked(&prd("a visitor called \"Ada\"", "somebody"), SPEC);
    assert!(warned.passes());
    assert_eq!(warned.scores[0].gate, Gate::Pass, "{:?}", warned.scores[0]);
    let warned =
        checked(&prd("the visitor reads \"Hello, Ada\"", "the form is shown quickly"), SPEC);
    assert!(warned.passes());
    assert_eq!(told(&warned, Severity::Warn).len(), 1, "{warned:#?}");
}

/// D1.9: another opinion lowers a score below the gate, and lifts none above it.
#[test]
fn another_opinion_only_lowers() {
    let plan = parsed(PRD, SPEC);
    let opinion = |points| Score {
        rated: Dimension::ALL
            .iter()
            .map(|it| Rated { dimension: *it, points, reason: "so".into() })
            .collect(),
    };
    let judged =
        |points| BTreeMap::from([((StoryId::new(1), CriterionId::new(1)), opinion(points))]);
    assert!(plan.check_with(&names(), &judged(2)).passes());
    let lowered = plan.check_with(&names(), &judged(0));
    assert_eq!(
        (lowered.passes(), lowered.scores[0].total, lowered.scores[1].total),
        (false, 0, 12)
    );
    let bad = parsed(
        &prd(
            "Given a visitor called \"Ada\"\n- When the visitor asks for a greeting\n- Then the visitor reads \"Hello, Ada\"",
            "Given a user\n- When they log in\n- Then the system works correctly",
        ),
        SPEC,
    );
    assert!(!bad.check_with(&names(), &judged(2)).passes());
}

/// LP-06: L1 and L3 are always needed; what is blank, promised or N/A without a reason fails.
#[test]
fn open_layers_are_refused() {
    refused(
        &prd("- L1: the greeting by itself, for several names\n", ""),
        SPEC,
        &["prd.md:10 layers US-001 L1: nothing is written there"],
    );
    refused(
        &prd("L3: the program with a known name, and what it prints", "L3: TODO"),
        SPEC,
        &["prd.md:10 layers US-001 L3: it is still to be written"],
    );
    refused(
        &prd("L1: the greeting by itself, for several names", "L1: N/A — too simple"),
        SPEC,
        &["prd.md:10 layers US-001 L1: L1 is always required, and it says N/A"],
    );
    refused(
        &prd("L2: N/A — no external services", "L2: N/A"),
        SPEC,
        &["prd.md:10 layers US-001 L2: N/A has no reason"],
    );
    refused(
        &prd("L2: N/A — no external services", "L2: with the real mail server"),
        SPEC,
        &["test-spec.md:15 layers US-001 L2: the story needs it, and the test-spec says N/A"],
    );
    refused(
        PRD,
        &spec("N/A — nothing is deployed", "TODO"),
        &["test-spec.md:28 layers L4: it is still to be written"],
    );
    refused(
        PRD,
        &spec("### L2: Integration\n\nN/A — no external services\n\n", ""),
        &["test-spec.md:9 layers L2: nothing is written there"],
    );
}

/// LP-06: HIGH risk without integration or deployment is told; CRITICAL needs a second opinion and
/// tests that were tried.
#[test]
fn risk_asks_for_more() {
    let high = checked(&prd("Risk: LOW", "Risk: HIGH"), SPEC);
    assert!(high.passes());
    assert_eq!(
        told(&high, Severity::Warn),
        [
            "prd.md:10 layers US-001 L2: the risk is HIGH, and L2 is left out: no external services",
            "prd.md:10 layers US-001 L4: the risk is HIGH, and L4 is left out: nothing is deployed",
        ]
    );
    let critical = prd("Risk: LOW", "Risk: CRITICAL");
    refused(
        &critical,
        SPEC,
        &["prd.md:10 consensus US-001: the risk is CRITICAL, and no second Verifier looks at it"],
    );
    let seconded = critical.replace("Consensus: none", "Consensus: yes");
    refused(&seconded, SPEC, &[]);
    refused(
        &seconded,
        &spec("N/A — no tool for shell scripts", "TODO"),
        &[
            "test-spec.md:32 mutation US-001: the risk is CRITICAL, and of the mutation gate it is still to be written",
        ],
    );
}

/// LP-07, D1.4: three tests for each criterion, of two sorts; the same test counts once.
#[test]
fn thin_tests_are_refused() {
    let fewer: String = SPEC
        .lines()
        .filter(|line| !line.contains("greets_long_names"))
        .map(|line| format!("{line}\n"))
        .collect();
    refused(PRD, &fewer, &["test-spec.md:40 tests US-001 AC1: it has 2 of at least 3 tests"]);
    refused(
        PRD,
        &spec(
            "| L1    | boundary | `sh tests/greets.sh long`",
            "| L1    | happy | `sh tests/greets.sh long`",
        ),
        &["test-spec.md:40 tests US-001 AC1: all of its tests are happy"],
    );
    refused(
        PRD,
        &spec("`greets_long_names`", "TODO"),
        &["test-spec.md:40 tests US-001 AC1: it has 2 of at least 3 tests"],
    );
    let second = prd(
        "#### Negative cases",
        "#### AC2\n\n- Given a visitor called \"Eve\"\n- When the visitor asks for a greeting\n\
        - Then the visitor reads \"Hello, Eve\"\n\n#### Negative cases",
    );
    refused(&second, SPEC, &["prd.md:25 tests US-001 AC2: it has 0 of at least 3 tests"]);
}

/// LP-09: only a person waives a law, for one story, with a reason; the rest stays as it is.
#[test]
fn waivers_are_the_users() {
    let fewer: String = SPEC
        .lines()
        .filter(|line| !line.contains("greets_long_names"))
        .map(|line| format!("{line}\n"))
        .collect();
    let waived = |text: &str| prd("### US-002", &format!("#### Waivers\n\n- {text}\n\n### US-002"));
    let fine =
        checked(&waived("Waived: IL-4 — two tests say all there is by Ada Lovelace"), &fewer);
    assert!(fine.passes(), "{fine:#?}");
    assert_eq!(
        told(&fine, Severity::Warn),
        ["test-spec.md:40 tests US-001 AC1 (IL-4 is waived): it has 2 of at least 3 tests"]
    );
    for (text, why) in [
        ("Waived: IL-4 — ok by Ada", "'ok' justifies nothing"),
        ("Waived: IL-4 — TODO later on by Ada", "'TODO later on' justifies nothing"),
        ("Waived: IL-4 — two tests say all there is by Claude", "'Claude' can't waive a law"),
        (
            "Waived: IL-4 — two tests say all there is by the worker",
            "'the worker' can't waive a law",
        ),
    ] {
        refused(
            &waived(text),
            &fewer,
            &[
                &format!("prd.md:42 waiver US-001 IL-4: {why}"),
                "test-spec.md:40 tests US-001 AC1: it has 2 of at least 3 tests",
            ],
        );
    }
    // Another law, or another story, is no help.
    assert!(!checked(&waived("Waived: IL-3 — two tests say all there is by Ada"), &fewer).passes());
    let other = prd(
        "## Non-goals",
        "#### Waivers\n\n- Waived: IL-4 — two tests say all there is by Ada\n\n## Non-goals",
    );
    assert!(!checked(&other, &fewer).passes());
}

/// LP-04: stories are small, know what must not happen and what happens at the limits, and speak of
/// no other story.
#[test]
fn large_thoughtless_and_coupled_stories_are_refused() {
    let criteria: String = (2..=5)
        .map(|at| format!("#### AC{at}\n\n- Given a visitor called \"Eve\"\n- When the visitor asks for it\n- Then the visitor reads \"Hello, {at}\"\n\n"))
        .collect();
    let large =
        checked(&prd("#### Negative cases", &format!("{criteria}#### Negative cases")), SPEC);
    let large = told(&large, Severity::Refuse);
    assert!(
        large.contains(
            &"prd.md:10 size US-001: it has 5 criteria, and a story has up to 4".to_owned()
        ),
        "{large:?}"
    );
    let wide = checked(&prd("`tests/greets.sh`", "`tests/greets.sh`, `a`"), SPEC);
    assert_eq!(told(&wide, Severity::Warn), ["prd.md:10 size US-001: it touches 3 files or globs"]);
    refused(
        &prd("- A visitor who gives no name is not greeted with \"Hello, \".", "- TODO"),
        SPEC,
        &["prd.md:10 cases US-001: it has no negative cases"],
    );
    refused(
        &prd("#### Boundary cases\n\n- A name of 200 letters is greeted in full.\n\n", ""),
        SPEC,
        &["prd.md:10 cases US-001: it has no boundary cases"],
    );
    let coupled = checked(
        &prd("a visitor who gives the empty name \"\"", "the greeting of US-001 for \"\""),
        SPEC,
    );
    assert!(
        told(&coupled, Severity::Refuse).contains(
            &"prd.md:49 reference US-002 AC1: it speaks of US-001, which its worker doesn't see"
                .to_owned()
        )
    );
}

/// LP-08: a command that can't fail, or is none, proves nothing.
#[test]
fn commands_that_prove_nothing_are_refused() {
    refused(
        PRD,
        &spec("`sh tests/all.sh`", "`sh tests/all.sh || true`"),
        &[
            "test-spec.md:1 command Test: 'sh tests/all.sh || true' can't fail, so that it proves nothing",
        ],
    );
    refused(
        PRD,
        &spec("- Lint: `sh -n greet.sh`\n", ""),
        &["test-spec.md:1 command Lint: nothing is written there"],
    );
    refused(
        PRD,
        &spec("`sh tests/greets.sh name`", "`sh 'tests`"),
        &["test-spec.md:40 command US-001 AC1: in 'sh 'tests', a single quote is never closed"],
    );
}

/// LP-06: layers that can't be left out are not offered to be.
#[test]
fn what_is_always_needed_is_not_offered_as_n_a() {
    let fixes = |prd: &str, spec: &str, subject: &str| -> Vec<String> {
        let checked = checked(prd, spec);
        let of = checked.shortcomings.iter().filter(|one| one.subject == subject);
        of.map(|one| one.fix.clone()).collect()
    };
    let at = SPEC.find("### L1").unwrap();
    let end = at + SPEC[at..].find("### L2").unwrap();
    let open = format!("{}### L1: Unit\n\nTODO\n\n{}", &SPEC[..at], &SPEC[end..]);
    let waived = PRD.replace("- L1: ", "- L1: N/A — nobody wrote one ");
    for (prd, subject) in [(PRD, "US-001 L1"), (waived.as_str(), "L1")] {
        for fix in fixes(prd, &open, subject) {
            assert!(!fix.contains("N/A"), "{subject}: {fix}");
        }
    }
    assert_eq!(fixes(&waived, &open, "L1"), ["add '- Command: …' below '### L1'"]);
    let blank = prd("- L1: ", "- L1: TODO ");
    assert_eq!(fixes(&blank, SPEC, "US-001 L1"), ["write '- L1: …' below 'Verification layers'"]);
}
