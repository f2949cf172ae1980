//! Writing reports: whole or not at all, and never over something else.

use std::fs::{self, File};
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::Shape;
use crate::error::{Error, Kind, Result};
use crate::regular;

/// The most bytes of a file that is compared with what is to be written.
const MOST: u64 = 256 << 20;

/// Where a report is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Filed {
    pub path: PathBuf,
    /// Whether the very same was there before.
    pub is_unchanged: bool,
}

/// Writes `text` to `out`. In a folder it gets the next number, unless the newest report there says the
/// same. What is there and says something else is replaced only where `is_forced`.
pub fn file_report(out: &Path, shape: Shape, text: &str, is_forced: bool) -> Result<Filed> {
    if !out.is_dir() {
        return write(out, text.as_bytes(), is_forced);
    }
    loop {
        let newest = newest(out, shape)?;
        let (path, _) = numbered(out, shape, newest.max(1));
        if newest > 0 && is_same(&path, text.as_bytes()) {
            return Ok(Filed { path, is_unchanged: true });
        }
        let (path, name) = numbered(out, shape, newest + 1);
        match write(&path, text.as_bytes(), false) {
            // Somebody else was first: the next number then.
            Err(error) if error.kind == Kind::Refused && path.exists() => {
                drop(name);
            }
            filed => return filed,
        }
    }
}

fn numbered(folder: &Path, shape: Shape, number: u32) -> (PathBuf, String) {
    let name = format!("report-{number:03}.{}", shape.extension());
    (folder.join(&name), name)
}

/// The highest number of a report in `folder`; 0 if there is none.
fn newest(folder: &Path, shape: Shape) -> Result<u32> {
    let entries = fs::read_dir(folder).map_err(|error| Error::io("list", folder, &error))?;
    let number = |name: &str| -> Option<u32> {
        let middle = name.strip_prefix("report-")?.strip_suffix(shape.extension())?;
        middle.strip_suffix('.')?.parse().ok()
    };
    let names = entries.flatten().map(|entry| entry.file_name());
    Ok(names.filter_map(|name| number(name.to_str()?)).max().unwrap_or(0))
}

fn is_same(path: &Path, bytes: &[u8]) -> bool {
    regular::read(path, MOST).is_some_and(|found| found == bytes)
}

/// Writes a file beside its place and puts it there in one step.
fn write(path: &Path, bytes: &[u8], is_forced: bool) -> Result<Filed> {
    if is_same(path, bytes) {
        return Ok(Filed { path: path.to_owned(), is_unchanged: true });
    }
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let beside = path.with_file_name(format!(".{name}.part-{}", std::process::id()));
    let failed = |error: std::io::Error| Error::io("write", path, &error);
    let written = File::create(&beside).and_then(|mut file| {
        file.write_all(bytes)?;
        file.sync_all()
    });
    if let Err(error) = written {
        // What is half written is of no use to anybody.
        let _ = fs::remove_file(&beside);
        return Err(failed(error));
    }
    let placed = if is_forced {
        fs::rename(&beside, path)
    } else {
        // A link, unlike a renaming, never replaces what is there.
        fs::hard_link(&beside, path)
    };
    let _ = fs::remove_file(&beside);
    match placed {
        Ok(()) => Ok(Filed { path: path.to_owned(), is_unchanged: false }),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            let message = format!("{} is there already and says something else", path.display());
            Err(Error::new(Kind::Refused, message)
                .hint("--force replaces it; with a folder as --out every version gets a number"))
        }
        Err(error) => Err(failed(error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// LP-22: a version is written once, the next has the next number, and nothing is lost.
    #[test]
    fn versions_are_numbered_by_what_they_say() {
        let folder = tempfile::tempdir().unwrap();
        let put = |text: &str| file_report(folder.path(), Shape::Markdown, text, false).unwrap();
        let name = |filed: &Filed| filed.path.file_name().unwrap().to_string_lossy().into_owned();
        assert_eq!(name(&put("one")), "report-001.md");
        let again = put("one");
        assert_eq!((name(&again).as_str(), again.is_unchanged), ("report-001.md", true));
        assert_eq!(name(&put("two")), "report-002.md");
        assert_eq!(name(&put("one")), "report-003.md");
        let html = file_report(folder.path(), Shape::Html, "one", false).unwrap();
        assert_eq!(name(&html), "report-001.html");
        let left = fs::read_dir(folder.path()).unwrap().count();
        assert_eq!(left, 4, "nothing half written is left");
    }

    /// LP-22: a file is never replaced, unless that is asked for.
    #[test]
    fn nothing_is_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("r.md");
        let put = |text: &str, force| file_report(&file, Shape::Markdown, text, force);
        put("one", false).unwrap();
        assert!(put("one", false).unwrap().is_unchanged);
        assert_eq!(put("two", false).unwrap_err().kind, Kind::Refused);
        assert_eq!(fs::read_to_string(&file).unwrap(), "one");
        put("two", true).unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), "two");
        assert!(file_report(&folder.path().join("no/r.md"), Shape::Html, "x", false).is_err());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
