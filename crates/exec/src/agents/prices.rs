//! What tokens cost, by the list: for agents that tell no cost, and while one is at work.

use std::collections::BTreeMap;

use countersign_domain::agent::{Money, Usage};
use toml_edit::{DocumentMut, Item};

/// The shipped list.
const SHIPPED: &str = include_str!("../../data/prices.toml");

/// What one model costs, for a million tokens each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Price {
    pub input: Money,
    /// Read from a cache.
    pub cached: Money,
    /// Written to a cache.
    pub cache_write: Money,
    pub output: Money,
}

impl Price {
    /// What `usage` costs.
    pub fn of(&self, usage: &Usage) -> Money {
        let aside = usage.cached_tokens.saturating_add(usage.cache_write_tokens);
        let parts = [
            (usage.input_tokens.saturating_sub(aside), self.input),
            (usage.cached_tokens, self.cached),
            (usage.cache_write_tokens, self.cache_write),
            (usage.output_tokens, self.output),
        ];
        let sum: u128 =
            parts.iter().map(|(count, price)| u128::from(*count) * u128::from(price.0)).sum();
        Money(u64::try_from(sum.div_ceil(1_000_000)).unwrap_or(u64::MAX))
    }
}

/// A list of prices by model.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Prices(BTreeMap<String, Price>);

impl Prices {
    /// The list that comes with the program. It is known to be well-formed, by a test.
    pub fn shipped() -> Self {
        Self::parse(SHIPPED).unwrap_or_default()
    }

    /// A list in the form of `data/prices.toml`; an error says which model is wrong, and how.
    pub fn parse(text: &str) -> Result<Self, String> {
        let document: DocumentMut =
            text.parse().map_err(|error: toml_edit::TomlError| error.message().to_owned())?;
        document
            .iter()
            .map(|(model, row)| Ok((model.to_owned(), price(model, row)?)))
            .collect::<Result<_, _>>()
            .map(Self)
    }

    /// The same list with the prices of `others` in the place of its own.
    #[must_use]
    pub fn with(mut self, others: Self) -> Self {
        self.0.extend(others.0);
        self
    }

    /// Gives a model a price.
    pub fn set(&mut self, model: impl Into<String>, price: Price) {
        self.0.insert(model.into(), price);
    }

    /// What a model costs, as agents and providers name it; nothing if that isn't known.
    pub fn of(&self, model: &str) -> Option<Price> {
        let model = model.to_ascii_lowercase();
        if let Some(price) = self.0.get(&model) {
            return Some(*price);
        }
        // `openrouter/anthropic/claude-…`, `us.anthropic.claude-…-v1:0`.
        let name = model.rsplit('/').next().unwrap_or_default();
        let name = name.rsplit_once("anthropic.").map_or(name, |(_, name)| name);
        let known = self.0.iter().filter(|(known, _)| {
            name.strip_prefix(known.as_str()).is_some_and(says_no_other_model)
        });
        known.max_by_key(|(known, _)| known.len()).map(|(_, price)| *price)
    }

    /// What `usage` of a model costs.
    pub fn cost(&self, model: &str, usage: &Usage) -> Option<Money> {
        self.of(model).map(|price| price.of(usage))
    }
}

/// Whether what comes after a known name is a date or a version of the same model, and not the
/// name of a smaller or larger one.
fn says_no_other_model(rest: &str) -> bool {
    let rest = rest.strip_suffix("[1m]").unwrap_or(rest);
    let is_number = |word: &str| word.chars().all(|c| c.is_ascii_digit());
    let is_version = |word: &str| {
        let digits = word.strip_prefix('v').unwrap_or(word);
        is_number(digits) && (word.len() != digits.len() || digits.len() != 1)
    };
    let is_known = |word: &str| matches!(word, "latest" | "preview" | "customtools" | "thinking");
    if rest.is_empty() {
        return true;
    }
    if !rest.starts_with(['-', '@', ':']) {
        return false;
    }
    let mut words = rest[1..].split(['-', '@', ':']);
    // A single digit is a version of the model: `claude-opus-5-5`; only after `v1` it is not.
    let first = words.next().unwrap_or_default();
    let goes_on = |word: &str| is_number(word) || is_version(word) || is_known(word);
    (is_version(first) || is_known(first)) && words.all(goes_on)
}

fn price(model: &str, row: &Item) -> Result<Price, String> {
    let table = row.as_table_like().ok_or_else(|| format!("'{model}' has no prices"))?;
    let names = ["input", "cached", "cache_write", "output"];
    if let Some((other, _)) = table.iter().find(|(name, _)| !names.contains(name)) {
        return Err(format!("'{model}' has no price '{other}', but {}", names.join(", ")));
    }
    let amount = |name: &str| -> Result<Option<Money>, String> {
        let Some(value) = table.get(name) else { return Ok(None) };
        #[expect(clippy::cast_precision_loss, reason = "prices are small numbers")]
        let number = value.as_float().or_else(|| value.as_integer().map(|whole| whole as f64));
        let wrong = || format!("'{model}': '{name}' is no amount of dollars");
        number.and_then(Money::from_dollars).map(Some).ok_or_else(wrong)
    };
    let needed = |name: &str| amount(name)?.ok_or_else(|| format!("'{model}' needs '{name}'"));
    let input = needed("input")?;
    Ok(Price {
        input,
        cached: amount("cached")?.unwrap_or(input),
        cache_write: amount("cache_write")?.unwrap_or(input),
        output: needed("output")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// LP-18: an unknown model has no price, and never that of a similar one.
    #[test]
    fn models_are_found_by_their_names() {
        let prices = Prices::shipped();
        let dollars = |model: &str| prices.of(model).map(|price| price.input.dollars());
        assert_eq!(dollars("gpt-5"), Some(1.25));
        assert_eq!(dollars("gpt-5-2025-08-07"), Some(1.25));
        assert_eq!(dollars("openai/gpt-5.5"), Some(5.0));
        assert_eq!(dollars("GPT-5.4"), Some(2.5));
        assert_eq!(dollars("claude-opus-5-5"), Some(4.0));
        assert_eq!(dollars("claude-opus-5"), Some(5.0));
        assert_eq!(dollars("claude-sonnet-4-5-20250929"), Some(3.0));
        assert_eq!(dollars("claude-sonnet-4-20250514"), Some(3.0));
        assert_eq!(dollars("claude-sonnet-4-5[1m]"), Some(3.0));
        assert_eq!(dollars("us.anthropic.claude-haiku-4-5-20251001-v1:0"), Some(1.0));
        assert_eq!(dollars("gemini-3.1-pro-preview"), Some(2.0));
        assert_eq!(dollars("gemini-3.1-pro-preview-customtools"), Some(2.0));
        for unknown in [
            "",
            "gpt",
            "gpt-5-pro",
            "gpt-5.9",
            "gpt-5x",
            "claude-opus-4",
            "scripted",
            "claude-opus-5-7",
            "claude-opus-5-fast",
        ] {
            assert_eq!(dollars(unknown), None, "{unknown}");
        }
    }

    /// LP-18: what is cached and written to a cache is part of the input, at its own price.
    #[test]
    fn every_token_is_paid_once() {
        let usage = Usage {
            input_tokens: 5050,
            cached_tokens: 3100,
            cache_write_tokens: 300,
            output_tokens: 110,
            ..Usage::default()
        };
        let cost = Prices::shipped().cost("claude-opus-5-5", &usage);
        assert_eq!(cost, Money::from_dollars(0.01092));
        let most = Usage { input_tokens: u64::MAX, output_tokens: u64::MAX, ..usage };
        assert_eq!(Prices::shipped().cost("claude-opus-5-5", &most), Some(Money(u64::MAX)));
    }

    /// LP-18: a user's list stands above the shipped one, and is refused with a reason.
    #[test]
    fn a_users_prices_count() {
        let own = Prices::parse("[mine]\ninput = 1\noutput = 2.5\n").unwrap();
        let prices = Prices::shipped().with(own);
        assert_eq!(prices.of("mine").unwrap().cached, Money(1_000_000));
        assert!(prices.of("gpt-5.5").is_some());
        let refused = |text: &str| Prices::parse(text).unwrap_err();
        assert_eq!(refused("[m]\ninput = 1\n"), "'m' needs 'output'");
        assert_eq!(
            refused("[m]\ninput = -1\noutput = 1\n"),
            "'m': 'input' is no amount of dollars"
        );
        assert_eq!(refused("m = 1\n"), "'m' has no prices");
        assert!(refused("[m]\ninputs = 1\n").starts_with("'m' has no price 'inputs'"));
        assert!(Prices::parse(SHIPPED).unwrap().0.len() > 30);
    }
}
