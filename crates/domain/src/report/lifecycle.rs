//! Sections 5 and 6: what became of each criterion, and how the work kept to what was to be tested.

use serde::Serialize;

use super::text::short;
use super::{Iteration, Source, Trail};
use crate::run::Reason;

/// The most marks and names that are kept of one row.
const MOST: usize = 60;

/// Who says that a criterion is met.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum By {
    /// A command that we ran.
    Measured,
    /// A verifier.
    Judged,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Mark {
    pub iteration: u32,
    pub met: bool,
}

/// One criterion from iteration to iteration.
#[derive(Debug, Clone, Serialize)]
pub struct Life {
    pub leg: String,
    pub criterion: String,
    pub by: By,
    pub marks: Vec<Mark>,
    /// How often it was met and then wasn't.
    pub reopened: u64,
    /// As it was seen last; nothing if nobody looked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stands: Option<bool>,
}

impl Life {
    /// The iterations in which it was not met.
    pub(super) fn unmet(&self) -> Vec<u32> {
        self.marks.iter().filter(|mark| !mark.met).map(|mark| mark.iteration).collect()
    }
}

/// What a story's test-spec asked for, and what was seen of it.
#[derive(Debug, Clone, Serialize)]
pub struct Adherence {
    pub leg: String,
    /// Tests that the test-spec names.
    pub tests: u64,
    /// Of those, what was not seen to run and pass in the last examination.
    pub missing: Vec<String>,
    /// Of those, how many stand behind a command that told nothing but its exit code.
    pub unnamed: u64,
    /// How many of its rows say what their command must print.
    pub compared: u64,
    /// Of those, what was printed instead in the last examination.
    pub unexpected: Vec<String>,
    /// Commands that were to be run, with how often they were and passed.
    pub commands: Vec<Command>,
    /// Files outside of what the story may touch, in any iteration.
    pub out_of_scope: Vec<String>,
    /// How hard the last examination is to fool.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub level: Option<String>,
}

#[derive(Debug, Clone, Serialize)]
#[expect(clippy::struct_field_names, reason = "it is the command, as the report's JSON names it")]
pub struct Command {
    pub command: String,
    pub ran: u64,
    pub passed: u64,
}

pub(super) fn lives(source: &Source) -> Vec<Life> {
    let mut lives: Vec<Life> = Vec::new();
    for leg in source.legs() {
        for (trail, iteration) in source.of_leg(&leg) {
            // Where nobody looked, there is still a row: an open end is a finding of its own.
            for criterion in trail.criteria() {
                life(&mut lives, &leg, criterion, By::Judged);
            }
            for (criterion, met) in judged(trail, iteration) {
                life(&mut lives, &leg, &criterion, By::Judged).mark(iteration.number, met);
            }
            for (command, passed) in iteration.commands(&trail.opened) {
                life(&mut lives, &leg, command, By::Measured).mark(iteration.number, passed);
            }
        }
    }
    for life in &mut lives {
        life.stands = life.marks.last().map(|mark| mark.met);
        let falls = life.marks.windows(2).filter(|pair| pair[0].met && !pair[1].met);
        life.reopened = falls.count() as u64;
        let many = life.marks.len().saturating_sub(MOST);
        life.marks.drain(..many);
    }
    lives
}

fn life<'a>(lives: &'a mut Vec<Life>, leg: &str, criterion: &str, by: By) -> &'a mut Life {
    let criterion = short(criterion, 160);
    let known =
        lives.iter().position(|one| one.by == by && one.leg == leg && one.criterion == criterion);
    let at = known.unwrap_or_else(|| {
        let leg = leg.to_owned();
        lives.push(Life { leg, criterion, by, marks: Vec::new(), reopened: 0, stands: None });
        lives.len() - 1
    });
    &mut lives[at]
}

impl Life {
    /// One mark for an iteration: what anybody found unmet is unmet.
    fn mark(&mut self, iteration: u32, met: bool) {
        match self.marks.last_mut().filter(|mark| mark.iteration == iteration) {
            Some(mark) => mark.met &= met,
            None => self.marks.push(Mark { iteration, met }),
        }
    }
}

/// What verifiers said of criteria, and what they or the output of a command hold against them.
fn judged(trail: &Trail, iteration: &Iteration) -> Vec<(String, bool)> {
    let mut judged = Vec::new();
    let verdicts = iteration.judgings.iter().filter_map(|one| one.verified.as_ref()?.verdict());
    for verdict in verdicts {
        judged.extend(verdict.criteria.iter().map(|seen| (seen.criterion.clone(), seen.met)));
    }
    let known = |criterion: &str| trail.criteria().iter().any(|one| one == criterion);
    for reason in iteration.rulings.iter().flat_map(|ruling| &ruling.reasons) {
        match reason {
            Reason::Issue { criterion: Some(criterion), .. } if known(criterion) => {
                judged.push((criterion.clone(), false));
            }
            Reason::OtherOutput(unexpected) => {
                for row in &unexpected.rows {
                    // All stories together name it with its story.
                    let whole = format!("{} {}", row.story, row.criterion);
                    let names = [row.criterion.clone(), whole];
                    judged.extend(names.into_iter().find(|one| known(one)).map(|one| (one, false)));
                }
            }
            _ => {}
        }
    }
    judged
}

pub(super) fn adherence(source: &Source) -> Vec<Adherence> {
    source.legs().iter().filter_map(|leg| adherence_of(source, leg)).collect()
}

fn adherence_of(source: &Source, leg: &str) -> Option<Adherence> {
    let (trail, _) = source.of_leg(leg).last()?;
    let story = trail.opened.crew.as_ref().and_then(|crew| crew.story.as_ref());
    let mut commands: Vec<Command> = Vec::new();
    let mut out_of_scope: Vec<String> = Vec::new();
    let (mut missing, mut level, mut unnamed) = (None, None, 0);
    let mut unexpected: Vec<String> = Vec::new();
    for (trail, iteration) in source.of_leg(leg) {
        for (command, passed) in iteration.commands(&trail.opened) {
            let command = short(command, 160);
            let known = commands.iter().position(|one| one.command == command);
            let at = known.unwrap_or_else(|| {
                commands.push(Command { command, ran: 0, passed: 0 });
                commands.len() - 1
            });
            commands[at].ran += 1;
            commands[at].passed += u64::from(passed);
        }
        let Some(examined) = &iteration.examined else { continue };
        missing = Some(&examined.missing_tests);
        unnamed = examined.unnamed_tests.len() as u64;
        let told = examined.unexpected.iter().take(MOST);
        unexpected = told.map(|one| short(&one.to_string(), MOST)).collect();
        level = examined.level.map(|level| level.to_string());
        for path in &examined.out_of_scope {
            let path = short(path, 160);
            if !out_of_scope.contains(&path) && out_of_scope.len() < MOST {
                out_of_scope.push(path);
            }
        }
    }
    // What nobody looked for was not seen.
    let all = story.map(|story| &story.tests[..]).unwrap_or_default();
    let missing: Vec<String> = match missing {
        Some(missing) => missing.iter().take(MOST).map(|test| short(test, 160)).collect(),
        None => all.iter().take(MOST).map(|one| short(&one.test, 160)).collect(),
    };
    commands.truncate(MOST);
    let tests = all.len() as u64;
    let examples = trail.opened.crew.iter().flat_map(|crew| &crew.examples);
    let compared = examples.map(|one| one.rows.len() as u64).sum();
    let leg = leg.to_owned();
    Some(Adherence {
        leg,
        tests,
        missing,
        unnamed,
        compared,
        unexpected,
        commands,
        out_of_scope,
        level,
    })
}
