//! What the rules mean: `data/gaming/rules.txt`, read once.

use std::sync::OnceLock;

use super::finding::Severity;
use super::rule::Rule;

const FILE: &str = include_str!("../../data/gaming/rules.txt");

/// One rule of the file. What the file lacks is empty; a test sees to it that it lacks nothing.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Entry {
    id: &'static str,
    pub(super) title: &'static str,
    pub(super) is: &'static str,
    pub(super) like: &'static str,
    pub(super) advice: &'static str,
    pub(super) severity: Severity,
    pub(super) reason: &'static str,
    pub(super) proof: Option<&'static str>,
    pub(super) asked: Option<&'static str>,
}

static EMPTY: Entry = Entry {
    id: "",
    title: "",
    is: "",
    like: "",
    advice: "",
    severity: Severity::Warn,
    reason: "",
    proof: None,
    asked: None,
};

pub(super) fn entry(rule: Rule) -> &'static Entry {
    static ENTRIES: OnceLock<Vec<Entry>> = OnceLock::new();
    let entries = ENTRIES.get_or_init(|| read(FILE));
    entries.iter().find(|entry| entry.id == rule.id()).unwrap_or(&EMPTY)
}

fn read(text: &'static str) -> Vec<Entry> {
    let mut entries: Vec<Entry> = Vec::new();
    for line in text.lines() {
        let told = line.trim();
        if told.is_empty() || told.starts_with('#') || told.starts_with("version ") {
            continue;
        }
        if !line.starts_with(' ') {
            let (id, title) = told.split_once(' ').unwrap_or((told, ""));
            entries.push(Entry { id, title, ..Entry::default() });
        } else if let (Some(entry), Some((key, value))) = (entries.last_mut(), told.split_once(':'))
        {
            set(entry, key, value.trim());
        }
    }
    entries
}

fn set(entry: &mut Entry, key: &str, value: &'static str) {
    match key {
        "is" => entry.is = value,
        "like" => entry.like = value,
        "do" => entry.advice = value,
        "proof" => entry.proof = Some(value),
        "asked" => entry.asked = Some(value),
        "level" => {
            let (level, reason) = value.split_once(", because ").unwrap_or((value, ""));
            entry.severity = if level == "info" { Severity::Info } else { Severity::Warn };
            entry.reason = reason;
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A line with a key that nobody reads would be lost silently.
    #[test]
    fn every_line_of_the_file_is_read() {
        let known = ["is", "like", "do", "level", "proof", "asked"];
        for line in FILE.lines().filter(|line| line.starts_with(' ')) {
            let key = line.trim().split(':').next().unwrap_or("");
            assert!(known.contains(&key), "{line}");
        }
        for line in FILE.lines().filter(|line| line.trim().starts_with("level:")) {
            let good =
                line.contains("level: warn, because ") || line.contains("level: info, because ");
            assert!(good, "{line}");
        }
        let entries = read(FILE);
        let ids: Vec<&str> = entries.iter().map(|entry| entry.id).collect();
        let wanted: Vec<&str> = Rule::ALL.iter().map(|rule| rule.id()).collect();
        assert_eq!(ids, wanted);
    }
}
