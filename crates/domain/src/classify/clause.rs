//! Cuts text into lines and clauses. What a clause asks for is not looked at here.

use super::fold;
use super::token::{Token, words};

/// One clause: what stands between full stops, line ends and "and" with a verb.
#[derive(Debug, Clone, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own, and read alone")]
pub(crate) struct Clause {
    pub tokens: Vec<Token>,
    /// The number of the line that is not empty, from 0.
    pub line: usize,
    pub question: bool,
    /// Stands at the beginning of its line.
    pub opens_line: bool,
    /// Words in front that say what it is about: `fix(auth):`, `[docs]`.
    pub tags: Vec<Token>,
    /// `feat!:`
    pub breaking: bool,
    /// Paths named in it, folded, with the token at which each begins.
    pub paths: Vec<(usize, String)>,
    /// Stands in a fenced block of code.
    pub code: bool,
}

impl Clause {
    /// Leaves away what stands from this token on.
    pub(crate) fn truncate(&mut self, end: usize) {
        self.tokens.truncate(end);
        self.paths.retain(|(at, _)| *at < end);
    }

    /// Leaves away so many tokens at the beginning.
    pub(crate) fn skip(&mut self, begin: usize) {
        self.tokens.drain(..begin);
        self.paths.retain(|(at, _)| *at >= begin);
        self.paths.iter_mut().for_each(|(at, _)| *at -= begin);
    }
}

/// `--all`, `-rf`
fn is_option(raw: &str) -> bool {
    let short = raw.strip_prefix('-').is_some_and(|rest| {
        (1..=3).contains(&rest.len()) && rest.bytes().all(|b| b.is_ascii_alphabetic())
    });
    short || raw.starts_with("--")
}

/// Text with the tags of HTML that end a line as line ends.
fn without_markup(text: String) -> String {
    const ENDS: [&str; 9] =
        ["<br>", "<br/>", "<br />", "<p>", "</p>", "<li>", "</li>", "<hr>", "</div>"];
    if !text.contains('<') {
        return text;
    }
    ENDS.iter().fold(text, |text, tag| text.replace(tag, "\n").replace(&tag.to_uppercase(), "\n"))
}

/// All clauses of a text, in order. Cutting at "and" with a verb is left to the reader, who knows the verbs.
pub(crate) fn clauses(text: &str) -> Vec<Clause> {
    let visible = without_markup(fold::visible(text));
    let mut out = Vec::new();
    let mut number = 0;
    let mut code = false;
    let mut opened = 0;
    for line in visible.split(['\n', '\r', '\u{2028}', '\u{2029}', '\u{0b}', '\u{0c}']) {
        if is_fence(line) {
            code = !code;
            opened = out.len();
            continue;
        }
        if !line.chars().any(char::is_alphanumeric) {
            continue;
        }
        let (tags, breaking, rest) = super::prefix::split(line);
        let from = out.len();
        sentences(rest, number, &mut out);
        if let Some(clause) = out.get_mut(from) {
            clause.opens_line = true;
            clause.tags = tags;
            clause.breaking = breaking;
        } else if !tags.is_empty() {
            out.push(Clause {
                line: number,
                opens_line: true,
                tokens: tags,
                breaking,
                ..Clause::default()
            });
        }
        out[from..].iter_mut().for_each(|clause| clause.code = code);
        number += 1;
    }
    if code {
        // A block that never ends is none: it would hide the rest.
        out[opened..].iter_mut().for_each(|clause| clause.code = false);
    }
    quoted(out)
}

/// A line that begins or ends a block of code. One that also ends on the same line is none.
fn is_fence(line: &str) -> bool {
    let line = line.trim_start_matches([' ', '\t', '>', '-', '*']);
    ["```", "~~~"]
        .iter()
        .any(|mark| line.strip_prefix(mark).is_some_and(|rest| !rest.contains(mark)))
}

/// Words that make an order of the block of code behind them, without their endings.
const COMMANDS: [&str; 11] = [
    "run",
    "execut",
    "apply",
    "perform",
    "do",
    "task",
    "goal",
    "todo",
    "instruction",
    "pleas",
    "need",
];

/// Code is shown, not asked for, unless the words before it say "run this" or there are no other words.
fn quoted(clauses: Vec<Clause>) -> Vec<Clause> {
    if clauses.iter().all(|clause| clause.code) {
        return clauses;
    }
    let mut run = false;
    let mut kept = Vec::with_capacity(clauses.len());
    for clause in clauses {
        if !clause.code {
            run = clause.tokens.iter().any(|t| COMMANDS.contains(&t.stem.as_str()));
        } else if !run {
            continue;
        }
        kept.push(clause);
    }
    kept
}

fn sentences(line: &str, number: usize, out: &mut Vec<Clause>) {
    let mut clause = Clause { line: number, ..Clause::default() };
    let mut breaks = false;
    for raw in line.split_whitespace() {
        let bare = raw.trim_end_matches(|c: char| !c.is_alphanumeric() && !fold::is_unspaced(c));
        let tail = &raw[bare.len()..];
        breaks |= raw.starts_with(['(', '[', '{', '-', '–', '—', '/', '|', '"', '\u{201c}'])
            && !is_option(raw);
        let before = clause.tokens.len();
        for (at, part) in bare.split_inclusive(['。', '？', '！', '；']).enumerate() {
            if at > 0 {
                finish(&mut clause, number, out);
            }
            words(part, breaks, &mut clause.paths, &mut clause.tokens);
            clause.question |= part.ends_with('？');
        }
        if clause.tokens.len() > before {
            breaks = false;
        }
        clause.question |= tail.contains(['?', '？', '؟', '⁇']) && !bare.contains("://");
        let dotted = tail.contains('.') && bare.chars().count() > 1 && !bare.contains('.');
        if dotted || tail.contains([';', '!', '?', '。', '？', '！', '；', '؟', '…']) {
            finish(&mut clause, number, out);
        }
        breaks |= tail.contains([',', ':', ')', ']', '，', '、', '"']) || bare.is_empty();
    }
    finish(&mut clause, number, out);
}

fn finish(clause: &mut Clause, line: usize, out: &mut Vec<Clause>) {
    let done = std::mem::replace(clause, Clause { line, ..Clause::default() });
    if !done.tokens.is_empty() {
        out.push(done);
    } else if done.question
        && let Some(last) = out.last_mut().filter(|last| last.line == line)
    {
        last.question = true;
    }
}
