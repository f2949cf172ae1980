//! What a person says about a project goes over what was found.

use std::collections::BTreeMap;

use globset::Glob;

use super::names::SETTINGS;
use super::types::{Activity, Command, Evidence, Part, Project, Stack};
use crate::mistake::{Place, Warning, suggestion};

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
            let glob = Glob::new(folder_of(text))
                .map_err(|error| format!("'{text}' is no glob: {}", error.kind()))?;
            settings.ignore.push(glob.compile_matcher());
        }
        Ok(settings)
    }

    /// What the project has none of.
    pub fn without(&self) -> &Without {
        &self.without
    }

    /// Whether anything is said of single folders.
    pub fn names_folders(&self) -> bool {
        let mut places = self.commands.keys().chain(&self.without.0);
        places.any(|(folder, _)| folder.as_ref().is_some_and(|folder| !folder.is_empty()))
    }

    /// The first folder that is named and has no file, and the setting that names it.
    pub fn unknown_folder<'p>(
        &self,
        paths: impl IntoIterator<Item = &'p str>,
    ) -> Option<(String, String)> {
        let commands = self.commands.keys().map(|place| ("project.commands", place));
        let without = self.without.0.iter().map(|place| ("project.without", place));
        let mut named: Vec<(&str, &str, Activity)> = commands
            .chain(without)
            .filter_map(|(key, (folder, activity))| Some((key, folder.as_deref()?, *activity)))
            .filter(|(_, folder, _)| !folder.is_empty())
            .collect();
        if named.is_empty() {
            return None;
        }
        let mut folders = std::collections::BTreeSet::new();
        for path in paths {
            folders.extend(super::files::upwards(super::files::split(path).0));
        }
        named.retain(|(_, folder, _)| !folders.contains(folder));
        let (key, folder, activity) = named.first()?;
        let known = folders.iter().copied().filter(|known| !known.is_empty());
        let near = suggestion(folder, known);
        let near = Some(near).filter(|near| near.starts_with("did you mean"));
        let near = near.map(|near| format!("; {near}")).unwrap_or_default();
        let what = format!("there is no folder '{folder}'{near}");
        let key = match *key {
            "project.commands" => format!("{key}.{folder}:{activity}"),
            key => key.to_owned(),
        };
        Some((key, what))
    }

    /// The project as a person says it is; `file` is where they say it.
    pub fn apply(&self, mut project: Project, file: &str) -> Project {
        project.parts.retain(|part| !self.ignores(&part.folder));
        project.findings.retain(|finding| !self.ignores(super::files::split(&finding.file).0));
        project.findings.extend(self.covered(&project, file));
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

impl Settings {
    /// Whether a folder is left out, by itself or with one that it lies in.
    fn ignores(&self, folder: &str) -> bool {
        let mut above = super::files::upwards(folder);
        above.any(|folder| self.ignore.iter().any(|glob| glob.is_match(folder)))
    }

    /// What commands for the whole project keep from being run in its folders: that is easily meant
    /// for the root alone.
    fn covered(&self, project: &Project, file: &str) -> Vec<Warning> {
        let wide = self.commands.keys().filter(|(folder, _)| folder.is_none());
        let told = wide.filter_map(|(_, activity)| {
            let has_own =
                |part: &Part| self.commands.contains_key(&(Some(part.folder.clone()), *activity));
            let parts = project.parts.iter().filter(|part| !part.folder.is_empty());
            let lost = parts.filter(|part| part.root.is_none() && !has_own(part));
            let lost = lost.filter_map(|part| Some((&part.folder, part.tool(*activity)?)));
            let lost = lost.map(|(folder, tool)| format!("`{}` of {folder}", tool.command.shell));
            let lost: Vec<String> = lost.collect();
            let what =
                format!("it stands for the whole project, so it replaces {}", lost.join(", "));
            let fix = format!("write \".:{activity}\" if it is meant for the root alone");
            let key = format!("project.commands.{activity}");
            (!lost.is_empty()).then(|| Warning::new((file, Place::START), key, what, fix))
        });
        told.collect()
    }
}

/// The folder that a glob is about: `examples/**` is `examples` with all that is in it.
fn folder_of(glob: &str) -> &str {
    let glob = glob.trim_start_matches("./").trim_end_matches('/');
    glob.strip_suffix("/**").unwrap_or(glob)
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
