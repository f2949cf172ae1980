//! Whether a task asks for what a rule finds, in words.
//!
//! One clause must have a word of every group and no word that says no: "don't skip tests" asks
//! for nothing.

/// A task's words, clause by clause.
#[derive(Debug, Clone, Default)]
pub struct Words<'t> {
    clauses: Vec<(&'t str, Vec<String>)>,
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

/// Texts of tasks are short; what comes after this many bytes asks for nothing.
const LONGEST: usize = 64 * 1024;

impl<'t> Words<'t> {
    pub fn of(task: &'t str) -> Self {
        let mut end = task.len().min(LONGEST);
        while !task.is_char_boundary(end) {
            end -= 1;
        }
        let clauses = task[..end].split(['.', ';', ',', '\n', '!', '?', ':', '(', ')']);
        // A full stop inside of a name (`a.py`) cuts a clause in two, which only loses a request.
        let clauses = clauses.flat_map(|clause| clause.split(" but "));
        let clauses = clauses.map(|clause| (clause.trim(), words(clause)));
        Self { clauses: clauses.filter(|(_, words)| !words.is_empty()).collect() }
    }

    /// The first clause that has a word of every group.
    pub(super) fn clause(&self, groups: Option<&str>, names: &[&str]) -> Option<&'t str> {
        let groups: Vec<Vec<&str>> = groups?
            .split('+')
            .map(|group| group.split_whitespace().collect::<Vec<_>>())
            .filter(|group| !group.is_empty())
            .collect();
        let named: Vec<String> = names.iter().flat_map(|name| name_words(name)).collect();
        let fits = |words: &[String]| {
            groups.iter().all(|group| {
                group.iter().any(|wanted| match *wanted {
                    "*" => named.iter().any(|name| words.contains(name)),
                    wanted => words.iter().any(|word| word == wanted),
                })
            })
        };
        let asks =
            |words: &[String]| !words.iter().any(|word| NO.contains(&word.as_str())) && fits(words);
        let found = self.clauses.iter().find(|(_, words)| asks(words));
        found.map(|(clause, _)| *clause)
    }
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

/// The words of a name that mean something: `tests/test_csv_export.py` is about csv and export.
fn name_words(name: &str) -> Vec<String> {
    const EMPTY: &[&str] = &[
        "test", "tests", "spec", "specs", "src", "crates", "lib", "main", "packages", "py", "rs",
        "js", "ts", "tsx", "jsx", "go", "the", "and", "for", "with", "that", "when", "should",
        "returns", "from", "into", "does", "will", "has", "are", "can", "fix", "add", "new",
        "make", "pkg",
    ];
    let mut all = Vec::new();
    for piece in name.split(|letter: char| !letter.is_alphanumeric()) {
        let mut word = String::new();
        let mut was_small = false;
        for letter in piece.chars() {
            if letter.is_uppercase() && was_small {
                all.push(std::mem::take(&mut word));
            }
            was_small = letter.is_lowercase() || letter.is_numeric();
            word.extend(letter.to_lowercase());
        }
        all.push(word);
    }
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
