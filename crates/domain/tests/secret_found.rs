//! Secrets as people write them: the rule that finds each, and that nothing of it is left.

use countersign_domain::secret::Scanner;

const MIX: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/// `~hex32~` and `~mix40~` stand for so many digits or letters as if by chance, `~pw~` for a
/// password. They are put in here, so that nothing that looks real is written down. The text,
/// and what was put in.
fn fill(template: &str) -> (String, Vec<String>) {
    let (mut text, mut secrets) = (String::new(), Vec::new());
    let mut chance = 0x2545_f491_u32;
    for (nth, part) in template.split('~').enumerate() {
        let count = part.trim_start_matches(char::is_alphabetic).parse().unwrap_or(0);
        let letters = if part.starts_with("hex") { &b"0123456789abcdef"[..] } else { MIX };
        let mut next = || {
            chance = chance.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            char::from(letters[(chance >> 16) as usize % letters.len()])
        };
        match (nth % 2, part) {
            (0, plain) => text.push_str(plain),
            (_, "pw") => secrets.push(["k9!", "mQ2z", "Tr"].concat()),
            _ => secrets.push((0..count).map(|_| next()).collect()),
        }
        if nth % 2 == 1 {
            text.push_str(secrets.last().map_or("", String::as_str));
        }
    }
    (text, secrets)
}

#[track_caller]
fn check(template: &str, rule: &str) {
    let scanner = Scanner::builtin();
    let (text, secrets) = fill(template);
    let found = scanner.scan(text.as_bytes());
    let rules: Vec<&str> = found.iter().map(|found| found.rule).collect();
    assert_eq!(rules, [rule], "{text}");
    let left = scanner.redact(&text);
    assert!(secrets.iter().all(|secret| !left.contains(secret.as_str())), "{left}");
}

/// SE-04: passwords and keys without a form of their own, in the languages of the world.
#[test]
fn values_of_names_are_found() {
    for template in [
        "DB_PASSWORD=~pw~",
        "PGPASSWORD=~pw~ psql -h db",
        "password: ~pw~\n",
        "\"password\": \"~pw~\",",
        "password = '~pw~'",
        "$config['db_password'] = '~pw~';",
        "define('DB_PASSWORD', '~pw~');",
        "'password' => '~pw~',",
        "<password>~pw~</password>",
        "<add key=\"DbPassword\" value=\"~pw~\"/>",
        "- name: DB_PASSWORD\n  value: \"~pw~\"\n",
        "CREATE USER app WITH PASSWORD '~pw~';",
        "user.setPassword(\"~pw~\");",
        "ansible_ssh_pass=~pw~",
        "helm install app --set auth.password=~pw~",
        "spring.datasource.password=~pw~",
        "client = connect(user=\"app\", password=\"~pw~\")",
        "passphrase := \"~pw~\"",
        "if (password === '~pw~') {",
        "let password: String = String::from(\"~pw~\");",
        "{\\\"password\\\":\\\"~pw~\\\"}",
    ] {
        check(template, "generic-password");
    }
    for template in [
        "API_KEY=~hex32~",
        "X-Api-Key: ~hex40~",
        "curl 'https://example.com/v1?api_key=~hex32~&page=2'",
        "acme_key = \"~mix40~\"",
        "const token = \"~mix32~\";",
        "client_secret: ~mix40~",
        "export JWT_SECRET='~mix48~'",
        "SECRET_KEY_BASE=~mix64~",
        "access key: ~mix40~",
        "os.environ[\"AUTH_TOKEN\"] = \"~mix36~\"",
        "--token ~mix32~ --verbose",
        "password_reset_token = \"~mix24~\"",
        "\\nAPI_TOKEN=~mix32~\\n",
    ] {
        check(template, "generic-secret");
    }
}

/// SE-04: keys that are known by the name of who issues them.
#[test]
fn names_say_whose_value_it_is() {
    for (template, rule) in [
        ("DD_API_KEY=~hex32~", "datadog-api-key"),
        ("\"datadog\": \"x\", \"datadogApiKey\": \"~hex32~\"", "datadog-api-key"),
        ("Datadog application key: ~hex40~", "datadog-app-key"),
        ("aws_secret_access_key = ~mix40~", "aws-secret-key"),
        ("\"SecretAccessKey\": \"~mix40~\"", "aws-secret-key"),
        ("TWILIO_AUTH_TOKEN=~hex32~", "twilio-auth-token"),
        ("cohere_api_key: '~mix40~'", "cohere-key"),
        ("LINODE_TOKEN=~hex64~", "linode-token"),
        ("RAILS_MASTER_KEY=~hex32~", "rails-master-key"),
    ] {
        check(template, rule);
    }
}

/// SE-04: what stands in addresses, headers, statements and wrappings.
#[test]
fn known_places_are_looked_at() {
    for (template, rule) in [
        ("DATABASE_URL=postgres://app:~pw~@db:5432/app", "postgres-url"),
        ("mongodb+srv://app:~pw~@cluster0.example.net/?w=majority", "mongodb-url"),
        ("redis://:~pw~@cache:6379/0", "redis-url"),
        ("git clone https://alice:~pw~@git.example.com/a.git", "http-url"),
        ("postgres%3A%2F%2Fapp%3A~mix20~%40db%3A5432%2Fapp", "postgres-url"),
        ("{\"url\":\"amqp:\\/\\/app:~mix20~@mq:5672\"}", "amqp-url"),
        ("Server=db;Database=app;User Id=app;Password=~pw~;", "connection-string-password"),
        ("jdbc:postgresql://db/app?user=app&password=~pw~", "jdbc-password"),
        ("machine git.example.com login alice password ~pw~", "netrc-password"),
        ("CREATE USER 'a'@'%' IDENTIFIED BY '~pw~';", "sql-password"),
        ("Authorization: Bearer ~mix40~", "bearer-header"),
        ("Authorization: Token ~hex40~", "authorization-header"),
        ("//registry.example.com/:_authToken=~mix40~", "npmrc-credential"),
        ("PrivateKey = ~mix43~=", "wireguard-key"),
        ("https://discord.com/api/webhooks/123456789012345678/~mix68~", "discord-webhook"),
        ("\u{1b}[32mghp_~mix36~\u{1b}[0m", "github-pat"),
        ("token%3Dghp_~mix36~", "github-pat"),
        ("+ghp_~mix36~", "github-pat"),
        ("x\\nghp_~mix36~\\n", "github-pat"),
    ] {
        check(template, rule);
    }
}

/// SE-04: sequences for a terminal inside of a token hide it from nobody who looks at it.
#[test]
fn what_is_coloured_is_found() {
    let scanner = Scanner::builtin();
    let (first, second) = ("ghp_aB3dE5gH7jK9m", "N1pQ3sT5vW7yZ9bC1dE3fG5");
    for between in ["\u{1b}[0m", "\u{9b}1;31m", "\u{1b}]8;;x\u{7}", "\u{1b}(B"] {
        let text = format!("one\n\u{1b}[2mtoken {first}{between}{second} two\u{1b}[0m\nthree");
        let left = scanner.redact(&text);
        assert!(!left.contains(first) && !left.contains(second), "{left:?}");
        assert!(
            left.contains("one\n") && left.contains(" two") && left.ends_with("three"),
            "{left:?}"
        );
    }
}

/// SE-04: a token that begins with a colour is found also where it stands right behind a letter, and one that is
/// not is no false alarm.
#[test]
fn what_is_coloured_inside_of_a_word_is_found() {
    let scanner = Scanner::builtin();
    let secret = "ghp_aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dE3fG5";
    let (first, second) = secret.split_at(17);
    for text in [
        format!("x\u{1b}[31m{secret}\u{1b}[0m"),
        format!("x\u{1b}[31mghp_\u{1b}[0m{}", &secret[4..]),
        format!("\u{1b}[1mtoken\u{1b}[31m{first}\u{1b}[0m{second}, more"),
        format!("a\u{1b}[1mb\u{1b}[1mc\u{1b}[1m{first}\u{1b}[0m{second}\n"),
    ] {
        let left = scanner.redact(&text);
        assert!(!left.contains(second) && left.contains("[redacted: github-pat]"), "{left:?}");
    }
    let harmless = format!("x{secret} \u{1b}[31mbold\u{1b}[0m");
    assert_eq!(scanner.redact(&harmless), harmless);
}

/// SE-04: what a terminal shows after going back in a line is looked at as it is shown there.
#[test]
fn what_goes_back_in_a_line_is_found() {
    let scanner = Scanner::builtin();
    let (first, second) = ("ghp_aB3dE5gH7jK9m", "N1pQ3sT5vW7yZ9bC1dE3fG5");
    for text in [
        // Rubbed out and typed again, and what is left of that where signs were replaced.
        format!("token {first}xy\u{8}\u{8}{second} end"),
        format!("token {first}xy\u{8} \u{8}\u{8} \u{8}{second} end"),
        format!("token {first}\u{7f}\u{0}{second} end"),
        // The line was begun anew.
        format!("{}\rtoken {first}{second}", "x".repeat(10)),
        format!("token {first}\rtoken {first}{second}"),
        format!("token {first}\u{8}{}{second} end", &first[16..]),
        format!("{first}\r{second}"),
    ] {
        let left = scanner.redact(&text);
        assert!(!left.contains(second) && left.contains("[redacted: "), "{text:?}: {left:?}");
    }
    // Progress is no secret, and lines may end as they do elsewhere.
    for text in ["10 %\r20 %\r30 %\n", "one\r\ntwo\r\n", "a\u{8}b", "\r\r\u{8}\u{8}"] {
        assert_eq!(scanner.redact(text), text);
    }
}

/// SE-04: a private key is found whole where each line has something before it, as in messages of compilers, in
/// tables and quotes.
#[test]
fn a_key_behind_a_gutter_is_found() {
    let scanner = Scanner::builtin();
    let body = [
        "MHcCAQEEIBcT0sYVJk9x2mEJ5cW0p1vT3yZkLr6sNfGhQdUoXwYeoAoGCCqGSM49",
        "AwEHoUQDQgAE7bq98Jx2mEJ5cW0p1vT3yZkLr6sNfGhQdUoXwYe4iAaBbCcDdEeF",
        "fGgHhIiJjKkLlMmNnOoPpQqRrSsTtUuVvWwXxYyZz==",
    ];
    for kind in ["EC ", "RSA ", "OPENSSH ", ""] {
        let [begin, end] =
            ["BEGIN", "END"].map(|word| format!("-----{word} {kind}PRIVATE KEY-----"));
        for gutter in [
            " | ",
            "  | ",
            "│ ",
            "12 | ",
            " 7: ",
            "> ",
            "// ",
            "# ",
            "- ",
            "\u{1b}[2m 3 |\u{1b}[0m ",
        ] {
            let lines = [&begin[..], body[0], body[1], body[2], &end];
            let lines = lines.map(|line| format!("{gutter}{line}\n"));
            let text = format!("before\n{}after\n", lines.concat());
            let left = scanner.redact(&text);
            assert!(body.iter().all(|line| !left.contains(&line[..40])), "{gutter:?}: {left}");
            assert!(left.starts_with("before\n") && left.ends_with("after\n"), "{left}");
        }
    }
}

/// SE-04: what was wrapped once is found, as in the data of a Kubernetes `Secret`.
#[test]
fn what_is_wrapped_once_is_found() {
    for (inside, rule) in [
        ("ghp_~mix36~", "github-pat"),
        ("AKIA~hex16~", ""),
        ("postgres://app:~mix20~@db/app", "postgres-url"),
        ("DB_PASSWORD=~mix20~7!\nPORT=1\n", "generic-password"),
    ] {
        let (text, _) = fill(inside);
        let data = data_encoding::BASE64.encode(text.as_bytes());
        let yaml = format!("kind: Secret\ndata:\n  value: {data}\n");
        let found = Scanner::builtin().scan(yaml.as_bytes());
        let rules: Vec<&str> = found.iter().map(|found| found.rule).collect();
        assert_eq!(rules.first().copied().unwrap_or(""), rule, "{yaml}");
        let left = Scanner::builtin().redact(&yaml);
        assert!(rule.is_empty() || !left.contains(&data), "{left}");
    }
}
