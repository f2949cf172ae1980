//! Amounts of money in the settings.

use std::borrow::Cow;

use countersign_domain::agent::Money;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// The most that a person can mean.
const MOST: f64 = 1_000_000.0;

/// An amount, written as a number of dollars.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dollars(pub Money);

impl Serialize for Dollars {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.0.dollars())
    }
}

impl<'de> Deserialize<'de> for Dollars {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged, expecting = "a number of dollars, from 0 to 1000000")]
        enum Number {
            Whole(i32),
            Other(f64),
        }
        let dollars = match Number::deserialize(deserializer)? {
            Number::Whole(whole) => whole.into(),
            Number::Other(other) => other,
        };
        let money = Money::from_dollars(dollars).filter(|_| dollars <= MOST);
        let wrong =
            || de::Error::custom(format!("{dollars} is no number of dollars from 0 to {MOST}"));
        money.map(Self).ok_or_else(wrong)
    }
}

impl JsonSchema for Dollars {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Dollars".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "number", "minimum": 0, "maximum": MOST })
    }
}
