//! What a task says about being equal: what counts, and what doesn't.

/// The sentences of a task, each in words.
pub(super) struct Sentences(Vec<Vec<String>>);

/// A sentence with one of these says that something makes no difference.
const IGNORES: &[&str] = &[
    "ignore",
    "ignored",
    "ignores",
    "ignoring",
    "regardless",
    "irrespective",
    "except",
    "without",
    "different",
    "differ",
    "differs",
    "differing",
    "differently",
    "otherwise",
    "matter",
    "matters",
    "disregard",
    "exclude",
    "excluded",
    "excluding",
    "leave",
    "skip",
    "not",
    "no",
    "don't",
    "doesn't",
    "shouldn't",
    "only",
    "whatever",
    "never",
    "drop",
    "remove",
];
const COMPARES: &[&str] = &[
    "equal",
    "equals",
    "equality",
    "compare",
    "compares",
    "compared",
    "comparing",
    "comparison",
    "same",
    "identical",
    "duplicate",
    "duplicates",
    "partialeq",
    "__eq__",
    "identity",
    "identified",
    "identifies",
    "identify",
    "equivalent",
    "interchangeable",
    "distinguish",
    "distinguishes",
    "distinguished",
];
const COUNTS: &[&str] = &["length", "lengths", "len", "count", "counts", "size", "sizes", "many"];

impl Sentences {
    pub(super) fn of(task: &str) -> Self {
        let lower = task.to_lowercase();
        let sentences = lower.split_inclusive(['.', ';', '\n', '!', '?']);
        let words = |text: &str| -> Vec<String> {
            let all = text.split(|l: char| !(l.is_alphanumeric() || l == '_' || l == '\''));
            all.filter(|word| !word.is_empty()).map(str::to_owned).collect()
        };
        // "Compare by day, the value may be another" says it all before the comma.
        let head = |text: &str| {
            let (head, rest) = text.split_once(", ")?;
            let goes_on = has(&words(rest), &["and", "also", "too", "well", "both"]);
            (!goes_on).then(|| words(head))
        };
        let sentences = sentences.take(1_000);
        Self(sentences.flat_map(|text| [Some(words(text)), head(text)]).flatten().collect())
    }

    /// Whether a sentence says that a field makes no difference.
    pub(super) fn ignores(&self, field: &str) -> bool {
        // "the same book, even if the titles are not"
        let is_even = |words: &[String]| {
            let is_pair =
                |pair: &[String]| pair[0] == "even" && ["if", "when"].contains(&pair[1].as_str());
            words.windows(2).any(is_pair)
        };
        let ignores = |words: &[String]| has(words, IGNORES) || is_even(words);
        self.0.iter().any(|words| ignores(words) && names(words, field))
    }

    /// Whether a sentence is about what is equal to what.
    pub(super) fn is_about_equality(&self) -> bool {
        const MORE: &[&str] =
            &["eq", "hash", "hashable", "comparable", "match", "matches", "unique", "distinct"];
        self.0.iter().any(|words| has(words, COMPARES) || has(words, MORE))
    }

    /// Whether a sentence says by a word of its own that things are equal; "the same" says many things.
    pub(super) fn names_equality(&self) -> bool {
        const MORE: &[&str] = &["eq", "hash", "hashable", "comparable"];
        let is_named = |word: &String| {
            let word = word.as_str();
            word != "same" && COMPARES.contains(&word) || MORE.contains(&word)
        };
        self.0.iter().any(|words| words.iter().any(is_named))
    }

    /// Whether the task wants all of something to be looked at: "in every field".
    pub(super) fn is_about_all(&self) -> bool {
        const ALL: &[&str] = &["every", "all", "whole", "each", "everything", "entire", "fully"];
        self.0.iter().any(|words| has(words, ALL))
    }

    /// "Build metadata doesn't matter, everything else does."
    pub(super) fn counts_the_rest(&self) -> bool {
        self.0.iter().any(|words| {
            words.windows(3).any(|three| {
                matches!(three[0].as_str(), "everything" | "all")
                    && three[1] == "else"
                    && matches!(three[2].as_str(), "does" | "counts" | "matters" | "is")
            })
        })
    }

    /// Whether a sentence lists what things are equal by: all that is compared, and nothing else.
    pub(super) fn compares_by(&self, kept: &[&String], missing: &[&String]) -> bool {
        !kept.is_empty()
            && self.0.iter().any(|words| {
                has(words, COMPARES)
                    && kept.iter().all(|field| names(words, field))
                    && !missing.iter().any(|field| names(words, field))
            })
    }

    /// Whether the task wants numbers of things to be compared.
    pub(super) fn counts(&self) -> bool {
        self.0.iter().any(|words| has(words, COMPARES) && has(words, COUNTS))
    }
}

fn has(words: &[String], known: &[&str]) -> bool {
    words.iter().any(|word| known.contains(&word.as_str()))
}

/// Whether words name a field, in one of its forms: `align` by "alignment", `id` by "ids".
fn names(words: &[String], field: &str) -> bool {
    let field = field.to_lowercase();
    let field = field.trim_matches('_');
    let is_form = |word: &str, part: &str| {
        let (short, long) = if word.len() < part.len() { (word, part) } else { (part, word) };
        word == part
            || long.strip_suffix('s') == Some(short)
            || short.len() > 3 && long.starts_with(short)
    };
    let mut parts = field.split('_').filter(|part| part.len() > 2);
    words.iter().any(|word| is_form(word, field))
        || parts.any(|part| field.contains('_') && words.iter().any(|word| is_form(word, part)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_makes_no_difference() {
        let task = Sentences::of("Ignore the ids, and a different alignment. Compare the cells.");
        assert!(task.ignores("id") && task.ignores("align") && !task.ignores("cells"));
        let task = Sentences::of("Users are equal if they have the same email");
        let (email, name) = ("email".to_owned(), "name".to_owned());
        assert!(task.compares_by(&[&email], &[&name]) && !task.compares_by(&[&name], &[&email]));
    }
}
