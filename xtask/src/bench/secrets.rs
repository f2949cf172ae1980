//! Looking for secrets in text, against reading the same text and counting its lines.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, ensure};
use countersign_domain::secret::Scanner;

use super::arena::{self, Arena};
use super::measure::{Pair, in_turns, time};
use super::report::{Bar, Figure, Row};

const MEGABYTE: usize = 1_000_000;

pub(super) fn measure(arena: &Arena) -> anyhow::Result<Vec<Row>> {
    let words = ["--package", "countersign-domain", "--example", "secrets"];
    let program = arena::build(&arena.root, &words)?;
    let source = source(&arena.root)?;
    let large: u32 = if arena.quick { 10 } else { 100 };
    let small = arena.write("small.txt", source.get(..MEGABYTE).unwrap_or(&source))?;
    let big = planted(arena, "big.txt", &source, large as usize * MEGABYTE)?;
    let start = pair(arena, &program, &small, ("/bin/true", &[]))?;
    let lines = pair(arena, &program, &big, ("wc", &["-l"]))?;
    let rate = f64::from(large) / lines.ours.as_secs_f64();
    let kinds = Scanner::builtin().rules().count() as u64;
    let found = found(arena, &program, &big)?;
    let what = format!("{large} MB of the same");
    Ok(vec![
        Row::of_pair(
            "secrets in 1 MB of our own source",
            "`/bin/true`",
            start,
            Bar::RatioAtMost(15.0),
        ),
        Row::of_pair(
            format!("secrets in {what}, with one of every kind"),
            "`wc -l`",
            lines,
            Bar::None,
        ),
        Row::alone("the same, in MB", Figure::PerSecond(rate), Bar::None, lines.runs),
        Row::alone("kinds of planted secrets found", Figure::Count(found), Bar::CountIs(kinds), 1),
    ])
}

/// Ours against a floor, both reading the same file.
fn pair(
    arena: &Arena,
    program: &Path,
    file: &Path,
    (floor, words): (&str, &[&str]),
) -> anyhow::Result<Pair> {
    let run = |mut command: Command| time(command.stdin(File::open(file)?));
    in_turns(
        arena.runs(51),
        |_| {
            let mut command = arena.command(floor, &arena.root);
            command.args(words);
            run(command)
        },
        |_| run(arena.command(program, &arena.root)),
    )
}

/// How many kinds of secrets are found in a file.
fn found(arena: &Arena, program: &Path, file: &Path) -> anyhow::Result<u64> {
    let mut command = arena.command(program, &arena.root);
    let output = command.stdin(File::open(file)?).stdout(Stdio::piped()).output()?;
    ensure!(output.status.success(), "the scanner ended with {}", output.status);
    let said = String::from_utf8(output.stdout)?;
    let kinds = said.split_whitespace().nth(1).context("the scanner says nothing")?;
    Ok(kinds.parse()?)
}

/// The files of the project: ordinary code, prose and settings.
fn source(root: &Path) -> anyhow::Result<String> {
    let mut text = String::new();
    for path in crate::tidy::files::list(root)? {
        // What is no text is not read.
        if let Ok(file) = std::fs::read_to_string(root.join(path)) {
            text.push_str(&file);
        }
    }
    ensure!(text.len() > MEGABYTE, "the project has only {} bytes", text.len());
    Ok(text)
}

/// A file of that size, with one secret of every kind somewhere in it.
fn planted(arena: &Arena, name: &str, source: &str, size: usize) -> anyhow::Result<PathBuf> {
    let scanner = Scanner::builtin();
    let rules: Vec<&str> = scanner.rules().map(|(rule, _)| rule).collect();
    let mut text = String::with_capacity(size + MEGABYTE);
    let mut lines = source.lines().cycle();
    for (nth, rule) in rules.iter().enumerate() {
        while text.len() < size / rules.len() * nth {
            text.extend(lines.next().into_iter().chain(["\n"]));
        }
        let example = scanner.example(rule, 1).with_context(|| format!("{rule} has no example"))?;
        // The end of a line of code may be a part of it otherwise.
        text.push_str("\n;\n");
        text.push_str(&example);
        text.push_str("\n;\n");
    }
    arena.write(name, &text)
}
