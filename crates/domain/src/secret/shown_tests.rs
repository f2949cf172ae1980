//! What a terminal shows, in examples.

use super::*;

fn shown(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    each_shown(text.as_bytes(), |piece| {
        found.push(String::from_utf8_lossy(&piece.text).into_owned());
        assert_eq!(piece.text.len(), piece.places.len(), "{text:?}");
    });
    found
}

#[test]
fn colours_are_left_out() {
    let mut places = Vec::new();
    let text = "plain\na\x1b[1;31mb\x1b[0mc\n\u{9b}0mx\x1b]8;;http://y\x07z\x1b]8;;\x1b\\!\x1b";
    each_shown(text.as_bytes(), |piece| places.push((piece.place(0..2), piece.cuts.clone())));
    assert_eq!(shown(text), ["abc", "xz!\x1b"]);
    assert_eq!(&text[places[0].0.clone()], "a\x1b[1;31mb\x1b[0m");
    assert_eq!(places[0].1, [1, 2]);
    for text in ["", "\x1b", "\x1b[", "\x1b[1", "\x1b]", "\u{9b}", "\x08", "\r", "\u{fffd}"] {
        shown(text);
    }
    assert_eq!(shown("a\u{fffd}[31mb\u{fffd}[0mc"), ["abc"]);
}

/// What goes back in a line is told both ways: one after the other, and as it is drawn.
#[test]
fn lines_are_drawn() {
    for (text, expected) in [
        ("abx\u{8}c", &["abxc", "abc"][..]),
        ("abx\u{8} \u{8}c", &["abx c", "abc"]),
        ("xyz\rab", &["xyzab", "abz"]),
        ("xyz\r\u{1b}[Kab", &["xyzab", "ab"]),
        ("xyz\u{1b}[2Dab", &["xyzab", "xab"]),
        ("xyz\r\u{1b}[Cab", &["xyzab", "xab"]),
        ("\u{8}é\u{8}è\r", &["éè", "è"]),
        ("one\r\ntwo\r\n", &[]),
    ] {
        assert_eq!(shown(text), expected, "{text:?}");
    }
}

/// A part that was drawn over stands where all of it stood.
#[test]
fn what_was_drawn_is_found_where_it_stood() {
    let text = b"..abx\x08cd..\r++";
    let piece = drawn(text, 0..text.len());
    assert_eq!(piece.text, b"++abcd..");
    assert_eq!(piece.place(2..6), 2..8);
    assert_eq!(piece.place(0..2), 11..13);
}

#[track_caller]
fn check(text: &str, expected: Option<&str>) {
    let start = text.find("-----BEGIN").unwrap();
    assert!(is_key(text.as_bytes(), start));
    let piece = key(text.as_bytes(), start, text.len());
    let found = piece.as_ref().map(|piece| str::from_utf8(&piece.text).unwrap());
    assert_eq!(found, expected, "{text:?}");
    if let Some(piece) = piece {
        assert_eq!(piece.text.len(), piece.places.len());
        assert!(piece.places.is_sorted() && piece.whole.end <= text.len(), "{piece:?}");
    }
}

#[test]
fn what_stands_before_the_lines_of_a_key_is_left_out() {
    let (begin, end) = ("-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----");
    let whole = format!("{begin}\nabc\n1d=\n{end}\n");
    check(&whole, None);
    check(&format!(" 9 | {begin}\n10 | abc\n11 | 1d=\n12 | {end}\nmore\n"), Some(&whole));
    check(&format!("│ {begin} │\n│ abc │\n│ 1d= │\n│ {end} │\n"), Some(&whole));
    let log = ["1:07 web | ", "1:08 web | "];
    let lines = format!("{0}{begin}\n{0}abc\n{1}1d=\n{1}{end}\n", log[0], log[1]);
    check(&lines, Some(&whole));
    let coloured = format!("\x1b[2m1|\x1b[0m {begin}\n\x1b[2m2|\x1b[0m abc\n3| 1d=\n4| {end}\n");
    check(&coloured, Some(&whole));
    // Without an end, as far as it goes.
    check(&format!("> {begin}\n> abc"), Some(&format!("{begin}\nabc\n")));
}
