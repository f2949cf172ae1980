//! In which order stories can be done.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use super::id::StoryId;
use super::types::{Plan, Story};

/// Stories that wait for each other; the first is the last again.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct Cycle(pub Vec<StoryId>);

impl fmt::Display for Cycle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, id) in self.0.iter().enumerate() {
            write!(f, "{}{id}", if at == 0 { "" } else { " → " })?;
        }
        Ok(())
    }
}

impl Plan {
    /// The stories, each after those that it depends on; otherwise the most urgent first, and then
    /// as they are written.
    pub fn order(&self) -> Result<Vec<StoryId>, Cycle> {
        order(&self.stories)
    }
}

pub(super) fn order(stories: &[Story]) -> Result<Vec<StoryId>, Cycle> {
    let known: BTreeSet<StoryId> = stories.iter().map(|story| story.id).collect();
    let mut done: BTreeSet<StoryId> = BTreeSet::new();
    let mut ordered = Vec::with_capacity(stories.len());
    // What is not in the plan is nothing to wait for.
    let waits = |story: &Story, done: &BTreeSet<StoryId>| {
        story.depends_on.iter().any(|id| known.contains(id) && !done.contains(id))
    };
    while done.len() < known.len() {
        let ready =
            stories.iter().filter(|story| !done.contains(&story.id) && !waits(story, &done));
        let Some(next) = ready.min_by_key(|story| story.priority) else {
            return Err(cycle(stories, &done));
        };
        done.insert(next.id);
        ordered.push(next.id);
    }
    Ok(ordered)
}

/// One way round among the stories that are never ready.
fn cycle(stories: &[Story], done: &BTreeSet<StoryId>) -> Cycle {
    let open: BTreeMap<StoryId, &Story> = stories
        .iter()
        .filter(|story| !done.contains(&story.id))
        .map(|story| (story.id, story))
        .collect();
    let mut way: Vec<StoryId> = open.keys().next().copied().into_iter().collect();
    while let Some(story) = way.last().and_then(|id| open.get(id)) {
        // Each of them waits for another of them, or it would be ready.
        let Some(next) = story.depends_on.iter().find(|id| open.contains_key(id)) else { break };
        if let Some(start) = way.iter().position(|id| id == next) {
            way.drain(..start);
            way.push(*next);
            break;
        }
        way.push(*next);
    }
    Cycle(way)
}
