//! Text that is run as code or by a shell, in a product that ran none before.

use countersign_domain::gaming::{Finding, Rule};

use super::View;
use crate::args::{short, squeeze};
use crate::language::Language;
use crate::role::Role;

/// What a task is about that wants it.
const MEANT: &[&str] = &[
    "eval",
    "exec",
    "execute",
    "executes",
    "shell",
    "command",
    "commands",
    "subprocess",
    "script",
    "scripts",
    "plugin",
    "plugins",
    "repl",
    "template",
    "templates",
    "python code",
    "javascript code",
    "run",
    "runs",
];

pub(super) fn check(view: &View<'_>) -> Vec<Finding> {
    let language = view.change.language;
    if view.literals.task_has(MEANT) {
        return Vec::new();
    }
    let ran_before = view.changes.iter().filter(|one| one.role == Role::Product).any(|one| {
        let old = one.plain_old();
        old.lines().any(|line| runs(line, one.language))
    });
    if ran_before {
        return Vec::new();
    }
    let plain = crate::mask::without_comments(view.change.current(), language);
    let plain: Vec<&str> = plain.split('\n').collect();
    let new = view.new_lines().into_iter().filter(|(number, _, code)| {
        let line = usize::try_from(*number).ok().and_then(|at| plain.get(at.checked_sub(1)?));
        !code.trim().is_empty() && line.is_some_and(|line| runs(line, language))
    });
    let message = "Text is run as code here, where nothing was before: it refuses nothing of what the language can do.";
    new.map(|(number, text, _)| {
        view.change.text(Rule::G25, number, message).change(None, Some(short(text)))
    })
    .collect()
}

/// Whether a line hands something that is not written down to an interpreter or to a shell.
fn runs(line: &str, language: Language) -> bool {
    let squeezed = squeeze(line);
    let calls = |name: &str| {
        squeezed.match_indices(name).any(|(at, _)| {
            let before = squeezed[..at].chars().next_back();
            let is_own = before.is_some_and(|l| l.is_alphanumeric() || "_.".contains(l));
            let defines = ["def ", "function ", "func ", "fn "]
                .iter()
                .any(|word| squeezed[..at].ends_with(word));
            let given = squeezed[at + name.len()..].chars().next();
            let is_written = given.is_none_or(|first| "\"'`)".contains(first));
            !is_own && !defines && !is_written
        })
    };
    match language {
        Language::Python => {
            ["eval(", "exec(", "os.system(", "os.popen("].iter().any(|name| calls(name))
                || squeezed.contains("shell=True")
        }
        language if language.is_script() => {
            ["eval(", "new Function(", "vm.runInNewContext(", "vm.runInThisContext("]
                .iter()
                .any(|name| calls(name))
                || ["execSync(", "child_process.exec("].iter().any(|name| calls(name))
        }
        Language::Rust => {
            squeezed.contains("Command::new(\"sh\")") || squeezed.contains("Command::new(\"bash\")")
        }
        Language::Go => {
            squeezed.contains("exec.Command(\"sh\"") || squeezed.contains("exec.Command(\"bash\"")
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// G25: an interpreter that is handed what somebody wrote.
    #[test]
    fn what_runs_text() {
        let python = |line: &str| runs(line, Language::Python);
        assert!(python("return eval(text, {}, names)") && python("run(x, shell=True)"));
        assert!(!python("ast.literal_eval(text)") && !python("model.eval(x)"));
        assert!(!python("def eval(text):") && !python("eval('1 + 1')"));
        let script = |line: &str| runs(line, Language::JavaScript);
        assert!(script("return new Function('x', body)(3)") || script("return eval(text)"));
        assert!(!script("const found = pattern.exec(text)"));
        assert!(runs("exec.Command(\"sh\", \"-c\", text)", Language::Go));
        assert!(!runs("exec.Command(\"git\", \"log\")", Language::Go));
    }
}
