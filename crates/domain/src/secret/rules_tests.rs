//! The shipped rules: each can be read, finds its own examples, and leaves what is too short.

use std::collections::BTreeSet;

use super::super::Scanner;
use super::super::example::{Length, make};
use super::super::shipped::FILE;
use super::*;

/// SE-04: every line of the shipped file is right, and there are more than 200 kinds.
#[test]
fn the_shipped_rules_can_be_read() {
    let mut wrong = Vec::new();
    let mut lines_of_rules = Vec::new();
    for line in lines(FILE) {
        let line = line.unwrap();
        match line.section {
            Section::Rules(kind) => {
                wrong.extend(check(line, kind).err());
                lines_of_rules.push(line.text);
            }
            Section::Words => assert!(line.text.contains(": "), "{}", line.text),
            Section::Escapes => assert!(line.text.contains(',')),
            Section::Allow | Section::Paths | Section::Off => panic!("{}", line.text),
        }
    }
    let wrong: Vec<String> = wrong.iter().map(ToString::to_string).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let found: Vec<&str> = Scanner::builtin().all_rules().map(|rule| rule.line).collect();
    assert_eq!(found, lines_of_rules);
    let ids: BTreeSet<&str> = Scanner::builtin().rules().map(|(id, _)| id).collect();
    assert_eq!(ids.len(), found.len(), "an id is there twice");
    assert!(ids.len() > 500);
    assert!(FILE.contains("\nversion 1\n"));
}

/// How many of the examples that chance makes of a rule are found by it.
fn share(rule: Rule<'_>, count: u64, length: Length) -> (u64, Vec<String>) {
    let scanner = Scanner::builtin();
    let mut missed = Vec::new();
    for seed in 0..count {
        let example = make(rule, seed, length).unwrap();
        let found = scanner.scan(example.as_bytes());
        if !found.iter().any(|found| found.rule == rule.id()) {
            missed.push(example);
        }
    }
    (count - missed.len() as u64, missed)
}

/// SE-04: of every kind with a form of its own, all examples are found by their own rule; of the
/// others, nearly all.
#[test]
fn every_rule_finds_its_examples() {
    let mut wrong = Vec::new();
    for rule in Scanner::builtin().all_rules() {
        let (count, least) = match rule.kind {
            Kind::Weak | Kind::Password | Kind::Secret => (200, 190),
            _ => (10, 10),
        };
        let (found, missed) = share(rule, count, Length::Enough);
        if found < least {
            wrong.push(format!("{}: {found} of {count}\n{}", rule.id(), missed.join("\n")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// SE-04: what is one letter too short is something else.
#[test]
fn no_rule_finds_what_is_too_short() {
    let mut wrong = Vec::new();
    for rule in Scanner::builtin().all_rules() {
        let (found, _) = share(rule, 5, Length::Short);
        if found > 0 {
            wrong.push(format!("{}: {}", rule.id(), make(rule, 0, Length::Short).unwrap()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The four patterns of the first design, as far as they can be written down here.
#[test]
fn the_first_four_kinds_are_among_them() {
    for (text, rule) in [
        (["AKIA", "1234567890ABCDEF"].concat(), "aws-access-key"),
        (["sk_live", "_abcdefghijklmnopqrstuvwx"].concat(), "stripe-live-key"),
        (["eyJhbGciOiJIUzI1NiJ9", ".eyJzdWIiOiIxMjM0In0."].concat(), "jwt"),
        (["-----BEGIN ", "RSA PRIVATE KEY-----"].concat(), "rsa-private-key"),
        (["-----BEGIN ", "EC PRIVATE KEY-----\nMHcCAQEEIAbCdEfGhIjKl"].concat(), "ec-private-key"),
    ] {
        let found = Scanner::builtin().scan(text.as_bytes());
        let rules: Vec<&str> = found.iter().map(|found| found.rule).collect();
        assert_eq!(rules, [rule]);
    }
}
