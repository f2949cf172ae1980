//! Names in code and paths in words.

/// What files of code and data end with.
const ENDS: &[&str] = &[
    "py", "pyi", "rs", "go", "js", "mjs", "cjs", "jsx", "ts", "mts", "cts", "tsx", "json", "toml",
    "yml", "yaml", "md", "txt", "sh", "rb", "java", "kt", "c", "h", "cc", "cpp", "hpp", "cs",
    "php", "swift", "css", "html", "sql", "cfg", "ini", "csv", "snap",
];

/// Whether a word is the path of a file or folder.
pub(super) fn is_path(word: &str) -> bool {
    let ends = word
        .rsplit_once('.')
        .is_some_and(|(stem, end)| !stem.is_empty() && !word.contains("::") && ENDS.contains(&end));
    ends || word.contains('/')
}

/// Words before a name that say what it is.
const WORDS: [&str; 14] = [
    "def",
    "class",
    "fn",
    "func",
    "function",
    "struct",
    "enum",
    "trait",
    "type",
    "const",
    "let",
    "var",
    "static",
    "interface",
];

/// At how many places a text of code says what a name is.
pub fn definitions(text: &str, name: &str) -> usize {
    let is_definition = |at: &usize| {
        let line = text[..*at].rsplit('\n').next().unwrap_or("").trim();
        let rest = text[*at + name.len()..].lines().next().unwrap_or("").trim();
        let last = line.rsplit(|letter| !is_word(letter)).next().unwrap_or("");
        let is_method = matches!(line, "" | "async" | "static" | "get" | "public")
            && rest.starts_with('(')
            && rest.ends_with('{');
        // `func (m Map) Keys(`
        let is_received = line.starts_with("func (") && line.ends_with(')');
        is_method || is_received || line.ends_with(last) && WORDS.contains(&last)
    };
    places(text, name).filter(is_definition).count()
}

/// How often a text has a name, as a whole word.
pub(super) fn occurrences(text: &str, name: &str) -> usize {
    places(text, name).count()
}

fn places<'t>(text: &'t str, name: &'t str) -> impl Iterator<Item = usize> + 't {
    let is_whole = move |at: &usize| {
        !text[..*at].ends_with(is_word) && !text[*at + name.len()..].starts_with(is_word)
    };
    let found = (!name.is_empty()).then(|| text.match_indices(name).map(|(at, _)| at));
    found.into_iter().flatten().filter(is_whole)
}

pub(super) fn is_word(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_a_name_is_defined() {
        for text in [
            "def late(task):",
            "pub fn late(&self) -> bool {",
            "func (t Task) late() bool {",
            "export const late = 3",
            "class A {\n  async late(x) {\n",
            "let late;",
        ] {
            assert_eq!(definitions(text, "late"), 1, "{text}");
        }
        for text in ["late(task)", "def is_late(task):", "x = late", "if late(x) {", "undef late"] {
            assert_eq!(definitions(text, "late"), 0, "{text}");
        }
        assert_eq!(definitions("def ä(x):\ndef ä(y):", "ä"), 2);
        assert_eq!((definitions("def f():", ""), occurrences("a a_b a", "a")), (0, 2));
        assert!(
            is_path("src/") && is_path("cart.py") && !is_path("Cart.total") && !is_path("a.py::b")
        );
    }
}
