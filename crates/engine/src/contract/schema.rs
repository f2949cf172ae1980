//! The published shapes of contracts and results.

use countersign_domain::contract::{Results, TaskContract};
use serde_json::{Value, json};

/// The JSON Schema of a contract and of its results, under the names that a state file has for
/// them.
pub fn schema() -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Contracts and results",
        "type": "object",
        "properties": {
            "verificationContract": Value::from(schemars::schema_for!(TaskContract)),
            "verificationResults": Value::from(schemars::schema_for!(Results)),
        },
    })
}
