//! The files of a context, for whoever reads it: made from the record, compared with it every
//! time, and made again where another hand was at them.

use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::thread;

use countersign_domain::Digest;
use countersign_domain::context::{Context, ContextEvent, Export, Immutable, Manifest, Text};

use crate::Engine;
use crate::error::{Error, Kind, Result};

pub(super) const ACCOUNT: &str = "context.json";
pub(super) const MANIFEST: &str = "context.manifest";

/// How many blobs are written at once.
const AT_ONCE: usize = 8;

/// The name of a role's export.
pub(super) fn export_name(role: &str) -> String {
    format!("context-{role}.json")
}

impl Engine {
    /// The folder of a task's files.
    pub(super) fn context_folder(&self, task: &str) -> PathBuf {
        self.state.join("contexts").join(task)
    }

    /// The immutable account, from the record.
    pub(super) fn account_of(&self, context: &Context) -> Result<Immutable> {
        let bytes = self.store.blobs().read(&context.account.blob)?;
        Immutable::from_bytes(&bytes).map_err(|error| {
            Error::new(Kind::Refused, format!("the context of {}: {error}", context.task))
                .hint("use the version of countersign that made it, or purge it and make a new one")
        })
    }

    pub(super) fn manifest_of(&self, context: &Context) -> Result<Manifest> {
        let bytes = self.store.blobs().read(&context.manifest.blob)?;
        serde_json::from_slice(&bytes).map_err(|error| {
            Error::new(Kind::Refused, format!("the manifest of {}: {error}", context.task))
                .hint("use the version of countersign that made it, or purge it and make a new one")
        })
    }

    /// Keeps `bytes` as a blob.
    pub(super) fn keep_text(&self, bytes: &[u8]) -> Result<Text> {
        let blob = self.store.blobs().put(bytes)?;
        Ok(Text { blob, bytes: bytes.len() as u64 })
    }

    /// The same for many, of which each waits for the disk and not for the others.
    pub(super) fn keep_texts(&self, texts: &[&[u8]]) -> Result<Vec<Text>> {
        let blobs = &self.store.blobs();
        let mut kept = Vec::with_capacity(texts.len());
        for few in texts.chunks(AT_ONCE) {
            let ended: Vec<_> = thread::scope(|scope| {
                let put = few.iter().map(|bytes| scope.spawn(move || blobs.put(bytes)));
                let waiting: Vec<_> = put.collect();
                waiting.into_iter().map(thread::ScopedJoinHandle::join).collect()
            });
            for (bytes, ended) in few.iter().zip(ended) {
                let blob = ended.unwrap_or_else(|_| blobs.put(bytes))?;
                kept.push(Text { blob, bytes: bytes.len() as u64 });
            }
        }
        Ok(kept)
    }

    /// What the files of `context` have to be: names and bytes.
    fn wanted(&self, context: &Context) -> Result<Vec<(String, Vec<u8>)>> {
        let blobs = self.store.blobs();
        let account = blobs.read(&context.account.blob)?;
        let immutable = self.account_of(context)?;
        let mut wanted = vec![
            (ACCOUNT.to_owned(), account),
            (MANIFEST.to_owned(), blobs.read(&context.manifest.blob)?),
        ];
        for role in &context.roles {
            let export = Export::of(&immutable, &role.name).to_bytes()?;
            wanted.push((export_name(&role.name), export));
        }
        Ok(wanted)
    }

    /// Makes sure that the folder of a task's files is a folder of ours: a link in its place would
    /// have us write elsewhere. Says whether something else was there.
    pub(super) fn own_folder(&self, task: &str) -> Result<bool> {
        let mut was_other = false;
        for folder in [self.state.join("contexts"), self.context_folder(task)] {
            let failed = |error: std::io::Error| Error::io("make", &folder, &error);
            match fs::symlink_metadata(&folder) {
                Ok(found) if found.is_dir() => continue,
                Ok(_) => {
                    was_other = true;
                    fs::remove_file(&folder).map_err(failed)?;
                }
                Err(_) => {}
            }
            fs::create_dir_all(&folder).map_err(failed)?;
        }
        Ok(was_other)
    }

    /// Compares the files with the record. What another hand wrote is put on the record, as a
    /// finding that blocks, and made again; what is only missing is made again.
    pub(super) fn attend_files(&mut self, context: &mut Context) -> Result<()> {
        if context.purged.is_some() {
            return Ok(());
        }
        let folder = self.context_folder(&context.task);
        let mut events = Vec::new();
        if self.own_folder(&context.task)? {
            let (file, expected) = ("the folder".to_owned(), context.account.blob);
            self.notices
                .push(format!("{} was no folder of ours; it was made again", folder.display()));
            events.push(ContextEvent::Tampered { file, expected, found: None });
        }
        for (name, bytes) in self.wanted(context)? {
            let path = folder.join(&name);
            let found = content(&path)?;
            if found.as_deref() == Some(&bytes[..]) {
                continue;
            }
            if let Some(found) = found {
                let (expected, found) = (Digest::of(&bytes), Some(Digest::of(&found)));
                self.notices.push(format!(
                    "{} was written by another hand than ours; it was made again, and that is a \
                     finding",
                    path.display()
                ));
                events.push(ContextEvent::Tampered { file: name, expected, found });
            }
            replace(&path, &bytes)?;
        }
        if events.is_empty() {
            return Ok(());
        }
        self.append_context(context, "engine", events)
    }

    /// Writes all files of `context` anew.
    pub(super) fn write_files(&self, context: &Context) -> Result<()> {
        self.own_folder(&context.task)?;
        let folder = self.context_folder(&context.task);
        for (name, bytes) in self.wanted(context)? {
            replace(&folder.join(name), &bytes)?;
        }
        Ok(())
    }
}

/// What is at `path`; whatever is no plain file counts as content of another hand.
fn content(path: &Path) -> Result<Option<Vec<u8>>> {
    match fs::symlink_metadata(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Error::io("read", path, &error)),
        Ok(found) if !found.is_file() => Ok(Some(Vec::new())),
        Ok(_) => fs::read(path).map(Some).map_err(|error| Error::io("read", path, &error)),
    }
}

/// Puts `bytes` at `path`, whole or not at all, to be read only.
fn replace(path: &Path, bytes: &[u8]) -> Result<()> {
    let failed = |error: std::io::Error| Error::io("write", path, &error);
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder).map_err(failed)?;
    if fs::symlink_metadata(path).is_ok_and(|found| found.is_dir()) {
        fs::remove_dir_all(path).map_err(failed)?;
    }
    let mut file = tempfile::NamedTempFile::new_in(folder).map_err(failed)?;
    file.write_all(bytes).map_err(failed)?;
    file.as_file().set_permissions(fs::Permissions::from_mode(0o444)).map_err(failed)?;
    file.persist(path).map_err(|error| failed(error.error))?;
    Ok(())
}
