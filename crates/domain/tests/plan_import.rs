//! LP-04, LP-23: answers become plans, and plans of rlp-desk are taken over.

#![allow(clippy::unwrap_used)]

use countersign_domain::classify::Risk;
use countersign_domain::plan::{
    Answers, Category, Filled, Imported, IterationUnit, Layer, Size, Source, import,
};

const PRD: &str = "# PRD: pay\n\n## Objective\nCustomers pay by card.\n\n## User Stories\n\n\
### US-001: Pay\n- **Priority**: P0\n- **Size**: S\n- **Type**: code\n- **Risk**: CRITICAL (governance §1c)\n\
- **Depends on**: []\n- **Acceptance Criteria** (Given/When/Then — domain language only):\n  - AC-1.1:\n\
    - Given: a cart of 30 €\n    - When: the customer pays\n    - Then: 30 € are charged\n  - AC-1.2 (negative):\n\
    - Given: a card that is blocked\n    - When: the customer pays\n    - Then: 0 € are charged\n\
- **Boundary Cases**: an empty cart, a cart of 99999 €\n- **Verification Layers**: L1 (unit tests) + L3 (a known cart)\n\
- **Status**: not started\n\n### US-002: Pay back\n- **Priority**: P9\n- **Depends on**: US-001\n\
- **Acceptance Criteria**:\n  - [ ] money is paid back\n\n## Notes\nold\n\n## Non-Goals\n- Cash\n\n## Done When\n- all pass\n";

const SPEC: &str = "# Test Specification: pay\n\n## Verification Commands\n### Build\n```bash\n# TODO\n```\n### Test\n```bash\n\
make test\nmake more\n```\n### Lint\n```bash\nN/A — no linter\n```\n\n---\n\n## Verification Context (fill BEFORE implementation)\n\n\
### Impacted Tests\n- US-001: `tests/cart`\n- all others\n\n## Verification Layers (ALL required sections)\n\n\
### L1: Unit Test (REQUIRED)\n```bash\nmake unit\n```\n\n### L2: Integration (required if external services exist)\n```bash\n\
N/A — no services\n```\n\n### L3: E2E Simulation (REQUIRED)\n- **Happy path input**: cart 30\n- **Happy path expected output**: 30\n\
- **Happy path command**:\n```bash\n./pay cart30\n```\n- **Error path input**: TODO\n\n### L4: Deploy Verification\n```bash\n# TODO\n```\n\n\
## Traceability Matrix (Worker fills)\n\n| US | AC | Test File :: Function | Layer | Evidence | Status |\n|---|---|---|---|---|---|\n\
| US-001 | AC1.1 | t.py :: happy_charge | L1 | x | pending |\n| US-001 | AC1.1 | t.py :: boundary_charge | L1 | x | pending |\n\n\
## Reproducibility Gate\n- [ ] Lock file exists\n\n## Criteria → Verification Mapping\n\n\
| US | AC | Layer | Method | Command | Expected Output | Pass Criteria |\n|---|---|---|---|---|---|---|\n\
| US-001 | AC1.1 | L1 | pytest | pytest -k charge | 2 pass | exit 0 |\n| US-001 | AC1.1-AC1.2 | L3 | negative | `./pay x` exits 1 | TODO | TODO |\n\
| US-007 | AC1 | L1 | x | y | z | w |\n| US-002 | AC1 | L1 | TODO | TODO | TODO | TODO |\n";

fn imported(prd: &str, spec: Option<&str>) -> Imported {
    let slug = "pay".parse().unwrap();
    let spec = spec.map(|text| ("test-spec-pay.md", text));
    let source =
        Source { slug: &slug, prd: ("prd-pay.md", prd), spec, unit: IterationUnit::PerStory };
    import(&source).unwrap_or_else(|all| panic!("{all:#?}"))
}

/// LP-04: a plan of rlp-desk is taken over, and what was not is told with its line.
#[test]
fn a_plan_of_rlp_desk_is_taken_over() {
    let Imported { plan, notes } = imported(PRD, Some(SPEC));
    let [pay, back] = &plan.stories[..] else { panic!("{plan:#?}") };
    assert_eq!((pay.size, pay.risk, pay.criteria.len()), (Size::Small, Risk::Critical, 2));
    assert_eq!(pay.criteria[0].given, "a cart of 30 €");
    assert_eq!(pay.negatives, ["the customer pays: 0 € are charged"]);
    assert_eq!(pay.boundaries, ["an empty cart", "a cart of 99999 €"]);
    assert_eq!(pay.layers[0], (Layer::L1, Filled::Given("unit tests".into())));
    assert_eq!(pay.layers[1], (Layer::L2, Filled::Open("TODO".into())));
    assert_eq!(back.criteria[0].then, "money is paid back");
    assert_eq!(back.depends_on, [pay.id]);
    assert_eq!(plan.objective, "Customers pay by card.");
    assert_eq!(plan.spec.commands.test, Filled::Given("make test && make more".into()));
    assert_eq!(plan.spec.commands.lint, Filled::NotApplicable("no linter".into()));
    assert_eq!(plan.spec.layer(Layer::L1).unwrap().commands, ["make unit"]);
    assert_eq!(plan.spec.happy.as_ref().unwrap().command, "./pay cart30");
    assert_eq!(plan.impacted(pay.id), ["tests/cart"]);
    let rows: Vec<_> = plan
        .spec
        .mapping
        .iter()
        .map(|row| (row.criterion.number(), row.category, row.test.as_str()))
        .collect();
    assert_eq!(
        rows,
        [
            (1, Category::Happy, "t.py :: happy_charge"),
            (1, Category::Boundary, "t.py :: boundary_charge"),
            (2, Category::Negative, "TODO"),
        ]
    );
    let told: Vec<String> =
        notes.iter().map(|note| format!("{}:{} {}", note.file, note.line, note.what)).collect();
    for expected in [
        "prd-pay.md:28 US-002: the priority 'P9' is not known; P1 is assumed",
        "prd-pay.md:27 US-002: the size is not said; M is assumed",
        "prd-pay.md:31 US-002 AC1 has no 'given'; write it",
        "prd-pay.md:33 the section 'Notes' has no place in a plan",
        "test-spec-pay.md:24 of an impacted test no story is named: all others",
        "test-spec-pay.md:67 US-001 AC1: this row names no test, and is left out: ./pay x",
        "test-spec-pay.md:68 the row is about no criterion of the PRD, and is left out",
        "test-spec-pay.md:69 the row names no command, and is left out",
    ] {
        assert!(told.contains(&expected.to_owned()), "{expected}\n{told:#?}");
    }
}

/// LP-04: what rlp-desk expects was compared with nothing, and is taken over as prose.
#[test]
fn what_is_expected_is_taken_over_as_prose() {
    for (said, taken) in
        [("`2 pass`", "2 pass"), ("`` `x` ``", "x"), ("``a`b``", "a`b"), ("`2` pass", "`2` pass")]
    {
        let spec = SPEC.replace("| 2 pass |", &format!("| {said} |"));
        let plan = imported(PRD, Some(&spec)).plan;
        assert_eq!(plan.spec.mapping[0].expected, taken);
        assert!(plan.spec.mapping.iter().all(|row| row.printed().is_none()), "{said}");
    }
}

/// LP-04: without a test-spec everything in it is open; without stories there is nothing to take.
#[test]
fn little_is_taken_over_as_little() {
    let Imported { plan, notes } = imported(PRD, None);
    assert!(plan.spec.mapping.is_empty());
    assert!(notes.iter().any(|note| note.what.contains("there is no test-spec")));
    let slug = "pay".parse().unwrap();
    let source = Source {
        slug: &slug,
        prd: ("p.md", "# PRD: x\n\u{1b}"),
        spec: None,
        unit: IterationUnit::AllAtOnce,
    };
    let told = import(&source).unwrap_err();
    assert!(told[0].to_string().starts_with("p.md:1:1: there is no story"), "{told:?}");
}

fn answers(change: impl FnOnce(&mut serde_json::Value)) -> Result<Answers, serde_json::Error> {
    let mut value = serde_json::json!({
        "slug": "greeting",
        "objective": "Visitors are greeted.",
        "stories": [{
            "title": "Greet", "size": "s", "type": "code", "risk": "LOW",
            "criteria": [{ "given": "a visitor called \"Ada\"", "when": "the visitor\n asks", "then": "the visitor reads \"Ada\"",
                "tests": [{ "layer": "unit", "category": "happy path", "command": "a | b", "test": "t" }] }],
            "negatives": ["no other name"], "boundaries": ["no name at all"],
            "layers": { "L1": "tests", "L2": "N/A — none", "l3": "the whole", "L4": "N/A — none" },
        }],
        "choices": { "iteration_unit": "per-story" },
    });
    change(&mut value);
    serde_json::from_value(value)
}

/// LP-04: answers become the plan that will be read from its files.
#[test]
fn answers_become_a_plan() {
    let plan = answers(|_| {}).unwrap().plan("answers").unwrap_or_else(|all| panic!("{all:#?}"));
    assert_eq!(plan.stories[0].criteria[0].when, "the visitor asks");
    assert_eq!(plan.spec.mapping[0].command, "a | b");
    assert_eq!(plan.spec.mapping[0].layer, Layer::L1);
    assert_eq!(plan.choices.max_iterations, 10);
    let wrong = |change: fn(&mut serde_json::Value)| {
        let told = answers(change).unwrap().plan("answers").unwrap_err();
        told[0].to_string()
    };
    assert_eq!(
        wrong(|it| it["slug"] = "A b".into()),
        "answers:1:1: slug: 'A b' can't be the slug of a plan; use small letters, digits and '-', as in auth-refactor"
    );
    assert_eq!(
        wrong(|it| it["stories"][0]["layers"] = serde_json::json!({ "L9": "x" })),
        "answers:1:1: US-001.layers: 'L9' is no layer; did you mean 'L1'?"
    );
    assert!(
        wrong(|it| it["choices"]["worker"] = "nobody".into())
            .contains("there is no agent 'nobody'")
    );
    assert!(wrong(|it| it["objective"] = "# A heading".into()).contains("there is a second title"));
    assert!(
        wrong(|it| it["stories"][0]["title"] = "ends in #\u{1b}".into()).contains("nobody sees")
    );
    assert!(
        wrong(|it| it["stories"][0]["depends_on"] = serde_json::json!(["US-007"]))
            .contains("US-007, which is not there")
    );
    assert!(wrong(|it| it["stories"] = serde_json::json!([])).contains("there is no story"));
}

/// LP-04: there is no default for the iteration unit, and nothing unknown is taken.
#[test]
fn the_iteration_unit_has_no_default() {
    let told = answers(|it| it["choices"] = serde_json::json!({})).unwrap_err().to_string();
    assert_eq!(told, "missing field `iteration_unit`");
    let told =
        answers(|it| it["choices"]["iteration_unit"] = "whatever".into()).unwrap_err().to_string();
    assert_eq!(told, "'whatever' is no iteration unit; use one of: per story, all at once");
    let told = answers(|it| it["extra"] = 1.into()).unwrap_err().to_string();
    assert!(told.starts_with("unknown field `extra`"), "{told}");
    let schema = Answers::schema();
    let choices = &schema["$defs"]["AnswerChoices"];
    assert_eq!(choices["required"], serde_json::json!(["iteration_unit"]));
    assert_eq!(choices["properties"]["iteration_unit"].get("default"), None);
}
