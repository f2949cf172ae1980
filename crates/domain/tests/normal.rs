//! CX-04, CX-05, D4.2: texts are made alike, and mean the same afterwards.

use countersign_domain::normal::{
    MAX_FIELD, Pointer, VERSION, WIDTH, bounded, normalise, normalise_item, oversized,
};
use countersign_domain::task::Place;

#[track_caller]
fn check(text: &str, expected: &str) {
    assert_eq!(normalise(text), expected, "{text:?}");
    assert_eq!(normalise(expected), expected, "twice: {text:?}");
}

/// What is normal already stays as it is.
#[track_caller]
fn stays(text: &str) {
    check(text, text);
}

/// `count` words of four letters.
fn words(count: usize) -> String {
    vec!["word"; count].join(" ")
}

/// Each file is a text that lost something to the rules of the source, and none here.
#[test]
fn what_used_to_break_stays_whole() {
    for text in [
        include_str!("normal/list-after-paragraph.md"),
        include_str!("normal/headings.md"),
        include_str!("normal/code-with-comments.md"),
        include_str!("normal/two-paragraphs.md"),
        include_str!("normal/bullets.md"),
        include_str!("normal/everything.md"),
    ] {
        stays(text);
        check(&text.replace('\n', "\r\n"), text);
        check(&text.replace('\n', "\r"), text);
    }
}

/// CX-04: ends are lf and there is one.
#[test]
fn ends_are_lf_and_there_is_one() {
    check("", "");
    check("\n\n", "");
    check(" \t\r\n", "");
    check("a", "a\n");
    check("a\r\n\r\n\r\nb\r", "a\n\nb\n");
    check("\n\n  a\n \n\t\n\nb  \n\n", "a\n\nb\n");
    assert_eq!(normalise_item("a\n\n- b\n\n"), "a\n\n- b");
    assert_eq!(normalise_item(""), "");
    assert_eq!((VERSION, WIDTH), (1, 120));
}

/// CX-04: paragraphs are wrapped on words.
#[test]
fn paragraphs_are_wrapped_on_words() {
    let line = words(24);
    assert_eq!(line.len(), 119);
    check("a\nb\n  c\n\nd", "a b c\n\nd\n");
    check(&words(30), &format!("{line}\n{}\n", words(6)));
    check(&format!("{line}\n{line}"), &format!("{line}\n{line}\n"));
    check(&format!("{} x {}", words(23), "y"), &format!("{} x y\n", words(23)));
    stays(&format!("{}\n", "a".repeat(500)));
    let address = format!("https://example.com/{}", "a-b/".repeat(50));
    check(&format!("see {address} there"), &format!("see\n{address}\nthere\n"));
    check(&format!("{line} well-known-word"), &format!("{line}\nwell-known-word\n"));
    // A column is a character, however wide or long it is.
    check(
        &vec!["äöü語"; 30].join(" "),
        &format!("{}\n{}\n", ["äöü語"; 24].join(" "), ["äöü語"; 6].join(" ")),
    );
    check("a\u{a0}b  c\td", "a\u{a0}b c d\n");
}

/// CX-04: code links and html are not broken.
#[test]
fn code_links_and_html_are_not_broken() {
    let line = words(23);
    check(&format!("{line} `a  b c`"), &format!("{line}\n`a  b c`\n"));
    check(&format!("{line} [x](y \"a  b\")"), &format!("{line}\n[x](y \"a  b\")\n"));
    check(&format!("{line} a <b c='d  e'>"), &format!("{line}\na <b c='d  e'>\n"));
    check(&format!("{line} $a  b$"), &format!("{line}\n$a  b$\n"));
    check("a `b\nc` d", "a `b c` d\n");
    stays("a `b\n  c` d\n");
    stays("a <b\nc> d\n");
    stays("a [b](c\n\"d\") e\n");
    check("[a\nb](c) d", "[a b](c) d\n");
}

/// CX-04: hard breaks are kept.
#[test]
fn hard_breaks_are_kept() {
    check("a  \nb\\\nc", "a  \nb\\\nc\n");
    check("a       \nb", "a  \nb\n");
    check("a \\\n b\nc", "a \\\nb c\n");
    stays("a  \n      - b\n");
}

/// CX-04: no line begins a block that was none.
#[test]
fn no_line_begins_a_block_that_was_none() {
    let line = words(24);
    for mark in [
        "-", "+", "*", "1.", "2024.", "7)", "#", "##", "---", "***", "===", ">", ">x", "<div>",
        "<!--", "|", ":", "```", "~~~", "[^1]:", "--|--", "- - -", "_", "__", "#tag", "$$",
    ] {
        let text = normalise(&format!("{line} {mark} {line} {mark} {line}\n"));
        for found in text.lines() {
            assert!(found.starts_with("word"), "{mark}: {text}");
        }
        assert!(text.contains(&format!("word {mark} word")), "{mark}: {text}");
    }
    stays("[a]: b 'c' d\n");
    let line = words(30);
    stays(&format!("[a]: b 'c' {line}\n"));
    let text = normalise(&format!("{} a\\ {line}\n", words(23)));
    assert!(text.contains("a\\ word"), "no line ends with a backslash: {text}");
}

/// CX-04: other blocks are kept line by line.
#[test]
fn other_blocks_are_kept_line_by_line() {
    let long = words(40);
    for text in [
        format!("- {long}\n  {long}\n"),
        format!("1. {long}\n\n\n   {long}\n2. b\n"),
        format!("> {long}\n> b\nlazy\n"),
        format!("# {long}\n"),
        format!("{long}\n---\n"),
        "a\nb\n===\n".to_owned(),
        format!("| a | {long} |\n|---|---|\n| b | c |\n"),
        format!("<div>\n{long}\n   x\n</div>\n"),
        format!("    {long}\n\n\n    # code\n"),
        format!("~~~ x\n{long}\n\n\n# y\n~~~\n"),
        "[a]: b\n[c]: d\n\n[a] [c]\n".to_owned(),
        format!("a[^1]\n\n[^1]: {long}\n"),
        format!("Term\n: {long}\n"),
        format!("---\na: {long}\n---\n\nb\n"),
        "* a\n* * *\n* b\n".to_owned(),
        "a\n- b\n- c\n\nd\n".to_owned(),
        "# a\nb\n```\nc\n```\nd\n".to_owned(),
        "- [ ] a\n- [x] b\n".to_owned(),
    ] {
        stays(&text);
    }
}

/// CX-04: odd characters are kept.
#[test]
fn odd_characters_are_kept() {
    for text in [
        "a\0b\n",
        "a\u{202e}b\n",
        "a\u{85}b\u{2028}c\u{b}d\u{c}e\n",
        "\u{feff}a\n",
        "\u{1b}[31m\n",
        "a \u{b}\nb\n",
    ] {
        stays(text);
    }
}

/// CX-04: large texts are read.
#[test]
fn large_texts_are_read() {
    let mega = 1024 * 1024;
    stays(&format!("{}\n", "a".repeat(mega)));
    check(
        &"a ".repeat(mega / 2),
        &format!(
            "{}{}\n",
            format!("{}\n", vec!["a"; 60].join(" ")).repeat(8738),
            ["a"; 8].join(" ")
        ),
    );
    for part in [
        "\n", "a\n\n", "- a\n", "> ", "[", "*a ", "`", "<", "a\n---\n", "# a\n", "| a ", "![a](",
        "- ",
    ] {
        let text = normalise(&part.repeat(30_000 / part.len()));
        assert_eq!(normalise(&text), text, "{part:?}");
    }
}

fn from() -> Pointer<'static> {
    Pointer { file: "tasks/X.task.yaml", place: Place { line: 20, column: 3 }, key: "description" }
}

#[track_caller]
fn check_cut(text: &str, max: usize, expected: &str) {
    let (cut, warning) = bounded(text, max, from());
    assert_eq!(cut, expected);
    assert_eq!(warning.is_some(), text.len() > max);
    assert_eq!(normalise(&cut), cut, "it is normal");
}

/// CX-05: a text over 2 KiB warns, and is cut with a pointer to its source.
#[test]
fn long_texts_are_cut_and_say_where_the_rest_is() {
    let see = "… see tasks/X.task.yaml#L20\n";
    check_cut("short\n", 2048, "short\n");
    check_cut(&format!("{}\n", "a".repeat(2047)), 2048, &format!("{}\n", "a".repeat(2047)));
    check_cut("one two three four five six\n", 24, see);
    check_cut(
        "one two three four five six and some more words\n",
        45,
        &format!("one two three\n\n{see}"),
    );
    check_cut("one two, three four five six and more words\n", 42, &format!("one two,\n\n{see}"));
    check_cut(&"ä".repeat(40), 50, &format!("{}\n\n{see}", "ä".repeat(9)));
    check_cut(
        "```sh\na b c d e f g h i j k l m n o p q r s t\n```\n",
        48,
        &format!("```sh\na b c\n```\n\n{see}"),
    );
    let warning =
        oversized(&"a".repeat(2049), MAX_FIELD, from()).map(|warning| warning.to_string());
    assert_eq!(
        warning.as_deref(),
        Some(
            "tasks/X.task.yaml:20:3: description: it has 2049 bytes, and more than 2048 are hard \
             to take in; write the most important first, and move the rest into a document"
        )
    );
    assert_eq!(oversized(&"a".repeat(2048), MAX_FIELD, from()), None);
}
