//! What checks need and find here: packages that are missing, that lead into the working tree, or that
//! came since.

use std::os::unix::fs::symlink;

use countersign_testkit::{Project, Ran};
use serde_json::Value;

use crate::packaged::{RIGHT, packaged, site};
use crate::{PROGRAM, has, reasons};

/// Verifies `task`; `sandbox` says whether walls are wanted.
fn verify(project: &Project, task: &str, sandbox: bool) -> (Option<i32>, Value) {
    let call = project.call(["verify", "--task", task, "--format", "json"]);
    let ran = call.env("COUNTERSIGN_VERIFY_SANDBOX", if sandbox { "true" } else { "false" }).run();
    (ran.code, ran.json()["data"].clone())
}

#[track_caller]
fn ends(project: &Project, (task, sandbox): (&str, bool), code: i32, words: &str) -> Value {
    let (ended, data) = verify(project, task, sandbox);
    assert_eq!(ended, Some(code), "{task} {sandbox}: {}\n{:#}", reasons(&data), data["checks"]);
    assert!(reasons(&data).contains(words), "{words:?} is not in {}", reasons(&data));
    data
}

/// VC-08, LP-08: a suite that only errors proves nothing, and what is missing is named.
#[test]
fn tests_that_lack_a_package_of_python() {
    let project = Project::new(PROGRAM);
    if !has(&project, "python3") {
        return;
    }
    let test = "import unittest\nimport package_that_is_absent\nfrom calc import add\n\n\n\
                class AddTest(unittest.TestCase):\n    def test_add(self):\n        \
                self.assertEqual(add(2, 3), 5)\n";
    project.write("calc.py", "def add(a, b):\n    return a + b\n");
    project.write("tests/__init__.py", "");
    project.write("tests/test_calc.py", test);
    project.commit("A calculator");
    project.write("calc.py", "raise SystemError('broken')\n");
    let words = "No module named 'package_that_is_absent'; install";
    for task in ["Refactor add", "Let add take many numbers"] {
        let data = ends(&project, (task, true), 4, words);
        assert_eq!(data["judgement"]["results"][0]["mark"], "fail", "{data:#}");
    }
    let ran = project.run(["verify", "--task", "Refactor add"]).expect(4);
    ran.prints("FAIL").prints("No module named 'package_that_is_absent'");
}

/// VC-08: a file that installing the project makes, and that git ignores, is not in a checkout: nothing can
/// be said of the work then, and nothing is held against it.
#[test]
fn a_file_that_a_build_makes_is_missing() {
    let project = Project::new(PROGRAM);
    if !has(&project, "python3") {
        return;
    }
    project.write(".gitignore", "calc/_version.py\n");
    let code = "from calc._version import version\n\n\ndef add(a, b):\n    return a + b\n";
    project.write("calc/__init__.py", code);
    project.write("tests/__init__.py", "");
    project.write(
        "tests/test_calc.py",
        "import unittest\nfrom calc import add\n\n\nclass AddTest(unittest.TestCase):\n    \
         def test_add(self):\n        self.assertEqual(add(2, 3), 5)\n",
    );
    project.commit("A calculator");
    project.write("calc/_version.py", "version = '1'\n");
    project.write(
        "calc/__init__.py",
        code.replace("a, b)", "a, b, c=0)").replace("a + b", "a + b + c"),
    );
    let words = "No module named 'calc._version'; install";
    ends(&project, ("Let add take three numbers", true), 4, words);
}

/// VC-08: the same with Node, whose runner calls such a file a failed test.
#[test]
fn tests_that_lack_a_package_of_node() {
    let project = Project::new(PROGRAM);
    if !has(&project, "node") {
        return;
    }
    project.write("package.json", r#"{"name": "p", "scripts": {"test": "node --test"}}"#);
    project.write("add.js", "require('package-that-is-absent');\nexports.add = (a, b) => a + b;\n");
    let test = "const test = require('node:test');\nconst assert = require('node:assert');\n\
                const { add } = require('../add.js');\n\
                test('adds', () => assert.strictEqual(add(2, 3), 5));\n";
    project.write("test/add.test.js", test);
    project.commit("An adder");
    project.write("add.js", "require('package-that-is-absent');\nexports.add = () => 7;\n");
    ends(&project, ("Refactor add", true), 4, "Cannot find module 'package-that-is-absent'");
}

/// A package in `src` that is installed into `.venv` by a link.
fn linked_package() -> Option<Project> {
    let project = packaged("src/calc", "_local.py")?;
    let link = format!("{}/src\n", project.root().display());
    project.write(&format!("{}/calc.pth", site(&project)), link);
    Some(project)
}

/// LP-13: a package that is installed by a link is the checkout's own, on every ground.
#[test]
fn an_editable_package_is_the_checkouts() {
    let Some(project) = linked_package() else { return };
    for sandbox in [true, false] {
        project.write("src/calc/__init__.py", "def add(a, b):\n    return a + b\n");
        let data = ends(&project, ("Fix add: it must add", sandbox), 0, "");
        assert!(data["judgement"]["shown_by"].to_string().contains("test_add"), "{data:#}");
        // What git ignores is in nobody's clone.
        project.write("src/calc/_local.py", "def add(a, b):\n    return a + b\n");
        project.write("src/calc/__init__.py", "from calc._local import add\n");
        let (code, data) = verify(&project, "Fix add: it must add", sandbox);
        assert_eq!(code, Some(3), "{sandbox}: {}", reasons(&data));
    }
}

/// G42: an environment says itself what it is, also where nothing asks for packages and git ignores nothing;
/// a runner in it that no package has was put there by somebody.
#[test]
fn an_environment_needs_nothing_beside_it() {
    let Some(project) = packaged("calc", "") else { return };
    project.write(".gitignore", "__pycache__/\n");
    std::fs::remove_file(project.path("pyproject.toml")).unwrap();
    let test = std::fs::read_to_string(project.path("tests/test_calc.py")).unwrap();
    project.write("tests/test_calc.py", format!("import adding\n{test}"));
    project.sh("git rm -q --cached pyproject.toml && git add .gitignore tests").expect(0);
    project.sh("git commit -qm Plain").expect(0);
    project.write(&format!("{}/adding.py", site(&project)), "");
    project.write("calc/__init__.py", RIGHT);
    for sandbox in [true, false] {
        ends(&project, ("Fix add: it must add", sandbox), 0, ".venv counts as installed");
    }
    project.write(".venv/bin/pytest", "#!/bin/sh\n");
    let task = ("Fix add: it must add", true);
    ends(&project, task, 4, ".venv/bin/pytest: no installed package has this file");
}

/// LP-13: packages of a workspace are linked into `node_modules`, and are the checkout's own.
#[test]
fn packages_of_a_workspace_are_the_checkouts() {
    let project = Project::new(PROGRAM);
    if !has(&project, "node") {
        return;
    }
    project.write(".gitignore", "node_modules\nlocal.js\n");
    let manifest =
        r#"{"name": "w", "workspaces": ["packages/*"], "scripts": {"test": "node --test"}}"#;
    project.write("package.json", manifest);
    project.write("packages/core/package.json", r#"{"name": "@x/core", "main": "index.js"}"#);
    project.write("packages/core/index.js", "exports.add = (a, b) => a - b;\n");
    let test = "const test = require('node:test');\nconst assert = require('node:assert');\n\
                const { add } = require('@x/core');\n\
                test('zero', () => assert.strictEqual(add(0, 0), 0));\n\
                test('adds', () => assert.strictEqual(add(2, 3), 5));\n";
    project.write("test/core.test.js", test);
    project.commit("A workspace");
    project.write("node_modules/.package-lock.json", "{}");
    std::fs::create_dir(project.path("node_modules/@x")).unwrap();
    symlink("../../packages/core", project.path("node_modules/@x/core")).unwrap();
    for sandbox in [true, false] {
        project.write("packages/core/index.js", "exports.add = (a, b) => a + b;\n");
        ends(&project, ("Fix add: it must add", sandbox), 0, "");
        project.write("packages/core/local.js", "exports.add = (a, b) => a + b;\n");
        project.write("packages/core/index.js", "module.exports = require('./local.js');\n");
        let (code, data) = verify(&project, "Fix add: it must add", sandbox);
        assert_eq!(code, Some(3), "{sandbox}: {}", reasons(&data));
    }
}

/// D1.7: packages that came or went since make another run; one in which nothing passed is none.
#[test]
fn other_packages_are_another_run() {
    let project = Project::new(PROGRAM);
    if !has(&project, "python3") {
        return;
    }
    let outside = project.outside().join("tools");
    project.sh(&format!("python3 -m venv --without-pip {}", outside.display())).expect(0);
    let site = project.sh(&format!("ls -d {}/lib/python3*/site-packages", outside.display()));
    let package = std::path::PathBuf::from(site.expect(0).out().trim()).join("adding.py");
    project.write("calc.py", "def add(a, b):\n    return a - b\n");
    project.write("tests/__init__.py", "");
    let test = "import unittest\nimport adding\nfrom calc import add\n\n\n\
                class AddTest(unittest.TestCase):\n    def test_zero(self):\n        \
                self.assertEqual(add(0, 0), 0)\n\n    def test_add(self):\n        \
                self.assertEqual(add(2, 3), 5)\n";
    project.write("tests/test_calc.py", test);
    project.commit("A calculator");
    project.write("calc.py", "def add(a, b):\n    return a + b\n");
    let path = std::env::var("PATH").unwrap_or_default();
    let path = format!("{}/bin:{path}", outside.display());
    let verify = || -> Ran {
        let call = project.call(["verify", "--task", "Fix add: it must add"]);
        call.env("PATH", &path).run()
    };
    verify().expect(4).prints("No module named 'adding'");
    std::fs::write(&package, "").unwrap();
    verify().expect(0);
    verify().expect(0).prints("reused from verification");
    std::fs::remove_file(&package).unwrap();
    verify().expect(4).prints("No module named 'adding'");
}

/// D1.2: a command that fails with the same words as on the base is a person's to look at, and its
/// words are shown.
#[test]
fn what_fails_in_the_same_way_was_there_before() {
    let project = Project::new(PROGRAM);
    project.write("check.sh", "echo 'old.sh:3 is wrong'; exit 1\n");
    project.commit("A check");
    project.write("new.sh", "echo new\n");
    let call = ["verify", "--task", "Add new.sh, which prints new", "--check", "sh check.sh"];
    let ran = project.run(call).expect(4);
    ran.prints("was there before").prints("    old.sh:3 is wrong");
}

/// VC-05: a lint that fails in a script keeps the tests behind it from nothing.
#[test]
fn lints_of_a_script_are_checks_of_their_own() {
    let project = Project::new(PROGRAM);
    if !has(&project, "node") {
        return;
    }
    project.write(".gitignore", "node_modules\n");
    project.write("package.json", r#"{"name": "p", "scripts": {"test": "xo && node --test"}}"#);
    project.write("add.js", "exports.add = (a, b) => a - b;\n");
    let test = "const test = require('node:test');\nconst assert = require('node:assert');\n\
                const { add } = require('../add.js');\n\
                test('zero', () => assert.strictEqual(add(0, 0), 0));\n\
                test('adds', () => assert.strictEqual(add(2, 3), 5));\n";
    project.write("test/add.test.js", test);
    project.commit("An adder");
    project.write("add.js", "exports.add = (a, b) => a + b;\n");
    let task = ("Fix add: it must add", true);
    let data = ends(&project, task, 0, "xo is not installed");
    assert!(data["judgement"]["shown_by"].to_string().contains("adds"), "{data:#}");
    project.write_program("node_modules/.bin/xo", "#!/bin/sh\necho 'old.js:1 no'; exit 1\n");
    ends(&project, task, 0, "`xo`: exit code 1; it failed on the base as well");
    // A script whose program is missing names it, and what would bring it.
    project.write("package.json", r#"{"name": "p", "scripts": {"test": "no-such-runner test"}}"#);
    project.commit("Another runner");
    project.write("add.js", "exports.add = (a, b) => b + a;\n");
    ends(&project, task, 4, "no-such-runner is not installed; `npm install` brings it");
}

/// VC-08: packages that nobody told git to ignore are installed, and not the work.
#[test]
fn untracked_packages_are_installed() {
    let project = Project::new(PROGRAM);
    if !has(&project, "node") {
        return;
    }
    project.write("package.json", r#"{"name": "p", "scripts": {"test": "node --test"}}"#);
    project.write("add.js", "exports.add = (a, b) => a - require('zero').zero - b;\n");
    let test = "const test = require('node:test');\nconst assert = require('node:assert');\n\
                const { add } = require('../add.js');\n\
                test('zero', () => assert.strictEqual(add(0, 0), 0));\n\
                test('adds', () => assert.strictEqual(add(2, 3), 5));\n";
    project.write("test/add.test.js", test);
    project.commit("An adder");
    project.write("node_modules/zero/index.js", "exports.zero = 0;\n");
    project.write("node_modules/.package-lock.json", "{}");
    project.write("add.js", "exports.add = (a, b) => a + require('zero').zero + b;\n");
    let task = ("Fix add: it must add", true);
    let data = ends(&project, task, 0, "node_modules counts as installed, not as work");
    assert_eq!(data["changed"], serde_json::json!(["add.js"]));
    assert_eq!(data["borrowed"], serde_json::json!(["node_modules"]));
}
