//! Packages of the Pythons that checks use: a list by which another installation is known, and whether
//! the project itself is among them as a copy, so that tests may never see what was handed over.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use countersign_domain::Digest;
use countersign_domain::verify::{Reason, Weight};
use countersign_git::Listed;

use super::borrow::Borrowed;
use super::{Work, mirror};
use crate::error::Result;
use crate::regular;

/// The largest list of a package's files that is read.
const MOST_RECORDED: u64 = 32 << 20;

/// How many files that lie elsewhere are looked at.
const MOST_ELSEWHERE: usize = 20_000;

/// What is installed in the folder `site`: names, and when each package was installed.
pub(super) fn listing(site: &Path, root: &Path) -> Digest {
    let mut lines = Vec::new();
    for entry in fs::read_dir(site).into_iter().flatten().flatten() {
        let name = entry.file_name();
        if name == "__pycache__" {
            continue;
        }
        let path = entry.path();
        let record = path.join("RECORD");
        let is_package =
            path.extension().is_some_and(|end| end == "dist-info" || end == "egg-info");
        // Python writes what it made of a package beside it; the list of its files stays.
        let looked_at = if is_package && record.is_file() { &record } else { &path };
        let meta = fs::metadata(looked_at).ok();
        let meta = meta.filter(|meta| meta.is_file() || is_package);
        let time = meta.map(|meta| (meta.len(), meta.ctime(), meta.ctime_nsec()));
        lines.push(format!("{}/ {time:?}", name.as_encoded_bytes().escape_ascii()));
        if mirror::is_pointer(&path) {
            lines.extend(elsewhere(&path, root));
        }
    }
    lines.sort_unstable();
    Digest::of(lines.join("\n").as_bytes())
}

/// The files of packages that the file at `path` says lie elsewhere, outside of the project: what is in
/// the project is the checkout's.
fn elsewhere(path: &Path, root: &Path) -> Vec<String> {
    let text = regular::read(path, 1 << 20).unwrap_or_default();
    let text = String::from_utf8_lossy(&text).into_owned();
    let folders = text.lines().map(Path::new).filter(|line| line.is_absolute() && line.is_dir());
    let mut waiting: Vec<PathBuf> =
        folders.filter(|folder| !folder.starts_with(root)).map(Path::to_owned).collect();
    let mut lines = Vec::new();
    while let Some(folder) = waiting.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let name = entry.file_name();
            let Ok(meta) = entry.metadata() else { continue };
            let is_beside =
                ["__pycache__", ".git", "node_modules", ".venv"].iter().any(|one| name == *one);
            if meta.is_dir() && !is_beside {
                waiting.push(entry.path());
            } else if meta.is_file() {
                let time = (meta.len(), meta.ctime(), meta.ctime_nsec());
                lines.push(format!("{} {time:?}", entry.path().display()));
            }
            if lines.len() >= MOST_ELSEWHERE {
                return lines;
            }
        }
    }
    lines
}

/// What a person has to know about the packages that checks were run with.
pub(super) fn reasons(work: &Work<'_>, borrowed: &[Borrowed]) -> Result<Vec<Reason>> {
    let root = &work.engine.repository.layout().worktree;
    let lent = borrowed.iter().flat_map(|one| {
        let is_site = |folder: &&Path| folder.ends_with("site-packages");
        let sites =
            one.entries.iter().filter_map(move |entry| entry.path.ancestors().find(is_site));
        let sites: BTreeSet<PathBuf> = sites.map(|site| one.from.join(site)).collect();
        sites.into_iter().map(|site| (one.path.clone(), site))
    });
    let own = work.sites.iter().map(|site| (site.display().to_string(), site.clone()));
    let sites: Vec<(String, PathBuf)> = lent.chain(own).collect();
    if sites.is_empty() {
        return Ok(Vec::new());
    }
    let listed = work.engine.repository.list(&work.tree)?;
    let names = own_names(work, &listed)?;
    let mut found = Vec::new();
    let mut ask = |text| found.push(Reason { weight: Weight::Ask, text });
    for (place, site) in &sites {
        for name in copies(site, &names) {
            if !is_first(work, &listed, &name) {
                ask(format!(
                    "{name}, this project, is installed in {place} as a copy: tests may have run on \
                     the copy and not on what was handed over; `pip install -e .` makes it a link"
                ));
            }
        }
        if !work.walls.cover() && !site.starts_with(root) && leads_into(site, root) {
            ask(format!(
                "packages in {place} lead into the working tree, so tests may have run on what lies \
                 there and not on what was handed over; with bubblewrap that is kept apart"
            ));
        }
    }
    Ok(found)
}

fn leads_into(site: &Path, root: &Path) -> bool {
    let entries = fs::read_dir(site).into_iter().flatten().flatten();
    let mut pointers = entries.map(|entry| entry.path()).filter(|path| mirror::is_pointer(path));
    pointers.any(|path| mirror::points_into(&path, root, Path::new("/nowhere")))
}

/// Whether what is started finds the modules of the checkout first: they lie at its root, and Python is
/// told to run a module, for which the current folder comes first.
fn is_first(work: &Work<'_>, listed: &[Listed], name: &str) -> bool {
    let module = name.replace('-', "_");
    let file = format!("{module}.py");
    let is_at_root = listed.iter().any(|one| {
        let mut parts = one.path.iter();
        let first = parts.next().and_then(|part| part.to_str());
        first.is_some_and(|first| {
            first.eq_ignore_ascii_case(&module) && parts.next().is_some() || first == file
        })
    });
    let mut tests = work.terms.checks.iter().filter(|due| due.is_test());
    is_at_root && tests.all(|due| due.command.starts_with("python") && due.command.contains(" -m "))
}

/// What the project calls itself, as packages of Python are called.
fn own_names(work: &Work<'_>, listed: &[Listed]) -> Result<BTreeSet<String>> {
    let mut names = BTreeSet::new();
    for one in listed {
        let Some(file) = one.path.file_name().and_then(|name| name.to_str()) else { continue };
        if !matches!(file, "pyproject.toml" | "setup.cfg" | "setup.py") {
            continue;
        }
        let text = String::from_utf8_lossy(&work.content(&one.side.object)?).into_owned();
        names.extend(name_in(file, &text).map(|name| normal(&name)));
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

/// The packages in `site` of these names that have modules of their own there.
fn copies(site: &Path, names: &BTreeSet<String>) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(site).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let Some(package) = name.strip_suffix(".dist-info") else { continue };
        let package = normal(package.split('-').next().unwrap_or(package));
        if names.contains(&package) && has_modules(&entry.path()) {
            found.push(package);
        }
    }
    found
}

/// Whether the package with this folder of facts brought modules along, and not only a way to them.
fn has_modules(facts: &Path) -> bool {
    let record = regular::read(&facts.join("RECORD"), MOST_RECORDED).unwrap_or_default();
    String::from_utf8_lossy(&record).lines().any(|line| {
        let path = line.split(',').next().unwrap_or(line).trim_matches('"');
        let is_module = [".py", ".so", ".pyd"].iter().any(|end| path.ends_with(end));
        is_module && !path.starts_with("__editable__") && !path.starts_with("_editable_impl")
    })
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
        let names: BTreeSet<String> = ["my-calc".to_owned()].into();
        let copies = |record: &str| {
            fs::write(facts.join("RECORD"), record).unwrap();
            copies(folder.path(), &names)
        };
        assert_eq!(copies("my_calc/__init__.py,sha256=x,1\n"), ["my-calc"]);
        let link = "__editable__.my_calc-0.1.pth,,\n__editable___my_calc_finder.py,,\n";
        assert!(copies(link).is_empty());
        assert!(copies("_my_calc.pth,,\n").is_empty());
    }

    /// D1.7: another installation is another list; what Python writes itself changes nothing.
    #[test]
    fn another_installation_is_another_list() {
        let folder = tempfile::tempdir().unwrap();
        let list = || listing(folder.path(), Path::new("/p"));
        let empty = list();
        fs::create_dir_all(folder.path().join("six-1.dist-info")).unwrap();
        fs::write(folder.path().join("six-1.dist-info/RECORD"), "six.py,,\n").unwrap();
        let with = list();
        assert_ne!(empty, with);
        fs::create_dir_all(folder.path().join("__pycache__")).unwrap();
        assert_eq!(list(), with);
        let other = tempfile::tempdir().unwrap();
        let path = format!("{}\n", other.path().display());
        fs::write(folder.path().join("other.pth"), path).unwrap();
        let led = list();
        fs::write(other.path().join("module.py"), "x = 1\n").unwrap();
        assert_ne!(list(), led);
    }
}
