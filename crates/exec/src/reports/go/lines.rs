//! The lines of `go test`, one at a time.

use countersign_domain::qa::Outcome;

use crate::reports::words::duration;

#[derive(Debug, PartialEq)]
pub(in crate::reports) enum Said<'a> {
    Nothing,
    /// `=== RUN   TestA/b`
    Run(&'a str),
    /// `=== NAME  TestA`: what follows is said by it.
    Current(&'a str),
    /// `--- PASS: TestA/b (0.00s)`
    Test {
        outcome: Outcome,
        name: &'a str,
        duration_ms: Option<u64>,
    },
    /// `ok` and the package, with tabs between them
    Package {
        id: &'a str,
        end: End,
    },
    /// `# example.com/a`: what the compiler says follows.
    Header(&'a str),
    Panic(&'a str),
    /// `PASS`, `FAIL` or `exit status 1` alone
    Word,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::reports) enum End {
    Ok,
    Failed,
    /// It could not be built.
    Broken,
    /// It has none, or none of those that were asked for.
    NoTests,
}

pub(in crate::reports) fn read(line: &str) -> Said<'_> {
    if let Some(rest) = line.strip_prefix("=== ") {
        return match rest.split_once(' ') {
            Some(("RUN", name)) if !name.trim().is_empty() => Said::Run(name.trim()),
            Some(("CONT" | "NAME", name)) => Said::Current(name.trim()),
            _ => Said::Nothing,
        };
    }
    if let Some(rest) = line.trim_start_matches("    ").strip_prefix("--- ") {
        return test(rest).unwrap_or(Said::Nothing);
    }
    if let Some(header) = line.strip_prefix("# ") {
        return Said::Header(header);
    }
    if line.starts_with("panic: ") || line.starts_with("fatal error: ") {
        return Said::Panic(line);
    }
    if matches!(line, "PASS" | "FAIL") || line.starts_with("exit status ") {
        return Said::Word;
    }
    package(line).unwrap_or(Said::Nothing)
}

/// `PASS: TestA/b (0.00s)`
fn test(text: &str) -> Option<Said<'_>> {
    let (word, rest) = text.split_once(": ")?;
    let outcome = match word {
        "PASS" => Outcome::Passed,
        "FAIL" => Outcome::Failed,
        "SKIP" => Outcome::Skipped,
        _ => return None,
    };
    let (name, time) = rest.strip_suffix(')')?.rsplit_once(" (")?;
    let duration_ms = Some(duration(time)?);
    (!name.is_empty()).then_some(Said::Test { outcome, name, duration_ms })
}

/// `ok`, `FAIL` or `?`, the package, and its time or `[build failed]`, `[no test files]`
fn package(line: &str) -> Option<Said<'_>> {
    let (word, rest) = line.split_once('\t')?;
    let (id, said) = rest.split_once(['\t', ' ']).unwrap_or((rest, ""));
    let said = said.trim();
    let end = match word {
        "ok  " if said.contains("[no tests to run]") => End::NoTests,
        "ok  " => End::Ok,
        "FAIL" if said.starts_with('[') => End::Broken,
        "FAIL" => End::Failed,
        "?   " => End::NoTests,
        // Without tests, but with its coverage.
        "" if said.starts_with("coverage: ") => End::NoTests,
        _ => return None,
    };
    let is_timed = said.starts_with('(')
        || said.split([' ', '\t']).next().is_some_and(|time| duration(time).is_some());
    let is_whole = matches!(end, End::Broken | End::NoTests) || is_timed;
    (!id.is_empty() && is_whole).then_some(Said::Package { id, end })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// CX-12: the lines of go test, and lines that only look like them.
    #[test]
    fn lines_of_go() {
        let check = |line: &str, expected: Said<'_>| assert_eq!(read(line), expected, "{line}");
        let test = |outcome, name| Said::Test { outcome, name, duration_ms: Some(10) };
        check("=== RUN   TestA/b", Said::Run("TestA/b"));
        check("=== PAUSE TestA", Said::Nothing);
        check("=== NAME  TestA", Said::Current("TestA"));
        check("--- PASS: TestA (0.01s)", test(Outcome::Passed, "TestA"));
        check("    --- FAIL: TestA/b (0.01s)", test(Outcome::Failed, "TestA/b"));
        check("--- SKIP: TestA (0.01s)", test(Outcome::Skipped, "TestA"));
        check("--- PASS: TestA (0.0", Said::Nothing);
        check("--- PASS: TestA", Said::Nothing);
        check("  --- PASS: TestA (0.01s)", Said::Nothing);
        let package = |end| Said::Package { id: "example.com/a", end };
        check("ok  \texample.com/a\t0.003s", package(End::Ok));
        check("ok  \texample.com/a\t(cached)", package(End::Ok));
        check("ok  \texample.com/a\t0.003s\tcoverage: 80.0% of statements", package(End::Ok));
        check("ok  \texample.com/a\t0.003s [no tests to run]", package(End::NoTests));
        check("FAIL\texample.com/a\t0.003s", package(End::Failed));
        check("FAIL\texample.com/a [build failed]", package(End::Broken));
        check("?   \texample.com/a\t[no test files]", package(End::NoTests));
        check("\texample.com/a\t\tcoverage: 0.0% of statements", package(End::NoTests));
        check("ok  \texample.com/a", Said::Nothing);
        check("ok example.com/a 0.003s", Said::Nothing);
        check("FAIL", Said::Word);
    }
}
