//! What a project adds, and what is wrong with it.

use super::*;

const OWN: &str = "[tokens]\nacme-key 3.0 acme_ acme_[A-Za-z0-9]{24} Acme key\n";

fn with(text: &str) -> Scanner {
    Scanner::builtin().with(&Extension::parse(text).unwrap())
}

fn rules(scanner: &Scanner, text: &str) -> Vec<String> {
    scanner.scan(text.as_bytes()).iter().map(|found| found.rule.to_owned()).collect()
}

/// SE-04: a project adds rules of its own.
#[test]
fn rules_are_added() {
    let scanner = with(&format!("{OWN}[named]\nacme-pin 1.0 acme [0-9]{{6}} Acme pin\n"));
    let token = scanner.example("acme-key", 1).unwrap();
    assert_eq!(rules(&scanner, &token), ["acme-key"]);
    assert_eq!(rules(&scanner, &format!("acme_{}_key = \"493021\"", "api")), ["acme-pin"]);
    assert_eq!(rules(Scanner::builtin(), &token), Vec::<String>::new());
    let shipped = Scanner::builtin().example("github-pat", 1).unwrap();
    assert_eq!(rules(&scanner, &shipped), ["github-pat"]);
    assert_eq!(scanner.rules().count(), Scanner::builtin().rules().count() + 2);
    assert!(!scanner.redact(&token).contains(&token));
}

/// SE-04: values, files and rules are allowed by a person, not by the text.
#[test]
fn values_paths_and_rules_are_allowed() {
    let token = Scanner::builtin().example("github-pat", 1).unwrap();
    let other = Scanner::builtin().example("github-pat", 2).unwrap();
    let text = format!("{token}\n{other}\n");
    assert_eq!(rules(&with(&format!("[allow]\n{token}\n")), &text), ["github-pat"]);
    assert_eq!(rules(&with(&format!("[allow]\n{}*\n", &token[..9])), &text), ["github-pat"]);
    assert_eq!(rules(&with("[off]\ngithub-pat\n"), &text), Vec::<String>::new());
    let scanner = with("[paths]\ntests/fixtures/*\n*.lock\n");
    for (path, expected) in [
        ("tests/fixtures/a.env", true),
        ("Cargo.lock", true),
        ("src/tests/fixtures/a.env", false),
        ("Cargo.lock.rs", false),
    ] {
        assert_eq!(scanner.passes_over(path), expected, "{path}");
    }
    let comment = format!("{token} # countersign:allow-secret");
    assert_eq!(rules(Scanner::builtin(), &comment), ["github-pat"]);
}

#[track_caller]
fn refuse(text: &str, (line, column): (usize, usize), what: &str) {
    let error = Extension::parse(text).unwrap_err();
    let said = error.to_string();
    assert!(said.starts_with(&format!("line {line}, column {column}: ")), "{text}: {said}");
    assert!(said.contains(what), "{text}: {said}");
}

/// SE-04: what is wrong is told with line and column.
#[test]
fn mistakes_are_told_with_their_place() {
    refuse("acme", (1, 1), "a section must come first");
    refuse("# x\n[nothing]\n", (2, 1), "[tokens]");
    refuse("[tokens]\nAcme 3 acme_ acme_[0-9]{9} x", (2, 1), "an id is made of");
    refuse("[tokens]\nacme 3 acme_ acme_[0-9]{9}", (2, 27), "in words");
    refuse("[tokens]\nacme 9 acme_ acme_[0-9]{9} x", (2, 6), "from 0 to 8");
    refuse("[tokens]\nacme x acme_ acme_[0-9]{9} x", (2, 6), "from 0 to 8");
    refuse("[tokens]\nacme 3 ac ac_[0-9]{9} x", (2, 8), "3 to 100");
    refuse("[tokens]\nacme 3 Acme Acme[0-9]{9} x", (2, 8), "small letters");
    refuse("[tokens]\nacme 3 acme,other acme[0-9]{9} x", (2, 19), "begins with the key \"other\"");
    refuse("[tokens]\n\nacme 3 acme_ acme_[0-9]+ x", (3, 24), "needs an end");
    refuse("[tokens]\ngithub-pat 3 acme_ acme_[0-9]{9} x", (2, 1), "already");
    refuse(&format!("{OWN}{}", OWN.lines().nth(1).unwrap()), (3, 1), "already");
    refuse("[off]\nno-such-rule", (2, 1), "no rule");
    refuse("[allow]\n**", (2, 1), "too much");
    refuse("[paths]\n*", (2, 1), "too much");
    refuse("[secrets]\na 3 abc abc x", (2, 1), "no such section");
    refuse("[words]\nasks: x", (2, 1), "no such section");
}

#[test]
fn an_empty_extension_changes_nothing() {
    for text in ["", "# only a comment\n", "[tokens]\n", "version 1\n"] {
        assert_eq!(with(text).rules().count(), Scanner::builtin().rules().count(), "{text:?}");
    }
}

#[test]
fn stars_stand_for_anything() {
    for (pattern, text, expected) in [
        ("abc", "abc", true),
        ("abc", "abcd", false),
        ("a*", "abc", true),
        ("*c", "abc", true),
        ("a*b*c", "a1b2c", true),
        ("a*b*c", "a1c2b", false),
        ("ab*bc", "abc", false),
        ("*", "", true),
    ] {
        assert_eq!(glob(pattern.as_bytes(), text.as_bytes()), expected, "{pattern} {text}");
    }
}
