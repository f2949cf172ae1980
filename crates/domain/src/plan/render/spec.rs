//! Writes a test-spec.

use super::{filled_command, list};
use crate::plan::code::{cell, code, codes};
use crate::plan::filled::Filled;
use crate::plan::types::{EndToEnd, Mapped, Plan, SpecLayer};

/// Columns of a table that are wider than this are not padded to the same width.
const MAX_PADDED: usize = 40;

pub(super) fn render(plan: &Plan) -> String {
    let spec = &plan.spec;
    let mut text = format!("# Test spec: {}\n", plan.slug);
    let commands = [
        format!("Build: {}", filled_command(&spec.commands.build)),
        format!("Test: {}", filled_command(&spec.commands.test)),
        format!("Lint: {}", filled_command(&spec.commands.lint)),
    ];
    list(&mut text, "Verification commands", &commands);
    text += "\n## Layers\n";
    for layer in &spec.layers {
        text += &render_layer(plan, layer);
    }
    text += "\n## Mutation gate\n";
    text += &match &spec.mutation.command {
        command if command.is_given() => {
            let threshold = spec.mutation.threshold;
            format!("\n- Command: {}\n- Threshold: {threshold} %\n", filled_command(command))
        }
        Filled::Open(text) if text.is_empty() => String::new(),
        open => format!("\n{open}\n"),
    };
    text += "\n## Criteria to tests\n\n";
    text += &table(&spec.mapping);
    let impacted = spec.impacted.iter().map(|one| {
        let tests = if one.tests.is_empty() { "none".to_owned() } else { codes(&one.tests) };
        format!("{}: {tests}", one.story)
    });
    list(&mut text, "Impacted tests", &impacted.collect::<Vec<_>>());
    list(&mut text, "Reproducibility", &spec.reproducibility);
    text
}

fn render_layer(plan: &Plan, layer: &SpecLayer) -> String {
    let mut text = format!("\n### {}: {}\n", layer.layer, layer.layer.title());
    if let Some(instead) = &layer.instead {
        let instead = instead.to_string();
        return if instead.is_empty() { text } else { text + &format!("\n{instead}\n") };
    }
    text += "\n";
    for command in &layer.commands {
        text += &format!("- Command: {}\n", code(command));
    }
    if layer.layer == crate::plan::types::Layer::L3 {
        text += &end_to_end("Happy", plan.spec.happy.as_ref());
        text += &end_to_end("Error", plan.spec.error.as_ref());
    }
    text
}

fn end_to_end(name: &str, end: Option<&EndToEnd>) -> String {
    let Some(EndToEnd { input, expected, command }) = end else { return String::new() };
    format!(
        "- {name} input: {}\n- {name} expected: {}\n- {name} command: {}\n",
        code(input),
        code(expected),
        code(command)
    )
}

/// The table of criteria and their tests, with columns of one width where they are narrow.
pub(in crate::plan) fn table(mapping: &[Mapped]) -> String {
    let head = ["US", "AC", "Layer", "Category", "Command", "Test", "Expected"];
    let mut rows: Vec<[String; 7]> = vec![head.map(str::to_owned)];
    rows.extend(mapping.iter().map(|one| {
        [
            one.story.to_string(),
            one.criterion.to_string(),
            one.layer.to_string(),
            one.category.to_string(),
            code(&one.command),
            code(&one.test),
            one.expected.clone(),
        ]
        .map(|text| cell(&text))
    }));
    let width = |column: usize| {
        let widths = rows.iter().map(|row| row[column].chars().count());
        let fitting = widths.filter(|width| *width <= MAX_PADDED);
        fitting.max().unwrap_or(3).max(3)
    };
    let widths: Vec<usize> = (0..7).map(width).collect();
    let mut text = String::new();
    for (at, row) in rows.iter().enumerate() {
        let cells = row.iter().zip(&widths).map(|(cell, width)| format!(" {cell:<width$} |"));
        text += &format!("|{}\n", cells.collect::<String>());
        if at == 0 {
            let rules = widths.iter().map(|width| format!("{}|", "-".repeat(width + 2)));
            text += &format!("|{}\n", rules.collect::<String>());
        }
    }
    text
}
