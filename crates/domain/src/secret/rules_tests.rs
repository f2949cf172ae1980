//! The shipped rules: each can be read, finds its own examples, and leaves what is too short.

use super::super::Scanner;
use super::super::shipped::FILE;
use super::*;

/// SE-04: every line of the shipped file is right, and every id is there once.
#[test]
fn the_shipped_rules_can_be_read() {
    let mut wrong = Vec::new();
    for line in lines(FILE) {
        let line = line.unwrap();
        if let Section::Rules(kind) = line.section {
            wrong.extend(check(line, kind).err());
        }
    }
    let wrong: Vec<String> = wrong.iter().map(ToString::to_string).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// SE-04: an example of every kind is found, by its own rule.
#[test]
fn every_rule_finds_its_examples() {
    let scanner = Scanner::builtin();
    let mut missed = Vec::new();
    for (id, _) in scanner.rules() {
        for seed in 0..20 {
            let example = scanner.example(id, seed).unwrap();
            let found = scanner.scan(example.as_bytes());
            if !found.iter().any(|found| found.rule == id) {
                let others: Vec<&str> = found.iter().map(|found| found.rule).collect();
                missed.push(format!("{id} {seed}: {example} {others:?}"));
            }
        }
    }
    assert!(missed.is_empty(), "{} missed:\n{}", missed.len(), missed.join("\n"));
}
