//! How an enum of events is kept in the ledger: its tag becomes the event's kind behind a prefix
//! of its own, and what the variant holds becomes the body, in canonical form.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Error, Value, json};

use crate::canonical;

/// An enum whose variants are the events of one sort of stream. It is serialised with its tag in
/// `kind` and the rest in `body`: `#[serde(tag = "kind", content = "body")]`.
pub trait Stored: Serialize + DeserializeOwned {
    /// What the kinds of these events begin with, such as `run.`.
    const PREFIX: &'static str;
    /// The version of the bodies' shape.
    const FORMAT: u32 = 1;

    /// The ledger's kind and canonical body of this event.
    fn encode(&self) -> Result<(String, String), Error> {
        let value = serde_json::to_value(self)?;
        let kind = value["kind"].as_str().unwrap_or_default();
        Ok((format!("{}{kind}", Self::PREFIX), canonical::to_string(&value["body"])?))
    }

    /// The event behind a ledger kind and body.
    fn decode(kind: &str, body: &str) -> Result<Self, Error> {
        let kind = kind.strip_prefix(Self::PREFIX).unwrap_or(kind);
        let body: Value = serde_json::from_str(body)?;
        serde_json::from_value(json!({ "kind": kind, "body": body }))
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    #[serde(tag = "kind", content = "body", rename_all = "snake_case")]
    enum Weather {
        Rained { mm: u32, at: String },
        ClearedUp,
        Measured(Vec<i32>),
    }

    impl Stored for Weather {
        const PREFIX: &'static str = "weather.";
    }

    /// PL-01: tag and body apart, keys in order, and back again.
    #[test]
    fn an_event_is_a_kind_and_a_body() {
        let check = |event: Weather, kind: &str, body: &str| {
            assert_eq!(event.encode().unwrap(), (kind.to_owned(), body.to_owned()));
            assert_eq!(Weather::decode(kind, body).unwrap(), event);
        };
        let rained = Weather::Rained { mm: 3, at: "noon".into() };
        check(rained, "weather.rained", r#"{"at":"noon","mm":3}"#);
        check(Weather::ClearedUp, "weather.cleared_up", "null");
        check(Weather::Measured(vec![2, 1]), "weather.measured", "[2,1]");
    }

    /// PL-01: what nobody wrote is an error, never another event.
    #[test]
    fn what_is_unknown_is_refused() {
        for (kind, body) in [
            ("weather.snowed", "{}"),
            ("run.rained", r#"{"at":"noon","mm":3}"#),
            ("weather.weather.rained", r#"{"at":"noon","mm":3}"#),
            ("weather.rained", "{}"),
            ("weather.rained", "{"),
            ("weather.rained", ""),
            ("", "null"),
        ] {
            assert!(Weather::decode(kind, body).is_err(), "{kind} {body}");
        }
    }
}
