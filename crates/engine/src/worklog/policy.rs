//! The policy of a session: which operations are entries, where lists are checked, where the
//! gate stands. Resolved from settings once, and fixed for the session.

use std::collections::BTreeMap;

use countersign_domain::classify::{Label as _, Tier};
use countersign_domain::worklog::command::runner_of;
use countersign_domain::worklog::significance::Significance;
use countersign_domain::worklog::{Deed, Logged, Operation};

use super::bounds;
use crate::config::WorklogConfig;

/// A policy that makes sense.
#[derive(Debug, Clone)]
pub(crate) struct Policy {
    significance: Significance,
    test_commands: Vec<String>,
    gate: Vec<Tier>,
    pub(crate) gate_most: u32,
    verify: Vec<Tier>,
}

impl Policy {
    /// The policy behind the settings, or which of them makes no sense.
    pub(crate) fn resolve(config: &WorklogConfig) -> Result<Self, String> {
        let mut overrides = BTreeMap::new();
        for (tool, names) in &config.significance {
            let tiers = tiers(&format!("worklog.significance.{tool}"), names)?;
            overrides.insert(tool.clone(), tiers);
        }
        Ok(Self {
            significance: Significance::shipped().clone().with_overrides(&overrides),
            test_commands: config.test_commands.clone(),
            gate: tiers("worklog.gate", &config.gate)?,
            gate_most: config.gate_most,
            verify: tiers("worklog.verify", &config.verify)?,
        })
    }

    /// `operation` as it goes on the record: what it runs is found out, whether it counts, and
    /// what is too long to keep is shortened.
    pub(crate) fn log(&self, mut operation: Operation, tier: Tier) -> Logged {
        let mut exit_counts = false;
        if let Deed::Command { command, runner, .. } = &mut operation.deed {
            let found = runner_of(command, &self.test_commands);
            exit_counts = found.as_ref().is_some_and(|found| found.exit_counts);
            *runner = found.map(|found| found.name);
        }
        bounds::bound(&mut operation);
        let significant = self.significance.is_significant(&operation, tier);
        Logged { operation, significant, exit_counts, full: None, at: None }
    }

    pub(crate) fn gates(&self, tier: Tier) -> bool {
        self.gate_most > 0 && self.gate.contains(&tier)
    }

    pub(crate) fn verifies(&self, tier: Tier) -> bool {
        self.verify.contains(&tier)
    }
}

fn tiers(key: &str, names: &[String]) -> Result<Vec<Tier>, String> {
    let parse = |name: &String| {
        Tier::parse(name).ok_or_else(|| {
            format!("{key}: '{name}' is no tier (STRICT, STANDARD, LIGHT or EXEMPT)")
        })
    };
    names.iter().map(parse).collect()
}

/// Cuts `text` after at most `most` bytes, at a character, and says that it was cut.
pub(crate) fn shorten(text: &mut String, most: usize) {
    if text.len() <= most {
        return;
    }
    let end = (0..=most).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    text.truncate(end);
    text.push('…');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_policy_that_makes_no_sense_is_refused() {
        let mut config = WorklogConfig::default();
        assert!(Policy::resolve(&config).is_ok());
        config.significance.insert("Edit".into(), vec!["STRONG".into()]);
        let why = Policy::resolve(&config).unwrap_err();
        assert!(why.contains("worklog.significance.Edit") && why.contains("STRONG"), "{why}");
    }

    #[test]
    fn texts_are_cut_at_a_character() {
        let mut text = "aé€".to_owned();
        shorten(&mut text, 4);
        assert_eq!(text, "aé…");
        shorten(&mut text, 100);
        assert_eq!(text, "aé…");
    }
}
