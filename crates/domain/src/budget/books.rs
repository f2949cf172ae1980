//! What may still be spent, by all that is on the record.

use std::collections::BTreeSet;

use super::{
    Amount, Caps, Day, End, Entry, Left, Limit, OverBudget, Raised, ReservationId, RunCaps, Scope,
    Sums, Unit,
};
use crate::agent::Money;
use crate::checkpoint::CheckpointId;
use crate::stamp::Stamp;

/// What somebody wants to start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Want {
    pub id: ReservationId,
    /// The most that it needs; what is absent is as much as the caps leave.
    pub most: Limit,
    /// With less than this it is not worth a start.
    pub least: Amount,
}

impl Want {
    /// Less than one call of a model costs: who starts with it is stopped at once.
    const LEAST: Amount = Amount { money: Money(10_000), tokens: 1_000 };

    /// A start that takes whatever the caps leave.
    pub fn of(id: ReservationId) -> Self {
        Self { id, most: Limit::default(), least: Self::LEAST }
    }
}

/// What a start may spend at most.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Granted {
    pub limit: Limit,
    /// Whether it was reserved before: somebody died in between.
    pub is_known: bool,
    /// Whether the run's caps are yet to be fixed.
    pub is_first: bool,
}

/// The days that a run and all that share its cap have spent on, today among them, and the caps in
/// force.
#[derive(Debug, Clone)]
pub struct Books {
    pub today: Day,
    /// Other days on which any of them has anything.
    pub others: Vec<Day>,
    /// As the settings have them.
    pub caps: Caps,
}

impl Books {
    fn days(&self) -> impl Iterator<Item = &Day> {
        self.others.iter().chain([&self.today])
    }

    /// The reservation `id`, and the day that it is of.
    pub fn find(&self, id: &ReservationId) -> Option<(&Day, &Entry)> {
        self.days().find_map(|day| Some((day, day.entries.get(id)?)))
    }

    /// The caps of `run` as they were fixed, if they were.
    pub fn fixed(&self, run: Stamp) -> Option<RunCaps> {
        let mut days: Vec<&Day> = self.days().collect();
        days.sort_by_key(|day| day.date);
        days.into_iter().find_map(|day| day.fixed.get(&run).copied())
    }

    /// The runs that share the cap of `run`, itself among them.
    fn peers(&self, run: Stamp) -> BTreeSet<Stamp> {
        let purse = self.fixed(run).and_then(|caps| caps.purse);
        let all = self.days().flat_map(|day| &day.fixed);
        let shares = all.filter(|(_, caps)| purse.is_some() && caps.purse == purse);
        shares.map(|(peer, _)| *peer).chain([run]).collect()
    }

    /// What `run` and all that share its cap have spent and reserved, on all days.
    pub fn shared_sums(&self, run: Stamp) -> Sums {
        let peers = self.peers(run);
        self.sums_where(|id| peers.contains(&id.run))
    }

    /// The raise that follows from the answer to `checkpoint`, if there was one.
    pub fn raised_by(&self, checkpoint: CheckpointId) -> Option<Raised> {
        let all = self.days().flat_map(|day| &day.raised);
        all.copied().find(|raised| raised.checkpoint == checkpoint)
    }

    /// The cap of `scope` for `run` and one of its attempts, with all that was raised.
    pub fn cap(&self, scope: Scope, run: Stamp, attempt: u32) -> Limit {
        let of_run = self.fixed(run).unwrap_or(self.caps.of_run);
        let all = || self.days().flat_map(|day| &day.raised).filter(|it| it.scope == scope);
        match scope {
            Scope::Attempt => {
                // What an attempt was ended at is what the next one needs more of.
                let here = all().filter(|it| it.run == run && it.attempt <= attempt);
                of_run.attempt.raised(here.map(|it| it.by).sum())
            }
            Scope::Run => {
                let peers = self.peers(run);
                of_run.run.raised(all().filter(|it| peers.contains(&it.run)).map(|it| it.by).sum())
            }
            Scope::Day => {
                let today = self.today.raised.iter().filter(|it| it.scope == scope);
                self.caps.day.raised(today.map(|it| it.by).sum())
            }
        }
    }

    /// What `run` has spent and reserved, on all days.
    pub fn run_sums(&self, run: Stamp) -> Sums {
        self.sums_where(|id| id.run == run)
    }

    fn sums_where(&self, is_meant: impl Fn(&ReservationId) -> bool) -> Sums {
        let mut sums = Sums::default();
        for day in self.days() {
            for (_, entry) in day.entries.iter().filter(|(id, _)| is_meant(id)) {
                sums.add(entry);
            }
        }
        sums
    }

    fn sums(&self, scope: Scope, id: &ReservationId) -> Sums {
        match scope {
            Scope::Attempt => self.sums_where(|other| {
                (other.run, other.attempt, other.role) == (id.run, id.attempt, id.role)
            }),
            Scope::Run => self.shared_sums(id.run),
            Scope::Day => self.today.sums(|_| true),
        }
    }

    /// What is left of every cap for a start `id`, the widest cap first.
    pub fn left(&self, id: &ReservationId) -> Vec<Left> {
        let mut all = Vec::new();
        for scope in [Scope::Day, Scope::Run, Scope::Attempt] {
            let Limit { money, tokens } = self.cap(scope, id.run, id.attempt);
            let Sums { spent, reserved, .. } = self.sums(scope, id);
            all.extend(money.map(|cap| {
                Left::new((scope, Unit::Money), cap.0, spent.money.0, reserved.money.0)
            }));
            all.extend(
                tokens.map(|cap| {
                    Left::new((scope, Unit::Tokens), cap, spent.tokens, reserved.tokens)
                }),
            );
        }
        all
    }

    /// What a start may spend at most: the least of what is left of the caps, and of what it wants.
    pub fn grant(&self, want: &Want) -> Result<Granted, OverBudget> {
        let Want { id, most, least } = want;
        let is_first = self.fixed(id.run).is_none();
        if let Some((_, Entry { limit, .. })) = self.find(id) {
            return Ok(Granted { limit: *limit, is_known: true, is_first });
        }
        let left = self.left(id);
        let bound = |unit: Unit, wanted: Option<u64>, least: u64| {
            let least = least.max(1);
            let rest = left.iter().filter(|one| one.unit == unit).min_by_key(|one| one.left);
            match rest {
                Some(rest) if rest.left < least => {
                    let (run, attempt) = (id.run, id.attempt);
                    let day = self.today.date;
                    let purse = self.fixed(run).and_then(|caps| caps.purse);
                    Err(OverBudget { run, attempt, day, purse, left: *rest, least })
                }
                Some(rest) => Ok(Some(wanted.map_or(rest.left, |most| most.min(rest.left)))),
                None => Ok(wanted),
            }
        };
        let money = bound(Unit::Money, most.money.map(|money| money.0), least.money.0)?;
        let tokens = bound(Unit::Tokens, most.tokens, least.tokens)?;
        let limit = Limit { money: money.map(Money), tokens };
        Ok(Granted { limit, is_known: false, is_first })
    }

    /// How the reservation `id` ended, if it did.
    pub fn end(&self, id: &ReservationId) -> Option<&End> {
        self.find(id).and_then(|(_, entry)| entry.end.as_ref())
    }
}

#[cfg(test)]
#[path = "books_tests.rs"]
mod tests;
