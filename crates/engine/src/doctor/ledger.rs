//! What the doctor says about the ledger: whether it is there, can be read and written, and is the one
//! that was sealed. A ledger that is not there is not made by looking.

use std::path::Path;

use countersign_domain::ledger::PublicKey;
use countersign_git::Repository;
use rustix::fs::{Access, access};

use super::{Finding, Health};
use crate::error::{Error, Kind, Result};
use crate::host::Home;
use crate::{Engine, Host, state_folder};

/// What was found, and the key that sealed it last.
pub(super) struct Looked {
    pub finding: Finding,
    pub sealed_with: Option<PublicKey>,
}

pub(super) fn examine(host: &Host, repository: &Repository) -> Looked {
    let state = state_folder(repository.layout());
    let looked = if state.exists() { opened(host) } else { absent(host, repository, &state) };
    looked.unwrap_or_else(|error| Looked { finding: bad(error), sealed_with: None })
}

/// Whatever kind of error it is: there is a ledger, and it can't be used.
fn bad(error: Error) -> Finding {
    Finding { health: Health::Bad, ..Finding::of("ledger", error) }
}

fn opened(host: &Host) -> Result<Looked> {
    // What is wrong with the project's settings is told by itself.
    let mut engine = Engine::open_for_verification(host.clone())?;
    expect_writable(engine.state())?;
    engine.store.expect_sound().map_err(|error| {
        Error::from(error).hint(
            "put the folder back from a backup; without one, the next command that meets the damage \
             keeps the files as they are and goes on with what can be read",
        )
    })?;
    let place = engine.state().display().to_string();
    let sealed_with = engine.store.last_seal()?.map(|seal| seal.statement.key);
    let mut notices = engine.take_notices();
    let gone = engine.ledgers_gone()?;
    if let Some(gone) = gone.first() {
        let message = format!("{place}: it took the place of ledger {gone}, which is gone");
        return Ok(Looked { finding: bad(replaced(message, gone)), sealed_with });
    }
    if notices.is_empty() {
        let asides = engine.store.set_asides();
        let lost = asides.iter().filter(|aside| aside.lost > 0).map(|aside| {
            format!("{} events were lost when it was damaged; see {}", aside.lost, aside.kept_in)
        });
        notices.extend(lost);
    }
    let finding = if notices.is_empty() {
        Finding::new("ledger", Health::Good, place)
    } else {
        Finding::new("ledger", Health::Note, format!("{place}: {}", notices.join("; ")))
    };
    Ok(Looked { finding, sealed_with })
}

/// There is none: nothing has happened yet, or somebody removed it.
fn absent(host: &Host, repository: &Repository, state: &Path) -> Result<Looked> {
    let place = state.display();
    let sealed = repository.anchor_refs("seals")?;
    if let Some((name, _)) = sealed.first() {
        let message = format!("{place} is gone; refs/countersign/{name} seals what was in it");
        return Ok(Looked { finding: bad(lost(message)), sealed_with: None });
    }
    if let Some(parent) = state.parent() {
        expect_writable(parent)?;
    }
    let finding = match sealed_before(&host.home()?, state) {
        // Whoever removes a repository and clones it again does nothing wrong.
        Some(before) => {
            let detail = format!(
                "none here; ledger {before} was kept at this place before and is gone with its repository"
            );
            Finding::new("ledger", Health::Note, detail)
        }
        None => Finding::new("ledger", Health::Note, "none yet; it is made when first needed"),
    };
    Ok(Looked { finding, sealed_with: None })
}

fn lost(message: String) -> Error {
    Error::new(Kind::Refused, message).hint(
        "put the folder back from a backup; without one a new ledger goes on without what happened \
         before, and `countersign ledger verify` says so",
    )
}

/// Nobody but its user can say that a ledger is lost for good and that this is known.
fn replaced(message: String, gone: &str) -> Error {
    Error::new(Kind::Refused, message).hint(format!(
        "put the folder back from a backup; if that ledger is lost for good and you know why, say so with \
         `git update-ref -d refs/countersign/seals/{gone}`: nothing is missed here then, and `countersign \
         ledger verify` goes on naming it by its witness"
    ))
}

/// The last ledger that was sealed at this place.
fn sealed_before(home: &Home, state: &Path) -> Option<String> {
    let bytes = crate::regular::read_all(&home.witnessed_ledgers(state)).ok()?;
    String::from_utf8_lossy(&bytes).lines().next_back().map(str::to_owned)
}

/// What is appended is kept elsewhere until the folder can be written, but nobody would know why.
pub(super) fn expect_writable(folder: &Path) -> Result<()> {
    if !folder.is_dir() {
        let message = format!("{} is there and is no folder", folder.display());
        return Err(Error::new(Kind::Unavailable, message).hint("move it away"));
    }
    access(folder, Access::WRITE_OK | Access::EXEC_OK).map_err(|error| {
        let message = format!("{} can't be written: {error}", folder.display());
        Error::new(Kind::Unavailable, message).hint("give yourself the right to write there")
    })
}
