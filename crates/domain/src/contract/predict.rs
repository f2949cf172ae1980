//! Which files a task will change: those that its words name, and those that similar work changed.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How many files are expected at most, and how many words and commits are looked at.
const MAX_EXPECTED: usize = 20;
const MAX_WORDS: usize = 2_000;
const MAX_LIKE: usize = 20;
/// Files of a folder that is named, and files that one name may stand for.
const MAX_OF_FOLDER: usize = 5;
const MAX_OF_NAME: usize = 4;
/// A commit that touched more files than this was about no one thing.
const MAX_FILES: usize = 30;
/// How alike words must be, and how many votes a file needs.
const LIKE: f64 = 0.25;
const VOTES: f64 = 0.4;

/// Why a file is expected to change.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Source {
    /// A person said so.
    User,
    /// The task names its path.
    Named,
    /// The task names something that the file is called after.
    Symbol,
    /// Similar work changed it.
    History,
}

/// A file that is expected to change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Expected {
    pub path: String,
    pub source: Source,
    /// The words of the task, or of the work, that speak for it.
    pub because: String,
}

/// Work that was done before.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct History {
    /// The newest first: what it was about, and the files that it changed.
    pub commits: Vec<(String, Vec<String>)>,
}

/// The files that a task is expected to change, the surest first.
pub fn predict(task: &str, paths: &[&str], history: &History) -> Vec<Expected> {
    let known = Known::of(paths);
    let mut found = Found::default();
    let words: Vec<&str> = words(task).take(MAX_WORDS).collect();
    let names = Names::of(&known.paths, &words);
    for word in words {
        named(word, &known, &names, &mut found);
    }
    for path in known.paths.iter().filter(|path| path.contains(' ')) {
        let name = path.rsplit('/').next().unwrap_or(path);
        if stands_in(task, path) || (name.contains(' ') && stands_in(task, name)) {
            found.add(path, Source::Named, name);
        }
    }
    from_history(task, &known, history, &mut found);
    found.files.truncate(MAX_EXPECTED);
    found.files.sort_by(|a, b| (a.source, &a.path).cmp(&(b.source, &b.path)));
    found.files
}

#[derive(Default)]
struct Found {
    files: Vec<Expected>,
    seen: BTreeSet<String>,
}

impl Found {
    fn add(&mut self, path: &str, source: Source, because: &str) {
        if self.seen.insert(path.to_owned()) {
            let because = crate::yaml::shown(because);
            self.files.push(Expected { path: path.to_owned(), source, because });
        }
    }
}

/// The files that there are, in order. Git lists them so, and then nothing is sorted.
struct Known<'a> {
    paths: Cow<'a, [&'a str]>,
}

impl<'a> Known<'a> {
    fn of(paths: &'a [&'a str]) -> Self {
        let mut paths = Cow::Borrowed(paths);
        if !paths.is_sorted() {
            paths.to_mut().sort_unstable();
        }
        Self { paths }
    }

    fn has(&self, path: &str) -> bool {
        self.paths.binary_search(&path).is_ok()
    }

    fn below(&self, folder: &str) -> impl Iterator<Item = &'a str> {
        let at = self.paths.partition_point(|path| *path < folder);
        let rest = self.paths.get(at..).unwrap_or_default();
        rest.iter().copied().take_while(move |path| path.starts_with(folder))
    }
}

/// The files that words could stand for: by their names, and by their names without an ending, as
/// plain letters.
struct Names<'a> {
    files: BTreeMap<&'a str, Vec<&'a str>>,
    stems: BTreeMap<String, Vec<&'a str>>,
}

impl<'a> Names<'a> {
    fn of(paths: &[&'a str], words: &[&'a str]) -> Self {
        let symbols = words.iter().filter(|word| is_symbol(word)).map(|word| plain(last_of(word)));
        let mut names = Self {
            files: words.iter().map(|word| (path_of(word), Vec::new())).collect(),
            stems: symbols.map(|symbol| (symbol, Vec::new())).collect(),
        };
        // Most names can be told from the words by their first letter.
        let firsts: BTreeSet<char> = names.stems.keys().filter_map(|s| s.chars().next()).collect();
        let may_be = |stem: &str| {
            let first = stem.chars().find(|letter| letter.is_alphanumeric());
            first.is_some_and(|first| first.to_lowercase().any(|first| firsts.contains(&first)))
        };
        for path in paths {
            let name = path.rsplit('/').next().unwrap_or(path);
            if let Some(files) = names.files.get_mut(name) {
                files.push(path);
            }
            let stem = name.split('.').next().unwrap_or(name);
            if stem.len() >= 4
                && may_be(stem)
                && let Some(files) = names.stems.get_mut(&plain(stem))
            {
                files.push(path);
            }
        }
        names
    }
}

/// A name without what tells `dark-mode`, `dark_mode` and `DarkMode` apart.
fn plain(name: &str) -> String {
    let letters = name.chars().filter(|letter| letter.is_alphanumeric());
    letters.flat_map(char::to_lowercase).collect()
}

/// The words of a text that could name something, without the marks around them.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let ends = |letter: char| letter.is_whitespace() || "`'\"(),;<>[]{}|".contains(letter);
    text.split(ends)
        .map(|word| word.trim_end_matches(['.', ':', '!', '?', '*']).trim_start_matches(['*', '@']))
        .filter(|word| !word.is_empty())
}

/// `src/a.rs:12` is a line of src/a.rs.
fn path_of(word: &str) -> &str {
    word.split(':').next().unwrap_or(word).trim_start_matches("./")
}

/// Whether a text has a name, and not as a part of a longer one.
fn stands_in(text: &str, name: &str) -> bool {
    let is_end = |letter: Option<char>| letter.is_none_or(|letter| !letter.is_alphanumeric());
    text.match_indices(name).any(|(at, _)| {
        is_end(text[..at].chars().next_back()) && is_end(text[at + name.len()..].chars().next())
    })
}

fn named(word: &str, known: &Known<'_>, names: &Names<'_>, found: &mut Found) {
    // As paths are written on Windows.
    let turned = word.contains('\\').then(|| word.replace('\\', "/"));
    let path = path_of(turned.as_deref().unwrap_or(word));
    if known.has(path) {
        return found.add(path, Source::Named, word);
    }
    if path.contains('/') {
        let folder = format!("{}/", path.trim_end_matches('/'));
        let end = format!("/{path}");
        let mut few: Vec<&str> = known.below(&folder).take(MAX_OF_FOLDER + 1).collect();
        if few.is_empty() {
            few = known.paths.iter().copied().filter(|file| file.ends_with(&end)).take(3).collect();
        }
        // A folder with many files says only where, and its first files stand for it.
        for file in few.into_iter().take(MAX_OF_FOLDER) {
            found.add(file, Source::Named, word);
        }
        return;
    }
    if let Some(files) =
        names.files.get(path).filter(|files| path.contains('.') && !files.is_empty())
    {
        for file in files.iter().take(MAX_OF_NAME) {
            found.add(file, Source::Named, word);
        }
        return;
    }
    if is_symbol(word)
        && let Some(files) = names.stems.get(&plain(last_of(word)))
    {
        for file in files.iter().take(MAX_OF_NAME) {
            found.add(file, Source::Symbol, word);
        }
    }
}

/// Whether a word is a name in code: `DarkMode`, `dark_mode`, `dark-mode`, `Store::open`, `open()`.
fn is_symbol(word: &str) -> bool {
    let inner = |letter: char| letter.is_uppercase();
    word.chars().skip(1).any(inner) && word.chars().any(char::is_lowercase)
        || word.contains('_')
        || word.contains("::")
        || (word.contains('-') && word.len() >= 6)
        || word.contains('.')
}

/// `crate::store::Store` is about `Store`; `user.service` about `user`.
fn last_of(word: &str) -> &str {
    let word = word.split(['.', '#']).next().unwrap_or(word);
    word.rsplit("::").next().unwrap_or(word)
}

/// Words that say nothing about what work was about.
const EMPTY: &[&str] = &[
    "the", "and", "for", "with", "that", "this", "from", "into", "when", "add", "fix", "use",
    "make", "new", "update", "change", "remove", "feat", "chore", "refactor", "test", "tests",
    "should", "not", "are", "its", "all",
];

fn meant(text: &str) -> BTreeSet<String> {
    let split = text.split(|letter: char| !letter.is_alphanumeric());
    let words = split.filter(|word| word.len() >= 3).map(str::to_lowercase);
    words.filter(|word| !EMPTY.contains(&word.as_str())).take(200).map(|word| stem(&word)).collect()
}

/// `toggles` and `toggled` are `toggle`, roughly.
fn stem(word: &str) -> String {
    let ends = ["ing", "ed", "es", "s"];
    let cut = ends.iter().find_map(|end| word.strip_suffix(end).filter(|rest| rest.len() >= 4));
    let cut = cut.unwrap_or(word);
    cut.trim_end_matches('e').to_owned()
}

fn from_history(task: &str, known: &Known<'_>, history: &History, found: &mut Found) {
    let asked = meant(task);
    if asked.is_empty() {
        return;
    }
    let mut like: Vec<(f64, &str, &[String])> = Vec::new();
    for (subject, files) in history.commits.iter().filter(|(_, files)| files.len() <= MAX_FILES) {
        let words = meant(subject);
        let both = asked.intersection(&words).count();
        let all = asked.len().min(12) + words.len() - both.min(asked.len().min(12));
        #[allow(clippy::cast_precision_loss)]
        let score = both as f64 / all.max(1) as f64;
        if both >= 2 && score >= LIKE {
            like.push((score, subject, files));
        }
    }
    like.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut votes: BTreeMap<&str, (f64, usize, &str)> = BTreeMap::new();
    for (score, subject, files) in like.into_iter().take(MAX_LIKE) {
        for file in files.iter().filter(|file| known.has(file)) {
            let vote = votes.entry(file).or_insert((0.0, 0, subject));
            vote.0 += score;
            vote.1 += 1;
        }
    }
    // Where the words name files themselves, one commit that is like them says too little.
    let least = if found.files.is_empty() { 1 } else { 2 };
    let is_likely = |(score, count, _): &(f64, usize, &str)| *score >= VOTES && *count >= least;
    let mut votes: Vec<(&str, (f64, usize, &str))> =
        votes.into_iter().filter(|(_, vote)| is_likely(vote)).collect();
    votes.sort_by(|a, b| b.1.0.total_cmp(&a.1.0).then(a.0.cmp(b.0)));
    for (path, (_, _, subject)) in votes.into_iter().take(MAX_EXPECTED / 2) {
        found.add(path, Source::History, subject);
    }
}
