//! Canaries beside the tests of a suite: where they go, on which trees they are run, and which of an
//! earlier verification stand for them.

use countersign_domain::ObjectId;
use countersign_domain::qa::{Outcome, Report};
use countersign_domain::verify::{Ground, Planted, PlantedOn};
use countersign_exec::runners::{Drawn, canary, start};
use countersign_gaming::{Role, role};
use countersign_git::{Edit, Side};

use super::super::place::{Job, Place, read_report};
use super::super::reuse;
use super::Suite;
use crate::error::Result;

impl Suite<'_, '_> {
    /// Plants two tests beside the others, where that is known to work.
    pub(super) fn plant(&mut self) -> Result<()> {
        let Some(runner) = self.due.runner else { return Ok(()) };
        if !self.runs.iter().any(|ran| ran.report.totals.passed > 0) || self.is_planted_before()? {
            return Ok(());
        }
        let listed = self.work.engine.repository.list(&self.work.tree)?;
        let within = |path: &str| {
            self.due.folder.is_empty() || path.starts_with(&format!("{}/", self.due.folder))
        };
        let files: Vec<(&str, &ObjectId)> = listed
            .iter()
            .filter_map(|one| Some((one.path.to_str()?, &one.side.object)))
            .filter(|(path, _)| within(path))
            .collect();
        let mut beside: Vec<&str> = files
            .iter()
            .map(|(path, _)| *path)
            .filter(|path| role(path) == Role::Test && is_code(path))
            .collect();
        if beside.is_empty() {
            // Tests of Rust may lie in the code itself.
            beside = files
                .iter()
                .map(|(path, _)| *path)
                .filter(|path| path.ends_with("src/lib.rs") || path.ends_with("src/main.rs"))
                .collect();
        }
        let work = &*self.work;
        let read = |path: &str| {
            let (_, object) = files.iter().find(|(known, _)| *known == path)?;
            String::from_utf8(work.content(object).ok()?).ok()
        };
        let ids = self.runs.iter().flat_map(|ran| &ran.report.cases).map(|case| case.id.as_str());
        let known: Vec<&str> = ids.chain(beside.iter().copied()).collect();
        let drawn = Drawn::draw(&known, uuid::Uuid::new_v4().as_u128());
        let Some(canary) = canary(runner, &beside, &drawn, &read) else { return Ok(()) };
        let mut edits = Vec::new();
        for (path, text) in &canary.files {
            let object = self.work.engine.repository.store(text.as_bytes())?;
            edits.push(Edit { path: path.into(), to: Some(Side { mode: 0o100_644, object }) });
        }
        let names = Planted { fails: canary.fails, passes: canary.passes };
        self.planted = Some(names.clone());
        self.run_planted(Ground::Planted, (&names, &edits))?;
        let seen = self.runs.last().is_some_and(|ran| sees(&ran.report, &names));
        if !seen {
            self.run_planted(Ground::PlantedBase, (&names, &edits))?;
        }
        Ok(())
    }

    fn onto(&self, ground: Ground) -> &ObjectId {
        if ground == Ground::Planted { &self.work.tree } else { &self.work.terms.base_tree }
    }

    fn run_planted(&mut self, ground: Ground, (names, edits): (&Planted, &[Edit])) -> Result<()> {
        let onto = self.onto(ground).clone();
        let scratch = self.work.scratch();
        let tree = self.work.engine.repository.compose(&onto, edits, &scratch)?;
        let reports = Place::of(self.work).reports;
        let begun = start(self.due.runner, self.command_on(&onto)?, &reports);
        let folder = self.due.folder.clone();
        let job = self.job(ground, &tree, (&begun, &folder));
        let planted = PlantedOn { names: names.clone(), tree: onto };
        self.execute(ground, &tree, (&job, Some(planted)))
    }

    /// Takes the receipts of tests that were planted into the same trees before. The names of those
    /// tests are known by now, but the tree that was handed over is older than they are.
    fn is_planted_before(&mut self) -> Result<bool> {
        let reports = Place::of(self.work).reports;
        let folder = self.due.folder.clone();
        let mut all = Vec::new();
        for ground in [Ground::Planted, Ground::PlantedBase] {
            let onto = self.onto(ground).clone();
            let begun = start(self.due.runner, self.command_on(&onto)?, &reports);
            let job = Job { attempt: 1, ..self.job(ground, &onto, (&begun, &folder)) };
            let found = reuse::find(self.work, &job, (&onto, true))?;
            let Some((found, on)) = found.and_then(|found| {
                let on = found.planted.clone()?;
                Some((found, on))
            }) else {
                return Ok(false);
            };
            let report = read_report(self.work, &begun, &found.receipt)?;
            let is_first = all.is_empty();
            let is_same =
                all.first().is_none_or(|(_, _, _, first): &(_, _, _, Planted)| *first == on.names);
            let is_seen = is_first && sees(&report, &on.names);
            all.push((ground, begun, found, on.names));
            if !is_same {
                return Ok(false);
            }
            if is_seen {
                break;
            }
        }
        for (ground, begun, found, names) in all {
            self.planted = Some(names);
            self.take(ground, &begun, found)?;
        }
        Ok(true)
    }
}

/// Whether a planted test was run.
fn sees(report: &Report, names: &Planted) -> bool {
    let is_it = |id: &str| id.contains(&names.fails);
    report.cases.iter().any(|case| is_it(&case.id) && case.outcome != Outcome::Skipped)
}

fn is_code(path: &str) -> bool {
    [".py", ".rs", ".go", ".js", ".mjs", ".cjs", ".ts", ".mts", ".cts", ".jsx", ".tsx"]
        .iter()
        .any(|end| path.ends_with(end))
}
