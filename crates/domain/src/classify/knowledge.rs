//! Everything the classifier knows: the embedded data files, parsed once, and what a project adds to them.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use super::lexicon::Lexicon;
use super::model::{self, Kind, Model};
use super::rules::{self, Rule};

const LEXICON: &str = include_str!("../../data/classify/lexicon.txt");
const RULES: &str = include_str!("../../data/classify/rules.txt");
const KINDS: &str = include_str!("../../data/classify/kinds.txt");
const WEIGHTS: &str = include_str!("../../data/classify/weights.tsv");

/// What a project adds in its configuration.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Extension {
    /// Terms by class of the lexicon: `money = ["tariff", "toll"]`. A term ending in `*` matches any ending.
    pub terms: BTreeMap<String, Vec<String>>,
    /// Further floors, in the form of `rules.txt`.
    pub rules: Vec<String>,
}

/// Why an extension was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ExtensionError(pub String);

/// What the classifier knows.
#[derive(Debug, Clone, Default)]
pub struct Knowledge {
    pub(crate) lexicon: Lexicon,
    pub(crate) rules: Vec<Rule>,
    pub(crate) kinds: Vec<Kind>,
    pub(crate) model: Model,
}

// A test parses the shipped files, so the default is never what a user gets.
static SHIPPED: LazyLock<Knowledge> =
    LazyLock::new(|| Knowledge::parse([LEXICON, RULES, KINDS, WEIGHTS]).unwrap_or_default());

impl Knowledge {
    /// The shipped knowledge.
    pub fn shipped() -> &'static Self {
        &SHIPPED
    }

    fn parse([lexicon, rules, kinds, weights]: [&str; 4]) -> Result<Self, String> {
        Ok(Self {
            lexicon: Lexicon::parse(lexicon).map_err(|e| format!("lexicon.txt: {e}"))?,
            rules: rules::parse(rules).map_err(|e| format!("rules.txt: {e}"))?,
            kinds: model::parse_kinds(kinds).map_err(|e| format!("kinds.txt: {e}"))?,
            model: Model::parse(weights).map_err(|e| format!("weights.tsv: {e}"))?,
        })
    }

    /// The same knowledge with other weights, for the trainer.
    pub fn with_model(&self, model: Model) -> Self {
        Self {
            model,
            ..self.clone()
        }
    }

    /// The same knowledge with what a project adds.
    pub fn with_extension(&self, extension: &Extension) -> Result<Self, ExtensionError> {
        let mut knowledge = self.clone();
        for (name, terms) in &extension.terms {
            let class = knowledge.lexicon.find_class(name).ok_or_else(|| {
                let known: Vec<&str> = knowledge
                    .lexicon
                    .classes
                    .iter()
                    .map(|c| c.name.as_str())
                    .collect();
                ExtensionError(format!(
                    "no class of words is called {name:?}; there are {}",
                    known.join(", ")
                ))
            })?;
            for (at, term) in (1..).zip(terms) {
                knowledge
                    .lexicon
                    .add(term, class, at, (true, true))
                    .map_err(|e| ExtensionError(format!("{name}: {e}")))?;
            }
        }
        for (at, line) in extension.rules.iter().enumerate() {
            let rule = rules::parse_line(line, at + 1, true)
                .map_err(|e| ExtensionError(format!("rules: {e}")))?;
            knowledge.rules.extend(rule);
        }
        Ok(knowledge)
    }
}

#[cfg(test)]
mod tests {
    use super::{KINDS, Knowledge, LEXICON, RULES, WEIGHTS};

    #[test]
    fn shipped_files_are_sound() {
        let knowledge = Knowledge::parse([LEXICON, RULES, KINDS, WEIGHTS]).unwrap();
        assert!(knowledge.lexicon.classes.len() > 40);
        assert!(knowledge.rules.len() > 5);
    }
}
