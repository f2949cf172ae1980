//! The names of headings in addresses, as GitHub makes them.

use std::collections::{BTreeMap, BTreeSet};

/// The name of a heading before it is made unique: small letters, digits, marks and `_` stay,
/// spaces become `-`, everything else goes.
pub(super) fn slug(title: &str) -> String {
    let joiner = |letter: char| matches!(letter, '\u{200c}' | '\u{200d}');
    title
        .to_lowercase()
        .chars()
        .filter_map(|letter| match letter {
            ' ' | '-' => Some('-'),
            letter if regex_syntax::is_word_character(letter) && !joiner(letter) => Some(letter),
            _ => None,
        })
        .collect()
}

/// Makes the names of one document unique: the second `usage` is `usage-1`.
#[derive(Debug, Default)]
pub(super) struct Slugs {
    taken: BTreeSet<String>,
    counts: BTreeMap<String, usize>,
}

impl Slugs {
    pub(super) fn unique(&mut self, title: &str) -> String {
        let base = slug(title);
        let count = self.counts.entry(base.clone()).or_default();
        let mut name = if *count == 0 { base.clone() } else { format!("{base}-{count}") };
        while self.taken.contains(&name) {
            *count += 1;
            name = format!("{base}-{count}");
        }
        *count += 1;
        self.taken.insert(name.clone());
        name
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(title: &str, expected: &str) {
        assert_eq!(slug(title), expected, "{title}");
    }

    /// CX-03: names of headings are those that GitHub links to.
    #[test]
    fn names_are_those_of_github() {
        check("Handler Constraints", "handler-constraints");
        check("  Two  spaces ", "--two--spaces-");
        check("What's new? (2.0)", "whats-new-20");
        check("snake_case & kebab-case", "snake_case--kebab-case");
        check("C++ / C#", "c--c");
        check("Über Größe ÉTÉ", "über-größe-été");
        check("日本語 の 見出し", "日本語-の-見出し");
        check("हिन्दी शीर्षक", "हिन्दी-शीर्षक");
        check("🚀 Launch", "-launch");
        check(":rocket: Launch", "rocket-launch");
        check("1. First", "1-first");
        check("a\tb", "ab");
        check("½ ² Ⅳ", "--ⅳ");
        check("!!!", "");
    }

    #[test]
    fn the_same_name_is_counted() {
        let mut slugs = Slugs::default();
        let found: Vec<String> =
            ["A", "a", "A 1", "a-1", "a", "", ""].map(|title| slugs.unique(title)).into();
        assert_eq!(found, ["a", "a-1", "a-1-1", "a-1-2", "a-2", "", "-1"]);
    }

    #[test]
    fn many_of_the_same_name_are_counted_quickly() {
        let mut slugs = Slugs::default();
        for number in 0..20_000 {
            let name = slugs.unique("a");
            assert_eq!(name, if number == 0 { "a".to_owned() } else { format!("a-{number}") });
        }
    }
}
