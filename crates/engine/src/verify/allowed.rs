//! Which findings a person has allowed.

use countersign_domain::gaming::Allow;
use countersign_domain::scope;
use countersign_domain::verify::{Due, Reason, Weight};

use super::Work;
use crate::error::{Error, Kind, Result};

/// The activity of commands that the user gave: what they call may well be the work itself.
const OWN: &str = "check";

/// What a line of `verify.allow` begins with that is about protected files.
const PROTECTED: &str = "protected";

/// What a person allowed.
#[derive(Debug, Default)]
pub(super) struct Allowed {
    pub rules: Vec<Allow>,
    /// Globs, each with the reason.
    protected: Vec<(String, String)>,
}

/// The permissions that count: those of the user, and those that the project's file had before the
/// work began.
pub(super) fn allows(work: &Work<'_>) -> Result<Allowed> {
    let mut allowed = Allowed::default();
    for line in &work.engine.settings.config.verify.allow {
        let wrong = |why| Error::new(Kind::Usage, format!("verify.allow: '{line}': {why}"));
        match read(line).map_err(wrong)? {
            Line::Rule(allow) => allowed.rules.push(allow),
            Line::Protected(globs, reason) => {
                allowed.protected.extend(globs.into_iter().map(|glob| (glob, reason.clone())));
            }
        }
    }
    Ok(allowed)
}

impl Work<'_> {
    /// Whether the user named the file among those that work must leave alone.
    pub(super) fn is_protected(&self, path: &str) -> bool {
        let globs = &self.engine.settings.config.verify.protected;
        globs.iter().any(|glob| scope::is_match(glob, path))
    }

    /// Whether the base's version of a file is used in the clean room whatever its role: it is
    /// protected, or a script that the project's own way to test calls.
    pub(super) fn is_put_back(&self, path: &str) -> bool {
        let is_script = [".sh", ".bash", ".bat", ".ps1"].iter().any(|end| path.ends_with(end));
        let calls = |due: &Due| {
            let inside = path.strip_prefix(&format!("{}/", due.folder)).unwrap_or(path);
            let said = due.command.split_whitespace().chain(due.why.split_whitespace());
            due.activity != OWN && said.map(bare).any(|word| word == path || word == inside)
        };
        self.is_protected(path) || (is_script && self.terms.checks.iter().any(calls))
    }
}

/// A word of a command as the path that it may be.
fn bare(word: &str) -> &str {
    let word = word.trim_matches(['"', '\'', ';', ',', '(', ')', '&', '|', '@']);
    word.strip_prefix("./").unwrap_or(word)
}

/// What is to be said about changes of protected files: words of a task don't allow them.
pub(super) fn protected(work: &Work<'_>, allowed: &Allowed, changed: &[String]) -> Vec<Reason> {
    let named = changed.iter().filter(|path| work.is_protected(path));
    let said = named.map(|path| {
        let mut permissions = allowed.protected.iter();
        match permissions.find(|(glob, _)| scope::is_match(glob, path)) {
            Some((_, reason)) => Reason {
                weight: Weight::Note,
                text: format!("{path} is protected and was changed; allowed: {reason}"),
            },
            None => Reason {
                weight: Weight::Ask,
                text: format!("{path} is protected (verify.protected) and was changed"),
            },
        }
    });
    said.collect()
}

/// One line of `verify.allow`.
#[derive(Debug)]
enum Line {
    Rule(Allow),
    Protected(Vec<String>, String),
}

/// What is wrong with a line of `verify.allow`, if something is.
pub(crate) fn check(line: &str) -> std::result::Result<(), &'static str> {
    read(line).map(|_| ())
}

/// Reads `RULE GLOB…: reason`, or the same with `protected` in the place of a rule.
fn read(line: &str) -> std::result::Result<Line, &'static str> {
    let (what, reason) = line.split_once(": ").ok_or("there is no reason")?;
    let mut words = what.split_whitespace();
    let first = words.next().unwrap_or_default();
    let paths: Vec<String> = words.map(str::to_owned).collect();
    let reason = reason.trim().to_owned();
    if reason.is_empty() {
        return Err("there is no reason");
    }
    if first == PROTECTED {
        return if paths.is_empty() {
            Err("it names no files")
        } else {
            Ok(Line::Protected(paths, reason))
        };
    }
    let rule = first.parse().ok();
    let rule = rule.ok_or("it does not begin with a rule, such as G16")?;
    Ok(Line::Rule(Allow { rule, paths, reason }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_permission_has_a_rule_and_a_reason() {
        let rule = |line: &str| match read(line).unwrap() {
            Line::Rule(allow) => allow,
            Line::Protected(..) => panic!("{line}"),
        };
        let good = rule("G16 a/** b.snap: the new header");
        assert_eq!((good.rule.id(), good.reason.as_str()), ("G16", "the new header"));
        assert_eq!(good.paths, ["a/**", "b.snap"]);
        assert!(rule("G46: asked").paths.is_empty());
        assert!(matches!(read("protected a/**: asked"), Ok(Line::Protected(..))));
        for wrong in
            ["G16 a/**", "G16 a/**: ", "a/**: why", "", ": why", "G99: x", "protected: why"]
        {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
