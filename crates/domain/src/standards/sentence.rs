//! What a section asks for, in one sentence.

/// The longest requirement, in characters.
pub const MAX_REQUIREMENT: usize = 140;

/// Words with a full stop that ends no sentence.
const ABBREVIATIONS: [&str; 12] = [
    "e.g.", "i.e.", "etc.", "vs.", "cf.", "approx.", "no.", "fig.", "sec.", "incl.", "resp.", "mr.",
];

/// The first sentence of a text, in up to 140 characters.
pub(super) fn requirement(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let mut end = words.len();
    for (at, word) in words.iter().enumerate() {
        let next = words.get(at + 1).and_then(|next| next.chars().next());
        if ends(word) && !next.is_some_and(char::is_lowercase) {
            end = at + 1;
            break;
        }
    }
    shortened(&words[..end])
}

/// Words in up to 140 characters; what is longer is cut after a word.
pub(super) fn shorten(text: &str) -> String {
    shortened(&text.split_whitespace().collect::<Vec<_>>())
}

fn shortened(words: &[&str]) -> String {
    let text = words.join(" ");
    if text.chars().count() <= MAX_REQUIREMENT {
        return text;
    }
    let start: String = text.chars().take(MAX_REQUIREMENT - 1).collect();
    let goes_on = !text[start.len()..].starts_with(' ');
    let kept = match start.rfind(' ') {
        Some(space) if goes_on => &start[..space],
        _ => &start[..],
    };
    format!("{}…", kept.trim_end_matches([' ', ',', ';', ':']))
}

/// Whether a sentence may end with this word.
fn ends(word: &str) -> bool {
    let bare = word.trim_end_matches(['"', '\'', ')', ']', '”', '’', '*', '_']);
    let stop = bare.ends_with(['.', '!', '?', '。', '！', '？', '…']);
    let initial = bare.chars().count() == 2 && bare.starts_with(char::is_uppercase);
    let short = bare.trim_start_matches(['(', '"', '“', '[']).to_lowercase();
    stop && !ABBREVIATIONS.contains(&short.as_str()) && !(initial && bare.ends_with('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        assert_eq!(requirement(text), expected);
    }

    /// CX-03: the requirement is the first sentence, in up to 140 characters.
    #[test]
    fn the_first_sentence_is_the_requirement() {
        check("Keep it short. Then stop.", "Keep it short.");
        check("No full stop", "No full stop");
        check("Use e.g. Rust 1.95 or later. Not C.", "Use e.g. Rust 1.95 or later.");
        check("Ask (see above). Then go", "Ask (see above).");
        check("Is it? Yes.", "Is it?");
        check("Use .NET. and so on. End", "Use .NET. and so on.");
        check("Ask J. Doe. Then go.", "Ask J. Doe.");
        check("短い文。 次の文。", "短い文。");
        check("  many \n spaces\there.  ", "many spaces here.");
        check("", "");
        let word = "w".repeat(200);
        check(&word, &format!("{}…", "w".repeat(139)));
        let words = vec!["word"; 40].join(" ");
        check(&words, &format!("{}…", ["word"; 28].join(" ")));
        check(&format!("{}é", "é ".repeat(69)), &format!("{}é", "é ".repeat(69)));
        check(&format!("{}, and {words}", "a".repeat(130)), &format!("{}, and…", "a".repeat(130)));
        check(&format!("{}, {words}", "a".repeat(136)), &format!("{}…", "a".repeat(136)));
    }
}
