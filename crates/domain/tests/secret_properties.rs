//! Properties of the scanner that hold for every text, also for texts made to break it.

use countersign_domain::secret::{Extension, Scanner};
use proptest::prelude::*;
use serde_json::{Value, json};

fn scanner() -> &'static Scanner {
    Scanner::builtin()
}

fn example() -> impl Strategy<Value = String> {
    let ids: Vec<&'static str> = scanner().rules().map(|(id, _)| id).collect();
    (prop::sample::select(ids), 0u64..50)
        .prop_map(|(id, seed)| scanner().example(id, seed).unwrap_or_default())
}

/// What stands around secrets, and what they are known by.
const CRUMBS: &[&str] = &[
    " ",
    "\n",
    "\r\n",
    "\t",
    "\"",
    "'",
    "`",
    "\\",
    "\\\"",
    "\\n",
    "=",
    ": ",
    " = \"",
    ":=",
    "=>",
    ",",
    ";",
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    "<",
    ">",
    "%3D",
    "%2F",
    "\\u003d",
    "://",
    "@",
    "/",
    "&quot;",
    "password",
    "token=",
    "api_key: ",
    "secret",
    "AWS_",
    "datadog_api_key",
    "ghp_",
    "AKIA",
    "eyJ",
    "-----BEGIN RSA PRIVATE KEY-----",
    "-----END RSA PRIVATE KEY-----",
    "sk_live_",
    "Bearer ",
    "value",
    "[redacted: ",
    "[redacted: github-pat]",
    "é",
    "\u{0}",
    "\u{1b}[31m",
    "+",
    "-",
    "_",
    "dXNlcjpwYXNzd29yZDEyMzQ1Njc4OTA",
    "postgres://u:",
    "x",
    "0",
    "9f8a7b6c5d4e3f2a1b0c9d8e7f6a5b4c",
];

/// Texts of secrets, their parts, what stands around them, and anything.
fn text() -> impl Strategy<Value = String> {
    let crumb = prop::sample::select(CRUMBS).prop_map(str::to_owned);
    let part = (example(), 0.0..1.0f64).prop_map(|(text, share)| {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "some of it")]
        #[expect(clippy::cast_precision_loss, reason = "some of it")]
        let count = (text.chars().count() as f64 * share) as usize;
        text.chars().take(count).collect::<String>()
    });
    let piece = prop_oneof![3 => example(), 6 => crumb, 2 => part, 1 => ".{0,20}"];
    prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

/// What is found lies inside of the text, in order, apart from each other, and is not told.
fn check(text: &[u8]) {
    let found = scanner().scan(text);
    let mut last = 0;
    for one in &found {
        assert!(last <= one.start && one.start < one.end && one.end <= text.len(), "{found:?}");
        assert!(one.line >= 1 && one.column >= 1);
        last = one.end;
    }
    let said = format!("{found:?}");
    for one in &found {
        let secret = &text[one.start..one.end];
        let told = secret.len() > 8 && said.as_bytes().windows(secret.len()).any(|w| w == secret);
        assert!(!told, "{said}");
    }
    assert_eq!(scanner().finds_any(text), !found.is_empty());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    /// SE-04: no text is too odd.
    #[test]
    fn any_text_can_be_looked_at(text in text()) {
        check(text.as_bytes());
    }

    #[test]
    fn any_bytes_can_be_looked_at(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        check(&bytes);
    }

    /// SE-04: nothing is left after redacting, so doing it again changes nothing.
    #[test]
    fn redacted_text_has_no_secrets(text in text()) {
        let once = scanner().redact(&text).into_owned();
        prop_assert!(!scanner().finds_any(once.as_bytes()), "{:?} -> {:?}", text, once);
        let twice = scanner().redact(&once);
        prop_assert_eq!(&*twice, &*once);
    }

    /// SE-04: secrets don't hide each other.
    #[test]
    fn every_one_of_many_is_found(
        parts in prop::collection::vec(example(), 1..8),
        between in prop::sample::select(&["\n", "\n\n", "\n# x\n", " ;\n"][..]),
    ) {
        let mut text = String::new();
        let mut places = Vec::new();
        for part in &parts {
            places.push(text.len()..text.len() + part.len());
            text.push_str(part);
            text.push_str(between);
        }
        let found = scanner().scan(text.as_bytes());
        for place in places {
            let hit = found.iter().any(|f| f.start < place.end && f.end > place.start);
            prop_assert!(hit, "{:?} in {text:?}: {found:?}", &text[place.clone()]);
        }
    }

    /// CX-16: JSON comes out with nothing left in it, and in the same shape.
    #[test]
    fn redacted_json_has_no_secrets(texts in prop::collection::vec(text(), 1..4)) {
        let fields: Vec<Value> = texts
            .iter()
            .enumerate()
            .map(|(at, text)| json!({ "id": at, "password": text, "nested": [{ "note": text }] }))
            .collect();
        let value = json!({ "fields": fields });
        let left = scanner().redact_json(&value);
        let found = scanner().scan_json(&left);
        prop_assert!(found.is_empty(), "{left} {found:?}");
        prop_assert_eq!(left["fields"].as_array().map(Vec::len), Some(texts.len()));
        prop_assert_eq!(scanner().redact_json(&left), left);
    }

    /// SE-04: settings that make no sense are refused, not believed.
    #[test]
    fn any_extension_can_be_read(text in "(\\[(tokens|named|weak|allow|off)\\]\n)?.{0,80}(\n.{0,80})?") {
        if let Err(error) = Extension::parse(&text) {
            prop_assert!(error.line >= 1 && error.column >= 1 && !error.what.is_empty());
        }
    }

    #[test]
    fn any_pattern_can_be_read(pattern in "[a-c()?:|{},0-9\\[\\]\\\\$^.*+&-]{0,40}") {
        let _ = Extension::parse(&format!("[tokens]\nown 0 abc {pattern} words\n"));
    }
}

/// SE-04: what is made to take long takes no longer than other texts of its length.
#[test]
fn hostile_texts_are_only_long() {
    let pem = "-----BEGIN RSA PRIVATE KEY-----\n";
    for piece in [
        "password",
        "token=",
        "token=\"",
        "key:",
        "a.b.c.",
        "eyJhbGci-",
        "eyJhbGci.",
        "://a:",
        "%3D",
        "%3D ",
        "\\u00",
        "\"d\":\"",
        "-us1",
        ":AA",
        "AKIA",
        "EAA",
        "A",
        "ghp_",
        "bearer ",
        pem,
        "\0",
        "\u{ff}",
        "\n",
        "name: TOKEN\n value: ",
        "jdbc:a:bcde?x=y&",
        "((((",
        "machine a login ",
        "[redacted: ",
        "postgres://a:b@c@d@",
    ] {
        let text = piece.repeat(60_000 / piece.len());
        check(text.as_bytes());
        let left = scanner().redact(&text);
        assert!(!scanner().finds_any(left.as_bytes()), "{piece:?}");
    }
}
