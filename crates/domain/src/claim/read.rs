//! Reading a claim strictly: every fault names its field, so that the next attempt can mend it.

use serde_json::{Map, Value};

use super::{BlockedKind, Claim, ClaimPlace, Claimed, ClaimedStep, Stand, StepKind};
use crate::mistake::suggestion;

/// No worker takes more steps than this; what a longer list says is not looked at.
const MAX_STEPS: usize = 10_000;
/// A text of a claim is cut at this many characters.
const MAX_TEXT: usize = 4_000;

/// The claim in `bytes`, held against the story that was assigned and the attempt that is on.
pub fn read(bytes: &[u8], story: Option<&str>, attempt: u32) -> Claimed {
    let value: Value = match serde_json::from_slice(bytes) {
        Ok(value) => value,
        Err(error) => return Claimed::Unfit { faults: vec![format!("it is not JSON: {error}")] },
    };
    match of_value(&value, story, attempt) {
        Ok(claim) => Claimed::Given { body: Box::new(claim), from: ClaimPlace::File },
        Err(faults) => Claimed::Unfit { faults },
    }
}

/// The claim in a worker's last words: the last JSON object in a fence, or the whole text.
pub fn read_said(said: &str, story: Option<&str>, attempt: u32) -> Claimed {
    let fenced = said.split("```").skip(1).step_by(2).map(|block| {
        block.strip_prefix("json").or_else(|| block.strip_prefix("JSON")).unwrap_or(block)
    });
    let texts = fenced.chain([said]);
    let object = texts
        .filter(|text| text.trim_start().starts_with('{'))
        .filter_map(|text| serde_json::from_str::<Value>(text.trim()).ok())
        .filter(|value| value.get("execution_steps").is_some() || value.get("status").is_some())
        .last();
    let Some(object) = object else { return Claimed::None };
    match of_value(&object, story, attempt) {
        Ok(claim) => Claimed::Given { body: Box::new(claim), from: ClaimPlace::LastWords },
        Err(faults) => Claimed::Unfit { faults },
    }
}

fn of_value(value: &Value, story: Option<&str>, attempt: u32) -> Result<Claim, Vec<String>> {
    let mut faults = Vec::new();
    let Some(object) = value.as_object() else {
        return Err(vec!["it is not a JSON object".to_owned()]);
    };
    let us_id = text(object, &["us_id", "story"]);
    if let (Some(due), said) = (story, us_id.as_deref())
        && said != Some(due)
    {
        faults.push(match said {
            Some(said) => format!("us_id: it is about {}, and {due} was assigned", shorten(said)),
            None => format!("us_id: it is missing; {due} was assigned"),
        });
    }
    let iteration = number(object, &["iteration", "attempt"]);
    if iteration.is_some_and(|said| said != u64::from(attempt)) {
        faults.push(format!(
            "iteration: it is of iteration {}, and this is {attempt}",
            iteration.unwrap_or_default()
        ));
    }
    let stand = stand(object, &mut faults);
    let is_blocked = matches!(stand, Some(Stand::Blocked { .. }));
    let claims = strings(object.get("claims"), "claims", &mut faults);
    let execution_steps = steps(object, is_blocked, &mut faults);
    let reflection = text(object, &["reflection"]).map(|text| shorten(&text));
    match stand {
        Some(stand) if faults.is_empty() => {
            Ok(Claim { us_id, iteration, stand, claims, execution_steps, reflection })
        }
        _ => Err(faults),
    }
}

fn stand(object: &Map<String, Value>, faults: &mut Vec<String>) -> Option<Stand> {
    let because = text(object, &["because", "reason", "defer_reason", "summary"]);
    let because = because.map(|because| shorten(&because)).unwrap_or_default();
    match text(object, &["status"]).as_deref() {
        // A claim that says nothing about it is one of completion.
        None | Some("done" | "verify" | "complete") => Some(Stand::Done),
        Some("partly" | "partial" | "verify_partial") => {
            let verified = strings(object.get("verified_acs"), "verified_acs", faults);
            let deferred = strings(object.get("deferred_acs"), "deferred_acs", faults);
            if verified.is_empty() {
                faults.push("verified_acs: it is empty, so nothing is claimed".to_owned());
            }
            if because.is_empty() {
                faults.push("because: it must say why the rest is not done".to_owned());
            }
            Some(Stand::Partly { verified, deferred, because })
        }
        Some("blocked") => {
            let kind = match text(object, &["kind", "blocked_kind"]).as_deref() {
                Some("contradictory") => BlockedKind::Contradictory,
                Some("impossible") => BlockedKind::Impossible,
                _ => BlockedKind::NeedsHuman,
            };
            if because.is_empty() {
                faults.push("because: it must say what stands in the way".to_owned());
            }
            Some(Stand::Blocked { because, kind })
        }
        Some(other) => {
            faults.push(format!("status: '{}' is none of done, partly, blocked", shorten(other)));
            None
        }
    }
}

fn steps(
    object: &Map<String, Value>,
    is_blocked: bool,
    faults: &mut Vec<String>,
) -> Vec<ClaimedStep> {
    let Some(value) = object.get("execution_steps") else {
        if !is_blocked {
            faults.push("execution_steps: it is missing".to_owned());
        }
        return Vec::new();
    };
    let Some(items) = value.as_array() else {
        faults.push("execution_steps: it is not a list".to_owned());
        return Vec::new();
    };
    if items.is_empty() && !is_blocked {
        faults.push("execution_steps: it is empty".to_owned());
    }
    if items.len() > MAX_STEPS {
        faults.push(format!("execution_steps: {} are too many", items.len()));
        return Vec::new();
    }
    items.iter().enumerate().filter_map(|(at, item)| step(at, item, faults)).collect()
}

fn step(at: usize, item: &Value, faults: &mut Vec<String>) -> Option<ClaimedStep> {
    let place = format!("execution_steps[{at}]");
    let Some(object) = item.as_object() else {
        faults.push(format!("{place}: it is not an object"));
        return None;
    };
    let before = faults.len();
    let named = text(object, &["step", "type", "kind"]);
    let kind = named.as_deref().and_then(kind_of);
    if kind.is_none() {
        let said = named.as_deref().map(shorten).unwrap_or_default();
        let hint = suggestion(&said, StepKind::ALL.iter().map(|kind| kind.name()));
        faults.push(format!("{place}.step: '{said}' is no kind of step; {hint}"));
    }
    let ac_id = text(object, &["ac_id", "criterion", "ac"]);
    let command = text(object, &["command"]);
    let exit_code = match object.get("exit_code") {
        None | Some(Value::Null) => None,
        Some(value) => {
            let code = value.as_i64();
            if code.is_none() {
                faults.push(format!(
                    "{place}.exit_code: {} is no number",
                    shorten(&value.to_string())
                ));
            }
            code
        }
    };
    if kind.is_some_and(StepKind::runs) {
        if command.is_none() {
            faults.push(format!("{place}.command: such a step has run one"));
        }
        if object.get("exit_code").is_none_or(Value::is_null) {
            faults.push(format!("{place}.exit_code: such a step has one"));
        }
    }
    if kind == Some(StepKind::VerifyRed) && exit_code == Some(0) {
        faults.push(format!(
            "{place}.exit_code: what is red ends with another code than 0; a run that passed is \
             verify_existing"
        ));
    }
    let summary = text(object, &["summary"]).map(|text| shorten(&text)).unwrap_or_default();
    (faults.len() == before).then_some(())?;
    Some(ClaimedStep { step: kind?, ac_id, command, exit_code, summary })
}

/// Both spellings that are in use are understood: `write_test` and `write-test`.
fn kind_of(name: &str) -> Option<StepKind> {
    let name = name.trim().to_lowercase().replace(['-', ' '], "_");
    StepKind::ALL.into_iter().find(|kind| kind.name() == name)
}

/// The first of the names that has a text.
pub(crate) fn text(object: &Map<String, Value>, names: &[&str]) -> Option<String> {
    let found = names.iter().find_map(|name| object.get(*name)?.as_str());
    found.map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned)
}

fn number(object: &Map<String, Value>, names: &[&str]) -> Option<u64> {
    names.iter().find_map(|name| object.get(*name)?.as_u64())
}

/// A list of texts; absent is empty, anything else is a fault.
pub(crate) fn strings(value: Option<&Value>, name: &str, faults: &mut Vec<String>) -> Vec<String> {
    let items = match value {
        None | Some(Value::Null) => return Vec::new(),
        Some(Value::Array(items)) => items,
        Some(_) => {
            faults.push(format!("{name}: it is not a list"));
            return Vec::new();
        }
    };
    let texts: Vec<String> =
        items.iter().take(MAX_STEPS).filter_map(|item| item.as_str().map(shorten)).collect();
    if texts.len() < items.len() {
        faults.push(format!("{name}: every item must be a text"));
    }
    texts
}

pub(crate) fn shorten(text: &str) -> String {
    if text.chars().nth(MAX_TEXT).is_none() {
        return text.to_owned();
    }
    text.chars().take(MAX_TEXT).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = r#"{"us_id": "US-001", "claims": ["AC1: sums"], "execution_steps": [
        {"step": "write_test", "ac_id": "AC1", "command": null, "exit_code": null, "summary": "t"},
        {"step": "verify-red", "ac_id": "AC1", "command": "pytest", "exit_code": 1, "summary": "r"},
        {"step": "verify_green", "criterion": "AC1", "command": "pytest", "exit_code": 0, "summary": "g"}]}"#;

    fn faults(text: &str) -> Vec<String> {
        match read(text.as_bytes(), Some("US-001"), 2) {
            Claimed::Unfit { faults } => faults,
            other => panic!("{other:?}"),
        }
    }

    /// LP-10, D1.5: a good claim is read, in both spellings.
    #[test]
    fn a_good_claim_is_read() {
        let claimed = read(GOOD.as_bytes(), Some("US-001"), 1);
        let claim = claimed.given().unwrap();
        assert_eq!(claim.stand, Stand::Done);
        let kinds: Vec<StepKind> = claim.execution_steps.iter().map(|step| step.step).collect();
        assert_eq!(kinds, [StepKind::WriteTest, StepKind::VerifyRed, StepKind::VerifyGreen]);
        assert!(claim.execution_steps.iter().all(|step| step.ac_id.as_deref() == Some("AC1")));
    }

    /// LP-10: what is missing or malformed is named by its field.
    #[test]
    fn every_fault_names_its_field() {
        let check = |text: &str, fault: &str| {
            let found = faults(text);
            assert!(found.iter().any(|found| found.contains(fault)), "{text}: {found:?}");
        };
        check("", "not JSON");
        check("[]", "not a JSON object");
        check("{}", "us_id: it is missing");
        check(r#"{"us_id": "US-002"}"#, "us_id: it is about US-002");
        check(r#"{"us_id": "US-001"}"#, "execution_steps: it is missing");
        check(r#"{"us_id": "US-001", "iteration": 1}"#, "it is of iteration 1, and this is 2");
        check(
            r#"{"us_id": "US-001", "execution_steps": "all"}"#,
            "execution_steps: it is not a list",
        );
        check(r#"{"us_id": "US-001", "execution_steps": []}"#, "execution_steps: it is empty");
        check(r#"{"execution_steps": [{"step": "verify_gren"}]}"#, "execution_steps[0].step");
        check(
            r#"{"execution_steps": [{"step": "verify_green", "command": "x", "exit_code": "0"}]}"#,
            "execution_steps[0].exit_code: \"0\" is no number",
        );
        check(
            r#"{"execution_steps": [{"step": "verify_green", "command": "x", "exit_code": true}]}"#,
            "execution_steps[0].exit_code",
        );
        check(r#"{"execution_steps": [{"step": "verify_red"}]}"#, "execution_steps[0].command");
        check(
            r#"{"execution_steps": [{"step": "verify_red", "command": "x", "exit_code": 0}]}"#,
            "execution_steps[0].exit_code: what is red",
        );
        check(r#"{"status": "finished"}"#, "status: 'finished'");
        check(r#"{"status": "partly", "because": "x"}"#, "verified_acs: it is empty");
        check(r#"{"status": "blocked"}"#, "because: it must say");
        check(r#"{"claims": [1]}"#, "claims: every item");
    }

    /// LP-01: what is in the last words counts where there is no file, and is told apart.
    #[test]
    fn last_words_may_hold_the_claim() {
        let said = format!("All done.\n```json\n{GOOD}\n```\nBye");
        let Claimed::Given { from, .. } = read_said(&said, Some("US-001"), 1) else { panic!() };
        assert_eq!(from, ClaimPlace::LastWords);
        assert_eq!(read_said("Done! Everything works.", None, 1), Claimed::None);
        assert_eq!(read_said("```json\n{\"a\": 1}\n```", None, 1), Claimed::None);
    }

    /// The honest way out needs no steps.
    #[test]
    fn a_worker_may_say_that_it_cannot_be_done() {
        let text = r#"{"us_id": "US-001", "status": "blocked", "kind": "contradictory",
                       "because": "AC1 and AC2 exclude each other"}"#;
        let claimed = read(text.as_bytes(), Some("US-001"), 1);
        let Stand::Blocked { kind, .. } = &claimed.given().unwrap().stand else { panic!() };
        assert_eq!(*kind, BlockedKind::Contradictory);
    }
}
