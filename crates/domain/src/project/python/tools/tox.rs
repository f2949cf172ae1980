//! Environments of tox, by their names: the lints, type checks and tests that a project keeps there.

use super::super::super::files::{Files, Lookup as _, join};
use super::super::super::names::ENVIRONMENTS;
use super::super::super::types::{Activity, Evidence, Part};
use super::super::pyproject;
use super::nox::named_for;

/// How many environments of a file are looked at.
const MOST: usize = 200;

/// Adds tox, where it is set up, and its environments that are named for an activity.
pub(super) fn add(files: &Files<'_>, part: &mut Part) {
    let folder = part.folder.clone();
    let Some((file, line, found)) = set_up(files, &folder) else { return };
    let why = Evidence::new(&file, line, "tox is set up");
    part.add(Activity::Unit, ENVIRONMENTS, &["tox"], why);
    for (name, line) in found.into_iter().take(MOST) {
        let for_tests = || is_interpreter(&name).then_some(Activity::Unit);
        let Some(activity) = named_for(&name).or_else(for_tests) else { continue };
        let why = Evidence::new(&file, line, format!("an environment of tox: {name}"));
        // Plain tox runs the tests in every environment that there is: one is not preferred to it.
        let rank = ENVIRONMENTS + u32::from(activity == Activity::Unit);
        part.add(activity, rank, &["tox", "-e", &name], why);
    }
}

type SetUp = (String, usize, Vec<(String, usize)>);

/// The file that sets tox up, the line, and the environments that it names.
fn set_up(files: &Files<'_>, folder: &str) -> Option<SetUp> {
    let ini = join(folder, "tox.ini");
    if files.has(&ini) {
        let found = files.text(&ini).map(|text| environments(&text)).unwrap_or_default();
        return Some((ini, 0, found));
    }
    let own = join(folder, "tox.toml");
    let (file, line, tables) = if files.has(&own) {
        (own.clone(), 0, files.toml(&own))
    } else {
        let file = join(folder, "pyproject.toml");
        (file, pyproject(files, folder)?.at(&["tool", "tox"])?.place.line, pyproject(files, folder))
    };
    let way: &[&str] = if file == own { &["env"] } else { &["tool", "tox", "env"] };
    let entries = tables.as_ref().and_then(|root| root.at(way)).map(|node| node.as_entries());
    let entries = entries.unwrap_or_default().into_iter();
    let found = entries.map(|(name, line, _)| (name.to_owned(), line)).collect();
    Some((file, line, found))
}

/// The environments that tox.ini has sections for: `[testenv:lint]`, and `[testenv:{a,b}]` for two.
fn environments(text: &str) -> Vec<(String, usize)> {
    let mut found = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let section = line.trim().strip_prefix("[testenv:");
        let Some((names, _)) = section.and_then(|rest| rest.split_once(']')) else { continue };
        let names = names.trim();
        let inner = names.strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
        let is_plain = |name: &&str| {
            let is_of_name = |one: char| one.is_ascii_alphanumeric() || "-_.".contains(one);
            !name.is_empty() && !name.starts_with('-') && name.chars().all(is_of_name)
        };
        let names = inner.unwrap_or(names).split(',').map(str::trim).filter(is_plain);
        found.extend(names.map(|name| (name.to_owned(), number)));
    }
    found
}

/// Whether an environment is named for an interpreter alone: `py311`, `py3.12`, `pypy3`.
fn is_interpreter(name: &str) -> bool {
    let version = name.strip_prefix("pypy").or_else(|| name.strip_prefix("py"));
    version
        .is_some_and(|version| version.chars().all(|digit| digit.is_ascii_digit() || digit == '.'))
}

#[cfg(test)]
mod tests {
    use super::{environments, is_interpreter};

    /// VC-05: environments are known by their sections, several in one as well.
    #[test]
    fn environments_and_their_names() {
        let text = "[tox]\nenvlist = py311\n[testenv]\n[testenv:lint]\n [testenv:{a, b}]\n\
                    [testenv:py{310,311}]\n[testenv:$(x)]\n[testenv:-x]\n";
        let found = environments(text);
        let names: Vec<(&str, usize)> = found.iter().map(|(n, line)| (n.as_str(), *line)).collect();
        assert_eq!(names, [("lint", 4), ("a", 5), ("b", 5)]);
        for (name, expected) in
            [("py311", true), ("py3.12", true), ("pypy3", true), ("pylint", false)]
        {
            assert_eq!(is_interpreter(name), expected, "{name}");
        }
    }
}
