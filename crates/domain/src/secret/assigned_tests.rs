//! Names and values, as they are written.

use super::*;

/// What is given to the name that contains `TOKEN` or `token`.
#[track_caller]
fn check(text: &str, expected: Option<(&str, bool)>) {
    let at = text.to_ascii_lowercase().find("token").unwrap();
    let found = read(text.as_bytes(), at, false);
    let value = found.as_ref().map(|found| (&text[found.value.clone()], found.quoted));
    assert_eq!(value, expected, "{text}");
}

/// CX-16: the ways in which languages, settings, headers and commands give a value to a name.
#[test]
fn values_are_found() {
    for text in [
        "token = \"abc\"",
        "token='abc'",
        "TOKEN=\"abc\"",
        "\"token\": \"abc\"",
        "'token' => 'abc',",
        "{\\\"token\\\": \\\"abc\\\"}",
        "{\\\\\"token\\\\\": \\\\\"abc\\\\\"}",
        "token := `abc`",
        "let token: &str = \"abc\";",
        "const token: string = 'abc'",
        "var token: String? = \"abc\"",
        "String token = \"abc\";",
        "os.environ[\"TOKEN\"] = \"abc\"",
        "process.env.TOKEN || 'abc'",
        "token ||= 'abc'",
        "if token == \"abc\":",
        "token === 'abc'",
        "token != \"abc\"",
        "login(token=\"abc\")",
        "setToken(\"abc\")",
        "define('TOKEN', 'abc');",
        "(\"token\", \"abc\")",
        "token = b\"abc\"",
        "token = r\"abc\"",
        "token: Some(\"abc\")",
        "let token = String::from(\"abc\");",
        "token=&quot;abc&quot;",
        "ALTER ROLE x TOKEN 'abc'",
        "<add key=\"Token\" value=\"abc\" />",
        "{\"name\": \"TOKEN\", \"value\": \"abc\"}",
        "- name: TOKEN\n  value: \"abc\"",
        "--token \"abc\"",
    ] {
        check(text, Some(("abc", true)));
    }
    for text in [
        "TOKEN=abc",
        "export TOKEN=abc # x",
        "token: abc",
        "  token:   abc\n",
        "X-Auth-Token: abc",
        "--token=abc --x",
        "--token abc",
        "?token=abc&b=c",
        "<token>abc</token>",
        "- name: TOKEN\n  value: abc\n",
        "my.token.value=abc",
        "\\nTOKEN=abc\\n",
    ] {
        check(text, Some(("abc", false)));
    }
}

#[test]
fn what_is_no_assignment_is_none() {
    for text in [
        "token",
        "a token is",
        "token, abc",
        "token(abc)",
        "token = ",
        "token = \"abc",
        "token = \"\"",
        "token\n= \"abc\"",
        "token > 3",
        "token - abc",
        "token + abc",
        "token | abc",
        "const TOKEN: Abc = 1;",
    ] {
        check(text, None);
    }
    check(&format!("token = \"{}\"", "a".repeat(MAX_VALUE + 1)), None);
    check(&format!("token = {}", "a".repeat(MAX_VALUE + 1)), None);
}
