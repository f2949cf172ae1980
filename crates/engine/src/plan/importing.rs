//! Plans of rlp-desk: found in a folder, read, and never changed.

use std::fs;
use std::path::{Path, PathBuf};

use countersign_domain::mistake::utf8;
use countersign_domain::plan::{IterationUnit, Note, Slug, Source, import};
use serde::Serialize;

use super::files::{MAX_BYTES, unusable};
use super::{DraftedPlan, WrittenPlan};
use crate::Engine;
use crate::error::{Error, Kind, Result};

/// What is to be taken over.
#[derive(Debug, Clone)]
pub struct ImportRequest {
    /// The folder of rlp-desk, the folder `plans` in it, or the one around it.
    pub folder: String,
    /// Which plan, where there are several.
    pub slug: Option<String>,
    /// What one worker does in one iteration: nothing in those files says it.
    pub unit: IterationUnit,
    /// Whether to write, or only to look.
    pub write: bool,
}

/// What was taken over.
#[derive(Debug, Clone, Serialize)]
pub struct ImportedPlan {
    #[serde(flatten)]
    pub drafted: DraftedPlan,
    pub notes: Vec<Note>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub written: Option<WrittenPlan>,
}

/// Where plans of rlp-desk lie, below the folder that was named.
const PLACES: [&str; 4] = [".", "plans", ".rlp-desk/plans", ".claude/ralph-desk/plans"];

impl Engine {
    /// Takes a plan over. What is left open in it is to be filled in by hand.
    pub fn import_plan(&self, request: &ImportRequest) -> Result<ImportedPlan> {
        let folder = self.host.cwd.join(&request.folder);
        let found = found(&folder)?;
        let (slug, prd) = chosen(&folder, found, request.slug.as_deref())?;
        let slug: Slug = slug.parse().or_else(|_| renamed(&slug))?;
        let spec = prd.with_file_name(format!("test-spec-{}.md", stem(&prd).unwrap_or_default()));
        let prd_text = self.foreign(&prd)?;
        let spec_text = if spec.exists() { Some(self.foreign(&spec)?) } else { None };
        let (prd_name, spec_name) = (self.shown_path(&prd), self.shown_path(&spec));
        let source = Source {
            slug: &slug,
            prd: (&prd_name, &prd_text),
            spec: spec_text.as_deref().map(|text| (spec_name.as_str(), text)),
            unit: request.unit,
        };
        let imported = import(&source).map_err(|mistakes| unusable(&mistakes))?;
        self.expect_new(&slug)?;
        let drafted = self.drafted(imported.plan);
        let written = if request.write { Some(self.write_plan(&drafted.plan)?) } else { None };
        Ok(ImportedPlan { drafted, notes: imported.notes, written })
    }

    fn foreign(&self, path: &Path) -> Result<String> {
        let bytes = crate::context::read_file(path, MAX_BYTES, "file of a plan")?;
        let text = utf8(&self.shown_path(path), &bytes)
            .map_err(|mistake| Error::new(Kind::Refused, mistake.to_string()))?;
        Ok(text.to_owned())
    }
}

/// The slug in the name of a PRD of rlp-desk. Files of single stories have one behind it.
fn stem(path: &Path) -> Option<String> {
    let name = path.file_name()?.to_str()?;
    let stem = name.strip_prefix("prd-")?.strip_suffix(".md")?;
    let is_part = stem
        .rsplit_once("-US-")
        .is_some_and(|(_, number)| number.bytes().all(|b| b.is_ascii_digit()));
    (!is_part).then(|| stem.to_owned())
}

/// All PRDs of rlp-desk at the usual places, by slug.
fn found(folder: &Path) -> Result<Vec<(String, PathBuf)>> {
    if !folder.is_dir() {
        return Err(Error::new(Kind::NotFound, format!("{} is not a folder", folder.display())));
    }
    let mut found: Vec<(String, PathBuf)> = Vec::new();
    for place in PLACES {
        let place = folder.join(place);
        let Ok(entries) = fs::read_dir(&place) else { continue };
        for entry in entries.filter_map(std::result::Result::ok) {
            let path = entry.path();
            if let Some(slug) = stem(&path)
                && path.is_file()
            {
                found.push((slug, path));
            }
        }
    }
    found.sort();
    found.dedup_by(|a, b| a.0 == b.0);
    Ok(found)
}

fn chosen(
    folder: &Path,
    found: Vec<(String, PathBuf)>,
    slug: Option<&str>,
) -> Result<(String, PathBuf)> {
    let names: Vec<String> = found.iter().map(|(slug, _)| slug.clone()).collect();
    let mut fitting: Vec<(String, PathBuf)> =
        found.into_iter().filter(|(name, _)| slug.is_none_or(|slug| slug == name)).collect();
    match (fitting.len(), slug) {
        (1, _) => Ok(fitting.remove(0)),
        (0, Some(slug)) if !names.is_empty() => {
            let message = format!("there is no prd-{slug}.md in {}", folder.display());
            Err(Error::new(Kind::NotFound, message).hint(format!("there is: {}", names.join(", "))))
        }
        (0, _) => {
            let message = format!("there is no plan of rlp-desk in {}", folder.display());
            Err(Error::new(Kind::NotFound, message)
                .hint("it is a file prd-SLUG.md in .rlp-desk/plans or .claude/ralph-desk/plans"))
        }
        _ => Err(Error::new(Kind::Usage, "there are several plans")
            .hint(format!("choose one with --slug: {}", names.join(", ")))),
    }
}

/// A slug that is none here, made one.
fn renamed(slug: &str) -> Result<Slug> {
    Slug::suggest(slug).ok_or_else(|| {
        Error::new(Kind::Refused, format!("'{slug}' can't be the slug of a plan"))
            .hint("rename the file: small letters, digits and '-'")
    })
}
