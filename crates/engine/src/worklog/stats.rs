//! Figures over all sessions: is everything on the record, does it hold, what does it cost.

use std::collections::BTreeMap;

use countersign_domain::worklog::Seen;
use countersign_domain::worklog::flags::Flag;
use serde::Serialize;

use super::account::Account;
use crate::Engine;
use crate::error::Result;

/// So many sessions are looked at; each may have to be read out of the archive.
const MOST: u32 = 1_000;

/// The figures.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Stats {
    pub sessions: u32,
    pub by_tier: BTreeMap<String, u32>,
    pub by_outcome: BTreeMap<String, u32>,
    /// Sessions whose record has holes.
    pub incomplete: u32,
    pub capture: Capture,
    pub verification: Rate,
    /// Summaries that asked for a change of course, and got it.
    pub corrections: Rate,
    /// Summaries that asked for one at all.
    pub adjustments: Rate,
    /// Sessions in which a person switched something off.
    pub skips: Rate,
    pub flags: BTreeMap<String, u32>,
    pub tokens: Tokens,
    /// Failures of ours.
    pub troubles: u32,
}

/// How much of what counts is on the record.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Capture {
    /// Operations that count, by the record and the transcripts.
    pub significant: u32,
    /// Those of them that reached the record as they happened. What an agent has no event for
    /// and its transcript told at the end of the turn counts; what a hook should have told and
    /// did not, doesn't.
    pub captured: u32,
    /// Those that only the transcript told of; they are on the record too.
    pub recovered: u32,
    pub rate: Option<f64>,
}

/// So many of so many.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Rate {
    pub of: u32,
    pub count: u32,
    pub rate: Option<f64>,
}

impl Rate {
    fn new(count: u32, of: u32) -> Self {
        let rate = (of > 0).then(|| f64::from(count) / f64::from(of));
        Self { of, count, rate }
    }
}

/// What was put into agents' contexts.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Tokens {
    pub all: u32,
    /// Per session.
    pub mean: Option<f64>,
    /// The most in one session, by tier.
    pub most: BTreeMap<String, u32>,
    /// Sessions over the bound of their tier.
    pub over: u32,
}

impl Engine {
    /// The figures over the newest sessions, those in the archive included.
    pub fn worklog_stats(&mut self) -> Result<Stats> {
        let mut stats = Stats::default();
        let mut sums = Sums::default();
        for row in self.sessions(MOST)? {
            // What retention has taken away counts no more.
            let Ok(mut session) = self.session(row.session) else { continue };
            self.look_after(&mut session)?;
            let significant = session.significant().count();
            let is_late = |seen: Seen| seen == Seen::Transcript;
            let late = session.significant().filter(|l| is_late(l.what.operation.seen)).count();
            stats.capture.significant += number(significant);
            stats.capture.captured += number(significant - late.min(session.missing as usize));
            stats.capture.recovered += number(late);
            stats.add(&Account::of(&session), &mut sums);
        }
        stats.finish(&sums);
        Ok(stats)
    }
}

#[derive(Default)]
struct Sums {
    verified: u32,
    passed: u32,
    summaries: u32,
    adjustments: u32,
    corrected: u32,
    skipping: u32,
}

impl Stats {
    fn add(&mut self, account: &Account, sums: &mut Sums) {
        self.sessions += 1;
        let tier = account.tier.to_string();
        *self.by_tier.entry(tier.clone()).or_default() += 1;
        let outcome = account.ended.as_ref().map_or("in_progress", |e| outcome_word(e.outcome));
        *self.by_outcome.entry(outcome.to_owned()).or_default() += 1;
        self.incomplete += u32::from(account.incomplete.is_some());
        self.troubles += account.troubles;
        for flag in &account.flags {
            *self.flags.entry(flag.clone()).or_default() += 1;
        }
        let skips = |name: &String| Flag::ALL.iter().any(|f| f.skips() && f.name() == name);
        sums.skipping += u32::from(account.flags.iter().any(skips));
        sums.verified += account.verified.passed + account.verified.failed;
        sums.passed += account.verified.passed;
        sums.summaries += account.totals.summaries;
        sums.adjustments += account.totals.adjustments;
        sums.corrected += account.totals.corrected;
        self.tokens.all += account.tokens;
        let most = self.tokens.most.entry(tier).or_default();
        *most = (*most).max(account.tokens);
        self.tokens.over += u32::from(account.tokens > account.max_tokens);
    }

    fn finish(&mut self, sums: &Sums) {
        let Capture { significant, captured, .. } = self.capture;
        self.capture.rate = Rate::new(captured, significant).rate;
        self.verification = Rate::new(sums.passed, sums.verified);
        self.adjustments = Rate::new(sums.adjustments, sums.summaries);
        self.corrections = Rate::new(sums.corrected, sums.adjustments);
        self.skips = Rate::new(sums.skipping, self.sessions);
        self.tokens.mean = Rate::new(self.tokens.all, self.sessions).rate;
    }
}

/// An outcome in one word.
pub fn outcome_word(outcome: countersign_domain::worklog::Outcome) -> &'static str {
    use countersign_domain::worklog::Outcome;
    match outcome {
        Outcome::Success => "success",
        Outcome::Failure => "failure",
        Outcome::Aborted => "aborted",
        Outcome::Abandoned => "abandoned",
    }
}

fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
