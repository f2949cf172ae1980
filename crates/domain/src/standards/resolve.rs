//! From a task and the mapping to citations.

use std::collections::{BTreeMap, BTreeSet};

use super::index::Index;
use super::mapping::{Cite, Mapping};
use super::section::Section;
use super::sentence::shorten;
use super::{Citation, Documents};
use crate::mistake::{Mistake, Place};
use crate::task::Task;
use crate::yaml;

/// The most sections that are cited for one task. Nobody follows more.
pub const MAX_CITATIONS: usize = 500;

/// The documents that are cited for a task: what [`resolve`] wants to have.
pub fn files(task: &Task, mapping: &Mapping) -> BTreeSet<String> {
    wanted(task, mapping).into_iter().map(|want| want.cite.file).collect()
}

/// The citations of a task: what the mapping has for its area and priority, and what the task
/// itself names, whose words win. Each section is there once; the order is that of the files
/// and sections. What is not there is told at the place that names it.
pub fn resolve(
    task: &Task,
    mapping: &Mapping,
    documents: &Documents,
) -> Result<Vec<Citation>, Vec<Mistake>> {
    let mut known: BTreeMap<String, Option<Index>> = BTreeMap::new();
    let mut citations: BTreeMap<(String, String), Citation> = BTreeMap::new();
    let mut mistakes = Vec::new();
    let wanted = wanted(task, mapping);
    if wanted.len() > MAX_CITATIONS {
        let what = format!("{} sections hold for the task, and {MAX_CITATIONS} may", wanted.len());
        let fix = "cite fewer, or larger ones";
        return Err(vec![Mistake::new((&mapping.file, Place::START), "rules", what, fix)]);
    }
    for Want { cite, from, words } in wanted {
        let index = known
            .entry(cite.file.clone())
            .or_insert_with_key(|file| documents.get(file).map(|text| Index::of(text)));
        let found = match index {
            Some(index) => find(index, &cite.section),
            None => Err((
                format!("there is no document '{}'", yaml::shown(&cite.file)),
                "write the path of one, from the root of the repository".to_owned(),
            )),
        };
        match found {
            Err((what, fix)) => {
                mistakes.push(Mistake::new((&from, cite.place), cite.key, what, fix));
            }
            Ok(section) => {
                let key = (cite.file.clone(), section.slug.clone());
                let citation = citations.entry(key).or_insert_with(|| Citation {
                    file: cite.file,
                    section: section.slug.clone(),
                    requirement: section.requirement.clone(),
                    line_span: section.line_span,
                    content_sha: section.content_sha,
                });
                if let Some(words) = words {
                    citation.requirement = words;
                }
            }
        }
    }
    mistakes.sort();
    mistakes.dedup();
    if mistakes.is_empty() { Ok(citations.into_values().collect()) } else { Err(mistakes) }
}

/// A section that is asked for.
struct Want {
    cite: Cite,
    /// The file that asks for it.
    from: String,
    /// The requirement in the task's own words.
    words: Option<String>,
}

/// What the mapping asks for, and then what the task does.
fn wanted(task: &Task, mapping: &Mapping) -> Vec<Want> {
    let cites = mapping.cites(&task.area.value, task.priority).cloned();
    let mut wanted: Vec<Want> =
        cites.map(|cite| Want { cite, from: mapping.file.clone(), words: None }).collect();
    for (at, own) in task.standards.iter().enumerate() {
        let cite = Cite {
            file: own.value.file.clone(),
            section: own.value.section.clone(),
            place: own.place,
            key: format!("standards[{at}]"),
        };
        let words = own.value.requirement.as_deref().map(shorten);
        wanted.push(Want { cite, from: task.file.clone(), words });
    }
    wanted
}

/// The section with a name or a title, or what is wrong and what to do.
fn find<'s>(index: &'s Index, name: &str) -> Result<&'s Section, (String, String)> {
    let name = name.trim().trim_start_matches('#').trim_start();
    if let Some(section) = index.named(name) {
        return Ok(section);
    }
    let titled = index.titled(name);
    match titled[..] {
        [section] => Ok(section),
        [] => {
            let what = format!("there is no section '{}' in the document", yaml::shown(name));
            let near = index.nearest(name).join(", ");
            let fix = if near.is_empty() {
                "give the document a heading".to_owned()
            } else {
                format!("use one of its headings, such as {near}")
            };
            Err((what, fix))
        }
        _ => {
            let what = format!("there are {} sections '{}'", titled.len(), yaml::shown(name));
            let names: Vec<&str> =
                titled.iter().take(5).map(|section| section.slug.as_str()).collect();
            Err((what, format!("say which: {}", names.join(", "))))
        }
    }
}
