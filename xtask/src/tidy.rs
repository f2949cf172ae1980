//! The rules of the house, as tests.
//!
//! A rule is a pure function over one file or over the manifests, and returns where it is
//! broken. To add one: write it next to the others with a good and a bad example, and put it
//! into [`RULES`]. A line is exempt from a rule when it, or the line above it, says
//! `tidy: allow <rule>: <reason>`.

mod access;
mod arrows;
mod documents;
pub(crate) mod files;
mod finding;
mod leftovers;
mod lexer;
mod manifests;
mod names;
mod owners;
mod packages;
mod shape;
mod source;
mod words;

use std::path::Path;
use std::process::ExitCode;

use finding::{Finding, Level};
use packages::Package;
use source::Source;

pub(crate) const VERB: crate::Verb = crate::Verb {
    name: "tidy",
    about: "Check the rules that no compiler knows: arrows, names, sizes, documents",
    run: |root, words| {
        if let Some(code) = crate::refuse_words("tidy", words) {
            return Ok(code);
        }
        Ok(if run(root)? { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    },
};

type FileRule = fn(&Source<'_>) -> Vec<Finding>;
type ManifestRule = fn(&[Package]) -> Vec<Finding>;

/// Rules about one file.
const RULES: &[FileRule] = &[
    access::check_programs,
    access::check_database,
    access::check_prints,
    documents::check,
    leftovers::check_code,
    leftovers::check_sleeps,
    leftovers::check_comments,
    names::check,
    shape::check_size,
    shape::check_head,
    words::check_machine,
    words::check_hosts,
    words::check_process,
];

/// Rules about our crates and what they depend on.
const MANIFEST_RULES: &[ManifestRule] = &[arrows::check, manifests::check, owners::check];

/// Checks the workspace, prints what is wrong and returns whether nothing fails.
pub(crate) fn run(root: &Path) -> anyhow::Result<bool> {
    let findings = check(root)?;
    for finding in &findings {
        println!("{finding}");
    }
    let fails = findings.iter().filter(|finding| finding.level == Level::Fail).count();
    let warnings = findings.len() - fails;
    println!("tidy: {fails} to put right, {warnings} to look at");
    Ok(fails == 0)
}

/// Everything that is wrong in the workspace: what fails comes last, where it is read first.
fn check(root: &Path) -> anyhow::Result<Vec<Finding>> {
    let packages = packages::read(root)?;
    let mut findings: Vec<Finding> =
        MANIFEST_RULES.iter().flat_map(|rule| rule(&packages)).collect();
    let paths = files::list(root)?;
    findings.extend(documents::check_presence(&paths, files::lock_is_committed(root)));
    for path in &paths {
        // What isn't text is data, and no rule speaks about data.
        let Ok(text) = std::fs::read_to_string(root.join(path)) else {
            continue;
        };
        let source = Source::new(path, &text);
        findings.extend(RULES.iter().flat_map(|rule| rule(&source)));
        if path == "docs/DEPENDENCIES.md" {
            findings.extend(documents::check_dependencies(&source, &packages));
        }
    }
    findings.sort_by(|a, b| (a.level, &a.path, a.line).cmp(&(b.level, &b.path, b.line)));
    Ok(findings)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_workspace_is_tidy() {
        let root = crate::root::find().unwrap();
        let findings = check(&root).unwrap();
        let fails: Vec<String> = findings
            .iter()
            .filter(|finding| finding.level == Level::Fail)
            .map(Finding::to_string)
            .collect();
        assert!(fails.is_empty(), "\n{}\n", fails.join("\n"));
    }

    #[test]
    fn rules_are_about_code_and_not_about_what_it_mentions() {
        let text = "//! A.\n\nconst A: &str = \"#[ignore] dbg!() println!() rusqlite::open\";\n";
        let source = Source::new("crates/engine/src/a.rs", text);
        assert!(RULES.iter().all(|rule| rule(&source).is_empty()));
    }
}
