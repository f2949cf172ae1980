//! What a person says about a project goes over what was found.

use std::collections::BTreeMap;

use globset::Glob;

use super::names::SETTINGS;
use super::types::{Activity, Command, Evidence, Part, Project, Stack};
use crate::mistake::suggestion;

/// What a project, or a folder of it, says it has none of.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Without(Vec<(Option<String>, Activity)>);

impl Without {
    /// Whether there is none of `activity` in the whole project.
    pub fn all(&self, activity: Activity) -> bool {
        self.0.iter().any(|(folder, without)| folder.is_none() && *without == activity)
    }

    /// Whether there is none of `activity` for the file `path`.
    pub fn of(&self, activity: Activity, path: &str) -> bool {
        self.0.iter().any(|(folder, without)| {
            let below = |folder: &String| {
                folder.is_empty()
                    || path.strip_prefix(&**folder).is_some_and(|r| r.starts_with('/'))
            };
            *without == activity && folder.as_ref().is_none_or(below)
        })
    }

    /// As they are written.
    pub fn names(&self) -> impl Iterator<Item = String> {
        self.0.iter().map(|(folder, activity)| match folder {
            Some(folder) => format!("{folder}:{activity}"),
            None => activity.to_string(),
        })
    }
}

/// What a person says: commands that override or add, and what is to be left out.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    /// By folder and activity; no folder is the whole project.
    commands: BTreeMap<(Option<String>, Activity), String>,
    without: Without,
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
            let (folder, activity) = placed(key)?;
            if command.trim().is_empty() {
                return Err(format!(
                    "the command for '{key}' is empty; put '{activity}' into project.without if there is none"
                ));
            }
            settings.commands.insert((folder, activity), command.trim().to_owned());
        }
        for name in without {
            settings.without.0.push(placed(name)?);
        }
        for text in ignore {
            let glob = Glob::new(text.trim_end_matches('/'))
                .map_err(|error| format!("'{text}' is no glob: {}", error.kind()))?;
            settings.ignore.push(glob.compile_matcher());
        }
        Ok(settings)
    }

    /// What the project has none of.
    pub fn without(&self) -> &Without {
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
            let Part { folder, tools, .. } = part;
            let inside = format!("{folder}/x");
            tools.retain(|tool| !self.without.of(tool.activity, inside.trim_start_matches('/')));
        }
        project.parts.retain(|part| !part.tools.is_empty());
        super::sort(&mut project.parts);
        project
    }
}

/// An activity, or a folder and an activity: `web:unit`; `.` is the root alone.
fn placed(name: &str) -> Result<(Option<String>, Activity), String> {
    let (folder, activity) = match name.rsplit_once(':') {
        Some((folder, activity)) => (Some(folder.trim_matches('/')), activity),
        None => (None, name),
    };
    let folder = folder.map(|folder| if folder == "." { "" } else { folder }.to_owned());
    Ok((folder, activity_of(activity)?))
}

fn activity_of(name: &str) -> Result<Activity, String> {
    Activity::parse(name).filter(|activity| activity.is_of_project()).ok_or_else(|| {
        let names = Activity::ALL.iter().filter(|one| one.is_of_project()).map(|one| one.name());
        format!("there is no activity '{name}'; {}", suggestion(name, names))
    })
}
