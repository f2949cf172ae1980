//! The published shapes of contracts and results.

use countersign_domain::contract::{Comparison, Reassignment, Results, TaskContract};
use schemars::generate::SchemaSettings;
use serde_json::{Value, json};

use crate::verify::Verification;

/// One published shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    Contract,
    Results,
    Reassignment,
    Comparison,
    /// What `verify --format json` says.
    Verification,
}

/// The JSON Schema of one shape.
pub fn schema_of(shape: Shape) -> Value {
    Value::from(match shape {
        Shape::Contract => schemars::schema_for!(TaskContract),
        Shape::Results => schemars::schema_for!(Results),
        Shape::Reassignment => schemars::schema_for!(Reassignment),
        Shape::Comparison => schemars::schema_for!(Comparison),
        Shape::Verification => SchemaSettings::default()
            .for_serialize()
            .into_generator()
            .into_root_schema_for::<Verification>(),
    })
}

/// The JSON Schema of a contract and of its results, under the names that a state file has for
/// them.
pub fn schema() -> Value {
    let mut all = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Contracts and results",
        "type": "object",
        "properties": {},
        "required": ["verificationContract"],
        "$defs": {},
    });
    let shapes =
        [("verificationContract", Shape::Contract), ("verificationResults", Shape::Results)];
    for (name, shape) in shapes {
        let mut part = schema_of(shape);
        // References begin at the root, so what they name has to be there.
        let defined = part.as_object_mut().and_then(|part| {
            part.remove("$schema");
            part.remove("$defs")
        });
        if let Some(Value::Object(defined)) = defined {
            for (name, one) in defined {
                all["$defs"][name] = one;
            }
        }
        all["properties"][name] = part;
    }
    all
}
