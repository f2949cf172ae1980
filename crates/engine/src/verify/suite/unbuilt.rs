//! Tests that can't be built with the other side's code, left out so that the others can be run.

use std::collections::BTreeMap;

use countersign_domain::ObjectId;
use countersign_domain::project::Runner;
use countersign_domain::qa::Format;
use countersign_domain::verify::Ground;
use countersign_exec::reports::unbuilt;
use countersign_gaming::{Cut, cut};
use countersign_git::{Edit, Side};

use super::Suite;
use crate::error::Result;

/// So often the compiler is asked for more: it names only some mistakes at a time.
const TRIES: usize = 4;

impl Suite<'_, '_> {
    /// Runs a ground again without the tests that the compiler names, as long as it names some.
    pub(super) fn leave_out(&mut self, ground: Ground) -> Result<()> {
        let format = match self.due.runner {
            Some(Runner::CargoTest) => Format::Cargo,
            Some(Runner::GoTest) => Format::GoJson,
            _ => return Ok(()),
        };
        for _ in 0..TRIES {
            let Some(at) = self.runs.iter().rposition(|ran| ran.ground == ground) else { break };
            let tree = self.runs[at].tree.clone();
            // What was handed over has to be built as it is.
            let is_given = tree == self.work.tree || tree == self.work.terms.base_tree;
            if self.runs[at].ended.passed() || is_given {
                break;
            }
            let Some(blob) = self.outputs.get(&self.runs[at].receipt) else { break };
            let output = self.work.engine.store.blobs().read(blob)?;
            let mut places: BTreeMap<String, Vec<u32>> = BTreeMap::new();
            for place in unbuilt(&output, format) {
                places.entry(self.rooted(&place.path)).or_default().push(place.line);
            }
            let Some(less) = self.without(&tree, &places)? else { break };
            self.run(ground, &less)?;
            self.runs.remove(at);
        }
        Ok(())
    }

    /// A path that was named in the folder of the check.
    fn rooted(&self, path: &str) -> String {
        let folder = &self.due.folder;
        if folder.is_empty() { path.to_owned() } else { format!("{folder}/{path}") }
    }

    /// A tree without tests; nothing if the mistakes lie elsewhere.
    fn without(
        &self,
        tree: &ObjectId,
        places: &BTreeMap<String, Vec<u32>>,
    ) -> Result<Option<ObjectId>> {
        let repository = &self.work.engine.repository;
        let mut edits = Vec::new();
        for file in repository.list(tree)?.iter() {
            let named = file.path.to_str().and_then(|path| Some((path, places.get(path)?)));
            let Some((path, lines)) = named else { continue };
            let source =
                String::from_utf8_lossy(&repository.content(&file.side.object)?).into_owned();
            let to = match cut(path, &source, lines) {
                Cut::Text(text) => {
                    Some(Side { mode: file.side.mode, object: repository.store(text.as_bytes())? })
                }
                Cut::Whole => None,
                Cut::Kept => return Ok(None),
            };
            edits.push(Edit { path: file.path.clone(), to });
        }
        if edits.is_empty() {
            return Ok(None);
        }
        Ok(Some(repository.compose(tree, &edits, &self.work.scratch())?))
    }
}
