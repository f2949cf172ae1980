//! The stat cache as a file: everything that is known of a recorded working tree's files.
//!
//! Whoever compares trusts it only if it has the digest that was recorded with the tree.

use std::fs;
use std::path::Path;

use countersign_domain::id::Digest;

use super::row::{Conversion, Row, What};
use super::stat::{Moment, Stat};
use super::table::{Folder, Table};
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
    /// What the system said about git's own index, and the marks that were in it.
    pub(crate) index: (Option<Stat>, Option<Digest>),
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
    let (index, marks) = &ground.index;
    bytes.push(u8::from(index.is_some()) | (u8::from(marks.is_some()) << 1));
    if let Some(seen) = index {
        stat(bytes, seen);
    }
    if let Some(marks) = marks {
        bytes.extend_from_slice(marks.as_bytes());
    }
    number(bytes, table.hash_len());
    let mut passed: Vec<&Vec<u8>> = table.passed.iter().collect();
    passed.sort();
    number(bytes, passed.len());
    for path in passed {
        text(bytes, path);
    }
    number(bytes, table.folders.iter().map(|folder| folder.rows.len()).sum());
    let mut folders: Vec<&Folder> = table.folders.iter().collect();
    folders.sort_by(|a, b| a.path.cmp(&b.path));
    number(bytes, folders.len());
    for folder in folders {
        text(bytes, &folder.path);
        bytes.push(u8::from(folder.stat.is_some()));
        if let Some(seen) = &folder.stat {
            stat(bytes, seen);
        }
        number(bytes, folder.rows.len());
        for row in &folder.rows {
            text(bytes, table.name(*row));
            encode_row(bytes, table, &table.rows[*row]);
        }
    }
}

fn encode_row(bytes: &mut Vec<u8>, table: &Table, row: &Row) {
    let marks = [(row.is_hidden, IS_HIDDEN), (row.raw.is_some(), HAS_RAW)];
    let marks = marks.iter().filter(|(is, _)| *is).fold(0, |all, (_, mark)| all | mark);
    bytes.extend_from_slice(&[row.what as u8, row.conversion as u8, marks]);
    stat(bytes, &row.stat);
    bytes.extend_from_slice(table.object(row));
    if let Some(raw) = &row.raw {
        bytes.extend_from_slice(raw.as_bytes());
    }
}

fn decode(rest: &mut Rest<'_>) -> Option<Known> {
    let ground = rest.text()?.to_vec();
    let begun = rest.moment()?;
    let [has] = *rest.take(1)?.first_chunk()?;
    let index = if has & 1 == 0 { None } else { Some(rest.stat()?) };
    let marks = if has & 2 == 0 { None } else { Some(*rest.take(32)?.first_chunk()?) };
    let index = (index.filter(|seen| !seen.changed.is_racy(begun)), marks.map(Digest::from_bytes));
    let hash_len = rest.number()?;
    if !matches!(hash_len, 20 | 32) {
        return None;
    }
    let mut table = Table::new(hash_len);
    for _ in 0..rest.number()? {
        table.passed.insert(rest.text()?.to_vec());
    }
    // No more than fit into what is left.
    let rows = rest.number()?.min(rest.0.len() / 64);
    table.reserve(rows, rest.0.len() / 2);
    let mut path = Vec::new();
    for _ in 0..rest.number()? {
        let folder = rest.text()?;
        let seen = if rest.take(1)? == [0] { None } else { Some(rest.stat()?) };
        for _ in 0..rest.number()? {
            path.clear();
            path.extend_from_slice(folder);
            path.extend_from_slice(if folder.is_empty() { b"" } else { b"/" });
            path.extend_from_slice(rest.text()?);
            decode_row(rest, &path, begun, &mut table)?;
        }
        if let Some(number) = table.folder(folder) {
            let is_reliable = |stat: &Stat| !stat.changed.is_racy(begun);
            table.folders[number].stat = seen.filter(is_reliable);
        }
    }
    table.sort_out();
    Some(Known { path: ground, begun, index, table })
}

fn decode_row(rest: &mut Rest<'_>, path: &[u8], begun: Moment, table: &mut Table) -> Option<()> {
    let [what, conversion, marks] = *rest.take(3)?.first_chunk()?;
    let stat = rest.stat()?;
    let object = rest.take(table.hash_len())?;
    let raw = if marks & HAS_RAW == 0 { None } else { Some(*rest.take(32)?.first_chunk()?) };
    let row = Row {
        raw: raw.map(|raw| Box::new(Digest::from_bytes(raw))),
        conversion: conversion_of(conversion)?,
        is_trusted: !stat.changed.is_racy(begun),
        is_hidden: marks & IS_HIDDEN != 0,
        ..Row::new(what_of(what)?, stat)
    };
    table.push(path, row, object);
    Some(())
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
    bytes.extend_from_slice(&(value as u64).to_le_bytes());
}

fn text(bytes: &mut Vec<u8>, value: &[u8]) {
    let len = u32::try_from(value.len()).unwrap_or(u32::MAX);
    bytes.extend_from_slice(&len.to_le_bytes());
    bytes.extend_from_slice(value);
}

fn moment(bytes: &mut Vec<u8>, at: Moment) {
    bytes.extend_from_slice(&at.seconds.to_le_bytes());
    bytes.extend_from_slice(&at.nanos.to_le_bytes());
}

fn stat(bytes: &mut Vec<u8>, stat: &Stat) {
    moment(bytes, stat.changed);
    moment(bytes, stat.modified);
    bytes.extend_from_slice(&stat.inode.to_le_bytes());
    bytes.extend_from_slice(&stat.size.to_le_bytes());
    bytes.extend_from_slice(&stat.mode.to_le_bytes());
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
