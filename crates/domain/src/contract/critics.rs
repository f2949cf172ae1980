//! What critics ask. No command answers that: whoever reads the work does, and these are the questions.

use std::collections::BTreeMap;
use std::sync::LazyLock;

static KNOWN: LazyLock<BTreeMap<&'static str, Vec<&'static str>>> =
    LazyLock::new(|| read(include_str!("../../data/contract/critics.txt")));

/// The questions of a critic; none where a project has a critic of its own.
pub fn questions(critic: &str) -> &'static [&'static str] {
    KNOWN.get(critic).map(Vec::as_slice).unwrap_or_default()
}

fn read(text: &'static str) -> BTreeMap<&'static str, Vec<&'static str>> {
    let mut known: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let mut name = "";
    for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        match line.strip_prefix("  ") {
            Some(question) => known.entry(name).or_default().push(question),
            None => name = line,
        }
    }
    known
}

#[cfg(test)]
mod tests {
    use super::*;

    /// VC-03, VC-08: every critic that the shipped rules call for has something to ask.
    #[test]
    fn critics_of_the_shipped_rules_have_questions() {
        let rules = include_str!("../../data/contract/activities.yaml");
        let lists = rules.split("critics: [").skip(1).filter_map(|rest| rest.split(']').next());
        let names: Vec<&str> = lists.flat_map(|list| list.split(", ")).collect();
        assert!(names.len() > 20, "{names:?}");
        for name in names {
            assert!(!questions(name).is_empty(), "{name} asks nothing");
        }
        assert!(questions("of-a-project").is_empty());
        assert!(KNOWN.values().flatten().all(|question| question.ends_with('?')));
    }
}
