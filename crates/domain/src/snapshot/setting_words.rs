//! What became of a setting, in words for people: which one, in which file, what it said before.

use super::drift::SettingDrift;
use super::path_text::PathText;
use super::recorded::Said;

/// So many files are named.
const MOST_NAMED: usize = 5;
/// So many letters of what a setting says are shown.
const MOST_SHOWN: usize = 80;

impl SettingDrift {
    /// What became of it, in one sentence without its full stop.
    pub fn words(&self) -> String {
        let name = self.name.to_string();
        if let Some(key) = name.strip_prefix("config ") {
            return self.config(key);
        }
        if let Some(object) = name.strip_prefix("replaced ") {
            let by = |said: &[Said]| texts(said).unwrap_or_else(|| "another".to_owned());
            return match (self.before, self.after) {
                (_, None) => {
                    format!("git no longer shows {} for the object {object}", by(&self.was))
                }
                (None, _) => {
                    format!("git shows {} for the object {object} (git replace)", by(&self.is))
                }
                _ => format!(
                    "git showed {} for the object {object} and shows {} (git replace)",
                    by(&self.was),
                    by(&self.is)
                ),
            };
        }
        if name == "marks in the index" {
            return self.marks();
        }
        match (self.before, self.after) {
            (None, _) => format!("{} is new{}", self.subject(), says(&self.is)),
            (_, None) => format!("{} is gone", self.subject()),
            _ => format!("{} was changed{}", self.subject(), says(&self.is)),
        }
    }

    /// What it is, with the file that it stands in.
    pub(super) fn subject(&self) -> String {
        let name = self.name.to_string();
        let at = self.is.iter().chain(&self.was).find_map(|said| said.at.as_ref());
        let file = at.map_or_else(|| name.clone(), ToString::to_string);
        if let Some(key) = name.strip_prefix("config ") {
            return match at {
                Some(file) => format!("the setting {key} in {file}"),
                None => format!("the setting {key}"),
            };
        }
        match name.as_str() {
            "marks in the index" => "the marks in git's index".to_owned(),
            "the user's attributes" => format!("the user's file of attributes, {file}"),
            "info/sparse-checkout" => format!("the list of what is checked out, {file}"),
            hook if hook.starts_with("hooks/") => format!("the hook {file}"),
            start if start.starts_with("~/") => {
                format!("{name}, which programs read at their start")
            }
            replaced if replaced.starts_with("replaced ") => format!("the {name}"),
            _ => file,
        }
    }

    fn config(&self, key: &str) -> String {
        let values =
            |said: &[Said]| texts(said).unwrap_or_else(|| "a value that is not shown".to_owned());
        let file = |said: &[Said]| {
            let at = said.iter().rev().find_map(|one| one.at.as_ref());
            at.map_or_else(String::new, |file| format!(" in {file}"))
        };
        match (self.before, self.after) {
            (None, _) => {
                let (value, file) = (values(&self.is), file(&self.is));
                format!("the setting {key} is {value}{file}; it was not set")
            }
            (_, None) => {
                let (value, file) = (values(&self.was), file(&self.was));
                format!("the setting {key} was {value}{file}; it is no longer set")
            }
            _ => format!(
                "the setting {key} was {} and is {}{}",
                values(&self.was),
                values(&self.is),
                file(&self.is)
            ),
        }
    }

    fn marks(&self) -> String {
        let fresh: Vec<&Said> = self.is.iter().filter(|one| !self.was.contains(one)).collect();
        let gone: Vec<&Said> = self.was.iter().filter(|one| !self.is.contains(one)).collect();
        match (marked(&fresh), marked(&gone)) {
            (Some(fresh), None) => format!("git was told not to look at {fresh}"),
            (None, Some(gone)) => format!("git was told to look again at {gone}"),
            (Some(fresh), Some(gone)) => {
                format!("git was told not to look at {fresh}, and to look again at {gone}")
            }
            (None, None) => "git was told not to look at other files than before".to_owned(),
        }
    }
}

/// Files with their marks, the first ones by name.
fn marked(said: &[&Said]) -> Option<String> {
    let name = |one: &&Said| Some(format!("{} ({})", one.at.as_ref()?, one.text.as_ref()?));
    let all: Vec<String> = said.iter().filter_map(name).collect();
    let mut names: Vec<String> = all.iter().take(MOST_NAMED).cloned().collect();
    let left = all.len() - names.len();
    // One without a name stands for all that were not kept.
    if all.len() < said.len() && !names.is_empty() {
        names.push("many more files".to_owned());
    } else if left > 0 {
        names.push(if left == 1 {
            "another file".to_owned()
        } else {
            format!("{left} more files")
        });
    }
    let last = names.pop()?;
    Some(if names.is_empty() { last } else { format!("{} and {last}", names.join(", ")) })
}

/// The values, each in quotes.
fn texts(said: &[Said]) -> Option<String> {
    let texts: Option<Vec<String>> = said.iter().map(|one| one.text.as_ref().map(short)).collect();
    texts.filter(|texts| !texts.is_empty()).map(|texts| texts.join(", "))
}

fn says(said: &[Said]) -> String {
    let text: Option<&PathText> = said.iter().find_map(|one| one.text.as_ref());
    text.map_or_else(String::new, |text| format!("; it says {}", short(text)))
}

/// A value in quotes, cut where it is long.
fn short(text: &PathText) -> String {
    let text = text.to_string();
    let mut letters = text.trim_end_matches("\\n").chars();
    let shown: String = letters.by_ref().take(MOST_SHOWN).collect();
    let more = if letters.next().is_some() { " …" } else { "" };
    format!("'{shown}'{more}")
}
