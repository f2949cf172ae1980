//! Secrets in JSON values.

use serde_json::json;

use super::*;

fn example(rule: &str) -> String {
    Scanner::builtin().example(rule, 7).unwrap()
}

/// The places and rules of what is found.
fn places(value: &Value) -> Vec<(String, String)> {
    let found = Scanner::builtin().scan_json(value);
    found.into_iter().map(|found| (found.path, found.found.rule.to_owned())).collect()
}

#[track_caller]
fn check(value: &Value, expected: &[(&str, &str)]) {
    let expected: Vec<(String, String)> =
        expected.iter().map(|(path, rule)| ((*path).to_owned(), (*rule).to_owned())).collect();
    assert_eq!(places(value), expected);
    let left = Scanner::builtin().redact_json(value);
    assert_eq!(places(&left), [], "{left}");
}

/// CX-16: every value is looked at, however deep, and its place is told.
#[test]
fn places_are_told() {
    let token = example("github-pat");
    check(&json!({ "a": 1, "b": [true, null, "plain"] }), &[]);
    check(&json!(token), &[("", "github-pat")]);
    check(&json!({ "a": { "b": ["x", token] } }), &[("/a/b/1", "github-pat")]);
    check(&json!({ "a/b": { "c~d": token } }), &[("/a~1b/c~0d", "github-pat")]);
    let both = format!("{token} and {}", example("gitlab-pat"));
    check(&json!([both]), &[("/0", "github-pat"), ("/0", "gitlab-pat")]);
    check(&json!({ "log": format!("one\ntwo {token}") }), &[("/log", "github-pat")]);
}

/// CX-16: the name of a field says what its value is, and so do the names around it.
#[test]
fn names_of_fields_count() {
    let value = "9f8a7b6c5d4e3f2a1b0c9d8e7f6a5b4c";
    check(&json!({ "datadog": { "api_key": value } }), &[("/datadog/api_key", "datadog-api-key")]);
    check(&json!({ "service": { "api_key": value } }), &[("/service/api_key", "generic-secret")]);
    check(
        &json!({ "passwords": { "db_password": "k9!mQ2z" } }),
        &[("/passwords/db_password", "generic-password")],
    );
    check(&json!({ "id": value, "checksum": value }), &[]);
    check(&json!({ "password": { "type": "string", "minLength": 8 } }), &[]);
}

/// CX-16: a name that is a secret is found, and its place doesn't tell it.
#[test]
fn names_may_be_secrets() {
    let token = example("github-pat");
    let value = json!({ &*token: { "a": [1] } });
    check(&value, &[("/[redacted: github-pat]", "github-pat")]);
    assert!(!format!("{:?}", Scanner::builtin().scan_json(&value)).contains(&token));
}

/// CX-16: what is found is never in what is said about it.
#[test]
fn the_secret_is_not_told() {
    for (rule, _) in Scanner::builtin().rules() {
        let text = example(rule);
        let found = Scanner::builtin().scan(text.as_bytes());
        let secret: Vec<&str> = found.iter().map(|found| &text[found.start..found.end]).collect();
        let json = serde_json::to_string(&found).unwrap();
        let said = format!("{found:?} {json} {}", found[0]);
        assert!(secret.iter().all(|secret| !said.contains(secret)), "{rule}: {said}");
    }
}

#[test]
fn lines_and_columns_are_those_of_the_text() {
    let token = example("github-pat");
    let text = format!("é\n  ü{token}\n\n{token} {token}");
    let found = Scanner::builtin().scan(text.as_bytes());
    let places: Vec<(usize, usize)> = found.iter().map(|f| (f.line, f.column)).collect();
    let after = token.len() + 2;
    assert_eq!(places, [(2, 4), (4, 1), (4, after)]);
    assert!(found.iter().all(|f| text[f.start..f.end] == token));
    assert_eq!(found[0].to_string(), "line 2, column 4: GitHub personal access token (github-pat)");
}
