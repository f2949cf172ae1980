//! Writes a plan: one way for each, so that what is written can be read, compared and hashed.

mod spec;

pub(super) use spec::table;

use super::code::{code, codes};
use super::filled::Filled;
use super::types::{Choices, Plan, Story};
use crate::agent::AgentSpec;
use crate::canonical;
use crate::classify::Label as _;
use crate::id::Digest;

impl Plan {
    /// The PRD as it is written.
    pub fn render_prd(&self) -> String {
        let mut text =
            format!("# PRD: {}\n\n## Objective\n\n{}\n\n## Stories\n", self.slug, self.objective);
        for story in &self.stories {
            text += "\n";
            text += &render_story(story);
        }
        list(&mut text, "Non-goals", &self.non_goals);
        list(&mut text, "Technical constraints", &self.constraints);
        list(&mut text, "Done when", &self.done_when);
        text += "\n## Run choices\n\n";
        text += &choices(&self.choices);
        text
    }

    /// The test-spec as it is written.
    pub fn render_spec(&self) -> String {
        spec::render(self)
    }

    /// Names this plan: other words, another hash. Blank lines, comments and the order of keys
    /// make no difference.
    pub fn hash(&self) -> Digest {
        canonical::digest(&[self.render_prd(), self.render_spec()])
    }
}

/// A story, from its heading on.
fn render_story(story: &Story) -> String {
    let depends_on: Vec<String> = story.depends_on.iter().map(ToString::to_string).collect();
    let depends_on = if depends_on.is_empty() { "none".to_owned() } else { depends_on.join(", ") };
    let mut text = format!("### {}: {}\n\n", story.id, story.title);
    text += &format!("- Priority: {}\n", story.priority.name());
    text += &format!("- Size: {}\n- Type: {}\n", story.size, story.kind);
    text += &format!("- Risk: {}\n- Depends on: {depends_on}\n", story.risk.name());
    if !story.files.is_empty() {
        text += &format!("- Touches: {}\n", codes(&story.files));
    }
    text += &render_criteria(story);
    part(&mut text, "Negative cases", &story.negatives);
    part(&mut text, "Boundary cases", &story.boundaries);
    let layers = story.layers.iter().map(|(layer, filled)| format!("{layer}: {filled}"));
    part(&mut text, "Verification layers", &layers.collect::<Vec<_>>());
    let waivers = story
        .waivers
        .iter()
        .map(|one| format!("Waived: {} — {} by {}", one.law, one.justification, one.by));
    part(&mut text, "Waivers", &waivers.collect::<Vec<_>>());
    text
}

pub(super) fn render_criteria(story: &Story) -> String {
    let mut text = String::new();
    for one in &story.criteria {
        let (given, when, then) = (&one.given, &one.when, &one.then);
        text += &format!("\n#### {}\n\n- Given {given}\n- When {when}\n- Then {then}\n", one.id);
    }
    text
}

fn part(text: &mut String, title: &str, items: &[String]) {
    section(text, "####", title, items);
}

pub(super) fn list(text: &mut String, title: &str, items: &[String]) {
    section(text, "##", title, items);
}

fn section(text: &mut String, level: &str, title: &str, items: &[String]) {
    if items.is_empty() {
        return;
    }
    text.push_str(&format!("\n{level} {title}\n\n"));
    for item in items {
        // A layer that is still open ends with its colon.
        text.push_str(format!("- {item}").trim_end());
        text.push('\n');
    }
}

fn choices(choices: &Choices) -> String {
    let mut text = format!(
        "- Iteration unit: {}\n- Verify mode: {}\n",
        choices.iteration_unit, choices.verify_mode
    );
    let mut agent = |name: &str, agent: &Option<AgentSpec>| {
        if let Some(agent) = agent {
            text += &format!("- {name}: {}\n", code(&agent.to_string()));
        }
    };
    agent("Worker", &choices.worker);
    agent("Verifier", &choices.verifier);
    agent("Reviewer", &choices.reviewer);
    match &choices.consensus {
        None => text += "- Consensus: none\n",
        Some(consensus) => {
            let verifier = consensus.verifier.as_ref().map(|agent| code(&agent.to_string()));
            let verifier = verifier.unwrap_or_else(|| "yes".to_owned());
            text += &format!("- Consensus: {verifier}\n- Consensus scope: {}\n", consensus.scope);
            if let Some(rounds) = consensus.rounds {
                text += &format!("- Consensus rounds: {rounds}\n");
            }
        }
    }
    text += &format!("- Max iterations: {}\n", choices.max_iterations);
    text +=
        &format!("- Self-verification: {}\n", if choices.self_verification { "yes" } else { "no" });
    text
}

/// A command as it is written.
fn filled_command(filled: &Filled) -> String {
    match filled {
        Filled::Given(command) => code(command),
        other => other.to_string(),
    }
}
