//! What a worker says it did, step by step.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

use super::types::{alike, words};
use crate::mistake::suggestion;

words! {
    /// A kind of step in a claim.
    StepKind "kind of step" {
        Plan = "plan",
        WriteTest = "write_test" | "test",
        VerifyRed = "verify_red" | "red",
        Implement = "implement" | "implementation",
        VerifyGreen = "verify_green" | "green",
        Refactor = "refactor",
        VerifyE2e = "verify_e2e" | "e2e",
        VerifyExisting = "verify_existing",
        Commit = "commit",
        Verify = "verify",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// LP-10, D1.5: several spellings of a step are read, and one is written.
    #[test]
    fn steps_are_read_in_several_spellings() {
        for text in ["verify_red", "verify-red", "Verify Red", "RED"] {
            let step: StepKind = serde_json::from_value(text.into()).unwrap();
            assert_eq!(serde_json::to_value(step).unwrap(), "verify_red");
        }
        let wrong = serde_json::from_value::<StepKind>("verify_rod".into()).unwrap_err();
        assert_eq!(
            wrong.to_string(),
            "'verify_rod' is no kind of step; did you mean 'verify_red'?"
        );
    }
}
