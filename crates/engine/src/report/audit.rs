//! LP-21: the audit trail of every iteration as files, for who wants to read or keep it apart from the
//! ledger. The folder is made whole beside its place and put there in one step.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use countersign_domain::report::{Changed, ChangedFile, Iteration, Source, Trail, result};
use countersign_domain::run::Said;
use countersign_domain::secret::Scanner;
use countersign_domain::{Digest, ObjectId};
use countersign_git::Status as Differs;
use serde::Serialize;
use serde_json::{Value, json};

use crate::Engine;
use crate::error::{Error, Kind, Result};
use crate::relay::Undertaking;

/// The most files that a result lists.
const MOST_LISTED: usize = 200;

/// What was written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Audited {
    pub folder: PathBuf,
    pub iterations: u64,
    pub files: u64,
}

impl Engine {
    /// Writes the audit trail of a run or a relay to `folder`, which must be new or empty.
    pub fn write_audit(&self, it: Undertaking, folder: &Path) -> Result<Audited> {
        let source = self.source_of(it)?;
        let status = Scanner::builtin().redact_json(&serde_json::to_value(self.standing(it)?)?);
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let parent = match folder.parent() {
            Some(parent) if parent != Path::new("") => parent,
            _ => Path::new("."),
        };
        let beside = parent.join(format!(".{name}.part-{}", std::process::id()));
        // One of ours that was killed may have left it.
        let _ = fs::remove_dir_all(&beside);
        let written = self.write_all(&source, &status, &beside);
        let placed = written.and_then(|files| {
            // Renaming replaces an empty folder, and never one that holds something.
            fs::rename(&beside, folder).map_err(|error| refused(folder, &error))?;
            Ok(files)
        });
        if placed.is_err() {
            let _ = fs::remove_dir_all(&beside);
        }
        let iterations = source.runs.iter().map(|trail| trail.iterations.len() as u64).sum();
        Ok(Audited { folder: folder.to_owned(), iterations, files: placed? })
    }

    fn write_all(&self, source: &Source, status: &Value, into: &Path) -> Result<u64> {
        let mut files = Files { folder: into.to_owned(), count: 0 };
        files.make()?;
        files.json("status.json", status)?;
        for trail in &source.runs {
            let folder = match source.relay {
                Some(_) => into.join(safe(&trail.leg())),
                None => into.to_owned(),
            };
            files.folder = folder;
            files.make()?;
            for iteration in &trail.iterations {
                self.write_iteration(trail, iteration, &mut files)?;
            }
        }
        Ok(files.count)
    }

    fn write_iteration(
        &self,
        trail: &Trail,
        iteration: &Iteration,
        files: &mut Files,
    ) -> Result<()> {
        let stem = format!("iter-{:03}", iteration.number);
        let mut shown = Vec::new();
        let prompts = prompts(iteration);
        for (name, prompt) in &prompts {
            let file = format!("{stem}.{name}-prompt.md");
            let entry = match self.store.blobs().read(prompt) {
                Ok(bytes) => {
                    files.bytes(&file, &redacted(&bytes))?;
                    json!({ "file": file, "digest": prompt, "bytes": bytes.len() })
                }
                // Retention may have taken it; its digest stays.
                Err(countersign_store::Error::NoBlob(_)) => {
                    json!({ "file": null, "digest": prompt, "bytes": null })
                }
                Err(error) => return Err(error.into()),
            };
            let mut entry = entry;
            entry["shown_to"] = json!(name);
            shown.push(entry);
        }
        let changed = self.changed(iteration);
        let changed = changed.as_ref().map_err(String::as_str);
        let text = result(trail, iteration, changed);
        files.bytes(&format!("{stem}.result.md"), &redacted(text.as_bytes()))?;
        if let Some(claimed) = &iteration.claimed {
            files.redacted_json(&format!("{stem}.done-claim.json"), claimed)?;
        }
        for judging in &iteration.judgings {
            let Some(verified) = &judging.verified else { continue };
            let name = verifier_name("verify-verdict", judging.verifier);
            let said = match &verified.said {
                Said::Verdict { verdict } => serde_json::to_value(verdict)?,
                Said::Unfit { faults } => json!({ "verdict": null, "faults": faults }),
            };
            let touched = &verified.touched;
            let verdict = json!({ "agent": verified.agent, "said": said, "touched": touched });
            files.redacted_json(&format!("{stem}.{name}.json"), &verdict)?;
        }
        for report in iteration.rulings.iter().filter_map(|ruling| ruling.report) {
            if let Ok(bytes) = self.store.blobs().read(&report) {
                files.bytes(&format!("{stem}.escalation.md"), &redacted(&bytes))?;
            }
        }
        let manifest = manifest(trail, iteration, &shown);
        files.redacted_json(&format!("{stem}.manifest.json"), &manifest)
    }

    /// What git measured between two trees of an iteration, or why it could not.
    fn changed(&self, iteration: &Iteration) -> std::result::Result<Changed, String> {
        let (Some(from), Some(to)) = (&iteration.from, &iteration.tree) else {
            return Err("there are no two trees to compare".to_owned());
        };
        let measured = || -> Result<Changed> {
            let stat = self.repository.stat(from, to)?;
            let changes = self.repository.diff(from, to)?;
            let listed = changes.iter().take(MOST_LISTED).map(|change| ChangedFile {
                how: how(&change.status),
                path: change.path.to_string_lossy().into_owned(),
            });
            let listed = listed.collect();
            let (insertions, deletions) = (stat.insertions, stat.deletions);
            Ok(Changed { files: stat.files, insertions, deletions, listed })
        };
        measured().map_err(|error| error.message)
    }
}

/// What an iteration's agents were shown, and what they and we rest on, by digest.
fn manifest(trail: &Trail, iteration: &Iteration, shown: &[Value]) -> Value {
    let outputs = |execution: &countersign_domain::receipt::Execution| json!({ "digest": execution.output.blob, "bytes": execution.output.bytes });
    let worker = iteration.worker.as_ref().and_then(|work| work.execution.as_ref()).map(outputs);
    let verifiers: Vec<Value> = iteration
        .judgings
        .iter()
        .filter_map(|judging| judging.verified.as_ref())
        .map(|verified| outputs(&verified.execution))
        .collect();
    let tree = |tree: &Option<ObjectId>| tree.as_ref().map(ToString::to_string);
    let receipts: Vec<Digest> =
        iteration.receipts.iter().map(countersign_domain::receipt::Receipt::id).collect();
    let proofs = iteration.examined.iter().flat_map(|examined| &examined.receipts);
    let proofs: Vec<Digest> = proofs.flat_map(|proof| proof.receipts.iter().copied()).collect();
    json!({
        "run": trail.run,
        "leg": trail.leg(),
        "iteration": iteration.number,
        "attempt": iteration.attempt,
        "contract": trail.opened.contract_hash,
        "base": trail.opened.base.commit,
        "tree_before": tree(&iteration.from),
        "tree_after": tree(&iteration.tree),
        "verification": iteration.examined.as_ref().map(|examined| examined.verification),
        "prompts": shown,
        "outputs": { "worker": worker, "verifiers": verifiers },
        "receipts": receipts.into_iter().chain(proofs).collect::<Vec<_>>(),
    })
}

/// The prompts of an iteration, by who was shown them.
fn prompts(iteration: &Iteration) -> Vec<(String, Digest)> {
    let mut prompts = Vec::new();
    if let Some(prompt) = iteration.review.as_ref().and_then(|review| review.prompt) {
        prompts.push(("reviewer".to_owned(), prompt));
    }
    if let Some(work) = &iteration.worker {
        prompts.push(("worker".to_owned(), work.prompt));
    }
    for judging in &iteration.judgings {
        let name = verifier_name("verifier", judging.verifier);
        // One that was started again is shown the same, or something newer.
        prompts.retain(|(known, _)| *known != name);
        prompts.push((name, judging.prompt));
    }
    prompts
}

fn verifier_name(name: &str, verifier: u32) -> String {
    if verifier == 0 { name.to_owned() } else { format!("{name}-{}", verifier + 1) }
}

/// A story's id as the name of a folder.
fn safe(leg: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    let name: String = leg.chars().map(|c| if is_plain(c) { c } else { '_' }).take(80).collect();
    if name.is_empty() { "_".to_owned() } else { name }
}

fn how(status: &Differs) -> &'static str {
    match status {
        Differs::Added => "added",
        Differs::Deleted => "deleted",
        Differs::Modified => "modified",
        Differs::ModeChanged => "other permissions",
        Differs::TypeChanged => "another kind of thing",
        Differs::Renamed { .. } => "renamed",
    }
}

/// Text without secrets; bytes that are no text as they are.
fn redacted(bytes: &[u8]) -> Vec<u8> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Scanner::builtin().redact(text).into_owned().into_bytes(),
        Err(_) => bytes.to_vec(),
    }
}

fn refused(folder: &Path, error: &std::io::Error) -> Error {
    let is_there = matches!(
        error.kind(),
        ErrorKind::DirectoryNotEmpty | ErrorKind::AlreadyExists | ErrorKind::NotADirectory
    );
    if is_there {
        let message = format!("{} is there already", folder.display());
        return Error::new(Kind::Refused, message).hint("name a folder that is new or empty");
    }
    Error::io("write", folder, error)
}

/// Files of one folder, each written once.
struct Files {
    folder: PathBuf,
    count: u64,
}

impl Files {
    fn make(&self) -> Result<()> {
        fs::create_dir_all(&self.folder).map_err(|error| Error::io("create", &self.folder, &error))
    }

    fn bytes(&mut self, name: &str, bytes: &[u8]) -> Result<()> {
        let path = self.folder.join(name);
        fs::write(&path, bytes).map_err(|error| Error::io("write", &path, &error))?;
        self.count += 1;
        Ok(())
    }

    fn json(&mut self, name: &str, value: &Value) -> Result<()> {
        let text = serde_json::to_string_pretty(value)? + "\n";
        self.bytes(name, text.as_bytes())
    }

    fn redacted_json(&mut self, name: &str, value: &impl Serialize) -> Result<()> {
        let value = serde_json::to_value(value)?;
        self.json(name, &Scanner::builtin().redact_json(&value))
    }
}
