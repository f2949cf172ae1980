//! The object store of another repository, as far as a snapshot of its files must know it.
//!
//! A worker that commits in its own checkout puts objects into a store that goes away with
//! the checkout. A snapshot must not lean on them, so it asks which ones those are.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use data_encoding::HEXLOWER;

use crate::discover::read;
use crate::error::Error;

/// The objects that a store keeps itself.
#[derive(Debug)]
pub(crate) enum Kept {
    These(HashSet<Vec<u8>>),
    /// The store leans on yet another one, or cannot be understood.
    Unknown,
}

impl Kept {
    pub(crate) fn none() -> Self {
        Self::These(HashSet::new())
    }

    pub(crate) fn may_hold(&self, object: &[u8]) -> bool {
        match self {
            Self::These(objects) => objects.contains(object),
            Self::Unknown => true,
        }
    }
}

/// What `store` (an `objects` directory) keeps itself, provided that it leans on no store
/// but the `known` ones.
pub(crate) fn kept_in(store: &Path, known: &[PathBuf], hash_len: usize) -> Kept {
    let leans_on = alternates(store).unwrap_or_default();
    if !leans_on.iter().all(|other| known.contains(other)) {
        return Kept::Unknown;
    }
    let mut objects = HashSet::new();
    match collect(store, hash_len, &mut objects) {
        Some(()) => Kept::These(objects),
        None => Kept::Unknown,
    }
}

/// `store` and every store that it leans on, near ones first.
pub(crate) fn stores(store: &Path) -> Result<Vec<PathBuf>, Error> {
    let store = fs::canonicalize(store).map_err(Error::io("open", store))?;
    let mut found = vec![store];
    let mut next = 0;
    while let Some(store) = found.get(next).cloned() {
        for other in alternates(&store)? {
            if !found.contains(&other) {
                found.push(other);
            }
        }
        next += 1;
    }
    Ok(found)
}

/// The stores that `store` names; those that are gone are left out, as git does.
fn alternates(store: &Path) -> Result<Vec<PathBuf>, Error> {
    let text = read(&store.join("info/alternates"))?.unwrap_or_default();
    let lines = text.split(|byte| *byte == b'\n');
    let named = lines.filter(|line| !line.is_empty() && !line.starts_with(b"#"));
    let paths = named.map(|line| store.join(OsStr::from_bytes(&unquoted(line))));
    Ok(paths.filter_map(|path| fs::canonicalize(path).ok()).collect())
}

/// A line of an alternates file that names `store`.
pub(crate) fn alternate_line(store: &Path) -> Vec<u8> {
    let bytes = store.as_os_str().as_bytes();
    if !bytes.contains(&b'\n') {
        return [bytes, b"\n"].concat();
    }
    let mut line = vec![b'"'];
    for byte in bytes {
        match byte {
            b'\n' => line.extend(b"\\n"),
            b'"' | b'\\' => line.extend([b'\\', *byte]),
            _ => line.push(*byte),
        }
    }
    line.extend(b"\"\n");
    line
}

fn unquoted(line: &[u8]) -> Vec<u8> {
    let inner = line.strip_prefix(b"\"").and_then(|rest| rest.strip_suffix(b"\""));
    let Some(inner) = inner else {
        return line.to_vec();
    };
    let mut plain = Vec::with_capacity(inner.len());
    let mut bytes = inner.iter();
    while let Some(byte) = bytes.next() {
        match byte {
            b'\\' => match bytes.next() {
                Some(b'n') => plain.push(b'\n'),
                other => plain.extend(other),
            },
            _ => plain.push(*byte),
        }
    }
    plain
}

/// Adds the loose and the packed objects of `store`; `None` when something is not understood.
fn collect(store: &Path, hash_len: usize, objects: &mut HashSet<Vec<u8>>) -> Option<()> {
    for folder in fs::read_dir(store).ok()? {
        let folder = folder.ok()?;
        let name = folder.file_name();
        let Some(first) = hex(name.as_bytes(), 1) else {
            continue;
        };
        for file in fs::read_dir(folder.path()).ok()? {
            if let Some(rest) = hex(file.ok()?.file_name().as_bytes(), hash_len - 1) {
                objects.insert([&first[..], &rest].concat());
            }
        }
    }
    let Ok(packs) = fs::read_dir(store.join("pack")) else {
        return Some(());
    };
    for file in packs {
        let path = file.ok()?.path();
        if path.extension() == Some(OsStr::new("idx")) {
            packed(&read(&path).ok()??, hash_len, objects)?;
        }
    }
    Some(())
}

/// The names in the index of a pack, version 2: a head, 256 running counts, the sorted names.
fn packed(index: &[u8], hash_len: usize, objects: &mut HashSet<Vec<u8>>) -> Option<()> {
    const NAMES_AT: usize = 8 + 256 * 4;
    let head = index.strip_prefix(b"\xfftOc\0\0\0\x02")?;
    let count = u32::from_be_bytes(*head.get(255 * 4..)?.first_chunk()?) as usize;
    let names = index.get(NAMES_AT..NAMES_AT.checked_add(count.checked_mul(hash_len)?)?)?;
    objects.extend(names.chunks_exact(hash_len).map(<[u8]>::to_vec));
    Some(())
}

fn hex(text: &[u8], len: usize) -> Option<Vec<u8>> {
    HEXLOWER.decode(text).ok().filter(|bytes| bytes.len() == len)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_leads_back_to_its_store() {
        for path in ["/plain", "/with space", "/two\nlines \"and\" \\more"] {
            let line = alternate_line(Path::new(path));
            let line = line.strip_suffix(b"\n").unwrap();
            assert!(!line.contains(&b'\n'));
            assert_eq!(unquoted(line), path.as_bytes());
        }
    }
}
