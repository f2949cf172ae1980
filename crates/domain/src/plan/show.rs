//! What one worker sees of a plan: its own story, and nothing of the others.

use super::code::code;
use super::id::StoryId;
use super::render::{list, render_criteria, table};
use super::types::{Mapped, Plan};
use crate::classify::Label as _;

/// What stands below the table where commands must print something.
const PRINTED: &str = "\nWhat is expected in `code` is all that the row's command must print on its standard \
    output, white space around\nit aside, and is compared when the work is checked. What is expected in prose \
    is for who judges the work.\n";

impl Plan {
    /// The text for the worker of one story; empty if there is no such story. A worker that sees
    /// other stories works on them.
    pub fn render_story(&self, story: StoryId) -> String {
        let Some(story) = self.story(story) else { return String::new() };
        let mut text = format!("# {}: {}\n\n", story.id, story.title);
        text += &format!("Part of: {}\n\n", self.slug);
        text += &format!(
            "- Size: {}\n- Type: {}\n- Risk: {}\n",
            story.size,
            story.kind,
            story.risk.name()
        );
        if !story.files.is_empty() {
            text += &format!("- Touches: {}\n", super::code::codes(&story.files));
        }
        text += "\n## Acceptance criteria\n";
        text += &render_criteria(story);
        list(&mut text, "Must not happen", &story.negatives);
        list(&mut text, "At the limits", &story.boundaries);
        let layers = story
            .layers
            .iter()
            .map(|(layer, filled)| format!("{layer} ({}): {filled}", layer.title().to_lowercase()));
        list(&mut text, "Verification layers", &layers.collect::<Vec<_>>());
        let own = self.spec.mapping.iter().filter(|mapped| mapped.story == story.id);
        let own: Vec<Mapped> = own.cloned().collect();
        if !own.is_empty() {
            text += "\n## Tests that must exist, run and pass\n\n";
            text += &table(&own);
            if own.iter().any(|mapped| mapped.printed().is_some()) {
                text += PRINTED;
            }
        }
        let commands = &self.spec.commands;
        let project =
            [("Build", &commands.build), ("Test", &commands.test), ("Lint", &commands.lint)];
        let project = project.into_iter().filter_map(|(name, filled)| {
            filled.given().map(|command| format!("{name}: {}", code(command)))
        });
        list(&mut text, "Commands of the project", &project.collect::<Vec<_>>());
        let impacted = self.impacted(story.id).iter().map(|test| code(test));
        list(
            &mut text,
            "Tests that may break: run them before and after",
            &impacted.collect::<Vec<_>>(),
        );
        list(&mut text, "Not wanted", &self.non_goals);
        list(&mut text, "Technical constraints", &self.constraints);
        text
    }
}
