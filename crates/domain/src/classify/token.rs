//! Cuts text into lines, clauses and tokens. A token is a whole word; nothing here looks inside one.

use super::fold;

/// How a word is inflected, as far as its ending tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    Base,
    S,
    Ed,
    Ing,
}

/// Where a token comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// An ordinary word.
    Word,
    /// Part of an identifier such as `user_id`.
    Ident,
    /// Part of a path or a file name.
    Path,
}

#[derive(Debug, Clone)]
pub(crate) struct Token {
    /// Folded to lower case without accents.
    pub text: String,
    /// Without its ending.
    pub stem: String,
    pub form: Form,
    pub kind: Kind,
    /// A comma, bracket, dash or colon stands before it.
    pub breaks: bool,
}

/// One clause: what stands between full stops, line ends and "and" with a verb.
#[allow(clippy::struct_excessive_bools)] // independent facts about one clause
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

fn has_vowel(s: &str) -> bool {
    s.bytes().any(|b| matches!(b, b'a' | b'e' | b'i' | b'o' | b'u' | b'y'))
}

fn undouble(s: &str) -> &str {
    let b = s.as_bytes();
    match b {
        [.., x, y] if x == y && !matches!(y, b'l' | b's' | b'z' | b'e' | b'o') => &s[..s.len() - 1],
        _ => s,
    }
}

/// The word without its English ending. Words that are not ASCII stay as they are.
pub(crate) fn stem(word: &str) -> (String, Form) {
    if word.len() <= 3 || !word.bytes().all(|b| b.is_ascii_lowercase()) {
        return (word.to_owned(), Form::Base);
    }
    let cut =
        |suffix: &str| word.strip_suffix(suffix).filter(|rest| rest.len() >= 3 && has_vowel(rest));
    let (root, form) = if let Some(rest) = cut("ing") {
        (undouble(rest).to_owned(), Form::Ing)
    } else if let Some(rest) = cut("ied") {
        (format!("{rest}y"), Form::Ed)
    } else if let Some(rest) = cut("ed").filter(|_| !word.ends_with("eed")) {
        (undouble(rest).to_owned(), Form::Ed)
    } else if let Some(rest) = cut("ies") {
        (format!("{rest}y"), Form::S)
    } else if let Some(rest) =
        ["sses", "shes", "ches", "xes", "zes"].iter().find(|s| word.ends_with(**s)).and(cut("es"))
    {
        (rest.to_owned(), Form::S)
    } else if let Some(rest) =
        cut("s").filter(|r| !r.ends_with('s') && !r.ends_with('u') && !r.ends_with('i'))
    {
        (rest.to_owned(), Form::S)
    } else {
        (word.to_owned(), Form::Base)
    };
    let plain =
        root.strip_suffix('e').filter(|rest| rest.len() >= 3).map_or(root.clone(), str::to_owned);
    (plain, form)
}

fn token(text: String, kind: Kind, breaks: bool) -> Token {
    let (stem, form) = stem(&text);
    Token { text, stem, form, kind, breaks }
}

const EXTENSIONS: &str = " rs py js ts jsx tsx mjs go java kt swift c h cc cpp hpp cs rb php ex exs scala lua sh bash ps1 sql md mdx rst txt adoc \
    json yaml yml toml ini cfg conf env lock xml html css scss less svelte vue proto graphql tf hcl dart r jl ipynb csv svg png gradle nix cmake ";

/// Whether a folded word names a file or a path.
fn is_path(word: &str) -> bool {
    if word.contains("://") || word.len() > 300 {
        return false;
    }
    let extension = word.rsplit_once('.').is_some_and(|(stem, ext)| {
        !stem.is_empty()
            && ext.len() <= 8
            && ext.bytes().all(|b| b.is_ascii_alphanumeric())
            && EXTENSIONS.contains(&format!(" {ext} "))
    });
    let slashes = word.matches('/').count();
    extension
        || slashes >= 2
        || (slashes == 1
            && (word.ends_with('/')
                || word.starts_with('/')
                || word.contains('_')
                || word.contains('.')))
}

/// Words that lose their vowel before another: "l'authentification", "qu'est".
const ELISIONS: [&str; 10] = ["l", "d", "qu", "j", "n", "s", "c", "dell", "all", "nell"];

/// The words inside a raw word: parts of an identifier or path, or one word.
pub(crate) fn words(
    raw: &str,
    breaks: bool,
    paths: &mut Vec<(usize, String)>,
    out: &mut Vec<Token>,
) {
    let folded = fold::word(raw);
    let kind = if is_path(&folded) {
        paths.push((out.len(), folded.clone()));
        Kind::Path
    } else if folded.contains("://") {
        return;
    } else if folded.contains('_') || folded.contains("::") || folded.contains("()") {
        Kind::Ident
    } else {
        Kind::Word
    };
    let mut first = breaks;
    let mut push = |word: &mut String, out: &mut Vec<Token>| {
        if !word.is_empty() {
            out.push(token(std::mem::take(word), kind, std::mem::replace(&mut first, false)));
        }
    };
    let mut word = String::new();
    for c in folded.chars() {
        if fold::is_unspaced(c) {
            push(&mut word, out);
            word.push(c);
            push(&mut word, out);
        } else if c == '\'' && ELISIONS.contains(&word.as_str()) {
            push(&mut word, out);
        } else if c.is_alphanumeric()
            || fold::is_sign(c)
            || (c == '\'' && !word.is_empty())
            || (c == '+' && !word.is_empty())
        {
            word.push(c);
        } else {
            push(&mut word, out);
        }
    }
    while word.ends_with('\'') || word.ends_with('+') {
        word.pop();
    }
    push(&mut word, out);
}

/// The tokens of a term in a data file.
pub(crate) fn term(text: &str) -> Vec<Token> {
    let mut out = Vec::new();
    for raw in text.split_whitespace() {
        words(raw, false, &mut Vec::new(), &mut out);
    }
    out
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
