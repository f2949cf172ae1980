//! Marks of errors and refusals, in code that makes them and in tests that wait for them.

use crate::args::has_word;

/// Marks of an error that code hands out or a test waits for.
const MARKS: &[&str] = &[
    "raise",
    "throw",
    "Err(",
    "Error",
    "errors.",
    "Errorf",
    "panic",
    "reject",
    "ok_or",
    "err_or",
    "raises",
    "throws",
    "Raises",
    "Throw",
    "is_err",
    "unwrap_err",
    "expect_err",
    "err == nil",
    "should_panic",
    "bail!",
    "ensure!",
    "assert",
    "?;",
    ")?",
    "return err",
    ", err",
    "Exception",
    "abort",
    "exit(",
    "Exit(",
    "exitCode",
    "ExitCode",
    "stderr",
    "Stderr",
    "fail",
    "invalid",
    "Invalid",
    "validate",
    "check",
];

/// Marks of a test that waits for an error.
const WAITS: &[&str] = &[
    "raises",
    "Raises",
    "throws",
    "Throws",
    "toThrow",
    "reject",
    "is_err",
    "unwrap_err",
    "expect_err",
    "Err(",
    "err == nil",
    "== nil",
    "errors.Is",
    "errors.As",
    "ErrorIs",
    "ErrorAs",
    "ErrorContains",
    "wantErr",
    "should_panic",
    "catch_unwind",
    "catch",
    "except ",
    "recover()",
    "Error)",
    "Error,",
    "Error:",
    "Error\"",
    "Error::",
    "Error(",
    "Exception",
    "status",
    "returncode",
    "exit",
    "stderr",
    ".err",
];

pub(super) fn is_mark(line: &str, is_test: bool) -> bool {
    let marks = if is_test { WAITS } else { MARKS };
    // `BoolErr(` and `t.Error(` are names that end so.
    let is_whole = |mark: &str, at: usize| match mark {
        "Err(" => !line[..at].ends_with(|letter: char| letter.is_alphanumeric()),
        "Error(" => !line[..at].ends_with("t."),
        ".err" => !line[at + mark.len()..].starts_with(|next: char| next.is_alphanumeric()),
        _ => true,
    };
    marks.iter().any(|mark| line.match_indices(mark).any(|(at, _)| is_whole(mark, at)))
        || is_test && asks_for_failure(line)
}

/// Whether a check asks for what is left of an error: `err` of a program, its code, a list of errors.
fn asks_for_failure(line: &str) -> bool {
    let lower = line.to_lowercase().replace("t.error", "");
    let is_program = ["main(", "run(", "cli(", "code"].iter().any(|word| lower.contains(word));
    let is_code = |rest: &str| {
        rest.trim_start_matches('=').trim_start().starts_with(|l: char| ('1'..='9').contains(&l))
    };
    let ends_badly = lower.split("==").skip(1).any(is_code);
    is_check(line)
        && (is_program && ends_badly
            || has_word(&lower, "err") && !lower.contains("nil")
            || ["error", "invalid", "refus", "denied"].iter().any(|word| lower.contains(word)))
}

/// Words of a message that says why something is refused.
const WHY: &[&str] = &[
    "no", "not", "must", "need", "needs", "required", "missing", "bad", "only", "cannot", "can't",
    "too", "taken", "already",
];

/// Whether code answers that something is not so.
pub(super) fn is_answer(line: &str) -> bool {
    ["False", "false", "None", "null", "nil", "undefined"].iter().any(|word| has_word(line, word))
        || crate::literals::values(line).iter().any(|value| {
            value.starts_with('"') && WHY.iter().any(|word| has_word(&value.to_lowercase(), word))
        })
}

/// Whether a test asks for an answer that says no.
pub(super) fn is_refusal(line: &str) -> bool {
    let denies = ["(!", "not ", "is_none", "NotOk", "notOk", "if ok"];
    is_check(line) && (is_answer(line) || denies.iter().any(|word| line.contains(word)))
}

fn is_check(line: &str) -> bool {
    ["assert", "expect(", "equal(", "Equal", "if ", "require."]
        .iter()
        .any(|word| line.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// G63: a program tells of an error by what it writes beside its output, and by how it ends.
    #[test]
    fn tests_that_wait_for_an_error() {
        let check = |line: &str, is: bool| assert_eq!(is_mark(line, true), is, "{line}");
        check("assert \"exists\" in capsys.readouterr().err", true);
        check("assert.match(run.stderr, /exists/)", true);
        check("log.errand()", false);
        check("assert \"no note\" in err", true);
        check("assert main([\"show\", \"99\"]) == 1", true);
        check("assert form.errors == {\"mail\": [\"bad\"]}", true);
        check("t.Errorf(\"got %d\", got)", false);
        check("if err != nil {", false);
        check("assert main([\"convert\"]) == 0", false);
    }
}
