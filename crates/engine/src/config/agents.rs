//! The settings of agents: who works and who judges, with what, and what tokens cost.

use std::collections::BTreeMap;

use countersign_domain::agent::{AgentSpec, Money, Role};
use countersign_exec::agents::{Permissions, Price, Prices};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::dollars::Dollars;

/// Who works, who judges, and what it costs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AgentsConfig {
    pub worker: RoleConfig,
    pub verifier: RoleConfig,
    pub reviewer: RoleConfig,
    /// Prices in US dollars for a million tokens, by model.
    #[serde(default)]
    #[schemars(with = "BTreeMap<String, BTreeMap<String, f64>>")]
    pub prices: BTreeMap<String, Dollars>,
}

/// The agent of one role.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RoleConfig {
    /// Such as `claude`, `codex:gpt-5.5@high` or `command:make fix`; none if empty.
    pub agent: String,
    /// The model, if the agent's name has none.
    pub model: String,
    /// Further arguments for it.
    pub args: Vec<String>,
    /// Environment variables that it gets besides those that all workers or checks get.
    pub env: Vec<String>,
    /// What it may do without asking.
    pub permissions: AgentPermissions,
}

/// What an agent may do without asking.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AgentPermissions {
    ReadOnly,
    Edit,
    Full,
}

impl From<AgentPermissions> for Permissions {
    fn from(permissions: AgentPermissions) -> Self {
        match permissions {
            AgentPermissions::ReadOnly => Self::ReadOnly,
            AgentPermissions::Edit => Self::Edit,
            AgentPermissions::Full => Self::Full,
        }
    }
}

impl AgentsConfig {
    pub fn role(&self, role: Role) -> &RoleConfig {
        match role {
            Role::Worker => &self.worker,
            Role::Verifier => &self.verifier,
            Role::Reviewer => &self.reviewer,
        }
    }

    /// The shipped prices with the user's over them.
    pub fn prices(&self) -> Result<Prices, String> {
        let mut rows: BTreeMap<&str, BTreeMap<&str, Money>> = BTreeMap::new();
        for (key, Dollars(price)) in &self.prices {
            // A model's name may have dots of its own.
            let (model, part) = key.rsplit_once('.').unwrap_or((key, ""));
            if !["input", "cached", "cache_write", "output"].contains(&part) {
                return Err(format!(
                    "'{model}' has prices for input, cached, cache_write and output, not for '{part}'"
                ));
            }
            rows.entry(model).or_default().insert(part, *price);
        }
        let mut prices = Prices::shipped();
        for (model, row) in rows {
            let needed = |part| {
                row.get(part)
                    .copied()
                    .ok_or_else(|| format!("the prices of '{model}' lack '{part}'"))
            };
            let (input, output) = (needed("input")?, needed("output")?);
            let or_input = |part| row.get(part).copied().unwrap_or(input);
            let (cached, cache_write) = (or_input("cached"), or_input("cache_write"));
            prices.set(model.to_lowercase(), Price { input, cached, cache_write, output });
        }
        Ok(prices)
    }

    /// What is wrong with the agents' names.
    pub(super) fn check(&self) -> Result<(), String> {
        for role in [Role::Worker, Role::Verifier, Role::Reviewer] {
            self.role(role).spec()?;
        }
        Ok(())
    }
}

impl RoleConfig {
    /// The agent, with the model that stands beside it; nothing if none is set.
    pub fn spec(&self) -> Result<Option<AgentSpec>, String> {
        let name = self.agent.trim();
        if name.is_empty() {
            return Ok(None);
        }
        let told =
            |error: &countersign_domain::agent::Unnamed| format!("{error}; {}", error.hint());
        let mut spec: AgentSpec = name.parse().map_err(|error| told(&error))?;
        let model = self.model.trim();
        if spec.model.is_none() && !model.is_empty() && !spec.kind.takes_command() {
            spec.model = Some(model.to_owned());
        }
        Ok(Some(spec))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn role(agent: &str, model: &str) -> RoleConfig {
        RoleConfig {
            agent: agent.into(),
            model: model.into(),
            args: Vec::new(),
            env: Vec::new(),
            permissions: AgentPermissions::Edit,
        }
    }

    /// LP-18: a model beside an agent counts unless the agent's name has one.
    #[test]
    fn a_model_may_stand_beside() {
        let named = |agent: &str, model: &str| {
            role(agent, model).spec().unwrap().map(|spec| spec.to_string())
        };
        assert_eq!(named("", "x"), None);
        assert_eq!(named("claude@high", "opus").as_deref(), Some("claude:opus@high"));
        assert_eq!(named("claude:sonnet", "opus").as_deref(), Some("claude:sonnet"));
        assert_eq!(named("command:make", "opus").as_deref(), Some("command:make"));
        assert!(role("cluade", "").spec().unwrap_err().contains("there is no agent 'cluade'"));
    }

    /// LP-18: a user's prices stand over the shipped ones, and half of one is refused.
    #[test]
    fn prices_are_whole() {
        let config = |prices: &[(&str, f64)]| AgentsConfig {
            worker: role("", ""),
            verifier: role("", ""),
            reviewer: role("", ""),
            prices: prices
                .iter()
                .map(|(key, price)| {
                    ((*key).to_owned(), Dollars(Money::from_dollars(*price).unwrap()))
                })
                .collect(),
        };
        let prices = config(&[("my-1.5.input", 2.0), ("my-1.5.output", 8.0)]).prices().unwrap();
        let price = prices.of("my-1.5").unwrap();
        assert_eq!((price.cached.dollars(), price.output.dollars()), (2.0, 8.0));
        assert!(prices.of("gpt-5.5").is_some());
        assert!(config(&[("m.input", 2.0)]).prices().unwrap_err().contains("lack 'output'"));
        assert!(config(&[("m.inputs", 2.0)]).prices().is_err());
        assert!(serde_json::from_str::<Dollars>("-1.0").is_err());
    }
}
