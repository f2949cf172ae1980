//! Nothing that looks like a secret is written, unless a person insists; then that is written
//! too. The secret itself is neither shown nor stored by us.

use countersign_domain::secret::Scanner;

use crate::Engine;
use crate::error::{Error, Kind, Result};

/// How many places an error names.
const MOST_NAMED: usize = 5;

/// What was let through: the names of the rules that found it.
#[derive(Debug, Default)]
pub(crate) struct Screened {
    pub(super) rules: Vec<String>,
}

impl Engine {
    /// Looks for secrets in texts that are about to be stored; each has a name to speak of it.
    pub(crate) fn screen(
        &mut self,
        texts: &[(&str, Option<&str>)],
        is_forced: bool,
    ) -> Result<Screened> {
        let given = texts.iter().filter_map(|(name, text)| Some((*name, (*text)?.as_bytes())));
        self.screen_bytes(given, is_forced)
    }

    /// As [`Engine::screen`], for what may be no text.
    pub(super) fn screen_bytes<'b>(
        &mut self,
        given: impl IntoIterator<Item = (&'b str, &'b [u8])>,
        is_forced: bool,
    ) -> Result<Screened> {
        let scanner = Scanner::builtin();
        let mut places = Vec::new();
        let mut rules = Vec::new();
        for (name, bytes) in given {
            for found in scanner.scan(bytes) {
                places.push(format!("{name}, line {}: {}", found.line, found.words));
                rules.push(found.rule.to_owned());
            }
        }
        rules.sort();
        rules.dedup();
        if places.is_empty() {
            return Ok(Screened::default());
        }
        if is_forced {
            let names = rules.join(", ");
            self.notices.push(format!("stored although it looks like a secret: {names}"));
            return Ok(Screened { rules });
        }
        let more = places.len().saturating_sub(MOST_NAMED);
        places.truncate(MOST_NAMED);
        let more = if more > 0 { format!("; and {more} more") } else { String::new() };
        let message = format!("this looks like a secret: {}{more}", places.join("; "));
        Err(Error::new(Kind::Refused, message).hint(
            "take it out and, if it is real, revoke it; commands that have --force-secrets store \
             it all the same with it, and put that on the record",
        ))
    }
}

impl Engine {
    /// Looks for secrets in what a role adds, before any of it is kept.
    pub(super) fn screen_work(&mut self, patch: &[u8], is_forced: bool) -> Result<Screened> {
        let found = added(patch);
        if found.is_empty() {
            return Ok(Screened::default());
        }
        let mut rules: Vec<String> = found.iter().map(|one| one.rule.clone()).collect();
        rules.sort();
        rules.dedup();
        if is_forced {
            let names = rules.join(", ");
            self.notices.push(format!("handed over although it looks like a secret: {names}"));
            return Ok(Screened { rules });
        }
        let more = found.len().saturating_sub(MOST_NAMED);
        let mut lines: Vec<String> = found.into_iter().map(|one| one.words).collect();
        lines.truncate(MOST_NAMED);
        if more > 0 {
            lines.push(format!("and {more} more"));
        }
        let message = format!("the work has what looks like a secret:\n  {}", lines.join("\n  "));
        Err(Error::new(Kind::Refused, message).hint(
            "nothing was recorded; take it out and, if it is real, revoke it; --force-secrets hands \
             it over all the same, and that is put on the record",
        ))
    }
}

/// Secrets that a patch adds, by file.
pub(super) fn added_secrets(patch: &[u8]) -> Vec<String> {
    added(patch).into_iter().map(|one| one.words).collect()
}

/// A secret that a patch adds.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Added {
    words: String,
    rule: String,
}

fn added(patch: &[u8]) -> Vec<Added> {
    let scanner = Scanner::builtin();
    let mut all = Vec::new();
    let mut file = String::new();
    let mut added = Vec::new();
    let mut tell = |path: &str, added: &mut Vec<u8>| {
        all.extend(scanner.scan(added).iter().map(|found| Added {
            words: format!("{path} adds what looks like a secret: {}", found.words),
            rule: found.rule.to_owned(),
        }));
        added.clear();
    };
    for line in patch.split_inclusive(|byte| *byte == b'\n') {
        if line.starts_with(b"diff --git ") {
            tell(&file, &mut added);
        } else if let Some(name) = line.strip_prefix(b"+++ b/") {
            file = String::from_utf8_lossy(name).trim_end().to_owned();
        } else if let Some(text) = line.strip_prefix(b"+") {
            added.extend_from_slice(text);
        }
    }
    tell(&file, &mut added);
    all.sort();
    all.dedup();
    all
}
