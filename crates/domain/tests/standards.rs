//! CX-03: citations from a mapping and from the task itself, and whether they still hold.

#![allow(clippy::expect_used)]

use countersign_domain::Digest;
use countersign_domain::standards::{
    Citation, Documents, Fate, Mapping, Section, files, resolve, sections, stale,
};
use countersign_domain::task::{Mistake, Task};

/// The headings of a document: level, name, first and last line.
#[track_caller]
fn check(text: &str, expected: &[(u8, &str, usize, usize)]) {
    let found: Vec<Section> = sections(text);
    let found: Vec<(u8, &str, usize, usize)> = found
        .iter()
        .map(|section| {
            let span = section.line_span;
            (section.level, section.slug.as_str(), span.first, span.last)
        })
        .collect();
    assert_eq!(found, expected, "{text}");
}

/// CX-03: headings have names and lines.
#[test]
fn headings_have_names_and_lines() {
    check("", &[]);
    check("no heading\n", &[]);
    check("# A\n\ntext\n\n## B\nb\n\n\n# C", &[(1, "a", 1, 6), (2, "b", 5, 6), (1, "c", 9, 9)]);
    check("A\n=\na\n\nB b\nc\n---\nd\n", &[(1, "a", 1, 8), (2, "b-b-c", 5, 8)]);
    check("# A\n# A\n# A\n", &[(1, "a", 1, 1), (1, "a-1", 2, 2), (1, "a-2", 3, 3)]);
    check("```\n# no\n```\n    # no\n\n~~~\n# no\n~~~\n# Yes\n", &[(1, "yes", 9, 9)]);
    check("<!--\n# no\n-->\n\n# Yes #\n", &[(1, "yes", 5, 5)]);
    check("---\ntitle: x\n---\n\n# Yes\n", &[(1, "yes", 5, 5)]);
    check("> # Q\n\n# Q\nx\n\n- # L\n\ny\n", &[(1, "q-1", 3, 8)]);
    check(
        "### A\n# B\n## C\n#### D\n## E\n",
        &[(3, "a", 1, 1), (1, "b", 2, 5), (2, "c", 3, 4), (4, "d", 4, 4), (2, "e", 5, 5)],
    );
    check("#hash\n#\n####### seven\n", &[(1, "", 2, 3)]);
    check("\u{feff}# A\r\nb\r\n\r\n# C\rd\r", &[(1, "a", 1, 2), (1, "c", 4, 5)]);
    for (heading, name) in [
        ("Use `cargo test` *now*", "use-cargo-test-now"),
        ("[A link](https://example.com \"t\") and <b>HTML</b>", "a-link-and-html"),
        ("![picture](x.png) Title", "title"),
        (":rocket: 🚀 Launch", "rocket--launch"),
        ("A & B &amp; C", "a--b--c"),
        ("1.2.3 — Größe_x", "123--größe_x"),
    ] {
        check(&format!("## {heading}\n"), &[(2, name, 1, 1)]);
    }
}

/// CX-03: the hash is that of the lines with lf.
#[test]
fn the_hash_is_that_of_the_lines_with_lf() {
    let hash = |text: &str| sections(text).first().map(|section| section.content_sha);
    let expected = Some(Digest::of(b"# A\n\nb\n"));
    for text in
        ["# A\n\nb\n", "# A\n\nb", "# A\r\n\r\nb\r\n", "# A\n\nb\n\n\n# C\n", "x\n# A\n\nb\n \n"]
    {
        assert_eq!(hash(text), expected, "{text:?}");
    }
    assert_ne!(hash("# A\n\nb \n"), expected, "spaces count");
    assert_ne!(hash("# A\nb\n"), expected, "blank lines inside count");
}

/// CX-03: the requirement is the first sentence.
#[test]
fn the_requirement_is_the_first_sentence() {
    for (text, expected) in [
        ("# A\n\nDo this. Not that.\n", "Do this."),
        ("# A\n\n## B\n\nDo *this* `now`\nplease.\n", "Do this now please."),
        ("# A\n\n- Do this first\n- then that\n", "Do this first"),
        ("# A\n\n- Do this:\n  - and that\n", "Do this:"),
        ("# A\n\n```\ncode\n```\n\nDo this.\n", "Do this."),
        ("# A\n\n![alt](x) Do [this](y).\n", "Do this."),
        ("# A\n\n| Rule | Why |\n|---|---|\n", "Rule"),
        ("# A\n\n> Do this.\n", "Do this."),
        ("# The title\n\n```\ncode\n```\n", "The title"),
        ("# The title\n# B\n\nDo this.\n", "The title"),
    ] {
        assert_eq!(sections(text)[0].requirement, expected, "{text}");
    }
}

const GLOBAL: &str = "# Global\n\n## Evidence Requirements\n\nKeep every log. For a year.\n\n\
                      ## Governance\n\nAsk first.\n\n## Release Requirements\n\nTag it.\n\n\
                      ## Usage\n\none\n\n## Usage\n\ntwo\n";

fn documents() -> Documents {
    let text = |title: &str, names: &[&str]| {
        let body: String =
            names.iter().map(|name| format!("## {name}\n\n{name} it is.\n\n")).collect();
        format!("# {title}\n\n{body}")
    };
    [
        ("standards/global.md", GLOBAL.to_owned()),
        ("standards/agents.md", text("Agents", &["Agent Coordination"])),
        ("standards/backend.md", text("Backend", &["Handler Constraints", "Layering Rules"])),
        ("standards/testing.md", text("Testing", &["Backend Commands"])),
    ]
    .map(|(path, text)| (path.to_owned(), text))
    .into()
}

fn mapping() -> Mapping {
    let text = include_str!("../../../docs/examples/standards.yaml");
    Mapping::parse(text, "standards.yaml").expect("the example is right")
}

#[track_caller]
fn task(area: &str, priority: &str, rest: &str) -> Task {
    let text =
        format!("id: T\ntitle: T\npriority: {priority}\narea: {area}\ndescription: D\n{rest}");
    Task::parse(&text, "t.yaml").expect("the task is right").0
}

#[track_caller]
fn cited(task: &Task, expected: &[&str]) {
    let citations = resolve(task, &mapping(), &documents()).expect("all is there");
    let found: Vec<String> = citations
        .iter()
        .map(|Citation { file, section, requirement, line_span, .. }| {
            format!("{file}#{section} {line_span} {requirement}")
        })
        .collect();
    assert_eq!(found, expected);
}

const ALL: [&str; 3] = [
    "standards/agents.md#agent-coordination L3-L5 Agent Coordination it is.",
    "standards/global.md#evidence-requirements L3-L5 Keep every log.",
    "standards/global.md#governance L7-L9 Ask first.",
];

/// CX-03: area and priority choose the sections.
#[test]
fn area_and_priority_choose_the_sections() {
    cited(&task("frontend", "P1", ""), &ALL);
    let backend = [
        "standards/backend.md#handler-constraints L3-L5 Handler Constraints it is.",
        "standards/backend.md#layering-rules L7-L9 Layering Rules it is.",
    ];
    let testing = "standards/testing.md#backend-commands L3-L5 Backend Commands it is.";
    let release = "standards/global.md#release-requirements L11-L13 Tag it.";
    cited(&task("Backend", "P2", ""), &[ALL[0], backend[0], backend[1], ALL[1], ALL[2], testing]);
    cited(
        &task("backend", "P1", ""),
        &[ALL[0], backend[0], backend[1], ALL[1], ALL[2], release, testing],
    );
    cited(&task("infrastructure", "P0", ""), &[ALL[0], ALL[1], ALL[2], release]);
    assert_eq!(Vec::from_iter(mapping().areas()), ["backend", "infrastructure"]);
    let needed = files(&task("frontend", "P1", "standards: [a.md#b]\n"), &mapping());
    assert_eq!(Vec::from_iter(needed), ["a.md", "standards/agents.md", "standards/global.md"]);
}

/// CX-03: what the task says wins.
#[test]
fn what_the_task_says_wins() {
    let own = "standards:\n  - standards/global.md#usage-1\n  - file: standards/global.md\n    \
               section: '## Governance'\n    requirement: Ask twice.\n  - standards/agents.md#Agents\n";
    cited(
        &task("x", "P3", own),
        &[
            ALL[0],
            "standards/agents.md#agents L1-L5 Agent Coordination it is.",
            ALL[1],
            "standards/global.md#governance L7-L9 Ask twice.",
            "standards/global.md#usage-1 L19-L21 two",
        ],
    );
    let none = resolve(&task("x", "P3", ""), &Mapping::none(), &documents());
    assert_eq!(none, Ok(vec![]), "whether that is enough is for who asks");
}

#[track_caller]
fn told<T: std::fmt::Debug>(result: Result<T, Vec<Mistake>>, expected: &[&str]) {
    let told = result.map_err(|all| all.iter().map(ToString::to_string).collect::<Vec<_>>());
    match told {
        Ok(value) => panic!("no mistake was found: {value:?}"),
        Err(told) => assert_eq!(told, expected),
    }
}

/// CX-03: what is not there is told where it is asked for.
#[test]
fn what_is_not_there_is_told_where_it_is_asked_for() {
    let own = "standards:\n  - standards/global.md#goverment\n  - standards/none.md#a\n  \
               - standards/global.md#USAGE\n";
    let mut documents = documents();
    documents.insert("standards/agents.md".to_owned(), "nothing\n".to_owned());
    told(
        resolve(&task("x", "P3", own), &mapping(), &documents),
        &[
            "standards.yaml:12:28: rules[0].cite.standards/agents.md: there is no section 'Agent \
             Coordination' in the document; give the document a heading",
            "t.yaml:7:5: standards[0]: there is no section 'goverment' in the document; use one \
             of its headings, such as governance, global, usage",
            "t.yaml:8:5: standards[1]: there is no document 'standards/none.md'; write the path \
             of one, from the root of the repository",
            "t.yaml:9:5: standards[2]: there are 2 sections 'USAGE'; say which: usage, usage-1",
        ],
    );
    let many: Vec<String> = (0..501).map(|number| format!("s{number}")).collect();
    let many = format!("rules: [{{area: all, cite: {{a.md: [{}]}}}}]", many.join(", "));
    let many = Mapping::parse(&many, "m.yaml").expect("it can be read");
    told(
        resolve(&task("x", "P3", ""), &many, &Documents::new()),
        &[
            "m.yaml:1:1: rules: 501 sections hold for the task, and 500 may; cite fewer, or larger ones",
        ],
    );
}

/// What becomes of the citations of a task when a document changes.
#[track_caller]
fn check_stale(change: impl Fn(&str) -> Option<String>, expected: &[(&str, bool, &str)]) {
    let own = "standards: [standards/global.md#usage-1]\n";
    let before = documents();
    let citations = resolve(&task("x", "P3", own), &mapping(), &before).expect("all is there");
    assert_eq!(stale(&citations, &before), []);
    let mut after = before;
    match change(GLOBAL) {
        Some(text) => drop(after.insert("standards/global.md".to_owned(), text)),
        None => drop(after.remove("standards/global.md")),
    }
    let found = stale(&citations, &after);
    let found: Vec<(&str, bool, String)> = found
        .iter()
        .map(|found| {
            let fate = match &found.fate {
                Fate::Moved { now, line_span } => format!("moved to {now} {line_span}"),
                Fate::Changed { line_span, .. } => format!("changed {line_span}"),
                Fate::SectionGone { nearest } => format!("gone, near {}", nearest.join(" ")),
                Fate::FileGone => "no file".to_owned(),
            };
            (found.section.as_str(), found.is_stale(), fate)
        })
        .collect();
    let found: Vec<(&str, bool, &str)> =
        found.iter().map(|(section, stale, fate)| (*section, *stale, fate.as_str())).collect();
    assert_eq!(found, expected);
}

/// CX-03: a changed standard makes a citation stale.
#[test]
fn a_changed_standard_makes_a_citation_stale() {
    let text = |text: String| Some(text);
    check_stale(|global| text(global.replace('\n', "\r\n")), &[]);
    check_stale(|global| text(format!("{global}\n\n## More\n")), &[]);
    check_stale(
        |global| text(global.replace("For a year", "For two years")),
        &[("evidence-requirements", true, "changed L3-L5")],
    );
    check_stale(
        |global| text(global.replace("# Global\n", "# Global\n\nNew.\n")),
        &[
            ("evidence-requirements", false, "moved to evidence-requirements L5-L7"),
            ("governance", false, "moved to governance L9-L11"),
            ("usage-1", false, "moved to usage-1 L21-L23"),
        ],
    );
    check_stale(
        |global| text(global.replace("## Usage\n\none\n\n", "")),
        &[("usage-1", false, "moved to usage L15-L17")],
    );
    check_stale(
        |global| text(global.replace("## Governance", "## Government")),
        &[("governance", true, "gone, near government global usage")],
    );
    check_stale(
        |_| None,
        &[
            ("evidence-requirements", true, "no file"),
            ("governance", true, "no file"),
            ("usage-1", true, "no file"),
        ],
    );
}
