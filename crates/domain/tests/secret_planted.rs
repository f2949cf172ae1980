//! Secrets of every kind, planted into files as they are in the world.

use countersign_domain::secret::Scanner;

/// A name and the value it is given, both as they are meant.
struct Planted {
    name: String,
    value: String,
}

fn planted(scanner: &Scanner, rule: &str, seed: u64) -> Planted {
    let text = scanner.example(rule, seed).unwrap_or_else(|| panic!("{rule} has no example"));
    let named = text.split_once(" = \"").zip(text.strip_suffix('"'));
    match named {
        Some(((name, value), _)) if value.matches('"').count() == 1 => {
            let value = value.trim_end_matches('"');
            // Letters alone are a password in quotes only.
            let end = if rule == "generic-password" { "7!" } else { "" };
            Planted { name: name.to_owned(), value: format!("{value}{end}") }
        }
        _ => Planted { name: "setting".to_owned(), value: text },
    }
}

/// In quotes, with the escapes of JSON, which most languages share.
fn quoted(value: &str) -> String {
    serde_json::json!(value).to_string()
}

type Template = (&'static str, fn(&Planted) -> (String, String, String));

/// A file: what stands before, the value as it is written there, and what stands after.
const FILES: &[Template] = &[
    (".env", |p| {
        let before = format!("# for the tests\nPORT=8080\n{}=", p.name.to_uppercase());
        (before, p.value.clone(), "\nDEBUG=1\n".to_owned())
    }),
    ("yaml", |p| {
        let before = format!("app:\n  replicas: 2\n  {}: ", p.name);
        (before, quoted(&p.value), "\n  image: app:1.2.3\n".to_owned())
    }),
    ("json", |p| {
        let before = format!("{{\n  \"port\": 8080,\n  \"{}\": ", p.name);
        (before, quoted(&p.value), ",\n  \"debug\": true\n}\n".to_owned())
    }),
    ("toml", |p| {
        let before = format!("[app]\nport = 8080\n{} = ", p.name);
        (before, quoted(&p.value), "\ndebug = true\n".to_owned())
    }),
    ("python", |p| {
        let before = format!("import os\n\n\ndef connect():\n    client = Client({}=", p.name);
        (before, quoted(&p.value), ", retries=3)\n    return client\n".to_owned())
    }),
    ("javascript", |p| {
        let before = format!("const client = new Client({{ url, {}: ", p.name);
        (before, quoted(&p.value), " });\nexport default client;\n".to_owned())
    }),
    ("shell", |p| {
        let before = format!("#!/bin/sh\nset -eu\nexport {}='", p.name.to_uppercase());
        (before, p.value.clone(), "'\nexec \"$@\"\n".to_owned())
    }),
    ("log", |p| {
        let before = format!("2024-11-05T10:30:00Z INFO started {}=", p.name);
        (before, p.value.clone(), " in 12 ms\n".to_owned())
    }),
    ("diff", |p| {
        let before = format!("@@ -1,2 +1,3 @@\n port = 1\n-{0} = \"\"\n+{0} = ", p.name);
        (before, quoted(&p.value), "\n debug = 1\n".to_owned())
    }),
    ("json in json", |p| {
        let inner = format!("{{{}:{}}}", quoted(&p.name), quoted(&p.value));
        ("{\"body\":".to_owned(), quoted(&inner), "}".to_owned())
    }),
];

/// SE-04: a secret of every kind is found in every kind of file, and is gone when it is redacted.
#[test]
fn all_planted_secrets_are_found() {
    let scanner = Scanner::builtin();
    let (mut kinds, mut missed) = (0, Vec::new());
    for (rule, _) in scanner.rules() {
        kinds += 1;
        for (seed, (file, template)) in (1000..).zip(FILES) {
            let planted = planted(scanner, rule, seed);
            let (before, value, after) = template(&planted);
            let text = format!("{before}{value}{after}");
            let place = before.len()..before.len() + value.len();
            let found = scanner.scan(text.as_bytes());
            let hit = found.iter().any(|f| f.start < place.end && f.end > place.start);
            let left = scanner.redact(&text);
            if !hit || left.contains(&planted.value) || scanner.finds_any(left.as_bytes()) {
                missed.push(format!("{rule} in {file}:\n{text}{found:?}\n{left}"));
            }
        }
    }
    assert!(kinds >= 200, "only {kinds} kinds");
    assert!(missed.is_empty(), "{} missed\n{}", missed.len(), missed.join("\n"));
}
