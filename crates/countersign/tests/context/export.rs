//! What roles read.

use crate::desk::{begun, context, data, handed_over};

/// CX-14: a role reads what it needs and no more.
#[test]
fn roles_read_what_they_need() {
    let project = begun();
    let check = |role: &str, has: &[&str], lacks: &[&str]| {
        let exported = data(&project, &["export", "--role", role]);
        let account = exported["account"].as_object().unwrap();
        for key in has {
            assert!(account.contains_key(*key), "{role} lacks {key}");
        }
        for key in lacks {
            assert!(!account.contains_key(*key), "{role} has {key}");
        }
        assert!(exported["markdown_tokens"].as_u64().unwrap() > 50);
    };
    check("implementer", &["task", "standards_citations", "validation_commands"], &[]);
    check("reviewer", &["task", "standards_citations"], &["validation_commands", "repo_paths"]);
    check("validator", &["task", "validation_commands"], &["standards_citations"]);
    context(&project, &["export", "--role", "cook"]).expect(1).says("no role 'cook'");
}

/// CX-14: the size that is told is no guess below what a real tokenizer counts.
#[test]
fn tokens_are_bounded() {
    let project = handed_over();
    for role in ["implementer", "reviewer", "validator"] {
        let exported = data(&project, &["export", "--role", role]);
        let text = exported["markdown"].as_str().unwrap();
        let real = bpe_openai::o200k_base().count(text);
        let told = usize::try_from(exported["markdown_tokens"].as_u64().unwrap()).unwrap();
        assert!(told >= real, "{role}: {told} told, {real} counted");
        assert!(told <= real * 3, "{role}: {told} told, {real} counted");
        assert!(real < 800, "{role}: {real} tokens for a small task");
    }
}

/// CX-19: Markdown is for what has it, and nothing is done before that is said.
#[test]
fn markdown_is_for_exports() {
    let project = crate::desk::desk();
    let ran = project.run(["context", "init", "TASK-0824", "--format", "markdown"]).expect(2);
    ran.says("no Markdown form");
    context(&project, &["show"]).expect(1).says("there is no context");
}

/// CX-19: a context made at another commit says so, and goes on.
#[test]
fn a_stale_head_is_told() {
    let project = begun();
    project.git(["commit", "--quiet", "--allow-empty", "--message", "elsewhere"]);
    context(&project, &["show"]).expect(0).prints("HEAD is at");
}
