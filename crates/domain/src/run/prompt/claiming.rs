//! How a worker is told to hand in what it did: with examples that can be handed in as they are.

use std::fmt::Write as _;

use super::super::{Crew, Run};
use super::CLAIM_FILE;

/// The form of a claim, the way to say that a part is done, and the way out.
pub(super) fn form(text: &mut String, run: &Run, crew: &Crew) {
    let story = crew.story.as_ref();
    let id = story.map_or("GOAL", |story| story.story.as_str());
    let us = story.map_or_else(String::new, |story| format!("\"us_id\": \"{}\", ", story.story));
    let attempt = run.attempt;
    let criteria = story.map(|story| &story.criteria[..]).unwrap_or_default();
    let first = criteria.first().map_or("AC1", String::as_str);
    let last = criteria.get(1..).and_then(<[String]>::last).map_or("AC2", String::as_str);
    let reflection =
        if attempt > 1 { "\n \"reflection\": \"why the last attempt failed\"," } else { "" };
    let steps = format!(
        "\"execution_steps\": [{{\"step\": \"verify_red\", \"ac_id\": \"{first}\", \"command\": \"…\", \
         \"exit_code\": 1,\n   \"summary\": \"…\"}}]"
    );
    let _ = write!(
        text,
        "\n# When you are done\n\nWrite {CLAIM_FILE} (it is not part of your work), or end your last \
         message with the same JSON in a\nfence:\n\n```json\n{{{us}\"iteration\": {attempt}, \"status\": \
         \"done\", \"claims\": [\"what now holds\"],{reflection}\n {steps}}}\n```\n\nSteps are write_test, \
         verify_red, implement, verify_green, refactor, verify_e2e, verify_existing, commit, verify;\nthose \
         that run something have its command and its real exit code, which is tried again; what is red \
         did not\nend with 0.\n\nIf {id} contradicts itself, can't be done, or needs a person to decide, say \
         so instead (kind: contradictory,\nimpossible or needs_human). That is an honest answer and counts \
         as one; work that only looks done does not:\n\n```json\n{{{us}\"iteration\": {attempt}, \
         \"status\": \"blocked\", \"kind\": \"contradictory\", \"because\": \"…\"}}\n```\n\nIf only a part \
         is done:\n\n```json\n{{{us}\"iteration\": {attempt}, \"status\": \"partly\", \"verified_acs\": \
         [\"{first}\"], \"deferred_acs\": [\"{last}\"],\n \"because\": \"…\", {steps}}}\n```\n",
    );
}
