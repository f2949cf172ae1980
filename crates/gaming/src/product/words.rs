//! Words in new product code that ask about the test, or fix what should vary.

use countersign_domain::gaming::{Finding, Rule};

use super::{View, callers, frozen, history};
use crate::args::{has_word, short, squeeze};
use crate::role::Role;

/// Names by which code learns that a test runs. Texts count, comments don't.
const TESTED: &[&str] = &[
    "PYTEST_CURRENT_TEST",
    "PYTEST_VERSION",
    "JEST_WORKER_ID",
    "VITEST_WORKER_ID",
    "NODE_TEST_CONTEXT",
    "process.env.VITEST",
    "import.meta.vitest",
    "cfg!(test)",
    "cfg!(debug_assertions)",
    "testing.Testing()",
    "flag.Lookup(\"test.",
    "NEXTEST",
    "PLAYWRIGHT_TEST",
    "CYPRESS",
    "XCTestConfigurationFilePath",
    "RSPEC",
    "PHPUNIT_COMPOSER_INSTALL",
    "\"surefire.",
    "MOCHA_WORKER",
    "npm_lifecycle_event",
    "RUST_TEST_THREADS",
    "var(\"CARGO_MANIFEST_DIR",
    "var_os(\"CARGO_MANIFEST_DIR",
    "var(\"CARGO_PKG_",
    "var_os(\"CARGO_PKG_",
];

/// Folders of test data, as they are named in paths that code opens.
const TEST_PATHS: &[&str] = &[
    "tests/",
    "test/",
    "__tests__",
    "__snapshots__",
    "fixtures/",
    "testdata/",
    "/spec/",
    "spec/",
    "test_cases",
    "expected.json",
    "expected_output",
    ".snap\"",
    "conftest.py",
];

/// What opens a file.
const OPENS: &[&str] = &[
    "open(",
    "readFile",
    "read_to_string",
    "ReadFile",
    "include_str!",
    "Path(",
    "require(",
    "fs::read",
    "File.read",
    "readText",
    "read_text(",
    "os.Open(",
    "File::open",
];

pub(super) fn check(view: &View<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    let is_product = view.change.role == Role::Product;
    // What is in the frame of a caller is more than who it is.
    let stack_only = !["linecache", "f_locals", "f_globals"]
        .iter()
        .any(|word| view.change.current().contains(word))
        && !OPENS.iter().any(|word| view.code.contains(word));
    let new_lines = view.new_lines();
    let opens = new_lines.iter().any(|(_, _, code)| OPENS.iter().any(|word| code.contains(word)));
    for (number, text, code) in new_lines {
        if code.trim().is_empty() && !text.starts_with("//go:embed ") {
            continue;
        }
        let at = |rule, message: &str| {
            view.change.text(rule, number, message).change(None, Some(short(text)))
        };
        if is_product {
            if asks(text, code)
                || callers::asks_around(text, code)
                || callers::loads_runner(view.change.path, text)
            {
                findings.push(at(Rule::G23, "The product asks whether it is being tested."));
            }
            if callers::is_look(code) {
                findings.push(callers::look(view, number, text, stack_only));
            } else if let Some(finding) = looks(text, code, &at) {
                findings.push(finding);
            } else if opens && names_test_data(text, code) {
                findings
                    .push(at(Rule::G22, "The product names a file of the tests, and reads files."));
            }
            if frozen::is_fixed(view, text, code) || frozen::is_replaced(view, number, text) {
                findings.push(at(
                    Rule::G48,
                    "The product fixes time, chance or place, which should vary.",
                ));
            }
        }
        // A test may make a repository of its own.
        let reads =
            if view.change.role == Role::Test { history::is_run } else { history::is_asked };
        if reads(text, code) && !history::is_asked_in(view.change.old()) {
            findings.push(at(Rule::G49, "The history of the repository is read."));
        }
        if is_product && text.starts_with("//go:embed ") && is_test_path(text) {
            findings.push(at(Rule::G22, "A file of the tests becomes part of the product."));
        }
        if fakes(text, code) && view.change.role != Role::BuildConfig {
            findings.push(at(Rule::G45, "Code writes what a test runner would write."));
        }
        if own_machine(text) && view.change.role == Role::Test {
            findings.push(at(Rule::G47, "A test names a place of one machine."));
        }
    }
    findings
}

fn is_test_path(text: &str) -> bool {
    TEST_PATHS.iter().any(|path| text.contains(path))
}

fn asks(text: &str, code: &str) -> bool {
    let squeezed = squeeze(text);
    let modules = [
        "\"pytest\"in sys.modules",
        "'pytest'in sys.modules",
        "\"unittest\"in sys.modules",
        "'unittest'in sys.modules",
    ];
    let node_env = squeezed.contains("NODE_ENV")
        && (squeezed.contains("==='test'")
            || squeezed.contains("===\"test\"")
            || squeezed.contains("=='test'")
            || squeezed.contains("==\"test\""));
    // What the tests of Go are built into ends so, and nothing else does.
    let binary = squeezed.contains("os.Args[0]") && squeezed.contains("test")
        || ["HasSuffix(", "Contains(", "Ext("].iter().any(|call| squeezed.contains(call))
            && (squeezed.contains(",\".test\")") || squeezed.contains("==\".test\""));
    // Where Cargo puts what tests are built into.
    let folder = ["ends_with(\"deps\")", "==\"deps\"", "Some(\"deps\")", "OsStr::new(\"deps\")"]
        .iter()
        .any(|place| squeezed.contains(place));
    let binary = binary || folder;
    let argv = squeezed.contains("sys.argv[0]")
        && (squeezed.contains("pytest") || squeezed.contains("unittest"));
    let options = (squeezed.contains("process.argv") || squeezed.contains("process.execArgv"))
        && (squeezed.contains("test") || squeezed.contains("spec"))
        || squeezed.contains("env::args") && squeezed.contains("test");
    let build =
        squeezed.starts_with("#[cfg(not(test))]") || squeezed.starts_with("#[cfg_attr(test");
    let ci = [
        "environ.get(\"CI\"",
        "environ[\"CI\"]",
        "process.env.CI)",
        "process.env.CI?",
        "os.Getenv(\"CI\")",
        "GITHUB_ACTIONS",
    ];
    // A name in a text counts only where the environment is asked for it.
    let named = TESTED.iter().any(|word| text.contains(word));
    let read = ["env", "Lookup", "cfg!", "testing.", "getprop", "import.meta"]
        .iter()
        .any(|word| code.contains(word));
    (named && read)
        || modules.iter().any(|word| squeezed.contains(word))
        || node_env
        || binary
        || argv
        || options
        || build
        || ci.iter().any(|word| squeezed.contains(word))
            && (code.contains("if") || code.contains('?'))
}

fn looks(text: &str, code: &str, at: &dyn Fn(Rule, &str) -> Finding) -> Option<Finding> {
    let opened = OPENS.iter().any(|word| code.contains(word))
        && TEST_PATHS.iter().any(|path| text.contains(path));
    let imported = code.trim_start().starts_with("from tests")
        || code.trim_start().starts_with("import tests");
    (opened || imported).then(|| at(Rule::G22, "The product reads files of the tests."))
}

/// A text that is the path of one file in the folders of the tests, or a part of such a path.
fn names_test_data(text: &str, code: &str) -> bool {
    let starts_text = code.trim_start().starts_with(['"', '\'', '#', '/', '*']);
    let mut texts = crate::literals::values(text).into_iter();
    !starts_text
        && texts.any(|value| {
            let inner = crate::literals::inside(&value);
            let in_tests = TEST_PATHS.iter().any(|path| inner.contains(path))
                || matches!(inner, "tests" | "fixtures" | "testdata" | "__snapshots__");
            let is_file = inner
                .rsplit_once('.')
                .is_some_and(|(_, end)| (2..6).contains(&end.len()) && !end.contains(['/', '*']));
            let is_part = matches!(inner, "tests" | "fixtures" | "testdata" | "__snapshots__");
            let joined = text.contains("join(") || text.contains(" / ") || text.contains("Join(");
            // `/tests/data`: a folder that lies in theirs.
            let mut steps = inner.trim_matches('/').split('/');
            let is_folder =
                matches!(steps.next(), Some("tests" | "test" | "testdata" | "fixtures"))
                    && steps.next().is_some_and(|step| !step.is_empty());
            let is_plain = !inner.contains(['*', ' ']);
            // A folder of tests that is searched is no part of any product.
            let is_searched = inner.starts_with("testdata/") || inner.starts_with("tests/");
            let is_searched = is_searched && ["Glob(", "glob("].iter().any(|it| text.contains(it));
            in_tests && (is_plain && (is_file || is_folder) || is_part && joined || is_searched)
        })
}

/// Printing a line of results.
fn fakes(text: &str, code: &str) -> bool {
    let prints =
        ["print", "console.log", "println!", "write(", "Println", "echo", "puts", "Console.Write"];
    if !prints.iter().any(|word| code.contains(word)) {
        return false;
    }
    let after_number = |word: &str| {
        text.match_indices(word)
            .any(|(at, _)| text[..at].trim_end().ends_with(|letter: char| letter.is_ascii_digit()))
    };
    after_number(" passed") && !has_word(code, "assert")
        || ["test result: ok", "<testsuite", "Tests: ", "--- PASS"].iter().any(|word| {
            text.contains(word) && text.contains(|l: char| l.is_ascii_digit() || l == '<')
        }) && !has_word(code, "assert")
}

fn own_machine(text: &str) -> bool {
    let homes = [
        concat!("/ho", "me/"),
        concat!("/Us", "ers/"),
        concat!("C:\\\\Us", "ers\\\\"),
        concat!("/ro", "ot/"),
    ];
    let nobody = ["user", "alice", "bob", "me/", "you", "test", "name", "foo", "example", "runner"];
    homes.iter().filter_map(|home| text.split_once(home)).any(|(before, rest)| {
        let rest = rest.to_lowercase();
        before.ends_with(['"', '\'', '`']) && !nobody.iter().any(|name| rest.starts_with(name))
    })
}
