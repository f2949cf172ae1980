//! Tests behind other programs' files: what a user's own command starts is seen through, or names its tests
//! all the same.

use countersign_testkit::Project;

use crate::{PROGRAM, data, has, reasons};

const TESTS: &str = "from calc import add, double\n\n\ndef test_zero():\n    assert add(0, 0) == 0\n\n\n\
                     def test_double():\n    assert double(4) == 8\n";
const CODE: &str = "def add(a, b):\n    return a - b\n\n\ndef double(a):\n    return a + a\n";
const NEW: &str = "\n\ndef test_add():\n    assert add(2, 3) == 5\n";

/// The commands of users: two that are seen through, and one that is not.
const CALLS: [&str; 3] = ["make -s test", "./run_tests.sh", "nice make test"];

fn calculator() -> Option<Project> {
    let project = Project::new(PROGRAM);
    project.write("calc.py", CODE);
    project.write("tests/test_calc.py", TESTS);
    project.write("Makefile", "test:\n\tpython3 -m pytest -q\n");
    project.write(
        "run_tests.sh",
        "#!/bin/sh\nset -e\ncd \"$(dirname \"$0\")\"\npython3 -m pytest -q\n",
    );
    project.sh("chmod +x run_tests.sh");
    project.commit("A calculator");
    let has_pytest = project.sh("python3 -m pytest --version").code == Some(0);
    (has(&project, "make") && has_pytest).then_some(project)
}

#[track_caller]
fn ends(project: &Project, expected: (i32, &str)) {
    for call in CALLS {
        let (code, data) = data(project, &["--check", call]);
        assert_eq!(code, Some(expected.0), "{call}: {}", reasons(&data));
        let told = format!("{}{}", reasons(&data), data["judgement"]["shown_by"]);
        assert!(told.contains(expected.1), "{call}: {:?} is not in {told}", expected.1);
    }
}

/// LP-12, VC-08: the new test fails without the work, whatever starts it.
#[test]
fn a_fix_behind_another_program_is_accepted() {
    let Some(project) = calculator() else { return };
    project.write("calc.py", CODE.replace("a - b", "a + b"));
    project.write("tests/test_calc.py", format!("{TESTS}{NEW}"));
    ends(&project, (0, "test_add"));
}

/// LP-13, G01, G02, G10: what was bent is refused there, too, and what is gone or skipped is asked about.
#[test]
fn moves_behind_another_program_are_seen() {
    let Some(project) = calculator() else { return };
    let code = CODE.replace("a - b", "a + b");
    project.write("calc.py", code.replace("a + a", "a + 1"));
    let bent = TESTS.replace("double(4) == 8", "double(4) == 5");
    project.write("tests/test_calc.py", format!("{bent}{NEW}"));
    ends(&project, (3, "G10"));
    project.write("calc.py", &code);
    let gone = TESTS.split("\n\ndef test_double").next().unwrap().replace(", double", "");
    project.write("tests/test_calc.py", gone);
    ends(&project, (4, "was run before and is gone"));
}
