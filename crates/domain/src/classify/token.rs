//! Cuts words into tokens. A token is a whole word; nothing here looks inside one.

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
