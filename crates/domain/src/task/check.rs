//! A command of a task as a check: one shell command that ends with 0 when it passes, and only then.

use super::QaCommand;
use crate::project::quoted;

impl QaCommand {
    /// The command with all that the task says about it: where it runs, with what, which codes pass, and
    /// what must be there afterwards.
    pub fn as_check(&self) -> String {
        let mut before = String::new();
        if let Some(cwd) = &self.cwd {
            before += &format!("cd {} || exit 1; ", quoted(cwd));
        }
        for (name, value) in &self.env {
            before += &format!("export {name}={}; ", quoted(value));
        }
        let mut after = String::new();
        if self.expected_exit_codes != [0] {
            let codes: Vec<String> = self.expected_exit_codes.iter().map(u8::to_string).collect();
            after += &format!("; case $? in {}) ;; *) exit 1 ;; esac", codes.join("|"));
        } else if !self.expected_paths.is_empty() {
            after += " || exit 1";
        }
        let root = if self.cwd.is_some() { "\"$OLDPWD\"/" } else { "" };
        for path in &self.expected_paths {
            after += &format!("; test -e {root}{} || exit 1", quoted(path));
        }
        if before.is_empty() && after.is_empty() {
            return self.command.clone();
        }
        // The command may end with a comment, leave its folder or end its shell.
        format!("{before}({}\n){after}", self.command)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn command(command: &str) -> QaCommand {
        QaCommand::plain(1, command.to_owned())
    }

    /// LP-01: a plain command stays as it was written; what else the task says is part of the check.
    #[test]
    fn all_that_a_task_says_is_checked() {
        assert_eq!(command("cargo test # all").as_check(), "cargo test # all");
        let there = QaCommand { cwd: Some("my web".into()), ..command("npm test") };
        assert_eq!(there.as_check(), "cd 'my web' || exit 1; (npm test\n)");
        let env = BTreeMap::from([("A".to_owned(), "it's".to_owned())]);
        let codes = QaCommand { env, expected_exit_codes: vec![0, 2], ..command("lint") };
        let expected = "export A='it'\\''s'; (lint\n); case $? in 0|2) ;; *) exit 1 ;; esac";
        assert_eq!(codes.as_check(), expected);
        let left = QaCommand { expected_paths: vec!["out/x".into()], ..command("make") };
        assert_eq!(left.as_check(), "(make\n) || exit 1; test -e out/x || exit 1");
        let both = QaCommand { cwd: Some("web".into()), ..left };
        let expected = "cd web || exit 1; (make\n) || exit 1; test -e \"$OLDPWD\"/out/x || exit 1";
        assert_eq!(both.as_check(), expected);
    }
}
