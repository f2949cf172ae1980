//! What must not be left behind: unfinished code, tests that don't run, tests that wait.

use super::finding::Finding;
use super::source::{Line, Source, has_word};

const LEFTOVERS: &str = "leftovers";
const SLEEPS: &str = "sleeps";
const COMMENTS: &str = "comments";

/// What may not stand in code, and what to do instead.
const FORBIDDEN: &[(&str, &str)] = &[
    ("#[ignore", "make the test pass or delete it; a test that never runs proves nothing"),
    ("env::set_var", "pass the value as an argument; tests share one environment"),
    ("env::remove_var", "pass the value as an argument; tests share one environment"),
    ("todo!", "write it, or leave the whole thing out"),
    ("unimplemented!", "write it, or leave the whole thing out"),
    ("dbg!", "take it out"),
];

/// Nothing is unfinished, switched off or changing the environment.
pub(crate) fn check_code(source: &Source<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (number, line) in source.lines_for(LEFTOVERS) {
        let code = line.code.replace("# [", "#[").replace("#[ ", "#[");
        for (pattern, fix) in FORBIDDEN {
            if has_word(&code, pattern) {
                let what = format!("`{}` is in the code", pattern.trim_start_matches("#["));
                findings.push(Finding::new(LEFTOVERS, (source.path, number), what, *fix));
            }
        }
        if code.contains("cfg_attr(") && has_word(&code, "ignore") {
            let what = "a test is switched off under a condition";
            findings.push(Finding::new(LEFTOVERS, (source.path, number), what, FORBIDDEN[0].1));
        }
    }
    findings
}

/// Tests don't wait for time to pass: that is slow on a quick machine and flaky on a slow one.
pub(crate) fn check_sleeps(source: &Source<'_>) -> Vec<Finding> {
    let testkit = source.is_under(&["crates/testkit/"]);
    let sleeps = |line: &Line| {
        let called = line.code.split("sleep(").next().filter(|before| *before != line.code);
        let bare = called.is_some_and(|before| {
            !before.ends_with(|letter: char| letter.is_alphanumeric() || "_.:".contains(letter))
                && !before.trim_end().ends_with("fn")
        });
        // An import is harmless until it is called.
        let imports = line.code.trim_start().starts_with("use ");
        let full = ["thread::sleep", "time::sleep"];
        bare || !imports && full.iter().any(|name| has_word(&line.code, name))
    };
    source
        .lines
        .iter()
        .enumerate()
        .filter(|(_, line)| (line.in_test || testkit) && sleeps(line))
        .filter(|(index, _)| !source.is_marked(*index, "polling"))
        .map(|(index, _)| {
            Finding::new(
                SLEEPS,
                (source.path, index + 1),
                "a test sleeps",
                "wait for the event itself; if there is none to wait for, poll with a deadline \
                 and say why: `// tidy: polling, because …`",
            )
        })
        .collect()
}

/// Comments say why. They hold no promises, no ornaments and no code.
pub(crate) fn check_comments(source: &Source<'_>) -> Vec<Finding> {
    let judged = source
        .lines_for(COMMENTS)
        .filter_map(|(number, line)| judge(&line.comment).map(|(what, fix)| (number, what, fix)));
    judged
        .map(|(number, what, fix)| Finding::new(COMMENTS, (source.path, number), what, fix))
        .collect()
}

fn judge(comment: &str) -> Option<(String, &'static str)> {
    // What stands in backquotes is talked about, not said.
    let said: String = comment.split('`').step_by(2).collect();
    for word in ["TODO", "FIXME", "HACK", "XXX"] {
        if has_word(&said, word) {
            return Some((
                format!("a comment says {word}"),
                "do it now, or write it down elsewhere",
            ));
        }
    }
    let body = comment.trim_start_matches(['/', '!', '*']).trim();
    let rule = body.chars().filter(|letter| "-=*#~_".contains(*letter)).count();
    if rule >= 5 && rule == body.chars().count() && !comment.starts_with("//!") {
        return Some((
            "a comment is a banner".to_owned(),
            "take it out; split the file if it needs one",
        ));
    }
    let plain = comment.starts_with("// ");
    let opens = ["let ", "use ", "fn ", "pub ", "return ", "impl ", "mod ", "struct ", "enum "];
    let code = opens.iter().any(|word| body.starts_with(word)) && body.ends_with([';', '{']);
    if plain && code {
        return Some(("a comment is code".to_owned(), "delete it; git remembers"));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    type Rule = fn(&Source<'_>) -> Vec<Finding>;

    #[track_caller]
    fn check(rule: Rule, text: &str, count: usize) {
        let source = Source::new("crates/a/tests/b.rs", text);
        assert_eq!(rule(&source).len(), count, "{text}");
    }

    #[test]
    fn unfinished_code_fails() {
        for bad in [
            "#[ignore]",
            "#[ignore = \"slow\"]",
            "#[cfg_attr(windows, ignore)]",
            "std::env::set_var(a, b);",
            "unsafe { env::remove_var(a) }",
            "todo!()",
            "unimplemented!(\"later\")",
            "let a = dbg!(b);",
        ] {
            check(check_code, bad, 1);
        }
    }

    #[test]
    fn talk_about_unfinished_code_passes() {
        for good in [
            "let pattern = \"#[ignore]\";",
            "let pattern = r\"todo!()\";",
            "// todo!() is caught by clippy",
            "#[must_use]",
            "fn ignore(a: A) {}",
            "command.env(a, b);",
            "// tidy: allow leftovers: shows the shape of a bad test\n#[ignore]",
        ] {
            check(check_code, good, 0);
        }
    }

    #[test]
    fn tests_that_sleep_fail_unless_they_poll() {
        check(check_sleeps, "std::thread::sleep(a);", 1);
        check(check_sleeps, "use std::thread::sleep;", 0);
        check(check_sleeps, "sleep(Duration::from_millis(1));", 1);
        check(check_sleeps, "tokio::time::sleep(a).await;", 1);
        check(check_sleeps, "thread::sleep(a); // tidy: polling", 1);
        check(check_sleeps, "thread::sleep(a); // tidy: polling, the file has no event", 0);
        check(check_sleeps, "// tidy: polling, because git has no event\nthread::sleep(a);", 0);
        check(check_sleeps, "agent.sleep(a); Step::sleep(a); fn sleep(a: A) {}", 0);
        let text =
            "fn a() {\n    thread::sleep(a);\n}\n#[cfg(test)]\nmod t {\n    thread::sleep(a);\n}\n";
        let found = check_sleeps(&Source::new("crates/exec/src/a.rs", text));
        assert_eq!(found.iter().map(|finding| finding.line).collect::<Vec<_>>(), [6]);
    }

    #[test]
    fn comments_are_prose() {
        for bad in [
            "// TODO: later",
            "/// FIXME",
            "a(); // HACK around it",
            "/* XXX */",
            "// ------------",
            "// =====",
            "// let a = b();",
            "// fn a() {",
        ] {
            check(check_comments, bad, 1);
        }
        for good in [
            "// A `TODO` in the diff counts as a placeholder.",
            "// Use the tree; the index may be busy.",
            "/// let a = b();",
            "//! |---|---|",
            "// let it go",
            "let a = \"// TODO\";",
        ] {
            check(check_comments, good, 0);
        }
    }
}
