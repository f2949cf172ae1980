//! Takes over a test-spec of rlp-desk.

use std::collections::BTreeMap;

use super::prd::key_of;
use super::{Draft, parts, plain};
use crate::plan::code::{spanned, uncode};
use crate::plan::filled::{Filled, is_promise};
use crate::plan::id::{CriterionId, Line, StoryId};
use crate::plan::page::{Block, Kind, Page};
use crate::plan::types::{Category, EndToEnd, Impacted, Layer, Mapped, alike};

/// Tests by story and criterion, from the table that tells where they are.
type Tests = BTreeMap<(StoryId, CriterionId), Vec<String>>;

pub(super) fn read(draft: &mut Draft<'_>, page: &Page) {
    let all = parts(&page.blocks, 2);
    let mut tests = Tests::new();
    for (head, blocks) in &all {
        if head.is_some_and(|(title, _)| alike(title).starts_with("traceabilitymatrix")) {
            tests = traced(draft, blocks);
        }
    }
    for (head, blocks) in all {
        let Some((title, line)) = head else { continue };
        match alike(title).as_str() {
            "verificationcommands" => commands(draft, blocks),
            it if it.starts_with("verificationlayers") => layers(draft, blocks),
            it if it.starts_with("verificationcontext") => context(draft, blocks),
            it if it.starts_with("mutation") => {
                let command = Filled::read(&code(blocks));
                if command.is_given() || matches!(command, Filled::NotApplicable(_)) {
                    draft.plan.spec.mutation.command = command;
                }
            }
            it if it.starts_with("criteria") && it.contains("mapping") => {
                mapping(draft, blocks, std::mem::take(&mut tests));
            }
            it if it.starts_with("reproducibility") => {
                let items = blocks.iter().filter_map(|block| match &block.kind {
                    Kind::Item { text, .. } => Some(plain(text)),
                    _ => None,
                });
                draft.plan.spec.reproducibility = items.filter(|text| !text.is_empty()).collect();
            }
            it if it.starts_with("traceabilitymatrix") => {}
            _ => draft.note(line, format!("the section '{title}' has no place in a test-spec")),
        }
    }
}

/// The commands of code blocks, joined as a shell would run them one after the other.
fn code(blocks: &[Block]) -> String {
    let texts = blocks.iter().filter_map(|block| match &block.kind {
        Kind::Text(text) => Some(text.as_str()),
        _ => None,
    });
    let mut lines: Vec<String> = Vec::new();
    for text in texts {
        let is_fenced = text.starts_with("```") || text.starts_with("~~~");
        let inner = text.lines().map(str::trim).filter(|line| {
            !line.is_empty()
                && !line.starts_with('#')
                && !line.starts_with("```")
                && !line.starts_with("~~~")
        });
        if is_fenced || matches!(Filled::read(text), Filled::NotApplicable(_)) {
            lines.extend(inner.map(str::to_owned));
        }
    }
    lines.join(" && ")
}

fn commands(draft: &mut Draft<'_>, blocks: &[Block]) {
    for (head, blocks) in parts(blocks, 3) {
        let Some((title, line)) = head else { continue };
        let filled = Filled::read(&code(blocks));
        let commands = &mut draft.plan.spec.commands;
        match alike(title).as_str() {
            "build" => commands.build = filled,
            "test" | "tests" => commands.test = filled,
            "lint" => commands.lint = filled,
            _ => draft.note(
                line,
                format!("the command '{title}' is neither build, test nor lint: {filled}"),
            ),
        }
    }
}

fn layers(draft: &mut Draft<'_>, blocks: &[Block]) {
    for (head, blocks) in parts(blocks, 3) {
        let Some((title, line)) = head else { continue };
        let name = title.split(':').next().unwrap_or_default();
        let Some(layer) = Layer::parse(name) else {
            draft.note(line, format!("'{title}' is no layer"));
            continue;
        };
        let has_ends = layer == Layer::L3 && end_to_end(draft, blocks);
        let filled =
            if has_ends { Filled::Open(String::new()) } else { Filled::read(&code(blocks)) };
        let found = draft.plan.spec.layers.iter_mut().find(|one| one.layer == layer);
        let Some(spec) = found else { continue };
        match filled {
            Filled::Given(command) => {
                spec.commands = vec![command];
                spec.instead = None;
            }
            Filled::Open(_) if has_ends => spec.instead = None,
            other => spec.instead = Some(other),
        }
    }
}

/// `Happy path input: …` and the others; whether one is complete.
fn end_to_end(draft: &mut Draft<'_>, blocks: &[Block]) -> bool {
    let mut found: BTreeMap<String, String> = BTreeMap::new();
    let mut last = String::new();
    for Block { kind, .. } in blocks {
        match kind {
            Kind::Item { text, .. } => {
                let text = text.replace("**", "");
                let Some((key, value)) = text.split_once(':') else { continue };
                last = alike(key).replace("path", "").replace("output", "");
                found.insert(last.clone(), uncode(value).to_owned());
            }
            Kind::Text(_) => {
                let command = code(&[Block { line: 1, kind: kind.clone() }]);
                if last.ends_with("command") && !command.is_empty() {
                    found.insert(last.clone(), command);
                }
            }
            Kind::Heading { .. } | Kind::Row(_) => {}
        }
    }
    let end = |name: &str| {
        let part = |what: &str| {
            let text = found.get(&format!("{name}{what}")).map(|text| plain(text))?;
            (!is_promise(&text)).then_some(text)
        };
        let (input, expected, command) = (part("input")?, part("expected")?, part("command")?);
        Some(EndToEnd { input, expected, command })
    };
    draft.plan.spec.happy = end("happy");
    draft.plan.spec.error = end("error");
    draft.plan.spec.happy.is_some() || draft.plan.spec.error.is_some()
}

/// Impacted tests are taken over where they name their story; the rest is for people.
fn context(draft: &mut Draft<'_>, blocks: &[Block]) {
    for (head, blocks) in parts(blocks, 3) {
        let Some((title, line)) = head else { continue };
        if !alike(title).starts_with("impactedtests") {
            draft.note(line, format!("'{title}' has no place in a test-spec"));
            continue;
        }
        for Block { line, kind } in blocks {
            let Kind::Item { text, .. } = kind else { continue };
            let pair = text.split_once(':');
            let story = pair.and_then(|(key, _)| key.trim().parse::<StoryId>().ok());
            match (story.filter(|id| draft.plan.story(*id).is_some()), pair) {
                (Some(story), Some((_, tests))) => {
                    let tests = crate::plan::code::uncodes(tests);
                    let all = &mut draft.plan.spec.impacted;
                    match all.iter_mut().find(|one| one.story == story) {
                        Some(one) => one.tests.extend(tests),
                        None => all.push(Impacted { story, tests }),
                    }
                }
                _ if is_promise(text) || alike(text).starts_with("none") => {}
                _ => draft
                    .note(*line, format!("of an impacted test no story is named: {}", plain(text))),
            }
        }
    }
}

/// The rows of a table, by the names of their columns.
fn rows(blocks: &[Block]) -> Vec<(usize, BTreeMap<String, String>)> {
    let mut rows = blocks.iter().filter_map(|block| match &block.kind {
        Kind::Row(cells) => Some((block.line, cells)),
        _ => None,
    });
    let Some((_, head)) = rows.next() else { return Vec::new() };
    let head: Vec<String> = head.iter().map(|title| alike(title)).collect();
    let is_rule =
        |cells: &[String]| cells.iter().all(|cell| cell.chars().all(|c| "-: ".contains(c)));
    rows.filter(|(_, cells)| !is_rule(cells))
        .map(|(line, cells)| {
            let cells = cells.iter().map(|cell| uncode(cell).to_owned());
            (line, head.iter().cloned().zip(cells).collect())
        })
        .collect()
}

/// The criteria that a row is about: one, or all of `AC1-AC3`.
fn about(draft: &Draft<'_>, row: &BTreeMap<String, String>) -> Vec<(StoryId, CriterionId)> {
    let cell = |name: &str| row.get(name).map(String::as_str);
    let named = match (cell("us"), cell("ac")) {
        (Some(story), Some(label)) => Some((story, label)),
        // `US-001 AC1: calc.py exists`.
        _ => cell("criterion").and_then(|text| text.split(':').next()?.split_once(' ')),
    };
    let Some((story, label)) = named else { return Vec::new() };
    let Ok(story) = story.trim().parse::<StoryId>() else { return Vec::new() };
    let find = |label: &str| draft.labels.get(&(story, key_of(label))).copied();
    let (first, last) = label
        .split_once("-AC")
        .map_or((label, None), |(first, last)| (first, Some(format!("AC{last}"))));
    let Some(first) = find(first) else { return Vec::new() };
    let last = last.as_deref().and_then(find).unwrap_or(first);
    (first.number()..=last.number()).map(|number| (story, CriterionId::new(number))).collect()
}

fn traced(draft: &Draft<'_>, blocks: &[Block]) -> Tests {
    let mut tests = Tests::new();
    for (_, row) in rows(blocks) {
        let test = row.iter().find(|(name, _)| name.starts_with("testfile")).map(|(_, test)| test);
        let Some(test) = test.filter(|test| !is_promise(test)) else { continue };
        for key in about(draft, &row) {
            let known: &mut Vec<String> = tests.entry(key).or_default();
            if !known.contains(test) {
                known.push(test.clone());
            }
        }
    }
    tests
}

fn mapping(draft: &mut Draft<'_>, blocks: &[Block], mut tests: Tests) {
    for (line, row) in rows(blocks) {
        let cell = |name: &str| row.get(name).map(String::as_str).unwrap_or_default();
        let about = about(draft, &row);
        if about.is_empty() {
            draft.note(line, "the row is about no criterion of the PRD, and is left out");
        }
        let (command, rest) = command_of(cell("command"));
        if is_promise(command) {
            draft.note(line, "the row names no command, and is left out");
            continue;
        }
        let expected = [cell("expectedoutput"), cell("expected"), rest, cell("passcriteria")];
        let expected = expected.into_iter().find(|text| !is_promise(text)).unwrap_or("passes");
        for (story, criterion) in about {
            let mapped = Mapped {
                story,
                criterion,
                layer: Layer::parse(cell("layer").split('/').next().unwrap_or_default())
                    .unwrap_or(Layer::L1),
                category: Category::Happy,
                command: command.to_owned(),
                test: "TODO".to_owned(),
                expected: prose(expected),
                line: Line(line),
            };
            let said = format!("{} {}", cell("method"), cell("passcriteria"));
            // Tests that are told elsewhere are run by the first command of their criterion.
            let tests = tests.remove(&(story, criterion)).unwrap_or_default();
            take(draft, &mapped, &said, tests);
        }
    }
    for ((story, criterion), tests) in tests {
        let what =
            format!("{story} {criterion}: no command runs these tests: {}", tests.join("; "));
        draft.note(1, what);
    }
}

/// What is expected, as prose: what rlp-desk's people wrote as code was never compared with anything.
fn prose(text: &str) -> String {
    let text = plain(text);
    match spanned(&text).map(str::trim) {
        Some("") => "passes".to_owned(),
        Some(inner) => inner.replace('`', "'"),
        None => text,
    }
}

/// The command of a cell, and what stands behind it: `` `grep a b` must print 1 ``.
fn command_of(cell: &str) -> (&str, &str) {
    if let Some((command, rest)) = cell.split_once(" → ") {
        return (uncode(command), rest.trim());
    }
    let end = cell.strip_prefix('`').and_then(|rest| rest.find('`'));
    match end {
        Some(end) => (&cell[1..=end], cell[end + 2..].trim()),
        None => (uncode(cell), ""),
    }
}

/// Takes in the tests of a row, or the row itself where it names none.
fn take(draft: &mut Draft<'_>, mapped: &Mapped, said: &str, tests: Vec<String>) {
    let Mapped { story, criterion, line: Line(line), .. } = *mapped;
    let has_some =
        |rows: &[Mapped]| rows.iter().any(|row| (row.story, row.criterion) == (story, criterion));
    if tests.is_empty() && has_some(&draft.plan.spec.mapping) {
        let what = format!(
            "{story} {criterion}: this row names no test, and is left out: {}",
            mapped.command
        );
        draft.note(line, what);
        return;
    }
    if tests.is_empty() {
        draft.note(line, format!("{story} {criterion}: the row names no test; write its id"));
    }
    let tests = if tests.is_empty() { vec![mapped.test.clone()] } else { tests };
    for test in tests {
        let words = format!("{test} {said}").to_lowercase();
        let found = Category::ALL
            .iter()
            .copied()
            .filter_map(|category| words.find(category.name()).map(|at| (at, category)));
        let category = found.min().map(|(_, category)| category);
        if category.is_none() {
            let what = format!(
                "{story} {criterion}: happy, negative or boundary is not said; happy is assumed"
            );
            draft.note(line, what);
        }
        let category = category.unwrap_or(Category::Happy);
        draft.plan.spec.mapping.push(Mapped { category, test, ..mapped.clone() });
    }
}
