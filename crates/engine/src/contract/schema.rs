//! The published shapes of contracts and results.

use countersign_domain::contract::{Comparison, Reassignment, Results, TaskContract};
use serde_json::{Value, json};

/// One published shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    Contract,
    Results,
    Reassignment,
    Comparison,
}

/// The JSON Schema of one shape.
pub fn schema_of(shape: Shape) -> Value {
    Value::from(match shape {
        Shape::Contract => schemars::schema_for!(TaskContract),
        Shape::Results => schemars::schema_for!(Results),
        Shape::Reassignment => schemars::schema_for!(Reassignment),
        Shape::Comparison => schemars::schema_for!(Comparison),
    })
}

/// The JSON Schema of a contract and of its results, under the names that a state file has for
/// them.
pub fn schema() -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Contracts and results",
        "type": "object",
        "properties": {
            "verificationContract": schema_of(Shape::Contract),
            "verificationResults": schema_of(Shape::Results),
        },
    })
}
