//! Evidence by its digest.

use crate::desk::{begun, context, data};

/// CX-13, CX-15: a file is kept whole under an id, once.
#[test]
fn evidence_is_kept_once() {
    let project = begun();
    project.write("plan.md", "a\nb\nc\nd\n");
    let attach = |words: &[&str]| {
        let all: Vec<&str> = ["attach"].iter().chain(words).copied().collect();
        data(&project, &all)["evidence"].clone()
    };
    let whole = attach(&["plan.md", "--kind", "plan", "--description", "the plan"]);
    assert_eq!(whole["id"].as_str().unwrap().len(), 16);
    assert_eq!(whole["content"]["bytes"], 8);
    assert_eq!(attach(&["plan.md", "--kind", "plan"])["id"], whole["id"]);
    let part = attach(&["plan.md", "--kind", "excerpt", "--lines", "2-3"]);
    assert_ne!(part["id"], whole["id"]);
    assert_eq!((&part["lines"], &part["content"]["bytes"]), (&"L2-L3".into(), &4.into()));
    project.write("plan.md", "another\n");
    assert_ne!(attach(&["plan.md", "--kind", "plan"])["id"], whole["id"]);
    assert_eq!(data(&project, &["show"])["evidence"].as_array().unwrap().len(), 3);
}

/// CX-13: what can't be evidence is refused with the reason.
#[test]
fn what_is_no_evidence() {
    let project = begun();
    project.write("log", "x\n");
    project.write("large", vec![b'x'; 2 * 1024 * 1024]);
    let check = |words: &[&str], expected: &str| {
        let all: Vec<&str> = ["attach"].iter().chain(words).copied().collect();
        let ran = context(&project, &all);
        assert!(ran.code.unwrap() != 0 && ran.err().contains(expected), "{}", ran.err());
    };
    check(&["nowhere"], "there is no file");
    check(&["src"], "is not a file");
    check(&["large"], "a file may have 1048576");
    check(&["log", "--kind", "poem"], "it is one of file, archive");
    check(&["log", "--kind", "excerpt"], "an excerpt needs the lines");
    check(&["log", "--lines", "3-4"], "the file has 1 line");
    check(&["log", "--lines", "0-1"], "names no lines");
    check(&["log", "--lines", "2-1"], "names no lines");
    check(&["log", "--kind", "qa_output"], "comes with its command");
    check(&["log", "--role", "cook"], "no role 'cook'");
    check(&["log", "--description", &"x".repeat(201)], "more than 200 characters");
}

/// CX-13: what is said about the same file by another role, or in other words, is not dropped.
#[test]
fn what_is_said_anew_is_kept() {
    let project = begun();
    project.write("plan.md", "a\n");
    let attach = |more: &[&str]| {
        context(&project, &[&["attach", "plan.md", "--kind", "plan"], more].concat()).expect(0);
        data(&project, &["show"])["evidence"].as_array().unwrap().len()
    };
    assert_eq!(attach(&["--description", "the plan"]), 1);
    assert_eq!(attach(&[]), 1);
    assert_eq!(attach(&["--description", "the plan"]), 1);
    assert_eq!(attach(&["--description", "the plan that was kept to"]), 2);
    assert_eq!(attach(&["--role", "reviewer"]), 3);
}
