//! The ids of the rules. What they mean is in the data.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::asked::{self, Words};
use super::finding::Severity;
use super::knowledge::{self, Entry};

macro_rules! rules {
    ($($id:ident)*) => {
        /// A rule of gaming, by its id. Ids are stored: they are added to, and never change.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Rule {
            $(#[doc = concat!("`", stringify!($id), "` of the data file.")] $id,)*
        }

        impl Rule {
            /// Every rule, in the order of ids.
            pub const ALL: &'static [Self] = &[$(Self::$id),*];

            /// As it is stored and shown: `G01`.
            pub fn id(self) -> &'static str {
                match self {
                    $(Self::$id => stringify!($id),)*
                }
            }
        }
    };
}

rules! {
    G01 G02 G03 G04 G05 G06 G07 G08
    G10 G11 G12 G13 G14 G15 G16 G17 G18
    G20 G21 G22 G23 G24 G25 G26 G27 G28 G29
    G40 G41 G42 G43 G44 G45 G46 G47 G48 G49 G50
    G60 G61 G62 G63 G64 G65 G66 G67
}

impl Rule {
    fn entry(self) -> &'static Entry {
        knowledge::entry(self)
    }

    /// A few words.
    pub fn title(self) -> &'static str {
        self.entry().title
    }

    /// What happens, and how it shows.
    pub fn explanation(self) -> &'static str {
        self.entry().is
    }

    /// Honest work that looks the same.
    pub fn look_alikes(self) -> &'static str {
        self.entry().like
    }

    /// What whoever did it should do now.
    pub fn advice(self) -> &'static str {
        self.entry().advice
    }

    /// How grave a finding from text or structure is, unless text alone proves it.
    pub fn severity(self) -> Severity {
        self.entry().severity
    }

    /// Why it is no graver.
    pub fn reason(self) -> &'static str {
        self.entry().reason
    }

    /// What text alone proves. Without it, no text blocks by this rule.
    pub fn proof(self) -> Option<&'static str> {
        self.entry().proof
    }

    /// The clause of a task that asks for what this rule finds, if one does. `names` are the names
    /// of files and tests that the finding is about.
    pub fn asked_for<'t>(self, task: &'t str, names: &[&str]) -> Option<&'t str> {
        asked::clause(task, self.entry().asked, names)
    }

    /// The same, where something else must hold of the clause, too.
    pub fn asked_where<'t>(
        self,
        task: &'t str,
        names: &[&str],
        is_meant: &dyn Fn(&str) -> bool,
    ) -> Option<&'t str> {
        Words::of(task).clause_where(self.entry().asked, names, is_meant)
    }

    /// Whether a task asks for what the rule finds by more than one word.
    pub fn is_asked_in_detail(self) -> bool {
        let groups = self.entry().asked.unwrap_or_default().split('+');
        groups.filter(|group| !group.trim().is_empty()).count() > 1
    }

    /// The same for many findings of one task, which is read once.
    pub fn asked_in<'t>(self, task: &Words<'t>, names: &[&str]) -> Option<&'t str> {
        task.clause(self.entry().asked, names)
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.id())
    }
}

/// Said of an id that no rule has.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no rule '{0}'; rules are named G01 to G67")]
pub struct UnknownRule(String);

impl FromStr for Rule {
    type Err = UnknownRule;

    fn from_str(text: &str) -> Result<Self, UnknownRule> {
        let found = Self::ALL.iter().find(|rule| rule.id().eq_ignore_ascii_case(text.trim()));
        found.copied().ok_or_else(|| UnknownRule(text.to_owned()))
    }
}

impl JsonSchema for Rule {
    fn schema_name() -> Cow<'static, str> {
        "Rule".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A rule of gaming, by its id. Ids are added to, and never change.",
            "type": "string",
            "pattern": "^G[0-9]{2}$",
        })
    }
}

impl Serialize for Rule {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        out.serialize_str(self.id())
    }
}

impl<'de> Deserialize<'de> for Rule {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = String::deserialize(from)?;
        text.parse().map_err(de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every rule has all of its words, in the order of the enum.
    #[test]
    fn every_rule_is_explained() {
        for rule in Rule::ALL {
            for (name, text) in [
                ("title", rule.title()),
                ("is", rule.explanation()),
                ("like", rule.look_alikes()),
                ("do", rule.advice()),
                ("level", rule.reason()),
            ] {
                assert!(text.len() > 5 || text == "A stub", "{rule} has no '{name}': {text:?}");
            }
            assert_ne!(rule.severity(), Severity::Block, "{rule}: blocking needs a proof");
        }
    }

    /// Stored ids never change.
    #[test]
    fn ids_are_stored_as_they_are_written() {
        assert_eq!(serde_json::to_string(&Rule::G01).unwrap(), "\"G01\"");
        for rule in Rule::ALL {
            let stored = serde_json::to_string(rule).unwrap();
            assert_eq!(serde_json::from_str::<Rule>(&stored).unwrap(), *rule);
        }
        let wrong = serde_json::from_str::<Rule>("\"G99\"").unwrap_err();
        assert!(wrong.to_string().contains("G99"), "{wrong}");
        assert_eq!("g43".parse(), Ok(Rule::G43));
    }
}
