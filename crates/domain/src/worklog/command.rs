//! Whether a command line runs tests, and with what.
//!
//! It is read as a shell reads it, so that `cat latest.log` is no test and
//! `cd a && CI=1 npx jest` is one. What runs tests is data (`data/worklog/runners.txt`).

mod failing;
mod index;
mod program;
mod shell;
mod table;

pub(crate) use failing::can_fail;
use index::{Section, Way};
use program::{Found, after, direct, program, skip};
use serde::{Deserialize, Serialize};
use shell::{After, CLOSE, Simple};
use table::{is_option, of, takes_value};

/// Commands that stand before each other (`sudo env nice …`), and texts within texts
/// (`bash -c "bash -c …"`), are followed so far.
const MAX_BEFORE: usize = 16;
const MAX_TEXTS: usize = 4;
/// What a program is told in more words than these doesn't change what it is.
const MAX_WORDS: usize = 1024;

/// What runs tests.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Runner {
    /// Such as `pytest`; for a script, the name of its file.
    pub name: String,
    /// The line of `runners.txt` that says so; 0 for scripts and for what settings name.
    pub line: usize,
    /// Whether the whole command line can only end with 0 if the tests passed. Not so for
    /// `pytest | tail`, `pytest; echo done` and `pytest || true`: there the code is another's.
    pub exit_counts: bool,
}

/// The first thing in a command line that runs tests. `extra` are beginnings of commands that
/// settings name, such as `make verify`.
pub fn runner_of(command: &str, extra: &[String]) -> Option<Runner> {
    let extra: Vec<Vec<String>> = extra
        .iter()
        .filter_map(|text| shell::commands(text).into_iter().next())
        .map(|simple| simple.words)
        .filter(|words| !words[0].is_empty())
        .collect();
    Reader { extra }.text(command, (0, Mode::default()))
}

struct Reader {
    extra: Vec<Vec<String>>,
}

/// What the shell was told about failures.
#[derive(Debug, Clone, Copy, Default)]
struct Mode {
    errexit: bool,
    pipefail: bool,
}

impl Mode {
    /// Takes in `-euo pipefail`, `+e` and the like.
    fn learn(&mut self, words: &[String]) {
        let mut is_on = true;
        for word in words {
            let letters = word.strip_prefix(['-', '+']).filter(|rest| !rest.starts_with('-'));
            is_on = if letters.is_some() { word.starts_with('-') } else { is_on };
            if word == "errexit" || letters.is_some_and(|letters| letters.contains('e')) {
                self.errexit = is_on;
            }
            if word == "pipefail" {
                self.pipefail = is_on;
            }
        }
    }
}

impl Reader {
    fn text(&self, text: &str, (depth, mut mode): (usize, Mode)) -> Option<Runner> {
        if depth > MAX_TEXTS {
            return None;
        }
        let simples = shell::commands(text);
        for (at, simple) in simples.iter().enumerate() {
            if simple.words[0] == "set" {
                mode.learn(&simple.words);
            }
            if let Some(mut runner) = self.simple(simple, depth) {
                runner.exit_counts &= exit_counts(&simples, at, mode);
                return Some(runner);
            }
        }
        None
    }

    fn simple(&self, simple: &Simple<'_>, depth: usize) -> Option<Runner> {
        let mut words = &simple.words[..simple.words.len().min(MAX_WORDS)];
        for round in 0..MAX_BEFORE {
            let start = words.iter().position(|word| !is_keyword(word) && !is_assignment(word))?;
            words = &words[start..];
            if round > 0 && words[0].contains([' ', '\n']) {
                return self.text(&words.join(" "), (depth + 1, Mode::default()));
            }
            let program = program(&words[0]);
            if let Some(runner) = self.named(words, program) {
                return Some(runner);
            }
            if matches!(&words[0][..], "test" | "[" | "/bin/test" | "/usr/bin/test") {
                return None;
            }
            match direct(program, words) {
                Found::Runner(runner) => return Some(runner),
                Found::Nothing => return None,
                Found::Unknown => {}
            }
            if of(Section::Shells, program).next().is_some() || program == "eval" {
                match self.shell(program, words, (simple.document, depth)) {
                    Ok(found) => return found,
                    Err(script) => words = &words[script..],
                }
                continue;
            }
            words = after(program, words)?;
        }
        None
    }

    /// What settings name.
    fn named(&self, words: &[String], program: &str) -> Option<Runner> {
        let begins = |extra: &&Vec<String>| {
            let same = extra.first().is_some_and(|first| *first == words[0] || first == program);
            same && words.len() >= extra.len() && words[1..extra.len()] == extra[1..]
        };
        let extra = self.extra.iter().find(begins)?;
        Some(Runner { name: extra.join(" "), line: 0, exit_counts: true })
    }

    /// `bash -c TEXT`, `bash <<EOF`, `eval TEXT`; or where the script stands.
    fn shell(
        &self,
        program: &str,
        words: &[String],
        (document, depth): (Option<&str>, usize),
    ) -> Result<Option<Runner>, usize> {
        let mut mode = Mode::default();
        if program == "eval" {
            return Ok(self.text(&words[1..].join(" "), (depth + 1, mode)));
        }
        let values = of(Section::Shells, program).next().map_or("", Way::about);
        let mut at = 1;
        while let Some(word) = words.get(at) {
            let letters = word.strip_prefix('-').filter(|rest| !rest.starts_with('-'));
            if letters.is_some_and(|letters| letters.ends_with('c') || letters == "Command") {
                mode.learn(&words[1..at]);
                let text = words.get(at + 1).map_or("", String::as_str);
                return Ok(self.text(text, (depth + 1, mode)));
            }
            if !is_option(word) && program != "su" {
                return if skip(words, 1, values).is_some() { Err(at) } else { Ok(None) };
            }
            let long = letters.is_some_and(|letters| letters.ends_with('o'));
            at += 1 + usize::from(long || takes_value(word, values));
        }
        Ok(document.and_then(|text| self.text(text, (depth + 1, mode))))
    }
}

fn is_keyword(word: &str) -> bool {
    matches!(word, "{" | "!" | CLOSE) || is_conditional(word)
}

fn is_conditional(word: &str) -> bool {
    matches!(word, "if" | "then" | "elif" | "else" | "do" | "while" | "until")
}

fn is_assignment(word: &str) -> bool {
    let Some((name, _)) = word.split_once('=') else { return false };
    let name = name.strip_suffix('+').unwrap_or(name);
    let plain = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    name.starts_with(|letter: char| !letter.is_ascii_digit()) && name.chars().all(plain)
}

/// Whether the line can only end with 0 if the command at this place did.
fn exit_counts(simples: &[Simple<'_>], at: usize, mode: Mode) -> bool {
    let simple = &simples[at];
    let hides = |word: &String| is_conditional(word) || word == "!";
    let before = simples[..at].iter().rev().find(|other| !other.substituted);
    if simple.substituted
        || simple.words.first().is_some_and(hides)
        || before.is_some_and(|other| other.after == After::Or)
    {
        return false;
    }
    let ends_group = |simple: &Simple<'_>| matches!(&simple.words[0][..], CLOSE | "}");
    let mut rest = simples[at..].iter().filter(|other| !other.substituted).peekable();
    // The command itself, or a group of which it is the last; not one after `&&`.
    let mut is_own = true;
    while let Some(simple) = rest.next() {
        let lost = match simple.after {
            After::And | After::End => false,
            After::Pipe => is_own && !mode.pipefail,
            After::Or | After::Background => true,
            After::Next => !mode.errexit && rest.peek().is_some_and(|next| !ends_group(next)),
        };
        if lost {
            return false;
        }
        is_own &= rest.peek().is_some_and(|next| ends_group(next));
    }
    true
}
