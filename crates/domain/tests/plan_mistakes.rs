//! LP-04: everything that can be wrong in the files of a plan, told at once and with its line.

use countersign_domain::plan::{MAX_BYTES, Names, Plan};

const PRD: &str = include_str!("../../../docs/examples/plans/greeting/prd.md");
const SPEC: &str = include_str!("../../../docs/examples/plans/greeting/test-spec.md");

#[track_caller]
fn told(prd: &str, spec: &str) -> Vec<String> {
    match Plan::parse(prd, spec, &Names::new("p", "s")) {
        Ok(plan) => panic!("no mistake was found\n{plan:#?}"),
        Err(mistakes) => mistakes.iter().map(ToString::to_string).collect(),
    }
}

/// The mistakes of the example with one thing changed in its PRD.
#[track_caller]
fn prd(from: &str, to: &str, expected: &[&str]) {
    assert!(PRD.contains(from), "{from}");
    assert_eq!(told(&PRD.replacen(from, to, 1), SPEC), expected, "{from} -> {to}");
}

#[track_caller]
fn spec(from: &str, to: &str, expected: &[&str]) {
    assert!(SPEC.contains(from), "{from}");
    assert_eq!(told(PRD, &SPEC.replacen(from, to, 1)), expected, "{from} -> {to}");
}

#[track_caller]
fn is_read(prd: &str, spec: &str) -> Plan {
    Plan::parse(prd, spec, &Names::new("p", "s")).unwrap_or_else(|all| panic!("{all:#?}"))
}

/// LP-04: titles and slugs are told.
#[test]
fn titles_and_slugs() {
    prd("# PRD: greeting", "# Greeting", &["p:1:1: the title is 'Greeting'; write '# PRD: SLUG'"]);
    prd(
        "# PRD: greeting",
        "# PRD: Greeting!",
        &[
            "p:1:1: slug: 'Greeting!' can't be the slug of a plan; use small letters, digits and '-', as in auth-refactor",
        ],
    );
    prd(
        "# PRD: greeting",
        "Hello",
        &["p:1:1: the file doesn't begin with its title; begin with '# PRD: SLUG'"],
    );
    prd(
        "## Objective",
        "Hello\n\n## Objective",
        &[
            "p:3:1: text before the first section is not read; move it below '## Objective', or into a comment <!-- -->",
        ],
    );
    spec(
        "# Test spec: greeting",
        "# Test spec: other",
        &[
            "s:1:1: slug: the slug is 'other', and the PRD's is 'greeting'; write '# Test spec: greeting'",
        ],
    );
    prd(
        "## Done when",
        "# Done when",
        &["p:78:1: there is a second title; write '##' before a section"],
    );
}

/// LP-04: sections that are not known, missing or there twice are told, with the nearest name.
#[test]
fn sections() {
    prd(
        "## Objective",
        "## Objectiv",
        &[
            "p:1:1: the section 'Objective' is missing; add '## Objective'",
            "p:3:1: there is no section 'Objectiv' here; did you mean 'Objective'?",
        ],
    );
    prd(
        "## Non-goals",
        "## Done when\n\n- x\n\n## Non-goals",
        &["p:82:1: 'Done when' is there already, in line 70; make them one"],
    );
    prd(
        "#### Boundary cases",
        "#### Bondary cases",
        &["p:29:1: there is no part 'Bondary cases' of a story; did you mean 'Boundary cases'?"],
    );
    prd(
        "#### AC1",
        "#### AC1: greet",
        &[
            "p:10:1: US-001 has no acceptance criterion; add '#### AC1' with '- Given …', '- When …' and '- Then …'",
            "p:19:1: there is no part 'AC1: greet' of a story; write '#### AC1' and nothing behind it",
        ],
    );
    prd(
        "## Objective\n",
        "## Objective\n\n### Deeper\n",
        &["p:5:1: 'Deeper' can't be a heading here; make it a sentence"],
    );
    prd(
        "## Objective",
        "Objective\n---",
        &[
            "p:1:1: the section 'Objective' is missing; add '## Objective'",
            "p:3:1: text before the first section is not read; move it below '## Objective', or into a comment <!-- -->",
            "p:4:1: an underlined heading can't be told from a line across; write headings with '#' before them",
        ],
    );
    spec(
        "## Layers",
        "## Leyers",
        &[
            "s:1:1: the section 'Layers' is missing; add '## Layers'",
            "s:9:1: there is no section 'Leyers' here; did you mean 'Layers'?",
        ],
    );
    spec(
        "### L2: Integration",
        "### L5: Integration",
        &["s:15:1: 'L5: Integration' is no layer; did you mean 'L1'?"],
    );
    spec(
        "### L2: Integration",
        "### L1: Integration",
        &["s:15:1: L1 is there already, in line 11; make them one"],
    );
}

/// LP-04: stories are told by number, key and word.
#[test]
fn stories() {
    prd(
        "### US-002",
        "### US-001",
        &["p:40:1: US-001 is there already, in line 10; give it another number"],
    );
    prd(
        "### US-002: Ask",
        "### Ask",
        &["p:40:1: 'Ask for a missing name' is no story; write '### US-001: TITLE'"],
    );
    prd(
        "### US-001: Greet by name",
        "### US-001:",
        &["p:10:1: US-001 has no title; write '### US-001: TITLE'"],
    );
    prd("- Size: S\n", "", &["p:10:1: Size: 'Size' is missing; add '- Size: …'"]);
    prd("Size: S", "Size: XL", &["p:13:1: size: 'XL' is no size; did you mean 'L'?"]);
    prd(
        "Priority: P1",
        "Priority: high",
        &["p:12:1: priority: 'high' is no priority; use one of: P0, P1, P2, P3"],
    );
    prd("Type: code", "Type: cod", &["p:14:1: type: 'cod' is no type; did you mean 'code'?"]);
    prd("Risk: LOW", "Risk: LOWW", &["p:15:1: risk: 'LOWW' is no risk; did you mean 'LOW'?"]);
    prd(
        "- Risk: LOW",
        "- Rsk: LOW",
        &[
            "p:10:1: Risk: 'Risk' is missing; add '- Risk: …'",
            "p:15:1: there is no 'Rsk' here; did you mean 'Risk'?",
        ],
    );
    prd(
        "- Risk: LOW\n",
        "- Risk: LOW\n- Risk: HIGH\n",
        &["p:16:1: Risk: 'Risk' is there already, in line 15; leave one of them out"],
    );
}

/// LP-04: what a story touches lies in the repository, and what it waits for is another story.
#[test]
fn what_stories_touch_and_wait_for() {
    for (out, why) in [
        ("/etc/passwd", "it is absolute"),
        ("../x", "'..' leads out of the repository, or may"),
        ("a/../greet.sh", "'..' leads out of the repository, or may"),
    ] {
        let fix = "write the path from the root of the repository";
        let told = format!("p:17:1: Touches: '{out}' is no file of this repository: {why}; {fix}");
        prd("Touches: `greet.sh`,", &format!("Touches: `{out}`,"), &[&told]);
    }
    prd(
        "Depends on: US-001",
        "Depends on: US-009",
        &[
            "p:46:1: Depends on: US-002 depends on US-009, which is not there; did you mean 'US-001'?",
        ],
    );
    // What is near is the story itself, which can't be meant.
    prd(
        "Depends on: none",
        "Depends on: US-011",
        &[
            "p:16:1: Depends on: US-001 depends on US-011, which is not there; did you mean 'US-002'?",
        ],
    );
    prd(
        "Depends on: US-001",
        "Depends on: US-002",
        &["p:46:1: Depends on: US-002 depends on itself; leave it out"],
    );
    prd(
        "Depends on: US-001",
        "Depends on: the first",
        &["p:46:1: Depends on: 'the first' is no story; write ids as in 'US-001, US-002', or none"],
    );
    prd(
        "Depends on: none",
        "Depends on: US-002",
        &[
            "p:10:1: Depends on: stories wait for each other: US-001 → US-002 → US-001; leave one of these dependencies out",
        ],
    );
}

/// LP-04: criteria have Given, When and Then, each once and in order.
#[test]
fn criteria() {
    const FORM: &str = "write '- Given …', '- When …' and '- Then …', each once and in this order";
    prd(
        "- When the visitor asks for a greeting\n",
        "",
        &[&format!("p:19:1: AC1: 'When' is missing; {FORM}")],
    );
    prd(
        "- When the visitor",
        "- Wen the visitor",
        &[&format!(
            "p:22:1: AC1: 'Wen the visitor asks for a greeting' is neither Given, When nor Then; {FORM}"
        )],
    );
    prd(
        "- Given a visitor called \"Ada\"",
        "- Given",
        &[&format!("p:21:1: AC1: 'Given' says nothing; {FORM}")],
    );
    prd(
        "- Then the visitor reads \"Hello, Ada\"",
        "- Then a\n- Given b",
        &[&format!("p:24:1: AC1: 'Given' is there already, or too late; {FORM}")],
    );
    prd(
        "#### Negative cases",
        "#### AC1\n\n- Given a\n- When b\n- Then c\n\n#### Negative cases",
        &["p:25:1: AC1 is there already, in line 19; give it another number"],
    );
    // Other spellings are read, and one is written.
    let usual = is_read(PRD, SPEC);
    for other in [
        "#### AC-1\n\n* **Given** a visitor called \"Ada\"\n* **When:** the visitor asks for a greeting\n* then: the visitor reads \"Hello, Ada\"\n",
        "#### AC1\n\nGiven a visitor called \"Ada\"\nWhen the visitor asks for a greeting\nThen the visitor reads \"Hello, Ada\"\n",
        "#### Acceptance criteria\n\n- AC1: Given a visitor called \"Ada\", When the visitor asks for a greeting, Then the visitor reads \"Hello, Ada\"\n",
        "#### Acceptance criteria\n\n- AC1:\n  - Given: a visitor called \"Ada\"\n  - When: the visitor asks for\n    a greeting\n  - Then: the visitor reads \"Hello, Ada\"\n",
    ] {
        let own = "#### AC1\n\n- Given a visitor called \"Ada\"\n- When the visitor asks for a greeting\n- Then the visitor reads \"Hello, Ada\"\n";
        assert_eq!(is_read(&PRD.replacen(own, other, 1), SPEC), usual, "{other}");
    }
}

/// LP-09: a waiver says which law, why and by whom.
#[test]
fn waivers() {
    const FORM: &str = "write '- Waived: IL-4 — JUSTIFICATION by NAME'";
    let with = |text: &str| format!("#### Waivers\n\n- {text}\n\n### US-002");
    prd(
        "### US-002",
        &with("Waived: IL-9 — because by Ada"),
        &[&format!("p:42:1: Waivers: 'IL-9' is no law; did you mean 'IL-1'?; {FORM}")],
    );
    prd(
        "### US-002",
        &with("Waived: IL-4 — because"),
        &[&format!("p:42:1: Waivers: the waiver of IL-4 doesn't say why and by whom; {FORM}")],
    );
}

/// LP-04: nobody chooses the iteration unit but the user; other choices are read strictly.
#[test]
fn choices() {
    const UNIT: &str = "Iteration unit: nobody chose the iteration unit, and nobody else can choose it for you; \
                        write '- Iteration unit: per story' or '- Iteration unit: all at once'";
    prd("- Iteration unit: per story\n", "", &[&format!("p:82:1: {UNIT}")]);
    prd("Iteration unit: per story", "Iteration unit:", &[&format!("p:84:1: {UNIT}")]);
    prd(
        "Iteration unit: per story",
        "Iteration unit: per stories",
        &["p:84:1: iteration unit: 'per stories' is no iteration unit; did you mean 'per story'?"],
    );
    prd(
        "Worker: `claude:sonnet`",
        "Worker: `cloud:sonnet`",
        &[
            "p:86:1: Worker: there is no agent 'cloud'; use one of claude, codex, gemini, opencode, goose (with :MODEL and \
         @EFFORT if you like), acp:COMMAND, or 'command:SHELL COMMAND'; the prompt comes on its standard input",
        ],
    );
    prd(
        "Max iterations: 12",
        "Max iterations: 0",
        &["p:89:1: Max iterations: '0' is no number of iterations; write a number from 1 to 1000"],
    );
    prd(
        "- Consensus: none",
        "- Consensus: none\n- Consensus scope: all",
        &[
            "p:89:1: Consensus scope: there is a scope of consensus, and no consensus; write '- Consensus: yes', or leave it out",
        ],
    );
    let usual = is_read(
        &PRD.replace("- Verify mode: per story\n- Worker: `claude:sonnet`\n", "")
            .replace("12", "20"),
        SPEC,
    );
    assert_eq!(usual.choices.max_iterations, 20);
    assert!(usual.choices.worker.is_none());
}

/// LP-07: the table of tests is read strictly.
#[test]
fn the_table_of_tests() {
    spec(
        "| US-001 | AC1 | L1    | happy ",
        "| US-003 | AC1 | L1    | happy ",
        &["s:40:1: US: the PRD has no story US-003; did you mean 'US-001'?"],
    );
    spec(
        "| US-001 | AC1 | L1    | happy ",
        "| US-001 | AC7 | L1    | happy ",
        &["s:40:1: AC: US-001 has no AC7; did you mean 'AC1'?"],
    );
    spec(
        "| happy    | `sh tests/greets.sh name`",
        "| hapy | `sh tests/greets.sh name`",
        &["s:40:1: Category: 'hapy' can't stand here; did you mean 'happy'?"],
    );
    spec(
        "`sh tests/greets.sh name`   | `greets_by_name`",
        " | `greets_by_name`",
        &["s:40:1: Command: the cell is empty; write the command that runs it"],
    );
    spec(
        "grep name",
        "| grep name",
        &[
            "s:45:1: Criteria to tests: the row has 8 cells, and the head 7; write '\\|' for a '|' inside of a cell",
        ],
    );
    spec(
        "| Category |",
        "| Categorie |",
        &["s:38:1: Criteria to tests: there is no column 'Categorie'; did you mean 'Category'?"],
    );
    spec(
        "| Test                |",
        "|",
        &[
            "s:38:1: Criteria to tests: the column 'Test' is missing; add it to the head and to every row",
        ],
    );
    let row = "| US-001 | AC1 | L3    | happy    | `sh greet.sh Ada`           | `prints_greeting`   | `Hello, Ada`         |\n";
    spec(
        row,
        &row.repeat(2),
        &[
            "s:43:1: Criteria to tests: the same test stands in line 42 for the same criterion; leave it out; it counts once",
        ],
    );
    let table = SPEC.find("| US     |").unwrap();
    let end = SPEC.find("## Impacted").unwrap();
    spec(
        &SPEC[table..end],
        "",
        &[
            "s:36:1: Criteria to tests: there is no table; add '| US | AC | Layer | Category | Command | Test | Expected |' and its rows",
        ],
    );
    spec(
        "- US-001: none\n",
        "- US-009: none\n",
        &["s:49:1: US: the PRD has no story US-009; did you mean 'US-001'?"],
    );
}

/// LP-06: layers of the test-spec.
#[test]
fn layers_of_the_test_spec() {
    spec(
        "- Error command: `sh greet.sh`\n",
        "",
        &["s:19:1: L3: 'Error command' is missing; add '- Error command: …'"],
    );
    spec(
        "- Command: `sh tests/all.sh unit`",
        "- Comand: `x`",
        &["s:13:1: L1: there is no 'Comand' here; did you mean 'Command'?"],
    );
    spec(
        "- Command: `sh tests/all.sh unit`",
        "- Command: `x`\n\nN/A — no",
        &[
            "s:11:1: L1: L1 has commands, and says that it is open or doesn't apply; leave one of them out",
        ],
    );
    spec(
        "- Command: `sh tests/all.sh unit`",
        "run the tests",
        &["s:13:1: L1: 'run the tests' is no item of a list; write '- Command: …'"],
    );
    spec(
        "N/A — no tool for shell scripts",
        "- Command: `m`\n- Threshold: most",
        &["s:35:1: Threshold: 'most' is no share; write it as in '60 %'"],
    );
}

/// LP-04, LP-07: a code span with nothing in it expects nothing, however it is written.
#[test]
fn an_empty_span_expects_nothing() {
    for empty in ["` `", "``", "````"] {
        let wrong =
            format!("s:42:1: Expected: '{empty}' can't stand here; write what must come out");
        spec("| `Hello, Ada`         |", &format!("| {empty} |"), &[&wrong]);
    }
}

/// LP-04: lists, code, comments and hidden characters.
#[test]
fn what_markdown_can_hide() {
    prd(
        "- Other languages than English.",
        "- Other\n  - languages",
        &[
            "p:73:1: a list inside of a list is not read; write it as an item of its own, at the margin",
        ],
    );
    prd(
        "- Other languages than English.",
        "Other languages",
        &["p:72:1: this is no item of a list; begin it with '- '"],
    );
    prd(
        "- Other languages than English.",
        "- \n| a |",
        &[
            "p:72:1: the item is empty; write something, or remove it",
            "p:73:1: a table doesn't belong here; write a list with '-'",
        ],
    );
    prd(
        "## Stories",
        "```\n## Stories",
        &[
            "p:1:1: the section 'Stories' is missing; add '## Stories'",
            "p:1:1: the section 'Run choices' is missing; add '## Run choices'",
            "p:8:1: a code block begins here and never ends; end it with the same characters on a line of their own",
        ],
    );
    prd(
        "## Stories",
        "<!-- \n## Stories",
        &[
            "p:1:1: the section 'Stories' is missing; add '## Stories'",
            "p:1:1: the section 'Run choices' is missing; add '## Run choices'",
            "p:8:1: a comment begins here and never ends; end it with -->",
        ],
    );
    prd(
        "Visitors",
        "Vis\u{202e}itors",
        &["p:5:1: there is a character that nobody sees (U+202E); remove it"],
    );
    prd(
        "Visitors",
        "Vis\u{1b}[2Jitors",
        &["p:5:1: there is a character that nobody sees (U+001B); remove it"],
    );
    // A heading in code is none, and code belongs to the text around it.
    let with_code =
        PRD.replace("asked for one.", "asked for one.\n\n```sh\n## Stories\n\n- a\n```");
    assert!(is_read(&with_code, SPEC).objective.ends_with("```sh\n## Stories\n\n- a\n```"));
    // Tabs, other bullets, closing marks and line ends are the same.
    let other = PRD
        .replace("- Size: S", "*\tSize:\tS")
        .replace("## Stories", "## Stories ##")
        .replace('\n', "\r\n");
    assert_eq!(is_read(&other, SPEC), is_read(PRD, SPEC));
    let wrapped = PRD.replace("a name is not greeted", "a name\n  is not greeted");
    assert_eq!(is_read(&wrapped, SPEC), is_read(PRD, SPEC));
}

/// LP-04: files that are no plan at all are told, and large ones take no time.
#[test]
fn empty_and_huge_files() {
    assert_eq!(
        told("", ""),
        [
            "p:1:1: the file is empty; `countersign plan new` makes a plan",
            "s:1:1: the file is empty; `countersign plan new` makes a plan",
        ]
    );
    assert_eq!(told("\u{feff} \n\n\t", SPEC).len(), 1);
    let huge = "x".repeat(MAX_BYTES + 1);
    assert_eq!(
        told(&huge, SPEC),
        ["p:1:1: the file has more than 1024 KiB; a plan is for people; make several"]
    );
    let wrong =
        format!("# PRD: a\n\n## Objective\n\nx\n\n## Stories\n\n{}", "- a\n".repeat(200_000));
    let wrong = told(&wrong, SPEC);
    assert_eq!(wrong.len(), 100);
    assert!(wrong[99].ends_with("more mistakes)"), "{}", wrong[99]);
    let stories = format!(
        "# PRD: a\n\n## Objective\n\nx\n\n## Stories\n\n{}",
        "### US-1: a\n".repeat(50_000)
    );
    assert!(
        told(&stories, SPEC)
            .iter()
            .any(|one| one.contains("there are 50000 stories; make several plans"))
    );
}

/// LP-04, CO-14: what a story touches is the same however it is written.
#[test]
fn touched_files_are_made_alike() {
    let text = PRD.replacen(
        "Touches: `greet.sh`, `tests/greets.sh`",
        "Touches: `./greet.sh`, tests/, greet.sh",
        1,
    );
    let plan = is_read(&text, SPEC);
    assert_eq!(plan.stories[0].files, ["greet.sh", "tests/**"]);
}
