//! The local signing key: made on first use, readable by its owner only, never in a repository.

use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::Path;

use countersign_domain::ledger::{PublicKey, Seal, Signature, Statement, signed_bytes};
use data_encoding::HEXLOWER_PERMISSIVE;
use ed25519_dalek::{Signer, SigningKey};
use serde::Serialize;

use crate::error::{Error, Kind, Result};
use crate::regular;

/// A key that can sign.
#[derive(Debug)]
pub struct Key(SigningKey);

impl Key {
    /// The key at `path`, made now if there is none.
    pub fn load_or_create(path: &Path) -> Result<Self> {
        match Self::load(path)? {
            Some(key) => Ok(key),
            None => Self::create(path),
        }
    }

    /// The key at `path`, if there is one.
    pub fn load(path: &Path) -> Result<Option<Self>> {
        let text = match regular::read_all(path) {
            Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(Error::io("read the signing key", path, &error)),
        };
        let seed = HEXLOWER_PERMISSIVE.decode(text.trim().as_bytes()).ok();
        let seed: [u8; 32] = seed.and_then(|seed| seed.try_into().ok()).ok_or_else(|| {
            Error::new(Kind::Refused, format!("{} is not a signing key", path.display()))
                .hint("restore it from a backup; with a new key, old seals show as another's")
        })?;
        Ok(Some(Self(SigningKey::from_bytes(&seed))))
    }

    /// Of several processes that create at once, the first wins and all use its key.
    fn create(path: &Path) -> Result<Self> {
        let dir = path.parent().unwrap_or(Path::new("/"));
        let failed = |error: std::io::Error| Error::io("create the signing key", path, &error);
        fs::create_dir_all(dir).map_err(failed)?;
        let mut seed = [0; 32];
        getrandom::fill(&mut seed).map_err(|error| {
            Error::new(Kind::Unavailable, format!("the system gives no randomness: {error}"))
        })?;
        let draft = dir.join(format!("key-{}", uuid::Uuid::now_v7()));
        let mut file = OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(&draft)
            .map_err(failed)?;
        let text = format!("{}\n", HEXLOWER_PERMISSIVE.encode(&seed));
        let written = file.write_all(text.as_bytes()).and_then(|()| file.sync_all());
        let linked = written.and_then(|()| fs::hard_link(&draft, path));
        let _ = fs::remove_file(&draft);
        match linked {
            Ok(()) => Ok(Self(SigningKey::from_bytes(&seed))),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                Self::load(path)?.ok_or_else(|| failed(ErrorKind::NotFound.into()))
            }
            Err(error) => Err(failed(error)),
        }
    }

    /// Whether others may read the key at `path`.
    pub fn is_exposed(path: &Path) -> bool {
        fs::metadata(path).is_ok_and(|meta| meta.permissions().mode() & 0o077 != 0)
    }

    pub fn public(&self) -> PublicKey {
        PublicKey::from_bytes(self.0.verifying_key().to_bytes())
    }

    pub(crate) fn seal(&self, statement: Statement) -> Seal {
        let signature = self.sign("seal", &statement);
        Seal { statement, signature }
    }

    pub(crate) fn sign<T: Serialize>(&self, purpose: &str, statement: &T) -> Signature {
        Signature(self.0.sign(&signed_bytes(purpose, statement)).to_bytes())
    }
}
