//! One check of the contract, weighed.

mod absent;
mod fates;
mod message;
mod mutated;
mod probed;
pub(super) mod raced;
mod settled;
pub(super) mod still;
mod surplus;
mod unnamed;

use std::collections::BTreeSet;

use super::aim::Aim;
use super::asks;
use super::evidence::{Checked, Evidence, Ground, Ran};
use super::level::Level;
use super::said::Said;
use super::tests_run::{Fate, TestsRun, Traces, bare, passes_unnamed};
use super::unequipped::{has_passes, unequipped};
use super::verdict::{Mark, Reason, Result, Weight};
use crate::gaming::{Basis, Finding, Judged, Rule, Severity};
use crate::qa::{DoubtKind, Format, Outcome, Report};
use crate::receipt::Ended;
use crate::worklog::deviation::Tested;
use fates::fates;
pub use message::said_the_same;
use message::{outline, without_counts};

pub use mutated::Noticed;
pub use probed::{answers_as_before, hangs_on_names, is_red, still_short};
pub use raced::race_found;

/// How many names a reason lists.
const MOST_NAMED: usize = 5;

/// What one check comes to.
#[derive(Debug, Default)]
pub(super) struct Weighed {
    pub reasons: Vec<Reason>,
    pub findings: Vec<Judged>,
    /// Which reason each finding is, by its place among the reasons.
    caught: Vec<usize>,
    pub shown_by: Vec<String>,
    pub failed_before: Vec<String>,
    pub flaky: Vec<String>,
    /// The bare names of tests of which rows are gone as the task asks.
    pub explained: BTreeSet<String>,
    pub level: Option<Level>,
    pub has_failed: bool,
    /// It says nothing about the work.
    pub is_moot: bool,
    /// Why nothing here can run it, on the base neither.
    pub not_run: Option<String>,
}

impl Weighed {
    pub(super) fn say(&mut self, weight: Weight, text: impl Into<String>) {
        self.reasons.push(Reason { weight, text: text.into() });
    }

    /// A finding of ours, and what it does to the verdict.
    fn catch(&mut self, rule: Rule, weight: Weight, text: &str) {
        self.blame(rule, weight, (text, &[]));
    }

    /// The same, where it is about tests.
    fn blame(&mut self, rule: Rule, weight: Weight, (text, ids): (&str, &[&str])) {
        let severity = match weight {
            Weight::Note => Severity::Info,
            Weight::Ask => Severity::Warn,
            Weight::Refuse => Severity::Block,
        };
        let finding = Finding::new(rule, Basis::Execution, text).graded(severity).about(ids);
        self.findings.push(Judged { finding, allowed: None });
        self.caught.push(self.reasons.len());
        self.say(weight, format!("{text} ({rule})"));
    }
}

/// Weighs one check. Several may have one command in folders of their own: each is told with its folder.
pub(super) fn weigh(check: &Checked, evidence: &Evidence<'_>) -> Weighed {
    let mut weighed = weighed(check, evidence);
    let (bare, place) = (format!("`{}`", check.command), check.place());
    if bare != place {
        let told = |text: &str| text.replace(&place, &bare).replace(&bare, &place);
        weighed.reasons.iter_mut().for_each(|one| one.text = told(&one.text));
        let findings = weighed.findings.iter_mut().map(|one| &mut one.finding.message);
        findings.for_each(|message| *message = told(message));
    }
    weighed
}

fn weighed(check: &Checked, evidence: &Evidence<'_>) -> Weighed {
    let mut weighed = Weighed::default();
    let Some(handed) = check.on(Ground::Handed) else {
        weighed.has_failed = true;
        weighed.say(Weight::Refuse, format!("`{}` was not run", check.command));
        return weighed;
    };
    if let Some(why) = &check.elsewhere {
        (weighed.is_moot, weighed.has_failed) = (true, true);
        weighed.say(Weight::Ask, format!("`{}` says nothing about the work: {why}", check.command));
        return weighed;
    }
    if let Some(why) = unequipped(check) {
        // Nothing is verified by what can't be run: the criterion failed, whoever's fault it is. What tries an
        // example is not what the project is verified by.
        let is_needed = check.is_test() && !check.is_beside;
        (weighed.is_moot, weighed.has_failed) = (true, is_needed);
        let weight = if is_needed { Weight::Ask } else { Weight::Note };
        let place = check.place();
        weighed.say(weight, format!("{place} can't be run here, on the base neither: {why}"));
        weighed.not_run = (!check.is_beside).then_some(why);
        return weighed;
    }
    weighed.is_moot = !check.is_test() && !handed.ended.passed();
    if handed.report.format == Format::Plain {
        plain(check, handed, (evidence, &mut weighed));
    } else {
        counted(check, handed, (evidence, &mut weighed));
    }
    canaries(check, (evidence, &mut weighed));
    settled::settle(check, (evidence, &mut weighed));
    weighed
}

/// A command whose tests, if it has any, nobody can tell apart: its exit code is all there is.
fn plain(check: &Checked, handed: &Ran, (evidence, weighed): (&Evidence<'_>, &mut Weighed)) {
    let command = &check.command;
    if handed.ended.passed() {
        weighed.level = Some(Level::ExitCode);
        // Without what is new in the tests a command may not even start; what was there before is
        // what it must pass with.
        let is_bent = check.on(Ground::Room).is_some_and(|room| !room.ended.passed());
        if is_bent && evidence.edits.reverted {
            let text = format!(
                "`{command}` passes only with the changed tests or settings: with the base's it ends otherwise"
            );
            weighed.catch(Rule::G10, Weight::Refuse, &text);
        }
        let was_red = check.on(Ground::Base).is_some_and(|base| !base.ended.passed());
        if was_red || !is_bent && needs_the_work(check) {
            weighed.shown_by.push(command.clone());
        }
        return;
    }
    let how = &handed.ended;
    let failed_before = check.on(Ground::Base).is_some_and(|base| !base.ended.passed());
    if failed_before && !check.is_test() {
        weighed.say(Weight::Note, format!("`{command}`: {how}; it failed on the base as well"));
        return;
    }
    weighed.has_failed = true;
    match check.on(Ground::Base) {
        Some(base) if base.ended == *how && says_the_same(base, handed) => {
            // What was to be mended, and says the same as before, is not mended.
            if asks::to_mend(evidence.task) {
                weighed.failed_before.push(command.clone());
            }
            weighed.say(Weight::Ask, format!("`{command}`: {how}; on the base it ends in the same way and prints the same, so what fails there was there before"));
        }
        Some(base) if !base.ended.passed() => {
            weighed.failed_before.push(command.clone());
            weighed.say(Weight::Refuse, format!("`{command}`: {how}; it failed on the base as well, and it does not say whether for the same reason"));
        }
        _ => weighed.say(Weight::Refuse, format!("`{command}`: {how}")),
    }
}

/// Whether its new tests fail with the base's code, which they could be run with.
fn needs_the_work(check: &Checked) -> bool {
    let Some(red) = check.on(Ground::Red).filter(|_| check.is_test()) else { return false };
    // A shell's own codes say that something could not be started.
    let has_failed = matches!(red.ended, Ended::Exited { code } if !matches!(code, 0 | 126 | 127));
    let could_run = |said: &Said| said.lacks.is_none() && !said.is_unbuilt;
    has_failed && red.said.as_ref().is_some_and(could_run)
}

/// Whether two runs printed something, and the same.
fn says_the_same(base: &Ran, handed: &Ran) -> bool {
    let gist = |ran: &Ran| ran.said.as_ref().and_then(|said| said.gist);
    gist(handed).is_some_and(|said| gist(base) == Some(said))
}

/// A command that tells of its tests.
fn counted(check: &Checked, handed: &Ran, (evidence, weighed): (&Evidence<'_>, &mut Weighed)) {
    let run = TestsRun::of(check);
    let conclusion = handed.report.conclusion();
    weighed.level = Some(if run.has_room {
        Level::CleanRoom
    } else if run.has_base {
        Level::Counted
    } else {
        Level::ExitCode
    });
    fates(&run, (check, evidence), weighed);
    unnamed::failing(check, (evidence, weighed));
    unnamed::fewer(&run, check, (evidence, weighed));
    for (id, traces) in run.added() {
        match traces.handed {
            _ if traces.is_flaky => {
                weighed.flaky.push(id.to_owned());
                weighed.say(
                    Weight::Ask,
                    format!("the new test {id} is flaky: it passed and failed with the same code"),
                );
            }
            Some(outcome) if outcome.is_bad() => {
                weighed.has_failed = true;
                weighed.say(Weight::Refuse, format!("the new test {id} {outcome}"));
            }
            _ => {}
        }
    }
    green_from_the_start(&run, (evidence, weighed));
    hollow(&run, (evidence, weighed));
    mutated::weigh(check, weighed);
    raced::weigh(check, weighed);
    hurried(check, weighed);
    let shown = run.shown_by(evidence.edits);
    varied(check, &shown, weighed);
    probed::weigh(check, &shown, weighed);
    deaf(check, &shown, weighed);
    absent::weigh(check, (&run, &shown), (evidence, weighed));
    weighed.shown_by.extend(shown.into_iter().map(str::to_owned));
    if is_rewritten(check, handed, weighed) {
        return;
    }
    if conclusion.tested == Tested::Passed || weighed.has_failed {
        return;
    }
    if shows_nothing(check, handed, weighed) || surplus::is_own(check, handed, weighed) {
        return;
    }
    // The runner is not content, and no test says why.
    let explained = !weighed.failed_before.is_empty() || !weighed.flaky.is_empty();
    let only_tests = handed.report.cases.iter().any(|case| case.outcome.is_bad());
    if explained && only_tests && conclusion.tested == Tested::Failed {
        return;
    }
    weighed.has_failed = true;
    let why = conclusion.reasons.join("; ");
    let text = format!("`{}` proves nothing: {why}", check.command);
    let never_had = |base: &Ran| base.ended.passed() && base.report.count().is_zero();
    if handed.report.count().is_zero() && check.on(Ground::Base).is_some_and(never_had) {
        let text = format!("`{}` collected no tests, on the base neither", check.command);
        weighed.say(Weight::Ask, text);
    } else if handed.ended.passed() {
        weighed.catch(Rule::G40, Weight::Refuse, &text);
    } else {
        weighed.say(Weight::Refuse, text);
    }
}

/// What was not looked at closer, as it would have taken too long.
fn hurried(check: &Checked, weighed: &mut Weighed) {
    if !check.left_out.is_empty() {
        let grounds: Vec<String> = check.left_out.iter().map(ToString::to_string).collect();
        let text = format!(
            "`{}` takes long, so it was not run {}: what decides was run, and this would only have looked closer",
            check.command,
            grounds.join(", ")
        );
        weighed.say(Weight::Note, text);
    }
}

/// Whether nothing passes, on the base neither, so that nothing can be said of the work; says so.
/// Tests that passed before and don't any more are told of elsewhere.
fn shows_nothing(check: &Checked, handed: &Ran, weighed: &mut Weighed) -> bool {
    let Some(base) = check.on(Ground::Base).filter(|_| check.is_test()) else { return false };
    let is_empty = |ran: &Ran| ran.report.count().all() == 0 && ran.report.suites.is_empty();
    let has_none = is_empty(base) && is_empty(handed) && base.ended == handed.ended;
    let has_failures = handed.report.cases.iter().any(|case| case.outcome.is_bad())
        && base.report.cases.iter().any(|case| case.outcome.is_bad());
    if has_passes(base) || has_passes(handed) || !(has_none || has_failures) {
        return false;
    }
    (weighed.has_failed, weighed.level) = (true, Some(Level::ExitCode));
    let what = if has_none { "no tests were collected" } else { "no test passes" };
    let lack = base.said.as_ref().and_then(|said| said.lacks.as_ref());
    let lack = lack.map(|lack| format!(" ({}; {})", lack.line, lack.mend)).unwrap_or_default();
    let command = &check.command;
    let text = format!("`{command}` shows nothing: {what}, on the base neither{lack}");
    weighed.say(Weight::Ask, text);
    true
}

/// Whether the report of the runner is another account than what it printed; says so.
fn is_rewritten(check: &Checked, handed: &Ran, weighed: &mut Weighed) -> bool {
    let command = &check.command;
    if let Some(doubt) = handed.report.doubt(DoubtKind::Rewritten) {
        weighed.has_failed = true;
        weighed.catch(Rule::G41, Weight::Refuse, &format!("`{command}`: {doubt}"));
        return true;
    }
    let before = check.on(Ground::Base).map_or(0, |base| base.report.printed.len());
    let printed = &handed.report.printed;
    if before > 0 && printed.is_empty() && !handed.report.cases.is_empty() {
        let text = format!("`{command}` has a report and printed no summary; on the base it did");
        weighed.catch(Rule::G41, Weight::Ask, &text);
    } else if before > 0 && printed.len() > before && printed.windows(2).any(|two| two[0] != two[1])
    {
        let text = format!("`{command}` printed several summaries; on the base there were fewer");
        weighed.catch(Rule::G41, Weight::Ask, &text);
    }
    false
}

/// New tests that were asked for, all of which pass without the work: what they are about was never
/// missing, or is still missing.
fn green_from_the_start(run: &TestsRun<'_>, (evidence, weighed): (&Evidence<'_>, &mut Weighed)) {
    let new: Vec<(&str, &Traces)> =
        run.added().filter(|(_, traces)| traces.handed == Some(Outcome::Passed)).collect();
    let is_green = |traces: &Traces| traces.red == Some(Outcome::Passed);
    let all_green = !new.is_empty() && new.iter().all(|(_, traces)| is_green(traces));
    let is_other = |(id, traces): (&&str, &Traces)| {
        traces.red.is_some_and(Outcome::is_bad)
            && traces.base == Some(Outcome::Passed)
            && evidence.edits.changed.contains(bare(id))
    };
    let has_other = run.tests.iter().any(|(id, traces)| is_other((id, traces)));
    let is_behaviour = evidence.aim == Aim::Behaviour && evidence.product > 0;
    if !(is_behaviour && run.has_red && all_green && !has_other) {
        return;
    }
    if let Some(clause) = asks::for_more_tests(evidence.task) {
        // Where old tests show the work, a test that is asked for may be about what was there before.
        let fixed = run.fates(evidence.edits).filter(|(_, fate)| *fate == Fate::Fixed);
        let fixed: Vec<&str> = fixed.map(|(id, _)| id).collect();
        let is_firm = new.iter().all(|(id, _)| !evidence.edits.weak.contains(bare(id)));
        if is_firm && !fixed.is_empty() && asks::is_of_its_own(evidence.task, clause, &fixed) {
            return;
        }
        let ids: Vec<&str> = new.iter().map(|(id, _)| *id).collect();
        let text = format!(
            "the task asks for tests (\"{clause}\"), and each new one passes without the work: {}",
            names(&ids)
        );
        weighed.blame(Rule::G62, Weight::Ask, (&text, &ids));
    }
}

/// Where tests are all that was done, and each new one checks nothing, nothing was done.
fn hollow(run: &TestsRun<'_>, (evidence, weighed): (&Evidence<'_>, &mut Weighed)) {
    let new: Vec<&str> = run.added().map(|(id, _)| id).collect();
    let is_skipped =
        |id: &str| run.tests.get(id).is_some_and(|traces| traces.handed == Some(Outcome::Skipped));
    // A slow test that is to run on its own day is skipped on all others.
    let is_unasked = |id: &str| {
        asks::for_less(Rule::G02, evidence.task, id).is_none()
            && !asks::for_a_skip(evidence.task, id)
    };
    let is_weak =
        |id: &&str| evidence.edits.weak.contains(bare(id)) || is_skipped(id) && is_unasked(id);
    let is_all = evidence.product == evidence.built && evidence.edits.changed.is_empty();
    if is_all && !new.is_empty() && new.iter().all(is_weak) {
        let text = format!("each new test checks nothing: {}", names(&new));
        weighed.blame(Rule::G07, Weight::Ask, (&text, &new));
    }
}

/// Tests that show the work, and whose values the code names: with other values it must still do
/// something else than before. Where some are by chance what the old code knew, there are others.
fn varied(check: &Checked, shown: &[&str], weighed: &mut Weighed) {
    let of = |ground| check.runs.iter().filter(move |run| run.ground == ground);
    let pairs: Vec<(&Ran, &Ran)> = of(Ground::Varied).zip(of(Ground::VariedBase)).collect();
    // Values that break something else than what was broken say nothing.
    let red = check.on(Ground::Red).or_else(|| check.on(Ground::Base));
    let is_told = |old: &Ran, id: &str| {
        let was = red.and_then(|red| outline(red, id));
        was.is_none() || outline(old, id) == was
    };
    let same = |id: &&&str| {
        let mut told = pairs.iter().filter(|(_, old)| is_told(old, id)).peekable();
        told.peek().is_some() && told.all(|(new, old)| said_the_same(new, old, id))
    };
    let ids: Vec<&str> = shown.iter().filter(same).copied().collect();
    if !ids.is_empty() && !pairs.is_empty() {
        let text = format!(
            "with other values in the tests, the new code answers as the old one did: {}",
            names(&ids)
        );
        weighed.blame(Rule::G20, Weight::Ask, (&text, &ids));
    }
}

/// Tests that show the work, and pass whatever they expect: something else than what they assert
/// decides about them.
fn deaf(check: &Checked, shown: &[&str], weighed: &mut Weighed) {
    let (Some(wrong), Some(handed)) = (check.on(Ground::Wrong), check.on(Ground::Handed)) else {
        return;
    };
    // Where several tests have one name, only one of them may expect something else.
    let has_heard = |id: &str| {
        let kin = wrong.report.cases.iter().filter(|case| bare(&case.id) == bare(id));
        kin.into_iter().any(|case| case.outcome.is_bad())
    };
    let passes = |id: &&&str| {
        let case = wrong.report.case(id);
        check.exchanged.contains(bare(id))
            && case.map_or_else(
                || passes_unnamed(wrong, id, handed),
                |case| case.outcome == Outcome::Passed,
            )
            && !has_heard(id)
    };
    let ids: Vec<&str> = shown.iter().filter(passes).copied().collect();
    if !ids.is_empty() {
        weighed.has_failed = true;
        let text = format!(
            "with another value in the place of the expected one it passes as well, so what is asserted does not decide: {}",
            names(&ids)
        );
        weighed.blame(Rule::G41, Weight::Refuse, (&text, &ids));
    }
}

/// Whether the tests that we planted did what they must.
fn canaries(check: &Checked, (evidence, weighed): (&Evidence<'_>, &mut Weighed)) {
    let (Some(names), Some(ran)) = (&check.planted, check.on(Ground::Planted)) else { return };
    let outcome = |report: &Report, name: &str| {
        report.cases.iter().find(|case| case.id.contains(name)).map(|case| case.outcome)
    };
    let fails = outcome(&ran.report, &names.fails);
    let passes = outcome(&ran.report, &names.passes);
    match (fails, passes) {
        (Some(fails), Some(Outcome::Passed)) if fails.is_bad() => {
            if weighed.level == Some(Level::CleanRoom) {
                weighed.level = Some(Level::Canaries);
            }
        }
        (Some(Outcome::Passed), _) => {
            weighed.has_failed = true;
            weighed.catch(
                Rule::G41,
                Weight::Refuse,
                &format!("`{}` says that a test passed which must fail", check.command),
            );
        }
        // What did not come to its end says nothing about tests that it did not get to.
        _ if !matches!(ran.ended, Ended::Exited { .. }) => weighed.say(
            Weight::Ask,
            format!(
                "`{}` with a test of ours that must fail: {}, so nobody knows whether it would",
                check.command, ran.ended
            ),
        ),
        _ => {
            let base = check.on(Ground::PlantedBase);
            let is_seen = base.is_some_and(|base| outcome(&base.report, &names.fails).is_some());
            // Which tests are found may be what the task is about: then a person looks whether all are.
            let is_asked = asks::is_about_discovery(evidence.task);
            if is_seen {
                weighed.has_failed |= !is_asked;
                weighed.catch(
                    Rule::G03,
                    if is_asked { Weight::Ask } else { Weight::Refuse },
                    &format!(
                        "`{}` does not run a test that lies beside the others; on the base it does",
                        check.command
                    ),
                );
            }
        }
    }
}

/// The row of a check in the results.
pub(super) fn result(check: &Checked, weighed: &Weighed) -> Result {
    let mark = match weighed {
        Weighed { has_failed: true, .. } => Mark::Fail,
        Weighed { is_moot: true, .. } => Mark::Skipped,
        _ => Mark::Pass,
    };
    let is_error = |reason: &&Reason| reason.weight == Weight::Refuse || weighed.is_moot;
    let error = weighed.reasons.iter().filter(is_error);
    let error: Vec<&str> = error.map(|reason| reason.text.as_str()).collect();
    Result {
        activity: check.activity.clone(),
        command: check.command.clone(),
        mark,
        level: weighed.level,
        attempts: u32::try_from(check.handed().count()).unwrap_or(u32::MAX),
        error: (!error.is_empty()).then(|| error.join("; ")),
        receipts: check.runs.iter().map(|ran| ran.receipt).collect(),
    }
}

fn count(ids: &[&str], one: &str, many: &str) -> String {
    if ids.len() == 1 { format!("1 {one}") } else { format!("{} {many}", ids.len()) }
}

fn names(ids: &[&str]) -> String {
    let mut text = ids.iter().take(MOST_NAMED).copied().collect::<Vec<_>>().join(", ");
    if ids.len() > MOST_NAMED {
        text += &format!(" and {} more", ids.len() - MOST_NAMED);
    }
    text
}
