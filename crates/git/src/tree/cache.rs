//! The stat cache as a file: everything that is known of a recorded working tree's files.
//!
//! Whoever compares trusts it only if it has the digest that was recorded with the tree.

use std::fs;
use std::path::Path;

use countersign_domain::id::Digest;

use super::stat::{Moment, Stat};
use super::table::{Conversion, Row, Table, What};
use crate::error::Error;

const HEAD: &[u8] = b"countersign-tree 1\n";

/// Marks of a row.
const IS_HIDDEN: u8 = 1;
const HAS_RAW: u8 = 2;

/// The files of one repository, as they were.
#[derive(Debug)]
pub(crate) struct Known {
    /// From the top of the working tree.
    pub(crate) path: Vec<u8>,
    /// When the look at them began.
    pub(crate) begun: Moment,
    pub(crate) table: Table,
}

/// Writes the cache and gives its digest.
pub(crate) fn write(path: &Path, grounds: &[Known]) -> Result<Digest, Error> {
    let rows: usize = grounds.iter().map(|ground| ground.table.rows.len()).sum();
    let mut bytes = Vec::with_capacity(256 + rows * 128);
    bytes.extend_from_slice(HEAD);
    number(&mut bytes, grounds.len());
    for ground in grounds {
        encode(&mut bytes, ground);
    }
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(Error::io("create", folder))?;
    }
    // In the place of an old one only when it is whole.
    let half = path.with_extension("half");
    fs::write(&half, &bytes).map_err(Error::io("write", &half))?;
    fs::rename(&half, path).map_err(Error::io("write", path))?;
    Ok(Digest::of(&bytes))
}

/// Reads the cache; `None` when it is gone, or is not the one with this digest.
pub(crate) fn read(path: &Path, digest: &Digest) -> Option<Vec<Known>> {
    let bytes = crate::discover::read(path).ok()??;
    if Digest::of(&bytes) != *digest {
        return None;
    }
    let mut rest = Rest(bytes.strip_prefix(HEAD)?);
    let grounds = (0..rest.number()?).map(|_| decode(&mut rest)).collect::<Option<Vec<_>>>()?;
    rest.0.is_empty().then_some(grounds)
}

fn encode(bytes: &mut Vec<u8>, ground: &Known) {
    let table = &ground.table;
    text(bytes, &ground.path);
    moment(bytes, ground.begun);
    number(bytes, table.hash_len());
    let mut passed: Vec<&Vec<u8>> = table.passed.iter().collect();
    passed.sort();
    number(bytes, passed.len());
    passed.into_iter().for_each(|path| text(bytes, path));
    let mut folders: Vec<(&[u8], &Stat)> = table.folder_stats().collect();
    folders.sort_by_key(|(path, _)| *path);
    number(bytes, folders.len());
    for (path, seen) in folders {
        text(bytes, path);
        stat(bytes, seen);
    }
    number(bytes, table.rows.len());
    for row in &table.rows {
        let marks = [(row.is_hidden, IS_HIDDEN), (row.raw.is_some(), HAS_RAW)];
        let marks = marks.iter().filter(|(is, _)| *is).fold(0, |all, (_, mark)| all | mark);
        bytes.extend([row.what as u8, row.conversion as u8, marks]);
        stat(bytes, &row.stat);
        bytes.extend_from_slice(table.object(row));
        row.raw.iter().for_each(|raw| bytes.extend_from_slice(raw.as_bytes()));
        text(bytes, table.path(row));
    }
}

fn decode(rest: &mut Rest<'_>) -> Option<Known> {
    let path = rest.text()?.to_vec();
    let begun = rest.moment()?;
    let hash_len = rest.number()?;
    if !matches!(hash_len, 20 | 32) {
        return None;
    }
    let mut table = Table::new(hash_len);
    for _ in 0..rest.number()? {
        table.passed.insert(rest.text()?.to_vec());
    }
    let mut folders = Vec::new();
    for _ in 0..rest.number()? {
        folders.push((rest.text()?, rest.stat()?));
    }
    for _ in 0..rest.number()? {
        let [what, conversion, marks] = *rest.take(3)?.first_chunk()?;
        let stat = rest.stat()?;
        let object = rest.take(hash_len)?;
        let raw = if marks & HAS_RAW == 0 { None } else { Some(*rest.take(32)?.first_chunk()?) };
        let row = Row {
            raw: raw.map(Digest::from_bytes),
            conversion: conversion_of(conversion)?,
            is_trusted: !stat.changed.is_racy(begun),
            is_hidden: marks & IS_HIDDEN != 0,
            ..Row::new(what_of(what)?, stat)
        };
        table.push(rest.text()?, row, object);
    }
    table.sort_out();
    for (path, stat) in folders {
        table.set_folder(path, Some(stat).filter(|stat| !stat.changed.is_racy(begun)));
    }
    Some(Known { path, begun, table })
}

fn what_of(byte: u8) -> Option<What> {
    [What::File, What::Link, What::Gitlink, What::Watched]
        .into_iter()
        .find(|what| *what as u8 == byte)
}

fn conversion_of(byte: u8) -> Option<Conversion> {
    [Conversion::None, Conversion::Text, Conversion::Filter]
        .into_iter()
        .find(|conversion| *conversion as u8 == byte)
}

fn number(bytes: &mut Vec<u8>, value: usize) {
    bytes.extend((value as u64).to_le_bytes());
}

fn text(bytes: &mut Vec<u8>, value: &[u8]) {
    let len = u32::try_from(value.len()).unwrap_or(u32::MAX);
    bytes.extend(len.to_le_bytes());
    bytes.extend_from_slice(value);
}

fn moment(bytes: &mut Vec<u8>, at: Moment) {
    bytes.extend(at.seconds.to_le_bytes());
    bytes.extend(at.nanos.to_le_bytes());
}

fn stat(bytes: &mut Vec<u8>, stat: &Stat) {
    moment(bytes, stat.changed);
    moment(bytes, stat.modified);
    bytes.extend(stat.inode.to_le_bytes());
    bytes.extend(stat.size.to_le_bytes());
    bytes.extend(stat.mode.to_le_bytes());
}

/// What is still to be read.
struct Rest<'b>(&'b [u8]);

impl<'b> Rest<'b> {
    fn take(&mut self, len: usize) -> Option<&'b [u8]> {
        let (taken, rest) = self.0.split_at_checked(len)?;
        self.0 = rest;
        Some(taken)
    }

    fn number(&mut self) -> Option<usize> {
        usize::try_from(u64::from_le_bytes(*self.take(8)?.first_chunk()?)).ok()
    }

    fn text(&mut self) -> Option<&'b [u8]> {
        let len = u32::from_le_bytes(*self.take(4)?.first_chunk()?);
        self.take(usize::try_from(len).ok()?)
    }

    fn stat(&mut self) -> Option<Stat> {
        Some(Stat {
            changed: self.moment()?,
            modified: self.moment()?,
            inode: u64::from_le_bytes(*self.take(8)?.first_chunk()?),
            size: u64::from_le_bytes(*self.take(8)?.first_chunk()?),
            mode: u32::from_le_bytes(*self.take(4)?.first_chunk()?),
        })
    }

    fn moment(&mut self) -> Option<Moment> {
        let seconds = i64::from_le_bytes(*self.take(8)?.first_chunk()?);
        Some(Moment { seconds, nanos: u32::from_le_bytes(*self.take(4)?.first_chunk()?) })
    }
}

#[cfg(test)]
mod tests;
