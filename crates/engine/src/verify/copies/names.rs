//! What the project calls itself, and what packages of that name have.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use countersign_git::Listed;

use super::super::Work;
use crate::error::Result;
use crate::regular;

/// The largest list of a package's files that is read.
const MOST_RECORDED: u64 = 32 << 20;

/// The folders of the manifests of these trees, each with the name of its package.
pub(super) fn own(work: &Work<'_>, trees: [&[Listed]; 2]) -> Result<BTreeSet<(String, String)>> {
    let (mut names, mut read) = (BTreeSet::new(), BTreeSet::new());
    for one in trees.into_iter().flatten() {
        let Some(file) = one.path.file_name().and_then(|name| name.to_str()) else { continue };
        let is_manifest = matches!(file, "pyproject.toml" | "setup.cfg" | "setup.py");
        // Most of them are the same in both.
        if !is_manifest || !read.insert((&one.path, one.side.object.as_str())) {
            continue;
        }
        let text = String::from_utf8_lossy(&work.content(&one.side.object)?).into_owned();
        let folder = one.path.parent().and_then(Path::to_str).unwrap_or_default();
        names.extend(name_in(file, &text).map(|name| (folder.to_owned(), normal(&name))));
    }
    Ok(names)
}

fn name_in(file: &str, text: &str) -> Option<String> {
    if file == "pyproject.toml" {
        let table: toml::Table = text.parse().ok()?;
        let poetry = table.get("tool").and_then(|tool| tool.get("poetry"));
        let name = table.get("project").or(poetry)?.get("name")?;
        return name.as_str().map(str::to_owned);
    }
    // `name = calc` of a section, or `name="calc",` of a call.
    let said = text.lines().find_map(|line| {
        let rest = line.trim().strip_prefix("name")?.trim_start().strip_prefix('=')?;
        Some(rest.trim().trim_end_matches(',').trim_matches(['"', '\'']).to_owned())
    });
    said.filter(|name| !name.is_empty())
}

/// The one way of writing a name, of many.
fn normal(name: &str) -> String {
    let parts = name.split(['-', '_', '.']).filter(|part| !part.is_empty());
    parts.collect::<Vec<_>>().join("-").to_lowercase()
}

/// The modules that the package `name` brought into `site`, by file; `None` if it is not there, or is
/// only a way to them.
pub(super) fn files_of(site: &Path, name: &str) -> Option<Vec<String>> {
    for entry in fs::read_dir(site).into_iter().flatten().flatten() {
        let folder = entry.file_name().to_string_lossy().into_owned();
        let Some(package) = folder.strip_suffix(".dist-info") else { continue };
        if normal(package.split('-').next().unwrap_or(package)) != name {
            continue;
        }
        let record = regular::read(&entry.path().join("RECORD"), MOST_RECORDED).unwrap_or_default();
        let record = String::from_utf8_lossy(&record);
        let files: Vec<String> = record.lines().filter_map(module).collect();
        if !files.is_empty() {
            return Some(files);
        }
    }
    None
}

/// The file of a line of a record, if it is a module that lies among the packages.
fn module(line: &str) -> Option<String> {
    let path = line.split(',').next().unwrap_or(line).trim_matches('"');
    let is_module = [".py", ".so", ".pyd"].iter().any(|end| path.ends_with(end));
    let is_link = path.starts_with("__editable__") || path.starts_with("_editable_impl");
    let is_beside =
        path.starts_with("../") || path.starts_with('/') || path.contains(".dist-info/");
    (is_module && !is_link && !is_beside).then(|| path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_project_calls_itself() {
        let name = |file, text| name_in(file, text).map(|name| normal(&name));
        assert_eq!(
            name("pyproject.toml", "[project]\nname = \"My.Calc\"").as_deref(),
            Some("my-calc")
        );
        assert_eq!(name("pyproject.toml", "[tool.poetry]\nname = \"a_b\"").as_deref(), Some("a-b"));
        assert_eq!(name("setup.cfg", "[metadata]\nname = calc\n").as_deref(), Some("calc"));
        assert_eq!(name("setup.py", "setup(\n    name='calc',\n)").as_deref(), Some("calc"));
        assert_eq!(name("pyproject.toml", "[tool.ruff]\n"), None);
        assert_eq!(name("pyproject.toml", "not toml ["), None);
    }

    /// LP-13: a copy of the project has modules, a link to it has none.
    #[test]
    fn copies_are_told_from_links() {
        let folder = tempfile::tempdir().unwrap();
        let facts = folder.path().join("My_Calc-0.1.dist-info");
        fs::create_dir(&facts).unwrap();
        let files = |record: &str| {
            fs::write(facts.join("RECORD"), record).unwrap();
            files_of(folder.path(), "my-calc").unwrap_or_default()
        };
        let copy = "../../../bin/calc.py,,\nmy_calc/__init__.py,sha256=x,1\nmy_calc/a.txt,,\n";
        assert_eq!(files(copy), ["my_calc/__init__.py"]);
        let link = "__editable__.my_calc-0.1.pth,,\n__editable___my_calc_finder.py,,\n";
        assert!(files(link).is_empty());
        assert!(files("_my_calc.pth,,\n").is_empty());
        assert!(files_of(folder.path(), "calc").is_none());
    }
}
