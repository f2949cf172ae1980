//! Texts of a task, made alike on all machines without changing what they say.
//!
//! - Ends of lines become LF, and a text ends with exactly one.
//! - Plain paragraphs are wrapped at 120 columns, at spaces; a column is one Unicode character.
//!   Words, addresses, code and hyphens are never broken, and neither is a hard break.
//! - Several blank lines between blocks become one; none is added where there was none.
//! - Everything else is kept as it was written, line by line: lists, headings, code, tables,
//!   quotes, HTML, definitions of links. A `#` line is a heading or code, and no comment: those
//!   of YAML never come here.
//! - No character is taken out: control characters and the like are for who shows a text.
//!
//! What is a paragraph is decided by CommonMark and by its usual extensions; where they
//! disagree, nothing is touched. The result is read back: if it didn't mean the same, the
//! paragraphs stay as they were.

mod blocks;
mod bounded;
mod meaning;
mod wrap;

pub use bounded::{MAX_FIELD, Pointer, bounded, oversized};

/// The version of these rules. A context names it, so that another result can be explained.
pub const VERSION: u32 = 1;

/// The longest line of a paragraph, in characters.
pub const WIDTH: usize = 120;

/// The text, normalised. It ends with one newline; an empty text stays empty.
pub fn normalise(text: &str) -> String {
    let text = unix(text);
    let pages = blocks::read(&text);
    let wrapped = blocks::write(&text, &pages, |source, atoms| wrap::wrap(source, atoms, WIDTH));
    let plain = || blocks::write(&text, &pages, |_, _| None);
    let same = |new: &String| meaning::is_same(&text, new);
    Some(wrapped)
        .filter(same)
        .or_else(|| Some(plain()).filter(same))
        .unwrap_or_else(|| trimmed(&text))
}

/// An item of a list, normalised: as a text, but without a newline at its end.
pub fn normalise_item(text: &str) -> String {
    let mut text = normalise(text);
    text.truncate(text.trim_end_matches('\n').len());
    text
}

/// The text with LF at the ends of its lines.
pub(crate) fn unix(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\r', "\n")
}

/// The text without blank lines at its beginning and its end, and with one newline.
fn trimmed(text: &str) -> String {
    let blank = |line: &&str| line.trim_matches([' ', '\t']).is_empty();
    let lines = text.trim_end_matches('\n').split('\n');
    let after = lines.clone().rev().take_while(blank).count();
    let before = lines.clone().take_while(blank).count();
    let kept = lines.clone().count().saturating_sub(before + after);
    lines.skip(before).take(kept).flat_map(|line| [line, "\n"]).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Pieces of Markdown, in no sensible order.
    fn markdown() -> impl Strategy<Value = String> {
        let piece = prop::sample::select(vec![
            "word",
            "words and more",
            "a",
            "é語",
            " ",
            "  ",
            "\n",
            "\n\n",
            "\n\n\n",
            "  \n",
            "\\\n",
            "\t",
            "- ",
            "* ",
            "+ ",
            "1. ",
            "2) ",
            "# ",
            "## ",
            "> ",
            "```",
            "~~~",
            "---",
            "===",
            "***",
            "`",
            "``",
            "*",
            "**",
            "_",
            "~~",
            "[",
            "]",
            "](x)",
            "](x \"a b\")",
            "][y]",
            "[y]: /z",
            "!",
            "<b>",
            "</b>",
            "<div>",
            "<!--",
            "-->",
            "<https://a.b>",
            "https://example.com/a?b=c",
            "|",
            "|---|",
            "--|--",
            ":",
            "[^1]",
            "[^1]:",
            "$",
            "$$",
            "\\",
            "&amp;",
            "    ",
            "[ ] ",
            "!!!",
            "+++",
            "=",
            "-",
            "<a b='c  d'>",
            "one two three four five six seven eight nine ten eleven twelve thirteen",
        ]);
        prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]

        /// D4.2: the rules alone keep the meaning; the check that follows is for what we don't
        /// know of.
        #[test]
        fn wrapping_alone_keeps_the_meaning(text in markdown(), width in 1_usize..60) {
            let text = unix(&text);
            let wrap = |source: &str, atoms: &_| wrap::wrap(source, atoms, width);
            let wrapped = blocks::write(&text, &blocks::read(&text), wrap);
            for dialect in blocks::DIALECTS {
                let (before, after) = (meaning::of(&text, dialect), meaning::of(&wrapped, dialect));
                prop_assert_eq!(before, after, "{:?}", wrapped);
            }
            let again = blocks::write(&wrapped, &blocks::read(&wrapped), wrap);
            prop_assert_eq!(again, wrapped);
        }

        #[test]
        fn twice_is_as_good_as_once(text in markdown()) {
            let once = normalise(&text);
            prop_assert_eq!(normalise(&once), once);
        }
    }
}
