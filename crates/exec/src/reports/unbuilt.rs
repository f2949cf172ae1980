//! Where a compiler says that something can't be built.

use countersign_domain::qa::{Format, plain_lines};
use serde::Deserialize;

/// Compilers stop long before that; what tests print may look the same.
const MOST: usize = 200;

/// A place that a compiler named.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Unbuilt {
    /// From the folder that the compiler ran in.
    pub path: String,
    /// Counted from one.
    pub line: u32,
}

/// The places in the output of a run of `format`; none for runners that build nothing.
pub fn unbuilt(bytes: &[u8], format: Format) -> Vec<Unbuilt> {
    let text = String::from_utf8_lossy(bytes);
    let text = plain_lines(&text);
    let mut found = match format {
        Format::Cargo => rust(&text),
        Format::GoJson => go(&text),
        _ => Vec::new(),
    };
    found.sort();
    found.dedup();
    found.truncate(MOST);
    found
}

/// The first place below each error; those of warnings and notes are no mistakes.
fn rust(text: &str) -> Vec<Unbuilt> {
    let mut found = Vec::new();
    let mut is_error = false;
    for line in text.lines() {
        if line.starts_with("error") || line.starts_with("warning") {
            is_error = line.starts_with("error");
        } else if let Some(place) = line.trim_start().strip_prefix("--> ")
            && is_error
        {
            found.extend(place_of(place));
            is_error = false;
        }
    }
    found
}

/// What the compiler writes beside the events of tests, or as events of its own.
fn go(text: &str) -> Vec<Unbuilt> {
    #[derive(Deserialize)]
    #[serde(rename_all = "PascalCase")]
    struct Event {
        action: String,
        #[serde(default)]
        output: String,
    }
    let mut found = Vec::new();
    for line in text.lines() {
        if !line.starts_with('{') {
            found.extend(place_of(line));
        } else if let Ok(event) = serde_json::from_str::<Event>(line)
            && event.action == "build-output"
        {
            found.extend(place_of(&event.output));
        }
    }
    found.retain(|place| place.path.strip_suffix(".go").is_some());
    found
}

/// `./a_test.go:12:5: undefined: x`, `tests/a.rs:12:5`.
fn place_of(text: &str) -> Option<Unbuilt> {
    let text = text.trim();
    let text = text.strip_prefix("vet: ").unwrap_or(text);
    let mut parts = text.splitn(3, ':');
    let path = parts.next()?;
    let line = parts.next()?.parse().ok()?;
    let is_path = !path.is_empty() && !path.contains(char::is_whitespace) && !path.starts_with('/');
    let path = path.strip_prefix("./").unwrap_or(path);
    is_path.then(|| Unbuilt { path: path.to_owned(), line })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(format: Format, text: &str, expected: &[(&str, u32)]) {
        let found = unbuilt(text.as_bytes(), format);
        let found: Vec<(&str, u32)> = found.iter().map(|one| (&*one.path, one.line)).collect();
        assert_eq!(found, expected, "{text}");
    }

    /// VC-05: errors of rustc, and not its warnings or notes.
    #[test]
    fn errors_of_rustc() {
        check(
            Format::Cargo,
            "warning: unused variable\n --> src/lib.rs:3:9\n\nerror[E0425]: cannot find `x`\n  --> tests/a.rs:7:13\n   |\nnote: defined here\n  --> src/lib.rs:1:1\n",
            &[("tests/a.rs", 7)],
        );
        check(Format::Cargo, "test a ... FAILED\n", &[]);
        let coloured = "\u{1b}[1m\u{1b}[91merror[E0425]\u{1b}[0m\u{1b}[1m: cannot find `x`\u{1b}[0m\n \
                        \u{1b}[1m\u{1b}[94m--> \u{1b}[0mtests/a.rs:7:13\n";
        check(Format::Cargo, coloured, &[("tests/a.rs", 7)]);
    }

    /// VC-05: errors of Go's compiler, before and since it tells them as events.
    #[test]
    fn errors_of_go() {
        check(
            Format::GoJson,
            "# a [a.test]\n./b_test.go:4:2: undefined: x\nvet: ./c_test.go:9:1: y\nFAIL a [build failed]\n{\"Action\":\"output\",\"Package\":\"a\",\"Output\":\"d_test.go:1: no\"}\n",
            &[("b_test.go", 4), ("c_test.go", 9)],
        );
        check(
            Format::GoJson,
            "{\"ImportPath\":\"a\",\"Action\":\"build-output\",\"Output\":\"./b_test.go:4:2: undefined: x\\n\"}\n",
            &[("b_test.go", 4)],
        );
    }

    #[test]
    fn other_runners_build_nothing() {
        check(Format::Junit, "./b_test.go:4:2: undefined: x\n", &[]);
    }
}
