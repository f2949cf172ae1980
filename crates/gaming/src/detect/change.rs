//! A changed file, read once for all detectors.

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::OnceLock;

use countersign_domain::gaming::{Basis, Finding, Rule};

use super::Changed;
use crate::language::Language;
use crate::lines::Lines;
use crate::mask;
use crate::outline::{self, Outline};
use crate::role::{Role, role};

/// Larger files are looked at by their beginning.
const MAX_BYTES: usize = 4_000_000;

/// A changed file. What is gone has an empty text.
#[derive(Debug)]
pub(crate) struct Change<'a> {
    pub(crate) path: &'a str,
    pub(crate) role: Role,
    pub(crate) language: Language,
    /// As it was, also if it had another name.
    pub(crate) before: Option<Cow<'a, str>>,
    pub(crate) after: Option<Cow<'a, str>>,
    pub(crate) is_binary: bool,
    /// There was no file of this name.
    pub(crate) came: bool,
    /// The file is new, and not only renamed.
    pub(crate) is_new: bool,
    pub(crate) was: Outline,
    pub(crate) is: Outline,
    /// Both texts without comments. Dozens of detectors ask for them.
    plain_before: OnceLock<String>,
    plain_after: OnceLock<String>,
}

/// A line of a file as it is now.
pub(crate) struct Line<'c> {
    pub(crate) number: u32,
    pub(crate) text: &'c str,
    /// Without comments.
    pub(crate) code: &'c str,
    pub(crate) is_new: bool,
    pub(crate) is_test: bool,
}

/// Every file that really changed, with renamed ones put together.
pub(super) fn read<'a>(changes: &[Changed<'a>]) -> Vec<Change<'a>> {
    let differ = changes.iter().filter(|change| change.before != change.after);
    let files: Vec<Changed<'a>> = differ.copied().collect();
    let gone: Vec<&Changed<'a>> = files.iter().filter(|change| change.after.is_none()).collect();
    let read = |change: &Changed<'a>| {
        let came = change.before.is_none();
        let origin = if came { origin(change, &gone) } else { None };
        Change::of(change, origin)
    };
    files.iter().map(read).collect()
}

/// The file that a new one was before it was renamed.
fn origin<'a>(change: &Changed<'a>, gone: &[&Changed<'a>]) -> Option<&'a [u8]> {
    let after = change.after?;
    let name = |path: &'a str| path.rsplit('/').next().unwrap_or(path);
    let same = gone.iter().find(|other| other.before == Some(after));
    let named = || gone.iter().find(|other| name(other.path) == name(change.path));
    let alike = || {
        let lines: HashSet<&[u8]> = after.split(|byte| *byte == b'\n').take(5_000).collect();
        gone.iter().take(50).find(|other| {
            let old = other.before.unwrap_or(&[]).split(|byte| *byte == b'\n').take(5_000);
            let (mut all, mut kept) = (0_usize, 0_usize);
            for line in old.filter(|line| line.len() > 3) {
                all += 1;
                kept += usize::from(lines.contains(line));
            }
            Language::of(other.path) == Language::of(change.path) && all > 2 && kept * 10 >= all * 6
        })
    };
    same.or_else(named).or_else(alike).and_then(|other| other.before)
}

impl<'a> Change<'a> {
    fn of(change: &Changed<'a>, origin: Option<&'a [u8]>) -> Self {
        let bytes = change.after.or(change.before).unwrap_or(&[]);
        let is_binary = bytes.iter().take(8_000).any(|byte| *byte == 0);
        let text = |bytes: &'a [u8]| {
            if is_binary {
                return Cow::Borrowed("");
            }
            String::from_utf8_lossy(bytes.get(..MAX_BYTES).unwrap_or(bytes))
        };
        let before = change.before.or(origin).map(text);
        let after = change.after.map(text);
        // A renamed file had its tests under the old name, and they are read there.
        let old = change.before.map(text);
        let read = |text: &Option<Cow<'a, str>>| {
            text.as_deref().map(|text| outline::read(change.path, text))
        };
        let (mut was, mut is) = (read(&old).unwrap_or_default(), read(&after).unwrap_or_default());
        if let (Some(old), Some(new), true) = (&old, &after, was.parsed != is.parsed) {
            // What was read in two ways can't be compared.
            was = outline::read_text(change.path, old);
            is = outline::read_text(change.path, new);
        }
        Self {
            path: change.path,
            role: role(change.path),
            language: Language::of(change.path),
            came: change.before.is_none(),
            is_new: change.before.is_none() && origin.is_none(),
            was,
            is,
            before,
            after,
            is_binary,
            plain_before: OnceLock::new(),
            plain_after: OnceLock::new(),
        }
    }

    pub(crate) fn old(&self) -> &str {
        self.before.as_deref().unwrap_or("")
    }

    pub(crate) fn current(&self) -> &str {
        self.after.as_deref().unwrap_or("")
    }

    /// The old text without comments.
    pub(crate) fn plain_old(&self) -> &str {
        self.plain_before.get_or_init(|| mask::without_comments(self.old(), self.language))
    }

    /// The current text without comments.
    pub(crate) fn plain(&self) -> &str {
        self.plain_after.get_or_init(|| mask::without_comments(self.current(), self.language))
    }

    /// The lines of the current text, in order.
    pub(crate) fn all_lines(&self) -> impl Iterator<Item = Line<'_>> {
        let lines = self.lines();
        let mut offset = 0;
        let texts = self.current().split('\n').zip(self.plain().split('\n'));
        (1..).zip(texts).map(move |(number, (text, code))| {
            let is_test = self.is_test_at(offset);
            offset += text.len() + 1;
            Line { number, text, code, is_new: lines.is_added(number), is_test }
        })
    }

    pub(crate) fn lines(&self) -> Lines<'_> {
        Lines::of(self.old(), self.current())
    }

    pub(crate) fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or(self.path)
    }

    /// Whether a byte of the new text belongs to test code.
    pub(crate) fn is_test_at(&self, at: usize) -> bool {
        self.role == Role::Test || self.is.inline.iter().any(|range| range.contains(&at))
    }

    pub(crate) fn text(&self, rule: Rule, line: u32, message: impl Into<String>) -> Finding {
        let line = (line > 0).then_some(line);
        Finding::new(rule, Basis::Text, message).at(self.path, line)
    }

    pub(crate) fn structure(&self, rule: Rule, line: u32, message: impl Into<String>) -> Finding {
        Finding::new(rule, Basis::Structure, message).at(self.path, Some(line))
    }
}
