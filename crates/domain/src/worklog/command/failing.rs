//! Whether a command line can fail at all. One that can't proves nothing by its success.

use super::shell::{After, CLOSE, Simple, commands};
use super::{Mode, is_assignment, is_conditional};

/// What does no more than talk.
const TALK: &[&str] = &["echo", "printf", "true", ":", "sleep", "date", "clear", "export", "unset"];
/// What ends well whatever it is fed by a pipe.
const SINKS: &[&str] =
    &["tee", "cat", "head", "tail", "less", "more", "sort", "uniq", "wc", "sed", "tr", "cut", "ts"];

/// Whether the exit code of a text for a shell can be other than 0 because of what it runs.
pub(crate) fn can_fail(text: &str) -> bool {
    let simples = commands(text);
    let mut reading = Reading::default();
    for simple in simples.iter().filter(|simple| !simple.substituted) {
        reading.take(simple);
    }
    reading.end()
}

/// What is known at a place of a text.
#[derive(Debug, Default)]
struct Reading {
    /// Whether the last command of the list may have failed, and what stands between it and the next;
    /// for the innermost group that is open last.
    lists: Vec<(bool, Option<After>)>,
    /// How many braces are open.
    braces: usize,
    mode: Mode,
    /// Whether the next command stands beside what came before it, and not after it.
    in_branch: bool,
    /// Whether somewhere it is ended with another code than 0, or nobody can tell.
    exits: bool,
}

impl Reading {
    fn take(&mut self, simple: &Simple<'_>) {
        let mut words = &simple.words[..];
        match &words[0][..] {
            "}" => {
                let is_open = self.braces > 0;
                self.braces = self.braces.saturating_sub(1);
                return self.close(simple, is_open);
            }
            CLOSE => return self.close(simple, self.lists.len() > simple.depth + self.braces + 1),
            "fi" | "done" => return self.ended_with(simple.after),
            "esac" => self.exits = true,
            _ => {}
        }
        let is_condition = matches!(&words[0][..], "if" | "elif" | "while" | "until");
        while let [first, rest @ ..] = words
            && (first == "{" || is_conditional(first) || is_assignment(first))
        {
            self.braces += usize::from(first == "{");
            self.open(simple.depth + self.braces);
            self.in_branch |= matches!(&first[..], "then" | "else" | "do");
            words = rest;
        }
        self.open(simple.depth + self.braces);
        if words.is_empty() {
            // A word of the shell alone on its line, or an assignment, which ends as what is in it does.
            let assigns = simple.words.iter().all(|word| is_assignment(word));
            if assigns {
                self.add(true, simple.after);
            }
            return;
        }
        if words[0] == "set" {
            return self.mode.learn(words);
        }
        let is_exit = matches!(&words[0][..], "exit" | "return");
        if is_exit && words.len() == 1 {
            return self.ended_with(simple.after);
        }
        let is_fed = self.lists.last().is_some_and(|(_, joined)| *joined == Some(After::Pipe));
        let fails = !is_condition && !is_sure(words, is_fed);
        self.exits |= fails && is_exit && simple.depth == 0;
        self.add(fails, simple.after);
    }

    fn open(&mut self, depth: usize) {
        while self.lists.len() <= depth {
            self.lists.push((false, None));
        }
    }

    fn close(&mut self, simple: &Simple<'_>, is_open: bool) {
        let inner = if is_open { self.lists.pop() } else { None };
        match inner {
            Some((inner, _)) => self.add(inner, simple.after),
            None => self.ended_with(simple.after),
        }
    }

    fn list(&mut self) -> &mut (bool, Option<After>) {
        self.open(0);
        let last = self.lists.len() - 1;
        &mut self.lists[last]
    }

    fn ended_with(&mut self, after: After) {
        self.list().1 = Some(after);
    }

    /// Takes in a command that may fail or not.
    fn add(&mut self, fails: bool, after: After) {
        let Mode { errexit, pipefail } = self.mode;
        let in_branch = std::mem::take(&mut self.in_branch);
        let (before, joined) = *self.list();
        let now = match joined {
            Some(After::And) => before || fails,
            Some(After::Or) => before && fails,
            Some(After::Pipe) if pipefail => before || fails,
            Some(After::Next | After::End) if errexit || in_branch => before || fails,
            _ => fails,
        };
        *self.list() = (now, Some(after));
    }

    fn end(mut self) -> bool {
        while self.lists.len() > 1 {
            let (inner, _) = self.lists.pop().unwrap_or_default();
            self.add(inner, After::End);
        }
        self.exits || self.list().0
    }
}

/// Whether a command can't fail. What pipes `is_fed` another's output, and may only pass it on.
fn is_sure(words: &[String], is_fed: bool) -> bool {
    let first = words[0].rsplit('/').next().unwrap_or_default();
    let ends_well = matches!(first, "exit" | "return") && words.get(1).is_some_and(|to| to == "0");
    TALK.contains(&first) || ends_well || (is_fed && SINKS.contains(&first))
}

#[cfg(test)]
mod tests {
    use super::can_fail;

    #[track_caller]
    fn check(expected: bool, texts: &[&str]) {
        for text in texts {
            assert_eq!(can_fail(text), expected, "{text}");
        }
    }

    /// VC-05: what hides a failure is seen, however it is written.
    #[test]
    fn what_hides_a_failure_is_seen() {
        check(false, &["", "true", "echo ok", ":", "exit 0", "echo a && printf b; true"]);
        check(false, &["mypy . || :", "mypy . || true", "mypy . || exit 0", "mypy . || echo ok"]);
        check(false, &["mypy . ; true", "mypy .; exit 0", "mypy . || (echo x; exit 0)"]);
        check(false, &["mypy . || { echo x; true; }", "(mypy . || true)", "tsc | tee log"]);
        check(false, &["set +e; tsc; echo done", "set -e; set +e; tsc; echo done", "a & true"]);
        check(false, &["if mypy .; then echo ok; else echo bad; fi", "tsc 2>&1 | tail -5"]);
        check(false, &["a && b || true", "(a; b) || /bin/true", "mypy .\necho done"]);
    }

    /// VC-05: what can fail is no false alarm.
    #[test]
    fn what_can_fail_is_believed() {
        check(true, &["mypy .", "CI=1 mypy .", "echo x && mypy .", "mypy . && echo ok", "false"]);
        check(true, &["set -e; tsc; echo done", "set -euo pipefail; tsc | tee log; echo done"]);
        check(
            true,
            &["mypy . || exit 1", "mypy . || (echo x; exit 1)", "a || { echo x; exit 1; }"],
        );
        check(true, &["test -f x || exit 0; npm test", "a || true && b", "a && (b || true)"]);
        check(
            true,
            &["if x; then mypy .; else echo skip; fi", "mypy . || exit $?", "mypy .; exit"],
        );
        check(true, &["a || exit 1; echo done", "for x in a b; do mypy $x; done", "! grep x y"]);
        check(true, &["test -z \"$(gofmt -l .)\"", "set -o pipefail; tsc | tee log", "a | grep x"]);
        check(true, &["(cd a && b)", "((a) && (b; c))", "{ a; b; }", "sh -c 'a || true'; b"]);
        check(true, &["if x; then\n mypy .\nelse\n echo skip\nfi", "a && { b || true; }"]);
        check(true, &["case $x in a) mypy . ;; *) echo skip ;; esac", "x=$(mypy .)"]);
        check(true, &["exit 1", "echo bad; exit 1", "[ -f x ]"]);
    }
}
