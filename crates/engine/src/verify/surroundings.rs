//! What a check finds around it: the allowed variables, a home and a temporary folder of its own,
//! and walls where the machine has some.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use countersign_exec::{Confinement, Environment, find_program};

use super::Work;
use crate::error::{Error, Result};

/// Where tools keep themselves when nobody says otherwise: below the user's home, which a check
/// does not get.
const TOOLS: [(&str, &str); 7] = [
    ("CARGO_HOME", ".cargo"),
    ("RUSTUP_HOME", ".rustup"),
    ("GOPATH", "go"),
    ("PYENV_ROOT", ".pyenv"),
    ("NVM_DIR", ".nvm"),
    ("VOLTA_HOME", ".volta"),
    ("BUN_INSTALL", ".bun"),
];

/// The environment of a check that runs in `place`, a folder of its own.
pub(super) fn environment(work: &Work<'_>, place: &Path) -> Result<Environment> {
    let config = &work.engine.settings.config.exec;
    let mut all = Environment::from_allow_list(work.engine.host.variables(), &config.env);
    let home = all.value("HOME").map(PathBuf::from);
    for (variable, folder) in TOOLS {
        let there = home.as_ref().map(|home| home.join(folder)).filter(|path| path.is_dir());
        if let (None, Some(there)) = (all.value(variable), there) {
            all.set(variable, there);
        }
    }
    for name in ["HOME", "TMPDIR"] {
        let folder = place.join(name.to_lowercase());
        std::fs::create_dir_all(&folder).map_err(|error| Error::io("create", &folder, &error))?;
        all.set(name, folder);
    }
    // Python of a user's own is in the home that they don't get.
    let user_base = home.map(|home| home.join(".local")).filter(|path| path.is_dir());
    if let Some(base) = user_base {
        all.set("PYTHONUSERBASE", base);
    }
    Ok(all)
}

/// The walls around a check, if this machine can build them and nobody forbids it.
pub(super) fn confinement(work: &Work<'_>, place: &Path) -> Option<Confinement> {
    let config = &work.engine.settings.config.verify;
    if !config.sandbox {
        return None;
    }
    let path = work.engine.host.variable("PATH").unwrap_or_default();
    let program = find_program("bwrap", path)?;
    let mut hidden: Vec<PathBuf> = vec!["/tmp".into()];
    hidden.retain(|folder| folder.is_dir() && !place.starts_with(folder));
    Some(Confinement { program, writable: vec![place.to_owned()], hidden, network: config.network })
}

/// How checks are confined, in words.
pub(super) fn sandbox_words(work: &Work<'_>) -> String {
    match confinement(work, &work.folder) {
        Some(confinement) => confinement.words(),
        None => "none".to_owned(),
    }
}

/// A shell command as it is started.
pub(super) fn argv(command: &str) -> Vec<OsString> {
    ["/bin/sh", "-c", command].map(OsString::from).to_vec()
}
