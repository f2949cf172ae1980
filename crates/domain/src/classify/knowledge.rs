//! Everything the classifier knows: the embedded data files, parsed once, and what a project adds to them.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use super::kinds::{self, Kind};
use super::lexicon::Lexicon;
use super::model::Model;
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

// Tests parse each shipped file, so the default is never what a user gets. If it were, all would be the strictest.
static SHIPPED: LazyLock<Knowledge> =
    LazyLock::new(|| Knowledge::read([LEXICON, RULES, KINDS, WEIGHTS]).unwrap_or_default());

/// What was read, unless it is nothing.
fn full<T>(empty: bool, read: T) -> Result<T, String> {
    if empty { Err("nothing in it".to_owned()) } else { Ok(read) }
}

impl Knowledge {
    /// The shipped knowledge.
    pub fn shipped() -> &'static Self {
        &SHIPPED
    }

    fn read([lexicon, rules, kinds, weights]: [&'static str; 4]) -> Result<Self, String> {
        let lexicon = Lexicon::parse(lexicon)
            .and_then(|lexicon| full(lexicon.classes.is_empty(), lexicon))
            .map_err(|e| format!("lexicon.txt: {e}"))?;
        let rules = rules::parse(rules)
            .and_then(|rules| full(rules.is_empty(), rules))
            .and_then(|rules| {
                rules.iter().try_for_each(|rule| rule.check(&lexicon)).map(|()| rules)
            })
            .map_err(|e| format!("rules.txt: {e}"))?;
        let kinds = kinds::parse(kinds)
            .and_then(|kinds| full(kinds.is_empty(), kinds))
            .map_err(|e| format!("kinds.txt: {e}"))?;
        let model = Model::shipped(weights).map_err(|e| format!("weights.tsv: {e}"))?;
        Ok(Self { lexicon, rules, kinds, model })
    }

    /// The same knowledge with other weights, for the trainer.
    pub fn with_model(&self, model: Model) -> Self {
        Self { model, ..self.clone() }
    }

    /// The same knowledge with what a project adds.
    pub fn with_extension(&self, extension: &Extension) -> Result<Self, ExtensionError> {
        let mut knowledge = self.clone();
        for (name, terms) in &extension.terms {
            let class = knowledge.lexicon.find_class(name).ok_or_else(|| {
                let known: Vec<&str> =
                    knowledge.lexicon.classes.iter().map(|c| c.name.as_str()).collect();
                ExtensionError(format!(
                    "no class of words is called {name:?}; there are {}",
                    known.join(", ")
                ))
            })?;
            for (at, term) in (1..).zip(terms) {
                knowledge
                    .lexicon
                    .add(term, class, at)
                    .map_err(|e| ExtensionError(format!("{name}: {e}")))?;
            }
        }
        for (at, line) in extension.rules.iter().enumerate() {
            let refused = |e| ExtensionError(format!("rules: {e}"));
            let rule = rules::parse_line(line, at + 1, true).map_err(refused)?;
            if let Some(rule) = rule {
                rule.check(&knowledge.lexicon).map_err(refused)?;
                knowledge.rules.push(rule);
            }
        }
        Ok(knowledge)
    }
}

#[cfg(test)]
mod tests {
    use super::{
        Extension, KINDS, Knowledge, LEXICON, Lexicon, Model, RULES, WEIGHTS, kinds, rules,
    };

    #[test]
    fn every_shipped_file_is_sound() {
        let lexicon = Lexicon::parse(LEXICON).unwrap();
        assert!(lexicon.classes.len() > 40);
        assert!(lexicon.check().unwrap() > 1_000);
        for class in &lexicon.classes {
            assert!(!class.name.is_empty() && !class.about.is_empty(), "{class:?}");
        }
        let rules = rules::parse(RULES).unwrap();
        assert!(rules.len() > 10);
        for rule in &rules {
            rule.check(&lexicon).unwrap();
        }
        assert!(kinds::parse(KINDS).unwrap().len() > 10);
        let model = Model::parse(WEIGHTS).unwrap();
        assert!(model.len() > 10_000);
        let names: Vec<&str> = WEIGHTS.lines().map(|l| l.split('\t').next().unwrap()).collect();
        assert!(names.is_sorted(), "{:?}", names.windows(2).find(|two| two[0] > two[1]));
        let knowledge = Knowledge::shipped();
        assert_eq!(knowledge.rules.len(), rules.len());
        assert_eq!(knowledge.lexicon.classes.len(), lexicon.classes.len());
    }

    /// A file that is cut or spoilt is refused with its name; none is read as empty.
    #[test]
    fn a_spoilt_file_is_named() {
        let sound = [LEXICON, RULES, KINDS, WEIGHTS];
        let cases = [
            (0, "", "lexicon.txt"),
            (0, "[data stored data\nen: x\n", "lexicon.txt: line 1"),
            (0, "en: x\n", "lexicon.txt: line 1"),
            (1, "", "rules.txt"),
            (1, "any:money tier STRICT\n", "rules.txt: line 1"),
            (1, "any:mony : tier STRICT | why\n", "rules.txt: line 1"),
            (2, "", "kinds.txt"),
            (2, "advisory EXEMPT\n", "kinds.txt: line 1"),
            (3, "", "weights.tsv"),
            (3, "w:x\t1\t2\n", "weights.tsv: there is no row (bias)"),
        ];
        for (at, text, said) in cases {
            let mut files = sound;
            files[at] = text;
            let why = Knowledge::read(files).unwrap_err();
            assert!(why.starts_with(said), "{said}: {why}");
        }
    }

    #[test]
    fn a_spoilt_table_is_named() {
        let row = "0\t".repeat(13);
        for (text, said) in [
            ("w:x\t1\t2\n".to_owned(), "line 1: too few weights"),
            (format!("w:x\t{row}0\nw:y\t{row}NaN\n"), "line 2: NaN is no weight"),
            (format!("w:x\t{row}ten\n"), "line 1: "),
        ] {
            let why = Model::parse(&text).unwrap_err();
            assert!(why.starts_with(said), "{said}: {why}");
        }
    }

    /// What a project adds is an error with its setting's name, never left out.
    #[test]
    fn a_spoilt_extension_is_named() {
        let cases = [
            (r#"{"terms": {"mony": ["x"]}}"#, "mony"),
            (r#"{"terms": {"money": [""]}}"#, "money: "),
            (r#"{"terms": {"money": ["x*"]}}"#, "money: "),
            (r#"{"rules": ["any:money"]}"#, "rules: line 1"),
            (
                r#"{"rules": ["any:money : tier STRICT | a", "any:x : tier STRICT | b"]}"#,
                "rules: line 2",
            ),
        ];
        for (json, said) in cases {
            let extension: Extension = serde_json::from_str(json).unwrap();
            let why = Knowledge::shipped().with_extension(&extension).unwrap_err().to_string();
            assert!(why.contains(said), "{said}: {why}");
        }
    }
}
