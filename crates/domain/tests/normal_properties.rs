//! CX-04, D4.2: what holds for the normaliser with any text.

use countersign_domain::normal::{Pointer, WIDTH, bounded, normalise};
use countersign_domain::task::Place;
use proptest::prelude::*;
use pulldown_cmark::{Event, Options, Parser};

/// Any text, texts made of what means something in Markdown, and real texts cut into pieces.
fn texts() -> impl Strategy<Value = String> {
    let real = [
        include_str!("normal/everything.md"),
        include_str!("normal/code-with-comments.md"),
        include_str!("normal/list-after-paragraph.md"),
        include_str!("normal/bullets.md"),
    ]
    .concat();
    let pieces: Vec<String> = real.split_inclusive([' ', '\n']).map(str::to_owned).collect();
    let mixed = prop::collection::vec(prop::sample::select(pieces), 0..80);
    prop_oneof![
        any::<String>(),
        "[a-c \\n\\r\\t\\\\`*_#>|~<!\\[\\]():.1+=$&-]{0,200}",
        "([a-zé]{1,12} ){0,100}",
        mixed.prop_map(|pieces| pieces.concat()),
        (prop::collection::vec(any::<u8>(), 0..200))
            .prop_map(|bytes| String::from_utf8_lossy(&bytes).into_owned()),
    ]
}

/// What a text is rendered to, with spaces and ends of lines alike, one item per event.
fn rendered(text: &str, options: Options) -> Vec<String> {
    let alike = |text: &str| text.split([' ', '\t', '\n']).collect::<String>();
    let mut said = vec![String::new()];
    for event in Parser::new_ext(text, options) {
        match event {
            Event::Text(text) | Event::Code(text) | Event::Html(text) | Event::InlineHtml(text) => {
                if let Some(last) = said.last_mut() {
                    last.push_str(&alike(&text));
                }
            }
            Event::SoftBreak => {}
            Event::HardBreak => said.push("break".to_owned()),
            Event::Start(tag) => said.extend([format!("<{:?}>", tag.to_end()), String::new()]),
            Event::End(tag) => said.extend([format!("</{tag:?}>"), String::new()]),
            _ => said.push("other".to_owned()),
        }
    }
    said
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    /// CX-04: it is normal and says the same.
    #[test]
    fn it_is_normal_and_says_the_same(text in texts()) {
        let normal = normalise(&text);
        prop_assert_eq!(&normalise(&normal), &normal, "twice is as good as once");
        prop_assert!(!normal.contains('\r'));
        prop_assert!(normal.is_empty() || normal.ends_with('\n') && !normal.ends_with("\n\n"));
        // Only white space changes.
        let letters = |text: &str| text.split([' ', '\t', '\n', '\r']).collect::<String>();
        prop_assert_eq!(letters(&normal), letters(&text));
        let unix = text.replace("\r\n", "\n").replace('\r', "\n");
        let tables = Options::ENABLE_TABLES | Options::ENABLE_TASKLISTS | Options::ENABLE_FOOTNOTES;
        for options in [Options::empty(), tables] {
            prop_assert_eq!(rendered(&normal, options), rendered(&unix, options));
        }
    }

    /// CX-04: plain words fit the width.
    #[test]
    fn plain_words_fit_the_width(words in prop::collection::vec("[a-zé語]{1,30}", 1..200)) {
        let normal = normalise(&words.join(" "));
        prop_assert!(normal.lines().all(|line| line.chars().count() <= WIDTH));
        prop_assert_eq!(normal.split_whitespace().collect::<Vec<_>>(), words);
        // No line could have taken the first word of the next.
        let lines: Vec<&str> = normal.lines().collect();
        for pair in lines.windows(2) {
            let first = pair[1].split(' ').next().unwrap_or_default();
            prop_assert!(pair[0].chars().count() + 1 + first.chars().count() > WIDTH);
        }
    }

    /// CX-04: what is cut is short and a beginning.
    #[test]
    fn what_is_cut_is_short_and_a_beginning(text in texts(), max in 0_usize..300) {
        let place = Place { line: 7, column: 1 };
        let from = Pointer { file: "a.yaml", place, key: "description" };
        let (cut, warning) = bounded(&text, max, from);
        prop_assert_eq!(warning.is_some(), text.len() > max);
        if warning.is_some() {
            let see = "… see a.yaml#L7\n";
            prop_assert!(cut.len() <= max.max(see.len()), "{} of {max}: {cut}", cut.len());
            prop_assert!(cut.ends_with(see));
            let kept = cut.strip_suffix(see).unwrap_or_default().trim_end();
            let kept = kept.trim_end_matches(['`', '~']).trim_end();
            prop_assert!(text.starts_with(kept), "{kept:?}");
        } else {
            prop_assert_eq!(cut, text);
        }
    }
}
