//! Reads a test-spec.

use super::prd::{slug, stray};
use super::section::{Known, Section, command, keyed, shown, split, whole};
use super::{Head, Reader, tables};
use crate::mistake::suggestion;
use crate::plan::filled::Filled;
use crate::plan::id::Line;
use crate::plan::page::{Block, Kind, Page};
use crate::plan::types::{Commands, EndToEnd, Layer, Mutation, SpecLayer, TestSpec, alike};

const SECTIONS: [Known; 6] = [
    Known { name: "Verification commands", aliases: &["Commands"], is_required: true },
    Known { name: "Layers", aliases: &["Verification layers"], is_required: true },
    Known { name: "Mutation gate", aliases: &["Mutation testing"], is_required: false },
    Known {
        name: "Criteria to tests",
        aliases: &["Criteria-to-test mapping", "Criteria to test mapping", "Mapping"],
        is_required: true,
    },
    Known { name: "Impacted tests", aliases: &[], is_required: false },
    Known { name: "Reproducibility", aliases: &["Reproducibility gate"], is_required: false },
];

/// The keys of the end-to-end layer, besides its commands.
const ENDS: [&str; 6] = [
    "Happy input",
    "Happy expected",
    "Happy command",
    "Error input",
    "Error expected",
    "Error command",
];

/// What is read of the layers.
#[derive(Debug, Default)]
struct Layers {
    all: Vec<SpecLayer>,
    happy: Option<EndToEnd>,
    error: Option<EndToEnd>,
}

pub(super) fn read(reader: &mut Reader<'_>, page: &Page, head: Option<&Head>) -> Option<TestSpec> {
    let whole = whole(reader, page, "Test spec")?;
    let own = slug(reader, &whole, "Test spec");
    if let (Some(own), Some(Head(plan))) = (&own, head)
        && *own != plan.slug
    {
        let what = format!("the slug is '{own}', and the PRD's is '{}'", plan.slug);
        reader.wrong((whole.line, "slug"), what, format!("write '# Test spec: {}'", plan.slug));
    }
    stray(reader, &whole);
    let [of_commands, of_layers, mutation, mapping, impacted, reproducibility] =
        whole.known(reader, &SECTIONS);
    let commands = of_commands.map(|section| commands(reader, &section));
    let layers = of_layers.map(|section| layers(reader, &section));
    let mutation = mutation_gate(reader, mutation.as_ref());
    let stories = head.map(|Head(plan)| plan.stories.as_slice());
    let mapping = mapping.map(|section| tables::mapping(reader, &section, stories));
    let impacted =
        impacted.map_or_else(Vec::new, |section| tables::impacted(reader, &section, stories));
    let reproducibility = reproducibility.map_or_else(Vec::new, |section| section.items(reader));
    let layers = layers?;
    Some(TestSpec {
        commands: commands?,
        layers: layers.all,
        happy: layers.happy,
        error: layers.error,
        mutation,
        mapping: mapping?,
        impacted,
        reproducibility: reproducibility.into_iter().map(|(_, text)| text.to_owned()).collect(),
    })
}

fn commands(reader: &mut Reader<'_>, section: &Section<'_>) -> Commands {
    let items = section.items(reader);
    let keys = [("Build", &[][..]), ("Test", &["Tests"][..]), ("Lint", &[][..])];
    let [build, test, lint] = keyed(reader, &items, &keys)
        .map(|found| Filled::read(found.map_or("", |(_, text)| command(text))));
    Commands { build, test, lint }
}

fn layers(reader: &mut Reader<'_>, section: &Section<'_>) -> Layers {
    let mut found = Layers::default();
    for Block { line, .. } in section.opening() {
        reader.wrong((*line, "Layers"), "this belongs to no layer", "begin with '### L1: Unit'");
    }
    let mut read: Vec<SpecLayer> = Vec::new();
    for part in section.inside(reader) {
        let name = part.title.split_once(':').map_or(part.title, |(name, _)| name);
        let Some(layer) = Layer::parse(name) else {
            let what = format!("'{}' is no layer", shown(part.title));
            reader.wrong((part.line, ""), what, suggestion(name, ["L1", "L2", "L3", "L4"]));
            continue;
        };
        if let Some(first) = read.iter().find(|other| other.layer == layer) {
            let what = format!("{layer} is there already, in line {}", first.line.0);
            reader.wrong((part.line, ""), what, "make them one");
            continue;
        }
        read.push(one(reader, layer, &part, &mut found));
    }
    for layer in Layer::ALL {
        let known = read.iter().position(|one| one.layer == *layer).map(|at| read.swap_remove(at));
        found.all.push(known.unwrap_or_else(|| SpecLayer {
            layer: *layer,
            commands: Vec::new(),
            instead: Some(Filled::Open(String::new())),
            line: Line(section.line),
        }));
    }
    found
}

fn one(
    reader: &mut Reader<'_>,
    layer: Layer,
    section: &Section<'_>,
    all: &mut Layers,
) -> SpecLayer {
    section.no_sections(reader);
    let key = layer.name();
    let mut commands: Vec<String> = Vec::new();
    let mut instead: Option<Filled> = None;
    let mut ends: [Option<String>; 6] = Default::default();
    for Block { line, kind } in section.opening() {
        let (Kind::Item { text, .. } | Kind::Text(text)) = kind else {
            reader.wrong((*line, key), "a table doesn't belong here", "write '- Command: …'");
            continue;
        };
        let filled = Filled::read(text);
        if !filled.is_given() && instead.is_none() {
            instead = Some(filled);
            continue;
        }
        let (name, value) = split(text).unwrap_or((text, ""));
        let value = command(value);
        let at =
            ENDS.iter().position(|end| alike(end) == alike(name)).filter(|_| layer == Layer::L3);
        match at {
            _ if !matches!(kind, Kind::Item { .. }) => {
                let what = format!("'{}' is no item of a list", shown(text));
                let fix = match layer {
                    // These can't be left out.
                    Layer::L1 | Layer::L3 => "write '- Command: …'",
                    Layer::L2 | Layer::L4 => "write '- Command: …' or 'N/A — REASON'",
                };
                reader.wrong((*line, key), what, fix);
            }
            Some(at) if ends[at].is_some() => {
                reader.wrong(
                    (*line, key),
                    format!("'{}' is there twice", ENDS[at]),
                    "leave one out",
                );
            }
            Some(at) => ends[at] = Some(value.to_owned()),
            None if !matches!(alike(name).as_str(), "command" | "commands") => {
                let what = format!("there is no '{}' here", shown(name));
                let more = if layer == Layer::L3 { &ENDS[..] } else { &[] };
                let known = ["Command"].into_iter().chain(more.iter().copied());
                reader.wrong((*line, key), what, suggestion(name, known));
            }
            None => match Filled::read(value) {
                Filled::Given(command) => commands.push(command),
                filled => instead = instead.or(Some(filled)),
            },
        }
    }
    let has_ends = layer == Layer::L3 && end_to_end(reader, section.line, ends, all);
    if instead.is_some() && (has_ends || !commands.is_empty()) {
        let what = format!("{layer} has commands, and says that it is open or doesn't apply");
        reader.wrong((section.line, key), what, "leave one of them out");
    }
    let is_open = commands.is_empty() && !has_ends && instead.is_none();
    let instead = if is_open { Some(Filled::Open(String::new())) } else { instead };
    SpecLayer { layer, commands, instead, line: Line(section.line) }
}

/// Takes in the happy and the error case; says whether there is one.
fn end_to_end(
    reader: &mut Reader<'_>,
    line: usize,
    ends: [Option<String>; 6],
    all: &mut Layers,
) -> bool {
    let [happy_in, happy_out, happy, error_in, error_out, error] = ends;
    let mut whole = |of: usize, parts: [Option<String>; 3]| {
        if parts.iter().all(Option::is_none) {
            return None;
        }
        for (at, part) in parts.iter().enumerate() {
            if part.as_ref().is_none_or(String::is_empty) {
                let name = ENDS[of + at];
                reader.wrong(
                    (line, "L3"),
                    format!("'{name}' is missing"),
                    format!("add '- {name}: …'"),
                );
            }
        }
        let [input, expected, command] = parts;
        Some(EndToEnd { input: input?, expected: expected?, command: command? })
    };
    all.happy = whole(0, [happy_in, happy_out, happy]);
    all.error = whole(3, [error_in, error_out, error]);
    all.happy.is_some() || all.error.is_some()
}

fn mutation_gate(reader: &mut Reader<'_>, section: Option<&Section<'_>>) -> Mutation {
    let open = Filled::Open(String::new());
    let mut gate = Mutation { command: open, threshold: Mutation::THRESHOLD, line: Line(1) };
    let Some(section) = section else { return gate };
    section.no_sections(reader);
    gate.line = Line(section.line);
    // It may be nothing but 'N/A — reason'.
    if let [Block { kind: Kind::Item { text, .. } | Kind::Text(text), .. }] = section.opening() {
        let filled = Filled::read(text);
        if !filled.is_given() {
            gate.command = filled;
            return gate;
        }
    }
    let items = section.items(reader);
    let keys = [("Command", &[][..]), ("Threshold", &["Score", "Minimum"][..])];
    let [found, threshold] = keyed(reader, &items, &keys);
    gate.command = Filled::read(found.map_or("", |(_, text)| command(text)));
    if let Some((line, text)) = threshold {
        let digits = text.trim_start_matches(['≥', '>', '=', ' ']).trim_end_matches(['%', ' ']);
        match digits.parse().ok().filter(|number| *number <= 100) {
            Some(number) => gate.threshold = number,
            None => {
                let what = format!("'{}' is no share", shown(text));
                reader.wrong((line, "Threshold"), what, "write it as in '60 %'");
            }
        }
    }
    gate
}
