//! Reading a verdict strictly: what does not hold together is none, and every fault names its field.

use serde_json::{Map, Value};

use super::once::Once;
use super::{
    AgentVerdict, Conclusion, CriterionSeen, Expectation, FailureCategory, Issue, Look, Reasoned,
    Severity, Transition,
};
use crate::claim::{shorten, strings, text};

/// What a verdict can be.
const WORDS: [&str; 4] = ["pass", "fail", "request_info", "blocked"];

/// The verdict in a verifier's last words or file; the faults name the fields.
pub fn read(said: &str, due: &Expectation<'_>) -> Result<AgentVerdict, Vec<String>> {
    let object = object_in(said).map_err(|fault| vec![fault])?;
    let mut faults = Vec::new();
    let named = text(&object, &["verdict"]);
    let verdict = match named.as_deref() {
        Some("pass") => Some(Conclusion::Pass),
        Some("fail") => Some(Conclusion::Fail),
        Some("request_info") => Some(Conclusion::RequestInfo),
        Some("blocked") => Some(Conclusion::Blocked),
        other => {
            let said = shorten(other.unwrap_or_default());
            faults.push(format!("verdict: '{said}' is none of pass, fail, request_info, blocked"));
            None
        }
    };
    if let (Some(due), Some(said)) = (due.story, text(&object, &["us_id", "story"]))
        && said != due
    {
        faults.push(format!("us_id: it is about {}, and not about {due}", shorten(&said)));
    }
    let read = AgentVerdict {
        verdict: verdict.unwrap_or(Conclusion::Fail),
        summary: text(&object, &["summary"]).map(|text| shorten(&text)).unwrap_or_default(),
        criteria: criteria(&object, &mut faults),
        reasoning: reasoning(&object, &mut faults),
        missing_evidence: strings(object.get("missing_evidence"), "missing_evidence", &mut faults),
        issues: issues(&object, &mut faults),
        receipts: strings(object.get("receipts"), "receipts", &mut faults),
        recommended_transition: transition(&object, &mut faults),
        next_contract: next_contract(&object),
    };
    consistent(&read, due, &mut faults);
    if faults.is_empty() { Ok(read) } else { Err(faults) }
}

/// A pass must hold together: every criterion met, every look accounted for, and resting on
/// receipts that there are.
fn consistent(read: &AgentVerdict, due: &Expectation<'_>, faults: &mut Vec<String>) {
    let unknown = read.receipts.iter().find(|name| !due.receipts.contains(name));
    if let Some(unknown) = unknown {
        faults.push(format!("receipts: there is no receipt '{}'", shorten(unknown)));
    }
    let is_complete = read.verdict == Conclusion::Pass;
    if let Some(other) = read
        .recommended_transition
        .filter(|transition| (*transition == Transition::Complete) != is_complete)
    {
        let verdict = if is_complete { "is pass" } else { "is not pass" };
        faults.push(format!("recommended_transition: {}, and the verdict {verdict}", other.name()));
    }
    match read.verdict {
        Conclusion::Pass => {
            for look in Look::ALL {
                match read.reasoning.iter().find(|one| one.check == look) {
                    None => faults.push(format!("reasoning: nothing about the {}", look.name())),
                    Some(one) if one.decision != "pass" => faults.push(format!(
                        "reasoning: the {} is '{}', and the verdict is pass",
                        look.name(),
                        one.decision
                    )),
                    Some(_) => {}
                }
            }
            if read.receipts.is_empty() && !due.receipts.is_empty() {
                faults.push("receipts: a pass must name the receipts that it rests on".to_owned());
            }
            for id in due.criteria {
                match read.criteria.iter().find(|seen| seen.criterion == *id) {
                    None => faults.push(format!("criteria: nothing about {id}")),
                    Some(seen) if !seen.met => {
                        faults.push(format!("criteria: {id} is not met, and the verdict is pass"));
                    }
                    Some(_) => {}
                }
            }
            if read.issues.iter().any(|issue| issue.severity == Severity::Critical) {
                faults.push("issues: one is critical, and the verdict is pass".to_owned());
            }
        }
        Conclusion::Fail if read.issues.is_empty() => {
            faults.push("issues: a fail must say what is wrong".to_owned());
        }
        Conclusion::RequestInfo if read.missing_evidence.is_empty() => {
            faults.push("missing_evidence: it must say what is asked for".to_owned());
        }
        _ => {}
    }
}

/// The last JSON object with a verdict in `said`: the whole text, or one in a fence, or one that
/// begins on a line of its own. It must say one thing: where a key stands twice, or another verdict
/// says otherwise, nobody knows which one is meant.
fn object_in(said: &str) -> Result<Map<String, Value>, String> {
    let fences = || {
        said.split("```").skip(1).step_by(2).map(|block| {
            block.strip_prefix("json").or_else(|| block.strip_prefix("JSON")).unwrap_or(block)
        })
    };
    let loose = || {
        let start = said.find("\n{").map(|at| at + 1).or(said.starts_with('{').then_some(0))?;
        said.get(start..=said.rfind('}')?)
    };
    let told: Vec<_> = fences().filter_map(|block| verdict_in(block.trim())).collect();
    let own = verdict_in(said.trim());
    let chosen = own.or_else(|| told.last().cloned()).or_else(|| loose().and_then(verdict_in));
    let Some((source, object)) = chosen else {
        return Err("there is no JSON object with a verdict in what it said".to_owned());
    };
    let mut all = begun_on_lines(said);
    all.extend(told);
    all.push((source, object.clone()));
    for (source, _) in &all {
        if let Err(error) = serde_json::from_str::<Once>(source) {
            return Err(format!("the verdict can't be read in one way only: {error}"));
        }
    }
    let named = |object: &Map<String, Value>| {
        text(object, &["verdict"]).filter(|word| WORDS.contains(&word.as_str()))
    };
    let due = named(&object);
    let other =
        all.iter().filter_map(|(_, object)| named(object)).find(|it| Some(it) != due.as_ref());
    match (due, other) {
        (Some(due), Some(other)) => {
            Err(format!("verdict: it hands in two that disagree, '{due}' and '{other}'"))
        }
        _ => Ok(object),
    }
}

/// The object that `text` is, if it has a verdict.
fn verdict_in(text: &str) -> Option<(&str, Map<String, Value>)> {
    match serde_json::from_str::<Value>(text) {
        Ok(Value::Object(object)) if object.contains_key("verdict") => Some((text, object)),
        _ => None,
    }
}

/// Every object with a verdict that begins on a line of its own, whatever comes after it.
fn begun_on_lines(said: &str) -> Vec<(&str, Map<String, Value>)> {
    let mut found = Vec::new();
    let (mut at, mut free) = (0, 0);
    for line in said.split_inclusive('\n') {
        let start = at + (line.len() - line.trim_start().len());
        at += line.len();
        let Some(rest) = said.get(start..).filter(|rest| rest.starts_with('{')) else { continue };
        if start < free {
            continue;
        }
        let mut values = serde_json::Deserializer::from_str(rest).into_iter::<Value>();
        if let Some(Ok(Value::Object(object))) = values.next() {
            let end = values.byte_offset();
            free = start + end;
            if object.contains_key("verdict") {
                found.push((rest.get(..end).unwrap_or_default(), object));
            }
        }
    }
    found
}

/// What it recommends, in our spelling and in that of others; it need not recommend anything.
fn transition(object: &Map<String, Value>, faults: &mut Vec<String>) -> Option<Transition> {
    let named = text(object, &["recommended_transition", "recommended_state_transition"])?;
    let found = Transition::ALL.into_iter().find(|one| one.name() == named.to_lowercase());
    if found.is_none() {
        let said = shorten(&named);
        faults.push(format!(
            "recommended_transition: '{said}' is none of complete, continue, blocked"
        ));
    }
    found
}

/// What it proposes for the next attempt: a text, or the parts of one.
fn next_contract(object: &Map<String, Value>) -> Option<String> {
    let names = ["next_contract", "next_iteration_contract"];
    let said = match names.iter().find_map(|name| object.get(*name))? {
        Value::Null => return None,
        Value::String(said) => said.trim().to_owned(),
        Value::Object(parts) => {
            let part = |(name, value): (&String, &Value)| match value {
                Value::String(value) => format!("{name}: {value}"),
                other => format!("{name}: {other}"),
            };
            parts.iter().map(part).collect::<Vec<_>>().join("; ")
        }
        other => other.to_string(),
    };
    (!said.is_empty()).then(|| shorten(&said))
}

fn criteria(object: &Map<String, Value>, faults: &mut Vec<String>) -> Vec<CriterionSeen> {
    let items = list(object, &["criteria", "criteria_results"], faults);
    let one = |(at, item): (usize, &Value)| {
        let fields = item.as_object()?;
        let (criterion, met) = (text(fields, &["criterion", "ac_id", "id"])?, fields.get("met")?);
        let seen = CriterionSeen {
            criterion,
            met: met.as_bool()?,
            evidence: text(fields, &["evidence"]).map(|text| shorten(&text)).unwrap_or_default(),
        };
        Some((at, seen))
    };
    sifted(items, one, "criteria", faults)
}

fn reasoning(object: &Map<String, Value>, faults: &mut Vec<String>) -> Vec<Reasoned> {
    let items = list(object, &["reasoning"], faults);
    // A look of its own making is no fault, only no look of ours.
    let known = items.iter().filter_map(|item| {
        let fields = item.as_object()?;
        let check = Look::of(&text(fields, &["check"])?)?;
        let decision = text(fields, &["decision"])?.to_lowercase();
        let basis = text(fields, &["basis"]).map(|text| shorten(&text)).unwrap_or_default();
        Some(Reasoned { check, decision, basis })
    });
    known.collect()
}

fn issues(object: &Map<String, Value>, faults: &mut Vec<String>) -> Vec<Issue> {
    let items = list(object, &["issues"], faults);
    let one = |(at, item): (usize, &Value)| {
        let fields = item.as_object()?;
        let severity = match text(fields, &["severity"])?.to_lowercase().as_str() {
            "critical" => Severity::Critical,
            "major" => Severity::Major,
            "minor" => Severity::Minor,
            _ => return None,
        };
        let failure_category = match text(fields, &["failure_category"]).as_deref() {
            Some("spec") => Some(FailureCategory::Spec),
            Some("implementation") => Some(FailureCategory::Implementation),
            Some("integration") => Some(FailureCategory::Integration),
            Some("flaky") => Some(FailureCategory::Flaky),
            _ => None,
        };
        let issue = Issue {
            id: text(fields, &["id"]).unwrap_or_else(|| format!("issue-{}", at + 1)),
            severity,
            criterion: text(fields, &["criterion", "ac_id"]),
            description: shorten(&text(fields, &["description"])?),
            fix_hint: text(fields, &["fix_hint"]).map(|text| shorten(&text)),
            failure_category,
        };
        Some((at, issue))
    };
    let mut issues = sifted(items, one, "issues", faults);
    issues.sort_by_key(|issue| issue.severity);
    issues
}

fn list<'a>(
    object: &'a Map<String, Value>,
    names: &[&str],
    faults: &mut Vec<String>,
) -> &'a [Value] {
    match names.iter().find_map(|name| object.get(*name)) {
        None | Some(Value::Null) => &[],
        Some(Value::Array(items)) => items.get(..items.len().min(1000)).unwrap_or_default(),
        Some(_) => {
            faults.push(format!("{}: it is not a list", names.first().unwrap_or(&"")));
            &[]
        }
    }
}

/// The items that could be read; the others are faults.
fn sifted<T>(
    items: &[Value],
    one: impl Fn((usize, &Value)) -> Option<(usize, T)>,
    name: &str,
    faults: &mut Vec<String>,
) -> Vec<T> {
    let read: Vec<(usize, T)> = items.iter().enumerate().filter_map(one).collect();
    for at in 0..items.len() {
        if !read.iter().any(|(known, _)| *known == at) {
            faults.push(format!("{name}[{at}]: a field is missing or wrong"));
        }
    }
    read.into_iter().map(|(_, one)| one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pass() -> Value {
        let reasoning: Vec<Value> = ["IL-1 Evidence Gate", "Layer Enforcement", "Test Sufficiency"]
            .into_iter()
            .chain(["Anti-Gaming", "Worker Process Audit"])
            .map(|check| serde_json::json!({"check": check, "decision": "pass", "basis": "r1"}))
            .collect();
        serde_json::json!({
            "verdict": "pass", "us_id": "US-001", "summary": "holds",
            "criteria": [{"criterion": "AC1", "met": true, "evidence": "r1: exit 0"}],
            "reasoning": reasoning, "issues": [], "receipts": ["r1"],
        })
    }

    fn judge(value: &Value) -> Result<AgentVerdict, Vec<String>> {
        let (criteria, receipts) = (["AC1".to_owned()], ["r1".to_owned()]);
        let due = Expectation { story: Some("US-001"), criteria: &criteria, receipts: &receipts };
        read(&format!("Here it is:\n```json\n{value}\n```\n"), &due)
    }

    /// LP-11: a verdict with all five looks is read.
    #[test]
    fn a_good_verdict_is_read() {
        let read = judge(&pass()).unwrap();
        assert_eq!(read.verdict, Conclusion::Pass);
        assert_eq!(read.reasoning.len(), 5);
    }

    /// LP-08, LP-11, D1.7: a pass that doesn't hold together is none.
    #[test]
    fn a_pass_must_hold_together() {
        let check = |change: &dyn Fn(&mut Value), fault: &str| {
            let mut value = pass();
            change(&mut value);
            let faults = judge(&value).unwrap_err();
            assert!(faults.iter().any(|found| found.contains(fault)), "{fault}: {faults:?}");
        };
        check(&|v| v["receipts"] = serde_json::json!([]), "must name the receipts");
        check(&|v| v["receipts"] = serde_json::json!(["r9"]), "there is no receipt 'r9'");
        check(&|v| v["criteria"][0]["met"] = false.into(), "AC1 is not met");
        check(&|v| v["criteria"] = serde_json::json!([]), "nothing about AC1");
        check(&|v| v["criteria"] = "all".into(), "criteria: it is not a list");
        check(&|v| v["reasoning"][4] = Value::Null, "worker process audit");
        check(&|v| v["reasoning"][0]["decision"] = "fail".into(), "evidence gate is 'fail'");
        check(&|v| v["us_id"] = "US-002".into(), "us_id: it is about US-002");
        check(&|v| v["verdict"] = "approved".into(), "verdict: 'approved'");
        check(
            &|v| v["issues"] = serde_json::json!([{"severity": "critical", "description": "x"}]),
            "one is critical",
        );
        check(&|v| v["issues"] = serde_json::json!([{"severity": "huge"}]), "issues[0]");
        check(&|v| v["verdict"] = "fail".into(), "must say what is wrong");
        check(&|v| v["verdict"] = "request_info".into(), "what is asked for");
    }

    /// LP-11: what a verifier recommends and proposes is optional, kept, and must fit its verdict.
    #[test]
    fn what_is_proposed_is_kept() {
        let fail = |more: Value| {
            let mut value = pass();
            value["verdict"] = "fail".into();
            value["issues"] = serde_json::json!([{"severity": "major", "description": "x"}]);
            let fields = more.as_object().unwrap().clone();
            value.as_object_mut().unwrap().extend(fields);
            judge(&value)
        };
        let read = fail(serde_json::json!({
            "recommended_state_transition": "continue",
            "next_iteration_contract": {"Story": "US-001", "Criteria": ["AC1"]},
        }))
        .unwrap();
        assert_eq!(read.recommended_transition, Some(Transition::Continue));
        let proposed = read.next_contract.unwrap();
        assert!(proposed.contains("Story: US-001"), "{proposed}");
        assert!(proposed.contains("Criteria: [\"AC1\"]"), "{proposed}");
        let read = fail(serde_json::json!({"next_contract": "  mend AC1  "})).unwrap();
        assert_eq!(read.next_contract.as_deref(), Some("mend AC1"));
        let none = serde_json::json!({"next_contract": null, "recommended_transition": null});
        let read = fail(none).unwrap();
        assert_eq!((read.next_contract, read.recommended_transition), (None, None));
        for (more, fault) in [
            (serde_json::json!({"recommended_transition": "done"}), "is none of complete"),
            (serde_json::json!({"recommended_transition": "complete"}), "the verdict is not pass"),
        ] {
            let faults = fail(more).unwrap_err();
            assert!(faults.iter().any(|found| found.contains(fault)), "{fault}: {faults:?}");
        }
        let mut value = pass();
        value["recommended_transition"] = "blocked".into();
        assert!(judge(&value).unwrap_err()[0].contains("the verdict is pass"));
        value["recommended_transition"] = "complete".into();
        assert!(judge(&value).is_ok());
    }

    #[test]
    fn what_holds_no_verdict_is_none() {
        let due = Expectation { story: None, criteria: &[], receipts: &[] };
        for said in ["", "looks good to me", "{}", "```json\n{\"verdic\": 1}\n```", "{\"verdict\":"]
        {
            assert!(read(said, &due).is_err(), "{said}");
        }
    }

    /// LP-08, LP-11: what can be read in two ways is no verdict.
    #[test]
    fn a_verdict_says_one_thing() {
        let due = Expectation { story: None, criteria: &[], receipts: &[] };
        let fault = |said: &str| read(said, &due).unwrap_err().join("; ");
        let good = pass().to_string();
        let twice = good.replacen("\"verdict\"", "\"verdict\":\"fail\",\"verdict\"", 1);
        for said in [twice.clone(), format!("```json\n{twice}\n```"), format!("So:\n{twice}")] {
            assert!(fault(&said).contains("it says 'verdict' twice"), "{said}");
        }
        let inside = good.replacen("\"met\"", "\"met\":false,\"met\"", 1);
        assert!(fault(&inside).contains("it says 'met' twice"));
        let fail = r#"{"verdict": "fail", "issues": [{"severity": "major", "description": "x"}]}"#;
        for said in [
            format!("```json\n{fail}\n```\nand\n```json\n{good}\n```\n"),
            format!("```json\n{good}\n```\nand\n```json\n{fail}\n```\n"),
            format!("{fail}\nNo:\n```json\n{good}\n```\n"),
            format!("```json\n{good}\n```\n  {fail} is what I mean\n"),
        ] {
            assert!(fault(&said).contains("two that disagree"), "{said}");
        }
        // To say the same again is to say it once, and a form that was not filled in says nothing.
        let due = Expectation { receipts: &["r1".to_owned()], ..due };
        let form = r#"{"verdict": "pass|fail"}"#;
        for said in [
            format!("```json\n{good}\n```\nonce more:\n```json\n{good}\n```\n"),
            format!("{form}\n```json\n{good}\n```\n"),
        ] {
            assert_eq!(read(&said, &due).unwrap().verdict, Conclusion::Pass, "{said}");
        }
    }

    /// LP-15: issues come in the order of their severity.
    #[test]
    fn issues_are_sorted() {
        let mut value = pass();
        value["verdict"] = "fail".into();
        value["issues"] = serde_json::json!([
            {"id": "b", "severity": "minor", "description": "x"},
            {"severity": "critical", "criterion": "AC1", "description": "y", "fix_hint": "z"},
        ]);
        let issues = judge(&value).unwrap().issues;
        assert_eq!(issues.iter().map(|i| i.id.as_str()).collect::<Vec<_>>(), ["issue-2", "b"]);
    }
}
