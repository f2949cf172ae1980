//! A package of Python with an environment of its own, for tests of what is installed there.

use countersign_testkit::Project;

use crate::{PROGRAM, has};

/// An `add` that is wrong, and what mends it.
pub const WRONG: &str = "def add(a, b):\n    return a - b\n";
pub const RIGHT: &str = "def add(a, b):\n    return a + b\n";

/// The package `calc`, whose code lies in `sources` and is wrong, with two tests of it and an empty
/// `.venv`. Git ignores `ignored` besides. Nothing where there is no Python.
pub fn packaged(sources: &str, ignored: &str) -> Option<Project> {
    let project = Project::new(PROGRAM);
    if !has(&project, "python3") {
        return None;
    }
    project.write(".gitignore", format!(".venv/\n__pycache__/\n{ignored}\n"));
    project.write("pyproject.toml", "[project]\nname = \"calc\"\nversion = \"0.1\"\n");
    project.write(&format!("{sources}/__init__.py"), WRONG);
    let test = "import unittest\nfrom calc import add\n\n\nclass AddTest(unittest.TestCase):\n    \
                def test_zero(self):\n        self.assertEqual(add(0, 0), 0)\n\n    \
                def test_add(self):\n        self.assertEqual(add(2, 3), 5)\n";
    project.write("tests/__init__.py", "");
    project.write("tests/test_calc.py", test);
    project.commit("A calculator");
    project.sh("python3 -m venv --without-pip .venv").expect(0);
    Some(project)
}

/// Where packages are installed, from the root.
pub fn site(project: &Project) -> String {
    let found = project.sh("ls -d .venv/lib/python3*/site-packages").expect(0);
    found.out().trim().to_owned()
}
