//! What a pull request says about countersigned work, in Markdown: everything from the record, and how
//! to find out oneself.
//!
//! Texts of agents stand there as plain text: they can't make links, name people or end a table.

use std::fmt::Write as _;

use crate::agent::Usage;
use crate::id::{Digest, ObjectId};
use crate::relay::StoryTerms;
use crate::run::{Consequence, Run};
use crate::stamp::Stamp;
use crate::verdict::Conclusion;
use crate::verify::Example;

/// The most characters that are quoted of one text.
const MOST_QUOTED: usize = 400;

/// The work of a run or a relay.
#[derive(Debug, Clone)]
pub struct Told<'a> {
    pub id: Stamp,
    /// The goal of the run or the objective of the plan.
    pub goal: &'a str,
    pub base: &'a ObjectId,
    pub commit: &'a ObjectId,
    pub branch: &'a str,
    pub legs: Vec<Leg<'a>>,
    /// All that agents used, also for what was not accepted.
    pub used: Usage,
    /// How many runs there were.
    pub runs: usize,
    /// What was planned and is not in it.
    pub missing: &'a [String],
}

/// One accepted run.
#[derive(Debug, Clone)]
pub struct Leg<'a> {
    pub run: &'a Run,
    /// The story that it was for.
    pub story: Option<&'a StoryTerms>,
    /// Findings that a person allowed beforehand, with the reason, in words.
    pub allowed: Vec<String>,
    /// The verification of the story together with what had landed meanwhile.
    pub landed_by: Option<Stamp>,
}

/// The text of a pull request.
pub fn pull_request(told: &Told<'_>) -> String {
    let mut text = String::from("## What it is for\n\n");
    for line in told.goal.trim().lines() {
        let _ = writeln!(text, "> {}", plain(line));
    }
    if !told.missing.is_empty() {
        text.push_str("\n## What is not in it\n\n");
        for one in told.missing {
            let _ = writeln!(text, "- {}", plain(one));
        }
    }
    text.push_str("\n## What was checked\n\n");
    text.push_str(
        "Every command ran in a fresh checkout of exactly the files of this branch. What agents say \
         about it is a claim; what stands here was run, or is named as said.\n",
    );
    for leg in &told.legs {
        leg_of(&mut text, leg, told.legs.len() > 1);
    }
    costs(&mut text, told);
    again(&mut text, told);
    text
}

fn leg_of(text: &mut String, leg: &Leg<'_>, is_headed: bool) {
    let run = leg.run;
    match leg.story {
        Some(story) => {
            let _ = write!(text, "\n### {}: {}\n\n", plain(&story.id), plain(&story.title));
        }
        None if is_headed => text.push_str("\n### All stories together\n\n"),
        None => text.push('\n'),
    }
    criteria(text, leg);
    text.push_str("| command | ended | receipts |\n|---|---|---|\n");
    for (command, passed, receipts) in proofs(run) {
        let ended = if passed { "passed" } else { "did not pass" };
        let receipts: Vec<String> = receipts.iter().map(|one| code(&one.to_string())).collect();
        let _ = writeln!(text, "| {} | {ended} | {} |", code(command), receipts.join(" "));
    }
    if let Some(examined) = &run.examined {
        let _ = writeln!(
            text,
            "\nVerification {}: {}. {} failed before the work and pass now.",
            code(&examined.verification.to_string()),
            examined.verdict,
            counted(examined.shown_by.len())
        );
    }
    if let Some(id) = leg.landed_by {
        let id = code(&id.to_string());
        let _ =
            writeln!(text, "\nVerified once more together with what had landed meanwhile: {id}.");
    }
    verdicts(text, run);
    findings(text, leg);
}

/// The criteria of a story, with what verifiers say of each.
fn criteria(text: &mut String, leg: &Leg<'_>) {
    let Some(story) = leg.story else { return };
    for criterion in &story.criteria {
        let id = criterion.split([' ', ':']).next().unwrap_or(criterion);
        let seen = leg.run.verified.iter().filter_map(|one| one.verdict());
        let mut seen = seen.flat_map(|verdict| &verdict.criteria);
        let said = seen.find(|one| one.criterion == *criterion || one.criterion == id);
        let words = match said {
            Some(said) if said.met => format!(": met, a verifier says: {}", plain(&said.evidence)),
            Some(said) => format!(": not met, a verifier says: {}", plain(&said.evidence)),
            None => String::new(),
        };
        let _ = writeln!(text, "- {}{words}", plain(criterion));
    }
    if !story.criteria.is_empty() {
        text.push('\n');
    }
}

/// What was run, with whether it passed and the receipts for it.
fn proofs(run: &Run) -> Vec<(&str, bool, Vec<Digest>)> {
    let command = |check: u32| {
        let check = run.opened.contract.checks.get(check as usize);
        check.map_or("", |check| check.command.as_str())
    };
    let checked = run.receipts.iter();
    let checked = checked.map(|one| (command(one.check), one.passed(), vec![one.id()]));
    let examined = run.examined.iter().flat_map(|one| &one.receipts);
    let examined = examined.map(|one| (one.command.as_str(), one.passed, one.receipts.clone()));
    checked.chain(examined).collect()
}

fn verdicts(text: &mut String, run: &Run) {
    for verified in &run.verified {
        let Some(verdict) = verified.verdict() else { continue };
        let word = match verdict.verdict {
            Conclusion::Pass => "pass",
            Conclusion::Fail => "fail",
            Conclusion::RequestInfo => "wants to know more",
            Conclusion::Blocked => "can't be judged",
        };
        let agent = plain(&verified.agent.to_string());
        let _ = writeln!(text, "\nVerifier {agent}: **{word}**. {}", plain(&verdict.summary));
    }
}

/// What stands against the work, and who took it all the same.
fn findings(text: &mut String, leg: &Leg<'_>) {
    let run = leg.run;
    let mut lines: Vec<String> = Vec::new();
    let examined = run.examined.iter();
    lines.extend(examined.flat_map(|one| &one.findings).map(|finding| plain(finding)));
    lines.extend(leg.allowed.iter().map(|allowed| plain(allowed)));
    for resolution in &run.resolutions {
        if resolution.consequence == Consequence::Accept {
            let words = if resolution.words.is_empty() { "" } else { ": " };
            let (by, said) = (plain(&resolution.by), plain(&resolution.words));
            lines.push(format!("{by} looked and took it as it is{words}{said}"));
        }
    }
    if lines.is_empty() {
        return;
    }
    text.push_str("\nFindings:\n\n");
    for line in lines {
        let _ = writeln!(text, "- {line}");
    }
}

fn costs(text: &mut String, told: &Told<'_>) {
    let used = &told.used;
    text.push_str("\n## What it cost\n\n");
    let runs = if told.runs == 1 { "1 run".to_owned() } else { format!("{} runs", told.runs) };
    let attempts: u32 = told.legs.iter().map(|leg| leg.run.attempt).sum();
    let cost = match used.cost {
        Some(cost) if used.is_priced_by_us => format!("{cost} by list prices"),
        Some(cost) => cost.to_string(),
        None => "no costs were told".to_owned(),
    };
    let partial = if used.is_partial { ", and more that could not be counted" } else { "" };
    let _ = writeln!(
        text,
        "{runs}; {attempts} attempts for what was accepted; {} tokens; {cost}{partial}.",
        used.tokens()
    );
}

fn again(text: &mut String, told: &Told<'_>) {
    text.push_str("\n## Verify it again\n\nOn any machine, with this branch checked out:\n\n");
    let mut checks: Vec<&str> = Vec::new();
    let mut examples: Vec<&Example> = Vec::new();
    for leg in &told.legs {
        for example in leg.run.opened.crew.iter().flat_map(|crew| &crew.examples) {
            let is_same = |known: &&Example| {
                (&known.command, &known.prints) == (&example.command, &example.prints)
            };
            if !examples.iter().any(is_same) {
                examples.push(example);
            }
        }
        for check in &leg.run.opened.contract.checks {
            if !checks.contains(&check.command.as_str()) {
                checks.push(&check.command);
            }
        }
    }
    let task = told.goal.trim().lines().next().unwrap_or_default();
    let mut command = format!("countersign verify --base {} --task {}", told.base, shell(task));
    for check in checks {
        let _ = write!(command, " \\\n  --check {}", shell(check));
    }
    for example in examples {
        let words = format!("{} => {}", example.command, example.prints);
        let _ = write!(command, " \\\n  --example {}", shell(&words));
    }
    fenced(text, &command);
    text.push_str("\nWhere it was made:\n\n");
    let mut known = format!("countersign log {}\ncountersign ledger verify", told.id);
    if let Some((_, _, receipts)) = told.legs.iter().flat_map(|leg| proofs(leg.run)).next()
        && let Some(receipt) = receipts.first()
    {
        let _ = write!(known, "\ncountersign show {receipt}");
    }
    fenced(text, &known);
    let _ = write!(
        text,
        "\nCountersign-Work: {}\nCountersign-Commit: {}\nCountersign-Branch: {}\n",
        told.id, told.commit, told.branch
    );
}

fn counted(tests: usize) -> String {
    match tests {
        0 => "No test".to_owned(),
        1 => "1 test".to_owned(),
        many => format!("{many} tests"),
    }
}

/// A text on one line in which nothing has a meaning to Markdown.
fn plain(text: &str) -> String {
    let mut plain = String::new();
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    for (at, letter) in words.chars().enumerate() {
        if at == MOST_QUOTED {
            plain.push('…');
            break;
        }
        match letter {
            '@' => plain.push_str("&#64;"),
            '<' => plain.push_str("&lt;"),
            '&' => plain.push_str("&amp;"),
            // A number sign would name an issue, and an address would be a link.
            '#' => plain.push_str("&#35;"),
            ':' if words.chars().skip(at + 1).take(2).eq("//".chars()) => plain.push_str("&#58;"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '~' => {
                plain.push('\\');
                plain.push(letter);
            }
            control if control.is_control() => plain.push('\u{fffd}'),
            letter => plain.push(letter),
        }
    }
    plain
}

/// A text as code, on one line, also in a table.
fn code(text: &str) -> String {
    let line: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let line = line.replace('|', "\\|");
    let mut fence = String::from("`");
    while line.contains(&fence) {
        fence.push('`');
    }
    let space = if fence.len() > 1 { " " } else { "" };
    format!("{fence}{space}{line}{space}{fence}")
}

fn fenced(text: &mut String, lines: &str) {
    let mut fence = String::from("```");
    while lines.contains(&fence) {
        fence.push('`');
    }
    let _ = writeln!(text, "{fence}sh\n{lines}\n{fence}");
}

/// A word for a shell.
fn shell(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// LP-14, PL-09: what agents write can't act in the page it is shown on.
    #[test]
    fn texts_of_agents_are_plain() {
        assert_eq!(plain("a | b\n# c @dave `x`"), "a \\| b &#35; c &#64;dave \\`x\\`");
        assert_eq!(
            plain("<img src=x> [a](https://b) *c*"),
            "&lt;img src=x> \\[a\\](https&#58;//b) \\*c\\*"
        );
        assert_eq!(plain("\u{1b}[31m"), "\u{fffd}\\[31m");
        assert_eq!(plain(&"x".repeat(1000)).chars().count(), MOST_QUOTED + 1);
        assert_eq!(code("echo `a` | cat"), "`` echo `a` \\| cat ``");
        assert_eq!(shell("it's"), r"'it'\''s'");
    }
}
