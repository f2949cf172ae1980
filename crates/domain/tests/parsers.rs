//! CX-02, CX-03: no file, however broken, panics or hangs what reads it, and a mistake is always
//! told at a place that is in the file.

use countersign_domain::mistake::utf8;
use countersign_domain::scope::{Globs, Scope};
use countersign_domain::snapshot::PathText;
use countersign_domain::standards::{Documents, Mapping, resolve, sections, stale};
use countersign_domain::task::{Mistake, Place, Status, Task, with_status};
use proptest::prelude::*;

const FILES: [&str; 5] = [
    include_str!("task/full.task.yaml"),
    include_str!("task/wrong.task.yaml"),
    include_str!("../../../docs/examples/standards.yaml"),
    include_str!("../../../docs/examples/scope-globs.yaml"),
    include_str!("normal/everything.md"),
];

/// What may be put anywhere into a file.
const BITS: [&str; 40] = [
    "\t",
    "\n",
    "\r\n",
    "\r",
    " ",
    "  ",
    "- ",
    ": ",
    ":",
    "#",
    " #",
    "&a ",
    "*a",
    "*",
    "!x ",
    "!!str ",
    "|",
    ">-",
    "|2",
    "\"",
    "'",
    "[",
    "]",
    "{",
    "}",
    ",",
    "? ",
    "---\n",
    "...\n",
    "%YAML 1.1\n",
    "<<: ",
    "\u{feff}",
    "\0",
    "\u{202e}",
    "\u{85}",
    "\u{2028}",
    "é語",
    "id: ",
    "status: ",
    "\u{7f}",
];

#[derive(Debug, Clone)]
enum Edit {
    Insert(usize, &'static str),
    Remove(usize, usize),
    Repeat(usize, usize),
}

fn edits() -> impl Strategy<Value = Vec<Edit>> {
    let at = 0_usize..2_000;
    let edit = prop_oneof![
        (at.clone(), prop::sample::select(BITS.to_vec()))
            .prop_map(|(at, bit)| Edit::Insert(at, bit)),
        (at.clone(), 1_usize..40).prop_map(|(at, length)| Edit::Remove(at, length)),
        (at, 1_usize..60).prop_map(|(at, length)| Edit::Repeat(at, length)),
    ];
    prop::collection::vec(edit, 0..6)
}

fn edited(file: &str, edits: &[Edit]) -> String {
    let mut letters: Vec<char> = file.chars().collect();
    for edit in edits {
        let within = |at: usize| if letters.is_empty() { 0 } else { at % letters.len() };
        match *edit {
            Edit::Insert(at, bit) => {
                let at = within(at);
                letters.splice(at..at, bit.chars());
            }
            Edit::Remove(at, length) => {
                let at = within(at);
                letters.drain(at..(at + length).min(letters.len()));
            }
            Edit::Repeat(at, length) => {
                let at = within(at);
                let piece = letters[at..(at + length).min(letters.len())].to_vec();
                letters.splice(at..at, piece);
            }
        }
    }
    letters.into_iter().collect()
}

fn texts() -> impl Strategy<Value = String> {
    let bits = prop::collection::vec(prop::sample::select(BITS.to_vec()), 0..60);
    prop_oneof![
        4 => (prop::sample::select(FILES.to_vec()), edits()).prop_map(|(file, edits)| edited(file, &edits)),
        1 => bits.prop_map(|bits| bits.concat()),
        1 => any::<String>(),
    ]
}

/// Every mistake has a place in the text and says what to do.
fn check_places<T>(text: &str, result: &Result<T, Vec<Mistake>>) -> Result<(), TestCaseError> {
    let Err(mistakes) = result else { return Ok(()) };
    prop_assert!(!mistakes.is_empty());
    let lines = text.split('\n').count() + text.matches('\r').count();
    for Mistake { place: Place { line, column }, what, fix, .. } in mistakes {
        prop_assert!((1..=lines + 1).contains(line) && *column >= 1, "{line}:{column} in {text:?}");
        prop_assert!(!what.is_empty() && !fix.is_empty());
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    /// CX-02: any file is read or told to be wrong.
    #[test]
    fn any_file_is_read_or_told_to_be_wrong(text in texts()) {
        let task = Task::parse(&text, "t.yaml");
        check_places(&text, &task)?;
        check_places(&text, &with_status(&text, "t.yaml", Status::Done))?;
        let mapping = Mapping::parse(&text, "m.yaml");
        check_places(&text, &mapping)?;
        let globs = Globs::parse(&text, "g.yaml");
        check_places(&text, &globs)?;
        if let Ok((task, _)) = task {
            let mapping = mapping.unwrap_or_else(|_| Mapping::none());
            let documents: Documents = [("standards/global.md".to_owned(), text.clone())].into();
            if let Ok(citations) = resolve(&task, &mapping, &documents) {
                prop_assert_eq!(stale(&citations, &documents), []);
            }
            let globs = globs.unwrap_or_else(|_| Globs::none());
            let paths: Vec<PathText> = text.lines().map(PathText::from).collect();
            check_places(&text, &Scope::of(&task, &globs, &paths))?;
        }
    }

    /// CX-02: sections cover the lines from their heading.
    #[test]
    fn sections_cover_the_lines_from_their_heading(text in texts()) {
        let lines = text.replace("\r\n", "\n").replace('\r', "\n").lines().count();
        for section in sections(&text) {
            let span = section.line_span;
            prop_assert!(1 <= span.first && span.first <= span.last && span.last <= lines);
            prop_assert!(section.requirement.chars().count() <= 140);
            prop_assert_eq!(span.to_string().parse(), Ok(span));
        }
    }

    /// CX-02: bytes are text or told.
    #[test]
    fn bytes_are_text_or_told(bytes: Vec<u8>) {
        match utf8("a", &bytes) {
            Ok(text) => prop_assert_eq!(text.as_bytes(), &bytes[..]),
            Err(mistake) => prop_assert!(mistake.place >= Place::START),
        }
    }
}

/// Large files, made to be slow.
#[test]
fn large_files_are_read() {
    let large = |part: &str| part.repeat(100_000 / part.len());
    for part in [
        "a",
        "a\n",
        "\n",
        " ",
        "- ",
        "- a\n",
        "a: b\n",
        "[",
        "{",
        "[a,",
        "? ",
        "&a ",
        "&a [",
        "*a ",
        "|\n",
        "\"",
        "'",
        "#\n",
        "a: ",
        "{a: ",
        "!a ",
        "---\n",
        "a:\n - b\n",
        "\t",
        "\0",
        "x-a: &a [a]\n",
        "%a\n",
        "- - - - a\n",
    ] {
        for head in ["", "id: a\n", "x-a: &a [b, c]\nx-b: [", "description: |\n  "] {
            let text = format!("{head}{}", large(part));
            let told = Task::parse(&text, "t.yaml").err().map_or(0, |mistakes| mistakes.len());
            assert!((1..=101).contains(&told), "{head:?} {part:?}");
        }
    }
    for part in
        ["# a\n", "a\n=\n", "######\n", "# a b c\n\nd. e\n\n", "- # a\n", "> # a\n", "# `", "#"]
    {
        let text = part.repeat(100_000 / part.len());
        assert!(sections(&text).len() <= text.len());
    }
}
