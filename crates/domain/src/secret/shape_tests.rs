//! Patterns: what they fit, what is refused, and that regular expressions mean the same.

use proptest::prelude::*;
use regex::bytes::RegexBuilder;

use super::*;

/// Where the pattern fits with its key at `at`.
fn fit(pattern: &str, text: &str, at: usize) -> Option<Fit> {
    Shape::parse(pattern).unwrap().fit(text.as_bytes(), at, &mut Runs::default())
}

#[track_caller]
fn check(pattern: &str, text: &str, expected: Option<&str>) {
    let secret = fit(pattern, text, 0).map(|fit| &text[fit.secret]);
    assert_eq!(secret, expected, "{pattern} {text}");
}

#[test]
fn patterns_fit_what_they_say() {
    check("ab", "ab c", Some("ab"));
    check("ab", "ac", None);
    check("a[0-9]{2,4}", "a123 ", Some("a123"));
    check("a[0-9]{2,4}", "a1", None);
    check("a[^x]{2}", "abc", Some("abc"));
    check(r"\w{3}\.\d\s\x2d", "a_1.5 -", Some("a_1.5 -"));
    check("a(?:b|cd)?e", "ae", Some("ae"));
    check("a(?:b|cd)?e", "acde", Some("acde"));
    check("(?:a|ab)c", "abc", Some("abc"));
    check("(?:ab){2,3}!", "abababab!", None);
    check("(?:ab){2,3}!", "ababab!", Some("ababab!"));
    check("key=([a-z]{3});", "key=abc;", Some("abc"));
    check("(?i)Key=([a-z]{3})", "kEY=aBc", Some("aBc"));
    check("ab$", "ab", Some("ab"));
    check("ab$", "ab ", None);
    check("x(?&uuid)", &format!("x{}-2-3", "1".repeat(8)), None);
}

/// SE-04: a token ends where its length says, and is not the beginning of a longer word.
#[test]
fn what_goes_on_is_something_else() {
    check("a[0-9]{3}", "a123", Some("a123"));
    check("a[0-9]{3}", "a1234", None);
    check("a[0-9]{3}", "a123b", None);
    check("a[0-9]{3}", "a123_", None);
    check("a[0-9]{3}", "a123-", Some("a123-").map(|_| "a123"));
    check("a[0-9-]{3}", "a123-", None);
    check("a[0-9]{3,2000}", &format!("a{}b", "1".repeat(20)), Some("a11111111111111111111"));
}

#[test]
fn what_stands_before_the_key_is_read_backwards() {
    let whole = |text: &str, at| fit(r"[0-9]{2,3}x()key[0-9]{2}", text, at).map(|fit| fit.whole);
    assert_eq!(whole("12xkey34", 3), Some(0..8));
    assert_eq!(whole("-123xkey34", 5), Some(1..10));
    assert_eq!(whole("1xkey34", 2), None);
    assert_eq!(whole("1234xkey34", 5), None);
    assert_eq!(whole("key34", 0), None);
}

#[track_caller]
fn refuse(pattern: &str, at: usize, what: &str) {
    let (found, why) = Shape::parse(pattern).unwrap_err();
    assert!(why.contains(what) && found == at, "{pattern}: {found} {why}");
}

/// SE-04: a pattern that could take long, or that means two things, is refused with its place.
#[test]
fn patterns_that_could_take_long_are_refused() {
    refuse("a*", 1, "needs an end");
    refuse("a+b", 1, "needs an end");
    refuse("[a-z]{2,4}b", 0, "begins with");
    refuse("[a-z]{2,4}(?:b|1)", 0, "begins with");
    refuse("(?:[a-z]{1,2}){2}", 0, "begins with");
    refuse("(?i)[a-z]{2,4}B", 0, "begins with");
    refuse("x{70000}", 8, "up to 65536");
    refuse("(?:x){9}", 8, "up to 8");
    refuse("x{2}{2}", 4, "can't be repeated");
    refuse("a|b", 1, "alternatives");
    refuse("(a)(b)", 0, "one `(…)`");
    refuse("(?:(a)){2}", 0, "one `(…)`");
    refuse("(?:a|b)()c", 0, "before `()`");
    refuse("a?", 0, "nothing at all");
    refuse("", 0, "nothing at all");
    refuse("(?:a", 0, "not closed");
    refuse("a)", 1, "closes nothing");
    refuse("[a", 0, "not closed");
    refuse("[z-a]", 1, "range");
    refuse("a.b", 1, "write `\\`");
    refuse(r"\q", 2, "only w, d, s");
    refuse(r"\xz", 2, "two hexadecimal");
    refuse("(?=a)", 1, "only `(?:`");
    refuse("(?&nothing)", 0, "no part");
    refuse("x{3,2}", 6, "smaller number first");
    refuse("x{,2}", 2, "number is missing");
    refuse("ä", 0, "plain ASCII");
    refuse("?", 0, "nothing here to repeat");
    refuse(&"(?:".repeat(7), 18, "too deep");
    refuse(&format!("(?:{}c)", "a|".repeat(90)), 0, "alternatives");
    refuse(&"a".repeat(700), 0, "shorten it");
}

/// A text that a hostile person made is read once for each stretch, not once for each key.
#[test]
fn long_stretches_are_read_once() {
    let text = "key-".repeat(50_000);
    let shape = Shape::parse("key[a-z-]{10,60000}!").unwrap();
    let mut runs = Runs::default();
    let starts = (0..text.len()).step_by(4);
    assert!(starts.into_iter().all(|at| shape.fit(text.as_bytes(), at, &mut runs).is_none()));
    assert_eq!(runs.known.len(), 1);
    assert_eq!(runs.known[0].1, 3..text.len());
}

/// The signs are none that a word could go on with, so that only the pattern decides.
fn pattern() -> impl Strategy<Value = String> {
    let set =
        prop_oneof![Just("!"), Just("#"), Just("%"), Just("[!#]"), Just("[^#]"), Just("[!%]")];
    let often = prop_oneof![
        Just(String::new()),
        Just("?".to_owned()),
        (1usize..4).prop_map(|n| format!("{{{n}}}")),
        (0usize..3, 1usize..3).prop_map(|(n, more)| format!("{{{n},{}}}", n + more)),
    ];
    let leaf = (set, often.clone()).prop_map(|(set, often)| format!("{set}{often}"));
    leaf.prop_recursive(3, 12, 3, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 1..4).prop_map(|parts| parts.concat()),
            (prop::collection::vec(inner, 1..4), often.clone())
                .prop_map(|(choices, often)| format!("(?:{}){often}", choices.join("|"))),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    /// Whatever a pattern fits, the regular expression of the same spelling fits too; and where
    /// that fits a whole text, the pattern does.
    #[test]
    fn regular_expressions_mean_the_same(pattern in pattern(), text in "[!#%]{0,12}") {
        if let Ok(shape) = Shape::parse(&pattern) {
            let whole = RegexBuilder::new(&format!("^(?:{pattern})$")).unicode(false).build().unwrap();
            let fit = shape.fit(text.as_bytes(), 0, &mut Runs::default());
            match &fit {
                Some(fit) => prop_assert!(whole.is_match(&text.as_bytes()[fit.whole.clone()])),
                None => prop_assert!(!whole.is_match(text.as_bytes())),
            }
        }
    }
}
