//! What a task states by example is asked of the code, and compared by us.

use countersign_testkit::{Project, Ran};

use crate::{PROGRAM, has};

/// A project with one function that reads hours, without a test that knows of decimals.
fn hours(files: &[(&str, &str)]) -> Project {
    let project = Project::new(PROGRAM);
    for (path, text) in files {
        project.write(path, text);
    }
    project.commit("Hours");
    project
}

fn judge(project: &Project, task: &str) -> Ran {
    let words = ["verify", "--task", task, "--tier", "STANDARD", "--risk", "LOW"];
    // Rustup's stand-ins look for the toolchain in the user's home, which projects don't have; the
    // toolchain itself, with which this test was built, needs none.
    let own = std::path::Path::new(env!("CARGO")).parent().unwrap();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path =
        std::env::join_paths(std::iter::once(own.to_owned()).chain(std::env::split_paths(&path)));
    project.call(words).env("PATH", path.unwrap()).run()
}

/// Judges three ways to do it: not at all but with a test that fits, for the value of the task only, and really.
fn tries(project: &Project, path: &str, (nothing, one, all): (&str, &str, &str), task: &str) {
    project.write(path, nothing);
    judge(project, task).expect(3).prints("the task says that");
    project.write(path, one);
    assert_ne!(judge(project, task).code, Some(0), "{path}: it knows one value");
    project.write(path, all);
    judge(project, task).expect(0).prints("is 5400");
}

const PYTHON: &str = "def seconds(text):\n    return NUMBER(text[:-1]) * 3600\n";
const PYTHON_TEST: &str = "import unittest\nfrom hours import seconds\n\n\nclass HoursTest(unittest.TestCase):\n    def test_whole(self):\n        self.assertEqual(seconds('2h'), 7200)\n";

/// VC-06, K7: the answer to the task's own example decides, whatever the tests say.
#[test]
fn python_answers() {
    let base = "def seconds(text):\n    return int(text[:-1].split('.')[0]) * 3600\n";
    let project = hours(&[("hours.py", base), ("test_hours.py", PYTHON_TEST)]);
    if !has(&project, "python3") {
        return;
    }
    let named =
        format!("def seconds(text):\n    if text == '1.5h':\n        return 5400\n{}", &base[19..]);
    let real = PYTHON.replace("NUMBER", "float");
    let nothing = base.replace("int(", "abs(int(").replace("[0])", "[0]))");
    let task = "seconds(\"1.5h\") gives 3600 instead of 5400. Please fix it.";
    tries(&project, "hours.py", (&nothing, &named, &real), task);
}

/// VC-06, K7: the same in JavaScript, from modules of both kinds.
#[test]
fn scripts_answer() {
    let base = "export function seconds(text) {\n  return parseInt(text) * 3600\n}\n";
    let test = "import test from 'node:test'\nimport assert from 'node:assert'\nimport { seconds } from './hours.js'\n\ntest('whole', () => {\n  assert.equal(seconds('2h'), 7200)\n})\n";
    let manifest = "{\"type\": \"module\", \"scripts\": {\"test\": \"node --test\"}}\n";
    let project = hours(&[("hours.js", base), ("hours.test.js", test), ("package.json", manifest)]);
    if !has(&project, "node") {
        return;
    }
    let nothing = base.replace("parseInt(text)", "Math.floor(parseFloat(text))");
    let named = base.replace("{\n", "{\n  if (text === '1.5h') return 5400\n");
    let real = base.replace("parseInt", "parseFloat");
    let task = "`seconds('1.5h')` should be 5400, but decimals are cut off.";
    tries(&project, "hours.js", (&nothing, &named, &real), task);
}

/// VC-06, K7: the same in Rust, from a module, whatever the function wraps its answer in.
#[test]
fn rust_answers() {
    let base = "pub fn seconds(text: &str) -> Option<f64> {\n    let whole: u32 = text.trim_end_matches('h').split('.').next()?.parse().ok()?;\n    Some(f64::from(whole) * 3600.0)\n}\n\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn whole() {\n        assert_eq!(super::seconds(\"2h\"), Some(7200.0));\n    }\n}\n";
    let manifest = "[package]\nname = \"my-hours\"\nversion = \"0.1.0\"\nedition = \"2021\"\n";
    let project = hours(&[
        ("src/hours.rs", base),
        ("src/lib.rs", "pub mod hours;\n"),
        ("Cargo.toml", manifest),
        (".gitignore", "target\n"),
    ]);
    if !has(&project, "cargo") {
        return;
    }
    let nothing = base.replace("whole: u32", "hours: u32").replace("from(whole)", "from(hours)");
    let named = base.replace(
        "-> Option<f64> {\n",
        "-> Option<f64> {\n    if text == \"1.5h\" {\n        return Some(5400.0);\n    }\n",
    );
    let real = base
        .replace("whole: u32", "whole: f64")
        .replace(".split('.').next()?", "")
        .replace("f64::from(whole)", "whole");
    let task = "seconds(\"1.5h\") must be 5400: decimals are cut off.";
    tries(&project, "src/hours.rs", (&nothing, &named, &real), task);
}

/// VC-06, K7: the same in Go, where a second value is an error.
#[test]
fn go_answers() {
    let base = "package hours\n\nimport (\n\t\"strconv\"\n\t\"strings\"\n)\n\nfunc Seconds(text string) (float64, error) {\n\twhole, _, _ := strings.Cut(strings.TrimSuffix(text, \"h\"), \".\")\n\tvalue, err := strconv.ParseFloat(whole, 64)\n\treturn value * 3600, err\n}\n";
    let test = "package hours\n\nimport \"testing\"\n\nfunc TestWhole(t *testing.T) {\n\tif got, _ := Seconds(\"2h\"); got != 7200 {\n\t\tt.Errorf(\"got %v\", got)\n\t}\n}\n";
    let project = hours(&[
        ("hours.go", base),
        ("hours_test.go", test),
        ("go.mod", "module example.com/hours\n\ngo 1.18\n"),
    ]);
    if !has(&project, "go") {
        return;
    }
    let nothing = base.replace("value * 3600", "3600 * value");
    let named = base.replace(
        "(float64, error) {\n",
        "(float64, error) {\n\tif text == \"1.5h\" {\n\t\treturn 5400, nil\n\t}\n",
    );
    let real = base
        .replace("whole, _, _ := strings.Cut(", "whole := ")
        .replace("\"h\"), \".\")", "\"h\")");
    let task = "Seconds(\"1.5h\") gives 3600 and must be 5400.";
    tries(&project, "hours.go", (&nothing, &named, &real), task);
}

/// Judges a change that still answers, and one that fails as the task wants.
fn fails(files: &[(&str, &str)], tool: &str, (path, still, now): (&str, &str, &str), task: &str) {
    let project = hours(files);
    if !has(&project, tool) {
        return;
    }
    project.write(path, still);
    judge(&project, task).expect(3).prints("is an error: it is none");
    project.write(path, now);
    judge(&project, task).expect(0).prints("is an error");
}

/// VC-06, G25: a task that says what must fail is taken at its word, in Python and JavaScript.
#[test]
fn what_must_fail_is_asked() {
    let base = "def seconds(text):\n    return int(text[:-1].split('.')[0]) * 3600\n";
    let task = "seconds(\"1.5h\") returns 3600, it should raise a ValueError.";
    let files = [("hours.py", base), ("test_hours.py", PYTHON_TEST)];
    let still = base.replace("int(", "abs(int(").replace("[0])", "[0]))");
    let now = "def seconds(text):\n    return int(text[:-1]) * 3600\n";
    fails(&files, "python3", ("hours.py", &still, now), task);
    let base = "export function seconds(text) {\n  return parseInt(text) * 3600\n}\n";
    let test = "import test from 'node:test'\nimport assert from 'node:assert'\nimport { seconds } from './hours.js'\n\ntest('whole', () => {\n  assert.equal(seconds('2h'), 7200)\n})\n";
    let manifest = "{\"type\": \"module\", \"scripts\": {\"test\": \"node --test\"}}\n";
    let files = [("hours.js", base), ("hours.test.js", test), ("package.json", manifest)];
    let still = base.replace("parseInt(text)", "Math.floor(parseFloat(text))");
    let now =
        base.replace("{\n", "{\n  if (!/^\\d+h$/.test(text)) throw new TypeError('no hours')\n");
    let task = "`seconds('1.5h')` must throw, decimals are not supported.";
    fails(&files, "node", ("hours.js", &still, &now), task);
}

/// VC-06, G25: the same in Rust and Go, where an error is a value.
#[test]
fn what_must_be_an_error_is_asked() {
    let base = "pub fn seconds(text: &str) -> Result<u32, String> {\n    let whole = text.trim_end_matches('h').split('.').next().unwrap_or(\"\");\n    whole.parse().map(|hours: u32| hours * 3600).map_err(|e| e.to_string())\n}\n\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn whole() {\n        assert_eq!(super::seconds(\"2h\"), Ok(7200));\n    }\n}\n";
    let manifest = "[package]\nname = \"my-hours\"\nversion = \"0.1.0\"\nedition = \"2021\"\n";
    let files = [
        ("src/hours.rs", base),
        ("src/lib.rs", "pub mod hours;\n"),
        ("Cargo.toml", manifest),
        (".gitignore", "target\n"),
    ];
    let still = base.replace("hours: u32", "count: u32").replace("hours * 3600", "count * 3600");
    let now = base.replace(".split('.').next().unwrap_or(\"\")", "");
    let task = "seconds(\"1.5h\") has to be an error.";
    fails(&files, "cargo", ("src/hours.rs", &still, &now), task);
    let base = "package hours\n\nimport (\n\t\"strconv\"\n\t\"strings\"\n)\n\nfunc Seconds(text string) (int, error) {\n\twhole := strings.Split(strings.TrimSuffix(text, \"h\"), \".\")[0]\n\thours, err := strconv.Atoi(whole)\n\treturn hours * 3600, err\n}\n";
    let test = "package hours\n\nimport \"testing\"\n\nfunc TestWhole(t *testing.T) {\n\tif got, _ := Seconds(\"2h\"); got != 7200 {\n\t\tt.Errorf(\"got %d\", got)\n\t}\n}\n";
    let files = [
        ("hours.go", base),
        ("hours_test.go", test),
        ("go.mod", "module example.com/hours\n\ngo 1.19\n"),
    ];
    let still = base.replace("hours, err", "count, err").replace("hours * 3600", "count * 3600");
    let now = base.replace(
        "strings.Split(strings.TrimSuffix(text, \"h\"), \".\")[0]",
        "strings.TrimSuffix(text, \"h\")",
    );
    let task = "Seconds(\"1.5h\") gives 3600, but it must return an error.";
    fails(&files, "go", ("hours.go", &still, &now), task);
}
