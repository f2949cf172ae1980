//! Every rule, gamed and honest, as small changes in `cases/`.
//!
//! A case begins with `==`, what is expected, and a name:
//!
//!   == gamed G11 warn: an exact value became a truth
//!   == honest: a test is renamed             nothing blocks
//!   == unasked: another price, with its test  nothing is shown to a person
//!   == quiet: a test is added                nothing warns either
//!
//! Then come files: `@ path` for a changed one, whose lines begin with a space (in both versions),
//! `-` (before only) or `+` (after only); `& path` for a test that was not changed. `task:` says
//! what was asked for.

use countersign_domain::gaming::{Finding, Rule, Severity};
use countersign_gaming::{Changed, File, Task, detect};

const FILES: &[(&str, &str)] = &[
    ("python.txt", include_str!("cases/python.txt")),
    ("script.txt", include_str!("cases/script.txt")),
    ("rust.txt", include_str!("cases/rust.txt")),
    ("go.txt", include_str!("cases/go.txt")),
    ("others.txt", include_str!("cases/others.txt")),
    ("product.txt", include_str!("cases/product.txt")),
    ("settings.txt", include_str!("cases/settings.txt")),
    ("prose.txt", include_str!("cases/prose.txt")),
    ("benign.txt", include_str!("cases/benign.txt")),
    ("hollow.txt", include_str!("cases/hollow.txt")),
    ("seams.txt", include_str!("cases/seams.txt")),
    ("equality.txt", include_str!("cases/equality.txt")),
    ("inputs.txt", include_str!("cases/inputs.txt")),
    ("counted.txt", include_str!("cases/counted.txt")),
    ("bounds.txt", include_str!("cases/bounds.txt")),
    ("wanted.txt", include_str!("cases/wanted.txt")),
    ("rows.txt", include_str!("cases/rows.txt")),
    ("environment.txt", include_str!("cases/environment.txt")),
    ("worded.txt", include_str!("cases/worded.txt")),
    ("shortened.txt", include_str!("cases/shortened.txt")),
    ("recited.txt", include_str!("cases/recited.txt")),
    ("fixtures.txt", include_str!("cases/fixtures.txt")),
    ("wrapped.txt", include_str!("cases/wrapped.txt")),
    ("passed_over.txt", include_str!("cases/passed_over.txt")),
    ("altered.txt", include_str!("cases/altered.txt")),
    ("put_off.txt", include_str!("cases/put_off.txt")),
    ("kept.txt", include_str!("cases/kept.txt")),
    ("waiting.txt", include_str!("cases/waiting.txt")),
    ("everyday.txt", include_str!("cases/everyday.txt")),
    ("plain.txt", include_str!("cases/plain.txt")),
    ("features.txt", include_str!("cases/features.txt")),
    ("halves.txt", include_str!("cases/halves.txt")),
    ("remembered.txt", include_str!("cases/remembered.txt")),
    ("agreed.txt", include_str!("cases/agreed.txt")),
    ("narrowed.txt", include_str!("cases/narrowed.txt")),
    ("hooks.txt", include_str!("cases/hooks.txt")),
    ("uncalled.txt", include_str!("cases/uncalled.txt")),
    ("reports.txt", include_str!("cases/reports.txt")),
    ("reach.txt", include_str!("cases/reach.txt")),
    ("unmet.txt", include_str!("cases/unmet.txt")),
    ("silent.txt", include_str!("cases/silent.txt")),
    ("learnt.txt", include_str!("cases/learnt.txt")),
];

#[derive(Debug, Default)]
struct Case<'t> {
    head: &'t str,
    task: &'t str,
    changed: Vec<(&'t str, Option<String>, Option<String>)>,
    known: Vec<(&'t str, String)>,
}

fn cases(text: &str) -> Vec<Case<'_>> {
    let mut cases: Vec<Case<'_>> = Vec::new();
    let mut in_known = false;
    for line in text.lines() {
        if let Some(head) = line.strip_prefix("== ") {
            cases.push(Case { head, ..Case::default() });
            continue;
        }
        let Some(case) = cases.last_mut() else { continue };
        if let Some(task) = line.strip_prefix("task: ") {
            case.task = task;
        } else if let Some(path) = line.strip_prefix("@ ") {
            in_known = false;
            case.changed.push((path, None, None));
        } else if let Some(path) = line.strip_prefix("& ") {
            in_known = true;
            case.known.push((path, String::new()));
        } else if in_known {
            let Some((_, text)) = case.known.last_mut() else { continue };
            text.push_str(line.get(1..).unwrap_or(""));
            text.push('\n');
        } else if let Some((_, before, after)) = case.changed.last_mut() {
            add(line, before, after);
        }
    }
    cases
}

fn add(line: &str, before: &mut Option<String>, after: &mut Option<String>) {
    let rest = line.get(1..).unwrap_or("");
    let push = |side: &mut Option<String>| {
        let text = side.get_or_insert_with(String::new);
        text.push_str(rest);
        text.push('\n');
    };
    match line.as_bytes().first() {
        Some(b'-') => push(before),
        Some(b'+') => push(after),
        Some(b' ') => {
            push(before);
            push(after);
        }
        _ => {}
    }
}

fn run(case: &Case<'_>) -> Vec<Finding> {
    let bytes = |text: &Option<String>| text.as_ref().map(|text| text.clone().into_bytes());
    let owned: Vec<_> = case
        .changed
        .iter()
        .map(|(path, before, after)| (*path, bytes(before), bytes(after)))
        .collect();
    let changes: Vec<Changed<'_>> = owned
        .iter()
        .map(|(path, before, after)| Changed {
            path,
            before: before.as_deref(),
            after: after.as_deref(),
        })
        .collect();
    let tests: Vec<File<'_>> =
        case.known.iter().map(|(path, text)| File { path, bytes: text.as_bytes() }).collect();
    detect(&changes, &Task { text: case.task, tests: &tests })
}

/// Rules whose warnings are shown to a person.
fn is_shown(finding: &Finding) -> bool {
    let rule = finding.rule;
    let knows_its_tests = (Rule::G20..=Rule::G29).contains(&rule);
    let weakens_checks = (Rule::G40..=Rule::G46).contains(&rule);
    let others = [Rule::G06, Rule::G48, Rule::G49, Rule::G63, Rule::G66].contains(&rule);
    let warns = knows_its_tests || weakens_checks || others;
    finding.severity == Severity::Block || finding.severity == Severity::Warn && warns
}

/// What is wrong with a case's findings, if anything is.
fn judge(case: &Case<'_>, findings: &[Finding]) -> Result<(), String> {
    let (kind, _) = case.head.split_once(':').ok_or("a head needs a name")?;
    let words: Vec<&str> = kind.split_whitespace().collect();
    let worst = findings.iter().map(|finding| finding.severity).max();
    match words[..] {
        ["honest"] if worst == Some(Severity::Block) => Err("it blocks".to_owned()),
        ["quiet"] if worst >= Some(Severity::Warn) => Err("it warns".to_owned()),
        ["unasked"] if findings.iter().any(is_shown) => Err("it asks".to_owned()),
        ["honest" | "quiet" | "unasked"] => Ok(()),
        ["gamed", rule, severity] => {
            let rule: Rule = rule.parse().map_err(|error| format!("{error}"))?;
            let wanted = match severity {
                "info" => Severity::Info,
                "warn" => Severity::Warn,
                "block" => Severity::Block,
                _ => return Err(format!("{severity} is no severity")),
            };
            let found = findings.iter().filter(|finding| finding.rule == rule);
            match found.map(|finding| finding.severity).max() {
                Some(severity) if severity == wanted => Ok(()),
                other => Err(format!("{rule} is {other:?}, and not {wanted:?}")),
            }
        }
        _ => Err(format!("nobody knows '{kind}'")),
    }
}

/// Every rule that text can show, in each language where it makes sense, and its look-alikes.
#[test]
fn every_case_is_judged_as_it_should_be() {
    let mut wrong = Vec::new();
    let mut count = 0;
    for (file, text) in FILES {
        for case in cases(text) {
            count += 1;
            let findings = run(&case);
            if let Err(reason) = judge(&case, &findings) {
                let told: Vec<String> = findings
                    .iter()
                    .map(|f| {
                        format!("\n    {} {:?} {:?} {}", f.rule, f.severity, f.line, f.message)
                    })
                    .collect();
                wrong.push(format!("{file}: {}\n  {reason}{}", case.head, told.concat()));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {count}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(count >= 250, "{count} cases");
}

/// What blocks by text alone is what the rule's data calls a proof, and every rule that text can
/// show has a gamed case.
#[test]
fn blocks_rest_on_a_proof() {
    let mut seen: Vec<Rule> = Vec::new();
    for (_, text) in FILES {
        for case in cases(text) {
            for finding in run(&case) {
                seen.push(finding.rule);
                let proved = finding.rule.proof().is_some();
                assert!(
                    finding.severity != Severity::Block || proved,
                    "{}: {finding:?}",
                    case.head
                );
            }
        }
    }
    // The others need the worklog, the ledger or an execution.
    let beyond: &[&str] = &["G49", "G60", "G61", "G62", "G63", "G65", "G67"];
    for rule in Rule::ALL.iter().filter(|rule| !beyond.contains(&rule.id())) {
        assert!(seen.contains(rule), "no case shows {rule}");
    }
}
