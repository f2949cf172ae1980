//! Whether all layers that a story's risk asks for are covered.

use super::{Findings, Place, refuse, unless_waived, warn};
use crate::classify::{Label as _, Risk};
use crate::plan::filled::Filled;
use crate::plan::types::{Law, Layer, Plan, Story};

const RULE: &str = "layers";

/// Unit tests and a known input through the whole are always needed. Services and deployments may
/// not be there, which has to be said.
fn is_always_needed(layer: Layer) -> bool {
    matches!(layer, Layer::L1 | Layer::L3)
}

/// From which risk on a layer is expected, where it can be left out with a reason.
fn expected_from(layer: Layer) -> Risk {
    match layer {
        Layer::L1 | Layer::L3 => Risk::Low,
        Layer::L2 => Risk::Medium,
        Layer::L4 => Risk::High,
    }
}

pub(super) fn of_story(plan: &Plan, story: &Story, found: &mut Findings<'_>) {
    let place = Place::Prd(story.line.0);
    for (layer, filled) in &story.layers {
        let layer = *layer;
        let subject = format!("{} {layer}", story.id);
        if let Some(flaw) = filled.flaw() {
            let about = unless_waived(story, Law::Layers, RULE, subject);
            let or = if is_always_needed(layer) {
                String::new()
            } else {
                format!(" or '- {layer}: N/A — REASON'")
            };
            let fix = format!("write '- {layer}: …'{or} below 'Verification layers'");
            found.add(about, place, flaw, fix);
        } else if matches!(filled, Filled::NotApplicable(_)) && is_always_needed(layer) {
            let about = unless_waived(story, Law::Layers, RULE, subject);
            let what = format!("{layer} is always required, and it says N/A");
            found.add(about, place, what, "say how it is verified");
        } else if let Filled::NotApplicable(reason) = filled
            && story.risk >= Risk::High
            && story.risk >= expected_from(layer)
        {
            let what =
                format!("the risk is {}, and {layer} is left out: {reason}", story.risk.name());
            found.add(warn(RULE, subject), place, what, "make sure that this is so");
        } else if filled.is_given() {
            covered(plan, story, layer, found);
        }
    }
    if story.risk == Risk::Critical {
        critical(plan, story, found);
    }
}

/// What a story says is verified must be verified by something.
fn covered(plan: &Plan, story: &Story, layer: Layer, found: &mut Findings<'_>) {
    let subject = format!("{} {layer}", story.id);
    let has_rows = plan.spec.mapping.iter().any(|row| row.story == story.id && row.layer == layer);
    let Some(spec) = plan.spec.layer(layer) else { return };
    if let Some(instead @ (Filled::NotApplicable(_) | Filled::Open(_))) = &spec.instead
        && !has_rows
    {
        let what = match instead {
            Filled::NotApplicable(_) => "the story needs it, and the test-spec says N/A",
            _ => "the story needs it, and the test-spec has no command",
        };
        let about = unless_waived(story, Law::Layers, RULE, subject);
        let or = if is_always_needed(layer) { "" } else { ", or say N/A in the story too" };
        let fix = format!("add '- Command: …' below '### {layer}'{or}");
        found.add(about, Place::Spec(spec.line.0), what, fix);
    } else if !has_rows {
        let what = format!("no test of the table proves {} on {layer}", story.id);
        let fix = "add a row to 'Criteria to tests'";
        found.add(warn(RULE, subject), Place::Spec(spec.line.0), what, fix);
    }
}

/// What critical work needs besides: a second opinion, and tests that were tried.
fn critical(plan: &Plan, story: &Story, found: &mut Findings<'_>) {
    let place = Place::Prd(story.line.0);
    if plan.choices.consensus.is_none() {
        let what = "the risk is CRITICAL, and no second Verifier looks at it";
        let fix = "write '- Consensus: yes' below 'Run choices'";
        found.add(refuse("consensus", story.id), place, what, fix);
    }
    if let Some(flaw) = plan.spec.mutation.command.flaw() {
        let what = format!("the risk is CRITICAL, and of the mutation gate {flaw}");
        let fix = "name the command below '## Mutation gate', or 'N/A — REASON'";
        let line = Place::Spec(plan.spec.mutation.line.0);
        found.add(unless_waived(story, Law::Layers, "mutation", story.id), line, what, fix);
    }
}

/// What no story needs must be said as well.
pub(super) fn of_plan(plan: &Plan, found: &mut Findings<'_>) {
    for spec in &plan.spec.layers {
        let is_needed = plan.stories.iter().any(|story| story.needs(spec.layer));
        let flaw = spec.instead.as_ref().and_then(Filled::flaw).filter(|_| !is_needed);
        if let Some(flaw) = flaw {
            let fix = if is_always_needed(spec.layer) {
                format!("add '- Command: …' below '### {}'", spec.layer)
            } else {
                format!("write 'N/A — REASON' below '### {}'", spec.layer)
            };
            found.add(refuse(RULE, spec.layer), Place::Spec(spec.line.0), flaw, fix);
        }
    }
    let needs_ends = plan.stories.iter().any(|story| story.needs(Layer::L3));
    let line = plan.spec.layer(Layer::L3).map_or(1, |spec| spec.line.0);
    for (name, end) in [("happy", &plan.spec.happy), ("error", &plan.spec.error)] {
        if end.is_none() && needs_ends {
            let what = format!("there is no {name} case with input, expected output and command");
            let fix = format!(
                "add '- {0} input: …', '- {0} expected: …' and '- {0} command: …' below '### L3'",
                if name == "happy" { "Happy" } else { "Error" }
            );
            found.add(warn(RULE, Layer::L3), Place::Spec(line), what, fix);
        }
    }
}
