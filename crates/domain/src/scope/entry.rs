//! What one entry of a scope is.

use globset::{Glob, GlobBuilder, GlobSet};

use super::path;
use super::relative::relative;
use super::tree::Tree;

/// The longest glob, in bytes.
const MAX_GLOB: usize = 1024;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Entry {
    /// A file, or a folder and everything in it.
    Path(Vec<u8>),
    /// Everything in a folder.
    Folder(Vec<u8>),
    Glob(Box<Glob>),
    Macro(String),
    /// For people; and the path that it would be, should there ever be one.
    Words(Option<Vec<u8>>),
}

/// Why an entry can't be used, and what to do.
pub(super) type Flaw = (String, &'static str);

/// What an entry of a task is. Whether a text with spaces, or a single word, is a path is known
/// by whether it is there.
pub(super) fn of_task(text: &str, tree: &Tree<'_>) -> Result<Entry, Flaw> {
    let text = bare(text);
    let spaced = text.contains(char::is_whitespace);
    if text.starts_with(':') && !spaced {
        return Ok(Entry::Macro(text[1..].to_owned()));
    }
    if text.contains("://") {
        return Ok(Entry::Words(None));
    }
    let path = relative(text).ok().filter(|path| !path.is_empty());
    let there = path.as_ref().is_some_and(|path| tree.has(path.as_bytes()));
    let words = || Entry::Words(path.clone().map(String::into_bytes));
    if spaced && !text.starts_with('"') {
        return Ok(path.as_ref().filter(|_| there).map_or_else(words, |path| of_path(path, text)));
    }
    let shaped = text.contains(['/', '\\', '*', '?', '[', '{', '"', '~'])
        || text.trim_end_matches(['.', '!', '?', ',', ';', ':']).contains('.')
        || matches!(text, "." | "..")
        || text.starts_with('!');
    if !shaped && !there {
        return Ok(words());
    }
    of_macro(text)
}

/// What an entry of a macro is: a path, a glob or another macro, and never words.
pub(super) fn of_macro(text: &str) -> Result<Entry, Flaw> {
    let text = bare(text);
    if let Some(name) = text.strip_prefix(':') {
        return Ok(Entry::Macro(name.to_owned()));
    }
    if text.starts_with('!') {
        let what = "'!' excludes nothing here".to_owned();
        return Err((what, "put what is not meant below 'out:', without the '!'"));
    }
    if text.starts_with('"') {
        return quoted(text);
    }
    let refused = |why: &str| (format!("it is refused: {why}"), super::RELATIVE);
    let path = relative(text).map_err(refused)?;
    if !is_glob(&path) {
        return Ok(of_path(&path, text));
    }
    if path.len() > MAX_GLOB {
        return Err((format!("the glob has more than {MAX_GLOB} bytes"), "write several"));
    }
    let path = if ends_open(text) { format!("{path}/**") } else { path };
    let glob = GlobBuilder::new(&path)
        .literal_separator(true)
        .backslash_escape(true)
        .empty_alternates(true)
        .build();
    // Building it shows whether it can be matched.
    match glob.and_then(|glob| GlobSet::new([glob.clone()]).map(|_| glob)) {
        Ok(glob) => Ok(Entry::Glob(Box::new(glob))),
        Err(error) => {
            let what = format!("it is no glob: {}", error.kind());
            Err((what, "close every bracket, or put '\\' before one that is part of a name"))
        }
    }
}

/// A path in quotes, as git writes one that is no text.
fn quoted(text: &str) -> Result<Entry, Flaw> {
    let path = path::from_quoted(text).map_err(|_| {
        ("it begins with a quote and is no path as git writes it".to_owned(), "leave the quote out")
    })?;
    let mut parts = path.as_bytes().split(|byte| *byte == b'/');
    if parts.any(|part| matches!(part, b"" | b"." | b"..")) {
        return Err((
            "it is refused: it leads out of the repository, or may".to_owned(),
            super::RELATIVE,
        ));
    }
    Ok(Entry::Path(path.as_bytes().to_vec()))
}

fn of_path(path: &str, written: &str) -> Entry {
    let bytes = path.as_bytes().to_vec();
    if ends_open(written) && !path.is_empty() { Entry::Folder(bytes) } else { Entry::Path(bytes) }
}

fn ends_open(text: &str) -> bool {
    text.ends_with(['/', '\\'])
}

fn is_glob(path: &str) -> bool {
    path.contains(['*', '?', '[', '{'])
}

/// The text without spaces and backticks around it.
fn bare(text: &str) -> &str {
    let text = text.trim();
    let inner = text.strip_prefix('`').and_then(|text| text.strip_suffix('`'));
    inner.filter(|inner| !inner.contains('`')).unwrap_or(text)
}
