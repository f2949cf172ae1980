//! The lines of `cargo test`, one at a time.

use std::collections::BTreeMap;

use countersign_domain::qa::{Listed, Outcome, Totals};

use crate::reports::words::number;

/// What a line says.
#[derive(Debug, PartialEq)]
pub(super) enum Said<'a> {
    Nothing,
    /// The program that comes next.
    Target(String),
    /// `running 3 tests`
    Begin(u64),
    /// `test a ... ok`; without an outcome if it stands on a later line.
    Test {
        name: &'a str,
        outcome: Option<Outcome>,
        message: Option<&'a str>,
    },
    Dots(Totals),
    /// `a --- FAILED`
    Failed(&'a str),
    /// What tests printed follows.
    Captured,
    Result {
        totals: Totals,
        is_ok: bool,
    },
    /// Cargo itself gave up.
    Broken(String),
    /// `8 tests, 0 benchmarks`: they were only listed.
    ListOnly,
}

pub(super) fn read(line: &str) -> Said<'_> {
    if let Some(rest) = line.strip_prefix("test ") {
        return result(rest).or_else(|| test(rest)).unwrap_or(Said::Nothing);
    }
    if let Some(count) = line.strip_prefix("running ").and_then(announced) {
        return Said::Begin(count);
    }
    if let Some(rest) = line.strip_prefix("     Running ") {
        return target(rest).map_or(Said::Nothing, Said::Target);
    }
    if let Some(name) = line.strip_prefix("   Doc-tests ") {
        return Said::Target(format!("doc-tests {name}"));
    }
    if let Some(what) = line.strip_prefix("error: ") {
        return Said::Broken(what.to_owned());
    }
    if line.ends_with(" benchmarks")
        && number(line).is_some_and(|(_, rest)| rest.starts_with(" test"))
    {
        return Said::ListOnly;
    }
    if matches!(line, "failures:" | "successes:") {
        return Said::Captured;
    }
    if let Some(name) = line.strip_suffix(" --- FAILED") {
        return Said::Failed(name);
    }
    dots(line).map_or(Said::Nothing, Said::Dots)
}

/// `3 tests`
fn announced(text: &str) -> Option<u64> {
    number(text).filter(|(_, rest)| matches!(*rest, " test" | " tests")).map(|(count, _)| count)
}

/// The program that a line announces.
pub(in crate::reports) fn target_of(line: &str) -> Option<String> {
    match read(line) {
        Said::Target(name) => Some(name),
        _ => None,
    }
}

/// `src/lib.rs (target/debug/deps/name-0123456789abcdef)` or `unittests src/lib.rs (…)`
fn target(text: &str) -> Option<String> {
    let (source, program) = text.strip_suffix(')')?.rsplit_once(" (")?;
    let source = source.strip_prefix("unittests ").unwrap_or(source);
    let file = program.rsplit(['/', '\\']).next()?;
    let file = file.strip_suffix(".exe").unwrap_or(file);
    let is_hash = |hash: &str| hash.len() == 16 && hash.bytes().all(|b| b.is_ascii_hexdigit());
    let name =
        file.rsplit_once('-').filter(|(_, hash)| is_hash(hash)).map_or(file, |(name, _)| name);
    Some(format!("{name} ({source})"))
}

/// `result: ok. 3 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s`
fn result(text: &str) -> Option<Said<'static>> {
    let (word, counts) = text.strip_prefix("result: ")?.split_once(". ")?;
    let is_ok = match word {
        "ok" => true,
        "FAILED" => false,
        _ => return None,
    };
    let mut parts = counts.split("; ");
    let mut next = |what: &str| -> Option<u64> {
        number(parts.next()?)
            .filter(|(_, rest)| rest.strip_prefix(' ') == Some(what))
            .map(|(n, _)| n)
    };
    let (passed, failed) = (next("passed")?, next("failed")?);
    let (ignored, measured, _) = (next("ignored")?, next("measured")?, next("filtered out")?);
    let is_ended = match parts.next() {
        Some(last) => {
            last.starts_with("finished in ") && last.ends_with('s') && parts.next().is_none()
        }
        // Libtest of before 2021 stops here.
        None => true,
    };
    // A benchmark that ran is one that passed.
    let passed = passed.saturating_add(measured);
    let totals = Totals { passed, failed, skipped: ignored, ..Totals::default() };
    is_ended.then_some(Said::Result { totals, is_ok })
}

/// `name ... ok`, `name ... ignored, why`, `name ... ok <0.001s>`, `name ... bench: …`
fn test(text: &str) -> Option<Said<'_>> {
    let (name, said) =
        text.split_once(" ... ").or_else(|| Some((text.strip_suffix(" ...")?, "")))?;
    if name.is_empty() {
        return None;
    }
    let message = said.strip_prefix("ignored, ");
    let outcome = match message {
        Some(_) => Some(Outcome::Skipped),
        None if said.starts_with("bench: ") => Some(Outcome::Passed),
        None => outcome(said),
    };
    Some(Said::Test { name, outcome, message })
}

/// `ok`, `FAILED` or `ignored`, with the time behind it if that was asked for.
pub(super) fn outcome(text: &str) -> Option<Outcome> {
    let timed = text.strip_suffix("s>").and_then(|text| text.rsplit_once(" <"));
    let word = timed.filter(|(_, time)| time.parse::<f64>().is_ok()).map_or(text, |(word, _)| word);
    match word {
        "ok" => Some(Outcome::Passed),
        "FAILED" | "failed" => Some(Outcome::Failed),
        "ignored" => Some(Outcome::Skipped),
        _ => None,
    }
}

/// `..i.F` or `..i. 87/120`
fn dots(line: &str) -> Option<Totals> {
    let dots = match line.split_once(' ') {
        Some((dots, count)) => {
            let (done, all) = count.split_once('/')?;
            done.parse::<u64>().ok()?;
            all.parse::<u64>().ok()?;
            dots
        }
        None => line,
    };
    let outcome = |letter| match letter {
        '.' => Some(Outcome::Passed),
        'F' => Some(Outcome::Failed),
        'i' => Some(Outcome::Skipped),
        _ => None,
    };
    let outcomes: Option<Vec<Outcome>> = dots.chars().map(outcome).collect();
    outcomes.filter(|outcomes| !outcomes.is_empty()).map(Totals::of)
}

/// `---- name stdout ----`
pub(super) fn captured_of(line: &str) -> Option<&str> {
    line.strip_prefix("---- ")?.strip_suffix(" stdout ----")
}

/// Whether a line is cargo's own, and says that it is building or running something.
pub(super) fn is_cargos(line: &str) -> bool {
    ["   Compiling ", "    Finished `", "     Running "].iter().any(|start| line.starts_with(start))
}

/// Whether cargo says only that tests failed, which it does after they did.
pub(super) fn is_said_of_failures(what: &str) -> bool {
    let is_count = number(what).is_some_and(|(_, rest)| rest.starts_with(" target"));
    ["test failed", "doctest failed", "bench failed"].iter().any(|said| what.starts_with(said))
        || is_count
}

/// What is broken, from the words of cargo: `` could not compile `a` (lib test) due to … ``
pub(in crate::reports) fn item_of(what: &str) -> String {
    let inside = what.split_once('`').and_then(|(_, rest)| rest.split_once('`'));
    let Some((name, rest)) = inside.filter(|_| what.starts_with("could not compile")) else {
        return "cargo".to_owned();
    };
    match rest.split_once('(').and_then(|(_, rest)| rest.split_once(')')) {
        Some((target, _)) => format!("{name} ({target})"),
        None => name.to_owned(),
    }
}

/// The name without what libtest and rustdoc add to it.
pub(in crate::reports) fn bare(name: &str) -> &str {
    [" - should panic", " - compile fail", " - compile"]
        .into_iter()
        .find_map(|ending| name.strip_suffix(ending))
        .unwrap_or(name)
}

/// Examples in documents are named by their lines, which change with every edit above them:
/// they are numbered instead.
pub(in crate::reports) fn number_examples(listed: &mut Listed) {
    listed.join_messages();
    let mut ids: Vec<&mut String> = listed.ids_mut().collect();
    let mut places: BTreeMap<String, Vec<(u64, usize)>> = BTreeMap::new();
    for (index, id) in ids.iter().enumerate() {
        if let Some((item, line)) = example(id) {
            places.entry(item.to_owned()).or_default().push((line, index));
        }
    }
    for (item, mut examples) in places {
        examples.sort_unstable();
        let is_alone = examples.len() == 1;
        for (count, (_, index)) in examples.into_iter().enumerate() {
            let number = count + 1;
            *ids[index] = if is_alone { item.clone() } else { format!("{item} #{number}") };
        }
    }
}

/// `src/lib.rs - add (line 7)`
fn example(id: &str) -> Option<(&str, u64)> {
    let (item, line) = id.strip_suffix(')')?.rsplit_once(" (line ")?;
    item.contains(".rs - ").then_some((item, line.parse().ok()?))
}

#[cfg(test)]
#[path = "lines_tests.rs"]
mod tests;
