//! Which findings a person has allowed.

use countersign_domain::gaming::Allow;

use super::Work;
use crate::config::{Origin, PROJECT_FILE};
use crate::error::{Error, Kind, Result};

/// The permissions that count: those of the user, and those that the project's file had before the
/// work began.
pub(super) fn allows(work: &Work<'_>) -> Result<Vec<Allow>> {
    let engine = &*work.engine;
    let is_projects =
        matches!(engine.settings.values.get("verify.allow"), Some((_, Origin::Project(_))));
    let lines =
        if is_projects { of_base(work)? } else { engine.settings.config.verify.allow.clone() };
    lines.iter().map(|line| read(line)).collect()
}

/// The permissions in the project's file, as it is in the base.
fn of_base(work: &Work<'_>) -> Result<Vec<String>> {
    let repository = &work.engine.repository;
    let listed = repository.list(&work.terms.base_tree)?;
    let Some(file) = listed.iter().find(|one| one.path.as_os_str() == PROJECT_FILE) else {
        return Ok(Vec::new());
    };
    let text = String::from_utf8_lossy(&work.content(&file.side.object)?).into_owned();
    let Ok(table) = text.parse::<toml::Table>() else { return Ok(Vec::new()) };
    let allow = table.get("verify").and_then(|verify| verify.get("allow"));
    let lines = allow.and_then(toml::Value::as_array).into_iter().flatten();
    Ok(lines.filter_map(|line| line.as_str().map(str::to_owned)).collect())
}

/// Reads `RULE GLOB…: reason`.
fn read(line: &str) -> Result<Allow> {
    let wrong = |why: &str| {
        Error::new(Kind::Usage, format!("verify.allow: '{line}': {why}"))
            .hint("write \"G16 tests/__snapshots__/**: why it is all right\"")
    };
    let (what, reason) = line.split_once(": ").ok_or_else(|| wrong("there is no reason"))?;
    let mut words = what.split_whitespace();
    let rule = words.next().and_then(|word| word.parse().ok());
    let rule = rule.ok_or_else(|| wrong("it does not begin with a rule, such as G16"))?;
    if reason.trim().is_empty() {
        return Err(wrong("there is no reason"));
    }
    Ok(Allow { rule, paths: words.map(str::to_owned).collect(), reason: reason.trim().to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_permission_has_a_rule_and_a_reason() {
        let good = read("G16 a/** b.snap: the new header").unwrap();
        assert_eq!((good.rule.id(), good.reason.as_str()), ("G16", "the new header"));
        assert_eq!(good.paths, ["a/**", "b.snap"]);
        assert!(read("G46: asked").unwrap().paths.is_empty());
        for wrong in ["G16 a/**", "G16 a/**: ", "a/**: why", "", ": why", "G99: x"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
