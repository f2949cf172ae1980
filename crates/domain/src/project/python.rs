//! Python: packages and scripts, run through the tool that keeps their dependencies.

mod tools;

use std::collections::BTreeSet;
use std::rc::Rc;

use super::files::{Files, Lookup, is_below, join, upwards};
use super::types::{Part, Stack};
use crate::yaml::Node;

/// Files that make a folder a part.
const MARKS: &[&str] = &[
    "pyproject.toml",
    "setup.py",
    "setup.cfg",
    "tox.ini",
    "tox.toml",
    "noxfile.py",
    "pytest.ini",
    "Pipfile",
    "requirements.txt",
    "manage.py",
    "mypy.ini",
    "pyrightconfig.json",
    "ruff.toml",
];

/// What keeps the dependencies of a part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Keeper {
    Uv,
    Poetry,
    Pdm,
    Hatch,
    Pipenv,
    None,
}

impl Keeper {
    /// What stands before a command.
    fn runs(self) -> &'static [&'static str] {
        match self {
            Self::Uv => &["uv", "run"],
            Self::Poetry => &["poetry", "run"],
            Self::Pdm => &["pdm", "run"],
            Self::Hatch => &["hatch", "run"],
            Self::Pipenv => &["pipenv", "run"],
            Self::None => &[],
        }
    }
}

/// The program that keeps an environment and what it is to run there: `poetry run pytest -q` is `pytest -q` in
/// whatever environment is active.
pub fn without_keeper(command: &str) -> Option<(&'static str, &str)> {
    const KEEPERS: [Keeper; 5] =
        [Keeper::Uv, Keeper::Poetry, Keeper::Pdm, Keeper::Hatch, Keeper::Pipenv];
    KEEPERS.iter().find_map(|keeper| {
        let [name, verb] = keeper.runs() else { return None };
        let rest = command.trim().strip_prefix(name)?.trim_start().strip_prefix(verb)?;
        // What stands behind options is theirs, perhaps.
        let own = rest.strip_prefix(' ')?.trim_start();
        let is_plain = own.starts_with(|letter: char| letter.is_ascii_alphanumeric());
        is_plain.then_some((*name, own))
    })
}

pub(super) fn parts(files: &Files<'_>) -> Vec<Part> {
    let folders: BTreeSet<&str> = files.folders_with_any(MARKS);
    let mut own: Vec<&str> = folders.into_iter().filter(|folder| is_part(files, folder)).collect();
    // Scripts with tests need no description.
    if own.is_empty() {
        own = tools::tops(files);
    }
    own.iter().map(|folder| part(files, folder, &own)).collect()
}

/// A list of requirements makes no part where there is no Python, as in a folder of documents.
fn is_part(files: &Files<'_>, folder: &str) -> bool {
    let sure = [
        "pyproject.toml",
        "setup.py",
        "noxfile.py",
        "tox.ini",
        "tox.toml",
        "pytest.ini",
        "Pipfile",
        "manage.py",
    ];
    let is_python = |path: &str| path.rsplit_once('.').is_some_and(|(_, end)| end == "py");
    files.first(folder, &sure).is_some() || files.below(folder).take(2_000).any(is_python)
}

fn part(files: &Files<'_>, folder: &str, all: &[&str]) -> Part {
    let mut part = Part::new(folder, Stack::Python);
    part.root = upwards(folder)
        .skip(1)
        .find(|above| all.contains(above) && is_uv_workspace(files, above))
        .map(str::to_owned);
    let keeper = upwards(folder).find_map(|above| keeper(files, above)).unwrap_or(Keeper::None);
    let nested: Vec<&str> = all.iter().copied().filter(|other| is_below(other, folder)).collect();
    tools::add(files, &mut part, keeper.runs(), &nested);
    part
}

fn pyproject(files: &Files<'_>, folder: &str) -> Option<Rc<Node>> {
    files.toml(&join(folder, "pyproject.toml"))
}

fn is_uv_workspace(files: &Files<'_>, folder: &str) -> bool {
    pyproject(files, folder).is_some_and(|node| node.at(&["tool", "uv", "workspace"]).is_some())
}

fn keeper(files: &Files<'_>, folder: &str) -> Option<Keeper> {
    let locks = [
        ("uv.lock", Keeper::Uv),
        ("poetry.lock", Keeper::Poetry),
        ("pdm.lock", Keeper::Pdm),
        ("Pipfile", Keeper::Pipenv),
    ];
    let lock = locks.iter().find(|(name, _)| files.has(&join(folder, name)));
    if let Some((_, keeper)) = lock {
        return Some(*keeper);
    }
    let node = pyproject(files, folder)?;
    let tables = [
        ("uv", Keeper::Uv),
        ("poetry", Keeper::Poetry),
        ("pdm", Keeper::Pdm),
        ("hatch", Keeper::Hatch),
    ];
    let found = tables.iter().find(|(name, _)| node.at(&["tool", name]).is_some());
    // Hatch builds many packages that are not run with it: only its environments say so.
    found
        .filter(|(name, _)| *name != "hatch" || node.at(&["tool", "hatch", "envs"]).is_some())
        .map(|(_, keeper)| *keeper)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// VC-01: what keeps an environment is told from what runs in it.
    #[test]
    fn keepers_of_environments() {
        assert_eq!(without_keeper("poetry run pytest -q"), Some(("poetry", "pytest -q")));
        assert_eq!(without_keeper("uv run mypy ."), Some(("uv", "mypy .")));
        for command in
            ["uv run --frozen pytest", "uv pip list", "pytest", "poetry runs", "hatch run"]
        {
            assert_eq!(without_keeper(command), None, "{command}");
        }
    }
}
