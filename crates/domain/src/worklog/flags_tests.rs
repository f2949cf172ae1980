//! Which words of a prompt are flags, and which belong to the task.

use proptest::prelude::*;

use super::*;

/// Flags are told as they are written, the tier first.
#[track_caller]
fn check(prompt: &str, expected: &str, text: &str) {
    let (flags, rest) = parse(prompt);
    let tier = flags.tier.map(|tier| format!("--tier={tier}"));
    let names = flags.set.iter().map(|flag| flag.name().to_owned());
    let told: Vec<String> = tier.into_iter().chain(names).collect();
    assert_eq!((told.join(" ").as_str(), rest.as_str()), (expected, text), "{prompt:?}");
}

/// WL-20: flags at the start, at the end, at both, and after a slash command.
#[test]
fn flags_are_taken_out() {
    check("--tier STRICT fix it", "--tier=STRICT", "fix it");
    check("--tier=LIGHT fix it", "--tier=LIGHT", "fix it");
    check("fix it --tier strict", "--tier=STRICT", "fix it");
    check("fix it --tier=Exempt\n", "--tier=EXEMPT", "fix it");
    check("fix it --no-worklog", "--no-worklog", "fix it");
    check("--skip-verify --no-checkpoints fix it", "--skip-verify --no-checkpoints", "fix it");
    check("--verbose-log fix it --retry-memory", "--verbose-log --retry-memory", "fix it");
    check("fix it\n\n--skip-compliance", "--skip-compliance", "fix it");
    check("/task --tier STRICT fix it", "--tier=STRICT", "/task fix it");
    check("/sc:task --skip-verify", "--skip-verify", "/sc:task");
    check("/task fix it --skip-verify", "--skip-verify", "/task fix it");
    check("--tier STRICT", "--tier=STRICT", "");
    check("--tier LIGHT fix it --tier STRICT", "--tier=STRICT", "fix it");
    check("explain how it works. --no-worklog", "--no-worklog", "explain how it works.");
    check("say what `a` has --no-worklog", "--no-worklog", "say what `a` has");
    check("use the\n--skip-verify", "--skip-verify", "use the");
    check(
        "fix the bug in the parser --skip-verify --tier=LIGHT",
        "--tier=LIGHT --skip-verify",
        "fix the bug in the parser",
    );
    check("Go on --skip-verify", "--skip-verify", "Go on");
    check("what does it do? --verbose-log", "--verbose-log", "what does it do?");
    check("behebe den Fehler --tier STANDARD", "--tier=STANDARD", "behebe den Fehler");
    check("fix a\n\nand b  --no-checkpoints", "--no-checkpoints", "fix a\n\nand b");
}

/// WL-20: what is part of the task stays, byte by byte.
#[test]
fn flags_in_prose_quotes_and_code_are_the_task() {
    for prompt in [
        "",
        "fix it",
        "what does --skip-verify do?",
        "add a flag --skip-verify to the parser",
        "explain --skip-verify",
        "say more on --skip-verify",
        "add support for --no-worklog",
        "document the option --tier=STRICT",
        "rename --quiet to --verbose-log",
        "--skip-verify is broken, please fix it",
        "--no-worklog doesn't work",
        "--tier STRICT should be the default",
        "run \"tool --skip-verify\"",
        "run `tool --skip-verify`",
        "the docs say \"use --skip-verify",
        "run `tool --skip-verify",
        "make this work:\n```\ntool --skip-verify\n```",
        "make this work:\n```\ntool --skip-verify",
        "make this work:\n    tool --skip-verify",
        "make this work:\n$ tool --skip-verify",
        "fix it --tier",
        "fix it --tier SOMETIMES",
        "fix it --tier= STRICT",
        "fix it --skip-verify.",
        "fix it --skip-verifying",
        "fix it --SKIP-VERIFY",
        "make it STRICT",
        "tier STRICT fix it",
        "/usr/bin/tool --skip-verify stays",
        "  fix it  ",
    ] {
        check(prompt, "", prompt);
    }
}

/// WL-20: the skip rate counts what was left out.
#[test]
fn which_flags_skip_something() {
    let skip: Vec<_> = Flag::ALL.into_iter().filter(|flag| flag.skips()).map(Flag::name).collect();
    assert_eq!(skip, ["--no-worklog", "--skip-verify", "--no-checkpoints", "--skip-compliance"]);
    for flag in Flag::ALL {
        let stored = serde_json::to_string(&flag).unwrap();
        assert_eq!(format!("--{}", stored.trim_matches('"')), flag.name());
    }
}

proptest! {
    /// Any text is read, and without flags nothing is changed.
    #[test]
    fn any_prompt_is_read(text in "\\PC{0,60}") {
        let (flags, rest) = parse(&text);
        prop_assert!(!flags.is_empty() || rest == text);
    }

    /// Flags at both ends are taken out of any task in plain words.
    #[test]
    fn flags_leave_the_task(task in "change [b-z]{3,8}ing [a-z]{3,8}ment") {
        let (flags, rest) = parse(&format!("--verbose-log {task} --tier STRICT --skip-verify"));
        prop_assert_eq!(rest, task);
        prop_assert_eq!((flags.tier, flags.set.len()), (Some(Tier::Strict), 2));
    }
}
