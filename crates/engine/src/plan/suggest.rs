//! What an interview can suggest: the commands of the project, the risk of a story.

use countersign_domain::classify::{Overrides, Risk};
use countersign_domain::project::Activity;

use crate::classify::Classifier;
use crate::error::Result;
use crate::{Engine, project};

/// Commands that the project's own files name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Suggestions {
    pub build: Option<String>,
    pub test: Option<String>,
    pub lint: Option<String>,
    pub end_to_end: Option<String>,
}

impl Engine {
    /// What the project's files suggest; nothing where they say nothing.
    pub fn plan_suggestions(&self) -> Suggestions {
        let Ok(view) = project::show(&self.host) else { return Suggestions::default() };
        let command = |activity: Activity| {
            let mut parts = view.project.parts.iter();
            let tool = parts.find_map(|part| part.tool(activity))?;
            Some(match tool.folder.as_str() {
                "" => tool.command.shell.clone(),
                folder => format!("cd {folder} && {}", tool.command.shell),
            })
        };
        Suggestions {
            build: command(Activity::Build).or_else(|| command(Activity::Typecheck)),
            test: command(Activity::Unit),
            lint: command(Activity::Lint),
            end_to_end: command(Activity::E2e),
        }
    }
}

/// The risk that the words of a story suggest.
pub fn suggested_risk(engine: &Engine, words: &str) -> Result<Risk> {
    let classifier = Classifier::with(&engine.settings.config.classify)?;
    Ok(classifier.classify(words, &Overrides::default()).risk.value)
}
