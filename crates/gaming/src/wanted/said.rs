//! What stands around a text in quotes: whether it is wanted, shown as an example, or only told of.

use crate::args::has_word;

/// Words of a clause that wants something.
const MODALS: &[&str] = &[
    "should", "must", "has to", "have to", "shall", "may", "ought", "let", "make", "needs to",
    "want", "wants", "would", "add", "adds",
];
/// What somebody or something says, so that it is there already: "the README says", "users get".
const SAYS: &[&str] = &[
    "says",
    "said",
    "wrote",
    "writes",
    "prints",
    "printed",
    "shows",
    "showed",
    "returns",
    "returned",
    "answers",
    "answered",
    "replies",
    "replied",
    "reports",
    "reported",
    "logs",
    "logged",
    "displays",
    "displayed",
    "complains",
    "get",
    "gets",
    "got",
    "see",
    "sees",
    "saw",
    "claims",
    "states",
    "stated",
    "reads",
    "calls",
    "asks",
    "asked",
    "quotes",
    "demands",
    "requires",
    "suggested",
    "suggests",
    "proposed",
];
/// What ends with a message, or turns into something, where a text follows behind "with" or "as".
const ENDS: &[&str] = &[
    "stop",
    "stops",
    "stopped",
    "end",
    "ends",
    "ended",
    "fail",
    "fails",
    "failed",
    "crash",
    "crashes",
    "crashed",
    "panic",
    "panics",
    "panicked",
    "abort",
    "aborts",
    "die",
    "dies",
    "died",
    "exit",
    "exits",
    "respond",
    "responds",
    "reply",
    "replies",
    "answer",
    "answers",
    "show up",
    "shows up",
    "come out",
    "comes out",
    "came out",
    "appear",
    "appears",
    "turn",
    "turns",
    "greets",
    "rejected",
    "refused",
    "closed",
    "marked",
    "known",
    "called",
];
const CONDITIONS: &[&str] = &[
    "if", "when", "whenever", "where", "while", "unless", "once", "after", "before", "since",
    "although", "because", "for", "as",
];
/// Words behind which something stands as an example.
const LIKE: &[&str] = &["like", "as", "e.g.", "e.g", "example", "instance", "->", "=>", "→"];

fn has(text: &str, words: &[&str]) -> bool {
    words.iter().any(|word| has_word(text, word))
}

/// The last word of a text, in small letters.
pub(super) fn last(text: &str) -> String {
    let end = |letter: char| letter == ',' || letter == ':' || letter == '(';
    text.split_whitespace().next_back().unwrap_or_default().trim_matches(end).to_lowercase()
}

/// Whether a clause wants something.
pub(super) fn wants(clause: &str) -> bool {
    has(&clause.to_lowercase(), MODALS)
}

/// Whether a sentence begins by saying what to do: "Use decimal units, so 1500 is …".
pub(super) fn orders(sentence: &str) -> bool {
    const ORDERS: &[&str] = &[
        "add",
        "use",
        "let",
        "make",
        "support",
        "implement",
        "show",
        "print",
        "write",
        "put",
        "return",
        "give",
        "treat",
        "take",
        "accept",
        "allow",
        "introduce",
        "provide",
        "change",
        "rename",
        "replace",
        "keep",
        "store",
        "name",
        "call",
        "sort",
        "format",
        "render",
        "display",
        "report",
        "start",
        "begin",
        "end",
        "count",
        "round",
        "read",
        "parse",
        "convert",
        "send",
        "log",
        "say",
    ];
    let lower = sentence.to_lowercase();
    let mut words = lower.split_whitespace().skip_while(|word| {
        matches!(word.trim_end_matches(','), "please" | "and" | "also" | "then" | "so" | "just")
    });
    words.next().is_some_and(|word| ORDERS.contains(&word))
}

/// Whether what stands before a text in its clause says that somebody says so, or that it comes so now:
/// "The table in the README says", "the import stops with", "it shows up as".
pub(super) fn is_told(before: &str) -> bool {
    let lower = before.to_lowercase();
    if wants(before) {
        return false;
    }
    let words: Vec<&str> = lower.split_whitespace().collect();
    let is_of_it = words.iter().rev().nth(1).is_some_and(|word| matches!(*word, "that" | "which"));
    let last = last(before);
    SAYS.contains(&last.as_str()) && !is_of_it
        || matches!(last.as_str(), "with" | "as" | "in" | "into" | "by" | "at" | "on")
            && has(&lower, ENDS)
}

/// Whether what stands before a text in its clause makes it part of a condition: "When the status is".
pub(super) fn is_condition(before: &str) -> bool {
    let lower = before.to_lowercase();
    let mut words =
        lower.split_whitespace().skip_while(|word| matches!(*word, "and" | "but" | "so"));
    !wants(before) && words.next().is_some_and(|word| CONDITIONS.contains(&word))
}

/// Whether a text behind these words is one of several that are meant: "lines that begin with".
pub(super) fn is_of_inputs(before: &str) -> bool {
    const BEGINS: &[&str] = &[
        "begin",
        "begins",
        "start",
        "starts",
        "end",
        "ends",
        "contain",
        "contains",
        "beginning",
        "starting",
        "ending",
    ];
    let lower = before.to_lowercase();
    let words: Vec<&str> = lower.split_whitespace().collect();
    let Some(at) = words.iter().rposition(|word| BEGINS.contains(word)) else { return false };
    let is_near = words.len() - at <= 2;
    is_near
        && words[..at]
            .iter()
            .rev()
            .take(2)
            .any(|word| matches!(*word, "that" | "which" | "lines" | "names" | "files"))
}

/// Whether a text stands as an example behind such words, alone or with others: "like `a` or `b`".
pub(super) fn is_like(before: &str) -> bool {
    let plain = super::clauses::quoted(before).1;
    let end = |letter: char| letter.is_whitespace() || ",:(\u{1}".contains(letter);
    let mut rest = plain.trim_end_matches(end);
    while let Some(shorter) = ["and", "or"].iter().find_map(|word| rest.strip_suffix(word)) {
        rest = shorter.trim_end_matches(end);
    }
    LIKE.contains(&last(rest).as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// G63: what somebody says is not what is wanted.
    #[test]
    fn texts_that_are_only_told_of() {
        for before in [
            "The table in the README says",
            "A customer wrote",
            "since March the import stops the list with",
            "Umlauts show up as",
            "uploads are refused with",
        ] {
            assert!(is_told(before), "{before}");
        }
        for before in [
            "The error should say",
            "which says",
            "it has to end with",
            "Let it show up as",
            "Prices are",
        ] {
            assert!(!is_told(before), "{before}");
        }
        assert!(is_condition("When the status is") && is_condition("and if it is"));
        assert!(!is_condition("If it is empty it should print"));
        assert!(is_of_inputs("skip lines that begin with") && !is_of_inputs("It should end with"));
    }

    #[test]
    fn texts_that_are_shown() {
        for before in ["names like", "such as `a` or", "e.g."] {
            assert!(is_like(before), "{before}");
        }
        assert!(!is_like("run") && !is_like("the line") && !is_like(""));
    }
}
