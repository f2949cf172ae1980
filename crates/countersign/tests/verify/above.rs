//! What lies outside of the tree: installed packages, settings of the user's own, submodules, commits
//! before the last one, and settings of the project that make no sense.

use std::fs;

use countersign_testkit::Project;

use crate::{CHECK, PROGRAM, data, greeter, has, reasons, verify};

/// G42: packages of Python that were changed after their installation, and files that no package has.
#[test]
fn installed_packages_of_python_are_what_was_installed() {
    let project = greeter();
    project.write(".gitignore", ".venv/\n");
    project.write("requirements.txt", "six\n");
    project.commit("Requirements");
    let packages = ".venv/lib/python3.11/site-packages";
    // The digest is that of the file's six bytes.
    let record =
        "six.py,sha256=nia_NpkRxFwkPGhBR7I_yeHc_PJX0pmhxjIBam_NM_Q,6\nsix-1.dist-info/RECORD,,\n";
    project.write(&format!("{packages}/six.py"), "x = 1\n");
    project.write(&format!("{packages}/six-1.dist-info/RECORD"), record);
    project.write("greet.sh", "echo \"Hello, $1\"\n");
    let (code, found) = data(&project, &["--check", CHECK]);
    assert_eq!(code, Some(0), "{}", reasons(&found));
    project.write(&format!("{packages}/sitecustomize.py"), "import sys\n");
    let (code, found) = data(&project, &["--check", CHECK]);
    assert_eq!(code, Some(4), "{}", reasons(&found));
    assert!(
        reasons(&found).contains("sitecustomize.py: no installed package"),
        "{}",
        reasons(&found)
    );
    fs::remove_file(project.path(&format!("{packages}/sitecustomize.py"))).unwrap();
    project.write(&format!("{packages}/six.py"), "x = 22\n");
    let (code, found) = data(&project, &["--check", CHECK]);
    assert_eq!(code, Some(3), "{}", reasons(&found));
    assert!(
        reasons(&found).contains("six.py: an installed package was changed"),
        "{}",
        reasons(&found)
    );
}

/// LP-13: settings of the user's own, and of folders above the repository, have no part in a check.
#[test]
fn settings_above_have_no_effect() {
    let project = greeter();
    if !has(&project, "python3") {
        return;
    }
    project.write("greet.sh", "echo \"Hello, $1\"\n");
    let home = project.outside().join("home");
    let version = "import sys; print('python%d.%d' % sys.version_info[:2])";
    let version = project.sh(&format!("python3 -c \"{version}\"")).out();
    let packages = home.join(".local/lib").join(version.trim()).join("site-packages");
    fs::create_dir_all(&packages).unwrap();
    fs::write(packages.join("usercustomize.py"), "raise SystemExit('usercustomize')\n").unwrap();
    fs::write(home.join(".npmrc"), "script-shell=/bin/false\n").unwrap();
    fs::create_dir_all(project.outside().join(".cargo")).unwrap();
    fs::write(project.outside().join(".cargo/config.toml"), "[build]\nrustc = \"false\"\n")
        .unwrap();
    let path = project.outside().join("modules");
    fs::create_dir_all(&path).unwrap();
    fs::write(path.join("json.py"), "raise SystemExit('PYTHONPATH')\n").unwrap();
    let script = "python3 -c 'import json, sys; sys.exit(\"usercustomize\" in sys.modules)' && test ! -e ~/.npmrc \
                  && test ! -e ../.cargo && test ! -e ../../.cargo";
    let words = ["verify", "--task", crate::TASK, "--check", CHECK, "--check", script];
    let ran = project.call(words).env("PYTHONPATH", &path).run();
    ran.expect(0).prints("usercustomize.py would run in every Python");
}

/// LP-13: what Cargo's own settings change is said; registries are there too, so they hold.
#[test]
fn settings_of_cargo_are_said() {
    let project = greeter();
    project.write("greet.sh", "echo \"Hello, $1\"\n");
    let home = project.outside().join("cargo");
    fs::create_dir_all(&home).unwrap();
    let text =
        "[build]\nrustc-wrapper = \"w\"\n[target.x]\nrunner = \"r\"\n[net]\noffline = true\n";
    fs::write(home.join("config.toml"), text).unwrap();
    let words = ["verify", "--task", crate::TASK, "--check", CHECK, "--check", "true cargo"];
    let ran = project.call(words).env("CARGO_HOME", &home).run();
    ran.expect(0).prints("it sets build.rustc-wrapper, target.x.runner");
}

/// VC-01: commits of the same work that are not compared are counted, and how to include them is said.
#[test]
fn commits_that_are_not_compared_are_counted() {
    let project = greeter();
    project.git(["switch", "--quiet", "-c", "names"]);
    project.write("other.sh", "true\n");
    project.commit("First part");
    project.write("greet.sh", "echo \"Hello, $1\"\n");
    let said = "1 commit since main is left out (--base main takes that in)";
    verify(&project, &["--check", CHECK]).expect(0).prints(said);
    let ran = verify(&project, &["--check", CHECK, "--base", "main"]).expect(0);
    assert!(!ran.out().contains("commit since"), "{}", ran.out());
}

/// A project with a submodule, whose script its check calls.
fn with_submodule() -> (Project, Project) {
    let (library, project) = (Project::new(PROGRAM), greeter());
    library.write("hello.sh", "echo \"Hello, $1\"\n");
    library.commit("A library");
    let from = library.root().display().to_string();
    project.git(["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", &from, "lib"]);
    project.commit("With a library");
    (project, library)
}

/// VC-08: submodules are checked out at the commit that is recorded, from what is here.
#[test]
fn submodules_are_checked_out() {
    let (project, _library) = with_submodule();
    project.write("greet.sh", "sh lib/hello.sh \"$1\"\n");
    verify(&project, &["--check", CHECK]).expect(0);
}

/// VC-08: a dirty submodule is said.
#[test]
fn a_dirty_submodule_is_said() {
    let (project, _library) = with_submodule();
    project.write("lib/hello.sh", "echo no\n");
    let ran = verify(&project, &["--check", CHECK]).expect(1);
    ran.says("files of the submodule lib").says("commit them in lib");
    project.write("greet.sh", "sh lib/hello.sh \"$1\"\n");
    let ran = verify(&project, &["--check", CHECK]).expect(4);
    ran.prints("the submodule lib has changes that are not committed there");
}

/// VC-01: settings that the work broke are the work's to answer for; those that were broken are not.
#[test]
fn broken_settings_are_a_verdict() {
    let project = greeter();
    project.write("greet.sh", "echo \"Hello, $1\"\n");
    project.write("countersign.toml", "[verify]\nallow = [\n");
    let ran = verify(&project, &["--check", CHECK]).expect(3);
    ran.prints("can't be read any more: countersign.toml:");
    project.commit("Broken");
    project.write("greet.sh", "echo \"Hello, $1!\"\n");
    verify(&project, &["--check", CHECK]).expect(2).says("countersign.toml:");
}

/// VC-05: parts of a project without a description of the whole are found.
#[test]
fn parts_without_a_root_are_found() {
    let project = Project::new(PROGRAM);
    if !has(&project, "python3") {
        return;
    }
    for (part, name) in [("a", "add"), ("b", "sub")] {
        let sign = if part == "a" { "-" } else { "+" };
        project.write(
            &format!("{part}/{name}.py"),
            format!("def {name}(x, y):\n    return x {sign} y\n"),
        );
        project.write(&format!("{part}/tests/__init__.py"), "");
        let test = format!(
            "import unittest\nfrom {name} import {name}\n\n\nclass T(unittest.TestCase):\n    def test_{name}(self):\n        \
             self.assertEqual({name}(2, 3), 5)\n"
        );
        project.write(&format!("{part}/tests/test_{name}.py"), test);
    }
    project.commit("Two parts");
    project.write("a/add.py", "def add(x, y):\n    return x + y\n");
    let ran =
        project.run(["verify", "--task", "Fix add: it must return the sum", "--format", "json"]);
    let found = ran.json()["data"].clone();
    assert_eq!(ran.code, Some(0), "{}", reasons(&found));
    assert_eq!(found["terms"]["checks"].as_array().unwrap().len(), 2, "{found:#}");
}
