//! The words by which an aim is known.

/// Words that ask for the same behaviour, wherever they lead a sentence.
pub(super) const UPKEEP: &[&str] = &[
    "refactor",
    "refactoring",
    "rename",
    "move",
    "extract",
    "split",
    "inline",
    "reorganise",
    "reorganize",
    "restructure",
    "clean",
    "cleanup",
    "tidy",
    "reformat",
    "format",
    "lint",
    "document",
    "docs",
    "doc",
    "chore",
    "style",
    "test",
    "tests",
    "bump",
    "upgrade",
    "simplify",
    "deduplicate",
    "parametrise",
    "parametrize",
    "parameterise",
    "parameterize",
    "merge",
    "consolidate",
    "regenerate",
    "ci",
    "build",
    "typo",
    "comment",
    "mark",
    "skip",
    "quarantine",
    "migrate",
    "convert",
    "port",
    "delete",
    "remove",
    "drop",
    "perf",
    "speed",
    "optimise",
    "optimize",
    "modernise",
    "modernize",
    "pin",
    "reword",
    "annotate",
    "vendor",
    "snapshot",
];

/// What these verbs do to such things changes no behaviour of the code.
pub(super) const UPKEEP_OBJECTS: &[&str] = &[
    "formatting",
    "lint",
    "lints",
    "warning",
    "warnings",
    "typing",
    "types",
    "type",
    "logging",
    "dependency",
    "dependencies",
    "lockfile",
    "typo",
    "typos",
];

/// What is around the code.
pub(super) const AROUND: &[&str] = &[
    "test",
    "tests",
    "comment",
    "comments",
    "docs",
    "documentation",
    "readme",
    "changelog",
    "snapshot",
    "snapshots",
    "fixture",
    "fixtures",
    "ci",
    "workflow",
    "pipeline",
    "docstring",
    "docstrings",
    "coverage",
    "suite",
    "golden",
    "goldens",
    "benchmark",
    "conftest",
    "mock",
    "mocks",
    "expectation",
    "expectations",
    "makefile",
];
/// Verbs that are about what is around the code.
pub(super) const AROUND_VERBS: &[&str] = &[
    "document",
    "docs",
    "doc",
    "test",
    "tests",
    "ci",
    "snapshot",
    "comment",
    "cover",
    "explain",
    "quarantine",
    "skip",
];

/// Between a verb and what it is about.
pub(super) const FILLERS: &[&str] = &[
    "the",
    "a",
    "an",
    "all",
    "some",
    "our",
    "more",
    "missing",
    "unit",
    "integration",
    "new",
    "old",
    "flaky",
    "slow",
    "failing",
    "broken",
    "existing",
    "regression",
    "property",
    "few",
    "up",
    "for",
    "in",
    "of",
    "stale",
    "outdated",
    "ui",
    "to",
    "and",
    "jest",
    "vitest",
    "pytest",
    "go",
    "cargo",
];

/// What says, anywhere in a task, that the code is to do the same as before.
pub(super) const SAME: &[&str] = &[
    "behaviour must not change",
    "behavior must not change",
    "behaviour stays",
    "behavior stays",
    "results must not change",
    "results should not change",
    "results stay",
    "result must not change",
    "output must not change",
    "output should not change",
    "outputs must not change",
    "output stays",
    "answers must not change",
    "same behaviour",
    "same behavior",
    "no behaviour change",
    "no behavior change",
    "no functional change",
    "without changing behaviour",
    "without changing behavior",
    "without changing what it does",
    "nothing about what it does",
    "what it does should not change",
    "what it does must not change",
    "should not change what it does",
    "must not change what it does",
    "must behave as before",
    "behaves as before",
    "no change of the code",
    "no code change",
    "no change in behaviour",
    "no change in behavior",
    "stays the same",
    "must stay the same",
    "should stay the same",
    "nothing else changes",
    "nothing else is to change",
    "nothing else should change",
    "nothing else must change",
    "no other change",
    "test only",
    "tests only",
    "only the test",
    "refactor",
];

/// Who makes something one of these changes how it is written, and not what it does.
pub(super) const SHAPES: &[&str] =
    &["generic", "private", "internal", "const", "readonly", "final", "typed", "immutable"];

/// Words that ask for something, wherever they stand. A sentence without any tells how it is.
pub(super) const ASKING: &[&str] = &[
    "should",
    "must",
    "shall",
    "need",
    "needs",
    "fix",
    "make",
    "implement",
    "support",
    "add",
    "let",
    "allow",
    "want",
    "wants",
    "correct",
    "ensure",
    "return",
    "returns",
    "handle",
    "wrong",
    "fails",
    "failing",
    "red",
    "broken",
    "bug",
];

/// What is written about code beside it.
pub(super) const DOCUMENTS: &[&str] =
    &["jsdoc", "docstring", "docstrings", "rustdoc", "godoc", "typedoc", "javadoc"];

/// What follows a word that a sentence speaks of, and not one that asks for something.
pub(super) const STATES: &[&str] = &[
    "is", "are", "was", "were", "fails", "fail", "failed", "does", "doesn", "do", "don", "should",
    "must", "has", "have", "can", "cannot", "returns", "gives", "loses", "breaks", "crashes",
    "takes", "needs", "ignores", "drops", "keeps", "shows", "prints", "raises", "throws", "panics",
    "accepts", "thinks", "of",
];

/// What types are written down in: it changes nothing that runs.
pub(super) const DECLARED: &[&str] =
    &["hints", "annotations", "declarations", "definitions", "typings", "signatures"];

/// What lays code out anew.
pub(super) const FORMATTERS: &[&str] =
    &["formatter", "formatters", "black", "prettier", "gofmt", "rustfmt", "autopep8", "yapf"];

/// What fields of a type are tagged for.
pub(super) const FORMATS: &[&str] = &["json", "yaml", "xml", "toml", "bson", "db", "struct"];

/// What says that something is not as it should be, too.
pub(super) const WRONG: &[&str] = &[
    "wrong",
    "wrongly",
    "fix",
    "bug",
    "fails",
    "failing",
    "red",
    "broken",
    "incorrect",
    "error",
    "crash",
    "crashes",
    "timeout",
    "limit",
];

/// What nobody does with what is to go.
pub(super) const USES: &[&str] = &["uses", "names", "calls", "reads", "imports"];
