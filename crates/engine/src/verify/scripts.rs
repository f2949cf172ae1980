//! Scripts of a `package.json`: what stands behind `npm run test` is taken from the base, because
//! the file that was handed over was the work's to write.

use countersign_domain::verify::Due;

use super::Work;
use crate::error::Result;

/// What finds installed programs first, as package managers do.
const INSTALLED: &str = "export PATH=\"$PWD/node_modules/.bin:$PATH\"; ";

/// The command to run for `due`.
pub(super) fn resolve(work: &Work<'_>, due: &Due) -> Result<String> {
    let Some(script) = script_of(&due.command) else { return Ok(due.command.clone()) };
    let folder = &due.folder;
    let path =
        if folder.is_empty() { "package.json".into() } else { format!("{folder}/package.json") };
    for tree in [&work.terms.base_tree, &work.tree] {
        let listed = work.engine.repository.list(tree)?;
        let Some(file) = listed.iter().find(|one| one.path.to_str() == Some(&path)) else {
            continue;
        };
        let manifest = work.content(&file.side.object)?;
        let Ok(manifest) = serde_json::from_slice::<serde_json::Value>(&manifest) else { continue };
        if let Some(text) = manifest["scripts"][&script].as_str() {
            return Ok(format!("{INSTALLED}{text}"));
        }
    }
    Ok(due.command.clone())
}

/// The script that a command of a package manager runs, if that is all it does.
fn script_of(command: &str) -> Option<String> {
    let words: Vec<&str> = command.split_whitespace().collect();
    match words[..] {
        ["npm" | "pnpm" | "yarn", "t" | "tst"] => Some("test".to_owned()),
        ["npm" | "pnpm" | "yarn" | "bun", "run" | "run-script", name]
        | ["npm" | "pnpm" | "yarn", name @ ("test" | "start")] => Some(name.to_owned()),
        ["pnpm" | "yarn", name] if !name.starts_with('-') => Some(name.to_owned()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_scripts_run() {
        let check = |command: &str, script: Option<&str>| {
            assert_eq!(script_of(command).as_deref(), script, "{command}");
        };
        check("npm run test", Some("test"));
        check("npm test", Some("test"));
        check("pnpm lint", Some("lint"));
        check("yarn run unit", Some("unit"));
        check("npm ci", None);
        check("npm run test -- --watch", None);
        check("make test", None);
    }
}
