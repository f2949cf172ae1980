//! Which files git converts before it records them, so that the object does not tell the bytes.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use super::row::{Conversion, What};
use super::table::{Table, name_of};
use crate::command::Git;
use crate::discover::{self, read};
use crate::error::Error;
use crate::repository::Repository;
use crate::settings::Config;

/// The attributes that make git change bytes.
const CONVERTING: [&str; 6] = ["text", "crlf", "eol", "filter", "ident", "working-tree-encoding"];

/// The attributes of every user of the machine, where git is usually told to look for them.
pub(crate) const SYSTEM: &str = "/etc/gitattributes";

impl Repository {
    /// What git does with the bytes of each file in `table`. `git` works on `worktree`.
    pub(crate) fn conversions(
        &self,
        git: impl FnOnce() -> Git,
        worktree: &Path,
        table: &Table,
        config: &Config,
    ) -> Result<HashMap<usize, Conversion>, Error> {
        let everywhere = ends_lines(config);
        let is_file = |row: usize| table.rows[row].what == What::File;
        let files: Vec<usize> = (0..table.rows.len()).filter(|row| is_file(*row)).collect();
        if !self.attributes_convert(worktree, table, config) {
            let all = files.into_iter().map(|row| (row, Conversion::Text));
            return Ok(if everywhere { all.collect() } else { HashMap::new() });
        }
        let asked: Vec<u8> =
            files.iter().flat_map(|row| [table.path_at(*row), b"\0"].concat()).collect();
        let said = git().args(["check-attr", "-z", "--stdin"]).args(CONVERTING).input(asked);
        let said = said.output()?;
        let mut values = said.split(|byte| *byte == 0);
        let mut found = HashMap::new();
        for row in files {
            let mut of_file = [&b""[..]; CONVERTING.len()];
            for value in &mut of_file {
                // The path, the name of the attribute, its value.
                *value = values.nth(2).unwrap_or(b"unspecified");
            }
            let conversion = conversion(of_file, everywhere);
            if conversion != Conversion::None {
                found.insert(row, conversion);
            }
        }
        Ok(found)
    }

    /// Whether git changes the bytes of any file in `table` before it records them, as far as can be
    /// told without asking it.
    pub(crate) fn converts(&self, worktree: &Path, table: &Table, config: &Config) -> bool {
        ends_lines(config) || self.attributes_convert(worktree, table, config)
    }

    /// Whether any file with attributes says something that changes bytes.
    fn attributes_convert(&self, worktree: &Path, table: &Table, config: &Config) -> bool {
        let of_tree = table.rows.iter().map(|row| table.path(row));
        let of_tree = of_tree.filter(|path| name_of(path) == b".gitattributes");
        let of_tree = of_tree.map(|path| worktree.join(OsStr::from_bytes(path)));
        let own = [self.layout().common_dir.join("info/attributes"), PathBuf::from(SYSTEM)];
        let users = self.user_file(config.last("core.attributesfile"), "attributes");
        let mut texts = own.into_iter().chain(of_tree).map(|path| read(&path));
        says_conversion(&users)
            // One that can't be read may say anything.
            || texts.any(|text| text.map_or(true, |text| text.is_some_and(|t| says_conversion(&t))))
    }
}

/// Whether the line endings of files without attributes are made the same.
fn ends_lines(config: &Config) -> bool {
    let value = config.last("core.autocrlf");
    value.is_some_and(|value| value.eq_ignore_ascii_case(b"input") || discover::is_true(value))
}

fn conversion(values: [&[u8]; CONVERTING.len()], everywhere: bool) -> Conversion {
    let [text, crlf, eol, filter, ident, encoding] = values;
    let is_on = |value: &[u8]| !matches!(value, b"unspecified" | b"unset" | b"");
    if is_on(filter) || is_on(ident) || is_on(encoding) {
        return Conversion::Filter;
    }
    let is_text = match (text, crlf) {
        (b"unset", _) | (b"unspecified", b"unset") => false,
        (b"unspecified", b"unspecified") => is_on(eol) || everywhere,
        _ => true,
    };
    if is_text { Conversion::Text } else { Conversion::None }
}

/// Whether attributes name one that changes bytes, other than to switch it off.
fn says_conversion(text: &[u8]) -> bool {
    let mut words = text.split(u8::is_ascii_whitespace);
    words.any(|word| {
        let name = word.split(|byte| *byte == b'=').next().unwrap_or_default();
        CONVERTING.iter().any(|converting| name == converting.as_bytes())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_that_change_bytes_are_known() {
        for text in ["* text=auto\n", "*.sh\ttext eol=lf", "[attr]x filter=y", "a ident"] {
            assert!(says_conversion(text.as_bytes()), "{text}");
        }
        for text in ["", "*.png binary", "* -text", "*.rs diff=rust linguist-language=Rust"] {
            assert!(!says_conversion(text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn values_become_conversions() {
        let check = |values: &str, everywhere, expected| {
            let values: Vec<&[u8]> = values.split(' ').map(str::as_bytes).collect();
            assert_eq!(conversion(values.try_into().unwrap(), everywhere), expected);
        };
        let no = "unspecified";
        check(&format!("{no} {no} {no} {no} {no} {no}"), false, Conversion::None);
        check(&format!("{no} {no} {no} {no} {no} {no}"), true, Conversion::Text);
        check(&format!("auto {no} {no} {no} {no} {no}"), false, Conversion::Text);
        check(&format!("unset {no} {no} {no} {no} {no}"), true, Conversion::None);
        check(&format!("{no} unset {no} {no} {no} {no}"), true, Conversion::None);
        check(&format!("{no} {no} lf {no} {no} {no}"), false, Conversion::Text);
        check(&format!("unset {no} {no} lfs {no} {no}"), false, Conversion::Filter);
        check(&format!("set {no} {no} {no} {no} utf-16"), false, Conversion::Filter);
    }
}
