//! The project among its own packages: a copy, as `pip install .` makes it, would keep tests from what
//! was handed over.
//!
//! The sources of the checkout are put first on Python's path then, as `pythonpath` of pytest does, so
//! that every ground runs its own files. Where that can't be done, what ran says nothing about the work.

mod names;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use countersign_domain::project::Runner;
use countersign_domain::verify::{Checked, Due, Ground};
use countersign_git::Listed;

use super::borrow::Borrowed;
use super::{Work, made, packages};
use crate::error::Result;

/// A copy of the project among the packages of a Python.
#[derive(Debug)]
pub(super) struct Copy {
    name: String,
    /// Where it is installed, for people.
    place: String,
    /// The folders of the trees that its modules lie in, from the root.
    roots: BTreeSet<String>,
    /// A module of the copy that no tree has under its name.
    astray: Option<String>,
    /// A file of the copy that no tree has: something made it.
    built: Option<String>,
}

/// The copies of the project that checks may find, from what is lent and what is installed.
pub(super) fn find(work: &Work<'_>, borrowed: &[Borrowed]) -> Result<Vec<Copy>> {
    let sites = packages::sites(work, borrowed);
    if sites.is_empty() {
        return Ok(Vec::new());
    }
    let repository = &work.engine.repository;
    let (handed, base) = (repository.list(&work.tree)?, repository.list(&work.terms.base_tree)?);
    let own = names::own(work, [&handed, &base])?;
    let mut trees = [paths(&handed), paths(&base)];
    // What is lent beside the code is there as well.
    trees[0].extend(made::paths(&work.made));
    let mut found: Vec<Copy> = Vec::new();
    for (place, site) in sites {
        for (folder, name) in &own {
            let Some(files) = names::files_of(&site, name) else { continue };
            found.push(copy((name, &place), folder, &files, &trees));
        }
    }
    Ok(found)
}

fn paths(listed: &[Listed]) -> BTreeSet<String> {
    listed.iter().filter_map(|one| one.path.to_str()).map(str::to_owned).collect()
}

/// Where the trees have what `files`, those of a copy, were made from; the project's manifest lies in
/// `folder`.
fn copy(
    (name, place): (&str, &str),
    folder: &str,
    files: &[String],
    trees: &[BTreeSet<String>; 2],
) -> Copy {
    let mut found = Copy {
        name: name.to_owned(),
        place: place.to_owned(),
        roots: BTreeSet::new(),
        astray: None,
        built: None,
    };
    let is_text = |file: &str| Path::new(file).extension().is_some_and(|end| end == "py");
    let tops: BTreeSet<&str> = files.iter().map(|file| top(file)).collect();
    for module in tops {
        let of_it = || files.iter().filter(|file| top(file) == module);
        let roots: BTreeSet<&str> =
            trees.iter().filter_map(|tree| root_of(tree, folder, module)).collect();
        let is_there = |file: &str| {
            let mut at = roots.iter().map(|root| joined(root, file));
            at.any(|path| trees.iter().any(|tree| tree.contains(&path)))
        };
        if roots.is_empty() && of_it().any(|file| is_text(file)) {
            found.astray.get_or_insert_with(|| module.to_owned());
        } else if let Some(file) = of_it().find(|file| !is_there(file)) {
            found.built.get_or_insert_with(|| file.clone());
        }
        found.roots.extend(roots.into_iter().map(str::to_owned));
    }
    found
}

/// The module that a file belongs to, by its first name.
fn top(file: &str) -> &str {
    match file.split_once('/') {
        Some((package, _)) => package,
        None => file.split('.').next().unwrap_or(file),
    }
}

fn joined(root: &str, path: &str) -> String {
    if root.is_empty() { path.to_owned() } else { format!("{root}/{path}") }
}

/// The folder below `folder` that has the module, from the root: the one that is nearest.
fn root_of<'t>(tree: &'t BTreeSet<String>, folder: &str, module: &str) -> Option<&'t str> {
    let start = if folder.is_empty() { String::new() } else { format!("{folder}/") };
    let (package, file) = (format!("/{module}/"), format!("/{module}.py"));
    let is_text = |path: &str| Path::new(path).extension().is_some_and(|end| end == "py");
    let inside = tree.iter().filter(|path| path.starts_with(&start) && is_text(path));
    let roots = inside.filter_map(|path| {
        let rest = &path[start.len()..];
        if rest.starts_with(&package[1..]) || *rest == file[1..] {
            return Some(path.get(..start.len().saturating_sub(1)).unwrap_or_default());
        }
        let at =
            rest.find(&package).or_else(|| rest.ends_with(&file).then(|| rest.len() - file.len()));
        at.map(|at| &path[..start.len() + at])
    });
    // Of two that are as near, the one that sources usually lie in.
    roots.min_by_key(|root| (root.split('/').count(), !root.ends_with("src"), root.len()))
}

impl Work<'_> {
    /// The folders of a checkout that Python has to look into first, from its root.
    pub(super) fn sources(&self) -> BTreeSet<PathBuf> {
        self.copies.iter().flat_map(|copy| &copy.roots).map(PathBuf::from).collect()
    }

    /// Why what `due` ran says nothing about what was handed over, if it saw a copy of it.
    pub(super) fn elsewhere(&self, due: &Due, checked: &Checked) -> Option<String> {
        if !due.is_test() || !may_be_python(due.runner) {
            return None;
        }
        let is_deaf = ignores_path(&due.command);
        let has_failed = checked.on(Ground::Handed).is_some_and(|handed| !handed.ended.passed());
        self.copies.iter().find_map(|copy| {
            let Copy { name, place, .. } = copy;
            let what = format!("{name}, this project, is installed in {place} as a copy");
            if let Some(module) = &copy.astray {
                return Some(format!(
                    "{what}, and no folder here has its module {module}, so tests ran on the copy; \
                     install it as a link (`pip install -e .`), or uninstall it and put its sources \
                     on the path (`pythonpath` of pytest)"
                ));
            }
            if is_deaf {
                return Some(format!(
                    "{what}, and the command tells Python to ignore PYTHONPATH, so tests ran on the \
                     copy; install it as a link (`pip install -e .`)"
                ));
            }
            let file = copy.built.as_ref().filter(|_| has_failed)?;
            Some(format!(
                "{what}; the checkout was tested instead, and has no {file}, which only a build \
                 makes; build it in a check of yours (--check), or commit it"
            ))
        })
    }
}

/// Whether a runner starts Python, as far as anybody knows. Some make environments of their own, which
/// have no copy but the one that they make of the checkout.
fn may_be_python(runner: Option<Runner>) -> bool {
    matches!(runner, None | Some(Runner::Pytest | Runner::Unittest | Runner::Django))
}

/// Whether a command starts Python with words that make it ignore its path.
fn ignores_path(command: &str) -> bool {
    let mut words = command.split_whitespace();
    let is_python = |word: &str| {
        let name = word.rsplit('/').next().unwrap_or(word);
        name.starts_with("python") || name.starts_with("pypy")
    };
    while let Some(word) = words.next() {
        if !is_python(word) {
            continue;
        }
        let options = words.by_ref().take_while(|word| word.starts_with('-') && *word != "-m");
        let ignores = |word: &str| !word.starts_with("--") && word.contains(['I', 'E']);
        if options.into_iter().any(ignores) {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(paths: &[&str]) -> BTreeSet<String> {
        paths.iter().map(ToString::to_string).collect()
    }

    fn found(folder: &str, files: &[&str], paths: &[&str]) -> Copy {
        let files: Vec<String> = files.iter().map(ToString::to_string).collect();
        copy(("calc", ".venv"), folder, &files, &[tree(paths), tree(&[])])
    }

    /// LP-13: the sources of a copy are looked for where its manifest is, the nearest first.
    #[test]
    fn where_the_sources_of_a_copy_are() {
        let roots = |folder: &str, files: &[&str], paths: &[&str]| -> Vec<String> {
            found(folder, files, paths).roots.into_iter().collect()
        };
        let file = ["calc/__init__.py"];
        assert_eq!(roots("", &file, &["src/calc/__init__.py", "tests/calc/x.py"]), ["src"]);
        assert_eq!(roots("", &file, &["calc/__init__.py", "a/b/calc/__init__.py"]), [""]);
        assert_eq!(roots("", &file, &["lib/calc/__init__.py"]), ["lib"]);
        assert_eq!(roots("py", &file, &["calc/x.py", "py/src/calc/x.py"]), ["py/src"]);
        assert_eq!(roots("py", &file, &["py/calc/x.py"]), ["py"]);
        assert_eq!(roots("", &["calc.py"], &["src/calc.py", "docs/notcalc.py"]), ["src"]);
        assert!(roots("", &file, &["src/recalc/x.py", "calc/README"]).is_empty());
    }

    /// LP-13: modules that no tree has, and files that a build made, are known.
    #[test]
    fn what_the_trees_lack() {
        let lacks = |files: &[&str], paths: &[&str]| {
            let copy = found("", files, paths);
            (copy.astray, copy.built)
        };
        let text = |text: &str| Some(text.to_owned());
        let files = ["calc/__init__.py", "calc/_version.py"];
        assert_eq!(lacks(&files, &["src/calc/__init__.py"]), (None, text("calc/_version.py")));
        assert_eq!(lacks(&files, &["lib/__init__.py"]), (text("calc"), None));
        let fast = ["calc/__init__.py", "_fast.cpython-312.so"];
        let built = text("_fast.cpython-312.so");
        assert_eq!(lacks(&fast, &["calc/__init__.py"]), (None, built));
        assert_eq!(lacks(&files[..1], &["calc/__init__.py"]), (None, None));
    }

    #[test]
    fn words_that_make_python_ignore_its_path() {
        for (command, is) in [
            ("python3 -m pytest -E", false),
            ("python3 -I -m pytest", true),
            ("/usr/bin/python3.12 -sE -m unittest", true),
            ("python -W error -m pytest", false),
            ("pytest -I", false),
            ("cd x && python3 -Im pytest", true),
        ] {
            assert_eq!(ignores_path(command), is, "{command}");
        }
    }
}
