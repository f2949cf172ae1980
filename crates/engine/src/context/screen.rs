//! Nothing that looks like a secret is written, unless a person insists; then that is written
//! too. The secret itself is neither shown nor stored by us.

use countersign_domain::secret::Scanner;

use crate::Engine;
use crate::error::{Error, Kind, Result};

/// How many places an error names.
const MOST_NAMED: usize = 5;

/// What was let through: the names of the rules that found it.
#[derive(Debug, Default)]
pub(super) struct Screened {
    pub(super) rules: Vec<String>,
}

impl Engine {
    /// Looks for secrets in texts that are about to be stored; each has a name to speak of it.
    pub(super) fn screen(
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
            "take it out and, if it is real, revoke it; --force-secrets stores it all the same, \
             and that is put on the record",
        ))
    }
}

/// Secrets that a patch adds, by file.
pub(super) fn added_secrets(patch: &[u8]) -> Vec<String> {
    let scanner = Scanner::builtin();
    let mut warnings = Vec::new();
    let mut file = String::new();
    let mut added = Vec::new();
    let mut tell = |path: &str, added: &mut Vec<u8>| {
        let secrets = scanner.scan(added);
        warnings.extend(
            secrets.iter().map(|s| format!("{path} adds what looks like a secret: {}", s.words)),
        );
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
    warnings.sort();
    warnings.dedup();
    warnings
}
