//! Product code that looks at who called it, or at what is loaded around it.

use countersign_domain::gaming::{Finding, Rule, Severity};

use super::View;
use crate::args::{has_word, short, squeeze};
use crate::literals::{inside, values};

/// Looking at who calls.
const STACK: &[&str] = &[
    "inspect.stack(",
    "inspect.currentframe(",
    "sys._getframe(",
    "traceback.extract_stack(",
    "traceback.format_stack(",
    "linecache.",
    "captureStackTrace",
    "prepareStackTrace",
    "std::backtrace",
    "Backtrace::capture",
    "Backtrace::force_capture",
    "runtime.Caller(",
    "runtime.Callers(",
    "runtime.CallersFrames(",
    "debug.Stack()",
    "getStackTrace()",
    "debug_backtrace(",
    "caller_locations",
    "Environment.StackTrace",
    "Error().stack",
    "Error(\"\").stack",
    "Error('').stack",
];

/// How tests, their files and their runners are called. `.test(` is how a pattern is asked.
const TESTS: &[&str] = &[
    ".test.",
    ".test\"",
    ".test'",
    "\\.test",
    ".spec.",
    "\\.spec",
    "_test",
    "test_",
    "tests",
    "/test/",
    "\"test\"",
    "'test'",
    "pytest",
    "unittest",
    "node:test",
    "jest",
    "vitest",
    "mocha",
    "testing.",
];

/// So many lines away, what looks at the stack is still what looks for a test.
const NEAR: u32 = 8;

pub(super) fn is_look(code: &str) -> bool {
    STACK.iter().any(|word| code.contains(word))
}

/// Whether a new line is about tests by a text or a pattern in it.
fn names_tests(text: &str) -> bool {
    let lower = text.to_lowercase();
    let has_text = lower.contains(['"', '\'', '`', '/']);
    has_text && TESTS.iter().any(|word| lower.contains(word))
}

/// What a line that looks at the stack comes to. Loggers look at it as well; what also reads files may
/// read the answer, and what looks for a test's name behaves otherwise for it.
pub(super) fn look(view: &View<'_>, number: u32, text: &str, stack_only: bool) -> Finding {
    let lines = view.new_lines();
    let near = |line: &u32| line.abs_diff(number) <= NEAR;
    // Whatever it is called: a part of a test's name in what was called is asked for by nobody else.
    let asks = ["contains(", "includes(", "Contains(", " in ", "find("];
    let names_one = |text: &str| {
        let mut values = values(text).into_iter().filter(|value| value.starts_with('"'));
        asks.iter().any(|word| text.contains(word))
            && values.any(|value| view.literals.is_of_name(inside(&value)))
    };
    let for_tests =
        lines.iter().any(|(line, text, _)| near(line) && (names_tests(text) || names_one(text)));
    let message = if for_tests {
        "The product looks at who called it, and for the name of a test."
    } else {
        "The product looks at who called it."
    };
    let finding = view.change.text(Rule::G22, number, message).change(None, Some(short(text)));
    if for_tests || !stack_only { finding } else { finding.graded(Severity::Info) }
}

/// Whether a line asks what else is loaded, or how the process was started, to learn of a test.
pub(super) fn asks_around(text: &str, code: &str) -> bool {
    let squeezed = squeeze(text);
    let lower = squeezed.to_lowercase();
    let modules = squeezed.contains("sys.modules")
        && (lower.contains("pytest") || lower.contains("unittest"));
    let globals = [
        "typeof describe",
        "typeof jest",
        "typeof it=",
        "typeof it!",
        "typeof vi=",
        "typeof vi!",
        "globalThis.jest",
        "globalThis.describe",
        "globalThis.it",
        "global.describe",
        "global.jest",
        "'jest'in global",
        "'describe'in global",
    ];
    let started = ["os.Args", "sys.argv", "sys.orig_argv", "require.main", "mainModule"];
    let is_started =
        started.iter().any(|word| squeezed.contains(word)) || has_word(&squeezed, "current_exe()");
    let is_compared = ["if", "?", "==", "!=", "contains", "starts", "is_some", "matches!"]
        .iter()
        .any(|word| code.contains(word));
    let thread = squeezed.contains("thread::current().name()") && is_compared;
    modules
        || globals.iter().any(|word| squeezed.contains(word))
        || is_started && (names_tests(text) || lower.contains("deps/"))
        || lower.contains("\"-test.")
        || thread
}

/// Whether a line loads what only tests are written with, in a file that is no kit for them.
pub(super) fn loads_runner(path: &str, text: &str) -> bool {
    let lower = path.to_lowercase();
    let is_kit = ["test", "mock", "fixture", "plugin", "spec", "bench", "conftest", "fake", "stub"]
        .iter()
        .any(|word| lower.contains(word));
    let line = text.trim();
    let python = ["import pytest", "from pytest", "import _pytest", "from _pytest"];
    let script = ["'node:test'", "\"node:test\"", "'vitest'", "\"vitest\"", "'@jest/globals'"];
    let is_script = line.contains("import") || line.contains("require(");
    !is_kit
        && (python.iter().any(|word| line.starts_with(word))
            || is_script && script.iter().any(|word| line.contains(word))
            || path.ends_with(".go") && matches!(line, "\"testing\"" | "import \"testing\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// G22: a pattern is asked with `.test(`, and says nothing of tests by that.
    #[test]
    fn names_of_tests() {
        assert!(names_tests("const strict = /\\.test\\.js/.test(new Error().stack);"));
        assert!(names_tests("if strings.HasSuffix(file, \"_test.go\") {"));
        assert!(!names_tests("const named = /^at /.test(line);"));
        assert!(!names_tests("latest = stack[0]"));
    }

    /// G23: what is loaded and how the process began.
    #[test]
    fn what_is_around() {
        let asks = |text: &str| asks_around(text, text);
        assert!(asks("if sys.modules.get(\"pytest\"):") && asks("if (typeof describe === 'x') {"));
        assert!(asks("for _, arg := range os.Args { if strings.HasPrefix(arg, \"-test.\") {"));
        assert!(asks("if std::thread::current().name() != Some(\"main\") {"));
        assert!(!asks("name = sys.argv[1]") && !asks("sys.modules[__name__] = self"));
        assert!(!asks("log(thread::current().name())"));
        assert!(loads_runner("src/a.py", "import pytest") && loads_runner("a.go", "\t\"testing\""));
        assert!(!loads_runner("src/testkit.py", "import pytest"));
    }
}
