//! Names that say nothing.

use super::finding::Finding;
use super::source::Source;

const RULE: &str = "names";

/// Words that fit everything and so name nothing.
const EMPTY: &[&str] = &["manager", "service", "helper", "util", "handler", "processor"];

/// What comes before a name that is being given.
const GIVES: &[&str] = &["struct", "enum", "union", "trait", "type", "mod", "fn", "macro_rules!"];

/// No type, module or function has an empty name, and no function begins with `get_`.
pub(crate) fn check(source: &Source<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    if source.is_rust() {
        let stem = source.path.rsplit('/').next().unwrap_or("").trim_end_matches(".rs");
        findings.extend(
            judge("mod", stem).map(|(what, fix)| Finding::new(RULE, (source.path, 1), what, fix)),
        );
    }
    for (number, line) in source.lines_for(RULE) {
        for (giver, name) in given(&line.code) {
            findings.extend(
                judge(giver, name)
                    .map(|(what, fix)| Finding::new(RULE, (source.path, number), what, fix)),
            );
        }
    }
    findings
}

/// What is wrong with a name and what to do, if anything is.
fn judge(giver: &str, name: &str) -> Option<(String, &'static str)> {
    if let Some(word) = words(name).find(|word| is_empty(word)) {
        let what = format!("`{name}` has the empty word `{word}` in it");
        return Some((what, "name the thing after what it is or does; see docs/GLOSSARY.md"));
    }
    if giver == "fn" && name.starts_with("get_") {
        let what = format!("`{name}` begins with `get_`");
        return Some((what, "leave the `get_` out, or say what it does: read, find, parse"));
    }
    None
}

fn is_empty(word: &str) -> bool {
    let word = word.to_lowercase();
    EMPTY.contains(&word.as_str()) || EMPTY.contains(&word.trim_end_matches('s'))
}

/// The names that a line of code gives, each with the keyword before it.
fn given(code: &str) -> impl Iterator<Item = (&str, &str)> {
    let tokens: Vec<&str> = code.split_whitespace().collect();
    let pairs: Vec<(&str, &str)> = tokens
        .windows(2)
        .filter(|pair| GIVES.contains(&pair[0].trim_start_matches('(')))
        .map(|pair| {
            let ends = |letter: char| !(letter.is_alphanumeric() || letter == '_');
            let name = pair[1].trim_start_matches("r#");
            (pair[0], name.split(ends).next().unwrap_or(""))
        })
        .collect();
    pairs.into_iter()
}

/// The words of `a_name` or `AName`.
fn words(name: &str) -> impl Iterator<Item = &str> {
    let mut starts: Vec<usize> = vec![0];
    let letters: Vec<(usize, char)> = name.char_indices().collect();
    for pair in letters.windows(2) {
        let turns = pair[1].1.is_uppercase() && !pair[0].1.is_uppercase();
        if turns || pair[0].1 == '_' {
            starts.push(pair[1].0);
        }
    }
    let ends: Vec<usize> = starts.iter().skip(1).copied().chain([name.len()]).collect();
    starts.into_iter().zip(ends).map(|(start, end)| name[start..end].trim_matches('_'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn count(text: &str) -> usize {
        check(&Source::new("crates/a/src/lib.rs", text)).len()
    }

    #[test]
    fn empty_names_fail() {
        for bad in [
            "pub struct SessionManager;",
            "pub(crate) enum ServiceKind {",
            "trait EventHandler {}",
            "mod utils;",
            "pub mod util {",
            "async fn run_helper() {",
            "type Processors = Vec<A>;",
            "macro_rules! handler_of {",
            "fn get_session(&self) -> A {",
        ] {
            assert_eq!(count(bad), 1, "{bad}");
        }
        let source = Source::new("crates/a/src/helpers.rs", "//! Things.\n");
        assert_eq!(check(&source).len(), 1);
    }

    #[test]
    fn names_that_say_something_pass() {
        for good in [
            "pub struct Session;",
            "fn handle(event: Event) {}",
            "fn get(&self) -> A {",
            "fn budget_of(a: A) {",
            "fn utility_of(a: A) {",
            "impl ServerHandler for Server {",
            "use rmcp::ServerHandler;",
            "// struct SessionManager",
            "let a = \"struct SessionManager\";",
            "let a: fn() = b;",
            "// tidy: allow names: a trait of another crate names it\nfn get_info(&self) -> A {",
        ] {
            assert_eq!(count(good), 0, "{good}");
        }
    }

    #[test]
    fn names_fall_into_words() {
        let split = |name| words(name).map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(split("SessionManager"), ["Session", "Manager"]);
        assert_eq!(split("a_long_name"), ["a", "long", "name"]);
        assert_eq!(split("Été_Service"), ["Été", "Service"]);
        assert_eq!(split(""), [""]);
    }
}
