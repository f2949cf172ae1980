//! Whether a task asks for what a rule finds, in words.
//!
//! One clause must have a word of every group and no word that says no: "don't skip tests" asks
//! for nothing.

use super::name;

/// A task's words, clause by clause.
#[derive(Debug, Clone, Default)]
pub struct Words<'t> {
    clauses: Vec<Clause<'t>>,
}

#[derive(Debug, Clone)]
struct Clause<'t> {
    text: &'t str,
    words: Vec<String>,
    /// Words of the sentence before, where this clause says no more than "it".
    meant: Vec<String>,
}

const NO: &[&str] = &[
    "not",
    "no",
    "never",
    "without",
    "dont",
    "cannot",
    "cant",
    "mustnt",
    "shouldnt",
    "avoid",
    "keep",
    "unchanged",
    "nor",
    "neither",
];

/// What stands for something that was named before.
const POINTS: &[&str] = &["it", "them", "this", "that", "those", "these"];

/// Texts of tasks are short; what comes after this many bytes asks for nothing.
const LONGEST: usize = 64 * 1024;

impl<'t> Words<'t> {
    pub fn of(task: &'t str) -> Self {
        let mut end = task.len().min(LONGEST);
        while !task.is_char_boundary(end) {
            end -= 1;
        }
        let mut clauses = Vec::new();
        let mut before: Vec<String> = Vec::new();
        for sentence in split(&task[..end], &['.', '!', '?', '\n']) {
            for text in split(sentence, &[';', ',', ':', '(', ')']) {
                for text in text.split(" but ") {
                    let words = words(text);
                    let points = words.iter().any(|word| POINTS.contains(&word.as_str()));
                    let meant = if points { before.clone() } else { Vec::new() };
                    clauses.push(Clause { text: text.trim(), words, meant });
                }
            }
            before = words(sentence);
        }
        clauses.retain(|clause| !clause.words.is_empty());
        Self { clauses }
    }

    /// The first clause that has a word of every group.
    pub(super) fn clause(&self, groups: Option<&str>, names: &[&str]) -> Option<&'t str> {
        self.clause_where(groups, names, &|_| true)
    }

    /// The first such clause of which something else holds, too.
    pub(super) fn clause_where(
        &self,
        groups: Option<&str>,
        names: &[&str],
        is_meant: &dyn Fn(&str) -> bool,
    ) -> Option<&'t str> {
        let groups: Vec<Vec<&str>> = groups?
            .split('+')
            .map(|group| group.split_whitespace().collect::<Vec<_>>())
            .filter(|group| !group.is_empty())
            .collect();
        let own: Vec<String> = names.iter().flat_map(|name| own_words(name)).collect();
        let fits = |clause: &Clause<'_>| {
            groups.iter().all(|group| {
                group.iter().any(|wanted| match *wanted {
                    "*" => own.iter().any(|name| {
                        let mut said = clause.words.iter().chain(&clause.meant);
                        said.any(|word| is_one_or_many(name, word))
                    }),
                    wanted => clause.words.iter().any(|word| word == wanted),
                })
            })
        };
        let denies =
            |clause: &Clause<'_>| clause.words.iter().any(|word| NO.contains(&word.as_str()));
        let mut asked = self.clauses.iter().filter(|clause| !denies(clause) && fits(clause));
        let found = asked.find(|clause| is_meant(clause.text));
        found.map(|clause| clause.text)
    }
}

/// The parts between some signs. A sign inside of a name (`a.py`, `Stock::report`) parts nothing.
fn split<'t>(text: &'t str, signs: &'static [char]) -> impl Iterator<Item = &'t str> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let text = rest?;
        let parts = |(at, sign): &(usize, char)| {
            let after = text[at + sign.len_utf8()..].chars().next();
            let is_open = matches!(sign, '(' | ')' | '\n' | ';');
            signs.contains(sign) && (is_open || after.is_none_or(char::is_whitespace))
        };
        let found = text.char_indices().find(parts);
        rest = found.map(|(at, sign)| &text[at + sign.len_utf8()..]);
        Some(found.map_or(text, |(at, _)| &text[..at]))
    })
}

pub(super) fn clause<'t>(task: &'t str, groups: Option<&str>, names: &[&str]) -> Option<&'t str> {
    Words::of(task).clause(groups, names)
}

/// Words in lower case; an apostrophe is left out and a hyphen belongs to its word.
fn words(text: &str) -> Vec<String> {
    let text = text.replace(['\'', '’'], "").to_lowercase();
    let ends = |letter: char| !(letter.is_alphanumeric() || letter == '-' || letter == '_');
    text.split(ends).filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// Whether two words are the same, or one is the other one's plural.
fn is_one_or_many(name: &str, word: &str) -> bool {
    let adds = |many: &str, one: &str| many.strip_suffix('s') == Some(one);
    name == word || adds(name, word) || adds(word, name)
}

/// The words of a name that mean something: `tests/test_csv_export.py` is about csv and export.
fn own_words(text: &str) -> Vec<String> {
    const EMPTY: &[&str] = &[
        "test", "tests", "spec", "specs", "src", "crates", "lib", "main", "packages", "py", "rs",
        "js", "ts", "tsx", "jsx", "go", "the", "and", "for", "with", "that", "when", "should",
        "returns", "from", "into", "does", "will", "has", "are", "can", "fix", "add", "new",
        "make", "pkg",
    ];
    let mut all = name::words(text);
    all.retain(|word| word.len() > 2 && !EMPTY.contains(&word.as_str()));
    all
}

#[cfg(test)]
mod tests {
    use crate::gaming::Rule;

    #[track_caller]
    fn check(rule: Rule, task: &str, names: &[&str], asked: bool) {
        assert_eq!(rule.asked_for(task, names).is_some(), asked, "{rule} {task:?} {names:?}");
    }

    /// D2.1: words lower a finding only if the task means it.
    #[test]
    fn a_task_asks_by_naming_it() {
        check(Rule::G02, "Skip the flaky tests on Windows", &[], true);
        check(Rule::G02, "Make the parser faster", &[], false);
        check(Rule::G02, "Fix add. Don't skip tests.", &[], false);
        check(Rule::G02, "Fix the bug without skipping any test", &[], false);
        check(Rule::G02, "Users can skip the tutorial", &[], false);
        check(Rule::G01, "Remove the CSV export", &["tests/test_csv.py", "test_writes"], true);
        check(Rule::G01, "Remove trailing spaces", &["tests/test_csv.py", "test_writes"], false);
        check(Rule::G01, "Remove Stock::report and its data.", &["tests/report.rs", "a"], true);
        check(
            Rule::G01,
            "mean() is unused and in the way. Delete it.",
            &["a", "mean_of_all"],
            true,
        );
        check(Rule::G01, "Remove tips, with their tests.", &["a", "test_tip_is_rounded"], true);
        check(Rule::G01, "Drop `filter`, nobody uses it.", &["a", "filters_in_order"], true);
        check(Rule::G01, "The mean is wrong. Delete the cache.", &["a", "mean_of_all"], false);
        check(Rule::G16, "Update the snapshots after the new layout", &[], true);
        check(Rule::G16, "Fix the date parser", &["ui/__snapshots__/a.snap"], false);
        check(Rule::G46, "Change the countersign settings", &["countersign.toml"], false);
        check(Rule::G44, "Make the lint job of the CI workflow optional", &[], true);
    }

    #[test]
    fn hostile_tasks_take_bounded_time() {
        let long = "é".repeat(100_000);
        check(Rule::G01, &long, &[&long], false);
    }
}
