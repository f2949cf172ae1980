//! A verification in words: for a terminal, as Markdown, and as SARIF for code scanning.

mod gone;

use std::collections::BTreeMap;

use anstyle::Style;
use countersign_domain::Stamp;
use countersign_domain::gaming::{Judged, Severity};
use countersign_domain::qa::{Case, Outcome, Totals};
use countersign_domain::verify::{Checked, Ground, Mark, NotRun, Ran, Reason, Verdict, Weight};
use countersign_engine::verify::{Moment, Verification};
use serde_json::{Value, json};

use self::gone::Told;
use crate::narrate::first_line;
use crate::ui::{self, BAD, BOLD, DIM, GOOD, paint, printable};

/// How many reasons of one weight are shown to a person.
const MOST_REASONS: usize = 20;

/// What is going on.
pub fn moment(moment: &Moment<'_>) -> String {
    match moment {
        Moment::Opened { terms, changed } => {
            let files = ui::count(*changed as u64, "changed path");
            let base: String = terms.base_commit.as_str().chars().take(12).collect();
            format!(
                "verifying {files} since {base} ({} {}, risk {})",
                terms.contract, terms.tier, terms.risk
            )
        }
        Moment::Running { command, ground } => {
            paint(DIM, format!("  {ground:<20} {}", first_line(command)))
        }
        Moment::Reused { command, ground, from } => paint(
            DIM,
            format!("  {ground:<20} {} (reused from verification {from})", first_line(command)),
        ),
    }
}

/// The whole for a terminal.
pub fn human(done: &Verification) -> String {
    let judged = &done.judgement;
    let style = style_of(judged.verdict);
    let mut text = paint(style.bold(), judged.line());
    text += &format!("  {}\n", first_line(&done.terms.task));
    let rows: Vec<Vec<String>> = judged
        .results
        .iter()
        .enumerate()
        .map(|(at, result)| {
            vec![
                format!("  {}", mark(result.mark)),
                result.activity.clone(),
                placed(done, at, &result.command),
                result.level.map(|level| level.to_string()).unwrap_or_default(),
                paint(DIM, done.checks.get(at).map_or_else(|| "not run".to_owned(), grounds)),
            ]
        })
        .collect();
    text += &ui::table(&rows);
    text += &failures(done);
    for one in &done.examples {
        let word = if one.is_right() { mark(Mark::Pass) } else { mark(Mark::Fail) };
        text += &format!("  {word}  example  {}\n", first_line(&one.example.command));
    }
    if !judged.shown_by.is_empty() {
        text += &format!("\nFails on the base and passes now: {}\n", list(&judged.shown_by));
    }
    for (weight, title) in [
        (Weight::Refuse, "Refused because"),
        (Weight::Ask, "A human must look, because"),
        (Weight::Note, "Worth knowing"),
    ] {
        text += &reasons(done, weight, title);
    }
    if !done.borrowed.is_empty() {
        text += &format!(
            "\nTaken from the working tree, not from the recorded one: {}\n",
            done.borrowed.join(", ")
        );
    }
    text += &reused(done);
    if matches!(judged.verdict, Verdict::Human | Verdict::Advisory) {
        let id = done.id;
        text += &format!("\nAfter a look: countersign review accept {id} --note WHY, or reject\n");
    }
    text += &paint(
        DIM,
        format!(
            "\nverification {}, contract {} ({}), tree {}, sandbox: {}\n",
            done.id,
            done.agreement,
            done.contract.short(),
            short(done.tree.as_str()),
            done.sandbox
        ),
    );
    text
}

/// A command in short, with its folder if that is not the root.
fn placed(done: &Verification, at: usize, command: &str) -> String {
    let folder = done.checks.get(at).map(|check| check.folder.as_str()).unwrap_or_default();
    let command = first_line(command);
    if folder.is_empty() { command } else { format!("{command} (in {}/)", printable(folder)) }
}

/// How many failing tests are told of, and how many lines of each.
const MOST_FAILURES: usize = 3;
const MOST_LINES: usize = 4;

/// What failed on what was handed over, in the words of the runner, and where all of it is.
fn failures(done: &Verification) -> String {
    let mut text = String::new();
    for (at, (result, check)) in done.judgement.results.iter().zip(&done.checks).enumerate() {
        let Some(handed) = check.on(Ground::Handed).filter(|_| result.mark == Mark::Fail) else {
            continue;
        };
        text += &format!("\nFailed: {}\n", placed(done, at, &result.command));
        let bad = handed.report.cases.iter().filter(|case| case.outcome.is_bad());
        for case in bad.take(MOST_FAILURES) {
            text += &format!("  {} {}\n", printable(&case.id), case.outcome);
            let said = case.message.as_deref().unwrap_or_default().trim();
            for line in said.lines().take(MOST_LINES) {
                text += &paint(DIM, format!("    {}\n", printable(line)));
            }
        }
        if !handed.report.cases.iter().any(|case| case.outcome.is_bad()) {
            let tail = handed.said.as_ref().map(|said| said.tail.as_str()).unwrap_or_default();
            for line in tail.lines() {
                text += &paint(DIM, format!("    {}\n", printable(line)));
            }
        }
        text += &format!("  its output: countersign show {}\n", handed.receipt.short());
    }
    text
}

/// Which receipts are not of this verification.
fn reused(done: &Verification) -> String {
    let mut by: BTreeMap<Stamp, u64> = BTreeMap::new();
    for one in &done.reused {
        *by.entry(one.from).or_default() += 1;
    }
    let told: Vec<String> = by
        .into_iter()
        .map(|(from, many)| {
            format!(
                "\n{} reused from verification {from} of {}: tree, command, environment and \
                 contract are the same (--fresh runs all again)\n",
                ui::count(many, "receipt"),
                from.time()
            )
        })
        .collect();
    told.concat()
}

fn style_of(verdict: Verdict) -> Style {
    match verdict {
        Verdict::Accepted => GOOD,
        Verdict::Refused => BAD,
        Verdict::Advisory | Verdict::Human => BOLD,
    }
}

fn mark(mark: Mark) -> String {
    match mark {
        Mark::Pass => paint(GOOD, "pass"),
        Mark::Fail => paint(BAD, "FAIL"),
        Mark::Skipped => paint(DIM, "unknown"),
    }
}

/// What a check did on each ground, in short.
fn grounds(check: &Checked) -> String {
    let mut told = Vec::new();
    // What fails there need not be wrong with the work, so that numbers would only mislead.
    let mut tried: Vec<String> = Vec::new();
    for ran in &check.runs {
        let what = match ran.ground {
            Ground::Handed | Ground::Base | Ground::Room | Ground::Red => counted(ran),
            Ground::Planted => canaries(check, ran),
            Ground::Varied
            | Ground::Wrong
            | Ground::Probed
            | Ground::Worded
            | Ground::Renamed
            | Ground::RacedBase
            | Ground::Mutated
            | Ground::Again
            | Ground::RedAgain => {
                let name = ran.ground.to_string();
                if !tried.contains(&name) {
                    tried.push(name);
                }
                continue;
            }
            _ => continue,
        };
        let reused = if ran.reused { ", reused" } else { "" };
        told.push(format!("{}: {what}{reused}", ran.ground));
    }
    if !tried.is_empty() {
        told.push(format!("also tried: {}", tried.join(", ")));
    }
    told.join(" · ")
}

fn counted(ran: &Ran) -> String {
    let totals = ran.report.count();
    if totals.is_zero() { ran.ended.to_string() } else { totals.to_string() }
}

/// A run beside two tests of ours, one of which must fail.
fn canaries(check: &Checked, ran: &Ran) -> String {
    let Some(names) = &check.planted else { return counted(ran) };
    let is = |name: &str, case: &Case| case.id.contains(name);
    let of = |name: &str| ran.report.cases.iter().find(|case| is(name, case));
    let is_right = of(&names.fails).is_some_and(|case| case.outcome.is_bad())
        && of(&names.passes).is_some_and(|case| case.outcome == Outcome::Passed);
    let cases = ran.report.cases.iter();
    let theirs = cases.filter(|case| !is(&names.fails, case) && !is(&names.passes, case));
    let totals = Totals::of(theirs.map(|case| case.outcome));
    let word = if is_right { "did" } else { "did not do" };
    format!("{totals}, and our own two {word} what they must")
}

/// Everything that looks like gaming, read or run.
fn findings(done: &Verification) -> impl Iterator<Item = &Judged> {
    done.findings.iter().chain(&done.judgement.findings)
}

/// So much of a line is shown as evidence.
const MOST_LETTERS: usize = 160;

/// What a reason rests on: what stood there before, and what stands there now.
fn evidence(done: &Verification, reason: &Reason) -> Vec<(char, String)> {
    let is_it = |one: &&Judged| {
        let finding = &one.finding;
        let place = match (&finding.path, finding.line) {
            (Some(path), Some(line)) => format!("{path}:{line}: "),
            (Some(path), None) => format!("{path}: "),
            _ => String::new(),
        };
        let told = format!("{} ({})", finding.message, finding.rule);
        reason.text.starts_with(&format!("{place}{told}")) || reason.text.starts_with(&told)
    };
    let Some(found) = findings(done).find(is_it) else { return Vec::new() };
    let sides = [('-', &found.finding.before), ('+', &found.finding.after)];
    let told = sides.into_iter().filter_map(|(sign, text)| {
        let line: String = one_line(text.as_deref()?).chars().take(MOST_LETTERS).collect();
        (!line.is_empty()).then_some((sign, line))
    });
    told.collect()
}

fn reasons(done: &Verification, weight: Weight, title: &str) -> String {
    let all = &done.judgement.reasons;
    let meant: Vec<&Reason> = all.iter().filter(|reason| reason.weight == weight).collect();
    if meant.is_empty() {
        return String::new();
    }
    let told = gone::grouped(done, &meant);
    if told.is_empty() {
        return String::new();
    }
    let mut text = paint(BOLD, format!("\n{title}\n"));
    for one in told.iter().take(MOST_REASONS) {
        match one {
            Told::Reason(reason) => {
                text += &format!("  - {}\n", printable(&one_line(&reason.text)));
                for (sign, line) in evidence(done, reason) {
                    text += &paint(DIM, format!("      {sign} {}\n", printable(&line)));
                }
            }
            Told::Tests(said) => text += &format!("  - {}\n", printable(said)),
        }
    }
    if told.len() > MOST_REASONS {
        text += &format!("  and {} more; --format json has all\n", told.len() - MOST_REASONS);
    }
    text
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn list(names: &[String]) -> String {
    let mut text = names.iter().take(5).map(|name| printable(name)).collect::<Vec<_>>().join(", ");
    if names.len() > 5 {
        text += &format!(" and {} more", names.len() - 5);
    }
    text
}

fn short(id: &str) -> &str {
    id.get(..12).unwrap_or(id)
}

/// The whole as Markdown.
pub fn markdown(done: &Verification) -> String {
    let judged = &done.judgement;
    let sign = match judged.verdict {
        Verdict::Accepted => "✅",
        Verdict::Refused => "❌",
        Verdict::Advisory | Verdict::Human => "👀",
    };
    let mut text =
        format!("## {sign} {}\n\n{}\n\n", judged.line(), cell(&first_line(&done.terms.task)));
    text += "| | what | command | level | runs |\n|---|---|---|---|---|\n";
    for (at, result) in judged.results.iter().enumerate() {
        let mark = match result.mark {
            Mark::Pass => "pass",
            Mark::Fail => "**fail**",
            Mark::Skipped => "unknown",
        };
        let ran = done.checks.get(at).map_or_else(|| "not run".to_owned(), grounds);
        let level = result.level.map(|level| level.to_string()).unwrap_or_default();
        text += &format!(
            "| {mark} | {} | {} | {level} | {} |\n",
            cell(&result.activity),
            code(&placed(done, at, &result.command)),
            cell(&ran)
        );
    }
    for (weight, title) in [
        (Weight::Refuse, "Refused because"),
        (Weight::Ask, "A human must look"),
        (Weight::Note, "Worth knowing"),
    ] {
        let meant: Vec<&Reason> =
            judged.reasons.iter().filter(|one| one.weight == weight).collect();
        if !meant.is_empty() {
            text += &format!("\n### {title}\n\n");
            for reason in meant {
                text += &format!("- {}\n", cell(&one_line(&reason.text)));
                for (sign, line) in evidence(done, reason) {
                    let word = if sign == '-' { "before" } else { "after" };
                    text += &format!("  - {word}: {}\n", code(&line));
                }
            }
        }
    }
    if !judged.shown_by.is_empty() {
        text += &format!("\nFails on the base and passes now: {}\n", cell(&list(&judged.shown_by)));
    }
    text += &format!(
        "\n<sub>verification {}, contract {}, tree {}, base {}</sub>\n",
        done.id,
        done.contract.short(),
        short(done.tree.as_str()),
        short(done.terms.base_commit.as_str())
    );
    text
}

/// Text that is no markup, whatever is in it.
fn cell(text: &str) -> String {
    let mut safe = String::new();
    for letter in printable(text).chars() {
        if "\\`*_{}[]<>()#+!|~".contains(letter) {
            safe.push('\\');
        }
        safe.push(if letter == '\n' { ' ' } else { letter });
    }
    safe
}

/// Text as code in a table.
fn code(text: &str) -> String {
    format!("`{}`", one_line(&printable(text)).replace('`', "'").replace('|', "\\|"))
}

/// The findings in SARIF 2.1.0.
pub fn sarif(done: &Verification) -> Value {
    let all: Vec<&Judged> = findings(done).collect();
    let mut rules: Vec<_> = all.iter().map(|one| one.finding.rule).collect();
    rules.sort_unstable();
    rules.dedup();
    let mut told: Vec<Value> = rules
        .iter()
        .map(|rule| {
            json!({
                "id": rule.id(),
                "name": rule.id(),
                "shortDescription": { "text": rule.title() },
                "fullDescription": { "text": rule.explanation() },
            })
        })
        .collect();
    // What was run speaks against the work as well, and is no finding of gaming.
    let is_told = |text: &str| all.iter().any(|one| text.contains(&one.finding.message));
    let reasons = done.judgement.reasons.iter();
    let others: Vec<&Reason> =
        reasons.filter(|one| one.weight > Weight::Note && !is_told(&one.text)).collect();
    if !others.is_empty() {
        told.push(json!({
            "id": REASON,
            "name": REASON,
            "shortDescription": { "text": "why the work was not accepted" },
            "fullDescription": { "text": "What the checks showed, or could not show." },
        }));
    }
    // What is unknown is no reason against the work, and must not look like a pass.
    let is_said = |one: &&NotRun| others.iter().any(|other| other.text.contains(&one.command));
    let not_run: Vec<&NotRun> = done.judgement.not_run.iter().filter(|one| !is_said(one)).collect();
    if !not_run.is_empty() {
        told.push(json!({
            "id": NOT_RUN,
            "name": NOT_RUN,
            "shortDescription": { "text": "what was not run, so that nobody knows whether it holds" },
            "fullDescription": { "text": "Its program is missing, on the base as well." },
        }));
    }
    let mut results: Vec<Value> = all.iter().map(|one| result(one)).collect();
    results.extend(others.iter().map(|one| reason(one)));
    results.extend(not_run.iter().map(|one| unknown(one)));
    // Code scanners show nothing that has no place.
    for result in results.iter_mut().filter(|result| result.get("locations").is_none()) {
        if let Some(path) = done.changed.first() {
            let place = json!({ "artifactLocation": { "uri": uri(path) } });
            result["locations"] = json!([{ "physicalLocation": place }]);
        }
    }
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "countersign",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": told,
            }},
            "results": results,
        }],
    })
}

/// The rule of results that no rule of gaming has.
const REASON: &str = "verdict";

/// The rule of what is unknown.
const NOT_RUN: &str = "not-run";

fn unknown(one: &NotRun) -> Value {
    let text = format!("NOT RUN: {} (`{}`): {}", one.activity, one.command, one.why);
    json!({ "ruleId": NOT_RUN, "level": "warning", "message": { "text": text } })
}

fn reason(reason: &Reason) -> Value {
    let level = if reason.weight == Weight::Refuse { "error" } else { "warning" };
    json!({ "ruleId": REASON, "level": level, "message": { "text": reason.text } })
}

fn result(judged: &Judged) -> Value {
    let finding = &judged.finding;
    let level = match judged.severity() {
        Severity::Block => "error",
        Severity::Warn => "warning",
        Severity::Info => "note",
    };
    let mut text = finding.message.clone();
    for (word, side) in [("Before", &finding.before), ("After", &finding.after)] {
        if let Some(side) = side {
            text += &format!("\n{word}: {}", one_line(side));
        }
    }
    let mut result = json!({
        "ruleId": finding.rule.id(),
        "level": level,
        "message": { "text": text },
    });
    if finding.before.is_some() || finding.after.is_some() {
        result["properties"] = json!({ "before": finding.before, "after": finding.after });
    }
    if let Some(path) = &finding.path {
        let mut place = json!({ "artifactLocation": { "uri": uri(path) } });
        if let Some(line) = finding.line {
            place["region"] = json!({ "startLine": line });
        }
        result["locations"] = json!([{ "physicalLocation": place }]);
    }
    if let Some(reason) = &judged.allowed {
        result["suppressions"] = json!([{ "kind": "external", "justification": reason }]);
    }
    result
}

/// A path as a URI has it.
fn uri(path: &str) -> String {
    let mut text = String::new();
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            text.push(char::from(byte));
        } else {
            text += &format!("%{byte:02X}");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_from_elsewhere_is_no_markup() {
        assert_eq!(cell("a|b\n<b>`x`"), r"a\|b \<b\>\`x\`");
        assert_eq!(code("a|b `c`"), r"`a\|b 'c'`");
        assert_eq!(uri("a b/ü.py"), "a%20b/%C3%BC.py");
    }
}
