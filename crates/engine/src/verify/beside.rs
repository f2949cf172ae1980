//! Packages that show how the project is used: they lie beside it and are no part of what is verified.

use countersign_domain::verify::Checked;

use super::Work;
use crate::error::Result;

/// What folders are called that hold such packages.
const FOLDERS: [&str; 9] = [
    "examples",
    "example",
    "fixtures",
    "__fixtures__",
    "demo",
    "demos",
    "docs",
    "samples",
    "playground",
];

/// Files that say which folders are members of the whole, and the word that says that they do.
const WHOLES: [(&str, &str); 5] = [
    ("package.json", "\"workspaces\""),
    ("pnpm-workspace.yaml", "packages"),
    ("lerna.json", "packages"),
    ("Cargo.toml", "[workspace]"),
    ("go.work", "use"),
];

/// Marks the checks of such packages, unless something in them was changed.
pub(super) fn mark(work: &Work<'_>, checks: &mut [Checked], changed: &[String]) -> Result<()> {
    let is_own = |check: &Checked| check.is_test() && shown_in(&check.folder).is_none();
    // Where nothing else is tested, these are all that there is.
    if checks.iter().all(|check| shown_in(&check.folder).is_none()) || !checks.iter().any(is_own) {
        return Ok(());
    }
    let listed = work.engine.repository.list(&work.terms.base_tree)?;
    let mut wholes = Vec::new();
    for one in listed.iter() {
        let Some(path) = one.path.to_str() else { continue };
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let Some((_, sign)) = WHOLES.iter().find(|(whole, _)| *whole == name) else { continue };
        if checks.iter().any(|check| rest_below(&check.folder, folder).is_some()) {
            let text = String::from_utf8_lossy(&work.content(&one.side.object)?).into_owned();
            if text.contains(sign) {
                wholes.push((folder.to_owned(), text));
            }
        }
    }
    for check in checks {
        check.is_beside = is_beside(&check.folder, &wholes, changed);
    }
    Ok(())
}

/// Whether a folder is one of an example: no file above it names it as a member, and nothing in it was changed.
fn is_beside(folder: &str, wholes: &[(String, String)], changed: &[String]) -> bool {
    let Some(word) = shown_in(folder) else { return false };
    let names = |(above, text): &(String, String)| {
        // Whoever takes in everything takes in the examples, too.
        rest_below(folder, above).is_some()
            && (text.contains(word) || text.contains("\"*") || text.contains("**"))
    };
    let is_touched = changed.iter().any(|path| rest_below(path, folder).is_some());
    !wholes.iter().any(names) && !is_touched
}

/// The part of a folder's path that says that it holds examples.
fn shown_in(folder: &str) -> Option<&str> {
    folder.split('/').find(|part| FOLDERS.contains(part))
}

/// The rest of a path below a folder; nothing if it does not lie there.
fn rest_below<'p>(path: &'p str, folder: &str) -> Option<&'p str> {
    if folder.is_empty() {
        return (!path.is_empty()).then_some(path);
    }
    path.strip_prefix(folder)?.strip_prefix('/')
}

#[cfg(test)]
mod tests {
    use super::*;

    /// VC-08: examples are none of the project's own packages, unless it says so or they are changed.
    #[test]
    fn packages_that_show_the_project() {
        let check = |folder: &str, whole: Option<&str>, changed: &str, is: bool| {
            let wholes: Vec<_> =
                whole.map(|text| (String::new(), text.to_owned())).into_iter().collect();
            assert_eq!(
                is_beside(folder, &wholes, &[changed.to_owned()]),
                is,
                "{folder} {whole:?} {changed}"
            );
        };
        check("examples/jest", None, "lib/a.js", true);
        check("packages/a/fixtures/b", None, "lib/a.js", true);
        check("examples/jest", None, "examples/jest/a.js", false);
        check("examples/jest", None, "examples/jester/a.js", true);
        check("", None, "lib/a.js", false);
        check("packages/a", None, "lib/a.js", false);
        check("examples/a", Some("\"workspaces\": [\"packages/*\"]"), "lib/a.js", true);
        check(
            "examples/a",
            Some("\"workspaces\": [\"packages/*\", \"examples/*\"]"),
            "lib/a.js",
            false,
        );
        check("examples/a", Some("\"workspaces\": [\"**\"]"), "lib/a.js", false);
        check("examples/a", Some("[workspace]\nmembers = [\"*\"]"), "src/a.rs", false);
    }
}
