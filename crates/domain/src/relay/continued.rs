//! Going on from a relay that ended before all of its stories held.

use super::event::{Continued, LandedBefore, StoryTerms};
use super::state::{Relay, Standing};

impl Relay {
    /// What a relay with `stories` takes over from this one. A story stays landed only if it asks for
    /// the very same as then; whatever differs, if only in a word, is done again on top.
    pub fn to_continue(&self, stories: &[StoryTerms]) -> Continued {
        let is_same = |story: &str| {
            let now = stories.iter().find(|terms| terms.id == story);
            now.is_some() && now == self.terms(story)
        };
        let landed = self.stories.iter().filter_map(|(story, standing)| match standing {
            Standing::Landed { run, commit } if is_same(story) => {
                Some(LandedBefore { story: story.clone(), run: *run, commit: commit.clone() })
            }
            _ => None,
        });
        Continued {
            relay: self.id(),
            tip: self.tip.clone(),
            tip_tree: self.tip_tree.clone(),
            landed: landed.collect(),
            findings: self.findings.clone(),
        }
    }

    /// The criteria of all stories, each by the name of its story: what is judged of all together.
    pub fn release_criteria(&self) -> Vec<String> {
        let of = |terms: &StoryTerms| -> Vec<String> {
            // One that is all stories in one names them already.
            let is_whole = self.opened.stories.len() == 1 && terms.id == "ALL";
            let named = |one: &String| {
                if is_whole { one.clone() } else { format!("{} {one}", terms.id) }
            };
            terms.criteria.iter().map(named).collect()
        };
        self.opened.stories.iter().flat_map(of).collect()
    }
}
