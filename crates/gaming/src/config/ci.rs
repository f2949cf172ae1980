//! What a server runs for every change: jobs that may fail, never run, or are gone.

use std::collections::HashSet;

use countersign_domain::gaming::{Finding, Rule, Severity};

use super::command::{Fate, fate, filter, runs_tests};
use crate::args::{has_word, short, squeeze};
use crate::detect::Change;
use crate::role::Role;

pub(super) fn check(change: &Change<'_>) -> Vec<Finding> {
    if change.role != Role::Ci {
        return Vec::new();
    }
    let old = change.old();
    if change.after.is_none() {
        let ran = old.lines().any(runs_tests);
        let message = "A file of the CI that ran tests is gone.";
        return ran.then(|| change.text(Rule::G44, 0, message)).into_iter().collect();
    }
    let before: Vec<Line<'_>> = read(old);
    let after: Vec<Line<'_>> = read(change.current());
    let known: HashSet<&str> = before.iter().map(|line| line.text).collect();
    let lines = change.lines();
    let mut findings = Vec::new();
    for line in after.iter().filter(|line| lines.is_added(line.number)) {
        let unit = unit(&after, line);
        let is_known = |one: &&Line<'_>| runs_tests(one.text) && ran(&before, one.text);
        // A step that got a name is the one that had none.
        let existed =
            !line.unit.is_empty() && known.contains(line.unit) || unit.iter().any(is_known);
        findings.extend(judge(change, line, existed));
        let tested = unit.iter().any(is_known);
        findings.extend(tested.then(|| waits(change, line)).flatten());
    }
    let runs = |lines: &[Line<'_>]| lines.iter().filter(|line| runs_tests(line.text)).count();
    if runs(&after) < runs(&before) {
        let gone = lines.removed.iter().find(|(_, text)| runs_tests(text));
        let (number, text) = gone.copied().unwrap_or((0, ""));
        let finding =
            change.text(Rule::G44, number, "The CI runs fewer commands that test or guard.");
        findings.push(finding.change(Some(short(text)), None));
    }
    findings
}

/// A line, and the job or step that it belongs to, by its name or its command.
#[derive(Debug)]
struct Line<'t> {
    number: u32,
    text: &'t str,
    unit: &'t str,
    /// How far it stands to the right, and the number of the line that opened its step.
    deep: usize,
    opened: u32,
}

/// The lines of the job or step that a line is a setting of.
fn unit<'l, 't>(lines: &'l [Line<'t>], line: &Line<'t>) -> Vec<&'l Line<'t>> {
    let Some(first) = lines.iter().position(|one| one.number == line.opened) else {
        return Vec::new();
    };
    let deep = lines.get(first).map_or(0, |one| one.deep);
    let rest = lines.iter().skip(first + 1).take_while(|one| one.deep > deep);
    lines.get(first).into_iter().chain(rest).collect()
}

/// Whether a command was run before, under whatever name.
fn ran(before: &[Line<'_>], text: &str) -> bool {
    before.iter().any(|line| command(line.text) == command(text))
}

/// What a line of a step has the shell do.
fn command(text: &str) -> &str {
    let text = text.trim_start_matches("- ").trim_start_matches("run:");
    text.trim_start_matches("script:").trim().trim_matches(['"', '\''])
}

/// Lines with the step that they stand in: the nearest item of a list or key that is less deep.
fn read(text: &str) -> Vec<Line<'_>> {
    let all: Vec<&str> = text.lines().take(20_000).collect();
    let depth = |line: &str| line.len() - line.trim_start().len();
    let mut found = Vec::new();
    let mut open: Vec<(usize, &str, u32)> = Vec::new();
    for (number, line) in (1..).zip(&all) {
        let told = line.trim();
        if told.is_empty() || told.starts_with('#') {
            continue;
        }
        let deep = depth(line);
        open.retain(|(other, _, _)| *other < deep);
        let (unit, opened) = open.last().map_or(("", 0), |(_, unit, number)| (*unit, *number));
        // A setting may be the first line of its own step; it then belongs to what follows.
        let opened = if told.starts_with("- ") { number } else { opened };
        found.push(Line { number, text: told, unit, deep, opened });
        // A step is known by its first line, whatever stands below it.
        if told.ends_with(':') || told.starts_with("- ") {
            open.push((deep, told, number));
        }
    }
    found
}

/// What a setting says about failures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum MayFail {
    Never,
    Sometimes,
    Always,
}

/// What a setting that lets failures pass is set to. All that is not plainly no may be yes, and what is
/// worked out or listed (`${{ matrix.node == 18 }}`, codes on the next lines) is yes for some.
fn may_fail(squeezed: &str) -> MayFail {
    const SETTINGS: &[&str] =
        &["continue-on-error:", "allow_failure:", "soft_fail:", "continueOnError:", "catchError"];
    let Some(value) = SETTINGS.iter().find_map(|word| squeezed.strip_prefix(word)) else {
        return MayFail::Never;
    };
    let value = value.split('#').next().unwrap_or("").trim_matches(['"', '\'']);
    let value = value.strip_prefix("${{").and_then(|rest| rest.strip_suffix("}}")).unwrap_or(value);
    match value.to_lowercase().as_str() {
        "false" | "no" | "off" | "0" | "null" => MayFail::Never,
        "true" | "yes" | "on" => MayFail::Always,
        _ if squeezed.starts_with("catchError") => MayFail::Always,
        _ => MayFail::Sometimes,
    }
}

/// Whether only what comes with this change may fail: `matrix.toolchain == 'beta'` beside a new `[stable, beta]`. What
/// had to pass still has to.
fn is_of_what_is_new((old, new): (&str, &str), squeezed: &str) -> bool {
    let parts: Vec<&str> = squeezed.split("==").collect();
    let [_, value] = parts[..] else { return false };
    let value = value.trim_end_matches(['}', '"']);
    let is_joined = squeezed.contains("||") || squeezed.contains("&&") || squeezed.contains('!');
    let named = value.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\''));
    let comes = |name: &str| {
        let mut others =
            new.lines().filter(|line| !line.contains("==") && !line.trim_start().starts_with('#'));
        others.any(|line| has_word(line, name))
    };
    !is_joined && named.is_some_and(|name| !name.is_empty() && !has_word(old, name) && comes(name))
}

/// A job or step that tested always, and now waits for something.
fn waits(change: &Change<'_>, line: &Line<'_>) -> Option<Finding> {
    let squeezed = squeeze(line.text.trim_start_matches("- "));
    let at = |message: &str| {
        change.text(Rule::G44, line.number, message).change(None, Some(short(line.text)))
    };
    if squeezed == "when:manual" {
        return Some(at("A job that tests waits for a person now."));
    }
    let condition = ["if:", "condition:"].iter().find_map(|word| squeezed.strip_prefix(word))?;
    let is_always = ["always()", "cancelled()", "success()", "succeeded()", "true"];
    // What happens after a failure as well tests more, and not less.
    let fine = is_always.iter().any(|word| condition.contains(word)) && !condition.contains("&&");
    let message = "A job or step that tests runs only under a condition now.";
    (!fine && !is_never(condition)).then(|| at(message))
}

/// A condition that never holds, without spaces.
fn is_never(condition: &str) -> bool {
    let inner = condition.trim_matches('"');
    let inner = inner.strip_prefix("${{").and_then(|rest| rest.strip_suffix("}}")).unwrap_or(inner);
    let joined = inner.contains("||");
    let never = |part: &str| {
        matches!(part, "false" | "!true" | "0" | "''" | "never")
            || ["'never'", "\"never\"", "'none'", "'disabled'"]
                .iter()
                .any(|word| part.contains("==") && !part.contains("!=") && part.ends_with(word))
            || part.split_once("==").is_some_and(|(one, other)| is_other(one, other))
    };
    !joined && inner.split("&&").any(never)
}

/// Two fixed values that are not the same: `1 == 2`.
fn is_other(one: &str, other: &str) -> bool {
    let is_value = |text: &str| {
        text.starts_with('\'')
            || !text.is_empty() && text.chars().all(|letter| letter.is_ascii_digit())
    };
    is_value(one) && is_value(other) && one != other
}

fn judge(change: &Change<'_>, line: &Line<'_>, existed: bool) -> Vec<Finding> {
    let squeezed = squeeze(line.text.trim_start_matches("- "));
    let at = |message: &str| {
        change.text(Rule::G44, line.number, message).change(None, Some(short(line.text)))
    };
    let grade =
        |finding: Finding| finding.graded(if existed { Severity::Block } else { Severity::Info });
    let mut findings = Vec::new();
    match may_fail(&squeezed) {
        MayFail::Never => {}
        MayFail::Always => findings.push(grade(at("A job or step may fail now."))),
        MayFail::Sometimes if is_of_what_is_new((change.old(), change.current()), &squeezed) => {}
        MayFail::Sometimes if existed => findings.push(at("A job or step may fail now at times.")),
        MayFail::Sometimes => findings.push(grade(at("A job or step may fail at times."))),
    }
    let starts = ["when:never", "enabled:false"].iter().any(|word| squeezed.starts_with(word));
    let condition = ["if:", "condition:"].iter().find_map(|word| squeezed.strip_prefix(word));
    if starts || condition.is_some_and(is_never) {
        findings.push(grade(at("A job or step never runs now.")));
    }
    let command = command(line.text);
    match fate(command) {
        Fate::ThrownAway => {
            findings.push(at("The failure of a command is thrown away.").graded(Severity::Block));
        }
        Fate::Lost => findings.push(at("The failure of a command gets lost in a pipe.")),
        _ => {}
    }
    if runs_tests(command) && filter(command).is_some() {
        findings.push(Finding { rule: Rule::G03, ..at("The CI leaves tests out.") });
    }
    if line.text.starts_with("set +e") {
        findings.push(at("Failures don't end the script any more."));
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    /// G44: what is not plainly no lets failures pass.
    #[test]
    fn settings_that_let_failures_pass() {
        for (line, expected) in [
            ("continue-on-error: true", MayFail::Always),
            ("continue-on-error: ${{ true }}", MayFail::Always),
            ("continue-on-error: \"${{ matrix.os == 'windows' }}\"", MayFail::Sometimes),
            ("continue-on-error: ${{ false }}", MayFail::Never),
            ("continue-on-error: false # must pass", MayFail::Never),
            ("allow_failure:", MayFail::Sometimes),
            ("fail-fast: false", MayFail::Never),
        ] {
            assert_eq!(may_fail(&squeeze(line)), expected, "{line}");
        }
    }

    /// G44: what had to pass still has to where only what is new may fail.
    #[test]
    fn only_what_is_new_may_fail() {
        let old = "- run: cargo +stable test\n";
        let new = "toolchain: [stable, beta]\n- run: cargo +${{ matrix.toolchain }} test\n";
        for (line, is) in [
            ("continue-on-error: ${{ matrix.toolchain == 'beta' }}", true),
            ("continue-on-error: \"${{ matrix.toolchain == 'beta' }}\"", true),
            ("continue-on-error: ${{ matrix.toolchain == 'stable' }}", false),
            ("continue-on-error: ${{ matrix.toolchain != 'beta' }}", false),
            ("continue-on-error: ${{ matrix.toolchain == 'beta' || matrix.all }}", false),
            ("continue-on-error: ${{ matrix.may_fail }}", false),
        ] {
            assert_eq!(is_of_what_is_new((old, new), &squeeze(line)), is, "{line}");
            assert!(!is_of_what_is_new((old, old), &squeeze(line)), "{line}");
        }
    }

    /// G44: conditions that never hold.
    #[test]
    fn conditions_that_never_hold() {
        for condition in ["false", "${{ false }}", "github.event_name == 'never'", "1 == 2"] {
            assert!(is_never(&squeeze(condition)), "{condition}");
        }
        for condition in ["github.event_name == 'push'", "always()", "false || success()"] {
            assert!(!is_never(&squeeze(condition)), "{condition}");
        }
    }
}
