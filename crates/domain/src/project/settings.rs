//! What a person says about a project goes over what was found.

use std::collections::BTreeMap;

use globset::Glob;

use super::names::SETTINGS;
use super::types::{Activity, Command, Evidence, Part, Project, Stack};
use crate::mistake::suggestion;

/// What a person says: commands that override or add, and what is to be left out.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    /// By folder and activity; no folder is the whole project.
    commands: BTreeMap<(Option<String>, Activity), String>,
    /// Activities that the project has none of.
    without: Vec<Activity>,
    /// Folders that are not looked at, as globs.
    ignore: Vec<globset::GlobMatcher>,
}

impl Settings {
    /// Reads the settings as a person writes them; `Err` says what is wrong.
    pub fn read(
        commands: &BTreeMap<String, String>,
        without: &[String],
        ignore: &[String],
    ) -> Result<Self, String> {
        let mut settings = Self::default();
        for (key, command) in commands {
            let (folder, activity) = match key.rsplit_once(':') {
                Some((folder, activity)) => (Some(folder.trim_matches('/')), activity),
                None => (None, key.as_str()),
            };
            let activity = activity_of(activity)?;
            if command.trim().is_empty() {
                return Err(format!(
                    "the command for '{key}' is empty; put '{activity}' into project.without if there is none"
                ));
            }
            // `.` is the root alone.
            let folder = folder.map(|folder| if folder == "." { "" } else { folder }.to_owned());
            settings.commands.insert((folder, activity), command.trim().to_owned());
        }
        for name in without {
            settings.without.push(activity_of(name)?);
        }
        for text in ignore {
            let glob = Glob::new(text.trim_end_matches('/'))
                .map_err(|error| format!("'{text}' is no glob: {}", error.kind()))?;
            settings.ignore.push(glob.compile_matcher());
        }
        Ok(settings)
    }

    /// Activities that the project has none of.
    pub fn without(&self) -> &[Activity] {
        &self.without
    }

    /// The project as a person says it is; `file` is where they say it.
    pub fn apply(&self, mut project: Project, file: &str) -> Project {
        let ignored = |part: &Part| self.ignore.iter().any(|glob| glob.is_match(&part.folder));
        project.parts.retain(|part| !ignored(part));
        for ((folder, activity), command) in &self.commands {
            for part in &mut project.parts {
                if folder.as_ref().is_none_or(|folder| part.folder == *folder) {
                    part.tools.retain(|tool| tool.activity != *activity);
                }
            }
            let folder = folder.as_deref().unwrap_or_default();
            let at =
                project.parts.iter().position(|p| p.folder == folder && p.stack == Stack::Tasks);
            let at = at.unwrap_or_else(|| {
                project.parts.push(Part::new(folder, Stack::Tasks));
                project.parts.len() - 1
            });
            let why = Evidence::new(file, 0, format!("project.commands says: {command}"));
            let part = &mut project.parts[at];
            part.add_command(*activity, SETTINGS, Command::of_shell(command), why);
        }
        for part in &mut project.parts {
            part.tools.retain(|tool| !self.without.contains(&tool.activity));
        }
        project.parts.retain(|part| !part.tools.is_empty());
        super::sort(&mut project.parts);
        project
    }
}

fn activity_of(name: &str) -> Result<Activity, String> {
    Activity::parse(name).filter(|activity| activity.is_run()).ok_or_else(|| {
        let names = Activity::ALL.iter().filter(|one| one.is_run()).map(|one| one.name());
        format!("there is no activity '{name}'; {}", suggestion(name, names))
    })
}
