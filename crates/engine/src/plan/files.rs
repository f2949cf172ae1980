//! The files of plans: where they lie, how they are read, and how they are written once.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use countersign_domain::Digest;
use countersign_domain::mistake::{Mistake, Place, suggestion, utf8};
use countersign_domain::plan::{self, Names, Plan};
use countersign_domain::secret::Scanner;
use serde::Serialize;
use uuid::Uuid;

use super::PlanFiles;
use crate::Engine;
use crate::error::{Error, Kind, Result};
use crate::regular;

pub(super) const PRD: &str = "prd.md";
pub(super) const SPEC: &str = "test-spec.md";
/// The largest file that is read.
pub(super) const MAX_BYTES: u64 = plan::MAX_BYTES as u64;

/// A plan that was written.
#[derive(Debug, Clone, Serialize)]
pub struct WrittenPlan {
    pub slug: String,
    pub hash: Digest,
    pub prd: String,
    pub spec: String,
}

impl Engine {
    pub(super) fn plan_folder(&self) -> PathBuf {
        self.repository.layout().worktree.join(&self.settings.config.plan.folder)
    }

    /// The names of the folders that have a PRD or a test-spec.
    pub(super) fn plan_names(&self) -> Result<Vec<String>> {
        let folder = self.plan_folder();
        if !folder.is_dir() {
            return Ok(Vec::new());
        }
        let failed = |error: std::io::Error| Error::io("read", &folder, &error);
        let mut names = Vec::new();
        for entry in fs::read_dir(&folder).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let path = entry.path();
            let is_plan = path.join(PRD).is_file() || path.join(SPEC).is_file();
            if let Some(name) = entry.file_name().to_str().filter(|name| !name.starts_with('.'))
                && is_plan
            {
                names.push(name.to_owned());
            }
        }
        names.sort();
        Ok(names)
    }

    /// The folder of the plan that `name` stands for.
    fn place_of(&self, name: &str) -> Result<PathBuf> {
        if name.contains('/') || name == "." || Path::new(name).extension().is_some() {
            let path = self.host.cwd.join(name);
            let folder =
                if path.is_file() { path.parent().map(Path::to_owned) } else { Some(path) };
            return folder.filter(|folder| folder.is_dir()).ok_or_else(|| {
                Error::new(Kind::NotFound, format!("there is no plan at {name}"))
                    .hint("`countersign plan list` lists the plans")
            });
        }
        let names = self.plan_names()?;
        if !names.iter().any(|known| known == name) {
            let folder = self.shown_path(&self.plan_folder());
            let hint = if names.is_empty() {
                "`countersign plan new` makes one".to_owned()
            } else {
                suggestion(name, names.iter().map(String::as_str))
            };
            let message = format!("there is no plan '{name}' in {folder}");
            return Err(Error::new(Kind::NotFound, message).hint(hint));
        }
        Ok(self.plan_folder().join(name))
    }

    pub(super) fn plan_files(
        &self,
        name: &str,
    ) -> Result<std::result::Result<PlanFiles, Vec<Mistake>>> {
        let folder = self.place_of(name)?;
        let (prd_path, spec_path) = (folder.join(PRD), folder.join(SPEC));
        let (prd_name, spec_name) = (self.shown_path(&prd_path), self.shown_path(&spec_path));
        let (prd, spec) = match (self.text(&prd_path)?, self.text(&spec_path)?) {
            (Ok(prd), Ok(spec)) => (prd, spec),
            (prd, spec) => {
                let mistakes = [prd.err(), spec.err()];
                return Ok(Err(mistakes.into_iter().flatten().collect()));
            }
        };
        let names = Names::new(prd_name, spec_name);
        let read = Plan::parse(&prd, &spec, &names).and_then(|plan| {
            let called = folder.canonicalize().ok();
            let called = called.as_deref().and_then(Path::file_name).and_then(|name| name.to_str());
            match called {
                Some(called) if called != plan.slug.as_str() => {
                    let what = format!("the slug is '{}', and the folder '{called}'", plan.slug);
                    let place = (names.prd.as_str(), Place::START);
                    Err(vec![Mistake::new(place, "slug", what, "call both the same")])
                }
                _ => Ok(plan),
            }
        });
        let Names { prd, spec } = names.clone();
        Ok(read.map(|plan| PlanFiles { hash: plan.hash(), plan, prd, spec }))
    }

    /// The text of one file; what is wrong with its bytes is a mistake like any other.
    fn text(&self, path: &Path) -> Result<std::result::Result<String, Mistake>> {
        let shown = self.shown_path(path);
        let wrong =
            |what: &str, fix: &str| Ok(Err(Mistake::new((&shown, Place::START), "", what, fix)));
        if regular::leads_out(&self.repository.layout().worktree, path) {
            return wrong(regular::LEADS_OUT, regular::LEADS_OUT_FIX);
        }
        match fs::metadata(path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return wrong("the file is missing", "a plan has prd.md and test-spec.md");
            }
            Err(error) => return Err(Error::io("read", path, &error)),
            Ok(found) if !found.is_file() => {
                return wrong("it is not a file", "put a Markdown file in its place");
            }
            Ok(found) if found.len() > MAX_BYTES => {
                let what = format!("the file has {} bytes", found.len());
                return wrong(&what, "a plan is for people; make several");
            }
            Ok(_) => {}
        }
        let bytes = crate::context::read_file(path, MAX_BYTES, "file of a plan")?;
        Ok(utf8(&shown, &bytes).map(str::to_owned))
    }

    /// Writes a plan into a folder of its own, whole or not at all, and never over another.
    pub fn write_plan(&self, plan: &Plan) -> Result<WrittenPlan> {
        self.expect_new(&plan.slug)?;
        let plans = self.plan_folder();
        let failed = |what: &'static str, path: &Path| {
            let path = path.to_owned();
            move |error: std::io::Error| Error::io(what, &path, &error)
        };
        fs::create_dir_all(&plans).map_err(failed("create", &plans))?;
        let folder = plans.join(plan.slug.as_str());
        // Beside its place, so that one rename puts both files there at once.
        let aside = plans.join(format!(".{}.{}", plan.slug, Uuid::now_v7()));
        fs::create_dir(&aside).map_err(failed("create", &aside))?;
        let files = [(PRD, plan.render_prd()), (SPEC, plan.render_spec())];
        let put = files.iter().try_for_each(|(name, text)| {
            let path = aside.join(name);
            let mut file = fs::File::create_new(&path).map_err(failed("create", &path))?;
            file.write_all(text.as_bytes())
                .and_then(|()| file.sync_all())
                .map_err(failed("write", &path))
        });
        let put = put.and_then(|()| {
            fs::rename(&aside, &folder).map_err(|error| {
                // Somebody else was faster.
                if folder.symlink_metadata().is_ok() {
                    let message = format!("{} is already there", self.shown_path(&folder));
                    return Error::new(Kind::Refused, message).hint("choose another slug");
                }
                Error::io("write", &folder, &error)
            })
        });
        if let Err(error) = put {
            // What was begun is ours, and of no use.
            let _ = fs::remove_dir_all(&aside);
            return Err(error);
        }
        Ok(WrittenPlan {
            slug: plan.slug.to_string(),
            hash: plan.hash(),
            prd: self.shown_path(&folder.join(PRD)),
            spec: self.shown_path(&folder.join(SPEC)),
        })
    }
}

pub(super) fn unusable(mistakes: &[Mistake]) -> Error {
    let lines: Vec<String> = mistakes.iter().map(ToString::to_string).collect();
    // What is wrong is quoted, and may be a secret at the wrong place.
    let lines = lines.join("\n  ");
    let lines = Scanner::builtin().redact(&lines);
    Error::new(Kind::Refused, format!("the plan can't be used:\n  {lines}"))
        .hint("mend these places; docs/design/plans.md has an example")
}
